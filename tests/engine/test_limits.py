"""Limits are honoured, and a search that met one never calls itself complete."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from models import compile_model, search

from assay import _engine

ENGINES = [{}, {"threads": 2}, {"strategy": "dfs"}, {"storage": "fingerprint"}]
ALL = [*ENGINES, {"strategy": "dfs", "storage": "bitstate", "bitstate_bytes": 1 << 24}]


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """More states than any test waits for."""
    return compile_model("grid", tmp_path_factory.mktemp("models"), DIMENSIONS=8, SIDE=1000)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return compile_model("grid", tmp_path_factory.mktemp("models"), DIMENSIONS=2, SIDE=100)


@pytest.mark.parametrize("options", ALL, ids=str)
@pytest.mark.parametrize("limit", [1, 10, 1000, 100_000])
def test_state_limit(endless, options, limit):
    result = search(endless, state_limit=limit, **options)
    assert (result.stop_reason, result.complete) == ("states", False)
    assert limit <= result.states <= limit * 1.1 + 4 * (options.get("threads", 1) - 1)
    assert result.frontier > 0


@pytest.mark.parametrize("options", ALL, ids=str)
def test_a_state_limit_that_is_just_enough_does_not_stop_the_search(small, options):
    result = search(small, state_limit=10_000, **options)
    assert (result.states, result.stop_reason, result.complete) == (10_000, "", True)


@pytest.mark.parametrize("options", ALL, ids=str)
def test_depth_limit(small, options):
    result = search(small, depth_limit=5, **options)
    assert (result.stop_reason, result.complete, result.depth) == ("depth", False, 5)
    if options.get("strategy") != "dfs":
        assert result.states == 1 + 2 + 3 + 4 + 5 + 6


@pytest.mark.parametrize("options", ALL, ids=str)
def test_time_limit(endless, options):
    for seconds in (0.5, 5.0, 50.0):  # until the machine is fast enough to see something
        began = time.monotonic()
        result = search(endless, time_limit_seconds=seconds, **options)
        assert (result.stop_reason, result.complete) == ("time", False)
        assert time.monotonic() - began > 0.9 * seconds
        if result.states > 1:
            break
    assert result.states > 1


@pytest.mark.parametrize("options", ALL, ids=str)
def test_memory_limit(endless, options):
    limit = resident_bytes() + 48 * 2**20
    peak = 0

    def watch(progress: _engine.Progress) -> bool:
        nonlocal peak
        peak = max(peak, progress.memory_bytes)
        return True

    result = search(
        endless,
        memory_limit_bytes=limit,
        on_progress=watch,
        progress_interval_seconds=0.005,
        **options,
    )
    assert (result.stop_reason, result.complete) == ("memory", False)
    assert peak < limit * 1.1
    assert result.states > 200_000


def test_a_bit_array_that_does_not_fit_is_refused(endless):
    result = search(
        endless,
        strategy="dfs",
        storage="bitstate",
        bitstate_bytes=2**32,
        memory_limit_bytes=resident_bytes() + 2**24,
    )
    assert (result.stop_reason, result.complete) == ("memory", False)


@pytest.mark.parametrize("strategy", ["dfs", "random-dfs"])
@pytest.mark.parametrize(
    ("name", "constants"),
    [("philosophers", {"N": 8, "GREEDY": 0}), ("grid", {"DIMENSIONS": 2, "SIDE": 400, "GROW": 1})],
    ids=["philosophers", "grid"],
)
def test_a_bitstate_search_follows_a_long_path_in_little_memory(tmp_path, name, constants, strategy):
    """The successors that wait along it do not fit what they may take: they are dropped and made again."""
    model = compile_model(name, tmp_path, **constants)
    bits = 1 << 24
    exact = search(model, strategy=strategy)
    found = search(model, strategy=strategy, storage="bitstate", bitstate_bytes=bits)
    assert (found.states, found.transitions, found.complete) == (exact.states, exact.transitions, True)
    if strategy == "dfs":
        assert found.depth == exact.depth
    assert found.depth > 40_000
    assert found.table_bytes - bits < 2**21 + 40 * found.depth


@pytest.mark.parametrize("options", ALL, ids=str)
def test_progress_is_reported_and_can_stop_the_search(endless, options):
    seen = []

    def watch(progress: _engine.Progress) -> bool:
        seen.append((progress.states, progress.seconds, progress.memory_bytes))
        return len(seen) < 4

    result = search(endless, on_progress=watch, progress_interval_seconds=0.05, **options)
    assert (result.stop_reason, result.complete, len(seen)) == ("interrupted", False, 4)
    assert seen[0][0] < seen[-1][0]
    assert all(memory > 2**20 for _, _, memory in seen)


def test_progress_is_reported_while_a_single_state_takes_long(tmp_path):
    slow = compile_model("grid", tmp_path, DIMENSIONS=1, SIDE=2, SLOW=300_000_000)
    seen = []
    search(
        slow,
        on_progress=lambda progress: seen.append(progress.states) or True,
        progress_interval_seconds=0.02,
    )
    assert len(seen) >= 5


def test_an_exception_in_the_callback_stops_the_search_and_is_told(endless, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_type))

    def fail(progress: _engine.Progress) -> bool:
        raise RuntimeError("no more")

    result = search(endless, on_progress=fail, progress_interval_seconds=0.01)
    assert (result.stop_reason, result.complete) == ("interrupted", False)
    assert told == [RuntimeError]


@pytest.mark.parametrize("options", ALL, ids=str)
def test_an_interrupt_from_the_keyboard_ends_in_a_partial_result(endless, options):
    seen = threading.Event()

    def interrupt():
        seen.wait()
        os.kill(os.getpid(), signal.SIGINT)

    def watch(progress: _engine.Progress) -> bool:
        if progress.states > 1:
            seen.set()
        return True

    keyboard = threading.Thread(target=interrupt)
    keyboard.start()
    result = search(endless, on_progress=watch, progress_interval_seconds=0.01, **options)
    keyboard.join()
    assert (result.stop_reason, result.complete) == ("interrupted", False)
    assert result.states > 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"strategy": "dfs", "threads": 2}, "'dfs' with exact storage runs on one thread"),
        ({"strategy": "astar"}, "unknown strategy 'astar'"),
        ({"storage": "paper"}, "unknown storage 'paper'"),
        ({"storage": "bitstate"}, "'bitstate' does not go with 'bfs'; use dfs or random-dfs with it"),
        (
            {"storage": "fingerprint", "strategy": "dfs"},
            "'fingerprint' does not go with 'dfs'; use bfs with it",
        ),
        ({"storage": "fingerprint", "threads": 2}, "bfs with exact storage runs on several"),
        ({"threads": 0}, "at least one thread"),
        ({"colour": "red"}, "no search has an option 'colour'"),
        ({"seed": "red"}, "the option 'seed' has a value of another kind"),
        ({"observe": "birds"}, "nobody observes 'birds'"),
    ],
)
def test_options_that_do_not_go_together_are_refused_with_a_sentence(small, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        search(small, **options)


def test_a_library_that_is_no_model_is_refused_with_a_sentence(tmp_path):
    nothing = tmp_path / "nothing.so"
    nothing.write_bytes(b"not a library")
    with pytest.raises(RuntimeError, match="cannot open the compiled model"):
        _engine.CompiledModel(str(nothing))


def test_a_state_that_is_no_state_of_the_model_is_refused_with_a_sentence(small):
    with pytest.raises(ValueError, match="whole number of 8-byte words"):
        small.successors(b"abc")
    with pytest.raises(ValueError, match="at most 2 words"):
        small.successors(bytes(24))
    with pytest.raises(IndexError, match="has 2 successors"):
        small.explain(small.initial_state()[0], 2)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
