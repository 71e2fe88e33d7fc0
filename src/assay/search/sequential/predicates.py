"""Predicate abstraction with refinement by counterexamples (Clarke et al. 2000; SLAM: Ball and Rajamani
2001).

1. The predicates are those of the specification: the tests that decide whether a failure is reached.
2. The boolean program over them is made (`boolean_program`) and its states are computed
   (`boolean_reachability`). No failure: the reachable states at cut points are the invariants of a proof.
3. The error trace is followed in the program itself. A model is a run that fails.
4. It is infeasible: interpolants between each two of its statements (McMillan 2003; Henzinger et al. 2004),
   bit-precisely by Bitwuzla, say what has to be known there. Their atoms are new predicates, but for those
   without which the others rule the trace out as well; if there are none, the atoms of weakest preconditions
   along the trace are. Again from 2.

It need not end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.search.sequential.boolean_program import Abstraction, BooleanProgram
from assay.search.sequential.boolean_reachability import Diagrams, Reached, by_diagrams
from assay.search.sequential.findings import Choices, Finding, Invariants, Status
from assay.search.sequential.rounds import Round
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import BOOLEAN, Term, Value
from assay.transition_system.sequential.c_text import as_c
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge
from assay.transition_system.sequential.running import default

NAME = "predicates"
SHOWS = True  # each round, to whoever asks
MOST_PREDICATES = 60
MOST_NEW = 8  # in one refinement
MOST_NODES = 40  # of a predicate

Check = Callable[[BooleanProgram, float], Reached]


def search(
    flow: ControlFlow,
    *,
    deadline: float,
    say: Callable[[str], None],
    check: Check = by_diagrams,
    watch: Callable[[BooleanProgram, Reached], None] = lambda *_: None,
    show: Callable[[Round], None] = lambda _: None,
) -> Finding:
    """`watch` sees each boolean program and what was found in it, `show` is told what came of it."""
    abstraction = Abstraction(flow, deadline)
    predicates = list(distinct((), of_the_specification(flow)))
    positions = {id(edge): number for number, edge in enumerate(flow.edges)}
    rounds = 0
    try:
        while True:
            rounds += 1
            say(f"round {rounds}: {', '.join(map(as_c, predicates)) or 'no predicates'}"[:400])
            program = abstraction.program(predicates)
            reached = check(program, deadline)
            watch(program, reached)
            if reached.trace is None:
                found = {at: reached.holds.get(at, bv.FALSE) for at in flow.cut_points}
                detail = (
                    f"{len(predicates)} predicates, {sum(reached.states.values())} states, {rounds} rounds"
                )
                show(Round(program, None))
                return Finding(NAME, Status.SAFE, detail, invariants=Invariants(found))
            trace = Trace(flow, reached.trace)
            numbers = tuple(positions[id(edge)] for edge in reached.trace)
            choices = trace.run(deadline - time.monotonic())
            if choices is not None:
                show(Round(program, numbers, is_feasible=True))
                return Finding(NAME, Status.UNSAFE, f"{rounds} rounds", run=choices)
            new = list(
                islice(distinct(predicates, trace.interpolants(deadline - time.monotonic())), MOST_NEW)
            )
            new = needed(abstraction, predicates, new, reached.trace)
            if not new:
                new = list(islice(distinct(predicates, trace.weakest_preconditions()), MOST_NEW))
            show(Round(program, numbers, is_feasible=False, new=tuple(map(as_c, new))))
            say(f"round {rounds}: an error trace that is infeasible; new: {', '.join(map(as_c, new))}"[:400])
            if not new or len(predicates) + len(new) > MOST_PREDICATES:
                why = "no new predicates in an infeasible trace" if not new else "too many predicates"
                return Finding(NAME, Status.UNKNOWN, f"{why} after {rounds} rounds")
            predicates += new
    except TimeoutError:
        return Finding(
            NAME, Status.UNKNOWN, f"out of time with {len(predicates)} predicates in round {rounds}"
        )


def needed(
    abstraction: Abstraction, known: Sequence[Term], new: Sequence[Term], trace: Sequence[Edge]
) -> list[Term]:
    """Without those that the others do not need to rule the trace out. Solvers put more into an interpolant
    than there has to be, and each predicate is one that people read and that doubles the states."""
    kept = list(new)
    if len(new) < 2 or not rules_out(abstraction, [*known, *new], trace):
        return kept
    for one in reversed(new):  # the first of them stand first on the trace
        rest = [each for each in kept if each is not one]
        if rest and rules_out(abstraction, [*known, *rest], trace):
            kept = rest
    return kept


def rules_out(abstraction: Abstraction, predicates: Sequence[Term], trace: Sequence[Edge]) -> bool:
    diagrams = Diagrams(abstraction.along(predicates, trace))
    states = diagrams.initial()
    for number in range(len(trace)):
        states = diagrams.image(number, states)
        if not states.satisfiable():
            return True
    return False


def of_the_specification(flow: ControlFlow) -> Iterator[Term]:
    for failure in flow.failures:
        seen = {failure}
        waiting = [failure]
        while waiting:
            for edge in flow.incoming[waiting.pop()]:
                if isinstance(edge.action, Assume) and edge.action.condition is bv.TRUE:
                    if edge.source not in seen:
                        seen.add(edge.source)
                        waiting.append(edge.source)
                elif isinstance(edge.action, Assume):
                    yield from atoms(edge.action.condition)


def atoms(term: Term) -> Iterator[Term]:
    """What truth values it is made of, without `not`."""
    waiting = [term]
    seen = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.operator in ("and", "or", "not") or (
            one.operator in ("ite", "=") and one.operands[-1].sort == BOOLEAN
        ):
            waiting += reversed(one.operands)
        elif one.operator == "=" and all(each.operator == "variable" for each in one.operands):
            yield bv.equal(*sorted(one.operands, key=lambda each: each.name))  # as it would be written down
        elif not one.is_constant:
            yield one


def distinct(known: Iterable[Term], found: Iterable[Term]) -> Iterator[Term]:
    """Those that are new, whatever their sign."""
    seen = set(known)
    for one in found:
        is_large = sum(1 for _ in islice(bv.in_order((one,)), MOST_NODES + 1)) > MOST_NODES
        if one not in seen and bv.negated(one) not in seen and not is_large:
            seen.add(one)
            yield one


class Trace:
    """An error trace as formulas, one for each edge, over a new variable for each value."""

    def __init__(self, flow: ControlFlow, edges: Sequence[Edge]) -> None:
        self.flow, self.edges = flow, edges
        self.formulas: list[Term] = []
        self.names: list[dict[Term, Term]] = []  # after each formula: what is each variable called
        self.chosen: list[Term] = []
        start = bv.all_of(bv.equal(name, value) for name, value in flow.initial_values.items())
        names = {one: one for one in flow.variables}
        self._add(start, names)
        for step, edge in enumerate(edges):
            names, formula = self._step(step, edge, names)
            self._add(formula, names)

    def _add(self, formula: Term, names: dict[Term, Term]) -> None:
        self.formulas.append(formula)
        self.names.append(names)

    def _step(self, step: int, edge: Edge, names: dict[Term, Term]) -> tuple[dict[Term, Term], Term]:
        now = bv.Substitution(names)
        action = edge.action
        if isinstance(action, Assume):
            return names, now(action.condition)
        set_here = [one for one, _ in action.values] if isinstance(action, Assign) else []
        if isinstance(action, Choose):
            set_here = [action.variable]
        new = {one: bv.variable(f"{one.name}!{step}", one.sort) for one in set_here}
        if isinstance(action, Choose):
            self.chosen.append(new[action.variable])
            return {**names, **new}, bv.TRUE
        assert isinstance(action, Assign)
        return {**names, **new}, bv.all_of(bv.equal(new[one], now(value)) for one, value in action.values)

    def run(self, seconds: float) -> Choices | None:
        model = Prover().model(bv.all_of(self.formulas), seconds)
        if model is None:
            return None

        def value(one: Term) -> Value:
            return model[one] if one in model else default(one.sort)

        unset = [one for one in self.flow.variables if one not in self.flow.initial_values]
        return Choices({one: value(one) for one in unset}, tuple(map(value, self.chosen)))

    def interpolants(self, seconds: float) -> Iterator[Term]:
        """Their atoms, over the variables of the program."""
        for at, found in Prover().interpolants(self.formulas, seconds):
            back = {name: one for one, name in self.names[at].items()}
            term = bv.substituted(found, back)
            if bv.variables_of(term) <= set(self.flow.variables):
                yield from atoms(term)

    def weakest_preconditions(self) -> Iterator[Term]:
        known = set(self.flow.variables)
        condition = bv.TRUE
        for edge in reversed(self.edges):
            action = edge.action
            if isinstance(action, Assume):
                condition = bv.all_of((condition, action.condition))
            elif isinstance(action, Assign):
                condition = bv.substituted(condition, dict(action.values))
            elif isinstance(action, Choose):
                fresh = bv.variable("chosen!", action.variable.sort)
                condition = bv.substituted(condition, {action.variable: fresh})
            yield from (one for one in atoms(condition) if bv.variables_of(one) <= known)
