"""Certification on a real Dask cluster: a scheduler and three workers, each a process, elsewhere.

The workers run in a directory of their own; neither the program nor the certificate
is where the tasks say it was once they have been given out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import assay
from assay.distribution.cluster import Cluster, connect
from assay.distribution.interface import ClusterProblem
from assay.evidence.certificate.container import CertificateFile, CertificateWriter
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import OptionProblem

ROOT = Path(__file__).parents[2]
WORKERS = 3
# The scheduler of somebody's cluster knows nothing of Assay.
SCHEDULER = "import sys; sys.modules['assay'] = None; from distributed.cli.dask_scheduler import main; main()"
PROGRAM = '#include "sizes/table.h"\n' + (ROOT / "benchmarks" / "models" / "philosophers.pml").read_text()


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
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"

    def start(stack, *command):
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, *command],
                cwd=tmp_path_factory.mktemp("elsewhere"),
                env=os.environ | {"PYTHONPATH": str(ROOT)},
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


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A program with an included file in another directory, and its certificate."""
    folder = tmp_path_factory.mktemp("here")
    (folder / "sizes").mkdir()
    (folder / "sizes" / "table.h").write_text("#define N 7\n")
    program, file = folder / "philosophers.pml", folder / "philosophers.assay"
    program.write_text(PROGRAM)
    # With dictionaries, which have to travel.
    result = assay.verify(program, reductions=(), certificate=file, certificate_coding="small")
    assert (result.verdict, result.states, result.transitions) == (Verdict.VERIFIED, 130_048, 725_248)
    return program, file


