"""Questions without quantifiers: `forall` that is assumed says what it says of some values, one that has to
be shown fails for a value that gets a name. Whatever is left out is only assumed less.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.checker.c import terms as tm
from assay.checker.c.problems import NoProof
from assay.checker.c.terms import Term

MOST_VALUES = 60


def require_sound(held: Iterable[Term]) -> None:
    """Quantifiers stand below `and`, `or` and `not` only, and bound variables below their quantifiers."""
    waiting = list(held)
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.op == "forall":
            others = [each for each in tm.ordered(one.args) if tm.is_bound(each)]
            if any(each.sort != one.params[0] for each in others):
                raise NoProof("a bound variable of the proof is not below its quantifier")
        elif one.op in ("and", "or", "not"):
            waiting += one.args
        elif any(each.op == "forall" or tm.is_bound(each) for each in tm.ordered((one,))):
            raise NoProof("a quantifier or a bound variable of the proof stands where none may")


def has_quantifier(term: Term) -> bool:
    return any(one.op == "forall" for one in tm.ordered((term,)))


def grounded(term: Term) -> Term:
    """Has a model wherever the term has one."""
    if not has_quantifier(term):
        return term
    removal = Removal()
    without = removal.removed(term, holds=True)
    values: dict[int, list[Term]] = {}
    found: dict[Term, Term] = {}
    for one in removal.assumed:
        width = one.params[0]
        if width not in values:
            values[width] = list(candidates([without], width))[:MOST_VALUES]
        found[removal.places[id(one)]] = tm.both(_said(one, value) for value in values[width])
    return tm.Replacing(found)(without)


def _said(quantified: Term, value: Term) -> Term:
    return tm.Replacing({tm.bound(quantified.params[0]): value})(quantified.args[0])


class Removal:
    """Puts a truth value with a name in the place of each quantifier that is assumed."""

    def __init__(self) -> None:
        self.assumed: list[Term] = []
        self.places: dict[int, Term] = {}
        self.names = 0

    def removed(self, term: Term, *, holds: bool) -> Term:
        if not has_quantifier(term):
            return term if holds else tm.negate(term)
        if term.op == "not":
            return self.removed(term.args[0], holds=not holds)
        if term.op in ("and", "or"):
            parts = [self.removed(one, holds=holds) for one in term.args]
            return tm.both(parts) if (term.op == "and") == holds else tm.either(parts)
        if not holds:
            self.names += 1
            return tm.negate(_said(term, tm.var(f"some!{self.names}", term.params[0])))
        if id(term) not in self.places:
            self.assumed.append(term)
            self.places[id(term)] = tm.var(f"all!{len(self.assumed)}", tm.BOOL)
        return self.places[id(term)]


def candidates(terms: Iterable[Term], width: int) -> Iterable[Term]:
    """Values of that width with which arrays are read and written, named ones, and their neighbours."""
    found: dict[Term, None] = {}
    for one in tm.ordered(terms):
        if one.op in ("select", "store"):
            inner = tm.ordered((one.args[1],))
            found |= dict.fromkeys(each for each in inner if each.sort == width and each.value is None)
            if one.args[1].sort == width:
                found[one.args[1]] = None
        elif one.op == "var" and one.sort == width and one.params[0].startswith("some!"):
            found[one] = None
    near = [tm.binary("bvadd", one, tm.const(shift, width)) for one in list(found)[:15] for shift in (-1, 1)]
    return dict.fromkeys([*found, *near])
