"""What can be known about a formula without a program.

Every answer is sound in one direction, and says which: a reduction is used only if `is_stutter_invariant` is
true, and true is never said without a proof.
"""

from __future__ import annotations

from assay.automata.automaton import BuchiAutomaton, cycles
from assay.automata.formula import (
    Always,
    And,
    Atom,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Truth,
    has_next,
)
from assay.automata.normal_form import simplified
from assay.automata.translation import automaton, violating
from assay.transition_system.interface import SourceProblem

MOST_ATOMS_ENUMERATED = 6
MOST_PLACES = 20_000


def is_always_true(formula: Formula) -> bool:
    """Does it hold on every word, so that no program can violate it? Exact, or SourceProblem if too large."""
    return violating(formula).accepts_nothing


def is_always_false(formula: Formula) -> bool:
    """Does it hold on no word, so that every run of every program violates it?"""
    return automaton(formula).accepts_nothing


def is_safety(formula: Formula) -> bool:
    """Does each violation show after finitely many steps? True is certain; false may be for want of a
    proof."""
    if _is_syntactically_safe(simplified(formula)):
        return True
    try:
        violations = violating(formula)
    except SourceProblem:
        return False
    return _accepts_by_arriving(violations)


def _is_syntactically_safe(formula: Formula) -> bool:
    match formula:
        case Truth() | Atom() | Not():
            return True
        case Next() | Always():
            return _is_syntactically_safe(formula.operand)
        case And() | Or():
            return all(map(_is_syntactically_safe, formula.operands))
        case Release():
            return _is_syntactically_safe(formula.left) and _is_syntactically_safe(formula.right)
    return False


def _accepts_by_arriving(violations: BuchiAutomaton) -> bool:
    """Are the cycles that are accepted at locations only from which everything is accepted?"""
    everything = (1 << violations.acceptance_sets) - 1
    graph = [[edge.target for edge in outgoing] for outgoing in violations.edges]
    for component in cycles(graph, range(violations.locations)):
        visited = 0
        for location in component:
            visited |= violations.accepting[location]
        if visited == everything and not set(component) <= violations.accepting_everything:
            return False
    return True


def is_stutter_invariant(formula: Formula) -> bool:
    """Does it make no difference to the formula how often a state is repeated before the next? True is
    certain; false may be for want of a proof.

    Without `X` it shows in the syntax. With it: the formula notices stuttering exactly if some word comes
    both from a word on which it holds and from one on which it does not, by repeating letters (Michaud and
    Duret-Lutz, SPIN 2015). So both automata walk one word, and each may read a letter again where it is,
    finitely often.
    """
    if not has_next(simplified(formula)):
        return True
    try:
        holding, failing = automaton(formula), violating(formula)
    except SourceProblem:
        return False
    names = tuple(dict.fromkeys((*holding.atoms, *failing.atoms)))
    if len(names) > MOST_ATOMS_ENUMERATED:
        return False
    letters = [
        frozenset(name for place, name in enumerate(names) if bits >> place & 1)
        for bits in range(1 << len(names))
    ]
    both = (holding, failing)
    read = [[machine.valuation(letter) for letter in letters] for machine in both]
    # A place: the two locations, and the letter read last (none at first). Marks are on edges here: those of
    # the location that is left, and none where a letter is only repeated.
    numbers: dict[tuple[int, int, int], int] = {(0, 0, -1): 0}
    queue = [(0, 0, -1)]
    edges: list[list[tuple[int, int]]] = []  # per place: target, marks
    for one, other, last in queue:
        outgoing: list[tuple[int, int]] = []
        for letter in range(len(letters)):
            ways: list[list[tuple[int, int]]] = []
            for machine, location, valuations in zip(both, (one, other), read, strict=True):
                marks = machine.accepting[location]
                moves = [(target, marks) for target in machine.successors(location, valuations[letter])]
                ways.append([*moves, (location, 0)] if letter == last else moves)
            for first, first_marks in ways[0]:
                for second, second_marks in ways[1]:
                    place = (first, second, letter)
                    if place not in numbers:
                        numbers[place] = len(numbers)
                        queue.append(place)
                        if len(queue) > MOST_PLACES:
                            return False
                    outgoing.append((numbers[place], first_marks | second_marks << holding.acceptance_sets))
        edges.append(outgoing)
    everything = (1 << holding.acceptance_sets + failing.acceptance_sets) - 1
    graph = [[target for target, _ in outgoing] for outgoing in edges]
    for component in cycles(graph, range(len(graph))):
        inside = set(component)
        visited = 0
        for place_number in component:
            for target, marks in edges[place_number]:
                if target in inside:
                    visited |= marks
        if visited == everything:
            return False
    return True
