"""Of an invariant that proves everything, a part that still does: what a certificate has to say, and a
reader to read.

Backwards from what must be excluded: the prover names the conjuncts at a location that it needed, and each
of these has to be kept by every step into that location, for which it names what it needs before the step.
What nobody names is left out.
"""

from __future__ import annotations

import time
from typing import Any

from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.inductive.obligations import obligations_at
from assay.evidence.inductive.z3_prover import Z3Prover
from assay.transition_system.symbolic import Location, Step, SymbolicSystem, weakest_precondition
from assay.transition_system.terms import FALSE, Term


def inductive_core(
    system: SymbolicSystem,
    prover: Z3Prover,
    invariant: InductiveInvariant,
    *,
    deadlock: bool,
    deadline: float,
) -> InductiveInvariant:
    """The whole one if the prover does not know, or has no time."""
    try:
        return _Core(system, prover, invariant, deadlock, deadline).found()
    except _NotKnown:
        return invariant


class _NotKnown(Exception):
    pass


class _Core:
    def __init__(
        self,
        system: SymbolicSystem,
        prover: Z3Prover,
        invariant: InductiveInvariant,
        deadlock: bool,
        deadline: float,
    ) -> None:
        self.system = system
        self.prover = prover
        self.z3 = prover.z3
        self.invariant = invariant
        self.deadlock = deadlock
        self.deadline = deadline
        self.solvers: dict[Location, tuple[Any, dict[Any, Term]]] = {}
        self.needed: dict[Location, dict[Term, None]] = {
            location: {} for location, here in invariant.conjuncts.items() if FALSE not in here
        }
        self.waiting: list[tuple[Location, Term]] = []
        self.into: dict[Location, list[tuple[Location, Step]]] = {}

    def found(self) -> InductiveInvariant:
        for location in self.needed:
            for step in self.system.steps_at(location):
                if step.guard == FALSE:
                    continue
                target = self.system.location_after(location, step)
                if target in self.needed:
                    self.into.setdefault(target, []).append((location, step))
                else:  # nobody comes there, which has to be shown
                    self._need(location, step.guard, FALSE)
            for one in obligations_at(self.system, self.invariant, location, deadlock=self.deadlock):
                if one.kind != "step":
                    self._need(location, one.given[-1], FALSE)
        while self.waiting:
            target, conjunct = self.waiting.pop()
            for location, step in self.into.get(target, ()):
                self._need(location, step.guard, weakest_precondition(conjunct, step))
        return InductiveInvariant({location: tuple(terms) for location, terms in self.needed.items()})

    def _need(self, location: Location, given: Term, then: Term) -> None:
        """What the conjunction at the location has to say for `then` to follow."""
        if time.monotonic() > self.deadline:
            raise _NotKnown
        solver, literals = self._solver(location)
        encoding = self.prover.encoding
        self.prover.questions += 1
        solver.push()
        try:
            solver.add(encoding(given), self.z3.Not(encoding(then)))
            if solver.check(*literals) != self.z3.unsat:
                raise _NotKnown
            named = [literals[one] for one in solver.unsat_core()]
        finally:
            solver.pop()
        for term in named:
            if term not in self.needed[location]:
                self.needed[location][term] = None
                self.waiting.append((location, term))

    def _solver(self, location: Location) -> tuple[Any, dict[Any, Term]]:
        found = self.solvers.get(location)
        if found is None:
            solver = self.prover.solver(())
            literals = {}
            for number, term in enumerate(self.invariant.conjuncts[location]):
                literal = self.z3.Bool(f"conjunct {number}")
                solver.add(self.z3.Implies(literal, self.prover.encoding(term)))
                literals[literal] = term
            found = self.solvers[location] = (solver, literals)
        return found
