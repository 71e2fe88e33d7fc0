"""Questions for solvers: whether a term holds nowhere. Bitwuzla is asked where cvc5 does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.checker.c.terms import BOOL, Sort, Term, ordered

SECONDS = 60.0
CVC5 = {
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
# Where its names are others than those of the first.
BITWUZLA = {
    "bvmul": "BV_MUL",
    "bvlshr": "BV_SHR",
    "select": "ARRAY_SELECT",
    "store": "ARRAY_STORE",
    "=": "EQUAL",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
    "ite": "ITE",
}


class Cvc5:
    def __init__(self) -> None:
        import cvc5  # type: ignore[import-untyped]

        self.library, self.manager = cvc5, cvc5.TermManager()
        self.name = f"cvc5 {cvc5.__version__}"
        self.known: dict[int, Any] = {}

    def never_holds(self, term: Term, seconds: float) -> bool | None:
        solver = self.library.Solver(self.manager)
        solver.setOption("tlimit-per", str(int(seconds * 1000)))
        solver.setOption("arrays-exp", "true")  # arrays that hold one value everywhere
        solver.setLogic("QF_ABV")
        try:
            solver.assertFormula(self._all(term))
            answer = solver.checkSat()
        except RuntimeError:  # something that it does not support
            return None
        return True if answer.isUnsat() else False if answer.isSat() else None

    def _all(self, term: Term) -> Any:
        for one in ordered((term,)):
            if id(one) not in self.known:
                self.known[id(one)] = self._made(one, [self.known[id(each)] for each in one.args])
        return self.known[id(term)]

    def _sort(self, sort: Sort) -> Any:
        manager = self.manager
        if isinstance(sort, tuple):
            return manager.mkArraySort(*map(manager.mkBitVectorSort, sort))
        return manager.getBooleanSort() if sort == BOOL else manager.mkBitVectorSort(sort)

    def _made(self, one: Term, given: list[Any]) -> Any:
        manager = self.manager
        if one.op == "var":
            return manager.mkConst(self._sort(one.sort), one.params[0])
        if one.value is not None:
            if one.sort == BOOL:
                return manager.mkBoolean(bool(one.value))
            return manager.mkBitVector(one.width, str(one.value), 10)
        if one.op == "fill":
            return manager.mkConstArray(self._sort(one.sort), given[0])
        kind = getattr(self.library.Kind, CVC5[one.op])
        if one.params:
            return manager.mkTerm(manager.mkOp(kind, *one.params), *given)
        return manager.mkTerm(kind, *given)


class Bitwuzla:
    def __init__(self) -> None:
        import bitwuzla

        self.library, self.manager = bitwuzla, bitwuzla.TermManager()
        self.name = "bitwuzla"
        self.known: dict[int, Any] = {}

    def never_holds(self, term: Term, seconds: float) -> bool | None:
        options = self.library.Options()
        options.set(self.library.Option.TIME_LIMIT_PER, int(seconds * 1000))
        solver = self.library.Bitwuzla(self.manager, options)
        for one in ordered((term,)):
            if id(one) not in self.known:
                self.known[id(one)] = self._made(one, [self.known[id(each)] for each in one.args])
        solver.assert_formula(self.known[id(term)])
        answer = solver.check_sat()
        results = self.library.Result
        return True if answer == results.UNSAT else False if answer == results.SAT else None

    def _sort(self, sort: Sort) -> Any:
        manager = self.manager
        if isinstance(sort, tuple):
            return manager.mk_array_sort(*map(manager.mk_bv_sort, sort))
        return manager.mk_bool_sort() if sort == BOOL else manager.mk_bv_sort(sort)

    def _made(self, one: Term, given: list[Any]) -> Any:
        manager = self.manager
        if one.op == "var":
            return manager.mk_const(self._sort(one.sort), one.params[0])
        if one.value is not None:
            if one.sort == BOOL:
                return manager.mk_true() if one.value else manager.mk_false()
            return manager.mk_bv_value(self._sort(one.sort), one.value)
        if one.op == "fill":
            return manager.mk_const_array(self._sort(one.sort), given[0])
        name = BITWUZLA.get(one.op) or CVC5[one.op].replace("BITVECTOR", "BV")
        return manager.mk_term(getattr(self.library.Kind, name), given, list(one.params))


class Solvers:
    """`used`: who decided something."""

    def __init__(self) -> None:
        self.known: dict[type[Cvc5 | Bitwuzla], Cvc5 | Bitwuzla | None] = {}
        self.used: dict[str, None] = {}

    def installed(self) -> Iterator[Cvc5 | Bitwuzla]:
        """Each is imported when it is its turn: that takes longer than most questions."""
        for kind in (Cvc5, Bitwuzla):
            if kind not in self.known:
                try:
                    self.known[kind] = kind()
                except ImportError:
                    self.known[kind] = None
            found = self.known[kind]
            if found is not None:
                yield found

    def never_holds(self, term: Term, seconds: float = SECONDS) -> bool | None:
        if term.value is not None:
            return not term.value
        for one in self.installed():
            answer = one.never_holds(term, seconds)
            if answer is not None:
                self.used[one.name] = None
                return answer
        return None
