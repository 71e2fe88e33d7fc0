"""k-induction (Sheeran, Singh and Stålmarck 2000), strengthened by template invariants (Beyer et al. 2015).

A program is safe if nothing fails in the first k rounds and no k rounds that begin anywhere are followed by
one that fails. "Anywhere" is any state of which the template invariants hold, and they hold again after
each of the rounds; so a property that is not inductive need only be so over k rounds with their help.

The proof is the pair of the invariants and k (`Invariants.rounds`), of which the obligations are made anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.search.sequential.bounded import Bounded, Reached
from assay.search.sequential.findings import Finding, Invariants, Status
from assay.search.sequential.templates import inductive
from assay.transition_system.sequential.bitvectors import TRUE, Term, all_of
from assay.transition_system.sequential.blocks import live_blocks
from assay.transition_system.sequential.control_flow import ControlFlow

NAME = "k-induction"
MOST_ROUNDS = 40


def search(
    flow: ControlFlow,
    *,
    deadline: float,
    say: Callable[[str], None],
    most_rounds: int = MOST_ROUNDS,
    with_templates: bool = True,
) -> Finding:
    parts = live_blocks(flow)
    assumed: dict[int, Term] = dict.fromkeys(flow.cut_points, TRUE)
    if with_templates:
        try:
            found = inductive(flow, parts, deadline=deadline, say=say)
            if found.excludes_failures():
                return Finding(NAME, Status.SAFE, "inductive", invariants=Invariants(found.needed()))
        except TimeoutError:
            return Finding(NAME, Status.UNKNOWN, "out of time")
        assumed = {at: all_of(holds) for at, holds in found.candidates.items()}
    steps = [Bounded(flow, parts, at, assumed) for at in sorted(flow.cut_points)]
    base = Bounded(flow, parts)
    rounds = 0
    try:
        while rounds < most_rounds:
            rounds += 1
            say(f"rounds {rounds}")
            failing = [step for step in steps if _can_fail_after(step, rounds, deadline)]
            if failing:
                continue
            run = _first_failure(base, rounds, deadline)
            if run is not None:
                return run
            return Finding(NAME, Status.SAFE, f"over {rounds} rounds", invariants=Invariants(assumed, rounds))
    except TimeoutError:
        return Finding(NAME, Status.UNKNOWN, "out of time", rounds - 1)
    return Finding(NAME, Status.UNKNOWN, f"no proof by induction over {rounds} rounds", rounds)


def _can_fail_after(step: Bounded, rounds: int, deadline: float) -> bool:
    """Whether a failure can follow so many rounds; asked with growing numbers."""
    last: list[tuple[int, Reached]] = []
    while step.depth <= rounds:
        last = step.failures()
    return any(step.model_of(one.condition, deadline - time.monotonic()) is not None for _, one in last)


def _first_failure(base: Bounded, rounds: int, deadline: float) -> Finding | None:
    while base.depth <= rounds and base.level:
        for _, reached in base.failures():
            model = base.model_of(reached.condition, deadline - time.monotonic())
            if model is not None:
                return Finding(NAME, Status.UNSAFE, bound=base.depth, run=base.run_of(model))
    return None
