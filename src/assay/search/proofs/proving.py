"""The search `invariants`: a short concrete search, guesses, weeding, and the question whether anything can
still fail.

Rounds go up in levels: more states, more kinds of candidates; in between Spacer is asked. A run that fails
ends it at once. A program whose states all were seen has one invariant that cannot be refuted: that list of
states. What is said in the end rests on the obligations alone, each of which is asked once more, from
nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.evidence.inductive.invariant import InductiveInvariant, NoInvariant
from assay.evidence.inductive.obligations import initial_problem
from assay.evidence.inductive.z3_prover import TooWide, Z3Prover
from assay.records import dataclass
from assay.search.proofs.candidates import Candidates
from assay.search.proofs.core import inductive_core
from assay.search.proofs.houdini import Houdini, Open, OutOfTime, TooManyLocations, left_open
from assay.search.proofs.sample import Sample, SeenViolation
from assay.search.proofs.spacer import invariant_from_spacer
from assay.transition_system.symbolic import Location, State, SymbolicModel, SymbolicSystem, terms_of
from assay.transition_system.terms import FALSE, Number, Term, apply, both, either, variables_of

STATES = (400, 2_000, 10_000, 50_000)  # that rounds have seen
MOST_LISTED = 3_000  # states of a program whose list is its invariant
SPACER_SECONDS = (5.0, 20.0, 60.0, 600.0)
QUERY_SECONDS = 3.0
MOST_SHOWN = 8  # values of a state that is not excluded


@dataclass(frozen=True, slots=True)
class Attempt:
    """How far the search is."""

    round: int
    states: int
    locations: int
    candidates: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOutcome:
    """`invariant`: it is proved. `violation`: a run that fails. Neither: why not."""

    invariant: InductiveInvariant | None = None
    violation: SeenViolation | None = None
    source: str = ""  # where the invariant is from: "data", "spacer", "states"
    states: int = 0
    transitions: int = 0
    rounds: int = 0
    questions: int = 0
    candidates: int = 0
    is_exhausted: bool = False  # every state was seen
    still_open: tuple[str, ...] = ()
    is_inductive: bool = False  # an invariant was found, if not one that excludes everything
    not_excluded: tuple[tuple[str, str], ...] = ()  # kind and property of what it does not exclude


def prove(
    system: SymbolicSystem,
    *,
    check_deadlock: bool,
    deadline: float,
    with_spacer: bool = True,
    on_progress: Callable[[Attempt], None] | None = None,
) -> ProofOutcome:
    return _Proof(system, check_deadlock, deadline, with_spacer, on_progress).run()


class _Proof:
    def __init__(
        self,
        system: SymbolicSystem,
        check_deadlock: bool,
        deadline: float,
        with_spacer: bool,
        on_progress: Callable[[Attempt], None] | None,
    ) -> None:
        self.system = system
        self.check_deadlock = check_deadlock
        self.deadline = deadline
        self.with_spacer = with_spacer
        self.on_progress = on_progress
        self.sample = Sample(SymbolicModel(system), check_deadlock=check_deadlock)
        self.candidates = Candidates(system)
        self.terms = terms_of(system)
        self.prover = Z3Prover(system.variables, self.terms, seconds=QUERY_SECONDS)
        self.round = 0
        self.proposed = 0
        self.open: list[Open] = []
        self.is_inductive = False
        self.violation: SeenViolation | None = None

    def run(self) -> ProofOutcome:
        try:
            for self.round, states in enumerate(STATES, 1):
                found = self._round(states)
                if found is not None:
                    return found
        except OutOfTime:
            pass
        except TooWide as problem:
            return self._outcome(still_open=(str(problem),))
        except TooManyLocations:
            return self._outcome(still_open=("there are too many locations for a conjunction at each",))
        return self._outcome(still_open=self._open_texts())

    def _round(self, states: int) -> ProofOutcome | None:
        self._say()
        self.violation = self.sample.explore(max(0, states - self.sample.states), self.deadline)
        if self.violation is not None:
            return self._outcome(violation=self.violation)
        if time.monotonic() > self.deadline:
            raise OutOfTime
        invariant = self._weeded()
        if (met := self._met()) is not None:
            return self._outcome(violation=met)
        if invariant is not None and not self.open:
            found = self._confirmed(self._core(invariant), "data") or self._confirmed(invariant, "data")
            if found is not None:
                return found
        if self.with_spacer:
            left = self.deadline - time.monotonic()
            guessed = invariant_from_spacer(
                self.system,
                deadlock=self.check_deadlock,
                seconds=min(SPACER_SECONDS[self.round - 1], max(left - 2, 0)),
            )
            if guessed is not None:
                found = self._confirmed(guessed, "spacer")
                if found is not None:
                    return found
        if self.sample.is_exhausted:
            return self._from_all_states()
        return None

    def _weeded(self) -> InductiveInvariant | None:
        level = self.round
        self.candidates.only_stable = level == 1 and not self.sample.is_exhausted
        proposed = {
            location: self.candidates.at(location, states, level)
            for location, states in self.sample.by_location.items()
        }
        self.proposed = sum(map(len, proposed.values()))
        everything = [state for states in self.sample.by_location.values() for state in states]

        def propose(location: Location) -> list[Term]:
            found = self.candidates.everywhere(location, everything, level)
            self.proposed += len(found)
            return found

        houdini = Houdini(
            self.system,
            self.prover,
            proposed,
            propose,
            deadline=self.deadline,
            on_step=self._follow,
            on_progress=self._say,
        )
        self.is_inductive = False
        invariant = houdini.run()
        self.open = left_open(
            self.system, self.prover, invariant, deadlock=self.check_deadlock, deadline=self.deadline
        )
        self.is_inductive = True  # only now is it known what it excludes
        return invariant

    def _met(self) -> SeenViolation | None:
        """What failed while the prover was followed."""
        return self.violation

    def _core(self, invariant: InductiveInvariant) -> InductiveInvariant:
        return inductive_core(
            self.system, self.prover, invariant, deadlock=self.check_deadlock, deadline=self.deadline
        )

    def _follow(self, before: State, after: State) -> None:
        """A step that the prover found, from a state that was seen: what follows is reachable."""
        if self.violation is None and before in self.sample.parents and self.sample.add(after, before):
            self.violation = self.sample.expand(after)

    def _confirmed(self, invariant: InductiveInvariant, source: str) -> ProofOutcome | None:
        """Every obligation once more, with a new prover; all of them must be met."""
        if initial_problem(self.system, invariant) or not self._can_be_written(invariant):
            return None
        terms = [*self.terms, *(one for here in invariant.conjuncts.values() for one in here)]
        prover = Z3Prover(self.system.variables, terms, seconds=max(QUERY_SECONDS, 10.0))
        self.open = left_open(
            self.system,
            prover,
            invariant,
            deadlock=self.check_deadlock,
            deadline=self.deadline,
            steps_too=True,
        )
        self.prover.questions += prover.questions
        if self.open:
            self.is_inductive = False
            return None
        needed = {location: here for location, here in invariant.conjuncts.items() if FALSE not in here}
        return self._outcome(invariant=InductiveInvariant(needed), source=source)

    def _can_be_written(self, invariant: InductiveInvariant) -> bool:
        """A reader refuses numbers and terms that are too large."""
        try:
            InductiveInvariant.from_json(invariant.as_json(self.system), self.system)
        except NoInvariant:
            return False
        return True

    def _from_all_states(self) -> ProofOutcome:
        """The list of all states is inductive: it was found by taking every step. As an invariant it is
        worth writing down only if it is short."""
        if self.sample.states > MOST_LISTED:
            return self._outcome()
        first = len(self.system.controls)
        listed = {
            location: (
                either(
                    *(
                        both(
                            *(
                                apply("==", one, Number(value))
                                for one, value in zip(self.system.variables, state[first:], strict=True)
                            )
                        )
                        for state in states
                    )
                ),
            )
            for location, states in self.sample.by_location.items()
        }
        found = self._confirmed(InductiveInvariant(listed), "states")
        return found if found is not None else self._outcome(still_open=self._open_texts())

    def _open_texts(self) -> tuple[str, ...]:
        return tuple(self._open_text(one) for one in self.open[:1])

    def _open_text(self, one: Open) -> str:
        where = self.system.location_text(one.obligation.location)
        if one.values is None:
            return f"the prover does not know about {one.obligation.text} at {where}"
        named = {variable.name for variable in variables_of(one.obligation.given[-1])}
        shown = [f"{name} = {value}" for name, value in one.values.items() if name in named]
        values = ", ".join(shown[:MOST_SHOWN]) + (", ..." if len(shown) > MOST_SHOWN else "")
        return f"'{one.obligation.text}' at {where} is not excluded" + (f" with {values}" if values else "")

    def _say(self) -> None:
        if self.on_progress is not None:
            self.on_progress(
                Attempt(
                    self.round,
                    self.sample.states,
                    len(self.sample.by_location),
                    self.proposed,
                    self.prover.questions,
                )
            )

    def _outcome(
        self,
        *,
        invariant: InductiveInvariant | None = None,
        violation: SeenViolation | None = None,
        source: str = "",
        still_open: tuple[str, ...] = (),
    ) -> ProofOutcome:
        return ProofOutcome(
            invariant=invariant,
            violation=violation,
            source=source,
            states=self.sample.states,
            transitions=self.sample.transitions,
            rounds=self.round,
            questions=self.prover.questions,
            candidates=self.proposed,
            is_exhausted=self.sample.is_exhausted,
            still_open=still_open,
            is_inductive=self.is_inductive,
            not_excluded=tuple(dict.fromkeys((one.kind, one.property) for one in self.open)),
        )
