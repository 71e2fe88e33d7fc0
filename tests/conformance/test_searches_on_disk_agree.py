"""The search with its states on disk, native and in Python, against the search in memory."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from graphs import Graph, PlainModel, random_graph, replayed_codes
from test_native_engine_agrees_with_the_reference import graphs, native_search

from assay.search import reference

# The widest of the random states takes 2400 bytes, and a table must hold a few.
BUFFERS = (1 << 15, 1 << 17, 1 << 22)


def expect_the_same(expected, found, plain: PlainModel, *, all_errors: bool) -> None:
    assert (found.complete, found.stop_reason) == (expected.complete, expected.stop_reason)
    assert found.violation_count == expected.violation_count
    lengths = {violation.code: len(violation.path) for violation in expected.violations}
    if all_errors:
        assert (found.states, found.transitions, found.depth, found.frontier) == (
            expected.states,
            expected.transitions,
            expected.depth,
            0,
        )
        assert {violation.code: len(violation.path) for violation in found.violations} == lengths
    else:
        assert [len(violation.path) for violation in found.violations] == list(lengths.values())
    for violation in found.violations:
        assert violation.code in replayed_codes(plain, list(violation.path))


def check_native(graph: Graph, directory: Path, seed: int) -> None:
    plain, compiled = PlainModel(graph), graph.native()
    for all_errors in (True, False):
        expected = native_search(compiled, stop_at_first_violation=not all_errors)
        found = native_search(
            compiled,
            stop_at_first_violation=not all_errors,
            spill_directory=str(directory / "native"),
            spill_buffer_bytes=BUFFERS[seed % 3],
            checkpoint_seconds=0.0 if seed % 5 == 0 else 30.0,
        )
        expect_the_same(expected, found, plain, all_errors=all_errors)
        assert not (directory / "native").exists(), "a finished search leaves nothing behind"


def check_reference(graph: Graph, directory: Path, seed: int) -> None:
    plain = PlainModel(graph)
    for all_errors in (True, False):
        expected = reference.search(plain, stop_at_first_violation=not all_errors)
        found = reference.search(
            plain,
            stop_at_first_violation=not all_errors,
            spill_directory=str(directory),
            spill_batch_states=(1, 3, 1000)[seed % 3],
        )
        expect_the_same(expected, found, plain, all_errors=all_errors)


@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("check", [check_native, check_reference])
def test_a_search_on_disk_sees_what_a_search_in_memory_sees(check, block, tmp_path):
    for seed in range(block * 400, (block + 1) * 400):
        try:
            check(random_graph(seed), tmp_path, seed)
        except AssertionError as problem:
            raise AssertionError(f"graph of seed {seed}: {problem}") from problem


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(graph=graphs(), seed=st.integers(0, 14))
def test_small_graphs_too(graph, seed, tmp_path_factory):
    directory = tmp_path_factory.getbasetemp()
    check_native(graph, directory, seed)
    check_reference(graph, directory, seed)


def test_a_depth_limit_cuts_at_the_same_place(tmp_path):
    for seed in range(200):
        graph = random_graph(seed)
        for limit in (1, 2, 5):
            expected = reference.search(PlainModel(graph), depth_limit=limit, stop_at_first_violation=False)
            found = native_search(
                graph.native(),
                depth_limit=limit,
                stop_at_first_violation=False,
                spill_directory=str(tmp_path / "spilled"),
                spill_buffer_bytes=1 << 16,
            )
            assert (found.states, found.transitions, found.depth, found.stop_reason) == (
                expected.states,
                expected.transitions,
                expected.depth,
                expected.stop_reason,
            ), seed


def test_a_limit_on_states_is_kept_and_the_rest_can_be_searched_later(tmp_path):
    for seed in range(200):
        graph = random_graph(seed)
        whole = native_search(graph.native(), stop_at_first_violation=False)
        limit = whole.states // 2
        if limit == 0:
            continue
        options = {"spill_directory": str(tmp_path / "spilled"), "spill_buffer_bytes": 1 << 16}
        half = native_search(graph.native(), stop_at_first_violation=False, state_limit=limit, **options)
        assert (half.states, half.stop_reason, half.complete) == (limit, "states", False), seed
        rest = native_search(graph.native(), stop_at_first_violation=False, resume=True, **options)
        assert (rest.states, rest.transitions, rest.depth, rest.violation_count, rest.complete) == (
            whole.states,
            whole.transitions,
            whole.depth,
            whole.violation_count,
            True,
        ), seed


@pytest.mark.parametrize(
    "options", [{"strategy": "dfs"}, {"storage": "fingerprint"}, {"threads": 2}], ids=lambda o: next(iter(o))
)
def test_other_searches_are_refused_with_a_sentence(options, tmp_path):
    with pytest.raises(ValueError, match="bfs on one thread with exact storage"):
        native_search(random_graph(1).native(), spill_directory=str(tmp_path), **options)
