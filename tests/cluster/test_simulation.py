"""The simulation of a cluster keeps to what must hold of any, and counts what the engine counts."""

from __future__ import annotations

import itertools
import math
from dataclasses import fields, replace

import pytest

from assay.clustering.grouping import partitions_for
from benchmarks import cluster_costs
from benchmarks.cluster_scale import (
    COSTS,
    MODELS,
    PAGE,
    PROFILES,
    dask_of,
    engine_of,
    profile_of,
    read,
    tables,
    with_tables,
)
from benchmarks.cluster_simulation import (
    DaskCosts,
    Hardware,
    Profile,
    Runs,
    Way,
    away_share,
    candidates_met,
    sections_met,
    simulate,
    skew,
)
from benchmarks.tasks import Task

NOTHING = DaskCosts(**{one.name: 0.0 for one in fields(DaskCosts)})
IDEAL = Hardware(network_bytes=math.inf, disk_bytes=math.inf, latency_seconds=0, sync_seconds=0)
SIZES = (3e6, 1e9, 1e12)
WORKERS = (1, 2, 16, 256)
# Small: what the engine counts, it counts here again.
PHILOSOPHERS = Task("philosophers 6", "philosophers.pml", ("N=6",), 23_808, 113_664, 0)


@pytest.fixture(scope="module")
def costs():
    return read(COSTS)


@pytest.fixture(scope="module")
def dask(costs):
    return dask_of(costs)


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: model.name)
def case(request, costs):
    """A model's levels, and what it costs."""
    profiles = read(PROFILES)
    return profile_of(profiles, request.param.profile), engine_of(costs, profiles, request.param)


@pytest.mark.parametrize(
    "better",
    [
        {"network_bytes": 12.5e9},
        {"disk_bytes": 8e9},
        {"core_speed": 2.0},
        {"cache_bytes": 64e9},
        {"latency_seconds": 0.0001},
        {"sync_seconds": 0.0001},
    ],
    ids=lambda better: next(iter(better)),
)
def test_better_hardware_is_never_slower(case, dask, better):
    profile, engine = case
    for states, workers, file_server in itertools.product(SIZES, WORKERS, (False, True)):
        plain = Hardware(file_server=file_server)
        slow = simulate(profile.scaled(states), engine, dask, workers, plain)
        fast = simulate(profile.scaled(states), engine, dask, workers, replace(plain, **better))
        assert fast.seconds <= slow.seconds, (states, workers, file_server)


@pytest.mark.parametrize("states", SIZES)
def test_one_worker_takes_the_sum_of_its_costs(case, dask, states):
    profile, engine = case
    alone = simulate(profile.scaled(states), engine, NOTHING, 1, IDEAL)
    assert alone.seconds == pytest.approx(alone.engine_seconds)
    assert alone.bytes_sent == alone.messages == 0
    told = simulate(profile.scaled(states), engine, dask, 1, IDEAL)
    assert 0 < told.tasks < alone.seconds + 2
    assert told.messages == told.bytes_sent == 0


@pytest.mark.parametrize("workers", WORKERS[1:])
def test_what_is_sent_is_what_others_own(case, workers):
    profile, engine = case
    profile = profile.scaled(1e9)
    found = simulate(profile, engine, NOTHING, workers, replace(IDEAL, memory_bytes=1e30))
    shared = [level for level in profile.levels if level[0] > 20_000]
    assert found.bytes_sent == pytest.approx(
        math.fsum(_sent(engine, level, workers) for level in shared), rel=0.01
    )
    met = math.fsum(candidates_met(level[1], level[2], workers) for level in shared)
    assert found.bytes_kept == pytest.approx(met / workers * engine.kept_bytes, rel=0.01)


def _sent(engine, level, workers):
    candidates = candidates_met(level[1], level[2], workers)
    away = candidates * away_share(workers)
    return engine.sent_bytes(away, min(away, sections_met(candidates, workers)))


@pytest.mark.parametrize("workers", WORKERS[1:])
def test_every_worker_asks_every_other_once_a_round(case, dask, workers):
    profile, engine = case
    profile = profile.scaled(1e9)
    hardware = replace(IDEAL, memory_bytes=1e30)  # no slices
    shared = sum(level[0] > 20_000 for level in profile.levels)
    for in_order, rounds in ((False, 2), (True, 3)):
        found = simulate(profile, engine, dask, workers, hardware, in_order=in_order)
        # Levels that are narrow again at the end may be shared, too.
        assert found.messages >= shared * rounds * workers * (workers - 1)
        assert found.messages <= len(profile.levels) * rounds * workers * (workers - 1)


@pytest.mark.parametrize("workers", WORKERS)
def test_a_batch_lasts_until_somebody_is_to_answer(case, workers):
    profile, engine = case
    batches = [
        simulate(profile.scaled(1e9), engine, NOTHING, workers, IDEAL, way=Way(answer_seconds=seconds)).tasks
        for seconds in (0.0, 1.0, 1e9)
    ]
    assert batches == sorted(batches, reverse=True)
    # One worker alone at the beginning, then all; once more if the search was small when these began, and the
    # last levels are narrow.
    assert batches[2] in {1, workers + 1, 2 * workers + 1}
    if workers == 1:
        assert batches[0] == len(profile.levels)


