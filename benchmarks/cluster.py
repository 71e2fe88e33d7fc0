"""One search on several workers: `make bench-cluster`.

    python -m benchmarks.cluster [--quick] [--only NAME ...] [--repetitions 3] [--memory 1GiB] [--json FILE]

The search on disk, then a cluster of one and of two workers, in turns, each a process of its own on this
machine, as is the scheduler. Verdict and counts must be the same, or it is an error and not a figure.
Seconds are those of the search; beside them stands the processor time of the searching processes, and of
two workers that on the critical path (of each level the slower one's), which a machine that is busy with
other things disturbs less. Memory is that of a Dask worker and its child together, the largest of all
workers; a second, larger model shows whether the scheduler's grows with the number of states.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import assay
from assay.execution.memory import memory_of
from benchmarks.tasks import FULL, QUICK, Task
from tests.cluster.processes import Processes

TICKS = os.sysconf("SC_CLK_TCK")
AIMS = (
    ("one worker, times the processor time of --spill", 1.3, "at most"),
    ("two workers, times as fast as one", 1.5, "at least"),
    ("memory of a worker, of its share", 1.2, "at most"),
)


@dataclass(frozen=True, slots=True)
class Run:
    workers: int  # 0: on one machine, on disk
    states: int
    transitions: int
    seconds: float
    cpu_seconds: float
    critical_seconds: float  # of processor time, one level after another
    bytes_sent: int
    worker_bytes: int  # the largest
    scheduler_bytes: int


def processor_seconds(process: int) -> float:
    """Of a process and those it has waited for."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


class Watched:
    """Processor time and memory of the workers and their children, noted while a search runs."""

    def __init__(self, cluster: Processes) -> None:
        self._cluster = cluster
        self._before = {worker.pid: processor_seconds(worker.pid) for worker in cluster.workers}
        self._last: dict[int, float] = {}
        self.worker_bytes = 0

    def look(self, _progress: object) -> None:
        for worker in self._cluster.workers:
            total = memory_of(worker.pid).resident_bytes
            self._last[worker.pid] = processor_seconds(worker.pid)
            for child in threads_children(worker.pid):
                try:
                    total += memory_of(child).resident_bytes
                    self._last[child] = processor_seconds(child)
                except (OSError, ValueError):
                    continue
            self.worker_bytes = max(self.worker_bytes, total)

    @property
    def cpu_seconds(self) -> float:
        return sum(self._last.values()) - sum(self._before.values())


def threads_children(process: int) -> list[int]:
    """A child belongs to the thread that started it."""
    found = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        try:
            found += [int(one) for one in (thread / "children").read_text(encoding="ascii").split()]
        except OSError:
            continue
    return found


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        yield Path(folder, "states")


def on_disk(task: Task, memory: int) -> Run:
    before = sum(os.times()[:4])
    with scratch() as directory:
        result = assay.verify(
            task.path,
            defines=task.defines,
            reductions=(),
            safety=True,
            spill=directory,
            memory_limit_bytes=memory,
        )
    _require(task, result)
    cpu = sum(os.times()[:4]) - before
    return Run(
        0, result.states, result.transitions, result.search_seconds, cpu, cpu, 0, result.peak_memory_bytes, 0
    )


def on_a_cluster(task: Task, memory: int, cluster: Processes) -> Run:
    watched = Watched(cluster)
    with scratch() as directory:
        result = assay.verify(
            task.path,
            defines=task.defines,
            reductions=(),
            safety=True,
            spill=directory,
            cluster=cluster.address,
            memory_limit_bytes=memory,
            listener=watched.look,
        )
    _require(task, result)
    facts: Any = result.cluster
    return Run(
        facts["workers"],
        result.states,
        result.transitions,
        result.search_seconds,
        watched.cpu_seconds,
        sum(level["expand_cpu_seconds"] + level["merge_cpu_seconds"] for level in facts["levels"]),
        facts["bytes_sent"],
        watched.worker_bytes,
        memory_of(cluster.scheduler.pid).resident_bytes,
    )


def _require(task: Task, result: assay.Result) -> None:
    if (result.verdict, result.states, result.transitions) != ("verified", task.states, task.transitions):
        sys.exit(
            f"{task.name}: {result.verdict} with {result.states:,} states, {result.transitions:,} transitions"
        )


def best(runs: list[Run]) -> Run:
    """The least disturbed, figure by figure; of memory the most."""
    return Run(
        runs[0].workers,
        runs[0].states,
        runs[0].transitions,
        min(one.seconds for one in runs),
        min(one.cpu_seconds for one in runs),
        min(one.critical_seconds for one in runs),
        runs[0].bytes_sent,
        max(one.worker_bytes for one in runs),
        max(one.scheduler_bytes for one in runs),
    )


def row(task: Task, run: Run) -> str:
    name = "on disk" if run.workers == 0 else f"{run.workers} worker{'s' if run.workers > 1 else ''}"
    sent = run.bytes_sent / run.transitions
    worker, scheduler = run.worker_bytes / 1e6, run.scheduler_bytes / 1e6
    return (
        f"| {task.name} | {name} | {run.seconds:.1f} | {run.cpu_seconds:.1f} | {run.critical_seconds:.1f} "
        f"| {sent:.2f} | {worker:.0f} | {scheduler:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--quick", action="store_true", help="models of half a million states")
    parser.add_argument("--only", nargs="*", default=(), help="models whose names contain one of these")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--memory", type=int, default=1024, help="of each worker, in MiB")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    memory = given.memory << 20
    chosen = [
        task
        for task in (QUICK if given.quick else FULL)
        if not given.only or any(part in task.name for part in given.only)
    ]
    columns = (
        "model",
        "search",
        "s",
        "CPU s",
        "critical CPU s",
        "sent bytes/step",
        "worker MB",
        "scheduler MB",
    )
    print(f"| {' | '.join(columns)} |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    figures: dict[str, list[Run]] = {}
    with Processes(1) as one, Processes(2) as two:
        for task in chosen:
            runs: list[list[Run]] = [[], [], []]
            for _ in range(given.repetitions):
                runs[0].append(on_disk(task, memory))
                runs[1].append(on_a_cluster(task, memory, one))
                runs[2].append(on_a_cluster(task, memory, two))
            figures[task.name] = [best(each) for each in runs]
            for run in figures[task.name]:
                print(row(task, run), flush=True)
    print()
    for name, (disk, alone, both) in figures.items():
        print(
            f"{name}: one worker {alone.seconds / disk.seconds:.2f} times the time of --spill "
            f"({alone.critical_seconds / disk.cpu_seconds:.2f} of its processor time); two workers "
            f"{alone.seconds / both.seconds:.2f} times as fast as one "
            f"({alone.critical_seconds / both.critical_seconds:.2f} by processor time); memory "
            f"{both.worker_bytes / memory:.2f} of the share"
        )
    for what, aim, how in AIMS:
        print(f"aim: {what}: {how} {aim}")
    if given.json:
        given.json.write_text(
            json.dumps({name: [asdict(run) for run in runs] for name, runs in figures.items()}, indent=1)
        )


if __name__ == "__main__":
    main()
