"""Python programs: `make bench-python`.

    python -m benchmarks.python [--quick] [--only NAME ...] [--seconds 60] [--no-peers] [--json FILE]

The nine programs of the thesis's Table 3.1 (examples/thesis), with their
parameters raised until a search has 10^5 to 10^7 states: states, transitions
per state, seconds from the command to the verdict and in the search, states per
second of search, bytes per state, and the seconds of verifying with a
certificate, certifying and certifying trusted. Then the sizes
that are reached within a minute, by Assay and by frontrun (which runs schedules
one after another and remembers no states) on the same counters and buffers,
if it is installed. Java PathFinder explores 1.5 to 9.6 thousand states per
second on programs of this kind (measured apart, see docs/python/machine.md).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples" / "thesis"
JAVA_PATHFINDER_STATES_PER_SECOND = 9_600  # the best that was seen


@dataclass(frozen=True, slots=True)
class Size:
    """A program and values for the constants at its top."""

    program: str
    constants: Mapping[str, int]

    def __str__(self) -> str:
        return f"{self.program} {'/'.join(str(value) for value in self.constants.values())}"

    def source(self) -> str:
        text = (EXAMPLES / f"{self.program}.py").read_text(encoding="utf-8")
        for name, value in self.constants.items():
            text, count = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value}", text)
            if count != 1:
                raise SystemExit(f"{self.program} has no constant {name}")
        return text


# In the order of the thesis's table: the constants' names, then values; `!` marks the thesis's own.
PROGRAMS = {
    "dining_philosophers": ("PHILOSOPHERS", "4 5 6 7 8!"),
    "bounded_buffer": (
        "BUFFER_SIZE PRODUCERS CONSUMERS ITEMS",
        "1/2/2/1 2/2/2/2 2/3/2/1 2/3/3/1 5/4/4/1! 5/5/4/1",
    ),
    "ksu_pipeline": ("STAGES LISTENERS EVENTS", "2/1/1 2/1/2 3/1/1 3/1/2 4/1/1! 4/1/2"),
    "nested_monitor": ("BUFFER_SIZE PRODUCERS CONSUMERS", "1/1/1 2/2/1 2/2/2 3/3/2 5/4/4!"),
    "pipeline": ("STAGES ITEMS CAPACITY", "2/2/2 3/2/2 4/2/2 5/2/2 7/2/2! 9/2/2"),
    "rwvsn": ("READERS WRITERS", "2/1 2/2 3/2 3/3 4/4!"),
    "replicated_workers": ("WORKERS ITEMS PARTS", "2/1/2 3/1/2 3/2/2 4/1/2 5/2/2!"),
    "sleeping_barber": ("BARBERS CUSTOMERS CHAIRS", "1/2/1 1/3/1 2/3/2 2/4/2 2/4/3!"),
    "elevator": ("ELEVATORS FLOORS PEOPLE", "1/2/1 1/2/2 1/3/2 2/3/2 5/10/10!"),
}


def size_of(program: str, values: str) -> Size:
    names = PROGRAMS[program][0].split()
    return Size(program, dict(zip(names, map(int, values.split("/")), strict=True)))


def sizes_of(program: str) -> list[Size]:
    return [size_of(program, values.rstrip("!")) for values in PROGRAMS[program][1].split()]


@dataclass(slots=True)
class Figures:
    program: str
    verdict: str
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0  # from the command to the verdict
    search_seconds: float = 0.0
    peak_memory_bytes: int = 0
    with_certificate_seconds: float = 0.0
    certificate_bytes: int = 0
    certify_seconds: float = 0.0
    trusted_seconds: float = 0.0

    @property
    def rate(self) -> float:
        return self.states / self.search_seconds if self.search_seconds else 0.0


def run(arguments: list[str], seconds: float) -> tuple[dict[str, Any], float]:
    """The JSON of a command and the seconds it took."""
    began = time.perf_counter()
    done = subprocess.run(
        [str(Path(sys.executable).with_name("assay")), *arguments, "--json"],
        capture_output=True,
        text=True,
        timeout=seconds + 60,
        check=False,
    )
    took = time.perf_counter() - began
    if done.returncode not in {0, 1, 3}:
        raise SystemExit(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts, took


def measure(size: Size, folder: Path, seconds: float, *, certificate: bool) -> Figures:
    program = folder / f"{size.program}.py"
    program.write_text(size.source(), encoding="utf-8")
    verified, _ = run(["verify", str(program), "--timeout", f"{seconds}s"], seconds)
    figures = Figures(
        str(size),
        verified["verdict"],
        verified["states"],
        verified["transitions"],
        verified["seconds"],
        verified["search_seconds"],
        verified["peak_memory_bytes"],
    )
    if certificate and figures.verdict == "verified":
        path = folder / "out.assay"
        written, _ = run(["verify", str(program), "--certificate", str(path)], 10 * seconds)
        figures.with_certificate_seconds = written["seconds"]
        figures.certificate_bytes = path.stat().st_size
        checked, _ = run(["certify", str(program), str(path)], 10 * seconds)
        trusted, _ = run(["certify", str(program), str(path), "--trusted", "--trust-unsigned"], 10 * seconds)
        figures.certify_seconds = checked["seconds"]
        figures.trusted_seconds = trusted["seconds"]
    return figures


LOCKED_COUNTER = """
import threading

