"""What `--show` shows: the worked example of the slides, slices, programs with rules, steps of engines."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import assay
from assay.languages.c.program import load
from assay.search.sequential import predicates, rounds
from assay.search.sequential.boolean_reachability import by_diagrams, explicitly
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.sequential.slicing import sliced

DRIVER = Path(__file__).parents[2] / "examples" / "c" / "driver.c"


def shown(what: str, program: Path = DRIVER, **options: object) -> list[dict[str, object]]:
    result = assay.verify(program, show=[what], timeout_seconds=60, **options)
    return [one.as_json() for one in result.shown if one.what == what]


def test_the_boolean_programs_of_the_slides_line_by_line():
    first, second = shown("boolean-program", rules=["ke-spinlock"])
    assert first["predicates"] == ["state == 1", "state == 0"]
    main = [line.split(None, 1)[-1] for line in first["text"] if "  " in line]
    assert [one for one in main if one != "skip;"][:9] == [
        "b1;  // state == 1",
        "b2;  // state == 0",
        "{  // driver.c",
        "do {",
        "KeAcquireSpinLock();",
        "if (*) {",
        "KeReleaseSpinLock();",
        "if (*) {",
        "else {",
    ]
    assert first["states"] == 7
    assert first["feasible"] is False
    # The error A-A in five statements; the slides leave line 36 out, and what comes before the loop.
    assert [one["line"] for one in first["trace"]][2:] == [34, 35, 36, 37, 52, 34]
    assert first["new"] == ["nPackets == nPacketsOld"]
    assert second["predicates"] == ["state == 1", "state == 0", "nPackets == nPacketsOld"]
    texts = [line.strip() for line in second["text"]]
    for line in (
        "35    b3 := T;",
        "50      b3 := choose(F, b3);  // b3 ? F : *",
        "52  } while (!b3);",
        "37    if (*) {",
        "5  if (b1) {",
        "6    b1 := T; b2 := F;",
    ):
        assert line in texts
    assert second["states"] == 10
    assert second["trace"] is None


def test_both_model_checkers_agree_on_every_round_and_rounds_survive_being_written_down():
    flow = sliced(load(DRIVER, LanguageOptions(rules=("ke-spinlock",))).flow)
    seen = []
    later = time.monotonic() + 60
    predicates.search(flow, deadline=later, say=lambda _: None, show=seen.append)
    assert len(seen) == 2
    for one in seen:
        plain, diagrams = explicitly(one.program, later), by_diagrams(one.program, later)
        assert plain.states == diagrams.states
        assert (plain.trace is None) == (diagrams.trace is None) == (one.trace is None)
        again = rounds.from_json(rounds.as_json(one), flow)
        assert again == one
        assert explicitly(again.program, later).states == plain.states


def test_slicing_is_shown_and_can_be_switched_off():
    (told,) = shown("slice", rules=["ke-spinlock"])
    assert [one["line"] for one in told["lines"]] == [42, 43, 45, 46]
    assert told["used"] is True
    result = assay.verify(DRIVER, rules=["ke-spinlock"], show=["slice"], no_slicing=True, timeout_seconds=60)
    assert result.verdict is assay.Verdict.VERIFIED
    assert result.proof["sliced"] is False
    assert result.shown[0].facts["used"] is False


def test_nothing_that_a_failure_depends_on_is_called_left_out(tmp_path):
    program = tmp_path / "program.c"
    program.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
        "int main(void) {\nint a = __VERIFIER_nondet_int();\nint b = a + 1;\nint c = b * 2;\n"
        "int unused = 3;\nunused = unused + a;\nif (c == 8) reach_error();\nreturn 0; }\n"
    )
    (told,) = shown("slice", program)
    assert [one["line"] for one in told["lines"]] == [6, 7]
    assert told["variables"] == ["unused"]


def test_the_program_with_its_rule_is_what_gcc_accepts(tmp_path):
    import subprocess

    (told,) = shown("instrumented", rules=["ke-spinlock"])
    text = "\n".join(told["text"])
    assert "KeAcquireSpinLock__real" in text
    subprocess.run(["gcc", "-fsyntax-only", "-x", "c", "-"], input=text, text=True, check=True)


def test_steps_are_shown_of_whatever_engine_worked():
    (told,) = shown("steps", rules=["ke-spinlock"], search="k-induction")
    assert any(line.startswith("k-induction: ") for line in told["text"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"show": ["nonsense"]}, "expected some of steps, boolean-program, instrumented, slice"),
        ({"show": ["boolean-program"], "search": "horn"}, "made by --search predicates"),
    ],
)
def test_what_cannot_be_shown_is_refused(options, words):
    with pytest.raises(OptionProblem, match=words):
        assay.verify(DRIVER, rules=["ke-spinlock"], **options)


LOOPS = {
    "for": "for (int i = 0; i < 2; i++) if (__VERIFIER_nondet_int()) n = 1;\nif (n > 1) reach_error();",
    "switch": "switch (__VERIFIER_nondet_int()) { case 1: n = 1; break; default: n = 2; }\n"
    "if (n == 0) reach_error();",
    "goto": "again: n = n + 1;\nif (n < 3) goto again;\nif (n != 3) reach_error();",
    "called": "n = twice(1);\nif (n != 2) reach_error();",
    "conditional": "n = __VERIFIER_nondet_int() && 1 ? 1 : 2;\nif (n == 3) reach_error();",
    "while": "while (n < 2 && __VERIFIER_nondet_int()) n++;\nif (n > 2) reach_error();",
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_every_kind_of_statement_has_an_outline(body, tmp_path):
    program = tmp_path / "program.c"
    program.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
        "static int twice(int x) { return 2 * x; }\n"
        f"int main(void) {{\nint n = 0;\n{body}\nreturn twice(0); }}\n"
    )
    programs = shown("boolean-program", program)
    assert programs
    for one in programs:
        text = "\n".join(one["text"])
        assert text.count("{") == text.count("}")
        assert "error;" in text
