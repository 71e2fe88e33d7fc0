"""A small producer of certificates for tests, honest ones and forged ones.

    certificate = certify(model, frames=3)        # explore, number in preorder, fill in the header
    certificate.entries[4][1] = 0                 # forge the script: a REF to state 0
    data = certificate.to_bytes()                 # lengths, checksums and digest are right again

Each step from the script to the file can be left out and replaced:

    frames = certificate.raw_frames()             # sections before compression, one object per frame
    frames[1].start = b"\\x00"
    data = file_bytes(certificate.header, frames)

With `certify(model, dictionaries=(b"", bits, b"", counts, b""))` sections refer to these; any
bytes will do.

Written from docs/formats/certificate.md; independent of the tools it tests.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import zstandard

TREE = -1  # an entry; every other entry is the number of the state it refers to

MAGIC = b"\x89ASSAY\r\n"
END_MAGIC = b"ASSAYEND"
SECTIONS = ("start", "bits", "ids", "counts", "subgraphs")


@dataclass
class Certificate:
    """A script that need not be true. `to_bytes` writes whatever stands here."""

    header: dict[str, Any]
    entries: list[list[int]]  # for each state in preorder, for each successor: TREE or a number
    counts: list[int]  # for each state, the references to it
    frame_begins: list[int]  # the first state of each frame
    subgraphs: bool = False
    dictionaries: Sequence[bytes] = ()  # one for each section
    states: list[bytes] = field(default_factory=list)  # for tests to look at; not written

    def recount(self) -> None:
        """Make counts, header and frames what the (changed) entries imply, as a careful forger would."""
        references = Counter(entry for entries in self.entries for entry in entries if entry != TREE)
        self.counts = [references[number] for number in range(len(self.entries))]
        self.frame_begins = frame_begins(self.entries, len(self.frame_begins))
        self.header |= numbers(self.entries, len(self.frame_begins))

    def raw_frames(self) -> list[RawFrame]:
        tree = Tree(self.entries)
        ends = [*self.frame_begins[1:], len(self.entries)]
        frames = []
        for begin, end in zip(self.frame_begins, ends, strict=True):
            entries = [entry for of_state in self.entries[begin:end] for entry in of_state]
            frames.append(
                RawFrame(
                    states=end - begin,
                    entries=len(entries),
                    references=sum(entry != TREE for entry in entries),
                    start=tree.start(begin),
                    bits=bits(entries),
                    ids=b"".join(tree.ids(number, begin) for number in range(begin, end)),
                    counts=b"".join(map(varint, self.counts[begin:end])),
                    subgraphs=b"".join(tree.subgraph(number) for number in range(begin, end))
                    if self.subgraphs
                    else b"",
                )
            )
        return frames

    def to_bytes(self) -> bytes:
        return file_bytes(self.header, self.raw_frames(), dictionaries=self.dictionaries)


@dataclass
class RawFrame:
    """The content of one frame before compression. What is None is derived when the file is written."""

    states: int
    entries: int
    references: int
    start: bytes
    bits: bytes
    ids: bytes
    counts: bytes
    subgraphs: bytes = b""
    start_length: int | None = None
    checksum: int | None = None
    compressed: dict[str, bytes] = field(default_factory=dict)  # section -> bytes to write in its place

    def section_bytes(self, dictionaries: Sequence[bytes] = ()) -> list[bytes]:
        return [
            self.compressed.get(name, compress(getattr(self, name), dictionary))
            for name, dictionary in zip(SECTIONS, dictionaries or [b""] * len(SECTIONS), strict=True)
        ]


def file_bytes(
    header: dict[str, Any] | bytes,
    frames: Sequence[RawFrame],
    *,
    dictionaries: Sequence[bytes] = (),
    stored_dictionaries: bytes | None = None,
    magic: bytes = MAGIC,
    version: int = 1,
    header_length: int | None = None,
    index: bytes | None = None,
    index_offset: int | None = None,
    end_magic: bytes = END_MAGIC,
    digest: bytes | None = None,
) -> bytes:
    """The file, with right lengths, checksums and digest unless they are given."""
    encoded = header if isinstance(header, bytes) else header_bytes(header)
    body = (
        magic
        + struct.pack("<II", version, len(encoded) if header_length is None else header_length)
        + encoded
        + (compress(b"".join(dictionaries)) if stored_dictionaries is None else stored_dictionaries)
    )
    records = b""
    for frame in frames:
        sections = frame.section_bytes(dictionaries)
        joined = b"".join(sections)
        body += joined
        records += struct.pack(
            "<10I",
            frame.states,
            frame.entries,
            frame.references,
            *map(len, sections),
            len(frame.start) if frame.start_length is None else frame.start_length,
            zlib.crc32(joined) if frame.checksum is None else frame.checksum,
        )
    offset = len(body) if index_offset is None else index_offset
    body += (records if index is None else index) + struct.pack("<Q", offset) + end_magic
    return body + (hashlib.sha256(body).digest() if digest is None else digest)


def with_right_digest(data: bytes) -> bytes:
    """A damaged file whose last 32 bytes are right again."""
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


def sentence(header: dict[str, Any]) -> str:
    """The claim that a header makes, if its facts are such that it makes one."""
    try:
        properties = header["properties"]
        checked = ["no assertion fails"]
        checked += ["no state is a deadlock"] if properties["deadlock"] is True else []
        checked += [f"{quoted(text)} holds in every state" for text in properties["invariants"]]
        checked += [f"{quoted(text)} holds at every step" for text in properties["step_invariants"]]
        return (
            f"In every state that {header['program']} ({header['language']}) can reach (at most "
            f"{header['states']:,}, with {header['transitions']:,} transitions), {', '.join(checked)}."
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""


def quoted(text: str) -> str:
    return f"`{text}`" if text.isascii() and text.isprintable() and "`" not in text else json.dumps(text)


def header_bytes(header: dict[str, Any]) -> bytes:
    if header.get("claim", "") is None:
        header = header | {"claim": sentence(header)}
    return json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def compress(content: bytes, dictionary: bytes = b"") -> bytes:
    raw = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    compressor = zstandard.ZstdCompressor(
        level=3, dict_data=raw if dictionary else None, write_content_size=True, write_dict_id=False
    )
    return compressor.compress(content) if content else b""


# --- From a model to an honest script -------------------------------------------------------------------


def certify(
    model: Any,
    *,
    tree: str = "breadth-first",
    frames: int = 1,
    subgraphs: bool = False,
    dictionaries: Sequence[bytes] = (),
    **header: Any,
) -> Certificate:
    """Explore a model (anything with `initial_state` and `successors`) and write its script.

    Properties are not looked at: a certificate about a wrong program is a forgery like others.
    """
    edges, parents = explore(model, depth_first=tree == "depth-first")
    children: dict[bytes, dict[int, bytes]] = {state: {} for state in edges}
    for child, (parent, position) in parents.items():
        children[parent][position] = child
    order: list[bytes] = []
    pending = [model.initial_state()[0]]
    while pending:
        state = pending.pop()
        order.append(state)
        pending += [children[state][position] for position in sorted(children[state], reverse=True)]
    number = {state: index for index, state in enumerate(order)}
    entries = [
        [
            TREE if position in children[state] else number[target]
            for position, target in enumerate(edges[state])
        ]
        for state in order
    ]
    certificate = Certificate(
        header=default_header(tree=tree, subgraphs=subgraphs)
        | {"dictionaries": list(map(len, dictionaries))}
        | header,
        entries=entries,
        counts=[],
        frame_begins=[0] * frames,
        subgraphs=subgraphs,
        dictionaries=dictionaries,
        states=order,
    )
    certificate.recount()
    return certificate


def explore(
    model: Any, *, depth_first: bool
) -> tuple[dict[bytes, list[bytes]], dict[bytes, tuple[bytes, int]]]:
    """Successors of each reachable state, and where each but the first was discovered."""
    initial, _ = model.initial_state()
    edges: dict[bytes, list[bytes]] = {}
    parents: dict[bytes, tuple[bytes, int]] = {}
    frontier: deque[tuple[bytes, tuple[bytes, int] | None]] = deque([(initial, None)])
    while frontier:
        state, parent = frontier.pop() if depth_first else frontier.popleft()
        if state in edges:
            continue
        if parent is not None:
            parents[state] = parent
        edges[state] = [successor for successor, _ in model.successors(state) if successor is not None]
        found = [(target, (state, position)) for position, target in enumerate(edges[state])]
        frontier.extend(reversed(found) if depth_first else found)
    return edges, parents


def default_header(*, tree: str = "breadth-first", subgraphs: bool = False) -> dict[str, Any]:
    """Everything but the numbers, which `Certificate.recount` fills in."""
    return {
        "format": "assay-certificate",
        "claim": None,  # follows from the rest
        "program": "graph.pml",
        "language": "promela",
        "sources": [{"name": "graph.pml", "sha256": hashlib.sha256(b"").hexdigest()}],
        "semantics": {},
        "properties": {"assertions": True, "deadlock": False, "invariants": [], "step_invariants": []},
        "tree": tree,
        "coding": "zstd",
        "subgraphs": subgraphs,
        "dictionaries": [],
        "producer": {"tool": "graph_certificates", "version": "1"},
    }


def program_header(program: Any, options: Any, *, deadlock: bool = True) -> dict[str, Any]:
    """What `certify(model, **program_header(...))` needs to speak of a loaded program."""
    sources = [{"name": Path(source.path).name, "sha256": source.sha256} for source in program.sources]
    return {
        "program": sources[0]["name"],
        "language": program.language,
        "sources": sources,
        "semantics": dict(program.semantics),
        "properties": {
            "assertions": True,
            "deadlock": deadlock,
            "invariants": list(options.invariants),
            "step_invariants": list(options.step_invariants),
        },
    }


def numbers(entries: Sequence[Sequence[int]], frames: int) -> dict[str, int]:
    transitions = sum(map(len, entries))
    return {
        "states": len(entries),
        "transitions": transitions,
        "references": sum(entry != TREE for of_state in entries for entry in of_state),
        "depth": max(Tree(entries).depths()),
        "frames": frames,
    }


def frame_begins(entries: Sequence[Sequence[int]], frames: int) -> list[int]:
    before = [0, *accumulate(map(len, entries))]
    return [bisect_left(before, frame * before[-1] // frames) for frame in range(frames)]


# --- From a script to sections --------------------------------------------------------------------------


class Tree:
    """Who is whose parent, according to the entries alone. States that a forged script cannot reach
    have no parent; TREE entries that it has no states for lead to None."""

    def __init__(self, entries: Sequence[Sequence[int]]) -> None:
        self.entries = entries
        self.parent: list[tuple[int, int] | None] = []  # state and position of the entry
        self.targets: list[list[int | None]] = [
            [None if entry == TREE else entry for entry in of_state] for of_state in entries
        ]
        open_entries: list[tuple[int, int]] = []
        for number, of_state in enumerate(entries):
            parent = open_entries.pop() if open_entries else None
            self.parent.append(parent)
            if parent is not None:
                self.targets[parent[0]][parent[1]] = number
            tree = [(number, position) for position, entry in enumerate(of_state) if entry == TREE]
            open_entries += reversed(tree)
        self.left_over = open_entries

    def ancestors(self, number: int) -> list[tuple[int, int]]:
        path = []
        link = self.parent[number] if number < len(self.parent) else None
        while link is not None:
            path.append(link)
            link = self.parent[link[0]]
        return path[::-1]

    def depths(self) -> list[int]:
        depths: list[int] = []
        for link in self.parent:
            depths.append(0 if link is None else depths[link[0]] + 1)
        return depths

    def start(self, number: int) -> bytes:
        path = self.ancestors(number)
        encoded = varint(len(path))
        for ancestor, position in path:
            later = [at for at, entry in enumerate(self.entries[ancestor]) if entry == TREE and at > position]
            encoded += varint(position) + varint(len(later))
            for previous, at in zip([position, *later], later, strict=False):
                encoded += varint(at - previous - 1)
        return encoded

    def ids(self, number: int, frame_begin: int) -> bytes:
        return b"".join(
            varint(zigzag(entry - self.prediction(number, position, frame_begin)))
            for position, entry in enumerate(self.entries[number])
            if entry != TREE
        )

    def prediction(self, number: int, position: int, frame_begin: int) -> int:
        link = self.parent[number]
        if link is None or link[0] < frame_begin:
            return number
        parent, leads_here = link
        difference = len(self.entries[number]) - len(self.entries[parent])
        same = position if position < leads_here else position - difference
        if not 0 <= same < len(self.entries[parent]):
            return number
        target = self.targets[parent][same]
        visited = self.entries[parent][same] != TREE or (target is not None and target <= number)
        return target + number - parent if visited and target is not None else number

    def subgraph(self, number: int) -> bytes:
        depths = self.depths()
        below = number + 1
        while below < len(depths) and depths[below] > depths[number]:
            below += 1
        return varint(len(self.entries[number])) + varint(sum(map(len, self.entries[number:below])))


def bits(entries: Sequence[int]) -> bytes:
    packed = sum(1 << at for at, entry in enumerate(entries) if entry == TREE)
    return packed.to_bytes((len(entries) + 7) // 8, "little")


def varint(value: int) -> bytes:
    encoded = b""
    while value >= 0x80:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def zigzag(value: int) -> int:
    return 2 * value if value >= 0 else -2 * value - 1
