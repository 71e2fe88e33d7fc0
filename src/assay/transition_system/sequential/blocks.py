"""Large blocks: everything between two cut points as one formula (Beyer et al. 2009, large-block encoding).

A block goes from a cut point (the entry counts as one) to a cut point or a failure, along all paths in
between at once. Where paths meet, what a variable holds is an `ite` over the conditions of the paths, so a
block is as large as the text and not as the number of paths. This is the strongest postcondition; whoever
checks a proof uses the weakest precondition, so that a mistake in one is no mistake in the other.

    condition    over the variables at the source and the choices on the way
    values       what each variable that is set holds at the target, over the same

A choice is a variable of its own for each edge that chooses; in one pass through a block none is met twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import (
    FALSE,
    TRUE,
    Substitution,
    Term,
    all_of,
    any_of,
    ite,
    variable,
)
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Call,
    Choose,
    ControlFlow,
    Edge,
)
from assay.transition_system.sequential.liveness import live_variables


@dataclass(frozen=True, slots=True)
class Block:
    source: int
    target: int
    condition: Term
    values: Mapping[Term, Term]


@dataclass(frozen=True, slots=True)
class _Arrival:
    condition: Term
    values: Mapping[Term, Term]


def blocks(
    flow: ControlFlow,
    cut_points: Iterable[int] | None = None,
    live: Sequence[frozenset[Term]] | None = None,
) -> tuple[Block, ...]:
    """All blocks that may be taken at all, in the order of their sources; with the graph's own cut points
    unless others are given, and with the values of those variables only that are live where a block ends, if
    that is given."""
    cuts = set(flow.cut_points if cut_points is None else cut_points)
    order = _topological(flow, cuts)
    found: list[Block] = []
    for source in sorted(cuts | {flow.entry}):
        found += blocks_from(flow, source, cuts, order, live)
    return tuple(found)


def live_blocks(flow: ControlFlow) -> tuple[Block, ...]:
    """For whoever speaks of live variables alone: a block is as large as what matters after it."""
    return blocks(flow, live=live_variables(flow))


def choice_of(edge: Edge, position: int) -> Term:
    """What an edge chooses; `position` is that of the edge in the graph."""
    assert isinstance(edge.action, Choose)
    return variable(f"choice!{position}!{edge.action.variable.name}", edge.action.variable.sort)


def blocks_from(
    flow: ControlFlow,
    source: int,
    cuts: set[int],
    order: Mapping[int, int],
    live: Sequence[frozenset[Term]] | None,
) -> list[Block]:
    positions = {id(edge): position for position, edge in enumerate(flow.edges)}
    arrivals: dict[int, list[_Arrival]] = {}
    pending: list[tuple[int, int]] = []  # a heap of locations, in the order of the graph

    def leave(location: int, here: _Arrival) -> None:
        for edge in flow.outgoing[location]:
            there = _after(edge, here, positions[id(edge)])
            if there.condition is FALSE:
                continue
            goes_on = edge.target not in cuts and edge.target not in flow.failures
            if goes_on and edge.target not in arrivals:
                heappush(pending, (order[edge.target], edge.target))
            arrivals.setdefault(edge.target, []).append(there)

    leave(source, _Arrival(TRUE, {}))
    while pending:
        location = heappop(pending)[1]
        leave(location, merged(arrivals.pop(location), None if live is None else live[location]))
    ends = {
        target: merged(arrivals[target], None if live is None else live[target])
        for target in sorted(arrivals)
    }
    return [Block(source, target, end.condition, end.values) for target, end in ends.items()]


def merged(arrivals: list[_Arrival], live: frozenset[Term] | None) -> _Arrival:
    first, *others = arrivals
    values = {one: value for one, value in first.values.items() if live is None or one in live}
    for other in others:
        for name in {**values, **other.values}:
            if live is not None and name not in live:
                continue
            values[name] = ite(other.condition, other.values.get(name, name), values.get(name, name))
    return _Arrival(any_of(one.condition for one in arrivals), values)


def _after(edge: Edge, before: _Arrival, position: int) -> _Arrival:
    action = edge.action
    assert not isinstance(action, Call), "calls are inlined first"
    if isinstance(action, Choose):
        return _Arrival(before.condition, {**before.values, action.variable: choice_of(edge, position)})
    substitution = Substitution(before.values)
    if isinstance(action, Assume):
        return _Arrival(all_of((before.condition, substitution(action.condition))), before.values)
    assert isinstance(action, Assign)
    set_here = {name: substitution(value) for name, value in action.values}
    return _Arrival(before.condition, {**before.values, **set_here})


def _topological(flow: ControlFlow, cuts: set[int]) -> dict[int, int]:
    """An order of the locations in which edges that enter no cut point go forward."""
    degree = [0] * flow.locations
    for edge in flow.edges:
        if edge.target not in cuts:
            degree[edge.target] += 1
    order: dict[int, int] = {}
    ready = sorted((one for one in range(flow.locations) if degree[one] == 0 or one in cuts), reverse=True)
    while ready:
        location = ready.pop()
        order[location] = len(order)
        for edge in flow.outgoing[location]:
            if edge.target in cuts:
                continue
            degree[edge.target] -= 1
            if degree[edge.target] == 0:
                ready.append(edge.target)
    if len(order) != flow.locations:
        raise ValueError("these locations do not cut every cycle")
    return order
