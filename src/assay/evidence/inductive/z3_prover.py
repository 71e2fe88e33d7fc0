"""Obligations for z3, over mathematical integers or over bit vectors.

Variables of so many bits are integers within their range, and a truncation is written out, so both
encodings mean the same; bit vectors are for programs that look at bits. Every state that z3 gives is
evaluated in plain Python before anybody hears of it: one that does not do what it is given for is our
error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.transition_system.interface import SourceProblem
from assay.transition_system.terms import (
    BITWISE,
    Apply,
    Number,
    Term,
    Truncate,
    Truth,
    Variable,
    bounds,
    evaluate,
    parts,
)

WIDTH = 64  # of bit vectors: twice an int, so that no operation on ints overflows before it is truncated
LONGEST_MESSAGE = 300
MISSING = "proofs need a solver; install assay-mc[solvers]"


class ProverProblem(Exception):
    """The prover answered what is not so."""


class TooWide(ProverProblem):
    """Vectors of so many bits have no room for a number."""


def load_z3() -> Any:
    try:
        import z3
    except ImportError:
        raise SourceProblem(MISSING) from None
    return z3


def needs_bits(terms: Iterable[Term]) -> bool:
    """Whether something looks at the bits of a number. (Masks with 2^n - 1 are remainders.)"""
    return any(
        isinstance(part, Apply) and part.operator in BITWISE and not _is_mask(part)
        for term in terms
        for part in parts(term)
    )


def _is_mask(term: Apply) -> bool:
    if term.operator == "&":
        return any(map(_is_all_ones, term.operands))
    return (
        term.operator in {"<<", ">>"}
        and isinstance(term.operands[1], Number)
        and 0 <= term.operands[1].value < WIDTH
    )


def _is_all_ones(term: Term) -> bool:
    return isinstance(term, Number) and term.value >= 0 and term.value & (term.value + 1) == 0


class Encoding:
    """Terms over integers as expressions of z3; variables by name."""

    def __init__(self, variables: Sequence[Variable], *, context: Any = None) -> None:
        self.z3 = load_z3()
        self.context = context
        self.variables = {one.name: one for one in variables}
        self.constants = {one.name: self.constant(one) for one in variables}
        self._known: dict[Term, Any] = {}

    def constant(self, variable: Variable) -> Any:
        return self.z3.Int(variable.name, self.context)

    def ranges(self, names: Iterable[str] | None = None) -> list[Any]:
        """What is true of variables because of their widths."""
        found = []
        for name in self.variables if names is None else names:
            kind = self.variables[name].type
            if kind.low is not None and kind.high is not None:
                found += self.range_of(self.constants[name], kind.low, kind.high)
        return found

    def range_of(self, constant: Any, low: int, high: int) -> list[Any]:
        return [constant >= low, constant <= high]

    def __call__(self, term: Term) -> Any:
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self.encode(term)
        return found

    def number(self, value: int) -> Any:
        return self.z3.IntVal(value, self.context)

    def encode(self, term: Term) -> Any:
        z3 = self.z3
        match term:
            case Number(value):
                return self.number(value)
            case Truth(value):
                return z3.BoolVal(value, self.context)
            case Variable(name, _):
                return self.constants[name]
            case Truncate(operand, bits, signed):
                return self.truncated(operand, bits, signed)
            case Apply("and", operands):
                return z3.And(*map(self, operands))
            case Apply("or", operands):
                return z3.Or(*map(self, operands))
            case Apply("not", (operand,)):
                return z3.Not(self(operand))
            case Apply("if", (condition, then, otherwise)):
                return z3.If(self(condition), self(then), self(otherwise))
            case Apply("==", (left, right)):
                return self(left) == self(right)
            case Apply("!=", (left, right)):
                return self(left) != self(right)
            case Apply(operator, operands):
                return self.operation(operator, operands)
        raise TypeError(f"no term: {term!r}")

    def operation(self, operator: str, operands: tuple[Term, ...]) -> Any:
        z3 = self.z3
        found = [self(operand) for operand in operands]
        a, b = found[0], found[-1]
        match operator:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "neg":
                return -a
            case "~":
                return -a - 1
            case "<":
                return a < b
            case "<=":
                return a <= b
            case ">":
                return a > b
            case ">=":
                return a >= b
            case "quotient" | "remainder":
                whole = self._towards_zero(a, b)
                return whole if operator == "quotient" else z3.If(b == 0, self.number(0), a - b * whole)
            case "floor" | "modulo":
                # z3 rounds so that the remainder is not negative.
                down = z3.If(z3.Or(b > 0, a % b == 0), a / b, a / b - 1)
                whole = z3.If(b == 0, self.number(0), down)
                return whole if operator == "floor" else z3.If(b == 0, self.number(0), a - b * whole)
            case "&":
                mask, other = (0, 1) if _is_all_ones(operands[0]) else (1, 0)
                given = operands[mask]
                assert isinstance(given, Number)
                return found[other] % (given.value + 1)
            case "<<" | ">>":
                given = operands[1]
                assert isinstance(given, Number)
                return a * (1 << given.value) if operator == "<<" else a / (1 << given.value)
        raise TypeError(f"no operator over integers: {operator!r}")

    def _towards_zero(self, a: Any, b: Any) -> Any:
        z3 = self.z3
        positive = z3.If(b > 0, a / b, -(a / -b))
        negative = z3.If(b > 0, -((-a) / b), (-a) / (-b))
        return z3.If(b == 0, self.number(0), z3.If(a >= 0, positive, negative))

    def truncated(self, operand: Term, bits: int, signed: bool) -> Any:
        z3 = self.z3
        value, size = self(operand), 1 << bits
        low = -(size >> 1) if signed else 0
        high = low + size - 1
        lowest, highest = bounds(operand)
        inside = z3.And(value >= low, value <= high)
        if lowest is not None and highest is not None and lowest >= low - size and highest <= high + size:
            # One addition or subtraction: at most once round.
            return z3.If(value > high, value - size, z3.If(value < low, value + size, value))
        return z3.If(inside, value, (value - low) % size + low)

    def value_of(self, model: Any, name: str) -> int:
        found = model.eval(self.constants[name], model_completion=True)
        return int(found.as_long())


class BitEncoding(Encoding):
    """The same over bit vectors of one width, which are wide enough for every operation of an int."""

    def constant(self, variable: Variable) -> Any:
        return self.z3.BitVec(variable.name, WIDTH, self.context)

    def number(self, value: int) -> Any:
        return self.z3.BitVecVal(value, WIDTH, self.context)

    def operation(self, operator: str, operands: tuple[Term, ...]) -> Any:
        z3 = self.z3
        found = [self(operand) for operand in operands]
        a, b = found[0], found[-1]
        zero = self.number(0)
        match operator:
            case "&":
                return a & b
            case "|":
                return a | b
            case "^":
                return a ^ b
            case "~":
                return ~a
            case "<<":
                return z3.If(b < 0, zero, a << b)
            case ">>":
                return z3.If(b < 0, zero, a >> b)
            case "quotient":
                return z3.If(b == 0, zero, a / b)
            case "remainder":
                return z3.If(b == 0, zero, z3.SRem(a, b))
            case "floor":
                whole = z3.If(z3.Or(z3.SRem(a, b) == 0, (a < 0) == (b < 0)), a / b, a / b - 1)
                return z3.If(b == 0, zero, whole)
            case "modulo":
                return z3.If(b == 0, zero, a % b)  # the sign of the divisor
        return super().operation(operator, operands)

    def truncated(self, operand: Term, bits: int, signed: bool) -> Any:
        z3 = self.z3
        value = self(operand)
        if bits >= WIDTH:
            return value
        low = z3.Extract(bits - 1, 0, value)
        return z3.SignExt(WIDTH - bits, low) if signed else z3.ZeroExt(WIDTH - bits, low)

    def encode(self, term: Term) -> Any:
        low, high = bounds(term)  # of a number that somebody wrote, too
        if low is None or high is None or not -(1 << WIDTH - 1) <= low <= high < 1 << WIDTH - 1:
            raise TooWide(f"a number may need more than {WIDTH} bits: {term}"[:LONGEST_MESSAGE])
        return super().encode(term)

    def value_of(self, model: Any, name: str) -> int:
        found = model.eval(self.constants[name], model_completion=True)
        return int(found.as_signed_long())


def encoding_for(variables: Sequence[Variable], terms: Iterable[Term], *, context: Any = None) -> Encoding:
    """Bit vectors where bits are looked at. Raises `SourceProblem` for numbers without end that are."""
    if not needs_bits(terms):
        return Encoding(variables, context=context)
    if any(one.type.bits is None or one.type.bits > 32 for one in variables):
        raise SourceProblem("bits of numbers without end cannot be looked at in a proof")
    return BitEncoding(variables, context=context)


class Z3Prover:
    """Answers obligations one after another."""

    def __init__(
        self, variables: Sequence[Variable], terms: Iterable[Term], *, seconds: float = 10.0
    ) -> None:
        self.variables = variables
        self.encoding = encoding_for(variables, terms)
        self.z3 = self.encoding.z3
        self.seconds = seconds
        self.questions = 0

    def solver(self, given: Iterable[Term]) -> Any:
        """With the ranges of all variables and the given terms."""
        solver = self.z3.Solver()
        solver.set("timeout", max(1, int(self.seconds * 1000)))
        solver.add(*self.encoding.ranges())
        solver.add(*map(self.encoding, given))
        return solver

    def ask(self, solver: Any, given: Sequence[Term], then: Term) -> Mapping[str, int] | bool | None:
        """Values that satisfy what is given and not `then`; True: there are none; None: nobody knows."""
        self.questions += 1
        solver.push()
        try:
            solver.add(*map(self.encoding, given), self.z3.Not(self.encoding(then)))
            answer = solver.check()
            if answer == self.z3.unsat:
                return True
            if answer != self.z3.sat:
                return None
            model = solver.model()
            values = {one.name: self.encoding.value_of(model, one.name) for one in self.variables}
        finally:
            solver.pop()
        if not all(evaluate(one, values) for one in given) or evaluate(then, values):
            raise ProverProblem(f"z3 gave values that are no answer: {values}")
        return values
