"""Accepting cycles by the definition: the whole graph first, then its strongly connected components.

The native search (`engine/search/accepting_cycle.cpp`) finds them while it explores; this one is what it is
compared with. A step is in the acceptance sets of its source and, where `processes` are given, in that of its
own process and of every process that is not enabled in its source. Free steps are on no cycle that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    target: State
    process: int | None = None


@dataclass(frozen=True)
class Judged(Generic[State]):
    """A graph with acceptance: all that the definition needs."""

    initial: State
    steps: Callable[[State], Sequence[Step[State]]]
    acceptance: Callable[[State], int]  # the sets of a state, one bit each
    acceptance_count: int
    processes: int = 0  # with weak fairness for these
    makes_progress: Callable[[State], bool] = field(default=lambda _: False)

    @property
    def all_sets(self) -> int:
        return (1 << (self.acceptance_count + self.processes)) - 1

    def marks(self, source: State, step: Step[State]) -> int:
        marks = self.acceptance(source)
        enabled = {other.process for other in self.steps(source)}
        for process in range(self.processes):
            if process == step.process or process not in enabled:
                marks |= 1 << (self.acceptance_count + process)
        return marks

    def is_free(self, source: State, step: Step[State]) -> bool:
        return self.makes_progress(source) or self.makes_progress(step.target)


def reachable(graph: Judged[State]) -> list[State]:
    seen = {graph.initial: None}
    queue = [graph.initial]
    for state in queue:
        for step in graph.steps(state):
            if step.target not in seen:
                seen[step.target] = None
                queue.append(step.target)
    return queue


def has_accepting_cycle(graph: Judged[State]) -> bool:
    return any(_accepts(graph, component) for component in components(graph))


def components(graph: Judged[State]) -> list[set[State]]:
    """Two states are in one component if each can reach the other by steps that are not free."""
    states = reachable(graph)
    reach = {state: _reach(graph, state) for state in states}
    found: list[set[State]] = []
    placed: set[State] = set()
    for state in states:
        if state not in placed:
            component = {other for other in reach[state] if state in reach[other]} | {state}
            placed |= component
            found.append(component)
    return found


def _reach(graph: Judged[State], start: State) -> set[State]:
    """By at least one step."""
    seen: set[State] = set()
    queue = [start]
    for state in queue:
        for step in graph.steps(state):
            if step.target not in seen and not graph.is_free(state, step):
                seen.add(step.target)
                queue.append(step.target)
    return seen


def _accepts(graph: Judged[State], component: set[State]) -> bool:
    met, has_step = 0, False
    for state in component:
        for step in graph.steps(state):
            if step.target in component and not graph.is_free(state, step):
                has_step = True
                met |= graph.marks(state, step)
    return has_step and met & graph.all_sets == graph.all_sets


def is_lasso(graph: Judged[State], path: Sequence[int], loop_start: int) -> bool:
    """Whether a path, in positions, leads from the initial state round a cycle that meets every set."""
    state, met, entry = graph.initial, 0, None
    for number, position in enumerate(path):
        if number == loop_start:
            entry = state
        step = graph.steps(state)[position]
        if number >= loop_start:
            if graph.is_free(state, step):
                return False
            met |= graph.marks(state, step)
        state = step.target
    return entry is not None and state == entry and met & graph.all_sets == graph.all_sets
