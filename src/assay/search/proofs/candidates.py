"""What might be invariant at a location, judging by the states that were seen there.

Bounds of variables, of differences and sums of pairs; equalities, linear ones over several variables too;
which pairs differ; the comparisons of guards, properties and predicates, and, at higher levels, pairs of
them of which one always holds, bounds of what one of them leaves over and a third variable, bounds that hold
where one of them does or where a variable has one of few values, remainders, and equations of second degree.
A bound that the later half of the states moved is not stable, and not proposed at first: as a rule it would
only be refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

from assay.transition_system.symbolic import Location, State, SymbolicSystem
from assay.transition_system.terms import (
    FALSE,
    Apply,
    Number,
    Term,
    Variable,
    apply,
    atoms_of,
    bounds,
    compiled,
    either,
    is_larger,
    negated,
    variables_of,
)

FEW = 4  # states at a location: too few to tell what is stable
MOST_PAIRED = 24  # variables whose differences and sums are looked at
MOST_ATOMS = 24  # of which pairs are looked at
MOST_FOR_EQUATIONS = 12
MOST_CASES = 24  # parts of the states at a location, in which bounds are looked for
MOST_IN_CASES = 8  # variables that are looked at there
LARGEST_PROPERTY = 60  # parts of a condition that is proposed as a whole
FEW_VALUES = 4  # of a variable, that tell such parts apart
MOST_ROWS = 60
ORDERED = frozenset({"<", "<=", ">", ">="})


class Candidates:
    def __init__(self, system: SymbolicSystem, extra: Sequence[Term] = ()) -> None:
        self.system = system
        self.first = len(system.controls)
        self.positions = system.positions
        self.extra = tuple(extra)
        self._atoms: dict[Location, list[tuple[Term, Callable[[State], bool]]]] = {}
        self.related = self._related()
        self.only_stable = True  # bounds that the later half of the states moved are not proposed

    def _related(self) -> set[frozenset[str]]:
        """Pairs of variables that occur together in a guard, an assignment or a property."""
        found: set[frozenset[str]] = set()
        for step in self.system.steps:
            names = {one.name for one in variables_of(step.guard)}
            for name, value in step.assignments:
                names |= {name, *(one.name for one in variables_of(value))}
            found |= {frozenset(pair) for pair in combinations(sorted(names), 2)}
        for failure in self.system.failures:
            names = {one.name for one in variables_of(failure.condition)}
            found |= {frozenset(pair) for pair in combinations(sorted(names), 2)}
        return found

    def at(self, location: Location, states: Sequence[State], level: int) -> list[Term]:
        """All that every one of the states satisfies; stronger ones first."""
        found: dict[Term, None] = {}
        moving: list[Variable] = []
        for variable in self.system.variables:
            values = self._values(states, variable)
            if min(values) == max(values):
                found[apply("==", variable, Number(values[0]))] = None
            else:
                moving.append(variable)
                found.update(dict.fromkeys(self._bounds(variable, values, len(states))))
        for left, right in self._pairs(moving):
            found.update(dict.fromkeys(self._of_pair(left, right, states)))
        for equation in linear_equations(
            [(one, self._values(states, one)) for one in moving[:MOST_FOR_EQUATIONS]]
        ):
            found[equation] = None
        if level >= 3 and moving:
            products = [
                (
                    apply("*", a, b),
                    [x * y for x, y in zip(self._values(states, a), self._values(states, b), strict=True)],
                )
                for index, a in enumerate(moving[:5])
                for b in moving[index:5]
            ]
            columns = [(one, self._values(states, one)) for one in moving[:5]] + products
            for equation in linear_equations(columns):
                found[equation] = None
        found.update(dict.fromkeys(self._properties(location, states)))
        found.update(dict.fromkeys(self._of_atoms(location, states, level)))
        if level >= 2:
            found.update(dict.fromkeys(self._by_cases(location, states, moving)))
            found.update(dict.fromkeys(self._with_what_is_left(location, states, moving)))
            for variable in moving:
                values = self._values(states, variable)
                for modulus in (2, 3, 4):
                    rests = {value % modulus for value in values}
                    if len(rests) == 1 and len(values) >= FEW:
                        remainder = apply("modulo", variable, Number(modulus))
                        found[apply("==", remainder, Number(rests.pop()))] = None
        found.pop(FALSE, None)
        return [one for one in found if one != apply("==", Number(0), Number(0))]

    def _values(self, states: Sequence[State], variable: Variable) -> list[int]:
        position = self.positions[variable.name]
        return [state[position] for state in states]

    def _pairs(self, moving: Sequence[Variable]) -> Iterator[tuple[Variable, Variable]]:
        if len(moving) <= MOST_PAIRED:
            yield from combinations(moving, 2)
        else:
            for pair in combinations(moving, 2):
                if frozenset(one.name for one in pair) in self.related:
                    yield pair

    def _bounds(self, term: Term, values: Sequence[int], count: int) -> Iterator[Term]:
        half = values[: (count + 1) // 2] if count > FEW and self.only_stable else values
        low, high = bounds(term)
        if min(half) == min(values) and low != min(values):
            yield apply(">=", term, Number(min(values)))
        if max(half) == max(values) and high != max(values):
            yield apply("<=", term, Number(max(values)))

    def _of_difference(self, left: Variable, right: Variable, states: Sequence[State]) -> Iterator[Term]:
        ours, theirs = self._values(states, left), self._values(states, right)
        differences = [a - b for a, b in zip(ours, theirs, strict=True)]
        difference = apply("-", left, right)
        if min(differences) == max(differences):
            yield apply("==", difference, Number(differences[0]))
        else:
            yield from self._bounds(difference, differences, len(states))

    def _of_pair(self, left: Variable, right: Variable, states: Sequence[State]) -> Iterator[Term]:
        yield from self._of_difference(left, right, states)
        ours, theirs = self._values(states, left), self._values(states, right)
        if not any(a == b for a, b in zip(ours, theirs, strict=True)):
            yield apply("!=", left, right)
        sums = [a + b for a, b in zip(ours, theirs, strict=True)]
        total = apply("+", left, right)
        if min(sums) == max(sums):
            yield apply("==", total, Number(sums[0]))
        else:
            yield from self._bounds(total, sums, len(states))

    def _properties(self, location: Location, states: Sequence[State]) -> Iterator[Term]:
        """What must hold may be what is kept, as it stands."""
        for failure in self.system.failures_at(location):
            if isinstance(failure.condition, Apply) and not is_larger(failure.condition, LARGEST_PROPERTY):
                holds = compiled(failure.condition, self.positions)
                if not any(holds(state) for state in states):
                    yield negated(failure.condition)

    def _of_atoms(self, location: Location, states: Sequence[State], level: int) -> Iterator[Term]:
        undecided: list[tuple[Term, list[bool]]] = []
        for atom, holds in self.atoms(location):
            values = [bool(holds(state)) for state in states]
            if all(values):
                yield atom
            elif not any(values):
                yield negated(atom)
            elif level >= 2:
                undecided.append((atom, values))
        literals = [
            (term, values)
            for atom, truths in undecided[:MOST_ATOMS]
            for term, values in ((atom, truths), (negated(atom), [not one for one in truths]))
        ]
        for (left, ours), (right, theirs) in combinations(literals, 2):
            if right != negated(left) and all(a or b for a, b in zip(ours, theirs, strict=True)):
                yield either(left, right)

    def _with_what_is_left(
        self, location: Location, states: Sequence[State], moving: Sequence[Variable]
    ) -> Iterator[Term]:
        """What a comparison leaves over, a third variable may have: of `sent <= 2 * ticks + 8` what is still
        in the bucket."""
        compared = [
            atom
            for atom, _ in self.atoms(location)
            if isinstance(atom, Apply) and atom.operator in ORDERED and len(variables_of(atom)) > 1
        ]
        for atom in compared[:MOST_IN_CASES]:
            left = apply("-", *atom.operands)
            values = list(map(compiled(left, self.positions), states))
            for variable in moving[:MOST_IN_CASES]:
                if variable in variables_of(atom):
                    continue
                others = self._values(states, variable)
                for sign, factor in (("+", 1), ("-", -1)):
                    sums = [a + factor * b for a, b in zip(values, others, strict=True)]
                    yield from self._bounds(apply(sign, left, variable), sums, len(states))

    def _by_cases(
        self, location: Location, states: Sequence[State], moving: Sequence[Variable]
    ) -> Iterator[Term]:
        """What holds in a part of the states, of which the program itself speaks, and not in all of them."""
        everywhere = set(self._numeric(moving[:MOST_IN_CASES], states))
        for number, (case, part) in enumerate(self._cases(location, states, moving)):
            if number >= MOST_CASES:
                return
            for term in self._numeric(moving[:MOST_IN_CASES], part):
                if term not in everywhere:
                    yield either(negated(case), term)

    def _cases(
        self, location: Location, states: Sequence[State], moving: Sequence[Variable]
    ) -> Iterator[tuple[Term, list[State]]]:
        for variable in moving:
            position = self.positions[variable.name]
            values = {state[position] for state in states}
            if len(values) <= FEW_VALUES:
                for value in sorted(values):
                    case = apply("==", variable, Number(value))
                    yield case, [state for state in states if state[position] == value]
        for atom, holds in self.atoms(location):
            part = [state for state in states if holds(state)]
            if 0 < len(part) < len(states) and len(variables_of(atom)) > 1:
                yield atom, part
                yield negated(atom), [state for state in states if not holds(state)]

    def _numeric(self, variables: Sequence[Variable], states: Sequence[State]) -> Iterator[Term]:
        """Values, bounds and differences."""
        for variable in variables:
            values = self._values(states, variable)
            if min(values) == max(values):
                yield apply("==", variable, Number(values[0]))
            else:
                yield from self._bounds(variable, values, len(states))
        for left, right in combinations(variables, 2):
            yield from self._of_difference(left, right, states)

    def atoms(self, location: Location) -> list[tuple[Term, Callable[[State], bool]]]:
        """Comparisons that the program makes, with the controls of this location known, and those that were
        given."""
        found = self._atoms.get(location)
        if found is None:
            terms: dict[Term, None] = {}
            for term in (*self._all_terms(location), *self.extra):
                for atom in atoms_of(term):
                    if negated(atom) not in terms and not self._names_a_control(atom):
                        terms.setdefault(atom)
            found = self._atoms[location] = [(atom, compiled(atom, self.positions)) for atom in terms]
        return found

    def _names_a_control(self, atom: Term) -> bool:
        return any(one.name not in self.system.by_name for one in variables_of(atom))

    def _all_terms(self, location: Location) -> Iterator[Term]:
        yield from (failure.condition for failure in self.system.failures_at(location))
        yield from (step.guard for step in self.system.steps_at(location))
        yield from (failure.condition for failure in self.system.failures)
        yield from (step.guard for step in self.system.steps)
        yield from self.system.predicates

    def everywhere(self, location: Location, states: Sequence[State], level: int) -> list[Term]:
        """For a location that nobody has entered: that nobody does, and what was true wherever anybody
        was."""
        return [FALSE, *self.at(location, states, min(level, 2))]


def linear_equations(columns: Sequence[tuple[Term, Sequence[int]]]) -> Iterator[Term]:
    """A basis of the linear equations that all rows satisfy, except those between two terms, by
    elimination."""
    if len(columns) < 3 or not columns[0][1]:
        return
    rows = list(dict.fromkeys(zip(*(values for _, values in columns), strict=True)))
    if len(rows) > MOST_ROWS:
        rows = rows[:: len(rows) // MOST_ROWS + 1]
    matrix = [[Fraction(value) for value in (*row, 1)] for row in rows]
    width = len(columns) + 1
    pivots: list[int] = []
    for column in range(width):
        row = next((r for r in range(len(pivots), len(matrix)) if matrix[r][column]), None)
        if row is None:
            continue
        target = len(pivots)
        matrix[target], matrix[row] = matrix[row], matrix[target]
        pivot = matrix[target][column]
        matrix[target] = [value / pivot for value in matrix[target]]
        for other in range(len(matrix)):
            if other != target and matrix[other][column]:
                factor = matrix[other][column]
                matrix[other] = [a - factor * b for a, b in zip(matrix[other], matrix[target], strict=True)]
        pivots.append(column)
    every_row = list(zip(*(values for _, values in columns), strict=True))
    for free in (column for column in range(width) if column not in pivots):
        vector = [Fraction(0)] * width
        vector[free] = Fraction(1)
        for row, column in enumerate(pivots):
            vector[column] = -matrix[row][free]
        yield from _equation(vector, columns, every_row)


def _equation(
    vector: list[Fraction], columns: Sequence[tuple[Term, Sequence[int]]], rows: Iterable[tuple[int, ...]]
) -> Iterator[Term]:
    scale = lcm(*(value.denominator for value in vector))
    whole = [int(value * scale) for value in vector]
    common = gcd(*whole)
    whole = [value // common for value in whole]
    used = [value for value in whole[:-1] if value]
    if len(used) < 2 or max(map(abs, whole)) > 1000:
        return
    if any(sum(a * b for a, b in zip(whole[:-1], row, strict=True)) + whole[-1] for row in rows):
        return  # only of the rows that were looked at
    left: Term = Number(0)
    right: Term = Number(-whole[-1])
    for factor, (term, _) in zip(whole[:-1], columns, strict=True):
        if factor > 0:
            left = apply("+", left, apply("*", Number(factor), term))
        elif factor < 0:
            right = apply("+", right, apply("*", Number(-factor), term))
    yield apply("==", left, right)
