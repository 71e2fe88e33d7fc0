"""Whatever a model does in the child process becomes facts here, never an exception or a hang."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.evidence.verdict import StopReason
from assay.execution import model_process, replaying
from assay.search import native
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening


@pytest.fixture
def compile_counter(compile_counter):
    return lambda *macros: Opening(str(compile_counter(*macros)))


def test_a_finished_search_reports_what_the_engine_counted(compile_counter):
    outcome = native.search(compile_counter(), SearchOptions())
    assert outcome.facts.complete
    assert outcome.facts.stop_reason is StopReason.FINISHED
    assert (outcome.facts.states, outcome.facts.transitions) == (11, 20)
    assert outcome.peak_memory_bytes > 2**20


def test_a_violation_comes_with_the_run_executed_again(compile_counter):
    outcome = native.search(compile_counter("FAIL_AT=5"), SearchOptions())
    [violation] = outcome.violations
    assert violation.code == 7
    assert len(violation.positions) == 3  # shortest: 2 + 2 + 1 in some order
    assert len(violation.run.steps) == 3
    assert violation.run.final == (6).to_bytes(8, "little")


def test_a_step_that_leaves_no_state_behind_ends_the_run(compile_counter):
    outcome = native.search(compile_counter("FAIL_AT=5", "FAIL_WITHOUT_STATE"), SearchOptions())
    [violation] = outcome.violations
    assert violation.run.final is None
    assert len(violation.run.steps) == 3


def test_a_violation_in_the_initial_state_has_an_empty_run(compile_counter):
    outcome = native.search(compile_counter("FAIL_AT_START"), SearchOptions())
    [violation] = outcome.violations
    assert violation.positions == ()
    assert violation.run.steps == ()


def test_a_deadlock_has_code_zero(compile_counter):
    outcome = native.search(compile_counter("STOP_AT_LAST"), SearchOptions())
    assert [violation.code for violation in outcome.violations] == [0]
    assert outcome.violations[0].run.final == (11).to_bytes(8, "little")


@pytest.mark.parametrize(("macro", "signal_name"), [("CRASH_AT=4", "SIGABRT"), ("SEGFAULT_AT=4", "SIGSEGV")])
def test_a_crash_of_the_model_is_told_with_its_signal(compile_counter, macro, signal_name):
    outcome = native.search(compile_counter(macro), SearchOptions())
    assert outcome.facts.stop_reason is StopReason.CRASHED
    assert signal_name in outcome.facts.stop_detail
    assert not outcome.facts.complete


def test_a_step_that_never_returns_is_ended_at_the_time_limit(compile_counter):
    outcome = native.search(
        compile_counter("HANG_AT=4"), SearchOptions(time_limit_seconds=1), deadline=time.monotonic() + 1
    )
    assert outcome.facts.stop_reason is StopReason.STUCK


def test_a_model_that_eats_memory_is_ended_at_the_memory_limit(compile_counter):
    outcome = native.search(
        compile_counter("EAT_AT=4"), SearchOptions(memory_limit_bytes=64 * 2**20), deadline=None
    )
    assert outcome.facts.stop_reason is StopReason.MEMORY
    assert outcome.peak_memory_bytes < 512 * 2**20


def test_the_time_limit_stops_a_long_search(compile_counter):
    library = compile_counter("LAST=1000000000", "SLOW_MICROSECONDS=50")
    for seconds in (1, 8, 64):  # until the machine is fast enough to begin
        outcome = native.search(
            library, SearchOptions(time_limit_seconds=seconds), deadline=time.monotonic() + seconds
        )
        if outcome.facts.states > 0:
            break
    assert outcome.facts.stop_reason is StopReason.TIME
    assert outcome.facts.states > 0


def test_an_interrupt_gives_the_partial_result(compile_counter):
    library = compile_counter("LAST=1000000000", "SLOW_MICROSECONDS=50")

    def interrupt_when_it_runs(progress):
        if progress.states > 0:
            os.kill(os.getpid(), signal.SIGINT)

    outcome = native.search(library, SearchOptions(), on_progress=interrupt_when_it_runs)
    assert outcome.facts.stop_reason is StopReason.INTERRUPTED
    assert outcome.facts.states > 0
    assert outcome.facts.frontier > 0


def test_progress_reaches_the_listener(compile_counter):
    library = compile_counter("LAST=1000000000", "SLOW_MICROSECONDS=50")
    seen = []

    def listen(progress):
        seen.append(progress)
        if progress.states > 0:
            raise KeyboardInterrupt

    native.search(library, SearchOptions(), on_progress=listen)
    assert max(progress.states for progress in seen) > 0


def test_the_child_dies_with_its_parent(compile_counter):
    library = compile_counter("HANG_AT=0")
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from assay.transition_system.interface import Opening\n"
            "from assay.search import native; from assay.search.options import *\n"
            f"native.search(Opening({library.file!r}), SearchOptions())",
        ]
    )
    child = _only_child(parent.pid)
    time.sleep(0.5)
    parent.kill()
    parent.wait()
    while _is_running(child):
        time.sleep(0.05)


def test_a_child_killed_from_outside_is_told(compile_counter):
    library = compile_counter("HANG_AT=0")
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(native.search(library, SearchOptions())))
    thread.start()
    os.kill(_only_child(os.getpid(), b"assay.execution.worker"), signal.SIGKILL)
    thread.join()
    assert outcomes[0].facts.stop_reason is StopReason.CRASHED
    assert "SIGKILL" in outcomes[0].facts.stop_detail


def test_a_library_that_is_no_model_is_our_fault(tmp_path):
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"not a library")
    with pytest.raises(model_process.EngineFailure):
        native.search(Opening(str(broken)), SearchOptions())


def test_replay_executes_positions_and_names_what_holds_at_the_end(compile_counter):
    library = compile_counter("FAIL_AT=5")
    assert replaying.replay(library, [1, 1, 0]).codes == {7}
    assert replaying.replay(library, [0]).codes == frozenset()
    assert replaying.replay(library, [0, 9]).failed_at == 1


def test_very_long_runs_keep_both_ends(compile_counter):
    library = compile_counter("LAST=100000", "STOP_AT_LAST")
    replayed = replaying.replay(library, [0] * 100_000)
    assert replayed.codes == {0}
    assert replayed.run.omitted == 80_000
    assert replayed.run.break_after == 10_000
    assert replayed.run.resume == (90_001).to_bytes(8, "little")
    assert len(replayed.run.steps) == 20_000


def _only_child(parent, command=b""):
    while True:
        for entry in [task.name for task in Path(f"/proc/{parent}/task").iterdir()]:
            for child in Path(f"/proc/{parent}/task/{entry}/children").read_text().split():
                if command in Path(f"/proc/{child}/cmdline").read_bytes():
                    time.sleep(0.3)  # let it get past its start, if the machine is fast
                    return int(child)
        time.sleep(0.05)


def _is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_a_search_that_the_system_gives_no_more_memory_says_so(compile_counter):
    library = compile_counter("LAST=1000000000")
    code = (
        "import resource; from assay.transition_system.interface import Opening\n"
        "from assay.search import native\n"
        "from assay.search.options import SearchOptions\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))\n"
        f"facts = native.search(Opening({library.file!r}), SearchOptions(storage='fingerprint')).facts\n"
        "print(facts.stop_reason.value, facts.stop_detail, facts.complete)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout == "memory the system gave no more False\n"
