"""The reachable states of a boolean program: explicitly, and by binary decision diagrams (Bryant 1986; Ball
and Rajamani 2000, "Bebop"). Both answer the same, and tests hold them to it.

A state is a location and a value of each predicate. Both go breadth first, so that an error trace is as short
as any; both stop at the first failure.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.records import dataclass
from assay.search.sequential.boolean_program import BooleanProgram, Cube, Dnf, Statement
from assay.transition_system.interface import SourceProblem
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term
from assay.transition_system.sequential.control_flow import Edge

MISSING = "boolean programs need oxidd; install it with: pip install 'assay-mc[c]'"
MOST_STATES = 300_000


@dataclass(frozen=True, slots=True)
class Reached:
    """`trace`: edges to the first failure; None if there is none. `states`: how many of each location
    (failures left out) were found in as many steps. `holds`: of each location, what is true of its states."""

    trace: tuple[Edge, ...] | None
    states: Mapping[int, int]
    holds: Mapping[int, Term]


# --- one state after the other ---


def explicitly(program: BooleanProgram, deadline: float) -> Reached:
    outgoing = by_source(program)
    width = len(program.predicates)
    parents: dict[tuple[int, int], tuple[tuple[int, int], Edge] | None] = {}
    for state in first_states(program):
        parents[program.flow.entry, state] = None
    level = list(parents)
    while level:
        if time.monotonic() > deadline or len(parents) > MOST_STATES:
            raise TimeoutError
        following: list[tuple[int, int]] = []
        for here in level:
            for statement in outgoing.get(here[0], ()):
                for after in states_after(statement, here[1], width, program.inconsistent):
                    there = (statement.edge.target, after)
                    if there not in parents:
                        parents[there] = (here, statement.edge)
                        following.append(there)
        failed = sorted(one for one in following if one[0] in program.flow.failures)
        if failed:
            return Reached(_path(parents, failed[0]), _counted(program, parents), {})
        level = following
    return Reached(None, _counted(program, parents), _explicit_holds(program, list(parents)))


def _counted(program: BooleanProgram, states: Iterable[tuple[int, int]]) -> dict[int, int]:
    return dict(Counter(at for at, _ in states if at not in program.flow.failures))


def by_source(program: BooleanProgram) -> dict[int, list[Statement]]:
    found: dict[int, list[Statement]] = {}
    for statement in program.statements:
        found.setdefault(statement.edge.source, []).append(statement)
    return found


def _meets(state: int, cubes: Dnf) -> bool:
    return any(all((state >> at & 1) == value for at, value in cube) for cube in cubes)


def first_states(program: BooleanProgram) -> Iterator[int]:
    start = [(False, True) if one is None else (one,) for one in program.initial]
    yield from _states(start, program.inconsistent)


def states_after(statement: Statement, state: int, width: int, inconsistent: Dnf) -> Iterator[int]:
    if _meets(state, statement.impossible):
        return
    values: list[Sequence[bool]] = [(bool(state >> at & 1),) for at in range(width)]
    for update in statement.updates:
        if _meets(state, update.yes):
            values[update.predicate] = (True,)
        elif _meets(state, update.no):
            values[update.predicate] = (False,)
        else:
            values[update.predicate] = (False, True)
    yield from _states(values, inconsistent)


def _states(values: Sequence[Sequence[Any]], inconsistent: Dnf) -> Iterator[int]:
    states = [0]
    for at, choices in enumerate(values):
        states = [state | value << at for state in states for value in choices]
        if len(states) > MOST_STATES:
            raise TimeoutError
    yield from (state for state in states if not _meets(state, inconsistent))


def _path(parents: Mapping[tuple[int, int], Any], last: tuple[int, int]) -> tuple[Edge, ...]:
    found = []
    step = parents[last]
    while step is not None:
        before, edge = step
        found.append(edge)
        step = parents[before]
    return tuple(reversed(found))


def _explicit_holds(program: BooleanProgram, states: Sequence[tuple[int, int]]) -> dict[int, Term]:
    found: dict[int, list[Term]] = {}
    for location, state in states:
        literals = (one if state >> at & 1 else bv.negated(one) for at, one in enumerate(program.predicates))
        found.setdefault(location, []).append(bv.all_of(literals))
    return {at: bv.any_of(cubes) for at, cubes in found.items()}


# --- all states of a location at once ---


class Diagrams:
    """Of predicate n, variable 2n is its value before a statement and 2n + 1 its value after it."""

    def __init__(self, program: BooleanProgram) -> None:
        try:
            from oxidd.bdd import BDDFunction, BDDManager
        except ImportError:
            raise SourceProblem(MISSING) from None
        self.program = program
        self.count = len(program.predicates)
        self.manager = BDDManager(1 << 20, 1 << 18, 1)
        self.manager.add_vars(2 * self.count)
        self.substitution = BDDFunction.make_substitution
        from oxidd.util import BooleanOperator

        self.conjunction = BooleanOperator.AND
        self.before = [self.manager.var(2 * at) for at in range(self.count)]
        self.after = [self.manager.var(2 * at + 1) for at in range(self.count)]
        self.consistent = ~self.dnf(program.inconsistent)
        self.relations = [self._relation(one) for one in program.statements]

    def cube(self, cube: Cube) -> Any:
        found = self.manager.true()
        for at, value in cube:
            found &= self.before[at] if value else ~self.before[at]
        return found

    def dnf(self, cubes: Dnf) -> Any:
        found = self.manager.false()
        for one in cubes:
            found |= self.cube(one)
        return found

    def _relation(self, statement: Statement) -> tuple[Any, Any, Any, Any]:
        """The relation; what is quantified away for the image; and how to rename, there and back."""
        relation = ~self.dnf(statement.impossible)
        changed = [one.predicate for one in statement.updates]
        old, new = self.manager.true(), self.manager.true()
        for update in statement.updates:
            yes = self.dnf(update.yes)
            no = self.dnf(update.no) & ~yes
            after = self.after[update.predicate]
            relation &= yes.imp(after) & no.imp(~after)
            old &= self.before[update.predicate]
            new &= after
        pairs = [(2 * at + 1, self.before[at]) for at in changed]
        back = [(2 * at, self.after[at]) for at in changed]
        there = self.substitution(pairs) if changed else None
        return relation, (old, there), (new, self.substitution(back) if changed else None), bool(changed)

    def image(self, number: int, states: Any) -> Any:
        relation, (old, rename), _, changes = self.relations[number]
        if not changes:
            return states & relation
        return states.apply_exists(self.conjunction, relation, old).substitute(rename) & self.consistent

    def preimage(self, number: int, states: Any) -> Any:
        relation, _, (new, rename), changes = self.relations[number]
        if not changes:
            return states & relation
        return states.substitute(rename).apply_exists(self.conjunction, relation, new)

    def initial(self) -> Any:
        known = tuple((at, bool(value)) for at, value in enumerate(self.program.initial) if value is not None)
        return self.cube(known) & self.consistent

    def size(self, states: Any) -> int:
        return int(states.sat_count(2 * self.count)) >> self.count

    def term(self, states: Any) -> Term:
        done: dict[Any, Term] = {}

        def of(one: Any) -> Term:
            if not one.satisfiable():
                return bv.FALSE
            if one.valid():
                return bv.TRUE
            if one not in done:
                yes, no = one.cofactors()
                done[one] = bv.ite(self.program.predicates[one.node_var() // 2], of(yes), of(no))
            return done[one]

        return of(states)


def by_diagrams(program: BooleanProgram, deadline: float) -> Reached:
    diagrams = Diagrams(program)
    flow = program.flow
    numbers: dict[int, list[int]] = {}
    for number, statement in enumerate(program.statements):
        numbers.setdefault(statement.edge.source, []).append(number)
    reached = {flow.entry: diagrams.initial()}
    rings = [dict(reached)]
    while rings[-1]:
        if time.monotonic() > deadline:
            raise TimeoutError
        ring: dict[int, Any] = {}
        for location, states in rings[-1].items():
            for number in numbers.get(location, ()):
                target = program.statements[number].edge.target
                new = diagrams.image(number, states)
                if target in reached:
                    new = new & ~reached[target]
                if not new.satisfiable():
                    continue
                reached[target] = reached[target] | new if target in reached else new
                ring[target] = ring[target] | new if target in ring else new
        rings.append(ring)
        failed = sorted(ring.keys() & flow.failures.keys())
        if failed:
            counts = {at: diagrams.size(one) for at, one in reached.items() if at not in flow.failures}
            return Reached(_back(diagrams, rings, failed[0]), counts, {})
    counts = {at: diagrams.size(one) for at, one in reached.items()}
    return Reached(None, counts, {at: diagrams.term(states) for at, states in reached.items()})


def _back(diagrams: Diagrams, rings: Sequence[Mapping[int, Any]], failure: int) -> tuple[Edge, ...]:
    trace: list[Edge] = []
    location, states = failure, rings[-1][failure]
    for ring in reversed(rings[:-1]):
        for number, statement in enumerate(diagrams.program.statements):
            edge = statement.edge
            if edge.target != location or edge.source not in ring:
                continue
            before = diagrams.preimage(number, states) & ring[edge.source]
            if before.satisfiable():
                trace.append(edge)
                location, states = edge.source, before
                break
        else:
            raise AssertionError("a state of a ring has a predecessor in the one before")
    return tuple(reversed(trace))
