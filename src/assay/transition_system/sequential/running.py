"""Runs a graph, one edge after the other: the readable meaning of control flow, and what proofs and compiled
programs are compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import (
    Array,
    ArrayValue,
    Boolean,
    Sort,
    Term,
    Value,
    evaluated,
)
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge


@dataclass(frozen=True, slots=True)
class Moment:
    """After an edge; `chosen` is what it chose, if it did."""

    edge: Edge
    location: int
    values: dict[Term, Value]
    chosen: Value | None


def default(sort: Sort) -> Value:
    if isinstance(sort, Array):
        return ArrayValue(0, {})
    assert not isinstance(sort, Boolean)
    return 0


def run(flow: ControlFlow, choose: Callable[[Edge], Value], starts: dict[Term, Value]) -> Iterator[Moment]:
    """Until nothing is possible or a failure is reached. `starts`: of variables without a value."""
    values: dict[Term, Value] = {one: starts.get(one, default(one.sort)) for one in flow.variables}
    for name, initial in flow.initial_values.items():
        values[name] = evaluated(initial, {})
    location = flow.entry
    while location not in flow.failures:
        for edge in flow.outgoing[location]:
            action = edge.action
            if isinstance(action, Assume) and not evaluated(action.condition, values):
                continue
            chosen: Value | None = None
            if isinstance(action, Assign):
                values = {**values, **{name: evaluated(value, values) for name, value in action.values}}
            elif isinstance(action, Choose):
                chosen = choose(edge)
                values = {**values, action.variable: chosen}
            location = edge.target
            yield Moment(edge, location, values, chosen)
            break
        else:
            return
