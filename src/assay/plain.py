"""`import assay` in a program that is run and not verified.

Under `assay verify` these functions mean every choice, every state and no switch; in
plain Python a program that uses them runs once, like any other:

- `choose` takes one option at random, the first one if ASSAY_CHOOSE is `first`;
- `assume` ends the thread quietly when its condition is false (the program, in the main thread);
- `label` does nothing;
- `invariant` looks once whether the predicate holds now;
- `atomic` holds one lock that all atomic stretches share: they exclude one another, and nothing else.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

Predicate = TypeVar("Predicate", bound=Callable[[], object])

_generator = random.Random()  # its own: the program's random numbers stay what they are
_atomic_lock = threading.RLock()


class AssumptionFalse(SystemExit):
    """Ends a run that is of no interest. Nobody reports it: it is no failure."""

    def __init__(self) -> None:
        super().__init__(0)


def choose(*options: Any) -> Any:
    """One of the options; `assay verify` follows all of them. A single list, tuple,
    range or set stands for its elements."""
    if len(options) == 1 and isinstance(options[0], list | tuple | range | set | frozenset):
        options = tuple(options[0])
    if not options:
        raise ValueError("assay.choose() needs at least one option")
    if os.environ.get("ASSAY_CHOOSE") == "first":
        return options[0]
    return _generator.choice(options)


def assume(condition: object) -> None:
    """`assay verify` looks no further where the condition is false; here the thread ends."""
    if not condition:
        raise AssumptionFalse


def invariant(predicate: Predicate, name: str | None = None) -> Predicate:
    """`assay verify` checks the predicate in every state from here on; here it is checked once, now."""
    if not predicate():
        raise AssertionError(f"invariant: {name or getattr(predicate, '__name__', 'invariant')}")
    return predicate


def label(name: str, /) -> None:
    """A place with a name, for formulas of `assay verify`; here it does nothing."""
    if not isinstance(name, str):
        raise TypeError("expected a text as the name of a label")


def atomic() -> AbstractContextManager[Any]:
    """Under `assay verify` no other thread runs inside; here no other atomic stretch does."""
    return _atomic_lock
