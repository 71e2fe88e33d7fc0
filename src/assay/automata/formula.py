"""Formulas of linear temporal logic: syntax, normal forms, and what they mean on a word.

Conjunctions and disjunctions have any number of operands and never stand directly within one
another: `conjunction` and `disjunction` see to that, so that a long list of conditions is not a deep
formula. Everything here is a function of the formula alone: no order of a set, no hash, no time.

`holds` is the meaning, written for readers and not for speed: translations are tested against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from assay.records import dataclass


@dataclass(frozen=True, slots=True)
class Formula:
    """A property of infinite runs. Prints in SPIN's syntax, with no more parentheses than needed."""

    def __str__(self) -> str:
        return printed(self)


@dataclass(frozen=True, slots=True)
class Truth(Formula):
    value: bool


@dataclass(frozen=True, slots=True)
class Atom(Formula):
    """A condition on one state, in the words of the program's language. Equal texts are one atom."""

    text: str


@dataclass(frozen=True, slots=True)
class Not(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class And(Formula):
    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or(Formula):
    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies(Formula):
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iff(Formula):
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Next(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class Always(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class Eventually(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class Until(Formula):
    """`left` holds up to the moment before `right` does, and `right` does come."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class WeakUntil(Formula):
    """`left` holds up to the moment before `right` does, or for ever."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Release(Formula):
    """`right` holds up to and including the moment when `left` does, or for ever. SPIN's `V`."""

    left: Formula
    right: Formula


TRUE = Truth(True)
FALSE = Truth(False)

Unary = Not | Next | Always | Eventually
Binary = Implies | Iff | Until | WeakUntil | Release


def conjunction(operands: Iterable[Formula]) -> Formula:
    """Of any number of formulas, as written: flattened, nothing else."""
    flat = tuple(_flat(operands, And))
    return flat[0] if len(flat) == 1 else And(flat) if flat else TRUE


def disjunction(operands: Iterable[Formula]) -> Formula:
    flat = tuple(_flat(operands, Or))
    return flat[0] if len(flat) == 1 else Or(flat) if flat else FALSE


def _flat(operands: Iterable[Formula], kind: type[And | Or]) -> Iterator[Formula]:
    for operand in operands:
        if isinstance(operand, kind):
            yield from operand.operands
        else:
            yield operand


def parts(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly within a formula, from left to right."""
    match formula:
        case Not() | Next() | Always() | Eventually():
            return (formula.operand,)
        case And() | Or():
            return formula.operands
        case Implies() | Iff() | Until() | WeakUntil() | Release():
            return (formula.left, formula.right)
    return ()


def size(formula: Formula) -> int:
    """The number of atoms, constants and operators; a list of n operands counts n - 1 operators."""
    inner = parts(formula)
    operators = len(inner) - 1 if isinstance(formula, And | Or) else 1
    return operators + sum(size(part) for part in inner)


def depth(formula: Formula) -> int:
    return 1 + max((depth(part) for part in parts(formula)), default=0)


def atoms(formula: Formula) -> tuple[str, ...]:
    """The texts of the atoms, each once, in the order of their first occurrence."""
    found: dict[str, None] = {}

    def visit(part: Formula) -> None:
        if isinstance(part, Atom):
            found[part.text] = None
        for inner in parts(part):
            visit(inner)

    visit(formula)
    return tuple(found)


def has_next(formula: Formula) -> bool:
    return isinstance(formula, Next) or any(has_next(part) for part in parts(formula))


# Printing. The numbers say how strongly an operator binds; the parser has the same order.

_WEAKEST, _OR, _AND, _TEMPORAL, _COMPARED, _UNARY, _WHOLE = range(7)
OPERATOR_WORDS = frozenset(
    "not always G eventually F X next U until stronguntil V R release W weakuntil".split()
    + "and or implies equivalent".split()
)
_PREFIXES = {Not: "!", Next: "X ", Always: "[]", Eventually: "<>"}
_INFIXES = {
    Until: ("U", _TEMPORAL),
    WeakUntil: ("W", _TEMPORAL),
    Release: ("V", _TEMPORAL),
    Implies: ("->", _WEAKEST),
    Iff: ("<->", _WEAKEST),
}


def printed(formula: Formula) -> str:
    return _printed(formula)[0]


def _printed(formula: Formula) -> tuple[str, int]:
    """The text, and how strongly its outermost operator binds."""

    def within(part: Formula, least: int) -> str:
        text, strength = _printed(part)
        return text if strength >= least else f"({text})"

    match formula:
        case Truth():
            return ("true" if formula.value else "false"), _WHOLE
        case Atom():
            return formula.text, (_COMPARED if _stands_badly_after_operators(formula.text) else _WHOLE)
        case Not() | Next() | Always() | Eventually():
            return _PREFIXES[type(formula)] + within(formula.operand, _UNARY), _UNARY
        case And():
            return " && ".join(within(part, _TEMPORAL) for part in formula.operands), _AND
        case Or():
            return " || ".join(within(part, _AND) for part in formula.operands), _OR
        case Implies() | Iff() | Until() | WeakUntil() | Release():
            sign, strength = _INFIXES[type(formula)]
            # Operators of one strength group from the left.
            return (
                f"{within(formula.left, strength)} {sign} {within(formula.right, strength + 1)}",
                strength,
            )
    raise AssertionError(formula)


def _stands_badly_after_operators(text: str) -> bool:
    """Would the text of an atom be read otherwise after `[]` or `X`? If it has operators outside of brackets
    (normalised texts have spaces there), begins like the rest of something, or is named like an operator."""
    if text in OPERATOR_WORDS or text[:1] in "-+[{":
        return True
    nesting = 0
    quote = ""
    before = ""
    for character in text:
        if quote:
            if character == quote and before != "\\":
                quote = ""
        elif character in "\"'":
            quote = character
        elif character in "([{":
            nesting += 1
        elif character in ")]}":
            nesting -= 1
        elif character == " " and nesting == 0:
            return True
        before = character
    return False


# Meaning.

Letter = AbstractSet[str]  # the atoms that are true


def holds(formula: Formula, prefix: Sequence[Letter], loop: Sequence[Letter]) -> bool:
    """Does the formula hold on the word `prefix` and then `loop` for ever?"""
    if not loop:
        raise ValueError("the loop of an infinite word has at least one letter")
    letters = [*prefix, *loop]
    after = [*range(1, len(letters)), len(prefix)]
    places = range(len(letters))

    def fixpoint(step: Callable[[int, list[bool]], bool], *, start: bool) -> list[bool]:
        """The fixpoint that is reached from `start` everywhere: the least from false, the greatest from
        true."""
        value = [start for _ in places]
        while True:
            changed = [step(place, value) for place in places]
            if changed == value:
                return value
            value = changed

    def where(part: Formula) -> list[bool]:
        inner = [where(each) for each in parts(part)]
        match part:
            case Truth():
                return [part.value for _ in places]
            case Atom():
                return [part.text in letter for letter in letters]
            case Not():
                return [not each for each in inner[0]]
            case And():
                return [all(each[place] for each in inner) for place in places]
            case Or():
                return [any(each[place] for each in inner) for place in places]
            case Implies():
                return [not inner[0][place] or inner[1][place] for place in places]
            case Iff():
                return [inner[0][place] == inner[1][place] for place in places]
            case Next():
                return [inner[0][after[place]] for place in places]
            case Always():
                return fixpoint(lambda place, x: inner[0][place] and x[after[place]], start=True)
            case Eventually():
                return fixpoint(lambda place, x: inner[0][place] or x[after[place]], start=False)
        left, right = inner
        match part:
            case Until():
                return fixpoint(
                    lambda place, x: right[place] or (left[place] and x[after[place]]), start=False
                )
            case WeakUntil():
                return fixpoint(
                    lambda place, x: right[place] or (left[place] and x[after[place]]), start=True
                )
            case Release():
                return fixpoint(
                    lambda place, x: right[place] and (left[place] or x[after[place]]), start=True
                )
        raise AssertionError(part)

    return where(formula)[0]
