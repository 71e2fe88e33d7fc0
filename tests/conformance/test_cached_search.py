"""Searches that forget states: the engine, the plain Python search, and searches that do not forget."""

from __future__ import annotations

import random

import pytest

from assay import _engine
from assay.search import reference
from assay.search.options import POLICIES
from assay.search.reference.run import resident_bytes
from tests.conformance.graphs import Graph, PlainModel, pack, random_graph, replayed_codes

ENGINE = {
    "strategy": "cached",
    "storage": "exact",
    "threads": 1,
    "seed": 0,
    "hash_functions": 3,
    "bitstate_bytes": 1 << 16,
    "memory_limit_bytes": 0,
    "time_limit_seconds": 0.0,
    "depth_limit": 0,
    "state_limit": 0,
    "stop_at_first_violation": False,
    "check_deadlock": True,
    "on_progress": None,
    "progress_interval_seconds": 1.0,
}
# Dense graphs in tiny caches take time without end; whoever gets so far has replaced thousands of states.
MOST_VISITS = 3000


def native(model, **options):
    return _engine.search(model, **{**ENGINE, **options})


def plain(model, **options):
    return reference.search(model, strategy="cached", **{"stop_at_first_violation": False, **options})


class Watched:
    """A model that knows which states it was asked about, for the engine or for the plain search."""

    def __init__(self, graph: Graph) -> None:
        self._model = PlainModel(graph)
        self.visits: list[bytes] = []
        self.initial_state = self._model.initial_state
        self.is_valid_end = self._model.is_valid_end
        self.check_state = self._model.check_state
        self.check_step = self._model.check_step

    def successors(self, state: bytes) -> list[tuple[bytes | None, int]]:
        self.visits.append(state)
        return self._model.successors(state)


def layered_graph(seed: int) -> Graph:
    """Short paths, many ways to each state, some cycles: what caches are for."""
    chance = random.Random(seed)
    levels, width = chance.choice([(4, 40), (8, 12), (12, 6), (25, 3)])
    nodes = 1 + levels * width
    back = chance.choice([0.0, 0.0, 0.02, 0.2])
    edges: list[list[tuple[int, int]]] = [[(1 + target, 0) for target in range(width)]]
    for node in range(1, nodes):
        level = (node - 1) // width + 1
        targets = [1 + level * width + chance.randrange(width) for _ in range(chance.choice([1, 2, 3]))]
        own = [(target, 0) for target in targets if target < nodes]
        if chance.random() < back:
            own.append((chance.randrange(nodes), 0))
        edges.append(own)
    violations = [chance.choice([0] * 200 + [1, 2]) for _ in range(nodes)]
    return Graph(
        tuple((node * 77,) for node in range(nodes)),
        tuple(map(tuple, edges)),
        tuple(chance.random() < 0.99 for _ in range(nodes)),
        tuple(violations),
    )


def graphs(seeds: range, layered: int) -> list[tuple[int, Graph]]:
    """Of every shape, and so many layered ones."""
    return [
        *((seed, random_graph(seed)) for seed in seeds),
        *((seed, layered_graph(seed)) for seed in range(seeds.start, seeds.start + layered)),
    ]


