"""Traces agree with SPIN and survive reductions: the fixed part of `tests.agreement.events`."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.languages.promela import code_ample
from tests.agreement import spin
from tests.agreement.events import compare, compare_random, compare_reductions
from tests.agreement.reductions import check

HERE = Path(__file__).parent
OUTCOMES = {
    "alternation_holds": "agree: trace holds",
    "ambiguous": "agree: trace ambiguous",
    "arrays_and_parameters": "agree: trace violated",
    "copies_are_no_events": "agree: trace holds",
    "forbidden_order": "agree: notrace violated",
    "forbidden_order_not_seen": "agree: notrace holds",
    "not_completed": "agree: trace holds",
    "owner_is_mixed_up": "agree: trace violated",
    "rotation": "agree: trace holds",
    "several_events_in_one_step": "agree: trace holds",
}
needs_spin = pytest.mark.skipif(not spin.available(), reason="SPIN and a C compiler are not installed")


def test_every_model_has_an_outcome():
    assert sorted(OUTCOMES) == sorted(path.stem for path in (HERE / "event_models").glob("*.pml"))


@needs_spin
@pytest.mark.parametrize("name", OUTCOMES)
def test_models_have_the_verdict_and_the_graph_that_spin_finds(name):
    found = compare(HERE / "event_models" / f"{name}.pml")
    assert found.outcome == OUTCOMES[name], found.detail


@needs_spin
@pytest.mark.parametrize("seed", range(20))
def test_random_programs_have_the_verdict_and_the_graph_that_spin_finds(seed):
    found = compare_random(seed)
    assert found.outcome.startswith("agree"), found.detail


@pytest.mark.parametrize("seed", range(20))
def test_reductions_lose_no_violation_of_a_trace(seed):
    found = compare_reductions(seed)
    assert found.outcome != "disagree", found.detail


def test_reductions_leave_states_out_all_the_same():
    assert any(compare_reductions(seed).outcome == "agree: fewer states" for seed in range(4))


def test_a_reduction_that_chooses_an_order_of_events_would_be_noticed(monkeypatch):
    """With the condition switched off, the comparison says what is lost."""
    text = (HERE.parent / "regression" / "events_keep_their_order" / "model.pml").read_text()
    assert check(text, invariants=()).outcome == "agree"
    without = code_ample.EXCLUSIVE_TEXT.replace(" || is_event(channel, receiving)", "")
    assert without != code_ample.EXCLUSIVE_TEXT
    monkeypatch.setattr(code_ample, "EXCLUSIVE_TEXT", without)
    found = check(text, invariants=())
    assert found.outcome == "disagree"
    assert "lost [('trace'" in found.detail
