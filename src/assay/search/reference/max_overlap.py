"""MaxOverlap (Kudra 2007, section 4.1).

One predicate: the one that splits the most abstract states. For each variable the segments from its least
to its greatest value are laid over each other; `variable > number` splits those with low <= number < high.
Ties are broken at random.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.search.reference.general_splitting import RandomSource, Segment, Threshold


def max_overlap(eligible: Sequence[Segment], random: RandomSource) -> list[Threshold]:
    overlaps = [
        (overlap(eligible, variable, number), variable, number)
        for variable in range(len(eligible[0][0]))
        for number in sorted({low[variable] for low, high in eligible if low[variable] != high[variable]})
    ]
    most = max(count for count, _, _ in overlaps)
    best = [(variable, number) for count, variable, number in overlaps if count == most]
    return [best[random.below(len(best))]]


def overlap(eligible: Sequence[Segment], variable: int, number: int) -> int:
    """How many abstract states `variable > number` splits."""
    return sum(low[variable] <= number < high[variable] for low, high in eligible)
