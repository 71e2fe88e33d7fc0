"""When a verification that did not see everything says how much it saw."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from assay.evidence.verdict import StopReason
from assay.execution import model_process
from assay.search import native
from assay.transition_system.interface import Program
from assay.verification.request import Phase, Request

if TYPE_CHECKING:
    from assay.search.estimation import Estimation

ESTIMATED = {StopReason.MEMORY, StopReason.TIME, StopReason.STATES}
# Of the time limit, for the search; the rest is for the estimate that was asked for.
SEARCH_SHARE = 0.6
UNASKED_SECONDS_AT_LEAST = 1.0
SWEEPS = {"sweep", "short-sweep"}  # the other methods are asked for by name: what they say is what is wanted
NO_BASIS = "nothing that was seen shows how many states there are, or that they come to an end"
MET_VIOLATIONS = (
    "the estimate met violations that the search had not reached; to see one, search on with "
    "--spill DIR, or elsewhere with --search random-dfs or --storage bitstate",
)


def search_deadline(request: Request, *, with_cycles: bool) -> float | None:
    """Of the search for states: others need time after it."""
    limit = request.options.time_limit_seconds
    if not limit or (request.estimate is None and not with_cycles):
        return request.deadline
    return request.started + SEARCH_SHARE * limit


def estimate(
    request: Request, compiled: Program, program: str, outcome: native.NativeOutcome
) -> tuple[Estimation | None, list[str]]:
    """What is known of the coverage, and what a reader should know besides.

    Asked for: within all the time there is. On its own: after a search that stopped for memory, and
    for no longer than that took.
    """
    facts = outcome.facts
    asked = request.estimate is not None
    if request.language_options.match:  # what was visited is no number of states
        return None, ["there is no estimate: states were compared by a key"] if asked else []
    wanted = ESTIMATED if asked else {StopReason.MEMORY}
    if facts.stop_reason not in wanted or facts.violation_count or facts.states < 1:
        return None, []
    try:
        found = _estimated(request, compiled, program, outcome)
    except model_process.EngineFailure as failure:  # nobody loses the verdict for that
        return None, [f"there is no estimate: {failure}"]
    if found is None:
        return None, ["there is no estimate: time or memory did not suffice for one"] if asked else []
    remarks = list(MET_VIOLATIONS) if found.violations else []
    if not found.estimate.says_something and found.plan.method in SWEEPS:
        return None, remarks + ([f"there is no estimate: {NO_BASIS}"] if asked else [])
    return found, remarks


def _estimated(
    request: Request, compiled: Program, program: str, outcome: native.NativeOutcome
) -> Estimation | None:
    from assay.search.estimation import Estimator, Plan, memory_for_bits

    facts = outcome.facts
    # The memory that the search had, or took.
    memory = request.options.memory_limit_bytes or outcome.peak_memory_bytes
    plan = Plan(
        method=request.estimate or "sweep",
        states=facts.states,
        memory_bytes=memory_for_bits(memory),
        seed=request.options.seed,
    )
    deadline = request.deadline
    if request.estimate is None:
        longest = time.monotonic() + max(UNASKED_SECONDS_AT_LEAST, facts.seconds)
        deadline = longest if deadline is None else min(deadline, longest)
    request.listener(Phase("estimating the coverage of", program))
    estimator = Estimator(
        compiled.opening,
        request.options,
        deadline=deadline,
        on_progress=request.listener,
    )
    return estimator.run(plan, levels=outcome.levels[:-1])
