"""One suite, two implementations: the native engine and the plain Python searches."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from graphs import Graph, PlainModel, random_graph, replayed_codes

from assay import _engine
from assay.search import reference

DEFAULTS = {
    "strategy": "bfs",
    "storage": "exact",
    "threads": 1,
    "seed": 0,
    "hash_functions": 3,
    "bitstate_bytes": 1 << 16,
    "memory_limit_bytes": 0,
    "time_limit_seconds": 0.0,
    "depth_limit": 0,
    "state_limit": 0,
    "stop_at_first_violation": True,
    "check_deadlock": True,
    "on_progress": None,
    "progress_interval_seconds": 1.0,
}


def native_search(model, **options):
    return _engine.search(model, **{**DEFAULTS, **options})


EXHAUSTIVE = [
    {"strategy": "bfs"},
    {"strategy": "bfs", "threads": 2},
    {"strategy": "bfs", "threads": 3},
    {"strategy": "dfs"},
    {"strategy": "random-dfs", "seed": 5},
    {"strategy": "bfs", "storage": "fingerprint"},
]


def check_graph(graph: Graph) -> None:
    plain, compiled = PlainModel(graph), graph.native()
    check_all_errors(plain, compiled)
    check_first_error(plain, compiled)


def check_all_errors(plain: PlainModel, compiled: _engine.ExplicitGraph) -> None:
    expected = reference.search(plain, stop_at_first_violation=False)
    assert expected.complete
    shortest = {violation.code: len(violation.path) for violation in expected.violations}
    for options in EXHAUSTIVE:
        found = native_search(compiled, stop_at_first_violation=False, **options)
        assert found.complete
        assert found.stop_reason == ""
        assert found.frontier == 0
        assert (found.states, found.transitions) == (expected.states, expected.transitions), options
        assert found.violation_count == expected.violation_count, options
        assert {violation.code for violation in found.violations} == set(shortest), options
        for violation in found.violations:
            assert violation.code in replayed_codes(plain, violation.path), options
        if options["strategy"] == "bfs":
            assert found.depth == expected.depth, options
            assert {violation.code: len(violation.path) for violation in found.violations} == shortest, (
                options
            )


def check_first_error(plain: PlainModel, compiled: _engine.ExplicitGraph) -> None:
    expected = reference.search(plain)
    for options in EXHAUSTIVE:
        found = native_search(compiled, **options)
        assert found.stop_reason == expected.stop_reason
        assert found.complete == expected.complete
        assert [len(expected.violations), expected.violation_count] == [
            len(found.violations),
            found.violation_count,
        ]
        for violation in found.violations:
            assert violation.code in replayed_codes(plain, violation.path)
            if options["strategy"] == "bfs":
                assert len(violation.path) == len(expected.violations[0].path), options


@pytest.mark.parametrize("block", range(8))
def test_both_see_the_same_on_thousands_of_random_systems(block):
    for seed in range(block * 400, (block + 1) * 400):
        try:
            check_graph(random_graph(seed))
        except AssertionError as problem:
            raise AssertionError(f"graph of seed {seed}: {problem}") from problem


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    word = st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1))
    states = draw(st.lists(st.lists(word, max_size=6).map(tuple), min_size=1, max_size=12, unique=True))
    nodes = st.integers(0, len(states) - 1)
    code = st.integers(0, 2)
    edge = st.one_of(st.tuples(nodes, code), st.tuples(st.just(-1), st.integers(1, 2)))
    per_node = {"min_size": len(states), "max_size": len(states)}
    return Graph(
        tuple(states),
        tuple(map(tuple, draw(st.lists(st.lists(edge, max_size=4), **per_node)))),
        tuple(draw(st.lists(st.booleans(), **per_node))),
        tuple(draw(st.lists(code, **per_node))),
    )


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs())
def test_native_engine_visits_what_the_reference_visits(graph):
    check_graph(graph)


@pytest.mark.parametrize("strategy", ["bfs", "dfs", "random-dfs"])
def test_reference_searches_agree_with_each_other(strategy):
    for seed in range(200):
        plain = PlainModel(random_graph(seed))
        expected = reference.search(plain, stop_at_first_violation=False)
        found = reference.search(plain, strategy=strategy, seed=seed, stop_at_first_violation=False)
        assert (found.states, found.transitions, found.violation_count) == (
            expected.states,
            expected.transitions,
            expected.violation_count,
        )


@pytest.mark.parametrize("options", EXHAUSTIVE[:3] + EXHAUSTIVE[-1:], ids=str)
def test_a_depth_limit_cuts_at_the_same_place(options):
    for seed in range(300):
        graph = random_graph(seed)
        for limit in (1, 2, 5):
            expected = reference.search(PlainModel(graph), depth_limit=limit, stop_at_first_violation=False)
            found = native_search(graph.native(), depth_limit=limit, stop_at_first_violation=False, **options)
            assert (found.states, found.transitions, found.depth, found.stop_reason, found.complete) == (
                expected.states,
                expected.transitions,
                expected.depth,
                expected.stop_reason,
                expected.complete,
            ), seed


@pytest.mark.parametrize("strategy", ["dfs", "random-dfs"])
def test_bitstate_search_with_plenty_of_bits_sees_everything(strategy):
    for seed in range(200):
        graph = random_graph(seed)
        plain = PlainModel(graph)
        expected = reference.search(plain, stop_at_first_violation=False)
        bits = {"storage": "bitstate", "bitstate_bytes": 1 << 16}
        native = native_search(graph.native(), strategy=strategy, stop_at_first_violation=False, **bits)
        slow = reference.search(plain, strategy=strategy, stop_at_first_violation=False, **bits)
        for found in (native, slow):
            assert (found.states, found.transitions) == (expected.states, expected.transitions), seed
            assert 0 < found.bits_set <= 3 * found.states
            assert found.bits_total == 8 << 16
            for violation in found.violations:
                assert violation.code in replayed_codes(plain, violation.path)


def test_depth_first_goes_deeper_before_it_goes_on():
    # 0 -> 1, 2; 1 -> 3 (violates); 2 violates. Depth first meets 3 before 2.
    graph = Graph(
        states=((0,), (1,), (2,), (3,)),
        edges=(((1, 0), (2, 0)), ((3, 0),), (), ()),
        valid_ends=(True,) * 4,
        state_violations=(0, 0, 9, 8),
    )
    for search in (
        lambda **o: reference.search(PlainModel(graph), **o),
        lambda **o: native_search(graph.native(), **o),
    ):
        deep = search(strategy="dfs").violations[0]
        assert (deep.code, list(deep.path)) == (8, [0, 0])
        shallow = search(strategy="bfs").violations[0]
        assert (shallow.code, list(shallow.path)) == (9, [1])


def test_a_state_that_violates_beats_a_step_found_earlier_on_the_same_level():
    # Node 1's first step violates (two steps), node 2 itself violates (one step).
    graph = Graph(
        states=((0,), (1,), (2,)),
        edges=(((1, 0), (2, 0)), ((-1, 7),), ()),
        valid_ends=(True,) * 3,
        state_violations=(0, 0, 9),
    )
    for options in EXHAUSTIVE[:3]:
        found = native_search(graph.native(), **options).violations[0]
        assert (found.code, found.path) == (9, [1])
    assert reference.search(PlainModel(graph)).violations[0].path == (1,)
