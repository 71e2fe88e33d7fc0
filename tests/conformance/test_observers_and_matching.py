"""What listens to a search, and policies that say when two states count as one."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from graphs import random_graph
from test_native_engine_agrees_with_the_reference import native_search

from assay import _engine


@pytest.mark.parametrize("strategy", ["bfs", "dfs", "random-dfs"])
def test_observers_are_told_of_everything(strategy):
    for seed in range(100):
        found = native_search(
            random_graph(seed).native(), strategy=strategy, observe="steps", stop_at_first_violation=False
        )
        told = found.observations
        assert told["states expanded"] == found.states, seed
        assert told["steps"] == found.transitions, seed
        assert told["steps that discovered a state"] == found.states - 1, seed


def test_observers_are_told_of_every_visit_of_a_search_that_forgets(tmp_path):
    for seed in range(30):
        log = _engine.GraphLog(str(tmp_path)) if seed % 2 else None
        found = native_search(
            random_graph(seed).native(), strategy="cached", cache_size=1000, observe="steps", log=log
        )  # fmt: skip
        assert found.observations["states expanded"] == found.states, seed
        if not found.violation_count:
            assert found.observations["steps that discovered a state"] == found.states - 1, seed


@pytest.mark.parametrize(
    "options", [{"storage": "fingerprint"}, {"threads": 2}, {"strategy": "sweep"}], ids=str
)
def test_a_search_that_tells_nothing_is_not_observed(options):
    with pytest.raises(ValueError, match="does not tell what it meets"):
        native_search(random_graph(1).native(), observe="steps", **options)


class Pairs:
    """Two counters up to `n`; states are compared by what `key` leaves of them."""

    def __init__(self, n, key, broken_at=None):
        self.n, self.key, self.broken_at = n, key, broken_at

    def initial_state(self):
        return struct.pack("<2Q", 0, 0), 0

    def successors(self, state):
        x, y = struct.unpack("<2Q", state)
        return [(struct.pack("<2Q", *after), 0) for after in ((x + 1, y), (x, y + 1)) if max(after) <= self.n]

    def is_valid_end(self, state):
        return True

    def check_state(self, state):
        return int(struct.unpack("<2Q", state) == self.broken_at)

    def match_key(self, state):
        return struct.pack("<Q", self.key(*struct.unpack("<2Q", state)))


@pytest.mark.parametrize("strategy", ["bfs", "dfs", "random-dfs"])
def test_an_abstraction_merges_states_with_one_key(strategy):
    model = _engine.PythonSystem(Pairs(9, lambda x, y: x + y), 2)
    found = native_search(model, strategy=strategy, storage="abstraction")
    assert (found.states, found.complete, found.guarantee) == (19, True, "under-approximates")
    exact = native_search(model, strategy=strategy)
    assert (exact.states, exact.guarantee) == (100, "exact")


@pytest.mark.parametrize("strategy", ["bfs", "dfs"])
def test_a_key_that_tells_all_states_apart_merges_none(strategy):
    model = _engine.PythonSystem(Pairs(9, lambda x, y: 100 * x + y, broken_at=(4, 5)), 2)
    found = native_search(model, strategy=strategy, storage="abstraction")
    assert found.violation_count == 1
    path = found.violations[0].path
    assert sum(1 for step in path if step == 0) >= 4
    whole = native_search(model, strategy=strategy, storage="abstraction", stop_at_first_violation=False)
    assert (whole.states, whole.transitions) == (100, 180)


def test_without_a_key_states_are_compared_whole():
    for seed in range(50):
        graph = random_graph(seed).native()
        exact = native_search(graph, stop_at_first_violation=False)
        merged = native_search(graph, storage="abstraction", stop_at_first_violation=False)
        assert (exact.states, exact.transitions) == (merged.states, merged.transitions), seed


@pytest.mark.parametrize(("storage", "guarantee"), [("fingerprint", "may-lose"), ("exact", "exact")])
def test_every_search_says_what_it_may_have_missed(storage, guarantee):
    assert native_search(random_graph(3).native(), storage=storage).guarantee == guarantee


class Climbing(Pairs):
    def check_step(self, before, after):
        return int(struct.unpack("<2Q", after)[0] > struct.unpack("<2Q", before)[0])


@pytest.mark.parametrize("strategy", ["sweep", "two-phases", "overlap", "bfs", "dfs", "cached"])
def test_every_search_checks_steps(strategy):
    model = _engine.PythonSystem(Climbing(4, lambda x, y: x), 2)
    found = native_search(
        model, strategy=strategy, stop_at_first_violation=False, cache_size=100, state_limit=1000,
        exhaustive_states=10,
    )  # fmt: skip
    assert found.violation_count >= (
        4 if strategy == "two-phases" else 20
    )  # steps that raise the first counter
