"""Runs of a graph as Python functions, for whoever makes many or long ones.

The graph is compiled as far as runs come, a stretch of it at a time: about a hundred times faster than
`running`, which says what it must compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from assay.transition_system.sequential.bitvectors import TRUE, Term, Value, evaluated
from assay.transition_system.sequential.compiled_terms import function, lines_of
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge
from assay.transition_system.sequential.running import Moment, default, run

MOST_LINES = 200  # of a stretch
SHOWN = 20_000  # edges of a run that are followed one by one


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


def followed(flow: ControlFlow, chosen: tuple[Value, ...], starts: dict[Term, Value]) -> list[Moment]:
    """A run, edge by edge. Of one that is long, after its beginning only what it chooses, and its end."""
    left = iter(chosen)
    moments = list(islice(run(flow, lambda _: next(left), dict(starts)), SHOWN))
    if len(moments) < SHOWN:
        return moments
    left = iter(chosen)
    choices: list[Moment] = []

    def choose(edge: Edge) -> Value:
        value = next(left)
        choices.append(Moment(edge, edge.target, moments[-1].values, value))
        return value

    last = flow.entry
    for location, _ in CompiledRuns(flow).run(choose, lambda one: starts.get(one, default(one.sort))):
        last = location if location >= 0 else last
    seen = sum(isinstance(one.edge.action, Choose) for one in moments)
    end = [Moment(edge, last, moments[-1].values, None) for edge in flow.incoming[last][:1]]
    return [*moments, *choices[seen:], *end]
