"""Statement merging: what it saves, and what each of its conditions is for."""

from __future__ import annotations

import pytest

import assay
from assay.languages.promela import footprint, merging
from assay.report.changes import is_place
from tests.unit.languages.promela.reducing import searcher

__all__ = ["searcher"]

MERGING = "merging"

PRIVATE_STEPS = """
byte g;
active proctype p() { byte x; g = 1; x = 1; x = 2; x = x + g }
"""

ERROR_BEHIND_A_VISIBLE_STEP = """
byte g;
active proctype a() { byte i = 5; byte list[2]; g = 1; list[i] = 3; assert(list[0] == 0) }
active proctype b() { g == 1 -> assert(false) }
"""

CONSTANT_INDEX_OUTSIDE = ERROR_BEHIND_A_VISIBLE_STEP.replace("list[i]", "list[5]")

ASSERTIONS_IN_A_ROW = "byte g; active proctype a() { byte i = 5; g = 1; assert(i == 4); assert(i == 3) }"

ASSERTION_BEHIND_AN_ATOMIC_SEQUENCE = """
byte g;
active proctype a() { byte i = 5; atomic { assert(i == 4); g = 1 }; assert(i == 3) }
"""

GLOBAL_IN_PROVIDED = """
byte g, h;
active proctype a() { h = 1; g = 1; g = 0; g = 2 }
active proctype b() provided (g == 1) { assert(false) }
"""

RENDEZVOUS_OR_ELSE = """
chan meet = [0] of { byte };
byte g;
active proctype p() { byte x, y; g = 1; y = 3; y = y + 1; meet?x }
active proctype q() { g == 1 -> if :: meet!0 :: else -> assert(false) fi }
"""

RENDEZVOUS_ESCAPES = """
chan meet = [0] of { byte };
byte g;
active proctype p() { byte x, y; g = 1; y = 3; y = y + 1; meet?x }
active proctype q() { g == 1 -> { assert(false) } unless { meet!0 } }
"""

LABEL_OF_ANOTHER_TYPE = """
byte g;
active proctype a() { byte x; g = 1; x = 1; x = 2; assert(x == 2); g = 2 }
proctype b() { byte x; one: x = 1; two: x = 2; three: x = 3 }
active proctype c() { assert(!(b[0]@two || b[0]@three)) }
"""

ATOMIC_SEQUENCE_ENTERED = """
byte g;
active proctype a() { byte x; g = 1; atomic { x = 1; g = 2 } }
active proctype b() { g == 1 -> assert(false) }
"""


def test_private_steps_take_no_states_of_their_own(searcher):
    assert searcher.states(PRIVATE_STEPS) == 6  # one per step, the process gone, and the first
    assert searcher.states(PRIVATE_STEPS, MERGING) == 3


def test_an_invariant_keeps_the_steps_that_it_can_see(searcher):
    text = "byte g, h; active proctype a() { g = 1; h = 1; h = 0; h = 2 }"
    assert searcher.states(text, MERGING) < searcher.states(text)
    assert searcher.reports(text, MERGING, invariant="h != 1") == [("invariant", None)]


@pytest.mark.parametrize(
    "text",
    [
        ERROR_BEHIND_A_VISIBLE_STEP,
        CONSTANT_INDEX_OUTSIDE,
        ASSERTIONS_IN_A_ROW,
        ASSERTION_BEHIND_AN_ATOMIC_SEQUENCE,
        GLOBAL_IN_PROVIDED,
        RENDEZVOUS_OR_ELSE,
        RENDEZVOUS_ESCAPES,
        LABEL_OF_ANOTHER_TYPE,
        ATOMIC_SEQUENCE_ENTERED,
    ],
)
def test_everything_is_still_found(searcher, text):
    assert searcher.reports(text) != []
    assert not searcher.loses(text, MERGING)


# Each condition, switched off: then something is lost, so the tests above can fail.


def test_steps_that_can_be_errors_must_not_be_merged(searcher, monkeypatch):
    monkeypatch.setattr(merging, "operation_can_fail", lambda operation: False)
    assert searcher.loses(ERROR_BEHIND_A_VISIBLE_STEP, MERGING)
    assert searcher.loses(CONSTANT_INDEX_OUTSIDE, MERGING)


def test_receivers_must_stay_where_a_sender_sees_them(searcher, monkeypatch):
    monkeypatch.setattr(footprint.Visibility, "watch_receivers", lambda *_, **__: None)
    assert searcher.loses(RENDEZVOUS_OR_ELSE, MERGING)
    assert searcher.loses(RENDEZVOUS_ESCAPES, MERGING)


def test_a_merged_step_is_told_statement_by_statement(tmp_path):
    path = tmp_path / "model.pml"
    path.write_text("byte x; active proctype Q() { byte a; a = 1; a = a + 2; x = a; assert(x == 0) }")
    run = assay.verify(path, trace=None).violations[0].counterexample
    told = [
        (step.text, [(change.name, change.after) for change in step.changes if not is_place(change.name)])
        for step in run.steps
    ]
    assert told == [("a = 1", []), ("a = a+2", []), ("x = a", [("x", 3)]), ("assert(x == 0)", [])]
