"""What a verdict speaks of, property by property, and headlines that say no more."""

import json

import pytest

import assay
from assay.evidence.properties import Standing, standings
from assay.evidence.verdict import Judgement, Verdict
from assay.report.console import print_result
from assay.transition_system.interface import Unchecked
from assay.transition_system.language_options import LanguageOptions

VERIFIED = Judgement(Verdict.VERIFIED, complete=True, reasons=())
VIOLATED = Judgement(Verdict.VIOLATED, complete=False, reasons=())
ALL_VIOLATIONS = Judgement(Verdict.VIOLATED, complete=True, reasons=())
STOPPED = Judgement(Verdict.INCOMPLETE, complete=False, reasons=("the time limit was reached",))
OPTIONS = LanguageOptions(invariants=("x < 3", "x < 30"), step_invariants=("next.x >= x",))


def of(judgement, *violated, check_deadlock=True, unchecked=()):
    found = standings(judgement, violated, OPTIONS, check_deadlock=check_deadlock, unchecked=unchecked)
    return {
        one.text if one.kind in {"invariant", "step-invariant", "claim"} else one.kind: str(one.standing)
        for one in found
    }


def test_a_verified_program_has_everything_that_was_asked_for_and_nothing_else():
    assert of(VERIFIED) == {
        "error": "holds",
        "assertion": "holds",
        "deadlock": "holds",
        "x < 3": "holds",
        "x < 30": "holds",
        "next.x >= x": "holds",
        "termination": "not asked",
    }


def test_one_violation_decides_one_property():
    found = of(VIOLATED, ("invariant", "x < 30"))
    assert found.pop("x < 30") == "violated"
    assert found.pop("termination") == "not asked"
    assert set(found.values()) == {"not decided"}


@pytest.mark.parametrize(
    ("kind", "text", "name"),
    [
        ("assertion", "", "assertion"),
        ("deadlock", "", "deadlock"),
        ("invariant", "x < 3", "x < 3"),
        ("invariant", "", "assertion"),  # of the program's own
        ("step-invariant", "next.x >= x", "next.x >= x"),
        ("array-index", "", "error"),
        ("exception", "", "error"),
    ],
)
def test_every_kind_of_violation_belongs_to_a_property(kind, text, name):
    found = of(ALL_VIOLATIONS, (kind, text))
    assert found.pop(name) == "violated"
    found.pop("termination")
    assert set(found.values()) == {"holds"}  # the search went on to the end and saw no more


def test_what_was_found_and_cannot_be_named_may_have_been_anything():
    found = of(ALL_VIOLATIONS)
    found.pop("termination")
    assert set(found.values()) == {"not decided"}


def test_a_search_that_stopped_decides_nothing():
    found = of(STOPPED)
    found.pop("termination")
    assert set(found.values()) == {"not decided"}


