"""The oracle itself: known outcomes, agreement with real runs of CPython, and memory that changes nothing."""

from __future__ import annotations

import ast
import dis
import inspect
import random
import sys
import warnings
from collections import Counter
from contextlib import suppress
from functools import cache
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings

from tests.python.oracle import (
    GRANULARITIES,
    Exploration,
    TooLarge,
    Unsupported,
    explore,
    interpreter,
    machine,
    synchronisation,
)
from tests.python.oracle.generate import generate, programs
from tests.python.oracle.generate_sequential import generate_sequential
from tests.python.oracle.outcome import Outcome, is_plain, plain_globals, text_of
from tests.python.oracle.programs import PROGRAMS, expand
from tests.python.oracle.real_runs import observe, run_sequentially

LANGUAGE = {
    *"Assign AugAssign Delete For While If With Match Try Raise FunctionDef ClassDef Lambda Yield".split(),
    *"YieldFrom ListComp SetComp DictComp GeneratorExp JoinedStr Starred NamedExpr Nonlocal Return".split(),
    *"Break Continue Slice IfExp BoolOp Compare MatchClass MatchMapping MatchSequence MatchOr".split(),
}
SHARED_WORDS = (
    "lock: other: again: changed.wait( changed.notify( event.wait( event.set( places.acquire( "
    "jobs.put( jobs.get( gate.wait( choose( box. items table assert while for if try: finally: print( plus("
).split()
SMALL = {"most_runs": 200, "most_statements": 200}
REAL_RUNS = 4


@cache
def explored(name: str, granularity: str) -> Exploration:
    return explore(PROGRAMS[name], granularity)


# What the outcome of each is, for people to check: the program, the variable, and its values at the end of
# all runs that end well, at each granularity.
VALUES = [
    ("lost_update", "n", {"1", "2"}, {"2"}, {"2"}),
    ("lost_update_of_three", "n", {"1", "2", "3"}, {"3"}, {"3"}),
    ("lost_update_of_an_attribute", "n", {"1", "2"}, {"2"}, {"2"}),
    ("lost_update_of_a_class_attribute", "n", {"1", "2"}, {"2"}, {"2"}),
    ("lost_update_of_a_list_item", "items", {"[1, 1]", "[10, 1]", "[11, 1]"}, {"[11, 1]"}, {"[11, 1]"}),
    ("lost_update_of_a_dictionary_item", "counts", {"{'a': 1}", "{'a': 2}"}, {"{'a': 2}"}, {"{'a': 2}"}),
    ("lost_update_of_a_closure", "n", {"1", "2"}, {"2"}, {"2"}),
    # A function's entry and a built-in's return are where the interpreter lock changes hands.
    ("lost_update_through_a_function", "n", {"1", "2"}, {"1", "2"}, {"2"}),
    ("lost_update_through_a_built_in", "n", {"2", "3"}, {"2", "3"}, {"3"}),
    ("lost_update_through_a_local", "n", {"1", "2"}, {"2"}, {"2"}),
    ("different_operations", "n", {"2", "4", "5", "6"}, {"4", "5"}, {"4", "5"}),
    (
        "reader_sees_two_writes",
        "seen",
        {"(0, 0)", "(0, 1)", "(1, 1)"},
        {"(0, 0)", "(1, 1)"},
        {"(0, 0)", "(1, 1)"},
    ),
    # Sequential consistency: at least one thread sees the other's write.
    ("store_buffer_has_no_place_here", "r", {"0", "1"}, {"0", "1"}, {"0", "1"}),
    ("independent_variables", "a", {"2"}, {"2"}, {"2"}),
    ("setdefault_is_one_access", "cache", {"{'k': 1}", "{'k': 2}"}, {"{'k': 1}", "{'k': 2}"}, None),
    ("append_of_the_length", "items", {"[0, 0]", "[0, 1]"}, {"[0, 0]", "[0, 1]"}, {"[0, 1]"}),
    (
        "extend_in_place",
        "items",
        {"[0, 1]", "[0, 2]", "[0, 1, 2]", "[0, 2, 1]"},
        {"[0, 1, 2]", "[0, 2, 1]"},
        {"[0, 1, 2]", "[0, 2, 1]"},
    ),
    ("iteration_while_another_appends", "total", {"3", "13"}, {"3", "13"}, {"3", "13"}),
    # CPython tests the bound again at the end of the body, and polls between that test and the next round.
    ("while_with_a_shared_bound", "n", {"2", "3"}, {"2", "3"}, {"2"}),
    ("for_with_a_shared_sum", "n", {"2", "3", "4"}, {"4"}, {"4"}),
    ("peterson", "inside", {"0"}, {"0"}, None),
    ("dekker_without_turns", "inside", {"[]", "['f']", "['g']"}, {"['f']", "['g']"}, {"['f']", "['g']"}),
    ("update_under_a_lock", "n", {"2"}, {"2"}, {"2"}),
    ("update_under_two_locks", "n", {"1", "2"}, {"2"}, {"2"}),
    ("check_outside_the_lock", "left", {"-1", "0"}, {"-1", "0"}, {"-1", "0"}),
    ("try_lock", "got", {"1", "2"}, {"1", "2"}, {"1", "2"}),
    ("rlock_taken_twice", "n", {"2"}, {"2"}, {"2"}),
    ("double_checked", "made", {"1"}, {"1"}, {"1"}),
    ("wait_with_a_timeout", "answers", {"[False]", "[True]"}, {"[False]", "[True]"}, {"[False]", "[True]"}),
    ("semaphore_as_a_signal", "seen", {"1"}, {"1"}, {"1"}),
    ("event_orders_a_write", "seen", {"1"}, {"1"}, {"1"}),
    ("event_set_too_early", "seen", {"0", "1"}, {"0", "1"}, {"1"}),
    ("barrier_separates_phases", "seen", {"[1, 1]"}, {"[1, 1]"}, {"[1, 1]"}),
    # The last to come goes first, unless it is interrupted.
    ("barrier_indices", "indices", None, None, {"{'f': 1, 'g': 0}", "{'g': 1, 'f': 0}"}),
    ("queue_keeps_order", "got", {"[1, 2]"}, {"[1, 2]"}, {"[1, 2]"}),
    ("queue_two_producers", "got", {"['f', 'g']", "['g', 'f']"}, {"['f', 'g']", "['g', 'f']"}, None),
    ("queue_full", "failed", {"1"}, {"1"}, {"1"}),
    ("queue_join_waits_for_task_done", "seen", {"1"}, {"1"}, {"1"}),
    ("poison_pill", "total", {"3"}, {"3"}, {"3"}),
    ("daemon_dies_with_the_program", "n", {"0", "1", "2"}, {"0", "2"}, {"0", "2"}),
    ("daemon_that_waits_for_ever", "n", {"0", "1"}, {"0", "1"}, {"0", "1"}),
    (
        "is_alive_is_a_snapshot",
        "seen",
        {"(0, True)", "(1, True)", "(0, False)", "(1, False)"},
        None,
        {"(0, True)", "(0, False)"},
    ),
    ("choices_of_two_threads", "picked", {"[1, 1]", "[1, 2]", "[2, 1]", "[2, 2]"}, None, None),
    ("threads_of_a_class", "total", {"1", "2", "3"}, {"3"}, {"3"}),
    ("sleep_is_no_synchronisation", "seen", {"0", "1"}, {"0", "1"}, {"0", "1"}),
    ("reader_and_writer_of_a_pair", "seen", {"[True]"}, {"[True]"}, {"[True]"}),
    ("context_manager_of_the_program", "log", {"['in', 'out', 'in', 'out']"}, None, None),
]

