"""The experiment of Kudra's thesis (2007, chapter 5): which search finds errors, and how fast.

    python -m benchmarks.abstraction                       # a first look: 10 errors, 2 runs
    python -m benchmarks.abstraction --errors 40 --runs 12 # as the thesis
    python -m benchmarks.abstraction --only hyman --json FILE

In each model random states are marked as errors. Each search gets the time in which bfs sees every state,
which none of the thesis's seven does; what it finds of the errors by then, and when, is counted as the
thesis counts: a point for the winner of each error, scores relative to the best. Times are of the
processor, so that others who use the machine count for little. They and the states are noted by the model
itself, the first time it is asked about an error; so they are the same for all. The three AMCS searches
compile their predicates anew when they refine: the compiler's time is theirs, and nothing that it made is
kept.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import _engine, languages
from assay.languages.promela.compiler import compile_model
from assay.search.amcs import FastAmcs, Library
from assay.search.symbolic_jobs import initial_predicates, validity
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import State, SymbolicModel, SymbolicSystem
from assay.transition_system.symbolic_code import code_of, overflow_code

MODELS = Path(__file__).parent / "models" / "abstraction"
OURS = "packed"
PATIENCE = 5.0  # by the clock, for each second of the processor
SEARCHES = ("amcs", "random-dfs", "amcs-no-prover", "min-only", "max-overlap", "amcs-add-all", "min-set")
NAMES = {
    "amcs": "AMCS",
    "random-dfs": "RandDFS",
    "amcs-no-prover": "AMCSNoTP",
    "min-only": "MinOnly",
    "max-overlap": "MaxOverlap",
    "amcs-add-all": "AddAll",
    "min-set": "MinSet",
    OURS: "ours",
}


@dataclass(frozen=True, slots=True)
class Model:
    title: str
    file: str
    states: int  # of the symbolic form; another number is an error, not a figure

    def system(self, defines: Sequence[str] = ()) -> SymbolicSystem:
        options = LanguageOptions(defines=tuple(defines))
        return languages.load(MODELS / self.file, options).symbolic()


SEVEN = (
    Model("Branches", "branches.pml", 782_422),
    Model("SumToNBig", "sum_to_n.pml", 902_112),
    Model("CustWorkers", "customers_workers.pml", 924_638),
    Model("MultiplyToN", "multiply_to_n.pml", 878_341),
    Model("Hyman", "hyman.pml", 614_477),
    Model("DiningPhil", "dining_philosophers.pml", 945_817),
    Model("Barbershop", "barbershop.pml", 734_755),
)
# The thesis's figures, in the order of SEARCHES.
TABLE_5_1 = {
    "Branches": (0.00, 0.22, 0.00, 0.00, 1.00, 0.00, 0.33),
    "SumToNBig": (0.00, 0.00, 0.00, 1.00, 0.80, 0.00, 0.00),
    "CustWorkers": (0.00, 0.00, 0.00, 1.00, 0.36, 0.00, 0.00),
    "MultiplyToN": (0.00, 0.11, 0.00, 1.00, 0.44, 0.00, 0.00),
    "Hyman": (0.00, 0.19, 0.00, 1.00, 0.00, 0.00, 0.00),
    "DiningPhil": (0.00, 1.00, 0.00, 0.25, 0.00, 0.00, 0.00),
    "Barbershop": (0.00, 0.00, 0.00, 1.00, 0.15, 0.00, 0.00),
}
TABLE_5_2 = {
    "Branches": (0.02, 0.30, 0.05, 0.32, 0.35, 0.02, 0.15),
    "SumToNBig": (0.20, 0.00, 0.20, 0.45, 0.30, 0.20, 0.20),
    "CustWorkers": (0.15, 0.32, 0.00, 0.48, 0.22, 0.15, 0.15),
    "MultiplyToN": (0.18, 0.05, 0.20, 0.70, 0.35, 0.18, 0.15),
    "Hyman": (0.00, 0.32, 0.00, 0.48, 0.02, 0.00, 0.15),
    "DiningPhil": (0.20, 1.00, 0.02, 1.00, 0.72, 0.20, 0.72),
    "Barbershop": (0.10, 0.00, 0.20, 0.58, 0.40, 0.10, 0.38),
}
TABLE_5_3 = {
    "Branches": (0.00, 1.00, 0.09, 0.09, 0.36, 0.00, 0.00),
    "SumToNBig": (0.47, 0.00, 0.47, 1.00, 0.71, 0.47, 0.47),
    "CustWorkers": (0.00, 0.14, 0.00, 1.00, 0.36, 0.21, 0.21),
    "MultiplyToN": (0.37, 0.00, 0.42, 1.00, 0.68, 0.37, 0.32),
    "Hyman": (0.00, 0.08, 0.00, 1.00, 0.08, 0.00, 0.25),
    "DiningPhil": (0.30, 0.74, 0.04, 1.00, 0.78, 0.30, 0.78),
    "Barbershop": (0.17, 0.00, 0.42, 1.00, 0.71, 0.17, 0.67),
}
TABLE_5_4 = {
    "Branches": (0.07, 0.29, 0.14, 0.64, 1.00, 0.07, 0.43),
    "SumToNBig": (0.44, 0.00, 0.44, 1.00, 0.67, 0.44, 0.44),
    "CustWorkers": (0.32, 0.00, 0.00, 1.00, 0.47, 0.32, 0.32),
    "MultiplyToN": (0.25, 0.00, 0.29, 1.00, 0.50, 0.25, 0.21),
    "Hyman": (0.00, 0.00, 0.00, 1.00, 0.06, 0.00, 0.22),
    "DiningPhil": (0.20, 0.00, 0.02, 1.00, 0.72, 0.20, 0.72),
    "Barbershop": (0.17, 0.00, 0.35, 1.00, 0.70, 0.17, 0.65),
}
TABLE_5_5 = {
    "Branches": (0.08, 0.00, 0.08, 0.08, 1.00, 0.08, 0.31),
    "SumToNBig": (0.57, 0.00, 0.57, 1.00, 0.86, 0.57, 0.57),
    "CustWorkers": (0.38, 0.00, 0.00, 1.00, 0.56, 0.38, 0.38),
    "MultiplyToN": (0.37, 0.00, 0.42, 1.00, 0.74, 0.37, 0.32),
    "Hyman": (0.00, 0.00, 0.00, 1.00, 0.06, 0.00, 0.24),
    "DiningPhil": (0.20, 0.00, 0.02, 1.00, 0.72, 0.20, 0.72),
    "Barbershop": (0.00, 0.00, 0.00, 1.00, 0.00, 0.00, 0.65),
}
# Model, file, macros, and what the thesis says.
TABLE_2_1 = (
    ("Barbershop", "barbershop.pml", ("CUSTOMERS=1",), "4621 states (no gain)"),
    ("Branches", "branches.pml", (), "NT"),
    ("CustWorkers", "customers_workers.pml", ("LIMIT=1",), "5014 states (no gain)"),
    ("DiningPhil", "dining_philosophers.pml", ("N=5",), "2847 states (no gain)"),
    ("Fibonacci", "fibonacci.pml", (), "NT"),
    ("Factorial", "factorial.pml", (), "NT"),
    ("Handshake", "handshake.pml", (), "79/298 bissimulation"),
    ("Hyman", "hyman.pml", ("MOST=5",), "NT"),
    ("Stack", "stack.pml", (), "NT"),
    ("SumToN", "sum_to_n.pml", ("N=6",), "NT"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """An error that a search found, when it did."""

    seconds: float
    states: int
    depth: int
    predicates: int


# --- one run, in a process of its own ---


def work(order: dict[str, Any]) -> dict[str, Any]:
    model = Model("", order["file"], 0)
    system = model.system(order["defines"])
    errors = [tuple(state) for state in order["errors"]]
    run = _amcs if order["search"].startswith("amcs") else _in_the_engine
    return run(system, errors, order)


class Met(ctypes.Structure):
    """When a compiled model was first asked about an error."""

    _fields_ = (("seconds", ctypes.c_double), ("expanded", ctypes.c_uint64))


def met_in(file: Library, errors: int) -> tuple[Sequence[Any], int]:
    """Of each error, and how many states were expanded in all."""
    if not errors:
        return (), 0
    library = ctypes.CDLL(str(file.path))
    return (Met * errors).in_dll(library, "met"), ctypes.c_uint64.in_dll(library, "expanded").value


def _in_the_engine(system: SymbolicSystem, errors: list[State], order: dict[str, Any]) -> dict[str, Any]:
    search = order["search"]
    splits = search in {"min-only", "max-overlap", "min-set"}
    predicates = initial_predicates(system, None) if splits else ()
    file = compile_model(code_of(system, predicates, errors=errors, packed=search == OURS))
    model = _engine.CompiledModel(str(file.path))
    more: dict[str, Any] = {}
    if splits:
        more = {"control_words": len(system.controls), "overflow_code": overflow_code(system)}
    began = time.process_time()
    result = _engine.search(
        model,
        strategy=search,
        storage="exact",
        seed=order["seed"],
        time_limit_seconds=order["bound"] * PATIENCE,
        stop_at_first_violation=False,
        check_deadlock=False,
        **more,
    )
    used = time.process_time() - began
    first = overflow_code(system) + 1
    depths = {violation.code - first: len(violation.path) for violation in result.violations}
    met, expanded = met_in(file, len(errors))
    found = {}
    for number, one in enumerate(met):
        if one.seconds and number in depths and (not order["bound"] or one.seconds - began <= order["bound"]):
            known = result.observations.get(f"predicates at {first + number}", 0)
            found[number] = [one.seconds - began, one.expanded, depths[number], known]
    return {
        "found": found,
        "states": result.states,
        "seconds": used,
        "expanded": expanded,
        "complete": result.complete,
        "rounds": result.observations.get("rounds", 0),
        "predicates": result.observations.get("predicates", 0),
    }


class WatchedAmcs(FastAmcs):
    """Notes when it expands each of the marked states first, and ends with its time of the processor."""

    def __init__(self, system: SymbolicSystem, errors: list[State], search: str, bound: float) -> None:
        super().__init__(
            SymbolicModel(system),
            initial_predicates(system, None),
            None if search == "amcs-no-prover" else validity(system),
            compiler=compile_model,
            add_all=search == "amcs-add-all",
            check_deadlock=False,
            deadline=time.monotonic() + bound * PATIENCE,
            on_state=self.note,
        )
        self.errors = errors
        self.numbers = {state: number for number, state in enumerate(errors)}
        self.bound = bound
        self.found: dict[int, list[float]] = {}
        self.seen = 0  # expanded, in Python or natively
        self.libraries: list[Library] = []  # a name that is used again would open the old one
        self.began = time.process_time()

    def used(self) -> float:
        compilers = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() - self.began + compilers.ru_utime + compilers.ru_stime

    def tick(self, states: int) -> None:
        if self.used() > self.bound:
            raise TimeoutError
        super().tick(states)

    def note(self, state: State, depth: int, known: int) -> None:
        self.seen += 1
        number = self.numbers.get(state)
        if number is not None and number not in self.found:
            self.found[number] = [self.used(), self.seen, depth, known]

    def code(self) -> str:
        return code_of(self.system, self.predicates, errors=self.errors, matched=True)

    def searched(self, model: _engine.CompiledModel, library: Library, **more: Any) -> _engine.SearchResult:
        self.libraries.append(library)
        earlier = self.used() - time.process_time()
        result = super().searched(model, library, stop_at_first_violation=False, **more)
        first = overflow_code(self.system) + 1
        met, expanded = met_in(library, len(self.errors))
        for violation in result.violations:
            number = violation.code - first
            if number >= 0 and number not in self.found:
                at = met[number].seconds + earlier
                if at <= self.bound:
                    states = self.seen + met[number].expanded
                    self.found[number] = [at, states, len(violation.path), len(self.predicates)]
        self.seen += expanded
        return result


def _amcs(system: SymbolicSystem, errors: list[State], order: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as nothing_kept:
        os.environ["XDG_CACHE_HOME"] = nothing_kept
        search = WatchedAmcs(system, errors, order["search"], order["bound"])
        outcome = search.run()
    return {
        "found": search.found,
        "states": search.seen,
        "seconds": search.used(),
        "expanded": search.seen,
        "complete": outcome.is_one_to_one,
        "precise": outcome.abstraction is not None,
        "abstract_states": outcome.abstract_states,
        "rounds": outcome.rounds,
        "native_rounds": search.native_rounds,
        "predicates": len(outcome.predicates),
        "seconds_proving": outcome.seconds_proving,
    }


def in_a_process(order: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.abstraction", "--work"],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    result: dict[str, Any] = json.loads(done.stdout)
    return result


# --- the experiment ---


def all_states(system: SymbolicSystem) -> list[State]:
    """In the order of a breadth-first search."""
    file = compile_model(code_of(system))
    model = _engine.CompiledModel(str(file.path))
    initial, _ = model.initial_state()
    seen = {initial: None}
    pending = [initial]
    for state in pending:
        for after, _ in model.successors(state):
            if after is not None and after not in seen:
                seen[after] = None
                pending.append(after)
    size = len(initial) // 8
    return [
        tuple(int.from_bytes(state[8 * i : 8 * i + 8], "little", signed=True) for i in range(size))
        for state in seen
    ]


def experiment(chosen: argparse.Namespace) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for model in SEVEN:
        if (
            chosen.only
            and model.title.lower() not in chosen.only
            and Path(model.file).stem not in chosen.only
        ):
            continue
        system = model.system()
        states = all_states(system)
        if model.states and len(states) != model.states:
            raise SystemExit(f"{model.title}: expected {model.states:,} states, got {len(states):,}")
        marked = random.Random(chosen.seed).sample(states, chosen.errors)
        count = len(states)
        del states
        whole = min(
            in_a_process(_order(model, marked, "bfs", seed=0, bound=0.0))["seconds"] for _ in range(3)
        )
        bound = max(chosen.least, whole * chosen.share)
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in (*SEARCHES, OURS)}
        for run in range(chosen.runs):
            for search, done in runs.items():  # taking turns
                order = _order(model, marked, search, seed=chosen.seed + run, bound=bound)
                done.append(in_a_process(order))
                _say(model.title, run, search, done[-1], chosen.errors)
        results[model.title] = {"states": count, "bound": bound, "whole": whole, "runs": runs}
    return results


def _order(model: Model, errors: Sequence[State], search: str, *, seed: int, bound: float) -> dict[str, Any]:
    return {
        "file": model.file,
        "defines": [],
        "errors": [list(state) for state in errors],
        "search": search,
        "seed": seed,
        "bound": bound,
    }


def _say(model: str, run: int, search: str, done: dict[str, Any], errors: int) -> None:
    print(
        f"  {model} run {run + 1} {NAMES[search]}: {len(done['found'])} of {errors}, "
        f"{done['states']:,} states, {done['rounds']} rounds, {done['predicates']} predicates, "
        f"{done['seconds']:.2f} s",
        file=sys.stderr,
        flush=True,
    )


def averages(runs: list[dict[str, Any]], errors: int) -> dict[int, Found]:
    """Of each error that at least half of the runs found."""
    result = {}
    for number in range(errors):
        times = [run["found"][str(number)] for run in runs if str(number) in run["found"]]
        if times and 2 * len(times) >= len(runs):
            columns = [statistics.fmean(column) for column in zip(*times, strict=True)]
            result[number] = Found(columns[0], int(columns[1]), int(columns[2]), int(columns[3]))
    return result


def scores(
    found: dict[str, dict[int, Found]], errors: int, measure: Callable[[Found], float], *, of: Sequence[str]
) -> dict[str, float]:
    """A point for the winners of each error, relative to who has the most."""
    points = dict.fromkeys(of, 0)
    for number in range(errors):
        values = {name: measure(found[name][number]) for name in of if number in found[name]}
        if values:
            best = min(values.values())
            for name, value in values.items():
                points[name] += value == best
    most = max(points.values()) or 1
    return {name: count / most for name, count in points.items()}


# --- Student's t ---


def welch(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p of Welch's t-test; 1 if there is too little to say."""
    if len(first) < 2 or len(second) < 2:
        return 1.0
    a, b = statistics.variance(first) / len(first), statistics.variance(second) / len(second)
    if a + b == 0:
        return 0.0 if statistics.fmean(first) != statistics.fmean(second) else 1.0
    t = (statistics.fmean(first) - statistics.fmean(second)) / math.sqrt(a + b)
    freedom = (a + b) ** 2 / (a**2 / (len(first) - 1) + b**2 / (len(second) - 1))
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularized, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 300):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + factor * d if abs(1 + factor * d) > tiny else tiny)
            c = 1 + factor / c if abs(1 + factor / c) > tiny else tiny
            value *= c * d
    return front * value / a


