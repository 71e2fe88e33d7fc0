"""A program like another, with small numbers in the place of large ones: for data, and for nothing else.

Runs of a program that fills a hundred thousand elements never come to its second loop. With twelve elements
they do, and what holds there is a good guess of what holds in the program: `restored` puts the large numbers
back. Nothing that is said about the small program is believed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Bits, Substitution, Term
from assay.transition_system.sequential.control_flow import Action, Assign, Assume, ControlFlow

LARGE = 40  # numbers from here on are made small
SMALLEST = 9
APART = 4  # numbers that are next to each other stay so, and remainders by this stay what they are
MOST_WIDTH = 64


class Shrinking:
    def __init__(self, flow: ControlFlow) -> None:
        terms = [one for edge in flow.edges for one in _terms_of(edge.action)]
        constants = [
            one
            for one in bv.in_order(terms)
            if one.is_constant and isinstance(one.sort, Bits) and one.width > 8
        ]
        small = {one.value for one in constants if one.value < LARGE}
        large = sorted({one.value for one in constants if LARGE <= one.value < 1 << (one.width - 2)})
        self.small_of: dict[int, int] = {}
        last, image = -APART, SMALLEST - APART
        for value in large:
            image += min(APART, value - last)
            while value - last >= APART and (
                image % APART != value % APART or any(image + near in small for near in (-1, 0, 1))
            ):
                image += 1
            self.small_of[value], last = image, value
        self.large_of = {image: value for value, image in self.small_of.items()}
        for value, image in self.small_of.items():
            for near in (-1, 1):
                self.large_of.setdefault(image + near, value + near)
        self.flow = replace(
            flow, edges=tuple(replace(edge, action=self._shrunk(edge.action)) for edge in flow.edges)
        )

    @property
    def changes_anything(self) -> bool:
        return bool(self.small_of)

    def _shrunk(self, action: Action) -> Action:
        if isinstance(action, Assume):
            return Assume(self.small(action.condition))
        if isinstance(action, Assign):
            return Assign(tuple((name, self.small(value)) for name, value in action.values))
        return action

    def small(self, term: Term) -> Term:
        return _exchanged(term, self.small_of)

    def restored(self, term: Term) -> Term:
        return _exchanged(term, self.large_of)


def _terms_of(action: Action) -> Iterable[Term]:
    if isinstance(action, Assume):
        return (action.condition,)
    return [value for _, value in action.values] if isinstance(action, Assign) else ()


def _exchanged(term: Term, numbers: dict[int, int]) -> Term:
    found = {
        one: bv.constant(numbers[one.value], one.width)
        for one in bv.in_order((term,))
        if one.is_constant and isinstance(one.sort, Bits) and one.width > 8 and one.value in numbers
    }
    return Substitution(found)(term) if found else term