@pytest.mark.parametrize("workers", WORKERS[1:])
def test_less_talk_is_never_slower(case, dask, workers):
    profile, engine = case
    for states in SIZES:
        plain = simulate(profile.scaled(states), engine, dask, workers, Hardware()).seconds
        for way in (
            Way(summaries_by_tree=True),
            Way(blocks_by_machine=True),
            Way(answers_at_once=True),
            Way(files_at_home=True),
            Way(commits_sync=False),
            Way(ranks_told_once=True),
        ):
            assert simulate(profile.scaled(states), engine, dask, workers, Hardware(), way=way).seconds <= (
                plain * 1.02  # a batch may end earlier, and another be begun
            ), (states, way)


@pytest.mark.parametrize("workers", WORKERS)
def test_every_second_is_waited_for_something(case, dask, workers):
    profile, engine = case
    found = simulate(profile.scaled(1e10), engine, dask, workers, Hardware())
    assert math.fsum(found.bound.values()) == pytest.approx(found.seconds)
    assert math.fsum(seconds for seconds, _ in found.by_level) == pytest.approx(found.seconds)
    assert len(found.by_level) == len(profile.levels)


@pytest.mark.parametrize("workers", WORKERS)
def test_no_speed_up_beyond_the_workers_if_all_fits_into_memory(case, dask, workers):
    profile, engine = case
    hardware = replace(IDEAL, memory_bytes=1e30, cache_bytes=math.inf)
    alone = simulate(profile.scaled(1e9), engine, NOTHING, 1, hardware)
    many = simulate(profile.scaled(1e9), engine, dask, workers, hardware)
    assert alone.seconds <= many.seconds * workers * 1.0001


def test_a_profile_keeps_its_shape():
    profile = Profile("small", [(1, 4, 3, 3), (3, 12, 9, 6), (6, 20, 8, 0)])
    larger = profile.scaled(1000)
    assert larger.states == pytest.approx(1000)
    assert larger.transitions == pytest.approx(3600)
    drawn_out = profile.scaled(1000, levels=5)
    assert drawn_out.states == pytest.approx(1000)
    assert len(drawn_out.levels) == 15


def test_candidates_lie_between_distinct_successors_and_steps():
    met = [candidates_met(1000, 300, workers) for workers in WORKERS]
    assert met[0] == 300
    assert met == sorted(met)
    assert met[-1] < 1000
    assert candidates_met(1000, 300, 1e9) == pytest.approx(1000, rel=1e-6)
    assert candidates_met(0, 0, 4) == 0


def test_the_fullest_worker_has_more_than_its_share():
    assert skew(1e9, 1) == 1
    assert skew(1, 16) == 16
    assert 1 < skew(1e9, 256) < skew(1e6, 256) < skew(1e4, 256) < 256


# --- against the engine ---


@pytest.fixture(scope="module")
def played():
    return {workers: cluster_costs.played(PHILOSOPHERS, workers) for workers in (1, 3, 8)}


def total(levels, key):
    return math.fsum(one[key] for one in levels)


def test_what_is_played_is_the_search(played):
    for levels in played.values():
        assert total(levels, "states") == PHILOSOPHERS.states == total(levels, "new") + 1
        assert total(levels, "transitions") == PHILOSOPHERS.transitions
    assert total(played[1], "sent_bytes") == 0 < total(played[1], "kept_bytes")


@pytest.mark.parametrize("workers", [3, 8])
def test_the_engine_meets_as_many_candidates(played, workers):
    wide = [index for index, one in enumerate(played[1]) if one["states"] > 300]
    said = math.fsum(
        candidates_met(played[1][index]["transitions"], played[1][index]["candidates"], workers)
        for index in wide
    )
    assert said == pytest.approx(math.fsum(played[workers][index]["candidates"] for index in wide), rel=0.15)
    # Of the candidates of a level one in so many stays where it is met.
    kept = math.fsum(played[workers][index]["kept_bytes"] for index in wide)
    each = total(played[1], "kept_bytes") / total(played[1], "candidates")
    met = math.fsum(played[workers][index]["candidates"] for index in wide)
    assert kept / each == pytest.approx(met / workers, rel=0.1)


@pytest.mark.parametrize("workers", [1, 8])
def test_the_engine_writes_as_many_records_again(played, workers):
    runs, partitions = Runs(), partitions_for(workers)
    runs.add(1 / partitions)
    said = math.fsum(runs.add(one["new"] / partitions) * partitions for one in played[workers])
    assert said == pytest.approx(total(played[workers], "rewritten"), rel=0.25)


def test_slices_find_the_same_states():
    levels = cluster_costs.played(PHILOSOPHERS, 3, slices=4)
    assert total(levels, "new") + 1 == PHILOSOPHERS.states
    assert total(levels, "set_aside") > 0
    assert total(levels, "put_aside") > 0


def test_the_order_of_discovery_finds_the_same_states():
    assert total(cluster_costs.played(PHILOSOPHERS, 3, in_order=True), "new") + 1 == PHILOSOPHERS.states


# --- the page ---


def test_the_page_has_the_tables_of_the_files_beside_the_benchmark():
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("<!-- table: ") >= 8
    # If it does not: python -m benchmarks.cluster_scale --write-page
    assert with_tables(page, tables()) == page


def test_a_table_that_nobody_makes_is_refused():
    with pytest.raises(SystemExit, match="there is no table of dreams"):
        with_tables("<!-- table: of dreams -->\n<!-- end of table -->", {"models": "| a |"})
