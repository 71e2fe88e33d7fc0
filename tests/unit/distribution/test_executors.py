"""What every executor promises, tried on those that need no cluster."""

import time

import pytest

from assay.distribution.in_process import InProcess
from assay.distribution.interface import OutOfTime
from assay.distribution.local_processes import LocalProcesses
from tests.unit.distribution.sample_work import Refused

WORK = "tests.unit.distribution.sample_work:"


def ignore(index, value):
    pass


@pytest.fixture(params=["in process", "local processes"])
def executor(request):
    with InProcess() if request.param == "in process" else LocalProcesses(2) as chosen:
        yield chosen


def test_results_come_in_the_order_of_the_tasks(executor):
    done = []
    results = executor.run(
        WORK + "last_first",
        [0, 1, 2, 3],
        on_progress=ignore,
        on_done=lambda index, result: done.append((index, result)),
    )
    assert results == [0, 1, 2, 3]
    assert sorted(done) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_no_tasks_give_no_results(executor):
    assert executor.run(WORK + "square", [], on_progress=ignore, on_done=ignore) == []


def test_progress_arrives_with_the_position_of_its_task(executor):
    heard = []
    results = executor.run(
        WORK + "countdown",
        [3, 1],
        on_progress=lambda index, progress: heard.append((index, progress["left"])),
        on_done=ignore,
    )
    assert results == ["zero", "zero"]
    assert sorted(heard) == [(0, 1), (0, 2), (0, 3), (1, 1)]


def test_an_exception_comes_back_as_itself(executor):
    with pytest.raises(Refused) as caught:
        executor.run(WORK + "refuse", [1, 2, 3], on_progress=ignore, on_done=ignore)
    assert (caught.value.what, caught.value.why) == ("two", "it is even")


def test_an_executor_can_be_used_again_after_an_exception(executor):
    with pytest.raises(Refused):
        executor.run(WORK + "refuse", [2, 3], on_progress=ignore, on_done=ignore)
    assert executor.run(WORK + "square", [4, 5], on_progress=ignore, on_done=ignore) == [16, 25]


def test_an_exception_of_a_callback_ends_the_tasks(executor):
    def object_to(index, result):
        raise Refused("result", why="of the caller")

    with pytest.raises(Refused, match="of the caller"):
        executor.run(WORK + "square", range(100), on_progress=ignore, on_done=object_to)


def test_memory_of_those_who_did_the_work_is_known(executor):
    executor.run(WORK + "grow", [100 << 20], on_progress=ignore, on_done=ignore)
    assert executor.peak_memory_bytes > 100 << 20


@pytest.mark.parametrize("kind", [InProcess, lambda **options: LocalProcesses(2, **options)])
def test_a_deadline_ends_the_tasks(kind):
    began = time.monotonic()
    with kind(deadline=began + 1.0) as executor, pytest.raises(OutOfTime) as caught:
        executor.run(WORK + "slow_countdown", [1, 60, 60], on_progress=ignore, on_done=ignore)
    assert str(caught.value) == f"time ran out when {caught.value.done} of 3 tasks were done"
    assert caught.value.done <= 1


def test_executors_describe_themselves():
    assert InProcess().describe() == "this process"
    assert LocalProcesses(1).describe() == "1 local process"
    assert LocalProcesses(3).describe() == "3 local processes"
