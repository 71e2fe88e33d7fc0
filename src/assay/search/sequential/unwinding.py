"""Bounded model checking with copies for each loop (Clarke, Kroening and Lerda 2004).

All runs are followed at once through a graph in which each loop is unwound so many times: what variables
hold is a term over the choices made so far, and where ways meet it is an `ite`. One question says whether
something fails, another whether a loop goes on; if one does, loops are unwound twice as often. Best where
loops end by themselves and lie inside of each other: `bounded`, which counts the rounds of all loops at once,
finds the shortest failures and goes on where a loop has no end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.records import dataclass
from assay.search.sequential.findings import Choices, Finding, Status
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import (
    FALSE,
    TRUE,
    Substitution,
    Term,
    Value,
    all_of,
    any_of,
    ite,
    variable,
)
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge
from assay.transition_system.sequential.liveness import live_variables
from assay.transition_system.sequential.running import default, run
from assay.transition_system.sequential.unwinding import Unwound, unwound

NAME = "unwinding"
FIRST_ROUNDS = 4
MOST_EDGES = 60_000


@dataclass(frozen=True, slots=True)
class Reached:
    condition: Term
    values: Mapping[Term, Term]


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None]) -> Finding:
    rounds = FIRST_ROUNDS
    while True:
        say(f"{rounds} rounds of each loop")
        try:
            copies = unwound(flow, rounds, flow.cut_points, most_edges=MOST_EDGES)
        except UnsupportedConstruct as problem:
            return Finding(NAME, Status.UNKNOWN, str(problem))
        try:
            found = _looked_at(copies, rounds, deadline)
        except TimeoutError:
            return Finding(NAME, Status.UNKNOWN, f"out of time with {rounds} rounds of each loop")
        if found is not None:
            return found
        rounds *= 2


def _looked_at(copies: Unwound, rounds: int, deadline: float) -> Finding | None:
    """None: a loop goes on."""
    flow, prover = copies.flow, Prover()
    reached = _followed(flow, deadline)
    failing = {at: one.condition for at, one in reached.items() if at in flow.failures}
    beyond = failing.pop(flow.locations - 1, FALSE)
    model = prover.model(any_of(failing.values()), deadline - time.monotonic())
    if model is not None:
        return Finding(NAME, Status.UNSAFE, run=_run_of(flow, model))
    if prover.model(beyond, deadline - time.monotonic()) is not None:
        return None
    detail = f"no loop has more than {rounds} rounds"
    return Finding(NAME, Status.SAFE, detail, bound=copies.longest, unwound=rounds)


def _followed(flow: ControlFlow, deadline: float) -> dict[int, Reached]:
    """What holds at each location, over choices; edges lead from smaller to larger ones."""
    live = live_variables(flow, {})
    arriving: dict[int, list[Reached]] = {flow.entry: [Reached(TRUE, dict(flow.initial_values))]}
    found: dict[int, Reached] = {}
    for location in range(flow.locations):
        given = arriving.pop(location, [])
        if not given:
            continue
        if time.monotonic() > deadline:
            raise TimeoutError
        here = found[location] = _merged(given, live[location])
        for number, edge in enumerate(flow.outgoing[location]):
            action = edge.action
            now = Substitution(here.values)
            condition, values = here.condition, here.values
            if isinstance(action, Assume):
                condition = all_of((condition, now(action.condition)))
            elif isinstance(action, Assign):
                values = {**values, **{name: now(value) for name, value in action.values}}
            elif isinstance(action, Choose):
                values = {**values, action.variable: _choice(edge, number)}
            if condition is not FALSE:
                arriving.setdefault(edge.target, []).append(Reached(condition, values))
    return found


def _choice(edge: Edge, number: int) -> Term:
    assert isinstance(edge.action, Choose)
    return variable(f"choice!{edge.source}.{number}", edge.action.variable.sort)


def _merged(given: list[Reached], live: frozenset[Term]) -> Reached:
    """Of variables that nobody reads any more, nothing."""
    first, *others = given
    values = {name: value for name, value in first.values.items() if name in live}
    for other in others:
        for name in live:
            mine, theirs = values.get(name, name), other.values.get(name, name)
            if mine is not theirs:
                values[name] = ite(other.condition, theirs, mine)
    return Reached(any_of(one.condition for one in given), values)


def _run_of(flow: ControlFlow, model: Mapping[Term, Value]) -> Choices:
    unset = [one for one in flow.variables if one not in flow.initial_values]
    starts = {one: model[one] for one in unset if one in model}
    names = {
        id(edge): _choice(edge, number)
        for edges in flow.outgoing
        for number, edge in enumerate(edges)
        if isinstance(edge.action, Choose)
    }
    chosen: list[Value] = []

    def choose(edge: Edge) -> Value:
        name = names[id(edge)]
        chosen.append(model[name] if name in model else default(name.sort))
        return chosen[-1]

    for _ in run(flow, choose, starts):
        pass
    return Choices(starts, tuple(chosen))
