"""A fixed part of the campaign: random programs whose symbolic forms must be what they do."""

from __future__ import annotations

import pytest

from tests.agreement.guarded_generator import generate
from tests.agreement.symbolic_forms import compare


@pytest.mark.parametrize("seed", range(40_000, 40_030))
def test_the_form_of_a_random_program_is_what_it_does(seed):
    found = compare(generate(seed).text)
    assert found.outcome not in {"disagree", "crashed"}, found.detail
