"""Counterexamples of programs as strangers write them: the sentence on top, the rows, the values."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

import assay
from assay.report.console import print_run

PROGRAMS = Path(__file__).parent / "failing"

SENTENCES = {
    "lost_global": "Thread-1 (work) and Thread-2 (work) both read counter (1) before either wrote it back",
    "check_then_withdraw": "food saw alice.balance: 100 in line 10, then rent changed it to 20 in line 11, "
    "before food went on and wrote -40 in line 11",
    "cache_filled_twice": "Thread-1 (lookup) and Thread-2 (lookup) both found cache['answer'] missing before "
    "either set it",
    "two_singletons": "Thread-1 (user) and Thread-2 (user) both found Config._instance to be None before "
    "either set it",
    "two_in_a_slot": "Thread-1 (work) and Thread-2 (work) both found provider.instance to be None before "
    "either set it",
    "transfers_in_both_directions": "Thread-1 (transfer) holds savings.lock and waits for checking.lock, "
    "Thread-2 (transfer) holds checking.lock and waits for savings.lock",
    "philosophers": "philosopher-0 holds forks[0] and waits for forks[1], philosopher-1 holds forks[1] and "
    "waits for forks[2], philosopher-2 holds forks[2] and waits for forks[0]",
    "notified_too_early": "producer notified condition in line 17 before consumer waited for it in line 9: "
    "nobody heard it",
    "event_cleared": "MainThread set event, and Thread-2 (worker) cleared it in line 9 before "
    "Thread-1 (worker) saw it",
    "one_sentinel": "Thread-1 (worker) waits for an item in jobs: Thread-2 (worker) took the last one "
    "(None), and nobody is left to put another",
    "broker": "Thread-1 (reporter) and Thread-2 (reporter) both read broker.delivered (0) before either "
    "wrote it back",
    "pool_raises": "ThreadPoolExecutor-0_0 raised ValueError: sold out: apple in line 8, which came to "
    "MainThread in line 19 with stock['apple'] = 0",
    "random_choice": "MainThread failed in line 21 with balance = 5, after random.choice gave 5 to "
    "Thread-1 (spend), random.choice gave 20 to Thread-2 (spend)",
    "iteration": "Thread-2 (login) changed sessions['c'] in line 13 while Thread-1 (expire) went over "
    "sessions in line 7",
    "published_too_early": "Thread-2 (client) failed in line 23 with connection.url = None, while "
    "Thread-1 (client) was at line 17",
    "work_stealing": "thief saw tasks: deque([1]) in line 14, then owner changed it to deque([]) in line 10, "
    "before thief went on in line 15",
    "not_joined": "MainThread failed in line 12 with result = [], while Thread-1 (compute) had not begun",
    "waited_too_short": "MainThread waited for done in line 14 until the time ran out; then MainThread "
    "failed in line 15 with result = [], while Thread-1 (compute) had not begun",
    "taken_twice": "Thread-2 (work) failed in line 9 over jobs, which Thread-1 (work) had changed to [] "
    "in line 9",
    "task_waits_for_task": "ThreadPoolExecutor-0_0, a worker of a pool, waits in line 11 for the result of a "
    "task, and nobody is left to compute it",
    "task_not_done": "MainThread waits for q to be done, and nobody is left who could call task_done",
    "barrier_for_three": "Thread-1 (stage) and Thread-2 (stage) wait at barrier, which opens for 3 threads: "
    "nobody else is left to come to it",
    "counter_object": "Thread-1 (increment) and Thread-2 (increment) both read c.value (0) before either "
    "wrote it",
    "lost_item": "Thread-1 (visit) and Thread-2 (visit) both read hits['home'] (0) before either wrote it "
    "back",
    "class_attribute": "Thread-1 (handle) wrote 1 to Request.total in line 8 and read 2 in line 9, which "
    "Thread-2 (handle) had written",
    "if_instead_of_while": "consumer-0 saw buffer.items: [] in line 19, then producer-0 changed it to ['x'] "
    "in line 14, then consumer-1 changed it again to [] in line 21, before consumer-0 went on in line 21",
    "least_recently_used": "reader-1 saw cache.entries[1]: 2 in line 12, then reader-2 changed cache.entries "
    "to OrderedDict({2: 4}) in line 19, before reader-1 went on in line 13",
    "taken_by_another": "bob failed in line 16 over jobs, which ann had changed to Jobs([]) in line 16",
}


@cache
def violation_of(name):
    return assay.verify(PROGRAMS / f"{name}.py").violations[0]


def shown(name, width, **more):
    output = io.StringIO()
    console = Console(file=output, width=width, highlight=False, soft_wrap=True, **more)
    print_run(violation_of(name).counterexample, console=console)
    return output.getvalue()


def test_every_program_has_its_sentence():
    assert {path.stem for path in PROGRAMS.glob("*.py")} == set(SENTENCES)


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence_on_top_says_what_went_wrong(name):
    assert violation_of(name).explanation() == SENTENCES[name]
    assert violation_of(name).as_json()["explanation"] == SENTENCES[name]


def test_rows_have_the_lines_and_the_values_that_decided():
    text = shown("pool_raises", 80)
    assert "18  futures = [pool.submit(buy, " in text  # where the workers of the pool are started
    assert '8  raise ValueError(f"sold out: {item}")\n' in text
    assert "reads stock['apple']: 0\n" in text
    assert "futures[0].result gives 0\n" in text
    assert "jobs: [0, 1, None] -> [1, None]\n" in shown("one_sentinel", 80)
    assert "jobs.get gives 0\n" in shown("one_sentinel", 80)
    assert "random.choice gives 20" in shown("random_choice", 80)
    assert "17  event.set()\n" in shown("event_cleared", 80)
    assert "condition: free -> held by producer\n" in shown("notified_too_early", 80)
    assert "notifies condition: nobody waits\n" in shown("notified_too_early", 80)
    assert "23  thread.join()\n" in shown("cache_filled_twice", 80)
    assert "jobs is []\n" in shown("taken_twice", 80)
    ordered = " ".join(shown("least_recently_used", 120).split())
    assert "cache.entries: OrderedDict({1: 2, 2: 4}) -> OrderedDict({2: 4})" in ordered
    assert "move_to_end']" not in ordered  # a method is no item
    assert "jobs: Jobs([Job(number=1, name='clean')]) -> Jobs([])" in " ".join(
        shown("taken_by_another", 120).split()
    )


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["broker", "pool_raises", "philosophers", "cache_filled_twice"])
def test_no_row_is_cut_and_none_is_wider_than_the_terminal(name, width):
    rows, _, _ = shown(name, width).partition("  violated")
    assert not any(line.endswith("...") for line in rows.splitlines())
    assert max(len(line) for line in rows.splitlines()[1:]) <= width


@pytest.mark.parametrize("name", ["barrier_for_three", "philosophers"])
def test_what_is_said_below_the_rows_is_folded_between_words(name):
    _, _, below = shown(name, 80, force_terminal=True, color_system=None).partition("  violated")
    assert below.count("waits at") > 2
    assert max(len(line) for line in below.splitlines()) <= 80


def test_a_failed_assertion_has_its_operands():
    assert violation_of("counter_object").values() == (
        "assert 1 == 2",
        "where 1 = c.get()",
        "and 2 = len(threads)",
    )
    assert violation_of("counter_object").headline() == "AssertionError: assert 1 == 2"
    assert violation_of("lost_global").headline() == "AssertionError: lost an update: 3"
