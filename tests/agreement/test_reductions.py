"""A fixed part of the campaign: random programs in which no reduction may lose anything."""

from __future__ import annotations

import pytest

from tests.agreement.generator import generate
from tests.agreement.reductions import check

SEEDS = range(30_000, 30_060)


@pytest.mark.parametrize("seed", SEEDS)
def test_reductions_lose_nothing(seed):
    comparison = check(generate(seed).text, seed=seed)
    assert comparison.outcome != "disagree", f"{comparison.detail} {comparison.invariant}"


def test_most_programs_are_compared():
    outcomes = [check(generate(seed).text, seed=seed).outcome for seed in range(30_100, 30_106)]
    assert outcomes.count("agree") >= 3


def test_a_difference_would_be_noticed(monkeypatch):
    """With a condition switched off, the comparison says what is lost."""
    text = """
    chan q = [1] of { byte };
    active proctype a() { byte y; if :: q?y :: else -> assert(false) fi }
    active proctype b() { q!1 }
    """
    assert check(text, invariants=()).outcome == "agree"
    monkeypatch.setattr("assay.languages.promela.footprint.testing_locations", lambda graph: set())
    comparison = check(text, invariants=())
    assert comparison.outcome == "disagree"
    assert "lost [('assertion'" in comparison.detail
