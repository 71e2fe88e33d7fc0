"""What the levels seen so far say about those that follow."""

from __future__ import annotations

import math
import random

import pytest

from assay.evidence import bell, coverage


def bell_shaped(depth: int, before: float, after: float, peak: int = 1000) -> list[int]:
    sizes = [(x + 0.5) ** before * (depth - x) ** after for x in range(depth)]
    return [max(1, round(peak * size / max(sizes))) for size in sizes]


def box(sides: tuple[int, ...]) -> list[int]:
    """How many cells of a box are so many steps from a corner: processes that advance side by side."""
    levels = [1]
    for side in sides:
        wider = [0] * (len(levels) + side - 1)
        for level, size in enumerate(levels):
            for step in range(side):
                wider[level + step] += size
        levels = wider
    return levels


def seen_of(levels: list[int], share: float) -> list[int]:
    known: list[int] = []
    while sum(known) < share * sum(levels):
        known.append(levels[len(known)])
    return known


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.75])
@pytest.mark.parametrize("sides", [(30, 30, 30), (12, 12, 12, 12, 12), (40, 20, 10, 5)])
def test_boxes_are_continued_well_enough_for_a_coverage(sides, share):
    levels = box(sides)
    known = seen_of(levels, share)
    beyond = bell.states_beyond(known)
    assert beyond is not None
    # A third of what was seen is what the search visited; the coverage is off by less than a tenth.
    visited = sum(known) / 3
    assert visited / (sum(known) + beyond) == pytest.approx(visited / sum(levels), abs=0.1)


def test_what_is_beyond_shrinks_on_the_way_down():
    levels = bell_shaped(100, 3, 3)
    beyond = [bell.states_beyond(levels[:known]) for known in (50, 70, 90)]
    assert all(one is not None for one in beyond)
    assert beyond == sorted(beyond, reverse=True)
    assert sum(levels[50:]) == pytest.approx(beyond[0], rel=0.5)


def test_few_levels_tell_nothing():
    assert bell.states_beyond([1, 2, 4, 8]) is None
    estimate = coverage.bell([1, 2, 4, 8], visited=20)
    assert (estimate.coverage, estimate.low, estimate.high) == (1.0, 0.0, 1.0)


def test_very_many_levels_are_taken_together():
    levels = bell_shaped(1000, 3, 3, peak=100_000)
    spread = [size // 100 for size in levels for _ in range(100)]
    few, many = bell.states_beyond(levels[:600]), bell.states_beyond(spread[:60_000])
    assert few is not None
    assert many == pytest.approx(few, rel=0.05)


def test_any_levels_give_a_finite_number():
    """Levels that only grow, never change or jump: nothing overflows or divides by zero."""
    source = random.Random(3)
    shapes = [
        [2**x for x in range(60)],
        [1] * 500,
        [1, 10**15] * 20,
        [10**15, 1, 1, 1, 1, 1],
        *([source.randrange(1, 10 ** source.randrange(1, 12)) for _ in range(40)] for _ in range(30)),
    ]
    for levels in shapes:
        beyond = bell.states_beyond(levels)
        assert beyond is not None
        assert 1.0 <= beyond < math.inf, levels
        estimate = coverage.bell(levels, visited=sum(levels))
        assert 0.0 <= estimate.low <= estimate.coverage <= estimate.high <= 1.0


def test_an_unfinished_sweep_is_continued_by_a_bell_and_its_count_is_the_least():
    levels = bell_shaped(100, 3, 3)
    known = tuple(levels[:75])
    sweep = coverage.Sweep(
        expanded=sum(known[:-1]),
        transitions=0,
        bits_set=0,
        bits_total=10**9,
        hash_functions=1,
        levels=known,
        complete=False,
    )
    estimate = coverage.swept([sweep], visited=1000)
    truth = 1000 / sum(levels)
    assert estimate.low < truth < estimate.high
    assert estimate.high == pytest.approx(1000 / sum(known[:-1]), rel=1e-3)
    assert estimate.coverage == pytest.approx(truth, abs=0.02)
    assert estimate.method == "sweep, 1 pass, unfinished, bell"


@pytest.mark.parametrize(
    "levels",
    [
        [1] * 1000,  # a loop that counts
        [1, 2, 1, 3] * 250,
        [min(n, 40) for n in range(1, 1000)],  # several that count side by side, after they were started
        list(range(1, 1000)),
        [n**3 for n in range(1, 100)],  # as a bell begins, too
        [2**n for n in range(40)],
    ],
)
def test_levels_that_do_not_shrink_say_nothing_about_an_end(levels):
    assert not bell.shrink_again(levels)
    assert not coverage.bell(levels, visited=sum(levels)).says_something
    sweep = coverage.Sweep(
        expanded=3 * sum(levels),
        transitions=0,
        bits_set=0,
        bits_total=10**16,
        hash_functions=1,
        levels=tuple(levels),
    )
    estimate = coverage.swept([sweep], visited=sum(levels))
    assert (estimate.low, estimate.high) == (0.0, pytest.approx(1 / 3))


def test_levels_past_the_top_of_a_bell_shrink_again():
    levels = bell_shaped(100, 3, 3)
    assert [bell.shrink_again(levels[:known]) for known in (40, 55, 75, 95)] == [False, False, True, True]
