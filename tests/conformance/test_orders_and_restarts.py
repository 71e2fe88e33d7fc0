"""In which order depth-first searches try steps, how they begin again, and what a sketch says that they
saw."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from graphs import pack, random_graph
from test_native_engine_agrees_with_the_reference import native_search

from assay import _engine
from assay.evidence.sketch import INDEX_BITS, REGISTERS, Sketch

LEAVES = (2, 2, 2, 0, 0, 1, 1, 1, 1)  # the process of each step of the root


def star(processes=LEAVES):
    """A root whose steps lead to leaves that violate something each: what was tried first is told first."""
    count = len(processes)
    return _engine.ExplicitGraph(
        [pack((node,)) for node in range(count + 1)],
        [[(node + 1, 0) for node in range(count)], *([] for _ in range(count))],
        [True] * (count + 1),
        [0, *(node + 1 for node in range(count))],
        processes=[list(processes), *([] for _ in range(count))],
    )


def tried(**options):
    found = native_search(star(), **{"strategy": "dfs", "stop_at_first_violation": False, **options})
    return [violation.path[0] for violation in found.violations]


STORED = [{"storage": "exact"}, {"storage": "bitstate"}, {"storage": "abstraction"}]


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored["storage"])
def test_orders_that_are_not_drawn(stored):
    assert tried(**stored) == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert tried(order="reversed", **stored) == [2, 1, 0, 4, 3, 8, 7, 6, 5]
    assert tried(process_order="reversed", **stored) == [5, 6, 7, 8, 3, 4, 0, 1, 2]
    assert tried(process_order="reversed", order="reversed", **stored) == [8, 7, 6, 5, 4, 3, 2, 1, 0]


def groups_of(order):
    """The processes in the order of their first steps, and whether the steps of each are together."""
    processes = [LEAVES[position] for position in order]
    met = list(dict.fromkeys(processes))
    return met, processes == sorted(processes, key=met.index)


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored["storage"])
def test_orders_that_are_drawn_keep_processes_together(stored):
    orders = {"rotated": set(), "permuted": set(), "random": set()}
    for seed in range(40):
        for name, met in orders.items():
            order = tried(process_order=name, seed=seed, **stored)
            assert sorted(order) == list(range(9))
            processes, together = groups_of(order)
            assert together, (name, seed)
            assert all(
                [position for position in order if LEAVES[position] == process]
                == [position for position in range(9) if LEAVES[position] == process]
                for process in processes
            ), "steps of a process stay in their order"
            met.add(tuple(processes))
    assert orders["rotated"] == {(2, 0, 1), (0, 1, 2), (1, 2, 0)}
    assert len(orders["permuted"]) == len(orders["random"]) == 6


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored["storage"])
def test_steps_in_random_order_leave_processes_in_theirs(stored):
    seen = {tuple(tried(order="random", seed=seed, **stored)) for seed in range(30)}
    assert len(seen) > 20
    assert all(groups_of(order) == ([2, 0, 1], True) for order in seen)
    mixed = {tuple(tried(strategy="random-dfs", seed=seed, **stored)) for seed in range(30)}
    assert not all(groups_of(order)[1] for order in mixed)


def two_levels():
    """A root with one step to each of two nodes whose steps are of the same processes."""
    states = [pack((node,)) for node in range(2 + 1 + 8)]
    edges = [[(1, 0), (2, 0)], [(3 + i, 0) for i in range(4)], [(7 + i, 0) for i in range(4)], *([[]] * 8)]
    return _engine.ExplicitGraph(
        states, edges, [True] * 11, [0, 0, 0, *range(1, 9)],
        processes=[[0, 0], [0, 1, 2, 3], [0, 1, 2, 3], *([[]] * 8)],
    )  # fmt: skip


def test_permuted_is_one_order_for_all_states_and_random_is_not():
    def orders(name, seed):
        found = native_search(
            two_levels(), strategy="dfs", stop_at_first_violation=False, process_order=name, seed=seed
        )
        paths = [violation.path for violation in found.violations]
        return [[path[1] for path in paths if path[0] == node] for node in (0, 1)]

    assert all(first == second for first, second in (orders("permuted", seed) for seed in range(30)))
    assert any(first != second for first, second in (orders("random", seed) for seed in range(30)))


@pytest.mark.parametrize("strategy", ["dfs", "random-dfs"])
@pytest.mark.parametrize("process_order", ["given", "reversed", "rotated", "permuted", "random"])
def test_every_order_sees_every_state(strategy, process_order):
    for seed in range(60):
        graph = random_graph(seed).native()
        expected = native_search(graph, stop_at_first_violation=False)
        for order in ["given", "random"] if strategy == "random-dfs" else ["given", "reversed", "rotated"]:
            found = native_search(
                graph, strategy=strategy, seed=seed, order=order, process_order=process_order,
                stop_at_first_violation=False,
            )  # fmt: skip
            assert (found.states, found.transitions) == (expected.states, expected.transitions), seed
            assert {one.code for one in found.violations} == {one.code for one in expected.violations}


def grid(side=20):
    """Two counters."""

    def node(x, y):
        return x * side + y

    states = [pack((x, y)) for x in range(side) for y in range(side)]
    edges = [
        [(node(*after), 0) for after in ((x + 1, y), (x, y + 1)) if max(after) < side]
        for x in range(side)
        for y in range(side)
    ]
    return _engine.ExplicitGraph(states, edges, [True] * len(states), [0] * len(states))


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored["storage"])
def test_a_search_begins_again_and_its_last_attempt_is_whole(stored):
    found = native_search(grid(), strategy="random-dfs", restarts=7, restart_after=50, **stored)
    assert found.restarts == 7
    assert found.complete
    assert found.states == 400, "the figures of a whole search are its own"
    assert found.transitions == 760


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored["storage"])
def test_a_limit_on_states_counts_over_all_attempts(stored):
    found = native_search(
        grid(), strategy="random-dfs", restarts=1000, restart_after=50, state_limit=175, **stored
    )
    assert not found.complete
    assert found.stop_reason == "states"
    assert (found.restarts, found.states) == (3, 175)


def test_attempts_differ_and_each_knows_nothing_of_the_others():
    for seed in range(20):
        found = native_search(
            star(), strategy="random-dfs", restarts=100, restart_after=2, state_limit=60, seed=seed,
            stop_at_first_violation=False,
        )  # fmt: skip
        assert len(found.violations) > 4, "each attempt sees one leaf"


def test_restarts_and_time_that_is_up_are_no_whole_search():
    found = native_search(
        grid(), strategy="random-dfs", restarts=10**9, restart_after=10, time_limit_seconds=0.2
    )
    assert not found.complete
    assert found.stop_reason == "time"
    assert found.restarts > 0


def reference_sketch(hashes):
    """What the observer computes, in plain Python."""
    registers = bytearray(REGISTERS)
    for one in hashes:
        rest = (one << INDEX_BITS) % 2**64 | 1 << (INDEX_BITS - 1)
        index = one >> (64 - INDEX_BITS)
        registers[index] = max(registers[index], 64 - rest.bit_length() + 1)
    return bytes(registers)


SEARCHES = [
    {"strategy": "bfs"},
    {"strategy": "bfs", "storage": "fingerprint"},
    {"strategy": "dfs"},
    {"strategy": "random-dfs", "seed": 9},
    {"strategy": "dfs", "storage": "bitstate", "bitstate_bytes": 1 << 20},
    {"strategy": "random-dfs", "storage": "abstraction", "seed": 3},
    {"strategy": "cached", "cache_size": 1000},
    {"strategy": "sweep", "bitstate_bytes": 1 << 20},
]


@pytest.mark.parametrize("options", SEARCHES, ids=str)
def test_whoever_sees_all_states_makes_the_same_sketch(options):
    for seed in range(25):
        graph = random_graph(seed)
        native = graph.native()
        found = native_search(native, observe="sketch", stop_at_first_violation=False, **options)
        whole = native_search(native, observe="sketch", stop_at_first_violation=False)
        reached = set()
        waiting = [native.initial_state()[0]]
        while waiting:
            state = waiting.pop()
            if state not in reached:
                reached.add(state)
                waiting += [after for after, _ in native.successors(state) if after is not None]
        expected = reference_sketch(native.content_hash(state) for state in reached)
        assert found.records["sketch"] == whole.records["sketch"] == expected, seed
        assert abs(Sketch(expected).estimate - len(reached)) <= 0.05 * len(reached) + 1


def test_several_threads_make_no_sketch():
    with pytest.raises(ValueError, match="only searches on one thread"):
        native_search(random_graph(1).native(), observe="sketch", threads=2)
