"""Horn clauses over ideal integers: a guess, of which what holds for bit vectors is kept (`horn-integers`).

Spacer finds linear invariants over integers where it is lost among bits, but ideal integers prove false
things. So the program is read as if nothing wrapped (a variable is a number with or without a sign, by how
it is compared; what has no counterpart may be anything), Spacer's answer is taken apart into clauses, and
each of them is translated back in two ways: with the widths of the program, where sums wrap as they do in
it, and with more bits, where they do not. Houdini keeps what is inductive, bit by bit, together with the
template invariants.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import z3

from assay.search.sequential.findings import Finding, Invariants, Status
from assay.search.sequential.horn import Clauses
from assay.search.sequential.houdini import Houdini
from assay.search.sequential.templates import inductive, live_at
from assay.search.sequential.z3_terms import NotReadable
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Array, Bits, Term
from assay.transition_system.sequential.blocks import Block, live_blocks
from assay.transition_system.sequential.control_flow import ControlFlow

NAME = "horn-integers"
MORE_BITS = 16
MOST_CLAUSES = 400  # of a cut point
SIGNED = ("bvslt", "bvsle", "bvsdiv", "bvsrem", "bvashr", "sign_extend")
UNSIGNED = ("bvult", "bvule", "bvudiv", "bvurem", "bvlshr", "zero_extend")
LINKED = ("=", "ite", "bvadd", "bvsub", "bvmul", *SIGNED, *UNSIGNED)


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None]) -> Finding:
    parts = live_blocks(flow)
    live = live_at(flow, parts)
    translation = Integers(signs_of(parts))
    clauses = Clauses(flow, parts, live, translation)
    say(f"{len(clauses.relations)} relations, {len(parts)} clauses")
    answer = clauses.solved(deadline - time.monotonic())
    if not isinstance(answer, dict):
        return Finding(NAME, Status.UNKNOWN, answer)
    guessed = {
        at: list(clauses_of(body, live[at], translation)) if body is not None else []
        for at, body in answer.items()
    }
    say(f"{sum(map(len, guessed.values()))} guesses")
    try:
        found = Houdini(flow, parts, guessed, deadline)
        found.run(say)
        if not found.excludes_failures():
            known = inductive(flow, parts, deadline=deadline, say=say).candidates
            together = {at: list(dict.fromkeys((*known[at], *more))) for at, more in guessed.items()}
            found = Houdini(flow, parts, together, deadline)
            found.run(say)
        if found.excludes_failures():
            return Finding(NAME, Status.SAFE, invariants=Invariants(found.needed()))
    except TimeoutError:
        return Finding(NAME, Status.UNKNOWN, "out of time")
    return Finding(NAME, Status.UNKNOWN, "the proof over integers is none over bit vectors")


# --- numbers with and without a sign ---


def signs_of(parts: Iterable[Block]) -> Callable[[Term], bool]:
    """Whether a term is a number with a sign: what it is compared, added and assigned to decides."""
    leader: dict[Term, Term] = {}

    def find(one: Term) -> Term:
        path = []
        while leader.get(one, one) is not one:
            path.append(one)
            one = leader[one]
        leader.update(dict.fromkeys(path, one))
        return one

    votes: dict[Term, int] = {}
    terms = [value for part in parts for value in (part.condition, *part.values.values())]
    nodes = list(bv.in_order(terms))
    for part in parts:
        for name, value in part.values.items():
            if isinstance(name.sort, Bits) and not value.is_constant:
                leader[find(value)] = find(name)
    for one in nodes:
        if one.operator in LINKED:
            linked = [each for each in (one, *one.operands) if isinstance(each.sort, Bits)]
            linked = [each for each in linked if not each.is_constant]
            for each in linked[1:]:
                leader[find(each)] = find(linked[0])
    for one in nodes:
        vote = 1 if one.operator in SIGNED else -1 if one.operator in UNSIGNED else 0
        if vote:
            about = next((each for each in one.operands if not each.is_constant), one)
            votes[find(about)] = votes.get(find(about), 0) + vote
    return lambda one: votes.get(find(one), 1) > 0


class Integers:
    """Terms as if nothing wrapped. What has no counterpart is a variable of `unknown`."""

    def __init__(self, is_signed: Callable[[Term], bool]) -> None:
        self.is_signed = is_signed
        self.done: dict[Term, Any] = {}
        self.unknown: dict[Term, Any] = {}

    def __call__(self, term: Term) -> Any:
        for one in bv.in_order((term,)):
            if one not in self.done:
                self.done[one] = self._one(one)
        return self.done[term]

    def ranges(self, name: Term) -> list[Any]:
        """Inputs are numbers that fit; what is computed from them may be any."""
        if not isinstance(name.sort, Bits) or not name.name.startswith("choice!"):
            return []
        size = 1 << name.width
        least = -size // 2 if self.is_signed(name) else 0
        return [self(name) >= least, self(name) < least + size]

    def number(self, constant: Term, beside: Sequence[Term]) -> Any:
        others = [one for one in beside if not one.is_constant]
        is_signed = all(map(self.is_signed, others)) if others else True
        value = bv.signed(constant.value, constant.width) if is_signed else constant.value
        return z3.IntVal(value)

    def operands(self, term: Term) -> list[Any]:
        beside = [one for one in (*term.operands, term) if isinstance(one.sort, Bits)]
        return [
            self.number(one, beside) if one.is_constant and isinstance(one.sort, Bits) else self.done[one]
            for one in term.operands
        ]

    def _one(self, term: Term) -> Any:
        sort = term.sort
        if term.operator == "variable":
            if isinstance(sort, Array):
                return z3.Array(term.name, z3.IntSort(), z3.IntSort())
            return z3.Int(term.name) if isinstance(sort, Bits) else z3.Bool(term.name)
        if term.operator == "constant":
            return self.number(term, ()) if isinstance(sort, Bits) else z3.BoolVal(bool(term.value))
        made = FORMS.get(term.operator)
        found = made(*self.operands(term)) if made else self._special(term)
        return self._anything(term) if found is None else found

    def _special(self, term: Term) -> Any | None:
        given = self.operands(term)
        right = term.operands[-1]
        if term.operator == "bvmul":
            return given[0] * given[1] if right.is_constant else None
        if term.operator in ("zero_extend", "sign_extend"):
            return given[0]
        if term.operator == "extract" and term.parameters[1] == 0:
            high = term.parameters[0]
            return given[0] if high >= 15 else given[0] % (1 << (high + 1))
        if not right.is_constant:
            return None
        value = right.value
        if term.operator == "bvand" and value & (value + 1) == 0:
            return given[0] % (value + 1)
        if term.operator == "bvshl" and value < term.width:
            return given[0] * (1 << value)
        if term.operator in ("bvlshr", "bvashr") and value < term.width:
            return given[0] / z3.IntVal(1 << value)
        if term.operator in ("bvudiv", "bvurem", "bvsdiv", "bvsrem") and 0 < value < 1 << (term.width - 1):
            return given[0] / z3.IntVal(value) if "div" in term.operator else given[0] % z3.IntVal(value)
        return None

    def _anything(self, term: Term) -> Any:
        name = f"unknown!{len(self.unknown)}"
        sort = term.sort
        if isinstance(sort, Array):
            made = z3.Array(name, z3.IntSort(), z3.IntSort())
        else:
            made = z3.Int(name) if isinstance(sort, Bits) else z3.Bool(name)
        self.unknown[term] = made
        return made


FORMS: Mapping[str, Callable[..., Any]] = {
    "bvadd": lambda a, b: a + b,
    "bvsub": lambda a, b: a - b,
    "bvneg": lambda a: -a,
    "bvnot": lambda a: -a - 1,
    "bvult": lambda a, b: a < b,
    "bvule": lambda a, b: a <= b,
    "bvslt": lambda a, b: a < b,
    "bvsle": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "and": z3.And,
    "or": z3.Or,
    "not": z3.Not,
    "ite": z3.If,
    "select": z3.Select,
    "store": z3.Store,
    "const": lambda a: z3.K(z3.IntSort(), a),
}


# --- back to bit vectors ---


def clauses_of(body: Any, variables: Sequence[Term], translation: Integers) -> Iterator[Term]:
    """Each conjunct in both widths; what cannot be read is left out, because all of it is a guess."""
    for one in list(_conjuncts(z3.simplify(body)))[:MOST_CLAUSES]:
        for more in (0, MORE_BITS):
            try:
                found = Back(variables, translation, more).truth(one)
            except NotReadable:
                continue
            if found is not bv.TRUE:
                yield found


def _conjuncts(body: Any) -> Iterator[Any]:
    if z3.is_and(body):
        for one in body.children():
            yield from _conjuncts(one)
    else:
        yield body


class Back:
    def __init__(self, variables: Sequence[Term], translation: Integers, more: int) -> None:
        self.variables, self.is_signed, self.more = variables, translation.is_signed, more

    def truth(self, one: Any) -> Term:
        kind = one.decl().kind() if z3.is_app(one) else None
        if z3.is_true(one) or z3.is_false(one):
            return bv.truth(z3.is_true(one))
        if z3.is_var(one) and z3.is_bool(one):
            known: Term = self.variables[z3.get_var_index(one)]
            return known
        if kind == z3.Z3_OP_NOT:
            return bv.negated(self.truth(one.arg(0)))
        if kind in (z3.Z3_OP_AND, z3.Z3_OP_OR):
            parts = [self.truth(each) for each in one.children()]
            return bv.all_of(parts) if kind == z3.Z3_OP_AND else bv.any_of(parts)
        if kind == z3.Z3_OP_EQ and z3.is_bool(one.arg(0)):
            return bv.equal(self.truth(one.arg(0)), self.truth(one.arg(1)))
        if kind in ORDERS and z3.is_int(one.arg(0)):
            return self._comparison(ORDERS[kind], one.arg(0), one.arg(1))
        raise NotReadable("no truth value that is known")

    def _comparison(self, order: str, left: Any, right: Any) -> Term:
        names = [self.variables[at] for at in {*_variables(left), *_variables(right)}]
        scalars = [one for one in names if isinstance(one.sort, Bits)]
        widths = {one.width for one in scalars} | {
            one.sort.element for one in names if isinstance(one.sort, Array)
        }
        if not widths:
            raise NotReadable("a comparison without variables")
        width = max(widths) + self.more
        is_signed = bool(self.more) or all(self.is_signed(one) for one in scalars)
        a, b = self.number(left, width), self.number(right, width)
        if order == "=":
            return bv.equal(a, b)
        if order.startswith(">"):
            a, b = b, a
        compared = {"<": "lt", "<=": "le", ">": "lt", ">=": "le"}[order]
        return bv.compare(f"bv{'s' if is_signed else 'u'}{compared}", a, b)

    def number(self, one: Any, width: int) -> Term:
        if z3.is_int_value(one):
            if one.as_long().bit_length() > width:
                raise NotReadable("a number that does not fit")
            return bv.constant(one.as_long(), width)
        if z3.is_var(one):
            name = self.variables[z3.get_var_index(one)]
            return bv.resized(name, width, is_signed=self.is_signed(name))
        kind = one.decl().kind()
        if kind == z3.Z3_OP_ITE:
            return bv.ite(
                self.truth(one.arg(0)), self.number(one.arg(1), width), self.number(one.arg(2), width)
            )
        if kind == z3.Z3_OP_SELECT and z3.is_var(one.arg(0)):
            array = self.variables[z3.get_var_index(one.arg(0))]
            assert isinstance(array.sort, Array)
            index = self.number(one.arg(1), array.sort.index)
            return bv.resized(bv.select(array, index), width, is_signed=True)
        given = [self.number(each, width) for each in one.children()]
        if kind in SUMS:
            found = given[0]
            for each in given[1:]:
                found = bv.arithmetic(SUMS[kind], found, each)
            return found
        if kind == z3.Z3_OP_UMINUS:
            return bv.minus(given[0])
        if kind in (z3.Z3_OP_MOD, z3.Z3_OP_IDIV) and z3.is_int_value(one.arg(1)):
            value = one.arg(1).as_long()
            if value > 0 and value & (value - 1) == 0:
                if kind == z3.Z3_OP_MOD:
                    return bv.arithmetic("bvand", given[0], bv.constant(value - 1, width))
                return bv.arithmetic("bvashr", given[0], bv.constant(value.bit_length() - 1, width))
            operator = "bvurem" if kind == z3.Z3_OP_MOD else "bvudiv"
            return bv.arithmetic(operator, given[0], given[1])
        raise NotReadable(f"no number that is known: {one.decl().name()}")


ORDERS = {
    z3.Z3_OP_EQ: "=",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">",
}
SUMS = {z3.Z3_OP_ADD: "bvadd", z3.Z3_OP_SUB: "bvsub", z3.Z3_OP_MUL: "bvmul"}


def _variables(one: Any) -> Iterator[int]:
    if z3.is_var(one):
        yield z3.get_var_index(one)
    for each in one.children():
        yield from _variables(each)
