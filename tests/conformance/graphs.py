"""Random explicit graphs: the systems on which implementations are compared."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from assay._engine import ExplicitGraph

Edge = tuple[int, int]  # target node or -1, violation code


@dataclass(frozen=True)
class Graph:
    states: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[Edge, ...], ...]
    valid_ends: tuple[bool, ...]
    state_violations: tuple[int, ...]

    def native(self, labels: list[int] | None = None) -> ExplicitGraph:
        return ExplicitGraph(
            [pack(state) for state in self.states],
            [list(edges) for edges in self.edges],
            list(self.valid_ends),
            list(self.state_violations),
            labels or [],
        )


class PlainModel:
    """The same graph for the reference searches, without any native code."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._node = {pack(state): node for node, state in enumerate(graph.states)}
        self._packed = [pack(state) for state in graph.states]

    def initial_state(self) -> tuple[bytes, int]:
        return self._packed[0], 0

    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]:
        edges = self._graph.edges[self._node[state]]
        return [(None if target < 0 else self._packed[target], code) for target, code in edges]

    def is_valid_end(self, state: bytes) -> bool:
        return self._graph.valid_ends[self._node[state]]

    def check_state(self, state: bytes) -> int:
        return self._graph.state_violations[self._node[state]]

    def check_step(self, before: bytes, after: bytes) -> int:
        return 0


def pack(words: tuple[int, ...]) -> bytes:
    return struct.pack(f"<{len(words)}Q", *words)


def replayed_codes(model: PlainModel | ExplicitGraph, path: list[int] | tuple[int, ...]) -> set[int]:
    """The violations at the end of a path, which must exist step by step."""
    state: bytes | None = model.initial_state()[0]
    on_step = 0
    for position in path:
        assert state is not None, "the path goes on after a step that left no state"
        state, on_step = model.successors(state)[position]
    codes = {on_step} - {0}
    if state is not None:
        codes |= {model.check_state(state)} - {0}
        if not model.successors(state) and not model.is_valid_end(state):
            codes.add(0)
    return codes


SHAPES = ("sparse", "dense", "chain", "cycle", "loops", "tree", "bipartite")


def random_graph(seed: int) -> Graph:
    """A graph that depends on the seed alone: shape, widths and values vary widely."""
    source = random.Random(seed)
    nodes = source.choice([1, 2, 3, 5, 8, 13, 40, 120])
    states = random_states(source, nodes)
    nodes = len(states)
    shape = source.choice(SHAPES)
    edges: list[list[Edge]] = [[] for _ in range(nodes)]
    for node in range(nodes):
        if shape in ("chain", "cycle") and node + 1 < nodes:
            edges[node].append((node + 1, 0))
        if shape == "cycle" and node + 1 == nodes:
            edges[node].append((0, 0))
        if shape == "loops" and source.random() < 0.7:
            edges[node].append((node, 0))
        if shape == "tree":
            edges[node] += [(child, 0) for child in (2 * node + 1, 2 * node + 2) if child < nodes]
        degree = source.choice({"dense": (4, 8, 12), "chain": (0, 0, 0, 1)}.get(shape, (0, 1, 2, 3)))
        for _ in range(degree):
            target = source.randrange(nodes)
            if shape == "bipartite":
                target = (target | 1) - node % 2 if (target | 1) - node % 2 < nodes else 0
            edges[node].append((target, 0))
        source.shuffle(edges[node])
    codes = source.choice([(), (), (1,), (1, 2, 3)])
    rate = source.choice([0.01, 0.1, 0.5])
    state_violations = [0] * nodes
    if codes:
        for node in range(nodes):
            for position, (target, _) in enumerate(edges[node]):
                if source.random() < rate:
                    edges[node][position] = (source.choice([target, -1]), source.choice(codes))
            if source.random() < rate / 2:
                state_violations[node] = source.choice(codes)
    valid = source.choice([0.0, 0.5, 1.0])
    return Graph(
        tuple(states),
        tuple(map(tuple, edges)),
        tuple(source.random() < valid for _ in range(nodes)),
        tuple(state_violations),
    )


def random_states(source: random.Random, nodes: int) -> list[tuple[int, ...]]:
    """Different word strings: narrow or wide, of one length or many, alike or not."""
    width = source.choice([0, 1, 1, 2, 3, 5, 9, 40, 300])
    pool = [0, 1, 2**64 - 1] + [source.getrandbits(64) for _ in range(source.choice([1, 4, 30, 1000]))]
    one_length = source.random() < 0.4
    states: list[tuple[int, ...]] = []
    seen: set[tuple[int, ...]] = set()
    for _ in range(nodes * 3):
        if states and source.random() < 0.8:
            state = list(source.choice(states))
        else:
            state = [source.choice(pool[:3]) for _ in range(width)]
        for _ in range(source.choice([1, 1, 2, width])):
            if state:
                state[source.randrange(len(state))] = source.choice(pool)
        if not one_length and source.random() < 0.3:
            state = state[: source.randrange(len(state) + 1)]
        if not one_length and source.random() < 0.3:
            state += [source.choice(pool) for _ in range(source.randrange(width - len(state) + 1))]
        if tuple(state) not in seen:
            seen.add(tuple(state))
            states.append(tuple(state))
        if len(states) == nodes:
            break
    return states
