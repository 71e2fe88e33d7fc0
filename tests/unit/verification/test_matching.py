"""States compared by a key, in every language, and whether that is sound."""

from __future__ import annotations

import json

import pytest

import assay
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import OptionProblem

SUM = """
byte x, y;
active proctype P() {{
  do
  :: atomic {{ x < 5 -> x++ }}
  :: atomic {{ y < 5 -> y++ }}
  {more}
  od
}}
"""
GRID = """
class Grid:
    def initial_states(self):
        return [(0, 0)]

    def enabled(self, state):
        return [i for i in (0, 1) if state[i] < 5] + (["odd"] if {odd} else [])

    def step(self, state, i):
        return state if i == "odd" else tuple(v + (j == i) for j, v in enumerate(state))

    def variables(self, state):
        return {{"x": state[0], "y": state[1]}}

    def may_end(self, state):
        return True

    invariants = {{"fine": lambda state: {invariant}}}
"""
THREADS = """
import threading

items = []
lock = threading.Lock()
total = 0


def work(n):
    global total
    for i in range(2):
        with lock:
            items.append(n)
            total += n


threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total == 6
"""


RACE = """
import threading

counter = 0


def count():
    global counter
    counter += 1


threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2
"""


def model(tmp_path, more=""):
    path = tmp_path / "sum.pml"
    path.write_text(SUM.format(more=more))
    return path


def grid(tmp_path, invariant="True", odd="False"):
    path = tmp_path / "grid.py"
    path.write_text(GRID.format(invariant=invariant, odd=odd))
    return f"{path}:Grid"


SEARCHES = ["bfs", "dfs", "random-dfs"]


@pytest.mark.parametrize("search", SEARCHES)
def test_promela_states_are_compared_by_an_expression(tmp_path, search):
    path = model(tmp_path)
    assert assay.verify(path, check_deadlock=False).states == 36
    found = assay.verify(path, match=["x + y"], search=search, check_deadlock=False)
    assert found.verdict is Verdict.INCOMPLETE
    assert not found.complete
    assert found.states == 11
    assert "`x + y`" in found.reasons[0]
    both = assay.verify(path, match=["x", "y"], search=search, check_deadlock=False)
    assert (both.verdict, both.states) == (Verdict.INCOMPLETE, 36), "no key proves anything by itself"


@pytest.mark.parametrize("search", SEARCHES)
def test_a_violation_of_a_search_that_matches_is_real(tmp_path, search):
    path = model(tmp_path)
    trace = tmp_path / "trace.json"
    found = assay.verify(path, match=["x + y"], invariants=["x + y != 7"], search=search, trace=trace)
    assert found.verdict is Verdict.VIOLATED
    assert assay.replay(path, trace).violation.message == "x + y != 7"


def test_what_only_others_lead_to_is_missed_and_said_to_be(tmp_path):
    path = model(tmp_path)
    missed = assay.verify(path, match=["x + y"], invariants=["!(x == 0 && y == 5)"], check_deadlock=False)
    assert missed.verdict is Verdict.INCOMPLETE
    assert missed.loss.as_json(0)["compared_by"] == "where processes stand and `x + y`"


def test_where_processes_stand_counts_unless_it_is_left_out(tmp_path):
    path = tmp_path / "steps.pml"
    path.write_text("byte x, y; active [2] proctype P() { x = 1; y = 2; x = 3 }")
    placed = assay.verify(path, match=["x"], reductions=[])
    anywhere = assay.verify(path, match=["x"], match_anywhere=True, reductions=[])
    assert placed.states > anywhere.states == 2
    assert assay.verify(path, match=["x"], invariants=["x != 3"], reductions=[]).verdict is Verdict.VIOLATED


def test_an_expression_that_cannot_be_evaluated_has_a_value_of_its_own(tmp_path):
    path = tmp_path / "index.pml"
    path.write_text("byte i, a[3]; active proctype P() { do :: i < 5 -> i++ :: else -> break od }")
    places = assay.verify(path, match=["0"], reductions=[])
    found = assay.verify(path, match=["a[i]"], reductions=[])
    assert found.verdict is Verdict.INCOMPLETE
    assert found.states == 2 * (places.states - 1), "the end is reached with one of the two values"


@pytest.mark.parametrize("search", SEARCHES)
def test_classes_are_compared_by_an_expression(tmp_path, search):
    found = assay.verify(grid(tmp_path), match=["x + y"], search=search)
    assert (found.verdict, found.states) == (Verdict.INCOMPLETE, 11)
    found = assay.verify(grid(tmp_path, invariant="sum(state) != 7"), match=["x + y"], search=search)
    assert found.verdict is Verdict.VIOLATED
    several = assay.verify(grid(tmp_path), match=["[x, y]", "{x}"], search=search)
    assert several.states == 36


@pytest.mark.parametrize("search", ["bfs", "dfs"])
def test_python_programs_are_compared_by_an_expression(tmp_path, search):
    path = tmp_path / "threads.py"
    path.write_text(THREADS)
    whole = assay.verify(path)
    assert whole.verdict is Verdict.VERIFIED
    found = assay.verify(path, match=["len(items)"], search=search)
    assert found.verdict is Verdict.INCOMPLETE
    assert found.states > 10
    everything = assay.verify(path, match=["items", "total", "lock.locked()"], search=search)
    assert found.states < everything.states
    broken = assay.verify(path, match=["len(items)"], search=search, invariants=["len(items) < 3"])
    assert broken.verdict is Verdict.VIOLATED


