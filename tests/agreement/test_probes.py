"""Models that go wrong in enumerated ways: Assay gives SPIN's verdict.

A fixed part of them; `python -m tests.agreement.probes` tries all, and asks SPIN anew.
"""

import pytest

from tests.agreement import probes, subject

EVERY = probes.probes()
ENUMERATED = [probe for probe in EVERY if probe.name not in {one.name for one in probes.other_probes()}]
TRIED = [*probes.other_probes(), *ENUMERATED[::12]]
ASKED_ANEW = EVERY[::40]
# What SPIN accepts and Assay refuses, by words of the sentence: no wrong verdict, but none either.
REFUSALS = ("message fields, got", "two 'else' meet in one choice", "'unless' inside d_step")


def test_what_spin_says_is_recorded_for_each_probe():
    assert sorted(probes.recorded()) == sorted(probe.name for probe in EVERY)
    assert len(EVERY) > 1000
    assert set(probes.recorded().values()) == {"verified", "deadlock", "violated", "refused"}


@pytest.mark.parametrize("probe", TRIED, ids=lambda probe: probe.name)
def test_assay_gives_the_verdict_that_spin_gave(probe):
    said = probes.recorded()[probe.name]
    ours = probes.assays_verdict(probe, subject.UNREDUCED)
    assert probe.name in probes.DIFFERENT or probes.agree(said, ours, all_errors=True), (said, ours)
    if ours.verdict == "unusable" and said != "refused":
        assert any(words in ours.message for words in REFUSALS), ours
    reduced = probes.assays_verdict(probe, subject.REDUCED)
    assert reduced.verdict == ours.verdict


@pytest.mark.needs_spin
@pytest.mark.parametrize("probe", ASKED_ANEW, ids=lambda probe: probe.name)
def test_spin_still_says_what_is_recorded(probe):
    assert probes.spins_verdict(probe) == probes.recorded()[probe.name]
