"""Temporal properties of classes, from formula to verdict, lasso and replay."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

import pytest

import assay
from assay import checker
from assay.automata.parser import parse
from assay.automata.translation import violating
from assay.evidence.properties import Standing
from assay.search.reference.accepting_cycle import Judged, Step, has_accepting_cycle
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import OptionProblem
from assay.verification import replay

LIGHT = """\
from dataclasses import dataclass
import assay

@dataclass(frozen=True)
class State:
    light: str
    waiting: bool = False

class Light:
    def initial_states(self):
        return [State("red")]
    def enabled(self, state):
        leave = ["go"] if state.waiting and state.light == "green" else []
        return ["tick", *([] if state.waiting else ["arrive"]), *leave]
    def step(self, state, action):
        if action == "tick":
            return State("green" if state.light == "red" else "red", state.waiting)
        return State(state.light, action == "arrive")
    properties = {
        "served": assay.leads_to(lambda state: state.waiting, lambda state: not state.waiting),
        "green": assay.eventually(lambda state: state.light == "green"),
        "known": assay.always(lambda state: state.light in ("red", "green")),
    }
"""


@pytest.fixture
def light(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("light.py").write_text(LIGHT)
    return "light.py:Light"


def standing(result, text):
    (found,) = {one.standing for one in result.properties if text in (one.text, one.text.partition(":")[0])}
    return found


def test_each_property_has_its_own_verdict(light):
    result = assay.verify(light)
    assert result.verdict is assay.Verdict.VIOLATED
    assert standing(result, "served") is Standing.VIOLATED
    assert standing(result, "green") is Standing.HOLDS is standing(result, "known")
    (violation,) = result.violations
    run = violation.counterexample
    assert [step.text for step in run.steps] == ["arrive", "tick", "tick"]
    assert (run.loop_start, run.loop_step) == (1, 2)


def test_one_can_be_picked_by_its_name(light):
    result = assay.verify(light, ltl=["green"])
    assert result.verdict is assay.Verdict.VERIFIED
    assert not [one for one in result.properties if "served" in one.text]


def test_a_formula_speaks_of_variables(light):
    assert (
        assay.verify(light, ltl=["[] <> light == 'red' || <> [] !waiting"]).verdict is assay.Verdict.VIOLATED
    )
    assert assay.verify(light, ltl=["<> (light == 'green') || [] !waiting"]).verdict is assay.Verdict.VERIFIED


def test_a_name_that_is_not_there_is_told_with_the_nearest(light):
    with pytest.raises(SourceProblem, match="did you mean 'served'"):
        assay.verify(light, ltl=["serwed"])
    with pytest.raises(SourceProblem, match="formula:1:"):
        assay.verify(light, ltl=["[] ("])


def test_a_name_of_a_variable_that_is_not_there_is_told(light):
    with pytest.raises(SourceProblem, match="lihgt"):
        assay.verify(light, ltl=["<> lihgt == 1"])


def test_safety_leaves_them_out(light):
    assert assay.verify(light, safety=True).verdict is assay.Verdict.VERIFIED


def test_fairness_needs_processes(light):
    with pytest.raises(OptionProblem, match="steps belong to processes or threads in programs"):
        assay.verify(light, fair=True)


def test_a_lasso_replays_and_a_changed_one_does_not(light):
    assay.verify(light, trace="t.json")
    saved = json.loads(Path("t.json").read_text())
    assert (saved["version"], saved["loop_start"]) == (2, 1)
    assert replay(light, "t.json").loop_step == 2
    for change in ({"loop_start": 0}, {"loop_start": 99}, {"positions": [0, 0, 0]}, {"positions": [7]}):
        Path("bad.json").write_text(json.dumps({**saved, **change}))
        with pytest.raises(Exception, match=r"verify the program again|does not replay|damaged"):
            replay(light, "bad.json")


def test_a_certificate_says_what_was_verified_of_runs(light):
    result = assay.verify(light, ltl=["green"], certificate="c.assay")
    assert result.verdict is assay.Verdict.VERIFIED
    certified = assay.certify(light, "c.assay", ltl=["green"])
    assert certified.verdict is assay.Verdict.VERIFIED, certified.reasons
    assert [(one.kind, one.name) for one in certified.temporal] == [("ltl", "green")]


def test_a_run_that_ends_stays_at_its_end(tmp_path):
    class Ends:
        def initial_states(self):
            return [0]

        def enabled(self, state):
            return [1] if state < 3 else []

        def step(self, state, action):
            return state + action

        def may_end(self, state):
            return state == 3

    assert assay.verify(Ends(), ltl=["<> [] state == 3"]).verdict is assay.Verdict.VERIFIED
    result = assay.verify(Ends(), ltl=["[] <> state == 2"])
    assert result.verdict is assay.Verdict.VIOLATED
    run = result.violations[0].counterexample
    assert (len(run.positions), run.loop_start, run.loop_step) == (3, 3, 4)


@dataclass(frozen=True)
class Kripke:
    """A random structure with two propositions, and several initial states now and then."""

    edges: tuple[tuple[int, ...], ...]
    truth: tuple[tuple[bool, bool], ...]
    starts: tuple[int, ...]

    def initial_states(self):
        return list(self.starts)

    def enabled(self, state):
        return list(range(len(self.edges[state])))

    def step(self, state, action):
        return self.edges[state][action]

    def may_end(self, _state):
        return True

    def variables(self, state):
        return {"p": self.truth[state][0], "q": self.truth[state][1]}


def random_structure(chance):
    size = chance.randint(1, 7)
    return Kripke(
        tuple(
            tuple(chance.randrange(size) for _ in range(chance.choice([0, 1, 1, 2, 3]))) for _ in range(size)
        ),
        tuple((chance.random() < 0.5, chance.random() < 0.5) for _ in range(size)),
        tuple(range(min(size, chance.choice([1, 1, 2])))),
    )


def random_formula(chance, depth=3):
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(["p", "q", "!p", "!q"])
    if chance.random() < 0.5:
        return f"{chance.choice(['[]', '<>', 'X', '!'])} ({random_formula(chance, depth - 1)})"
    operator = chance.choice(["&&", "||", "->", "U", "V", "W"])
    return f"({random_formula(chance, depth - 1)}) {operator} ({random_formula(chance, depth - 1)})"


def violates(structure, formula):
    """By the definition, with the automaton and nothing of the engine."""
    automaton = violating(parse(formula).formula)

    def steps(state):
        node, location = state
        letter = automaton.valuation({name for name, true in structure.variables(node).items() if true})
        return [
            Step((after, target))
            for after in structure.edges[node] or (node,)
            for target in automaton.successors(location, letter)
        ]

    return any(
        has_accepting_cycle(
            Judged((start, 0), steps, lambda state: automaton.accepting[state[1]], automaton.acceptance_sets)
        )
        for start in structure.starts
    )


@pytest.mark.parametrize("part", range(8))
def test_random_structures_and_formulas_agree_with_the_definition(part):
    chance = random.Random(part)
    seen = set()
    for _ in range(12):
        structure = random_structure(chance)
        formulas = [random_formula(chance) for _ in range(3)]
        result = assay.verify(structure, ltl=[f"({formula})" for formula in formulas])
        for formula in formulas:
            wanted = Standing.VIOLATED if violates(structure, formula) else Standing.HOLDS
            assert standing(result, f"({formula})") is wanted, (structure, formula)
            seen.add(wanted)
    assert seen == {Standing.VIOLATED, Standing.HOLDS}


def test_a_certificate_of_safety_covers_no_claims_about_runs(light):
    assert assay.verify(light, safety=True, certificate="c.assay").verdict is assay.Verdict.VERIFIED
    assert assay.certify(light, "c.assay").verdict is assay.Verdict.REJECTED
    assert assay.certify(light, "c.assay", safety=True).verdict is assay.Verdict.VERIFIED
    assert "safety_only" in checker.check(Path(light), Path("c.assay")).header.semantics


def test_a_claim_that_was_not_covered_is_found_in_the_text_again(light):
    # The same text without properties has the same graph: only the hash and the claims of the class differ.
    text = Path("light.py").read_text()
    Path("light.py").write_text(text[: text.index("    properties")])
    assay.verify(light, certificate="c.assay")
    Path("light.py").write_text(text)
    assert assay.certify(light, "c.assay").verdict is assay.Verdict.REJECTED


def racy():
    pass


@pytest.mark.parametrize("options", [{"progress": True}])
def test_what_a_language_cannot_be_asked_is_refused_and_never_passed_over(options, tmp_path, light):
    program = tmp_path / "p.py"
    program.write_text("x = 0\n")
    with pytest.raises(OptionProblem, match="this program is in python"):
        assay.verify(program, **options)
    with pytest.raises(OptionProblem, match="this program is in python"):
        assay.verify(racy, **options)
    with pytest.raises(OptionProblem, match="this program is in python-class"):
        assay.verify(light, **options)


def test_safety_together_with_a_formula_is_refused(light, tmp_path):
    model = tmp_path / "m.pml"
    model.write_text("byte x; active proctype P() { x = 1 }\n")
    for program in (light, model):
        with pytest.raises(OptionProblem, match="--safety checks no claim"):
            assay.verify(program, safety=True, ltl=["<> (x == 7)"])


COUNTERS = """
byte x, y;
active proctype P() { do :: x = (x + 1) % 40 od }
active proctype Q() { do :: y = (y + 1) % 40 od }
ltl above { [] <> (x == 0 || y == 0 || x != y) }
ltl again { [] <> (x == 0) }
"""


@pytest.mark.parametrize("fair", [False, True])
def test_states_on_disk_give_the_same_answers(tmp_path, fair):
    model = tmp_path / "counters.pml"
    model.write_text(COUNTERS)
    in_memory = assay.verify(model, fair=fair, trace=None)
    on_disk = assay.verify(model, fair=fair, trace=None, spill=tmp_path / "disk")
    assert [(one.text, one.standing) for one in on_disk.properties] == [
        (one.text, one.standing) for one in in_memory.properties
    ]
    assert standing(on_disk, "again") is (Standing.HOLDS if fair else Standing.VIOLATED)
    assert not (tmp_path / "disk").exists()


def test_a_search_for_runs_on_disk_can_be_continued(tmp_path):
    model = tmp_path / "counters.pml"
    model.write_text(COUNTERS)
    stopped = assay.verify(model, ltl=["above"], spill=tmp_path / "disk", max_states=1000, trace=None)
    assert stopped.verdict is assay.Verdict.INCOMPLETE
    assert any("--resume" in note for note in stopped.notes)
    assert (tmp_path / "disk" / "runs-1").exists()
    with pytest.raises(OptionProblem, match="--resume"):
        assay.verify(model, ltl=["above"], spill=tmp_path / "disk", trace=None)
    ended = assay.verify(model, ltl=["above"], spill=tmp_path / "disk", resume=True, trace=None)
    assert standing(ended, "above") is Standing.HOLDS
    assert not (tmp_path / "disk").exists()


def test_a_run_tells_what_its_steps_do_to_the_conditions(tmp_path):
    model = tmp_path / "model.pml"
    model.write_text(
        "byte x, y; active proctype P() { x = 1; do :: y = 1; y = 0 od } ltl f { [] (x == 1 -> <> (y == 2)) }"
    )
    run = assay.verify(model, trace=tmp_path / "trace.json").violations[0].counterexample
    assert [step.conditions for step in run.steps if step.conditions] == [("x == 1 becomes true",)]
    assert run.conditions == ("x == 1 is true", "y == 2 is false")
    again = replay(model, tmp_path / "trace.json")
    assert (again.conditions, again.steps) == (run.conditions, run.steps)


def test_who_stands_still_is_told_where_it_decides_something(tmp_path):
    model = tmp_path / "model.pml"
    model.write_text(
        "byte n; active proctype A() { do :: n < 3 -> n++ :: n == 3 -> n = 0 od }\n"
        "active proctype B() { do :: skip od }\n"
        "ltl safe { [] (n < 3) }\nltl live { <> (n == 9) }\n"
    )
    safe, live = (one.counterexample for one in assay.verify(model).violations)
    assert safe.waiting == ()  # it is violated once n is 3, by fair runs, too
    assert [(one.process, one.how) for one in live.waiting] == [("A[0]", "starves")]
