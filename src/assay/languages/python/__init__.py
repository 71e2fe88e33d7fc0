"""Python programs: compiled for the machine of the engine, which runs every schedule of their threads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.languages.python.sequential import Run


def outcomes(
    program: str | Path, granularity: str = "bytecode"
) -> set[tuple[tuple[tuple[str, str], ...], str]]:
    """All ways in which a small program can end, see `assay.languages.python.exploration`."""
    from assay.languages.python import exploration

    return exploration.outcomes(program, granularity)


def run(program: str | Path) -> Run:
    """Runs a program once with one thread at a time, see `assay.languages.python.sequential`."""
    from assay.languages.python import sequential

    return sequential.run(program)
