"""Exact storage: every state once, whatever its words look like and however many there are."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from models import compile_model, search

from assay import _engine

ENGINES = [{}, {"threads": 2}, {"threads": 3}, {"strategy": "dfs"}, {"strategy": "random-dfs", "seed": 1}]


def chain(states: list[tuple[int, ...]]) -> _engine.ExplicitGraph:
    packed = [struct.pack(f"<{len(words)}Q", *words) for words in states]
    edges = [[(node + 1, 0)] for node in range(len(states) - 1)] + [[(0, 0)]]
    return _engine.ExplicitGraph(packed, edges, [True] * len(states), [0] * len(states))


@pytest.mark.parametrize("options", ENGINES, ids=str)
@pytest.mark.parametrize(
    "states",
    [
        [()],
        [(0,)],
        [(), (0,), (0, 0), (0, 0, 0)],
        [(0, 0, 0), (0, 0), (0,), ()],
        [(1,), (0,), (2**64 - 1,), (2**63,)],
        [(0,), (2**64 - 1, 0), (0, 2**64 - 1), (2**64 - 1,)],
        [(0,) * 3000, (1,), (0,) * 2999, (0,) * 2999 + (1,), (7,) * 3000, ()],
    ],
    ids=["empty", "zero", "longer", "shorter", "extremes", "mixed", "wide"],
)
def test_states_of_zeros_and_of_different_lengths_stay_apart(states, options):
    result = search(chain(states), **options)
    assert (result.states, result.transitions, result.complete) == (len(states), len(states), True)


@pytest.mark.parametrize("options", ENGINES, ids=str)
def test_one_word_with_many_thousand_values_is_relaid_again_and_again(options):
    result = search(
        chain([(value * 0x9E3779B97F4A7C15 % 2**64, 5, value % 3) for value in range(40_000)]), **options
    )
    assert (result.states, result.transitions, result.complete) == (40_000, 40_000, True)


@pytest.mark.parametrize("options", ENGINES, ids=str)
def test_words_that_start_to_change_late_split_the_key_again_and_again(options):
    # Position p stays 0 for 60 p states and then takes a new value in every state.
    words = 40
    states = [
        tuple(max(0, n - 60 * p) * 0x9E3779B97F4A7C15 % 2**64 for p in range(words)) for n in range(3000)
    ]
    result = search(chain(states), **options)
    assert (result.states, result.transitions, result.complete) == (3000, 3000, True)


@pytest.mark.parametrize("options", ENGINES, ids=str)
@pytest.mark.parametrize(
    ("constants", "states", "transitions"),
    [
        ({"DIMENSIONS": 1, "SIDE": 50_000}, 50_000, 2 * 49_999),
        ({"DIMENSIONS": 2, "SIDE": 300}, 90_000, 4 * 299 * 300),
        ({"DIMENSIONS": 4, "SIDE": 17, "PADDING": 20}, 17**4, 8 * 16 * 17**3),
        ({"DIMENSIONS": 16, "SIDE": 2, "PADDING": 3}, 2**16, 16 * 2**16),
    ],
    ids=str,
)
def test_a_grid_has_as_many_states_as_points(tmp_path, constants, states, transitions, options):
    result = search(compile_model("grid", tmp_path, **constants), **options)
    assert (result.states, result.transitions, result.complete) == (states, transitions, True)


@pytest.mark.parametrize("options", ENGINES, ids=str)
def test_states_that_grow_are_counted_like_those_that_do_not(tmp_path, options):
    # Lengths 0 to 4; a state of length n is a point of n counters, and any length is reached.
    model = compile_model("grid", tmp_path, DIMENSIONS=4, SIDE=9, PADDING=2, GROW=1)
    result = search(model, **options)
    expected = breadth_first_in_python(model)
    assert (result.states, result.transitions) == expected


def breadth_first_in_python(model: _engine.Model) -> tuple[int, int]:
    seen = {model.initial_state()[0]}
    queue = list(seen)
    transitions = 0
    for state in queue:
        for after, _ in model.successors(state):
            transitions += 1
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return len(seen), transitions


@pytest.mark.parametrize("options", ENGINES, ids=str)
def test_wider_states_make_the_same_graph_in_the_same_memory(tmp_path, options):
    narrow = search(compile_model("philosophers", tmp_path, N=6, GREEDY=0), **options)
    wide = search(compile_model("philosophers", tmp_path, N=6, GREEDY=0, STRIDE=40), **options)
    assert narrow.complete
    assert (narrow.states, narrow.transitions) == (wide.states, wide.transitions)
    assert wide.table_bytes < 2 * narrow.table_bytes + 500_000


def test_a_million_states_take_less_than_twenty_bytes_each(tmp_path):
    result = search(compile_model("grid", tmp_path, DIMENSIONS=4, SIDE=32))
    assert result.states == 32**4
    assert result.table_bytes < 20 * result.states


@pytest.mark.parametrize("options", [{}, {"threads": 2}], ids=str)
def test_shortest_paths_to_states_and_steps_in_a_wide_graph(tmp_path, options):
    model = compile_model("grid", tmp_path, DIMENSIONS=3, SIDE=40, CHECK=1)
    result = search(model, stop_at_first_violation=False, **options)
    assert result.states == 40**3
    assert result.violation_count == 40 + 40 * 40
    assert {violation.code: len(violation.path) for violation in result.violations} == {1: 7, 2: 6}
    for violation in result.violations:
        state = model.initial_state()[0]
        for position in violation.path:
            before, state = state, model.successors(state)[position][0]
        assert violation.code in (model.check_state(state), model.check_step(before, state))


@pytest.mark.parametrize("options", ENGINES, ids=str)
def test_a_deadlock_is_found_and_its_path_ends_in_it(tmp_path, options):
    model = compile_model("philosophers", tmp_path, N=5)
    result = search(model, **options)
    assert (result.stop_reason, result.violation_count) == ("violation", 1)
    (violation,) = result.violations
    assert violation.code == 0
    state = model.initial_state()[0]
    for position in violation.path:
        state = model.successors(state)[position][0]
    assert model.successors(state) == []
    if result.depth and options.get("strategy", "bfs") == "bfs":
        assert len(violation.path) == 10  # each one thinks and takes one fork
    assert not search(model, check_deadlock=False, **options).violations


@pytest.mark.parametrize("hash_functions", [1, 2, 4])
def test_bitstate_search_with_few_bits_loses_states_and_never_invents_any(tmp_path, hash_functions):
    model = compile_model("grid", tmp_path, DIMENSIONS=3, SIDE=40)
    exact = search(model).states
    lossy = search(
        model, strategy="dfs", storage="bitstate", bitstate_bytes=8192, hash_functions=hash_functions
    )
    assert 0 < lossy.states < exact
    assert lossy.bits_total == 65536
    assert lossy.bits_set <= min(lossy.bits_total, hash_functions * lossy.states)


def test_fingerprint_search_sees_all_and_gives_its_queue_back(tmp_path):
    model = compile_model("grid", tmp_path, DIMENSIONS=4, SIDE=17, PADDING=20, CHECK=1)
    result = search(model, storage="fingerprint", stop_at_first_violation=False)
    assert (result.states, result.complete, result.frontier) == (17**4, True, 0)
    assert result.table_bytes < 17**4 * 40
    assert {violation.code: len(violation.path) for violation in result.violations} == {1: 7, 2: 6}