@pytest.fixture
def copied(certified, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(certified[0].parent, folder)
    return folder / certified[0].name, folder / certified[1].name


def outcome(result):
    return (result.verdict, result.complete, result.states, result.transitions, result.depth, result.reasons)


def test_a_scheduler_that_is_not_there_makes_the_request_unusable(certified):
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(OptionProblem, match=f"cluster: no Dask scheduler answers at {address}"):
        assay.certify(*certified, cluster=address)


@pytest.mark.parametrize("address", ["", "  "])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(
        ClusterProblem, match=r"expected the address of a Dask scheduler, such as tcp://host:8786"
    ):
        connect(address)


def test_a_map_of_all_states_is_not_kept_on_a_cluster(dask, certified):
    with pytest.raises(OptionProblem, match="one map of all states is kept, so there is one task"):
        assay.certify(*certified, mode="explained", cluster=dask.address)


def test_a_cluster_is_given_more_tasks_than_it_has_workers(dask, certified):
    result = assay.certify(*certified, cluster=dask.address)
    assert result.verdict is Verdict.VERIFIED
    assert (result.tasks, result.workers) == (4 * WORKERS, WORKERS)
    assert result.where == f"the Dask cluster at {dask.address} ({WORKERS} at a time)"
    assert result.peak_memory_bytes > 1 << 20


def test_an_added_invariant_that_fails_comes_back_with_its_run(dask, certified):
    result = assay.certify(*certified, cluster=dask.address, tasks=4, invariants=["eating < 3"])
    assert result.verdict is Verdict.VIOLATED
    (violation,) = result.violations
    assert (violation.kind, violation.message) == ("invariant", "eating < 3")
    assert violation.counterexample is not None


def test_a_forged_count_is_found_by_all_together_and_named_here(dask, certified, tmp_path):
    forged = tmp_path / "forged.assay"
    with CertificateFile(certified[1]) as file, CertificateWriter(forged, file.header) as writer:
        for number, frame in enumerate(file.frames()):
            counts = bytes([frame.counts[0] + 1]) + frame.counts[1:] if number == 50 else frame.counts
            writer.add(replace(frame, counts=counts))
        first, claimed = file.first_states[50], file.frame(50).counts[0]
        writer.finish()
    result = assay.certify(certified[0], forged, cluster=dask.address, tasks=4)
    assert result.verdict is Verdict.REJECTED
    assert result.reasons == (
        f"state {first:} is said to be referred to {claimed + 1} times; the script does so {claimed} times",
    )


COUNTERS = """
byte x, y; bool done;
active proctype P() { do :: x < 40 -> x++ :: else -> break od }
active proctype Q() { do :: y < 40 -> y++ :: else -> break od }
active proctype R() { done = true }
ltl comes { <> done }
ltl in_order { [] (x == 40 -> [] x == 40) }
"""
THREADS = """
import threading
turn, served = 0, 0
def work(own):
    global turn, served
    while turn != own:
        pass
    served += 1
    turn = own + 1
threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize(
    ("name", "text", "ltl"),
    [("counters.pml", COUNTERS, ()), ("threads.py", THREADS, ["<> (served == 2)", "[] (served <= 2)"])],
)
def test_what_holds_of_fair_runs_is_certified_on_a_cluster(dask, tmp_path, name, text, ltl):
    """Ranks at the cuts between tasks, fairness and dictionaries travel along."""
    program, file = tmp_path / name, tmp_path / "runs.assay"
    program.write_text(text)
    asked = {"ltl": ltl, "fair": True, "terminates": True}
    assert assay.verify(
        program, **asked, reductions=(), certificate=file, certificate_coding="small"
    ).verdict is Verdict.VERIFIED  # fmt: skip
    here = assay.certify(program, file, **asked, tasks=3, workers=2)
    there = assay.certify(program, file, **asked, cluster=dask.address, tasks=3)
    assert (here.verdict, here.reasons) == (there.verdict, there.reasons) == (Verdict.VERIFIED, ())
    assert [(one.kind, one.fair, one.states, one.transitions) for one in there.temporal] == [
        (one.kind, one.fair, one.states, one.transitions) for one in here.temporal
    ]
    assert [one.kind for one in there.temporal] == ["ltl", "ltl", "termination"]


def test_time_that_runs_out_on_a_cluster_is_incomplete(dask, certified):
    result = assay.certify(*certified, cluster=dask.address, timeout_seconds=0.001)
    assert result.verdict is Verdict.INCOMPLETE
    assert result.reasons[0].startswith("time ran out")


def test_a_walk_that_needs_more_memory_than_allowed_is_incomplete_on_a_cluster_too(dask, certified):
    result = assay.certify(*certified, cluster=dask.address, memory_limit_bytes=1000)
    assert result.verdict is Verdict.INCOMPLETE
    assert result.reasons == ("a walk would have to keep more than the memory limit allows",)


def test_the_verdict_stands_when_a_worker_is_killed_and_all_files_vanish(dask, certified, copied):
    program, _ = copied
    vanished = []

    def disturb(progress):
        if not vanished:
            shutil.rmtree(program.parent)
            vanished.append(progress)
        if progress.tasks_done >= 4 and dask.workers[0].poll() is None:
            dask.workers[0].kill()

    here = assay.certify(*certified)
    there = assay.certify(*copied, cluster=dask.address, tasks=16, listener=disturb)
    assert vanished
    assert dask.workers[0].wait() == -9
    assert outcome(there) == outcome(here)
    assert (there.verdict, there.tasks, there.states) == (Verdict.VERIFIED, 16, 130_048)


def test_obligations_of_a_c_program_are_asked_on_the_cluster(dask, tmp_path):
    program, certificate = tmp_path / "program.c", tmp_path / "program.assay"
    program.write_text(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n"
        "  int x = 0, y = 0;\n  while (__VERIFIER_nondet_int()) { x++; y++; }\n"
        "  if (x != y) reach_error();\n  return 0;\n}\n"
    )
    result = assay.verify(program, search="templates", certificate=certificate, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED
    result = assay.certify(program, certificate, cluster=dask.address)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert result.workers >= 2  # one was killed by the test before
    program.write_text(program.read_text().replace("y++", "y += 2"))
    assert assay.certify(program, certificate, cluster=dask.address).verdict is Verdict.REJECTED
