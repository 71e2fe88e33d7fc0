"""What an engine says of a program: how it can be believed, and with what evidence.

`SAFE` is sound only with its evidence: an invariant at each cut point (`Invariants`), which is checked
before anybody says `verified`. `UNSAFE` is precise only with its run: the choices (`Choices`), with which
the program is executed before anybody says `violated`. `UNKNOWN` says how far the engine came.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import Term, Value
from assay.transition_system.sequential.contracts import Contract


class Status(Enum):
    SAFE = "safe"
    UNSAFE = "unsafe"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Choices:
    """A run: the first values of variables that have none, and what its `Choose` edges chose, in order."""

    starts: Mapping[Term, Value]
    chosen: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Invariants:
    """Of each cut point (a location of the graph), what holds whenever a run is there.

    `rounds`: they exclude a failure only together with so many rounds before it (k-induction); 0: alone."""

    at: Mapping[int, Term]
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    engine: str
    status: Status
    detail: str = ""  # of UNKNOWN: why; of others: how it was found
    bound: int = 0  # how many times cut points were passed on every run that was looked at
    run: Choices | None = None
    invariants: Invariants | None = None
    contracts: Mapping[str, Contract] | None = None  # of procedures that call themselves
    unwound: int = 0  # how many rounds each loop has at most, if that is the proof
