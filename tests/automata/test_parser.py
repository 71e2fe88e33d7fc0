"""What users write, what is meant, and where SPIN understands something else."""

import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.automata import formula as ltl
from assay.automata.parser import MOST_CHARACTERS, AtomText, parse
from assay.automata.questions import is_always_true
from assay.transition_system.interface import SourceProblem
from tests.automata.formulas import random_formula


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("always p", "[] p"),
        ("G p", "[] p"),
        ("eventually p", "<> p"),
        ("F p", "<> p"),
        ("next p", "X p"),
        ("X(p)", "X p"),
        ("p until q", "p U q"),
        ("p stronguntil q", "p U q"),
        ("p release q", "p V q"),
        ("p R q", "p V q"),
        ("p weakuntil q", "p W q"),
        ("not p", "!p"),
        ("p /\\ q", "p && q"),
        ("p and q", "p && q"),
        ("p \\/ q", "p || q"),
        ("p or q", "p || q"),
        ("p implies q", "p -> q"),
        ("p equivalent q", "p <-> q"),
        ("[]\n  (p /* waits */ ->\n <> q)", "[] (p -> <> q)"),
        ("((p))", "p"),
        ("[] 1", "[] true"),
        ("{ a+b>n } U p", "a + b > n U p"),
    ],
)
def test_operators_have_several_spellings(text, same):
    assert str(parse(text).formula) == str(parse(same).formula)


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("[] x < 2", ["x < 2"]),
        ("! x == 0", ["x == 0"]),
        ("[] (x<2 && y  >= 3)", ["x < 2", "y >= 3"]),
        ("len(q) == 0 U nempty( q )", ["len(q) == 0", "nempty(q)"]),
        ("P[1]@wait -> <> cs[_pid]", ["P[1]@wait", "cs[_pid]"]),
        ("P[1]:x > 2 && P:y == 1", ["P[1]:x > 2", "P:y == 1"]),
        ("(a + b) > c", ["(a+b) > c"]),
        ("(a + b)*2 > c && (d)", ["(a+b) * 2 > c", "d"]),
        ("q?[ack] || q??[msg, 1]", ["q?[ack]", "q??[msg, 1]"]),
        ("[] (c_expr { now.x > 2 })", ["c_expr{now.x > 2}"]),
        ("served == 2", ["served == 2"]),
        ('"x" in done && "a && b" not in done', ['"x" in done', '"a && b" not in done']),
        ("queue.empty() and left is not None", ["queue.empty()", "left is not None"]),
        ("[] queue == []", ["queue == []"]),
        ("x < 2 || x<2", ["x < 2"]),
        ("f(a,b) -> f( a , b )", ["f(a, b)"]),
        ("x == -1 U y == !z", ["x == -1", "y == !z"]),
        ("(a && b) == c", ["(a && b) == c"]),
        ("a & 1 == 1 && b", ["a & 1 == 1", "b"]),
        # Words that name operators, where none can stand.
        ("[] U", ["U"]),
        ("G == 2", ["G == 2"]),
        ("F && X", ["F", "X"]),
        ("X[1] > 0", ["X[1] > 0"]),
        ("G U p", ["G", "p"]),
        ("X X", ["X"]),
        ("x == U U y", ["x == U", "y"]),
        ("F.done", ["F.done"]),
    ],
)
def test_atoms_are_comparisons_of_the_host_language(text, atoms):
    assert [place.text for place in parse(text).atoms] == atoms


def test_atoms_have_places():
    reading = parse("[] (p ->\n   <> x == 2)", line=7)
    assert [(place.text, place.line, place.column) for place in reading.atoms] == [
        ("p", 7, 5),
        ("x == 2", 8, 7),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "formula:1:1: expected a formula, got the end; write a condition such as `x == 1` there"),
        ("[] (p", "formula:1:4: `(` is not closed; put a `)` where its contents end"),
        ("p)", "formula:1:2: `)` closes nothing; take it away, or open it before"),
        ("p q", "formula:1:3: expected an operator such as `&&`, `->` or `U`, got `q`"),
        (
            "p =\n q",
            "formula:1:3: expected an operator such as `&&`, `->` or `U`, got `=`; to compare, write `==`",
        ),
        ("p &&\n  && q", "formula:2:3: expected a formula, got `&&`"),
        ("[] x <", "formula:1:7: expected a value after `<`, got the end; write the whole comparison"),
        ("(p U q) == r", "formula:1:4: the temporal operator `U` stands within an expression"),
        ("x[1", "formula:1:2: `[` is not closed"),
        ("a[)", "formula:1:2: `[` is not closed"),
        ('"abc', 'formula:1:1: the text after `"` does not end'),
        ("p $ q", "formula:1:3: the character '$' means nothing here"),
        ("!" * 10_000 + "p", "formula:1:101: the formula is nested more than 100 deep here"),
        ("[] " * 6_000 + "p", "formula:1:301: the formula is nested more than 100 deep here"),
        ("(" * 9_000 + "p" + ")" * 9_000, "formula:1:101: the formula is nested more than 100 deep here"),
        ("p U " * 4_000 + "p", "the formula is nested more than 100 deep here"),
        ("p -> " * 3_000 + "p", "the formula is nested more than 100 deep here"),
        ("p" * 30_000, f"formula:1:20001: a formula has at most {MOST_CHARACTERS:,} characters"),
    ],
    ids=range(18),
)
def test_what_cannot_be_read_gets_a_place_and_a_next_step(text, problem):
    with pytest.raises(SourceProblem) as caught:
        parse(text)
    assert problem in str(caught.value)
    assert caught.value.hint
    assert str(caught.value).startswith("formula:")


