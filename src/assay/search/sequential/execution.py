"""Random runs: what fails far inside a loop, or for nearly every input, is found by running.

No formula is made, so a run may be millions of steps long where bounded model checking is at its hundredth
round. Short runs with many inputs come first, then longer and longer ones. They are made by a program that
gcc compiles (`native_runs`); where there is none by functions of Python, where two that were too long go on.
Nothing is proved by this.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from assay.search.sequential.findings import Choices, Finding, Status
from assay.search.sequential.sampling import Runner
from assay.search.sequential.templates import constants_of
from assay.transition_system.sequential.bitvectors import Array, ArrayValue, Term, Value
from assay.transition_system.sequential.control_flow import Choose, ControlFlow, Edge
from assay.transition_system.sequential.native_runs import Ended, NativeRuns, NotCompiled

NAME = "execution"
RUNS = 100  # of one length
FIRST_STEPS = 1_000
MOST_CUT = 2  # runs of one length that were too long for it
MOST_STEPS = 50_000_000
FACTOR = 10
MOST_CHOICES = 1_000_000  # of a run that is told


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None], seed: int = 1) -> Finding:
    numbers = {width: sorted(found) for width, found in constants_of(flow).items()}
    try:
        with NativeRuns(flow, numbers, deadline - time.monotonic()) as runs:
            say("runs of a compiled program")
            return _found(flow, runs.failing(deadline - time.monotonic(), seed))
    except NotCompiled:
        return _by_python(flow, numbers, deadline, say, seed)


def _found(flow: ControlFlow, ended: Ended | None) -> Finding:
    if ended is None:
        return Finding(NAME, Status.UNKNOWN, "no run ended within time and memory")
    if ended.location < 0:
        return Finding(NAME, Status.UNKNOWN, f"nothing failed in {ended.made} runs")
    unset = [one for one in flow.variables if one not in flow.initial_values]
    starts = {name: _value(name, number) for name, number in zip(unset, ended.starts, strict=True)}
    chosen = []
    for at, number in ended.chosen:
        action = flow.edges[at].action
        assert isinstance(action, Choose)
        chosen.append(_value(action.variable, number))
    return Finding(NAME, Status.UNSAFE, run=Choices(starts, tuple(chosen)))


def _value(name: Term, number: int) -> Value:
    return ArrayValue(number, {}) if isinstance(name.sort, Array) else number


def _by_python(
    flow: ControlFlow,
    numbers: Mapping[int, Sequence[int]],
    deadline: float,
    say: Callable[[str], None],
    seed: int,
) -> Finding:
    runner = Runner(flow, numbers, seed)
    is_determined = not any(isinstance(edge.action, Choose) for edge in flow.edges)
    steps = FIRST_STEPS
    made = 0
    cut: list[Run] = []  # runs that were too long, which go on when more steps are allowed
    while steps <= MOST_STEPS:
        say(f"{made} runs, now with {steps} steps")
        waiting, cut = cut, []
        for _ in range(RUNS):
            if not waiting and made and is_determined:
                break
            made += not waiting
            run = waiting.pop(0) if waiting else Run(runner)
            ended = run.goes_on(steps, deadline)
            if run.found is not None:
                return Finding(NAME, Status.UNSAFE, f"in {made} runs", run=run.found)
            if time.monotonic() > deadline:
                return Finding(NAME, Status.UNKNOWN, f"nothing failed in {made} runs")
            cut += [] if ended else [run]
            if len(cut) == MOST_CUT:
                break
        if not cut and (is_determined or steps >= FIRST_STEPS * FACTOR):
            break
        steps *= FACTOR
    return Finding(NAME, Status.UNKNOWN, f"nothing failed in {made} runs")


class Run:
    def __init__(self, runner: Runner) -> None:
        runner.begin()
        self.runner = runner
        self.starts: dict[Term, Value] = {}
        self.chosen: list[Value] = []
        self.found: Choices | None = None  # if it failed
        self.places = enumerate(runner.runs.run(self._choose, self._start))

    def _start(self, name: Term) -> Value:
        return self.starts.setdefault(name, self.runner.any_of(name))

    def _choose(self, edge: Edge) -> Value:
        self.chosen.append(self.runner.choose(edge))
        return self.chosen[-1]

    def goes_on(self, steps: int, deadline: float) -> bool:
        """To its end or to so many steps in all; whether it has ended."""
        failures, chosen = self.runner.flow.failures, self.chosen
        for number, (location, _) in self.places:
            if location < 0:
                return True
            if location in failures:
                self.found = Choices(self.starts, tuple(chosen))
                return True
            if number > steps:
                return False
            if number % 4096 == 4095 and (time.monotonic() > deadline or len(chosen) > MOST_CHOICES):
                return len(chosen) > MOST_CHOICES
        return True
