"""What a class that is a transition system may ask of its runs, by name:

    properties = {
        "served": assay.eventually(lambda state: state.served),
        "answered": assay.leads_to(lambda state: state.asked, lambda state: state.answered),
        "small": assay.always(lambda state: state.size < 10),
    }

A run that ends stands for the one that stays at its end for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Predicate = Callable[[object], object]


@dataclass(frozen=True, slots=True)
class Temporal:
    """A formula over predicates of a state; `p` is the first of them, `q` the second."""

    formula: str
    predicates: tuple[Predicate, ...]


def always(predicate: Predicate) -> Temporal:
    """It holds in every state."""
    return Temporal("[] p", (predicate,))


def eventually(predicate: Predicate) -> Temporal:
    """Every run comes to a state in which it holds."""
    return Temporal("<> p", (predicate,))


def leads_to(cause: Predicate, effect: Predicate) -> Temporal:
    """Whenever the first holds, the second holds then or later."""
    return Temporal("[] (p -> <> q)", (cause, effect))
