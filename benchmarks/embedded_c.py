"""SPIN and Assay with embedded C, side by side: `make bench-c`.

    python -m benchmarks.embedded_c [--repetitions 3] [--quick]

One model with 1 KB, 64 KB and 4 MB of tracked data, of which each step changes one byte: states per second
and bytes per state of SPIN (`-DSAFETY -DNOREDUCE -O2`), of Assay with what is declared, and with all memory.
Tools take turns; each figure is the best of the repetitions. Another count than SPIN's is an error, not a
figure.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MODEL = Path(__file__).with_name("models") / "embedded_c.pml"
SIZES = [(1 << 10, 40), (1 << 16, 8), (4 << 20, 1)]  # bytes, steps of each process
QUICK = [(1 << 10, 15), (1 << 16, 4)]


@dataclass(frozen=True, slots=True)
class Figure:
    states: int
    seconds: float
    peak_bytes: int

    @property
    def speed(self) -> float:
        return self.states / self.seconds

    @property
    def bytes_per_state(self) -> float:
        return self.peak_bytes / self.states


def with_spin(folder: Path, size: int) -> Callable[[], Figure]:
    subprocess.run(
        ["spin", "-a", "-o1", "-o2", "-o3", "model.pml"], cwd=folder, check=False, capture_output=True
    )
    flags = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", f"-DVECTORSZ={size + 4096}"]
    subprocess.run(["gcc", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)

    def measure() -> Figure:
        began = time.perf_counter()
        command = ["/usr/bin/env", "./pan", "-n", "-m100000"]
        told = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        seconds = time.perf_counter() - began
        states = re.search(r"(\d+) states, stored", told.stdout)
        memory = re.search(r"([\d.]+)\s+total actual memory usage", told.stdout)
        if states is None or memory is None or "errors: 0" not in told.stdout:
            raise RuntimeError(f"SPIN did not finish: {told.stdout[-400:]}")
        return Figure(int(states[1]), seconds, int(float(memory[1]) * 1e6))

    return measure


def with_assay(folder: Path, tracking: str) -> Callable[[], Figure]:
    command = [
        sys.executable,
        "-c",
        "from assay.cli.main import main; main()",
        "verify",
        "model.pml",
        "--json",
    ]
    command += ["--no-reductions", "--tracking", tracking]

    def measure() -> Figure:
        told = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        found = json.loads(told.stdout)
        if found.get("verdict") != "verified":
            raise RuntimeError(f"Assay did not verify: {told.stdout[:400]}")
        return Figure(found["states"], found["search_seconds"], found["peak_memory_bytes"])

    return measure


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    print("| data | states | tool | k states/s | bytes per state (peak) | speed to SPIN's |")
    print("| --- | --- | --- | --- | --- | --- |")
    for size, steps in QUICK if given.quick else SIZES:
        with tempfile.TemporaryDirectory() as directory:
            folder = Path(directory)
            text = MODEL.read_text().replace("SIZE", str(size)).replace("STEPS", str(steps))
            (folder / "model.pml").write_text(text)
            tools = {
                "SPIN": with_spin(folder, size),
                "Assay, declared": with_assay(folder, "declared"),
                "Assay, all": with_assay(folder, "all"),
            }
            measured: dict[str, list[Figure]] = {name: [] for name in tools}
            for _ in range(given.repetitions):
                for name, measure in tools.items():
                    measured[name].append(measure())
        figures = {name: min(found, key=lambda one: one.seconds) for name, found in measured.items()}
        if len({figure.states for figure in figures.values()}) != 1:
            raise RuntimeError(f"the tools count differently: {figures}")
        for name, figure in figures.items():
            print(
                f"| {size >> 10} KB | {figure.states:,} | {name} | {figure.speed / 1e3:,.1f} "
                f"| {figure.bytes_per_state:,.0f} | {figures['SPIN'].seconds / figure.seconds:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
