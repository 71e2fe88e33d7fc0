"""How much of a state space a search has covered, estimated from samples of the rest.

An estimate is never a verdict. It says by which method it came about, from
what, and within which interval the method expects the truth.

Taleghani (2010), chapter 5: a breadth-first search uses a share of the memory;
the rest goes to depth-first searches from unexplored transitions drawn at
random. What such a sample finds on average, times the transitions left, is
taken for what was not visited:

    (5.1)  unvisited = states found / transitions sampled * transitions left
    (5.2)  the same, counting only transitions that lead to unvisited states
    (5.3)  coverage = visited / (visited + unvisited)

Where all states hang together one sample finds nearly everything, and (5.2)
says little. The default method, `sweep`, therefore goes through the whole
state space once more and remembers only hash bits of each state in the memory
at hand. If n different states set a share p of m bits with k hash functions,

    n = -(m / k) ln(1 - p)

(linear counting, Whang et al. 1990). States that look as if they had been seen
are not expanded, and what only they lead to is missed: more, the fuller the
table is. Sweeps with less memory miss more still, and from how the counts
change with the memory the rest is extrapolated.

A sweep that is stopped (`short-sweep` stops at three times the states of the
search) has seen the first levels of the graph; `bell` says what the shape of
these lets expect of the others.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from assay.evidence.bell import shrink_again, states_beyond
from assay.records import dataclass

CONFIDENCE = 0.9
RESAMPLES = 400
MISTAKES_NEGLIGIBLE = 0.01  # expected in a whole sweep
LOST_AT_MOST = 2.0  # how many times as much the best sweep may count as the first
MOST_UNFINISHED = 0.1  # share of samples cut short beyond which they bound nothing
TUNED_FUNCTIONS = 4  # from here on several hash functions lose next to nothing
# A bell is wrong by a factor: in 19 of 20 cases measured there was at most this times as much beyond.
BEYOND_AT_MOST = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """What a search in two phases saw."""

    exhaustive: int  # states visited by the first phase
    visited: int  # by both
    sizes: tuple[int, ...]  # new states that each sampled productive transition led to
    unfinished: int = 0  # how many of these were cut short by the limit
    tried: int  # transitions sampled, unproductive ones included
    left: int  # unexplored transitions of the first phase that were not sampled
    productive_left: int  # different unvisited states these lead to
    levels: tuple[int, ...] = ()  # states of each breadth-first level
    last_level_complete: bool = False
    complete: bool = False  # nothing is left
    seed: int = 0
    samplers: int = 1


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two random searches and the number of states they share."""

    first: int
    second: int
    both: int
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One walk over the whole state space with hash bits for a memory."""

    expanded: int
    transitions: int
    bits_set: int
    bits_total: int
    hash_functions: int
    levels: tuple[int, ...] = ()
    complete: bool = False  # False: stopped before the end
    seed: int = 0

    @property
    def states(self) -> float:
        """How many different states set these bits."""
        share = min(self.bits_set / self.bits_total, 1 - 0.5 / self.bits_total)
        return max(float(self.expanded), -self.bits_total / self.hash_functions * math.log1p(-share))

    @property
    def mistake(self) -> float:
        """The chance that a new state looks as if it had been seen, at the end."""
        return float((self.bits_set / self.bits_total) ** self.hash_functions)

    @property
    def saw_the_end(self) -> bool:
        """Whether it ended because there was no more, and not because a new state looked old.

        Where a graph is as narrow as a path, one mistake cuts off all the rest.
        """
        return self.complete and (
            self.states * self.mistake < MISTAKES_NEGLIGIBLE or shrink_again(self.levels)
        )

    @property
    def deviation(self) -> float:
        """Standard deviation of that number, for ideal hash functions."""
        load = self.states * self.hash_functions / self.bits_total
        return math.sqrt(self.bits_total * max(0.0, math.expm1(load) - load)) / self.hash_functions


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Coverage between 0 and 1, with the interval in which the method expects the truth."""

    method: str
    coverage: float
    low: float
    high: float
    visited: int
    total: float  # states in all, estimated

    def __post_init__(self) -> None:
        assert 0.0 <= self.low <= self.coverage <= self.high <= 1.0

    @property
    def says_something(self) -> bool:
        """Everything between nothing and all is what anybody knows without looking."""
        return self.low > 0.0 or self.high < 1.0


