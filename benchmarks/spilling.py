"""What keeping the states on disk costs: the same search in memory, then with a share of that memory.

python -m benchmarks.spilling [--share 0.05] [--quick] [--directory DIR]

Verdict and counts must be the same and the peak of resident memory within the
limit, or it is an error, not a figure. CPU time is that of the whole command,
its children included; on a busy machine it says more than the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tasks import MODELS

OVERSHOOT = 1.1

FULL = ("readers_writers.pml", ("READERS=7", "WRITERS=4"))  # 96,685,686 states
QUICK = ("philosophers.pml", ("N=9",))  # 3,883,008 states; the interpreter is most of its memory


@dataclass(frozen=True, slots=True)
class Run:
    said: dict[str, object]
    seconds: float
    cpu_seconds: float


def verify(model: str, defines: tuple[str, ...], *options: str) -> Run:
    command = [str(Path(sys.executable).with_name("assay")), "verify", str(MODELS / model), "--no-reductions"]
    command += [part for define in defines for part in ("-D", define)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    completed = subprocess.run([*command, "--json", *options], stdout=subprocess.PIPE, check=False)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(json.loads(completed.stdout), seconds, cpu)


def row(name: str, run: Run) -> str:
    said = run.said
    disk = said["spill"]["disk_bytes"] / 1e6 if said["spill"] else 0.0  # type: ignore[index]
    return (
        f"| {name} | {said['states']:,} | {said['transitions']:,} | {run.cpu_seconds:.1f} "
        f"| {run.seconds:.1f} | {said['peak_memory_bytes'] / 1e6:.0f} | {disk:.0f} |"  # type: ignore[operator]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spilling")
    parser.add_argument("--share", type=float, default=0.05, help="of the memory that the search takes")
    parser.add_argument("--quick", action="store_true", help="a model of four million states")
    parser.add_argument("--directory", default=tempfile.gettempdir(), help="where the states go")
    arguments = parser.parse_args()
    model, defines = QUICK if arguments.quick else FULL
    print("| search | states | transitions | CPU s | s | peak MB | disk MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    memory = verify(model, defines)
    print(row("in memory", memory), flush=True)
    limit = int(memory.said["peak_memory_bytes"] * arguments.share)  # type: ignore[call-overload]
    directory = Path(arguments.directory, f"assay-spilling-{os.getpid()}")
    disk = verify(model, defines, "--spill", str(directory), "--memory", str(limit))
    if disk.said["verdict"] == "unusable":
        sys.exit(f"{disk.said['message']}: the model is too small for this share")
    print(row(f"on disk, {100 * arguments.share:.0f} % of the memory", disk), flush=True)
    for key in ("verdict", "states", "transitions", "depth"):
        if memory.said[key] != disk.said[key]:
            sys.exit(f"{key}: {memory.said[key]} in memory, {disk.said[key]} on disk")
    if disk.said["peak_memory_bytes"] > limit * OVERSHOOT:  # type: ignore[operator]
        sys.exit(f"{disk.said['peak_memory_bytes']} bytes of memory, allowed were {limit}")
    print(
        f"\n{disk.cpu_seconds / memory.cpu_seconds:.2f} times the CPU time, "
        f"{disk.seconds / memory.seconds:.2f} times the clock"
    )


if __name__ == "__main__":
    main()
