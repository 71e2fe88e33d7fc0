"""Does a conclusion follow from literals? Many questions about the same terms, of one solver.

Each term has a name in the solver, a truth that is equivalent to it, and is encoded once; a question is then
a list of names. Where the answer is yes, the solver says which of the literals it needed, and every later
question that has these is answered without it. What is answered here decides how a search goes on, never a
verdict: `Z3Prover` looks at each obligation of a proof once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.evidence.inductive.z3_prover import TooWide, encoding_for
from assay.transition_system.terms import Term, Variable

MOST_CORES = 64  # kept for one conclusion


class Entailment:
    """Terms are known by their identity, and kept."""

    def __init__(self, variables: Sequence[Variable], terms: Iterable[Term], *, seconds: float = 5.0) -> None:
        self.encoding = encoding_for(variables, terms)
        self.z3 = self.encoding.z3
        self.solver = self.z3.Solver()
        self.solver.set("timeout", max(1, int(seconds * 1000)))
        self.solver.add(*self.encoding.ranges())
        self._names: dict[int, tuple[Term, Any]] = {}
        self._terms: dict[int, int] = {}  # of a name in the solver, which term it is
        self._cores: dict[int, list[frozenset[int]]] = {}
        self.questions = 0

    def __call__(self, given: Sequence[Term], then: Term) -> bool:
        """False if nobody knows, too."""
        known = {id(one) for one in given}
        if id(then) in known:
            return True
        try:
            conclusion = self._name(then)  # kept, from here on: so its identity means it alone
            cores = self._cores.setdefault(id(then), [])
            if any(core <= known for core in cores):
                return True
            names = [self._name(one) for one in given]
        except TooWide:
            return False
        self.questions += 1
        if self.solver.check(*names, self.z3.Not(conclusion)) != self.z3.unsat:
            return False
        needed = (self._terms.get(name.get_id()) for name in self.solver.unsat_core())
        if len(cores) < MOST_CORES:
            cores.append(frozenset(one for one in needed if one is not None))
        return True

    def _name(self, term: Term) -> Any:
        found = self._names.get(id(term))
        if found is None:
            name = self.z3.Bool(f"term {len(self._names)}")
            self.solver.add(name == self.encoding(term))
            found = self._names[id(term)] = (term, name)
            self._terms[name.get_id()] = id(term)
        return found[1]
