"""Runs that never end: the product of a program with an automaton, and by how much ranks must fall on
its steps.

The automaton comes from the formula or claim in the program's own text, through `assay.automata`, which
belongs to the meaning of a program as the step function does. Nothing here reads the certificate.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

from assay.automata.automaton import BuchiAutomaton
from assay.checker.container import Rejected
from assay.transition_system.interface import TemporalProperty

WORD = 8
MOST_SETS = 64


class WatchedModel(Protocol):
    """The step function with what a temporal property asks of it."""

    def initial_state(self) -> tuple[bytes, int]: ...
    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]: ...
    def labels(self, state: bytes) -> int: ...
    def enabled(self, state: bytes) -> AbstractSet[int]: ...
    def processes(self, state: bytes) -> list[int | None]: ...


@dataclass(frozen=True, slots=True)
class Step:
    """Of the product."""

    after: bytes | None
    violation: int
    is_free: bool
    is_in: frozenset[int]  # acceptance sets


class Product:
    """A state is the location of the automaton as one word, and behind it a state of the program.

    Where the program has several initial states, they follow one that is not its own. The automaton
    waits there, at a location 0 in front of its own ones.
    """

    def __init__(
        self, model: WatchedModel, wanted: TemporalProperty, *, processes: int, has_root: bool
    ) -> None:
        self._model = model
        self._automaton: BuchiAutomaton = wanted.automaton
        self._label_of_atom = wanted.labels
        self._progress_label = wanted.progress_label
        self._first = 1 if has_root else 0
        own = wanted.automaton.acceptance_sets
        self._processes = range(min(processes, MOST_SETS - own))
        self._own_sets = own
        self.sets = own + len(self._processes)

    def initial_state(self) -> tuple[bytes, int]:
        state, violation = self._model.initial_state()
        return self._joined(0, state), violation

    def is_valid_end(self, _state: bytes) -> bool:
        return True  # where the automaton is stuck there is nothing more to watch

    def check_state(self, _state: bytes) -> int:
        return 0  # what holds of states, the script over the states shows

    def check_step(self, _before: bytes, _after: bytes) -> int:
        return 0

    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]:
        return [(step.after, step.violation) for step in self.steps(state)]

    def steps(self, state: bytes) -> list[Step]:
        """For each step of the program each edge that the automaton may take; at a dead end the program
        stays."""
        location, inner = int.from_bytes(state[:WORD], "little"), state[WORD:]
        targets = self._targets(location, inner)
        if not targets:
            return []
        following = self._model.successors(inner)
        movers = self._model.processes(inner) if self._processes else [None] * len(following)
        if not following:
            following, movers = [(inner, 0)], [None]
        always = self._sets_of_state(location, inner)
        free_here = self._makes_progress(inner)
        found = []
        for (after, violation), mover in zip(following, movers, strict=True):
            is_in = always if mover is None else always | {self._set_of(mover)}
            is_free = free_here or (after is not None and self._makes_progress(after))
            for target in targets:
                joined = None if after is None else self._joined(target, after)
                found.append(Step(joined, violation, is_free, is_in))
        return found

    def _targets(self, location: int, inner: bytes) -> list[int]:
        if location < self._first:
            return [self._first]
        labels = self._model.labels(inner)
        valuation = sum(1 << atom for atom, label in enumerate(self._label_of_atom) if labels >> label & 1)
        return [self._first + to for to in self._automaton.successors(location - self._first, valuation)]

    def _sets_of_state(self, location: int, inner: bytes) -> frozenset[int]:
        """Those of the automaton, and those of the processes that cannot move."""
        bits = 0 if location < self._first else self._automaton.accepting[location - self._first]
        own = {number for number in range(self._own_sets) if bits >> number & 1}
        if not self._processes:
            return frozenset(own)
        enabled = self._model.enabled(inner)
        waiting = {self._own_sets + process for process in self._processes if process not in enabled}
        return frozenset(own | waiting)

    def _set_of(self, process: int) -> int:
        if process not in self._processes:
            raise Rejected(f"fairness is for {len(self._processes)} processes, and number {process} moves")
        return self._own_sets + process

    def _makes_progress(self, inner: bytes) -> bool:
        return self._progress_label is not None and bool(
            self._model.labels(inner) >> self._progress_label & 1
        )

    @staticmethod
    def _joined(location: int, inner: bytes) -> bytes:
        return location.to_bytes(WORD, "little") + inner
