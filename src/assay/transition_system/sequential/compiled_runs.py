"""Runs of a graph as Python functions, for whoever makes many or long ones.

The graph is compiled as far as runs come, a stretch of it at a time: about a hundred times faster than
`running`, which says what it must compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import (
    TRUE,
    Array,
    ArrayValue,
    Sort,
    Term,
    Value,
    evaluated,
)
from assay.transition_system.sequential.compiled_terms import function, lines_of
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge
from assay.transition_system.sequential.native_runs import NativeRuns, NotCompiled
from assay.transition_system.sequential.running import Moment, default, run

MOST_LINES = 200  # of a stretch
SHOWN = 20_000  # edges of a run that are followed one by one
FOLLOWED_SECONDS = 60.0


class CompiledRuns:
    def __init__(self, flow: ControlFlow) -> None:
        self.flow = flow
        self.positions = {one: position for position, one in enumerate(flow.variables)}
        self.known = {name: evaluated(value, {}) for name, value in flow.initial_values.items()}
        self.stretches: dict[int, Callable[..., int]] = {}

    def run(
        self, choose: Callable[[Edge], Value], start: Callable[[Term], Value]
    ) -> Iterator[tuple[int, list[Value]]]:
        """Locations at the ends of stretches with the list of values, which goes on changing. The last is a
        failure, or where nothing can be done any more: then it is followed by -1."""
        values = [self.known[one] if one in self.known else start(one) for one in self.flow.variables]
        location, failures, stretches = self.flow.entry, self.flow.failures, self.stretches
        yield location, values
        while location >= 0 and location not in failures:
            stretch = stretches.get(location)
            if stretch is None:
                stretch = stretches[location] = self._stretch(location)
            location = stretch(values, choose)
            yield location, values

    def _stretch(self, location: int) -> Callable[..., int]:
        """From a location to where the graph branches, or to a cut point: a function of Python."""
        lines: list[str] = []
        names: dict[Term, str] = {one: f"v[{at}]" for one, at in self.positions.items()}
        space: dict[str, Edge] = {}
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
                space[f"c{len(space)}"] = edge
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


def followed(flow: ControlFlow, chosen: Sequence[Value], starts: Mapping[Term, Value]) -> list[Moment]:
    """A run, edge by edge. Of one that is long, after its beginning only what it chooses, and its end."""
    left = iter(chosen)
    moments = list(islice(run(flow, lambda _: next(left), dict(starts)), SHOWN))
    if len(moments) < SHOWN:
        return moments
    numbers = [*numbers_of_starts(flow, starts), *(each for one in chosen for each in numbers_of(one))]
    return followed_far(flow, moments, numbers)


def followed_far(flow: ControlFlow, moments: list[Moment], numbers: Sequence[int]) -> list[Moment]:
    """With the rest of a run that is given as numbers; the moments are its beginning."""
    ended = _followed_natively(flow, numbers) or _followed_by_python(flow, numbers)
    seen = sum(isinstance(one.edge.action, Choose) for one in moments)
    values = moments[-1].values
    rest = [Moment(edge, edge.target, values, value) for edge, value in ended.chosen[seen:]]
    end = [Moment(edge, ended.location, values, None) for edge in flow.incoming[ended.location][:1]]
    return [*moments, *rest, *end]


@dataclass(frozen=True, slots=True)
class _End:
    location: int
    chosen: list[tuple[Edge, Value]]


def _followed_natively(flow: ControlFlow, numbers: Sequence[int]) -> _End | None:
    with suppress(NotCompiled), NativeRuns(flow, {}) as runs:
        ended = runs.followed(numbers, FOLLOWED_SECONDS)
        if ended is not None and ended.location >= 0:
            left = iter(numbers)
            _starts_from(left, flow)
            return _End(ended.location, [_chosen_by(flow.edges[at], left) for at, _ in ended.chosen])
    return None


def _followed_by_python(flow: ControlFlow, numbers: Sequence[int]) -> _End:
    left = iter(numbers)
    starts = _starts_from(left, flow)
    chosen: list[tuple[Edge, Value]] = []

    def choose(edge: Edge) -> Value:
        chosen.append(_chosen_by(edge, left))
        return chosen[-1][1]

    last = flow.entry
    for location, _ in CompiledRuns(flow).run(choose, lambda one: starts.get(one, default(one.sort))):
        last = location if location >= 0 else last
    return _End(last, chosen)


def _chosen_by(edge: Edge, numbers: Iterator[int]) -> tuple[Edge, Value]:
    assert isinstance(edge.action, Choose)
    return edge, _value_from(numbers, edge.action.variable.sort)


# --- runs as numbers ---


def numbers_of_starts(flow: ControlFlow, starts: Mapping[Term, Value]) -> list[int]:
    """How many variables begin with a value that is not 0, and each by its place."""
    begun = [
        (at, starts[one])
        for at, one in enumerate(flow.variables)
        if one in starts and numbers_of(starts[one]) not in ((0,), (0, 0))
    ]
    return [len(begun), *(number for at, value in begun for number in (at, *numbers_of(value)))]


def numbers_of(value: Value) -> tuple[int, ...]:
    """Of an array its usual element, how many others there are, and those with their places."""
    if not isinstance(value, ArrayValue):
        return (int(value),)
    others = [(at, one) for at, one in sorted(value.elements.items()) if one != value.otherwise]
    return (value.otherwise, len(others), *(number for pair in others for number in pair))


def _starts_from(numbers: Iterator[int], flow: ControlFlow) -> dict[Term, Value]:
    names = []
    for _ in range(next(numbers, 0)):
        name = flow.variables[next(numbers)]
        names.append((name, _value_from(numbers, name.sort)))
    return dict(names)


def _value_from(numbers: Iterator[int], sort: Sort) -> Value:
    """What `numbers_of` wrote; 0 where there is no more."""
    if not isinstance(sort, Array):
        return next(numbers, 0)
    otherwise, count = next(numbers, 0), next(numbers, 0)
    return ArrayValue(otherwise, {next(numbers, 0): next(numbers, 0) for _ in range(count)})
