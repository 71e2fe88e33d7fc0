"""Data: what the variables hold at cut points when the program is run with many inputs.

The time that this may take is that of the processor, since what is found would otherwise depend on who else
is at work. Inputs are small numbers most
of the time, numbers of the text often, and now and then any.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from assay.transition_system.sequential.bitvectors import Array, ArrayValue, Bits, Term, Value
from assay.transition_system.sequential.compiled_runs import CompiledRuns
from assay.transition_system.sequential.control_flow import Choose, ControlFlow, Edge

RUNS = 80
MOST_STEPS = 6000  # of a run: stretches
SECONDS = 0.5
VISITS = 8
UNIFORM = 0.25  # of runs
MOST_SAMPLES = 600  # of a cut point

Sample = tuple[Value, ...]


class Runner:
    def __init__(self, flow: ControlFlow, constants: Mapping[int, Sequence[int]], seed: int) -> None:
        self.flow, self.constants = flow, constants
        self.random = random.Random(seed)
        self.runs = CompiledRuns(flow)
        self.few: list[int] = []

    def begin(self) -> None:
        """Another run; in some all inputs are one of two numbers, so that inputs are often equal."""
        self.few = []
        is_uniform = self.random.random() < UNIFORM
        self.few = [self.number(32) for _ in range(2)] if is_uniform else []

    def run(self, steps: int) -> Iterator[tuple[int, list[Value]]]:
        """The locations that are cut points, with the list of values, which goes on changing."""
        self.begin()
        cuts = self.flow.cut_points
        for location, values in islice(self.runs.run(self.choose, self.any_of), steps):
            if location in cuts:
                yield location, values

    def choose(self, edge: Edge) -> Value:
        assert isinstance(edge.action, Choose)
        return self.any_of(edge.action.variable)

    def any_of(self, name: Term) -> Value:
        sort = name.sort
        if isinstance(sort, Array):
            return ArrayValue(self.number(sort.element), {})
        return self.number(sort.width) if isinstance(sort, Bits) else self.random.getrandbits(1)

    def number(self, width: int) -> int:
        if self.few:
            return self.few[self.random.random() < UNIFORM] & ((1 << width) - 1)
        return any_number(self.random, width, self.constants)


def any_number(source: random.Random, width: int, constants: Mapping[int, Sequence[int]]) -> int:
    pick, mask = source.random(), (1 << width) - 1
    if pick < 0.45:
        return source.randint(-2, 6) & mask
    if pick < 0.75 and constants.get(width):
        return source.choice(constants[width])
    if pick < 0.9:
        return source.randint(-100, 1000) & mask
    return source.getrandbits(width)


def sampled(
    flow: ControlFlow,
    wanted: Mapping[int, Sequence[Term]],
    constants: Mapping[int, Sequence[int]],
    *,
    seed: int,
    seconds: float = SECONDS,
    with_arrays: bool = False,
    visits: int = VISITS,
) -> dict[int, list[Sample]]:
    """Of each cut point that was reached, what the wanted variables held there; each of them once. Arrays are
    0 unless somebody wants them."""
    runner = Runner(flow, constants, seed)
    places = {at: [runner.runs.positions[one] for one in names] for at, names in wanted.items()}
    found: dict[int, dict[Sample, Sample]] = {}
    until = time.process_time() + seconds
    for _ in range(RUNS):
        visited: dict[int, int] = {}
        if time.process_time() > until:
            break
        for number, (location, values) in enumerate(runner.run(MOST_STEPS)):
            if number % 256 == 255 and time.process_time() > until:
                break
            seen = visited[location] = visited.get(location, 0) + 1
            if seen > visits and seen & (seen - 1):  # the first visits, then fewer and fewer
                continue
            kept = found.setdefault(location, {})
            if len(kept) < MOST_SAMPLES:
                whole = tuple(values[at] for at in places[location])
                plain = tuple(value if isinstance(value, int) else 0 for value in whole)
                kept[plain] = whole if with_arrays else plain
    return {at: list(samples.values()) for at, samples in found.items()}
