"""What is known about a formula without a program."""

import pytest

from assay.automata.parser import parse
from assay.automata.questions import is_always_false, is_always_true, is_safety, is_stutter_invariant


@pytest.mark.parametrize(
    ("text", "always_true", "always_false"),
    [
        ("[] p", False, False),
        ("p || !p", True, False),
        ("[] p && <> !p", False, True),
        ("<> (p -> X p)", True, False),
        ("[]<> p && <>[] !p", False, True),
        ("[] (p -> p)", True, False),
        ("(X p U X q) || !X (p U q)", True, False),
    ],
)
def test_formulas_that_say_nothing_about_a_program_are_known(text, always_true, always_false):
    formula = parse(text).formula
    assert is_always_true(formula) is always_true
    assert is_always_false(formula) is always_false


@pytest.mark.parametrize(
    ("text", "invariant"),
    [
        ("[] (p -> <> q)", True),
        ("X p", False),
        ("<> X p", False),
        ("[]<> X p", True),
        ("X []<> p", True),
        ("[] (p -> X <> q)", True),
        ("[] (p -> X p)", True),
        ("<> (p && X !p)", True),
        ("p && X p", False),
        ("<> (p && X (!p && X p))", False),
        ("<> (p && X X !p)", False),
        (" && ".join(f"X p{i}" for i in range(9)), False),  # too many atoms to find out
    ],
)
def test_formulas_that_do_not_notice_stuttering_are_known(text, invariant):
    assert is_stutter_invariant(parse(text).formula) is invariant


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("[] p", True),
        ("p W q", True),
        ("p V q", True),
        ("<> p", False),
        ("[] (p -> <> q)", False),
        ("[] (p -> X q)", True),
        ("p U q", False),
        ("(p U q) || [] p", True),  # p W q, written out
    ],
)
def test_safety_is_known(text, safe):
    assert is_safety(parse(text).formula) is safe
