"""Constrained Horn clauses for z3's Spacer (Grebenshchikov et al. 2012; Komuravelli et al. 2014).

A relation for each cut point over the variables that are read after it, a clause for each block, and the
query is whether a failure can be reached. Over bit vectors (`horn`) the answer is read back as it is; over
ideal integers (`horn-integers`, see `integers`) it is only a guess, of which the inductive part is kept.

Nothing rests on Spacer being right: it has called failing programs safe, and its preprocessing (which is
off here) gave invariants that were none. Its time-outs are those of a clock and not always kept, so it runs
in a process with a limit of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import z3

from assay.search.sequential.findings import Finding, Invariants, Status
from assay.search.sequential.templates import live_at
from assay.search.sequential.z3_terms import NotReadable, Translation, read
from assay.transition_system.sequential.bitvectors import TRUE, Substitution, Term, in_order, variables_of
from assay.transition_system.sequential.blocks import Block, live_blocks
from assay.transition_system.sequential.control_flow import ControlFlow

NAME = "horn"
OFF = ("fp.xform.inline_eager", "fp.xform.inline_linear", "fp.xform.slice")


def search(flow: ControlFlow, *, deadline: float, say: Callable[[str], None]) -> Finding:
    parts = live_blocks(flow)
    translation = Translation()
    clauses = Clauses(flow, parts, live_at(flow, parts), translation)
    say(f"{len(clauses.relations)} relations, {len(parts)} clauses")
    answer = clauses.solved(deadline - time.monotonic())
    if not isinstance(answer, dict):
        return Finding(NAME, Status.UNKNOWN, answer)
    try:
        found = {
            at: read(body, clauses.live[at]) if body is not None else TRUE for at, body in answer.items()
        }
    except NotReadable as problem:
        return Finding(NAME, Status.UNKNOWN, str(problem))
    return Finding(NAME, Status.SAFE, invariants=Invariants(found))


class Clauses:
    """`translation` turns terms into z3's, over bit vectors or over integers."""

    def __init__(
        self,
        flow: ControlFlow,
        parts: Sequence[Block],
        live: Mapping[int, Sequence[Term]],
        translation: Callable[[Term], Any],
    ) -> None:
        self.flow, self.live, self.translation = flow, live, translation
        self.ranges: Callable[[Term], Sequence[Any]] = getattr(translation, "ranges", lambda _: ())
        self.solver = z3.SolverFor("HORN")
        for option in OFF:
            self.solver.set(option, False)
        self.relations = {
            at: z3.Function(f"at_{at}", *[translation(one).sort() for one in names], z3.BoolSort())
            for at, names in live.items()
        }
        if flow.entry in self.relations:
            self._clause([], self._at(flow.entry, Substitution(flow.initial_values)))
        for block in parts:
            self._add(block)

    def _at(self, location: int, values: Callable[[Term], Term]) -> tuple[Any, list[Term]]:
        terms = [values(one) for one in self.live[location]]
        return self.relations[location](*[self.translation(one) for one in terms]), terms

    def _add(self, block: Block) -> None:
        begins = block.source not in self.relations
        initial = Substitution(self.flow.initial_values if begins else {})
        after = {one: initial(value) for one, value in block.values.items()}
        values = Substitution({**(self.flow.initial_values if begins else {}), **after})
        condition = initial(block.condition)
        body: list[Any] = [] if begins else [self._at(block.source, lambda one: one)]
        body.append((self.translation(condition), [condition]))
        if block.target in self.relations:
            self._clause(body, self._at(block.target, values))
        elif block.target in self.flow.failures:
            self._clause(body, (z3.BoolVal(False), []))

    def _clause(self, body: list[tuple[Any, list[Term]]], head: tuple[Any, list[Term]]) -> None:
        terms = [one for _, each in (*body, head) for one in each]
        names = sorted(variables_of(*terms), key=lambda one: one.name)
        ranges = [fact for one in names for fact in self.ranges(one)]
        given = [one for one, _ in body] + ranges
        formula = z3.Implies(z3.And(given), head[0]) if given else head[0]
        bound = [self.translation(one) for one in names] + self._unknown(terms)
        self.solver.add(z3.ForAll(bound, formula) if bound else formula)

    def _unknown(self, terms: Sequence[Term]) -> list[Any]:
        """What a translation adds: variables for what it does not know."""
        known: Mapping[Term, Any] = getattr(self.translation, "unknown", {})
        return [known[one] for one in in_order(terms) if one in known]

    def solved(self, seconds: float) -> dict[int, Any] | str:
        """Of each cut point, the body of its relation (None: anything); or why there is none."""
        self.solver.set("timeout", max(1, int(seconds * 1000)))
        try:
            answer = self.solver.check()
            if answer == z3.unsat:
                return "Spacer says that something fails"
            if answer != z3.sat:
                return "Spacer does not know"
            model = self.solver.model()
            return {at: _body(model, relation) for at, relation in self.relations.items()}
        except (z3.Z3Exception, NotReadable) as problem:
            return f"Spacer gave up: {str(problem)[:200]}"


def _body(model: Any, relation: Any) -> Any:
    value = model[relation]
    if value is None or not isinstance(value, z3.FuncInterp):
        return value
    if value.num_entries():
        raise NotReadable("a relation of Spacer's answer is a list of cases")
    return value.else_value()
