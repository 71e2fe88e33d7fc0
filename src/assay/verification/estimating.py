"""When a verification that did not see everything says how much it saw."""

from __future__ import annotations

import time

from assay.evidence.verdict import StopReason
from assay.search import native
from assay.search.estimation import Estimation, Estimator, Plan, memory_for_bits
from assay.transition_system.interface import CompiledProgram
from assay.verification.request import Phase, Request

ESTIMATED = {StopReason.MEMORY, StopReason.TIME, StopReason.STATES}
# Of the time limit, for the search; the rest is for the estimate that was asked for.
SEARCH_SHARE = 0.6
UNASKED_SECONDS_AT_LEAST = 1.0


def search_deadline(request: Request) -> float | None:
    limit = request.options.time_limit_seconds
    if not limit or request.estimate is None:
        return request.deadline
    return request.started + SEARCH_SHARE * limit


def estimate(
    request: Request, compiled: CompiledProgram, program: str, outcome: native.NativeOutcome
) -> Estimation | None:
    """Asked for: within all the time there is. On its own: no longer than the search took."""
    facts = outcome.facts
    if facts.stop_reason not in ESTIMATED or facts.violation_count or facts.states < 1:
        return None
    unasked = request.estimate is None
    if unasked and (not outcome.levels or facts.stop_reason is StopReason.STATES):
        return None
    # The memory that the search had, or took.
    memory = request.options.memory_limit_bytes or outcome.peak_memory_bytes
    plan = Plan(
        method=request.estimate or ("levels" if facts.stop_reason is StopReason.TIME else "sweep"),
        states=facts.states,
        memory_bytes=memory_for_bits(memory),
        seed=request.options.seed,
    )
    deadline = request.deadline
    if unasked:
        longest = time.monotonic() + max(UNASKED_SECONDS_AT_LEAST, facts.seconds)
        deadline = longest if deadline is None else min(deadline, longest)
    request.listener(Phase("estimating the coverage of", program))
    estimator = Estimator(
        compiled.library,
        request.options,
        opener=compiled.opener,
        deadline=deadline,
        on_progress=request.listener,
    )
    found = estimator.run(plan, levels=outcome.levels[:-1])
    if found is not None and unasked and found.estimate.total == float("inf"):
        return None  # no end in sight says nothing
    return found
