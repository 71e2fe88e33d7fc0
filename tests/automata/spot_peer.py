"""Spot, the library that others translate formulas with: speaks its formats, so that tests can ask it.

It answers in a process of its own: its bindings warn when they are imported, and where warnings are errors
they crash.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from assay.automata import formula as ltl
from assay.automata.automaton import BuchiAutomaton

_SIGNS = {
    ltl.Not: "!",
    ltl.Next: "X",
    ltl.Always: "G",
    ltl.Eventually: "F",
    ltl.And: "&",
    ltl.Or: "|",
    ltl.Implies: "->",
    ltl.Iff: "<->",
    ltl.Until: "U",
    ltl.Release: "R",
    ltl.WeakUntil: "W",
}


def in_spots_syntax(formula: ltl.Formula) -> str:
    """With every parenthesis, so that precedence is no matter."""
    match formula:
        case ltl.Truth():
            return "1" if formula.value else "0"
        case ltl.Atom():
            return f'"{formula.text}"'
    inner = [f"({in_spots_syntax(part)})" for part in ltl.parts(formula)]
    sign = _SIGNS[type(formula)]
    return sign + inner[0] if len(inner) == 1 else sign.join(inner)


def hoa(automaton: BuchiAutomaton) -> str:
    """The Hanoi omega-automata format."""
    sets = range(automaton.acceptance_sets)
    names = " ".join(f'"{text}"' for text in automaton.atoms)
    lines = [
        "HOA: v1",
        f"States: {automaton.locations}",
        "Start: 0",
        f"AP: {len(automaton.atoms)} {names}",
        f"Acceptance: {len(sets)} {'&'.join(f'Inf({place})' for place in sets)}",
        "properties: state-acc trans-labels explicit-labels",
        "--BODY--",
    ]
    for location, outgoing in enumerate(automaton.edges):
        marks = " ".join(str(place) for place in sets if automaton.accepting[location] >> place & 1)
        lines.append(f"State: {location} {{{marks}}}")
        for edge in outgoing:
            literals = [
                ("" if edge.value >> place & 1 else "!") + str(place)
                for place in range(len(automaton.atoms))
                if edge.mask >> place & 1
            ]
            lines.append(f"[{'&'.join(literals) or 't'}] {edge.target}")
    return "\n".join([*lines, "--END--"])


def ask(questions: Sequence[tuple[str, ...]]) -> list:
    """Each question names a function below and has its arguments; the answers come in the same order."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.automata.spot_peer"],
        input=json.dumps(questions),
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


def same_language(automaton: str, formula: str) -> bool:
    import spot

    return spot.are_equivalent(spot.automaton(automaton), spot.formula(formula))


def sizes(formula: str) -> tuple[int, int, int]:
    """Locations with acceptance on edges, and on locations; then the edges of the latter."""
    import spot

    located = spot.translate(formula, "GeneralizedBuchi", "sbacc", "Small")
    on_edges = spot.translate(formula, "GeneralizedBuchi", "Small")
    return on_edges.num_states(), located.num_states(), located.num_edges()


def facts(formula: str) -> tuple[bool, bool, bool, bool]:
    """Is it stutter-invariant, always true, always false, safety?"""
    import spot

    given = spot.formula(formula)
    return (
        spot.is_stutter_invariant(given),
        spot.are_equivalent(given, spot.formula.tt()),
        spot.are_equivalent(given, spot.formula.ff()),
        spot.mp_class(given) in {"B", "S"},
    )


if __name__ == "__main__":
    answering = {function.__name__: function for function in (same_language, sizes, facts)}
    print(json.dumps([answering[name](*given) for name, *given in json.load(sys.stdin)]))
