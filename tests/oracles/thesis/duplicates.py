"""Scripts of searches that forgot states (4.3).

A search with a cache for visited states explores again what it has forgotten, and
its script says so. Algorithm 4.2 takes the repetitions out.

The printed algorithm removes up to the first backtrack from S_j to a state whose
number is less than j. That is not so in its own example, where S3 is explored again from
S7 and the backtrack leads to S7. The text beside it says what is meant: the
backtrack that ends this visit of S_j. A transition is known by its state and its label,
not by its two states: a state may have two transitions to the same one.
"""

from __future__ import annotations

from assay.evidence.script import MalformedScript, Rows


def without_duplicates(rows: Rows) -> Rows:
    """Algorithm 4.2."""
    kept: list[tuple[str, str]] = []
    scanned: set[tuple[str, str]] = set()
    path: list[str] = []
    repeated: int | None = None  # length of the path to the state that is explored again
    for label, state in zip(rows.instructions, rows.states, strict=True):
        if label == "B":
            if len(path) < 2:
                raise MalformedScript("the script backtracks from the initial state")
            path.pop()
            if repeated is not None and len(path) < repeated:
                repeated = None
        else:
            if path and repeated is None and (path[-1], label) in scanned:
                repeated = len(path)
            if path:
                scanned.add((path[-1], label))
            path.append(state)
        if repeated is None:
            kept.append((label, state))
    return Rows(tuple(label for label, _ in kept), tuple(state for _, state in kept))
