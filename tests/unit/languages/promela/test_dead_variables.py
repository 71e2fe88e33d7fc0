"""Dead-variable reset: what it saves, and what each of its conditions is for."""

from __future__ import annotations

import pytest

from assay.languages.promela import footprint
from tests.unit.languages.promela.reducing import searcher

__all__ = ["searcher"]

DEAD = "dead-variables"

LEFTOVERS = """
active proctype p() { byte x; do :: x = 1; assert(x < 3) :: x = 2; assert(x < 3) od }
"""

INDEX_OUTSIDE_A_WRITE_ONLY_ARRAY = "active proctype a() { byte i = 5; byte list[2]; list[i] = 1 }"
INDEX_OUTSIDE_A_HIDDEN_ARRAY = "hidden byte list[2]; active proctype a() { byte i = 5; list[i] = 1 }"
WRONG_INITIAL_VALUE = "byte zero; active proctype a() { byte i = 1 / zero; skip }"
PARAMETER_IN_PROVIDED = "proctype b(byte n) provided (n > 0) { assert(false) } init { run b(1) }"
LENGTH_IS_PRINTED = """
chan q = [1] of { byte };
active proctype a() { chan c; c = q; printf("%d", len(c)); skip }
"""
LIVE_THROUGH_AN_ESCAPE = """
byte g;
active proctype a() { byte x; x = 1; { g = 1; x = 2; x = 3 } unless { g == 2 -> assert(x == 0) } }
active proctype b() { g == 1 -> g = 2 }
"""
PARTLY_WRITTEN = "active proctype a() { byte list[2]; list[0] = 1; list[1] = 2; assert(list[0] == 0) }"
READ_FROM_OUTSIDE = """
active proctype a() { byte x; x = 7; x = 0; x = 1 }
active proctype b() { assert(a:x != 7) }
"""
READ_THROUGH_A_RUN_ARGUMENT = """
proctype b(byte n) { assert(n == 0) }
init { byte x; x = 1; run b(x) }
"""


def test_states_that_differ_in_leftovers_are_one(searcher):
    assert searcher.states(LEFTOVERS) == 5
    assert searcher.states(LEFTOVERS, DEAD) == 3


def test_a_variable_that_nobody_reads_needs_no_states(searcher):
    text = "byte g; active proctype p() { do :: g = 1 :: g = 2 od }"
    assert searcher.states(text) == 3
    assert searcher.states(text, DEAD) == 1
    assert searcher.states(text, DEAD, invariant="g < 3") == 3


@pytest.mark.parametrize(
    "text",
    [
        INDEX_OUTSIDE_A_WRITE_ONLY_ARRAY,
        INDEX_OUTSIDE_A_HIDDEN_ARRAY,
        WRONG_INITIAL_VALUE,
        PARAMETER_IN_PROVIDED,
        LIVE_THROUGH_AN_ESCAPE,
        PARTLY_WRITTEN,
        READ_FROM_OUTSIDE,
        READ_THROUGH_A_RUN_ARGUMENT,
    ],
)
def test_everything_is_still_found(searcher, text):
    assert searcher.reports(text) != []
    assert not searcher.loses(text, DEAD)


def test_nothing_is_invented(searcher):
    assert searcher.reports(LENGTH_IS_PRINTED) == []
    assert searcher.reports(LENGTH_IS_PRINTED, DEAD) == []


# Each condition, switched off: then the tests above fail.


def test_what_is_printed_counts_as_read_if_computing_it_can_fail(searcher, monkeypatch):
    monkeypatch.setattr(footprint, "can_fail", lambda expression: False)
    assert searcher.loses(LENGTH_IS_PRINTED, DEAD)
