"""An estimate of how much a search covered that did not see everything.

The search itself is over by then. What follows goes through the program again
in the same memory: `sweep` counts all its states with hash bits, `short-sweep`
stops at three times the states of the search, the others sample the program
within as many states as the search had stored.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from assay.evidence import coverage
from assay.evidence.coverage import Estimate, Overlap, Samples, Sweep
from assay.execution.model_process import ModelProcess, Progress
from assay.records import dataclass
from assay.search import native
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening

SHORT_SWEEP_TIMES = 3  # the states of the search, for a short sweep to expand
EXHAUSTIVE_SHARE = 0.6  # of the states, for the first of two phases (thesis 5.2.1)
# A first estimate says whether coverage is low or high; these shares suit each better (5.2.1).
LOW_SHARE, HIGH_SHARE, HIGH_COVERAGE = 0.5, 0.7, 0.75
MERGED_RUNS = 5
ROUND_ROBIN_SAMPLERS = 10
# What a process has besides its bits: interpreter, model, queues.
OTHER_BYTES = 24 * 1024 * 1024
LEAST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an estimate depends on; whoever repeats it needs no more."""

    method: str = "sweep"
    states: int  # that the search stored, whose share of all is wanted
    memory_bytes: int  # for the bits of a sweep
    seed: int = 0
    exhaustive_share: float = EXHAUSTIVE_SHARE


@dataclass(frozen=True, slots=True)
class Estimation:
    plan: Plan
    estimate: Estimate
    seen: tuple[Samples | Overlap | Sweep, ...]
    violations: int  # met on the way, beyond what the search had reached

    def as_json(self) -> dict[str, object]:
        return {
            "method": self.estimate.method,
            "coverage": self.estimate.coverage,
            "low": self.estimate.low,
            "high": self.estimate.high,
            "visited": self.estimate.visited,
            "total": None if self.estimate.total == float("inf") else self.estimate.total,
            "violations_met": self.violations,
            "plan": asdict(self.plan),
            "seen": [{"kind": type(one).__name__.lower(), **asdict(one)} for one in self.seen],
        }


