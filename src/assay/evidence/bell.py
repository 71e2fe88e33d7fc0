"""How many states a breadth-first search has before it, from the sizes of the levels behind it.

Levels grow and shrink like a bell. With n levels known, of D in all, a level x is taken to have

    exp(a) * x^b * (D - x)^c

states: a straight line in log x and log(D - x), fitted by least squares to the logarithms of the sizes, the
large levels counting more. Nothing in a graph says how deep it is, so every D up to six times n is tried.
Each has a say according to how well its bell fits and how far it is from what is likely beforehand: that
the search is halfway down, and that b and c are about 3, as they are where a handful of processes advance
side by side.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from assay.records import dataclass

LEAST_LEVELS = 5
MOST_LEVELS = 200
LIKELY_EXPONENT = 3.0
WEIGHT_OF_EXPONENT = 0.09  # against squared errors of logarithms
LIKELY_DEPTH = 2.0  # as a multiple of the levels known
WEIGHT_OF_DEPTH = 5.0
FURTHEST_DEPTH = 6.0
DEPTHS_TRIED = 60
SHARE_LEFT_OUT = 0.1  # the first levels, which hold so much, say nothing about the shape
SMALLEST_VARIANCE = 0.02  # of a logarithm: no fit is believed beyond that
MOST_LOGARITHM = 600.0
SHRUNK = 0.7  # of the largest tenth of the levels: what the last tenth is at most past the top of a bell


@dataclass(frozen=True, slots=True)
class Bell:
    """One depth that was tried."""

    depth: int
    error: float
    beyond: float  # states in the levels that are not known


def shrink_again(levels: Sequence[int]) -> bool:
    """Whether the largest levels are behind the search.

    Before that, nothing tells a bell from levels that grow, or stay as they are, for ever: a program that
    counts without end has levels of one size.
    """
    if len(levels) < LEAST_LEVELS:
        return False
    window = max(1, len(levels) // 10)
    before = [0, *itertools.accumulate(levels)]  # there can be millions: no sum is taken twice
    sums = [end - begin for begin, end in zip(before, before[window:], strict=False)]
    return sums[-1] <= SHRUNK * max(sums)


def states_beyond(levels: Sequence[int]) -> float | None:
    """How many states the levels behind the last known one hold. None: too few are known to tell."""
    if len(levels) < LEAST_LEVELS:
        return None
    levels = _joined(levels)
    bells = [_fit(levels, depth) for depth in _depths(len(levels))]
    best = min(bell.error for bell in bells)
    variance = max(best / len(levels), SMALLEST_VARIANCE)
    says = [math.exp((best - bell.error) / (2 * variance)) for bell in bells]
    # The mean of logarithms: depths that fit equally well may differ by powers.
    logarithm = sum(say * math.log(bell.beyond) for say, bell in zip(says, bells, strict=True)) / sum(says)
    return math.exp(logarithm)


def _joined(levels: Sequence[int]) -> Sequence[int]:
    """Neighbours taken together if there are very many; the first few are left out for that."""
    together = math.ceil(len(levels) / MOST_LEVELS)
    starts = range(len(levels) % together, len(levels), together)
    return [sum(levels[start : start + together]) for start in starts]


def _depths(known: int) -> list[int]:
    steps = (math.log(FURTHEST_DEPTH) * step / DEPTHS_TRIED for step in range(1, DEPTHS_TRIED + 1))
    return sorted({max(known + 1, round(known * math.exp(step))) for step in steps})


def _fit(levels: Sequence[int], depth: int) -> Bell:
    known = len(levels)
    first = _first_of_interest(levels)
    largest = max(levels)

    def shape(level: int) -> tuple[float, float, float]:
        return 1.0, math.log(level + 0.5), math.log(depth - level)

    weighted = [(shape(x), math.log(levels[x]), levels[x] / largest) for x in range(first, known)]
    # Normal equations; what is likely beforehand is one more observation of each exponent.
    matrix = [[sum(w * row[i] * row[j] for row, _, w in weighted) for j in range(3)] for i in range(3)]
    right = [sum(w * row[i] * y for row, y, w in weighted) for i in range(3)]
    for exponent in (1, 2):
        matrix[exponent][exponent] += WEIGHT_OF_EXPONENT
        right[exponent] += WEIGHT_OF_EXPONENT * LIKELY_EXPONENT
    solution = _solved(matrix, right)

    def logarithm(level: int) -> float:
        return min(sum(c * part for c, part in zip(solution, shape(level), strict=True)), MOST_LOGARITHM)

    error = sum(w * (logarithm(first + i) - y) ** 2 for i, (_, y, w) in enumerate(weighted))
    error += WEIGHT_OF_EXPONENT * sum((c - LIKELY_EXPONENT) ** 2 for c in solution[1:])
    error += WEIGHT_OF_DEPTH * math.log(depth / known / LIKELY_DEPTH) ** 2
    # There is one state beyond at least, or the search would be over.
    return Bell(depth, error, max(1.0, math.fsum(math.exp(logarithm(x)) for x in range(known, depth))))


def _first_of_interest(levels: Sequence[int]) -> int:
    """Never the initial state's own, and so that three levels are left at least."""
    enough = SHARE_LEFT_OUT * sum(levels)
    sum_so_far = 0
    for level, size in enumerate(levels):
        sum_so_far += size
        if sum_so_far >= enough:
            return max(1, min(level, len(levels) - 3))
    raise AssertionError("a share of a sum is reached")


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss, with pivots; the observations made up beforehand keep the matrix regular."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [rows[row][size] / rows[row][row] for row in range(size)]
