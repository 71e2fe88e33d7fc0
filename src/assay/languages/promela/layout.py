"""Where everything stands in a state.

A state is a string of bytes: a block for the globals, then one block per living
process in the order of their pids. A block holds plain scalars at natural
alignment and ends at a multiple of eight, so that the engine's words never mix two
processes. Channels live in the block of whoever declared them. Channels without a
buffer need no room: a rendezvous begins and ends within one step. A `trace` or `notrace`, and a `never` claim
that executes C, have their locations among the globals.

A chan variable that nobody assigns always means the channel it was declared with;
it needs no room either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from assay.languages.promela.operations import (
    ChannelShape,
    Const,
    Place,
    Process,
    Scalar,
    Step,
    Structure,
    Symbol,
    Type,
)
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct

PROCESS_COUNT_OFFSET = 0
LAST_PID_OFFSET = 1
EVENT_LOCATION_OFFSET = 2
CLAIM_LOCATION_OFFSET = 4
GLOBAL_HEADER = 2
GLOBAL_HEADER_WITH_EVENTS = 4  # the location of a trace or notrace
GLOBAL_HEADER_WITH_CLAIM = 6  # and that of a never claim which executes C
PROCESS_TYPE_OFFSET = 0
PROCESS_PRIORITY_OFFSET = 1
PROCESS_LOCATION_OFFSET = 2
PROCESS_HEADER = 4
MAXIMAL_PROCESSES = 255
CLAIM_PID = 255  # under which the steps of such a claim are told
MAXIMAL_CHANNELS = 255  # a chan variable is a byte
MAXIMAL_BLOCK_BYTES = 1 << 16


def round_up(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) // alignment * alignment


@dataclass(frozen=True, slots=True)
class StructureLayout:
    offsets: dict[str, int]
    size: int
    alignment: int


@dataclass(frozen=True, slots=True)
class QueueLayout:
    """One length byte, then the messages."""

    shape: ChannelShape
    number: int  # of the shape, among all shapes of the model
    field_offsets: tuple[int, ...]
    first_message: int
    stride: int
    size: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A channel of a block. `ordinal` counts the channels of its owner from 0."""

    ordinal: int
    layout: QueueLayout
    offset: int
    symbol: Symbol
    element: int
    path: tuple[str, ...] = ()  # inside a structure


@dataclass(slots=True)
class Block:
    owner: Process | None
    header: int
    offsets: dict[Symbol, int] = field(default_factory=dict)
    queues: list[Queue] = field(default_factory=list)
    first_queue: dict[Symbol, Queue] = field(default_factory=dict)  # of chan symbols without room
    size: int = 0


def too_large(size: int, symbol: Symbol) -> UnsupportedConstruct:
    return UnsupportedConstruct(
        f"'{symbol.name}' makes its block {size} bytes large; at most {MAXIMAL_BLOCK_BYTES} are supported",
        where=symbol.where,
        hint="make its arrays or channels smaller",
    )


def has_channel(structure: Structure) -> bool:
    return any(
        f.channel is not None or (isinstance(f.type, Structure) and has_channel(f.type))
        for f in structure.fields
    )


def is_fixed_index(step: Step) -> bool:
    """A constant index inside the array; one outside is an error when it is reached."""
    return isinstance(step.index, Const) and step.length is not None and 0 <= step.index.value < step.length


