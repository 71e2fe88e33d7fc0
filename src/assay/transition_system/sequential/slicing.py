"""What a failure depends on (Weiser 1981), and nothing else.

`failing_part` leaves out edges after which no failure can be reached: whoever takes one is safe. It is
plain reachability, and everybody who speaks of a program speaks of this part.

`sliced` also leaves out assignments to variables that no test on the way to a failure depends on,
directly or through others. Engines get the slice, since less is to be guessed then. Nobody believes it:
locations and choices are those of the whole, so an invariant that was found for the slice is checked for
the whole, and so is a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.transition_system.sequential.bitvectors import TRUE, Term, variables_of
from assay.transition_system.sequential.control_flow import Assign, Assume, ControlFlow, Edge


def failing_part(flow: ControlFlow) -> ControlFlow:
    """With the same locations."""
    leads = set(flow.failures)
    waiting = list(flow.failures)
    while waiting:
        for edge in flow.incoming[waiting.pop()]:
            if edge.source not in leads:
                leads.add(edge.source)
                waiting.append(edge.source)
    return replace(flow, edges=tuple(edge for edge in flow.edges if edge.target in leads))


def relevant(flow: ControlFlow) -> set[Term]:
    """Variables on which a test depends."""
    found: set[Term] = set()
    for edge in flow.edges:
        if isinstance(edge.action, Assume):
            found |= variables_of(edge.action.condition)
    assigned: dict[Term, list[Term]] = {}
    for edge in flow.edges:
        if isinstance(edge.action, Assign):
            for name, value in edge.action.values:
                assigned.setdefault(name, []).append(value)
    waiting = list(found)
    while waiting:
        for value in assigned.get(waiting.pop(), ()):
            new = variables_of(value) - found
            found |= new
            waiting += new
    return found


def sliced(flow: ControlFlow) -> ControlFlow:
    """With the same locations and the same choices."""
    kept = relevant(flow)
    return replace(flow, edges=tuple(_sliced(flow, kept)))


def _sliced(flow: ControlFlow, kept: set[Term]) -> Iterator[Edge]:
    for edge in flow.edges:
        if not isinstance(edge.action, Assign):
            yield edge
            continue
        values = tuple((name, value) for name, value in edge.action.values if name in kept)
        yield replace(edge, action=Assign(values) if values else Assume(TRUE))
