"""Claims agree with SPIN and with the definition: the fixed part of `tests.agreement.claims`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agreement import spin
from tests.agreement.claims import Comparison, compare, compare_random, compare_reductions

pytestmark = pytest.mark.skipif(not spin.available(), reason="SPIN and a C compiler are not installed")

MODELS = sorted((Path(__file__).parent / "claim_models").glob("*.pml"))


def require_agreement(found: Comparison) -> None:
    assert not found.problems
    assert any("definition" in outcome for outcome in found.outcomes)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.stem)
def test_each_claim_has_the_verdict_that_spin_gives(model):
    require_agreement(compare(model))


@pytest.mark.parametrize("seed", range(8))
def test_random_programs_and_formulas_have_the_verdict_that_spin_gives(seed):
    require_agreement(compare_random(seed, formulas=3))


@pytest.mark.parametrize("seed", range(6))
def test_reductions_change_no_verdict_on_runs_that_never_end(seed):
    found = compare_reductions(seed, formulas=2)
    assert not found.problems


def test_reductions_leave_states_out_where_formulas_do_not_notice():
    found = compare_reductions(1, formulas=3)
    assert any("fewer states" in outcome for outcome in found.outcomes if outcome.startswith("partial-order"))
