"""Depth-first search, exact, successors in the model's order.

A finished search has seen every reachable state, each exactly once; without a
violation the properties hold. Counterexamples are those met first and may be
long. With a depth limit a state met first at the limit is not expanded when it
is met again higher up: such a search is never complete.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol

from assay.search.outcome import State
from assay.search.reference.breadth_first import as_stopped
from assay.search.reference.run import Run, Stopped

Order = Callable[[list[tuple[int, State]]], list[tuple[int, State]]]


class Seen(Protocol):
    """Decides what a new state is: a set, or something smaller that errs."""

    def __contains__(self, state: object, /) -> bool: ...
    def add(self, state: Hashable, /) -> None: ...


@dataclass(slots=True)
class Frame(Generic[State]):
    """A state on the path: the successors not yet tried, the next one last."""

    pending: list[tuple[int, State]]
    position: int = -1  # of the successor that the search is below of


def depth_first(run: Run[State]) -> None:
    explore(run, set(), order=lambda successors: successors)


def explore(run: Run[State], seen: Seen, order: Order[State]) -> None:
    """Depth first in a given order."""
    stack: list[Frame[State]] = []

    def enter(state: State) -> None:
        def report(code: int, position: int | None) -> None:
            path = tuple(frame.position for frame in stack)
            run.violated(code, path if position is None else (*path, position))

        successors = order(run.expand(state, len(stack), report))
        stack.append(Frame(successors[::-1]))

    try:
        initial, violation = run.model.initial_state()
        seen.add(initial)
        run.add_state()
        if violation:
            run.violated(violation, ())
        if not (violation and run.stop_at_first_violation):
            enter(initial)
        while stack:
            if run.stop_at_first_violation and run.shortest_violation is not None:
                return
            frame = stack[-1]
            if not frame.pending:
                stack.pop()
                continue
            frame.position, state = frame.pending.pop()
            if state not in seen:
                run.add_state()
                seen.add(state)
                enter(state)
    except (Stopped, KeyboardInterrupt, MemoryError) as stop:
        run.stopped(as_stopped(stop))
