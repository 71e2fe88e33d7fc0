"""Swarms: their plans, their runs, what is lost, and what they say."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.evidence.loss import BitstateLoss
from assay.evidence.sketch import Sketch
from assay.evidence.verdict import SearchFacts, StopReason, Verdict
from assay.search.options import SearchOptions
from assay.swarming import swarm
from assay.swarming.plan import KINDS, ROUND, plan, shares_of_all
from assay.swarming.union import Seen, coverage
from assay.transition_system.language_options import LanguageOptions, OptionProblem

COUNTERS = """
#define N 7
byte c[N];
proctype P(byte i) {
  byte n;
  do
  :: n < 9 -> n++; c[i] = (c[i] * 3 + n) % 11
  :: c[i] > 3 -> c[i] = c[i] - 3; c[(i + 1) % N] = (c[(i + 1) % N] + 1) % 11
  :: n == 9 -> break
  od
}
init { byte i; atomic { do :: i < N -> run P(i); i++ :: else -> break od } }
"""
RARE = "!(c[0] == 7 && c[1] == 7 && c[2] == 7 && c[3] == 7)"

GRID = """
class Grid:
    def initial_states(self):
        return [(0, 0, 0)]

    def enabled(self, state):
        return [i for i in range(3) if state[i] < {n}]

    def step(self, state, i):
        return tuple(v + (j == i) for j, v in enumerate(state))

    def may_end(self, state):
        return True

    invariants = {{"never": lambda state: state != {bad}}}
