"""The JSON object for a run that came to no result. Results print themselves (`Result.as_json`)."""

from __future__ import annotations

from assay import __version__
from assay.evidence.verdict import Verdict


def refusal_as_json(verdict: Verdict, message: str, where: object) -> dict[str, object]:
    """The keys every command shares, with the reason and its place in the source."""
    file, line, column = place(where)
    return {
        "verdict": str(verdict),
        "complete": False,
        "message": message,
        "file": file,
        "line": line,
        "column": column,
        "states": 0,
        "transitions": 0,
        "depth": 0,
        "seconds": 0.0,
        "peak_memory_bytes": 0,
        "violations": [],
        "certificate": None,
        "options": {},
        "version": __version__,
    }


def place(where: object) -> tuple[str | None, int | None, int | None]:
    """File, line and column of a location object, of `file:line:column`, or of a plain path."""
    if where is None:
        return None, None, None
    if hasattr(where, "file"):
        return str(where.file), getattr(where, "line", None), getattr(where, "column", None)
    parts = str(where).rsplit(":", 2)
    numbers = [int(part) for part in parts[1:] if part.isdigit()]
    if len(parts) == 3 and len(numbers) == 2:
        return parts[0], numbers[0], numbers[1]
    if parts[-1].isdigit() and len(parts) > 1:
        return ":".join(parts[:-1]), int(parts[-1]), None
    return str(where), None, None
