"""Systems written as Python classes, from file to verdict and back to a replayed trace."""

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

import pytest

import assay
from assay.evidence.counterexample import TraceProblem
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import SourceProblem, Violated
from assay.transition_system.language_options import OptionProblem


class Counter:
    """Counts from 0 to 9 and stays there."""

    def initial_states(self):
        return [0]

    def enabled(self, state):
        return ["up"] if state < 9 else ["stay"]

    def step(self, state, action):
        return state + 1 if action == "up" else state


class Stuck(Counter):
    def enabled(self, state):
        return ["up"] if state < 9 else []


class Ends(Stuck):
    def may_end(self, state):
        return state == 9


class Asserts(Counter):
    def step(self, state, action):
        if state == 4:
            raise Violated("four is too many")
        return super().step(state, action)


class Several(Counter):
    def initial_states(self):
        return [5, 0, 7]


class Broken(Counter):
    def step(self, state, action):
        return {}[state]


class Unhashable(Counter):
    def step(self, state, action):
        return [state]


class Pair(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True)
class Record:
    x: int
    seen: frozenset


class Pairs(Counter):
    def initial_states(self):
        return [Pair(0, 0)]

    def enabled(self, state):
        return ["x", "y"]

    def step(self, state, action):
        return Pair(1 - state.x, state.y) if action == "x" else Pair(state.x, 1 - state.y)


class Records(Counter):
    def initial_states(self):
        return [Record(0, frozenset())]

    def enabled(self, state):
        return [None]

    def step(self, state, action):
        return Record((state.x + 1) % 3, state.seen | {state.x})


class Named(Counter):
    def variables(self, state):
        return {"doubled": 2 * state}


@pytest.mark.parametrize("search", ["bfs", "dfs", "random-dfs"])
def test_every_strategy_visits_every_state(search):
    result = assay.verify(Counter(), search=search)
    assert (result.verdict, result.complete) == (Verdict.VERIFIED, True)
    assert (result.states, result.transitions) == (10, 10)


@pytest.mark.parametrize("search", ["bfs", "dfs", "random-dfs"])
def test_several_initial_states_count_as_they_are(search):
    result = assay.verify(Several(), search=search)
    assert (result.verdict, result.states, result.transitions) == (Verdict.VERIFIED, 10, 10)


def test_a_run_from_one_of_several_initial_states_begins_there():
    [violation] = assay.verify(Several(), invariants=["state != 9"]).violations
    assert violation.counterexample.initial == {"state": 7}
    assert [step.text for step in violation.counterexample.steps] == ["up", "up"]


def test_a_state_without_actions_is_a_deadlock_unless_it_may_end():
    [violation] = assay.verify(Stuck()).violations
    assert violation.kind == "deadlock"
    assert violation.counterexample.length == 9
    assert assay.verify(Stuck(), check_deadlock=False).verdict is Verdict.VERIFIED
    assert assay.verify(Ends()).verdict is Verdict.VERIFIED


def test_a_failed_assertion_keeps_its_message():
    [violation] = assay.verify(Asserts()).violations
    assert (violation.kind, violation.message) == ("assertion", "four is too many")
    assert violation.counterexample.length == 5


@pytest.mark.parametrize(
    ("system", "invariant", "verdict"),
    [
        (Counter, "state <= 9", "verified"),
        (Counter, "state < 9", "violated"),
        (Pairs, "x + y <= 2", "verified"),
        (Pairs, "x + y <= 1", "violated"),
        (Records, "len(seen) <= 3 and x < 3", "verified"),
        (Records, "2 in seen implies x == 0", "violated"),
        (Named, "doubled % 2 == 0", "verified"),
    ],
)
def test_invariants_over_fields_and_variables(system, invariant, verdict):
    assert str(assay.verify(system(), invariants=[invariant]).verdict) == verdict


def test_step_invariants_compare_two_states():
    holds = assay.verify(Counter(), step_invariants=["next.state >= state"])
    assert holds.verdict is Verdict.VERIFIED
    fails = assay.verify(Counter(), step_invariants=["state == 5 implies next.state == 8"])
    assert fails.violations[0].kind == "step-invariant"
    assert fails.violations[0].counterexample.length == 6


def test_all_errors_counts_every_violation():
    result = assay.verify(Pairs(), invariants=["x == 0", "y == 0"], all_errors=True)
    assert result.verdict is Verdict.VIOLATED
    assert result.complete
    assert result.states == 4
    assert len(result.violations) == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"max_states": 3}, "states"), ({"max_depth": 3}, "depth")],
)
def test_limits_make_it_incomplete(options, reason):
    result = assay.verify(Counter(), **options)
    assert (result.verdict, result.stop_reason) == (Verdict.INCOMPLETE, reason)


