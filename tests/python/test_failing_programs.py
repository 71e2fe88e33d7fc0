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
    "event_cleared": "MainThread set event in line 17, and Thread-2 (worker) cleared it in line 9 before "
    "Thread-1 (worker) saw it",
    "one_sentinel": "Thread-1 (worker) waits for an item in jobs: Thread-2 (worker) took the last one "
    "(None), and nobody is left to put another",
    "broker": "Thread-1 (reporter) and Thread-2 (reporter) both read broker.delivered (0) before either "
    "wrote it back",
    "pool_raises": "ThreadPoolExecutor-0_0 raised ValueError: sold out: apple in line 8, which came to "
    "MainThread in line 19 with stock['apple'] = 0",
    "random_choice": "MainThread failed in line 21 with balance = 5, after random.choice gave 5 to "
    "Thread-1 (spend), random.choice gave 20 to Thread-2 (spend)",
    "iteration": "Thread-2 (login) set sessions['c'] in line 13 while Thread-1 (expire) went over "
    "sessions in line 7",
    "published_too_early": "Thread-2 (client) failed in line 23 with connection.url = None, while "
    "Thread-1 (client), which had changed Database._connection to Database(url=None) in line 16, was at "
    "line 17",
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
    "event_bus": "closer changed bus._handlers to [<function metrics>, <function billing>] in line 12 "
    "while publisher went over it in line 15",
    "completed_order": "MainThread failed in line 19 with table['AAPL'] = 410, after as_completed gave "
    "it 410, 190 in this order in line 13",
    "connection_pool": "worker-0 took pool._free once and released it twice, in line 30 and in line 20",
    "permits": "Thread-2 (download) waits for permits, which is used up: Thread-1 (download) took it in "
    "line 8 and ended without releasing it, Thread-3 (download) took it in line 8 and ended without "
    "releasing it",
    "crawler": "crawler waits in line 16 for room in frontier, which is full (['/a']), and nobody but "
    "crawler takes items from it",
    "audit": "MainThread read bank.accounts[0].balance: 70 in line 25 before mover changed it to 50 in "
    "line 12, and bank.accounts[1].balance: 50, which mover had changed in line 12",
    "deadline": "MainThread found no item in service.answers in line 17, before server changed it to "
    "['PING'] in line 12; then MainThread failed in line 27 with answer = None",
    "log_writer": "MainThread failed in line 23 with written = ['[info] start'], while log-writer, which "
    "had got '[info] stop' from lines in line 10, was at line 11",
    "importer": "import-worker raised ValueError: invalid literal for int() with base 10: 'two' in line "
    "10, after jobs.get gave 'b=two' in line 15",
    "limiter": "mobile saw used: 0 in line 9, then web changed it to 1 in line 10, before mobile went on "
    "and wrote 2 in line 10",
    "settings": "handler-1 failed in line 28 with Settings._instance.region = None, while handler-0, "
    "which had changed Settings._instance to Settings(region=None, retries=0) in line 21, was at line 22",
    "promise": "replica-west saw race.answer.done give False in line 10, then replica-east called "
    "race.answer.set_result in line 11, before replica-west went on in line 11",
    "tenant": "helper failed in line 8: every thread has a context.tenant of its own (threading.local), "
    "and helper had set none",
    "watchdog": "MainThread and Thread-1 both read job.state ('running') before either wrote it",
    "config_reload": "MainThread failed in line 26 with loaded[-1] missing; watcher ended after it saw "
    "stopping.is_set: True in line 10, which MainThread had changed in line 23",
    "cache_stats": "Thread-1 (get) and Thread-2 (get) both read cache.stats.hits (0) before either wrote "
    "it back",
    "ticket_stream": "printer-b raised ValueError: generator already executing in line 16, while "
    "printer-a was at line 7",
    "breaker": "red and blue both read breaker.state (State.OPEN) before either wrote it",
    "barrier_reset": "MainThread failed in line 24 with winners = ['b', 'a'], after player-a saw score: "
    "{'a': 3, 'b': 0} in line 11, when player-b had changed score['b'] to 0 in line 13, and changed winners "
    "to ['b', 'a'] in line 12",
    "extremes": "watcher read monitor.range.high: 5 in line 20 before mover changed it to 8 in line 17, and "
    "monitor.range.low: 8, which mover had changed in line 16",
    "startup": "MainThread waits for ready, which nobody is left to set: service ended in line 14; service "
    "had raised ValueError: invalid literal for int() with base 10: '80a' in line 10",
    "report_file": "ann wrote 'name: ann\\n' to report in line 8 and read 'name: ann\\nname: bob\\n' in line "
    "9, which bob had written",
    "buffered_log": "Thread-2 (log) read log.buffer in line 11, then Thread-1 (log) changed it to [] "
    "in line 16, and Thread-2 (log) changed the one that it had read to ['a', 'b'] in line 11",
    "progress_callback": "ThreadPoolExecutor-0_0 and MainThread both read progress.done (0) before "
    "either wrote it back",
    "token_bucket": "c2 saw bucket.tokens: 1 in line 11, then c1 changed it to 0 in line 14, before "
    "c2 went on and wrote -1 in line 14",
    "wrong_order": "MainThread failed in line 26 with log = ['first', 'third', 'second']: Thread-1 "
    "(first) added 'first' in line 8, then Thread-3 (third) added 'third' in line 18, then Thread-2 "
    "(second) added 'second' in line 14",
    "heartbeat": "Thread-1 saw h.cancelled: False in line 10, then MainThread changed it to True in "
    "line 17, before Thread-1 went on and changed h.beats to 2 in line 11",
    "priority_order": "MainThread failed in line 27 with seen = [3, 1], after q.get gave Thread-2 "
    "(consumer) 3, 1, 99 in this order in line 14",
    "result_before_join": "MainThread failed in line 18 with tasks[1].result = None, while Thread-2 "
    "had not begun",
    "clocked_bucket": "MainThread failed in line 24 with got = [False]",
    "expiring_cache": "handler saw self.entries['user:7']: Entry(value='Grace', expires=1) in line 31, then "
    "janitor took it away in line 41, before handler went on in line 33",
    "one_condition": "the last notification of buffer.changed, by consumer-1 in line 25, woke consumer-0, "
    "which saw buffer.items: deque([]) in line 22 and waits again; producer-1 was not woken, and nobody is "
    "left to notify again",
    "route": "client read route.host: 'old' in line 38 before operator changed it to 'new' in line 44, and "
    "route.port: 443, which operator had changed in line 45",
    "leaderboard": "ThreadPoolExecutor-0_0 saw board.players[1].points: 0 in line 24, then "
    "ThreadPoolExecutor-0_1 changed it to 20 in line 29, before ThreadPoolExecutor-0_0 went on and changed "
    "board.podium to ['cyd', 'ann'] in line 25",
    "mailer": "joe set mailer.wakeup in line 16 after mailer had seen it set in line 26, and mailer cleared "
    "it in line 28 before mailer waited again",
    "closed_session": "feed failed in line 35 with self.open = False, after it read "
    "broker._topics['prices']: [<function Session.__init__.<locals>.on_message>] in line 24 before logout "
    "changed it to [] in line 18",
    "cells": "MainThread failed in line 36 with history = [[11, 21]], expected = [[11, 11]]: cell-1 read "
    "cells[0]: 11 in line 13, which cell-0 had changed in line 21, and then changed cells[1] to 21 in "
    "line 21",
    "ledger": "auditor read ledger.accounts: {'cash': 70, 'bank': 100} in line 17, after mover changed "
    "ledger.accounts['cash'] to 70 in line 11 and before it changed ledger.accounts['bank'] to 130 in line "
    "13",
    "pipeline": "parser-0 waits in line 11 for room in parsed, which is full (['B']), and nobody is left to "
    "take an item: writer took its last one in line 19 and ended",
    "translator": "Thread-2 (request) failed in line 22 with Translator._words['hello'] missing, while "
    "Thread-1 (request), which had changed Translator._loaded to True in line 15, was at line 16",
    "latch": "MainThread waits for a notification of latch.condition, and nobody is left to notify it; "
    "worker-0 and worker-1 both read latch.count (2) before either wrote it back",
    "lift": "motor failed in line 21 with doors_open = True, after random.choice gave 1 to rider",
    "swapped_table": "insert read table.rows in line 9, then save changed it to {} in line 14, and "
    "insert set ['k'] of the one that it had read to 1 in line 10",
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


