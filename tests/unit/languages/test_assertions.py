"""The values with which an assertion failed, as pytest shows them."""

import pytest

from assay.languages.python.assertions import Evaluation, failed_assertion


@pytest.mark.parametrize(
    ("text", "evaluations", "expected"),
    [
        ("assert f(x) == 2\n", [(7, 16, "1", "2")], ("assert 1 == 2", "where 1 = f(x)")),
        (
            "assert a and b < c\n",
            [(7, 8, "1", None), (13, 18, "5", "4")],
            ("assert 5 < 4", "where 5 = b", "and 4 = c"),
        ),
        (
            "assert a or b\n",
            [(7, 8, "[]", None), (12, 13, "0", None)],
            ("assert [] or 0", "where [] = a", "and 0 = b"),
        ),
        ("assert not full()\n", [(11, 17, "True", None)], ("assert not True", "where True = full()")),
        ("assert 1 == 2\n", [(7, 13, "1", "2")], ("assert 1 == 2",)),
        ("assert x is None, 'no'\n", [(7, 16, "[1]", "None")], ("assert [1] is None", "where [1] = x")),
        (
            "assert 0 <= n <= most < 9\n",
            [(7, 25, "0", "13"), (7, 25, "13", "10")],
            ("assert 0 <= 13 <= 10", "where 13 = n", "and 10 = most"),
        ),
        ("assert 0 < n < 9\n", [(7, 16, "5", "9"), (7, 16, "0", "-1")], ()),  # of two rounds of a loop
        (
            "assert n in {'b', 'a'}\n",
            [(7, 22, "'c'", "{'a', 'b'}")],
            ("assert 'c' in {'a', 'b'}", "where 'c' = n"),
        ),
        (  # of two rounds of a loop: in the second one `a` failed
            "assert a and b\n",
            [(13, 14, "True", None), (7, 8, "0", None)],
            ("assert 0", "where 0 = a"),
        ),
        ("assert x == 1\n", [(7, 13, "1", "1"), (7, 13, "2", "1")], ("assert 2 == 1", "where 2 = x")),
        ("assert x\n", [], ()),
        ("raise ValueError\n", [(7, 8, "1", "2")], ()),
        ("assert (\n", [(7, 8, "1", "2")], ()),
    ],
)
def test_the_values_of_a_failed_assertion(text, evaluations, expected):
    told = [Evaluation(1, begin, 1, end, left, right) for begin, end, left, right in evaluations]
    assert failed_assertion(text, 1, told) == expected
