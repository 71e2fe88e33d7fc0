"""`--terminates` for models and classes: what an end is, who is fair, what a run that never ends looks like.

(For threads: tests/python/test_liveness.py.)
"""

from __future__ import annotations

import pytest

import assay
from assay.evidence.properties import Standing
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import REDUCTIONS

FLAG = """
bool flag;
active proctype Waits() { do :: !flag -> skip :: flag -> break od }
active proctype Sets() { flag = true }
"""
SERVER = """
chan requests = [1] of { byte };
active proctype Server() { byte m; end: do :: requests?m -> skip od }
active proctype Client() { requests!1; requests!2 }
"""
NEVER_AGAIN = FLAG.replace("flag = true", "flag = true; flag = false")
DEADLOCK = """
chan requests = [1] of { byte };
active proctype Server() { byte m; do :: requests?m -> skip od }
active proctype Client() { requests!1 }
"""
BUSY_AT_ITS_END_LABEL = """
bit x;
active proctype Server() { end: do :: x = 1 - x od }
"""
RENDEZVOUS = """
chan c = [0] of { bit };
active proctype A() { c!1 }
active proctype B() { bit x; c?x }
"""
ENDLESS_STARTS = """
active proctype P() { run P() }
"""


@pytest.fixture
def verify(tmp_path):
    def run(text, **options):
        path = tmp_path / "model.pml"
        path.write_text(text)
        return assay.verify(path, terminates=True, **options)

    return run


def standing(result):
    return {one.kind: one.standing for one in result.properties}["termination"]


@pytest.mark.parametrize("reductions", [(), REDUCTIONS])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FLAG, Standing.HOLDS),  # only because Sets is let to move
        (SERVER, Standing.HOLDS),  # a server that waits at its end label for nobody
        (RENDEZVOUS, Standing.HOLDS),
        (NEVER_AGAIN, Standing.VIOLATED),  # who looks at the wrong time looks for ever
        (BUSY_AT_ITS_END_LABEL, Standing.VIOLATED),  # where a process may stop is no stop
        (DEADLOCK, Standing.VIOLATED),
    ],
)
def test_a_model_ends_where_nobody_can_move_and_everybody_may_stop(verify, text, expected, reductions):
    result = verify(text, reductions=reductions)
    assert standing(result) is expected
    assert result.verdict is (Verdict.VERIFIED if expected is Standing.HOLDS else Verdict.VIOLATED)


def test_a_deadlock_is_told_once_and_is_no_end_if_nobody_asks_for_deadlocks(verify):
    assert [one.kind for one in verify(DEADLOCK).violations] == ["deadlock"]
    alone = verify(DEADLOCK, check_deadlock=False)
    assert [one.kind for one in alone.violations] == ["termination"]
    (waiting,) = alone.violations[0].counterexample.waiting
    assert waiting.process == "Server[0]"


def test_the_run_goes_round_and_everybody_who_can_always_move_does(verify):
    (violation,) = verify(NEVER_AGAIN).violations
    assert violation.message == "a run never ends"
    run = violation.counterexample
    assert run.loop_start is not None
    assert {step.process for step in run.steps[run.loop_start :]} == {"Waits[0]"}
    assert all(one.how != "starves" for one in run.waiting)


def test_a_model_that_grows_for_ever_is_not_decided(verify):
    assert standing(verify(ENDLESS_STARTS, max_states=40)) is Standing.NOT_DECIDED


def test_other_formulas_are_of_all_runs_beside_it(verify):
    """Termination is about fair runs, and takes none of the others from a formula."""
    result = verify(FLAG, ltl=["<> flag"])
    assert [(one.kind, one.standing) for one in result.properties if one.kind in ("ltl", "termination")] == [
        ("ltl", Standing.VIOLATED),
        ("termination", Standing.HOLDS),
    ]


# --- classes ---


class Counter:
    last = 3

    def initial_states(self):
        return [0, 1]

    def enabled(self, state):
        return ["count"] if state < self.last else []

    def step(self, state, action):
        return state + 1


class Clock(Counter):
    def step(self, state, action):
        return (state + 1) % self.last


class EndsElsewhere(Counter):
    def may_end(self, state):
        return state != self.last


@pytest.mark.parametrize(
    ("system", "expected"),
    [(Counter(), Standing.HOLDS), (Clock(), Standing.VIOLATED), (EndsElsewhere(), Standing.VIOLATED)],
)
def test_a_class_ends_where_no_action_is_enabled_and_it_may_end(system, expected):
    result = assay.verify(system, terminates=True, check_deadlock=False)
    assert standing(result) is expected