# --- tables ---


def tell(results: dict[str, Any], errors: int) -> None:
    found = {
        model: {name: averages(runs, errors) for name, runs in data["runs"].items()}
        for model, data in results.items()
    }
    print("\nModels: states, seconds of the processor in which bfs sees them all, bound")
    for model, data in results.items():
        print(f"{model:<13}{data['states']:>12,}{data['whole']:>9.2f} s{data['bound']:>9.2f} s")
    for title, theirs, measure in (
        ("Table 5.1: normalized time results", TABLE_5_1, lambda one: one.seconds),
        ("Table 5.3: normalized states results", TABLE_5_3, lambda one: one.states),
        ("Table 5.4: normalized error depth results", TABLE_5_4, lambda one: one.depth),
        ("Table 5.5: normalized predicate results", TABLE_5_5, lambda one: one.predicates),
    ):
        rows = {
            model: scores(
                found[model],
                errors,
                measure,
                of=[name for name in SEARCHES if "5.5" not in title or name != "random-dfs"],
            )
            for model in results
        }
        print_table(title, rows, theirs, SEARCHES)
        if "5.1" in title:
            shares = {
                model: {
                    name: statistics.fmean(len(run["found"]) / errors for run in data["runs"][name])
                    for name in (*SEARCHES, OURS)
                }
                for model, data in results.items()
            }
            print_table("Table 5.2: per model share of errors found", shares, TABLE_5_2, (*SEARCHES, OURS))
    tell_ours(results, found, errors)
    tell_why(results, errors)


