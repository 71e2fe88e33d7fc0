"""Terms mean the same to everybody: evaluated, compiled to Python and to C, and asked of z3."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.inductive.z3_prover import ProverProblem, Z3Prover
from assay.transition_system.terms import (
    ARITHMETIC,
    COMPARISONS,
    Apply,
    Integer,
    Number,
    Term,
    Truncate,
    Variable,
    apply,
    bounds,
    compiled,
    evaluate,
    from_json,
    negated,
    quotient,
    remainder,
    substituted,
    to_json,
    truncate,
    truncated,
)

X, Y = Variable("x", Integer(8, False)), Variable("y", Integer(8, True))
NAMES = {"x": X, "y": Y}
POSITIONS = {"x": 0, "y": 1}


def numbers() -> st.SearchStrategy[Term]:
    leaves = st.sampled_from([X, Y]) | st.integers(-20, 20).map(Number)

    def larger(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        binary = st.sampled_from([one for one in ARITHMETIC if one not in {"neg", "~", "<<", ">>"}])
        return (
            st.tuples(binary, inner, inner).map(lambda one: Apply(one[0], (one[1], one[2])))
            | inner.map(lambda one: Apply("neg", (one,)))
            | st.tuples(inner, st.sampled_from([1, 3, 8]), st.booleans()).map(lambda one: Truncate(*one))
        )

    return st.recursive(leaves, larger, max_leaves=6)


def truths() -> st.SearchStrategy[Term]:
    compared = st.tuples(st.sampled_from(list(COMPARISONS)), numbers(), numbers())
    return compared.map(lambda one: Apply(one[0], (one[1], one[2])))


@settings(max_examples=150, deadline=None)
@given(truths(), st.integers(0, 255), st.integers(-128, 127))
def test_a_term_has_one_value(term, x, y):
    values = {"x": x, "y": y}
    wanted = evaluate(term, values)
    assert bool(compiled(term, POSITIONS)((x, y))) is wanted
    assert evaluate(from_json(to_json(term), NAMES), values) is wanted
    assert evaluate(negated(term), values) is not wanted
    assert evaluate(substituted(term, {"x": Number(x)}), values) is wanted


@settings(max_examples=150, deadline=None)
@given(numbers(), st.integers(0, 255), st.integers(-128, 127))
def test_a_value_lies_within_its_bounds(term, x, y):
    low, high = bounds(term)
    value = evaluate(term, {"x": x, "y": y})
    assert low is None or low <= value
    assert high is None or value <= high


@settings(max_examples=60, deadline=None)
@given(truths(), st.integers(0, 255), st.integers(-128, 127))
def test_z3_gives_a_term_the_value_that_it_has(term, x, y):
    """Over integers, or over bit vectors if it looks at bits."""
    here = (apply("==", X, Number(x)), apply("==", Y, Number(y)))
    try:
        prover = Z3Prover((X, Y), [term], seconds=20)
        answer = prover.ask(prover.solver(()), here, term)
    except ProverProblem:  # no room in a vector of bits
        return
    if answer is not None:
        assert (answer is True) == evaluate(term, {"x": x, "y": y})


@pytest.mark.parametrize("left", [-7, -1, 0, 1, 7])
@pytest.mark.parametrize("right", [-3, -1, 1, 3])
def test_quotients_go_towards_zero_as_in_c(left, right):
    assert quotient(left, right) == int(left / right)
    assert quotient(left, right) * right + remainder(left, right) == left


def test_a_truncation_that_cannot_matter_is_left_out():
    assert truncated(apply("+", X, Number(1)), 32, True) == apply("+", X, Number(1))
    wraps = truncated(apply("+", X, Number(1)), 8, False)
    assert wraps == Truncate(apply("+", X, Number(1)), 8, False)
    assert evaluate(wraps, {"x": 255}) == 0
    assert truncate(200, 8, True) == -56
