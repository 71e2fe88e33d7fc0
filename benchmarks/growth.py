"""How time and memory grow with the size of the state space: one family from 10^5 to 10^8 states.

python -m benchmarks.growth [--up-to 30000000] [--spin-up-to 30000000]
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.measure import BenchmarkProblem, Measurement, measure_assay, measure_spin
from benchmarks.tasks import GROWTH
from tests.agreement import spin


def _row(name: str, tool: str, measurement: Measurement) -> str:
    states = measurement.states
    return (
        f"| {name} | {tool} | {states:,} | {measurement.transitions:,} | {measurement.search_seconds:.2f} "
        f"| {states / measurement.search_seconds / 1e6:.2f} | {measurement.peak_memory_bytes / 1e6:.0f} "
        f"| {measurement.peak_memory_bytes / states:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("--up-to", type=float, default=2e8, metavar="STATES", help="largest size for Assay")
    parser.add_argument(
        "--spin-up-to", type=float, default=3e7, metavar="STATES", help="largest size for SPIN"
    )
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    print("| model | tool | states | transitions | search s | million states/s | peak MB | bytes/state |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for task in GROWTH:
        try:
            if task.states <= arguments.up_to:
                measured = measure_assay(task, reduced=False, threads=arguments.threads)
                print(_row(task.name, "Assay", measured), flush=True)
            if spin.available() and task.states <= arguments.spin_up_to:
                print(_row(task.name, "SPIN", measure_spin(task, reduced=False)), flush=True)
        except BenchmarkProblem as problem:
            print(problem, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
