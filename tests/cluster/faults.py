"""Searches on a cluster whose processes are killed at random moments: nothing is lost, nothing is different.

python -m tests.cluster.faults                      # twenty with workers killed, ten with the scheduler
killed python -m tests.cluster.faults --workers 5 --scheduler 2 --seed 7
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import assay
from assay.clustering import coordinator
from assay.evidence.result import Result
from benchmarks.cluster import threads_children
from benchmarks.tasks import MODELS
from tests.cluster.equality import told
from tests.cluster.processes import Processes

# Large enough that a moment in the middle is found, small enough for thirty of them.
SUBJECTS = (
    ("barber.pml", {"defines": ("CUSTOMERS=4",), "reductions": ()}),
    ("philosophers.pml", {"defines": ("N=7",), "reductions": ()}),
    ("leader_ring.pml", {"reductions": ()}),
)
NARROW_STATES = 500
MOST_EVENTS = 6  # so that some search comes to its end on a busy machine, too


@contextlib.contextmanager
def troubled(cluster: Processes, draw: random.Random, seconds: float) -> Iterator[list[str]]:
    """Kills workers and adds others while the block runs; tells what it did."""
    over = threading.Event()
    done: list[str] = []

    def trouble() -> None:
        began = time.monotonic()
        while len(done) < MOST_EVENTS and not over.wait(draw.uniform(0.2, seconds)):
            chance = draw.random()
            if chance < 0.3:  # what a worker searches with, at work or between two calls
                for child in threads_children(draw.choice(cluster.workers).pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                done.append(f"a child was killed after {time.monotonic() - began:.1f} s")
            elif len(cluster.workers) > 1 and chance < 0.8:
                cluster.kill_worker(draw.choice(cluster.workers))
                done.append(f"a worker was killed after {time.monotonic() - began:.1f} s")
            else:
                cluster.add_worker()
                done.append(f"a worker joined after {time.monotonic() - began:.1f} s")

        over.wait()  # processes die with the thread that started them

    thread = threading.Thread(target=trouble)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def verified(subject: tuple[str, dict[str, Any]], directory: Path, certificate: Path, **where: Any) -> Result:
    name, options = subject
    return assay.verify(
        MODELS / name, spill=directory, certificate=certificate, safety=True, **options, **where
    )


def with_workers_killed(
    subject: tuple[str, dict[str, Any]], expected: Any, seed: int
) -> tuple[str, list[str]]:
    """What differs, and what was done to the cluster."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, Processes(3) as cluster:
        with troubled(cluster, draw, 3.0) as done:
            file = Path(folder, "certificate")
            result = verified(subject, Path(folder, "states"), file, cluster=cluster.address)
        found = (told(result), file.read_bytes() if file.exists() else b"")
    return _difference(expected, found), done


def with_the_scheduler_killed(
    subject: tuple[str, dict[str, Any]], expected: Any, seed: int
) -> tuple[str, list[str]]:
    """The scheduler dies and takes its workers along; another cluster goes on, with another number of
    workers."""
    draw = random.Random(seed)
    done: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        file, states = Path(folder, "certificate"), Path(folder, "states")
        resume = False
        while True:
            workers = draw.randint(1, 4)
            with Processes(workers) as cluster:
                wait = draw.uniform(1.0, 6.0) if len(done) < 2 else 600.0
                timer = threading.Timer(wait, cluster.kill_scheduler)
                timer.start()
                result = verified(subject, states, file, cluster=cluster.address, resume=resume)
                timer.cancel()
                timer.join()
            if result.verdict != "incomplete":
                break
            done.append(f"{workers} workers stopped: {result.reasons[0]}")
            resume = True
        found = (told(result), file.read_bytes() if file.exists() else b"")
    return _difference(expected, found), done


def _difference(expected: Any, found: Any) -> str:
    (here, own), (there, other) = expected, found
    for name in here:
        if here[name] != there[name]:
            return f"{name}: {here[name]!r} here and {there[name]!r} there"
    return "" if own == other else f"the certificates differ ({len(own)} and {len(other)} bytes)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=20, help="searches with workers killed")
    parser.add_argument("--scheduler", type=int, default=10, help="searches with the scheduler killed")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    coordinator.NARROW_STATES = NARROW_STATES
    expected = []
    for subject in SUBJECTS:
        with tempfile.TemporaryDirectory() as folder:
            result = verified(subject, Path(folder, "states"), Path(folder, "certificate"))
            expected.append((told(result), Path(folder, "certificate").read_bytes()))
    wrong = 0
    for number in range(given.workers + given.scheduler):
        index = number % len(SUBJECTS)
        # Half of them answer after every level: what is lost in between is one level, or several.
        coordinator.ANSWER_AFTER_SECONDS = number % 2 * 1.0
        trouble = with_workers_killed if number < given.workers else with_the_scheduler_killed
        began = time.monotonic()
        problem, done = trouble(SUBJECTS[index], expected[index], given.seed + number)
        wrong += bool(problem)
        print(
            f"{number}: {SUBJECTS[index][0]}: {problem or 'equal'} ({time.monotonic() - began:.1f} s; "
            f"{'; '.join(done) or 'nothing happened'})",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
