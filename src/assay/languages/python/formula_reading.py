"""Reads temporal formulas over a Python program, and makes the automata of the runs that violate them.

Apart from `formulas`, because most programs are verified without any.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from assay.automata.automaton import BuchiAutomaton, Edge
from assay.automata.parser import AtomText, TokenScanner, parse
from assay.automata.questions import is_always_false, is_always_true, is_stutter_invariant
from assay.languages.python.formulas import BEGUN, Asked, labels_in, unknown
from assay.languages.python.invariants import UnknownName, require_usable
from assay.transition_system.interface import SourceProblem


class PythonAtoms(TokenScanner):
    """In braces there may be any expression: `{ i < len(a) and a[i] == 1 }`."""

    def read(self, text: str, start: int) -> AtomText | None:
        opening = text[:start].rstrip()
        if not opening.endswith("{") or text[len(opening) : start].strip():
            return super().read(text, start)
        depth, place = 1, start
        quote = ""
        while place < len(text):
            letter = text[place]
            if quote:
                quote = "" if letter == quote else quote
            elif letter in "'\"":
                quote = letter
            elif letter in "([{":
                depth += 1
            elif letter in ")]}":
                depth -= 1
                if depth == 0:
                    return AtomText(place, " ".join(text[start:place].split()))
            place += 1
        return None


def read(text: str, names: AbstractSet[str], own_labels: AbstractSet[str]) -> Asked:
    reading = parse(text, reader=PythonAtoms())
    expressions, labels = [], {}
    for place in reading.atoms:
        where = f"formula:{place.line}:{place.column}"
        if place.text.isidentifier() and place.text in names and place.text in own_labels:
            raise SourceProblem(
                f"{place.text!r} is a global and a label",
                where=where,
                hint=f'write "{place.text}" for the label, or ({place.text} == True) for the global',
            )
        if place.text[0] in "'\"" or (place.text.isidentifier() and place.text not in names):
            labels[place.text] = place
            continue
        try:
            require_usable(place.text, names, "--ltl")
        except UnknownName as problem:
            raise unknown(problem.name, place, names, own_labels) from None
        except SourceProblem as problem:
            raise SourceProblem(problem.message, where=where, hint=problem.hint) from None
        called, _ = labels_in(place.text)
        if called:  # it would pass the label and be None, which is false
            raise SourceProblem(
                f"the atom {place.text} passes a label",
                where=where,
                hint=f"write its name alone: {called.pop()}",
            )
        expressions.append(place)
    if not is_stutter_invariant(reading.formula):
        raise SourceProblem(
            f"the formula {text} speaks of the next step (X), and how much of a Python program one step is "
            "depends on the granularity",
            where="formula:1:1",
            hint="say what must hold until something happens: U, W or -> <>",
        )
    warnings = []
    if is_always_true(reading.formula):
        warnings.append(f"{text} holds for every program")
    elif is_always_false(reading.formula):
        warnings.append(f"{text} holds for no run of any program")
    return Asked(text, reading.formula, tuple(expressions), labels, tuple(warnings))


def after_the_beginning(automaton: BuchiAutomaton, *, it_must_begin: bool = True) -> BuchiAutomaton:
    """Reads nothing before the names are bound, which they stay; a run in which they never are is accepted,
    if they must be."""
    begun = 1 << len(automaton.atoms)
    shifted = [
        tuple(Edge(edge.target + 1, edge.mask, edge.value) for edge in outgoing)
        for outgoing in automaton.edges
    ]
    waiting = Edge(0, begun, 0)
    entering = [Edge(edge.target, edge.mask | begun, edge.value | begun) for edge in shifted[0]]
    return BuchiAutomaton(
        (*automaton.atoms, BEGUN),
        automaton.acceptance_sets,
        ((1 << automaton.acceptance_sets) - 1 if it_must_begin else 0, *automaton.accepting),
        ((waiting, *entering), *shifted),
    )
