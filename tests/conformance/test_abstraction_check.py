"""Is what states are compared by sound? The answer of the engine against plain Python, and what follows."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from graphs import Graph, PlainModel, pack, random_graph
from test_native_engine_agrees_with_the_reference import native_search

from assay import _engine
from assay.search.reference.abstraction import is_broken, pairs_with_one_key

MATCHED = [
    {"strategy": "bfs"},
    {"strategy": "dfs"},
    {"strategy": "random-dfs", "seed": 1},
    {"strategy": "dfs", "process_order": "reversed", "order": "reversed"},
]


class Keyed(PlainModel):
    def __init__(self, graph: Graph, keys: list[int], labels: list[int]) -> None:
        super().__init__(graph)
        self.keys, self.label_list = keys, labels

    def match_key(self, state: bytes) -> bytes:
        return pack((self.keys[self._node[state]],))

    def labels(self, state: bytes) -> int:
        return self.label_list[self._node[state]]

    def reachable(self) -> list[bytes]:
        found, waiting = {}, [self.initial_state()[0]]
        while waiting:
            state = waiting.pop()
            if state not in found:
                found[state] = None
                waiting += [after for after, _ in self.successors(state) if after is not None]
        return list(found)


def checked_of(model: Keyed, state: bytes) -> object:
    steps = model.successors(state)
    end = model.is_valid_end(state) if not steps else None
    return model.check_state(state), model.labels(state), end, {code for _, code in steps if code}


def check(graph: Graph, keys: list[int], labels: list[int]) -> bool:
    """Compares the answers and answers whether the abstraction is sound."""
    model = Keyed(graph, keys, labels)
    native = _engine.PythonSystem(model, 4096)
    found = native_search(native, observe="abstraction", stop_at_first_violation=False)
    assert found.complete
    states = model.reachable()
    pairs = pairs_with_one_key(states, model.match_key)
    successors = {
        state: [after for after, _ in model.successors(state) if after is not None] for state in states
    }
    broken = [
        pair
        for pair in pairs
        if is_broken(
            *pair, key=model.match_key, checked=lambda state: checked_of(model, state), successors=successors
        )
    ]
    told = {name.removeprefix("abstraction: "): value for name, value in found.observations.items()}
    assert told["states"] == len(states)
    assert (told["difference"] != 0) == bool(broken)
    assert (told["broken"] != 0) == bool(broken)
    if not broken:
        assert told["pairs"] == len(pairs)
        return True
    first, second = found.records["abstraction: first"], found.records["abstraction: second"]
    assert (first, second) in broken or (second, first) in broken
    if told["difference"] == 4:
        after = model.successors(first)[told["position"]][0]
        answers = {model.match_key(answer) for answer in successors[second]}
        assert model.match_key(after) not in answers, "the step that is shown cannot be answered"
    return False


def violations_of(found):
    return {violation.code for violation in found.violations}


def check_what_follows(graph: Graph, keys: list[int], labels: list[int]) -> None:
    """Where the abstraction is sound, a search that matches by it finds what one that does not finds."""
    native = _engine.PythonSystem(Keyed(graph, keys, labels), 4096)
    exact = native_search(native, stop_at_first_violation=False)
    for options in MATCHED:
        matched = native_search(native, storage="abstraction", stop_at_first_violation=False, **options)
        assert violations_of(matched) == violations_of(exact)
        assert matched.guarantee == "under-approximates"


def test_random_systems():
    sound = 0
    for seed in range(250):
        graph = random_graph(seed)
        source = random.Random(seed)
        count = len(graph.states)
        keys = [source.randrange(max(1, count // source.choice([1, 2, 8]))) for _ in range(count)]
        labels = [source.randrange(source.choice([1, 2])) for _ in range(count)]
        if check(graph, keys, labels):
            sound += 1
            check_what_follows(graph, keys, labels)
    assert sound > 20


def unfolded(graph: Graph, copies: int, source: random.Random) -> tuple[Graph, list[int]]:
    """The same graph with several copies of every node: by the node they are copies of, they are alike."""
    count = len(graph.states)
    states = [(number,) for number in range(count * copies)]
    edges, ends, violations = [], [], []
    for number in range(count * copies):
        node = number % count
        edges.append(
            tuple(
                (-1 if target < 0 else target + count * source.randrange(copies), code)
                for target, code in graph.edges[node]
            )
        )
        ends.append(graph.valid_ends[node])
        violations.append(graph.state_violations[node])
    keys = [number % count for number in range(count * copies)]
    return Graph(tuple(states), tuple(edges), tuple(ends), tuple(violations)), keys


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000), st.integers(2, 3), st.booleans())
def test_unfolded_systems_are_sound_until_one_edge_is_changed(seed, copies, is_changed):
    source = random.Random(seed)
    graph, keys = unfolded(random_graph(seed % 300), copies, source)
    if is_changed and len(graph.states) < 500:
        node = source.randrange(len(graph.states))
        edges = list(graph.edges)
        edges[node] = (*edges[node], (source.randrange(len(graph.states)), 0))
        graph = Graph(graph.states, tuple(edges), graph.valid_ends, graph.state_violations)
    if len(graph.states) > 500:
        return
    labels = [0] * len(keys)
    is_sound = check(graph, keys, labels)
    assert is_sound or is_changed
    if is_sound:
        check_what_follows(graph, keys, labels)


@pytest.mark.parametrize("strategy", ["bfs", "dfs", "random-dfs"])
def test_a_search_that_was_cut_says_only_what_it_saw(strategy):
    graph, keys = unfolded(random_graph(7), 3, random.Random(1))
    native = _engine.PythonSystem(Keyed(graph, keys, [0] * len(keys)), 4096)
    whole = native_search(native, observe="abstraction", stop_at_first_violation=False, strategy=strategy)
    cut = native_search(
        native, observe="abstraction", stop_at_first_violation=False, strategy=strategy, state_limit=3
    )
    assert not cut.complete
    assert cut.observations["abstraction: states"] <= whole.observations["abstraction: states"]