class Layout:
    def __init__(
        self,
        symbols: Sequence[Symbol],
        processes: Sequence[Process],
        unread: set[Symbol],
        *,
        has_events: bool = False,
        has_claim: bool = False,
    ) -> None:
        self.structures: dict[Structure, StructureLayout] = {}
        self.shapes: dict[ChannelShape, QueueLayout] = {}
        self.unread = unread  # write-only variables get no room
        header = GLOBAL_HEADER_WITH_EVENTS if has_events else GLOBAL_HEADER
        if has_claim:
            header = GLOBAL_HEADER_WITH_CLAIM
        self.globals = self.block(None, header, symbols)
        self.memory_offset = self.globals.size  # of embedded C
        self.memory_bytes = 0
        self.processes = {p.name: self.block(p, PROCESS_HEADER, p.symbols) for p in processes}

    def block(self, owner: Process | None, header: int, symbols: Sequence[Symbol]) -> Block:
        block = Block(owner, header)
        offset = header
        for symbol in symbols:
            if self.has_room(symbol):
                size, alignment = self.size_of(symbol.type)
                offset = round_up(offset, alignment)
                block.offsets[symbol] = offset
                offset += size * (symbol.length or 1)
                if offset > MAXIMAL_BLOCK_BYTES:  # said before anything of that size is enumerated
                    raise too_large(offset, symbol)
        for symbol in symbols:
            for path, shape, element in self.channels_of(symbol):
                layout = self.queue_layout(shape)
                if layout.size:
                    offset = round_up(offset, 8)
                    if offset + layout.size > MAXIMAL_BLOCK_BYTES:
                        raise too_large(offset + layout.size, symbol)
                queue = Queue(len(block.queues), layout, offset, symbol, element, path)
                if symbol not in block.first_queue:
                    block.first_queue[symbol] = queue
                block.queues.append(queue)
                offset += layout.size
        block.size = round_up(offset, 8)
        if block.size > MAXIMAL_BLOCK_BYTES:
            raise too_large(block.size, symbols[-1])
        if len(block.queues) > MAXIMAL_CHANNELS:
            raise UnsupportedConstruct(
                f"{len(block.queues)} channels; at most {MAXIMAL_CHANNELS} are possible",
                where=symbols[-1].where,
            )
        return block

    def add_memory(self, size: int) -> None:
        """Room for the memory of embedded C, behind the globals."""
        self.memory_bytes = size
        self.globals.size = self.memory_offset + round_up(size, 8)

    def has_room(self, symbol: Symbol) -> bool:
        return not self.is_fixed_channel(symbol) and symbol not in self.unread

    @staticmethod
    def is_fixed_channel(symbol: Symbol) -> bool:
        return symbol.channel is not None and not symbol.assigned and not symbol.parameter

    def channels_of(self, symbol: Symbol) -> Iterator[tuple[tuple[str, ...], ChannelShape, int]]:
        """The channels that declaring a symbol creates, in order."""
        for element in range(symbol.length or 1):
            if symbol.channel is not None:
                yield (), symbol.channel, element
            elif isinstance(symbol.type, Structure) and has_channel(symbol.type):
                yield from self.structure_channels(symbol.type, (), element)

    def structure_channels(
        self, structure: Structure, path: tuple[str, ...], element: int
    ) -> Iterator[tuple[tuple[str, ...], ChannelShape, int]]:
        for item in structure.fields:
            for i in range(item.length or 1):
                here = (*path, item.name if item.length is None else f"{item.name}[{i}]")
                if item.channel is not None:
                    yield here, item.channel, element
                elif isinstance(item.type, Structure) and has_channel(item.type):
                    yield from self.structure_channels(item.type, here, element)

    def size_of(self, type_: Type) -> tuple[int, int]:
        if isinstance(type_, Scalar):
            return type_.size, type_.size
        layout = self.structure_layout(type_)
        return layout.size, layout.alignment

    def structure_layout(self, structure: Structure) -> StructureLayout:
        if structure not in self.structures:
            offset, largest = 0, 1
            offsets: dict[str, int] = {}
            for item in structure.fields:
                size, alignment = self.size_of(item.type)
                offset = round_up(offset, alignment)
                offsets[item.name] = offset
                offset += size * (item.length or 1)
                largest = max(largest, alignment)
            self.structures[structure] = StructureLayout(offsets, round_up(offset, largest), largest)
        return self.structures[structure]

    def queue_layout(self, shape: ChannelShape) -> QueueLayout:
        if shape not in self.shapes:
            offset, largest = 0, 1
            offsets = []
            for scalar in shape.fields:
                offset = round_up(offset, scalar.size)
                offsets.append(offset)
                offset += scalar.size
                largest = max(largest, scalar.size)
            stride = round_up(offset, largest)
            first = round_up(1, largest)
            size = first + stride * shape.capacity if shape.capacity else 0
            self.shapes[shape] = QueueLayout(shape, len(self.shapes), tuple(offsets), first, stride, size)
        return self.shapes[shape]

    def place_steps(self, place: Place) -> tuple[int, list[tuple[int, int]]]:
        """(fixed offset from the symbol's, [(position of the index step, stride)])."""
        fixed = 0
        strides: list[tuple[int, int]] = []
        type_: Type = place.symbol.type
        for position, step in enumerate(place.steps):
            size, _ = self.size_of(type_)
            if step.index is not None:
                if is_fixed_index(step):
                    assert isinstance(step.index, Const)
                    fixed += size * step.index.value
                else:
                    strides.append((position, size))
            if step.field is not None:
                assert isinstance(type_, Structure)
                fixed += self.structure_layout(type_).offsets[step.field]
                inner = type_.field(step.field)
                assert inner is not None
                type_ = inner.type
        return fixed, strides
