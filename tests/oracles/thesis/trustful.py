"""The perfect search of trustful certification (3.1.3).

Only productive transitions are executed, so each state is visited once and
nothing is remembered. Properties of states are checked again; properties of steps
cannot be, since most steps are not taken (3.3.2). Whether the script leaves states
out is taken on trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from assay.evidence.script import MalformedScript, position_of
from tests.oracles.thesis.certification import Discrepancy, Model, VeracityError

State = TypeVar("State")


def perfect_search(instructions: Iterable[str], model: Model[State]) -> Iterator[State]:
    """Visit the states that the instructions lead to, in order; see `Script.trustful_rows`."""
    model.check_state(model.initial)
    yield model.initial
    path = [(0, model.initial)]
    visited = 1
    for label in instructions:
        number, state = path[-1]
        if label == "B":
            path.pop()
            if not path:
                raise MalformedScript("the script backtracks from the initial state")
            continue
        position = position_of(label)
        successors = model.successors(state)
        if position >= len(successors):
            raise VeracityError(Discrepancy.NONEXISTENT_TRANSITION, number, position)
        successor = successors[position]
        model.check_state(successor)
        yield successor
        path.append((visited, successor))
        visited += 1