def test_rows_have_what_is_read_when_the_others_have_ended():
    text = shown("audit", 120)
    assert "reads bank.accounts[1].balance: 50\n" in text
    assert "job.state = 'done'\n" in shown("watchdog", 120)
    assert "lines.empty gives True\n" in shown("log_writer", 120)
    assert "service.answers: []\n" in shown("deadline", 120)


def test_rows_have_what_becomes_of_an_object_that_has_lost_its_place():
    assert "what was log.buffer: ['a'] -> ['a', 'b']\n" in shown("buffered_log", 200)
    assert "what was table.rows['k'] = 1\n" in shown("swapped_table", 200)


def test_rows_have_nothing_that_libraries_make_for_themselves():
    assert "helper gives" not in shown("route", 120)
    assert "with self.lock.reading():" not in shown("route", 120)
    text = shown("closed_session", 200)
    assert "reads session.open: False\n" in text
    assert "reads session.messages" not in text  # which a built-in could reach through a function
    assert "reads topic" not in text


def test_threads_of_a_class_of_the_program_are_no_data_where_they_are_started_and_joined():
    text = shown("result_before_join", 120)
    assert "joins Thread-1\n" in text
    assert "t = Task(" not in text


def test_numbers_of_clocks_are_shown_with_what_is_known_of_them_and_the_verdict_says_that_they_are_unknown():
    assert "b.tokens = unknown(time.monotonic(), below 1.0)\n" in shown("clocked_bucket", 200)
    (note,) = [
        note for note in assay.verify(PROGRAMS / "clocked_bucket.py").notes if "time.monotonic()" in note
    ]
    assert "answered both ways" in note


def test_fields_in_slots_and_variables_of_closures_have_their_names():
    assert "cache.stats.keys: [] -> ['a']\n" in shown("cache_stats", 120)
    assert "used = 1\n" in shown("limiter", 120)


def test_a_thread_that_does_nothing_visible_has_a_row():
    assert shown("ticket_stream", 120).count("16  ticket = next(stream)\n") == 2


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
    assert violation_of("lift").values() == (  # of a message that reads what others can change
        "assert not True",
        "where True = doors_open",
    )
    assert violation_of("counter_object").headline() == "AssertionError: assert 1 == 2"
    assert violation_of("lost_global").headline() == "AssertionError: lost an update: 3"
