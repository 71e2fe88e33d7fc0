"""Every model of SPIN's package that takes seconds: the same verdict, states and transitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agreement import subject
from tests.agreement.examples import DIRECTORY, compare, models

pytestmark = pytest.mark.needs_spin

# Judged by `python -m tests.agreement.examples`, which has more patience.
TOO_LARGE = {
    "App.F.pftp.pml",  # more than 2 million states
    "ex_6.pml",  # more than 10 million states
    "leader.pml",
    "leader_pre.pml",
    "life.pml",
    "ltl_gen.pml",
    "petersonN.pml",
    "priorities.pml",  # endless
}
MODELS = [model for model in models() if model.name not in TOO_LARGE]


def name(model: Path) -> str:
    return str(model.relative_to(DIRECTORY))


def test_spins_package_brings_its_models():
    assert len(MODELS) > 60


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_unreduced_graph_is_spins_graph(model):
    row = compare(model, seconds=60)
    if row.found is None:
        pytest.skip(f"SPIN {row.expected.status.value}: {row.expected.message[:100]}")
    expected = (row.expected.verdict, row.expected.states, row.expected.transitions)
    assert (row.found.verdict, row.found.states, row.found.transitions) == expected
    assert row.found.kinds == row.expected.kinds

    reduced = subject.check(model, subject.REDUCED)
    assert reduced.verdict == row.expected.verdict
