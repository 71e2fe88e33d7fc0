"""never claims that execute C: they are part of the program, in every search, in runs and in certificates."""

from pathlib import Path

import pytest

import assay
from assay.languages.promela.parser import parse_text
from assay.languages.promela.program import build
from assay.transition_system.language_options import LanguageOptions
from tests.embedded_c.beside_spin import compare

MODELS = Path(__file__).resolve().parent / "models" / "claims"
ROUND = "c_decl { int k; }\nbyte x;\nactive proctype P() { do :: x < 5 -> x++ :: x == 5 -> x = 0 od }\n"


@pytest.mark.needs_spin
@pytest.mark.parametrize("name", ["stops_the_system", "stuck_where_it_accepts"])
def test_verdict_and_states_are_those_of_spin(name):
    """The others by hand: python -m tests.embedded_c.beside_spin tests/embedded_c/models/claims/*.pml"""
    agree, told = compare(MODELS / f"{name}.pml")
    assert agree, told


def test_what_the_claim_writes_the_processes_read(verified):
    claim = "never { do :: x == 3 -> c_code { now.x = %d; k = 1; } :: x >= 5 -> break :: else od }"
    assert verified(ROUND + claim % 0).verdict is assay.Verdict.VERIFIED
    assert verified(ROUND + claim % 5).verdict is assay.Verdict.VIOLATED


def test_the_run_shows_the_c_of_the_claim():
    found = assay.verify(MODELS / "counts_rounds.pml", reductions=())
    assert (found.verdict, found.states) == ("violated", 21)
    told = [step for step in found.violations[0].counterexample.steps if step.process == "never"]
    assert [step.changes[0].after for step in told] == [1, 2]
    assert "c_code" in told[0].text
    assert told[0].line == 3


def test_a_claim_may_wake_a_system_that_is_stuck():
    assert assay.verify(MODELS / "wakes_the_system.pml").verdict is assay.Verdict.VIOLATED


def test_a_fault_of_the_claims_code_is_one_of_the_program():
    found = assay.verify(MODELS / "precondition.pml")
    assert (found.verdict, found.violations[0].kind) == ("violated", "precondition")


def test_nobody_is_told_that_there_is_no_deadlock(verified):
    """A claim that is one of the processes stays with a system that is stuck."""
    model = "byte x;\nactive proctype P() { x == 1 }\nnever { do :: c_code { ; } od }"
    found = verified(model)
    assert found.verdict is assay.Verdict.VERIFIED
    assert {one.kind: str(one.standing) for one in found.properties}["deadlock"] == "not asked"
    assert "runs that it does not go along with are not looked at" in found.notes[0]
    assert verified(model, safety=True).verdict is assay.Verdict.VIOLATED


@pytest.mark.parametrize(
    ("claim", "options", "reason"),
    [
        ("never { do :: c_code { k = 1; } od }\nltl other { [] (x < 9) }", {}, "check it alone"),
        ("never { do :: c_code { k = 1; } od }", {"fair": True}, "check it alone"),
        ("never { do :: atomic { c_code { k = 1; }; x == 1 } od }", {}, "a condition behind c_code"),
        ("never { do :: np_ -> c_code { k = 1; } od }", {}, "beside c_code"),
    ],
)
def test_what_such_a_claim_cannot_have_is_said(claim, options, reason):
    model = build(parse_text(ROUND + claim), LanguageOptions.from_keywords(options))
    assert [reason in each for each in model.watched.reasons] == [True]


def test_a_certificate_covers_the_claim(tmp_path):
    certificate = tmp_path / "history.assay"
    model = MODELS / "keeps_a_history.pml"
    assert assay.verify(model, certificate=certificate).certificate is not None
    result = assay.certify(model, certificate, foreign_code=True, require_deadlock_freedom=False)
    assert result.verdict == "verified"
