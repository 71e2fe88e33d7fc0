"""Measure one tool on one task: the same clock, the same memory counter, nothing cached.

SPIN's search time is that of `pan` as a process; Assay's is the time that it
reports for its search, inside a process that is measured as a whole. Memory is
the peak resident size of the largest process of each tool.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tasks import Task
from tests.agreement import spin
from tests.agreement.process import run

TIMEOUT_SECONDS = 1800.0


class BenchmarkProblem(Exception):
    """A tool did not do what the task says; its times mean nothing then."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run of one tool."""

    states: int
    transitions: int
    search_seconds: float
    compile_seconds: float  # model to something that runs: generate and compile
    total_seconds: float  # command to verdict
    peak_memory_bytes: int


def best(measurements: Sequence[Measurement]) -> Measurement:
    """The least disturbed run, figure by figure."""
    first = measurements[0]
    return Measurement(
        first.states,
        first.transitions,
        min(one.search_seconds for one in measurements),
        min(one.compile_seconds for one in measurements),
        min(one.total_seconds for one in measurements),
        min(one.peak_memory_bytes for one in measurements),
    )


def sized_hash_table(states: int) -> str:
    """SPIN's -w for about one slot per state, but never below its default."""
    return f"-w{max(24, math.ceil(math.log2(max(states, 2))))}"


def measure_spin(task: Task, *, reduced: bool, run_options: Sequence[str] = ()) -> Measurement:
    options = spin.REDUCED if reduced else spin.UNREDUCED
    outcome = spin.check(
        task.path,
        spin.SpinOptions((*task.macros, *options.generate), options.compile),
        compiler="gcc -O2",
        timeout_seconds=TIMEOUT_SECONDS,
        run_options=run_options,
        depths=(task.depth + task.depth // 20 + 1000, 4 * task.depth + 1_000_000),
        memory_limit_bytes=20 << 30,
        copy_directory=False,
    )
    if outcome.verdict != "verified" or outcome.aborted:
        raise BenchmarkProblem(f"SPIN on {task.name}: {outcome.status.value} {outcome.message}")
    _expect(task, "SPIN", outcome.states, outcome.transitions, reduced)
    compile_seconds = outcome.generate_seconds + outcome.compile_seconds
    return Measurement(
        outcome.states,
        outcome.transitions,
        outcome.search_seconds,
        compile_seconds,
        compile_seconds + outcome.search_seconds,
        outcome.peak_memory_bytes,
    )


def measure_assay(task: Task, *, reduced: bool, threads: int = 1) -> Measurement:
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        command = [str(Path(sys.executable).with_name("assay")), "verify", str(task.path), "--json"]
        command += [part for define in task.defines for part in ("-D", define)]
        command += ["--threads", str(threads), *([] if reduced else ["--no-reductions"])]
        completed = run(command, timeout_seconds=TIMEOUT_SECONDS, environment={"XDG_CACHE_HOME": scratch})
    try:
        said = json.loads(completed.output)
    except ValueError:
        raise BenchmarkProblem(f"Assay on {task.name}: {completed.errors.strip()[-200:]}") from None
    if said["verdict"] != "verified":
        raise BenchmarkProblem(f"Assay on {task.name}: {said['verdict']} {said.get('reasons')}")
    _expect(task, "Assay", said["states"], said["transitions"], reduced)
    return Measurement(
        said["states"],
        said["transitions"],
        said["search_seconds"],
        said["compile_seconds"],
        completed.seconds,
        max(said["peak_memory_bytes"], completed.peak_memory_bytes),
    )


def _expect(task: Task, tool: str, states: int, transitions: int, reduced: bool) -> None:
    # SPIN prints large figures with eight digits
    if (
        not reduced
        and task.states
        and not (
            math.isclose(states, task.states, rel_tol=1e-7)
            and math.isclose(transitions, task.transitions, rel_tol=1e-7)
        )
    ):
        raise BenchmarkProblem(
            f"{tool} on {task.name}: {states} states and {transitions} transitions, "
            f"expected {task.states} and {task.transitions}"
        )
