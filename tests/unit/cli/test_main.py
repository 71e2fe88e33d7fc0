"""The command line from the outside: exit codes, one JSON object, sentences instead of tracebacks."""

import json
import os
import signal
import subprocess
import sys

import pytest

from assay import __version__
from assay.cli import main as cli
from assay.execution import model_process

SHARED_KEYS = {
    "verdict", "complete", "states", "transitions", "depth", "seconds", "peak_memory_bytes", "violations",
    "certificate", "options", "version",
}  # fmt: skip


@pytest.fixture
def run(capfd, monkeypatch, tmp_path, counter_language):
    """Runs `assay ...` in an empty directory; returns exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments):
        before = signal.getsignal(signal.SIGTERM)
        try:
            with pytest.raises(SystemExit) as leaving:
                cli.main(list(arguments))
        finally:
            signal.signal(signal.SIGTERM, before)
        output, errors = capfd.readouterr()
        assert "Traceback" not in output + errors
        return leaving.value.code, output, errors

    return run_command


@pytest.fixture
def model(tmp_path):
    def write(text, name="model.counter"):
        (tmp_path / name).write_text(text)
        return name

    return write


def test_verified(run, model):
    code, output, errors = run("verify", model(""))
    assert code == 0
    assert output.startswith(
        "verified  model.counter: all 11 reachable states visited, every property asked for holds\n"
    )
    assert errors == ""


def test_verified_as_json(run, model):
    code, output, errors = run("verify", model(""), "--json")
    data = json.loads(output)
    assert code == 0
    assert errors == ""
    assert data.keys() >= SHARED_KEYS
    assert (data["verdict"], data["complete"], data["states"], data["transitions"]) == (
        "verified",
        True,
        11,
        20,
    )
    assert data["violations"] == []
    assert data["version"] == __version__
    assert data["options"]["search"] == "bfs"


def test_violated_saves_the_trace_and_says_where(run, model, tmp_path):
    code, output, _ = run("verify", model("FAIL_AT=3"))
    assert code == 1
    assert "violated  assertion: assertion 7 failed  model.counter:3" in output
    assert "assay replay model.counter model.trace.json" in output
    assert (tmp_path / "model.trace.json").exists()


def test_violated_as_json_has_every_step(run, model):
    code, output, _ = run("verify", model("FAIL_AT=3"), "--json", "--trace", "here.json")
    [violation] = json.loads(output)["violations"]
    assert code == 1
    assert violation["kind"] == "assertion"
    assert (violation["file"], violation["line"]) == ("model.counter", 3)
    assert len(violation["steps"]) == violation["length"] == 2
    assert violation["steps"][0]["changes"][0]["name"] == "number"
    assert violation["trace"] == "here.json"


def test_deadlock_and_its_switch(run, model):
    code, output, _ = run("verify", model("STOP_AT_LAST"))
    assert code == 1
    assert "counter[0] waits at model.counter:9 for  number < LAST" in output
    assert run("verify", "model.counter", "--no-deadlock")[0] == 0


def test_all_errors_counts_and_stays_violated(run, model):
    code, output, _ = run("verify", model("FAIL_AT=5 STOP_AT_LAST"), "--all-errors", "--json")
    data = json.loads(output)
    assert code == 1
    assert data["violation_count"] == 3  # two steps lead to 5, one state deadlocks
    assert sorted(violation["kind"] for violation in data["violations"]) == ["assertion", "deadlock"]
    assert (data["complete"], data["states"]) == (True, 11)
    assert {violation["trace"] for violation in data["violations"]} == {
        "model.trace.json",
        "model.trace-2.json",
    }


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--max-states", "5"), "limit on states"),
        (("--max-depth", "2"), "depth limit"),
        (("--storage", "fingerprint"), "64-bit fingerprints"),
        (("--storage", "bitstate", "--bitstate-memory", "1MiB"), "bitstate storage"),
    ],
)
def test_whatever_leaves_a_doubt_is_incomplete_and_says_which(run, model, arguments, word):
    code, output, _ = run("verify", model(""), *arguments, "--json")
    data = json.loads(output)
    assert code == 3
    assert data["verdict"] == "incomplete"
    assert not data["complete"]
    assert word in " ".join(data["reasons"])


def test_a_caveat_of_the_program_makes_it_incomplete(run, model):
    code, output, _ = run("verify", model("caveat"))
    assert code == 3
    assert "no violation found, but a claim was not checked" in output


def test_a_crashing_model_is_incomplete(run, model):
    code, output, _ = run("verify", model("SEGFAULT_AT=3"))
    assert code == 3
    assert "the model crashed with SIGSEGV" in output


def test_a_timeout_counts_from_the_start(run, model):
    program = model("LAST=1000000000 SLOW_MICROSECONDS=50")
    for seconds in (1, 8, 64):  # until the machine is fast enough to begin
        code, output, _ = run("verify", program, "--timeout", f"{seconds}s", "--json")
        data = json.loads(output)
        assert code == 3
        assert data["seconds"] > 0.9 * seconds
        if data["states"]:
            break
    assert data["stop_reason"] == "time"


def test_a_timeout_also_ends_a_compiler_that_does_not(run, model, monkeypatch):
    model("")
    monkeypatch.setattr("assay.languages.load", lambda *_: subprocess.run(["sleep", "3600"], check=True))
    code, output, _ = run("verify", "model.counter", "--timeout", "500ms", "--json")
    data = json.loads(output)
    assert (code, data["stop_reason"], data["states"]) == (3, "time", 0)
    assert data["reasons"][0] == "the time limit was reached (before the search began)"


def test_an_interrupt_ends_with_the_partial_result(run, model, monkeypatch):
    model("LAST=1000000000 SLOW_MICROSECONDS=50")
    hear = model_process.Job.take

    def interrupt_when_it_runs(child, event):
        hear(child, event)
        if child.progress.states > 0 and child.searched is None:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(model_process.Job, "take", interrupt_when_it_runs)
    code, output, _ = run("verify", "model.counter", "--json")
    data = json.loads(output)
    assert code == 3
    assert data["stop_reason"] == "interrupted"
    assert data["states"] > 0


def test_a_wrong_model_is_one_sentence_with_its_place(run, model):
    code, output, errors = run("verify", model("nonsense"))
    assert (code, output) == (2, "")
    assert errors == "model.counter:1:5: expected a macro, got nonsense\n"


def test_a_wrong_model_as_json(run, model):
    code, output, _ = run("verify", model("nonsense"), "--json")
    data = json.loads(output)
    assert code == 2
    assert data.keys() >= SHARED_KEYS
    assert data["verdict"] == "unusable"
    assert (data["file"], data["line"], data["column"]) == ("model.counter", 1, 5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("verify", "missing.pml"), "missing.pml: expected a program, got a path that does not exist"),
        (("verify", "."), ".: expected a program, got a directory"),
        (("verify", "x" * 300 + ".pml"), "x.pml cannot be used: File name too long"),
        (("certify", "model.txt", "x" * 300), "x cannot be used: File name too long"),
        (
            ("certify", "model.txt", "."),
            "certificate: expected a file, got ., which is none (see assay certify ",
        ),
        (
            ("certify", "model.txt", "model.py", "--nonsense"),
            "No such option '--nonsense'. (see assay certify ",
        ),
        (("inspect", "missing.assay"), "'missing.assay' does not exist. (see assay inspect --help)"),
        (("sign", "model.txt"), "Missing option '--key'. (see assay sign --help)"),
        (("verify", "model.txt"), "expected a program ending in"),
        (("verify",), "Missing argument 'PROGRAM'"),
        (("verify", "model.txt", "--search", "best"), "'best' is not one of 'bfs', 'dfs', 'random-dfs'"),
        (("verify", "model.txt", "--threads", "0"), "expected a number from 1 to 1,024, got '0'"),
        (("verify", "model.txt", "--seed", "x"), "expected a number from 0 to"),
        (("verify", "model.txt", "--max-states", "-5"), "got '-5'"),
        (("verify", "model.txt", "--memory", "much"), "expected an amount of memory such as 512MiB"),
        (("verify", "model.txt", "--timeout", "soon"), "expected a duration such as 60s"),
        (("verify", "model.txt", "-D", "3=4"), "expected NAME or NAME=VALUE, got '3=4'"),
        (("verify", "model.txt", "--nonsense"), "No such option"),
        (("frobnicate",), "No such command 'frobnicate'"),
    ],
)
def test_wrong_input_is_one_sentence(run, tmp_path, arguments, sentence):
    for name in ("model.txt", "model.py"):
        (tmp_path / name).write_text("")
    code, output, errors = run(*arguments)
    assert (code, output) == (2, "")
    assert sentence in errors
    assert errors.count("\n") == 1
    code, output, _ = run(*arguments, "--json")
    assert code == 2
    assert json.loads(output)["verdict"] == "unusable"


def test_options_that_do_not_go_together_are_refused(run, model):
    code, output, errors = run("verify", model(""), "--search", "dfs", "--threads", "2")
    assert (code, output) == (2, "")
    assert "'dfs' with exact storage runs on one thread" in errors


def test_our_own_faults_are_not_blamed_on_the_user(run, model, monkeypatch):
    monkeypatch.setattr("assay.search.native.search", lambda *_, **__: 1 // 0)
    code, output, errors = run("verify", model(""), "--json")
    assert code == 70
    assert json.loads(output)["verdict"] == "internal error"
    assert "this is a fault of Assay" in errors


def test_quiet_is_one_line(run, model):
    assert run("verify", model("FAIL_AT=3"), "--quiet")[1].count("\n") == 1


def test_replay_prints_the_run_in_a_pipe(run, model):
    run("verify", model("FAIL_AT=3"))
    code, output, _ = run("replay", "model.counter", "model.trace.json")
    assert code == 0
    assert output.startswith("  start  number = 0\n      1  counter[0]  model.counter:")
    assert "violated  assertion: assertion 7 failed" in output


def test_replay_as_json_is_the_same_kind_of_object(run, model):
    run("verify", model("FAIL_AT=3"))
    code, output, _ = run("replay", "model.counter", "model.trace.json", "--json")
    data = json.loads(output)
    assert code == 0
    assert data.keys() >= SHARED_KEYS
    assert [step["step"] for step in data["violations"][0]["steps"]] == [1, 2]


def test_replay_refuses_a_changed_program(run, model):
    run("verify", model("FAIL_AT=3"))
    model("FAIL_AT=3 LAST=20")
    code, output, errors = run("replay", "model.counter", "model.trace.json")
    assert (code, output) == (4, "")
    assert "the program has changed since the trace was written (model.counter)" in errors


def test_replay_says_of_which_program_a_trace_is(run, model, tmp_path):
    run("verify", model("FAIL_AT=3"))
    (tmp_path / "other.pml").write_text("active proctype P() { assert(false) }")
    code, _, errors = run("replay", str(tmp_path / "other.pml"), "model.trace.json")
    assert code == 4
    assert "the trace is of model.counter, not of other.pml" in errors


def test_replay_says_that_the_program_has_changed_even_if_it_is_broken_now(run, model):
    run("verify", model("FAIL_AT=3"))
    model("nonsense")
    code, _, errors = run("replay", "model.counter", "model.trace.json")
    assert code == 4
    assert "the program has changed" in errors


def test_replay_works_from_another_directory(run, model, tmp_path, monkeypatch):
    run("verify", model("FAIL_AT=3"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run("replay", "../model.counter", "../model.trace.json")[0] == 0


def test_replay_refuses_a_run_that_does_not_replay(run, model, tmp_path):
    run("verify", model("FAIL_AT=3"))
    trace = json.loads((tmp_path / "model.trace.json").read_text())
    for positions in ([9], [0], [0, 0]):
        (tmp_path / "bad.json").write_text(json.dumps({**trace, "positions": positions}))
        assert run("replay", "model.counter", "bad.json")[0] == 4
    trace["steps"][0]["text"] = "something else"
    (tmp_path / "bad.json").write_text(json.dumps(trace))
    code, _, errors = run("replay", "model.counter", "bad.json")
    assert code == 4
    assert "step 1 was `something else`" in errors


def test_replay_refuses_what_is_no_trace(run, model, tmp_path):
    (tmp_path / "notes.txt").write_text("none")
    code, _, errors = run("replay", model("FAIL_AT=3"), str(tmp_path / "notes.txt"))
    assert code == 4
    assert "expected a trace" in errors


def test_the_installed_command_knows_its_version():
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", "--version"]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"assay {__version__}\n"
    )
