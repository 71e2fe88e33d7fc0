"""A small fixed part of the campaigns about C programs, so that every test run has some."""

from __future__ import annotations

import pytest

from assay.checker.c.solvers import Solvers
from tests.fuzz import c_certificates as fuzz
from tests.fuzz import c_front_end


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    chosen = tuple(one for one in fuzz.BASES if one.name in ("counters", "counted"))
    return fuzz.Campaign(tmp_path_factory.mktemp("forged"), chosen)


def test_forged_proofs_are_accepted_only_if_they_are_right(campaign):
    report = campaign.run(18, seed=4)
    assert report.problems == []
    assert sum(count for stage, count in report.stages.items() if "rejected/rejected" in stage) > 6


def test_the_campaign_notices_a_checker_that_believes_everything(campaign, monkeypatch):
    monkeypatch.setattr(Solvers, "never_holds", lambda *_: True)
    assert any("they disagree" in one for one in campaign.run(6, seed=5).problems)


@pytest.mark.parametrize("seed", range(3000, 3004))
def test_a_random_program_does_in_the_checker_what_the_compiled_one_does(seed):
    assert c_front_end.difference(seed) is None
