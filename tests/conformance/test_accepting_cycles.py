"""Accepting cycles: the native search beside the definition, on random graphs with random acceptance."""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_native_engine_agrees_with_the_reference import native_search

from assay import _engine
from assay.search.reference.accepting_cycle import Judged, Step, has_accepting_cycle, is_lasso, reachable

PROGRESS = 5  # the label
WORDS = struct.Struct("<Q")


class RandomGraph:
    """Nodes with edges, processes, acceptance and progress, for both sides."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.size = chance.randint(1, 14)
        density = chance.choice([1, 1.5, 2, 3])
        self.processes = chance.choice([0, 0, 1, 2, 3])
        self.sets = chance.choice([0, 1, 1, 2, 3, 4])
        self.edges = [
            [
                (chance.randrange(self.size), chance.randrange(3))
                for _ in range(min(6, int(chance.expovariate(1 / density))))
            ]
            for _ in range(self.size)
        ]
        share = chance.choice([0.2, 0.5, 0.8])
        self.acceptance = [
            sum(1 << number for number in range(self.sets) if chance.random() < share)
            for _ in range(self.size)
        ]
        self.has_progress = chance.random() < 0.4
        rare = chance.choice([0.1, 0.4])
        self.progress = [self.has_progress and chance.random() < rare for _ in range(self.size)]

    def native(self) -> _engine.Model:
        return _engine.ExplicitGraph(
            [WORDS.pack(node * 7 + 1) for node in range(self.size)],
            [[(target, 0) for target, _ in edges] for edges in self.edges],
            [True] * self.size,
            [0] * self.size,
            [1 << PROGRESS if progress else 0 for progress in self.progress],
            [[process for _, process in edges] for edges in self.edges],
            self.acceptance,
            self.sets,
        )

    def judged(self) -> Judged[int]:
        return Judged(
            0,
            lambda node: [Step(target, process) for target, process in self.edges[node]],
            self.acceptance.__getitem__,
            self.sets,
            3 if self.processes else 0,
            self.progress.__getitem__,
        )

    @property
    def options(self) -> dict[str, object]:
        chosen: dict[str, object] = {"strategy": "accepting-cycle", "check_deadlock": False}
        if self.processes:
            chosen |= {"fair": True, "processes": 3}
        if self.has_progress:
            chosen["progress_label"] = PROGRESS
        return chosen


@pytest.mark.parametrize("part", range(20))
def test_the_search_finds_a_cycle_exactly_where_there_is_one(part):
    found_some = found_none = 0
    for seed in range(part * 400, (part + 1) * 400):
        graph = RandomGraph(seed)
        judged = graph.judged()
        result = native_search(graph.native(), **graph.options)
        assert bool(result.violations) == has_accepting_cycle(judged), seed
        if result.violations:
            found_some += 1
            (violation,) = result.violations
            assert violation.code == _engine.ACCEPTING_CYCLE
            assert not result.complete
            assert is_lasso(judged, violation.path, violation.loop_start), seed
        else:
            found_none += 1
            assert result.complete
            assert result.states == len(reachable(judged)), seed
            assert result.transitions == sum(len(graph.edges[node]) for node in reachable(judged)), seed
    assert found_some > 50
    assert found_none > 50


@pytest.mark.parametrize("part", range(4))
def test_the_search_on_disk_finds_a_cycle_exactly_where_there_is_one(part, tmp_path):
    found_some = found_none = 0
    for seed in range(20_000 + part * 60, 20_000 + (part + 1) * 60):
        graph = RandomGraph(seed)
        judged = graph.judged()
        disk = {"spill_directory": str(tmp_path / "runs"), "spill_buffer_bytes": 1 << 15}
        result = native_search(graph.native(), **graph.options, **disk)
        assert bool(result.violations) == has_accepting_cycle(judged), seed
        assert (result.states, result.transitions) == (
            len(reachable(judged)),
            sum(len(graph.edges[node]) for node in reachable(judged)),
        ), seed
        assert not (tmp_path / "runs").exists(), "a finished search leaves nothing behind"
        if result.violations:
            found_some += 1
            (violation,) = result.violations
            assert violation.code == _engine.ACCEPTING_CYCLE
            assert is_lasso(judged, violation.path, violation.loop_start), seed
        else:
            found_none += 1
            assert result.complete
    assert found_some > 6
    assert found_none > 6


def test_a_search_on_disk_that_was_stopped_goes_on(tmp_path):
    size = 3000
    disk = {"spill_directory": str(tmp_path / "runs"), "strategy": "accepting-cycle", "check_deadlock": False}
    stopped = native_search(ring(size), state_limit=1000, **disk)
    assert (stopped.complete, stopped.stop_reason, list(stopped.violations)) == (False, "states", [])
    ended = native_search(ring(size), resume=True, **disk)
    assert ended.resumed_from > 100
    (violation,) = ended.violations
    assert (len(violation.path), violation.loop_start) == (size, 0)


def ring(size, **more):
    """0 -> 1 -> ... -> 0"""
    edges = [[((node + 1) % size, 0)] for node in range(size)]
    return _engine.ExplicitGraph(
        [WORDS.pack(node) for node in range(size)], edges, [True] * size, [0] * size, **more
    )


def test_the_cycle_is_found_before_the_rest_is_explored():
    size = 10_000
    edges = [[(0, 0)] if node == 1 else [(min(node + 1, size - 1), 0)] for node in range(size)]
    edges[0] = [(1, 0), (2, 0)]
    graph = _engine.ExplicitGraph(
        [WORDS.pack(node) for node in range(size)], edges, [True] * size, [0] * size, acceptance_count=0
    )
    result = native_search(graph, strategy="accepting-cycle", check_deadlock=False)
    assert result.states < 10
    (violation,) = result.violations
    assert (violation.path, violation.loop_start) == ([0, 0], 0)


def test_more_than_64_sets_are_refused():
    with pytest.raises(ValueError, match="more than 64"):
        native_search(ring(3), strategy="accepting-cycle", fair=True, processes=65)


def test_a_process_beyond_the_announced_ones_is_told():
    graph = ring(3, processes=[[7], [7], [7]])
    with pytest.raises(ValueError, match="process 7 is beyond the 2"):
        native_search(graph, strategy="accepting-cycle", fair=True, processes=2)


def test_a_label_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="progress label"):
        native_search(ring(3), strategy="accepting-cycle", progress_label=1)


def test_a_limit_of_states_leaves_it_open():
    result = native_search(ring(100), strategy="accepting-cycle", state_limit=10, check_deadlock=False)
    assert not result.complete
    assert not result.violations
    assert result.stop_reason == "states"


def test_a_limit_of_depth_leaves_it_open():
    result = native_search(ring(100), strategy="accepting-cycle", depth_limit=10, check_deadlock=False)
    assert not result.complete
    assert not result.violations
