"""Estimates of coverage: the equations of the thesis, their alternatives, and what is kept of them."""

from __future__ import annotations

import json
import math
import random

import pytest

from assay.evidence import coverage
from assay.evidence.coverage import Overlap, Samples, Sweep
from assay.evidence.estimate_file import MEDIA_TYPE, EstimateProblem, load_estimate, save_estimate
from assay.search.estimation import Estimation, Plan
from assay.transition_system.interface import SourceHash


def samples(sizes, *, exhaustive=4, tried=None, left=4, productive_left=2, **more) -> Samples:
    return Samples(
        exhaustive=exhaustive,
        visited=exhaustive + sum(sizes),
        sizes=tuple(sizes),
        tried=len(sizes) if tried is None else tried,
        left=left,
        productive_left=productive_left,
        **more,
    )


def test_the_example_of_figure_5_1():
    """Two of six transitions sampled, six states found, two of the four left are productive."""
    estimate = coverage.two_phases(samples([4, 2]))
    assert estimate.total - estimate.visited == 6
    assert estimate.visited == 10
    assert round(100 * estimate.coverage) in {62, 63}
    assert estimate.coverage == pytest.approx(0.625)


def test_equation_5_1_counts_unproductive_transitions_on_both_sides():
    estimate = coverage.all_transitions(samples([4, 2], tried=3, left=5))
    assert estimate.total - estimate.visited == pytest.approx(6 / 3 * 5)


def test_nothing_left_is_everything_covered():
    estimate = coverage.two_phases(samples([4, 2], left=0, productive_left=0, complete=True))
    assert (estimate.coverage, estimate.low, estimate.high) == (1.0, 1.0, 1.0)


def test_one_sample_gives_no_interval_to_rely_on():
    estimate = coverage.two_phases(samples([6]))
    assert (estimate.low, estimate.high) == (0.0, 1.0)
    nothing = coverage.two_phases(samples([], productive_left=3))
    assert (nothing.coverage, nothing.low, nothing.high) == (0.0, 0.0, 1.0)


def test_the_bootstrap_narrows_with_more_samples():
    source = random.Random(1)
    few = [source.randrange(1, 100) for _ in range(8)]
    many = few * 30
    narrow, wide = coverage.bootstrap(many, 1), coverage.bootstrap(few, 1)
    mean = sum(few) / len(few)
    assert wide[0] < narrow[0] < mean < narrow[1] < wide[1]


def test_the_bootstrap_holds_the_truth_about_as_often_as_it_says():
    hits = 0
    for seed in range(200):
        source = random.Random(seed)
        drawn = [source.randrange(0, 101) for _ in range(40)]
        low, high = coverage.bootstrap(drawn, seed)
        hits += low <= 50 <= high
    assert 0.8 <= hits / 200 <= 0.97


def test_samples_that_were_cut_short_bound_nothing():
    few = coverage.two_phases(samples([5] * 40, unfinished=1))
    many = coverage.two_phases(samples([5] * 40, unfinished=10))
    assert few.low > 0.0
    assert many.low == 0.0
    assert few.high == many.high == 1.0, "transitions left may lead to nothing new"


def test_merged_runs_lie_between_the_extremes():
    runs = [samples([size, size]) for size in (2, 9, 4)]
    estimate = coverage.merged(runs)
    totals = sorted(coverage.two_phases(run).total for run in runs)
    assert estimate.total == max(totals[1], estimate.visited)


def test_two_searches_that_share_half_have_seen_half():
    estimate = coverage.overlapping(Overlap(1000, 1000, 500), visited=1000)
    assert estimate.coverage == pytest.approx(0.5)
    assert estimate.low < 0.5 < estimate.high
    assert coverage.overlapping(Overlap(10, 10, 0), visited=20).coverage == 0.0


def test_a_parabola_of_levels_is_recognised():
    levels = [round(30 * x - x * x) for x in range(1, 31)]
    whole = sum(levels)
    half = levels[:15]
    estimate = coverage.level_fit(half, sum(half))
    assert estimate.coverage == pytest.approx(sum(half) / whole, abs=0.02)


def test_levels_that_only_grow_have_no_end_in_sight():
    estimate = coverage.level_fit([x**3 for x in range(1, 20)], 1000)
    assert (estimate.low, estimate.high, estimate.total) == (0.0, 1.0, math.inf)
    assert coverage.level_fit([1], 1).total == math.inf


def simulated_sweep(states: int, bits: int, functions: int, seed: int) -> Sweep:
    """Bits of states that are all met: what remains is the error of counting."""
    source = random.Random(seed)
    table = {source.randrange(bits) for _ in range(states * functions)}
    return Sweep(
        expanded=0,
        transitions=0,
        bits_set=len(table),
        bits_total=bits,
        hash_functions=functions,
        complete=True,
        seed=seed,
    )