def coverage_of(visited: float, unvisited: float) -> float:
    """Equation 5.3, as a share."""
    return visited / (visited + unvisited) if visited + unvisited > 0 else 0.0


def estimate_from(method: str, visited: int, total: float, *, least: float, most: float) -> Estimate:
    """`total` states, between `least` and `most`; there are never fewer than were visited."""
    total, least, most = (max(float(visited), number) for number in (total, least, most))
    return Estimate(
        method=method,
        coverage=visited / total,
        low=min(visited / most, visited / total),
        high=max(visited / least, visited / total),
        visited=visited,
        total=total,
    )


def two_phases(samples: Samples) -> Estimate:
    """Equation 5.2."""
    return _extrapolated("two phases (5.2)", samples, samples.productive_left, len(samples.sizes))


def all_transitions(samples: Samples) -> Estimate:
    """Equation 5.1."""
    return _extrapolated("all transitions (5.1)", samples, samples.left, samples.tried)


def _extrapolated(method: str, samples: Samples, left: int, sampled: int) -> Estimate:
    visited = samples.visited
    if samples.complete or left == 0:
        return estimate_from(method, visited, visited, least=visited, most=visited)
    if sampled == 0:
        return Estimate(method=method, coverage=0.0, low=0.0, high=1.0, visited=visited, total=math.inf)
    # Each sampled transition is one observation; those that led nowhere found 0.
    observed = [*samples.sizes, *([0] * (sampled - len(samples.sizes)))]
    total = visited + sum(observed) / sampled * left
    # Transitions may lead to the same states: nothing shows that there is anything left. And samples
    # that were cut short may have led anywhere: if these are not few, nothing bounds what is left.
    if len(samples.sizes) < 2 or samples.unfinished > MOST_UNFINISHED * len(samples.sizes):
        return estimate_from(method, visited, total, least=visited, most=math.inf)
    _, most_each = bootstrap(observed, samples.seed)
    return estimate_from(method, visited, total, least=visited, most=visited + most_each * left)


def bootstrap(observed: Sequence[int], seed: int) -> tuple[float, float]:
    """The interval of the mean when the same number of observations is drawn again and again."""
    source = random.Random(seed)
    means = sorted(sum(source.choices(observed, k=len(observed))) / len(observed) for _ in range(RESAMPLES))
    tail = int((1 - CONFIDENCE) / 2 * RESAMPLES)
    return means[tail], means[-1 - tail]


