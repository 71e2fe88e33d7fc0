"""What a model claims of runs that never end is an automaton over labels, or unchecked with a reason."""

from __future__ import annotations

import pytest

from assay.languages.promela import program
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct
from assay.transition_system.language_options import REDUCTIONS, LanguageOptions
from tests.agreement.claims import Subject

COUNTER = """
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
"""


@pytest.fixture
def loaded(tmp_path):
    def load(text, **options):
        path = tmp_path / "model.pml"
        path.write_text(text)
        return Subject(path, LanguageOptions(**options))

    return load


def verdicts(subject, *, fair=False):
    found = {name: subject.is_violated(each, fair=fair) for name, each in subject.properties.items()}
    for name, each in subject.properties.items():
        assert subject.by_definition(each, fair=fair) == found[name]
    return found


def test_all_formulas_of_a_model_are_checked_each_on_its_own(loaded):
    subject = loaded(COUNTER + "ltl a { [] (x < 4) }\nltl b { [] (x < 2) }\nltl { <> (x == 2) }")
    assert verdicts(subject) == {"a": False, "b": True, "ltl": False}
    assert [each.text for each in subject.program.temporal] == ["[] (x < 4)", "[] (x < 2)", "<> (x == 2)"]
    assert list(subject.program.unchecked) == []
    assert list(subject.program.caveats) == []


def test_a_name_picks_a_formula_and_the_others_were_not_asked_for(loaded):
    subject = loaded(COUNTER + "ltl a { [] (x < 4) }\nltl b { [] (x < 2) }", ltl=("b",))
    assert verdicts(subject) == {"b": True}
    assert [(each.text, each.asked) for each in subject.program.unchecked] == [("the ltl claim 'a'", False)]


def test_formulas_are_given_with_the_options(loaded):
    text = (
        "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> again: x = 0 od }\nltl a { [] (x < 2) }"
    )
    subject = loaded(text, ltl=("[] <> (x == 3 && P@again)", "a", "[]<>x==5"))
    assert [each.name for each in subject.program.temporal] == ["", "a", ""]
    assert [subject.is_violated(each) for each in subject.program.temporal] == [False, True, True]


def test_a_formula_may_name_a_label_that_stands_at_a_goto(loaded):
    text = "byte x; active proctype P() { x = 1; jump: goto over; over: do :: x = 2 od }"
    subject = loaded(text, ltl=("<> P@jump",))
    assert verdicts(subject) == {"ltl": False}


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("colour", "did you mean 'colours'"),
        ("[] (colors == 1)", "formula:1:5: undeclared variable 'colors'; did you mean 'colours'"),
        ("[] (colours == 1", "formula:1:4: "),
        ("[] (colours = 1)", "formula:1:13: "),
        ("[] Q@here", "Q"),
        ("[] (run P())", "formula:1:9: "),
        ("[] (_pid == 1)", "_pid"),
    ],
)
def test_a_wrong_formula_has_a_place_and_a_hint(loaded, formula, message):
    text = "byte colours; active proctype P() { colours = 1 }\nltl safe { [] (colours < 2) }"
    with pytest.raises(SourceProblem) as problem:
        loaded(text, ltl=(formula,))
    assert message in str(problem.value)


def test_an_unknown_name_is_told_with_the_nearest_claim(loaded):
    with pytest.raises(SourceProblem, match="did you mean 'liveness'"):
        loaded(COUNTER + "ltl liveness { <> (x == 3) }", ltl=("livenes",))


def test_spins_misreading_is_told_and_the_meaning_is_checked(loaded):
    subject = loaded(COUNTER + "ltl plain { [] x < 4 }\nltl negated { ! x == 1 }")
    assert verdicts(subject) == {"plain": False, "negated": False}
    plain = subject.properties["plain"]
    assert any("model.pml:4:13: SPIN reads" in warning for warning in plain.warnings), plain.warnings
    assert subject.properties["negated"].warnings


def test_formulas_that_say_nothing_are_told(loaded):
    subject = loaded(COUNTER, ltl=("(x == 1) -> (x == 1)", "[] (x == 1) && <> !(x == 1)"))
    one, other = subject.program.temporal
    assert "holds for every program" in one.warnings[0]
    assert "holds for no program" in other.warnings[0]
    assert not subject.is_violated(one)
    assert subject.is_violated(other)


def test_next_is_the_next_state_and_stuttering_is_noticed(loaded):
    formulas = ("X (x == 1)", "[] ((x == 2) -> X (x == 3))", "X X (x == 1)", "[] ((x == 3) -> X X (x == 0))")
    subject = loaded(COUNTER, ltl=formulas)
    found = [subject.is_violated(each) for each in subject.program.temporal]
    assert found == [subject.by_definition(each) for each in subject.program.temporal]
    # A test and what follows it are two steps.
    assert found == [True, True, False, False]
    assert not any(each.stutter_invariant for each in subject.program.temporal)