# --- is it sound? ---


@pytest.mark.parametrize(("key", "keys"), [("sorted([x, y])", 21), ("x + y", 11)])
def test_a_sound_abstraction_is_said_to_be_one(tmp_path, key, keys):
    found = assay.verify(grid(tmp_path), match=[key], check_abstraction=True)
    assert (found.verdict, found.complete, found.states) == (Verdict.VERIFIED, True, 36)
    assert found.matching["sound"] is True
    assert found.matching["keys"] == keys
    sizes = {21: [1] * 6 + [2] * 15, 11: [*range(1, 7), *range(5, 0, -1)]}[keys]
    assert found.matching["pairs"] == sum(n * (n - 1) // 2 for n in sizes)
    assert any("is sound for this program" in note for note in found.notes)


def test_an_unsound_one_is_refuted_by_a_pair_and_a_step(tmp_path):
    found = assay.verify(grid(tmp_path), match=["x"], check_abstraction=True)
    assert found.verdict is Verdict.INCOMPLETE
    told = found.matching
    assert told["sound"] is False
    assert told["difference"] == "step"
    [value] = told["values"]
    assert value["name"] == "y"
    assert value["second"] == 5, "it cannot go on with y"
    assert told["step"]["text"] == "1"
    assert any("compared whole" in note for note in found.notes)
    json.dumps(found.as_json())


def test_promela_pairs_are_told_in_the_words_of_the_source(tmp_path, capsys):
    from assay.cli.main import main

    path = model(tmp_path, ":: x == 3 && y == 1 -> y = 0")
    found = assay.verify(path, match=["x + y"], check_abstraction=True, check_deadlock=False)
    assert found.matching["difference"] == "step"
    step = found.matching["step"]
    assert step["process"] == "P[0]"
    assert step["line"]
    assert step["changes"]
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(path), "--match", "x + y", "--check-abstraction", "--no-deadlock"])
    assert ended.value.code == 3
    said = capsys.readouterr().out
    assert "two states that count as one" in said
    assert "no step of the second" in said


def test_properties_must_be_preserved(tmp_path):
    found = assay.verify(grid(tmp_path, invariant="state != (2, 3)"), match=["x + y"], check_abstraction=True)
    assert found.matching["difference"] == "property"
    assert found.verdict is Verdict.VIOLATED
    assert any("unsound" in reason for reason in found.reasons)


def test_a_check_that_was_stopped_says_what_survived(tmp_path):
    found = assay.verify(grid(tmp_path), match=["sorted([x, y])"], check_abstraction=True, max_states=12)
    assert found.verdict is Verdict.INCOMPLETE
    assert found.matching["sound"] is None
    assert any("was not refuted so far" in note for note in found.notes)


def test_python_programs_are_checked_too(tmp_path):
    path = tmp_path / "threads.py"
    path.write_text(THREADS)
    sound = assay.verify(path, match=["items", "total", "lock.locked()"], check_abstraction=True)
    assert sound.verdict is Verdict.VERIFIED
    assert sound.matching["sound"] is True
    path.write_text(RACE)
    other = assay.verify(path, match=["0"], check_abstraction=True)
    assert other.verdict is Verdict.VIOLATED
    assert other.matching["sound"] is False
    assert "counter" in {one["name"] for one in other.matching["values"]}


def test_a_formula_must_be_preserved_too(tmp_path):
    path = model(tmp_path)
    asked = {"match": ["x + y"], "ltl": ["[] (x == 3 -> <> (x == 4))"], "check_deadlock": False}
    found = assay.verify(path, check_abstraction=True, **asked)
    assert found.matching["difference"] == "atoms"
    assert found.verdict is not Verdict.VERIFIED
    assert assay.verify(path, **asked).verdict is not Verdict.VERIFIED
    kept = assay.verify(path, check_abstraction=True, **{**asked, "ltl": ["[] (x + y < 11)"]})
    assert (kept.verdict, kept.matching["sound"]) == (Verdict.VERIFIED, True)


# --- trouble ---


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"check_abstraction": True}, "it is about what --match compares"),
        ({"match_anywhere": True}, "it goes with --match"),
        ({"storage": "abstraction"}, "if --match says which"),
        ({"match": ["x"], "storage": "bitstate", "search": "dfs"}, "a key is kept whole"),
        ({"match": ["x"], "threads": 2}, "on one thread"),
        ({"match": ["x"], "search": "cached", "cache_size": 10}, "expected the search bfs"),
        ({"match": ["x"], "certificate": "out.assay"}, "proves nothing that could be certified"),
    ],
)
def test_options_that_do_not_go_together_get_a_sentence(tmp_path, options, sentence):
    with pytest.raises(OptionProblem, match=sentence):
        assay.verify(model(tmp_path), **options)


@pytest.mark.parametrize("text", ["x +", "nobody", "_pid", "x // comment"])
def test_what_is_no_key_gets_a_place(tmp_path, text):
    with pytest.raises(SourceProblem):
        assay.verify(model(tmp_path), match=[text])
    path = tmp_path / "threads.py"
    path.write_text(THREADS)
    with pytest.raises(SourceProblem, match="--match"):
        assay.verify(path, match=[text.replace("x // comment", "open('f')")])
    with pytest.raises(SourceProblem):
        assay.verify(grid(tmp_path), match=[text])
