"""Where the C half of the interface lives: the header that generated models include."""

from __future__ import annotations

from pathlib import Path

import assay

HEADER = "model_abi.h"


def include_directory() -> Path:
    """The directory for the compiler's `-I`: of the installed package, or of a source checkout."""
    candidates = [Path(root, "include") for root in assay.__path__]
    candidates.append(Path(__file__).resolve().parents[3] / "engine" / "transition_system")
    for candidate in candidates:
        if (candidate / HEADER).is_file():
            return candidate
    raise FileNotFoundError(f"{HEADER} is missing from the installation; install assay-mc again")
