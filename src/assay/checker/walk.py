"""The script of a certificate, walked along its tree.

The walk visits the states in preorder and holds nothing but the open path: the
ancestors of the next state and, for each, the children that are still to come.
No table of visited states is kept. That every `REF d` leads to the state
visited as number d (in a temporal part: that every `REF` leads to a state
visited with that rank) is decided at the end by comparing two products, as
"Checking without a table" in docs/formats/certificate.md describes and proves.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Protocol

from assay.checker.container import (
    LONGEST_SUBTREE_VARINT,
    RANKS_END,
    Container,
    Frame,
    Header,
    Rejected,
    Varints,
    decompressed,
    read_container,
    varint,
    varints,
)
from assay.checker.temporal import Product, Step

PRIME = 2**127 - 1
NAMED_PROCESSES, NAMED_STEPS = 254, 255
NOBODY = 0  # the number of every state where states are told apart by what they are


class Model(Protocol):
    """The step function. States are strings of 64-bit words; violation codes are 0 when all is well."""

    def initial_state(self) -> tuple[bytes, int]: ...
    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]: ...
    def is_valid_end(self, state: bytes) -> bool: ...
    def check_state(self, state: bytes) -> int: ...
    def check_step(self, before: bytes, after: bytes) -> int: ...


@dataclass(frozen=True, slots=True)
class Accepted:
    """What was checked, and how likely a wrong certificate would have passed."""

    header: Header
    states: int
    transitions: int
    references: int
    depth: int
    notes: tuple[str, ...] = ()
    parts: tuple[Accepted, ...] = ()  # of the temporal parts, in their order

    @property
    def wrong_acceptance_exponent(self) -> int:
        """A wrong certificate is accepted with probability at most two to this power."""
        return sum(3 * one.transitions + one.states for one in (self, *self.parts)).bit_length() - 127


class ReferenceCheck:
    """The two products R and O over a prime field, under secrets drawn here.

    Create it only after the whole certificate has been read: the proof needs
    secrets that the certificate cannot depend on.
    """

    def __init__(self) -> None:
        self._rank_key = secrets.randbelow(PRIME)
        self._point = secrets.randbelow(PRIME)
        self._number_key = secrets.randbelow(PRIME)
        self._length_key = secrets.randbelow(PRIME)
        self._word_keys: list[int] = []  # one for each word of the longest state so far
        self._referred = 1
        self._visited = 1

    def refer(self, number: int, state: bytes, rank: int) -> None:
        """An entry `REF number` belongs to this successor."""
        self._referred = self._referred * self._factor(number, state, rank) % PRIME

    def visit(self, number: int, state: bytes, rank: int, count: int) -> None:
        """This state was visited under this number, and `count` references to it are claimed."""
        if count:
            self._visited = self._visited * pow(self._factor(number, state, rank), count, PRIME) % PRIME

    def holds(self) -> bool:
        return self._referred == self._visited

    def _factor(self, number: int, state: bytes, rank: int) -> int:
        length = len(state) // 8
        while len(self._word_keys) < length:
            self._word_keys.append(secrets.randbelow(PRIME))
        words = struct.unpack(f"<{length}Q", state)
        content: int = sum(map(mul, self._word_keys, words))
        numbered = self._number_key * number + self._rank_key * rank
        return self._point - (numbered + self._length_key * length + content)


@dataclass(frozen=True, slots=True)
class Child:
    """A `TREE` entry still to come: its position, and the state it leads to with its rank (0 without
    ranks)."""

    position: int
    state: bytes
    rank: int


@dataclass(slots=True)
class Ancestor:
    """A visited state on the open path."""

    number: int
    targets: list[int | None]  # where each entry leads; None for a child that was not visited yet
    children: list[Child]  # the next one last
    position: int  # of the entry that leads to the next state on the path, ...
    rank: int  # ... and the rank of that state
    subtree_end: int | None  # entries of the script before the end of its subtree, if the file claims that


class Walk:
    """With `product`, of a script with ranks over it, whose initial state has the rank given."""

    def __init__(
        self,
        header: Header,
        model: Model,
        describe: Callable[[int], str],
        *,
        product: Product | None = None,
        rank: int = 0,
        processes: Callable[[bytes], list[int | None]] | None = None,
    ) -> None:
        self._processes = processes
        self._product = product
        self._first_rank = self._next_rank = rank
        self._header = header
        self._model = model
        self._describe = describe
        self._check = ReferenceCheck()
        self._path: list[Ancestor] = []
        self._next: bytes | None  # the state that the preorder visits next, None at the end
        self._next, violation = model.initial_state()
        self._refuse_violation(violation, "setting up the initial state")
        self._states = 0
        self._entries = 0
        self._claimed_references = 0
        self._depth = 0

    def frame(self, frame: Frame, name: str) -> None:
        """Walk the states of one frame. What it leaves on the path is what the next one must begin with."""
        first = self._states
        start = self._start()
        if frame.start_length != len(start) or decompressed(frame.start, f"section start of {name}") != start:
            raise Rejected(f"{name} does not start where the walk stands before it, at state {first}")
        bits = Bits(decompressed(frame.bits, f"section bits of {name}"), frame, name)
        ids = varints(frame.ids, f"section ids of {name}")
        counts = varints(frame.counts, f"section counts of {name}")
        what = "excesses" if self._product is not None else "moves" if self._header.moves else "subgraphs"
        last = varints(frame.last, f"section {what} of {name}")
        for _ in range(frame.states):
            if self._next is None:
                raise Rejected(
                    f"the tree ends after {self._states} states, the header claims {self._header.states}"
                )
            self._visit(self._next, first, bits, ids, counts, last)
        for section in (bits, ids, counts, last):
            section.finish()

    def finish(self, *, notes: tuple[str, ...] = ()) -> Accepted:
        header = self._header
        if self._next is not None:
            raise Rejected(
                f"the script ends after {self._states} states and leaves some of its tree unvisited"
            )
        if self._depth != header.depth:
            raise Rejected(f"the longest path has {self._depth} steps, the header claims {header.depth}")
        # Also keeps the degree of the second product within what the bound on wrong acceptance assumes.
        if self._claimed_references != header.references:
            raise Rejected(
                f"the counts add up to {self._claimed_references} references, "
                f"the script has {header.references}"
            )
        if not self._check.holds():
            raise Rejected(
                "a reference does not lead to the state it names, or a count of references is wrong"
                if self._product is None
                else "a reference does not lead to a state that is visited with that rank, or a count of "
                "references is wrong"
            )
        return Accepted(header, self._states, self._entries, header.references, self._depth, notes)

    def _visit(
        self, state: bytes, first_of_frame: int, bits: Bits, ids: Varints, counts: Varints, last: Varints
    ) -> None:
        number, rank = self._states, self._next_rank
        if len(self._path) > self._header.depth:
            raise Rejected(f"the path to state {number} is longer than the depth that the header claims")
        self._depth = max(self._depth, len(self._path))
        self._refuse_violation(self._model.check_state(state), f"state {number}")
        successors = self._model.successors(state)
        if not successors and self._header.check_deadlock and not self._model.is_valid_end(state):
            raise Rejected(f"a property is violated: state {number} has no successors and is no valid end")
        parent = self._path[-1] if self._path else None
        if parent is not None:
            parent.targets[parent.position] = number
        prediction_from = parent if parent is not None and parent.number >= first_of_frame else None

        ranks = [0] * len(successors)
        if self._product is not None:
            ranks = [
                rank_after(self._product, step, rank, last.next(), f"entry {position} of state {number}")
                for position, step in enumerate(self._product.steps(state))
            ]
        targets: list[int | None] = []
        children: list[Child] = []
        if self._header.moves and last.next() != len(successors):
            raise Rejected(f"the moves give state {number} another number of entries than it has")
        nobody: list[int | None] = [None] * len(successors)
        whose = self._processes(state) if self._header.moves and self._processes else nobody
        for position, (successor, violation) in enumerate(successors):
            where = f"the step at position {position} of state {number}"
            self._refuse_violation(violation, where)
            if successor is None:
                raise Rejected(f"a property is violated: {where} leads to no state")
            self._refuse_violation(self._model.check_step(state, successor), where)
            if bits.next():
                targets.append(None)
                if self._header.moves and (named := last.next()) and named != move(whose, position):
                    raise Rejected(f"{where} is not the one that the moves name")
                children.append(Child(position, successor, ranks[position]))
                continue
            target = NOBODY
            if self._product is None:
                predicted = prediction(number, position, len(successors), prediction_from)
                target = predicted + unzigzag(ids.next())
                if not 0 <= target < self._header.states:
                    raise Rejected(f"{where} refers to state {target}, which does not exist")
            self._check.refer(target, successor, ranks[position])
            targets.append(target)

        count = counts.next()
        self._claimed_references += count
        self._check.visit(number if self._product is None else NOBODY, state, rank, count)
        subtree_end = None
        if self._header.subgraphs:
            if last.next() != len(successors):
                raise Rejected(f"the subgraphs give state {number} another number of entries than it has")
            subtree_end = self._entries + last.next(LONGEST_SUBTREE_VARINT)
        self._states += 1
        self._entries += len(successors)
        children.reverse()
        self._path.append(Ancestor(number, targets, children, -1, 0, subtree_end))
        self._advance()

    def _advance(self) -> None:
        """Leave the states whose children have all been visited, and go to the next child."""
        while self._path and not self._path[-1].children:
            done = self._path.pop()
            if done.subtree_end not in {None, self._entries}:
                raise Rejected(
                    f"the subgraphs give the subtree of state {done.number} another size than it has"
                )
        self._next = None
        if self._path:
            child = self._path[-1].children.pop()
            self._path[-1].position, self._path[-1].rank = child.position, child.rank
            self._next, self._next_rank = child.state, child.rank

    def _start(self) -> bytes:
        """The open path in the form of a start section."""
        encoded = bytearray(varint(len(self._path)))
        rank = self._first_rank
        for ancestor in self._path:
            encoded += varint(ancestor.position)
            if self._product is not None:
                encoded += varint(zigzag(rank - ancestor.rank))
            encoded += varint(len(ancestor.children))
            previous = ancestor.position
            for child in reversed(ancestor.children):
                encoded += varint(child.position - previous - 1)
                if self._product is not None:
                    encoded += varint(zigzag(rank - child.rank))
                previous = child.position
            rank = ancestor.rank
        return bytes(encoded)

    def _refuse_violation(self, code: int, where: str) -> None:
        if code:
            raise Rejected(f"a property is violated: {self._describe(code)} ({where})")


class Bits:
    """Reads the `TREE` bits of a frame one after another."""

    def __init__(self, content: bytes, frame: Frame, name: str) -> None:
        as_number = int.from_bytes(content, "little")
        if as_number >> frame.entries:
            raise Rejected(f"section bits of {name} has bits that stand for no entry")
        if as_number.bit_count() != frame.entries - frame.references:
            raise Rejected(f"section bits of {name} does not mark {frame.references} references")
        self._content = content
        self._entries = frame.entries
        self._name = name
        self._offset = 0

    def next(self) -> bool:
        if self._offset == self._entries:
            raise Rejected(f"the states of {self._name} have more successors than the frame has entries")
        bit = self._content[self._offset // 8] >> (self._offset % 8) & 1
        self._offset += 1
        return bit == 1

    def finish(self) -> None:
        if self._offset != self._entries:
            raise Rejected(f"the states of {self._name} have fewer successors than the frame has entries")


def prediction(number: int, position: int, entries: int, parent: Ancestor | None) -> int:
    """The number that a reference most likely names: what the same action led to from the parent."""
    if parent is None:
        return number
    same = position
    if position >= parent.position:
        same -= entries - len(parent.targets)
    target = parent.targets[same] if 0 <= same < len(parent.targets) else None
    return number if target is None else target + number - parent.number


def move(whose: Sequence[int | None], position: int) -> int | None:
    """The number that names a step: whose it is, and which of that process's steps. None: there is none."""
    process = whose[position]
    first = position
    while first > 0 and whose[first - 1] == process:
        first -= 1
    if process is None or process >= NAMED_PROCESSES or position - first >= NAMED_STEPS:
        return None
    return 1 + process + 256 * (position - first)