PROGRAMS = {
    "model.pml": ("byte x; int a[2]; active proctype P() { x = 4 }", ["x < 4", "x < 40", "a[x] == 0"]),
    "program.py": ("x = 1\nx = 4\n", ["x < 4", "x < 40", "[0, 0, 0][x] == 0"]),
    "system.py:System": (
        "class System:\n"
        "    def initial_states(self): return [1]\n"
        "    def enabled(self, state): return [4] if state == 1 else []\n"
        "    def step(self, state, action): return action\n"
        "    def variables(self, state): return {'x': state}\n",
        ["x < 4", "x < 40"],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_violation_is_told_of_the_property_that_fails_and_of_no_other(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, invariants = PROGRAMS[name]
    (tmp_path / name.partition(":")[0]).write_text(text)
    for wanted in invariants:
        if wanted != "x < 40":
            asked = assay.verify(name, invariants=[wanted, "x < 40"], check_deadlock=False, all_errors=True)
            found = {one.text: str(one.standing) for one in asked.properties if one.kind == "invariant"}
            assert found == {wanted: "violated", "x < 40": "holds"}


def test_what_is_left_out_was_not_asked_for():
    claim = Unchecked("claim", "the ltl claim 'p'", asked=False)
    assert of(VERIFIED, check_deadlock=False, unchecked=[claim])["deadlock"] == "not asked"
    assert of(VERIFIED, unchecked=[claim])["the ltl claim 'p'"] == "not asked"
    asked = Unchecked("claim", "the ltl claim 'p'", asked=True)
    assert of(STOPPED, unchecked=[asked])["the ltl claim 'p'"] == "not decided"


def test_what_a_program_says_of_its_events_is_a_property_of_its_own():
    name = ("trace", "every event follows the trace of line 4")

    def found(*violated):
        listed = standings(
            ALL_VIOLATIONS if violated else VERIFIED, violated, OPTIONS, check_deadlock=True, monitors=[name]
        )
        return {one.kind: str(one.standing) for one in listed}

    assert found()["trace"] == "holds"
    assert found(("trace", "q!1 does not follow the trace"))["trace"] == "violated"
    assert found(("trace", "q!1 does not follow the trace"))["error"] == "holds"
    assert found(("assertion", "assert(false)"))["trace"] == "holds"


# --- Promela, from the text to the headline ---

MODELS = {
    "progress": ("active proctype P() { do :: progress: skip od }", "non-progress cycles"),
    "accept": ("active proctype P() { do :: accept_here: skip od }", "acceptance cycles"),
    "both": (
        "active proctype P() { do :: accept: skip :: progress1: skip od }",
        "acceptance cycles, non-progress cycles",
    ),
    "exclusive": ("chan c = [1] of {byte}; active proctype P() { xs c; c!1 }", "whether xr and xs are true"),
    "ltl": ("bit b; ltl p { <> b } active proctype P() { b = 1 }", "the ltl claim 'p'"),
    "never": ("bit b; never { accept: do :: !b od } active proctype P() { b = 1 }", "the never claim"),
    "inline": (
        "inline loop() { do :: progress: skip od } active proctype P() { loop() }",
        "non-progress cycles",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_headline_names_what_nobody_looked_at(name, tmp_path, capsys):
    text, left_out = MODELS[name]
    model = tmp_path / "m.pml"
    model.write_text(text)
    result = assay.verify(model, safety=True)
    assert result.verdict is Verdict.VERIFIED
    print_result(result, quiet=True)
    assert capsys.readouterr().out.endswith(f"every property asked for holds; not looked at: {left_out}\n")
    said = json.loads(json.dumps(result.as_json()))["properties"]
    assert [one["standing"] for one in said if one["text"] in left_out] == ["not asked"] * (
        1 + left_out.count(",")
    )
    if name in {"ltl", "never"}:
        asked = assay.verify(model)
        assert asked.verdict is Verdict.VERIFIED
        assert [one.standing for one in asked.properties if one.kind == name] == [Standing.HOLDS]
    if name == "trace":
        asked = assay.verify(model)
        assert asked.verdict is Verdict.INCOMPLETE
        assert [one.standing for one in asked.properties if one.kind == "claim"] == [Standing.NOT_DECIDED]


def test_a_model_without_any_of_these_has_nothing_left_out(tmp_path, capsys):
    model = tmp_path / "m.pml"
    model.write_text("active proctype P() { end: skip; unprogress: skip }")
    print_result(assay.verify(model, safety=True))
    said = capsys.readouterr().out
    assert "every property asked for holds\n" in said
    assert said.count("nothing is said about whether every run ends") == 1


def test_deadlocks_that_nobody_asked_about_are_named(tmp_path, capsys):
    model = tmp_path / "m.pml"
    model.write_text("active proctype P() { (false) }")
    print_result(assay.verify(model, check_deadlock=False), quiet=True)
    assert capsys.readouterr().out.endswith("; not looked at: deadlocks\n")


LIGHT = """\
class Light:
    def initial_states(self):
        return [0]

    def enabled(self, state):
        return [1]

    def step(self, state, action):
        return 0
"""


@pytest.mark.parametrize(("text", "name"), [("x = 1\n", ""), (LIGHT, ":Light")])
def test_a_python_program_and_a_class_say_it_too(text, name, tmp_path, capsys):
    program = tmp_path / "m.py"
    program.write_text(text)
    result = assay.verify(f"{program}{name}")
    assert [one.kind for one in result.properties if one.standing is Standing.NOT_ASKED] == ["termination"]
    print_result(result)
    assert capsys.readouterr().out.count("nothing is said about whether every run ends") == 1
