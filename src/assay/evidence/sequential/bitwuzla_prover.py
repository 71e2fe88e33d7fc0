"""Obligations for Bitwuzla, which shares no code with z3."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from assay.transition_system.interface import SourceProblem
from assay.transition_system.sequential.bitvectors import (
    ARITHMETIC,
    COMPARISONS,
    FALSE,
    TRUE,
    Array,
    ArrayValue,
    Bits,
    Sort,
    Term,
    Value,
    all_of,
    any_of,
    arithmetic,
    compare,
    complement,
    concat,
    constant,
    equal,
    extended,
    extract,
    implies,
    in_order,
    ite,
    minus,
    negated,
    select,
    store,
    truth,
    variables_of,
)
from assay.transition_system.sequential.sums import SortedSums

MISSING = "proofs about C programs need bitwuzla; install it with: pip install 'assay-mc[c]'"
KINDS: Mapping[str, str] = {
    "bvadd": "BV_ADD",
    "bvsub": "BV_SUB",
    "bvmul": "BV_MUL",
    "bvudiv": "BV_UDIV",
    "bvurem": "BV_UREM",
    "bvsdiv": "BV_SDIV",
    "bvsrem": "BV_SREM",
    "bvand": "BV_AND",
    "bvor": "BV_OR",
    "bvxor": "BV_XOR",
    "bvshl": "BV_SHL",
    "bvlshr": "BV_SHR",
    "bvashr": "BV_ASHR",
    "bvult": "BV_ULT",
    "bvule": "BV_ULE",
    "bvslt": "BV_SLT",
    "bvsle": "BV_SLE",
    "bvnot": "BV_NOT",
    "bvneg": "BV_NEG",
    "=": "EQUAL",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
    "ite": "ITE",
    "concat": "BV_CONCAT",
    "select": "ARRAY_SELECT",
    "store": "ARRAY_STORE",
    "extract": "BV_EXTRACT",
    "zero_extend": "BV_ZERO_EXTEND",
    "sign_extend": "BV_SIGN_EXTEND",
}


def _spread(operator: str) -> Callable[[list[Term], list[int]], Term]:
    return lambda given, _: reduce(lambda left, right: arithmetic(operator, left, right), given)


def _compared(operator: str, *, swapped: bool = False) -> Callable[[list[Term], list[int]], Term]:
    return lambda given, _: compare(operator, *(reversed(given) if swapped else given))


def _made(make: Callable[..., Term]) -> Callable[[list[Term], list[int]], Term]:
    return lambda given, _: make(*given)


READ: Mapping[str, Callable[[list[Term], list[int]], Term]] = {
    **{kind: _spread(name) for name, kind in KINDS.items() if name in ARITHMETIC},
    **{kind: _compared(name) for name, kind in KINDS.items() if name in COMPARISONS},
    "BV_UGT": _compared("bvult", swapped=True),
    "BV_UGE": _compared("bvule", swapped=True),
    "BV_SGT": _compared("bvslt", swapped=True),
    "BV_SGE": _compared("bvsle", swapped=True),
    "BV_NOT": _made(complement),
    "BV_NEG": _made(minus),
    "BV_CONCAT": _made(concat),
    "BV_EXTRACT": lambda given, indices: extract(indices[0], indices[1], given[0]),
    "BV_ZERO_EXTEND": lambda given, indices: extended(given[0], given[0].width + indices[0], is_signed=False),
    "BV_SIGN_EXTEND": lambda given, indices: extended(given[0], given[0].width + indices[0], is_signed=True),
    "EQUAL": _made(equal),
    "DISTINCT": lambda given, _: negated(equal(*given)),
    "NOT": _made(negated),
    "AND": lambda given, _: all_of(given),
    "OR": lambda given, _: any_of(given),
    "IMPLIES": _made(implies),
    "ITE": _made(ite),
    "ARRAY_SELECT": _made(select),
    "ARRAY_STORE": _made(store),
}


class Prover:
    def __init__(self) -> None:
        try:
            import bitwuzla
        except ImportError:
            raise SourceProblem(MISSING) from None
        self.library = bitwuzla
        self.manager = bitwuzla.TermManager()
        self.done: dict[Term, Any] = {}
        self.sums = SortedSums()

    def solver(self, seconds: float, *extras: str) -> Any:
        options = self.library.Options()
        options.set(self.library.Option.TIME_LIMIT_PER, max(1, int(seconds * 1000)))
        for extra in extras:
            options.set(getattr(self.library.Option, extra), True)
        return self.library.Bitwuzla(self.manager, options)

    def is_unsatisfiable(self, term: Term, seconds: float) -> bool | None:
        """None: nobody knows."""
        solver = self.solver(seconds)
        solver.assert_formula(self.translated(self.sums(term)))
        answer = solver.check_sat()
        if answer == self.library.Result.UNSAT:
            return True
        return False if answer == self.library.Result.SAT else None

    def model(self, term: Term, seconds: float) -> dict[Term, Value] | None:
        """Of the variables in it; None: there is none. Raises TimeoutError where nobody knows."""
        if term is FALSE:
            return None
        solver = self.solver(seconds, "PRODUCE_MODELS")
        names = [(one, self.translated(one)) for one in variables_of(term)]
        solver.assert_formula(self.translated(self.sums(term)))
        answer = solver.check_sat()
        if answer == self.library.Result.UNSAT:
            return None
        if answer != self.library.Result.SAT:
            raise TimeoutError
        return {one: self.value(solver.get_value(name), one.sort) for one, name in names}

    def value(self, found: Any, sort: Sort) -> Value:
        if isinstance(sort, Bits):
            return int(found.value(10))
        if not isinstance(sort, Array):
            return int(found.is_true())
        elements: dict[int, int] = {}
        while found.kind() == self.library.Kind.ARRAY_STORE:
            found, index, element = found.children()
            elements.setdefault(int(index.value(10)), int(element.value(10)))
        return ArrayValue(int(found.children()[0].value(10)), elements)

    def core(self, terms: Sequence[Term], seconds: float) -> list[int] | None:
        """Positions of some that have no model together; None: all have one, or nobody knows."""
        solver = self.solver(seconds, "PRODUCE_UNSAT_CORES")
        translated = [self.translated(one) for one in terms]
        for one in translated:
            solver.assert_formula(one)
        if solver.check_sat() != self.library.Result.UNSAT:
            return None
        found = set(solver.get_unsat_core())
        return [position for position, one in enumerate(translated) if one in found]

    def interpolants(self, terms: Sequence[Term], seconds: float) -> Iterator[tuple[int, Term]]:
        """Of terms that have no model together: what follows from those up to a position and contradicts
        the others, over the variables of both. Those that cannot be read are left out."""
        extras = ("PRODUCE_INTERPOLANTS", "INTERPOLANTS_LIFT", "INTERPOLANTS_SIMP", "INTERPOLANTS_SUBST")
        solver = self.solver(seconds, *extras)
        places = [at for at, one in enumerate(terms) if one is not TRUE]
        translated = [self.translated(terms[at]) for at in places]
        for one in translated:
            solver.assert_formula(one)
        if solver.check_sat() != self.library.Result.UNSAT:
            raise TimeoutError
        known = {one.name: one for one in variables_of(*terms)}
        found = solver.get_interpolants([[one] for one in translated[:-1]])
        for at, one in zip(places, found, strict=False):
            try:
                yield at, self._read(one, known)
            except (KeyError, TypeError, AssertionError):
                continue

    def _read(self, term: Any, variables: Mapping[str, Term]) -> Term:
        done: dict[int, Term] = {}
        stack = [term]
        while stack:
            one = stack[-1]
            missing = [each for each in one.children() if each.id() not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            done[one.id()] = self._read_one(one, [done[each.id()] for each in one.children()], variables)
        return done[term.id()]

    def _read_one(self, one: Any, given: list[Term], variables: Mapping[str, Term]) -> Term:
        if one.is_const():
            return variables[one.symbol()]
        if one.is_true() or one.is_false():
            return truth(bool(one.is_true()))
        if one.is_value():
            return constant(int(one.value(10)), one.sort().bv_size())
        return READ[one.kind().name](given, list(one.indices()))

    def sort(self, sort: Sort) -> Any:
        if isinstance(sort, Bits):
            return self.manager.mk_bv_sort(sort.width)
        if isinstance(sort, Array):
            return self.manager.mk_array_sort(
                self.manager.mk_bv_sort(sort.index), self.manager.mk_bv_sort(sort.element)
            )
        return self.manager.mk_bool_sort()

    def translated(self, term: Term) -> Any:
        for one in in_order((term,)):
            if one not in self.done:
                self.done[one] = self._one(one)
        return self.done[term]

    def _one(self, term: Term) -> Any:
        manager = self.manager
        given = [self.done[one] for one in term.operands]
        if term.operator == "variable":
            return manager.mk_const(self.sort(term.sort), term.name)
        if term.operator == "constant":
            if isinstance(term.sort, Bits):
                return manager.mk_bv_value(self.sort(term.sort), term.value)
            return manager.mk_true() if term.value else manager.mk_false()
        if term.operator == "const":
            return manager.mk_const_array(self.sort(term.sort), given[0])
        kind = getattr(self.library.Kind, KINDS[term.operator])
        return manager.mk_term(kind, given, list(term.parameters))


def first_unproved(refutations: list[Term], deadline: float) -> int | None:
    """The position of the first that has a model or is not decided; None if all are unsatisfiable."""
    prover = Prover()
    for position, refutation in enumerate(refutations):
        if prover.is_unsatisfiable(refutation, deadline - time.monotonic()) is not True:
            return position
    return None