ENDINGS = [
    ("late_binding_of_a_global", {"ok", "NameError: name 'late' is not defined"}),
    ("assertion_between_writes", {"ok", "AssertionError: torn"}),
    ("first_of_two_exceptions", {"ValueError: f", "KeyError: 'g'"}),
    ("division_by_what_another_makes_zero", {"ok", "ZeroDivisionError: integer division or modulo by zero"}),
    ("pop_from_a_list_that_may_be_empty", {"ok", "IndexError: pop from empty list"}),
    ("dictionary_grows_during_iteration", {"ok", "RuntimeError: dictionary changed size during iteration"}),
    ("peterson", {"ok"}),
    ("locks_in_opposite_order", {"ok", "deadlock"}),
    ("locks_in_the_same_order", {"ok"}),
    ("lock_taken_twice", {"deadlock"}),
    ("forgotten_release", {"deadlock"}),
    ("exception_leaves_a_lock_held", {"deadlock"}),
    ("release_of_a_free_lock", {"RuntimeError: release unlocked lock"}),
    ("release_of_anothers_rlock", {"RuntimeError: cannot release un-acquired lock"}),
    ("philosophers", {"ok", "deadlock"}),
    ("wait_behind_if", {"deadlock", "IndexError: pop from empty list"}),
    ("wait_behind_while", {"ok"}),
    ("notify_wakes_one", {"ok", "deadlock"}),
    ("notify_before_wait", {"ok", "deadlock"}),
    ("wait_for_a_predicate", {"ok"}),
    ("wait_with_a_timeout", {"ok"}),
    ("expired_waiter_swallows_a_notification", {"ok", "deadlock"}),
    ("wait_without_the_lock", {"RuntimeError: cannot wait on un-acquired lock"}),
    ("notify_without_the_lock", {"ok", "RuntimeError: cannot notify on un-acquired lock"}),
    ("bounded_semaphore_released_too_often", {"ValueError: Semaphore released too many times"}),
    ("event_set_and_cleared", {"ok", "deadlock"}),
    ("event_polled_until_set", {"ok"}),
    ("events_in_a_circle", {"deadlock"}),
    ("barrier_one_short", {"deadlock"}),
    ("queue_starves", {"deadlock"}),
    ("queue_check_then_get", {"ok", "deadlock"}),
    ("started_twice", {"RuntimeError: threads can only be started once"}),
    ("joined_before_it_starts", {"RuntimeError: cannot join thread before it is started"}),
    ("threads_join_each_other", {"deadlock", "RuntimeError: cannot join thread before it is started"}),
    ("exception_in_main_while_others_run", {"ok", "AssertionError: too early"}),
    ("choice_decides_the_order_of_locks", {"ok", "deadlock"}),
    ("bank_account", {"ok", "deadlock"}),
]