"""


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large.pml"
    path.write_text(COUNTERS)
    return path


# --- plans ---


def planned(runs, **given):
    asked = {"seed": 0, "memory_bytes": 1 << 28, "seconds_of_a_share": 2.0, "lossy": True, **given}
    return plan(runs, **asked)


def test_a_plan_follows_from_its_seed_and_more_runs_only_add_runs():
    one_round, forty = (planned(n, seed=5) for n in (len(ROUND), 40))
    assert forty[: len(ROUND)] == one_round
    assert planned(40, seed=6) != forty
    assert {one.kind for one in one_round} == set(KINDS)
    assert sum(one.kind == "breadth" for one in forty) == 1


def test_searches_that_draw_in_every_state_have_most_of_the_time():
    for lossy in (True, False):
        for runs in (1, 2, 10, 20, 100):
            shares = [one.shares for one in planned(runs, lossy=lossy)]
            assert sum(shares) == shares_of_all(runs)
            assert 2 * sum(share for share in shares if share > 1) > sum(shares)


def test_a_run_has_no_table_that_it_could_not_fill():
    """Clearing 256 MiB takes longer than the second in which a run would look at a million states."""
    tables = [
        [one.keywords.get("bitstate_memory_bytes", 0) for one in planned(40, seconds_of_a_share=seconds)]
        for seconds in (0.6, 0.65, 60.0)
    ]
    assert max(tables[0]) <= 8 << 20
    assert tables[0] == tables[1]
    assert max(tables[2]) == 1 << 27


def test_an_attempt_that_is_long_has_a_table_that_is_large_enough():
    for one in planned(100, seconds_of_a_share=60.0):
        if one.kind == "restarting":
            assert one.keywords["bitstate_memory_bytes"] >= 8 * one.keywords["restart_after"]


def test_no_two_runs_of_a_plan_are_the_same_search():
    for lossy in (True, False):
        runs = planned(100, seed=1, lossy=lossy)
        assert len({repr(sorted(one.keywords.items())) for one in runs}) == 100
        for one in runs:
            options = one.options(observe="sketch", timeout_seconds=1.0)
            assert options.storage == ("bitstate" if lossy and one.kind != "breadth" else "exact")


def test_the_command_of_a_run_asks_for_that_run(large, capsys):
    from assay.cli.main import main

    language = LanguageOptions(invariants=(RARE,), defines=("M=3",))
    for one in planned(20, seed=2, memory_bytes=1 << 27)[::6]:
        command = shlex.split(one.command(str(large), language, more={"timeout_seconds": 5.0}))
        assert command[:2] == ["assay", "verify"]
        with pytest.raises(SystemExit):
            main([*command[1:], "--max-states", "50", "--json", "--no-reductions"])
        told = json.loads(capsys.readouterr().out)["options"]
        for name, value in one.keywords.items():
            assert told[name] == value, name
        assert told["invariants"] == [RARE]
        assert told["defines"] == ["M=3"]


def test_a_run_repeated_alone_finds_what_it_found(large, tmp_path):
    found = swarm(
        large, runs=6, workers=1, timeout_seconds=30, invariants=[RARE], seed=1, trace=tmp_path / "t"
    )
    [finding] = found.findings
    run = found.runs[finding.runs[0]]
    again = assay.verify(large, invariants=[RARE], **{**run.options, "timeout_seconds": 60.0})
    assert again.verdict is Verdict.VIOLATED
    assert (again.states, again.transitions) == (run.states, run.transitions)


# --- verdicts ---


def test_the_first_violation_ends_it_and_can_be_replayed(large, tmp_path):
    trace = tmp_path / "large.trace.json"
    found = swarm(large, runs=8, workers=2, timeout_seconds=40, invariants=[RARE], trace=trace)
    assert found.verdict is Verdict.VIOLATED
    assert found.first_violation_seconds is not None
    [finding] = found.findings
    assert finding.violation.kind == "invariant"
    assert found.runs[finding.runs[0]].end == "violation"
    assert assay.replay(large, trace).violation.message == RARE
    told = json.loads(json.dumps(found.as_json()))
    assert told["violations"][0]["found_by"]["runs"] == list(finding.runs)


def test_a_violation_that_does_not_show_itself_again_is_none(large, monkeypatch):
    from assay.swarming import coordinator, run

    def lying(task, report):
        del report
        facts = SearchFacts(states=5, stop_reason=StopReason.VIOLATION, violation_count=1)
        return run.RunReport(facts=facts, seconds=0.1, violations=(run.FoundViolation(1, (0, 0, 0)),))

    monkeypatch.setattr(run, "run", lying)
    monkeypatch.setattr(coordinator, "WORK", "assay.swarming.run:run")
    found = swarm(large, runs=2, workers=1, timeout_seconds=20, invariants=[RARE], all_violations=True)
    assert found.verdict is Verdict.INCOMPLETE
    assert not found.findings
    assert any("does not show one" in reason for reason in found.reasons)


def test_without_a_violation_it_is_incomplete_and_says_what_was_seen(large):
    found = swarm(large, runs=4, workers=2, timeout_seconds=5)
    assert found.verdict is Verdict.INCOMPLETE
    assert not found.complete
    assert found.ends() == {"time": 4}
    assert found.seen is not None
    assert found.seen.states > 1_000
    assert found.seen.states <= 1.05 * found.seen.visits
    assert 4 <= found.seconds < 9


def test_a_run_that_saw_everything_exactly_verifies(tmp_path):
    small = tmp_path / "small.pml"
    small.write_text("byte x; active [2] proctype P() { x++; x--; }")
    found = swarm(small, runs=6, workers=2, timeout_seconds=20)
    assert (found.verdict, found.complete) == (Verdict.VERIFIED, True)
    proof = found.runs[found.proved_by]
    assert proof.kind == "breadth"
    assert found.seen is not None
    assert found.seen.states == proof.states == assay.verify(small).states


def test_no_lossy_run_verifies(tmp_path):
    small = tmp_path / "small.pml"
    small.write_text("byte x; active [2] proctype P() { x++; x--; }")
    found = swarm(small, runs=1, workers=1, timeout_seconds=20)
    assert found.runs[0].kind == "random"
    assert found.runs[0].end == "finished"
    assert found.verdict is Verdict.INCOMPLETE
    assert found.coverage is not None
    assert found.coverage.low > 0.9


def test_what_is_said_of_runs_that_never_end_is_not_decided(tmp_path):
    small = tmp_path / "small.pml"
    small.write_text("bool x; active proctype P() { do :: x = !x od } ltl f { []<> x }")
    found = swarm(small, runs=3, workers=1, timeout_seconds=20)
    assert found.verdict is Verdict.INCOMPLETE
    assert any("runs that never end" in reason for reason in found.reasons)
    assert {one.kind: str(one.standing) for one in found.properties}["ltl"] == "not decided"


def test_all_violations_are_collected(tmp_path):
    model = tmp_path / "several.pml"
    model.write_text(
        "byte x; active [3] proctype P() { x++; if :: x == 3 -> assert(false) :: x == 2 -> x = x / (x - 2) "
        ":: else fi }"
    )
    found = swarm(model, runs=4, workers=2, timeout_seconds=20, all_violations=True)
    assert {one.violation.kind for one in found.findings} == {"assertion", "division"}
    assert all(len(one.runs) == 4 for one in found.findings)


# --- languages ---


def test_a_class_is_searched_in_several_processes(tmp_path):
    path = tmp_path / "grid.py"
    path.write_text(GRID.format(n=30, bad=(17, 3, 25)))
    found = swarm(f"{path}:Grid", runs=5, workers=2, timeout_seconds=60)
    assert found.verdict is Verdict.VIOLATED
    assert found.seen is not None
    assert all(run.options.get("storage", "exact") == "exact" for run in found.runs)


def test_processes_agree_on_the_content_of_states(tmp_path):
    """A class and a Python program: the union of runs that each see all states is no larger than one."""
    path = tmp_path / "grid.py"
    path.write_text(GRID.format(n=6, bad=None))
    whole = assay.verify(f"{path}:Grid").states
    found = swarm(f"{path}:Grid", runs=3, workers=3, memory_limit_bytes=1 << 30, timeout_seconds=60)
    assert found.seen is not None
    assert abs(found.seen.states - whole) <= 0.02 * whole
    program = tmp_path / "threads.py"
    program.write_text(
        "import threading\n\nitems = []\n\ndef work(n):\n    for i in range(2):\n"
        "        items.append((n, i))\n\n"
        "threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]\n"
        "for thread in threads:\n    thread.start()\nfor thread in threads:\n    thread.join()\n"
        "assert len(items) == 4\n"
    )
    whole = assay.verify(program).states
    several = swarm(program, runs=3, workers=3, memory_limit_bytes=1 << 30, timeout_seconds=60)
    assert several.seen is not None
    assert abs(several.seen.states - whole) <= max(2, 0.03 * whole)


def test_an_object_is_searched_where_it_is():
    class Pair:
        def initial_states(self):
            return [(0, 0)]

        def enabled(self, state):
            return [0, 1] if sum(state) < 9 else []

        def step(self, state, i):
            return (state[0] + (i == 0), state[1] + (i == 1))

        def may_end(self, state):
            return True

    found = swarm(Pair(), runs=3, timeout_seconds=20)
    assert found.verdict is Verdict.VERIFIED
    with pytest.raises(OptionProblem, match="this process alone"):
        swarm(Pair(), runs=3, workers=2)


def test_states_that_no_bytes_can_say_have_no_union():
    class Odd:
        def initial_states(self):
            return [Half(0)]

        def enabled(self, state):
            return [1, 2] if state.value < 8 else []

        def step(self, state, i):
            return Half(state.value + i)

        def may_end(self, state):
            return True

    class Half:
        def __init__(self, value):
            self.value = value

        def __eq__(self, other):
            return self.value // 2 == other.value // 2

        def __hash__(self):
            return hash(self.value // 2)

    found = swarm(Odd(), runs=1, timeout_seconds=20)
    assert found.seen is None
    assert found.runs[0].states > 1


# --- trouble ---


def children_of(pid):
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [line.split(None, 1) for line in listed.stdout.splitlines()]


def kill_one(pid, what, after):
    """Kills a child of that process once it has some that do `what`."""
    time.sleep(after)
    for _ in range(100):
        for child, command in children_of(pid):
            if what in command:
                os.kill(int(child), signal.SIGKILL)
                return
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("workers", "what"), [(2, "assay.distribution.worker"), (1, "assay.execution.worker")]
)
def test_a_worker_that_is_killed_loses_its_run_and_no_other(large, workers, what):
    killer = threading.Thread(target=kill_one, args=(os.getpid(), what, 2.0))
    killer.start()
    found = swarm(large, runs=4, workers=workers, timeout_seconds=10)
    killer.join()
    ends = found.ends()
    assert ends.pop("lost", 0) + ends.pop("crashed", 0) == 1
    assert ends == {"time": 3}
    assert found.seen is not None
    assert found.seen.runs == 3
    if workers == 2:
        assert any("is lost" in note and "SIGKILL" in note for note in found.notes)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_gives_what_was_found_so_far(large, workers):
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "assay"), "swarm", str(large), "--runs", "4", "--timeout", "40s",
         "--workers", str(workers), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=large.parent,
    )  # fmt: skip
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    told = json.loads(out)
    assert process.returncode == 3
    assert "it was interrupted" in told["reasons"]
    assert told["ends"].get("interrupted", 0) >= 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"runs": 1000, "timeout_seconds": 5, "workers": 1}, "expected at most 10, or a longer"),
        ({"runs": 0}, "runs: expected a number from 1"),
        ({"memory_limit_bytes": 1 << 20, "workers": 4}, "need at least 256 MiB"),
        ({"cluster": "tcp://127.0.0.1:1"}, "no Dask scheduler answers"),
        ({"nonsense": 3}, "there is no option 'nonsense'"),
        ({"timeout_seconds": -1.0}, "timeout: expected seconds"),
    ],
)
def test_what_makes_no_swarm_gets_a_sentence(large, options, sentence):
    with pytest.raises(OptionProblem, match=sentence):
        swarm(large, **{"timeout_seconds": 300.0, **options})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"order": "reversed"}, "order: depth-first searches have one"),
        ({"search": "random-dfs", "order": "reversed"}, "random-dfs tries steps in random order"),
        ({"search": "dfs", "restarts": 3}, "go together"),
        ({"search": "dfs", "restarts": 3, "restart_after": 5}, "every attempt would go the same way"),
        ({"search": "dfs", "process_order": "sideways"}, "process order: expected one of"),
    ],
)
def test_orders_that_make_no_sense_get_a_sentence(options, sentence):
    with pytest.raises(OptionProblem, match=sentence):
        SearchOptions.from_keywords(options)


# --- what is said of coverage ---


def bits(states, **more):
    facts = SearchFacts(
        states=states,
        complete=True,
        stop_reason=StopReason.FINISHED,
        loss=BitstateLoss(4, bits_set=4 * states, bits_total=1 << 30),
    )
    return replace(facts, **more)


def sketch_of(numbers):
    from assay.evidence.sketch import INDEX_BITS, REGISTERS

    registers = bytearray(REGISTERS)
    for number in numbers:
        one = (number + 1) * 0x9E3779B97F4A7C15 % 2**64
        one = (one ^ one >> 29) * 0xD6E8FEB86659FD93 % 2**64
        one ^= one >> 32
        rest = (one << INDEX_BITS) % 2**64 | 1 << (INDEX_BITS - 1)
        index = one >> (64 - INDEX_BITS)
        registers[index] = max(registers[index], 64 - rest.bit_length() + 1)
    return Sketch(bytes(registers))


def test_a_run_that_came_to_its_end_bounds_coverage_on_both_sides():
    seen = Seen(sketch_of(range(1000)), 1, 1000)
    found = coverage(seen, {}, [bits(1000)], seed=0)
    assert found is not None
    assert found.low > 0.9
    assert coverage(seen, {}, [bits(1000, stop_reason=StopReason.DEPTH, complete=False)], seed=0) is None
    assert coverage(seen, {}, [bits(1000, loss=BitstateLoss(4, 1 << 29, 1 << 30))], seed=0) is None


def test_overlap_bounds_coverage_from_above_and_is_never_too_small():
    """Runs that see states with very different probabilities: the bound holds all the same."""
    import random

    total = 40_000
    for skew in (0.0, 1.0, 3.0):
        source = random.Random(skew)
        weights = [(1 + i / 400) ** -skew * 0.01 for i in range(total)]
        runs = [[i for i in range(total) if source.random() < weights[i]] for _ in range(12)]
        sketches = [sketch_of(run) for run in runs]
        seen = Seen(Sketch.union(sketches), 12, sum(map(len, runs)))
        found = coverage(seen, {"random": sketches}, [], seed=1)
        really = len({state for run in runs for state in run}) / total
        if skew == 0.0:
            assert found is not None
        if found is not None:
            assert found.low == 0.0
            assert found.high >= really, skew


def test_few_runs_are_no_basis():
    sketches = [sketch_of(range(i * 50, i * 50 + 1000)) for i in range(3)]
    seen = Seen(Sketch.union(sketches), 3, 3000)
    assert coverage(seen, {"random": sketches}, [], seed=1) is None
