"""Büchi automata over the atoms of a formula.

An automaton stands in location 0 before it has read anything. From a location it reads one state of the
program: every edge whose `mask` and `value` agree with the atoms that are true there may be taken. A run is
accepted if it visits, for each acceptance set, infinitely many locations of that set. There is always at
least one set, so that nobody has to treat "every infinite run is accepted" apart.

    location 0            reads state 0   goes to location 1   reads state 1   ...
    in the sets accepting[0]              in the sets accepting[1]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from assay.automata import MOST_ATOMS
from assay.automata.formula import Letter
from assay.records import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """May be taken where `valuation & mask == value`; bit i of a valuation says that atom i is true."""

    target: int
    mask: int
    value: int

    def matches(self, valuation: int) -> bool:
        return valuation & self.mask == self.value


@dataclass(frozen=True)
class BuchiAutomaton:
    """Generalised, with acceptance on locations.

    `accepting[l]` has bit i if location l is in set i. The order of locations and edges is part of the
    automaton: certificates name both by position.
    """

    atoms: tuple[str, ...]
    acceptance_sets: int
    accepting: tuple[int, ...]
    edges: tuple[tuple[Edge, ...], ...]

    def __post_init__(self) -> None:
        everything = (1 << len(self.atoms)) - 1
        if len(self.atoms) > MOST_ATOMS:
            raise ValueError(f"an automaton has at most {MOST_ATOMS} atoms, not {len(self.atoms)}")
        if len(set(self.atoms)) != len(self.atoms):
            raise ValueError("an atom is listed twice")
        if self.acceptance_sets < 1 or not self.edges or len(self.accepting) != len(self.edges):
            raise ValueError(
                "an automaton has a location, an acceptance set, and says of each location its sets"
            )
        if any(not 0 <= sets < 1 << self.acceptance_sets for sets in self.accepting):
            raise ValueError("a location is in an acceptance set that does not exist")
        for edge in (edge for outgoing in self.edges for edge in outgoing):
            if not 0 <= edge.target < len(self.edges):
                raise ValueError("an edge leads to a location that does not exist")
            if not 0 <= edge.mask <= everything or edge.value & ~edge.mask:
                raise ValueError("an edge asks for an atom that does not exist, or that it does not look at")

    @property
    def locations(self) -> int:
        return len(self.edges)

    def valuation(self, letter: Letter) -> int:
        return sum(1 << place for place, atom in enumerate(self.atoms) if atom in letter)

    def successors(self, location: int, valuation: int) -> Iterator[int]:
        return (edge.target for edge in self.edges[location] if edge.matches(valuation))

    @cached_property
    def accepts_nothing(self) -> bool:
        """Is there no word at all that it accepts?"""
        everything = (1 << self.acceptance_sets) - 1
        graph = [[edge.target for edge in outgoing] for outgoing in self.edges]
        return not any(
            _visited(component, self.accepting) == everything
            for component in cycles(graph, reachable(graph, [0]))
        )

    @cached_property
    def accepting_everything(self) -> frozenset[int]:
        """Locations from which every word is accepted, as far as it shows in the location itself: a search
        that comes there has found a violation, whatever follows."""
        everything = (1 << self.acceptance_sets) - 1
        return frozenset(
            location
            for location, outgoing in enumerate(self.edges)
            if self.accepting[location] == everything
            and any(edge == Edge(location, 0, 0) for edge in outgoing)
        )

    def accepts(self, prefix: Sequence[Letter], loop: Sequence[Letter]) -> bool:
        """Is the word `prefix` and then `loop` for ever accepted? Every product with the word is walked: for
        tests and for runs that are at hand, not for programs."""
        if not loop:
            raise ValueError("the loop of an infinite word has at least one letter")
        valuations = [self.valuation(letter) for letter in [*prefix, *loop]]
        length = len(valuations)
        graph = [
            [
                target * length + (place + 1 if place + 1 < length else len(prefix))
                for target in self.successors(location, valuations[place])
            ]
            for location in range(self.locations)
            for place in range(length)
        ]
        marks = [sets for sets in self.accepting for _ in range(length)]
        everything = (1 << self.acceptance_sets) - 1
        return any(
            _visited(component, marks) == everything for component in cycles(graph, reachable(graph, [0]))
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "atoms": list(self.atoms),
            "acceptance_sets": self.acceptance_sets,
            "locations": [
                {
                    "accepting": [place for place in range(self.acceptance_sets) if sets >> place & 1],
                    "edges": [
                        {"if": self._literals(edge), "to": edge.target} for edge in self.edges[location]
                    ],
                }
                for location, sets in enumerate(self.accepting)
            ],
        }

    def _literals(self, edge: Edge) -> dict[str, bool]:
        """Atom number, as JSON's names are texts, and what it must be."""
        return {
            str(place): bool(edge.value >> place & 1)
            for place in range(len(self.atoms))
            if edge.mask >> place & 1
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> BuchiAutomaton:
        """Raises ValueError, KeyError or TypeError if it is no automaton."""

        def bits(places: Iterable[Any]) -> int:
            return sum(1 << int(place) for place in places)

        return BuchiAutomaton(
            tuple(map(str, data["atoms"])),
            int(data["acceptance_sets"]),
            tuple(bits(location["accepting"]) for location in data["locations"]),
            tuple(
                tuple(
                    Edge(
                        int(edge["to"]),
                        bits(edge["if"]),
                        bits(place for place, wanted in edge["if"].items() if wanted),
                    )
                    for edge in location["edges"]
                )
                for location in data["locations"]
            ),
        )

    def __str__(self) -> str:
        """For readers: one line per location and edge."""
        lines = [f"{self.locations} locations, {self.acceptance_sets} acceptance sets"]
        for location, sets in enumerate(self.accepting):
            names = [str(place) for place in range(self.acceptance_sets) if sets >> place & 1]
            lines.append(f"{location}:" + (f"  in {', '.join(names)}" if names else ""))
            for edge in self.edges[location]:
                literals = [
                    ("" if edge.value >> place & 1 else "!") + (f"({text})" if " " in text else text)
                    for place, text in enumerate(self.atoms)
                    if edge.mask >> place & 1
                ]
                lines.append(f"    {' && '.join(literals) or 'true'} -> {edge.target}")
        return "\n".join(lines)


def _visited(component: Iterable[int], marks: Sequence[int]) -> int:
    visited = 0
    for node in component:
        visited |= marks[node]
    return visited


def reachable(graph: Sequence[Sequence[int]], starts: Iterable[int]) -> list[int]:
    """Nodes in the order in which a breadth-first search sees them."""
    found = dict.fromkeys(starts)
    queue = list(found)
    for node in queue:
        for target in graph[node]:
            if target not in found:
                found[target] = None
                queue.append(target)
    return queue


def components(graph: Sequence[Sequence[int]], nodes: Iterable[int]) -> list[list[int]]:
    """The strongly connected components of a part of a graph (Tarjan), sinks first; edges that leave `nodes`
    do not count."""
    within = dict.fromkeys(nodes)
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for start in within:
        if start in order:
            continue
        path = [(start, iter(graph[start]))]
        order[start] = low[start] = len(order)
        open_nodes.append(start)
        is_open.add(start)
        while path:
            node, targets = path[-1]
            for target in targets:
                if target not in within:
                    continue
                if target not in order:
                    order[target] = low[target] = len(order)
                    open_nodes.append(target)
                    is_open.add(target)
                    path.append((target, iter(graph[target])))
                    break
                if target in is_open:
                    low[node] = min(low[node], order[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == order[node]:
                    component = []
                    while True:
                        member = open_nodes.pop()
                        is_open.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    found.append(sorted(component))
    return found


def cycles(graph: Sequence[Sequence[int]], nodes: Iterable[int]) -> list[list[int]]:
    """The components that have a cycle."""
    return [
        component
        for component in components(graph, nodes)
        if len(component) > 1 or component[0] in graph[component[0]]
    ]
