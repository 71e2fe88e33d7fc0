"""Terms over bit vectors for z3, and values back from its models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import z3

from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import (
    Array,
    ArrayValue,
    Bits,
    Sort,
    Term,
    Value,
    in_order,
)

OPERATORS: Mapping[str, Callable[..., Any]] = {
    "bvadd": lambda a, b: a + b,
    "bvsub": lambda a, b: a - b,
    "bvmul": lambda a, b: a * b,
    "bvudiv": z3.UDiv,
    "bvurem": z3.URem,
    "bvsdiv": lambda a, b: a / b,
    "bvsrem": z3.SRem,
    "bvand": lambda a, b: a & b,
    "bvor": lambda a, b: a | b,
    "bvxor": lambda a, b: a ^ b,
    "bvshl": lambda a, b: a << b,
    "bvlshr": z3.LShR,
    "bvashr": lambda a, b: a >> b,
    "bvult": z3.ULT,
    "bvule": z3.ULE,
    "bvslt": lambda a, b: a < b,
    "bvsle": lambda a, b: a <= b,
    "bvnot": lambda a: ~a,
    "bvneg": lambda a: -a,
    "=": lambda a, b: a == b,
    "and": z3.And,
    "or": z3.Or,
    "not": z3.Not,
    "ite": z3.If,
    "concat": z3.Concat,
    "select": z3.Select,
    "store": z3.Store,
}


def sort_of(sort: Sort) -> Any:
    if isinstance(sort, Bits):
        return z3.BitVecSort(sort.width)
    if isinstance(sort, Array):
        return z3.ArraySort(z3.BitVecSort(sort.index), z3.BitVecSort(sort.element))
    return z3.BoolSort()


class Translation:
    """Keeps what it has translated, as long as it lives."""

    def __init__(self) -> None:
        self.done: dict[Term, Any] = {}

    def __call__(self, term: Term) -> Any:
        done = self.done
        if term not in done:
            for one in in_order((term,)):
                if one not in done:
                    done[one] = self._one(one, [done[each] for each in one.operands])
        return done[term]

    @staticmethod
    def _one(term: Term, given: list[Any]) -> Any:
        if term.operator == "variable":
            return z3.Const(term.name, sort_of(term.sort))
        if term.operator == "constant":
            if isinstance(term.sort, Bits):
                return z3.BitVecVal(term.value, term.width)
            return z3.BoolVal(bool(term.value))
        if term.operator == "extract":
            return z3.Extract(*term.parameters, given[0])
        if term.operator == "zero_extend":
            return z3.ZeroExt(term.parameters[0], given[0])
        if term.operator == "sign_extend":
            return z3.SignExt(term.parameters[0], given[0])
        if term.operator == "const":
            assert isinstance(term.sort, Array)
            return z3.K(z3.BitVecSort(term.sort.index), given[0])
        return OPERATORS[term.operator](*given)


def value_in(model: Any, term: Term, translation: Translation) -> Value:
    found = model.eval(translation(term), model_completion=True)
    if isinstance(term.sort, Array):
        return array_value(found)
    return int(found.as_long()) if isinstance(term.sort, Bits) else int(z3.is_true(found))


def array_value(found: Any) -> ArrayValue:
    elements: dict[int, int] = {}
    while z3.is_store(found):
        index = found.arg(1).as_long()
        elements.setdefault(index, found.arg(2).as_long())
        found = found.arg(0)
    if not z3.is_const_array(found):
        raise ValueError(f"z3 gives an array as {found.decl().name()}")
    return ArrayValue(found.arg(0).as_long(), elements)


def solver_for(terms: Iterable[Term]) -> Any:
    """Of the theory that they need: z3 is faster without arrays, if it knows."""
    has_arrays = any(isinstance(one.sort, Array) for one in in_order(terms))
    return z3.SolverFor("QF_ABV" if has_arrays else "QF_BV")


class NotReadable(Exception):
    """An expression of z3 that is no term of ours."""


def _spread(make: Callable[[Term, Term], Term]) -> Callable[..., Term]:
    return lambda *given: reduce(make, given)


READ: Mapping[int, Callable[..., Term]] = {
    z3.Z3_OP_AND: lambda *given: bv.all_of(given),
    z3.Z3_OP_OR: lambda *given: bv.any_of(given),
    z3.Z3_OP_NOT: bv.negated,
    z3.Z3_OP_ITE: bv.ite,
    z3.Z3_OP_EQ: bv.equal,
    z3.Z3_OP_IMPLIES: bv.implies,
    z3.Z3_OP_ULEQ: lambda a, b: bv.compare("bvule", a, b),
    z3.Z3_OP_ULT: lambda a, b: bv.compare("bvult", a, b),
    z3.Z3_OP_UGEQ: lambda a, b: bv.compare("bvule", b, a),
    z3.Z3_OP_UGT: lambda a, b: bv.compare("bvult", b, a),
    z3.Z3_OP_SLEQ: lambda a, b: bv.compare("bvsle", a, b),
    z3.Z3_OP_SLT: lambda a, b: bv.compare("bvslt", a, b),
    z3.Z3_OP_SGEQ: lambda a, b: bv.compare("bvsle", b, a),
    z3.Z3_OP_SGT: lambda a, b: bv.compare("bvslt", b, a),
    z3.Z3_OP_BNOT: bv.complement,
    z3.Z3_OP_BNEG: bv.minus,
    z3.Z3_OP_CONCAT: _spread(bv.concat),
    z3.Z3_OP_SELECT: bv.select,
    z3.Z3_OP_STORE: bv.store,
    **{
        kind: _spread(partial(bv.arithmetic, operator))
        for kind, operator in {
            z3.Z3_OP_BADD: "bvadd",
            z3.Z3_OP_BSUB: "bvsub",
            z3.Z3_OP_BMUL: "bvmul",
            z3.Z3_OP_BUDIV: "bvudiv",
            z3.Z3_OP_BUDIV_I: "bvudiv",
            z3.Z3_OP_BUREM: "bvurem",
            z3.Z3_OP_BUREM_I: "bvurem",
            z3.Z3_OP_BSDIV: "bvsdiv",
            z3.Z3_OP_BSDIV_I: "bvsdiv",
            z3.Z3_OP_BSREM: "bvsrem",
            z3.Z3_OP_BSREM_I: "bvsrem",
            z3.Z3_OP_BAND: "bvand",
            z3.Z3_OP_BOR: "bvor",
            z3.Z3_OP_BXOR: "bvxor",
            z3.Z3_OP_BSHL: "bvshl",
            z3.Z3_OP_BLSHR: "bvlshr",
            z3.Z3_OP_BASHR: "bvashr",
        }.items()
    },
}


def read(expression: Any, variables: Sequence[Term]) -> Term:
    """A body over numbered variables, as Spacer answers. Raises NotReadable."""
    done: dict[int, Term] = {}
    stack = [expression]
    while stack:
        one = stack[-1]
        if one.get_id() in done:
            stack.pop()
            continue
        if z3.is_quantifier(one):
            raise NotReadable("Spacer's answer has a quantifier")
        missing = [each for each in one.children() if each.get_id() not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        done[one.get_id()] = _read(one, [done[each.get_id()] for each in one.children()], variables)
    return done[expression.get_id()]


def _read(one: Any, given: list[Term], variables: Sequence[Term]) -> Term:
    if z3.is_var(one):
        known: Term = variables[z3.get_var_index(one)]
        return known
    if z3.is_bv_value(one):
        return bv.constant(one.as_long(), one.size())
    if z3.is_true(one) or z3.is_false(one):
        return bv.truth(z3.is_true(one))
    kind = one.decl().kind()
    if kind == z3.Z3_OP_EXTRACT:
        high, low = one.params()
        return bv.extract(high, low, given[0])
    if kind in (z3.Z3_OP_ZERO_EXT, z3.Z3_OP_SIGN_EXT):
        return bv.extended(given[0], one.size(), is_signed=kind == z3.Z3_OP_SIGN_EXT)
    if kind == z3.Z3_OP_DISTINCT and len(given) == 2:
        return bv.negated(bv.equal(*given))
    if kind not in READ:
        raise NotReadable(f"Spacer's answer has {one.decl().name()}")
    return READ[kind](*given)
