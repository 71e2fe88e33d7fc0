"""A round of predicate abstraction as others are told of it: the boolean program, and what was found in it.

It comes from another process, as JSON; whoever shows it has the same graph, so edges are numbers.

States are counted where statements begin, because that is what a reader counts: a statement of C is many
edges, and a rule that is woven in is part of the call it watches. A statement that does nothing to the
predicates is passed over, and so is a branch whose sides come together before anything happens.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from assay.records import dataclass
from assay.search.sequential.boolean_program import BooleanProgram, Dnf, Statement, Update
from assay.search.sequential.boolean_reachability import MOST_STATES, by_source, first_states, states_after
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.control_flow import Choose, ControlFlow, Edge

COUNTING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Round:
    """`trace`: the edges of the error trace; None: nothing fails. `is_feasible`: whether the program itself
    can take it. `new`: the predicates that rule it out."""

    program: BooleanProgram
    trace: tuple[int, ...] | None
    is_feasible: bool | None = None
    new: tuple[str, ...] = ()


def as_json(one: Round) -> dict[str, Any]:
    program = one.program
    return {
        "predicates": term_file.dump(program.predicates),
        "statements": {
            str(number): [statement.impossible, [[u.predicate, u.yes, u.no] for u in statement.updates]]
            for number, statement in enumerate(program.statements)
            if statement.impossible or statement.updates
        },
        "initial": program.initial,
        "inconsistent": program.inconsistent,
        "trace": one.trace,
        "is_feasible": one.is_feasible,
        "new": one.new,
    }


def from_json(given: Mapping[str, Any], flow: ControlFlow) -> Round:
    names = {one.name: one for one in flow.variables}
    statements = []
    for number, edge in enumerate(flow.edges):
        impossible, updates = given["statements"].get(str(number), [[], []])
        made = tuple(Update(at, _dnf(yes), _dnf(no)) for at, yes, no in updates)
        statements.append(Statement(edge, _dnf(impossible), made))
    trace = given["trace"]
    return Round(
        BooleanProgram(
            flow,
            tuple(term_file.load(given["predicates"], names)),
            tuple(statements),
            tuple(given["initial"]),
            _dnf(given["inconsistent"]),
        ),
        None if trace is None else tuple(trace),
        given["is_feasible"],
        tuple(given["new"]),
    )


def _dnf(given: Any) -> Dnf:
    return tuple(tuple((int(at), bool(value)) for at, value in cube) for cube in given)


# --- counting ---


def beginnings(program: BooleanProgram, files: Collection[str]) -> frozenset[int]:
    """Where the statements begin that do something. What is called in other files than these is part of the
    statement that calls it."""
    flow = program.flow
    kept: set[int] = set()
    for number, statement in enumerate(program.statements):
        edge = flow.edges[number]
        if edge.place.file in files and _does_something(statement, flow) and not _only_declares(edge):
            kept.add(edge.source)
    for edge in flow.edges:
        if edge.place.file in files and _leads_into_something(program, edge, files):
            kept.add(edge.source)
    while True:  # branches that decide which of those comes next (Danicic et al. 2011)
        following = _first_kept(flow, kept)
        branches = {
            location
            for location in range(flow.locations)
            if location not in kept
            and len(flow.outgoing[location]) > 1
            and len(set().union(*(following(edge.target) for edge in flow.outgoing[location]))) > 1
            and all(edge.place.file in files for edge in flow.outgoing[location])
        }
        if not branches:
            return frozenset(kept)
        # The last branch on a way first: it may be all that those before it lead to.
        last = {one for one in branches if not (_reached_before(flow, one, kept) & branches)}
        kept |= last or branches


def _does_something(statement: Statement, flow: ControlFlow) -> bool:
    return bool(statement.updates or statement.impossible) or statement.edge.target in flow.failures


def _only_declares(edge: Edge) -> bool:
    return isinstance(edge.action, Choose) and not edge.action.is_input


def _leads_into_something(program: BooleanProgram, edge: Edge, files: Collection[str]) -> bool:
    """Whether the edge calls what is elsewhere and does something there."""
    flow = program.flow
    numbers: dict[int, list[int]] = {}
    for number, one in enumerate(flow.edges):
        numbers.setdefault(one.source, []).append(number)
    seen, waiting = {edge.target}, [edge.target]
    while waiting:
        for number in numbers.get(waiting.pop(), ()):
            inner = flow.edges[number]
            if inner.place.file in files:
                continue
            if _does_something(program.statements[number], flow):
                return True
            if inner.target not in seen:
                seen.add(inner.target)
                waiting.append(inner.target)
    return False


def _first_kept(flow: ControlFlow, kept: set[int]) -> Any:
    """Of a location, the kept ones and failures that come first from there."""
    found: list[set[int]] = [
        {one} if one in kept or one in flow.failures else set() for one in range(flow.locations)
    ]
    waiting = [one for one in range(flow.locations) if found[one]]
    while waiting:
        location = waiting.pop()
        for edge in flow.incoming[location]:
            if edge.source not in kept and not found[location] <= found[edge.source]:
                found[edge.source] |= found[location]
                waiting.append(edge.source)
    return found.__getitem__


def _reached_before(flow: ControlFlow, start: int, kept: set[int]) -> set[int]:
    """Locations after this one and before any kept one."""
    seen: set[int] = set()
    waiting = [edge.target for edge in flow.outgoing[start]]
    while waiting:
        location = waiting.pop()
        if location in seen or location in kept or location in flow.failures:
            continue
        seen.add(location)
        waiting += [edge.target for edge in flow.outgoing[location]]
    return seen - {start}


def counted(program: BooleanProgram, at: Collection[int]) -> dict[int, int] | None:
    """How many states there are at each of these locations, breadth first from one to the next; up to the
    step in which something fails. None: too many to count."""
    outgoing = by_source(program)
    width = len(program.predicates)
    deadline = time.monotonic() + COUNTING_SECONDS
    seen: set[tuple[int, int]] = set()

    def following(states: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], bool]:
        found: list[tuple[int, int]] = []
        passed, waiting, fails = set(states), list(states), False
        while waiting:
            location, values = waiting.pop()
            for statement in outgoing.get(location, ()):
                target = statement.edge.target
                for after in states_after(statement, values, width, program.inconsistent):
                    if target in program.flow.failures:
                        fails = True
                    elif target in at:
                        found.append((target, after))
                    elif (target, after) not in passed:
                        passed.add((target, after))
                        waiting.append((target, after))
            if len(passed) > MOST_STATES or time.monotonic() > deadline:
                raise TimeoutError
        return found, fails

    try:
        first = [(program.flow.entry, values) for values in first_states(program)]
        level, fails = (first, False) if program.flow.entry in at else following(first)
        while level and not fails:
            new = [one for one in dict.fromkeys(level) if one not in seen]
            seen.update(new)
            level, fails = following(new)
    except TimeoutError:
        return None
    counts = dict.fromkeys(at, 0)
    for location, _ in seen:
        counts[location] += 1
    return counts