# --- conditions that cannot be evaluated ---

ARRAY = """
byte i, a[2];
active proctype P() { do :: i < 2 -> i++ :: i == 2 -> i = 0 od }
"""


@pytest.mark.parametrize("formula", ["[] (a[i] == 0)", "<> (a[i] == 7 && i == 0) || [] (10 / (i - 2) < 100)"])
def test_a_condition_that_cannot_be_evaluated_is_a_violation(loaded, formula):
    subject = loaded(ARRAY, ltl=(formula,))
    assert verdicts(subject) == {"ltl": True}


@pytest.mark.parametrize(
    "formula",
    [
        "[] ((i < 2) -> a[i] == 0)",
        "[] (i >= 2 || a[i] == 0)",
        "[] !(i < 2 && a[i] == 1)",
        "[] ((i < 2 && a[i] == 0) <-> (i < 2))",
    ],
)
def test_a_condition_is_not_evaluated_where_another_has_decided(loaded, formula):
    subject = loaded(ARRAY, ltl=(formula,))
    assert verdicts(subject) == {"ltl": False}


def test_a_never_claim_looks_only_where_it_stands(loaded):
    text = ARRAY + "never { do :: i < 2 && a[i] == 1 -> break :: else od }"
    assert verdicts(loaded(text)) == {"never": False}
    text = ARRAY + "never { do :: a[i] == 1 -> break :: else od }"
    assert verdicts(loaded(text)) == {"never": True}
    text = ARRAY + "never { i == 0; if :: a[i] == 0 -> i == 7; a[i] == 0 fi }"
    assert verdicts(loaded(text)) == {"never": False}


# --- what is not checked ---


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("do :: x = 1 od", "model.pml:4:"),
        ("do :: skip od unless { x == 1 }", "model.pml:4:"),
        ("byte y; do :: x == y od", "model.pml:4:"),
        ("do :: timeout -> break :: skip od", "model.pml:4:"),
        ("do :: d_step { if :: x == 1 :: x == 2 fi } od", "model.pml:4:"),
    ],
)
def test_a_never_claim_of_other_statements_stays_unchecked_with_its_reason(loaded, body, place):
    subject = loaded(COUNTER + f"never {{ {body} }}\nltl a {{ [] (x < 4) }}")
    assert verdicts(subject) == {"a": False}
    (unchecked,) = subject.program.unchecked
    assert unchecked.text == "the never claim"
    assert unchecked.asked
    (reason,) = subject.program.caveats
    assert place in reason


def test_a_claim_that_was_asked_for_by_name_is_refused_if_it_cannot_be_built(loaded):
    with pytest.raises(UnsupportedConstruct, match="x = 1"):
        loaded(COUNTER + "never n { do :: x = 1 od }", ltl=("n",))


def test_more_conditions_than_there_are_labels_stay_unchecked(loaded):
    formulas = "\n".join(
        f"ltl f{number} {{ [] (x != {2 * number + 10} && x != {2 * number + 11}) }}" for number in range(40)
    )
    subject = loaded(COUNTER + formulas)
    assert len(subject.program.temporal) == 32
    assert [each.asked for each in subject.program.unchecked] == [True] * 8
    assert "more than 64 conditions" in subject.program.caveats[0]
    assert verdicts(loaded(COUNTER + formulas, ltl=("f39",))) == {"f39": False}


def test_with_safety_nothing_is_built(loaded):
    text = "byte x; active proctype P() { accept: x = 1 }\nltl a { <> (x == 1) }"
    subject = loaded(text, safety_only=True)
    assert list(subject.program.temporal) == []
    assert list(subject.program.caveats) == []
    assert [(each.kind, each.asked) for each in subject.program.unchecked] == [
        ("claim", False),
        ("acceptance", False),
    ]
    assert subject.model.label_count == 0
    assert subject.program.semantics["safety_only"] is True


# --- labels of processes ---


def test_accept_labels_are_a_property_of_their_own(loaded):
    text = "byte x; active proctype P() { do :: x = 1; accept: x = 0 od }\nltl a { [] (x < 2) }"
    assert verdicts(loaded(text)) == {"a": False, "acceptance": True}
    picked = loaded(text, ltl=("a",))
    assert verdicts(picked) == {"a": False}
    assert [each.kind for each in picked.program.unchecked] == ["acceptance"]


def test_progress_is_looked_for_if_somebody_asks(loaded):
    text = "byte x; active proctype P() { do :: x = 1; progress: x = 0 :: x = 2 od }"
    assert [each.kind for each in loaded(text).program.unchecked] == ["progress"]
    subject = loaded(text, progress=True)
    assert verdicts(subject) == {"progress": True}
    assert list(subject.program.unchecked) == []