def test_a_long_conjunction_is_not_deep():
    assert ltl.depth(parse(" && ".join(["p", "q"] * 900)).formula) == 2


@pytest.mark.parametrize(
    ("text", "readers"),
    [
        ("[] x < 2", ["SPIN"]),
        ("!x == 0", ["SPIN"]),
        ("[] (p -> <> x + 1 == 2)", ["SPIN"]),
        ("[] (x) < 2", ["SPIN"]),
        ("[] (x < 2)", []),
        ("not x == 0", []),  # SPIN has no such word
        ("[] len(q)", []),
        ("x == 0 U y == 1", []),
        ("a || b && c", ["spin -f"]),
        ("a && b || c", []),
        ("a -> b || c", ["spin -f"]),
        ("a -> b -> c", ["other tools"]),
        ("a U b U c", ["other tools"]),
        ("a U b && c U d", []),
        ("a <-> b <-> c", []),
    ],
)
def test_what_others_read_differently_is_told(text, readers):
    assert [each.reader for each in parse(text).misreadings] == readers


def test_a_misreading_says_what_both_mean():
    (misreading,) = parse("p &&\n  [] x < 2").misreadings
    assert (misreading.line, misreading.column) == (2, 3)
    assert misreading.sentence == (
        "SPIN reads `[]x < 2` as `([]x) < 2`; here it means `[](x < 2)`; write these parentheses"
    )


class DigitsReader:
    """A language whose only expressions are numbers."""

    def read(self, text, start):
        end = start
        while end < len(text) and text[end].isdigit():
            end += 1
        return AtomText(end, f"n{text[start:end]}") if end > start else None


def test_a_language_brings_its_own_reader():
    assert str(parse("[] 12 U (3)", reader=DigitsReader()).formula) == "[]n12 U n3"
    with pytest.raises(SourceProblem, match="formula:1:4: expected a formula, got `p`"):
        parse("[] p", reader=DigitsReader())


pieces = st.sampled_from(
    "[] <> ! X G F U V W R && || -> <-> ( ) [ ] { } true p x < 2 == = , . : ? @ \" ' \\/ /* */ not in is "
    "- + ~ ; len(q) P[1]@w \n é $ next until and".split(" ")
)


@settings(max_examples=600, deadline=None)
@given(
    st.one_of(
        st.text(max_size=40), st.lists(pieces, max_size=25).map(" ".join), st.lists(pieces).map("".join)
    )
)
def test_any_text_is_read_or_refused_with_a_place(text):
    problem = None
    try:
        reading = parse(text)
    except SourceProblem as raised:
        problem = raised
    if problem is None:
        assert parse(str(reading.formula)).formula == reading.formula
    else:
        assert str(problem).startswith("formula:")
        assert problem.hint


def readings_of_spin(texts: list[str], folder: Path) -> list[str]:
    """How SPIN groups the formulas of `ltl` blocks: it prints them with all parentheses."""
    model = folder / "model.pml"
    blocks = "".join(f"ltl f{number} {{ {text} }}\n" for number, text in enumerate(texts))
    model.write_text(f"bool a, b, c; int x;\n{blocks}active proctype P() {{ skip }}\n")
    run = subprocess.run(["spin", "-a", model.name], cwd=folder, capture_output=True, text=True, check=False)
    found = dict(line[4:].split(": ", 1) for line in run.stdout.splitlines() if line.startswith("ltl f"))
    return [found[f"f{number}"] for number in range(len(texts))]


@pytest.mark.needs_spin
def test_precedence_is_that_of_spins_ltl_blocks(tmp_path):
    signs = ["&&", "||", "->", "<->", "U", "V", "W"]
    texts = [f"a {first} !b {second} c" for first in signs for second in signs]
    texts += [f"[] a {sign} <> ! b" for sign in ("until", "release", "weakuntil", "implies", "equivalent")]
    texts += ["x == 1 U x < 2", "a && x == 1", "x < 2 -> a", "a V x | 1", "(x + 1) > 2 W b"]
    for text, spins in zip(texts, readings_of_spin(texts, tmp_path), strict=True):
        ours, theirs = parse(text).formula, parse(spins).formula
        assert is_always_true(ltl.Iff(ours, theirs)), f"{text}: {ours} is not {theirs}"


@pytest.mark.needs_spin
def test_spin_misreads_comparisons_after_unary_operators(tmp_path):
    """It compares the number of its token for `[]`."""
    always, negated, right = readings_of_spin(["[] x < 2", "! x == 0", "[] (x < 2)"], tmp_path)
    assert "[]" not in always
    assert negated == "(!(x)==0)"
    assert right == "[] ((x<2))"


@pytest.mark.needs_spin
@pytest.mark.parametrize("text", ["a || b && c", "a && b || c", "a -> b || c", "a -> b -> c", "a && b -> c"])
def test_spin_groups_formulas_of_the_command_line_from_the_left(text):
    run = subprocess.run(["spin", "-f", text], capture_output=True, text=True, check=True)
    guard = parse(run.stdout.split(":: atomic { ")[1].split(" -> assert")[0]).formula
    a, first, b, second, c = text.split(" ")
    left = parse(f"({a} {first} {b}) {second} {c}").formula
    assert is_always_true(ltl.Iff(guard, left))
    flagged = any(each.reader == "spin -f" for each in parse(text).misreadings)
    assert flagged is (parse(text).formula != left)


def test_random_formulas_survive_printing_without_a_misreading_by_spin():
    random = Random(2)
    for _ in range(200):
        formula = random_formula(random, 12, ("x < 2", "y", "f(a, b) == 1"))
        reading = parse(str(formula))
        assert reading.formula == formula
        assert not [each for each in reading.misreadings if each.reader == "SPIN"]
