"""What a search that keeps its states on disk left there, for whoever decides about going on."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from assay import _engine


def identity_in(directory: str) -> Mapping[str, str]:
    """What the search is about, by name; nothing if there is none, or none that can be read."""
    if not Path(directory).is_dir():
        return {}
    try:
        return dict(_engine.identity_of_search(directory))
    except (_engine.CheckpointProblem, _engine.DiskProblem):
        return {}  # who tries to continue it will be told


def discard(directory: str) -> None:
    """Remove it, unless it is running."""
    if Path(directory).is_dir():
        with contextlib.suppress(_engine.CheckpointProblem, _engine.DiskProblem):
            _engine.discard_search(directory)
