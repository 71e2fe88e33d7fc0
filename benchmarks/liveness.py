"""Temporal properties, SPIN and Assay side by side in one run: `make bench-liveness`.

    python -m benchmarks.liveness [--quick] [--repetitions 3]

Three tables, everything interleaved, the best of the repetitions:

1. From command to verdict: SPIN as `spin -a`, `gcc -O2`, `pan -a` (with fairness `-f` and room for every
   process), Assay as `assay verify` with an empty cache; both with their reductions.
2. States of the product per second of the search, nothing reduced on either side.
3. With fairness: states of the product, nothing reduced on either side, and as each tool does it by itself.
   SPIN visits a state once for each copy that fairness makes of it, and counts all copies as one stored
   state with a bit for each.

Both tools must give the verdict that stands here, or there is no figure.
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import _engine, languages
from assay.search.cycle_worker import CycleSearch
from assay.transition_system.language_options import REDUCTIONS, LanguageOptions
from assay.transition_system.opening import open_model
from assay.transition_system.question import question_of

MODELS = Path(__file__).parent / "models"
ROOM_FOR_PROCESSES = 16


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
        return f"{self.model} {' '.join(self.macros)} `{self.formula}`{' (fair)' if self.fair else ''}"

    def write(self, folder: Path) -> Path:
        macros = "".join(f"#define {macro.replace('=', ' ')}\n" for macro in self.macros)
        text = (MODELS / f"{self.model}.pml").read_text()
        path = folder / "m.pml"
        path.write_text(f"{macros}{text}\nltl asked {{ {self.formula} }}\n")
        return path


COMMANDS = (
    Question("philosophers", ("N=7",), "[] <> (eating > 0)", holds=True, quick=True),
    Question("philosophers", ("N=7",), "[] (eating <= 3)", holds=True),
    Question("philosophers", ("N=7",), "[] <> (fork[0] == 0)", holds=False, quick=True),
    Question("philosophers", ("N=7",), "[] <> (eating == 0)", holds=False),
    Question("philosophers", ("N=5",), "[] <> (eating > 0)", holds=True, fair=True),
    Question("philosophers", ("N=5",), "[] <> (fork[0] == 0)", holds=False, fair=True),
    Question("leader_ring", ("N=6",), "<> (leaders == 1)", holds=True, quick=True),
    Question("leader_ring", ("N=6",), "<> (leaders == 2)", holds=False),
    Question("leader_ring", ("N=4",), "<> [] (leaders == 1)", holds=True, fair=True),
    Question("leader_ring", ("N=5",), "<> [] (leaders == 1)", holds=False),
    Question("filter_lock", ("N=3",), "[] <> (inside == 1)", holds=False, quick=True),
    Question("filter_lock", ("N=3",), "[] <> (inside == 1)", holds=True, fair=True),
    Question("readers_writers", ("READERS=4", "WRITERS=3"), "[] <> (room == 0)", holds=False),
    Question("readers_writers", ("READERS=4", "WRITERS=3"), "[] (readers <= 4)", holds=True),
    Question("readers_writers", ("READERS=3", "WRITERS=2"), "[] <> (room == 0)", holds=False, fair=True),
    Question("buffer", ("PRODUCERS=2",), "[] <> (used_slots > 0)", holds=True),
    Question("barber", ("CUSTOMERS=4",), "[] <> (asleep == 0)", holds=False),
    Question("barber", ("CUSTOMERS=4",), "[] (asleep <= 2)", holds=True),
    Question("replicated_workers", (), "<> [] (busy == 0)", holds=True),
)
RATES = (
    Question("philosophers", ("N=7",), "[] <> (eating > 0)", holds=True, quick=True),
    Question("philosophers", ("N=8",), "[] (eating <= 4)", holds=True),
    Question("leader_ring", ("N=6",), "<> (leaders == 1)", holds=True),
    Question("readers_writers", ("READERS=5", "WRITERS=3"), "[] (readers <= 5)", holds=True),
    Question("buffer", ("PRODUCERS=2",), "[] <> (used_slots > 0)", holds=True, quick=True),
    Question("replicated_workers", (), "<> [] (busy == 0)", holds=True),
)
FAIR = (
    Question("philosophers", ("N=5",), "[] <> (eating > 0)", holds=True, fair=True, quick=True),
    Question("filter_lock", ("N=3",), "[] <> (inside == 1)", holds=True, fair=True, quick=True),
    Question("leader_ring", ("N=4",), "<> [] (leaders == 1)", holds=True, fair=True),
    Question("buffer", ("PRODUCERS=2",), "[] ((used_slots == 4) -> <> (free_slots > 0))", True, fair=True),
    Question("replicated_workers", (), "<> done", holds=True, fair=True),
)


@dataclass(frozen=True, slots=True)
class Answer:
    holds: bool
    seconds: float
    states: int = 0
    visited: int = 0  # states with the copies that fairness makes in SPIN

    @property
    def rate(self) -> float:
        return self.states / self.seconds


def spin(question: Question, folder: Path, *flags: str) -> tuple[Answer, Answer]:
    """From the command on, and the search alone."""
    began = time.perf_counter()
    unreduced = ["-o1", "-o2", "-o3"] if "-DNOREDUCE" in flags else []
    subprocess.run(["spin", "-a", *unreduced, "m.pml"], cwd=folder, check=True, capture_output=True)
    rooms = [f"-DNFAIR={ROOM_FOR_PROCESSES}"] if question.fair else []
    subprocess.run(
        ["gcc", "-O2", "-w", *rooms, *flags, "-o", "pan", "pan.c"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    command = ["./pan", "-a", *(["-f"] if question.fair else []), "-n", "-m4000000", "-w24"]
    searching = time.perf_counter()
    output = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True).stdout
    now = time.perf_counter()
    holds = int(re.search(r"errors: (\d+)", output)[1]) == 0
    stored, visited = re.search(r"(\d+) states, stored(?: \((\d+) visited\))?", output).groups()
    counts = int(stored), int(visited or stored)
    return Answer(holds, now - began, *counts), Answer(holds, now - searching, *counts)


def assay(question: Question, folder: Path) -> Answer:
    program = "from assay.cli.main import main; main()"
    began = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", program, "verify", "m.pml", "--no-deadlock", "--json"]
        + ["--fair"] * question.fair,
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
    )
    seconds = time.perf_counter() - began
    result = json.loads(run.stdout)
    (standing,) = [one["standing"] for one in result["properties"] if one["kind"] == "ltl"]
    return Answer(standing == "holds", seconds)


def searched(question: Question, path: Path, *, reduced: bool) -> Answer:
    """The search of the product alone, in this process."""
    reductions = frozenset(REDUCTIONS if reduced else ())
    program = languages.load(path, LanguageOptions(reductions=reductions, fair=question.fair))
    model = open_model(program.opening)
    processes = program.process_limit if question.fair else 0
    asked = CycleSearch.from_json(question_of(program.temporal[0], processes), model)
    result = _engine.search(asked.product(model), progress_interval_seconds=1.0, **asked.options())
    return Answer(not result.violations, result.seconds, result.states)


def best(answers: Sequence[Answer], question: Question, who: str) -> Answer:
    if any(answer.holds != question.holds for answer in answers):
        sys.exit(f"{who} gives another verdict on {question.name}")
    return min(answers, key=lambda answer: answer.seconds)


def measured(question: Question, repetitions: int, *asking: object) -> list[Answer]:
    """The best answer of each, asked in turns, each in a folder of its own."""
    answers: list[list[Answer]] = [[] for _ in asking]
    for _ in range(repetitions):
        for given, ask in zip(answers, asking, strict=True):
            with tempfile.TemporaryDirectory() as folder:
                question.write(Path(folder))
                given.append(ask(question, Path(folder)))
    return [best(given, question, f"tool {number}") for number, given in enumerate(answers)]


def commands(questions: Sequence[Question], repetitions: int) -> None:
    print("| from command to verdict | holds | SPIN s | Assay s | ratio |\n| --- | --- | --- | --- | --- |")
    total = {(holds, tool): 0.0 for holds in (True, False) for tool in range(2)}
    for question in questions:
        found = measured(question, repetitions, lambda q, folder: spin(q, folder)[0], assay)
        for tool, answer in enumerate(found):
            total[question.holds, tool] += answer.seconds
        theirs, ours = (answer.seconds for answer in found)
        row = f"| {question.name} | {question.holds} | {theirs:.2f} | {ours:.2f} | {ours / theirs:.2f} |"
        print(row, flush=True)
    for holds in (True, False):
        theirs, ours = total[holds, 0], total[holds, 1]
        what = "that hold" if holds else "that are violated"
        print(f"\nall {what}: SPIN {theirs:.1f} s, Assay {ours:.1f} s, {ours / theirs:.2f} (aim 0.5)")


def rates(questions: Sequence[Question], repetitions: int) -> None:
    print(
        "\n| states per second, unreduced | states | SPIN | Assay | ratio |\n| --- | --- | --- | --- | --- |"
    )
    ratios = []
    for question in questions:
        theirs, ours = measured(
            question,
            repetitions,
            lambda q, folder: spin(q, folder, "-DNOREDUCE")[1],
            lambda q, folder: searched(q, folder / "m.pml", reduced=False),
        )
        ratios.append(ours.rate / theirs.rate)
        figures = f"{ours.states:,} | {theirs.rate:,.0f} | {ours.rate:,.0f} | {ratios[-1]:.2f}"
        print(f"| {question.name} | {figures} |", flush=True)
    print(f"\nmedian {statistics.median(ratios):.2f} (aim 2)")


def fair(questions: Sequence[Question]) -> None:
    print("\n| with fairness | | SPIN stored | SPIN visited | Assay | of stored | of visited |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    shares = []
    for question in questions:
        for flags, reduced in ((("-DNOREDUCE",), False), ((), True)):
            theirs, ours = measured(
                question,
                1,
                lambda q, folder, flags=flags: spin(q, folder, *flags)[1],
                lambda q, folder, reduced=reduced: searched(q, folder / "m.pml", reduced=reduced),
            )
            shares.append(ours.states / theirs.visited)
            figures = f"{theirs.states:,} | {theirs.visited:,} | {ours.states:,}"
            figures += f" | {ours.states / theirs.states:.2f} | {shares[-1]:.2f}"
            print(f"| {question.name} | {'reduced' if reduced else 'whole'} | {figures} |", flush=True)
    print(f"\nof what SPIN visits: median {statistics.median(shares):.2f} (aim 0.5)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="some questions of each table")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--table", choices=("commands", "rates", "fair"), help="one table alone")
    arguments = parser.parse_args()

    def chosen(questions: Sequence[Question]) -> list[Question]:
        return [question for question in questions if question.quick or not arguments.quick]

    if arguments.table in (None, "commands"):
        commands(chosen(COMMANDS), arguments.repetitions)
    if arguments.table in (None, "rates"):
        rates(chosen(RATES), arguments.repetitions)
    if arguments.table in (None, "fair"):
        fair(chosen(FAIR))


if __name__ == "__main__":
    main()
