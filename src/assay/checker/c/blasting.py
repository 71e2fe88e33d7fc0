"""Clauses of a term: satisfiable exactly if the term holds somewhere (Tseitin 1968).

One gate at a time, and each operator as it is computed by hand: addition with carries, multiplication by
adding shifted rows, division as at school. Each element of an array that is read is a variable of its own,
and elements at equal positions are equal (Ackermann 1954). A literal is a number, its negation the negative
number; literal 1 is true. The same term gives the same clauses in the same order, everywhere: proofs name
them by position.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.checker.c import terms as tm
from assay.checker.c.terms import BOOL, Term

TRUE = 1
MOST_CLAUSES = 400_000
MOST_PAIRS = 20_000  # of elements of one array that may be the same
Bits = list[int]  # the lowest one first; of a truth value there is one


class TooLarge(Exception):
    """There are no clauses of this term within the limits, or none at all."""


def clauses_of(term: Term) -> list[tuple[int, ...]]:
    """Raises TooLarge."""
    assert term.sort == BOOL
    circuit = Circuit()
    without = Elements().removed(term)
    known: dict[int, Bits] = {}
    for one in tm.ordered((without,)):
        known[id(one)] = circuit.bits(one, [known[id(each)] for each in one.args])
    circuit.clauses.append((known[id(without)][0],))
    return circuit.clauses


# --- arrays ---


class Elements:
    """Puts variables in the place of elements that are read."""

    def __init__(self) -> None:
        self.read: dict[Term, dict[Term, Term]] = {}  # of each array: positions, and the variables there
        self.found: dict[tuple[int, int], Term] = {}

    def removed(self, term: Term) -> Term:
        known: dict[int, Term] = {}
        for one in tm.ordered((term,)):
            given = tuple(known[id(each)] for each in one.args)
            if one.op == "=" and isinstance(one.args[0].sort, tuple):
                raise TooLarge("it compares arrays as a whole")
            known[id(one)] = self._element(*given) if one.op == "select" else tm.remade(one, given)
        return tm.both((known[id(term)], *self._same()))

    def _element(self, array: Term, index: Term) -> Term:
        """Without recursion, however many stores there are: those further in come first."""
        stack = [array]
        while stack:
            top = stack[-1]
            if (id(top), id(index)) in self.found:
                stack.pop()
                continue
            inner = [one for one in top.args if isinstance(one.sort, tuple)]
            missing = [one for one in inner if (id(one), id(index)) not in self.found]
            if missing:
                stack += missing
                continue
            self.found[id(top), id(index)] = self._of(top, index)
        return self.found[id(array), id(index)]

    def _of(self, array: Term, index: Term) -> Term:
        if array.op == "store":
            inner, position, element = array.args
            return tm.choice(tm.equal(position, index), element, self.found[id(inner), id(index)])
        if array.op == "ite":
            condition, yes, no = array.args
            return tm.choice(condition, self.found[id(yes), id(index)], self.found[id(no), id(index)])
        if array.op == "fill":
            return array.args[0]
        assert array.op == "var"
        assert isinstance(array.sort, tuple)
        read = self.read.setdefault(array, {})
        if index not in read:
            read[index] = tm.var(f"{array.params[0]}[{len(read)}]", array.sort[1])
        return read[index]

    def _same(self) -> list[Term]:
        found = []
        for read in self.read.values():
            if len(read) * (len(read) - 1) // 2 > MOST_PAIRS:
                raise TooLarge("it reads too many elements of an array")
            elements = list(read.items())
            for number, (one, first) in enumerate(elements):
                for other, second in elements[:number]:
                    differ = tm.negate(tm.equal(one, other))
                    found.append(tm.either((differ, tm.equal(first, second))))
        return found


# --- gates ---


class Circuit:
    def __init__(self) -> None:
        self.clauses: list[tuple[int, ...]] = [(TRUE,)]
        self.count = TRUE
        self.gates: dict[tuple[str, int, int, int], int] = {}

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def _gate(self, kind: str, a: int, b: int, c: int = 0) -> tuple[int, bool]:
        """The output of this gate, and whether it is new."""
        known = self.gates.get((kind, a, b, c))
        if known is not None:
            return known, False
        if len(self.clauses) > MOST_CLAUSES:
            raise TooLarge(f"it has more than {MOST_CLAUSES} clauses")
        made = self.gates[kind, a, b, c] = self.fresh()
        return made, True

    def both(self, a: int, b: int) -> int:
        if a == -TRUE or b == -TRUE or a == -b:
            return -TRUE
        if a in (TRUE, b):
            return b
        if b == TRUE:
            return a
        gate, is_new = self._gate("and", min(a, b), max(a, b))
        if is_new:
            self.clauses += [(-gate, a), (-gate, b), (gate, -a, -b)]
        return gate

    def either(self, a: int, b: int) -> int:
        return -self.both(-a, -b)

    def differ(self, a: int, b: int) -> int:
        if abs(a) == TRUE:
            return -b if a == TRUE else b
        if abs(b) == TRUE:
            return -a if b == TRUE else a
        if abs(a) == abs(b):
            return -TRUE if a == b else TRUE
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = min(abs(a), abs(b)), max(abs(a), abs(b))
        gate, is_new = self._gate("xor", a, b)
        if is_new:
            self.clauses += [(-gate, a, b), (-gate, -a, -b), (gate, -a, b), (gate, a, -b)]
        return sign * gate

    def choice(self, condition: int, yes: int, no: int) -> int:
        if abs(condition) == TRUE:
            return yes if condition == TRUE else no
        if yes == no:
            return yes
        if abs(yes) in (TRUE, abs(condition)):
            return self.either(condition, no) if yes in (TRUE, condition) else self.both(-condition, no)
        if abs(no) in (TRUE, abs(condition)):
            return self.both(condition, yes) if no in (-TRUE, condition) else self.either(-condition, yes)
        gate, is_new = self._gate("ite", condition, yes, no)
        if is_new:
            c = condition
            self.clauses += [(-gate, -c, yes), (-gate, c, no), (gate, -c, -yes), (gate, c, -no)]
            self.clauses += [(-gate, yes, no), (gate, -yes, -no)]
        return gate

    def most(self, a: int, b: int, c: int) -> int:
        """Whether two of them hold: a carry."""
        for x, y, z in ((a, b, c), (b, a, c), (c, a, b)):
            if abs(x) == TRUE:
                return self.either(y, z) if x == TRUE else self.both(y, z)
            if abs(y) == abs(z):
                return y if y == z else x
        a, b, c = sorted((a, b, c))
        gate, is_new = self._gate("carry", a, b, c)
        if is_new:
            self.clauses += [(gate, -a, -b), (gate, -a, -c), (gate, -b, -c)]
            self.clauses += [(-gate, a, b), (-gate, a, c), (-gate, b, c)]
        return gate

    # --- numbers ---

    def sum(self, a: Bits, b: Bits, carry: int = -TRUE) -> tuple[Bits, int]:
        found = []
        for x, y in zip(a, b, strict=True):
            found.append(self.differ(self.differ(x, y), carry))
            carry = self.most(x, y, carry)
        return found, carry

    def negative(self, a: Bits) -> Bits:
        return self.sum([-x for x in a], [-TRUE] * len(a), TRUE)[0]

    def difference(self, a: Bits, b: Bits) -> tuple[Bits, int]:
        """And whether a is not less than b, as numbers without a sign."""
        return self.sum(a, [-x for x in b], TRUE)

    def product(self, a: Bits, b: Bits) -> Bits:
        width = len(a)
        found = [-TRUE] * width
        for place, bit in enumerate(b):
            row = [-TRUE] * place + [self.both(bit, x) for x in a[: width - place]]
            found = self.sum(found, row)[0]
        return found

    def divided(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        """Quotient and rest, digit by digit; by zero they are all ones, and a."""
        width = len(a)
        wide = [*b, -TRUE]
        rest = [-TRUE] * (width + 1)
        quotient = [-TRUE] * width
        for place in reversed(range(width)):
            rest = [a[place], *rest[:width]]
            less, fits = self.difference(rest, wide)
            quotient[place] = fits
            rest = [self.choice(fits, x, y) for x, y in zip(less, rest, strict=True)]
        return quotient, rest[:width]

    def divided_with_sign(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        quotient, rest = self.divided(self.absolute(a), self.absolute(b))
        return self.negative_if(self.differ(a[-1], b[-1]), quotient), self.negative_if(a[-1], rest)

    def absolute(self, a: Bits) -> Bits:
        return self.negative_if(a[-1], a)

    def negative_if(self, condition: int, a: Bits) -> Bits:
        return [self.choice(condition, x, y) for x, y in zip(self.negative(a), a, strict=True)]

    def shifted(self, a: Bits, by: Bits, fill: int, *, is_left: bool) -> Bits:
        width = len(a)
        found, too_far = (a[::-1] if is_left else list(a)), -TRUE
        for place, bit in enumerate(by):
            if 1 << place >= width:
                too_far = self.either(too_far, bit)
                continue
            moved = found[1 << place :] + [fill] * (1 << place)
            found = [self.choice(bit, x, y) for x, y in zip(moved, found, strict=True)]
        found = [self.choice(too_far, fill, x) for x in found]
        return found[::-1] if is_left else found

    def same(self, a: Bits, b: Bits) -> int:
        found = TRUE
        for x, y in zip(a, b, strict=True):
            found = self.both(found, -self.differ(x, y))
        return found

    def less(self, a: Bits, b: Bits) -> int:
        return -self.difference(a, b)[1]

    # --- operators ---

    def bits(self, term: Term, given: Sequence[Bits]) -> Bits:
        op = term.op
        if term.value is not None:
            return [TRUE if term.value >> at & 1 else -TRUE for at in range(max(1, term.width))]
        if op == "var":
            return [] if isinstance(term.sort, tuple) else [self.fresh() for _ in range(max(1, term.width))]
        if isinstance(term.sort, tuple):  # nobody reads it any more
            return []
        if op in ("and", "or"):
            found = TRUE if op == "and" else -TRUE
            for (one,) in given:
                found = self.both(found, one) if op == "and" else self.either(found, one)
            return [found]
        if op == "not":
            return [-given[0][0]]
        if op == "ite":
            return [self.choice(given[0][0], x, y) for x, y in zip(given[1], given[2], strict=True)]
        if op == "=":
            return [self.same(*given)]
        if op in tm.COMPARED:
            return [self._compared(op, *given)]
        if op in tm.BINARY:
            return self._binary(op, *given)
        return self._rewired(term, given)

    def _rewired(self, term: Term, given: Sequence[Bits]) -> Bits:
        op, a = term.op, given[0]
        if op == "bvnot":
            return [-x for x in a]
        if op == "bvneg":
            return self.negative(a)
        if op == "concat":
            return [*given[1], *a]
        if op == "extract":
            high, low = term.params
            return a[low : high + 1]
        assert op in ("zero_extend", "sign_extend"), op
        return [*a, *[a[-1] if op == "sign_extend" else -TRUE] * term.params[0]]

    def _compared(self, op: str, a: Bits, b: Bits) -> int:
        if op in ("bvslt", "bvsle"):  # with the sign turned round they are ordered like others
            a, b = [*a[:-1], -a[-1]], [*b[:-1], -b[-1]]
        return self.less(a, b) if op in ("bvult", "bvslt") else -self.less(b, a)

    def _binary(self, op: str, a: Bits, b: Bits) -> Bits:
        if op in ("bvand", "bvor", "bvxor"):
            gate = {"bvand": self.both, "bvor": self.either, "bvxor": self.differ}[op]
            return [gate(x, y) for x, y in zip(a, b, strict=True)]
        if op == "bvadd":
            return self.sum(a, b)[0]
        if op == "bvsub":
            return self.difference(a, b)[0]
        if op == "bvmul":
            return self.product(a, b)
        if op in ("bvudiv", "bvurem"):
            return self.divided(a, b)[op == "bvurem"]
        if op in ("bvsdiv", "bvsrem"):
            return self.divided_with_sign(a, b)[op == "bvsrem"]
        fill = a[-1] if op == "bvashr" else -TRUE
        return self.shifted(a, b, fill, is_left=op == "bvshl")
