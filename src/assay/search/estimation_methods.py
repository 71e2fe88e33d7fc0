"""How the coverage of a search can be estimated, by name; `estimation` has how each is done.

Apart from it, because every command knows the names and few estimate.
"""

from __future__ import annotations

METHODS = (
    "sweep",
    "short-sweep",
    "two-phases",
    "merged",
    "round-robin",
    "all-transitions",
    "overlap",
    "levels",
)


def best_method(time_limit_seconds: float) -> str:
    """A sweep knows best, but nobody knows how long it takes."""
    return "short-sweep" if time_limit_seconds else "sweep"
