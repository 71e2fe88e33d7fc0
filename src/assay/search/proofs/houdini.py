"""Weeding (Flanagan and Leino 2001): of what is proposed at each location, the largest part that is
inductive.

For every step the prover is asked whether the conjunction at its source implies that at its target. Each
answer that it does not is a state, and what this state refutes at the target is dropped. What is left at
the end holds initially, because the initial state was among those from which it was proposed, and is kept
by every step.

A state from which the prover steps may be reachable: if it was seen, so is what follows it, and it is
explored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.inductive.obligations import Obligation, obligations_at
from assay.evidence.inductive.z3_prover import ProverProblem, Z3Prover
from assay.records import dataclass
from assay.transition_system.symbolic import Location, State, Step, SymbolicSystem, weakest_precondition
from assay.transition_system.terms import FALSE, Term, both, compiled, evaluate

MOST_LOCATIONS = 5_000


class OutOfTime(Exception):
    """The proof did not end in its time."""


class TooManyLocations(Exception):
    """A conjunction for each would be too many."""


@dataclass(frozen=True, slots=True)
class Open:
    """An obligation that is left, and values that break it; none if the prover does not know."""

    obligation: Obligation
    values: Mapping[str, int] | None

    @property
    def kind(self) -> str:
        """Of the violation that is not excluded."""
        return self.obligation.facts.kind if self.obligation.facts is not None else self.obligation.kind

    @property
    def property(self) -> str:
        return self.obligation.facts.property if self.obligation.facts is not None else ""


class Houdini:
    def __init__(
        self,
        system: SymbolicSystem,
        prover: Z3Prover,
        proposed: dict[Location, list[Term]],
        propose: Callable[[Location], list[Term]],
        *,
        deadline: float,
        on_step: Callable[[State, State], None] | None = None,
        on_progress: Callable[[], None] | None = None,
    ) -> None:
        self.system = system
        self.prover = prover
        self.kept = proposed
        self.propose = propose  # for a location that nobody has entered
        self.deadline = deadline
        self.on_step = on_step
        self.on_progress = on_progress or (lambda: None)
        self._functions: dict[Term, Any] = {}
        self._steps: dict[Location, list[Step]] = {}

    def run(self) -> InductiveInvariant:
        """Raises `OutOfTime`."""
        waiting = dict.fromkeys(self.kept)
        while waiting:
            location = next(iter(waiting))
            del waiting[location]
            for weakened in self._weed(location):
                waiting[weakened] = None
        return InductiveInvariant({location: tuple(here) for location, here in self.kept.items()})

    def steps_at(self, location: Location) -> list[Step]:
        found = self._steps.get(location)
        if found is None:
            found = self._steps[location] = [
                step for step in self.system.steps_at(location) if step.guard != FALSE
            ]
        return found

    def _weed(self, location: Location) -> list[Location]:
        """Asks about every step from a location; answers the locations where something was dropped."""
        weakened: dict[Location, None] = {}
        here = self.kept[location]
        if FALSE in here:
            return []
        solver = self.prover.solver(here)
        for step in self.steps_at(location):
            target = self.system.location_after(location, step)
            if target not in self.kept:
                if len(self.kept) >= MOST_LOCATIONS:
                    raise TooManyLocations
                self.kept[target] = self.propose(target)
            while self.kept[target]:
                self._require_time()
                if target == location and len(here) != len(self.kept[location]):
                    here = list(self.kept[location])
                    solver = self.prover.solver(here)
                asked = self.kept[target]
                then = both(*(weakest_precondition(one, step) for one in asked))
                answer = self.prover.ask(solver, (step.guard,), then)
                if answer is True:
                    break
                weakened[target] = None
                if answer is None:
                    self._drop_what_is_not_known(solver, step, target)
                    break
                self._drop_refuted(location, step, target, answer)
        return list(weakened)

    def _drop_refuted(
        self, location: Location, step: Step, target: Location, values: Mapping[str, int] | bool
    ) -> None:
        assert not isinstance(values, bool)
        before: State = (*location, *(values[one.name] for one in self.system.variables))
        assigned = dict(step.assignments)
        after: State = (
            *target,
            *(int(evaluate(assigned.get(one.name, one), values)) for one in self.system.variables),
        )
        left = [one for one in self.kept[target] if self._function(one)(after)]
        if len(left) == len(self.kept[target]):
            raise ProverProblem(f"a counterexample to induction refutes nothing: {values}")
        self.kept[target] = left
        if self.on_step is not None:
            self.on_step(before, after)

    def _drop_what_is_not_known(self, solver: Any, step: Step, target: Location) -> None:
        """One by one: what the prover cannot answer about is not kept."""
        left = []
        for one in self.kept[target]:
            self._require_time()
            if self.prover.ask(solver, (step.guard,), weakest_precondition(one, step)) is True:
                left.append(one)
        self.kept[target] = left

    def _function(self, term: Term) -> Any:
        found = self._functions.get(term)
        if found is None:
            found = self._functions[term] = compiled(term, self.system.positions)
        return found

    def _require_time(self) -> None:
        self.on_progress()
        if time.monotonic() > self.deadline:
            raise OutOfTime


def left_open(
    system: SymbolicSystem,
    prover: Z3Prover,
    invariant: InductiveInvariant,
    *,
    deadlock: bool,
    deadline: float,
    steps_too: bool = False,
) -> list[Open]:
    """The obligations that an invariant does not meet."""
    found = []
    for location, here in invariant.conjuncts.items():
        if FALSE in here:
            continue
        solver = prover.solver(here)
        for one in obligations_at(system, invariant, location, deadlock=deadlock):
            if one.kind == "step" and not steps_too:
                continue
            if time.monotonic() > deadline:
                raise OutOfTime
            answer = prover.ask(solver, one.given[len(here) :], one.then)
            if not isinstance(answer, bool):
                found.append(Open(one, answer))
    return found
