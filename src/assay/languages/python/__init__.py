"""Python programs: compiled for the machine of the engine, which runs every schedule of their threads."""

from __future__ import annotations

from pathlib import Path


def outcomes(
    program: str | Path, granularity: str = "bytecode"
) -> set[tuple[tuple[tuple[str, str], ...], str]]:
    """All ways in which a small program can end, see `assay.languages.python.exploration`."""
    from assay.languages.python import exploration

    return exploration.outcomes(program, granularity)
