"""What a class that is a transition system may ask of its runs, by name:

    properties = {
        "served": assay.eventually(lambda state: state.served),
        "answered": assay.leads_to(lambda state: state.asked, lambda state: state.answered),
        "small": assay.always(lambda state: state.size < 10),
    }

A run that ends stands for the one that stays at its end for ever. In a program that is verified the same
functions are statements over predicates without arguments, and hold from there on; in one that is only run
they do nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.records import dataclass

Predicate = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Temporal:
    """A formula over predicates of a state; `p` is the first of them, `q` the second."""

    formula: str
    predicates: tuple[Predicate, ...]


def always(predicate: Predicate, *, name: str | None = None) -> Temporal:
    """It holds in every state."""
    del name  # of the statement in a program; a class has its names beside it
    return Temporal("[] p", (predicate,))


def eventually(predicate: Predicate, *, name: str | None = None) -> Temporal:
    """Every run comes to a state in which it holds."""
    del name
    return Temporal("<> p", (predicate,))


def leads_to(cause: Predicate, effect: Predicate, *, name: str | None = None) -> Temporal:
    """Whenever the first holds, the second holds then or later."""
    del name
    return Temporal("[] (p -> <> q)", (cause, effect))
