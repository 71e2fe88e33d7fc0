"""A real Dask cluster on this machine: a scheduler and two workers, each a process."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.distribution import cluster
from assay.distribution.cluster import Cluster
from assay.distribution.interface import ClusterProblem, OutOfTime, WorkerDied
from tests.unit.distribution.sample_work import Refused

ROOT = Path(__file__).resolve().parents[3]
WORK = "tests.unit.distribution.sample_work:"
WORKERS = 2
# The scheduler of somebody's cluster knows nothing of Assay.
SCHEDULER = "import sys; sys.modules['assay'] = None; from distributed.cli.dask_scheduler import main; main()"


@dataclass(frozen=True)
class Processes:
    address: str
    workers: list[subprocess.Popen]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask")
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}

    def start(stack, *command):
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, *command],
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        stack.callback(process.kill)
        return process

    with contextlib.ExitStack() as stack:
        start(stack, "-c", SCHEDULER, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        options = ("--no-nanny", "--no-dashboard", "--nthreads", "1")
        workers = [
            start(stack, "-m", "distributed.cli.dask_worker", address, *options) for _ in range(WORKERS)
        ]
        patience = time.monotonic() + 600
        while workers_at(address) < WORKERS:
            assert time.monotonic() < patience, "the cluster does not start"
            time.sleep(0.2)
        yield Processes(address, workers)


def workers_at(address):
    try:
        with Cluster(address) as executor:
            return executor.workers
    except ClusterProblem:
        return 0


def ignore(index, value):
    pass


def run(executor, work, tasks, *, on_progress=ignore, on_done=ignore):
    return executor.run(WORK + work, tasks, on_progress=on_progress, on_done=on_done)


def test_a_swarm_runs_on_a_cluster(dask, tmp_path):
    """The text of the program travels along; what the runs saw is one union."""
    from assay.swarming import swarm

    (tmp_path / "part.h").write_text("#define LAST 6\n")
    model = tmp_path / "model.pml"
    model.write_text(
        '#include "part.h"\n'
        "byte x, y; active [2] proctype P() { do :: x < 9 -> x++ :: y < 9 -> y++; "
        "assert(y <= LAST || x < 9) od }"
    )
    found = swarm(model, runs=4, cluster=dask.address, timeout_seconds=120, check_deadlock=False)
    assert str(found.verdict) == "violated"
    assert found.findings[0].violation.kind == "assertion"
    assert found.ends().get("crashed", 0) == found.ends().get("lost", 0) == 0
    assert found.seen is not None
    assert found.seen.runs >= 1


def test_a_scheduler_that_is_not_there_is_a_problem_in_words(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ClusterProblem, match=f"no Dask scheduler answers at {address}; start one with"):
        Cluster(address)


def test_without_dask_the_next_step_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterProblem, match=r"which is not installed: `pip install 'distributed"):
        Cluster("tcp://127.0.0.1:8786")


def test_a_cluster_tells_progress_and_brings_exceptions_back_as_themselves(dask):
    heard, done = [], []
    with Cluster(dask.address) as executor:
        results = run(
            executor,
            "slow_countdown",
            [4, 1],
            on_progress=lambda index, left: heard.append((index, left)),
            on_done=lambda index, result: done.append((index, result)),
        )
        assert results == ["zero", "zero"]
        assert {(0, 4), (1, 1)} <= set(heard) <= {(0, 4), (0, 3), (0, 2), (0, 1), (1, 1)}
        assert sorted(done) == [(0, "zero"), (1, "zero")]
        assert executor.peak_memory_bytes > 1 << 20
        with pytest.raises(Refused) as caught:
            run(executor, "refuse", [1, 2, 3])
    assert (caught.value.what, caught.value.why) == ("two", "it is even")


def test_a_task_that_crashes_costs_the_cluster_no_worker(dask):
    with Cluster(dask.address, retries=1) as executor:
        with pytest.raises(WorkerDied) as caught:
            run(executor, "crash", [False, True])
        assert (
            str(caught.value) == "the process that did task 1 died: it crashed with SIGSEGV (tried 2 times)"
        )
        before = executor.workers
    assert workers_at(dask.address) == before


def test_tasks_that_are_no_longer_wanted_are_ended(dask):
    processes = []

    def lose_interest(index, process):
        processes.append(process)
        raise InterruptedError

    with Cluster(dask.address) as executor, pytest.raises(InterruptedError):
        run(executor, "sleep", [60, 60], on_progress=lose_interest)
    [process] = processes
    while Path(f"/proc/{process}").exists():
        time.sleep(0.05)


def test_a_deadline_ends_the_tasks_of_a_cluster(dask):
    with Cluster(dask.address, deadline=time.monotonic() + 0.5) as executor, pytest.raises(OutOfTime):
        run(executor, "sleep", [60])


def test_workers_with_another_version_are_refused(dask, monkeypatch):
    monkeypatch.setattr(cluster, "__version__", "999.0")
    with Cluster(dask.address) as executor, pytest.raises(ClusterProblem, match=r"but 999\.0 is needed"):
        run(executor, "square", [1])


def test_all_results_are_right_when_a_worker_is_killed_in_the_middle(dask):
    done = []

    def kill_one_at_the_fifth(index, result):
        done.append(index)
        if len(done) == 5:
            dask.workers[0].kill()

    with Cluster(dask.address) as executor:
        results = run(executor, "slow_square", range(20), on_done=kill_one_at_the_fifth)
    assert results == [index * index for index in range(20)]
    assert sorted(done) == list(range(20))
