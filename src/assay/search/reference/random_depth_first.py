"""Depth-first search, exact, successors in an order drawn from a seed.

It sees the states that depth-first search sees and means the same when it is
finished; another seed meets other counterexamples first.
"""

from __future__ import annotations

import random

from assay.search.outcome import State
from assay.search.reference.depth_first import explore
from assay.search.reference.run import Run


def random_depth_first(run: Run[State], seed: int) -> None:
    generator = random.Random(seed)

    def shuffled(successors: list[tuple[int, State]]) -> list[tuple[int, State]]:
        return generator.sample(successors, len(successors))

    explore(run, set(), order=shuffled)