@pytest.mark.parametrize(
    ("name", "variable", "granularity", "expected"),
    [
        (name, variable, granularity, expected)
        for name, variable, *per_granularity in VALUES
        for granularity, expected in zip(GRANULARITIES, per_granularity, strict=True)
        if expected is not None
    ],
)
def test_values_at_the_end_are_those_that_people_worked_out(name, variable, granularity, expected):
    assert explored(name, granularity).values(variable) == expected


@pytest.mark.parametrize(("name", "expected"), ENDINGS)
def test_programs_end_in_the_ways_that_people_worked_out(name, expected):
    assert explored(name, "bytecode").endings == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_fewer_switches_give_no_new_outcomes(name):
    everywhere, polling, synchronising = (explored(name, g).comparable for g in GRANULARITIES)
    assert synchronising <= polling <= everywhere


def test_at_least_one_thread_sees_the_other_without_store_buffers():
    found = explore(PROGRAMS["store_buffer_has_no_place_here"], "bytecode").outcomes
    assert {(o.value("r"), o.value("s")) for o in found} == {("0", "1"), ("1", "0"), ("1", "1")}


def test_the_globals_of_a_run_that_fails_are_those_of_that_moment():
    found = explore(PROGRAMS["first_of_two_exceptions"], "bytecode").outcomes
    assert {(o.ended, o.value("n")) for o in found} == {("ValueError: f", "1"), ("KeyError: 'g'", "2")}


def test_other_threads_can_go_on_after_an_exception():
    text = PROGRAMS["exception_in_main_while_others_run"]
    stopped = explore(text, "sync").outcomes
    went_on = explore(text, "sync", goes_on_after_exceptions=True).outcomes
    assert {(o.ended, o.value("n")) for o in stopped} == {("AssertionError: too early", "0")}
    assert {(o.ended, o.value("n")) for o in went_on} == {("AssertionError: too early", "1")}


def test_output_is_kept_by_thread_and_in_order():
    found = explore(PROGRAMS["printing_threads"], "sync", with_output=True).outcomes
    assert {o.output for o in found} == {
        (((0,), ("f 0", "f then 1")), ((1,), ("g 11",))),
        (((0,), ("f 10", "f then 11")), ((1,), ("g 10",))),
    }


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_memory_finds_what_running_every_schedule_finds(granularity):
    compared = 0
    for name, text in PROGRAMS.items():
        try:
            plain = explore(text, granularity, with_output=True, memory=False, **SMALL)
        except TooLarge:
            continue
        compared += 1
        assert explore(text, granularity, with_output=True).outcomes == plain.outcomes, name
    assert compared >= {"bytecode": 30, "gil": 12, "sync": 90}[granularity]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_memory_finds_the_same_in_random_programs(text):
    for granularity in GRANULARITIES:
        try:
            plain = explore(text, granularity, memory=False, **SMALL)
        except TooLarge:
            continue
        assert explore(text, granularity).outcomes == plain.outcomes


@pytest.mark.parametrize("module", [interpreter, synchronisation], ids=["interpreter", "synchronisation"])
def test_generators_remember_nothing_outside_their_variables(module: ModuleType):
    """What `canonical` relies on: a yield is a whole right-hand side, and no loop keeps an iterator."""
    tree = ast.parse(inspect.getsource(module))
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    yields = [node for node in ast.walk(tree) if isinstance(node, ast.Yield | ast.YieldFrom)]
    assert yields
    for node in yields:
        assert isinstance(above[node], ast.Expr | ast.Assign | ast.Return), ast.unparse(above[node])
        at: ast.AST = node
        while not isinstance(at, ast.FunctionDef):
            assert not isinstance(at, ast.For | ast.With | ast.comprehension), ast.unparse(at)
            at = above[at]


