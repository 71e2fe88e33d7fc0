"""A run of a system that is executed in Python, in the words of its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from assay.evidence.counterexample import Counterexample, Step, TraceProblem, changes_between
from assay.transition_system.interface import ViolationFacts, Waiting


class ExecutedSystem(Protocol):
    """A system with its properties and the way back to its words.

    With `has_root`, the initial states are the successors of a state that is not the program's.
    """

    @property
    def has_root(self) -> bool: ...
    @property
    def actor(self) -> str: ...
    def initial_state(self) -> tuple[bytes, int]: ...
    def successors(self, state: bytes) -> Sequence[tuple[bytes | None, int]]: ...
    def is_valid_end(self, state: bytes) -> bool: ...
    def check_state(self, state: bytes) -> int: ...
    def check_step(self, before: bytes, after: bytes) -> int: ...
    def actions(self, key: bytes) -> Sequence[object]: ...
    def variables(self, key: bytes) -> dict[str, object]: ...
    def violation(self, code: int) -> ViolationFacts: ...
    def describe(self, action: object) -> str: ...
    def place(self) -> tuple[str, int]: ...


def state_after(model: ExecutedSystem, positions: Sequence[int]) -> bytes:
    state, _ = model.initial_state()
    for position in positions:
        after, _ = model.successors(state)[position]
        assert after is not None
        state = after
    return state


def codes_at_the_end(model: ExecutedSystem, positions: Sequence[int]) -> set[int]:
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


def explain_run(model: ExecutedSystem, positions: Sequence[int], code: int) -> Counterexample:
    """A run in the words of the class: one action, one step."""
    state, _ = model.initial_state()
    remaining = list(positions)
    if model.has_root and remaining:
        first, _ = model.successors(state)[remaining.pop(0)]
        assert first is not None
        state = first
    file, line = model.place()
    at_the_root = model.has_root and not positions
    initial = {} if at_the_root else plain_values(model.variables(state))
    variables = initial
    steps = []
    for number, position in enumerate(remaining, start=1):
        text = model.describe(model.actions(state)[position])
        after, _ = model.successors(state)[position]
        state = state if after is None else after
        now = plain_values(model.variables(state))
        transition = number - 1 + (1 if model.has_root else 0)
        steps.append(
            Step(
                number,
                transition,
                model.actor,
                file,
                line,
                text,
                changes_between(variables, now),
            )
        )
        variables = now
    waiting = (Waiting(model.actor, file, line, "an enabled action"),) if code == 0 else ()
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
