"""Terms of SMT-LIB's bit vectors and arrays: made here, computed here, and handed to solvers.

A sort is the width of a bit vector, 0 for truth values, or a pair (bits of an index, bits of an element).
Each term exists once. What is constant is computed, and little else: a proof that is checked was made
with other rewriting, and should not depend on ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Sort = int | tuple[int, int]
BOOL = 0


class Term:
    __slots__ = ("args", "op", "params", "sort", "value")

    op: str
    args: tuple[Term, ...]
    params: tuple[Any, ...]  # the bounds of an extract, how much an extend adds, a name
    sort: Sort
    value: int | None  # of a constant

    @property
    def width(self) -> int:
        assert isinstance(self.sort, int)
        return self.sort

    def __repr__(self) -> str:
        if self.value is not None:
            return str(self.value)
        return self.params[0] if self.op == "var" else f"({self.op} {' '.join(map(repr, self.args))})"


class ArrayValue:
    """All elements but those named have the value `rest`."""

    __slots__ = ("elements", "rest")

    def __init__(self, rest: int, elements: dict[int, int]) -> None:
        self.rest = rest
        self.elements = {index: value for index, value in elements.items() if value != rest}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayValue) and (self.rest, self.elements) == (other.rest, other.elements)

    __hash__ = None  # type: ignore[assignment]


_made: dict[Any, Term] = {}


def _term(
    op: str, args: tuple[Term, ...], sort: Sort, params: tuple[Any, ...] = (), value: int | None = None
) -> Term:
    key = (op, tuple(map(id, args)), sort, params, value)
    found = _made.get(key)
    if found is None:
        found = Term()
        found.op, found.args, found.sort, found.params, found.value = op, args, sort, params, value
        _made[key] = found
    return found


def var(name: str, sort: Sort) -> Term:
    return _term("var", (), sort, (name,))


def const(value: int, width: int) -> Term:
    return _term("const", (), width, (), value & ((1 << width) - 1))


def truth(value: bool) -> Term:
    return _term("const", (), BOOL, (), int(value))


TRUE, FALSE = truth(True), truth(False)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _sdiv(a: int, b: int, w: int) -> int:
    x, y = signed(a, w), signed(b, w)
    if y == 0:
        return 1 if x < 0 else -1
    return _divide(x, y)


def _srem(a: int, b: int, w: int) -> int:
    x, y = signed(a, w), signed(b, w)
    return x if y == 0 else x - y * _divide(x, y)


BINARY: Mapping[str, Callable[[int, int, int], int]] = {
    "bvadd": lambda a, b, _: a + b,
    "bvsub": lambda a, b, _: a - b,
    "bvmul": lambda a, b, _: a * b,
    "bvudiv": lambda a, b, _: a // b if b else -1,
    "bvurem": lambda a, b, _: a % b if b else a,
    "bvsdiv": _sdiv,
    "bvsrem": _srem,
    "bvand": lambda a, b, _: a & b,
    "bvor": lambda a, b, _: a | b,
    "bvxor": lambda a, b, _: a ^ b,
    "bvshl": lambda a, b, w: a << b if b < w else 0,
    "bvlshr": lambda a, b, w: a >> b if b < w else 0,
    "bvashr": lambda a, b, w: signed(a, w) >> min(b, w),
}
COMPARED: Mapping[str, Callable[[int, int, int], bool]] = {
    "bvult": lambda a, b, _: a < b,
    "bvule": lambda a, b, _: a <= b,
    "bvslt": lambda a, b, w: signed(a, w) < signed(b, w),
    "bvsle": lambda a, b, w: signed(a, w) <= signed(b, w),
}


def binary(op: str, a: Term, b: Term) -> Term:
    if a.value is not None and b.value is not None:
        return const(BINARY[op](a.value, b.value, a.width), a.width)
    if b.value == 0 and op in ("bvadd", "bvsub", "bvor", "bvxor"):
        return a
    if a.value == 0 and op in ("bvadd", "bvor", "bvxor"):
        return b
    if b.value == 1 and op == "bvmul" and b.width > 1:
        return a
    return _term(op, (a, b), a.sort)


def compared(op: str, a: Term, b: Term) -> Term:
    if a.value is not None and b.value is not None:
        return truth(COMPARED[op](a.value, b.value, a.width))
    return _term(op, (a, b), BOOL)


def equal(a: Term, b: Term) -> Term:
    if a is b:
        return TRUE
    if a.value is not None and b.value is not None:
        return truth(a.value == b.value)
    (one, first), (other, second) = _apart(a), _apart(b)
    if one is other and isinstance(a.sort, int) and a.sort:
        return truth(first == second)
    return _term("=", (a, b), BOOL)


def _apart(a: Term) -> tuple[Term, int]:
    """A sum with a constant, as both."""
    if a.op == "bvadd" and a.args[1].value is not None:
        return a.args[0], a.args[1].value
    return a, 0


def negate(a: Term) -> Term:
    if a.value is not None:
        return truth(not a.value)
    return a.args[0] if a.op == "not" else _term("not", (a,), BOOL)


def both(terms: Iterable[Term]) -> Term:
    return _joined("and", terms, TRUE, FALSE)


def either(terms: Iterable[Term]) -> Term:
    return _joined("or", terms, FALSE, TRUE)


def _joined(op: str, terms: Iterable[Term], neutral: Term, decided: Term) -> Term:
    found: dict[int, Term] = {}
    for one in terms:
        if one is decided:
            return decided
        if one is not neutral:
            found[id(one)] = one
    if not found:
        return neutral
    parts = tuple(found.values())
    return parts[0] if len(parts) == 1 else _term(op, parts, BOOL)


def choice(condition: Term, yes: Term, no: Term) -> Term:
    if condition.value is not None:
        return yes if condition.value else no
    if yes is no:
        return yes
    if yes.sort == BOOL:
        if yes.value is not None:
            return either((condition, no)) if yes.value else both((negate(condition), no))
        if no.value is not None:
            return either((negate(condition), yes)) if no.value else both((condition, yes))
    return _term("ite", (condition, yes, no), yes.sort)


def unary(op: str, a: Term) -> Term:
    if a.value is not None:
        return const(~a.value if op == "bvnot" else -a.value, a.width)
    return _term(op, (a,), a.sort)


def extract(high: int, low: int, a: Term) -> Term:
    if low == 0 and high == a.width - 1:
        return a
    if a.value is not None:
        return const(a.value >> low, high - low + 1)
    if a.op == "extract":
        return extract(high + a.params[1], low + a.params[1], a.args[0])
    if a.op == "concat" and high < a.args[1].width:
        return extract(high, low, a.args[1])
    if a.op == "concat" and low >= a.args[1].width:
        return extract(high - a.args[1].width, low - a.args[1].width, a.args[0])
    if a.op == "zero_extend" and high < a.args[0].width:
        return extract(high, low, a.args[0])
    if a.op == "zero_extend" and low >= a.args[0].width:
        return const(0, high - low + 1)
    return _term("extract", (a,), high - low + 1, (high, low))


def concat(a: Term, b: Term) -> Term:
    width = a.width + b.width
    if a.value is not None and b.value is not None:
        return const(a.value << b.width | b.value, width)
    if a.op == b.op == "extract" and a.args == b.args and a.params[1] == b.params[0] + 1:
        return extract(a.params[0], b.params[1], a.args[0])
    return _term("concat", (a, b), width)


def extend(a: Term, width: int, *, is_signed: bool) -> Term:
    more = width - a.width
    if more == 0:
        return a
    if a.value is not None:
        return const(signed(a.value, a.width) if is_signed else a.value, width)
    return _term("sign_extend" if is_signed else "zero_extend", (a,), width, (more,))


def resize(a: Term, width: int, *, is_signed: bool) -> Term:
    return extract(width - 1, 0, a) if width <= a.width else extend(a, width, is_signed=is_signed)


def filled(sort: tuple[int, int], element: Term) -> Term:
    return _term("fill", (element,), sort)


_tables: dict[int, tuple[dict[int, Term], Term]] = {}  # of arrays: what is stored in them, and in which
MOST_WALKED = 64  # stores, before a table is made of them


def _tabled(array: Term) -> tuple[dict[int, Term], Term]:
    """Of an array whose last stores have constant indexes: what they store, and the array below them."""
    above: list[Term] = []
    below = array
    while below.op == "store" and below.args[1].value is not None and id(below) not in _tables:
        above.append(below)
        below = below.args[0]
    known, below = _tables.get(id(below), ({}, below))
    found = dict(known)
    for one in reversed(above):
        assert one.args[1].value is not None
        found[one.args[1].value] = one.args[2]
    _tables[id(array)] = found, below
    return found, below


def _is_long(array: Term) -> bool:
    """Whether more than a few stores with constant indexes come last."""
    for _ in range(MOST_WALKED):
        if id(array) in _tables:
            return True
        if array.op != "store" or array.args[1].value is None:
            return False
        array = array.args[0]
    return True


def select(array: Term, index: Term) -> Term:
    assert isinstance(array.sort, tuple)
    element = array.sort[1]
    walked = 0
    while array.op == "store":
        walked += 1
        is_constant = index.value is not None and array.args[1].value is not None
        if is_constant and (walked > MOST_WALKED or id(array) in _tables):
            elements, array = _tables.get(id(array)) or _tabled(array)
            if index.value in elements:
                return elements[index.value]
            continue
        known = equal(array.args[1], index)
        if known is TRUE:
            return array.args[2]
        if known is not FALSE and index.value is not None and _is_long(array.args[0]):
            # One choice here instead of thousands for a solver.
            return choice(known, array.args[2], select(array.args[0], index))
        if known is not FALSE:
            break
        array = array.args[0]
    return array.args[0] if array.op == "fill" else _term("select", (array, index), element)


def store(array: Term, index: Term, element: Term) -> Term:
    return _term("store", (array, index, element), array.sort)


def bound(width: int) -> Term:
    """What `forall` speaks of."""
    return var(f"each!{width}", width)


def is_bound(one: Term) -> bool:
    return one.op == "var" and one is bound(one.width) if isinstance(one.sort, int) and one.sort else False


def forall(width: int, body: Term) -> Term:
    if not any(one is bound(width) for one in ordered((body,))):
        return body
    return _term("forall", (body,), BOOL, (width,))


# --- graphs of terms ---


def ordered(roots: Iterable[Term]) -> list[Term]:
    """Each term once, after its arguments."""
    done: set[int] = set()
    found: list[Term] = []
    for root in roots:
        stack: list[tuple[Term, bool]] = [(root, False)]
        while stack:
            one, is_left = stack.pop()
            if is_left:
                found.append(one)
            elif id(one) not in done:
                done.add(id(one))
                stack.append((one, True))
                stack += [(each, False) for each in one.args]
    return found


def remade(one: Term, args: tuple[Term, ...]) -> Term:
    op = one.op
    if not args:
        return one
    if op in BINARY:
        return binary(op, *args)
    if op in COMPARED:
        return compared(op, *args)
    simple: dict[str, Callable[..., Term]] = {
        "=": equal,
        "not": negate,
        "ite": choice,
        "concat": concat,
        "select": select,
        "store": store,
    }
    if op in simple:
        return simple[op](*args)
    if op in ("and", "or"):
        return both(args) if op == "and" else either(args)
    if op in ("bvnot", "bvneg"):
        return unary(op, *args)
    if op == "extract":
        return extract(*one.params, *args)
    if op in ("zero_extend", "sign_extend"):
        return extend(args[0], one.width, is_signed=op == "sign_extend")
    if op == "forall":
        return forall(one.params[0], args[0])
    assert op == "fill"
    assert isinstance(one.sort, tuple)
    return filled(one.sort, *args)


class Replacing:
    """Puts terms in the place of variables; what was done once is not done again."""

    def __init__(self, values: Mapping[Term, Term]) -> None:
        self.values = values
        self.done: dict[int, Term] = {}

    def __call__(self, root: Term) -> Term:
        if id(root) in self.done:
            return self.done[id(root)]
        stack = [root]
        while stack:
            one = stack[-1]
            if id(one) in self.done:
                stack.pop()
                continue
            if one.op == "var":
                self.done[id(one)] = self.values.get(one, one)
                continue
            waiting = [each for each in one.args if id(each) not in self.done]
            if waiting:
                stack += waiting
                continue
            self.done[id(one)] = remade(one, tuple(self.done[id(each)] for each in one.args))
        return self.done[id(root)]


Value = int | ArrayValue


def computed(root: Term, values: Mapping[Term, Value]) -> Any:
    """What it is where variables have these values."""
    done: dict[int, Any] = {}
    for one in ordered((root,)):
        given = [done[id(each)] for each in one.args]
        done[id(one)] = values[one] if one.op == "var" else _computed(one, given)
    return done[id(root)]


def _computed(one: Term, given: list[Any]) -> Any:
    op = one.op
    if one.value is not None:
        return one.value
    if op in BINARY:
        return BINARY[op](given[0], given[1], one.width) & ((1 << one.width) - 1)
    if op in COMPARED:
        return int(COMPARED[op](given[0], given[1], one.args[0].width))
    if op == "=":
        return int(given[0] == given[1])
    if op == "ite":
        return given[1] if given[0] else given[2]
    if op in ("and", "or", "not"):
        return int(all(given) if op == "and" else any(given) if op == "or" else not given[0])
    if op == "select":
        return given[0].elements.get(given[1], given[0].rest)
    if op == "store":
        return ArrayValue(given[0].rest, {**given[0].elements, given[1]: given[2]})
    if op == "fill":
        return ArrayValue(given[0], {})
    folded = remade(one, tuple(const(value, each.width) for value, each in zip(given, one.args, strict=True)))
    return folded.value
