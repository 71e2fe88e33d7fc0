"""Data: what the variables hold at cut points when the program is run with many inputs.

The graph is compiled to Python as far as runs come, a stretch of it at a time. The time that this may take is that
of the processor, since what is found would otherwise depend on who else is at work. Inputs are small numbers most
of the time, numbers of the text often, and now and then any.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.transition_system.sequential.bitvectors import (
    TRUE,
    Array,
    ArrayValue,
    Bits,
    Term,
    Value,
    evaluated,
)
from assay.transition_system.sequential.compiled_terms import function, lines_of
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow

RUNS = 80
MOST_STEPS = 6000  # of a run: stretches
SECONDS = 0.5
MOST_SAMPLES = 600  # of a cut point
MOST_LINES = 200  # of a stretch

Sample = tuple[Value, ...]


class Runner:
    def __init__(self, flow: ControlFlow, constants: Mapping[int, Sequence[int]], seed: int) -> None:
        self.flow, self.constants = flow, constants
        self.random = random.Random(seed)
        self.positions = {one: position for position, one in enumerate(flow.variables)}
        self.stretches: dict[int, Callable[..., int]] = {}
        self.known = {name: evaluated(value, {}) for name, value in flow.initial_values.items()}

    def run(self, steps: int) -> Any:
        """The locations that are cut points, with the list of values, which goes on changing."""
        values = [self.known[one] if one in self.known else self.any_of(one) for one in self.flow.variables]
        location, cuts, failures = self.flow.entry, self.flow.cut_points, self.flow.failures
        if location in cuts:
            yield location, values
        for _ in range(steps):
            stretch = self.stretches.get(location)
            if stretch is None:
                stretch = self.stretches[location] = self._stretch(location)
            location = stretch(values, self.any_of)
            if location < 0 or location in failures:
                return
            if location in cuts:
                yield location, values

    def any_of(self, name: Term) -> Value:
        sort = name.sort
        if isinstance(sort, Array):
            return ArrayValue(self.number(sort.element), {})
        return self.number(sort.width) if isinstance(sort, Bits) else self.random.getrandbits(1)

    def number(self, width: int) -> int:
        pick, mask = self.random.random(), (1 << width) - 1
        if pick < 0.45:
            return self.random.randint(-2, 6) & mask
        if pick < 0.75 and self.constants.get(width):
            return self.random.choice(self.constants[width])
        if pick < 0.9:
            return self.random.randint(-100, 1000) & mask
        return self.random.getrandbits(width)

    def _stretch(self, location: int) -> Callable[..., int]:
        """From a location to where the graph branches, or to a cut point: a function of Python."""
        lines: list[str] = []
        names: dict[Term, str] = {one: f"v[{at}]" for one, at in self.positions.items()}
        space: dict[str, Term] = {}
        while True:
            edges = self.flow.outgoing[location]
            edge = edges[0] if len(edges) == 1 else None
            if edge is None or (isinstance(edge.action, Assume) and edge.action.condition is not TRUE):
                break
            if isinstance(edge.action, Assign):
                new = [value for _, value in edge.action.values]
                known = dict(names)
                lines += lines_of(new, known, f"a{len(lines)}_")
                targets = [f"n{at}" for at in range(len(new))]
                lines += [f"{one} = {known[value]}" for one, value in zip(targets, new, strict=True)]
                for (variable, _), one in zip(edge.action.values, targets, strict=True):
                    lines.append(f"{names[variable]} = {one}")
            elif isinstance(edge.action, Choose):
                space[f"c{len(space)}"] = edge.action.variable
                lines.append(f"{names[edge.action.variable]} = choose(c{len(space) - 1})")
            location = edge.target
            is_end = location in self.flow.cut_points or location in self.flow.failures
            if is_end or len(lines) > MOST_LINES:
                lines.append(f"return {location}")
                break
        if not lines or not lines[-1].startswith("return"):
            for number, edge in enumerate(self.flow.outgoing[location]):
                assert isinstance(edge.action, Assume)
                known = dict(names)
                lines += lines_of([edge.action.condition], known, f"b{number}_")
                lines.append(f"if {known[edge.action.condition]}: return {edge.target}")
            lines.append("return -1")
        body = "".join(f"        {line}\n" for line in lines)
        given = "".join(f", {name}" for name in space)
        text = f"def made(_{given}):\n    def stretch(v, choose):\n{body}    return stretch\n"
        made: Callable[..., int] = function(text, "made")(None, *space.values())
        return made


def sampled(
    flow: ControlFlow,
    wanted: Mapping[int, Sequence[Term]],
    constants: Mapping[int, Sequence[int]],
    *,
    seed: int,
    seconds: float = SECONDS,
    with_arrays: bool = False,
) -> dict[int, list[Sample]]:
    """Of each cut point that was reached, what the wanted variables held there; each of them once. Arrays are 0
    unless somebody wants them."""
    runner = Runner(flow, constants, seed)
    places = {at: [runner.positions[one] for one in names] for at, names in wanted.items()}
    found: dict[int, dict[Sample, Sample]] = {}
    until = time.process_time() + seconds
    for _ in range(RUNS):
        visits: dict[int, int] = {}
        if time.process_time() > until:
            break
        for number, (location, values) in enumerate(runner.run(MOST_STEPS)):
            if number % 256 == 255 and time.process_time() > until:
                break
            seen = visits[location] = visits.get(location, 0) + 1
            if seen > 8 and seen & (seen - 1):  # the first eight visits, then fewer and fewer
                continue
            kept = found.setdefault(location, {})
            if len(kept) < MOST_SAMPLES:
                whole = tuple(values[at] for at in places[location])
                plain = tuple(value if isinstance(value, int) else 0 for value in whole)
                kept[plain] = whole if with_arrays else plain
    return {at: list(samples.values()) for at, samples in found.items()}

