"""The meaning of formulas on words, and that printing, normal form and simplification keep it."""

import pytest
from hypothesis import given, settings

from assay.automata import formula as ltl
from assay.automata.normal_form import MOST_PARTS, is_eventual, is_universal, normal_form, simplified
from assay.automata.parser import parse
from assay.transition_system.interface import SourceProblem
from tests.automata.formulas import formulas, letters, words

P, NOTHING = frozenset("p"), frozenset()
Q, PQ = frozenset("q"), frozenset("pq")


@pytest.mark.parametrize(
    ("text", "prefix", "loop", "holds"),
    [
        ("p", [P], [NOTHING], True),
        ("X p", [P], [NOTHING], False),
        ("X p", [NOTHING, P], [NOTHING], True),
        ("[] p", [P], [P], True),
        ("[] p", [P], [P, NOTHING], False),
        ("<> p", [NOTHING, P], [NOTHING], True),
        ("<> p", [], [NOTHING], False),
        ("[]<> p", [], [NOTHING, P], True),
        ("<>[] p", [], [NOTHING, P], False),
        ("p U q", [P, P], [Q], True),
        ("p U q", [], [P], False),
        ("p W q", [], [P], True),
        ("p U q", [], [Q], True),
        ("p V q", [Q, Q], [NOTHING], False),
        ("p V q", [Q, PQ], [NOTHING], True),
        ("p V q", [Q, P], [NOTHING], False),
        ("p V q", [], [Q], True),
        ("X X X p", [], [P, NOTHING], False),
    ],
)
def test_operators_mean_what_the_literature_says(text, prefix, loop, holds):
    assert ltl.holds(parse(text).formula, prefix, loop) is holds


@given(formulas, words)
def test_normal_form_and_simplification_keep_the_meaning(formula, word):
    expected = ltl.holds(formula, *word)
    assert ltl.holds(normal_form(formula), *word) is expected
    assert ltl.holds(simplified(formula), *word) is expected
    assert ltl.holds(normal_form(formula, negated=True), *word) is not expected
    assert ltl.holds(simplified(formula, negated=True), *word) is not expected


@given(formulas, words, letters)
def test_eventual_and_universal_formulas_do_not_depend_on_a_beginning(formula, word, letter):
    normal = normal_form(formula)
    now, before = ltl.holds(normal, *word), ltl.holds(normal, [letter, *word[0]], word[1])
    assert not (is_eventual(normal) and now and not before)
    assert not (is_universal(normal) and before and not now)


@pytest.mark.parametrize(
    ("text", "smaller"),
    [
        ("p && p", "p"),
        ("p && (p || q)", "p"),
        ("<> <> p", "<>p"),
        ("[] <> [] p", "<>[]p"),
        ("<> [] <> p", "[]<>p"),
        ("p U (p U q)", "p U q"),
        ("(p U q) U q", "p U q"),
        ("p U []<> q", "[]<>q"),
        ("X []<> p", "[]<>p"),
        ("X p && X q", "X (p && q)"),
        ("[] p && [] q", "[](p && q)"),
        ("<> p || <> q", "<>(p || q)"),
        ("true U p", "<>p"),
        ("false V p", "[]p"),
        ("p && !p", "false"),
        ("[] p && <> !p", "false"),
        ("p -> p", "true"),
        ("<> (p U q)", "<>q"),
        ("!(p W q)", "!q U (!p && !q)"),
        ("p && (!p || q && p)", "p && q"),
        ("p || !p && q", "p || q"),
        ("<>[] (p || [] q)", "<>([]q || []p)"),
    ],
)
def test_known_laws_are_used(text, smaller):
    assert str(simplified(parse(text).formula)) == smaller


@given(formulas)
def test_a_printed_formula_is_read_as_the_same_formula(formula):
    assert parse(str(formula)).formula == formula


@pytest.mark.parametrize(
    "text",
    [
        "[](x < 2)",
        "!(x == 0) && y > 1",
        "x == 0 U y == 1",
        "a U b U c",
        "a U (b U c)",
        "a -> b -> c",
        "a -> (b -> c)",
        "(a || b) && c",
        "a || b && c",
        "X (-x)",
        "X (U)",
        "!P[1]@wait",
        "[]<>f(a, b)",
        "X (X) U p",
    ],
)
def test_printing_uses_no_needless_parentheses(text):
    assert str(parse(text).formula) == text


def test_size_counts_operators_and_operands():
    assert ltl.size(parse("[] (p -> <> q)").formula) == 5
    assert ltl.size(parse("p && q && r").formula) == 5
    assert ltl.atoms(parse("q U (p && q)").formula) == ("q", "p")


def test_equivalences_that_would_explode_are_refused():
    text = "p"
    for _ in range(30):
        text = f"({text} <-> q)"
    with pytest.raises(SourceProblem, match=f"more than {MOST_PARTS:,} parts .* check it as several"):
        normal_form(parse(text).formula)


@settings(max_examples=20)
@given(words)
def test_the_loop_of_a_word_is_needed(word):
    with pytest.raises(ValueError, match="at least one letter"):
        ltl.holds(ltl.TRUE, word[0], [])
