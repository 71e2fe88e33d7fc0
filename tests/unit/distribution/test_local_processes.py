"""Child processes may die in any way; nothing of them is left behind."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.distribution.interface import TaskFailed, WorkerDied
from assay.distribution.local_processes import LocalProcesses

ROOT = Path(__file__).resolve().parents[3]
WORK = "tests.unit.distribution.sample_work:"


def ignore(index, value):
    pass


def run(executor, work, tasks, *, on_progress=ignore, on_done=ignore):
    return executor.run(WORK + work, tasks, on_progress=on_progress, on_done=on_done)


def open_descriptors():
    return sorted(Path("/proc/self/fd").iterdir())


def wait_until_it_is_gone(process):
    """A process without a parent may stay as a zombie where nobody reads its status."""
    status = Path(f"/proc/{process}/status")
    while status.exists() and "State:\tZ" not in status.read_text():
        time.sleep(0.02)


def test_children_do_many_tasks_and_are_gone_afterwards():
    before = open_descriptors()
    with LocalProcesses(2) as executor:
        children = set(run(executor, "who", range(40))) | set(run(executor, "who", range(40)))
        assert 1 <= len(children) <= 2
        assert os.getpid() not in children
    assert all(not Path(f"/proc/{child}").exists() for child in children)
    assert open_descriptors() == before


def test_a_task_whose_process_dies_is_done_again(tmp_path):
    tasks = [(str(tmp_path / f"marker {index}"), index) for index in range(3)]
    with LocalProcesses(2) as executor:
        assert run(executor, "die_the_first_time", tasks) == [0, 1, 2]


def test_a_task_that_always_dies_is_given_up_with_the_name_of_the_signal():
    before = open_descriptors()
    with LocalProcesses(2) as executor, pytest.raises(WorkerDied) as caught:
        run(executor, "crash", [False, True])
    assert str(caught.value) == "the process that did task 1 died: it crashed with SIGSEGV (tried 3 times)"
    assert caught.value.task == 1
    assert open_descriptors() == before


def test_a_killed_process_is_said_to_have_lacked_memory(tmp_path):
    with LocalProcesses(1, retries=0) as executor, pytest.raises(WorkerDied) as caught:
        run(executor, "die_the_first_time", [(str(tmp_path / "marker"), 0)])
    assert caught.value.how == "it was killed (SIGKILL), most likely by the system for lack of memory"


def test_last_words_are_passed_on():
    with LocalProcesses(1, retries=0) as executor, pytest.raises(WorkerDied) as caught:
        run(executor, "quit_with_words", [0])
    assert caught.value.how == "it ended with status 7: no more paper"


def test_an_idle_process_that_dies_is_replaced_without_counting_as_a_failure():
    with LocalProcesses(1, retries=0) as executor:
        [first] = run(executor, "who", [0])
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        [second] = run(executor, "who", [0])
    assert first != second


@pytest.mark.parametrize(
    ("work", "words"),
    [
        ("refuse_untravelled", "CannotTravel: because it has a keyword"),
        ("leave", "SystemExit: 3"),
    ],
)
def test_an_exception_that_cannot_travel_is_told_in_words(work, words):
    with LocalProcesses(1) as executor, pytest.raises(TaskFailed) as caught:
        run(executor, work, [0])
    assert str(caught.value) == words
    assert re.search(rf"sample_work.py.*in {work}", caught.value.__notes__[0])


def test_a_result_that_cannot_be_pickled_is_an_exception_of_the_task():
    with LocalProcesses(1) as executor, pytest.raises(AttributeError, match="pickle"):
        run(executor, "unpicklable", [0])


def test_a_task_that_prints_and_reads_disturbs_nobody():
    with LocalProcesses(1) as executor:
        assert run(executor, "chatter", [0, 1]) == ["", ""]


def test_tasks_and_results_may_be_larger_than_a_pipe():
    task = bytes(range(256)) * 12_000
    with LocalProcesses(2) as executor:
        assert run(executor, "large", [task, task, task]) == [task * 2] * 3


def test_a_child_that_grows_past_the_memory_limit_is_ended_once():
    with (
        LocalProcesses(1, memory_limit_bytes=100 << 20) as executor,
        pytest.raises(WorkerDied) as caught,
    ):
        run(executor, "grow", [10 << 20, 200 << 20])
    assert caught.value.task == 1
    assert caught.value.how == "it had grown past the memory limit of 100 MiB"
    assert executor.peak_memory_bytes > 100 << 20


def test_what_a_task_started_goes_with_it():
    started = []

    def object_to(index, process):
        started.append(process)
        raise InterruptedError

    with LocalProcesses(1) as executor, pytest.raises(InterruptedError):
        run(executor, "start_a_sleeper", [0], on_progress=object_to)
    [sleeper] = started
    wait_until_it_is_gone(sleeper)


def test_children_have_a_deep_stack_and_we_keep_ours():
    before = resource.getrlimit(resource.RLIMIT_STACK)
    with LocalProcesses(1) as executor:
        [limit] = run(executor, "stack_limit", [0])
    assert limit == resource.RLIM_INFINITY or limit >= 512 << 20
    assert resource.getrlimit(resource.RLIMIT_STACK) == before


def test_what_a_tick_raises_ends_the_tasks():
    ticks = []

    def stop_at_the_third():
        ticks.append(1)
        if len(ticks) == 3:
            raise InterruptedError

    with LocalProcesses(1, on_tick=stop_at_the_third) as executor, pytest.raises(InterruptedError):
        run(executor, "sleep", [3600])


PARENT = f"""
from assay.distribution.local_processes import LocalProcesses

with LocalProcesses(2) as executor:
    executor.run(
        {WORK + "sleep"!r}, [3600, 3600],
        on_progress=lambda index, process: print(process, flush=True),
        on_done=lambda index, result: None,
    )
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_child_outlives_a_parent_that_is_interrupted_or_killed(end):
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        children = [int(parent.stdout.readline()) for _ in range(2)]
        parent.send_signal(end)
        _, errors = parent.communicate()
    assert parent.returncode == -end
    assert ("KeyboardInterrupt" in errors) == (end == signal.SIGINT)
    if end == signal.SIGINT:
        assert all(not Path(f"/proc/{child}").exists() for child in children)
    for child in children:
        wait_until_it_is_gone(child)
