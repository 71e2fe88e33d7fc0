"""A failing run that a depth-first search found is as long as its way was; a shorter one is looked for first.

Breadth first as far as a million states go, and if that does not come to the same violation, depth first
with a limit. Every run is executed again before it is shown, this one like any other. Nothing of the verdict
changes: a search that finds no shorter run, or fails, leaves the one that is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from assay.execution.model_process import ModelProcess
from assay.search import native
from assay.search.options import SearchOptions
from assay.transition_system.interface import Program

LONG_RUN = 100  # a shorter one is read as it is
MOST_STATES = 1_000_000
BREADTH_FIRST_SECONDS = 10.0
DEPTH_FIRST_SECONDS = 4.0
DEPTHS = (200, 2_000, 20_000)


def with_short_runs(
    program: Program,
    outcome: native.NativeOutcome,
    options: SearchOptions,
    process: ModelProcess,
    *,
    deadline: float | None = None,
    say: Callable[[], None] = lambda: None,
) -> native.NativeOutcome:
    """The outcome with a shorter run to its first violation, if that is long and one is found in time."""
    if options.strategy == "bfs" or not outcome.violations:
        return outcome
    first, *others = outcome.violations
    if first.run is None or len(first.positions) <= LONG_RUN:
        return outcome
    say()
    for attempt, seconds in _attempts(options, len(first.positions)):
        until = time.monotonic() + seconds
        found = _found(program, attempt, first.code, process, min(until, deadline or until))
        if found is not None and len(found.positions) < len(first.positions):
            remark = (
                f"the search came to this violation after {len(first.positions):,} transitions; "
                f"a run of {len(found.positions):,} that ends in the same one is shown"
            )
            return replace(outcome, violations=(found, *others), remarks=(*outcome.remarks, remark))
    return outcome


def _attempts(options: SearchOptions, length: int) -> Iterator[tuple[SearchOptions, float]]:
    plain = options.breadth_first(state_limit=MOST_STATES, stop_at_first_violation=True, observe="")
    yield plain, BREADTH_FIRST_SECONDS
    for depth in DEPTHS:
        if 2 * depth < length:
            yield replace(plain, strategy="dfs", depth_limit=depth), DEPTH_FIRST_SECONDS


def _found(
    program: Program, options: SearchOptions, code: int, process: ModelProcess, deadline: float
) -> native.NativeViolation | None:
    if time.monotonic() >= deadline:
        return None
    try:
        outcome = native.search(program.opening, options, deadline=deadline, process=process)
    except Exception:
        return None  # the run that is there stands
    same = (one for one in outcome.violations if one.code == code and one.run is not None)
    return next(same, None)
