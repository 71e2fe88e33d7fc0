"""The symbolic form of a program: guarded transitions over integer variables, with locations.

Kudra 2007, section 2.2.1: a transition is a guard and a simultaneous assignment, and the guard has a
location in it. Here a location is the values of all *controls*: one for each process, and whatever else
decides who may move. A step reads and sets some of them and has a `guard` and `assignments` over the
variables besides. What goes wrong is a `Failure`: a condition at a location, with or without a step.

A language gives this form for what it can express exactly, and raises `NotExpressible` for what it cannot;
a search, a prover and a certifier read it. `visible` are the locations where a state of the form is one of
the program: inside of a sequence that nobody interrupts there are others in between.

`SymbolicModel` executes the form, one state at a time, as the plain searches want it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct, ViolationFacts
from assay.transition_system.terms import (
    Integer,
    Number,
    Term,
    Truth,
    Variable,
    compiled,
    compiled_together,
    either,
    negated,
    substituted,
    variables_of,
)

State = tuple[int, ...]  # the controls, then the variables
Location = tuple[int, ...]  # the controls
At = tuple[tuple[int, int], ...]  # some of the controls, by position, with a value each

CONTROL = Integer(32)


class NotExpressible(UnsupportedConstruct):
    """The program, or a part of it, has no exact symbolic form."""


@dataclass(frozen=True, slots=True)
class Control:
    name: str
    initial: int
    texts: Mapping[int, str]  # what a person calls its values

    def text(self, value: int) -> str:
        return self.texts.get(value, str(value))


@dataclass(frozen=True, slots=True)
class Step:
    """Taken where the controls of `source` have these values and the guard holds. Controls and variables that
    are not named keep their values."""

    process: int  # the control that it belongs to
    source: At
    target: At
    guard: Term
    assignments: tuple[tuple[str, Term], ...]
    text: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """What must not be: a state at `source` that satisfies the condition."""

    facts: ViolationFacts
    source: At
    condition: Term
    is_step: bool  # somebody moves, and fails; else the state itself is wrong


@dataclass(frozen=True)
class SymbolicSystem:
    controls: tuple[Control, ...]
    variables: tuple[Variable, ...]
    initial_values: tuple[int, ...]  # of the variables
    steps: tuple[Step, ...]
    failures: tuple[Failure, ...]
    visible: At = ()
    ends: tuple[frozenset[int], ...] = ()  # of each control, the values with which the program may end
    predicates: tuple[Term, ...] = ()  # that a user gave
    notes: tuple[str, ...] = ()  # what a reader should know of the form

    @cached_property
    def positions(self) -> dict[str, int]:
        names = [control.name for control in self.controls] + [one.name for one in self.variables]
        return {name: position for position, name in enumerate(names)}

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        return {one.name: one for one in self.variables}

    @property
    def initial_location(self) -> Location:
        return tuple(control.initial for control in self.controls)

    @property
    def initial_state(self) -> State:
        return (*self.initial_location, *self.initial_values)

    @property
    def is_bounded(self) -> bool:
        return all(one.type.bits is not None for one in self.variables)

    def is_visible(self, location: Sequence[int]) -> bool:
        return matches(self.visible, location)

    def may_end(self, location: Sequence[int]) -> bool:
        return not self.ends or all(value in ends for value, ends in zip(location, self.ends, strict=False))

    @cached_property
    def _steps_by_control(self) -> dict[tuple[int, int], list[Step]]:
        return indexed(self.steps)

    @cached_property
    def _failures_by_control(self) -> dict[tuple[int, int], list[Failure]]:
        return indexed(self.failures)

    def steps_at(self, location: Location) -> Iterator[Step]:
        """With the controls in their guards and assignments known."""
        return (self._located(step, location) for step in found_at(self._steps_by_control, location))

    def _located(self, step: Step, location: Location) -> Step:
        known = self._known(location)
        return Step(
            step.process,
            step.source,
            step.target,
            substituted(step.guard, known),
            tuple((name, substituted(value, known)) for name, value in step.assignments),
            step.text,
            step.file,
            step.line,
        )

    def _known(self, location: Location) -> dict[str, Term]:
        return {control.name: Number(value) for control, value in zip(self.controls, location, strict=True)}

    def failures_at(self, location: Location) -> Iterator[Failure]:
        known = self._known(location)
        for failure in found_at(self._failures_by_control, location):
            yield Failure(
                failure.facts, failure.source, substituted(failure.condition, known), failure.is_step
            )

    def somebody_moves(self, location: Location) -> Term:
        """Who fails moves, too."""
        return either(
            *(step.guard for step in self.steps_at(location)),
            *(failure.condition for failure in self.failures_at(location) if failure.is_step),
        )

    def stuck(self, location: Location) -> Term:
        """The condition under which a state at this location is a deadlock."""
        if not self.is_visible(location) or self.may_end(location):
            return Truth(False)
        return negated(self.somebody_moves(location))

    def location_after(self, location: Location, step: Step) -> Location:
        after = list(location)
        for position, value in step.target:
            after[position] = value
        return tuple(after)

    def location_text(self, location: Location) -> str:
        return ", ".join(
            f"{control.name}@{control.text(value)}"
            for control, value in zip(self.controls, location, strict=True)
        )

    def values_text(self, state: State) -> str:
        values = state[len(self.controls) :]
        return ", ".join(f"{one.name} = {value}" for one, value in zip(self.variables, values, strict=True))

    def __str__(self) -> str:
        """All of it, for people."""
        lines = [
            f"{one.name}: {one.type} = {value}"
            for one, value in zip(self.variables, self.initial_values, strict=True)
        ]
        lines += [f"{one.name} at {one.text(one.initial)}" for one in self.controls]
        for step in self.steps:
            assigned = ", ".join(f"{name} := {value}" for name, value in step.assignments)
            lines.append(f"{self._at(step.source)} [{step.guard}] {assigned} -> {self._at(step.target)}")
        lines += [
            f"{self._at(one.source)} [{one.condition}] fails: {one.facts.message}" for one in self.failures
        ]
        return "\n".join(lines)

    def _at(self, at: At) -> str:
        return ", ".join(f"{self.controls[c].name}@{self.controls[c].text(value)}" for c, value in at)


def matches(at: At, location: Sequence[int]) -> bool:
    return all(location[control] == value for control, value in at)


def indexed(items: Iterable[Any]) -> dict[tuple[int, int], list[Any]]:
    """By the first control that they name; those that name none under (-1, 0)."""
    found: dict[tuple[int, int], list[Any]] = {}
    for item in items:
        found.setdefault(item.source[0] if item.source else (-1, 0), []).append(item)
    return found


def found_at(index: Mapping[tuple[int, int], list[Any]], location: Sequence[int]) -> Iterator[Any]:
    for key in ((-1, 0), *enumerate(location)):
        for item in index.get(key, ()):
            if matches(item.source, location):
                yield item


class SymbolicModel:
    """Executes a symbolic system; the shape that plain searches explore (`search.outcome.Model`)."""

    def __init__(self, system: SymbolicSystem) -> None:
        self.system = system
        self._controls = len(system.controls)
        self._cache: dict[Location, _Compiled] = {}
        codes: dict[ViolationFacts, int] = {}
        for failure in system.failures:
            codes.setdefault(failure.facts, len(codes) + 1)
        self.codes = codes
        self.facts = {code: facts for facts, code in codes.items()}

    def at(self, location: Location) -> _Compiled:
        found = self._cache.get(location)
        if found is None:
            found = self._cache[location] = _Compiled(self.system, location, self.codes)
        return found

    def initial_state(self) -> tuple[State, int]:
        return self.system.initial_state, 0

    def successors(self, state: State) -> list[tuple[State | None, int]]:
        here = self.at(state[: self._controls])
        found: list[tuple[State | None, int]] = [
            (None, code) for condition, code in here.step_failures if condition(state)
        ]
        found += [(effect(state), 0) for guard, effect, _ in here.steps if guard(state)]
        return found

    def steps(self, state: State) -> list[tuple[Step, State]]:
        here = self.at(state[: self._controls])
        return [(step, effect(state)) for guard, effect, step in here.steps if guard(state)]

    def is_valid_end(self, state: State) -> bool:
        location = state[: self._controls]
        return not self.system.is_visible(location) or self.system.may_end(location)

    def check_state(self, state: State) -> int:
        here = self.at(state[: self._controls])
        return next((code for condition, code in here.state_failures if condition(state)), 0)

    def check_step(self, before: State, after: State) -> int:
        del before, after  # failures of steps are found where the step begins
        return 0


class _Compiled:
    """What can happen at one location, as functions of a state."""

    def __init__(
        self, system: SymbolicSystem, location: Location, codes: Mapping[ViolationFacts, int]
    ) -> None:
        positions = system.positions
        self.steps: list[tuple[Callable[[State], Any], Callable[[State], State], Step]] = []
        for step in system.steps_at(location):
            if step.guard == Truth(False):
                continue
            after = system.location_after(location, step)
            assigned = dict(step.assignments)
            values: list[Term] = [Number(value) for value in after]
            values += [assigned.get(one.name, one) for one in system.variables]
            self.steps.append((compiled(step.guard, positions), compiled_together(values, positions), step))
        failures = [
            (failure, compiled(failure.condition, positions), codes[failure.facts])
            for failure in system.failures_at(location)
            if failure.condition != Truth(False)
        ]
        self.step_failures = [(condition, code) for one, condition, code in failures if one.is_step]
        self.state_failures = [(condition, code) for one, condition, code in failures if not one.is_step]


def weakest_precondition(term: Term, step: Step) -> Term:
    """What holds before the step exactly if the term holds after it: the assignments put in."""
    return substituted(term, dict(step.assignments))


def terms_of(system: SymbolicSystem) -> list[Term]:
    """All that it is made of, and what a user gave: whoever is asked about it must be able to say these."""
    found = [step.guard for step in system.steps]
    found += [value for step in system.steps for _, value in step.assignments]
    found += [failure.condition for failure in system.failures]
    return [*found, *system.predicates]


def with_everything(system: SymbolicSystem) -> tuple[Term, ...]:
    """Guards and conditions of failures, each once: where predicates come from if nobody gives any."""
    found: dict[Term, None] = {}
    terms = [failure.condition for failure in system.failures] + [step.guard for step in system.steps]
    for term in terms:
        known = {control.name for control in system.controls}
        if not isinstance(term, Truth) and not {one.name for one in variables_of(term)} & known:
            found.setdefault(term)
    return tuple(found)
