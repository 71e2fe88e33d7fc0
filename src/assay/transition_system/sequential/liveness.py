"""Which variables matter where: those that are read on some way from there before they are set (Kennedy
1981).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from assay.transition_system.sequential.bitvectors import Term, variables_of
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge

NOTHING: Mapping[int, Iterable[Term]] = MappingProxyType({})


def live_variables(flow: ControlFlow, read: Mapping[int, Iterable[Term]] = NOTHING) -> list[frozenset[Term]]:
    """Of each location; `read` are those that somebody reads there besides."""
    live: list[set[Term]] = [set() for _ in range(flow.locations)]
    for at, names in read.items():
        live[at] |= set(names)
    of = {id(edge): _read_by(edge) for edge in flow.edges}
    waiting = list(range(flow.locations))[::-1]
    queued = set(waiting)
    while waiting:
        location = waiting.pop()
        queued.discard(location)
        before = len(live[location])
        for edge in flow.outgoing[location]:
            live[location] |= _before(edge, live[edge.target], of[id(edge)])
        if len(live[location]) > before:
            for edge in flow.incoming[location]:
                if edge.source not in queued:
                    queued.add(edge.source)
                    waiting.append(edge.source)
    return [frozenset(one) for one in live]


def _read_by(edge: Edge) -> dict[Term | None, set[Term]]:
    """Of what is set, or of None for a test: the variables that are read for it."""
    if isinstance(edge.action, Assume):
        return {None: variables_of(edge.action.condition)}
    if isinstance(edge.action, Assign):
        return {name: variables_of(value) for name, value in edge.action.values}
    assert isinstance(edge.action, Choose)
    return {edge.action.variable: set()}


def _before(edge: Edge, after: set[Term], read: dict[Term | None, set[Term]]) -> set[Term]:
    if isinstance(edge.action, Assume):
        return after | read[None]
    found = after.difference(name for name in read if name is not None)
    for name, used in read.items():
        if name in after:
            found |= used
    return found