def test_a_run_that_ends_is_no_cycle_without_progress(loaded):
    assert verdicts(loaded("byte x; active proctype P() { x = 1; x == 2 }", progress=True)) == {
        "progress": False
    }


# --- reductions, processes ---


@pytest.mark.parametrize(
    ("text", "asked", "on"),
    [
        (COUNTER, {}, sorted(REDUCTIONS)),
        (COUNTER + "ltl a { [] (x < 4) }", {}, sorted(REDUCTIONS)),
        (COUNTER + "ltl a { [] (x < 4) }", {"fair": True}, sorted(REDUCTIONS)),
        (
            COUNTER + "active proctype Q() { timeout } ltl a { [] (x < 4) }",
            {"fair": True},
            ["dead-variables"],
        ),
        (COUNTER + "ltl a { [] (x < 4) } ltl b { X (x == 1) }", {}, ["dead-variables"]),
        (COUNTER + "never { do :: x < 4 od }", {}, ["dead-variables"]),
        (COUNTER, {"progress": True}, sorted(REDUCTIONS)),
        (COUNTER, {"progress": True, "fair": True}, sorted(REDUCTIONS)),
    ],
)
def test_reductions_that_skip_steps_are_on_where_nobody_can_notice(loaded, text, asked, on):
    subject = loaded(text, reductions=frozenset(REDUCTIONS), **asked)
    assert subject.program.semantics["reductions"] == on


@pytest.mark.parametrize("label", ["progress", "accept"])
def test_no_step_is_merged_over_a_label_that_counts(loaded, label):
    text = f"active proctype P() {{ byte a; do :: a = 1; {label}: a = 2; a = 0 od }}"
    subject = loaded(text, progress=label == "progress", reductions=frozenset(REDUCTIONS))
    assert verdicts(subject) == ({"progress": False} if label == "progress" else {"acceptance": True})


@pytest.mark.parametrize(
    "text",
    [
        # Between its steps the loop offers nothing: whoever waits for it is not enabled all the time.
        "chan c = [0] of { byte }; byte x; active proctype S() { c!1; x = 1 }"
        "active proctype R() { byte a; do :: a = 1; a = 2; if :: c?_ :: skip fi od }",
        # Each message is taken before the next is sent: the second receiver finds the channel empty.
        "chan q = [2] of { byte }; byte x; active proctype P() { do :: q!1 od }"
        "active proctype J() { do :: q?_ od } active proctype I() { q?_; x = 1 }",
        # While the loop is in the middle, nobody's timeout is executable.
        "byte x; active proctype J() { byte a; do :: timeout -> a = 1; a = 2 od }"
        "active proctype I() { timeout -> x = 1 }",
    ],
    ids=["rendezvous", "messages", "timeout"],
)
def test_reductions_lose_no_fair_run_in_which_somebody_is_disabled_now_and_then(loaded, text):
    subject = loaded(text, ltl=("<> (x == 1)",), fair=True, reductions=frozenset(REDUCTIONS))
    (asked,) = subject.program.temporal
    assert subject.is_violated(asked, fair=True)


def test_a_variable_that_only_a_claim_reads_is_kept(loaded):
    text = (
        "byte shown; active proctype P() { byte mine; do :: mine = 1; shown = 1; shown = 0 :: mine = 2 od }"
    )
    subject = loaded(text, ltl=("[] (shown == 0)", "[] (P:mine < 2)"), reductions=frozenset(REDUCTIONS))
    assert [subject.is_violated(each) for each in subject.program.temporal] == [True, True]


def test_invariants_do_not_count_the_claim(loaded):
    text = COUNTER + "ltl a { [] (_nr_pr == 2) }"
    subject = loaded(text, invariants=("_nr_pr == 1",))
    assert verdicts(subject) == {"a": False}
    assert subject.model.check_state(subject.model.initial_state()[0]) == 0
    assert list(subject.program.notes) == []
    assert "_nr_pr" in loaded("active proctype P() { _nr_pr == 2 }\nltl a { [] true }").program.notes[0]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("active [3] proctype P() { skip }", 3),
        ("proctype Q() { skip } init { run Q(); run Q() }", 3),
        ("proctype R() { skip } proctype Q() { run R() } init { run Q(); run Q() }", 5),
        ("proctype Q() { skip } init { do :: run Q() od }", 255),
        ("proctype Q() { run Q() } init { run Q() }", 255),
    ],
)
def test_as_many_processes_as_can_be_started(loaded, text, limit):
    assert loaded(text).program.process_limit == limit


def test_a_model_without_claims_has_no_labels(tmp_path):
    path = tmp_path / "model.pml"
    path.write_text(COUNTER)
    loaded = program.load(path, LanguageOptions())
    assert loaded.model.watched == type(loaded.model.watched)()
