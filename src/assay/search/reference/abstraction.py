"""Is matching by a key sound? The readable specification of the engine's observer, and its oracle.

The two conditions of Holzmann and Joshi ("Model-driven software verification", SPIN 2004), for the relation
"has the same key" on all reachable states: states that are related agree in what is checked of them, and each
answers every step of the other by a step to related states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


def pairs_with_one_key(
    states: Sequence[State], key: Callable[[State], Hashable]
) -> list[tuple[State, State]]:
    return [(one, other) for one, other in combinations(states, 2) if key(one) == key(other)]


def is_broken(
    one: State,
    other: State,
    *,
    key: Callable[[State], Hashable],
    checked: Callable[[State], object],
    successors: Mapping[State, Sequence[State]],
) -> bool:
    """Whether two states that are taken for one are not alike. `checked` is all that is asked of a state and
    of its steps besides where they lead."""
    if checked(one) != checked(other):
        return True
    for first, second in ((one, other), (other, one)):
        for after in successors[first]:
            if not any(key(answer) == key(after) for answer in successors[second]):
                return True
    return False
