"""AMCS: abstract matching on concrete states (Pasareanu, Pelanek and Visser 2005; Kudra 2007, Algorithms 1
and 2).

A state is matched by its location and by the truth of predicates. Where the prover does not show that all
states of an abstract one can take the step that its concrete state takes, and come to the same abstract
state, the guard and the weakest preconditions of the predicates are added for the next round. (Lines 6 and
18 of Algorithm 2 are read as "is not valid".) A round that adds nothing has a precise abstraction. What is
`verified` rests on more than that: the abstract states, as an invariant, have to meet every obligation of a
proof.

`add_all` adds the values of the concrete state as well, which guarantees an end in finite programs;
`no_prover` takes every transition for imprecise. Failures are guards like others, so that a precise
abstraction knows where they are.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from assay.records import dataclass
from assay.transition_system.symbolic import (
    Location,
    State,
    Step,
    SymbolicModel,
    SymbolicSystem,
    weakest_precondition,
)
from assay.transition_system.terms import (
    FALSE,
    TRUE,
    Number,
    Term,
    Truth,
    apply,
    atoms_of,
    both,
    compiled_together,
    either,
    negated,
    variables_of,
)

Valid = Callable[[Sequence[Term], Term], bool]  # does the conclusion follow? (False if nobody knows)
Valuation = tuple[bool, ...]  # of the predicates
SAME_ROUNDS = 3  # in which refinement changed nothing: it may never


@dataclass(frozen=True, slots=True, kw_only=True)
class AmcsOutcome:
    predicates: tuple[Term, ...]
    rounds: int
    abstract_states: int
    states: int  # concrete ones, of all rounds
    violation: tuple[int, tuple[State, ...]] | None
    abstraction: dict[Location, list[Term]] | None  # if it is precise: the abstract states of each location
    unchanged_rounds: int  # at the end, in which predicates were added and no state was split
    out_of_time: bool = False
    is_too_deep: bool = False
    is_one_to_one: bool = False
    seconds_proving: float = 0.0  # of the processor


class AbstractStates(Protocol):
    """They are counted, and gone through if they are a proof."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[Location, Valuation]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What Algorithm 2 answers."""

    abstract_states: AbstractStates
    transitions: int  # between them
    added: list[Term] | None  # None: nobody had the time to ask, and nothing was merged
    merged: bool  # two concrete states were taken for one


class TooDeep(Exception):
    """Predicates are nested more deeply than Python can evaluate."""


