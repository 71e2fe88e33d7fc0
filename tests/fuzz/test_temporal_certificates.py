"""A small fixed part of the campaign against temporal certificates, so that every test run has some."""

from __future__ import annotations

import pytest

from assay.certification import program as certification_program
from assay.certification import sharing_out, walking
from assay.certification import task as certification_task
from tests.fuzz import temporal_certificates as fuzz


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    for module, name in (
        (sharing_out, "LocalProcesses"),
        (certification_program, "languages"),
        (certification_task, "open_model"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))  # so that it comes back
    return fuzz.Campaign(tmp_path)


def test_forged_ranks_are_accepted_only_if_they_show_what_is_claimed(campaign):
    report = campaign.run(1_500, seed=2)
    assert report.problems == []
    assert report.stages["ranks"] > 50
    assert report.stages["accepted: as true"] > 20


def test_the_campaign_notices_a_certifier_that_does_not_compare_the_products(campaign, monkeypatch):
    monkeypatch.setattr(walking, "require_whole_walk", lambda *_: None)
    assert campaign.run(300, seed=1).problems
