"""A run of the symbolic form as a run of the program itself: positions in its lists of successors.

Nothing that is found in a form is told before the program has done it. What the form does in several steps
(a sequence that nobody interrupts) the program does in one, so only the visible states are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.execution.expanding import expand
from assay.execution.model_process import EngineFailure, ModelProcess
from assay.execution.replaying import replay
from assay.search.native import NativeViolation
from assay.transition_system.interface import Program, ViolationFacts
from assay.transition_system.symbolic import State, SymbolicModel, SymbolicSystem


def followed(
    program: Program,
    system: SymbolicSystem,
    states: Sequence[State],
    code: int,
    process: ModelProcess,
) -> NativeViolation:
    """`code` is one of `SymbolicModel`; 0 is a deadlock. Raises `EngineFailure` if the program has no such
    run."""
    facts = SymbolicModel(system).facts.get(code)
    first = len(system.controls)
    visible = [state for state in states if system.is_visible(state[:first])]
    positions: list[int] = []
    current: bytes | None = None
    for wanted in visible[1:]:
        expanded = expand(program.opening, current, process)
        words = program if expanded.descriptions is None else program.knowing(expanded.descriptions)
        position = next(
            (
                number
                for number, (after, _) in enumerate(expanded.successors)
                if after is not None and is_same(words.symbolic_state(system, after), wanted)
            ),
            None,
        )
        if position is None:
            raise EngineFailure(
                f"the program has no step that its symbolic form has, to {system.values_text(wanted)}"
            )
        positions.append(position)
        current = expanded.successors[position][0]
    if _fails_in_a_step(system, facts, states[-1]):
        expanded = expand(program.opening, current, process)
        words = program if expanded.descriptions is None else program.knowing(expanded.descriptions)
        positions.append(_failing(words, expanded.successors, facts))
    run = replay(program.opening, positions, process=process)
    if run.failed_at is not None or not run.codes:
        raise EngineFailure("a run of the symbolic form does not fail in the program itself")
    return NativeViolation(_code(program, run.codes, facts), tuple(positions), run.run)


def states_of(system: SymbolicSystem, positions: Sequence[int]) -> list[State]:
    """The run that goes by these positions, as far as it has states."""
    model = SymbolicModel(system)
    states = [model.initial_state()[0]]
    for position in positions:
        after, _ = model.successors(states[-1])[position]
        if after is None:
            break
        states.append(after)
    return states


def is_same(found: Sequence[int | None], wanted: State) -> bool:
    return all(a is None or a == b for a, b in zip(found, wanted, strict=True))


def _fails_in_a_step(system: SymbolicSystem, facts: ViolationFacts | None, last: State) -> bool:
    return facts is not None and any(
        failure.is_step
        for failure in system.failures_at(last[: len(system.controls)])
        if failure.facts == facts
    )


def _failing(
    program: Program, successors: Sequence[tuple[bytes | None, int]], facts: ViolationFacts | None
) -> int:
    failing = [number for number, (_, code) in enumerate(successors) if code]
    if not failing:
        raise EngineFailure("the program does not fail where its symbolic form does")
    for number in failing:
        found = program.describe_violation(successors[number][1])
        if facts is not None and (found.message, found.line) == (facts.message, facts.line):
            return number
    return failing[0]


def _code(program: Program, codes: frozenset[int], facts: ViolationFacts | None) -> int:
    if facts is None:
        return 0 if 0 in codes else min(codes)
    for code in sorted(codes):
        if code and program.describe_violation(code).message == facts.message:
            return code
    return max(codes)
