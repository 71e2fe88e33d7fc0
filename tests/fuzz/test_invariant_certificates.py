"""A small fixed part of the campaign against proofs by invariant, so that every test run has some."""

from __future__ import annotations

import pytest

from assay.evidence.inductive import z3_prover
from tests.fuzz import invariant_certificates as fuzz

pytest.importorskip("z3")
pytest.importorskip("cvc5")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    return fuzz.Campaign(tmp_path_factory.mktemp("forged"))


def test_forged_invariants_are_accepted_only_if_they_are_right(campaign):
    report = campaign.run(40, seed=2)
    assert report.problems == []
    assert report.stages["invariant: wrong"] > 10
    assert report.stages["invariant: right"] > 2


def test_the_campaign_notices_a_solver_that_says_that_nothing_is_wrong(campaign, monkeypatch):
    monkeypatch.setattr(z3_prover.Z3Prover, "ask", lambda *_: True)
    assert campaign.run(40, seed=1).problems