def memory_for_bits(memory_bytes: int) -> int:
    return max(LEAST_BYTES, memory_bytes * 9 // 10 - OTHER_BYTES)


class Estimator:
    """Runs what a plan asks for, one search after another in one child process."""

    def __init__(
        self,
        opening: Opening,
        options: SearchOptions,
        *,
        deadline: float | None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._opening = opening
        self._options = options
        self._deadline = deadline
        self._on_progress = on_progress
        self._violations = 0

    def run(self, plan: Plan, levels: tuple[int, ...] = ()) -> Estimation | None:
        """None: time or memory did not suffice for any answer."""
        with ModelProcess() as self._process:
            return self._run(plan, levels)

    def _run(self, plan: Plan, levels: tuple[int, ...]) -> Estimation | None:
        seen: list[Samples | Overlap | Sweep] = []
        estimate: Estimate | None = None
        match plan.method:
            case "sweep":
                sweeps = self._sweeps(plan)
                seen += sweeps
                estimate = coverage.swept(sweeps, plan.states) if sweeps else None
            case "short-sweep":
                sweep = self._short_sweep(plan)
                # Without time for more than the search saw, its own levels say as much.
                if sweep is not None and (sweep.complete or sweep.expanded >= plan.states or not levels):
                    seen.append(sweep)
                    estimate = coverage.swept([sweep], plan.states)
                elif levels:
                    estimate = coverage.bell(levels, plan.states)
            case "overlap":
                overlap = self._overlap(plan)
                if overlap is not None:
                    seen.append(overlap)
                    estimate = coverage.overlapping(overlap, plan.states)
            case "levels":
                estimate = coverage.level_fit(levels, plan.states) if levels else None
            case "merged":
                runs = self._merged(plan)
                seen += runs
                estimate = coverage.merged(runs) if runs else None
            case _:
                samplers = ROUND_ROBIN_SAMPLERS if plan.method == "round-robin" else 1
                samples = self._two_phases(plan, plan.seed, plan.exhaustive_share, samplers)
                if samples is not None:
                    seen.append(samples)
                    equation = (
                        coverage.all_transitions if plan.method == "all-transitions" else coverage.two_phases
                    )
                    estimate = equation(samples)
        return None if estimate is None else Estimation(plan, estimate, tuple(seen), self._violations)

    def _sweeps(self, plan: Plan) -> list[Sweep]:
        sweeps: list[Sweep] = []
        while (wanted := coverage.next_sweep(sweeps, plan.memory_bytes)) is not None and self._has_time():
            memory_bytes, functions = wanted
            sweep = self._sweep(seed=plan.seed + len(sweeps), memory_bytes=memory_bytes, functions=functions)
            if sweep is None:
                break
            sweeps.append(sweep)
            if not sweep.complete:
                break
        return sweeps

    def _short_sweep(self, plan: Plan) -> Sweep | None:
        limit = SHORT_SWEEP_TIMES * plan.states
        functions = coverage.best_hash_functions(8 * plan.memory_bytes, limit)
        return self._sweep(
            seed=plan.seed,
            memory_bytes=plan.memory_bytes,
            functions=min(coverage.TUNED_FUNCTIONS, functions),
            most_expanded=limit,
        )

    def _sweep(self, *, seed: int, memory_bytes: int, functions: int, most_expanded: int = 0) -> Sweep | None:
        found = self._look(
            "sweep",
            replace(
                self._options,
                seed=seed,
                hash_functions=functions,
                bitstate_bytes=max(1024, memory_bytes),
                state_limit=most_expanded,
            ),
            scratch_directory=tempfile.gettempdir(),
        )
        if found is None or not found["bits_total"]:
            return None
        return Sweep(
            expanded=found["states"] - found["frontier"],
            transitions=found["transitions"],
            bits_set=found["bits_set"],
            bits_total=found["bits_total"],
            hash_functions=functions,
            levels=tuple(found["levels"]),
            complete=found["complete"],
            seed=seed,
        )

    def _merged(self, plan: Plan) -> list[Samples]:
        """The first run tunes the others."""
        first = self._two_phases(plan, plan.seed, plan.exhaustive_share, 1)
        if first is None:
            return []
        is_high = coverage.two_phases(first).coverage >= HIGH_COVERAGE
        share = HIGH_SHARE if is_high else LOW_SHARE
        others = (self._two_phases(plan, plan.seed + number, share, 1) for number in range(1, MERGED_RUNS))
        return [first, *(run for run in others if run is not None)]

    def _two_phases(self, plan: Plan, seed: int, share: float, samplers: int) -> Samples | None:
        found = self._look(
            "two-phases",
            replace(self._options, seed=seed, state_limit=plan.states),
            exhaustive_states=max(1, int(plan.states * share)),
            samplers=samplers,
        )
        if found is None or found["stop_reason"]:
            return None
        seen = found["seen"]
        return Samples(
            exhaustive=seen["exhaustive"],
            visited=found["states"],
            sizes=tuple(seen["sizes"]),
            unfinished=seen["unfinished"],
            tried=seen["tried"],
            left=seen["left"],
            productive_left=seen["productive_left"],
            levels=tuple(found["levels"]),
            complete=found["complete"],
            seed=seed,
            samplers=samplers,
        )

    def _overlap(self, plan: Plan) -> Overlap | None:
        found = self._look("overlap", replace(self._options, seed=plan.seed, state_limit=plan.states))
        if found is None or found["stop_reason"]:
            return None
        seen = found["seen"]
        return Overlap(seen["first"], seen["second"], seen["both"], seed=plan.seed)

    def _has_time(self) -> bool:
        return self._deadline is None or time.monotonic() < self._deadline

    def _look(self, strategy: str, options: SearchOptions, **looking: object) -> dict[str, Any] | None:
        if not self._has_time():
            return None
        found = native.look_around(
            self._opening,
            options.breadth_first(spill_directory="", resume=False),
            strategy=strategy,
            deadline=self._deadline,
            looking=looking,
            on_progress=self._on_progress,
            process=self._process,
        )
        if found is not None:
            self._violations = max(self._violations, found["violation_count"])
        return found
