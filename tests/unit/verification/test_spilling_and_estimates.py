"""Searches on disk and estimates of coverage, as `assay.verify` and the command line offer them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import languages
from assay.evidence.estimate_file import EstimateProblem
from assay.evidence.verdict import Verdict
from assay.search.estimation import Estimator, Plan
from assay.search.estimation_methods import METHODS
from assay.search.options import SearchOptions
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.verification.repeated_estimates import certify_estimate

MIB = 1 << 20
PHILOSOPHERS = Path(__file__).parents[3] / "benchmarks" / "models" / "philosophers.pml"
BROKEN = Path(__file__).parents[3] / "examples" / "broken_mutex.pml"
WHOLE = {"reductions": (), "defines": ("N=6",)}
STATES = 23_808  # of philosophers with N=6, without reductions


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "philosophers.pml"
    path.write_text(PHILOSOPHERS.read_text())
    return path


def test_a_search_on_disk_ends_in_the_same_verdict(program, tmp_path):
    expected = assay.verify(program, **WHOLE)
    found = assay.verify(program, spill=tmp_path / "disk", memory_limit_bytes=60 * MIB, **WHOLE)
    assert expected.states == STATES
    assert (found.verdict, found.states, found.transitions, found.depth, found.levels) == (
        Verdict.VERIFIED,
        expected.states,
        expected.transitions,
        expected.depth,
        expected.levels,
    )
    assert found.spill is not None
    assert found.spill["resumed_from"] == 0
    assert not (tmp_path / "disk").exists()


def test_a_counterexample_from_disk_is_shortest_and_replays(tmp_path):
    expected = assay.verify(BROKEN)
    found = assay.verify(BROKEN, spill=tmp_path / "disk", trace=tmp_path / "trace.json")
    assert found.verdict is Verdict.VIOLATED
    run, known = found.violations[0].counterexample, expected.violations[0].counterexample
    assert run is not None
    assert known is not None
    assert run.length == known.length
    assert assay.replay(BROKEN, tmp_path / "trace.json").length == run.length


def test_a_stopped_search_says_how_to_go_on_and_goes_on(program, tmp_path):
    stopped = assay.verify(program, spill=tmp_path / "disk", max_states=5000, **WHOLE)
    assert (stopped.verdict, stopped.states) == (Verdict.INCOMPLETE, 5000)
    assert any("--resume" in note for note in stopped.notes)
    found = assay.verify(program, spill=tmp_path / "disk", resume=True, **WHOLE)
    assert (found.verdict, found.states) == (Verdict.VERIFIED, STATES)
    assert found.spill is not None
    assert 0 < found.spill["resumed_from"] < STATES


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"defines": ("N=5",)}, "another meaning of the program"),
        ({"check_deadlock": False}, "another choice about deadlocks"),
        ({"all_errors": True}, "another choice about errors"),
        ({"max_depth": 9}, "another depth limit"),
        ({"invariants": ("1 == 1",)}, "another"),
    ],
)
def test_a_search_with_other_options_is_not_continued(change, sentence, program, tmp_path):
    assay.verify(program, spill=tmp_path / "disk", max_states=5000, **WHOLE)
    with pytest.raises(OptionProblem, match=sentence):
        assay.verify(program, spill=tmp_path / "disk", resume=True, **{**WHOLE, **change})


def test_a_search_of_a_program_that_has_changed_is_not_continued(program, tmp_path):
    assay.verify(program, spill=tmp_path / "disk", max_states=5000, **WHOLE)
    program.write_text(program.read_text() + "\n/* another text */\n")
    with pytest.raises(OptionProblem, match="another program"):
        assay.verify(program, spill=tmp_path / "disk", resume=True, **WHOLE)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"search": "dfs"}, "needs the search bfs, got dfs"),
        ({"storage": "fingerprint"}, "needs the storage exact"),
        ({"threads": 2}, "one thread"),
    ],
)
def test_what_does_not_go_with_the_disk_is_refused(options, sentence, program, tmp_path):
    with pytest.raises(OptionProblem, match=sentence):
        assay.verify(program, spill=tmp_path / "disk", **options)


def test_resuming_needs_a_directory(program):
    with pytest.raises(OptionProblem, match="name that directory too"):
        assay.verify(program, resume=True)


def test_a_search_that_stops_for_memory_points_to_the_disk_first_and_estimates_on_its_own(program):
    found = assay.verify(program, memory_limit_bytes=28 * MIB, reductions=(), defines=("N=9",))
    assert (found.verdict, found.stop_reason) == (Verdict.INCOMPLETE, "memory")
    assert "--spill DIR" in found.notes[0]
    if found.coverage is not None:  # a busy machine may not finish in as much time again
        assert found.states / 3_883_008 <= found.coverage["high"] + 0.01


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_an_estimate_that_is_no_verdict(method, program):
    found = assay.verify(program, max_states=6000, estimate=method, **WHOLE)
    assert (found.verdict, found.states) == (Verdict.INCOMPLETE, 6000)
    assert found.coverage is not None
    assert 0 <= found.coverage["low"] <= found.coverage["coverage"] <= found.coverage["high"] <= 1
    assert found.coverage["plan"]["method"] == method
    if method == "sweep":
        assert found.coverage["coverage"] == pytest.approx(6000 / STATES, abs=0.01)
        assert found.coverage["low"] <= 6000 / STATES <= found.coverage["high"]


def test_what_a_search_in_another_order_saw_is_estimated_too(program):
    found = assay.verify(program, search="dfs", order="reversed", max_states=6000, estimate="sweep", **WHOLE)
    assert (found.verdict, found.states) == (Verdict.INCOMPLETE, 6000)
    assert found.coverage["coverage"] == pytest.approx(6000 / STATES, abs=0.01)


def test_a_short_sweep_does_three_times_the_work_of_the_search_and_no_more(program):
    found = assay.verify(program, max_states=6000, estimate="short-sweep", **WHOLE)
    assert found.coverage is not None
    (sweep,) = found.coverage["seen"]
    assert (sweep["expanded"], sweep["complete"]) == (18_000, False)
    assert found.coverage["low"] <= 6000 / STATES <= found.coverage["high"]
    assert found.coverage["coverage"] == pytest.approx(6000 / STATES, abs=0.15)
    assert found.coverage["method"].endswith("unfinished, bell")


def test_a_short_sweep_that_comes_to_the_end_counts(program):
    found = assay.verify(program, max_states=12_000, estimate="short-sweep", **WHOLE)
    assert found.coverage is not None
    assert found.coverage["seen"][0]["complete"]
    assert found.coverage["coverage"] == pytest.approx(12_000 / STATES, abs=0.005)


def test_without_time_the_levels_of_the_search_itself_are_continued(program):
    compiled = languages.load(program, LanguageOptions(reductions=frozenset(), defines=("N=6",)))
    estimator = Estimator(compiled.opening, SearchOptions(), deadline=0.0)
    plan = Plan(method="short-sweep", states=6000, memory_bytes=1 << 20)
    assert estimator.run(plan) is None
    found = estimator.run(plan, levels=(1, 6, 21, 56, 126, 252, 440, 700, 500, 300))
    assert found is not None
    assert (found.estimate.method, found.seen) == ("levels, bell", ())
    growing = estimator.run(plan, levels=(1, 6, 21, 56, 126, 252, 440, 700))
    assert growing is not None
    assert not growing.estimate.says_something


def test_with_a_time_limit_the_short_sweep_is_the_default(program, tmp_path):
    path = tmp_path / "estimate.json"
    found = assay.verify(program, max_states=6000, timeout_seconds=600, estimate_file=path, **WHOLE)
    assert found.coverage is not None
    assert found.coverage["plan"]["method"] == "short-sweep"
    repeated = certify_estimate(program, path)
    assert (repeated.verdict, repeated.mode) == (Verdict.INCOMPLETE, "estimate")
    assert "agrees" in repeated.reasons[0]


def test_a_search_that_sees_everything_needs_no_estimate(program):
    found = assay.verify(program, estimate="sweep", **WHOLE)
    assert (found.verdict, found.coverage) == (Verdict.VERIFIED, None)


def test_an_unknown_method_is_refused(program):
    with pytest.raises(OptionProblem, match="expected one of sweep"):
        assay.verify(program, estimate="guessing")


def test_an_estimate_met_on_the_way_to_a_violation_is_mentioned_not_judged(tmp_path):
    model = tmp_path / "late.pml"
    model.write_text("byte x; active proctype P() { do :: x < 200 -> x++ :: x == 200 -> assert(false) od }\n")
    found = assay.verify(model, max_states=50, estimate="sweep", reductions=())
    assert found.verdict is Verdict.INCOMPLETE
    assert any("met violations" in note for note in found.notes)


@pytest.fixture
def estimated(program, tmp_path):
    path = tmp_path / "estimate.json"
    assay.verify(program, max_states=6000, estimate_file=path, **WHOLE)
    return path


def test_a_saved_estimate_can_be_repeated_and_agrees(program, estimated):
    result = certify_estimate(program, estimated)
    assert (result.verdict, result.mode, result.complete) == (Verdict.INCOMPLETE, "estimate", False)
    assert "agrees" in result.reasons[0]


def test_an_estimate_that_is_wrong_is_rejected(program, estimated):
    content = json.loads(estimated.read_text())
    content["estimate"] |= {"coverage": 0.9, "low": 0.89, "high": 0.91}
    estimated.write_text(json.dumps(content))
    result = certify_estimate(program, estimated)
    assert result.verdict is Verdict.REJECTED
    assert "does not agree" in result.reasons[0]


def test_an_estimate_of_another_program_is_rejected(program, estimated):
    program.write_text(program.read_text() + "\n")
    assert certify_estimate(program, estimated).reasons == ("the estimate is of another program",)


def test_an_estimate_by_an_unknown_method_is_not_repeated(program, estimated):
    content = json.loads(estimated.read_text())
    content["estimate"]["plan"]["method"] = "guessing"
    estimated.write_text(json.dumps(content))
    with pytest.raises(EstimateProblem, match="cannot be repeated"):
        certify_estimate(program, estimated)


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [str(Path(sys.executable).with_name("assay")), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)


def test_the_command_line_says_what_an_estimate_is(program, tmp_path):
    options = ("--no-reductions", "-D", "N=6", "--max-states", "6000", "--estimate")
    said = command("verify", program, *options, "--estimate-file", tmp_path / "e.json")
    assert said.returncode == 3
    assert "coverage: about 25" in said.stdout
    assert "an estimate, no proof" in said.stdout
    again = command("certify", program, tmp_path / "e.json")
    assert again.returncode == 3
    assert "nothing is proved; the estimate was repeated and agrees" in again.stdout
    (tmp_path / "e.json").write_text("{}")
    refused = command("certify", program, tmp_path / "e.json")
    assert (refused.returncode, refused.stdout) == (4, "")


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_plot_is_drawn(suffix, program, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"search.{suffix}"
    said = command("verify", program, "--no-reductions", "-D", "N=6", "--plot", picture)
    assert said.returncode == 0, said.stderr
    start = {"png": b"\x89PNG", "svg": b"<?xml"}[suffix]
    assert picture.read_bytes().startswith(start)


def test_a_plot_of_another_kind_is_refused_before_the_search(program, tmp_path):
    said = command("verify", program, "--plot", tmp_path / "search.gif")
    assert (said.returncode, said.stdout) == (2, "")
    assert "expected a file named .png or .svg" in said.stderr


COUNTING = """\
import threading

count = 0


def add():
    global count
    while count < 60:
        count += 1


first = threading.Thread(target=add)
second = threading.Thread(target=add)
first.start()
second.start()
first.join()
second.join()
"""


@pytest.fixture
def python_program(tmp_path):
    path = tmp_path / "counting.py"
    path.write_text(COUNTING)
    return path


def test_python_programs_have_estimates(python_program):
    found = assay.verify(python_program, max_states=300, estimate="sweep")
    assert found.verdict is Verdict.INCOMPLETE
    assert found.coverage is not None
    assert 0 < found.coverage["coverage"] < 1
