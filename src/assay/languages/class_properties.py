"""Temporal properties of a class: those it brings along by name, and formulas over its variables."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence

from assay.automata import MOST_ATOMS
from assay.automata.parser import AtomPlace, parse
from assay.automata.questions import is_always_false, is_always_true, is_stutter_invariant
from assay.automata.translation import violating
from assay.records import dataclass
from assay.temporal import Temporal
from assay.transition_system.expressions import Expression
from assay.transition_system.interface import SourceProblem, TemporalProperty
from assay.transition_system.termination import OVER, termination

CONSTANTS = frozenset({"true", "false"})  # formulas that look like names


@dataclass(frozen=True, slots=True)
class Label:
    """An atomic proposition: a predicate over a state, an expression over its variables, or that a run is$
    over there."""

    text: str
    predicate: Callable[[object], object] | None = None
    expression: Expression | None = None
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class ClassProperties:
    temporal: tuple[TemporalProperty, ...] = ()
    labels: tuple[Label, ...] = ()


def class_properties(
    own: object, asked: Sequence[str], *, terminates: bool = False, where: str
) -> ClassProperties:
    """`own` are those of the class, `asked` names of these or formulas; nothing asked: all are meant."""
    if not isinstance(own, Mapping) or not all(
        isinstance(name, str) and isinstance(value, Temporal) for name, value in own.items()
    ):
        raise SourceProblem(
            "expected `properties` to map names to assay.always, assay.eventually or assay.leads_to",
            where=where,
        )
    labels: list[Label] = []
    temporal = []
    for text in asked or own:
        if text in own:
            found = own[text]
            numbers = {
                letter: _added(labels, Label(f"{text}.{letter}", predicate))
                for letter, predicate in zip("pq", found.predicates, strict=False)
            }
            temporal.append(_property(text, found.formula, numbers))
        elif text.isidentifier() and text not in CONSTANTS:
            close = difflib.get_close_matches(text, own, 1)
            raise SourceProblem(
                f"there is no property {text!r}" + (f"; did you mean {close[0]!r}?" if close else ""),
                where=where,
                hint="name one of the class, or write a formula such as '<> (done == True)'",
            )
        else:
            reading = parse(text)
            numbers = {
                atom.text: _added(labels, Label(atom.text, expression=_expression(atom)))
                for atom in reading.atoms
            }
            temporal.append(_property("", text, numbers))
    if terminates:  # a class has no processes, so every run counts
        temporal.append(termination(_added(labels, Label(OVER, is_over=True)), fair=False))
    if len(labels) > MOST_ATOMS:
        raise SourceProblem(f"at most {MOST_ATOMS} atoms in all formulas, got {len(labels)}", where=where)
    return ClassProperties(tuple(temporal), tuple(labels))


def _expression(atom: AtomPlace) -> Expression:
    return Expression(atom.text, option="formula", line=atom.line, column=atom.column)


def _added(labels: list[Label], label: Label) -> int:
    for number, known in enumerate(labels):
        if known.text == label.text:
            return number
    labels.append(label)
    return len(labels) - 1


def _property(name: str, text: str, numbers: Mapping[str, int]) -> TemporalProperty:
    formula = parse(text).formula
    automaton = violating(formula)
    warnings = []
    if is_always_true(formula):
        warnings.append(f"{text} holds for every program")
    elif is_always_false(formula):
        warnings.append(f"{text} holds for no run of any program")
    return TemporalProperty(
        "ltl",
        name,
        text,
        automaton,
        tuple(numbers[atom] for atom in automaton.atoms),
        stutter_invariant=is_stutter_invariant(formula),
        warnings=tuple(warnings),
    )