def print_table(
    title: str, rows: dict[str, dict[str, float]], theirs: dict[str, tuple[float, ...]], names: Sequence[str]
) -> None:
    print(f"\n{title} (the thesis's figures in parentheses)")
    print(f"{'':<13}" + "".join(f"{NAMES[name]:>18}" for name in names))
    for model, row in rows.items():
        cells = []
        for position, name in enumerate(names):
            thesis = f" ({theirs[model][position]:.2f})" if position < len(theirs[model]) else ""
            cells.append(f"{row.get(name, 0.0):.2f}{thesis}")
        print(f"{model:<13}" + "".join(f"{cell:>18}" for cell in cells))


def tell_ours(results: dict[str, Any], found: dict[str, Any], errors: int) -> None:
    """Beside the best of the seven: errors found, when, and how sure that is."""
    print(
        "\nOurs beside the best of the seven: errors found; the median time to an error, of those that either"
    )
    print("found (not found: later than the bound), and of those that both found")
    for model, data in results.items():
        counts = {name: [len(run["found"]) for run in runs] for name, runs in data["runs"].items()}
        ranked = sorted(SEARCHES, key=lambda name: -statistics.fmean(counts[name]))
        best, second = ranked[0], ranked[1]
        ours, theirs = found[model][OURS], found[model][best]
        either, both = ours.keys() | theirs.keys(), ours.keys() & theirs.keys()
        print(
            f"{model:<13} {statistics.fmean(counts[OURS]):.1f} of {errors}, {NAMES[best]} "
            f"{statistics.fmean(counts[best]):.1f}; {median_of(ours, either)}, {median_of(theirs, either)}; "
            f"{median_of(ours, both)}, {median_of(theirs, both)} ({len(both)} errors); t-test of the errors "
            f"found, ours against {NAMES[best]} p = {welch(counts[OURS], counts[best]):.2g}, "
            f"{NAMES[best]} against {NAMES[second]} p = {welch(counts[best], counts[second]):.2g}"
        )


