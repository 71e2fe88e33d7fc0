"""A verdict that was reached is never lost, whatever happens on the way to its reader."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.cli import telling
from assay.evidence.verdict import Verdict
from assay.execution import interrupts
from assay.verification import pipeline, traces

MUTEX = Path(__file__).parents[3] / "examples" / "broken_mutex.pml"
PETERSON = MUTEX.with_name("peterson.pml")
MAIN = "from assay.cli.main import main; main()"


def run(*arguments, prefix="", **options):
    """The command in a shell, so that its streams can be closed."""
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    return subprocess.run(
        ["sh", "-c", f'{prefix}"$@"{options.pop("redirect", "")}', "sh", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        **options,
    )


NOWHERE = ["/proc/nowhere/t.json", "/dev/null/t.json", "/", "", "x" * 300, "missing/t.json"]


@pytest.mark.parametrize("trace", NOWHERE)
def test_a_trace_that_cannot_be_saved_takes_nothing_from_the_verdict(trace, tmp_path):
    said = run("verify", MUTEX, "--trace", trace or tmp_path, "--json", cwd=tmp_path)
    assert said.returncode == 1, said.stderr
    result = json.loads(said.stdout)
    assert (result["verdict"], result["violations"][0]["trace"]) == ("violated", None)
    assert result["violations"][0]["steps"]
    assert "the counterexample is not saved" in result["notes"][-1]


def test_a_directory_that_is_gone_or_cannot_be_written_loses_nothing(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    said = run("verify", MUTEX, "-q", prefix='rmdir "$PWD"; ', cwd=gone)
    assert (said.returncode, said.stdout.startswith("violated")) == (1, True), said.stderr
    said = run("verify", MUTEX, cwd="/proc/self")
    assert said.returncode == 1, said.stderr
    assert "note: the counterexample is not saved: broken_mutex.trace.json cannot be written" in said.stdout


@pytest.mark.parametrize("program", [MUTEX, MUTEX.with_name("tutorial") / "racy_counter.py"])
@pytest.mark.parametrize(
    "elsewhere",
    [
        {"XDG_CACHE_HOME": "/proc/nowhere"},
        {"XDG_CACHE_HOME": "/dev/null", "XDG_STATE_HOME": "/dev/null"},
        {"HOME": "/dev/null/home", "XDG_CACHE_HOME": "", "XDG_STATE_HOME": ""},
        {"TMPDIR": "/proc/nowhere"},
    ],
)
def test_without_a_place_for_a_cache_the_verdict_is_the_same(program, elsewhere, tmp_path):
    arguments = ("verify", program, "--trace", tmp_path / "t.json", "-q")
    said = run(*arguments, env={**os.environ, **elsewhere})
    assert (said.returncode, said.stdout.startswith("violated"), said.stderr) == (1, True, "")


@pytest.mark.parametrize("form", [(), ("--json",), ("-q",)])
@pytest.mark.parametrize(
    "redirect", [" >/dev/full", " >&-", " >&- 2>&- <&-", " >/dev/full 2>/dev/full", " | true"]
)
@pytest.mark.parametrize(("program", "code"), [(MUTEX, 1), (PETERSON, 0)])
def test_nobody_listening_changes_no_exit_code(program, code, redirect, form, tmp_path):
    arguments = ["verify", program, "--trace", tmp_path / "t.json", *form]
    if redirect == " | true":  # a pipe that nobody reads
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-c", MAIN, *map(str, arguments)]
        said = subprocess.run(command, stdout=writer, stderr=subprocess.DEVNULL, check=False, timeout=300)
        os.close(writer)
    else:
        said = run(*arguments, redirect=redirect)
    assert said.returncode == code
    assert (tmp_path / "t.json").exists() == (code == 1)


def test_a_refusal_that_nobody_reads_is_no_violation():
    for redirect in (" 2>/dev/full", " 2>&-", " >&- 2>&-", " >/dev/full 2>/dev/full"):
        assert run("verify", "missing.pml", redirect=redirect).returncode == 2
        assert run("verify", "missing.pml", "--json", redirect=redirect).returncode == 2


def test_characters_that_a_stream_cannot_show_are_escaped(tmp_path):
    program = tmp_path / "ü.py"
    program.write_text("assert False, 'größer ≥ \\ud800'\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    said = run("verify", program, "--trace", tmp_path / "t.json", env=environment)
    assert said.returncode == 1, said.stderr
    assert "gr\\xf6\\xdfer \\u2265" in said.stdout


def test_a_plot_that_cannot_be_drawn_comes_after_the_verdict(tmp_path):
    pytest.importorskip("matplotlib")
    said = run("verify", MUTEX, "--trace", tmp_path / "t.json", "--plot", "/proc/nowhere.png", "-q")
    assert (said.returncode, said.stdout.startswith("violated")) == (1, True)
    assert "assay: violated: the result cannot be drawn" in said.stderr


def test_an_estimate_that_cannot_be_saved_takes_nothing_from_the_verdict(tmp_path):
    (tmp_path / "e.json").mkdir()
    found = assay.verify(
        MUTEX.with_name("philosophers.pml"),
        max_states=10,
        reductions=(),
        estimate_file=tmp_path / "e.json",
    )
    assert (found.verdict, found.stop_reason) == (Verdict.INCOMPLETE, "states")
    assert any("the estimate is not saved" in note for note in found.notes), found.notes


def test_a_run_that_cannot_be_put_into_words_is_still_a_violation(monkeypatch):
    def fails(*_):
        raise IndexError("no such thing")

    monkeypatch.setattr(pipeline, "translate", fails)
    found = assay.verify(MUTEX)
    assert (found.verdict, found.violation_count) == (Verdict.VIOLATED, 1)
    assert "its run cannot be told (IndexError: no such thing)" in found.reasons[0]


def test_a_fault_in_printing_is_told_and_the_verdict_kept(capsys):
    def fails():
        raise ZeroDivisionError("in a table")

    assert telling.tell(Verdict.VIOLATED, printed=fails) == 1
    assert "assay: violated: the result cannot be printed: ZeroDivisionError" in capsys.readouterr().err
    interrupts.release()


# --- interrupts ---


@pytest.fixture
def interruptible():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    interrupts.release()
    signal.signal(signal.SIGINT, before)


def interrupt(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_while_a_result_is_made_does_not_lose_it(interruptible, monkeypatch, tmp_path):
    """At each place behind the search."""
    for module, name in ((pipeline, "translate"), (pipeline, "standings"), (traces, "save_trace")):
        original = getattr(module, name)

        def interrupted(*given, original=original, **named):
            interrupt()
            return original(*given, **named)

        with monkeypatch.context() as patched:
            patched.setattr(module, name, interrupted)
            found = assay.verify(MUTEX, trace=tmp_path / "t.json")
        assert found.verdict is Verdict.VIOLATED
        assert found.violations[0].trace is not None
    with pytest.raises(KeyboardInterrupt):  # and after it they are what they were
        interrupt()


def test_an_interrupt_while_a_result_is_printed_does_not_change_the_exit_code(interruptible, capsys):
    with interrupts.scope():
        interrupts.hold()
        assert telling.tell(Verdict.VIOLATED, printed=interrupt) == 1
        interrupt()  # between the last word and the end of the process
    assert "interrupted while the result was printed" in capsys.readouterr().err


def test_a_signal_that_was_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.scope():
            interrupts.hold()
            interrupt()
            assert not interrupts.take()
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_scopes_release_at_the_outermost_end(interruptible):
    with interrupts.scope():
        with interrupts.scope():
            interrupts.hold()
        interrupt()
        assert interrupts.take()
        assert not interrupts.take()
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_a_disk_that_is_full_is_said_with_its_reason(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(traces, "save_trace", full)
    found = assay.verify(MUTEX, trace=tmp_path / "t.json")
    assert found.verdict is Verdict.VIOLATED
    assert found.notes[-1] == (
        f"the counterexample is not saved: {tmp_path / 't.json'} cannot be written "
        "(No space left on device); see --trace"
    )


# --- limits that cannot be kept ---


@pytest.mark.parametrize("program", [PETERSON, MUTEX.with_name("token_ring.py:TokenRing")])
def test_a_memory_limit_that_cannot_be_kept_is_refused_with_the_least_that_can(program):
    said = run("verify", program, "--memory", "1")
    assert (said.returncode, said.stdout) == (2, "")
    assert "a limit of 1 bytes cannot be kept" in said.stderr
    least = said.stderr.partition("expected at least ")[2].split(" MiB")[0]
    enough = run("verify", program, "--memory", f"{int(least) + 3}MiB", "--json")
    assert enough.returncode == 0, enough.stdout
    assert json.loads(enough.stdout)["peak_memory_bytes"] <= 1.1 * (int(least) + 1) * 2**20


ENDLESS = """\
import threading

n = 0


def count():
    global n
    while True:
        n += 1


thread = threading.Thread(target=count)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("options", [(), ("--estimate",)])
def test_a_program_without_an_end_has_no_estimate(options, tmp_path):
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS)
    limit = ("--timeout", "6s") if not options else ("--max-states", "200")
    said = run("verify", program, *limit, *options, "--json")
    assert said.returncode == 3, said.stderr
    result = json.loads(said.stdout)
    if result["coverage"] is not None:  # a sweep went further: it says how much more there is at least
        assert (result["coverage"]["low"], result["coverage"]["high"] < 0.5) == (0.0, True)
