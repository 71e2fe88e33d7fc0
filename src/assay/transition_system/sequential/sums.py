"""Sums in one order, for solvers: addition of bit vectors is associative and commutative.

Circuits of two sums of the same numbers in different orders are equal, and finding that out is among the
hardest questions for a solver of bits. With their parts in one order they are the same term.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.transition_system.sequential.bitvectors import Term, arithmetic, constant, in_order, remade

MOST_PARTS = 512


class SortedSums:
    """Terms that mean the same, in which sums of three parts and more have them in the order in which they
    were seen first. Keeps what it has done, for the next term."""

    def __init__(self) -> None:
        self.done: dict[Term, Term] = {}
        self.parts: dict[Term, tuple[Term, ...]] = {}  # of sums that it has made, without a constant
        self.ranks: dict[Term, int] = {}

    def __call__(self, term: Term) -> Term:
        done = self.done
        for one in in_order((term,)):
            if one in done:
                continue
            operands = tuple(done[each] for each in one.operands)
            if one.operator == "bvadd":
                done[one] = self._sum(*operands)
            else:
                same = all(a is b for a, b in zip(operands, one.operands, strict=True))
                done[one] = one if same else remade(one, operands)
        return done[term]

    def _sum(self, left: Term, right: Term) -> Term:
        known, more = self._parts_of(left), self._parts_of(right)
        if right.is_constant or len(known) + len(more) > MOST_PARTS:
            return arithmetic("bvadd", left, right)
        for one in (*known, *more):
            self.ranks.setdefault(one, len(self.ranks))
        offset = constant(sum(_offset(one) for one in (left, right)), left.width)
        parts = tuple(sorted((*known, *more), key=self.ranks.__getitem__))
        is_appended = parts[: len(known)] == known and len(more) == 1 and self.parts.get(left) == known
        found = arithmetic("bvadd", left, more[0]) if is_appended else self._made(parts)
        self.parts[found] = parts
        return arithmetic("bvadd", found, offset)

    def _made(self, parts: Iterable[Term]) -> Term:
        first, *others = parts
        for one in others:
            first = arithmetic("bvadd", first, one)
        return first

    def _parts_of(self, term: Term) -> tuple[Term, ...]:
        if term.is_constant:
            return ()
        if term.operator == "bvadd" and term.operands[1].is_constant:
            return self._parts_of(term.operands[0])
        return self.parts.get(term, (term,))


def _offset(term: Term) -> int:
    """All that `_parts_of` leaves out."""
    if term.is_constant:
        return term.value
    is_moved = term.operator == "bvadd" and term.operands[1].is_constant
    return _offset(term.operands[0]) + term.operands[1].value if is_moved else 0
