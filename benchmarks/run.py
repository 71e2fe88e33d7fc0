"""SPIN and Assay side by side, in one run, interleaved: `make bench`.

    python -m benchmarks [--quick] [--repetitions 3] [--only NAME ...] [--output DIRECTORY]

Unreduced and exact: SPIN as `spin -a -o1 -o2 -o3`, `gcc -O2 -DSAFETY -DNOREDUCE`,
`pan -n -m<depth>`, its hash table at the default and sized for the model, whichever
is faster; Assay with one thread and with two. Reduced: both tools as they are
without options, from command to verdict. Every figure is the best of the
repetitions. Prints a Markdown table and what the aims say; saves both, and JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.measure import (
    BenchmarkProblem,
    Measurement,
    best,
    measure_assay,
    measure_spin,
    sized_hash_table,
)
from benchmarks.tasks import FULL, QUICK, Task
from tests.agreement import spin

MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Comparison:
    """One task, all tools, the best of the repetitions."""

    task: Task
    spin: Measurement
    assay: Measurement
    assay_two_threads: Measurement
    spin_reduced: Measurement
    assay_reduced: Measurement

    @property
    def speed(self) -> float:
        return self.spin.search_seconds / self.assay.search_seconds

    @property
    def memory(self) -> float:
        return self.assay.peak_memory_bytes / self.spin.peak_memory_bytes

    @property
    def threads(self) -> float:
        return self.assay.search_seconds / self.assay_two_threads.search_seconds

    @property
    def reduced(self) -> float:
        return self.assay_reduced.total_seconds / self.spin_reduced.total_seconds


def compare(task: Task, repetitions: int, note: Callable[[str], None]) -> Comparison:
    """All tools take turns, so that a busy moment of the machine does not hit only one of them."""
    runs: dict[str, list[Measurement]] = {}

    def measured(name: str, measurement: Measurement) -> None:
        runs.setdefault(name, []).append(measurement)
        note(f"{task.name}: {name} {measurement.search_seconds:.2f} s of {measurement.total_seconds:.2f} s")

    sized = sized_hash_table(task.states)
    for _ in range(repetitions):
        measured("spin", measure_spin(task, reduced=False))
        measured("assay", measure_assay(task, reduced=False))
        if sized != "-w24":
            measured("spin", measure_spin(task, reduced=False, run_options=(sized,)))
        measured("assay, 2 threads", measure_assay(task, reduced=False, threads=2))
        measured("spin reduced", measure_spin(task, reduced=True))
        measured("assay reduced", measure_assay(task, reduced=True))
    return Comparison(
        task,
        best(runs["spin"]),
        best(runs["assay"]),
        best(runs["assay, 2 threads"]),
        best(runs["spin reduced"]),
        best(runs["assay reduced"]),
    )


def table(comparisons: Sequence[Comparison]) -> str:
    """Markdown."""
    lines = [
        "Unreduced, exact; search seconds, compile seconds, peak memory in MB.",
        "",
        "| model | states | SPIN s | Assay s | speed | 2 threads s | gain | SPIN compile | Assay compile "
        "| SPIN MB | Assay MB | memory |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in comparisons:
        name = f"{one.task.name}{' (wide)' if one.task.wide else ''}"
        lines.append(
            f"| {name} | {one.assay.states:,} "
            f"| {one.spin.search_seconds:.2f} | {one.assay.search_seconds:.2f} | {one.speed:.2f} "
            f"| {one.assay_two_threads.search_seconds:.2f} | {one.threads:.2f} "
            f"| {one.spin.compile_seconds:.2f} | {one.assay.compile_seconds:.2f} "
            f"| {one.spin.peak_memory_bytes / MEGABYTE:.0f} | {one.assay.peak_memory_bytes / MEGABYTE:.0f} "
            f"| {one.memory:.2f} |"
        )
    lines += [
        "",
        "Default reductions of each tool, from command to verdict.",
        "",
        "| model | SPIN states | Assay states | SPIN s | Assay s | ratio | SPIN MB | Assay MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in comparisons:
        name = one.task.name
        lines.append(
            f"| {name} | {one.spin_reduced.states:,} | {one.assay_reduced.states:,} "
            f"| {one.spin_reduced.total_seconds:.2f} | {one.assay_reduced.total_seconds:.2f} "
            f"| {one.reduced:.2f} "
            f"| {one.spin_reduced.peak_memory_bytes / MEGABYTE:.0f} "
            f"| {one.assay_reduced.peak_memory_bytes / MEGABYTE:.0f} |"
        )
    return "\n".join(lines)


def aims(comparisons: Sequence[Comparison]) -> list[tuple[str, str, bool]]:
    """What we want, what we have, whether that is enough."""
    speed = statistics.median(one.speed for one in comparisons)
    slowest = min(one.speed for one in comparisons)
    memory = max(one.memory for one in comparisons)
    threads = statistics.median(one.threads for one in comparisons)
    slow = [one.reduced for one in comparisons if one.spin_reduced.total_seconds > 1.0]
    result = [
        ("states per second, median, at least 3 times SPIN's", f"{speed:.2f}", speed >= 3),
        ("nowhere slower than SPIN", f"{slowest:.2f} at least", slowest >= 1),
        ("peak memory at most 0.4 times SPIN's", f"{memory:.2f} at most", memory <= 0.4),
        ("two threads, median, at least 1.6 times one", f"{threads:.2f}", threads >= 1.6),
    ]
    if slow:
        result.append(
            (
                "reduced, command to verdict, at most half of SPIN's above 1 s",
                f"{max(slow):.2f} at most",
                max(slow) <= 0.5,
            )
        )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure SPIN and Assay side by side."
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, once: about two minutes")
    parser.add_argument("--repetitions", type=int, metavar="N")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="tasks whose name contains one of these")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="DIRECTORY")
    arguments = parser.parse_args()
    if not spin.available():
        sys.exit("spin and gcc are needed (Debian: apt-get install spin gcc)")
    tasks = QUICK if arguments.quick else FULL
    tasks = tuple(t for t in tasks if not arguments.only or any(part in t.name for part in arguments.only))
    repetitions = arguments.repetitions or (1 if arguments.quick else 3)
    began = time.strftime("%Y-%m-%d %H:%M")
    comparisons, problems = [], []
    for task in tasks:
        try:
            comparisons.append(
                compare(task, repetitions, lambda line: print(line, file=sys.stderr, flush=True))
            )
        except BenchmarkProblem as problem:
            problems.append(str(problem))
            print(problem, file=sys.stderr, flush=True)
    if not comparisons:
        sys.exit("nothing was measured")
    machine = f"{os.cpu_count()} processors, {platform.machine()}, load {os.getloadavg()[0]:.1f} at the end"
    report = f"{spin.version()}; {machine}; best of {repetitions}; {began}\n\n{table(comparisons)}\n\n"
    report += "\n".join(
        f"- {'met' if met else 'NOT MET'}: {aim}: {value}" for aim, value, met in aims(comparisons)
    )
    report += "".join(f"\n- PROBLEM: {problem}" for problem in problems)
    print(report)
    arguments.output.mkdir(parents=True, exist_ok=True)
    name = "quick" if arguments.quick else "full"
    (arguments.output / f"{name}.md").write_text(report + "\n")
    (arguments.output / f"{name}.json").write_text(
        json.dumps(
            {
                "spin": spin.version(),
                "machine": machine,
                "repetitions": repetitions,
                "tasks": [asdict(one) for one in comparisons],
                "aims": [{"aim": aim, "value": value, "met": met} for aim, value, met in aims(comparisons)],
                "problems": problems,
            },
            indent=2,
        )
        + "\n"
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