def zigzag(value: int) -> int:
    return 2 * value if value >= 0 else -2 * value - 1


def unzigzag(value: int) -> int:
    return value >> 1 if value % 2 == 0 else -(value + 1 >> 1)


def rank_after(product: Product, step: Step, rank: int, beside: int, where: str) -> int:
    """The rank that a step leads to, from the number beside its entry. A step may be free; otherwise the
    rank falls by the excess, and by one more if the step is in the set whose number is the rank modulo
    their count."""
    if step.is_free:
        after = rank - unzigzag(beside)
    elif product.sets == 0 or rank % product.sets in step.is_in:
        after = rank - 1 - beside
    else:
        after = rank - beside
    if not 0 <= after < RANKS_END:
        raise Rejected(f"{where} leads from rank {rank} to {after}, which is no rank")
    return after


def check_part(container: Container, product: Product, rank: int) -> Accepted:
    """The same for the script of a temporal part, under secrets of its own."""
    walk = Walk(container.header, product, "violation {}".format, product=product, rank=rank)
    for number, frame in enumerate(container.frames):
        walk.frame(frame, f"frame {number}")
    return walk.finish()


def check_script(
    container: Container,
    model: Model,
    *,
    describe: Callable[[int], str] = "violation {}".format,
    notes: tuple[str, ...] = (),
    processes: Callable[[bytes], list[int | None]] | None = None,
) -> Accepted:
    """Walk a whole script over a model; raises `Rejected`. Draws its secrets after the file was read.

    `processes` says whose steps the successors of a state are; without it they are nobody's.
    """
    walk = Walk(container.header, model, describe, processes=processes)
    for number, frame in enumerate(container.frames):
        walk.frame(frame, f"frame {number}")
    return walk.finish(notes=notes)


def check_bytes(data: bytes, model: Model) -> Accepted:
    """Check the bytes of a certificate over a model, without asking which program it speaks of."""
    return check_script(read_container(data), model)
