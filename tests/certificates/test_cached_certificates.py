"""Certificates of searches that forget states: the same as those of searches that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay import _engine, checker
from assay.evidence.verdict import Verdict
from assay.search.options import POLICIES
from tests.conformance.graphs import Graph
from tests.conformance.test_cached_search import ENGINE, graphs, layered_graph

ROOT = Path(__file__).parents[2]
KSU_PIPELINE = ROOT / "benchmarks" / "models" / "ksu_pipeline.pml"
SMALL = {"reductions": (), "defines": ("STAGES=2", "EVENTS=1")}  # 19,061 states, 61,005 transitions


def searched(model: _engine.Model, folder: Path, **options) -> tuple[_engine.SearchResult, _engine.GraphLog]:
    log = _engine.GraphLog(str(folder))
    return _engine.search(model, **{**ENGINE, "check_deadlock": False, **options}, log=log), log


def frames(log: _engine.GraphLog) -> tuple[object, ...]:
    writer = _engine.ScriptWriter(log, subgraphs=True)
    found = []

    def take(*sections):
        found.append(sections)
        return True

    assert writer.write(_engine.frames_for(writer.transitions), take)
    return writer.states, writer.transitions, writer.depth, found


@pytest.mark.parametrize("policy", POLICIES)
def test_the_script_is_that_of_the_search_that_keeps_everything(policy, tmp_path):
    compared = again = 0
    for seed, graph in graphs(range(60), layered=40):
        model = graph.native()
        whole, log = searched(model, tmp_path, strategy="dfs")
        assert whole.complete
        if whole.violation_count:
            continue
        expected = frames(log)
        for size in {max(1, whole.states // 2), max(1, whole.states * 3 // 4), whole.states}:
            found, log = searched(
                model, tmp_path, cache_size=size, cache_policy=policy, seed=seed, state_limit=5000
            )
            assert log.is_finished == found.complete
            if not found.complete:
                continue
            compared += 1
            again += found.states > whole.states
            assert frames(log) == expected, (seed, size)
            assert found.cache.states_of_graph == whole.states
            assert found.cache.transitions_of_graph == whole.transitions
    assert compared > 60
    assert again > 10
    assert list(tmp_path.iterdir()) == []


def test_many_states_are_numbered_in_several_passes(tmp_path):
    # The table holds 1024 states at once, the graph has four times as many.
    width, levels = 80, 50
    nodes = 1 + width * levels
    edges = [tuple((1 + target, 0) for target in range(width))]
    for node in range(1, nodes):
        level, place = divmod(node - 1, width)
        below = 1 + (level + 1) * width
        edges.append(
            tuple((below + (place + step) % width, 0) for step in (0, 3, 7)) if below < nodes else ((0, 0),)
        )
    graph = Graph(tuple((node,) for node in range(nodes)), tuple(edges), (True,) * nodes, (0,) * nodes)
    whole, log = searched(graph.native(), tmp_path, strategy="dfs")
    expected = frames(log)
    found, log = searched(graph.native(), tmp_path, cache_size=3000)
    assert found.complete
    assert found.cache.replaced > 0
    small, again = searched(graph.native(), tmp_path, cache_size=1000, state_limit=2_000_000)
    assert small.complete
    assert small.states > whole.states == nodes
    assert frames(log) == frames(again) == expected


def test_a_search_that_found_something_or_did_not_finish_writes_no_graph(tmp_path):
    graph = layered_graph(4)
    stopped, log = searched(graph.native(), tmp_path, cache_size=5000, state_limit=10)
    assert not stopped.complete
    assert not log.is_finished
    failing = Graph(((0,), (1,)), (((1, 0),), ()), (True, True), (0, 3))
    violated, log = searched(failing.native(), tmp_path, cache_size=2)
    assert violated.violation_count == 1
    assert not log.is_finished


def test_the_file_is_the_same_byte_by_byte_and_both_checkers_accept_it(tmp_path):
    plain, cached = tmp_path / "plain.assay", tmp_path / "cached.assay"
    whole = assay.verify(KSU_PIPELINE, search="dfs", certificate=plain, **SMALL)
    found = assay.verify(KSU_PIPELINE, search="cached", cache_size=8000, certificate=cached, **SMALL)
    assert (whole.verdict, found.verdict) == (Verdict.VERIFIED, Verdict.VERIFIED)
    assert found.cache is not None
    assert found.cache.replaced > 10_000
    assert found.states > whole.states
    answer = found.as_json()["cache"]
    assert answer["states_at_least"] == answer["states_at_most"] == whole.states
    assert answer["visits_per_state"] == found.states / whole.states
    assert answer["redundant_work"] == found.transitions / whole.transitions
    assert cached.read_bytes() == plain.read_bytes()
    certified = assay.certify(KSU_PIPELINE, cached, defines=SMALL["defines"])
    assert certified.verdict is Verdict.VERIFIED
    assert checker.check(KSU_PIPELINE, cached).states == whole.states
    assert {path.name for path in tmp_path.iterdir()} == {"plain.assay", "cached.assay"}


def test_a_cache_that_is_too_small_gives_no_certificate(tmp_path):
    file = tmp_path / "out.assay"
    found = assay.verify(KSU_PIPELINE, search="cached", cache_size=50, certificate=file, **SMALL)
    assert found.verdict is Verdict.INCOMPLETE
    assert found.stop_reason == "cache"
    assert not file.exists()


def test_a_python_class_is_certified_with_a_cache_too(tmp_path):
    program = f"{ROOT / 'examples' / 'token_ring.py'}:TokenRing"
    result = assay.verify(program, search="cached", cache_size=5, certificate=tmp_path / "out.assay")
    assert result.cache.replaced > 0
    assert assay.certify(program, tmp_path / "out.assay").verdict is assay.Verdict.VERIFIED
