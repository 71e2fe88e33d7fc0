"""Terms over integers as binary decision diagrams, bit by bit (Bryant 1986).

A number is a list of diagrams, the lowest bit first; the last one is its sign. It is as long as its values
need, so nothing wraps that the term does not truncate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.transition_system.terms import Apply, Number, Term, Truncate, Truth, Variable

Bits = list[Any]
MOST_BITS = 160
MOST_SHIFT = 64


class TooWide(Exception):
    """A number has more bits than diagrams are made for."""


class Blaster:
    """`manager` makes diagrams, `variables` has the bits of each variable."""

    def __init__(self, manager: Any, variables: Callable[[str], Bits]) -> None:
        self.yes, self.no = manager.true(), manager.false()
        self.variables = variables
        self.numbers: dict[Term, Bits] = {}
        self.truths: dict[Term, Any] = {}

    def truth(self, term: Term) -> Any:
        if term not in self.truths:
            self.truths[term] = self._truth(term)
        return self.truths[term]

    def number(self, term: Term) -> Bits:
        if term not in self.numbers:
            self.numbers[term] = self._short(self._number(term))
        return self.numbers[term]

    def _truth(self, term: Term) -> Any:
        match term:
            case Truth(value):
                return self.yes if value else self.no
            case Apply("not", (one,)):
                return ~self.truth(one)
            case Apply("and" | "or" as operator, operands):
                found = self.yes if operator == "and" else self.no
                for one in operands:
                    found = found & self.truth(one) if operator == "and" else found | self.truth(one)
                return found
            case Apply("if", (condition, then, otherwise)):
                return self.truth(condition).ite(self.truth(then), self.truth(otherwise))
            case Apply("==", (left, right)):
                return self.equal(self.number(left), self.number(right))
            case Apply("!=", (left, right)):
                return ~self.equal(self.number(left), self.number(right))
            case Apply("<" | ">=" as operator, (left, right)):
                less = self._less(self.number(left), self.number(right))
                return less if operator == "<" else ~less
            case Apply(">" | "<=" as operator, (left, right)):
                less = self._less(self.number(right), self.number(left))
                return less if operator == ">" else ~less
        return ~self.equal(self.number(term), self.constant(0))

    def _number(self, term: Term) -> Bits:
        match term:
            case Number(value):
                return self.constant(value)
            case Truth(value):
                return self.constant(int(value))
            case Variable(name, _):
                return self.variables(name)
            case Truncate(operand, bits, signed):
                low = self._wide(self.number(operand), bits)[:bits]
                return low if signed else [*low, self.no]
            case Apply("if", (condition, then, otherwise)):
                return self._chosen(self.truth(condition), self.number(then), self.number(otherwise))
            case Apply("neg", (one,)):
                return self._minus(self.number(one))
            case Apply("~", (one,)):
                return [~bit for bit in self.number(one)]
            case Apply("+" | "-" as operator, (left, right)):
                a, b = self.number(left), self.number(right)
                return self._sum(a, b if operator == "+" else self._minus(b))
            case Apply("*", (left, right)):
                return self._product(self.number(left), self.number(right))
            case Apply("&" | "|" | "^" as operator, (left, right)):
                a, b = self.number(left), self.number(right)
                width = max(len(a), len(b))
                pairs = zip(self._wide(a, width), self._wide(b, width), strict=True)
                joined: dict[str, Callable[[Any, Any], Any]] = {
                    "&": lambda x, y: x & y,
                    "|": lambda x, y: x | y,
                    "^": lambda x, y: x ^ y,
                }
                return [joined[operator](x, y) for x, y in pairs]
            case Apply("<<" | ">>" as operator, (left, right)):
                return self._shifted(operator, self.number(left), self.number(right))
            case Apply("quotient" | "remainder" | "floor" | "modulo" as operator, (left, right)):
                return self._divided(operator, self.number(left), self.number(right))
        truth = self.truth(term)
        return [truth, self.no]

    # --- bits ---

    def constant(self, value: int) -> Bits:
        width = value.bit_length() + 1
        if width > MOST_BITS:
            raise TooWide
        return [self.yes if value >> at & 1 else self.no for at in range(width)]

    @staticmethod
    def _short(bits: Bits) -> Bits:
        """Without repetitions of the sign."""
        end = len(bits)
        while end > 1 and bits[end - 1] == bits[end - 2]:
            end -= 1
        if end > MOST_BITS:
            raise TooWide
        return bits[:end]

    @staticmethod
    def _wide(bits: Bits, width: int) -> Bits:
        return [*bits, *([bits[-1]] * (width - len(bits)))]

    def equal(self, a: Bits, b: Bits) -> Any:
        width = max(len(a), len(b))
        found = self.yes
        for x, y in zip(self._wide(a, width), self._wide(b, width), strict=True):
            found &= x.equiv(y)
        return found

    def _less(self, a: Bits, b: Bits) -> Any:
        return self._sum(a, self._minus(b))[-1]

    def _sum(self, a: Bits, b: Bits) -> Bits:
        width = max(len(a), len(b)) + 1
        carry, found = self.no, []
        for x, y in zip(self._wide(a, width), self._wide(b, width), strict=True):
            found.append(x ^ y ^ carry)
            carry = (x & y) | (carry & (x ^ y))
        return self._short(found)

    def _minus(self, a: Bits) -> Bits:
        width = len(a) + 1
        carry, found = self.yes, []
        for x in self._wide(a, width):
            found.append(~x ^ carry)
            carry = ~x & carry
        return self._short(found)

    def _product(self, a: Bits, b: Bits) -> Bits:
        width = len(a) + len(b)
        if width > MOST_BITS:
            raise TooWide
        a, b = self._wide(a, width), self._wide(b, width)
        found = [self.no] * width
        for at in range(width):
            if b[at] == self.no:
                continue
            carry = self.no
            for to in range(at, width):
                x, y = found[to], a[to - at] & b[at]
                found[to] = x ^ y ^ carry
                carry = (x & y) | (carry & (x ^ y))
        return found

    def _chosen(self, condition: Any, a: Bits, b: Bits) -> Bits:
        width = max(len(a), len(b))
        pairs = zip(self._wide(a, width), self._wide(b, width), strict=True)
        return [condition.ite(x, y) for x, y in pairs]

    def _shifted(self, operator: str, a: Bits, by: Bits) -> Bits:
        """By a negative number: zero."""
        found = self.constant(0)
        longest = min(MOST_SHIFT, 1 << min(len(by) - 1, 7)) if len(by) > 1 else 1
        if (1 << (len(by) - 1)) - 1 > MOST_SHIFT and by[-1] != self.yes:
            far = self._less(self.constant(MOST_SHIFT - 1), by)
            if far.satisfiable() and operator == "<<":
                raise TooWide
        for amount in range(longest):
            here = self.equal(by, self.constant(amount))
            if not here.satisfiable():
                continue
            moved = [*([self.no] * amount), *a] if operator == "<<" else a[amount:] or [a[-1]]
            found = self._chosen(here, moved, found)
        if operator == ">>":
            far = self._less(self.constant(longest - 1), by)
            found = self._chosen(far, [a[-1]], found)
        return found

    def _divided(self, operator: str, a: Bits, b: Bits) -> Bits:
        """By zero: zero. Long division of what the numbers are without their signs."""
        below, above = a[-1], b[-1]
        dividend = self._chosen(below, self._minus(a), a)
        divisor = self._chosen(above, self._minus(b), b)
        rest: Bits = self.constant(0)
        digits: Bits = []
        for at in reversed(range(len(dividend))):
            rest = self._short([dividend[at], *rest])
            fits = ~self._less(rest, divisor)
            rest = self._short(self._chosen(fits, self._sum(rest, self._minus(divisor)), rest))
            digits.append(fits)
        whole = self._short([*reversed(digits), self.no])
        differ = below ^ above
        quotient = self._chosen(differ, self._minus(whole), whole)
        remainder = self._chosen(below, self._minus(rest), rest)
        if operator in ("floor", "modulo"):
            uneven = differ & ~self.equal(remainder, self.constant(0))
            quotient = self._chosen(uneven, self._sum(quotient, self.constant(-1)), quotient)
            remainder = self._chosen(uneven, self._sum(remainder, b), remainder)
        is_zero = self.equal(b, self.constant(0))
        found = quotient if operator in ("quotient", "floor") else remainder
        return self._chosen(is_zero, self.constant(0), found)


def value_of(bits: Sequence[bool]) -> int:
    found = sum(1 << at for at, bit in enumerate(bits[:-1]) if bit)
    return found - (1 << (len(bits) - 1)) if bits[-1] else found
