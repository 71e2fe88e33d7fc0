"""Are the abstract states of a splitting search closed? Then they are an invariant: nothing else can come.

A splitting search (Kudra 2007, Algorithm 3) is done when nothing is merged, which never happens in a program
with infinitely many states. Its abstract states may be enough long before: each is a *cell*, the states at a
location for which the predicates are as they are and the variables lie in these intervals. After each round
the cells that a step may lead to are added to those that were visited, as the prover says, until no step
leaves them. Then, if nothing in them fails, every reachable state is in one of them: the cells of each
location, one or another, meet every obligation of a proof.

If moreover all states of a cell can take the same steps, to the same cells, two states of a cell answer each
other's steps: the abstraction is a bisimulation that keeps what is checked, and `is_bisimulation` says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from assay.evidence.inductive.entailment import Entailment
from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.inductive.obligations import initial_problem, obligations_at
from assay.evidence.inductive.z3_prover import ProverProblem, Z3Prover
from assay.records import dataclass
from assay.search.reference.general_splitting import GeneralSplitting, Refine
from assay.transition_system.symbolic import (
    Location,
    State,
    Step,
    SymbolicModel,
    SymbolicSystem,
    terms_of,
    weakest_precondition,
)
from assay.transition_system.terms import FALSE, Number, Term, apply, both, either, evaluate, negated

MOST_CELLS = 400
MOST_ROUNDS = 40
QUERY_SECONDS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedCells:
    """`invariant` is None if the cells are not closed, or nobody knows."""

    invariant: InductiveInvariant | None = None
    is_bisimulation: bool = False
    rounds: int = 0
    cells: int = 0
    predicates: tuple[Term, ...] = ()


def look_for_closed_cells(
    system: SymbolicSystem,
    refine: Refine,
    predicates: Sequence[Term],
    *,
    seed: int,
    check_deadlock: bool,
    deadline: float,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> ClosedCells:
    search = GeneralSplitting(
        SymbolicModel(system),
        refine,
        predicates=predicates,
        seed=seed,
        check_deadlock=check_deadlock,
        most_states=MOST_CELLS,
    )
    search.meet(search.model.initial_state()[0], (0, 0))
    found = ClosedCells()
    while search.rounds <= MOST_ROUNDS and time.monotonic() < deadline:
        search.explore()
        on_progress(search.rounds, len(search.states))
        if search.violation is not None or search.next < len(search.states):
            break  # the engine finds it, or there are too many
        closure = _Closure(system, search, predicates, deadline)
        found = ClosedCells(
            rounds=search.rounds, cells=len(search.states), predicates=_thresholds(system, search)
        )
        invariant = closure.invariant() if closure.is_found() else None
        if invariant is not None and is_closed(system, invariant, deadlock=check_deadlock, deadline=deadline):
            return ClosedCells(
                invariant=invariant,
                is_bisimulation=closure.is_bisimulation(),
                rounds=found.rounds,
                cells=closure.count,
                predicates=found.predicates,
            )
        if not search.split():
            break
    return found


def _thresholds(system: SymbolicSystem, search: GeneralSplitting) -> tuple[Term, ...]:
    return tuple(
        apply(">", variable, Number(number))
        for variable, numbers in zip(system.variables, search.thresholds, strict=True)
        for number in numbers
    )


Cell = list[Term]


class _Closure:
    """The cells of a round, and those that steps may lead to."""

    def __init__(
        self, system: SymbolicSystem, search: GeneralSplitting, predicates: Sequence[Term], deadline: float
    ) -> None:
        self.system = system
        self.search = search
        self.predicates = predicates
        self.deadline = deadline
        self.literals = [(one, negated(one)) for one in predicates]
        self.above = {
            (position, number): (apply(">", variable, Number(number)), apply("<=", variable, Number(number)))
            for position, variable in enumerate(system.variables)
            for number in search.thresholds[position]
        }
        self.cells: dict[Location, dict[object, tuple[Cell, State]]] = {}  # each with a state in it
        self.count = 0
        for state in search.states:
            self.add(state)

    def add(self, state: State) -> bool:
        key = self.search.key(state)
        location, labels, intervals = key
        here = self.cells.setdefault(location, {})  # type: ignore[arg-type]
        if key in here:
            return False
        cell = [
            pair[0 if holds else 1]
            for pair, holds in zip(self.literals, labels, strict=True)  # type: ignore[call-overload]
        ]
        for position, interval in enumerate(intervals):  # type: ignore[var-annotated, arg-type]
            numbers = self.search.thresholds[position]
            if interval > 0:
                cell.append(self.above[position, numbers[interval - 1]][0])
            if interval < len(numbers):
                cell.append(self.above[position, numbers[interval]][1])
        here[key] = cell, state
        self.count += 1
        return True

    def at(self, location: Location) -> Term:
        return either(*(both(*cell) for cell, _ in self.cells.get(location, {}).values()))

    def invariant(self) -> InductiveInvariant:
        return InductiveInvariant({location: (self.at(location),) for location in self.cells})

    def terms(self) -> list[Term]:
        literals = (one for pair in (*self.literals, *self.above.values()) for one in pair)
        return [*terms_of(self.system), *literals]

    def is_found(self) -> bool:
        """Adds cells until no step leaves them. False: there are too many, or nobody knows."""
        system = self.system
        prover = Z3Prover(system.variables, self.terms(), seconds=QUERY_SECONDS)
        pending = dict.fromkeys(self.cells)
        try:
            while pending:
                location = next(iter(pending))
                del pending[location]
                solver = prover.solver((self.at(location),))
                for step in system.steps_at(location):
                    target = system.location_after(location, step)
                    while step.guard != FALSE:
                        if time.monotonic() > self.deadline or self.count > MOST_CELLS:
                            return False
                        then = weakest_precondition(self.at(target), step)
                        answer = prover.ask(solver, (step.guard,), then)
                        if answer is True:
                            break
                        if answer is None or not self.add(self._after(target, step, answer)):
                            return False
                        pending[target] = None
        except ProverProblem:
            return False
        return True

    def _after(self, target: Location, step: Step, values: Mapping[str, int] | bool) -> State:
        assert not isinstance(values, bool)
        assigned = dict(step.assignments)
        variables = self.system.variables
        return (*target, *(int(evaluate(assigned.get(one.name, one), values)) for one in variables))

    def is_bisimulation(self) -> bool:
        """All states of a cell take the same steps to the same cells. What fails is excluded already."""
        system, search = self.system, self.search
        follows = Entailment(system.variables, self.terms(), seconds=QUERY_SECONDS)
        kept: list[Term] = []  # terms are known by their identity
        for location, here in self.cells.items():
            for guard, effect, step in search.model.at(location).steps:
                excluded = negated(step.guard)
                kept.append(excluded)
                before: dict[int, Term] = {}
                for cell, state in here.values():
                    if time.monotonic() > self.deadline:
                        return False
                    if not guard(state):
                        if not follows(cell, excluded):
                            return False
                        continue
                    after = effect(state)
                    there, _ = self.cells[after[: search.controls]][search.key(after)]
                    wanted = [step.guard]
                    for literal in there:
                        if id(literal) not in before:
                            before[id(literal)] = weakest_precondition(literal, step)
                            kept.append(before[id(literal)])
                        wanted.append(before[id(literal)])
                    if not all(follows(cell, one) for one in wanted):
                        return False
        return True


def is_closed(
    system: SymbolicSystem, invariant: InductiveInvariant, *, deadlock: bool, deadline: float
) -> bool:
    """Every obligation is met; the first that is not ends it."""
    if initial_problem(system, invariant):
        return False
    terms = [*terms_of(system), *(one for here in invariant.conjuncts.values() for one in here)]
    prover = Z3Prover(system.variables, terms, seconds=QUERY_SECONDS)
    try:
        for location, here in invariant.conjuncts.items():
            solver = prover.solver(here)
            for one in obligations_at(system, invariant, location, deadlock=deadlock):
                if (
                    time.monotonic() > deadline
                    or prover.ask(solver, one.given[len(here) :], one.then) is not True
                ):
                    return False
    except ProverProblem:
        return False
    return True
