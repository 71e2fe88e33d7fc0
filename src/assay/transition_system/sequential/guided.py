"""A graph beside an automaton that watches its edges and lets only some runs fail.

The automaton goes through stages. On an edge, what it looks at before and after may move it to the next stage
(follow), or forbid the edge (avoid); a failure counts in the last stage only, and only where it is wanted. No
edge chooses more than in the graph itself, so a run of the one is a run of the other with the same choices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import FALSE, TRUE, Term, all_of, negated
from assay.transition_system.sequential.control_flow import Assume, ControlFlow, Edge

MOST_EDGES = 400_000


@dataclass(frozen=True, slots=True)
class Stage:
    """Of each edge (by its number) the condition under which it passes what is to be followed or avoided;
    `FALSE` where it does not. `before`: over the values before the edge; `after`: after it."""

    follow_before: Callable[[int], Term]
    follow_after: Callable[[int], Term]
    avoid_before: Callable[[int], Term]
    avoid_after: Callable[[int], Term]


def guided(flow: ControlFlow, stages: Sequence[Stage], is_target: Callable[[int], bool]) -> ControlFlow:
    """`stages` without the last one, in which failures count; that has no stage but its `avoid`s: give it as
    the last, with a `follow` that never holds."""
    numbers: dict[tuple[int, int, int], int] = {}  # location, stage, edge on which it is in the middle

    def location(*key: int) -> int:
        return numbers.setdefault(key if len(key) == 3 else (*key, -1), len(numbers))  # type: ignore[arg-type]

    entry = location(flow.entry, 0)
    edges: list[Edge] = []
    failures = {}
    waiting, seen = [(flow.entry, 0)], {(flow.entry, 0)}
    positions = {id(edge): number for number, edge in enumerate(flow.edges)}

    def reach(target: int, stage: int) -> int:
        if (target, stage) not in seen:
            seen.add((target, stage))
            waiting.append((target, stage))
        return location(target, stage)

    def step(source: int, target: int, condition: Term, like: Edge) -> None:
        if condition is not FALSE:
            edges.append(Edge(source, target, Assume(condition), like.place, ""))

    while waiting:
        here, stage = waiting.pop()
        if here in flow.failures:
            continue
        for edge in flow.outgoing[here]:
            number = positions[id(edge)]
            if edge.target in flow.failures and (stage != len(stages) - 1 or not is_target(number)):
                continue
            for before, moved in _ways(
                stages[stage].follow_before(number), stages[stage].avoid_before(number), stage
            ):
                if before is FALSE:
                    continue
                start = location(here, stage)
                if before is not TRUE:
                    middle = location(number, moved, -2 - stage)
                    step(start, middle, before, edge)
                    start = middle
                ends = stages[moved]
                ways = list(_ways(ends.follow_after(number), ends.avoid_after(number), moved))
                if len(ways) == 1 and ways[0][0] is TRUE:
                    edges.append(
                        Edge(start, reach(edge.target, ways[0][1]), edge.action, edge.place, edge.text)
                    )
                    continue
                beyond = location(number, moved, -3 - len(stages) - stage)
                edges.append(Edge(start, beyond, edge.action, edge.place, edge.text))
                for after, end in ways:
                    step(beyond, reach(edge.target, end), after, edge)
            if len(edges) > MOST_EDGES:
                raise UnsupportedConstruct(f"more than {MOST_EDGES} edges along the witness")
    for at, failure in flow.failures.items():
        if (at, len(stages) - 1) in seen:
            failures[location(at, len(stages) - 1)] = failure
    return ControlFlow(
        entry, len(numbers), tuple(edges), failures, flow.variables, flow.initial_values, flow.notes
    )


def _ways(follow: Term, avoid: Term, stage: int) -> Sequence[tuple[Term, int]]:
    """The condition of each way, and the stage it leads to."""
    allowed = negated(avoid)
    return [
        (condition, to)
        for condition, to in (
            (all_of((allowed, follow)), stage + 1),
            (all_of((allowed, negated(follow))), stage),
        )
        if condition is not FALSE
    ]
