"""Searches that look around, native and in Python: what they count must add up on any graph."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from graphs import PlainModel, random_graph
from test_native_engine_agrees_with_the_reference import native_search

from assay.evidence.coverage import Samples
from assay.search import reference
from assay.search.reference import coverage_sampling


def native_samples(graph, *, exhaustive_states, total_states, seed, samplers) -> Samples:
    found = native_search(
        graph.native(),
        strategy="two-phases",
        seed=seed,
        state_limit=total_states,
        exhaustive_states=exhaustive_states,
        samplers=samplers,
    )
    seen = found.seen
    return Samples(
        exhaustive=seen.exhaustive,
        visited=found.states,
        sizes=tuple(seen.sizes),
        unfinished=seen.unfinished,
        tried=seen.tried,
        left=seen.left,
        productive_left=seen.productive_left,
        complete=found.complete,
    )


def plain_samples(graph, **options) -> Samples:
    return coverage_sampling.two_phases(PlainModel(graph), **options)


@pytest.mark.parametrize("run", [native_samples, plain_samples])
@pytest.mark.parametrize("samplers", [1, 4])
def test_two_phases_add_up(run, samplers):
    for seed in range(300):
        graph = random_graph(seed)
        states = reference.search(PlainModel(graph), stop_at_first_violation=False).states
        for total in {1, max(1, states // 2), states, states + 10}:
            exhaustive = max(1, int(total * 0.6))
            found = run(graph, exhaustive_states=exhaustive, total_states=total, seed=seed, samplers=samplers)
            assert found.exhaustive + sum(found.sizes) == found.visited <= states, seed
            assert found.unfinished <= len(found.sizes) <= found.tried, seed
            assert found.productive_left <= found.left + samplers, seed
            assert all(size > 0 for size in found.sizes), seed
            if found.complete:
                assert found.visited == states, seed
            if total > states:
                assert found.complete, seed


@pytest.mark.parametrize("samplers", [1, 4])
def test_both_run_the_same_first_phase(samplers):
    for seed in range(300):
        graph = random_graph(seed)
        options = {"exhaustive_states": 20, "total_states": 30, "seed": seed, "samplers": samplers}
        native, plain = native_samples(graph, **options), plain_samples(graph, **options)
        assert native.exhaustive == plain.exhaustive, seed
        assert native.tried + native.left == plain.tried + plain.left, seed


def test_a_sweep_with_plenty_of_bits_counts_every_state():
    for seed in range(300):
        graph = random_graph(seed)
        expected = reference.search(PlainModel(graph), stop_at_first_violation=False)
        found = native_search(
            graph.native(),
            strategy="sweep",
            hash_functions=4,
            bitstate_bytes=1 << 16,
            scratch_directory="/tmp",
        )
        plain = coverage_sampling.sweep(PlainModel(graph), bits=1 << 19, hash_functions=4)
        assert (found.states, found.transitions, found.depth) == (
            expected.states,
            expected.transitions,
            expected.depth,
        ), seed
        assert found.complete
        assert sum(found.seen.levels) == found.states
        assert (plain.expanded, plain.transitions) == (expected.states, expected.transitions), seed
        assert plain.states == pytest.approx(expected.states, rel=0.1, abs=1)


def test_a_sweep_with_a_limit_stops_after_so_many_states():
    stopped = 0
    for seed in range(300):
        graph = random_graph(seed)
        states = reference.search(PlainModel(graph), stop_at_first_violation=False).states
        for limit in {1, max(1, states // 2), states, states + 1}:
            found = native_search(
                graph.native(),
                strategy="sweep",
                hash_functions=4,
                bitstate_bytes=1 << 16,
                state_limit=limit,
                scratch_directory="/tmp",
            )
            plain = coverage_sampling.sweep(
                PlainModel(graph), bits=1 << 19, hash_functions=4, most_expanded=limit
            )
            expanded = found.states - found.frontier
            assert expanded == plain.expanded == min(limit, states), (seed, limit)
            assert found.complete == plain.complete == (limit >= states), (seed, limit)
            assert found.stop_reason == ("" if found.complete else "states"), (seed, limit)
            assert tuple(found.seen.levels) == plain.levels, (seed, limit)
            assert found.transitions == plain.transitions, (seed, limit)
            stopped += not found.complete
    assert stopped > 300


def test_a_sweep_whose_queue_goes_to_disk_sees_the_same(tmp_path, monkeypatch):
    """A level of 2 MiB and more does not stay in memory."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))
    from models import compile_model

    model = compile_model("grid", tmp_path, DIMENSIONS=3, SIDE=40, PADDING=120)
    options = {"strategy": "sweep", "hash_functions": 4, "bitstate_bytes": 1 << 22}
    found = native_search(model, scratch_directory=str(tmp_path), **options)
    assert (found.states, found.complete) == (64_000, True)
    assert max(found.seen.levels) * 8 * 363 > 1 << 21


def test_two_overlapping_searches_of_everything_overlap_in_everything():
    for seed in range(100):
        graph = random_graph(seed)
        states = reference.search(PlainModel(graph), stop_at_first_violation=False).states
        seen = native_search(graph.native(), strategy="overlap", seed=seed, state_limit=4 * states).seen
        assert (seen.first, seen.second, seen.both) == (states, states, states), seed
        plain = coverage_sampling.two_overlapping(PlainModel(graph), states=4 * states, seed=seed)
        assert (plain.first, plain.second, plain.both) == (states, states, states), seed


def test_levels_are_those_of_the_breadth_first_search():
    for seed in range(100):
        graph = random_graph(seed)
        found = native_search(graph.native(), stop_at_first_violation=False)
        assert sum(found.seen.levels) == found.states
        assert len(found.seen.levels) == found.depth + 1