class Amcs:
    def __init__(
        self,
        model: SymbolicModel,
        predicates: Sequence[Term],
        valid: Valid | None,
        *,
        add_all: bool = False,
        check_deadlock: bool = True,
        deadline: float = float("inf"),
        most_rounds: int = 1 << 60,
        ends_one_to_one: bool = True,
        on_progress: Callable[[int, int, int], None] | None = None,
        on_state: Callable[[State, int, int], None] | None = None,
    ) -> None:
        """`on_state` is told of each state that is expanded, with its depth and the number of predicates.
        The thesis does not
        notice that a round merged nothing and so saw every state; `ends_one_to_one=False` does not either."""
        self.model = model
        self.system: SymbolicSystem = model.system
        self.valid = valid
        self.add_all = add_all
        self.check_deadlock = check_deadlock
        self.deadline = deadline
        self.most_rounds = most_rounds
        self.ends_one_to_one = ends_one_to_one
        self.on_progress = on_progress or (lambda *_: None)
        self.on_state = on_state
        self.controls = len(self.system.controls)
        self.predicates = list(dict.fromkeys(normal(one) for one in predicates if not isinstance(one, Truth)))
        self.rounds = self.expanded = 0
        self.violation: tuple[int, tuple[State, ...]] | None = None
        self._opposites: list[Term] = []  # of the predicates
        self._before: dict[tuple[int, int, bool], Term] = {}
        self._answers: dict[tuple[int, Valuation], bool] = {}
        self._conditions: dict[Location, list[tuple[Term, Term]]] = {}
        self._not_taken: dict[int, Term] = {}
        self.seconds_proving = 0.0

    def run(self) -> AmcsOutcome:
        """Algorithm 1."""
        sizes: list[tuple[int, int]] = []
        found: dict[Location, list[Term]] | None = None
        merged = True
        try:
            while self.rounds < self.most_rounds:
                self.rounds += 1
                done = self.search()
                merged = done.merged
                sizes.append((len(done.abstract_states), done.transitions))
                if self.violation is not None:
                    break
                if done.added is None:
                    break
                if not done.added:
                    found = {}
                    for location, valuation in done.abstract_states:
                        found.setdefault(location, []).append(self.abstract(valuation))
                    break
                if not merged and self.ends_one_to_one:
                    break
                self.predicates += done.added
        except TimeoutError:
            return self.outcome(sizes, None, merged=True, out_of_time=True)
        except TooDeep:
            return self.outcome(sizes, None, merged=True, out_of_time=False, is_too_deep=True)
        return self.outcome(sizes, found, merged=merged, out_of_time=False)

    def outcome(
        self,
        sizes: list[tuple[int, int]],
        found: dict[Location, list[Term]] | None,
        *,
        merged: bool,
        out_of_time: bool,
        is_too_deep: bool = False,
    ) -> AmcsOutcome:
        unchanged = 0
        while unchanged + 1 < len(sizes) and sizes[-1 - unchanged] == sizes[-2 - unchanged]:
            unchanged += 1
        return AmcsOutcome(
            predicates=tuple(self.predicates),
            rounds=self.rounds,
            abstract_states=sizes[-1][0] if sizes else 0,
            states=self.expanded,
            violation=self.violation,
            abstraction=found,
            unchanged_rounds=unchanged,
            out_of_time=out_of_time,
            is_too_deep=is_too_deep,
            is_one_to_one=not merged and self.ends_one_to_one and self.violation is None and not out_of_time,
            seconds_proving=self.seconds_proving,
        )

    def search(self) -> Round:
        """Algorithm 2."""
        evaluate = self.evaluator()
        self._opposites += [negated(one) for one in self.predicates[len(self._opposites) :]]
        self._answers.clear()  # valuations have become longer

        def alpha(state: State) -> tuple[Location, Valuation]:
            return state[: self.controls], tuple(map(bool, evaluate(state)))

        known = set(self.predicates)
        new: dict[Term, None] = {}
        added: dict[int, Term] = {}
        merged = False

        def add(term: Term) -> None:
            if id(term) in added:
                return
            added[id(term)] = term  # which keeps it
            for one in predicates_in(term, self.system):
                if one not in known:
                    new.setdefault(one)

        initial, _ = self.model.initial_state()
        states = {alpha(initial): initial}
        parents: dict[State, State | None] = {initial: None}
        transitions: set[object] = set()
        waiting = deque([initial])
        depths = {initial: 0}
        while waiting and self.violation is None:
            state = waiting.popleft()
            if self.on_state is not None:
                self.on_state(state, depths[state], len(self.predicates))
            self.expanded += 1
            if time.monotonic() > self.deadline:
                raise TimeoutError
            self.on_progress(self.rounds, len(self.predicates), len(states))
            here = alpha(state)
            valuation = here[1]
            location = state[: self.controls]
            self.fail(state, parents)
            for condition, excluded in self.conditions(location):
                if self.imprecise(valuation, excluded):
                    add(condition)
            for guard, effect, step in self.model.at(location).steps:
                if not guard(state):
                    if self.imprecise(valuation, self.not_taken(step)):  # line 18
                        add(step.guard)
                    continue
                if step.guard != TRUE and self.imprecise(valuation, step.guard):  # line 6
                    add(step.guard)
                    self.add_values(state, add)
                after = effect(state)
                there = alpha(after)
                before = [self.before(step, number, holds) for number, holds in enumerate(there[1])]
                if any(self.imprecise(valuation, one) for one in before):  # line 10
                    for one in before:
                        add(one)
                    self.add_values(state, add)
                if there not in states:
                    states[there] = after
                    parents[after] = state
                    depths[after] = depths[state] + 1
                    waiting.append(after)
                elif states[there] != after:
                    merged = True
                transitions.add((here, step.text, step.line, there))
        return Round(
            abstract_states=states.keys(), transitions=len(transitions), added=list(new), merged=merged
        )

    def evaluator(self) -> Callable[[State], Any]:
        """Of all predicates."""
        try:
            return compiled_together(self.predicates, self.system.positions)
        except (
            SyntaxError,
            RecursionError,
            MemoryError,
        ) as problem:  # what its compiler says to deep nesting
            raise TooDeep from problem

    def fail(self, state: State, parents: dict[State, State | None]) -> None:
        code = self.failure_at(state)
        if code is not None:
            run = [state]
            while (parent := parents[run[-1]]) is not None:
                run.append(parent)
            self.violation = code, tuple(reversed(run))

    def failure_at(self, state: State) -> int | None:
        """The code of what fails there, 0 for a deadlock; None if nothing does."""
        code = self.model.check_state(state)
        successors = self.model.successors(state)
        failing = next((each for _, each in successors if each), 0)
        is_stuck = not successors and self.check_deadlock and not self.model.is_valid_end(state)
        return code or failing if code or failing or is_stuck else None

    def add_values(self, state: State, add: Callable[[Term], None]) -> None:
        """Add-All: the concrete state where the transition begins."""
        if self.add_all:
            for variable, value in zip(self.system.variables, state[self.controls :], strict=True):
                add(apply("==", variable, Number(value)))

    def literals(self, valuation: Sequence[bool]) -> list[Term]:
        return [
            one if holds else opposite
            for one, opposite, holds in zip(self.predicates, self._opposites, valuation, strict=True)
        ]

    def abstract(self, valuation: Sequence[bool]) -> Term:
        return both(*self.literals(valuation))

    # Terms are made once, so that whoever proves may know them by their identity.

    def before(self, step: Step, number: int, holds: bool) -> Term:
        """The weakest precondition of a predicate, or of its opposite."""
        key = (id(step), number, holds)
        found = self._before.get(key)
        if found is None:
            wanted = self.predicates[number] if holds else self._opposites[number]
            found = weakest_precondition(wanted, step)
            found = self._before[key] = wanted if found == wanted else found
        return found

    def conditions(self, location: Location) -> list[tuple[Term, Term]]:
        """What fails at a location, and that it does not."""
        found = self._conditions.get(location)
        if found is None:
            found = self._conditions[location] = [
                (failure.condition, negated(failure.condition))
                for failure in self.system.failures_at(location)
                if failure.condition != FALSE
            ]
        return found

    def not_taken(self, step: Step) -> Term:
        found = self._not_taken.get(id(step))
        if found is None:
            found = self._not_taken[id(step)] = negated(step.guard)
        return found

    def imprecise(self, valuation: Valuation, then: Term) -> bool:
        if isinstance(then, Truth):
            return not then.value
        if self.valid is None:  # without a prover all are
            return True
        question = id(then), valuation
        answer = self._answers.get(question)
        if answer is None:
            began = time.process_time()
            answer = self._answers[question] = self.valid(self.literals(valuation), then)
            self.seconds_proving += time.process_time() - began
        return not answer


def normal(term: Term) -> Term:
    """Of a predicate and its negation one."""
    opposite = negated(term)
    return term if str(term) <= str(opposite) else opposite


def predicates_in(term: Term, system: SymbolicSystem) -> list[Term]:
    """The comparisons in a term that say something of variables."""
    found = []
    for atom in atoms_of(term):
        names = {one.name for one in variables_of(atom)}
        if names and names <= system.by_name.keys():
            found.append(normal(atom))
    return found


def invariant_of(abstraction: dict[Location, list[Term]]) -> dict[Location, tuple[Term, ...]]:
    """The abstract states of each location as one condition."""
    return {location: (either(*states),) for location, states in abstraction.items()}
