"""An automaton accepts exactly the words on which its formula holds, and is the same everywhere."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings

from assay.automata import formula as ltl
from assay.automata.automaton import BuchiAutomaton, Edge
from assay.automata.parser import parse
from assay.automata.translation import MOST_LOCATIONS, automaton, violating
from assay.transition_system.interface import SourceProblem
from tests.automata.formulas import LITERATURE, formulas, words


@settings(max_examples=400, deadline=None)
@given(formulas, words, words)
def test_an_automaton_accepts_what_its_formula_holds_on(formula, word, other):
    holding, failing = automaton(formula), violating(formula)
    for prefix, loop in (word, other):
        holds = ltl.holds(formula, prefix, loop)
        assert holding.accepts(prefix, loop) is holds
        assert failing.accepts(prefix, loop) is not holds


@pytest.mark.parametrize(
    ("text", "locations", "sets"),
    [
        ("[] p", 1, 1),
        ("<> p", 2, 1),
        ("[]<> p", 2, 1),
        ("<>[] p", 2, 1),
        ("p U q", 2, 1),
        ("[] (p -> <> q)", 2, 1),
        ("[]<> p && []<> q", 3, 1),
        (" && ".join(f"[]<> p{i}" for i in range(8)), 9, 1),
        ("X X p", 4, 1),
        ("true", 1, 1),
        ("false", 1, 1),
    ],
)
def test_well_known_automata_are_as_small_as_they_can_be(text, locations, sets):
    made = automaton(parse(text).formula)
    assert (made.locations, made.acceptance_sets) == (locations, sets)


def test_the_automaton_of_the_negation_of_a_response():
    assert violating(parse("[] (p -> <> q)").formula) == BuchiAutomaton(
        ("p", "q"),
        1,
        (0, 1),
        ((Edge(0, 0, 0), Edge(1, 0b11, 0b01)), (Edge(1, 0b10, 0),)),
    )


def test_atoms_that_do_not_matter_are_left_out():
    assert automaton(parse("[] (p || q && !q)").formula).atoms == ("p",)


def test_a_location_that_accepts_everything_is_known():
    made = violating(parse("[] p").formula)
    assert made.accepting_everything == {1}
    assert not made.accepts_nothing
    assert violating(parse("p || !p").formula).accepts_nothing


@given(formulas)
@settings(max_examples=60, deadline=None)
def test_json_gives_the_same_automaton_back(formula):
    made = automaton(formula)
    assert BuchiAutomaton.from_json(json.loads(json.dumps(made.to_json()))) == made


@pytest.mark.parametrize(
    "broken",
    [
        {"acceptance_sets": 0},
        {"atoms": ["p", "p"]},
        {"atoms": [f"p{i}" for i in range(65)]},
        {"accepting": (2, 0)},
        {"accepting": (1,)},
        {"edges": ((Edge(2, 0, 0),), ())},
        {"edges": ((Edge(1, 2, 0),), ())},
        {"edges": ((Edge(1, 0, 1),), ())},
    ],
)
def test_what_is_no_automaton_is_refused(broken):
    given = {"atoms": ("p",), "acceptance_sets": 1, "accepting": (0, 1), "edges": ((Edge(1, 1, 1),), ())}
    BuchiAutomaton(**given)
    with pytest.raises(ValueError):
        BuchiAutomaton(**{**given, **broken})


DIGEST = """
import hashlib, json
from random import Random
from assay.automata.parser import parse
from assay.automata.translation import violating
from tests.automata.formulas import LITERATURE, random_formula
random = Random(4)
formulas = [parse(text).formula for text in LITERATURE] + [random_formula(random, 11) for _ in range(60)]
text = json.dumps([violating(formula).to_json() for formula in formulas])
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_every_process_makes_the_same_automata():
    """Whatever the seed of its hashes is: certificates name locations and edges by position."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "31337")
    }
    assert len(digests) == 1


def test_automata_that_are_too_large_are_refused_with_a_sentence():
    text = " && ".join(f"(<> (p{i} && X q{i}))" for i in range(16))
    with pytest.raises(
        SourceProblem, match=r"the automaton of the formula would be larger than .* of their own"
    ):
        automaton(parse(text).formula)
    text = " || ".join(f"p{i}" for i in range(65))
    with pytest.raises(SourceProblem, match="has 65 atoms, and an automaton at most 64"):
        automaton(parse(text).formula)


def test_sixty_four_atoms_are_possible():
    text = " && ".join(f"p{i}" for i in range(64))
    made = violating(parse(f"[] ({text})").formula)
    assert len(made.atoms) == 64
    assert made.locations == 2
    assert made.locations < MOST_LOCATIONS


@pytest.mark.parametrize("text", LITERATURE)
def test_formulas_of_the_literature_give_sound_automata(text):
    """No dead ends, no location that is not reached: what a search would walk in vain."""
    made = automaton(parse(text).formula)
    assert all(made.edges) or made.accepts_nothing
    assert {edge.target for outgoing in made.edges for edge in outgoing} | {0} == set(range(made.locations))
