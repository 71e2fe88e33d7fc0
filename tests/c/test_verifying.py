"""C programs from the text to the verdict: proofs that were checked, runs that the compiled program made."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay.checker.c.problems import CannotCheck
from assay.checker.c.rules import read_rule
from assay.checker.c.rules import woven as weave_in_the_checker
from assay.checker.c.syntax import parse as parse_in_the_checker
from assay.cli.verify import verify as verify_command
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import OptionProblem

DECLARATIONS = """
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
void spin_lock(int lock); void spin_unlock(int lock);
"""
HOLD = {
    "a loop of known length": "int s = 0; for (int i = 0; i < 5; i++) s += i; if (s != 10) reach_error();",
    "a loop of any length": """
        unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0;
        while (x < n) { x++; y += 2; if (y != 2 * x) reach_error(); }""",
    "an assumption": """
        int x = __VERIFIER_nondet_int();
        if (x < 3 || x > 5) return 0;
        if (x * x > 25) reach_error();""",
    "conversions": """
        unsigned char c = __VERIFIER_nondet_int(); short s = -1; unsigned u = 1;
        if (c > 255 || !(s > u)) reach_error();""",
    "wrapping": "int x = __VERIFIER_nondet_int(); if (x + 1 <= x && x != 2147483647) reach_error();",
    "a format without an address": """
        int printf(const char *, ...); const char *format = "%d %u"; int x = 3;
        printf(format, x, 4u); if (x != 3) reach_error();""",
    "what is not reached": "unsigned n = __VERIFIER_nondet_uint(); while (1) { n++; } reach_error();",
}
FAIL = {
    "an input": "if (__VERIFIER_nondet_int() == 12345) reach_error();",
    "after rounds": """
        int s = 0; for (int i = 0; i < 4; i++) s += __VERIFIER_nondet_int();
        if (s == 99) reach_error();""",
    "overflow wraps": "int x = __VERIFIER_nondet_int(); if (x + 1 < x) reach_error();",
    "in an array": """
        int a[4] = {0}; unsigned i = __VERIFIER_nondet_uint() % 4; a[i] = 7;
        if (a[0] + a[1] + a[2] + a[3] == 7 && i == 2) reach_error();""",
    "short circuits": "int x = 0; if (__VERIFIER_nondet_int() && (x = 5)) { if (x == 5) reach_error(); }",
}


def verify(tmp_path: Path, body: str, before: str = "", **options: object) -> assay.Result:
    file = tmp_path / "program.c"
    file.write_text(f"{DECLARATIONS}{before}\nint main(void) {{\n{body}\nreturn 0; }}\n")
    return assay.verify(file, timeout_seconds=60, **options)


@pytest.mark.parametrize("body", HOLD.values(), ids=HOLD)
def test_what_holds_is_proved_and_the_proof_is_checked(body, tmp_path):
    result = verify(tmp_path, body)
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons
    assert result.proof is not None
    assert result.proof["checked_by"] == "bitwuzla"


@pytest.mark.parametrize("body", FAIL.values(), ids=FAIL)
def test_what_fails_is_done_by_the_compiled_program(body, tmp_path):
    result = verify(tmp_path, body)
    assert result.verdict is assay.Verdict.VIOLATED, result.reasons
    assert "the compiled program fails with these inputs" in result.notes


@pytest.mark.parametrize(
    ("check", "body", "verdict"),
    [
        ("overflow", "int x = __VERIFIER_nondet_int(); x++;", "violated"),
        ("overflow", "unsigned x = __VERIFIER_nondet_uint(); x++;", "verified"),
        ("overflow", "int x = __VERIFIER_nondet_int(); if (x > -5) x = -x;", "verified"),
        ("overflow", "int x = __VERIFIER_nondet_int(); x = 1 << x;", "violated"),
        ("division", "int x = __VERIFIER_nondet_int(); x = 10 / x;", "violated"),
        ("division", "int x = __VERIFIER_nondet_int(); if (x) x = 10 % x;", "verified"),
        ("bounds", "int a[3] = {0}; int i = __VERIFIER_nondet_int(); if (i < 4) a[i & 3] = 1;", "violated"),
        (
            "bounds",
            "int a[3] = {0}, i = __VERIFIER_nondet_int(); if (i >= 0 && i < 3) a[i] = 1;",
            "verified",
        ),
    ],
)
def test_what_is_asked_for_is_checked(check, body, verdict, tmp_path):
    result = verify(tmp_path, body, checks=[check])
    assert str(result.verdict) == verdict, result.reasons


DRIVER = """
unsigned packets = 0, old; int request;
do {
  spin_lock(1);
  old = packets;
  request = __VERIFIER_nondet_int();
  if (request) { RELEASE packets++; }
} while (packets != old);
spin_unlock(1);
"""


def test_a_rule_is_kept_or_its_breaking_is_shown(tmp_path):
    assert verify(tmp_path, DRIVER.replace("RELEASE", "spin_unlock(1);"), rules=["spinlock"]).verdict is (
        assay.Verdict.VERIFIED
    )
    result = verify(tmp_path, DRIVER.replace("RELEASE", ""), rules=["spinlock"])
    assert result.violations[0].message == "spin_lock() breaks the rule spinlock"
    assert "the compiled program fails with these inputs" in result.notes
    run = result.violations[0].counterexample
    assert run is not None
    assert [one.text for one in run.steps][-1] == "abort"
    assert any(change.name == "locked" for step in run.steps for change in step.changes)


def test_a_rule_watches_functions_with_a_body_arguments_and_results(tmp_path):
    rule = tmp_path / "mine.rule"
    rule.write_text(
        "state { int last = 0; }\n/* each ticket is larger */\n"
        "ticket.return { if ($return <= last) abort; last = $return; }\n"
        "put.entry { if ($1 != last) abort; }\n"
    )
    before = "int count; int ticket(void) { return ++count; }\nvoid put(int x) { }\n"
    good = verify(tmp_path, "put(ticket()); put(ticket());", before, rules=[str(rule)])
    assert good.verdict is assay.Verdict.VERIFIED, good.reasons
    bad = verify(tmp_path, "put(ticket()); put(ticket() - 1);", before, rules=[str(rule)])
    assert bad.violations[0].message == "put() breaks the rule mine"
    assert bad.violations[0].line == 4
    assert "the compiled program fails with these inputs" in bad.notes


LOCKS = (
    "state { int locked = 0; }\n"
    "lock.entry { if (locked) abort; locked = 1; }\nunlock.entry { if (!locked) abort; locked = 0; }\n"
)
WOVEN = {
    "several on a line": "void lock(void) {} void unlock(void) {} int main(void) { lock(); lock(); }",
    "by a pointer": "void lock(void) {}\nint main(void) { void (*p)(void) = lock; p(); (*p)(); }",
    "in a table": "void lock(void);\nstruct { void (*f)(void); } t = {lock};\nint main() { t.f(); t.f(); }",
    "in parentheses": "void (lock)(void) {}\nint main(void) { (lock)(); (&lock)(); }",
    "a parameter of that name": (
        "void lock(void) {}\nint g(int lock) { if (lock) return 1; return 0; }\n"
        "int main(void) { if (!g(0)) { lock(); lock(); } }"
    ),
    "a struct of that name": (
        "struct lock { int n; };\nvoid lock(void) {}\nint g(struct lock *one) { return one->n; }\n"
        "struct lock h(void) { struct lock two = {3}; return two; }\n"
        "int main(void) { struct lock three = h(); if (g(&three) == 3) { lock(); lock(); } }"
    ),
}


@pytest.mark.parametrize("name", WOVEN)
def test_a_rule_is_woven_around_functions_wherever_they_stand(name, tmp_path):
    rule, file = tmp_path / "mine.rule", tmp_path / "program.c"
    rule.write_text(LOCKS)
    file.write_text(WOVEN[name])
    result = assay.verify(file, rules=[str(rule)], timeout_seconds=60)
    assert [one.message for one in result.violations] == ["lock() breaks the rule mine"]
    assert "the compiled program fails with these inputs" in result.notes


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { extern void lock(void); lock(); lock(); }",
        "int main(void) { void lock(void), (*p)(void) = lock; p(); p(); }",
        "typedef void fn(void); typedef fn other; other lock; int main(void) { lock(); lock(); }",
        "void f(void) {} typeof(f) lock; int main(void) { lock(); lock(); }",
    ],
)
def test_a_function_that_nobody_is_put_around_is_not_said_to_keep_a_rule(text, tmp_path):
    rule, file = tmp_path / "mine.rule", tmp_path / "program.c"
    rule.write_text(LOCKS)
    file.write_text(f"void unlock(void); {text}")
    with pytest.raises(SourceProblem, match="a rule cannot watch 'lock' where it is declared like this"):
        assay.verify(file, rules=[str(rule)])
    with pytest.raises(CannotCheck, match="lock"):
        weave_in_the_checker([parse_in_the_checker(file.read_text())], [read_rule(LOCKS, "mine")])


def test_a_variable_may_be_called_like_a_watched_function(tmp_path):
    rule, file = tmp_path / "mine.rule", tmp_path / "program.c"
    rule.write_text(LOCKS)
    file.write_text("typedef int number; void unlock(void); int main(void) { number lock = 1; return lock; }")
    assert assay.verify(file, rules=[str(rule)]).verdict is assay.Verdict.VERIFIED


STATIC = "static void lock(void) {} static void unlock(void) {}\n"
DECLARED = "void lock(void); void unlock(void);\n"
MAIN = "void work(void); int main(void) { lock(); work(); unlock(); }\n"
# Programs of several files in which `work` does CALLS.
LINKED = {
    "functions that nobody defines": [DECLARED + MAIN, DECLARED + "void work(void) { CALLS }"],
    "declared in one file alone": [
        "void before(void); void work(void); int main(void) { before(); work(); }",
        "void lock(void); void before(void) { lock(); }",
        DECLARED + "void work(void) { CALLS }",
    ],
    "each defined in a file of its own": [
        DECLARED + MAIN,
        DECLARED + "void work(void) { CALLS }",
        "int n; void lock(void) { n++; }",
        "void unlock(void) { }",
    ],
    "static in both files": [STATIC + MAIN, STATIC + "void work(void) { CALLS }"],
    "static in one file, of all in the other": [
        STATIC + MAIN,
        "void lock(void) {} void unlock(void) {} void work(void) { CALLS }",
    ],
    "by a pointer of another file": [
        DECLARED + MAIN + "void (*p)(void) = lock;",
        "extern void (*p)(void); void unlock(void); void lock(void) {}\n"
        "#define lock() p()\nvoid work(void) { CALLS }",
    ],
}


@pytest.mark.parametrize("name", LINKED)
def test_a_rule_watches_a_function_wherever_it_is_called_and_defined(name, tmp_path):
    rule = tmp_path / "mine.rule"
    rule.write_text(LOCKS.replace("int locked = 0;", "enum { Free, Taken } locked = Free;"))
    for calls, expected in (("unlock(); lock();", []), ("lock();", ["lock() breaks the rule mine"])):
        files = [tmp_path / f"file{number}.c" for number in range(len(LINKED[name]))]
        for file, text in zip(files, LINKED[name], strict=True):
            file.write_text(text.replace("CALLS", calls))
        others = [str(file) for file in files[1:]]
        result = assay.verify(files[0], c_sources=others, rules=[str(rule)], timeout_seconds=60)
        assert [one.message for one in result.violations] == expected
        assert result.verdict is (assay.Verdict.VIOLATED if expected else assay.Verdict.VERIFIED)
        assert not expected or "the compiled program fails with these inputs" in result.notes


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("state { int a; } spin_lock.entry { if (a", "mine.rule:1", "brace"),
        ("spin_lock.exit { }", "mine.rule:1", "entry or return"),
        ("\nspin_lock.entry { if ($2) abort; }", "mine.rule:2", "\\$2 is nothing"),
        ("\nspin_lock.entry { if (unknown) abort; }", "mine.rule:2", "undeclared"),
        ("state { int a; }", "mine.rule", "without an event"),
        ("nobody.entry { abort; }", "mine.rule", "mentions none"),
        ("what is this", "mine.rule:1", "expected 'state"),
    ],
)
def test_a_mistake_in_a_rule_is_named_with_its_place(text, place, problem, tmp_path):
    rule = tmp_path / "mine.rule"
    rule.write_text(text)
    with pytest.raises(SourceProblem, match=problem) as found:
        verify(tmp_path, "spin_lock(1);", rules=[str(rule)])
    assert place in str(found.value)


def test_a_saved_run_is_executed_again(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(f"{DECLARATIONS}int main(void) {{ {FAIL['after rounds']} return 0; }}\n")
    assay.verify(file, timeout_seconds=60, trace=tmp_path / "run.json")
    again = assay.replay(file, tmp_path / "run.json")
    assert again.violation.message == "reach_error() is reached"


def test_options_about_states_are_refused(tmp_path):
    with pytest.raises(OptionProblem, match="searched with exact storage"):
        verify(tmp_path, "", storage="bitstate")
    with pytest.raises(OptionProblem, match="overflow, division, bounds"):
        verify(tmp_path, "", checks=["nothing"])


def test_headers_are_looked_for_in_folders_that_the_command_names(tmp_path):
    (tmp_path / "some-headers").mkdir()
    (tmp_path / "some-headers" / "limit.h").write_text("#define LIMIT 3\n")
    file = tmp_path / "program.c"
    file.write_text(
        f"#include <limit.h>\n{DECLARATIONS}int main(void) {{ if (LIMIT != 3) reach_error(); return 0; }}\n"
    )
    told = CliRunner().invoke(
        verify_command, [str(file), "-I", str(tmp_path / "some-headers")], standalone_mode=False
    )
    assert told.exception is None
    assert told.return_value == 0


def test_an_array_with_more_bytes_than_are_modelled_is_the_reason(tmp_path):
    result = verify(
        tmp_path, "int n = 100000, m = 100000; int a[n][m]; a[1][1] = 1; if (!a[1][1]) reach_error();"
    )
    assert result.verdict is assay.Verdict.INCOMPLETE
    assert result.reasons == ("a has more bytes than are modelled",)