def sizes(states: int) -> list[int]:
    return sorted({max(1, size) for size in (1, states // 5, states // 2, states - 1, states)})


def facts(found):
    return (
        found.states,
        found.transitions,
        found.depth,
        found.complete,
        found.stop_reason,
        found.violation_count,
        [(violation.code, tuple(violation.path)) for violation in found.violations]
        if found.stop_reason != "violation"
        else len(found.violations),
        found.cache.held,
        found.cache.replaced,
        found.cache.hits,
        sorted(found.cache.contents),
    )


def shortest_paths_aside(facts_of_a_search):
    """The engine keeps the first path of a violation, the plain search a shorter one in its place."""
    *others, violations, held, replaced, hits, contents = facts_of_a_search
    codes = violations if isinstance(violations, int) else {code for code, _ in violations}
    return [*others, codes, held, replaced, hits, contents]


@pytest.mark.parametrize("block", range(8))
def test_the_engine_replaces_the_states_that_the_plain_search_replaces(block):
    replaced = stopped = 0
    for seed, graph in graphs(range(block * 200, (block + 1) * 200), layered=60):
        states = reference.search(PlainModel(graph), stop_at_first_violation=False).states
        policy = POLICIES[seed % len(POLICIES)]
        for size in sizes(states):
            options = {
                "cache_size": size,
                "cache_policy": policy,
                "cache_strata": 1 + seed % 5,
                "seed": seed,
                "keep_cache": True,
                "state_limit": MOST_VISITS,
            }
            expected, found = plain(PlainModel(graph), **options), native(graph.native(), **options)
            assert shortest_paths_aside(facts(found)) == shortest_paths_aside(facts(expected)), (
                seed,
                options,
            )
            replaced += found.cache.replaced
            stopped += found.stop_reason == "cache"
    assert replaced > 10_000
    assert stopped > 50


@pytest.mark.parametrize("policy", POLICIES)
def test_a_finished_search_saw_what_the_search_without_a_cache_sees(policy):
    finished = again = 0
    for seed, graph in graphs(range(200), layered=40):
        everything = Watched(graph)
        expected = reference.search(everything, stop_at_first_violation=False)
        for size in sizes(expected.states):
            watched = Watched(graph)
            found = native(
                _engine.PythonSystem(watched, max(map(len, graph.states))),
                cache_size=size,
                cache_policy=policy,
                seed=seed,
                state_limit=MOST_VISITS,
            )
            # PythonSystem does not ask about states; their violations are for the next test.
            assert set(watched.visits) <= set(everything.visits)
            assert found.states <= len(watched.visits)  # a state is expanded twice when the store makes room
            if found.complete:
                finished += 1
                again += found.states > expected.states
                assert set(watched.visits) == set(everything.visits), (seed, size)
                assert (found.cache.replaced == 0) == (found.states <= size)
            else:
                assert found.stop_reason in {"cache", "states"}
            if size >= expected.states:
                assert found.complete
                assert (found.states, found.transitions, found.cache.replaced) == (
                    expected.states,
                    expected.transitions,
                    0,
                )
    assert finished > 300
    assert again > 40, again


@pytest.mark.parametrize("policy", POLICIES)
def test_verdicts_are_those_of_the_search_without_a_cache(policy):
    violated = 0
    for seed, graph in graphs(range(200), layered=40):
        model = PlainModel(graph)
        expected = reference.search(model, stop_at_first_violation=False)
        codes = {violation.code for violation in expected.violations}
        for size in sizes(expected.states):
            found = native(
                graph.native(), cache_size=size, cache_policy=policy, seed=seed, state_limit=MOST_VISITS
            )
            met = {violation.code for violation in found.violations}
            assert met == codes if found.complete else met <= codes
            for violation in found.violations:
                assert violation.code in replayed_codes(model, violation.path)
            first = native(
                graph.native(),
                cache_size=size,
                cache_policy=policy,
                seed=seed,
                state_limit=MOST_VISITS,
                stop_at_first_violation=True,
            )
            if first.complete:
                assert not codes
            if first.violations:
                violated += 1
                assert first.stop_reason == "violation"
                assert first.violation_count == 1
                assert first.violations[0].code in replayed_codes(model, first.violations[0].path)
    assert violated > 100


def chain_with(edges: dict[int, list[int]], nodes: int) -> Graph:
    """0 -> 1 -> ... and further edges, tried after those of the chain."""
    lists = [([(node + 1, 0)] if node + 1 < nodes else []) for node in range(nodes)]
    for node, targets in edges.items():
        lists[node] += [(target, 0) for target in targets]
    return Graph(
        tuple((node,) for node in range(nodes)), tuple(map(tuple, lists)), (True,) * nodes, (0,) * nodes
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_a_path_that_does_not_fit_the_cache_is_told_and_one_that_just_fits_is_searched(policy):
    graph = chain_with({}, 100)
    short = native(graph.native(), cache_size=99, cache_policy=policy)
    assert (short.complete, short.stop_reason, short.frontier, short.states) == (False, "cache", 99, 99)
    fitting = native(graph.native(), cache_size=100, cache_policy=policy)
    assert (fitting.complete, fitting.states, fitting.cache.replaced) == (True, 100, 0)


@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy != "cost-exact"])
def test_a_cycle_longer_than_what_is_left_of_the_cache_does_not_go_on_for_ever(policy):
    # All lead back to the beginning and to the middle; the tail is explored again and again.
    graph = chain_with({node: [0, 20, 25] for node in range(30)}, 40)
    found = native(graph.native(), cache_size=40, cache_policy=policy)
    assert found.complete
    small = native(graph.native(), cache_size=39, cache_policy=policy)
    assert small.stop_reason == "cache"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("limit", [1, 3, 17])
def test_successors_dropped_from_the_stack_are_tried_all_the_same(policy, limit):
    for seed in range(300):
        graph = random_graph(seed)
        expected = reference.search(PlainModel(graph), stop_at_first_violation=False)
        found = native(
            graph.native(),
            cache_size=expected.states,
            cache_policy=policy,
            seed=seed,
            cache_pending_limit=limit,
        )
        assert found.complete
        assert (found.states, found.transitions, found.violation_count) == (
            expected.states,
            expected.transitions,
            expected.violation_count,
        )


def test_keys_of_cached_states_survive_a_new_layout():
    # Values come late and are large, so that the exact store has to make room again and again.
    chance = random.Random(3)
    nodes = 3000
    states = [(*(chance.getrandbits(1 + node // 50) for _ in range(12)), node) for node in range(nodes)]
    edges = [
        [(min(node + step, nodes - 1), 0) for step in (1, 2, 7)] + [(chance.randrange(node + 1), 0)]
        for node in range(nodes)
    ]
    for node in range(0, nodes, 3):
        edges[node].reverse()
    graph = Graph(tuple(states), tuple(map(tuple, edges)), (True,) * nodes, (0,) * nodes)
    expected = reference.search(PlainModel(graph), strategy="dfs")
    assert expected.complete
    for policy in ("rungs", "age", "random"):
        options = {"cache_policy": policy, "cache_size": nodes - 200, "keep_cache": True, "seed": 1}
        found = native(graph.native(), **options)
        again = plain(PlainModel(graph), **options)
        assert found.complete
        assert found.cache.replaced > 0
        assert facts(found) == facts(again)
        assert {state for state, _ in found.cache.contents} <= set(map(pack, states))


def test_a_depth_limit_makes_a_cached_search_incomplete():
    found = native(chain_with({}, 30).native(), cache_size=20, depth_limit=10)
    assert (found.complete, found.stop_reason, found.depth) == (False, "depth", 10)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"cache_size": 0}, "the cache holds from 1 to 2147483648 states, not 0"),
        ({"cache_size": 2**40}, "the cache holds from 1 to 2147483648 states, not 1099511627776"),
        ({"cache_size": 5, "cache_policy": "fate"}, "unknown policy 'fate'"),
        ({"cache_size": 5, "cache_strata": 0}, "there is at least one stratum"),
        ({"cache_size": 5, "threads": 2}, "one thread"),
        ({"cache_size": 5, "storage": "bitstate"}, "'bitstate' does not go with 'cached'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        native(chain_with({}, 3).native(), **options)


def test_a_cache_that_may_not_grow_replaces_instead():
    nodes = 400_000
    tree = Graph(
        tuple((node,) for node in range(nodes)),
        tuple(
            tuple((child, 0) for child in (2 * node + 1, 2 * node + 2) if child < nodes)
            for node in range(nodes)
        ),
        (True,) * nodes,
        (0,) * nodes,
    )
    model = tree.native()
    free = native(model, cache_size=1 << 20)
    assert (free.complete, free.states, free.cache.capacity, free.cache.replaced) == (True, nodes, 1 << 20, 0)
    # Between what is enough for all and what is too little for the tables of parts lies what we want to see.
    smaller = 0
    for more in range(24, 3, -1):
        found = native(model, cache_size=1 << 20, memory_limit_bytes=resident_bytes() + (more << 20))
        if not found.complete:
            assert found.stop_reason == "memory"
        elif found.cache.capacity < 1 << 20:
            smaller += 1
            assert found.states == nodes
            assert found.cache.replaced >= nodes - found.cache.capacity > 0
    assert smaller > 0
