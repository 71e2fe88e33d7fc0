"""Negation normal form, and rules that make formulas smaller without changing their meaning.

The rules are those of Somenzi and Bloem (CAV 2000) and Etessami and Holzmann (CONCUR 2000): constants,
implications that show in the syntax, and formulas whose truth does not depend on a finite beginning. A
formula is *eventual* if it stays true when letters are put in front, *universal* if it stays true when
letters are taken from the front: `F F p = F p`, `p U GF q = GF q`.

In normal form `!` stands before atoms alone, and `->`, `<->` and `W` are gone.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.automata.formula import (
    FALSE,
    TRUE,
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Release,
    Truth,
    Until,
    WeakUntil,
    conjunction,
    disjunction,
    parts,
    size,
)
from assay.transition_system.interface import SourceProblem

MOST_PARTS = 4_000  # of a formula in normal form: each `<->` doubles what is within it
MOST_PARTS_COMPARED = 300  # above that, implications between parts are not looked for


def normal_form(formula: Formula, *, negated: bool = False) -> Formula:
    """The formula, or its negation, with negations before atoms alone."""
    if max(_parts_in_normal_form(formula)) > MOST_PARTS:
        raise SourceProblem(
            f"the formula has more than {MOST_PARTS:,} parts when every `<->` in it is written out",
            where="formula",
            hint="check it as several formulas",
        )
    return _normal(formula, negated)


def simplified(formula: Formula, *, negated: bool = False) -> Formula:
    """A formula in normal form with the same meaning, or with that of the negation; mostly a smaller one."""
    normal = normal_form(formula, negated=negated)
    simplifier = _Simplifier(compares=size(normal) <= MOST_PARTS_COMPARED)
    while True:
        smaller = simplifier.rebuilt(normal)
        if smaller == normal:
            return normal
        normal = smaller


def _parts_in_normal_form(formula: Formula) -> tuple[int, int]:
    """The sizes of the normal forms of a formula and of its negation."""
    inner = [_parts_in_normal_form(part) for part in parts(formula)]
    match formula:
        case Not():
            return inner[0][1], inner[0][0]
        case Implies():
            (left, not_left), (right, not_right) = inner
            return not_left + right + 1, left + not_right + 1
        case Iff():
            both = sum(map(sum, inner)) + 3
            return both, both
        case WeakUntil():
            (left, not_left), (right, not_right) = inner
            return left + 2 * right + 2, not_left + 2 * not_right + 2
    return 1 + len(inner) + sum(plain for plain, _ in inner), 2 + len(inner) + sum(
        other for _, other in inner
    )


def _normal(formula: Formula, negated: bool) -> Formula:
    match formula:
        case Truth():
            return Truth(formula.value != negated)
        case Atom():
            return Not(formula) if negated else formula
        case Not():
            return _normal(formula.operand, not negated)
        case And() | Or():
            join = conjunction if isinstance(formula, And) != negated else disjunction
            return join(_normal(part, negated) for part in formula.operands)
        case Implies():
            join = conjunction if negated else disjunction
            return join((_normal(formula.left, not negated), _normal(formula.right, negated)))
        case Iff():
            left, not_left = _normal(formula.left, False), _normal(formula.left, True)
            right, not_right = _normal(formula.right, negated), _normal(formula.right, not negated)
            return disjunction((conjunction((left, right)), conjunction((not_left, not_right))))
        case Next():
            return Next(_normal(formula.operand, negated))
        case Always() | Eventually():
            kind = Always if isinstance(formula, Always) != negated else Eventually
            return kind(_normal(formula.operand, negated))
        case Until() | Release():
            dual = Until if isinstance(formula, Until) != negated else Release
            return dual(_normal(formula.left, negated), _normal(formula.right, negated))
        case WeakUntil():
            left, right = _normal(formula.left, negated), _normal(formula.right, negated)
            if negated:  # !(p W q) = !q U (!p && !q)
                return Until(right, conjunction((left, right)))
            return Release(right, disjunction((left, right)))
    raise AssertionError(formula)


def is_eventual(formula: Formula) -> bool:
    """Does it stay true when letters are put in front of a word? For formulas in normal form."""
    match formula:
        case Truth() | Eventually():
            return True
        case Next() | Always():
            return is_eventual(formula.operand)
        case And() | Or():
            return all(map(is_eventual, formula.operands))
        case Until():
            return is_eventual(formula.right)
        case Release():
            return is_eventual(formula.left) and is_eventual(formula.right)
    return False


def is_universal(formula: Formula) -> bool:
    """Does it stay true when letters are taken from the front of a word?"""
    match formula:
        case Truth() | Always():
            return True
        case Next() | Eventually():
            return is_universal(formula.operand)
        case And() | Or():
            return all(map(is_universal, formula.operands))
        case Until():
            return is_universal(formula.left) and is_universal(formula.right)
        case Release():
            return is_universal(formula.right)
    return False


def is_timeless(formula: Formula) -> bool:
    """Is it true of a word exactly when it is true of every suffix of the word?"""
    return is_eventual(formula) and is_universal(formula)


class _Simplifier:
    """Each method takes parts that are simplified already and returns what stands for the whole."""

    def __init__(self, *, compares: bool) -> None:
        self._compares = compares
        self._known: dict[tuple[Formula, Formula], bool] = {}
        self._negations: dict[Formula, Formula] = {}

    def rebuilt(self, formula: Formula) -> Formula:
        match formula:
            case And():
                return self.both(self.rebuilt(part) for part in formula.operands)
            case Or():
                return self.either(self.rebuilt(part) for part in formula.operands)
            case Next():
                return self.next(self.rebuilt(formula.operand))
            case Always():
                return self.always(self.rebuilt(formula.operand))
            case Eventually():
                return self.eventually(self.rebuilt(formula.operand))
            case Until():
                return self.until(self.rebuilt(formula.left), self.rebuilt(formula.right))
            case Release():
                return self.release(self.rebuilt(formula.left), self.rebuilt(formula.right))
        return formula

    def negation(self, formula: Formula) -> Formula:
        if formula not in self._negations:
            self._negations[formula] = _normal(formula, negated=True)
        return self._negations[formula]

    def next(self, operand: Formula) -> Formula:
        return operand if is_timeless(operand) else Next(operand)

    def eventually(self, operand: Formula) -> Formula:
        if is_eventual(operand):
            return operand
        match operand:
            case Next():
                return self.next(self.eventually(operand.operand))
            case Until():
                return self.eventually(operand.right)
            case Always(Or(inner)) if any(map(is_universal, inner)):
                # FG (p || u): if u comes, it stays
                lasting = [self.eventually(part) for part in inner if is_universal(part)]
                others = [part for part in inner if not is_universal(part)]
                return self.either([*lasting, self.eventually(self.always(self.either(others)))])
            case Or():
                lasting = [part for part in operand.operands if is_eventual(part)]
                if lasting:
                    others = [part for part in operand.operands if not is_eventual(part)]
                    return self.either([*lasting, self.eventually(self.either(others))])
            case And():
                timeless = [part for part in operand.operands if is_timeless(part)]
                if timeless:
                    others = [part for part in operand.operands if not is_timeless(part)]
                    return self.both([*timeless, self.eventually(self.both(others))])
        return Eventually(operand)

    def always(self, operand: Formula) -> Formula:
        if is_universal(operand):
            return operand
        match operand:
            case Next():
                return self.next(self.always(operand.operand))
            case Release():
                return self.always(operand.right)
            case Eventually(And(inner)) if any(map(is_eventual, inner)):
                # GF (p && e): e comes again and again anyway
                lasting = [self.always(part) for part in inner if is_eventual(part)]
                others = [part for part in inner if not is_eventual(part)]
                return self.both([*lasting, self.always(self.eventually(self.both(others)))])
            case And():
                lasting = [part for part in operand.operands if is_universal(part)]
                if lasting:
                    others = [part for part in operand.operands if not is_universal(part)]
                    return self.both([*lasting, self.always(self.both(others))])
            case Or():
                timeless = [part for part in operand.operands if is_timeless(part)]
                if timeless:
                    others = [part for part in operand.operands if not is_timeless(part)]
                    return self.either([*timeless, self.always(self.either(others))])
        return Always(operand)

    def until(self, left: Formula, right: Formula) -> Formula:
        if isinstance(right, Truth) or left == FALSE or is_eventual(right) or self.implies(left, right):
            return right
        if left == TRUE or self.implies(self.negation(right), left):
            return self.eventually(right)
        if isinstance(left, Next) and isinstance(right, Next):
            return self.next(self.until(left.operand, right.operand))
        if isinstance(right, Until) and self.implies(left, right.left):
            return right  # p U (p U q)
        if isinstance(left, Until) and left.right == right:
            return self.until(left.left, right)  # (p U q) U q
        return Until(left, right)

    def release(self, left: Formula, right: Formula) -> Formula:
        if isinstance(right, Truth) or left == TRUE or is_universal(right) or self.implies(right, left):
            return right
        if left == FALSE or self.implies(left, self.negation(right)):
            return self.always(right)
        if isinstance(left, Next) and isinstance(right, Next):
            return self.next(self.release(left.operand, right.operand))
        if isinstance(right, Release) and self.implies(right.left, left):
            return right
        if isinstance(left, Release) and left.right == right:
            return self.release(left.left, right)
        return Release(left, right)

    def both(self, operands: Iterable[Formula]) -> Formula:
        """A conjunction."""
        return self._joined(operands, And)

    def either(self, operands: Iterable[Formula]) -> Formula:
        """A disjunction."""
        return self._joined(operands, Or)

    def _joined(self, operands: Iterable[Formula], kind: type[And | Or]) -> Formula:
        """Laws of a conjunction, and of a disjunction where everything is turned round."""
        join = self.both if kind is And else self.either
        nothing, everything = (TRUE, FALSE) if kind is And else (FALSE, TRUE)
        given = conjunction(operands) if kind is And else disjunction(operands)
        flat = list(dict.fromkeys(given.operands if isinstance(given, kind) else (given,)))
        flat = [part for part in flat if part != nothing]
        if everything in flat or any(self.negation(part) in flat for part in flat):
            return everything
        # G p && G q = G (p && q), X p && X q = X (p && q), p U r && q U r = (p && q) U r; and the duals.
        spreads: type[Formula] = Always if kind is And else Eventually
        shares_right: type[Formula] = Until if kind is And else Release
        shares_left: type[Formula] = Release if kind is And else Until
        groups: dict[object, list[Formula]] = {}
        for place, part in enumerate(flat):
            key: object = place
            if isinstance(part, spreads | Next):
                key = type(part)
            elif isinstance(part, Until | Release):
                if isinstance(part, shares_right):
                    key = (shares_right, part.right)
                elif isinstance(part, shares_left):
                    key = (shares_left, part.left)
            elif _always_eventually(part, kind):
                key = "GF"
            groups.setdefault(key, []).append(part)
        joined: list[Formula] = []
        for key, members in groups.items():
            if len(members) == 1:
                joined.append(members[0])
            elif key is Next:
                joined.append(self.next(join(part.operand for part in members if isinstance(part, Next))))
            elif key is Always:
                joined.append(self.always(join(parts(part)[0] for part in members)))
            elif key is Eventually:
                joined.append(self.eventually(join(parts(part)[0] for part in members)))
            elif key == "GF":
                inner = join(parts(parts(part)[0])[0] for part in members)
                joined.append(
                    self.eventually(self.always(inner))
                    if kind is And
                    else self.always(self.eventually(inner))
                )
            else:
                make = self.until if isinstance(members[0], Until) else self.release
                lefts = [parts(part)[0] for part in members]
                rights = [parts(part)[1] for part in members]
                if isinstance(members[0], shares_right):
                    joined.append(make(join(lefts), rights[0]))
                else:
                    joined.append(make(lefts[0], join(rights)))
        return self._without_implied(joined, kind)

    def _without_implied(self, operands: list[Formula], kind: type[And | Or]) -> Formula:
        flat = list(
            dict.fromkeys(
                inner for part in operands for inner in (part.operands if isinstance(part, kind) else (part,))
            )
        )
        kept = list(flat)
        for part in flat:
            others = [other for other in kept if other != part]
            if any(
                self.implies(other, part) if kind is And else self.implies(part, other) for other in others
            ):
                kept = others
        for part in kept:
            opposite = self.negation(part)
            if any(
                self.implies(other, opposite) if kind is And else self.implies(opposite, other)
                for other in kept
                if other != part
            ):
                return FALSE if kind is And else TRUE
        return conjunction(kept) if kind is And else disjunction(kept)

    def implies(self, left: Formula, right: Formula) -> bool:
        """Does it show in the syntax that `left` is never true without `right`? No is no answer."""
        if left in (right, FALSE) or right == TRUE:
            return True
        if not self._compares or left == TRUE or right == FALSE:
            return False
        key = (left, right)
        if key not in self._known:
            self._known[key] = self._implies(left, right)
        return self._known[key]

    def _implies(self, left: Formula, right: Formula) -> bool:
        implies = self.implies
        match right:
            case And():
                return all(implies(left, part) for part in right.operands)
        match left:
            case Or():
                return all(implies(part, right) for part in left.operands)
        match right:
            case Or():
                if any(implies(left, part) for part in right.operands):
                    return True
            case Eventually():
                if implies(left, right.operand):
                    return True
                if isinstance(left, Eventually) and implies(left.operand, right):
                    return True
                if isinstance(left, Until) and implies(left.right, right):
                    return True
            case Until():
                if implies(left, right.right):
                    return True
                if (
                    isinstance(left, Until)
                    and implies(left.right, right)
                    and (implies(left.left, right.left) or implies(left.left, right))
                ):
                    return True
            case Always():
                if is_universal(left) and implies(left, right.operand):
                    return True
            case Release():
                if implies(left, right.right) and (implies(left, right.left) or is_universal(left)):
                    return True
                if (
                    isinstance(left, Release)
                    and implies(left.left, right.left)
                    and implies(left.right, right.right)
                ):
                    return True
            case Next():
                if isinstance(left, Next) and implies(left.operand, right.operand):
                    return True
                if is_universal(left) and implies(left, right.operand):
                    return True
        match left:
            case And():
                return any(implies(part, right) for part in left.operands)
            case Always():
                return implies(left.operand, right)
            case Release():
                return implies(left.right, right)
            case Until():
                return implies(left.left, right) and implies(left.right, right)
            case Next():
                return is_eventual(right) and implies(left.operand, right)
            case Eventually():
                return is_eventual(right) and implies(left.operand, right)
        return False


def _always_eventually(formula: Formula, kind: type[And | Or]) -> bool:
    """`F G p` in a conjunction, `G F p` in a disjunction: they join like `G p` and `F p`."""
    if kind is And:
        return isinstance(formula, Eventually) and isinstance(formula.operand, Always)
    return isinstance(formula, Always) and isinstance(formula.operand, Eventually)
