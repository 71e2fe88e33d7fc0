"""Expressions over integer variables: what guards, assignments and predicates are made of.

A term is a number, a truth value, a variable, or an operator applied to terms. Numbers are
mathematical integers: what a language truncates stands there as `Truncate`, so that a term means the
same to an evaluator, to a compiler and to a prover. `apply` and `truncated` leave out what cannot
change the value: constants are computed, and a truncation that the ranges of the variables
rule out is dropped.

    quotient, remainder   towards zero, as C divides
    floor, modulo         downwards, as Python divides
    & | ^ ~ << >>         of the two's complement without end

Dividing by zero and shifting by a negative number have the value zero: whoever uses them guards them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from assay.records import dataclass

MOST_DEPTH = 400  # of a term that is read
MOST_NODES = 20_000
MOST_BITS_OF_A_NUMBER = 256  # of a number that is read


@dataclass(frozen=True, slots=True)
class Integer:
    """The values of a variable: `bits` bits, or all integers if that is None."""

    bits: int | None = None
    signed: bool = True

    @property
    def low(self) -> int | None:
        return None if self.bits is None else -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int | None:
        return None if self.bits is None else (1 << (self.bits - self.signed)) - 1

    def __str__(self) -> str:
        return "integer" if self.bits is None else f"{'int' if self.signed else 'unsigned'}{self.bits}"


UNBOUNDED = Integer()


@dataclass(frozen=True, slots=True)
class Number:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    type: Integer = UNBOUNDED

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Truncate:
    """The number of `bits` bits that is congruent to the operand."""

    operand: Term
    bits: int
    signed: bool

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'unsigned'}{self.bits}({self.operand})"


@dataclass(frozen=True, slots=True)
class Apply:
    operator: str
    operands: tuple[Term, ...]

    def __str__(self) -> str:
        return shown(self)


Term = Number | Truth | Variable | Truncate | Apply

TRUE, FALSE = Truth(True), Truth(False)
ZERO, ONE = Number(0), Number(1)


def quotient(left: int, right: int) -> int:
    if right == 0:
        return 0
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def remainder(left: int, right: int) -> int:
    return left - right * quotient(left, right) if right else 0


def floor(left: int, right: int) -> int:
    return left // right if right else 0


def modulo(left: int, right: int) -> int:
    return left % right if right else 0


def shifted_left(left: int, right: int) -> int:
    return left << min(right, 4096) if right >= 0 else 0


def shifted_right(left: int, right: int) -> int:
    return left >> min(right, 4096) if right >= 0 else 0


def truncate(value: int, bits: int, signed: bool) -> int:
    low = value & ((1 << bits) - 1)
    return low - (1 << bits) if signed and low >> (bits - 1) else low


ARITHMETIC: Mapping[str, Callable[..., int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "neg": lambda a: -a,
    "quotient": quotient,
    "remainder": remainder,
    "floor": floor,
    "modulo": modulo,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "~": lambda a: ~a,
    "<<": shifted_left,
    ">>": shifted_right,
}
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
BITWISE = frozenset("&|^~") | {"<<", ">>"}
DIVISIONS = frozenset({"quotient", "remainder", "floor", "modulo"})
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
ARITY = {"neg": 1, "~": 1, "not": 1, "if": 3}


def is_truth(term: Term) -> bool:
    """Whether its values are true and false; else they are numbers."""
    match term:
        case Truth():
            return True
        case Apply("if", (_, then, _)):
            return is_truth(then)
        case Apply(operator, _):
            return operator in COMPARISONS or operator in {"and", "or", "not"}
    return False


# --- making terms ---


def apply(operator: str, *operands: Term) -> Term:
    """The operator applied, with what is constant computed."""
    if operator in {"and", "or"}:
        return _joined(operator, operands)
    if operator == "not":
        return negated(operands[0])
    if operator == "if":
        return choice(*operands)
    values = [operand.value for operand in operands if isinstance(operand, Number)]
    if len(values) == len(operands):
        if operator in COMPARISONS:
            return Truth(COMPARISONS[operator](*values))
        return Number(ARITHMETIC[operator](*values))
    if operator in COMPARISONS:
        return _compared(operator, *operands)
    if operator in {"+", "-", "|", "^", "<<", ">>"} and operands[1] == ZERO:
        return operands[0]
    if operator == "+" and operands[0] == ZERO:
        return operands[1]
    if operator == "*" and ONE in operands:
        return operands[1] if operands[0] == ONE else operands[0]
    if operator == "*" and ZERO in operands:
        return ZERO
    return Apply(operator, operands)


def _compared(operator: str, left: Term, right: Term) -> Term:
    if left == right:
        return Truth(operator in {"==", "<=", ">="})
    for one, other, flipped in ((left, right, operator), (right, left, FLIPPED[operator])):
        # `(c ? 1 : 0) != 0` and its like
        if isinstance(other, Number) and isinstance(one, Apply) and one.operator == "if":
            condition, then, otherwise = one.operands
            if isinstance(then, Number) and isinstance(otherwise, Number):
                compare = COMPARISONS[flipped]
                return choice(
                    condition,
                    Truth(compare(then.value, other.value)),
                    Truth(compare(otherwise.value, other.value)),
                )
    (low, high), (lowest, highest) = bounds(left), bounds(right)
    if low is not None and high is not None and lowest is not None and highest is not None:
        if high < lowest:
            return Truth(operator in {"<", "<=", "!="})
        if low > highest:
            return Truth(operator in {">", ">=", "!="})
    return Apply(operator, (left, right))


FLIPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _joined(operator: str, operands: Iterable[Term]) -> Term:
    absorbing = Truth(operator == "or")
    kept: dict[Term, None] = {}
    for operand in operands:
        if operand == absorbing:
            return absorbing
        if isinstance(operand, Truth):
            continue
        inner = (
            operand.operands if isinstance(operand, Apply) and operand.operator == operator else (operand,)
        )
        kept.update(dict.fromkeys(inner))
    if any(negated(one) in kept for one in kept):
        return absorbing
    if not kept:
        return Truth(operator == "and")
    return next(iter(kept)) if len(kept) == 1 else Apply(operator, tuple(kept))


def both(*operands: Term) -> Term:
    return _joined("and", operands)


def either(*operands: Term) -> Term:
    return _joined("or", operands)


def negated(term: Term) -> Term:
    match term:
        case Truth(value):
            return Truth(not value)
        case Apply("not", (operand,)):
            return operand
        case Apply(operator, operands) if operator in COMPARISONS:
            return Apply(OPPOSITE[operator], operands)
    return Apply("not", (term,))


def choice(condition: Term, then: Term, otherwise: Term) -> Term:
    if isinstance(condition, Truth):
        return then if condition.value else otherwise
    if then == otherwise:
        return then
    if isinstance(then, Truth) and isinstance(otherwise, Truth):
        return condition if then.value else negated(condition)
    if is_truth(then):
        if isinstance(then, Truth):
            return either(condition, otherwise) if then.value else both(negated(condition), otherwise)
        if isinstance(otherwise, Truth):
            return either(negated(condition), then) if otherwise.value else both(condition, then)
    return Apply("if", (condition, then, otherwise))


def truncated(term: Term, bits: int, signed: bool) -> Term:
    low, high = bounds(term)
    if (
        low is not None
        and high is not None
        and all(truncate(one, bits, signed) == one for one in (low, high))
    ):
        return term
    if isinstance(term, Number):
        return Number(truncate(term.value, bits, signed))
    return Truncate(term, bits, signed)


def stored(term: Term, kind: Integer) -> Term:
    """What a variable of this kind holds after the assignment."""
    return term if kind.bits is None else truncated(term, kind.bits, kind.signed)


Bounds = tuple[int | None, int | None]


def bounds(term: Term) -> Bounds:
    """Between which numbers its value lies, as far as a look at it tells; None: nobody knows."""
    match term:
        case Number(value):
            return value, value
        case Truth():
            return 0, 1
        case Variable(_, kind):
            return kind.low, kind.high
        case Truncate(_, bits, signed):
            kind = Integer(bits, signed)
            return kind.low, kind.high
        case Apply("if", (_, then, otherwise)):
            (a, b), (c, d) = bounds(then), bounds(otherwise)
            return (
                None if a is None or c is None else min(a, c),
                None if b is None or d is None else max(b, d),
            )
        case Apply("neg", (operand,)):
            low, high = bounds(operand)
            return None if high is None else -high, None if low is None else -low
        case Apply("+", (left, right)):
            (a, b), (c, d) = bounds(left), bounds(right)
            return None if a is None or c is None else a + c, None if b is None or d is None else b + d
        case Apply("-", (left, right)):
            (a, b), (c, d) = bounds(left), bounds(right)
            return None if a is None or d is None else a - d, None if b is None or c is None else b - c
        case Apply("*", (left, right)):
            (a, b), (c, d) = bounds(left), bounds(right)
            if a is None or b is None or c is None or d is None:
                return None, None
            corners = [a * c, a * d, b * c, b * d]
            return min(corners), max(corners)
        case Apply("quotient" | "floor", (left, Number(value))) if value > 0:
            low, high = bounds(left)
            divide = quotient if term.operator == "quotient" else floor
            return (
                None if low is None else divide(low, value),
                None if high is None else divide(high, value),
            )
        case Apply("remainder", (left, Number(value))) if value != 0:
            low, high = bounds(left)
            most = abs(value) - 1
            return (
                0 if low is not None and low >= 0 else -most if low is None else max(low, -most),
                0 if high is not None and high <= 0 else most if high is None else min(high, most),
            )
        case Apply("modulo", (_, Number(value))) if value > 0:
            return 0, value - 1
        case Apply("modulo", (_, right)):  # nearer to zero than the divisor, and of its sign
            low, high = bounds(right)
            return None if low is None else min(low + 1, 0), None if high is None else max(high - 1, 0)
        case Apply("&", (left, right)):
            highs = [high for low, high in map(bounds, (left, right)) if low is not None and low >= 0]
            known = [high for high in highs if high is not None]
            if known:
                return 0, min(known)
            return _of_so_many_bits(left, right)
        case Apply("|" | "^", (left, right)):
            return _of_so_many_bits(left, right)
        case Apply("~", (operand,)):
            low, high = bounds(operand)
            return None if high is None else -high - 1, None if low is None else -low - 1
        case Apply("<<", (left, right)):
            (a, b), (c, d) = bounds(left), bounds(right)
            if a is None or b is None or c is None or d is None or d > 256:
                return None, None
            corners = [shifted_left(x, y) for x in (a, b, 0) for y in (c, d)]
            return min(corners), max(corners)
        case Apply(">>" | "quotient" | "floor", (left, _)):
            low, high = bounds(left)
            if low is None or high is None:
                return None, None
            most = max(abs(low), abs(high))
            return -most - 1 if low < 0 or term.operator != ">>" else 0, most
        case Apply("remainder", (left, _)):
            return _around_zero(left)
    if is_truth(term):
        return 0, 1
    return None, None


def _of_so_many_bits(left: Term, right: Term) -> Bounds:
    (a, b), (c, d) = bounds(left), bounds(right)
    if a is None or b is None or c is None or d is None:
        return None, None
    bits = max(number.bit_length() for number in (a, b, c, d))
    return 0 if a >= 0 and c >= 0 else -(1 << bits), (1 << bits) - 1


def _around_zero(term: Term) -> Bounds:
    low, high = bounds(term)
    return None if low is None else min(low, 0), None if high is None else max(high, 0)


# --- looking at terms ---


def parts(term: Term) -> Iterator[Term]:
    """The term and everything inside it."""
    pending = [term]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, Apply):
            pending.extend(one.operands)
        elif isinstance(one, Truncate):
            pending.append(one.operand)


def is_larger(term: Term, most: int) -> bool:
    """Whether it has more parts, written out; what it shares with others is counted each time."""
    return any(count >= most for count, _ in enumerate(parts(term)))


def variables_of(term: Term) -> frozenset[Variable]:
    return frozenset(one for one in parts(term) if isinstance(one, Variable))


def substituted(term: Term, replacements: Mapping[str, Term]) -> Term:
    """With variables replaced, all at once. What the term shares is visited once, known by its identity: to
    hash a term takes as long as it is large."""
    known: dict[int, Term] = {}

    def visit(one: Term) -> Term:
        if id(one) in known:
            return known[id(one)]
        match one:
            case Variable(name, _):
                found = replacements.get(name, one)
            case Truncate(operand, bits, signed):
                inner = visit(operand)
                found = one if inner is operand else truncated(inner, bits, signed)
            case Apply(operator, operands):
                inner_ones = tuple(map(visit, operands))
                same = all(a is b for a, b in zip(inner_ones, operands, strict=True))
                found = one if same else apply(operator, *inner_ones)
            case _:
                found = one
        known[id(one)] = found
        return found

    return visit(term)


def atoms_of(term: Term) -> Iterator[Term]:
    """The comparisons that a truth value is made of."""
    match term:
        case Apply("and" | "or" | "not", operands):
            for operand in operands:
                yield from atoms_of(operand)
        case Apply("if", (condition, then, otherwise)) if is_truth(term):
            for operand in (condition, then, otherwise):
                yield from atoms_of(operand)
        case Apply(operator, _) if operator in COMPARISONS:
            yield term


# --- evaluating ---


def evaluate(term: Term, values: Mapping[str, int]) -> int | bool:
    match term:
        case Number(value) | Truth(value):
            return value
        case Variable(name, _):
            return values[name]
        case Truncate(operand, bits, signed):
            return truncate(evaluate(operand, values), bits, signed)
        case Apply("and", operands):
            return all(evaluate(operand, values) for operand in operands)
        case Apply("or", operands):
            return any(evaluate(operand, values) for operand in operands)
        case Apply("not", (operand,)):
            return not evaluate(operand, values)
        case Apply("if", (condition, then, otherwise)):
            return evaluate(then if evaluate(condition, values) else otherwise, values)
        case Apply(operator, operands):
            found = [evaluate(operand, values) for operand in operands]
            function: Callable[..., int | bool] = (
                COMPARISONS[operator] if operator in COMPARISONS else ARITHMETIC[operator]
            )
            return function(*found)
    raise TypeError(f"no term: {term!r}")


_PYTHON_NAMES: dict[str, Any] = {
    "quotient": quotient,
    "remainder": remainder,
    "floor": floor,
    "modulo": modulo,
    "shifted_left": shifted_left,
    "shifted_right": shifted_right,
    "truncate": truncate,
    "__builtins__": {},
}


def python_text(term: Term, places: Mapping[str, str]) -> str:
    """The term as a Python expression, with variables read from `places`."""
    match term:
        case Number(value) | Truth(value):
            return f"({value})"
        case Variable(name, _):
            return places[name]
        case Truncate(operand, bits, signed):
            inner = python_text(operand, places)
            return f"truncate({inner},{bits},{signed})" if signed else f"({inner}&{(1 << bits) - 1})"
        case Apply("and" | "or" as operator, operands):
            return f"({f' {operator} '.join(python_text(one, places) for one in operands)})"
        case Apply("not", (operand,)):
            return f"(not {python_text(operand, places)})"
        case Apply("if", (condition, then, otherwise)):
            texts = [python_text(one, places) for one in (then, condition, otherwise)]
            return f"({texts[0]} if {texts[1]} else {texts[2]})"
        case Apply("neg" | "~" as operator, (operand,)):
            return f"({'-' if operator == 'neg' else '~'}{python_text(operand, places)})"
        case Apply("<<" | ">>" as operator, (left, right)):
            name = "shifted_left" if operator == "<<" else "shifted_right"
            return f"{name}({python_text(left, places)},{python_text(right, places)})"
        case Apply(operator, (left, right)):
            a, b = python_text(left, places), python_text(right, places)
            return f"{operator}({a},{b})" if operator in DIVISIONS else f"({a}{operator}{b})"
    raise TypeError(f"no term: {term!r}")


def compiled(term: Term, positions: Mapping[str, int]) -> Callable[[tuple[int, ...]], Any]:
    """A function from the values of all variables, in their positions, to the value of the term."""
    return compiled_together([term], positions, single=True)


def compiled_together(
    terms: Iterable[Term], positions: Mapping[str, int], *, single: bool = False
) -> Callable[[tuple[int, ...]], Any]:
    places = {name: f"s[{position}]" for name, position in positions.items()}
    texts = [python_text(term, places) for term in terms]
    text = texts[0] if single else f"({''.join(f'{one},' for one in texts)})"
    function: Callable[[tuple[int, ...]], Any] = eval(  # noqa: S307 (written here from a term)
        f"lambda s: {text}", dict(_PYTHON_NAMES)
    )
    return function


# --- as JSON and for people ---


class NoTerm(Exception):
    """Something that was read is no term, in one sentence."""


def to_json(term: Term) -> Any:
    match term:
        case Number(value) | Truth(value):
            return value
        case Variable(name, _):
            return name
        case Truncate(operand, bits, signed):
            return ["int" if signed else "unsigned", bits, to_json(operand)]
        case Apply(operator, operands):
            return [operator, *map(to_json, operands)]
    raise TypeError(f"no term: {term!r}")


def from_json(data: Any, variables: Mapping[str, Variable]) -> Term:
    """Reads what a stranger wrote, exactly as it stands there: nothing is simplified. Raises `NoTerm`."""
    budget = [MOST_NODES]

    def read(one: Any, depth: int, wants_truth: bool) -> Term:
        budget[0] -= 1
        if budget[0] < 0 or depth > MOST_DEPTH:
            raise NoTerm("it is larger than any that is accepted")
        found = read_any(one, depth)
        if is_truth(found) is not wants_truth:
            raise NoTerm(f"a {'truth value' if wants_truth else 'number'} is expected in it")
        return found

    def read_any(one: Any, depth: int) -> Term:
        if isinstance(one, bool):
            return Truth(one)
        if isinstance(one, int):
            if one.bit_length() > MOST_BITS_OF_A_NUMBER:
                raise NoTerm("a number in it is too large")
            return Number(one)
        if isinstance(one, str):
            if one not in variables:
                raise NoTerm(f"{one[:80]!a} is no variable of the program")
            return variables[one]
        if not isinstance(one, list) or not one or not isinstance(one[0], str):
            raise NoTerm("something in it is no term")
        operator, rest = one[0], one[1:]
        if operator in {"int", "unsigned"} and len(rest) == 2:
            bits = rest[0]
            if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= 64:
                raise NoTerm("a width in it is none")
            return Truncate(read(rest[1], depth + 1, False), bits, operator == "int")
        if operator in {"and", "or"} and rest:
            return Apply(operator, tuple(read(each, depth + 1, True) for each in rest))
        if operator == "not" and len(rest) == 1:
            return Apply("not", (read(rest[0], depth + 1, True),))
        if operator == "if" and len(rest) == 3:
            condition = read(rest[0], depth + 1, True)
            then = read_any(rest[1], depth + 1)
            return Apply("if", (condition, then, read(rest[2], depth + 1, is_truth(then))))
        if operator in COMPARISONS or operator in ARITHMETIC:
            if len(rest) != ARITY.get(operator, 2):
                raise NoTerm(f"{operator!r} has another number of operands in it")
            return Apply(operator, tuple(read(each, depth + 1, False) for each in rest))
        raise NoTerm(f"{operator[:40]!a} is no operator")

    try:
        return read(data, 0, True)
    except RecursionError:
        raise NoTerm("it is nested too deeply") from None


_SIGNS = {"quotient": "/", "remainder": "%", "floor": "//", "modulo": "mod", "and": "&&", "or": "||"}


def shown(term: Term) -> str:
    """As a person would write it."""
    match term:
        case Apply("not", (operand,)):
            return f"!({shown(operand)})"
        case Apply("neg" | "~" as operator, (operand,)):
            return f"{'-' if operator == 'neg' else '~'}{_inside(operand)}"
        case Apply("if", (condition, then, otherwise)):
            return f"({shown(condition)} -> {shown(then)} : {shown(otherwise)})"
        case Apply(operator, operands):
            return f" {_SIGNS.get(operator, operator)} ".join(map(_inside, operands))
    return str(term)


def _inside(term: Term) -> str:
    text = shown(term)
    return f"({text})" if isinstance(term, Apply) and term.operator not in {"not", "neg", "~", "if"} else text
