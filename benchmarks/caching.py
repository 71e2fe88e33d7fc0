"""What searches with a small cache cost, in the tables of the thesis.

    python -m benchmarks.caching [--programs python|promela|promela-larger] [--only NAME ...]
                                 [--policies NAME ...] [--sizes PERCENT ...] [--cut-off TIMES] [--runs 9]
                                 [--json FILE]

Each program is searched depth first without a cache (the best of nine runs), then with caches of 15 to 95
per cent of its states, by every policy, until the search ends or has taken 25 times as long; those that
come close to the fastest get eight more runs in turns, and the best counts. A cell has
the processor time and the redundant work, both as multiples: of the time without a cache, and of the
transitions of the graph. `TO`: out of time; `path`: the path of the search alone did not fit the cache. The
line below has the thesis's figures for its Java program of that name.

The programs are those of the thesis, in Python, or our Promela models of them, without reductions.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from assay import _engine
from assay.search.options import POLICIES
from benchmarks import thesis, thesis_caching
from benchmarks.measure import BenchmarkProblem
from benchmarks.programs import KINDS, Program, search, with_fixed_hashes
from benchmarks.programs import programs as nine

CUT_OFF = 25.0
RUNS = 9
CLOSE = 2.0  # times the fastest: may have been unlucky with the machine
SHORTEST_LIMIT_SECONDS = 0.25  # below, the clock says nothing
COLUMN_OF_THE_THESIS = {
    "hits-fewest": "hits",  # the thesis does not say which it means
    "cost": "cost",
    "random": "random",
    "age": "age",
    "stratified": "stratified",
    "depth": "depth",
}


@dataclass(frozen=True, slots=True)
class Uncached:
    program: str
    states: int
    transitions: int
    depth: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Cached:
    program: str
    percent: int
    policy: str
    ended: str  # "", or why it did not
    seconds: float
    time: float  # as a multiple
    redundant_work: float  # as a multiple
    replaced: int

    @property
    def rank(self) -> tuple[bool, float]:
        """The least is the fastest."""
        return bool(self.ended), self.time

    @property
    def text(self) -> str:
        if self.ended:
            return {"interrupted": "TO", "cache": "path"}.get(self.ended, self.ended)
        return f"{self.time:.1f} / {self.redundant_work:.2f}"


def timed_search(
    model: _engine.Model, *, strategy: str, cpu_seconds: float = math.inf, **cache
) -> tuple[_engine.SearchResult, float]:
    """Also the processor time it took, which its limit is on: others may be using the machine."""
    began = time.process_time()
    found = search(
        model,
        strategy=strategy,
        seed=1,
        on_progress=lambda _: time.process_time() - began < cpu_seconds,
        progress_interval_seconds=0.02,
        **cache,
    )
    return found, time.process_time() - began


def measure_uncached(program: Program, model: _engine.Model, runs: int) -> Uncached:
    found, seconds = min((timed_search(model, strategy="dfs") for _ in range(runs)), key=lambda run: run[1])
    if not found.complete or found.violation_count:
        raise BenchmarkProblem(f"{program.name}: the search ended with {found.stop_reason}")
    if program.states and (found.states, found.transitions) != (program.states, program.transitions):
        raise BenchmarkProblem(
            f"{program.name}: {found.states} states and {found.transitions} transitions, "
            f"expected {program.states} and {program.transitions}"
        )
    return Uncached(program.name, found.states, found.transitions, found.depth, seconds)


def measure_cached(
    model: _engine.Model, base: Uncached, *, percent: int, policy: str, cut_off: float
) -> Cached:
    found, seconds = timed_search(
        model,
        strategy="cached",
        cpu_seconds=max(cut_off * base.seconds, SHORTEST_LIMIT_SECONDS),
        cache_size=max(1, base.states * percent // 100),
        cache_policy=policy,
    )
    if found.violation_count or (found.complete and found.states < base.states):
        raise BenchmarkProblem(f"{base.program}: {policy} at {percent} % saw another graph")
    return Cached(
        base.program,
        percent,
        policy,
        found.stop_reason or ("interrupted" if seconds > cut_off * base.seconds else ""),
        seconds,
        seconds / base.seconds,
        found.transitions / base.transitions,
        found.cache.replaced,
    )


def tables(
    programs: Iterable[Program],
    *,
    policies: Sequence[str] = POLICIES,
    sizes: Sequence[int] = thesis_caching.SIZES,
    cut_off: float = CUT_OFF,
    runs: int = RUNS,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[list[Uncached], list[Cached]]:
    """Measure; `say` is told what is being measured."""
    uncached, cached = [], []
    for program in programs:
        model = program.load()
        base = measure_uncached(program, model, runs)
        uncached.append(base)
        for percent in sizes:
            say(f"{program.name}, {percent} %")
            measure = partial(measure_cached, model, base, percent=percent, cut_off=cut_off)
            found = {policy: measure(policy=policy) for policy in policies}
            finished = [one for one in found.values() if not one.ended]
            fastest = min((one.time for one in finished), default=0.0)
            close = [one.policy for one in finished if one.time <= CLOSE * fastest]
            for policy in close * (runs - 1):
                found[policy] = min(found[policy], measure(policy=policy), key=lambda one: one.rank)
            cached += found.values()
    return uncached, cached


def print_tables(
    programs: Sequence[Program],
    uncached: Sequence[Uncached],
    cached: Sequence[Cached],
    policies: Sequence[str],
) -> None:
    print("| program | states | transitions | T/S | longest path, % of the states | seconds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for base in uncached:
        ratio, share = base.transitions / base.states, 100 * base.depth / base.states
        print(
            f"| {base.program} | {base.states:,} | {base.transitions:,} | {ratio:.1f} | {share:.1f} | "
            f"{base.seconds:.2f} |"
        )
    cells = {(one.program, one.percent, one.policy): one for one in cached}
    for percent in dict.fromkeys(one.percent for one in cached):
        print(f"\nCache of {percent} % of the states: time / redundant work\n")
        print(f"| program | {' | '.join(policies)} |")
        print(f"| --- |{' --- |' * len(policies)}")
        for program in programs:
            ours = [cells[program.name, percent, policy].text for policy in policies]
            print(f"| {program.name} | {' | '.join(ours)} |")
            if program.counterpart is not None and percent in thesis_caching.SIZES:
                theirs = [_theirs(program.counterpart, percent, policy) for policy in policies]
                print(f"| *thesis: {program.counterpart.name}* | {' | '.join(theirs)} |")
        finished = [
            sum(not cells[program.name, percent, policy].ended for program in programs) for policy in policies
        ]
        print(f"| **finished, of {len(programs)}** | {' | '.join(map(str, finished))} |")
        fastest = [
            min(
                (cells[program.name, percent, policy] for policy in policies), key=lambda one: one.rank
            ).policy
            for program in programs
            if any(not cells[program.name, percent, policy].ended for policy in policies)
        ]
        print(f"| **fastest, of {len(fastest)}** | {' | '.join(str(fastest.count(p)) for p in policies)} |")


def _theirs(program: thesis.Program, percent: int, policy: str) -> str:
    column = COLUMN_OF_THE_THESIS.get(policy)
    if column is None:
        return ""
    found = thesis_caching.cell(program, percent, column)
    return "*TO*" if found is None else f"*{found.time} / {found.redundant_work}*"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.caching", description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", default=[], help="programs whose names contain one of these")
    parser.add_argument("--programs", choices=KINDS, default=KINDS[0])
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=list(POLICIES))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(thesis_caching.SIZES))
    parser.add_argument("--cut-off", type=float, default=CUT_OFF, help="times the search without a cache")
    parser.add_argument("--runs", type=int, default=RUNS, help="of searches that may be the fastest")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    given = parser.parse_args()
    with_fixed_hashes()
    programs = nine(given.programs, given.only)
    uncached, cached = tables(
        programs,
        policies=given.policies,
        sizes=given.sizes,
        cut_off=given.cut_off,
        runs=given.runs,
        say=lambda what: print(what, file=sys.stderr, flush=True),
    )
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}\n")
    print_tables(programs, uncached, cached, given.policies)
    if given.json:
        figures = {"uncached": list(map(asdict, uncached)), "cached": list(map(asdict, cached))}
        given.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
