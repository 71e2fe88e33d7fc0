"""A small fixed part of the campaign against certificates, so that every test run has some."""

from __future__ import annotations

import random

import pytest

from assay.certification import walking
from assay.evidence.certificate.header import CertificateProblem, Header
from tests.fuzz import certificates as fuzz


def test_forged_certificates_are_accepted_only_if_they_are_true():
    report = fuzz.campaign(3_000, seed=2)
    assert report.problems == []
    assert report.mutations == 3_000 + 150
    # Else the campaign only ever sees the first thing that is wrong.
    assert report.stages["walk"] > 300
    assert report.stages["products"] > 200
    assert report.stages["accepted: another script, as true"] > 5


def test_the_campaign_notices_a_certifier_that_does_not_compare_the_products(tmp_path, monkeypatch):
    for module, name in [
        (fuzz.sharing_out, "LocalProcesses"),
        (fuzz.certification_program, "languages"),
        (fuzz.certification_task, "_engine"),
        (fuzz.certification_task, "open_model"),
    ]:
        monkeypatch.setattr(module, name, getattr(module, name))  # so that it comes back
    monkeypatch.setattr(walking, "require_whole_walk", lambda *_: None)
    report = fuzz.Campaign(tmp_path).run(200, seed=1)
    assert any("a reference does not lead to the state it names" in what for what, _ in report.problems)


def test_the_campaign_notices_the_death_of_its_child(monkeypatch):
    monkeypatch.setattr(fuzz, "BATCH_SECONDS", 0.01)
    ((what, _),) = fuzz.campaign(10, seed=1).problems
    assert what == "batch 1000003 died, took longer than 0.01 seconds"


@pytest.mark.parametrize("seed", [1, 2])
def test_changed_headers_are_read_as_they_are_or_refused(tmp_path, seed):
    chance = random.Random(seed)
    honest = fuzz.Target(fuzz.KINDS[4], tmp_path).header
    for _ in range(1_000):
        text = fuzz.mutated_bytes(chance, honest, [honest])
        try:
            header = Header.from_bytes(text)
        except CertificateProblem:
            continue
        assert header.as_bytes() == text
