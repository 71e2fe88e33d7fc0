"""Obligations for cvc5: a second opinion, which shares no code with z3 or Bitwuzla."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from assay.transition_system.sequential.bitvectors import Array, Bits, Sort, Term, in_order

KINDS: Mapping[str, str] = {
    "bvadd": "BITVECTOR_ADD",
    "bvsub": "BITVECTOR_SUB",
    "bvmul": "BITVECTOR_MULT",
    "bvudiv": "BITVECTOR_UDIV",
    "bvurem": "BITVECTOR_UREM",
    "bvsdiv": "BITVECTOR_SDIV",
    "bvsrem": "BITVECTOR_SREM",
    "bvand": "BITVECTOR_AND",
    "bvor": "BITVECTOR_OR",
    "bvxor": "BITVECTOR_XOR",
    "bvshl": "BITVECTOR_SHL",
    "bvlshr": "BITVECTOR_LSHR",
    "bvashr": "BITVECTOR_ASHR",
    "bvult": "BITVECTOR_ULT",
    "bvule": "BITVECTOR_ULE",
    "bvslt": "BITVECTOR_SLT",
    "bvsle": "BITVECTOR_SLE",
    "bvnot": "BITVECTOR_NOT",
    "bvneg": "BITVECTOR_NEG",
    "=": "EQUAL",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
    "ite": "ITE",
    "concat": "BITVECTOR_CONCAT",
    "select": "SELECT",
    "store": "STORE",
    "extract": "BITVECTOR_EXTRACT",
    "zero_extend": "BITVECTOR_ZERO_EXTEND",
    "sign_extend": "BITVECTOR_SIGN_EXTEND",
}


class Cvc5:
    """Raises ImportError where it is not installed."""

    def __init__(self) -> None:
        import cvc5  # type: ignore[import-untyped]

        self.library = cvc5
        self.manager = cvc5.TermManager()
        self.done: dict[Term, Any] = {}
        self.version = str(cvc5.__version__)

    def is_unsatisfiable(self, term: Term, seconds: float) -> bool | None:
        """None: nobody knows."""
        solver = self.library.Solver(self.manager)
        solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
        solver.setOption("arrays-exp", "true")  # arrays that hold one value everywhere
        solver.setLogic("QF_ABV")
        try:
            solver.assertFormula(self.translated(term))
            answer = solver.checkSat()
        except RuntimeError:  # something that it does not support
            return None
        if answer.isUnsat():
            return True
        return False if answer.isSat() else None

    def sort(self, sort: Sort) -> Any:
        manager = self.manager
        if isinstance(sort, Bits):
            return manager.mkBitVectorSort(sort.width)
        if isinstance(sort, Array):
            return manager.mkArraySort(
                manager.mkBitVectorSort(sort.index), manager.mkBitVectorSort(sort.element)
            )
        return manager.getBooleanSort()

    def translated(self, term: Term) -> Any:
        for one in in_order((term,)):
            if one not in self.done:
                self.done[one] = self._one(one)
        return self.done[term]

    def _one(self, term: Term) -> Any:
        manager = self.manager
        given = [self.done[one] for one in term.operands]
        if term.operator == "variable":
            return manager.mkConst(self.sort(term.sort), term.name)
        if term.operator == "constant":
            if isinstance(term.sort, Bits):
                return manager.mkBitVector(term.width, str(term.value), 10)
            return manager.mkBoolean(bool(term.value))
        if term.operator == "const":
            return manager.mkConstArray(self.sort(term.sort), given[0])
        kind = getattr(self.library.Kind, KINDS[term.operator])
        if term.parameters:
            return manager.mkTerm(manager.mkOp(kind, *term.parameters), *given)
        return manager.mkTerm(kind, *given)


def second_opinion(refutations: Sequence[Term], seconds: float) -> dict[str, Any]:
    """`refuted`: the position of one that has a model, or None; `undecided`: how many nobody knows about in
    that time; `solver`: who was asked, empty if it is not installed."""
    try:
        second = Cvc5()
    except ImportError:
        return {"refuted": None, "undecided": len(refutations), "solver": ""}
    until = time.monotonic() + seconds
    undecided = 0
    for position, one in enumerate(refutations):
        left = until - time.monotonic()
        proved = second.is_unsatisfiable(one, left) if left > 0 else None
        if proved is False:
            return {"refuted": position, "undecided": undecided, "solver": second.version}
        undecided += proved is None
    return {"refuted": None, "undecided": undecided, "solver": f"cvc5 {second.version}"}
