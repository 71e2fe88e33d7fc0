"""Expressions over bit vectors, arrays of them and truth values: what sequential programs are made of.

A term is a variable, a constant, or an operator of SMT-LIB's theories of bit vectors and arrays applied to
terms; it means the same to an evaluator, to every solver and to a reader. All terms are made by the
functions below and each exists once, so `is` compares them and a directed graph of them costs what its nodes
cost, not what its paths cost. The functions compute constants and leave out what cannot change the value.

Division follows SMT-LIB: by zero it gives all ones, the remainder gives the dividend. A language in which
that is an error says so where it divides. Signed operators take and give the two's complement.

`forall` is the one operator with a bound variable, `each(width)`: its operand holds whatever value that has.
It is only in invariants, and nothing evaluates it or asks a solver about it: see `quantifiers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakValueDictionary

from assay.records import dataclass
from assay.transition_system.sequential.versions import changed


@dataclass(frozen=True, slots=True)
class Bits:
    width: int

    def __str__(self) -> str:
        return f"(_ BitVec {self.width})"


@dataclass(frozen=True, slots=True)
class Array:
    """From bit vectors to bit vectors."""

    index: int
    element: int

    def __str__(self) -> str:
        return f"(Array (_ BitVec {self.index}) (_ BitVec {self.element}))"


@dataclass(frozen=True, slots=True)
class Boolean:
    def __str__(self) -> str:
        return "Bool"


Sort = Bits | Array | Boolean
BOOLEAN = Boolean()


class Term:
    """Made by the functions of this module only."""

    __slots__ = ("__weakref__", "operands", "operator", "parameters", "sort")

    operator: str  # SMT-LIB's name; "variable", "constant"
    operands: tuple[Term, ...]
    parameters: tuple[Any, ...]  # a name, a value, the bounds of an extract
    sort: Sort

    def __repr__(self) -> str:
        return shown(self)

    @property
    def width(self) -> int:
        assert isinstance(self.sort, Bits), self
        return self.sort.width

    @property
    def is_constant(self) -> bool:
        return self.operator == "constant"

    @property
    def value(self) -> int:
        """Of a constant: a number without a sign, or 0 and 1 for truth values."""
        assert self.operator == "constant", self
        return int(self.parameters[0])

    @property
    def name(self) -> str:
        assert self.operator == "variable", self
        return str(self.parameters[0])


_known: WeakValueDictionary[tuple[Any, ...], Term] = WeakValueDictionary()


def _made(operator: str, operands: tuple[Term, ...], sort: Sort, *parameters: Any) -> Term:
    key = (operator, *(id(one) for one in operands), sort, parameters)
    found = _known.get(key)
    if found is None:
        found = Term()
        found.operator, found.operands, found.parameters, found.sort = operator, operands, parameters, sort
        _known[key] = found
    return found


def variable(name: str, sort: Sort) -> Term:
    return _made("variable", (), sort, name)


def constant(value: int, width: int) -> Term:
    return _made("constant", (), Bits(width), value & ((1 << width) - 1))


def truth(value: bool) -> Term:
    return _made("constant", (), BOOLEAN, int(value))


TRUE, FALSE = truth(True), truth(False)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _udiv(a: int, b: int, w: int) -> int:
    return a // b if b else (1 << w) - 1


def _urem(a: int, b: int, _: int) -> int:
    return a % b if b else a


def _sdiv(a: int, b: int, w: int) -> int:
    left, right = signed(a, w), signed(b, w)
    if right == 0:
        return 1 if left < 0 else -1
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def _srem(a: int, b: int, w: int) -> int:
    left, right = signed(a, w), signed(b, w)
    return left if right == 0 else left - right * _sdiv(a, b, w)


# Of two bit vectors of one width; results are taken modulo 2**width.
ARITHMETIC: Mapping[str, Callable[[int, int, int], int]] = {
    "bvadd": lambda a, b, _: a + b,
    "bvsub": lambda a, b, _: a - b,
    "bvmul": lambda a, b, _: a * b,
    "bvudiv": _udiv,
    "bvurem": _urem,
    "bvsdiv": _sdiv,
    "bvsrem": _srem,
    "bvand": lambda a, b, _: a & b,
    "bvor": lambda a, b, _: a | b,
    "bvxor": lambda a, b, _: a ^ b,
    "bvshl": lambda a, b, w: a << b if b < w else 0,
    "bvlshr": lambda a, b, w: a >> b if b < w else 0,
    "bvashr": lambda a, b, w: signed(a, w) >> min(b, w),
}
COMMUTATIVE = frozenset({"bvadd", "bvmul", "bvand", "bvor", "bvxor"})
COMPARISONS: Mapping[str, Callable[[int, int, int], bool]] = {
    "bvult": lambda a, b, _: a < b,
    "bvule": lambda a, b, _: a <= b,
    "bvslt": lambda a, b, w: signed(a, w) < signed(b, w),
    "bvsle": lambda a, b, w: signed(a, w) <= signed(b, w),
}


def arithmetic(operator: str, left: Term, right: Term) -> Term:
    """An operator of ARITHMETIC."""
    width = left.width
    if left.is_constant and right.is_constant:
        return constant(ARITHMETIC[operator](left.value, right.value, width), width)
    if operator in COMMUTATIVE and left.is_constant:
        left, right = right, left
    if right.is_constant:
        kept = _with_constant(operator, left, right)
        if kept is not None:
            return kept
    if left is right and operator in ("bvsub", "bvxor"):
        return constant(0, width)
    if left is right and operator in ("bvand", "bvor"):
        return left
    if operator in ("bvsdiv", "bvsrem"):
        narrow = max(_signed_width(left), _signed_width(right)) + 1  # the least number divided by -1
        if 2 * narrow <= width:
            less = [extract(narrow - 1, 0, one) for one in (left, right)]
            return extended(_made(operator, tuple(less), less[0].sort), width, is_signed=True)
    return _made(operator, (left, right), left.sort)


def _signed_width(term: Term) -> int:
    """So many bits hold it, with its sign: divisions of numbers that were `char` are small circuits."""
    if term.is_constant:
        return abs(signed(term.value, term.width)).bit_length() + 1
    if term.operator in ("sign_extend", "zero_extend"):
        return term.operands[0].width + (term.operator == "zero_extend")
    return term.width


def _with_constant(operator: str, left: Term, right: Term) -> Term | None:
    value, width = right.value, left.width
    if value == 0:
        if operator in ("bvadd", "bvsub", "bvor", "bvxor", "bvshl", "bvlshr", "bvashr"):
            return left
        if operator in ("bvmul", "bvand"):
            return right
    if value == 1 and operator in ("bvmul", "bvudiv", "bvsdiv") and width > 1:
        return left
    if value == (1 << width) - 1 and operator == "bvand":
        return left
    if operator == "bvsub":  # one form for sums with constants
        return arithmetic("bvadd", left, constant(-value, width))
    if operator == "bvadd" and left.operator == "bvadd" and left.operands[1].is_constant:
        return arithmetic("bvadd", left.operands[0], constant(left.operands[1].value + value, width))
    return None


def complement(term: Term) -> Term:
    if term.is_constant:
        return constant(~term.value, term.width)
    return term.operands[0] if term.operator == "bvnot" else _made("bvnot", (term,), term.sort)


def minus(term: Term) -> Term:
    if term.is_constant:
        return constant(-term.value, term.width)
    return term.operands[0] if term.operator == "bvneg" else _made("bvneg", (term,), term.sort)


def extract(high: int, low: int, term: Term) -> Term:
    if low == 0 and high == term.width - 1:
        return term
    if term.is_constant:
        return constant(term.value >> low, high - low + 1)
    if term.operator == "extract":
        return extract(high + term.parameters[1], low + term.parameters[1], term.operands[0])
    if term.operator in ("zero_extend", "sign_extend") and high < term.operands[0].width:
        return extract(high, low, term.operands[0])
    if term.operator == "zero_extend" and low >= term.operands[0].width:
        return constant(0, high - low + 1)
    if term.operator == "concat":
        upper, lower = term.operands
        if high < lower.width:
            return extract(high, low, lower)
        if low >= lower.width:
            return extract(high - lower.width, low - lower.width, upper)
    if term.operator == "ite" and term.operands[1].is_constant and term.operands[2].is_constant:
        condition, yes, no = term.operands
        return ite(condition, extract(high, low, yes), extract(high, low, no))
    return _made("extract", (term,), Bits(high - low + 1), high, low)


def concat(upper: Term, lower: Term) -> Term:
    width = upper.width + lower.width
    if upper.is_constant and lower.is_constant:
        return constant(upper.value << lower.width | lower.value, width)
    if upper.is_constant and upper.value == 0:
        return extended(lower, width, is_signed=False)
    return _made("concat", (upper, lower), Bits(width))


def extended(term: Term, width: int, *, is_signed: bool) -> Term:
    """To a width that is not smaller."""
    more = width - term.width
    if more == 0:
        return term
    if term.is_constant:
        return constant(signed(term.value, term.width) if is_signed else term.value, width)
    operator = "sign_extend" if is_signed else "zero_extend"
    if term.operator in (operator, "zero_extend"):
        return extended(term.operands[0], width, is_signed=term.operator == "sign_extend")
    if term.operator == "ite" and term.operands[1].is_constant and term.operands[2].is_constant:
        condition, yes, no = term.operands
        return ite(
            condition, extended(yes, width, is_signed=is_signed), extended(no, width, is_signed=is_signed)
        )
    return _made(operator, (term,), Bits(width), more)


def resized(term: Term, width: int, *, is_signed: bool) -> Term:
    """As C converts an integer whose own type has this sign."""
    if width <= term.width:
        return extract(width - 1, 0, term)
    return extended(term, width, is_signed=is_signed)


def compare(operator: str, left: Term, right: Term) -> Term:
    """An operator of COMPARISONS."""
    if left.is_constant and right.is_constant:
        return truth(COMPARISONS[operator](left.value, right.value, left.width))
    if left is right:
        return truth(operator in ("bvule", "bvsle"))
    if operator == "bvult" and right.is_constant and right.value == 0:
        return FALSE
    if operator == "bvule" and left.is_constant and left.value == 0:
        return TRUE
    return _made(operator, (left, right), BOOLEAN)


def equal(left: Term, right: Term) -> Term:
    if left is right:
        return TRUE
    if left.is_constant and right.is_constant:
        return truth(left.value == right.value)
    if left.sort == BOOLEAN:
        for one, other in ((left, right), (right, left)):
            if one.is_constant:
                return other if one.value else negated(other)
    if left.is_constant:
        left, right = right, left
    if right.is_constant:
        # `(c ? 1 : 0) == 0`, as C writes truth values
        if left.operator == "ite" and left.operands[1].is_constant and left.operands[2].is_constant:
            condition, yes, no = left.operands
            return ite(condition, equal(yes, right), equal(no, right))
        if left.operator == "zero_extend":
            inner = left.operands[0]
            if right.value >> inner.width:
                return FALSE
            return equal(inner, constant(right.value, inner.width))
        if left.operator == "bvadd" and left.operands[1].is_constant:
            return equal(left.operands[0], constant(right.value - left.operands[1].value, left.width))
    return _made("=", (left, right), BOOLEAN)


def negated(term: Term) -> Term:
    if term.is_constant:
        return truth(not term.value)
    if term.operator == "not":
        return term.operands[0]
    if term.operator in COMPARISONS:
        strict = {"bvult": "bvule", "bvule": "bvult", "bvslt": "bvsle", "bvsle": "bvslt"}
        return compare(strict[term.operator], term.operands[1], term.operands[0])
    return _made("not", (term,), BOOLEAN)


def all_of(terms: Iterable[Term]) -> Term:
    return _junction("and", terms, TRUE, FALSE)


def any_of(terms: Iterable[Term]) -> Term:
    return _junction("or", terms, FALSE, TRUE)


def _junction(operator: str, terms: Iterable[Term], neutral: Term, decided: Term) -> Term:
    found: dict[Term, None] = {}
    for term in terms:
        for one in term.operands if term.operator == operator else (term,):
            if one is decided or negated(one) in found:
                return decided
            if one is not neutral:
                found[one] = None
    if not found:
        return neutral
    return next(iter(found)) if len(found) == 1 else _made(operator, tuple(found), BOOLEAN)


def implies(premise: Term, conclusion: Term) -> Term:
    return any_of((negated(premise), conclusion))


def ite(condition: Term, yes: Term, no: Term) -> Term:
    if condition.is_constant:
        return yes if condition.value else no
    if yes is no:
        return yes
    if yes.sort == BOOLEAN:
        if yes.is_constant:
            return any_of((condition, no)) if yes.value else all_of((negated(condition), no))
        if no.is_constant:
            return any_of((negated(condition), yes)) if no.value else all_of((condition, yes))
    if condition.operator == "not":
        condition, yes, no = condition.operands[0], no, yes
    if yes.operator == "ite" and yes.operands[0] is condition:
        yes = yes.operands[1]
    if no.operator == "ite" and no.operands[0] is condition:
        no = no.operands[2]
    return yes if yes is no else _made("ite", (condition, yes, no), yes.sort)


def constant_array(sort: Array, element: Term) -> Term:
    return _made("const", (element,), sort)


def select(array: Term, index: Term) -> Term:
    assert isinstance(array.sort, Array), array
    while array.operator == "store":
        known = equal(array.operands[1], index)
        if known is TRUE:
            return array.operands[2]
        if known is not FALSE:
            break
        array = array.operands[0]
    if array.operator == "const":
        return array.operands[0]
    assert isinstance(array.sort, Array), array
    return _made("select", (array, index), Bits(array.sort.element))


def store(array: Term, index: Term, element: Term) -> Term:
    if array.operator == "store" and array.operands[1] is index:
        array = array.operands[0]
    return _made("store", (array, index, element), array.sort)


def each(width: int) -> Term:
    """What `forall` speaks of. No variable of a program has its name."""
    return variable(f"each!{width}", Bits(width))


def forall(width: int, body: Term) -> Term:
    """Whatever value `each(width)` has, the body holds. Bodies have no quantifiers in them."""
    return _made("forall", (body,), BOOLEAN, width) if each(width) in variables_of(body) else body


# --- graphs of terms ---


def in_order(terms: Iterable[Term]) -> Iterator[Term]:
    """Each node once, operands first, without recursion."""
    seen: set[Term] = set()
    for root in terms:
        stack = [(root, iter(root.operands))] if root not in seen else []
        seen.add(root)
        while stack:
            term, operands = stack[-1]
            for one in operands:
                if one not in seen:
                    seen.add(one)
                    stack.append((one, iter(one.operands)))
                    break
            else:
                stack.pop()
                yield term


def variables_of(*terms: Term) -> set[Term]:
    """Without those that are bound."""
    found: set[Term] = set()
    quantified = []
    for one in in_order(terms):
        if one.operator == "variable":
            found.add(one)
        elif one.operator == "forall":
            quantified.append(one)
    if not quantified:
        return found
    outside = Substitution(dict.fromkeys(quantified, TRUE))
    found = variables_of(*map(outside, terms))
    for one in quantified:
        found |= variables_of(one.operands[0]) - {each(one.parameters[0])}
    return found


def remade(term: Term, operands: tuple[Term, ...]) -> Term:
    """The same operator with other operands, simplified."""
    operator = term.operator
    if not operands:
        return term
    if operator in ARITHMETIC:
        return arithmetic(operator, *operands)
    if operator in COMPARISONS:
        return compare(operator, *operands)
    if operator in ("and", "or"):
        return all_of(operands) if operator == "and" else any_of(operands)
    if operator == "extract":
        return extract(term.parameters[0], term.parameters[1], operands[0])
    if operator in ("zero_extend", "sign_extend"):
        return extended(operands[0], term.width, is_signed=operator == "sign_extend")
    if operator == "const":
        assert isinstance(term.sort, Array)
        return constant_array(term.sort, operands[0])
    if operator == "forall":
        return forall(term.parameters[0], operands[0])
    return REMADE[operator](*operands)


REMADE: Mapping[str, Callable[..., Term]] = {
    "=": equal,
    "not": negated,
    "ite": ite,
    "bvnot": complement,
    "bvneg": minus,
    "concat": concat,
    "select": select,
    "store": store,
}


class Substitution:
    """Puts terms in the place of variables. Keeps what it has done, for the next term."""

    def __init__(self, values: Mapping[Term, Term]) -> None:
        self.done: dict[Term, Term] = dict(values)

    def __call__(self, term: Term) -> Term:
        done = self.done
        stack = [term]
        while stack:
            one = stack[-1]
            if one in done:
                stack.pop()
                continue
            missing = [each for each in one.operands if each not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            operands = tuple(done[each] for each in one.operands)
            same = all(a is b for a, b in zip(operands, one.operands, strict=True))
            done[one] = one if same else remade(one, operands)
        return done[term]


def substituted(term: Term, values: Mapping[Term, Term]) -> Term:
    return Substitution(values)(term)


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """Elements that differ from `otherwise`."""

    otherwise: int
    elements: Mapping[int, int]

    def __getitem__(self, index: int) -> int:
        return self.elements.get(index, self.otherwise)


Value = int | ArrayValue


def evaluated(term: Term, values: Mapping[Term, Value]) -> Value:
    """With the values of all variables; truth values are 0 and 1."""
    done: dict[Term, Any] = {}
    for one in in_order((term,)):
        given = [done[each] for each in one.operands]
        operator = one.operator
        if operator == "variable":
            done[one] = values[one]
        elif operator == "constant":
            done[one] = one.value
        elif operator in ARITHMETIC:
            mask = (1 << one.width) - 1
            done[one] = ARITHMETIC[operator](given[0], given[1], one.width) & mask
        elif operator in COMPARISONS:
            done[one] = int(COMPARISONS[operator](given[0], given[1], one.operands[0].width))
        elif operator == "=":
            done[one] = int(same_value(given[0], given[1]))
        elif operator in ("and", "or"):
            done[one] = int(all(given) if operator == "and" else any(given))
        elif operator == "not":
            done[one] = 1 - given[0]
        elif operator == "ite":
            done[one] = given[1] if given[0] else given[2]
        elif operator == "bvnot":
            done[one] = ~given[0] & ((1 << one.width) - 1)
        elif operator == "bvneg":
            done[one] = -given[0] & ((1 << one.width) - 1)
        elif operator == "extract":
            high, low = one.parameters
            done[one] = given[0] >> low & ((1 << (high - low + 1)) - 1)
        elif operator == "concat":
            done[one] = given[0] << one.operands[1].width | given[1]
        elif operator == "zero_extend":
            done[one] = given[0]
        elif operator == "sign_extend":
            done[one] = signed(given[0], one.operands[0].width) & ((1 << one.width) - 1)
        elif operator == "select":
            done[one] = given[0][given[1]]
        elif operator == "store":
            done[one] = ArrayValue(given[0].otherwise, changed(given[0].elements, given[1], given[2]))
        elif operator == "const":
            done[one] = ArrayValue(given[0], {})
        else:
            raise AssertionError(operator)
    answer: Value = done[term]
    return answer


def same_value(one: Value, other: Value) -> bool:
    if isinstance(one, ArrayValue) and isinstance(other, ArrayValue):
        indexes = {*one.elements, *other.elements}
        return one.otherwise == other.otherwise and all(one[i] == other[i] for i in indexes)
    return one == other


def shown(term: Term) -> str:
    """As SMT-LIB writes it; what occurs twice stands there twice, so this is for short terms."""
    if term.operator == "variable":
        return term.name
    if term.operator == "constant":
        if term.sort == BOOLEAN:
            return "true" if term.value else "false"
        return f"(_ bv{term.value} {term.width})"
    operands = " ".join(shown(one) for one in term.operands)
    if term.operator == "const":
        return f"((as const {term.sort}) {operands})"
    if term.operator == "forall":
        bound = each(term.parameters[0])
        return f"(forall (({bound.name} {bound.sort})) {operands})"
    if term.operator in ("extract", "zero_extend", "sign_extend"):
        return f"((_ {term.operator} {' '.join(map(str, term.parameters))}) {operands})"
    return f"({term.operator} {operands})"
