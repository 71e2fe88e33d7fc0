"""A fixed part of the campaign: random programs on which SPIN and Assay must agree."""

from __future__ import annotations

import pytest

from tests.agreement.campaign import compare
from tests.agreement.generator import generate

pytestmark = pytest.mark.needs_spin

SEEDS = range(20_000, 20_080)


@pytest.mark.parametrize("seed", SEEDS)
def test_assay_agrees_with_spin_on_a_random_program(seed):
    comparison = compare(generate(seed).text, reduced=True)
    assert comparison.outcome != "disagree", comparison.detail
    assert comparison.outcome != "refused by Assay alone", comparison.detail
