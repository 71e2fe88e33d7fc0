"""MinOnly (Kudra 2007, section 4.3).

For each abstract state that several concrete states match: `variable > its least value`, for one of the
variables that have several values there, chosen at random.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.search.reference.general_splitting import RandomSource, Segment, Threshold


def min_only(eligible: Sequence[Segment], random: RandomSource) -> list[Threshold]:
    chosen = []
    for low, high in eligible:
        candidates = [variable for variable in range(len(low)) if low[variable] != high[variable]]
        variable = candidates[random.below(len(candidates))]
        chosen.append((variable, low[variable]))
    return chosen
