"""Our automata accept the words that Spot's accept, and are about as small."""

from random import Random

import pytest

from assay.automata.parser import parse
from assay.automata.questions import is_always_false, is_always_true, is_safety, is_stutter_invariant
from assay.automata.translation import automaton, violating
from tests.automata.formulas import LITERATURE, random_formula
from tests.automata.spot_peer import ask, hoa, in_spots_syntax

pytestmark = pytest.mark.needs_spot


def random_formulas(seed: int, count: int, most: int = 12):
    random = Random(seed)
    return [random_formula(random, random.randint(3, most)) for _ in range(count)]


def assert_same_languages(formulas):
    questions = []
    for formula in formulas:
        theirs = in_spots_syntax(formula)
        questions.append(("same_language", hoa(automaton(formula)), theirs))
        questions.append(("same_language", hoa(violating(formula)), f"!({theirs})"))
    wrong = [question for question, same in zip(questions, ask(questions), strict=True) if not same]
    assert not wrong


def test_spot_can_tell_languages_apart():
    """Else the tests below could not fail."""
    eventually = hoa(automaton(parse("<> p").formula))
    assert ask([("same_language", eventually, "F p"), ("same_language", eventually, "G p")]) == [True, False]


@pytest.mark.parametrize("seed", range(8))
def test_random_formulas_have_the_language_that_spot_gives_them(seed):
    assert_same_languages(random_formulas(seed, 50))


def test_formulas_of_the_literature_have_the_language_that_spot_gives_them():
    assert_same_languages([parse(text).formula for text in LITERATURE])


@pytest.mark.parametrize("group", ["random", "literature"])
def test_automata_are_about_as_small_as_spots(group):
    """Those of negations, which searches run; others are smaller in Spot, which makes some deterministic."""
    literature = [parse(text).formula for text in LITERATURE]
    formulas = random_formulas(11, 200) if group == "random" else literature
    ours = sum(violating(formula).locations for formula in formulas)
    theirs = ask([("sizes", f"!({in_spots_syntax(formula)})") for formula in formulas])
    assert ours <= 1.05 * sum(located for _, located, _ in theirs)


def test_questions_have_the_answers_that_spot_gives():
    formulas = random_formulas(21, 250, most=9)
    invariant_with_next = safe = 0
    for formula, facts in zip(
        formulas, ask([("facts", in_spots_syntax(formula)) for formula in formulas]), strict=True
    ):
        invariant, always_true, always_false, safety = facts
        assert is_stutter_invariant(formula) is invariant, str(formula)
        assert is_always_true(formula) is always_true, str(formula)
        assert is_always_false(formula) is always_false, str(formula)
        assert safety or not is_safety(formula), str(formula)
        safe += is_safety(formula)
        invariant_with_next += "X " in str(formula) and invariant
    assert safe > 20
    assert invariant_with_next > 5
