"""Failing runs of C programs: shown with values, repeated by the compiled program, kept, stepped through."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

import assay
from assay.cli.stepping import step_through
from assay.evidence.counterexample import TraceProblem
from assay.languages.c.execution import FailingRun
from assay.languages.c.program import load
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.verification.sequential_harness import debug_c, write_harness
from assay.verification.sequential_runs import executed_by_gcc, repetition_of

BEFORE = """#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
"""
# What a run needs besides the results of functions.
NEED = {
    "a local that nobody set": "int y; unsigned char c; if (y == 77 && c == 200) reach_error();",
    "another value each round": """int s = 0;
        for (int i = 0; i < 3; i++) { int y; s += y; if (y != 10 * i + 1) return 0; }
        if (s == 33) reach_error();""",
    "several in one declaration": "int a, b = 5, c; if (a == 3 && c == a + b) reach_error();",
    "an array": "int a[4]; if (a[2] == 9 && a[0] == 1) reach_error();",
    "an array whose address is taken": "int a[4], *p = a + 1; if (*p == 9 && p[1] == 4) reach_error();",
    "a struct": "struct { char c; int i; long l; } s; if (s.c == 1 && s.i == 2 && s.l == 3) reach_error();",
    "a struct in memory": """struct { short s; int i; } s, *p = &s;
        if (p->s == 7 && p->i == 70000) reach_error();""",
    "of a function that is called": "if (f(1) == 33) reach_error();",
}


def verified(
    folder: Path, body: str, head: str = "int main(void)", **options: object
) -> tuple[Path, assay.Result]:
    file = folder / "program.c"
    file.write_text(
        f"{BEFORE}int f(int n) {{ int x; if (n > 2) x = n; return x * 3; }}\n"
        f"{head} {{\n{body}\nreturn 0; }}\n"
    )
    trace = folder / "run.trace.json"
    return file, assay.verify(file, timeout_seconds=60, trace=trace, **options)


@pytest.mark.parametrize("body", NEED.values(), ids=NEED)
def test_values_that_nobody_set_are_given_to_the_compiled_program(body, tmp_path):
    _, result = verified(tmp_path, body)
    assert result.verdict is assay.Verdict.VIOLATED, result.reasons
    assert "the compiled program fails with these inputs" in result.notes


@pytest.mark.parametrize(
    ("check", "body"),
    [
        ("overflow", "int x = __VERIFIER_nondet_int(); int y = x + 1; return y;"),
        ("division", "int x = __VERIFIER_nondet_int(); return 10 / x;"),
        (
            "overflow",
            "int x = __VERIFIER_nondet_int(); int y = __VERIFIER_nondet_int(); if (y) return x / y;",
        ),
        ("bounds", "int *p = malloc(8); if (!p) return 0; p[2] = 1;"),
        ("bounds", "int *p = malloc(8); if (!p) return 0; free(p); return *p;"),
        ("allocation", "int *p = malloc(4); if (!p) reach_error();"),
        ("allocation", "int *p = malloc(4); int *q = malloc(4); if (p && !q) reach_error();"),
    ],
)
def test_what_is_checked_fails_in_the_compiled_program_too(check, body, tmp_path):
    _, result = verified(tmp_path, body, checks=[check])
    assert result.verdict is assay.Verdict.VIOLATED, result.reasons
    assert "the compiled program fails with these inputs" in result.notes


def test_the_number_of_arguments_is_an_input(tmp_path):
    body = "if (argc == 4) reach_error();"
    _, result = verified(tmp_path, body, "int main(int argc, char **argv)")
    assert result.verdict is assay.Verdict.VIOLATED
    assert "the compiled program fails with these inputs" in result.notes


def test_a_run_that_needs_arrays_is_kept_and_executed_again(tmp_path):
    file, result = verified(tmp_path, NEED["an array"])
    run = result.violations[0].counterexample
    assert assay.replay(file, tmp_path / "run.trace.json") == run


def test_a_function_that_nobody_calls_may_need_what_nobody_defines(tmp_path):
    program = tmp_path / "program.c"
    program.write_text(
        f"{BEFORE}extern void other(int); extern int missing;\n"
        "void nobody_calls_me(void) { other(missing); }\n"
        "int main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); return 0; }\n"
    )
    result = assay.verify(program, timeout_seconds=60)
    assert "the compiled program fails with these inputs" in result.notes


def test_what_a_function_returns_is_told_as_its_type_says(tmp_path):
    program = tmp_path / "program.c"
    program.write_text(
        f"{BEFORE}enum mode {{ IDLE, BUSY }};\n"
        "static int *made(void) { int *p = malloc(4); return p; }\n"
        "static enum mode now(int n) { return n ? BUSY : IDLE; }\n"
        "static unsigned large(int n) { return n - 1; }\n"
        "int main(void) { int *p = made(); typeof(p) q = p; *q = now(3);\n"
        "  if (p && large(0) > 5 && *p == BUSY) reach_error();\n  return 0; }\n"
    )
    result = assay.verify(program, timeout_seconds=60)
    steps = result.violations[0].counterexample.steps
    assert [step.text for step in steps if " returns " in step.text] == [
        "made() returns block 1 of the heap",
        "now() returns BUSY",
        "large() returns 4294967295",
    ]
    changes = [(change.name, change.after) for step in steps for change in step.changes]
    assert ("q", "block 1 of the heap") in changes


def test_steps_have_lines_values_and_the_states_of_rules(tmp_path):
    program = tmp_path / "driver.c"
    program.write_text(
        "void KeAcquireSpinLock(int *l); void KeReleaseSpinLock(int *l); int next(void);\n"
        "int lock;\nstatic int twice(unsigned char n) {\n  return n + n;\n}\n"
        "int main(void) {\n  unsigned char c = 200;\n  int n = next();\n  do {\n"
        "    KeAcquireSpinLock(&lock);\n    n = twice(c);\n  } while (n == 400);\n  return 0;\n}\n"
    )
    result = assay.verify(program, rules=["ke-spinlock"], timeout_seconds=60)
    run = result.violations[0].counterexample
    told = [(Path(step.file).name, step.line, step.text) for step in run.steps]
    assert ("driver.c", 12, "n == 400: true") in told  # where `while` stands
    assert ("driver.c", 11, "twice() returns 400") in told
    changes = {(change.name, change.before, change.after) for step in run.steps for change in step.changes}
    assert ("c", None, 200) in changes
    assert ("state", "Unlocked", "Locked") in changes
    assert result.violations[0].explanation() == (
        "KeAcquireSpinLock(&lock) in driver.c:10 breaks the rule, when state = Locked"
    )


def test_the_sentence_on_top_has_the_values_that_met_and_where_they_are_from(tmp_path):
    program = tmp_path / "average.c"
    program.write_text(
        "int next(void);\nstatic int average(int sum, int count) {\n  if (sum >= 0)\n"
        "    return sum / count;\n  return 0;\n}\nint main(void) {\n  int count = 0;\n"
        "  if (next() == 7)\n    count = 1;\n  return average(12, count);\n}\n"
    )
    result = assay.verify(program, checks=["division"], timeout_seconds=60)
    assert result.violations[0].explanation() == (
        "sum / count in line 4 with sum = 12 since line 11, count = 0 since line 11, after sum >= 0 was true "
        "in line 3"
    )


def test_an_error_that_is_reached_is_told_with_the_condition_that_led_there(tmp_path):
    _, result = verified(
        tmp_path, "int n = __VERIFIER_nondet_int(); int m = n > 3 ? 4 : n;\nif (m == 4)\nreach_error();"
    )
    assert result.violations[0].explanation() == (
        "reach_error() in line 8, after m == 4 was true in line 7 with m = 4 since line 6"
    )


def test_what_is_given_in_braces_is_told_once(tmp_path):
    body = """struct { int x, y; } a = {1, 2}, b = {0, 0}, *p = &b; int t[3] = {4, 5, 6};
        a.x = t[1]; p->y = 3; if (a.x + b.y == 8) reach_error();"""
    _, result = verified(tmp_path, body)
    told = {step.text: step.changes for step in result.violations[0].counterexample.steps}
    changes = [change for changes in told.values() for change in changes]
    assert [(one.name, one.before, one.after) for one in changes if one.name.startswith("a.")] == [
        ("a.x", None, 1),
        ("a.y", None, 2),
        ("a.x", 1, 5),
    ]
    assert not [change for change in changes if change.name == "b"]


def test_a_run_is_stepped_through_forward_back_and_by_jumps(tmp_path):
    file, _ = verified(tmp_path, NEED["of a function that is called"])
    run = assay.replay(file, tmp_path / "run.trace.json")
    commands = iter(["", "", "b", str(len(run.steps)), "v", "q"])
    console = Console(record=True, width=80, force_terminal=False)
    step_through(run, ask=lambda _: next(commands), console=console)
    shown = console.export_text()
    assert "x is not initialised   x = 11" in shown
    assert "violated" in shown
    assert max(map(len, shown.splitlines())) <= 80 or "Enter or n" in shown


@pytest.mark.parametrize("name", ["a local that nobody set", "another value each round"])
def test_a_harness_makes_the_program_fail_with_plain_gcc(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, _ = verified(tmp_path, NEED[name])
    written = write_harness(file, tmp_path / "run.trace.json", "harness.c")
    assert written.executed.reached
    done = subprocess.run(["bash", "-c", written.command], capture_output=True, text=True, check=False)
    assert done.returncode == 86, done.stderr
    assert "reach_error" in done.stderr
    assert shlex.split(written.command)[0] == "gcc"
    again = write_harness(file, tmp_path / "run.trace.json", "harness.c")  # its own file may be replaced
    assert again == written


def test_a_harness_replaces_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, _ = verified(tmp_path, NEED["a local that nobody set"])
    for target, words in ((file, "the program itself"), (Path("other.c"), "exists and is no harness")):
        Path("other.c").write_text("int x;\n")
        with pytest.raises(OptionProblem, match=words):
            write_harness(file, tmp_path / "run.trace.json", target)
    with pytest.raises(OptionProblem, match="cannot be written"):
        write_harness(file, tmp_path / "run.trace.json", "nowhere/harness.c")


def test_gdb_stops_where_the_program_fails(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    file, _ = verified(tmp_path, "int y;\nif (y == 77)\nreach_error();")
    assert debug_c(file, tmp_path / "run.trace.json") == 0
    said = capfd.readouterr().out
    assert "y = 77" in said
    assert "program.c:8" in said


@pytest.mark.parametrize(
    "positions",
    [[10**9], [1, 10**6, 5], [-1], [0], [1, 0, 0, 10**7], [], [0] + [2**200] * 3],
    ids=["many", "unknown", "negative", "short", "large", "none", "wide"],
)
def test_a_trace_that_somebody_wrote_is_refused_and_not_followed(positions, tmp_path):
    file, _ = verified(tmp_path, NEED["an array"])
    trace = tmp_path / "run.trace.json"
    data = json.loads(trace.read_text())
    data["positions"] = positions
    trace.write_text(json.dumps(data))
    with pytest.raises(TraceProblem):
        assay.replay(file, trace)


def test_what_was_read_is_executed_whatever_the_file_has_become(tmp_path):
    file = tmp_path / "program.c"
    file.write_text("extern void reach_error(void); int main(void) { reach_error(); return 0; }\n")
    program = load(file, LanguageOptions())
    file.write_text("int main(void) { return 0; }\n")
    run = FailingRun("error", "reach_error() is reached", [])
    assert executed_by_gcc(program, run).reached
    assert repetition_of(program, run, by_name=True).texts == []


MISTAKEN = {
    "int f(void) { return 1; }\n": r"program\.c: there is no function 'main'",
    "": r"program\.c: there is no function 'main'",
    "int main(void) { double x = 1.5; return x > 2; }": r"program\.c:1:\d+: a floating-point .*integers",
    "int main(void) { int x = 3; return x * 2.5 > 2; }": r"program\.c:1:\d+: a floating-point .*integers",
}


@pytest.mark.parametrize(
    ("text", "message"), MISTAKEN.items(), ids=["no main", "empty", "double", "constant"]
)
def test_what_cannot_be_verified_is_told_with_its_place_and_a_way_out(text, message, tmp_path):
    file = tmp_path / "program.c"
    file.write_text(text)
    with pytest.raises(SourceProblem, match=message):
        load(file, LanguageOptions())


def test_a_rule_without_a_semicolon_is_told_with_its_place(tmp_path):
    (tmp_path / "program.c").write_text("void lock(void); int main(void) { lock(); return 0; }\n")
    (tmp_path / "late.rule").write_text("\nstate { int held = 0 }\nlock.return { held = 1; }\n")
    with pytest.raises(SourceProblem, match=r"late\.rule:2: .*semicolon"):
        load(tmp_path / "program.c", LanguageOptions(rules=(str(tmp_path / "late.rule"),)))


def test_a_run_with_recursion_tells_what_each_call_was_given_and_returned(tmp_path):
    program = tmp_path / "program.c"
    program.write_text(
        "#include <assert.h>\n"
        "extern int __VERIFIER_nondet_int(void);\n"
        "static int half(int n) { if (n <= 0) return 0; return 1 + half(n - 2); }\n"
        "int main(void) { int n = __VERIFIER_nondet_int();\n"
        "  if (n == 3) { int h = half(n); assert(h != 2); } return 0; }\n"
    )
    counterexample = assay.verify(program, timeout_seconds=60).violations[0].counterexample
    told = [
        (step.text, [(change.name, change.after) for change in step.changes]) for step in counterexample.steps
    ]
    for expected in (
        ("half(n)", [("n", 3)]),
        ("half(n - 2)", [("n", 1)]),
        ("half(n - 2)", [("n", -1)]),
        ("half() returns 0", []),
        ("half() returns 1", []),
        ("half() returns 2", []),
    ):
        assert expected in told


def test_members_without_a_name_are_no_obstacle_to_values_at_the_start(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(
        "extern void reach_error(void);\n"
        "struct s { int n; union { int a; char b; }; struct { int : 3; int c; }; };\n"
        "int main(void) { int x; struct s v; v.n = 3; if (x == 5 && v.n == 3) reach_error(); return 0; }\n"
    )
    result = assay.verify(file, timeout_seconds=60)
    assert result.verdict is assay.Verdict.VIOLATED
    assert "the compiled program fails with these inputs" in result.notes


@pytest.mark.parametrize(("test", "is_repeated"), [("*p == 0x5a5b5c5d", False), ("!*p || *p", True)])
def test_a_run_that_needs_what_malloc_gave_says_so(test, is_repeated, tmp_path):
    """What fresh memory holds is open; whether this machine's is that of the run, only it can say."""
    program = tmp_path / "program.c"
    program.write_text(BEFORE + f"int main(void) {{ int *p = malloc(4); if ({test}) reach_error(); }}")
    result = assay.verify(program, timeout_seconds=60)
    assert str(result.verdict) == "violated"
    said = [note for note in result.notes if "memory that malloc gives holds anything" in note]
    assert len(said) == (0 if is_repeated else 1)


