"""MinSet (Kudra 2007, section 4.2).

A small set of predicates that splits every abstract state. For each variable the fewest points that stab
all of its segments; of these, over all variables, greedily the one that splits the most states that are
still whole. Ties are broken at random.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.search.reference.general_splitting import RandomSource, Segment, Threshold


def min_set(eligible: Sequence[Segment], random: RandomSource) -> list[Threshold]:
    candidates = [
        (variable, number)
        for variable in range(len(eligible[0][0]))
        for number in stabbing(eligible, variable)
    ]
    table = [
        {i for i, (low, high) in enumerate(eligible) if low[variable] <= number < high[variable]}
        for variable, number in candidates
    ]
    whole = set(range(len(eligible)))
    chosen = []
    while whole:
        counts = [len(split & whole) for split in table]
        best = [number for number, count in enumerate(counts) if count == max(counts)]
        one = best[random.below(len(best))]
        whole -= table[one]
        chosen.append(candidates[one])
    return chosen


def stabbing(eligible: Sequence[Segment], variable: int) -> list[int]:
    """The fewest points that stab every segment of a variable, in their order."""
    segments = sorted(
        (high[variable], low[variable]) for low, high in eligible if low[variable] != high[variable]
    )
    points: list[int] = []
    for high, low in segments:
        if not points or points[-1] < low:
            points.append(high - 1)
    return points
