"""Random runs: what fails far inside a loop, or for nearly every input, is found by running.

No formula is made, so a run may be millions of steps long where bounded model checking is at its hundredth
round. Short runs with many inputs come first, then longer and longer ones. Nothing is proved by this.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count

from assay.search.sequential.findings import Choices, Finding, Status
from assay.search.sequential.sampling import Runner
from assay.search.sequential.templates import constants_of
from assay.transition_system.sequential.bitvectors import Term, Value
from assay.transition_system.sequential.control_flow import Choose, ControlFlow, Edge

NAME = "execution"
RUNS = 100  # of one length
FIRST_STEPS = 1_000
MOST_CUT = 2  # runs of one length that were too long for it
MOST_STEPS = 50_000_000
FACTOR = 10
MOST_CHOICES = 1_000_000  # of a run that is told


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None], seed: int = 1) -> Finding:
    numbers = {width: sorted(found) for width, found in constants_of(flow).items()}
    runner = Runner(flow, numbers, seed)
    is_determined = not any(isinstance(edge.action, Choose) for edge in flow.edges)
    steps = FIRST_STEPS
    made = 0
    while steps <= MOST_STEPS:
        say(f"{made} runs, now with {steps} steps")
        cut = 0
        for _ in range(RUNS):
            made += 1
            ended, found = _run(runner, steps, deadline)
            if found is not None:
                return Finding(NAME, Status.UNSAFE, f"in {made} runs", run=found)
            if time.monotonic() > deadline:
                return Finding(NAME, Status.UNKNOWN, f"nothing failed in {made} runs")
            cut += not ended
            if is_determined or cut == MOST_CUT:
                break
        if not cut and (is_determined or steps >= FIRST_STEPS * FACTOR):
            break
        steps *= FACTOR
    return Finding(NAME, Status.UNKNOWN, f"nothing failed in {made} runs")


def _run(runner: Runner, steps: int, deadline: float) -> tuple[bool, Choices | None]:
    """Whether the run ended by itself, and the run if it failed."""
    starts: dict[Term, Value] = {}
    chosen: list[Value] = []

    def start(name: Term) -> Value:
        return starts.setdefault(name, runner.any_of(name))

    def choose(edge: Edge) -> Value:
        chosen.append(runner.choose(edge))
        return chosen[-1]

    runner.begin()
    failures = runner.flow.failures
    for number, (location, _) in zip(count(), runner.runs.run(choose, start)):
        if location < 0:
            return True, None
        if location in failures:
            return True, Choices(starts, tuple(chosen))
        if number > steps or len(chosen) > MOST_CHOICES:
            return False, None
        if number % 4096 == 4095 and time.monotonic() > deadline:
            return False, None
    return True, None
