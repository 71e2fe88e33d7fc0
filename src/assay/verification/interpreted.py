"""Systems written as Python classes, through the plain Python searches.

The reference searches explore models whose states are byte strings and whose
violations are numbers, as the engine does. `NumberedSystem` makes such a
model of any class: states get numbers in the order they are met, properties
and failed assertions get codes.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar

from assay import __version__
from assay.evidence.counterexample import Counterexample, Step, Trace, TraceProblem, changes_between
from assay.evidence.result import Result, Violation
from assay.evidence.verdict import SearchFacts, StopReason, judge
from assay.languages.handwritten import HandwrittenSystem, place_in_file
from assay.search import outcome as outcome_types
from assay.search.native import Progress
from assay.search.options import OptionProblem
from assay.search.reference import search
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import (
    LanguageOptions,
    SourceProblem,
    Violated,
    ViolationFacts,
    Waiting,
)
from assay.verification.alarm import alarm_at
from assay.verification.request import Phase, Request, language_options_of
from assay.verification.traces import is_same_violation

PROGRESS_INTERVAL_SECONDS = 0.1

P = ParamSpec("P")
R = TypeVar("R")
ROOT = b"root"  # before the initial states, when there are several


class NumberedSystem:
    """A hand-written system in the shape that the searches explore."""

    def __init__(self, system: HandwrittenSystem, options: LanguageOptions) -> None:
        self._system = system
        self._states: list[object] = []
        self._numbers: dict[object, bytes] = {}
        self._violations: list[ViolationFacts] = []
        self._codes: dict[ViolationFacts, int] = {}
        self._invariants = [(self._code("invariant", text), Expression(text, option="--invariant"))
                            for text in options.invariants]  # fmt: skip
        self._step_invariants = [
            (self._code("step-invariant", text), Expression(text, option="--step-invariant", over_steps=True))
            for text in options.step_invariants
        ]
        initial = list(self._call("initial_states", self._system.system.initial_states))
        if not initial:
            raise SourceProblem("expected at least one initial state, got none", where=system.name)
        self._initial = [self._number(state) for state in initial]

    @property
    def initial_count(self) -> int:
        return len(self._initial)

    @property
    def has_root(self) -> bool:
        return len(self._initial) > 1

    def initial_state(self) -> tuple[bytes, int]:
        return (ROOT if self.has_root else self._initial[0]), 0

    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]:
        if state == ROOT:
            return [(first, 0) for first in self._initial]
        before = self.state(state)
        found: list[tuple[bytes | None, int]] = []
        for action in self.actions(state):
            try:
                after = self._call("step", self._system.system.step, before, action)
            except Violated as violated:
                found.append((None, self._code("assertion", str(violated) or "an assertion failed")))
            else:
                found.append((self._number(after), 0))
        return found

    def is_valid_end(self, state: bytes) -> bool:
        return state == ROOT or bool(self._call("may_end", self._system.may_end, self.state(state)))

    def check_state(self, state: bytes) -> int:
        if state == ROOT or not self._invariants:
            return 0
        variables = self.variables(state)
        return self._first_that_fails(self._invariants, variables)

    def check_step(self, before: bytes, after: bytes) -> int:
        if before == ROOT or not self._step_invariants:
            return 0
        return self._first_that_fails(self._step_invariants, self.variables(before), self.variables(after))

    def explain(self, state: bytes, position: int) -> list[tuple[int, int, bytes]]:
        after = self.successors(state)[position][0]
        return [(0, position, state if after is None else after)]

    # --- the way back ---

    def state(self, number: bytes) -> object:
        return self._states[int.from_bytes(number, "little") - 1]

    def actions(self, number: bytes) -> Sequence[object]:
        return list(self._call("enabled", self._system.system.enabled, self.state(number)))

    def variables(self, number: bytes) -> dict[str, object]:
        return dict(self._call("variables", self._system.variables, self.state(number)))

    def violation(self, code: int) -> ViolationFacts:
        if code == 0:
            return ViolationFacts("deadlock", "no action is enabled and the system may not end here")
        return self._violations[code - 1]

    def _first_that_fails(
        self,
        properties: list[tuple[int, Expression]],
        before: dict[str, object],
        after: dict[str, object] | None = None,
    ) -> int:
        for code, expression in properties:
            if not self._call(expression.text, expression.holds, before, after):
                return code
        return 0

    def _number(self, state: object) -> bytes:
        try:
            number = self._numbers.get(state)
        except TypeError:
            raise SourceProblem(
                f"expected hashable states, got {state!r}",
                where=self._system.name,
                hint="use tuples, frozen dataclasses and frozensets",
            ) from None
        if number is None:
            self._states.append(state)
            number = len(self._states).to_bytes(8, "little")
            self._numbers[state] = number
        return number

    def _code(self, kind: str, message: str) -> int:
        facts = ViolationFacts(kind, message)
        if facts not in self._codes:
            self._violations.append(facts)
            self._codes[facts] = len(self._violations)
        return self._codes[facts]

    def _call(self, name: str, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """What the user's code raises is told with its place; `Violated` is an outcome."""
        try:
            return function(*arguments, **named)
        except (Violated, SourceProblem):
            raise
        except Exception as problem:
            place = place_in_file(problem, self._system.name.rpartition(":")[0])
            raise SourceProblem(f"{name} raised {problem!r}", where=place) from None


