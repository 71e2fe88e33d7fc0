"""Temporal properties, SPIN and Assay side by side in one run: `make bench-liveness`.

    python -m benchmarks.liveness [--quick] [--repetitions 3]

From command to verdict, interleaved, the best of the repetitions. SPIN as `spin -a`, `gcc -O2`, `pan -a` (and
`-f` with fairness, with room for every process); both tools as they are without options, SPIN with its
reduction where it has one for the formula.
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
from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).parent / "models"


@dataclass(frozen=True, slots=True)
class Question:
    model: str
    macros: tuple[str, ...]
    formula: str
    holds: bool
    fair: bool = False
    quick: bool = False

    @property
    def name(self) -> str:
        return f"{self.model} {' '.join(self.macros)} {self.formula}{' (fair)' if self.fair else ''}"


QUESTIONS = (
    Question("philosophers", ("N=5",), "[] <> (eating > 0)", holds=False, quick=True),
    Question("philosophers", ("N=5",), "[] (eating <= 2)", holds=True, quick=True),
    Question("philosophers", ("N=7",), "[] <> (eating > 0)", holds=False),
    Question("philosophers", ("N=7",), "[] (eating <= 3)", holds=True),
    Question("philosophers", ("N=5",), "[] <> (eating > 0)", holds=True, fair=True),
    Question("leader_ring", ("N=4",), "<> (leaders == 1)", holds=True, quick=True),
    Question("leader_ring", ("N=5",), "<> [] (leaders == 1)", holds=True),
    Question("leader_ring", ("N=4",), "<> (leaders == 2)", holds=False),
    Question("filter_lock", ("N=3",), "[] <> (inside == 1)", holds=False, quick=True),
    Question("filter_lock", ("N=3",), "<> (inside == 1)", holds=True, fair=True),
)


@dataclass(frozen=True, slots=True)
class Answer:
    holds: bool
    seconds: float
    states: int


def text_of(question: Question) -> str:
    macros = "".join(f"#define {macro.replace('=', ' ')}\n" for macro in question.macros)
    text = (MODELS / f"{question.model}.pml").read_text()
    return f"{macros}{text}\nltl asked {{ {question.formula} }}\n"


def spin(question: Question, folder: Path) -> Answer:
    began = time.perf_counter()
    subprocess.run(["spin", "-a", "m.pml"], cwd=folder, check=True, capture_output=True)
    rooms = [f"-DNFAIR={16}"] if question.fair else []
    subprocess.run(["gcc", "-O2", *rooms, "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True)
    command = ["./pan", "-a", *(["-f"] if question.fair else []), "-n", "-m2000000", "-w26"]
    output = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True).stdout
    seconds = time.perf_counter() - began
    errors = int(re.search(r"errors: (\d+)", output)[1])
    return Answer(errors == 0, seconds, int(re.search(r"(\d+) states, stored", output)[1]))


def assay(question: Question, folder: Path) -> Answer:
    command = [sys.executable, "-m", "assay.cli.main", "verify", "m.pml", "--no-deadlock", "--json"]
    began = time.perf_counter()
    run = subprocess.run(
        [*command, *(["--fair"] if question.fair else [])],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
    )
    seconds = time.perf_counter() - began
    result = json.loads(run.stdout)
    (standing,) = [one["standing"] for one in result["properties"] if one["kind"] == "ltl"]
    return Answer(standing == "holds", seconds, result["states"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    ratios: dict[bool, list[float]] = {True: [], False: []}
    print("| question | holds | SPIN s | Assay s | ratio |\n| --- | --- | --- | --- | --- |")
    for question in QUESTIONS:
        if arguments.quick and not question.quick:
            continue
        taken: dict[str, list[Answer]] = {"spin": [], "assay": []}
        for _ in range(arguments.repetitions):
            for tool, ask in (("spin", spin), ("assay", assay)):
                with tempfile.TemporaryDirectory() as folder:
                    Path(folder, "m.pml").write_text(text_of(question))
                    answer = ask(question, Path(folder))
                    if answer.holds != question.holds:
                        print(f"{tool} says {answer.holds} for {question.name}", file=sys.stderr)
                    taken[tool].append(answer)
        theirs, ours = (min(one.seconds for one in taken[tool]) for tool in ("spin", "assay"))
        ratios[question.holds].append(ours / theirs)
        print(
            f"| {question.name} | {question.holds} | {theirs:.2f} | {ours:.2f} | {ours / theirs:.2f} |",
            flush=True,
        )
    for holds, found in ratios.items():
        if found:
            print(f"\nmedian over {'holding' if holds else 'violated'} ones: {statistics.median(found):.2f}")


if __name__ == "__main__":
    main()
