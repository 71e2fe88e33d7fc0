"""Makes the graph of an automaton small without changing the words that it accepts.

While it is reduced, a graph has its acceptance on edges: an edge carries the sets that it belongs to. A graph
with acceptance on locations is the special case in which all edges of a location carry the same sets.

- Locations from which nothing is accepted go, and those that are not reached.
- Within each component, acceptance sets that others imply go; the sets of different components share numbers.
- Locations that simulate each other directly become one, and an edge goes if other edges of its location do
  the same for more letters, in at least the same sets, to a location that simulates its target (Somenzi and
  Bloem, CAV 2000). Direct simulation keeps acceptance at every step, so both are safe together.
- Acceptance moves to locations without copies of them where each set can be told from the locations on its
  cycles; elsewhere a location is copied for each combination of sets with which it is entered, or left, or
  several sets become one by counting which of them was seen last. What comes out smallest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from assay.automata.automaton import components, cycles, reachable
from assay.records import dataclass

# Above that, simulation would take long; locations with equal edges still merge.
MOST_LOCATIONS_COMPARED = 160
MOST_EDGES_COMPARED = 1_200
MOST_SETS_COPIED = 3  # n sets can need 2^n copies of a location; counting them needs n + 1


class Step(NamedTuple):
    """An edge that carries acceptance."""

    mask: int
    value: int
    marks: int
    target: int


@dataclass(frozen=True)
class Graph:
    sets: int
    start: int
    steps: list[list[Step]]

    def marks_of(self, location: int) -> int:
        """The sets of a location, where acceptance is on locations."""
        marks = {step.marks for step in self.steps[location]}
        assert len(marks) <= 1
        return marks.pop() if marks else 0

    @property
    def everything(self) -> int:
        return (1 << self.sets) - 1

    def targets(self) -> list[list[int]]:
        return [[step.target for step in outgoing] for outgoing in self.steps]

    def cost(self) -> tuple[int, int, int]:
        return len(self.steps), sum(map(len, self.steps)), self.sets


def reduced(graph: Graph) -> Graph:
    """A small graph with acceptance on locations."""
    candidates = []
    for between in (True, False):  # edges between components are never on a cycle: their marks are free
        small = _shrunk(graph, between, on_locations=False)
        located = []
        if small.sets >= 2:
            located.append(_counted(small))
        if small.sets <= MOST_SETS_COPIED:
            located += [_on_locations(small, entered=entered) for entered in (True, False)]
        candidates += [_shrunk(each, between, on_locations=True) for each in located]
    return min(candidates, key=Graph.cost)


def _shrunk(graph: Graph, between: bool, *, on_locations: bool) -> Graph:
    while True:
        before = graph.cost()
        graph = _with_fewer_sets(_useful(graph), between, on_locations=on_locations)
        graph = _without_equal_locations(graph)
        locations, edges, _ = graph.cost()
        if locations <= MOST_LOCATIONS_COMPARED and edges <= MOST_EDGES_COMPARED:
            graph = _without_simulated(graph)
        if graph.cost() == before:
            return _with_fewer_sets(_useful(graph), between, on_locations=on_locations)


def _useful(graph: Graph) -> Graph:
    """Only locations that are reached and from which something is accepted; the start stays in any case."""
    targets = graph.targets()
    reached = reachable(targets, [graph.start])
    useful: set[int] = set()
    for component in components(targets, reached):  # sinks first
        inside = set(component)
        visited = 0
        for location in component:
            for step in graph.steps[location]:
                if step.target in inside:
                    visited |= step.marks
        has_cycle = any(step.target in inside for location in component for step in graph.steps[location])
        leads_on = any(step.target in useful for location in component for step in graph.steps[location])
        if (has_cycle and visited == graph.everything) or leads_on:
            useful |= inside
    kept = [location for location in reached if location in useful or location == graph.start]
    return _renamed(graph, kept, {location: location for location in kept})


def _renamed(graph: Graph, kept: Sequence[int], stands_for: dict[int, int]) -> Graph:
    """The kept locations alone; `stands_for` says which of them takes the place of another."""
    numbers = {location: number for number, location in enumerate(kept)}
    return Graph(
        graph.sets,
        numbers[stands_for[graph.start]],
        [
            list(
                dict.fromkeys(
                    step._replace(target=numbers[stands_for[step.target]])
                    for step in graph.steps[location]
                    if step.target in stands_for
                )
            )
            for location in kept
        ],
    )


# Acceptance.


def _with_fewer_sets(graph: Graph, between: bool, *, on_locations: bool) -> Graph:
    """Each component keeps only sets that its cycles need, as large as they can be. `between` says whether
    edges (or locations) that are on no cycle count as members of every set or of none."""
    targets = graph.targets()
    needed: list[
        list[set[tuple[int, int]]]
    ] = []  # per component with a cycle: sets of (location, edge number)
    insides: list[set[int]] = []
    for component in cycles(targets, range(len(targets))):
        inside = set(component)
        edges = [
            (location, number)
            for location in component
            for number, step in enumerate(graph.steps[location])
            if step.target in inside
        ]
        members = [
            {
                (location, number)
                for location, number in edges
                if graph.steps[location][number].marks >> place & 1
            }
            for place in range(graph.sets)
        ]
        insides.append(inside)
        needed.append(_needed_sets(graph, edges, members, on_locations=on_locations))
    sets = max(map(len, needed), default=0)
    if any(len(found) == 1 and not found[0] for found in needed):
        sets = max(sets, 1)
    everything = (1 << sets) - 1
    marks: dict[tuple[int, int], int] = {}
    for inside, found in zip(insides, needed, strict=True):
        rejecting = len(found) == 1 and not found[0]
        for location in inside:
            for number, step in enumerate(graph.steps[location]):
                if step.target not in inside and not on_locations:
                    continue
                mark = 0 if rejecting else everything
                for place, members_of in enumerate(found):
                    if step.target in inside and (location, number) not in members_of:
                        mark &= ~(1 << place)
                marks[location, number] = mark
    free = everything if between else 0
    steps = [
        [step._replace(marks=marks.get((location, number), free)) for number, step in enumerate(outgoing)]
        for location, outgoing in enumerate(graph.steps)
    ]
    if on_locations:
        for location, outgoing in enumerate(steps):
            inner = [
                step.marks
                for inside in insides
                if location in inside
                for step in outgoing
                if step.target in inside
            ]
            if inner:
                assert len(set(inner)) == 1
                steps[location] = [step._replace(marks=inner[0]) for step in outgoing]
    return Graph(sets, graph.start, steps)


def _needed_sets(
    graph: Graph,
    edges: list[tuple[int, int]],
    members: list[set[tuple[int, int]]],
    *,
    on_locations: bool,
) -> list[set[tuple[int, int]]]:
    """One empty set if no cycle is accepted; none if every cycle is; else the sets that matter."""

    def loops(kept: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
        """The edges within each component that has a cycle, when only some edges are there."""
        inner: dict[int, list[int]] = {location: [] for location, _ in edges}
        chosen = list(kept)
        for location, number in chosen:
            inner[location].append(graph.steps[location][number].target)
        size = len(graph.steps)
        found = cycles([inner.get(location, []) for location in range(size)], inner)
        return [
            [
                (location, number)
                for location, number in chosen
                if location in inside and graph.steps[location][number].target in inside
            ]
            for inside in map(set, found)
        ]

    if any(not member for member in members):
        return [set()]
    kept = list(members)
    for member in members:
        others = [other for other in kept if other is not member]
        # Needless if no cycle that misses it visits all others.
        rest = loops(edge for edge in edges if edge not in member)
        if not any(all(other.intersection(loop) for other in others) for loop in rest):
            kept = others
    larger = []
    for member in kept:
        missing = {edge for loop in loops(edge for edge in edges if edge not in member) for edge in loop}
        if on_locations:
            locations = {location for location, _ in missing}
            larger.append({edge for edge in edges if edge[0] not in locations} | member)
        else:
            larger.append({edge for edge in edges if edge not in missing})
    return sorted(larger, key=sorted)


def _on_locations(graph: Graph, *, entered: bool) -> Graph:
    """Acceptance moves from edges to locations, copied where that cannot be avoided."""
    targets = graph.targets()
    component_of: dict[int, int] = {}
    own_marks = dict.fromkeys(range(len(graph.steps)), 0)
    copied = dict.fromkeys(range(len(graph.steps)), 0)  # sets for which a location is copied
    for number, component in enumerate(components(targets, range(len(targets)))):
        inside = set(component)
        for location in component:
            component_of[location] = number
        edges = [
            (location, step)
            for location in component
            for step in graph.steps[location]
            if step.target in inside
        ]
        for place in range(graph.sets):
            bit = 1 << place
            members = _members(component, edges, bit)
            if members is None:
                for location in component:
                    copied[location] |= bit
            else:
                for location in members:
                    own_marks[location] |= bit
    if entered:
        return _copied_by_entry(graph, component_of, own_marks, copied)
    return _copied_by_exit(graph, component_of, own_marks, copied)


def _counted(graph: Graph) -> Graph:
    """One set instead of several: a location is copied for each number of sets that were seen in turn since
    the last time that all were; the copies that have seen all are the set."""
    component_of: dict[int, int] = {}
    targets = graph.targets()
    for number, component in enumerate(components(targets, range(len(targets)))):
        component_of |= dict.fromkeys(component, number)
    numbers: dict[tuple[int, int], int] = {(graph.start, 0): 0}
    queue = [(graph.start, 0)]
    steps = []
    for location, seen in queue:
        outgoing = []
        for step in graph.steps[location]:
            count = 0
            if component_of[location] == component_of[step.target]:
                count = seen % graph.sets
                while count < graph.sets and step.marks >> count & 1:
                    count += 1
            place = (step.target, count)
            if place not in numbers:
                numbers[place] = len(numbers)
                queue.append(place)
            outgoing.append(Step(step.mask, step.value, int(seen == graph.sets), numbers[place]))
        steps.append(outgoing)
    return Graph(1, 0, steps)


def _members(component: list[int], edges: list[tuple[int, Step]], bit: int) -> set[int] | None:
    """Locations such that a cycle visits one exactly when it has an edge of the set; None if there are
    none."""
    if not edges:
        return set(component)
    leaving = set(component) - {location for location, step in edges if not step.marks & bit}
    entering = set(component) - {step.target for _, step in edges if not step.marks & bit}
    for members in (leaving, entering, leaving | entering):
        graph: dict[int, list[int]] = {location: [] for location in component}
        for location, step in edges:
            if location not in members and step.target not in members:
                graph[location].append(step.target)
        rest = [graph.get(location, []) for location in range(max(component) + 1)]
        missed = cycles(rest, [location for location in component if location not in members])
        touched = any(
            step.marks & bit and location in inside and step.target in inside
            for inside in map(set, missed)
            for location, step in edges
        )
        if not touched:
            return members
    return None


def _copied_by_entry(
    graph: Graph, component_of: dict[int, int], own_marks: dict[int, int], copied: dict[int, int]
) -> Graph:
    """A copy for each combination of sets with which a location is entered within its component."""
    wanted: dict[int, list[int]] = {location: [] for location in range(len(graph.steps))}
    for location, outgoing in enumerate(graph.steps):
        for step in outgoing:
            if component_of[location] == component_of[step.target]:
                marks = step.marks & copied[step.target]
                if marks not in wanted[step.target]:
                    wanted[step.target].append(marks)
    for location, combinations in wanted.items():
        combinations.sort(reverse=True)
        if not combinations:
            combinations.append(copied[location])
    numbers: dict[tuple[int, int], int] = {}
    for location, combinations in wanted.items():
        for marks in combinations:
            numbers[location, marks] = len(numbers)
    steps = []
    for location, marks in numbers:
        own = marks | own_marks[location]
        outgoing = []
        for step in graph.steps[location]:
            inner = component_of[location] == component_of[step.target]
            chosen = step.marks & copied[step.target] if inner else wanted[step.target][0]
            outgoing.append(Step(step.mask, step.value, own, numbers[step.target, chosen]))
        steps.append(outgoing)
    return Graph(graph.sets, numbers[graph.start, wanted[graph.start][0]], steps)


def _copied_by_exit(
    graph: Graph, component_of: dict[int, int], own_marks: dict[int, int], copied: dict[int, int]
) -> Graph:
    """A copy for each combination of sets with which a location is left; whoever enters it guesses. Edges
    that leave the component go with the first copy; the start is a copy of its own if it has several."""
    leaving: dict[int, dict[int, list[Step]]] = {}
    for location, outgoing in enumerate(graph.steps):
        groups: dict[int, list[Step]] = {}
        outside = []
        for step in outgoing:
            if component_of[location] == component_of[step.target]:
                groups.setdefault(step.marks & copied[location], []).append(step)
            else:
                outside.append(step)
        if outside or not groups:
            first = max(groups, default=copied[location])
            groups.setdefault(first, []).extend(outside)
        leaving[location] = dict(sorted(groups.items(), reverse=True))
    numbers: dict[tuple[int, int], int] = {}
    for location, groups in leaving.items():
        for marks in groups:
            numbers[location, marks] = len(numbers)

    def spread(step: Step, own: int) -> list[Step]:
        return [
            Step(step.mask, step.value, own, numbers[step.target, marks]) for marks in leaving[step.target]
        ]

    steps = [
        [copy for step in leaving[location][marks] for copy in spread(step, marks | own_marks[location])]
        for location, marks in numbers
    ]
    start = leaving[graph.start]
    if len(start) == 1:
        return Graph(graph.sets, numbers[graph.start, next(iter(start))], steps)
    steps.append([copy for step in graph.steps[graph.start] for copy in spread(step, 0)])
    return Graph(graph.sets, len(steps) - 1, steps)


# Simulation.


def _without_equal_locations(graph: Graph) -> Graph:
    while True:
        first: dict[tuple[Step, ...], int] = {}
        stands_for: dict[int, int] = {}
        for location, outgoing in enumerate(graph.steps):
            # A loop at the location itself is equal to a loop at the other.
            key = tuple(
                sorted(step._replace(target=-1) if step.target == location else step for step in outgoing)
            )
            stands_for[location] = first.setdefault(key, location)
        if len(first) == len(graph.steps):
            return graph
        graph = _renamed(graph, list(first.values()), stands_for)


def _without_simulated(graph: Graph) -> Graph:
    simulators = _simulation(graph)
    stands_for: dict[int, int] = {}
    for location in range(len(graph.steps)):
        for other in range(location + 1):
            if simulators[location] >> other & 1 and simulators[other] >> location & 1:
                stands_for[location] = stands_for.get(other, other)
                break
    kept = sorted(set(stands_for.values()))
    merged = _renamed(graph, kept, stands_for)
    small = [
        sum(1 << new for new, old in enumerate(kept) if simulators[location] >> old & 1) for location in kept
    ]
    steps = [_without_covered(outgoing, lambda target: small[target]) for outgoing in merged.steps]
    return Graph(merged.sets, merged.start, steps)


def _simulation(graph: Graph) -> list[int]:
    """For each location the bit set of those that can do whatever it does, in at least the same sets."""
    count = len(graph.steps)
    simulators = [(1 << count) - 1] * count
    changed = True
    while changed:
        changed = False
        for location in range(count):
            for other in range(count):
                if other == location or not simulators[location] >> other & 1:
                    continue
                if not all(
                    _is_covered(
                        step.mask,
                        step.value,
                        [
                            (answer.mask, answer.value)
                            for answer in graph.steps[other]
                            if not step.marks & ~answer.marks and simulators[step.target] >> answer.target & 1
                        ],
                    )
                    for step in graph.steps[location]
                ):
                    simulators[location] &= ~(1 << other)
                    changed = True
    return simulators


def _without_covered(outgoing: list[Step], simulators_of: Callable[[int], int]) -> list[Step]:
    kept = list(outgoing)
    for step in outgoing:
        answers = [
            (answer.mask, answer.value)
            for answer in kept
            if answer is not step
            and not step.marks & ~answer.marks
            and simulators_of(step.target) >> answer.target & 1
        ]
        if _is_covered(step.mask, step.value, answers):
            kept = [answer for answer in kept if answer is not step]
    return kept


def _is_covered(mask: int, value: int, cubes: Sequence[tuple[int, int]]) -> bool:
    """Does each letter that agrees with `mask` and `value` agree with one of the cubes?"""
    open_cubes = []
    for other_mask, other_value in cubes:
        if (value ^ other_value) & mask & other_mask:
            continue
        if not other_mask & ~mask:
            return True
        open_cubes.append((other_mask, other_value))
    if len(open_cubes) < 2:
        return False
    undecided = open_cubes[0][0] & ~mask
    bit = undecided & -undecided
    return _is_covered(mask | bit, value, open_cubes) and _is_covered(mask | bit, value | bit, open_cubes)
