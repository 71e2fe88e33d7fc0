"""A graph without cycles in which each loop has copies of its own (Clarke, Kroening and Lerda 2004).

`unrolling` counts how often a run passes any cut point, so runs that are in different rounds of different
loops meet, and nothing is known of their counters. Here a copy of a location is known by the rounds of each
loop around it: a run that leaves a loop forgets its rounds, and one that enters it begins again. So the
counter of a `for` loop is a number in every copy, and what numbers decide is decided while copies are made.

Loops are those of a nesting forest (Bourdoncle 1993): the first cut point of a strongly connected part is its
head, and what is connected without the head are the loops inside of it.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping

from assay.automata.automaton import components
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import FALSE, Substitution, Term, variables_of
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Choose,
    ControlFlow,
    Edge,
    Failure,
)

MOST_EDGES = 400_000

Known = Mapping[Term, Term]  # variables that hold the same on all ways to a copy: terms without variables
Key = tuple[int, ...]  # of a copy: where its outermost loop stands, its round, and so on to the location


@dataclass(frozen=True, slots=True)
class Unwound:
    """`longest`: how many cut points the longest way passes; `goes_on`: whether some way is cut off."""

    flow: ControlFlow
    longest: int
    goes_on: bool


@dataclass(frozen=True, slots=True)
class _Nesting:
    heads: tuple[int, ...]  # of the loops around a location, from outside
    order: tuple[int, ...]  # where each of them stands among what is beside it, and then the location


def unwound(
    flow: ControlFlow, rounds: int, cut_points: Collection[int], *, most_edges: int = MOST_EDGES
) -> Unwound:
    """A run that begins more than so many rounds of a loop fails. Locations are numbered so that edges lead
    from smaller to larger ones. Raises UnsupportedConstruct where there would be too many."""
    nesting = _forest(flow, cut_points)
    place = next((edge.place for edge in flow.edges if edge.target in cut_points), None)
    numbers: dict[Key, int] = {}
    first_rounds = (0,) * len(nesting[flow.entry].heads)
    first = _key(nesting[flow.entry], first_rounds)
    where: dict[Key, tuple[int, tuple[int, ...]]] = {first: (flow.entry, first_rounds)}
    arriving: dict[Key, list[Known]] = {first: [flow.initial_values]}
    passed = {first: 0}
    waiting = [first]
    copied: list[tuple[int, Key | None, Edge]] = []
    failures: dict[int, Failure] = {}
    goes_on = False
    while waiting:
        key = heapq.heappop(waiting)
        location, counts = where.pop(key)
        number = numbers[key] = len(numbers)
        if location in flow.failures:
            failures[number] = flow.failures[location]
        known = _common(arriving.pop(key))
        here = nesting[location]
        for edge in flow.outgoing[location]:
            after = _after(edge, known)
            if after is None:
                continue
            there = nesting[edge.target]
            own = tuple(
                counts[at] if at < len(here.heads) and here.heads[at] == head else 0
                for at, head in enumerate(there.heads)
            )
            if edge.target in there.heads and edge.target in here.heads:
                own = (*own[:-1], own[-1] + 1)  # a head is in its own loop, the innermost around it
                if own[-1] > rounds:
                    copied.append((number, None, edge))
                    goes_on = True
                    continue
            target = _key(there, own)
            if target not in where:
                where[target] = edge.target, own
                passed[target] = 0
                arriving[target] = []
                heapq.heappush(waiting, target)
            arriving[target].append(after)
            passed[target] = max(passed[target], passed[key] + (edge.target in cut_points))
            copied.append((number, target, edge))
        if len(copied) > most_edges:
            raise UnsupportedConstruct(f"more than {most_edges} edges when loops are unwound {rounds} times")
    beyond = len(numbers)
    if place is not None:
        failures[beyond] = Failure("unwinding", f"a loop goes on after {rounds} rounds", place)
    edges = tuple(
        Edge(source, beyond if target is None else numbers[target], edge.action, edge.place, edge.text)
        for source, target, edge in copied
    )
    whole = ControlFlow(0, beyond + 1, edges, failures, flow.variables, flow.initial_values, flow.notes)
    return Unwound(whole, max(passed.values()), goes_on)


def _key(nesting: _Nesting, counts: tuple[int, ...]) -> Key:
    """In the order of keys every copy comes after all that lead to it."""
    found: list[int] = []
    for at, count in enumerate(counts):
        found += (nesting.order[at], count)
    return (*found, nesting.order[-1])


def _common(given: list[Known]) -> dict[Term, Term]:
    first, *others = given
    if not others:
        return dict(first)
    return {name: value for name, value in first.items() if all(one.get(name) is value for one in others)}


def _after(edge: Edge, known: dict[Term, Term]) -> Known | None:
    """What is known after an edge; None if it cannot be taken."""
    action = edge.action
    if isinstance(action, Choose):
        return {name: value for name, value in known.items() if name is not action.variable}
    now = Substitution(known)
    if isinstance(action, Assume):
        return None if now(action.condition) is FALSE else known
    assert isinstance(action, Assign)
    values = {name: now(value) for name, value in action.values}
    closed = {name: value for name, value in values.items() if not variables_of(value)}
    return {name: value for name, value in known.items() if name not in values} | closed


# --- loops ---


def _forest(flow: ControlFlow, cut_points: Collection[int]) -> dict[int, _Nesting]:
    found: dict[int, _Nesting] = {}
    targets = [[edge.target for edge in edges] for edges in flow.outgoing]
    walked = _walked(flow)
    place = {location: number for number, location in enumerate(walked)}
    waiting: list[tuple[Collection[int], tuple[int, ...], tuple[int, ...]]] = [(walked, (), ())]
    while waiting:
        inside, heads, order = waiting.pop()
        parts = reversed(components(targets, inside))  # each before those to which edges lead from it
        for position, part in enumerate(parts, start=1):  # 0 is the head's
            only = part[0]
            if len(part) == 1 and only not in targets[only]:
                found[only] = _Nesting(heads, (*order, position))
                continue
            head = min((one for one in part if one in cut_points), key=place.__getitem__)
            found[head] = _Nesting((*heads, head), (*order, position, 0))
            inner = [one for one in part if one != head]
            waiting.append((inner, (*heads, head), (*order, position)))
    return found


def _walked(flow: ControlFlow) -> list[int]:
    """All locations in the order of a walk from the entry: the head of a loop before what is inside."""
    found = dict.fromkeys([flow.entry])
    waiting = [flow.entry]
    for location in waiting:
        for edge in flow.outgoing[location]:
            if edge.target not in found:
                found[edge.target] = None
                waiting.append(edge.target)
    return [*found, *(one for one in range(flow.locations) if one not in found)]
