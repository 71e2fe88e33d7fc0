"""Certification with the map FP (Algorithm 3.1).

The certifier follows the script through the program and remembers in FP which
state each number stands for. Three discrepancies exist (Theorem 3.1.1): the
script claims a transition that does not exist, omits one, or says that a
transition leads to a state where it does not lead.

Our entries have no labels, so the first two show as numbers of entries. Where a
script says which entries belong to which state, as `Script` does, a state has
too many or too few of them and is named. In a certificate file the entries
stand in one sequence that the program cuts: a surplus or missing entry shifts all after
it, and shows at the latest when the tree is complete and entries are left
over, or when they are used up early. `cut_sequence` reads such a sequence.

Two departures from the printed algorithm. It never sets FP for the initial state,
though transitions lead back there; we do. And it takes a number above all
earlier ones for a new state, which holds in depth-first scripts alone: in others
a reference may lead forward. There FP is fixed by whichever comes first, the
reference or the visit, and the other must agree.

A fingerprint is the state itself: two different states never share one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar

from assay.evidence.script import NOTHING_CUT, TREE, Script, transition_label

State = TypeVar("State")
State_contra = TypeVar("State_contra", contravariant=True)


class Discrepancy(Enum):
    """The cases of Theorem 3.1.1, in its order."""

    NONEXISTENT_TRANSITION = 1
    OMITTED_TRANSITION = 2
    WRONG_DESTINATION = 3


class VeracityError(Exception):
    """The script is not one of this program: one discrepancy and its place."""

    def __init__(
        self,
        discrepancy: Discrepancy,
        state: int,
        position: int,
        claimed: int | None = None,
        actual: int | None = None,
    ) -> None:
        super().__init__(discrepancy, state, position, claimed, actual)
        self.discrepancy = discrepancy
        self.state = state  # the number of the state whose transition it is
        self.position = position  # of the transition among those of the state
        self.claimed = claimed  # the number of the state it leads to, says the script
        self.actual = actual  # the number of the state it does lead to, if that has one yet

    def __str__(self) -> str:
        transition = transition_label(self.position)
        match self.discrepancy:
            case Discrepancy.NONEXISTENT_TRANSITION:
                return f"state {self.state} has no transition {transition}, which the script claims"
            case Discrepancy.OMITTED_TRANSITION:
                return f"the script leaves out transition {transition} of state {self.state}"
            case Discrepancy.WRONG_DESTINATION:
                leads = "to another state" if self.actual is None else f"to state {self.actual}"
                return (
                    f"the script claims that transition {transition} of state {self.state} "
                    f"leads to state {self.claimed}; it leads {leads}"
                )


def accept_state(_state: object) -> None:
    """No property of states."""


def accept_step(_before: object, _after: object) -> None:
    """No property of steps."""


@dataclass(frozen=True, slots=True)
class Model(Generic[State]):
    """The program: its semantics one step at a time, and its properties (3.3.2).

    The checks raise what they like when a property is violated. Every visited
    state and every step of it is checked.
    """

    initial: State
    successors: Callable[[State], Sequence[State]]
    check_state: Callable[[State], None] = accept_state
    check_step: Callable[[State, State], None] = accept_step


@dataclass(frozen=True, slots=True)
class Claim(Generic[State]):
    """A reference, as the program has it: this transition leads to this state."""

    state: State
    source: int
    position: int

    def refuted(self, claimed: int, visited: Mapping[int, State]) -> VeracityError:
        actual = next((number for number, state in visited.items() if state == self.state), None)
        return VeracityError(Discrepancy.WRONG_DESTINATION, self.source, self.position, claimed, actual)


class Fingerprints(Protocol[State_contra]):
    """What remembers which state a number stands for; told of every occurrence in the order of the rows."""

    def visit(self, number: int, state: State_contra, /) -> None: ...
    def refer(self, number: int, state: State_contra, source: int, position: int, /) -> None: ...


class FingerprintMap(Generic[State]):
    """FP in full (Definition 3.1.4)."""

    def __init__(self) -> None:
        self.visited: dict[int, State] = {}
        self.expected: dict[int, Claim[State]] = {}  # references to numbers that were not visited yet

    def visit(self, number: int, state: State, /) -> None:
        claim = self.expected.pop(number, None)
        if claim is not None and claim.state != state:
            raise claim.refuted(number, self.visited)
        self.visited[number] = state

    def refer(self, number: int, state: State, source: int, position: int, /) -> None:
        claim = Claim(state, source, position)
        if number in self.visited:
            known = self.visited[number]
        else:
            # Of two references forward that disagree one is wrong; which one is not known yet.
            known = self.expected.setdefault(number, claim).state
        if known != state:
            raise claim.refuted(number, self.visited)


def certify(script: Script, model: Model[State]) -> dict[int, State]:
    """Algorithm 3.1: which state each number stands for, all reachable ones among them, or `VeracityError`.

    A state that the script visits under two numbers costs work and proves the same.
    """
    fingerprints: FingerprintMap[State] = FingerprintMap()
    follow(script, model, fingerprints, start=model.initial)
    return fingerprints.visited


def follow(
    script: Script,
    model: Model[State],
    fingerprints: Fingerprints[State],
    *,
    start: State,
    root: int = 0,
    cut: Mapping[int, int] = NOTHING_CUT,
) -> None:
    """The loop of Algorithm 3.1 over the script, or over a region of it: see `Script.steps`.

    `start` is the state numbered `root`.
    """

    def visit(number: int, state: State) -> tuple[int, State, Sequence[State], int]:
        fingerprints.visit(number, state)
        return number, state, successors_of(number, state, script.entries[number], model), 0

    next_number = root + 1
    stack = [visit(root, start)]
    while stack:
        number, state, successors, position = stack.pop()
        if position == len(successors):
            continue  # the backtrack
        stack.append((number, state, successors, position + 1))
        entry = script.entries[number][position]
        successor = successors[position]
        model.check_step(state, successor)
        if entry != TREE:
            fingerprints.refer(entry, successor, number, position)
        elif next_number in cut:
            fingerprints.refer(next_number, successor, number, position)
            next_number = cut[next_number]
        else:
            next_number += 1
            stack.append(visit(next_number - 1, successor))


def successors_of(number: int, state: State, entries: Sequence[int], model: Model[State]) -> Sequence[State]:
    """The successors of a state that holds its properties and has as many entries."""
    model.check_state(state)
    successors = model.successors(state)
    if len(entries) > len(successors):
        raise VeracityError(Discrepancy.NONEXISTENT_TRANSITION, number, len(successors))
    if len(entries) < len(successors):
        raise VeracityError(Discrepancy.OMITTED_TRANSITION, number, len(entries))
    return successors


def cut_sequence(entries: Sequence[int], model: Model[State]) -> Script:
    """The script whose entries stand in one sequence, each state's before those of its children.

    Entries that are used up early omit transitions of the state they end in;
    entries left over claim transitions of the last state that it does not have.
    """
    found: list[tuple[int, ...]] = []
    offset = 0
    pending = [model.initial]
    while pending:
        number = len(found)
        successors = model.successors(pending.pop())
        own = tuple(entries[offset : offset + len(successors)])
        if len(own) < len(successors):
            raise VeracityError(Discrepancy.OMITTED_TRANSITION, number, len(own))
        offset += len(own)
        pending.extend(
            successors[position] for position in reversed(range(len(own))) if own[position] == TREE
        )
        found.append(own)
    if offset < len(entries):
        raise VeracityError(Discrepancy.NONEXISTENT_TRANSITION, len(found) - 1, len(found[-1]))
    return Script(tuple(found))
