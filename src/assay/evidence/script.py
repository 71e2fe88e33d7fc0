"""The search script: a spanning tree of a reachability graph and where every other transition leads.

This is the script of docs/formats/certificate.md as a plain value, and the form in which
Taleghani's thesis "Using Software Model Checking for Software Certification" prints it (3.1.1):
two rows, the transitions taken with backtracks between them, and the states they lead to. States
are numbered from 0 here and from S1 there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from assay.records import dataclass

State = TypeVar("State", bound=Hashable)

# An entry of a script is a number of a state, or this.
TREE: Final = -1

NOTHING_CUT: Final[Mapping[int, int]] = MappingProxyType({})


class MalformedScript(Exception):
    """The entries do not describe a tree, whatever the program is; the sentence says why."""


class Step(NamedTuple):
    """One column of the two rows."""

    position: int | None  # of the transition among those of its state; None: a backtrack
    state: int  # where the step leads
    productive: bool  # a transition that leads to a new state, or the backtrack from there


@dataclass(frozen=True, slots=True)
class Rows:
    """A script as the thesis prints it; `-` stands before the initial state, `B` for a backtrack."""

    instructions: tuple[str, ...]
    states: tuple[str, ...]

    def __str__(self) -> str:
        return "\t".join(("Trans instr:", *self.instructions)) + "\n" + "\t".join(("State ID:", *self.states))

    @classmethod
    def parse(cls, text: str) -> Rows:
        lines = text.strip().splitlines()
        if len(lines) != 2 or any(":" not in line for line in lines):
            raise MalformedScript("a script has two rows, 'Trans instr:' and 'State ID:'")
        instructions, states = (tuple(line.split(":", 1)[1].split()) for line in lines)
        if len(instructions) != len(states):
            raise MalformedScript(
                f"the rows differ in length: {len(instructions)} instructions and {len(states)} states"
            )
        return cls(instructions, states)

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Rows:
        columns = [(instruction(step), f"S{step.state + 1}") for step in steps]
        return cls(tuple(above for above, _ in columns), tuple(below for _, below in columns))


@dataclass(frozen=True, slots=True)
class Tree:
    """The spanning tree of a script. Preorder makes every subtree an interval of numbers."""

    parents: Sequence[int]  # of state 0: 0
    positions: Sequence[int]  # of the entry of the parent that leads to this state
    ends: Sequence[int]  # the subtree of i is range(i, ends[i])

    def ancestors(self, number: int) -> tuple[int, ...]:
        """The states on the way to this one, the initial state first, without itself."""
        found = []
        while number:
            number = self.parents[number]
            found.append(number)
        return tuple(reversed(found))

    def path(self, number: int) -> tuple[int, ...]:
        """The positions of the transitions on the way from the initial state."""
        found = []
        while number:
            found.append(self.positions[number])
            number = self.parents[number]
        return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class Script:
    """For each state, in preorder of the tree, its entries: `TREE` or the number of a state.

    Every script is a tree over all its states and refers to no others; whether it
    is the tree of a program is what certification finds out.
    """

    entries: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        # One state is open at first; each closes itself and opens its children.
        open_states = 1
        for number, entries in enumerate(self.entries):
            if not open_states:
                raise MalformedScript(f"no entry leads to state {number}")
            open_states += entries.count(TREE) - 1
            for position, entry in enumerate(entries):
                if entry != TREE and not 0 <= entry < len(self.entries):
                    raise MalformedScript(
                        f"entry {position} of state {number} refers to state {entry} of {len(self.entries)}"
                    )
        if open_states:
            raise MalformedScript(f"{open_states} states more are announced than the script describes")

    @property
    def states(self) -> int:
        return len(self.entries)

    @property
    def transitions(self) -> int:
        return sum(map(len, self.entries))

    @property
    def references(self) -> int:
        return self.transitions - (self.states - 1)

    @classmethod
    def depth_first(cls, initial: State, successors: Callable[[State], Sequence[State]]) -> Script:
        """The script of a depth-first search (3.1.1).

        A successor that is new when its parent is expanded may be reached first
        through an earlier sibling; the parent's entry is then a reference.
        """
        numbers = {initial: 0}
        entries: list[list[int]] = [[]]
        stack = [(0, iter(successors(initial)))]
        while stack:
            number, remaining = stack[-1]
            for successor in remaining:
                known = numbers.get(successor)
                if known is None:
                    entries[number].append(TREE)
                    numbers[successor] = len(entries)
                    stack.append((len(entries), iter(successors(successor))))
                    entries.append([])
                    break
                entries[number].append(known)
            else:
                stack.pop()
        return cls(tuple(map(tuple, entries)))

    @classmethod
    def breadth_first(cls, initial: State, successors: Callable[[State], Sequence[State]]) -> Script:
        """The script over the tree of a breadth-first search: each state hangs where it was found first.

        The tree is numbered in preorder as any other, so a reference may lead forward.
        """
        found = {initial: 0}
        order = [initial]
        links: list[list[tuple[int, bool]]] = []  # for each state its successors, and whether found by it
        for state in order:  # grows meanwhile
            own = []
            for successor in successors(state):
                is_new = successor not in found
                if is_new:
                    found[successor] = len(order)
                    order.append(successor)
                own.append((found[successor], is_new))
            links.append(own)
        preorder: list[int] = []
        numbers = [0] * len(order)
        pending = [0]
        while pending:
            current = pending.pop()
            numbers[current] = len(preorder)
            preorder.append(current)
            pending.extend(target for target, is_new in reversed(links[current]) if is_new)
        return cls(
            tuple(
                tuple(TREE if is_new else numbers[target] for target, is_new in links[current])
                for current in preorder
            )
        )

    @classmethod
    def from_rows(cls, rows: Rows) -> Script:
        """Read the two rows of a depth-first script back.

        Only there a number one above the highest so far means a new state (line 16 of
        Algorithm 3.1); with forward references the rows do not tell.
        """
        columns = list(zip(rows.instructions, rows.states, strict=True))
        if not columns or columns[0] != ("-", "S1"):
            raise MalformedScript("a script begins with '-' and S1")
        entries: list[list[int]] = [[]]
        stack = [(0, True)]  # states on the way, and whether the way there was productive
        for column, (label, name) in enumerate(columns[1:], start=2):
            number = number_of(name)
            current, is_new = stack[-1]
            if label == "B":
                stack.pop()
                if not stack or stack[-1][0] != number:
                    raise MalformedScript(f"column {column}: the backtrack does not lead to {name}")
                continue
            if not is_new:
                raise MalformedScript(f"column {column}: S{current + 1} is explored again")
            if label != transition_label(len(entries[current])):
                raise MalformedScript(
                    f"column {column}: {label} stands where S{current + 1} has "
                    f"{transition_label(len(entries[current]))}"
                )
            if number > len(entries):
                raise MalformedScript(f"column {column}: {name} comes before S{len(entries) + 1}")
            productive = number == len(entries)
            entries[current].append(TREE if productive else number)
            if productive:
                entries.append([])
            stack.append((number, productive))
        return cls(tuple(map(tuple, entries)))

    def steps(self, root: int = 0, cut: Mapping[int, int] = NOTHING_CUT) -> Iterator[Step]:
        """The columns after the first of the search from `root`, with all backtracks.

        `cut` maps the roots of subtrees that are left out to the ends of their
        intervals; a transition there is one to a state that has its number already.
        """
        next_number = root + 1
        stack = [(root, enumerate(self.entries[root]))]
        while stack:
            number, remaining = stack[-1]
            for position, entry in remaining:
                child = next_number
                if entry == TREE and child not in cut:
                    next_number += 1
                    yield Step(position, child, productive=True)
                    stack.append((child, enumerate(self.entries[child])))
                    break
                if entry == TREE:
                    next_number = cut[child]
                yield Step(position, child if entry == TREE else entry, productive=False)
                yield Step(None, number, productive=False)
            else:
                stack.pop()
                if stack:
                    yield Step(None, stack[-1][0], productive=True)

    def rows(self) -> Rows:
        """The two rows of the thesis (3.1.1)."""
        rest = Rows.of(self.steps())
        return Rows(("-", *rest.instructions), ("S1", *rest.states))

    def trustful_rows(self) -> tuple[str, ...]:
        """The one row of a perfect search (3.1.3): productive transitions, no backtracks at the end."""
        return tuple(instruction(step) for step in perfect(self.steps()))

    def tree(self) -> Tree:
        parents = [0] * self.states
        positions = [0] * self.states
        pending = [(0, 0)]
        for number, entries in enumerate(self.entries):
            parents[number], positions[number] = pending.pop()
            pending.extend(
                (number, position) for position in reversed(range(len(entries))) if entries[position] == TREE
            )
        ends = list(range(1, self.states + 1))
        for number in range(self.states - 1, 0, -1):
            ends[parents[number]] = max(ends[parents[number]], ends[number])
        return Tree(parents, positions, ends)


def perfect(steps: Iterable[Step]) -> list[Step]:
    """The steps of a perfect search (Definition 3.1.6)."""
    return without_trailing_backtracks(step for step in steps if step.productive)


def without_trailing_backtracks(steps: Iterable[Step]) -> list[Step]:
    kept = list(steps)
    while kept and kept[-1].position is None:
        kept.pop()
    return kept


def transition_label(position: int) -> str:
    """The thesis abstracts statements to t1, t2, ... in the order of a state's transitions."""
    return f"t{position + 1}"


def instruction(step: Step) -> str:
    return "B" if step.position is None else transition_label(step.position)


def position_of(label: str) -> int:
    if not re.fullmatch(r"t[1-9][0-9]{0,9}", label):
        raise MalformedScript(f"{label!r} is not the label of a transition; t1 is the first")
    return int(label[1:]) - 1


def number_of(name: str) -> int:
    if not re.fullmatch(r"S[1-9][0-9]{0,9}", name):
        raise MalformedScript(f"{name!r} is not the name of a state; S1 is the first")
    return int(name[1:]) - 1
