"""How good the estimates of coverage are: the form of Table 5.1 of the thesis, beside its figures.

    python -m benchmarks.coverage [--programs python|promela|promela-larger] [--only NAME ...] [--seeds 10]
                                  [--methods sweep,short-sweep,two-phases] [--json FILE]

Each program is searched to its end once; its true size is known then. An
estimator gets what a share of 3, 10, 25, 50, 75 or 95 % of the states takes:
sampling methods that many states, sweeps as many bytes as the exact search
needs for that many states. The deviation is that of the estimated from the
true share, in percentage points; `hits` is how often the interval held the truth, and
`work` how many states an estimator expanded, as a multiple of all there are.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from assay import _engine
from assay.evidence import coverage
from assay.evidence.coverage import Estimate, Overlap, Samples, Sweep
from assay.search.estimation import (
    EXHAUSTIVE_SHARE,
    HIGH_COVERAGE,
    HIGH_SHARE,
    LOW_SHARE,
    MERGED_RUNS,
    ROUND_ROBIN_SAMPLERS,
    SHORT_SWEEP_TIMES,
)
from benchmarks.measure import BenchmarkProblem
from benchmarks.programs import KINDS, Program, programs, search, with_fixed_hashes

LIMITS = (3, 10, 25, 50, 75, 95)
AIM = {"average": 5.0, "worst": 20.0, "hits": 0.85}

# Table 5.1: best, worst, average deviation and its standard deviation, for each limit.
THESIS: dict[str, tuple[tuple[int, int, int, int], ...]] = {
    "Dining Philosophers": (
        (4, 14, 7, 4), (3, 11, 8, 4), (4, 16, 9, 5), (5, 15, 10, 4), (2, 23, 15, 5), (5, 19, 10, 5),
    ),
    "Bounded Buffer": (
        (3, 5, 3, 2), (1, 4, 2, 3), (3, 16, 9, 6), (7, 19, 11, 5), (12, 31, 23, 7), (4, 37, 14, 6),
    ),
    "NASA KSU Pipeline": (
        (2, 6, 3, 2), (2, 7, 4, 3), (4, 12, 7, 3), (1, 5, 3, 2), (3, 18, 6, 7), (5, 15, 8, 4),
    ),
    "Nested Monitor": (
        (2, 4, 2, 2), (2, 10, 6, 4), (3, 13, 7, 5), (2, 9, 5, 4), (5, 20, 13, 3), (6, 14, 10, 3),
    ),
    "Pipeline": (
        (4, 10, 8, 3), (1, 11, 5, 3), (2, 18, 10, 7), (2, 9, 6, 3), (3, 14, 5, 5), (4, 8, 5, 2),
    ),
    "RWVSN": (
        (1, 3, 2, 1), (1, 7, 5, 3), (2, 6, 3, 2), (7, 21, 18, 6), (2, 16, 10, 6), (4, 15, 10, 4),
    ),
    "Replicated Workers": (
        (9, 25, 16, 7), (3, 9, 6, 4), (2, 10, 3, 4), (10, 23, 14, 7), (7, 17, 10, 5), (6, 16, 12, 4),
    ),
    "Sleeping Barber": (
        (2, 7, 5, 2), (2, 11, 5, 4), (3, 10, 6, 3), (8, 24, 15, 7), (3, 14, 5, 4), (2, 8, 5, 3),
    ),
    "Elevator": (
        (1, 2, 1, 2), (2, 7, 4, 2), (2, 9, 4, 5), (1, 9, 5, 4), (11, 27, 17, 3), (2, 5, 3, 2),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """Ten runs of one method on one program at one limit."""

    program: str
    method: str
    limit: int
    deviations: tuple[float, ...]
    hits: int
    work: float  # transitions taken by one run, as a multiple of those of the graph
    thesis: str = ""  # the program of the thesis

    @property
    def figures(self) -> tuple[float, float, float, float]:
        values = self.deviations
        return min(values), max(values), statistics.fmean(values), statistics.pstdev(values)


class Subject:
    """One program, its true size, and searches that look around in it."""

    def __init__(self, program: Program) -> None:
        self.name = program.name
        self.thesis = program.counterpart.name if program.counterpart else ""
        self._model = program.load()
        whole = search(self._model)
        if not whole.complete or whole.violation_count or whole.states != (program.states or whole.states):
            raise BenchmarkProblem(f"{program.name}: expected {program.states} states, got {whole.states}")
        self.states = whole.states
        self.transitions = whole.transitions
        self.bytes_per_state = whole.table_bytes / whole.states
        self.transitions_taken = 0  # by all that looked around since

    def _look(self, **options: object) -> _engine.SearchResult:
        found = search(self._model, **options)
        self.transitions_taken += found.transitions
        return found

    def samples(
        self, budget: int, seed: int, *, samplers: int = 1, share: float = EXHAUSTIVE_SHARE
    ) -> Samples:
        found = self._look(
            strategy="two-phases",
            seed=seed,
            state_limit=budget,
            exhaustive_states=max(1, int(budget * share)),
            samplers=samplers,
        )
        seen = found.seen
        return Samples(
            exhaustive=seen.exhaustive,
            visited=found.states,
            sizes=tuple(seen.sizes),
            unfinished=seen.unfinished,
            tried=seen.tried,
            left=seen.left,
            productive_left=seen.productive_left,
            levels=tuple(seen.levels),
            complete=found.complete,
            seed=seed,
            samplers=samplers,
        )

    def overlap(self, budget: int, seed: int) -> Overlap:
        seen = self._look(strategy="overlap", seed=seed, state_limit=budget).seen
        return Overlap(seen.first, seen.second, seen.both, seed)

    def sweep(self, memory_bytes: int, functions: int, seed: int, most_expanded: int = 0) -> Sweep:
        found = self._look(
            strategy="sweep",
            state_limit=most_expanded,
            seed=seed,
            hash_functions=functions,
            bitstate_bytes=max(64, memory_bytes),
            scratch_directory=tempfile.gettempdir(),
        )
        return Sweep(
            expanded=found.states - found.frontier,
            transitions=found.transitions,
            bits_set=found.bits_set,
            bits_total=found.bits_total,
            hash_functions=functions,
            levels=tuple(found.seen.levels),
            complete=found.complete,
            seed=seed,
        )


def _swept(subject: Subject, budget: int, seed: int) -> Estimate:
    memory = int(budget * subject.bytes_per_state)
    sweeps: list[Sweep] = []
    while (wanted := coverage.next_sweep(sweeps, memory)) is not None:
        sweeps.append(subject.sweep(*wanted, seed * 1000 + len(sweeps)))
    return coverage.swept(sweeps, budget)


def _short_sweep(subject: Subject, budget: int, seed: int) -> Estimate:
    memory = int(budget * subject.bytes_per_state)
    limit = SHORT_SWEEP_TIMES * budget
    functions = min(coverage.TUNED_FUNCTIONS, coverage.best_hash_functions(8 * memory, limit))
    return coverage.swept([subject.sweep(memory, functions, seed, limit)], budget)


def _merged(subject: Subject, budget: int, seed: int) -> Estimate:
    first = subject.samples(budget, 1000 * seed)
    share = HIGH_SHARE if coverage.two_phases(first).coverage >= HIGH_COVERAGE else LOW_SHARE
    others = (subject.samples(budget, 1000 * seed + i, share=share) for i in range(1, MERGED_RUNS))
    return coverage.merged([first, *others])


METHODS: dict[str, Callable[[Subject, int, int], Estimate]] = {
    "sweep": _swept,
    "short-sweep": _short_sweep,
    "two-phases": lambda subject, budget, seed: coverage.two_phases(subject.samples(budget, seed)),
    "merged": _merged,
    "round-robin": lambda subject, budget, seed: coverage.two_phases(
        subject.samples(budget, seed, samplers=ROUND_ROBIN_SAMPLERS)
    ),
    "all-transitions": lambda subject, budget, seed: coverage.all_transitions(subject.samples(budget, seed)),
    "overlap": lambda subject, budget, seed: coverage.overlapping(subject.overlap(budget, seed), budget),
    "levels": lambda subject, budget, seed: coverage.level_fit(
        subject.samples(budget, seed, share=1.0).levels, budget
    ),
}


def measure(subject: Subject, method: str, limit: int, seeds: int) -> Cell:
    budget = max(1, subject.states * limit // 100)
    truth = budget / subject.states
    deviations, hits = [], 0
    subject.transitions_taken = 0
    for seed in range(1, seeds + 1):
        estimate = METHODS[method](subject, budget, seed)
        deviations.append(100 * abs(estimate.coverage - truth))
        hits += estimate.low <= truth <= estimate.high
    work = subject.transitions_taken / subject.transitions / seeds
    return Cell(subject.name, method, limit, tuple(deviations), hits, work, subject.thesis)


def _row(name: str, figures: Sequence[tuple[float, float, float, float]]) -> str:
    parts = " | ".join(f"{a:.1f} / {b:.1f} / {c:.1f} / {d:.1f}" for a, b, c, d in figures)
    return f"| {name} | {parts} |"


def print_table(method: str, cells: dict[str, list[Cell]], seeds: int) -> None:
    print(f"\n{method}: deviation in percentage points, best / worst / average / σ of {seeds} runs\n")
    print("| program | " + " | ".join(f"{limit} %" for limit in LIMITS) + " |")
    print("| --- " * (len(LIMITS) + 1) + "|")
    for name, row in cells.items():
        print(_row(name, [cell.figures for cell in row]))
        if theirs := THESIS.get(row[0].thesis):
            print(_row(f"*thesis: {row[0].thesis}*", list(theirs)))
    works = " | ".join(
        f"{statistics.fmean(row[i].work for row in cells.values()):.2f}" for i in range(len(LIMITS))
    )
    print(f"| **work** | {works} |")
    every = [cell for row in cells.values() for cell in row]
    average = statistics.fmean(value for cell in every for value in cell.deviations)
    worst = max(value for cell in every for value in cell.deviations)
    hits = sum(cell.hits for cell in every) / (seeds * len(every))
    print(
        f"\n{method}: average {average:.2f} (aim {AIM['average']:.0f}), worst {worst:.1f} "
        f"(aim {AIM['worst']:.0f}), interval holds the truth in {100 * hits:.0f} % (aim "
        f"{100 * AIM['hits']:.0f} %) of {seeds * len(every)} runs",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument(
        "--methods", default="sweep,short-sweep,two-phases", help=f"some of {','.join(METHODS)}"
    )
    parser.add_argument("--programs", choices=KINDS, default=KINDS[0])
    parser.add_argument("--only", nargs="+", default=[], help="programs whose names contain one of these")
    parser.add_argument("--json", type=Path, help="write every deviation here")
    arguments = parser.parse_args()
    methods = arguments.methods.split(",")
    if unknown := set(methods) - set(METHODS):
        parser.error(f"unknown methods: {', '.join(sorted(unknown))}")
    with_fixed_hashes()
    tables: dict[str, dict[str, list[Cell]]] = {method: {} for method in methods}
    for program in programs(arguments.programs, arguments.only):
        subject = Subject(program)
        for method in methods:
            cells = [measure(subject, method, limit, arguments.seeds) for limit in LIMITS]
            tables[method][subject.name] = cells
            hits = sum(cell.hits for cell in cells)
            line = _row(f"{subject.name}, {method}", [cell.figures for cell in cells])
            print(f"{line} {hits} of {arguments.seeds * len(cells)} hits", file=sys.stderr, flush=True)
    for method, cells in tables.items():
        print_table(method, cells, arguments.seeds)
    if arguments.json:
        every = [asdict(cell) for cells in tables.values() for row in cells.values() for cell in row]
        arguments.json.write_text(json.dumps(every, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
