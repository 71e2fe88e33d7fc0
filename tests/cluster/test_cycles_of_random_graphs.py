"""Accepting cycles in partitions, beside the definition and the search on disk, on random graphs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from assay.clustering import coordinator, cycles, work
from assay.clustering.cycles import CycleCoordinator
from assay.clustering.explored import SharedDirectory
from assay.evidence.verdict import StopReason
from assay.search.options import SearchOptions
from assay.search.reference.accepting_cycle import has_accepting_cycle, is_lasso
from assay.transition_system.interface import Opening
from tests.cluster.in_this_process import TasksOfThisProcess
from tests.conformance.test_accepting_cycles import PROGRESS, RandomGraph, native_search


@pytest.fixture
def searched(monkeypatch, tmp_path):
    """The answer about a graph, from so many workers, and what they were asked to do."""
    monkeypatch.setattr(cycles, "ALONE_STATES", 1)
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr(coordinator, "share", lambda *_: SimpleNamespace(directory=str(tmp_path / "states")))

    def search(graph, workers, **options):
        question = {
            "automaton": {"acceptance_sets": graph.sets},
            "processes": 3 if graph.processes else 0,
            "progress_label": PROGRESS if graph.has_progress else None,
        }
        told = SimpleNamespace(
            product=lambda model: model,
            processes=question["processes"],
            progress_label=question["progress_label"],
        )
        monkeypatch.setattr(work, "opened", lambda _: graph.native())
        monkeypatch.setattr(work, "Question", SimpleNamespace(from_json=lambda *_: told))
        tasks = TasksOfThisProcess(workers)
        with SharedDirectory(str(tmp_path / "states")) as directory:
            explored = directory.load({}, resume=bool(options.get("resume")))
            opening = Opening("nowhere")
            chosen = SearchOptions(spill_directory=str(directory.path), **options)
            searching = CycleCoordinator(tasks, directory, opening, chosen, None, None, question)
            return (*searching.answer(explored, {}), tasks.calls)

    return search


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_a_cycle_is_found_exactly_where_there_is_one(workers, searched, tmp_path):
    found_some = found_none = in_rounds = 0
    for seed in range(40_000 + workers * 100, 40_040 + workers * 100):
        graph = RandomGraph(seed)
        judged = graph.judged()
        facts, lasso, calls = searched(graph, workers)
        in_rounds += "cycles.spread" in calls
        assert (lasso is not None) == has_accepting_cycle(judged), seed
        one = native_search(graph.native(), **graph.options, spill_directory=str(tmp_path / "one"))
        assert (facts.states, facts.transitions, facts.depth, facts.complete) == (
            one.states,
            one.transitions,
            one.depth,
            one.complete,
        ), seed
        assert not (tmp_path / "states").exists(), "a finished search leaves nothing behind"
        if lasso is None:
            found_none += 1
        else:
            found_some += 1
            assert is_lasso(judged, *lasso), seed
            (violation,) = one.violations
            assert lasso == (list(violation.path), violation.loop_start), seed
    assert found_some > 4
    assert found_none > 4
    assert in_rounds > 6 or workers == 1


def test_a_stopped_search_goes_on_with_other_workers(searched):
    graph = next(
        graph
        for graph in map(RandomGraph, range(50_000, 51_000))
        if len(graph.edges) > 12 and searched(graph, 1)[0].states > 10
    )
    expected = searched(graph, 2)[:2]
    facts, lasso, _ = searched(graph, 3, state_limit=5)
    assert (facts.states, facts.complete, facts.stop_reason, lasso) == (5, False, StopReason.STATES, None)
    facts, lasso, _ = searched(graph, 5, resume=True)
    assert (facts.states, facts.transitions, lasso) == (
        expected[0].states,
        expected[0].transitions,
        expected[1],
    )


def test_a_search_that_ends_while_cycles_are_looked_for_leaves_it_open(searched, monkeypatch):
    graph = next(graph for graph in map(RandomGraph, range(60_000, 61_000)) if searched(graph, 2)[1])

    def interrupted(*_):
        raise coordinator.Stop(StopReason.INTERRUPTED)

    with monkeypatch.context() as patch:
        patch.setattr(CycleCoordinator, "_slices_of_steps", interrupted)
        facts, lasso, _ = searched(graph, 2)
    assert (facts.complete, facts.stop_reason, lasso) == (False, StopReason.INTERRUPTED, None)
    assert searched(graph, 2, resume=True)[1] is not None
