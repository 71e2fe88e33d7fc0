"""The simulation of a cluster keeps to what must hold of any, and counts what the engine counts."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest

from assay.clustering.grouping import partitions_for
from benchmarks import cluster_costs
from benchmarks.cluster_scale import COSTS, MODELS, PROFILES, engine_of, profile_of, read
from benchmarks.cluster_simulation import (
    DaskCosts,
    Hardware,
    Profile,
    Runs,
    candidates_met,
    sections_met,
    simulate,
    skew,
)
from benchmarks.tasks import Task

NOTHING = DaskCosts(
    scheduler_task=0,
    client_task=0,
    worker_task=0,
    worker_byte=0,
    payload_byte=0,
    child_byte=0,
    commit_run=0,
)
IDEAL = Hardware(network_bytes=math.inf, disk_bytes=math.inf, latency_seconds=0)
SIZES = (3e6, 1e9, 1e12)
WORKERS = (1, 2, 16, 256)
# Small: what the engine counts, it counts here again.
PHILOSOPHERS = Task("philosophers 6", "philosophers.pml", ("N=6",), 23_808, 113_664, 0)


@pytest.fixture(scope="module")
def costs():
    return read(COSTS)


@pytest.fixture(scope="module")
def dask(costs):
    return DaskCosts(**costs["dask"]["costs"])


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
        {"latency_seconds": 0.001},
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
    alone = simulate(profile.scaled(states), engine, replace(dask, commit_run=0), 1, IDEAL)
    assert alone.seconds == pytest.approx(alone.engine_seconds)
    assert alone.bytes_sent == alone.tasks == alone.scheduler_seconds == alone.dask_seconds == 0


@pytest.mark.parametrize("workers", WORKERS[1:])
def test_what_is_sent_and_what_stays_is_what_was_made(case, workers):
    profile, engine = case
    profile = profile.scaled(1e9)
    found = simulate(profile, engine, NOTHING, workers, replace(IDEAL, memory_bytes=math.inf))
    shared = [level for level in profile.levels if level[0] > 20_000]
    assert found.bytes_sent + found.bytes_at_home == pytest.approx(
        math.fsum(_made(engine, level, workers) for level in profile.levels), rel=0.01
    )
    of_shared = math.fsum(_made(engine, level, workers) for level in shared)
    assert found.bytes_sent == pytest.approx(of_shared * (workers - 1) / workers, rel=0.01)


def _made(engine, level, workers):
    candidates = candidates_met(level[1], level[2], workers)
    return engine.block_bytes(candidates, min(candidates, sections_met(candidates, workers)))


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
    hardware = replace(IDEAL, memory_bytes=math.inf, cache_bytes=math.inf)
    alone, many = (simulate(profile.scaled(1e9), engine, dask, one, hardware) for one in (1, workers))
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
    assert total(played[1], "bytes") == total(played[1], "home_bytes")


@pytest.mark.parametrize("workers", [3, 8])
def test_the_engine_meets_as_many_candidates(played, workers):
    wide = [index for index, one in enumerate(played[1]) if one["states"] > 300]
    said = math.fsum(
        candidates_met(played[1][index]["transitions"], played[1][index]["candidates"], workers)
        for index in wide
    )
    assert said == pytest.approx(math.fsum(played[workers][index]["candidates"] for index in wide), rel=0.15)
    # Of the blocks of a level one in so many stays where it is made.
    away = math.fsum(played[workers][index]["bytes"] - played[workers][index]["home_bytes"] for index in wide)
    made = math.fsum(played[workers][index]["bytes"] for index in wide)
    assert away / made == pytest.approx((workers - 1) / workers, rel=0.05)


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