def median_of(found: dict[int, Found], errors: Iterable[int]) -> str:
    times = [found[number].seconds if number in found else math.inf for number in errors]
    median = statistics.median_low(times) if times else math.nan
    return f"{median * 1000:.0f} ms" if math.isfinite(median) else "never"


def tell_why(results: dict[str, Any], errors: int) -> None:
    """Does who looks at the most states find the most? States that each expanded in a second of the
    processor, and how well the share of all states that a run expanded tells that of errors that it found."""
    print("\nStates expanded in a second of the processor")
    names = (*SEARCHES, OURS)
    print(f"{'':<13}" + "".join(f"{NAMES[name]:>12}" for name in names))
    for model, data in results.items():
        rates = [
            statistics.fmean(run["expanded"] / max(run["seconds"], 1e-9) for run in data["runs"][name])
            for name in names
        ]
        print(f"{model:<13}" + "".join(f"{rate:>12,.0f}" for rate in rates))
    pairs = [
        (
            min(1.0, run["expanded"] * min(1.0, data["bound"] / max(run["seconds"], 1e-9)) / data["states"]),
            len(run["found"]) / errors,
        )
        for data in results.values()
        for name in names
        for run in data["runs"][name]
    ]
    if len({a for a, _ in pairs}) > 1 and len({b for _, b in pairs}) > 1:
        explained = statistics.correlation(*zip(*pairs, strict=True)) ** 2
        print(f"Of the variance in errors found, {explained:.0%} is that of the states expanded")


