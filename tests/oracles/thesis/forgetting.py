"""Certification that forgets (4.4): FP keeps only states that the script still mentions.

The producer marks the last occurrence of each state (4.4.1), or counts the
occurrences, which the certifier counts down; both forget at the same moment. The
certifier trusts neither. A mark that comes too early ends certification, because
the next occurrence finds no entry (Theorem 4.4.1). One that comes too late costs memory.

That argument needs one rule more where references lead forward: a number is
forgotten only after its state was visited. Otherwise a wrong reference could be
marked, forgotten, and never be compared with the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from assay.evidence.script import Script
from tests.oracles.thesis.certification import Claim, Model, follow

State = TypeVar("State")


class MarkProblem(Exception):
    """The marks or counts do not fit the script: a state was forgotten too early."""


def last_occurrences(script: Script) -> list[bool]:
    """For each occurrence of a state in the rows, backtracks aside, whether it is the last (4.4.1)."""
    occurrences = [0, *(step.state for step in script.steps() if step.position is not None)]
    marks = [False] * len(occurrences)
    seen: set[int] = set()
    for index in range(len(occurrences) - 1, -1, -1):
        marks[index] = occurrences[index] not in seen
        seen.add(occurrences[index])
    return marks


def reference_counts(script: Script) -> list[int]:
    """How many entries refer to each state: c(i) of the certificate."""
    counts = [0] * script.states
    for entries in script.entries:
        for entry in entries:
            if entry >= 0:
                counts[entry] += 1
    return counts


def certify_with_marks(script: Script, model: Model[State], marks: Sequence[bool]) -> int:
    """Certify as Algorithm 3.1 does; the answer is the largest number of entries that FP had."""
    if len(marks) != script.transitions + 1:
        raise MarkProblem(f"{len(marks)} marks for {script.transitions + 1} occurrences")
    remaining = iter(marks)
    return _certify(script, model, lambda _number: next(remaining))


def certify_with_counts(script: Script, model: Model[State], counts: Sequence[int]) -> int:
    """The same, with the number of references to each state in place of marks."""
    if len(counts) != script.states:
        raise MarkProblem(f"{len(counts)} counts for {script.states} states")
    remaining = [count + 1 for count in counts]  # the visit is an occurrence too

    def is_last(number: int) -> bool:
        remaining[number] -= 1
        return remaining[number] == 0

    return _certify(script, model, is_last)


def _certify(script: Script, model: Model[State], is_last: Callable[[int], bool]) -> int:
    fingerprints: ForgettingMap[State] = ForgettingMap(is_last)
    follow(script, model, fingerprints, start=model.initial)
    return fingerprints.largest


class ForgettingMap(Generic[State]):
    """FP without the states that do not occur any more."""

    def __init__(self, is_last: Callable[[int], bool]) -> None:
        self.largest = 0
        self._is_last = is_last  # asked once for each occurrence
        self._visited = 0
        self._known: dict[int, State] = {}  # visited, and to occur again
        self._expected: dict[int, Claim[State]] = {}  # referred to, and to be visited

    def visit(self, number: int, state: State, /) -> None:
        self._visited += 1
        claim = self._expected.pop(number, None)
        if claim is not None and claim.state != state:
            raise claim.refuted(number, self._known)
        if not self._is_last(number):
            self._known[number] = state
            self._measure()

    def refer(self, number: int, state: State, source: int, position: int, /) -> None:
        claim = Claim(state, source, position)
        if number >= self._visited:
            known = self._expected.setdefault(number, claim).state
            self._measure()
        elif number in self._known:
            known = self._known[number]
        else:
            raise MarkProblem(f"state {number} was forgotten before state {source} refers to it")
        if known != state:
            raise claim.refuted(number, self._known)
        if self._is_last(number):
            if number >= self._visited:
                raise MarkProblem(f"state {number} was to be forgotten before it was visited")
            del self._known[number]

    def _measure(self) -> None:
        self.largest = max(self.largest, len(self._known) + len(self._expected))
