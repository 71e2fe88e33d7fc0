"""An estimate as a file: what was estimated, how, and from what, so that others can do it again.

JSON with a media type of its own: nobody, and no program, shall take it for a
certificate. It is read as a stranger's: bounded, and every value is checked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.evidence.reading import read_regular_file
from assay.records import dataclass
from assay.transition_system.interface import SourceHash

MEDIA_TYPE = "application/vnd.assay.estimate+json"
FORMAT = 1
MOST_BYTES = 16 * 1024 * 1024


class EstimateProblem(ValueError):
    """The file is no estimate that can be repeated."""


@dataclass(frozen=True, slots=True)
class SavedEstimate:
    program: str
    sources: tuple[str, ...]  # SHA-256 of each
    options: Mapping[str, object]  # those that decide what the program means
    method: str
    states: int
    memory_bytes: int
    seed: int
    exhaustive_share: float
    coverage: float
    low: float
    high: float


def looks_like_an_estimate(path: Path) -> bool:
    """Certificates are binary and never begin with a brace."""
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] == b"{"
    except OSError:
        return False


def save_estimate(
    path: Path,
    estimation: Mapping[str, Any],
    *,
    program: str,
    sources: Sequence[SourceHash],
    options: Mapping[str, object],
    version: str,
) -> None:
    content = {
        "media_type": MEDIA_TYPE,
        "format": FORMAT,
        "note": "An estimate of coverage. It proves nothing and is no verdict.",
        "program": Path(program).name,
        "sources": [{"name": Path(source.path).name, "sha256": source.sha256} for source in sources],
        "options": dict(options),
        "estimate": dict(estimation),
        "version": version,
    }
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(content, indent=1), encoding="utf-8")
    os.replace(partial, path)  # noqa: PTH105 (one step, whatever is there)


def load_estimate(path: Path) -> SavedEstimate:
    try:
        text = read_regular_file(path, MOST_BYTES)
    except ValueError:
        raise EstimateProblem(f"{path} is no estimate: it is larger than {MOST_BYTES:,} bytes") from None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise EstimateProblem(f"{path} is no estimate: it is not JSON ({type(problem).__name__})") from None
    if not isinstance(content, dict) or content.get("media_type") != MEDIA_TYPE:
        raise EstimateProblem(f"{path} is no estimate: its media type is not {MEDIA_TYPE}")
    if content.get("format") != FORMAT:
        raise EstimateProblem(f"{path}: expected format {FORMAT}, got {str(content.get('format'))[:20]}")
    try:
        estimate = content["estimate"]
        plan = estimate["plan"]
        saved = SavedEstimate(
            program=_text(content["program"]),
            sources=tuple(_text(source["sha256"]) for source in content["sources"]),
            options=dict(content["options"]),
            method=_text(plan["method"]),
            states=_whole(plan["states"], 2**63),
            memory_bytes=_whole(plan["memory_bytes"], 2**50),
            seed=_whole(plan["seed"], 2**63),
            exhaustive_share=_share(plan["exhaustive_share"]),
            coverage=_share(estimate["coverage"]),
            low=_share(estimate["low"]),
            high=_share(estimate["high"]),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise EstimateProblem(f"{path} is no estimate that can be repeated: {problem!r:.200}") from None
    if not saved.low <= saved.coverage <= saved.high:
        raise EstimateProblem(f"{path}: its estimate lies outside its own interval")
    return saved


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 10_000:
        raise ValueError("expected a short text")
    return value


def _whole(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ValueError(f"expected a number from 0 to {most}")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("expected a share from 0 to 1")
    return float(value)
