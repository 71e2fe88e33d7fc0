from dataclasses import replace

import pytest

from assay.cli.exit_codes import EXIT_CODES
from assay.evidence.loss import BitstateLoss, Bound, FingerprintLoss, UnderApproximation
from assay.evidence.verdict import SearchFacts, StopReason, Verdict, judge

FINISHED = SearchFacts(states=10, transitions=12, complete=True, stop_reason=StopReason.FINISHED)


def test_an_exact_finished_search_without_violations_verifies():
    judgement = judge(FINISHED)
    assert judgement.verdict is Verdict.VERIFIED
    assert judgement.complete
    assert judgement.reasons == ()


@pytest.mark.parametrize("reason", [reason for reason in StopReason if reason is not StopReason.FINISHED])
def test_no_other_way_to_end_verifies_even_if_the_search_calls_itself_complete(reason):
    judgement = judge(replace(FINISHED, stop_reason=reason))
    assert judgement.verdict is Verdict.INCOMPLETE
    assert not judgement.complete
    assert judgement.reasons


@pytest.mark.parametrize(
    "change",
    [
        {"complete": False},
        {"states": 0},
        {"frontier": 1},
        {"loss": FingerprintLoss()},
        {"loss": BitstateLoss(3, 1, 2**40)},
        {"loss": UnderApproximation("x + y")},
        {"loss": Bound("20 rounds of each loop")},
        {"stop_reason": StopReason.named("a reason of the future")},
    ],
)
def test_one_doubt_is_enough(change):
    judgement = judge(replace(FINISHED, **change))
    assert judgement.verdict is Verdict.INCOMPLETE
    assert judgement.reasons


def test_a_caveat_of_the_program_is_given_as_the_reason():
    judgement = judge(FINISHED, ("the never claim was not checked",))
    assert judgement.verdict is Verdict.INCOMPLETE
    assert judgement.complete
    assert judgement.reasons == ("the never claim was not checked",)


@pytest.mark.parametrize("reason", list(StopReason))
@pytest.mark.parametrize("loss", [None, FingerprintLoss()])
def test_a_violation_is_a_violation_however_the_search_ended(reason, loss):
    facts = replace(FINISHED, violation_count=2, stop_reason=reason, loss=loss)
    assert judge(facts, ("caveat",)).verdict is Verdict.VIOLATED


def test_a_limit_is_named_with_what_was_left():
    judgement = judge(SearchFacts(states=1000, stop_reason=StopReason.MEMORY, frontier=123456))
    assert judgement.reasons == ("the memory limit was reached, with 123,456 states still to expand",)


def test_nothing_is_verified_by_default():
    assert judge(SearchFacts()).verdict is Verdict.INCOMPLETE


def test_exit_codes_are_the_documented_ones():
    assert {str(verdict): code for verdict, code in EXIT_CODES.items()} == {
        "verified": 0,
        "violated": 1,
        "unusable": 2,
        "incomplete": 3,
        "rejected": 4,
        "internal error": 70,
    }
