"""How much the runs of a swarm saw together, and what that says of all there is.

The union is that of their sketches. What share of all states it is can be said only where something bounds
their number, and there are two ways, each with one side:

- *A run that came to its end.* A search with bits that ended by itself, with nothing cut off and bits to
  spare, has all but certainly seen every state; its bits tell how many these are (`evidence.coverage.swept`).
- *Overlap.* Take two groups of runs, drawn alike: as many runs of each kind in one as in the other. A state
  is seen by a group with some probability p, the same for both groups. So a group sees S1 = sum of p states
  on average, and both see S2 = sum of p*p. S1*S1/S2 is at most the number of states with p > 0 (Cauchy and
  Schwarz): what is estimated that way is too small, and the share of states that were seen is at most the
  union divided by it. Nothing is known of the other side, so the interval begins at zero.

Otherwise nothing is said.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from assay.evidence.coverage import Estimate, Sweep, swept
from assay.evidence.loss import BitstateLoss
from assay.evidence.sketch import ERRORS_TOLD, STANDARD_ERROR, Sketch, overlap
from assay.evidence.verdict import SearchFacts, StopReason
from assay.records import dataclass

LEAST_PAIRS = 4
SPLITS = 40
NO_BASIS = "no run came to an end of its own, and what runs have in common does not tell"


@dataclass(frozen=True, slots=True)
class Seen:
    """By all runs together."""

    sketch: Sketch
    runs: int  # that took part
    visits: int  # states counted in each of them

    @property
    def states(self) -> int:
        return round(self.sketch.estimate)

    def as_json(self) -> dict[str, object]:
        low, high = self.sketch.interval
        return {
            "states": self.states,
            "low": math.floor(low),
            "high": math.ceil(high),
            "standard_error": STANDARD_ERROR,
            "visits": self.visits,
            "runs": self.runs,
            "sketch": self.sketch.as_text(),
        }


def coverage(
    seen: Seen, by_kind: Mapping[str, Sequence[Sketch]], facts: Sequence[SearchFacts], *, seed: int
) -> Estimate | None:
    """Of what the runs saw; None: there is no basis for an estimate."""
    estimate = _from_an_end(seen, facts) or _from_overlap(seen, by_kind, seed)
    return estimate if estimate is not None and estimate.says_something else None


def _from_an_end(seen: Seen, facts: Sequence[SearchFacts]) -> Estimate | None:
    sweeps = [sweep for one in facts if (sweep := _sweep_of(one)) is not None and sweep.saw_the_end]
    if not sweeps:
        return None
    best = max(sweeps, key=lambda one: (one.hash_functions, one.bits_total))
    return _widened(swept([best], seen.states), "a run that came to its end")


def _sweep_of(facts: SearchFacts) -> Sweep | None:
    loss = facts.loss
    if not isinstance(loss, BitstateLoss) or not loss.bits_total or not facts.complete:
        return None
    if facts.stop_reason is not StopReason.FINISHED or facts.frontier:
        return None
    return Sweep(
        expanded=facts.states,
        transitions=facts.transitions,
        bits_set=loss.bits_set,
        bits_total=loss.bits_total,
        hash_functions=loss.hash_functions,
        complete=True,
    )


def _from_overlap(seen: Seen, by_kind: Mapping[str, Sequence[Sketch]], seed: int) -> Estimate | None:
    """The largest share that any of several ways to make two groups allows."""
    pairs = sum(len(sketches) // 2 for sketches in by_kind.values())
    if pairs < LEAST_PAIRS:
        return None
    source = random.Random(f"overlap {seed}")
    fewest = math.inf
    for _ in range(SPLITS):
        first, second = _two_groups(by_kind, source)
        both = overlap(first, second)
        # Of the overlap, a difference, the error is that of its parts.
        both += ERRORS_TOLD * STANDARD_ERROR * (first.estimate + second.estimate)
        fewest = min(fewest, first.estimate * second.estimate / both)
    high = min(1.0, seen.sketch.interval[1] / fewest) if fewest > 0 else 1.0
    if high >= 1.0:
        return None
    return Estimate(
        method=f"overlap of {pairs} pairs of runs",
        coverage=high,
        low=0.0,
        high=high,
        visited=seen.states,
        total=seen.states / high,
    )


def _two_groups(by_kind: Mapping[str, Sequence[Sketch]], source: random.Random) -> tuple[Sketch, Sketch]:
    groups: tuple[list[Sketch], list[Sketch]] = ([], [])
    for sketches in by_kind.values():
        drawn = source.sample(sketches, len(sketches) // 2 * 2)
        groups[0].extend(drawn[::2])
        groups[1].extend(drawn[1::2])
    return Sketch.union(groups[0]), Sketch.union(groups[1])


def _widened(estimate: Estimate, method: str) -> Estimate:
    """What was visited is itself an estimate."""
    share = ERRORS_TOLD * STANDARD_ERROR
    return Estimate(
        method=method,
        coverage=estimate.coverage,
        low=estimate.low * (1 - share),
        high=min(1.0, estimate.high * (1 + share)),
        visited=estimate.visited,
        total=estimate.total,
    )


def grouped(sketches: Sequence[tuple[str, Sketch]]) -> dict[str, list[Sketch]]:
    by_kind: dict[str, list[Sketch]] = defaultdict(list)
    for kind, sketch in sketches:
        by_kind[kind].append(sketch)
    return dict(by_kind)
