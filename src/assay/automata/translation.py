"""From a formula to a small Büchi automaton.

A tableau on the fly in the manner of Gerth, Peled, Vardi and Wolper (PSTV 1995), with acceptance on edges
while it is built (Couvreur, FM 1999) and without edges that a weaker one makes needless (Gastin and Oddoux,
CAV 2001). A place of the tableau is a set of formulas that must hold from here on; an edge reads a letter,
leaves a set of formulas for the rest of the word, and *promises* an until whose right side it has put off. An
accepting run puts nothing off for ever. `reduction` makes the graph small; acceptance moves to the locations
at the end.

The result is a function of the formula: sets are bit sets of numbers given in order of discovery, and limits
count work, not time. So a certifier on another machine gets the same automaton, or the same refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from assay.automata import MOST_ATOMS
from assay.automata.automaton import BuchiAutomaton, Edge
from assay.automata.formula import (
    FALSE,
    TRUE,
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
    atoms,
)
from assay.automata.normal_form import simplified
from assay.automata.reduction import Graph, Step, reduced
from assay.transition_system.interface import SourceProblem

MOST_LOCATIONS = 4_096
MOST_WORK = 1_500_000  # terms that are made while the tableau is built


def automaton(formula: Formula) -> BuchiAutomaton:
    """Accepts the words on which the formula holds."""
    return _translated(simplified(formula))


def violating(formula: Formula) -> BuchiAutomaton:
    """Accepts the words on which the formula does not hold: what a search runs beside the program."""
    return _translated(simplified(formula, negated=True))


def _translated(formula: Formula) -> BuchiAutomaton:
    names = atoms(formula)
    if len(names) > MOST_ATOMS:
        raise SourceProblem(
            f"the formula has {len(names)} atoms, and an automaton at most {MOST_ATOMS}",
            where="formula",
            hint="check it as several formulas",
        )
    return _numbered(reduced(_Tableau(names).graph(formula)), names)


def _numbered(graph: Graph, names: tuple[str, ...]) -> BuchiAutomaton:
    """Locations in the order of a breadth-first search, atoms that no edge looks at left out."""
    numbers = {graph.start: 0}
    queue = [graph.start]
    for location in queue:
        for step in graph.steps[location]:
            if step.target not in numbers:
                numbers[step.target] = len(numbers)
                queue.append(step.target)
    used = 0
    for location in queue:
        for step in graph.steps[location]:
            used |= step.mask
    places = [place for place in range(len(names)) if used >> place & 1]

    def squeezed(bits: int) -> int:
        return sum(1 << new for new, old in enumerate(places) if bits >> old & 1)

    return BuchiAutomaton(
        tuple(names[place] for place in places),
        max(1, graph.sets),
        # Without a set every infinite run is accepted: that is one set with every location.
        tuple(graph.marks_of(location) if graph.sets else 1 for location in queue),
        tuple(
            tuple(
                sorted(
                    Edge(numbers[step.target], squeezed(step.mask), squeezed(step.value))
                    for step in graph.steps[location]
                )
            )
            for location in queue
        ),
    )


class _Term(NamedTuple):
    """One way to make formulas true: literals now, formulas for the rest of the word, untils put off."""

    mask: int
    value: int
    rest: int
    promises: int

    def and_also(self, other: _Term) -> _Term | None:
        if (self.value ^ other.value) & self.mask & other.mask:
            return None
        return _Term(
            self.mask | other.mask,
            self.value | other.value,
            self.rest | other.rest,
            self.promises | other.promises,
        )

    def makes_needless(self, other: _Term) -> bool:
        """Is this possible whenever the other is, with no more to do?"""
        return (
            not self.mask & ~other.mask
            and other.value & self.mask == self.value
            and not self.rest & ~other.rest
            and not self.promises & ~other.promises
        )


_NOTHING_TO_DO = _Term(0, 0, 0, 0)


class _Tableau:
    def __init__(self, names: tuple[str, ...]) -> None:
        self._bits = {name: 1 << place for place, name in enumerate(names)}
        self._formulas: list[Formula] = []
        self._numbers: dict[Formula, int] = {}
        self._ways: dict[Formula, tuple[_Term, ...]] = {}
        self._work = 0

    def graph(self, formula: Formula) -> Graph:
        """Places with equal edges are one: they are found while the tableau grows, so that it grows less."""
        start = self._set_of(formula)
        place_of: dict[int, int] = {}
        place_with: dict[tuple[_Term, ...], int] = {}
        outgoing: list[tuple[_Term, ...]] = []
        queue = [start]
        seen = {start}
        for wanted in queue:
            terms = self._ways_of_all(wanted)
            if terms not in place_with:
                place_with[terms] = len(outgoing)
                outgoing.append(terms)
                if len(outgoing) > MOST_LOCATIONS:
                    raise _too_large(f"{MOST_LOCATIONS:,} locations")
            place_of[wanted] = place_with[terms]
            for term in terms:
                if term.rest not in seen:
                    seen.add(term.rest)
                    queue.append(term.rest)
        promised = 0
        for terms in outgoing:
            for term in terms:
                promised |= term.promises
        sets = [number for number in range(len(self._formulas)) if promised >> number & 1]
        steps = [
            [
                Step(
                    term.mask,
                    term.value,
                    sum(1 << place for place, number in enumerate(sets) if not term.promises >> number & 1),
                    place_of[term.rest],
                )
                for term in terms
            ]
            for terms in outgoing
        ]
        return Graph(len(sets), place_of[start], steps)

    def _number(self, formula: Formula) -> int:
        number = self._numbers.setdefault(formula, len(self._formulas))
        if number == len(self._formulas):
            self._formulas.append(formula)
        return number

    def _set_of(self, formula: Formula) -> int:
        if formula == TRUE:
            return 0
        wanted = 0
        for part in formula.operands if isinstance(formula, And) else (formula,):
            wanted |= 1 << self._number(part)
        return wanted

    def _ways_of_all(self, wanted: int) -> tuple[_Term, ...]:
        found: tuple[_Term, ...] = (_NOTHING_TO_DO,)
        for number in range(wanted.bit_length()):
            if wanted >> number & 1:
                found = self._both(found, self._ways_of(self._formulas[number]))
        return found

    def _ways_of(self, formula: Formula) -> tuple[_Term, ...]:
        if formula not in self._ways:
            self._ways[formula] = self._new_ways_of(formula)
        return self._ways[formula]

    def _new_ways_of(self, formula: Formula) -> tuple[_Term, ...]:
        if formula == TRUE:
            return (_NOTHING_TO_DO,)
        if formula == FALSE:
            return ()
        match formula:
            case Atom():
                bit = self._bits[formula.text]
                return (_Term(bit, bit, 0, 0),)
            case Not(Atom(text)):
                return (_Term(self._bits[text], 0, 0, 0),)
            case Next():
                return (_Term(0, 0, self._set_of(formula.operand), 0),)
            case And():
                found: tuple[_Term, ...] = (_NOTHING_TO_DO,)
                for part in formula.operands:
                    found = self._both(found, self._ways_of(part))
                return found
            case Or():
                return self._needed(term for part in formula.operands for term in self._ways_of(part))
            case Always(Eventually(inner)):
                # Again and again, without a memory of having waited: an edge that puts it off does not count.
                own = 1 << self._number(formula)
                at_once = self._both(self._ways_of(inner), (_Term(0, 0, own, 0),))
                return self._needed((*at_once, _Term(0, 0, own, own)))
            case Always():
                later = (_Term(0, 0, 1 << self._number(formula), 0),)
                return self._both(self._ways_of(formula.operand), later)
            case Eventually():
                own = 1 << self._number(formula)
                return self._needed((*self._ways_of(formula.operand), _Term(0, 0, own, own)))
            case Until():
                own = 1 << self._number(formula)
                put_off = self._both(self._ways_of(formula.left), (_Term(0, 0, own, own),))
                return self._needed((*self._ways_of(formula.right), *put_off))
            case Release():
                later = (_Term(0, 0, 1 << self._number(formula), 0),)
                released = self._both(self._ways_of(formula.left), self._ways_of(formula.right))
                return self._needed((*released, *self._both(self._ways_of(formula.right), later)))
        raise AssertionError(formula)

    def _both(self, left: tuple[_Term, ...], right: tuple[_Term, ...]) -> tuple[_Term, ...]:
        joined = (one.and_also(other) for one in left for other in right)
        return self._needed(term for term in joined if term is not None)

    def _needed(self, terms: Iterable[_Term]) -> tuple[_Term, ...]:
        """Sorted, and without those that another makes needless."""
        kept: list[_Term] = []
        for term in dict.fromkeys(terms):
            self._work += 1 + len(kept) // 8
            if self._work > MOST_WORK:
                raise _too_large("what can be worked out")
            if not any(other.makes_needless(term) for other in kept):
                kept = [other for other in kept if not term.makes_needless(other)]
                kept.append(term)
        return tuple(sorted(kept))


def _too_large(bound: str) -> SourceProblem:
    return SourceProblem(
        f"the automaton of the formula would be larger than {bound}",
        where="formula",
        hint="check its parts as formulas of their own: each `[]` of a conjunction can stand alone",
    )
