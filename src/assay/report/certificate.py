"""A certificate as people read it: what it claims, where its bytes go, how it divides into tasks.

Looking is not checking: nothing here says that a certificate is right. All
text comes from a stranger, so whatever could steer a terminal is escaped.

The script is printed as Taleghani (2010, section 3.1.1) does: a depth-first
walk in two rows, what was done and the state it led to, with backtracks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Protocol

import zstandard
from rich.console import Console
from rich.text import Text

from assay.evidence.certificate import PYTHON_CLASS
from assay.evidence.certificate.container import CertificateFile, StoredScript
from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import (
    MOVING_SECTIONS,
    RANKED_SECTIONS,
    SECTIONS,
    TERMINATION,
    CertificateProblem,
    Header,
)
from assay.evidence.script import TREE, Script, instruction
from assay.records import dataclass
from assay.report.console import make_console
from assay.report.quantities import bytes_text, count, value_text
from assay.report.words import printable

MAX_PRINTED_ENTRIES = 5_000
MAX_PRINTED_BYTES = 1 << 24
STATEMENT_COLUMN = 32
LABEL_WIDTH = 14


# --- facts ---


@dataclass(frozen=True, slots=True)
class Partition:
    """What becomes of the frames when that many tasks share them, each a run of consecutive ones."""

    tasks: int
    largest_share: float  # of all entries, in the largest task
    average_path: float  # steps from the initial state to where a task begins
    longest_path: int


@dataclass(frozen=True, slots=True)
class Envelope:
    """The signature beside a certificate; `verified` is None when nobody gave a key to check it with."""

    file: str | None
    verified: bool | None = None
    key_id: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    certificate: str
    header: Header
    sha256: str
    file_bytes: int
    section_bytes: Mapping[str, int]
    part_bytes: tuple[Mapping[str, int], ...] = ()  # of the sections of each temporal part
    partitions: tuple[Partition, ...]
    envelope: Envelope

    @property
    def bytes_per_transition(self) -> float | None:
        return self.file_bytes / self.header.transitions if self.header.transitions else None

    def as_json(self) -> dict[str, object]:
        return {
            "certificate": self.certificate,
            "claim": self.header.claim,
            **asdict(self.header),
            "references": self.header.references,
            "sha256": self.sha256,
            "file_bytes": self.file_bytes,
            "bytes_per_transition": self.bytes_per_transition,
            "section_bytes": dict(self.section_bytes),
            "part_bytes": [dict(sizes) for sizes in self.part_bytes],
            "partitions": [asdict(partition) for partition in self.partitions],
            "signature": asdict(self.envelope),
        }


def inspect(certificate: CertificateFile, tasks: Sequence[int], envelope: Envelope) -> Inspection:
    """Gather what can be said without the program."""
    names = MOVING_SECTIONS if certificate.header.moves else SECTIONS
    sizes = _section_bytes(certificate.script, names)
    parts = [_section_bytes(part, RANKED_SECTIONS) for part in certificate.parts]
    sizes["dictionaries"] = certificate.dictionary_bytes
    sizes["header"] = certificate.offsets[0] - sizes["dictionaries"]
    in_parts = sum(sum(part.values()) for part in parts)
    paths = [path_length(certificate, number) for number in range(len(certificate.records))]
    return Inspection(
        certificate=str(certificate.path),
        header=certificate.header,
        sha256=certificate.sha256,
        file_bytes=certificate.size,
        section_bytes={**sizes, "index": certificate.size - sum(sizes.values()) - in_parts},
        part_bytes=tuple(parts),
        partitions=tuple(
            partition(certificate, paths, number)
            for number in dict.fromkeys(min(number, len(paths)) for number in tasks)
        ),
        envelope=envelope,
    )


def _section_bytes(script: StoredScript, names: Sequence[str]) -> dict[str, int]:
    return {name: sum(record.lengths[place] for record in script.records) for place, name in enumerate(names)}


def partition(certificate: CertificateFile, paths: Sequence[int], tasks: int) -> Partition:
    bounds = [len(paths) * task // tasks for task in range(tasks + 1)]
    entries = [
        sum(record.entries for record in certificate.records[begin:end]) for begin, end in pairwise(bounds)
    ]
    begins = [paths[bound] for bound in bounds[:-1]]
    return Partition(
        tasks=tasks,
        largest_share=max(entries) / max(1, sum(entries)),
        average_path=sum(begins) / tasks,
        longest_path=max(begins),
    )


def path_length(certificate: CertificateFile, number: int) -> int:
    """The number at the head of a frame's start section, without decompressing the rest of it."""
    record = certificate.records[number]
    section = certificate.frame_bytes(number)[: record.start]
    try:
        decompressor = zstandard.ZstdDecompressor(
            dict_data=certificate.dictionaries[0], max_window_size=1 << 28
        )
        with decompressor.stream_reader(section) as reader:
            head = reader.read(Numbers.MAX_BYTES)
    except zstandard.ZstdError:
        raise CertificateProblem(f"frame {number} cannot be decompressed") from None
    return Numbers(head, f"the start of frame {number}").next()


