"""Questions about quantified invariants as questions without quantifiers.

`without_quantifiers` gives a term that has a model if the given one has: so if it has none, the given one has
none either, and that is all that proofs ask. What holds for all values is replaced by what it says of
finitely many (Bradley, Manna and Sipma 2006: the indices that are read or written are often enough);
what does not hold for all values fails for one, which gets a name. Leaving an instance out can only make a
proof fail, never succeed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.transition_system.sequential.bitvectors import (
    Bits,
    Substitution,
    Term,
    all_of,
    any_of,
    arithmetic,
    constant,
    each,
    in_order,
    negated,
    substituted,
    variable,
    variables_of,
)

MOST_INSTANCES = 60  # of a quantifier
SHIFTS = (-1, 1)  # of neighbours, where a body speaks of them


def is_quantified(term: Term) -> bool:
    return any(one.operator == "forall" for one in in_order((term,)))


def is_removable(term: Term) -> bool:
    """Whether quantifiers in it are below `and`, `or` and `not` only."""
    waiting = [term]
    while waiting:
        one = waiting.pop()
        if one.operator in ("and", "or", "not"):
            waiting += one.operands
        elif one.operator != "forall" and is_quantified(one):
            return False
    return True


def instance(quantified: Term, value: Term) -> Term:
    """What it says of one value."""
    return substituted(quantified.operands[0], {each(quantified.parameters[0]): value})


def witnessed(quantified: Term, name: str) -> tuple[Term, Term]:
    """What it says of a value with a new name, and that value: if this holds, whatever the value is, then all
    of it does."""
    unknown = variable(name, Bits(quantified.parameters[0]))
    return instance(quantified, unknown), unknown


def without_quantifiers(term: Term) -> Term:
    """Has a model if the term has. Quantifiers are below `and`, `or` and `not` only."""
    quantified = [one for one in in_order((term,)) if one.operator == "forall"]
    if not quantified:
        return term
    removal = _Removal()
    skolemised = removal.done(term, holds=True)
    ground = [one for one in removal.ground if not is_quantified(one)]
    values = {
        width: index_values(ground, width) for width in {one.parameters[0] for one in removal.instantiated}
    }
    replaced = {
        one: all_of(instances(one, values[one.parameters[0]])) for one in dict.fromkeys(removal.instantiated)
    }
    return Substitution(replaced)(skolemised)


def instances(quantified: Term, values: Sequence[Term]) -> Iterator[Term]:
    for value in values:
        yield instance(quantified, value)


class _Removal:
    """Names a value for each quantifier that need not hold; those that hold are left for instances."""

    def __init__(self) -> None:
        self.instantiated: list[Term] = []
        self.ground: list[Term] = []
        self.names = 0

    def done(self, term: Term, *, holds: bool, name: str = "") -> Term:
        """`holds`: as it stands; else as its negation. Quantifiers of which one fails share the `name` of a
        value: it is the value for which that one fails."""
        if not is_quantified(term):
            found = term if holds else negated(term)
            self.ground.append(found)
            return found
        if term.operator == "not":
            return self.done(term.operands[0], holds=not holds, name=name)
        if term.operator in ("and", "or"):
            is_all = (term.operator == "and") == holds
            shared = "" if is_all else name or self._new()
            parts = [self.done(one, holds=holds, name=shared) for one in term.operands]
            return all_of(parts) if is_all else any_of(parts)
        assert term.operator == "forall", f"a quantifier is below {term.operator}"
        if holds:
            self.instantiated.append(term)
            return term
        body, _ = witnessed(term, f"{name or self._new()}.{term.parameters[0]}")
        self.ground.append(negated(body))
        return negated(body)

    def _new(self) -> str:
        self.names += 1
        return f"some!{self.names}"


def index_values(terms: Iterable[Term], width: int) -> list[Term]:
    """Terms of a width in the indices with which arrays are read and written, and in what is compared with
    named values; small ones first."""
    found: dict[Term, None] = {}
    for one in in_order(list(terms)):
        if one.operator not in ("select", "store"):
            continue
        for inside in in_order((one.operands[1],)):
            if (inside.sort == Bits(width) and not inside.is_constant) or (
                inside.is_constant and inside is one.operands[1] and inside.sort == Bits(width)
            ):
                found[inside] = None
    for one in variables_of(*terms):
        if one.name.startswith("some!") and one.sort == Bits(width):
            found[one] = None
    values = sorted(found, key=lambda one: (sum(1 for _ in in_order((one,))), str(one.parameters)))
    shifted = [
        arithmetic("bvadd", one, constant(shift, width))
        for one in values[: MOST_INSTANCES // 4]
        for shift in SHIFTS
    ]
    return list(dict.fromkeys([*values[:MOST_INSTANCES], *shifted]))[:MOST_INSTANCES]