lock = threading.Lock()
total = 0


def work():
    global total
    for _ in range({increments}):
        with lock:
            total += 1


threads = [threading.Thread(target=work) for _ in range({threads})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total == {threads} * {increments}
"""

# The same in the form that frontrun explores; run on its own, because it patches the interpreter.
FRONTRUN_COUNTER = """
import sys, threading, time
import frontrun

class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.total = 0

def work(counter):
    for _ in range({increments}):
        with counter.lock:
            counter.total += 1

began = time.perf_counter()
try:
    result = frontrun.explore(
        Counter, work, lambda counter: counter.total == {threads} * {increments}, count={threads},
        preemption_bound=None, total_timeout={seconds}, detect_io=False,
    )
    took = time.perf_counter() - began
    # It says that the property holds when it ran out of time, too.
    print("finished" if took < {seconds} else "stopped", getattr(result, "num_explored", "?"), took)
except frontrun.InconclusiveExploration:
    print("stopped", "?", time.perf_counter() - began)
"""


def compare_with_frontrun(folder: Path, seconds: float) -> None:
    """Locked counters: what each of the two finishes within the time."""
    frontrun = Path(sys.executable).with_name("frontrun")
    if not frontrun.exists():
        print("frontrun is not installed: pip install frontrun")
        return
    rows = [["threads x increments", "Assay", "states", "frontrun", "executions"]]
    for threads, increments in ((2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2), (5, 3)):
        program = folder / "counter.py"
        program.write_text(LOCKED_COUNTER.format(threads=threads, increments=increments), encoding="utf-8")
        ours, took = run(["verify", str(program), "--timeout", f"{seconds}s"], seconds)
        peer = folder / "frontrun_counter.py"
        peer.write_text(
            FRONTRUN_COUNTER.format(threads=threads, increments=increments, seconds=seconds), encoding="utf-8"
        )
        try:
            done = subprocess.run(
                [str(frontrun), sys.executable, str(peer)],
                capture_output=True,
                text=True,
                timeout=2 * seconds + 30,
                check=False,
            )
            how, executions, theirs = (
                done.stdout.split()[-3:] if done.stdout.split() else ("failed", "?", "0")
            )
        except subprocess.TimeoutExpired:
            how, executions, theirs = "stopped", "?", str(2 * seconds)
        rows.append(
            [
                f"{threads} x {increments}",
                f"{ours['verdict']} {took:.1f} s",
                f"{ours['states']:,}",
                f"{how} {float(theirs):.1f} s",
                executions,
            ]
        )
        print(" ".join(rows[-1]), flush=True)
    print()
    print(table(rows))


def table(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]

    def line(row: list[str]) -> str:
        first, *others = zip(row, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])

    return "\n".join(map(line, rows))


HEADINGS = (
    "program|states|trans./state|s|search s|k states/s|bytes/state|with cert. s|B/trans.|certify s|trusted s"
)


def row_of(one: Figures) -> list[str]:
    return [
        one.program,
        f"{one.states:,}",
        f"{one.transitions / max(1, one.states):.2f}",
        f"{one.seconds:.2f}",
        f"{one.search_seconds:.2f}",
        f"{one.rate / 1e3:.0f}",
        f"{one.peak_memory_bytes / max(1, one.states):.0f}",
        f"{one.with_certificate_seconds:.2f}",
        f"{one.certificate_bytes / max(1, one.transitions):.2f}",
        f"{one.certify_seconds:.2f}",
        f"{one.trusted_seconds:.2f}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only the smallest size of each")
    parser.add_argument("--only", nargs="+", default=[], help="programs by name")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each search")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.environ["PYTHONHASHSEED"] = "0"
    largest: list[Figures] = []
    stopped: list[Figures] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in options.only or PROGRAMS:
            finished: Size | None = None
            for size in sizes_of(program)[: 1 if options.quick else None]:
                figures = measure(size, folder, options.seconds, certificate=False)
                told = f"{figures.verdict}, {figures.states:,} states, {figures.seconds:.1f} s"
                print(f"{figures.program}: {told}", flush=True)
                if figures.verdict != "verified":
                    stopped.append(figures)
                    break
                finished = size
            if finished is not None:
                largest.append(measure(finished, folder, options.seconds, certificate=True))
        if not options.no_peers:
            compare_with_frontrun(folder, options.seconds)
    print()
    print(table([HEADINGS.split("|"), *map(row_of, largest)]))
    big = [one.rate for one in largest if one.states >= 100_000]
    if big:
        median = statistics.median(big)
        print(
            f"\nmedian of the programs above 100,000 states: {median / 1e3:.0f} thousand states/s, "
            f"{median / JAVA_PATHFINDER_STATES_PER_SECOND:.0f} times Java PathFinder's best"
        )
    if stopped:
        print(f"\nnot finished within {options.seconds:.0f} s:")
        for one in stopped:
            print(f"  {one.program}: {one.verdict} after {one.states:,} states in {one.seconds:.0f} s")
    if options.json:
        options.json.write_text(
            json.dumps([asdict(one) for one in (*largest, *stopped)], indent=1), encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