class Numbers:
    """The varints of a section, one after another."""

    MAX_BYTES = 7

    def __init__(self, section: bytes, what: str) -> None:
        self._section = section
        self._what = what
        self._position = 0

    def next(self) -> int:
        value = 0
        for shift in range(0, 7 * self.MAX_BYTES, 7):
            if self._position >= len(self._section):
                raise CertificateProblem(f"{self._what} ends in the middle of a number")
            byte = self._section[self._position]
            self._position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise CertificateProblem(f"{self._what} has a number that is too long")

    def require_end(self) -> None:
        if self._position != len(self._section):
            raise CertificateProblem(f"{self._what} goes on after its last number")


# --- the script ---


@dataclass(frozen=True, slots=True)
class Successor:
    """Of a program given by its user: the state as the engine knows it (None: an error left none)."""

    state: bytes | None
    statement: str


class Steps(Protocol):
    """A program, one step at a time."""

    def initial(self) -> bytes: ...
    def successors(self, state: bytes) -> Sequence[Successor]: ...


@dataclass(frozen=True, slots=True)
class Move:
    """One column of the printed script."""

    instruction: str  # "-", "t1", "B"
    state: str  # "S1"
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A script and, where the program was given, the statement of each entry."""

    script: Script
    statements: tuple[tuple[str, ...], ...] = ()

    def moves(self) -> Iterator[Move]:
        """The depth-first walk that the script stands for, in the words of the thesis."""
        yield Move("-", "S1")
        source = 0
        for step in self.script.steps():
            spoken = self.statements and step.position is not None
            statement = self.statements[source][step.position or 0] if spoken else ""
            yield Move(instruction(step), f"S{step.state + 1}", statement)
            source = step.state  # a reference is followed by the way back, so this is where we stand

    def as_json(self) -> list[dict[str, str]]:
        return [asdict(move) for move in self.moves()]


def read_script(certificate: CertificateFile, program: Steps | None) -> Listing:
    """The script of a small certificate. References are decoded, not checked.

    Only somebody who knows how many successors each state has can cut the bits
    into states: the program, or the last section of the frames.
    """
    header = certificate.header
    if header.transitions > MAX_PRINTED_ENTRIES:
        raise CertificateProblem(
            f"a script of {header.transitions:,} entries is not for reading; "
            f"at most {MAX_PRINTED_ENTRIES:,} are printed"
        )
    if sum(record.start_length for record in certificate.records) > MAX_PRINTED_BYTES:
        raise CertificateProblem("the starts of the frames take more room than so small a script needs")
    if program is None and not (header.subgraphs or header.moves):
        raise CertificateProblem(
            "this certificate does not say how many successors each state has; "
            "give the program too: --program PROGRAM"
        )
    decoder = _Decoder(header, program)
    for number, frame in enumerate(certificate.frames()):
        decoder.add(number, frame)
    return decoder.listing()


class _Decoder:
    """Follows the tree in preorder and decodes every reference (docs/formats/certificate.md, Ids)."""

    def __init__(self, header: Header, program: Steps | None) -> None:
        self._header = header
        self._program = program
        self._entries: list[tuple[int, ...]] = []
        self._targets: list[list[int]] = []  # the same, but with the numbers of the children visited so far
        self._statements: list[tuple[str, ...]] = []
        # What is still to be visited: the state that leads there, the position, the state itself.
        self._open: list[tuple[int, int, bytes | None]] = [(-1, 0, program.initial() if program else None)]

    def add(self, number: int, frame: Frame) -> None:
        """Visit the states of the next frame."""
        first_state, used = len(self._entries), 0
        identifiers = Numbers(frame.ids, f"the list of references in frame {number}")
        what = "moves" if self._header.moves else "subgraphs"
        listed = Numbers(frame.supplement, f"the list of {what} in frame {number}")
        for y in range(first_state, first_state + frame.states):
            if not self._open:
                raise CertificateProblem(f"the tree ends before state S{y + 1}")
            s, j, state = self._open.pop()
            if s >= 0:
                self._targets[s][j] = y
            children = self._children(y, state, listed)
            n = len(children)
            if used + n > frame.entries:
                raise CertificateProblem(
                    f"state S{y + 1} has more successors than frame {number} has entries"
                )
            entries = []
            for k in range(n):
                if frame.bits[used >> 3] >> (used & 7) & 1:
                    entries.append(TREE)
                    if self._header.moves and self._program is None:
                        listed.next()  # whose step it is
                else:
                    prediction = self._prediction(y, k, n, s, j) if s >= first_state else y
                    entries.append(self._reference(y, prediction, identifiers.next()))
                used += 1
            self._entries.append(tuple(entries))
            self._targets.append(entries)
            self._open += [(y, k, children[k]) for k in reversed(range(n)) if entries[k] == TREE]
        if used != frame.entries:
            raise CertificateProblem(f"frame {number} has more entries than its states have successors")
        identifiers.require_end()
        if self._program is None:
            listed.require_end()

    def listing(self) -> Listing:
        if self._open:
            raise CertificateProblem(f"the tree goes on after state S{len(self._entries)}")
        return Listing(Script(tuple(self._entries)), tuple(self._statements))

    def _children(self, y: int, state: bytes | None, listed: Numbers) -> Sequence[bytes | None]:
        """The successors of a state, as far as known: without the program, just so many."""
        if self._program is None:
            size = listed.next()
            if self._header.subgraphs:
                listed.next()  # entries in the whole subtree
            return [None] * min(size, self._header.transitions + 1)
        if state is None:
            raise CertificateProblem(f"the certificate does not fit the program: S{y + 1} is no state of it")
        successors = self._program.successors(state)
        self._statements.append(tuple(successor.statement for successor in successors))
        return [successor.state for successor in successors]

    def _prediction(self, y: int, k: int, n: int, s: int, j: int) -> int:
        m = len(self._targets[s])
        i = k if k < j else k - (n - m)
        x = self._targets[s][i] if 0 <= i < m else TREE
        return y if x == TREE else x + (y - s)

    def _reference(self, y: int, prediction: int, code: int) -> int:
        target = prediction + (-(code + 1 >> 1) if code & 1 else code >> 1)
        if not 0 <= target < self._header.states:
            raise CertificateProblem(f"state S{y + 1} has a reference to a state that does not exist")
        return target


# --- text ---


def print_inspection(inspection: Inspection, *, console: Console | None = None) -> None:
    console = console or make_console()
    header, envelope = inspection.header, inspection.envelope
    console.print(Text(printable(header.claim), "bold"))
    console.print(Text("  This is what the file claims; whether it is true was not checked.", "dim"))
    per_transition = inspection.bytes_per_transition
    _print_fact(
        console,
        "counts",
        f"{count(header.states, 'state')}, {count(header.transitions, 'transition')}, "
        f"{count(header.references, 'reference')}, depth {header.depth:,}",
    )
    _print_fact(
        console,
        "size",
        bytes_text(inspection.file_bytes)
        + (f", {per_transition:.2f} bytes per transition" if per_transition is not None else ""),
    )
    _print_fact(
        console,
        "sections",
        ", ".join(f"{name} {bytes_text(size)}" for name, size in inspection.section_bytes.items() if size),
    )
    _print_fact(console, "script", f"{header.tree} tree, {count(header.frames, 'frame')}")
    for division in inspection.partitions:
        _print_fact(
            console,
            count(division.tasks, "task"),
            f"the largest has {division.largest_share:.1%} of all entries; "
            f"paths to their begin: average {division.average_path:,.1f}, longest {division.longest_path:,}",
        )
    for part, sizes in zip(
        header.temporal.parts if header.temporal else (), inspection.part_bytes, strict=True
    ):
        is_fair = header.temporal is not None and header.temporal.fair
        fair = (
            ", of fair runs"
            if is_fair or (part.kind == TERMINATION and header.language != PYTHON_CLASS)
            else ""
        )
        _print_fact(console, "runs", f"{part.kind} {part.title}{fair}")
        _print_fact(
            console,
            "",
            f"{count(part.states, 'state')} and {count(part.transitions, 'transition')} with its automaton, "
            f"depth {part.depth:,}, {count(part.frames, 'frame')}, {bytes_text(sum(sizes.values()))} "
            f"(excesses {bytes_text(sizes['excesses'])}), first rank {part.rank:,}",
        )
    for source in header.sources:
        _print_fact(console, "source", f"{source.name}  SHA-256 {source.sha256}")
    for name, value in header.semantics.items():
        _print_fact(console, "semantics", f"{name} = {value_text(value)}")
    for text in _properties(header):
        _print_fact(console, "property", text)
    _print_fact(console, "producer", f"{header.producer['tool']} {header.producer['version']}")
    _print_fact(console, "SHA-256", inspection.sha256)
    style = "" if envelope.verified is None else "bold green" if envelope.verified else "bold red"
    _print_fact(console, "signature", _signature(envelope), style)


def _print_fact(console: Console, name: str, text: str, style: str = "") -> None:
    line = Text("  ")
    line.append(name.ljust(LABEL_WIDTH), "cyan")
    line.append(printable(text), style)
    console.print(line)


def _properties(header: Header) -> list[str]:
    properties = header.properties
    return [
        *(["assertions"] if properties.assertions else []),
        *(["no deadlock"] if properties.deadlock else []),
        *(f"invariant {text}" for text in properties.invariants),
        *(f"step invariant {text}" for text in properties.step_invariants),
    ]


def _signature(envelope: Envelope) -> str:
    if envelope.verified:
        return f"{envelope.file}, verified with key {envelope.key_id}"
    if envelope.verified is False:
        return f"not verified: {envelope.problem}"
    if envelope.file is None:
        return "none lies beside the file"
    return f"{envelope.file}, not checked; --key PUBLIC checks it"


def print_script(listing: Listing, *, parts: int = 0, console: Console | None = None) -> None:
    """The rows of the thesis, folded where the line ends; statements below where the program gave them.

    `parts` is how many temporal parts there are, whose scripts walk through products and are not printed.
    """
    console = console or make_console()
    rows: list[tuple[str, list[str]]] = [("Trans instr:", []), ("State ID:", []), ("Statement:", [])]
    used = LABEL_WIDTH

    def print_rows() -> None:
        for name, cells in rows:
            if any(cell.strip() for cell in cells):
                console.print((name.ljust(LABEL_WIDTH) + "".join(cells)).rstrip(), markup=False)
            cells.clear()

    for move in listing.moves():
        statement = printable(move.statement)
        if len(statement) > STATEMENT_COLUMN:
            statement = statement[: STATEMENT_COLUMN - 3] + "..."
        cells = (move.instruction, move.state, statement)
        width = max(map(len, cells)) + 1
        if used + width - 1 > console.width:
            print_rows()
            console.print()
            used = LABEL_WIDTH
        used += width
        for (_, row), cell in zip(rows, cells, strict=True):
            row.append(cell.ljust(width))
    print_rows()
    if parts:
        whose = "temporal part says" if parts == 1 else f"{parts} temporal parts say"
        console.print(
            f"\nOf the states; what the {whose} of products with automata is not printed.", markup=False
        )
