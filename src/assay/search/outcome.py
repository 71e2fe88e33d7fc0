"""What a search explores and what it reports, in the words of the engine.

`Model` is the Python face of a transition system that both the native engine
and the reference searches explore: states are values that can be compared,
violations are numbers of the model's own table.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import Protocol, TypeVar

from assay.records import dataclass

State = TypeVar("State", bound=Hashable)

INVALID_END = 0  # the violation code of a state without successors that is no valid end


class Model(Protocol[State]):
    """A transition system with its properties, seen by a search."""

    def initial_state(self) -> tuple[State, int]:
        """The initial state and the violation met while setting it up (0: none)."""
        ...

    def successors(self, state: State) -> Sequence[tuple[State | None, int]]:
        """Successors in their fixed order, each with its violation (0: none).

        None stands for a step that ended in an error and left no state.
        """
        ...

    def is_valid_end(self, state: State) -> bool:
        """Asked of states without successors: may the program stop here?"""
        ...

    def check_state(self, state: State) -> int: ...
    def check_step(self, before: State, after: State) -> int: ...


@dataclass(frozen=True, slots=True)
class Violation:
    """`path` names successors by position, from the initial state on."""

    code: int
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    states: int
    transitions: int
    depth: int
    frontier: int
    memory_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CacheOutcome:
    """What a cached search says besides: the facts of `_engine.CacheFacts`."""

    capacity: int = 0
    held: int = 0
    replaced: int = 0
    hits: int = 0
    contents: tuple[tuple[object, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The same facts as `_engine.SearchResult`."""

    states: int
    transitions: int
    depth: int
    complete: bool
    stop_reason: str
    violations: tuple[Violation, ...] = field(default=())
    violation_count: int = 0
    seconds: float = 0.0
    bits_set: int = 0
    bits_total: int = 0
    frontier: int = 0
    cache: CacheOutcome = field(default=CacheOutcome())
