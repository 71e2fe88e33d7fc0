"""Programs in which the machine, or its library, was not quite what CPython is.

The first line of each tells what must become of it: `fails` and `holds` are what CPython does, under some
schedule and under all of them; `refused` is for what is not modelled.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.transition_system.interface import SourceProblem
from tests.oracles.exploration import outcomes

PROGRAMS = sorted((Path(__file__).parent / "fidelity").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_machine_does_what_cpython_does(path: Path) -> None:
    text = path.read_text()
    expected = text.partition("\n")[0].removeprefix("# ")
    if expected == "refused":
        with pytest.raises(SourceProblem):
            outcomes(text, "bytecode")
        return
    ended = {ending for _, ending in outcomes(text, "bytecode")}
    assert (ended == {"ok"}) == (expected == "holds"), ended