def verify_handwritten(system: HandwrittenSystem, request: Request) -> Result:
    options = request.options
    if options.storage != "exact" or options.threads != 1:
        raise OptionProblem("Python classes are searched on one thread with exact storage")
    if request.language_options.defines:
        raise OptionProblem("-D defines macros, which Python classes do not have")
    model = NumberedSystem(system, request.language_options)
    request.listener(Phase("searching", system.name))
    began = time.monotonic()
    time_limit = 0.0 if request.deadline is None else max(0.001, request.deadline - began)
    # The root of several initial states is ours, not the program's.
    extra = 1 if model.has_root else 0

    def on_progress(progress: outcome_types.Progress) -> bool:
        request.listener(
            Progress(
                progress.states - extra,
                progress.transitions,
                progress.depth,
                progress.frontier,
                progress.memory_bytes,
                progress.seconds,
            )
        )
        return True

    # The search looks at the clock between states; the alarm is for a method that never returns.
    patience = None if request.deadline is None else request.deadline + max(0.5, time_limit / 10)
    with alarm_at(patience):
        outcome = search(
            model,
            strategy=options.strategy,
            seed=options.seed,
            memory_limit_bytes=options.memory_limit_bytes,
            time_limit_seconds=time_limit,
            depth_limit=options.depth_limit + extra if options.depth_limit else 0,
            state_limit=options.state_limit + extra if options.state_limit else 0,
            stop_at_first_violation=options.stop_at_first_violation,
            check_deadlock=options.check_deadlock,
            on_progress=on_progress,
            progress_interval_seconds=PROGRESS_INTERVAL_SECONDS,
        )
    overdue = patience is not None and time.monotonic() >= patience
    facts = SearchFacts(
        states=outcome.states - extra,
        transitions=outcome.transitions - extra * model.initial_count,
        depth=max(0, outcome.depth - extra),
        frontier=outcome.frontier,
        seconds=time.monotonic() - began,
        complete=outcome.complete,
        stop_reason=StopReason.STUCK if overdue else StopReason.named(outcome.stop_reason),
        violation_count=outcome.violation_count,
    )
    judgement = judge(facts)
    return Result(
        verdict=judgement.verdict,
        program=system.name,
        language="python-class",
        complete=judgement.complete,
        reasons=judgement.reasons,
        states=facts.states,
        transitions=facts.transitions,
        depth=facts.depth,
        frontier=facts.frontier,
        search_seconds=facts.seconds,
        peak_memory_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        stop_reason=facts.stop_reason.value,
        violations=tuple(
            _explained(explain_run(model, system, violation.path, violation.code))
            for violation in outcome.violations
        ),
        violation_count=facts.violation_count,
        options=request.as_json(),
        semantics={"language": "Python class"},
        version=__version__,
    )


def replay_handwritten(system: HandwrittenSystem, recorded: Trace) -> Counterexample:
    model = NumberedSystem(system, language_options_of(recorded.options))
    wanted = recorded.counterexample
    for code in codes_at_the_end(model, wanted.positions):
        if is_same_violation(model.violation(code), wanted.violation):
            return explain_run(model, system, wanted.positions, code)
    raise TraceProblem(f"the run no longer ends in: {wanted.violation.message}; verify the program again")


def codes_at_the_end(model: NumberedSystem, positions: Sequence[int]) -> set[int]:
    """The violations that hold after a run; raises `TraceProblem` when the run does not exist."""
    state, code = model.initial_state()
    codes = {code} - {0}
    for index, position in enumerate(positions):
        successors = model.successors(state)
        if position >= len(successors):
            raise TraceProblem(f"the trace does not replay (at step {index + 1}); verify the program again")
        after, code = successors[position]
        codes = {code} - {0}
        if after is None:
            if index + 1 < len(positions):
                raise TraceProblem(f"the trace goes on after the error in step {index + 1}")
            return codes
        codes |= {model.check_step(state, after)} - {0}
        state = after
    codes |= {model.check_state(state)} - {0}
    if not model.successors(state) and not model.is_valid_end(state):
        codes.add(0)
    return codes


def explain_run(
    model: NumberedSystem, system: HandwrittenSystem, positions: Sequence[int], code: int
) -> Counterexample:
    """A run in the words of the class: one action, one step."""
    state, _ = model.initial_state()
    remaining = list(positions)
    if model.has_root and remaining:
        first, _ = model.successors(state)[remaining.pop(0)]
        assert first is not None
        state = first
    file, line = system.place()
    initial = {} if state == ROOT else plain_values(model.variables(state))
    variables = initial
    steps = []
    for number, position in enumerate(remaining, start=1):
        text = system.describe(model.actions(state)[position])
        after, _ = model.successors(state)[position]
        state = state if after is None else after
        now = plain_values(model.variables(state))
        transition = number - 1 + (1 if model.has_root else 0)
        steps.append(
            Step(
                number,
                transition,
                type(system.system).__name__,
                file,
                line,
                text,
                changes_between(variables, now),
            )
        )
        variables = now
    waiting = (Waiting(type(system.system).__name__, file, line, "an enabled action"),) if code == 0 else ()
    return Counterexample(
        violation=model.violation(code),
        positions=tuple(positions),
        initial=initial,
        steps=tuple(steps),
        waiting=waiting,
    )


def plain_values(variables: Mapping[str, object]) -> dict[str, object]:
    return {name: plain_value(value) for name, value in variables.items()}


def plain_value(value: object) -> object:
    """A value as a trace file can keep it: sets in a fixed order, None by its name."""
    match value:
        case bool() | int() | str():
            return value
        case list() | tuple():
            return [plain_value(part) for part in value]
        case dict():
            return {str(name): plain_value(part) for name, part in value.items()}
        case set() | frozenset():
            return sorted((plain_value(part) for part in value), key=repr)
    return repr(value)


def _explained(run: Counterexample) -> Violation:
    facts = run.violation
    return Violation(kind=facts.kind, message=facts.message, counterexample=run)
