"""Kinds of embedded C beside SPIN, a few here; the others by hand:

python -m tests.embedded_c.beside_spin tests/embedded_c/models/*/*.pml
"""

from pathlib import Path

import pytest

from tests.embedded_c.beside_spin import compare

KINDS = Path(__file__).resolve().parent / "models" / "kinds"


@pytest.mark.needs_spin
@pytest.mark.parametrize("name", ["several_files", "other_processes", "static_local"])
def test_verdict_and_states_are_those_of_spin(name):
    agree, told = compare(KINDS / f"{name}.pml")
    assert agree, told
