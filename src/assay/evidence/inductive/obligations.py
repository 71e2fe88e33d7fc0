"""What has to be true for an invariant to prove a program safe, made from the program and the invariant
alone.

1. *initial*: the initial state is at a named location and satisfies its conjunction;
2. *step*: a state that satisfies the conjunction at its location and takes a step satisfies the one where
   it leads, or, if that location is not named, cannot take it;
3. *failure*: no state that satisfies the conjunction at its location satisfies the condition of a failure
   there;
4. *deadlock*, if it is claimed: nor can it be unable to move where the program may not end.

Then every reachable state satisfies the conjunction at its location, by induction over the steps that lead
there, and none of them fails. A prover is asked for a state that breaks an obligation; that there is none
is the proof. The first kind needs none: it is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.evidence.inductive.invariant import InductiveInvariant
from assay.records import dataclass
from assay.transition_system.interface import ViolationFacts
from assay.transition_system.symbolic import Location, Step, SymbolicSystem, weakest_precondition
from assay.transition_system.terms import FALSE, Term, both


@dataclass(frozen=True, slots=True)
class Obligation:
    """No values of the variables satisfy all of `given` and not `then`."""

    kind: str  # "step", "failure", "deadlock"
    location: Location
    given: tuple[Term, ...]
    then: Term
    text: str  # what it is about, in words of the program
    facts: ViolationFacts | None = None  # of a failure


def initial_problem(system: SymbolicSystem, invariant: InductiveInvariant) -> str:
    """Empty if the initial state satisfies the invariant."""
    if invariant.at(system.initial_location) is None:
        return "the invariant does not name the initial location"
    if not invariant.holds(system, system.initial_state):
        return f"the initial state does not satisfy the invariant: {system.values_text(system.initial_state)}"
    return ""


def obligations(
    system: SymbolicSystem, invariant: InductiveInvariant, *, deadlock: bool
) -> Iterator[Obligation]:
    """All but the first kind, location by location."""
    for location in invariant.conjuncts:
        yield from obligations_at(system, invariant, location, deadlock=deadlock)


def obligations_at(
    system: SymbolicSystem, invariant: InductiveInvariant, location: Location, *, deadlock: bool
) -> Iterator[Obligation]:
    here = invariant.at(location) or ()
    for step in system.steps_at(location):
        if step.guard == FALSE:
            continue
        yield Obligation(
            "step",
            location,
            (*here, step.guard),
            after(system, invariant, location, step),
            f"{step.text} ({step.file}:{step.line})" if step.file else step.text,
        )
    for failure in system.failures_at(location):
        if failure.condition != FALSE:
            facts = failure.facts
            yield Obligation("failure", location, (*here, failure.condition), FALSE, facts.message, facts)
    if deadlock:
        stuck = system.stuck(location)
        if stuck != FALSE:
            yield Obligation("deadlock", location, (*here, stuck), FALSE, "nobody can move")


def after(system: SymbolicSystem, invariant: InductiveInvariant, location: Location, step: Step) -> Term:
    """What the invariant asks of a state before the step, for the one after it."""
    there = invariant.at(system.location_after(location, step))
    if there is None:
        return FALSE
    return both(*(weakest_precondition(one, step) for one in there))
