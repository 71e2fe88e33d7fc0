"""What was asked of a swarm."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

from assay.records import dataclass
from assay.swarming.plan import shares_of_all
from assay.transition_system.language_options import LanguageOptions, OptionProblem

DEFAULT_RUNS = 100
DEFAULT_SECONDS = 300.0
DEFAULT_MEMORY_BYTES = 1 << 30
LEAST_SECONDS_OF_A_RUN = 0.25
LEAST_MEMORY_OF_A_RUN = 64 << 20
MOST_RUNS = 100_000
MOST_WORKERS = 1024


@dataclass(frozen=True, slots=True)
class SwarmProgress:
    """Told to a listener now and then."""

    done: int
    runs: int
    states: int  # counted in each run
    violations: int


Listener = Callable[[SwarmProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmRequest:
    runs: int
    seed: int
    workers: int
    cluster: str | None
    all_violations: bool
    check_deadlock: bool
    memory_bytes: int  # of all runs under way together
    language: LanguageOptions
    started: float
    timeout_seconds: float
    listener: Listener
    trace: Path | None

    @property
    def deadline(self) -> float:
        return self.started + self.timeout_seconds

    def seconds_of_a_share(self, at_a_time: int) -> float:
        return self.timeout_seconds * at_a_time / shares_of_all(self.runs)

    def memory_of_a_run(self, at_a_time: int) -> int:
        return self.memory_bytes // at_a_time

    def as_json(self) -> dict[str, object]:
        return {
            "runs": self.runs,
            "seed": self.seed,
            "workers": self.workers,
            "cluster": self.cluster,
            "all": self.all_violations,
            "timeout_seconds": self.timeout_seconds,
            "memory_limit_bytes": self.memory_bytes,
            "check_deadlock": self.check_deadlock,
            **self.language.as_json(),
        }


def workers_here() -> int:
    """As many as this process may use processors."""
    return len(os.sched_getaffinity(0))


def require_sense(request: SwarmRequest) -> None:
    """Refuses, before anything is compiled, numbers that make no swarm."""
    for name, value, low, high in (
        ("runs", request.runs, 1, MOST_RUNS),
        ("workers", request.workers, 1, MOST_WORKERS),
        ("seed", request.seed, 0, 2**64 - 1),
    ):
        if not low <= value <= high:
            raise OptionProblem(f"{name}: expected a number from {low:,} to {high:,}, got {value:,}")
    if not 0 < request.timeout_seconds < float("inf"):
        raise OptionProblem(f"timeout: expected seconds, got {request.timeout_seconds}")
    if request.cluster is None:
        require_shares(request, min(request.workers, request.runs))


def require_shares(request: SwarmRequest, at_a_time: int) -> None:
    seconds = request.seconds_of_a_share(at_a_time)
    if seconds < LEAST_SECONDS_OF_A_RUN:
        shares = request.timeout_seconds * at_a_time / LEAST_SECONDS_OF_A_RUN
        most = bisect_right(range(1, request.runs), shares, key=shares_of_all)
        raise OptionProblem(
            f"runs: {request.runs:,} runs, {at_a_time} at a time, would have shares of {seconds:.2g} s of "
            f"{request.timeout_seconds:g} s; expected at most {max(1, most):,}, or a longer --timeout"
        )
    if request.memory_of_a_run(at_a_time) < LEAST_MEMORY_OF_A_RUN:
        least = LEAST_MEMORY_OF_A_RUN * at_a_time
        raise OptionProblem(
            f"memory: {at_a_time} runs at a time need at least {least >> 20:,} MiB, "
            f"got {request.memory_bytes:,} bytes; allow more, or use fewer --workers"
        )
