"""The state of a model as C sees it: `now` and one structure for each proctype.

Each lies over a block of the state (`layout`), byte by byte, so that a copy of the block is all that C needs.
Bits and narrow numbers are bit fields that fill their place: storing truncates, as in SPIN, and no other bit
is touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.languages.promela.layout import (
    GLOBAL_HEADER,
    GLOBAL_HEADER_WITH_EVENTS,
    MAXIMAL_PROCESSES,
    PROCESS_HEADER,
    Block,
    Layout,
)
from assay.languages.promela.operations import Process, Scalar, Structure, Symbol, Type
from assay.records import dataclass

_TYPES = {(1, False): "unsigned char", (2, False): "unsigned short", (4, False): "unsigned int",
          (2, True): "short", (4, True): "int"}  # fmt: skip


def structures(layout: Layout, processes: Sequence[Process], tail: Sequence[str]) -> str:
    """The declarations; `tail` are the fields of `now` that belong to C alone."""
    lines: list[str] = []
    declared: set[str] = set()
    symbols = [*layout.globals.offsets, *(s for p in processes for s in layout.processes[p.name].offsets)]
    for symbol in symbols:
        lines += _typedef(symbol.type, layout, declared)
    head = ["unsigned char _nr_pr;", "unsigned char _last;"]
    if layout.globals.header > GLOBAL_HEADER:
        head.append("unsigned short _event;")
    if layout.globals.header > GLOBAL_HEADER_WITH_EVENTS:
        head.append("unsigned short _claim;")
    lines += [
        "struct assay_now {",
        *_fields(layout.globals, layout, head, layout.globals.header, layout.memory_offset),
        *tail,
        "} __attribute__((aligned(8)));",
    ]
    for process in processes:
        block = layout.processes[process.name]
        head = ["int _pid;", "int assay_aligned;"]
        head += ["unsigned char _t;", "unsigned char _priority;", "unsigned short _p;"]
        lines += [
            f"typedef struct assay_P_{process.name} {{",
            *_fields(block, layout, head, PROCESS_HEADER, block.size),
            f"}} P{process.number};",
            f'_Static_assert(sizeof(P{process.number}) == {block.size + 8}, "layout");',
        ]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Room:
    """For what C may look at: lengths of channels, their capacities, who asks, then each process."""

    own: int
    header: int
    stride: int
    bytes: int


def room_for_others(layout: Layout, processes: Sequence[Process]) -> Room:
    stride = max((layout.processes[p.name].size for p in processes), default=0) + 8
    return Room(512, 520, stride, 520 + MAXIMAL_PROCESSES * stride)


def gaps(block: Block, layout: Layout, end: int) -> list[tuple[int, int]]:
    """What of a block is no variable: begin and end of each part. C must leave it alone."""
    found, offset = [], 0
    for symbol, at in sorted(block.offsets.items(), key=lambda item: item[1]):
        if at > offset:
            found.append((offset, at))
        offset = at + _size(symbol, layout)
    return [*found, (offset, end)] if end > offset else found


def _typedef(type_: Type, layout: Layout, declared: set[str]) -> Iterator[str]:
    if not isinstance(type_, Structure) or type_.name in declared:
        return
    declared.add(type_.name)
    for item in type_.fields:
        yield from _typedef(item.type, layout, declared)
    yield f"struct {type_.name} {{"
    for item in type_.fields:
        yield "  " + _declared(item.name, item.type, item.length)
    yield "};"
    yield f'_Static_assert(sizeof(struct {type_.name}) == {layout.structure_layout(type_).size}, "layout");'


def _declared(name: str, type_: Type, length: int | None) -> str:
    if isinstance(type_, Structure):
        return f"struct {type_.name} {name}{'' if length is None else f'[{length}]'};"
    return _scalar(name, type_, length)


def _scalar(name: str, scalar: Scalar, length: int | None) -> str:
    kind = _TYPES[scalar.size, scalar.signed]
    if length is not None:
        return f"{kind} {name}[{length}];"
    if scalar.bits < 8 * scalar.size:
        return f"{kind} {name} : {scalar.bits}, : {8 * scalar.size - scalar.bits};"
    return f"{kind} {name};"


def _fields(block: Block, layout: Layout, head: Sequence[str], offset: int, end: int) -> Iterator[str]:
    """The fields of a block in the order of their places, and what lies between them."""
    yield from (f"  {line}" for line in head)
    for symbol, at in sorted(block.offsets.items(), key=lambda item: item[1]):
        if at > offset:
            yield f"  unsigned char assay_gap_{offset}[{at - offset}];"
        if symbol.declaration:  # of bytes: it may lie anywhere
            yield f"  {symbol.declaration} __attribute__((packed, aligned(1)));"
        else:
            yield "  " + _declared(symbol.identifier, symbol.type, symbol.length)
        offset = at + _size(symbol, layout)
    if end > offset:
        yield f"  unsigned char assay_gap_{offset}[{end - offset}];"


def _size(symbol: Symbol, layout: Layout) -> int:
    size, _ = layout.size_of(symbol.type)
    return size * (symbol.length or 1)