RING = """#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
enum mode { IDLE, BUSY };
struct ring { unsigned char data[2], tail; enum mode mode; struct ring *other; };
static struct ring r;
static void put(struct ring *q, unsigned char v) {
    q->data[q->tail] = v;
    q->tail++;
    q->mode = BUSY;
}
int main(void) {
    unsigned char got = __VERIFIER_nondet_uchar(), *p = &got;
    if (got < 200) return 0;
    put(&r, *p);
    if (r.other == 0 || r.other->tail > 0) got = r.data[0];
    assert(r.mode == IDLE || r.tail == 2);
    return 0;
}
"""


def test_what_is_in_memory_is_told_with_its_type_and_by_what_the_text_calls_it(tmp_path):
    (tmp_path / "ring.c").write_text(RING)
    (violation,) = assay.verify(tmp_path / "ring.c", timeout_seconds=60).violations
    run = violation.counterexample
    changes = [(one.name, one.before, one.after) for step in run.steps for one in step.changes]
    value = next(after for name, _, after in changes if name == "q->data[q->tail]")
    assert value >= 200  # not negative, as a signed one would be
    assert ("q->tail", 0, 1) in changes
    assert ("q->mode", None, "BUSY") in changes
    assert ("q", None, "&r") in changes
    assert ("p", None, "&got") in changes
    read = {one.name: one.value for step in run.steps for one in step.accesses}
    assert read["r.mode"] == "BUSY"
    assert read["r.tail"] == "1"
    assert read["r.other"] == "NULL"
    assert "r.other->tail" not in read  # nobody came to it
    assert violation.explanation() == (
        "assert(r.mode == IDLE || r.tail == 2) in line 16 with r.mode = BUSY, r.tail = 1"
    )