def test_a_time_limit_makes_it_incomplete():
    class Endless(Counter):
        def enabled(self, state):
            return ["up"]

    result = assay.verify(Endless(), timeout_seconds=0.5)
    assert (result.verdict, result.stop_reason) == (Verdict.INCOMPLETE, "time")
    assert result.seconds > 0.4


def test_a_method_that_never_returns_is_ended_at_the_time_limit():
    class Hangs(Counter):
        def step(self, state, action):
            while state == 5:
                pass
            return state + 1

    for seconds in (0.5, 4.0, 32.0, 256.0):  # until the machine is fast enough to come to that state
        result = assay.verify(Hangs(), timeout_seconds=seconds)
        if result.stop_reason == "stuck":
            break
    assert (result.verdict, result.stop_reason) == (Verdict.INCOMPLETE, "stuck")
    assert result.states == 6


@pytest.mark.parametrize(
    ("system", "options", "message"),
    [
        (object(), {}, "expected a class with the methods initial_states, enabled, step"),
        (Broken(), {}, r"step raised KeyError\(0\)"),
        (Unhashable(), {}, r"expected hashable states, got \[0\]"),
        (Counter(), {"invariants": ["speed < 3"]}, "expected one of the variables state, got speed"),
        (Counter(), {"invariants": ["state + 'a' == 3"]}, "raised TypeError"),
    ],
)
def test_mistakes_are_told(system, options, message):
    with pytest.raises(SourceProblem, match=message):
        assay.verify(system, **options)


@pytest.mark.parametrize("options", [{"storage": "bitstate"}, {"threads": 2}, {"defines": ["A"]}])
def test_options_that_do_not_apply_are_refused(options):
    with pytest.raises(OptionProblem):
        assay.verify(Counter(), **options)


FILE = """
class Counter:
    def initial_states(self): return [0]
    def enabled(self, state): return [1, 2]
    def step(self, state, action): return (state + action) % 7
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(FILE)
    return tmp_path / "model.py"


def test_a_class_is_loaded_from_its_file(model):
    result = assay.verify("model.py:Counter")
    assert (result.states, result.transitions, result.program) == (7, 14, "model.py:Counter")


def test_a_trace_replays_and_is_refused_when_the_file_changes(model, tmp_path):
    assay.verify("model.py:Counter", invariants=["state < 6"], trace="t.json")
    run = assay.replay("model.py:Counter", "t.json")
    assert [step.text for step in run.steps] == ["2", "2", "2"]
    model.write_text(FILE + "\n")
    with pytest.raises(TraceProblem, match=r"changed since the trace was written \(model.py\)"):
        assay.replay("model.py:Counter", "t.json")


def test_a_trace_that_does_not_fit_is_refused(model, tmp_path):
    assay.verify("model.py:Counter", invariants=["state < 6"], trace="t.json")
    good = json.loads((tmp_path / "t.json").read_text())
    for positions in ([5], [0], []):
        (tmp_path / "bad.json").write_text(json.dumps({**good, "positions": positions}))
        with pytest.raises(TraceProblem):
            assay.replay("model.py:Counter", "bad.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class Other: pass", "expected a class named Counter, got none; the file has no class"),
        (FILE.replace("Counter", "Other"), "expected a class named Counter, got none; the file has Other"),
        ("class Counter: pass", "got one without initial_states, enabled, step"),
        ("def (", "model.py:1:5: expected Python, got a syntax error"),
        ("\nimport nonsense_module", "model.py:2: importing it failed"),
        (FILE + "    def __init__(self, size): pass", "without arguments failed"),
        (FILE.replace("[0]", "[]"), "expected at least one initial state"),
    ],
)
def test_a_file_that_is_no_model_is_told(model, text, message):
    model.write_text(text)
    with pytest.raises(SourceProblem) as problem:
        assay.verify("model.py:Counter")
    assert message in str(problem.value)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (
            "<> stat == 3",
            "formula:1:4: expected one of the variables state, got stat (did you mean 'state'?)",
        ),
        ("[] (state < 9 && speed == 3)", "formula:1:18: expected one of the variables state, got speed"),
        ("<> (state.append(1))", "formula:1:5: only len, abs, min, max, sum, all, any, sorted can be called"),
    ],
)
def test_what_is_wrong_in_a_formula_has_its_place_in_the_formula(formula, message):
    with pytest.raises(SourceProblem, match=re.escape(message)):
        assay.verify(Counter(), ltl=[formula])


@pytest.mark.parametrize(("formula", "verdict"), [("true", Verdict.VERIFIED), ("false", Verdict.VIOLATED)])
def test_a_constant_is_a_formula_and_said_to_be_one(formula, verdict):
    result = assay.verify(Counter(), ltl=[formula], check_deadlock=False)
    assert result.verdict is verdict
    assert any("holds for" in note for note in result.notes)
