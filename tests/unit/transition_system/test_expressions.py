from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.transition_system.expressions import Expression
from assay.transition_system.interface import SourceProblem


def holds(text, before=None, after=None):
    expression = Expression(text, option="--invariant", over_steps=after is not None)
    return expression.holds(before or {}, after)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x <= 1", True),
        ("x == 1 and y != 1", True),
        ("x == 2 or y == 3", False),
        ("not x == 2", True),
        ("0 <= x < 2 <= y", True),
        ("x + y * 2 == 5", True),
        ("table[x] == 20", True),
        ("len(table) == 3 and max(table) == 30", True),
        ("x in {1, 2}", True),
        ("(x if y == 2 else y) == 1", True),
        ("x == 5 implies y == 8", True),
        ("x == 1 implies y == 8", False),
        ("x == 1 implies y == 8 implies x == 9", True),
        ("(x == 1 implies y == 8) implies x == 9", True),
        ("(x == 1 implies y == 2) and x == 2", False),
        ("len([x == 9 implies y == 9, 3]) == 2", True),
        ("name == 'a implies b'", True),
        ("  x ==\n 1", True),
    ],
)
def test_evaluates_like_python(text, expected):
    variables = {"x": 1, "y": 2, "table": [10, 20, 30], "name": "a implies b"}
    assert holds(text, variables) is expected


def test_a_step_invariant_sees_both_states():
    assert holds("x == 5 implies next.x == 8", {"x": 5}, {"x": 8})
    assert not holds("x == 5 implies next.x == 8", {"x": 5}, {"x": 7})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x <=", ": expected an expression in 'x <='"),
        ("next.x == 1", "--invariant:1:1: `next` needs two states; use --step-invariant in 'next.x == 1'"),
        ("x.__class__", "names that begin with an underscore are not available"),
        ("open('f')", "only len, abs, min, max, sum, all, any, sorted can be called"),
        ("[x for x in y]", "is not part of a property"),
        ("(lambda: 1)", "Lambda is not part of a property"),
        ("2 ** 99999999", "Pow is not part of a property"),
        ("", "expected an expression"),
        ("1)+(1", "expected an expression"),
        ("x; y", "expected an expression"),
    ],
)
def test_refuses_what_is_not_a_property_before_any_state_is_seen(text, message):
    with pytest.raises(SourceProblem) as problem:
        Expression(text, option="--invariant")
    assert message in str(problem.value)


def test_an_unknown_variable_is_named_with_the_known_ones():
    with pytest.raises(SourceProblem, match="expected one of the variables x, y, got z"):
        holds("z == 1", {"x": 1, "y": 2})


@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_a_problem(text):
    with suppress(SourceProblem):
        Expression(text, option="--invariant")


@given(
    st.lists(st.sampled_from(["a", "b", "implies", "(", ")", "and", "not", ",", "[", "]", "'"]), max_size=12)
)
def test_any_tangle_of_implications_is_an_expression_or_a_problem(words):
    with suppress(SourceProblem):
        Expression(" ".join(words), option="--invariant")