def test_every_outcome_of_real_runs_is_one_the_oracle_has():
    texts = dict(PROGRAMS)
    texts.update({f"random {seed}": generate(random.Random(seed)) for seed in range(10)})
    problems = []
    seen = 0
    for name, text in texts.items():
        possible = explore(text, "gil", with_output=True, goes_on_after_exceptions=True).outcomes
        found = observe(text, runs=REAL_RUNS)
        seen += len(found)
        problems += [f"{name}: {outcome}" for outcome in found - possible]
    assert not problems
    assert seen > len(texts)  # some programs did show more than one side


def test_cpython_polls_between_the_repeated_test_of_a_loop_and_its_body():
    """Why `gil` has a switch there: CPython up to 3.13 jumps back to the body, and polls at the jump."""
    code = compile("while n < 2:\n    n += 1\n", "loop.py", "exec")
    line_of = {}
    line = 0
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno or line
        line_of[instruction.offset] = line
    targets = {
        line_of[instruction.argval]
        for instruction in dis.get_instructions(code)
        if instruction.opcode in dis.hasjrel and instruction.argval < instruction.offset
    }
    assert targets == ({2} if sys.version_info < (3, 14) else {1})


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "async def f(): pass",
        "x = (yield)",
        "x = {1 for i in range(2)}",
        "x = map(str, [1])",
        "x = sorted([1], key=lambda v: v)",
        "x = threading.Thread().name",
        "x = threading.Timer",
        "x = f'{threading.Lock()}'",
        "class A(int): pass",
        "match 1:\n    case 1: pass",
    ],
)
def test_what_the_oracle_cannot_judge_it_refuses(line):
    with pytest.raises((Unsupported, SyntaxError)):
        explore(expand(line), "bytecode")


def test_endless_runs_and_too_many_runs_are_told():
    with pytest.raises(TooLarge, match="statements"):
        explore(expand("while True:\n    pass"), "sync")
    with pytest.raises(TooLarge, match="more than 3 runs"):
        explore(PROGRAMS["lost_update"], "bytecode", most_runs=3)


def test_spinning_alone_is_recognised_as_the_same_state():
    text = """
        stop = False
        def f():
            while not stop:
                pass
        t = threading.Thread(target=f, daemon=True)
        t.start()
        """
    assert explore(expand(text), "bytecode").endings == {"ok"}


def test_random_threaded_programs_are_of_all_sorts():
    texts = [generate(random.Random(seed)) for seed in range(300)]
    assert texts == [generate(random.Random(seed)) for seed in range(300)]
    used = {word for text in texts for word in SHARED_WORDS if word in text}
    assert used == set(SHARED_WORDS)
    endings: Counter[str] = Counter()
    for text in texts[:60]:
        with suppress(TooLarge):
            endings.update(
                ending.partition(":")[0] for ending in explore(text, "sync", most_runs=500).endings
            )
    assert {"ok", "deadlock", "AssertionError"} <= endings.keys()


def test_random_sequential_programs_print_the_same_twice_and_use_the_whole_language():
    nodes: set[str] = set()
    failed = 0
    for seed in range(150):
        text = machine.COLLECT_OUTPUT + generate_sequential(random.Random(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            nodes |= {type(node).__name__ for node in ast.walk(ast.parse(text))}
        printed, ended = run_sequentially(text)
        assert (printed, ended) == run_sequentially(text)
        assert " at 0x" not in printed
        assert not ended.startswith("SyntaxError")
        failed += ended != "ok"
    assert 0 < failed < 50
    assert not LANGUAGE - nodes


def test_plain_globals_are_shown_as_text_and_others_left_out():
    loop: list[object] = [1]
    loop.append(loop)
    values = {"b": {3, 1, 2}, "a": (1,), "f": print, "l": loop, "o": [object()], "__name__": "x", "e": set()}
    assert plain_globals(values) == (
        ("a", "(1,)"),
        ("b", "set({1, 2, 3})"),
        ("e", "set({})"),
        ("l", "[1, ...]"),
    )
    assert is_plain({"k": [(1, None)]})
    assert not is_plain({"k": [print]})
    assert text_of({"k": (True, 1.5)}) == repr({"k": (True, 1.5)})


def test_outcomes_are_compared_without_output_and_failures_without_globals():
    ended_well = Outcome("ok", (("n", "1"),), (((0,), ("x",)),))
    failed = Outcome("ValueError", (("n", "1"),))
    assert ended_well.comparable() == Outcome("ok", (("n", "1"),))
    assert failed.comparable() == Outcome("ValueError", ())