def table_2_1(seconds: float) -> None:
    print("\nTable 2.1: AMCS error-free search (the thesis in parentheses; its models were of other sizes)")
    for title, file, defines, theirs in TABLE_2_1:
        order = {
            "file": file,
            "defines": list(defines),
            "errors": [],
            "search": "amcs",
            "seed": 0,
            "bound": seconds,
        }
        done = in_a_process(order)
        if done["complete"]:
            said = f"{done['abstract_states']} states (no gain)"
        elif done["precise"]:
            said = f"{done['abstract_states']} abstract states, precise"
        else:
            said = f"NT ({done['rounds']} rounds, {done['predicates']} predicates)"
        share = done["seconds_proving"] / max(done["seconds"], 1e-9)
        print(f"{title:<13} {said}; {share:.0%} of the time in the prover ({theirs})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Kudra's experiment (2007, chapter 5).")
    parser.add_argument(
        "--errors", type=int, default=10, help="random error states in each model [10; thesis: 40]"
    )
    parser.add_argument("--runs", type=int, default=2, help="of each search [2; thesis: 12]")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the time in which bfs sees every state [1.0]"
    )
    parser.add_argument(
        "--least", type=float, default=0.02, help="seconds that each search gets at least [0.02]"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], type=str.lower, help="models")
    parser.add_argument("--amcs-seconds", type=float, default=20.0, help="for each model of Table 2.1 [20]")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        json.dump(work(json.load(sys.stdin)), sys.stdout)
        return
    results = experiment(chosen)
    results = json.loads(json.dumps(results))
    tell(results, chosen.errors)
    if not chosen.only:
        table_2_1(chosen.amcs_seconds)
    if chosen.json:
        chosen.json.write_text(json.dumps(results))


if __name__ == "__main__":
    main()