def merged(runs: Sequence[Samples]) -> Estimate:
    """Several searches in two phases, taken together: their middle, and the widest of their bounds."""
    visited = max(run.visited for run in runs)
    estimates = [two_phases(run) for run in runs]
    totals = sorted(one.total for one in estimates)
    middle = totals[len(totals) // 2]
    lowest = min(one.low for one in estimates)
    most = visited / lowest if lowest > 0 else math.inf
    return estimate_from(f"two phases, {len(runs)} merged", visited, middle, least=visited, most=most)


def overlapping(overlap: Overlap, visited: int) -> Estimate:
    """As many as were caught before among those caught now (Lincoln and Petersen).

    Both searches begin in the same state and so meet more often than independent
    ones would: there may be any number of states more than this, hardly fewer.
    """
    total = overlap.first * overlap.second / overlap.both if overlap.both else math.inf
    spread = 1.645 / math.sqrt(overlap.both) if overlap.both else 1.0
    return estimate_from(
        "two overlapping searches",
        visited,
        total,
        least=total * max(0.0, 1 - spread) if overlap.both else visited,
        most=math.inf,
    )


def level_fit(levels: Sequence[int], visited: int) -> Estimate:
    """Least squares of y = ax² + bx to the levels seen (Dingle and Knottenbelt 2008), up to its zero."""
    method = "levels, quadratic"
    points = list(enumerate(levels, start=1))
    s2 = sum(x**2 for x, _ in points)
    s3 = sum(x**3 for x, _ in points)
    s4 = sum(x**4 for x, _ in points)
    t1 = sum(x * y for x, y in points)
    t2 = sum(x**2 * y for x, y in points)
    determinant = s4 * s2 - s3 * s3
    if len(points) < 3 or determinant == 0:
        return Estimate(method=method, coverage=0.0, low=0.0, high=1.0, visited=visited, total=math.inf)
    a = (t2 * s2 - t1 * s3) / determinant
    b = (s4 * t1 - s3 * t2) / determinant
    if a >= 0:  # still growing faster and faster: no end in sight
        return Estimate(method=method, coverage=0.0, low=0.0, high=1.0, visited=visited, total=math.inf)
    end = -b / a
    total = max(0.0, a * end**3 / 3 + b * end**2 / 2)
    return estimate_from(method, visited, total, least=visited, most=math.inf)


def next_sweep(sweeps: Sequence[Sweep], memory_bytes: int) -> tuple[int, int] | None:
    """Bytes and hash functions of the next sweep, in the light of those before; None: enough is known.

    The first has one hash function: it counts best. If it finds that there is memory for more, the
    second uses them and hardly loses a state. Otherwise two more with less memory show how much was lost.
    """
    if not sweeps:
        return memory_bytes, 1
    if len(sweeps) == 1:
        functions = best_hash_functions(8 * memory_bytes, sweeps[0].states)
        return (memory_bytes, functions) if functions >= TUNED_FUNCTIONS else (memory_bytes // 2, 1)
    if len(sweeps) == 2 and sweeps[1].hash_functions == 1:
        return memory_bytes // 4, 1
    return None


def swept(sweeps: Sequence[Sweep], visited: int) -> Estimate:
    """From sweeps chosen by `next_sweep`.

    With several hash functions: what the first sweep lost shrinks as the
    chance of a mistake does. With one: each halving of the memory loses more; if
    the losses shrink by a constant factor when the memory doubles, the limit
    follows from three of them (Aitken). The interval reaches from what was
    counted to twice that correction.
    """
    whole = [one for one in sweeps if one.complete]
    method = f"sweep, {len(sweeps)} {'pass' if len(sweeps) == 1 else 'passes'}"
    furthest = max(sweeps, key=lambda one: one.states)
    if not whole or not all(one.saw_the_end for one in whole):
        least = furthest.states - 2 * furthest.deviation
        return _beyond(f"{method}, unfinished", furthest.levels, visited, least=least)
    first = whole[0]
    best = max(whole, key=lambda one: one.hash_functions)
    counted = best.states
    slack = 2 * best.deviation + 0.002 * counted
    if counted > LOST_AT_MOST * first.states:  # then the next one might find as much again
        return _nothing_bounds(method, visited, least=counted - slack)
    if best.hash_functions > 1:
        lost = max(0.0, counted - first.states)
        correction = lost * best.mistake / max(first.mistake, best.mistake)
    elif len(whole) > 2:
        first_loss = max(0.0, counted - whole[1].states)
        second_loss = max(0.0, whole[1].states - whole[2].states)
        ratio = first_loss / second_loss if second_loss > 0 else 0.0
        if ratio >= 1:  # more memory does not lose less and less: there is no limit to follow
            return _nothing_bounds(method, visited, least=counted - slack)
        correction = first_loss * min(1.0, ratio / (1 - ratio))
    elif len(whole) == 2:
        correction = max(0.0, counted - whole[1].states)
    else:
        # Nothing to compare with: as if every state were lost with one mistake.
        correction = counted * best.mistake / 2
    return estimate_from(
        method, visited, counted + correction, least=counted - slack, most=counted + 2 * correction + slack
    )


def bell(levels: Sequence[int], visited: int) -> Estimate:
    """From the complete levels of the search itself."""
    return _beyond("levels", levels, visited, least=visited)


def _beyond(method: str, levels: Sequence[int], visited: int, *, least: float) -> Estimate:
    """There are more levels than these, and `least` states in all."""
    beyond = states_beyond(levels) if shrink_again(levels) else None
    if beyond is None:
        return _nothing_bounds(method, visited, least=least)
    known = sum(levels)
    return estimate_from(
        f"{method}, bell",
        visited,
        max(least, known + beyond),
        least=least,
        most=max(least, known + BEYOND_AT_MOST * beyond),
    )


def _nothing_bounds(method: str, visited: int, *, least: float) -> Estimate:
    """What was seen so far is all that is known: there may be no end to it."""
    total = max(float(visited), least)
    return Estimate(
        method=method, coverage=visited / total, low=0.0, high=visited / total, visited=visited, total=total
    )


def best_hash_functions(bits: int, states: float) -> int:
    """How many keep a table of that many bits most useful for that many states."""
    return max(1, min(8, round(math.log(2) * bits / max(states, 1.0))))