@pytest.mark.parametrize(("bits", "functions"), [(10_000, 1), (20_000, 1), (80_000, 1), (80_000, 4)])
def test_linear_counting_counts_also_in_a_full_table(bits, functions):
    for seed in range(5):
        sweep = simulated_sweep(20_000, bits, functions, seed)
        assert sweep.states == pytest.approx(20_000, rel=0.05)
        assert abs(sweep.states - 20_000) < 5 * sweep.deviation + 50


def test_a_sweep_that_lost_states_is_corrected_by_sweeps_that_lost_more():
    """900, 800 and 600 counted: the losses double, so 1000 there are."""
    sweeps = [
        Sweep(expanded=count, transitions=0, bits_set=1, bits_total=10**9, hash_functions=1, complete=True)
        for count in (900, 800, 600)
    ]
    estimate = coverage.swept(sweeps, visited=100)
    assert estimate.total == pytest.approx(1000)
    assert estimate.low < 0.1 < estimate.high


def test_a_sweep_with_room_is_followed_by_one_with_more_hash_functions_and_no_other():
    first = simulated_sweep(1000, 100_000, 1, 1)
    assert coverage.next_sweep([], 12_500) == (12_500, 1)
    wanted = coverage.next_sweep([first], 12_500)
    assert wanted == (12_500, 8)
    assert coverage.next_sweep([first, simulated_sweep(1000, 100_000, 8, 2)], 12_500) is None


def test_a_crowded_sweep_is_followed_by_smaller_ones():
    first = simulated_sweep(10_000, 10_000, 1, 1)
    assert coverage.next_sweep([first], 1250) == (625, 1)
    assert coverage.next_sweep([first, simulated_sweep(10_000, 5000, 1, 2)], 1250) == (312, 1)


def test_an_unfinished_sweep_bounds_the_coverage_from_above_only():
    sweep = Sweep(
        expanded=5000, transitions=0, bits_set=10, bits_total=10**9, hash_functions=1, complete=False
    )
    estimate = coverage.swept([sweep], visited=1000)
    assert estimate.low == 0.0
    assert estimate.high == pytest.approx(0.2, rel=0.02)


def test_no_estimate_says_that_fewer_states_exist_than_were_visited():
    sweep = simulated_sweep(1000, 100_000, 1, 3)
    estimate = coverage.swept([sweep], visited=5000)
    assert (estimate.coverage, estimate.high) == (1.0, 1.0)


# The file.


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "estimate.json"
    estimation = Estimation(
        Plan(states=100, memory_bytes=5000, seed=3),
        coverage.swept([simulated_sweep(1000, 40_000, 1, 1)], visited=100),
        (simulated_sweep(1000, 40_000, 1, 1),),
        0,
    )
    save_estimate(
        path,
        estimation.as_json(),
        program="somewhere/model.pml",
        sources=[SourceHash("somewhere/model.pml", "ab" * 32)],
        options={"invariants": [], "defines": ["N=3"]},
        version="1",
    )
    return path


def test_an_estimate_is_kept_with_all_that_is_needed_to_repeat_it(saved):
    loaded = load_estimate(saved)
    assert (loaded.program, loaded.sources, loaded.states) == ("model.pml", ("ab" * 32,), 100)
    assert (loaded.method, loaded.memory_bytes, loaded.seed) == ("sweep", 5000, 3)
    assert loaded.low <= loaded.coverage <= loaded.high
    content = json.loads(saved.read_text())
    assert content["media_type"] == MEDIA_TYPE
    assert "verdict" not in content
    assert "verdict" not in content["estimate"]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("media_type",), "application/json"),
        (("format",), 2),
        (("estimate", "coverage"), 1.5),
        (("estimate", "coverage"), "0.1"),
        (("estimate", "low"), 0.99),
        (("estimate", "plan", "states"), -1),
        (("estimate", "plan", "memory_bytes"), 2**60),
        (("estimate", "plan", "seed"), True),
        (("estimate", "plan"), []),
        (("sources",), [1]),
        (("options",), 5),
        (("estimate",), None),
    ],
)
def test_a_strangers_estimate_with_a_wrong_value_is_refused_with_a_sentence(saved, keys, value):
    content = json.loads(saved.read_text())
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    saved.write_text(json.dumps(content))
    with pytest.raises(EstimateProblem, match=str(saved)):
        load_estimate(saved)


def test_what_is_no_json_is_refused(saved):
    for text in ("{", "[]", "[" * 100_000, "{}"):
        saved.write_text(text)
        with pytest.raises(EstimateProblem, match="no estimate"):
            load_estimate(saved)
