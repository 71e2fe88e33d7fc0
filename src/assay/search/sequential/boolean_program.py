"""Boolean programs: predicate abstraction, statement by statement (Graf and Saïdi 1997; Ball et al. 2001,
"Automatic predicate abstraction of C programs").

A predicate becomes a boolean variable. After an assignment it is `choose(yes, no)`: true where the weakest
precondition of the predicate is implied by what is known before, false where that of its negation is, and
anything otherwise. A test may be taken where its negation is not implied. "Implied" is by a cube of up to
three predicates, as the solver says; each counterexample of the solver rules out all cubes that it meets.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.records import dataclass
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term, Value
from assay.transition_system.sequential.c_text import as_c
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose, ControlFlow, Edge
from assay.transition_system.sequential.running import default

Cube = tuple[tuple[int, bool], ...]  # predicates by their positions
Dnf = tuple[Cube, ...]
FALSE: Dnf = ()
TRUE: Dnf = ((),)
MOST_RELEVANT = 8
LONGEST_CUBE = 3


@dataclass(frozen=True, slots=True)
class Update:
    predicate: int
    yes: Dnf
    no: Dnf


@dataclass(frozen=True, slots=True)
class Statement:
    edge: Edge
    impossible: Dnf  # where the edge cannot be taken
    updates: tuple[Update, ...]


@dataclass(frozen=True)
class BooleanProgram:
    flow: ControlFlow
    predicates: tuple[Term, ...]
    statements: tuple[Statement, ...]  # in the order of the edges of the flow
    initial: tuple[bool | None, ...]  # of each predicate; None: either
    inconsistent: Dnf  # what no state is


class Abstraction:
    """Knows what it has asked, so that the next refinement costs what is new in it."""

    def __init__(self, flow: ControlFlow, deadline: float) -> None:
        self.flow, self.deadline = flow, deadline
        self.prover = Prover()
        self.known: dict[tuple[Term, tuple[Term, ...]], tuple[tuple[tuple[Term, bool], ...], ...]] = {}
        self.questions = 0

    def program(self, predicates: Sequence[Term]) -> BooleanProgram:
        return self.along(predicates, self.flow.edges)

    def along(self, predicates: Sequence[Term], edges: Sequence[Edge]) -> BooleanProgram:
        """With statements for these edges alone."""
        of = {one: bv.variables_of(one) for one in predicates}
        statements = tuple(self._statement(edge, predicates, of) for edge in edges)
        initial = bv.Substitution(self.flow.initial_values)
        return BooleanProgram(
            self.flow,
            tuple(predicates),
            statements,
            tuple(self._initially(initial(one)) for one in predicates),
            tuple(self._inconsistent(predicates, of)),
        )

    def _initially(self, predicate: Term) -> bool | None:
        if self._model(bv.negated(predicate)) is None:
            return True
        return False if self._model(predicate) is None else None

    def _inconsistent(self, predicates: Sequence[Term], of: dict[Term, set[Term]]) -> Iterator[Cube]:
        """Pairs that exclude each other."""
        for (first, one), (second, other) in combinations(enumerate(predicates), 2):
            if not of[one] & of[other]:
                continue
            for left, right in product((True, False), repeat=2):
                cubes = self._implied(_literal(other, not right), [one])
                if cubes == ((),) or ((one, left),) in cubes:
                    yield ((first, left), (second, right))

    def _statement(self, edge: Edge, predicates: Sequence[Term], of: dict[Term, set[Term]]) -> Statement:
        action = edge.action
        if isinstance(action, Assume):
            return Statement(edge, self._cubes(bv.negated(action.condition), predicates, of), ())
        if isinstance(action, Assign):
            values = dict(action.values)
        else:
            assert isinstance(action, Choose)
            values = {action.variable: bv.variable("chosen!", action.variable.sort)}
        updates = []
        for position, one in enumerate(predicates):
            if of[one].isdisjoint(values):
                continue
            before = bv.substituted(one, values)
            if before is one:
                continue
            yes = self._cubes(before, predicates, of)
            no = self._cubes(bv.negated(before), predicates, of)
            updates.append(Update(position, yes, no))
        return Statement(edge, FALSE, tuple(updates))

    def _cubes(self, conclusion: Term, predicates: Sequence[Term], of: dict[Term, set[Term]]) -> Dnf:
        if conclusion.is_constant:
            return TRUE if conclusion.value else FALSE
        about = bv.variables_of(conclusion)
        relevant = [one for one in predicates if not of[one].isdisjoint(about)][-MOST_RELEVANT:]
        positions = {one: position for position, one in enumerate(predicates)}
        return tuple(
            tuple((positions[one], value) for one, value in cube)
            for cube in self._implied(conclusion, relevant)
        )

    def _implied(
        self, conclusion: Term, relevant: Sequence[Term]
    ) -> tuple[tuple[tuple[Term, bool], ...], ...]:
        """The shortest cubes over the relevant predicates that imply the conclusion."""
        key = (conclusion, tuple(relevant))
        if key not in self.known:
            self.known[key] = tuple(self._searched(conclusion, relevant))
        return self.known[key]

    def _searched(
        self, conclusion: Term, relevant: Sequence[Term]
    ) -> Iterator[tuple[tuple[Term, bool], ...]]:
        refuting: list[list[bool]] = []  # valuations of the predicates where the conclusion is false
        found: list[dict[int, bool]] = []
        for length in range(min(LONGEST_CUBE, len(relevant)) + 1):
            for chosen in combinations(range(len(relevant)), length):
                for values in product((True, False), repeat=length):
                    cube = dict(zip(chosen, values, strict=True))
                    if any(shorter.items() <= cube.items() for shorter in found):
                        continue
                    if any(all(one[at] == value for at, value in cube.items()) for one in refuting):
                        continue
                    literals = [_literal(relevant[at], value) for at, value in cube.items()]
                    model = self._model(bv.all_of((*literals, bv.negated(conclusion))))
                    if model is not None:
                        refuting.append([bool(_in(model, one)) for one in relevant])
                        continue
                    found.append(cube)
                    yield tuple((relevant[at], value) for at, value in cube.items())
                    if not length:
                        return

    def _model(self, term: Term) -> dict[Term, Value] | None:
        self.questions += 1
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return self.prover.model(term, seconds)


def _literal(predicate: Term, value: bool) -> Term:
    return predicate if value else bv.negated(predicate)


def _in(model: dict[Term, Value], term: Term) -> Value:
    """What the model does not speak of may be anything."""
    return bv.evaluated(term, {**{one: default(one.sort) for one in bv.variables_of(term)}, **model})


# --- as text ---


def shown(program: BooleanProgram) -> Iterator[str]:
    """In the order of the text, each line once: where, what is left of it, what it was."""
    names = [f"b{position + 1}" for position in range(len(program.predicates))]
    for name, predicate in zip(names, program.predicates, strict=True):
        yield f"bool {name};  // {as_c(predicate)}"
    lines: dict[tuple[str, int, int, str], None] = {}
    for number, statement in enumerate(program.statements):
        edge = statement.edge
        if edge.target in program.flow.failures:
            lines[edge.place.file, edge.place.line, number, f"{'error;':<40}  // {edge.text}"] = None
        elif statement.updates or statement.impossible or is_told(edge):
            text = f"{abstract(statement, names):<40}  // {edge.text}"
            lines[edge.place.file, edge.place.line, number, text] = None
    told: set[tuple[str, int, str]] = set()
    for file, line, _, text in sorted(lines, key=lambda one: one[:3]):
        if (file, line, text) not in told:
            told.add((file, line, text))
            yield f"{line:>5}  {text}".rstrip()


def is_told(edge: Edge) -> bool:
    """Whether it is a statement of the text, and not a step in between."""
    is_input = isinstance(edge.action, Choose)
    return bool(edge.text) and not is_input and not edge.text.endswith(" returns")


def abstract(statement: Statement, names: Sequence[str]) -> str:
    if isinstance(statement.edge.action, Assume):
        if statement.impossible == TRUE:
            return "assume(F);"
        condition = statement.edge.action.condition
        if not statement.impossible:
            return "skip;" if condition is bv.TRUE else "assume(*);"
        return f"assume({negated(statement.impossible, names)});"
    return " ".join(updated(one, names) for one in statement.updates) or "skip;"


def updated(update: Update, names: Sequence[str]) -> str:
    name = names[update.predicate]
    if update.yes == TRUE:
        return f"{name} := T;"
    if update.no == TRUE:
        return f"{name} := F;"
    if not update.yes and not update.no:
        return f"{name} := *;"
    return f"{name} := choose({dnf(update.yes, names)}, {dnf(update.no, names)});"


def _cube(cube: Cube, names: Sequence[str]) -> str:
    return " && ".join(names[at] if value else f"!{names[at]}" for at, value in cube) or "T"


def dnf(cubes: Dnf, names: Sequence[str]) -> str:
    return " || ".join(_cube(one, names) for one in cubes) or "F"


def negated(cubes: Iterable[Cube], names: Sequence[str]) -> str:
    parts = []
    for cube in cubes:
        text = " || ".join(f"!{names[at]}" if value else names[at] for at, value in cube)
        parts.append(f"({text})" if len(cube) > 1 else text)
    return " && ".join(parts)
