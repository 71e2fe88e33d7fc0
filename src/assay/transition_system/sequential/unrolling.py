"""Graphs without cycles: copies of a program, one for each time that a run passes a cut point.

`unrolled`       a run that would pass one more cut point fails. If nothing fails in it, no run of the program
                 passes cut points more often and none fails: a proof, with no invariant but the bound
                 (Clarke et al. 2004, unwinding assertions).
`first_rounds`   a run that would pass one more cut point ends: the base case of an induction over rounds.
`rounds_from`    begins at a cut point in any state of which its invariant holds, passes so many cut points
                 where their invariants hold, and fails only after that: the step (Sheeran et al. 2000).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import TRUE, Term
from assay.transition_system.sequential.control_flow import Assume, ControlFlow, Edge, Failure, reachable

MOST_EDGES = 2_000_000


def unrolled(flow: ControlFlow, bound: int, cut_points: Collection[int] | None = None) -> ControlFlow:
    """`bound`: how many times a run may pass cut points, which are in every cycle."""
    cut_points = flow.cut_points if cut_points is None else cut_points
    place = next((edge.place for edge in flow.edges if edge.target in cut_points), None)
    beyond = None
    if place is not None:
        beyond = Failure("unwinding", f"a loop goes on after {bound} rounds", place)
    return _copies(flow, cut_points, bound, beyond=beyond)


def first_rounds(flow: ControlFlow, cut_points: Collection[int], rounds: int) -> ControlFlow:
    return _copies(flow, cut_points, rounds)


def rounds_from(flow: ControlFlow, at: int, invariants: Mapping[int, Term], rounds: int) -> ControlFlow:
    return _copies(flow, invariants, rounds, start=at, assumed=invariants)


def _copies(
    flow: ControlFlow,
    cut_points: Collection[int],
    rounds: int,
    *,
    beyond: Failure | None = None,
    start: int | None = None,
    assumed: Mapping[int, Term] | None = None,
) -> ControlFlow:
    """With `start` and `assumed`, only the last copy fails, and a run enters each through what is assumed
    of the cut point."""
    if (rounds + 1) * len(flow.edges) > MOST_EDGES:
        raise UnsupportedConstruct(f"more than {MOST_EDGES} edges when loops are unrolled {rounds} times")
    size = flow.locations
    gates = size * (rounds + 1)  # of the cut point p before copy n: gates + n * size + p
    after = gates + size * (rounds + 2)
    edges: list[Edge] = []
    failures: dict[int, Failure] = {} if beyond is None else {after: beyond}
    for copy in range(rounds + 1):
        first = copy * size
        if assumed is None or copy == rounds:
            failures |= {first + at: failure for at, failure in flow.failures.items()}
        for edge in flow.edges:
            target = first + edge.target
            if edge.target in cut_points:
                target = after if copy == rounds else gates + target + size
            edges.append(Edge(first + edge.source, target, edge.action, edge.place, edge.text))
    places = {edge.target: edge.place for edge in flow.edges}
    for copy in range(rounds + 1):
        for at in sorted(cut_points):
            if at in places:
                condition = TRUE if assumed is None else assumed[at]
                target = copy * size + at
                edges.append(Edge(gates + target, target, Assume(condition), places[at]))
    entry = flow.entry if start is None else gates + start
    initial = flow.initial_values if start is None else {}
    whole = ControlFlow(entry, after + 1, tuple(edges), failures, flow.variables, initial, flow.notes)
    return reachable(whole)
