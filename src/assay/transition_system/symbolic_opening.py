"""The symbolic form of a program on its way to a child process, in a sealed file that our own process
wrote."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from assay.transition_system.interface import Opening
from assay.transition_system.sealed_file import SealedFile
from assay.transition_system.symbolic import SymbolicSystem

OPENER = "assay.transition_system.symbolic_opening:open_system"
DEEP = 20_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """For terms that are nested deeply."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def sealed(system: SymbolicSystem) -> SealedFile:
    """Keep it for as long as the opening is used."""
    with deep_recursion():
        return SealedFile(pickle.dumps(system))


def opening_of(file: SealedFile) -> Opening:
    return Opening(str(file.path), OPENER)


def open_system(opening: Any, *, key: bytes = b"") -> SymbolicSystem:
    """In the child."""
    del key
    sys.setrecursionlimit(DEEP)
    with open(opening.file, "rb") as file:  # noqa: PTH123 (a descriptor of our parent)
        system = pickle.load(file)  # noqa: S301 (sealed by our parent, who made it)
    assert isinstance(system, SymbolicSystem)
    return system
