"""AMCS as it runs: the refinement of the plain reference, faster.

A round explores first, and asks afterwards about what it saw; where an error was found, nobody need be
asked. A round of few states is explored in Python, because a compiler would take longer. As soon as one has
many, the predicates are compiled, the engine explores (`engine/search/amcs.cpp`), and tells the abstract
states with the concrete ones that stand for them, and where their steps lead. A number that has no room in a
word of the engine, or a machine without a compiler: then Python explores all of it.

Most of the time of the plain reference goes into making the same terms again. Here a term is made once for
all locations where it means the same, and what was asked of an abstract state and a step is remembered.

Predicates, their order, rounds and verdicts are those of the reference.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

from assay import _engine
from assay.records import dataclass
from assay.search.reference.amcs import Amcs, Round, Valid, Valuation, predicates_in
from assay.transition_system.interface import SourceProblem
from assay.transition_system.symbolic import (
    Location,
    NotExpressible,
    State,
    Step,
    SymbolicModel,
    weakest_precondition,
)
from assay.transition_system.symbolic_code import WORD_BITS, code_of, overflow_code
from assay.transition_system.terms import Number, Term, Truth, apply, negated

# What a round may take in Python; compiling takes about as long.
MANY_STATES = 3_000
MANY_SECONDS = 0.5
LONGEST_TEXT = 400_000  # that is worth compiling
PROGRESS_SECONDS = 0.1


Item = TypeVar("Item")


class Library(Protocol):
    @property
    def path(self) -> object: ...


Compile = Callable[[str], Library]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """A round: abstract states, by their numbers in the order in which they were met."""

    states: Sequence[State] | _Made[State]  # which stands for each
    literals: Sequence[Valuation]  # the different ones
    valuations: Sequence[int]  # of each state: which of these
    steps: Sequence[Sequence[int]]  # of each that was expanded: the states that its steps lead to
    merged: bool
    run: tuple[State, ...] | None  # to a state where something fails


class FastAmcs(Amcs):
    def __init__(
        self,
        model: SymbolicModel,
        predicates: Sequence[Term],
        valid: Valid | None,
        *,
        compiler: Compile | None,
        add_all: bool = False,
        check_deadlock: bool = True,
        deadline: float = float("inf"),
        most_rounds: int = 1 << 60,
        many_states: int = MANY_STATES,
        on_progress: Callable[[int, int, int], None] | None = None,
        on_state: Callable[[State, int, int], None] | None = None,
    ) -> None:
        """`on_state` is told of what is explored in Python; without a `compiler` everything is."""
        super().__init__(
            model,
            predicates,
            valid,
            add_all=add_all,
            check_deadlock=check_deadlock,
            deadline=deadline,
            most_rounds=most_rounds,
            on_progress=on_progress,
            on_state=on_state,
        )
        self.compiler = compiler
        self.many_states = many_states
        self.native_rounds = 0
        self._terms: dict[Term, Term] = {}  # each once
        self._effects: dict[object, int] = {}  # of steps that do the same
        self._effect_of: dict[int, int] = {}
        self._preconditions: dict[tuple[int, int, bool], Term] = {}
        self._values: dict[tuple[int, int], Term] = {}
        self._atoms: dict[int, tuple[Term, list[Term]]] = {}
        self._guards: dict[int, Term] = {}

    def search(self) -> Round:
        for number in range(len(self._opposites), len(self.predicates)):
            self.predicates[number] = self.once(self.predicates[number])
            self._opposites.append(self.once(negated(self.predicates[number])))
        explored = self.explored()
        if explored.run is not None:
            code = self.failure_at(explored.run[-1])
            if code is None:
                raise RuntimeError("the compiled form fails where the form does not")
            self.violation = code, explored.run
        added: list[Term] | None = []
        if self.violation is None:
            try:
                added = self.asked(explored)
            except TimeoutError:
                if explored.merged:
                    raise
                added = None  # every state was seen, whatever a prover would have said
        return Round(
            abstract_states=_Made(
                len(explored.states),
                lambda number: (
                    explored.states[number][: self.controls],
                    explored.literals[explored.valuations[number]],
                ),
            ),
            transitions=sum(map(len, explored.steps)),
            added=added,
            merged=explored.merged,
        )

    # --- exploring ---

    def explored(self) -> Explored:
        found = None
        if self.compiler is not None:
            if not self.native_rounds:  # refined, a round that was large stays so
                found = self.explored_plainly(self.many_states)
            found = found or self.explored_natively()
        if found is None:
            self.compiler = None
            found = self.explored_plainly(None)
            assert found is not None
        self.expanded += len(found.steps)
        return found

    def explored_plainly(self, most: int | None) -> Explored | None:
        """None: there are more states, or it takes long."""
        began = time.monotonic()
        evaluate = self.evaluator()
        initial, _ = self.model.initial_state()
        states, valuations = [initial], []
        literals: dict[Valuation, int] = {}
        steps: list[list[int]] = []
        parents, depths = [0], [0]
        merged = False

        def alpha(state: State) -> tuple[Location, int]:
            valuation = tuple(map(bool, evaluate(state)))
            return state[: self.controls], literals.setdefault(valuation, len(literals))

        known = {alpha(initial): 0}
        valuations.append(0)
        run = None
        while len(steps) < len(states) and run is None:
            if most is not None and (len(states) > most or time.monotonic() > began + MANY_SECONDS):
                return None
            number = len(steps)
            self.tick(len(states))
            if self.on_state is not None:
                self.on_state(states[number], depths[number], len(self.predicates))
            if self.failure_at(states[number]) is not None:
                run = _run_to(number, states, parents)
            here = []
            for _, after in self.model.steps(states[number]):
                key = alpha(after)
                there = known.setdefault(key, len(states))
                if there == len(states):
                    states.append(after)
                    valuations.append(key[1])
                    parents.append(number)
                    depths.append(depths[number] + 1)
                elif states[there] != after:
                    merged = True
                here.append(there)
            steps.append(here)
        return Explored(
            states=states,
            literals=list(literals),
            valuations=valuations,
            steps=steps,
            merged=merged,
            run=run,
        )

    def explored_natively(self) -> Explored | None:
        """None: it cannot be done."""
        assert self.compiler is not None
        try:
            text = self.code()
            if len(text) > LONGEST_TEXT:
                return None
            library = self.compiler(text)
            model = _engine.CompiledModel(str(library.path))
        except (SourceProblem, NotExpressible, SyntaxError, RecursionError):  # the latter: nested too deeply
            return None
        self.tick(0)
        result = self.searched(model, library)
        if result.observations.get("overflowed"):
            return None
        if result.stop_reason == "memory":
            raise MemoryError
        if not result.complete and result.stop_reason != "violation":
            raise TimeoutError
        self.native_rounds += 1
        return self.read(result)

    def code(self) -> str:
        return code_of(self.system, self.predicates, matched=True)

    def searched(self, model: _engine.CompiledModel, library: Library, **more: Any) -> _engine.SearchResult:
        """What the engine says of a round; the library is what the model was opened from."""
        del library
        left = self.deadline - time.monotonic()
        more |= {
            "control_words": self.controls,
            "value_words": len(self.system.variables),
            "overflow_code": overflow_code(self.system),
        }
        return _engine.search(
            model,
            strategy="amcs",
            check_deadlock=self.check_deadlock,
            time_limit_seconds=0.0 if left == float("inf") else max(0.001, left),
            on_progress=self.on_native_progress,
            progress_interval_seconds=PROGRESS_SECONDS,
            **more,
        )

    def read(self, result: _engine.SearchResult) -> Explored:
        values = len(self.system.positions)
        length = values + -(-len(self.predicates) // WORD_BITS)
        words = memoryview(result.records["states"]).cast("q")
        literals: dict[bytes, int] = {}
        valuations = [
            literals.setdefault(words[first + values : first + length].tobytes(), len(literals))
            for first in range(0, len(words), length)
        ]
        targets = memoryview(result.records["steps"]).cast("I").tolist()
        steps: list[list[int]] = []
        at = 0
        while at < len(targets):
            steps.append(targets[at + 1 : at + 1 + targets[at]])
            at += 1 + targets[at]
        run = None
        for violation in result.violations if result.stop_reason == "violation" else ():
            walked = [self.model.initial_state()[0]]
            for position in violation.path:
                after, _ = self.model.successors(walked[-1])[position]
                assert after is not None
                walked.append(after)
            run = tuple(walked)
        count = len(self.predicates)
        return Explored(
            states=_Made(
                len(valuations), lambda number: tuple(words[number * length : number * length + values])
            ),
            literals=[_bits(one, count) for one in literals],
            valuations=valuations,
            steps=steps,
            merged=bool(result.observations["merged"]),
            run=run,
        )

    def tick(self, states: int) -> None:
        if time.monotonic() > self.deadline:
            raise TimeoutError
        self.on_progress(self.rounds, len(self.predicates), states)

    def on_native_progress(self, progress: _engine.Progress) -> bool:
        try:
            self.tick(progress.states)
        except TimeoutError:
            return False
        return True

    # --- asking (Algorithm 2, lines 5 to 18) ---

    def asked(self, explored: Explored) -> list[Term]:
        """The predicates to be added."""
        known = set(self.predicates)
        new: dict[Term, None] = {}
        added: set[int] = set()
        doubts: dict[tuple[int, int], bool] = {}
        before: dict[tuple[int, int], list[Term]] = {}
        leading: dict[tuple[int, int, int], bool] = {}
        refined: set[tuple[int, int]] = set()  # whose preconditions were added

        def add(term: Term) -> None:
            if id(term) in added:
                return
            added.add(id(term))
            for one in self.atoms(term):
                if one not in known:
                    new.setdefault(one)

        def is_doubted(number: int, then: Term) -> bool:
            """Whether it does not follow from the literals with that number."""
            if isinstance(then, Truth):
                return not then.value
            if self.valid is None:
                return True
            question = number, id(then)
            answer = doubts.get(question)
            if answer is None:
                began = time.process_time()
                answer = doubts[question] = not self.valid(self.literals(explored.literals[number]), then)
                self.seconds_proving += time.process_time() - began
            return answer

        def leads_elsewhere(here: int, effect: int, there: int) -> bool:
            """Line 10: some state of this abstract state is led to another one by the step."""
            question = here, effect, there
            answer = leading.get(question)
            if answer is None:
                answer = leading[question] = any(is_doubted(here, one) for one in before[effect, there])
            return answer

        for number, steps in enumerate(explored.steps):
            self.tick(len(explored.states))
            state, here = explored.states[number], explored.valuations[number]
            location = state[: self.controls]
            for condition, excluded in self.conditions(location):
                if is_doubted(here, excluded):
                    add(condition)
            taken = iter(steps)
            for guard, _, step in self.model.at(location).steps:
                condition = self.guard(step)
                if not guard(state):
                    if is_doubted(here, self.not_taken(step)):
                        add(condition)
                    continue
                if is_doubted(here, condition):
                    add(condition)
                    self.add_values(state, add)
                effect, there = self.effect(step), explored.valuations[next(taken)]
                if (effect, there) not in before:
                    before[effect, there] = [
                        self.before(step, one, holds) for one, holds in enumerate(explored.literals[there])
                    ]
                if leads_elsewhere(here, effect, there):
                    if (effect, there) not in refined:
                        refined.add((effect, there))
                        for one in before[effect, there]:
                            add(one)
                    self.add_values(state, add)
            if next(taken, None) is not None:
                raise RuntimeError("the compiled form takes steps that the form does not")
        return list(new)

    # Terms are made once, wherever they are needed; so who proves knows them by their identity.

    def once(self, term: Term) -> Term:
        return self._terms.setdefault(term, term)

    def atoms(self, term: Term) -> list[Term]:
        found = self._atoms.get(id(term))
        if found is None:
            found = self._atoms[id(term)] = (term, predicates_in(term, self.system))
        return found[1]

    def guard(self, step: Step) -> Term:
        found = self._guards.get(id(step))
        if found is None:
            found = self._guards[id(step)] = self.once(step.guard)
        return found

    def effect(self, step: Step) -> int:
        """A number for what it does to variables."""
        found = self._effect_of.get(id(step))
        if found is None:
            found = self._effects.setdefault(step.assignments, len(self._effects))
            self._effect_of[id(step)] = found
        return found

    def before(self, step: Step, number: int, holds: bool) -> Term:
        key = (self.effect(step), number, holds)
        found = self._preconditions.get(key)
        if found is None:
            wanted = self.predicates[number] if holds else self._opposites[number]
            found = self._preconditions[key] = self.once(weakest_precondition(wanted, step))
        return found

    def conditions(self, location: Location) -> list[tuple[Term, Term]]:
        found = self._conditions.get(location)
        if found is None:
            made = [(self.once(one), self.once(not_one)) for one, not_one in super().conditions(location)]
            found = self._conditions[location] = made
        return found

    def not_taken(self, step: Step) -> Term:
        found = self._not_taken.get(id(step))
        if found is None:
            found = self._not_taken[id(step)] = self.once(negated(step.guard))
        return found

    def add_values(self, state: State, add: Callable[[Term], None]) -> None:
        if not self.add_all:
            return
        for number, value in enumerate(state[self.controls :]):
            if (number, value) not in self._values:
                equal = apply("==", self.system.variables[number], Number(value))
                self._values[number, value] = self.once(equal)
            add(self._values[number, value])


class _Made(Generic[Item]):
    """Items that are made when they are asked for: there may be millions, and most are never looked at."""

    def __init__(self, count: int, make: Callable[[int], Item]) -> None:
        self.count = count
        self.make = make

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> Item:
        return self.make(number)

    def __iter__(self) -> Iterator[Item]:
        return map(self.make, range(self.count))


def _run_to(number: int, states: Sequence[State], parents: Sequence[int]) -> tuple[State, ...]:
    run = [states[number]]
    while number:
        number = parents[number]
        run.append(states[number])
    return tuple(reversed(run))


def _bits(word: bytes, count: int) -> Valuation:
    number = int.from_bytes(word, "little")
    return tuple(bool(number >> bit & 1) for bit in range(count))
