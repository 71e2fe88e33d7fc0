"""Certificates of searches that keep their states on disk: those of the search in memory, byte by byte."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

import assay
from assay import _engine, checker
from assay.evidence.certificate.claim import partial_name
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import OptionProblem
from tests.conformance.graphs import Graph, random_graph
from tests.conformance.test_cached_search import ENGINE

sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))
from kill_and_resume import play, write
from models import compile_model, search

ROOT = Path(__file__).parents[2]
KSU_PIPELINE = ROOT / "benchmarks" / "models" / "ksu_pipeline.pml"
SMALL = {
    "subgraphs": True,
    "reductions": (),
    "defines": ("STAGES=2", "EVENTS=1"),
}  # 19,061 states, 61,005 transitions
MIB = 1 << 20


def searched(model: _engine.Model, folder: Path, **options) -> tuple[_engine.SearchResult, _engine.GraphLog]:
    log = _engine.GraphLog(str(folder))
    settings = {**ENGINE, "strategy": "bfs", "check_deadlock": False, **options}
    return _engine.search(model, **settings, log=log), log


def frames(log: _engine.GraphLog, memory_bytes: int = 0) -> tuple[object, ...]:
    writer = _engine.ScriptWriter(log, subgraphs=True, memory_bytes=memory_bytes)
    found = []

    def take(*sections):
        found.append(sections)
        return True

    assert writer.write(_engine.frames_for(writer.transitions), take)
    return writer.states, writer.transitions, writer.depth, found


def wide_graph(width: int, levels: int) -> Graph:
    """Each level has `width` states, reached from below in another order than their content has."""
    source = random.Random(width)
    nodes = 1 + width * levels
    names = source.sample(range(1, 1 << 40), nodes)
    edges = [tuple((1 + target, 0) for target in source.sample(range(width), width))]
    for node in range(1, nodes):
        below = 1 + ((node - 1) // width + 1) * width
        targets = [source.randrange(node + 1) for _ in range(2)]
        if below < nodes:
            targets += [below + (node * 7 + step) % width for step in (0, 5, 2)]
        source.shuffle(targets)
        edges.append(tuple((target, 0) for target in targets))
    return Graph(tuple((name,) for name in names), tuple(edges), (True,) * nodes, (0,) * nodes)


@pytest.mark.parametrize("block", range(4))
def test_the_script_of_random_graphs_is_that_of_the_search_in_memory(block, tmp_path):
    compared = 0
    for seed in range(block * 150, (block + 1) * 150):
        model = random_graph(seed).native()
        whole, log = searched(model, tmp_path)
        found, on_disk = searched(
            model,
            tmp_path,
            spill_directory=str(tmp_path / "spilled"),
            spill_buffer_bytes=(1 << 15, 1 << 17, 1 << 22)[seed % 3],
            checkpoint_seconds=0.0 if seed % 5 == 0 else 30.0,
        )
        assert on_disk.is_finished == (not whole.violation_count)
        if whole.violation_count:
            assert not (tmp_path / "spilled").exists()
            continue
        compared += 1
        assert (found.states, found.transitions, found.depth) == (
            whole.states,
            whole.transitions,
            whole.depth,
        )
        assert frames(on_disk) == frames(on_disk, memory_bytes=1) == frames(log), f"graph of seed {seed}"
        on_disk.has_served()
        assert list(tmp_path.iterdir()) == []
    assert compared > 50


def test_levels_and_graphs_that_do_not_fit_are_ordered_and_numbered_in_parts(tmp_path):
    """Memory for a few hundred states; levels have 3000, the graph has thirty thousand."""
    model = wide_graph(3000, 10).native()
    _, log = searched(model, tmp_path)
    expected = frames(log)
    found, on_disk = searched(
        model, tmp_path, spill_directory=str(tmp_path / "spilled"), spill_buffer_bytes=1 << 14
    )
    assert found.states == 30_001
    assert frames(on_disk) == expected
    assert frames(on_disk, memory_bytes=1 << 14) == expected


@pytest.mark.parametrize("strategy", ["bfs", "dfs"])
def test_numbering_on_disk_writes_what_numbering_in_memory_writes(strategy, tmp_path):
    _, log = searched(wide_graph(500, 40).native(), tmp_path, strategy=strategy)
    assert frames(log, memory_bytes=1 << 12) == frames(log)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "constants"),
    [("philosophers", {"N": 8, "GREEDY": 0}), ("grid", {"DIMENSIONS": 3, "SIDE": 40, "GROW": 1})],
)
def test_a_killed_search_ends_with_the_same_certificate(name, constants, tmp_path):
    model = compile_model(name, tmp_path, **constants)
    library = next(tmp_path.glob(f"{name}-*.so"))
    log = _engine.GraphLog(str(tmp_path))
    search(model, log=log, stop_at_first_violation=False, check_deadlock=False)
    write(log, tmp_path / "whole.assay")
    played = play(library, tmp_path / "spilled", random.Random(11), tmp_path / "killed.assay")
    assert played.kills > 0
    assert (tmp_path / "killed.assay").read_bytes() == (tmp_path / "whole.assay").read_bytes()
    assert {path.suffix for path in tmp_path.iterdir()} == {".so", ".assay"}


def test_a_search_that_is_over_is_kept_until_its_log_has_served(tmp_path):
    model = wide_graph(50, 5).native()
    options = {"spill_directory": str(tmp_path / "spilled"), "spill_buffer_bytes": MIB, "resume": True}
    _, log = searched(model, tmp_path, **options)
    with pytest.raises(_engine.CheckpointProblem, match="another search is using"):
        searched(model, tmp_path, **options)
    expected = frames(log)
    del log
    again, log = searched(model, tmp_path, **options)
    assert again.resumed_from == again.states == 251
    assert frames(log) == expected
    log.has_served()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["bit", "short", "missing"])
def test_a_damaged_log_of_edges_is_refused(damage, tmp_path):
    model = wide_graph(300, 10).native()
    options = {"spill_directory": str(tmp_path / "spilled"), "spill_buffer_bytes": MIB, "resume": True}
    stopped, _ = searched(model, tmp_path, state_limit=2000, **options)
    assert stopped.stop_reason == "states"
    edges = tmp_path / "spilled" / "assay-edges"
    content = bytearray(edges.read_bytes())
    if damage == "missing":
        edges.unlink()
    elif damage == "short":
        edges.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 3] ^= 4
        edges.write_bytes(content)
    with pytest.raises(_engine.CheckpointProblem, match=r"damaged|missing"):
        searched(model, tmp_path, **options)


@pytest.mark.parametrize("coding", ["fast", "small"])
def test_the_file_is_the_same_byte_by_byte_and_both_checkers_accept_it(coding, tmp_path):
    plain, on_disk = tmp_path / "plain.assay", tmp_path / "disk.assay"
    whole = assay.verify(KSU_PIPELINE, certificate=plain, certificate_coding=coding, **SMALL)
    found = assay.verify(
        KSU_PIPELINE,
        certificate=on_disk,
        certificate_coding=coding,
        spill=tmp_path / "spilled",
        memory_limit_bytes=40 * MIB,
        **SMALL,
    )
    assert (found.verdict, found.states, found.transitions) == (
        Verdict.VERIFIED,
        whole.states,
        whole.transitions,
    )
    assert on_disk.read_bytes() == plain.read_bytes()
    assert assay.certify(KSU_PIPELINE, on_disk, defines=SMALL["defines"]).verdict is Verdict.VERIFIED
    assert checker.check(KSU_PIPELINE, on_disk).states == whole.states
    assert {path.name for path in tmp_path.iterdir()} == {"plain.assay", "disk.assay"}


def test_without_the_list_of_subgraphs_it_differs_in_what_leads_those_who_trust(tmp_path):
    plain, on_disk = tmp_path / "plain.assay", tmp_path / "disk.assay"
    options = {**SMALL, "subgraphs": False}
    assay.verify(KSU_PIPELINE, certificate=plain, **options)
    assay.verify(KSU_PIPELINE, certificate=on_disk, spill=tmp_path / "spilled", **options)
    with CertificateFile(plain) as one, CertificateFile(on_disk) as other:
        assert (one.header.version, other.header.version) == (4, 1)
        for led, plainly in zip(one.frames(), other.frames(), strict=True):
            assert led.sections[:-1] == plainly.sections[:-1]
    trusted = assay.certify(
        KSU_PIPELINE, on_disk, mode="trusted", trust_unsigned=True, defines=SMALL["defines"]
    )
    assert trusted.verdict is Verdict.VERIFIED


def test_a_stopped_search_is_continued_to_the_same_certificate(tmp_path):
    plain, on_disk = tmp_path / "plain.assay", tmp_path / "disk.assay"
    assay.verify(KSU_PIPELINE, certificate=plain, **SMALL)
    options = {"certificate": on_disk, "spill": tmp_path / "spilled", **SMALL}
    stopped = assay.verify(KSU_PIPELINE, max_states=9000, **options)
    assert stopped.verdict is Verdict.INCOMPLETE
    assert not on_disk.exists()
    leftover = tmp_path / f".assay-{'0' * 16}.partial"
    leftover.write_text("of somebody else")
    found = assay.verify(KSU_PIPELINE, resume=True, **options)
    assert found.verdict is Verdict.VERIFIED
    assert on_disk.read_bytes() == plain.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"plain.assay", "disk.assay", leftover.name}


def test_a_search_without_a_certificate_cannot_be_continued_with_one(tmp_path):
    options = {"spill": tmp_path / "spilled", **SMALL}
    assay.verify(KSU_PIPELINE, max_states=9000, **options)
    with pytest.raises(OptionProblem, match="another choice about certificates"):
        assay.verify(KSU_PIPELINE, resume=True, certificate=tmp_path / "out.assay", **options)
    assert (tmp_path / "spilled").exists()


def test_a_certificate_that_could_not_be_written_can_be_written_later(tmp_path):
    """The search is not lost with it."""
    plain, on_disk, spilled = tmp_path / "plain.assay", tmp_path / "disk.assay", tmp_path / "spilled"
    options = {"spill": spilled, **SMALL}
    assay.verify(KSU_PIPELINE, certificate=plain, **SMALL)
    in_the_way = partial_name(on_disk, str(spilled))
    in_the_way.mkdir()
    failed = assay.verify(KSU_PIPELINE, certificate=on_disk, **options)
    assert failed.verdict is Verdict.INCOMPLETE
    assert "the certificate could not be written" in failed.reasons[0]
    assert any("--resume" in note for note in failed.notes)
    in_the_way.rmdir()
    in_the_way.write_text("left by a search that was killed")
    found = assay.verify(KSU_PIPELINE, certificate=on_disk, resume=True, **options)
    assert found.verdict is Verdict.VERIFIED
    assert found.spill is not None
    assert found.spill["resumed_from"] == found.states
    assert on_disk.read_bytes() == plain.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"plain.assay", "disk.assay"}
