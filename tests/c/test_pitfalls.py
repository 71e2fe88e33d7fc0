"""What makes verdicts about C wrong, one pitfall after the other.

Each program is a pair: the text that a wrong reading would judge otherwise, and the verdict that C gives it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.transition_system.interface import SourceProblem

HEAD = """
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
"""
# Of each pitfall: a program, options, the verdict.
CASES: dict[str, tuple[str, dict[str, object], str]] = {
    # an integer without bounds would never be smaller after an addition
    "signed numbers wrap": (
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x + 1 < 0) reach_error(); }",
        {},
        "violated",
    ),
    "that they wrap is a failure if it is asked for": (
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x + 1 < 0) return 1; return 0; }",
        {"checks": ["overflow"]},
        "violated",
    ),
    # over ideal integers x + y == 0 is impossible here
    "ideal integers prove what is false": (
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(), y = x;"
        " while (x < 4000000000u && __VERIFIER_nondet_int()) { x += 7; y += 7; }"
        " if (x > 0 && y > 0 && x + y == 0) reach_error(); }",
        {},
        "violated",
    ),
    "an unsigned difference is never negative": (
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x - 10 < 0) reach_error(); }",
        {},
        "verified",
    ),
    # taken for another variable, `x` would still be 1 where it is read
    "extern in a function is the static variable of the file": (
        "static int x = 1; int get(void) { return x; }\n"
        "int main(void) { extern int x; x = 7; if (get() == 7) reach_error(); }",
        {},
        "violated",
    ),
    "extern after static is the same variable": (
        "static int x = 1; extern int x; int main(void) { if (x != 1) reach_error(); }",
        {},
        "verified",
    ),
    "a variable that is declared again keeps its initial value": (
        "int x = 2; int x; int main(void) { if (x == 2) reach_error(); }",
        {},
        "violated",
    ),
    "a variable that a function declares again keeps its initial value": (
        "int x[2] = {2, 3}; int main(void) { extern int x[]; if (x[1] == 3) reach_error(); }",
        {},
        "violated",
    ),
    "extern that hides a static variable of the function is another one": (
        "int x = 2; int main(void) { static int x = 1; { extern int x; if (x != 2) reach_error(); } }",
        {},
        "verified",
    ),
    # put together before escapes are read, it would have two characters
    "an escape ends where its literal ends": (
        r'int main(void) { char t[] = "\x1" "2"; const char *p = "a\1" "" "27\\" "1";'
        r" if (sizeof t == 3 && t[1] == 50 && p[1] == 1 && p[2] == 50 && p[4] == 92 && p[5] == 49)"
        r" reach_error(); }",
        {},
        "violated",
    ),
    # computed as a path of the program, it would not be known before it runs
    "a choice between constants is one": (
        "enum { A = 1 << 3 ? 5 >> 1 : 7, B = 0 && 1 / 1 }; int x; int g(void) { x++; return 4; }\n"
        "int main(void) { char a[sizeof(int) > 2 ? 8 / 2 : 1]; long q = 1 ? -1 / 1 : 1u;"
        " int r = 0 ? g() : 5, *p = 1 ? &x + 0 / 1 : 0; 1 ? (void)(x = x + 3) : (void)g();"
        " if (A != 2 || B || sizeof a != 4 || q < 0 || r != 5 || *p != 3) reach_error(); }",
        {},
        "verified",
    ),
    # the upper half of the argument is lost on the way
    "arguments are narrowed": (
        "void f(int x) { if (x == 0) reach_error(); }\nint main(void) { f((int)0x700000000l); }",
        {},
        "violated",
    ),
    "a pointer that goes through an int loses bits": (
        "int g;\nvoid check(char c) { if (!c) reach_error(); }\nint main(void) { check(256); }",
        {},
        "violated",
    ),
    "results are narrowed": (
        "unsigned char f(int x) { return x; }\nint main(void) { if (f(256) == 0) reach_error(); }",
        {},
        "violated",
    ),
    # a local variable that nobody set is not zero
    "locals begin with anything": (
        "int main(void) { int x; int y = __VERIFIER_nondet_int(); if (x == 5 && y == 3) reach_error(); }",
        {},
        "violated",
    ),
    "static variables begin with zero": (
        "static int x; int main(void) { static int y; if (x || y) reach_error(); }",
        {},
        "verified",
    ),
    "a long has 64 bits in one data model": (
        "int main(void) { long x = 1; x <<= 16; x <<= 16; if (x == 0) reach_error(); }",
        {"data_model": "LP64"},
        "verified",
    ),
    "and 32 in the other": (
        "int main(void) { long x = 1; x <<= 16; x <<= 16; if (x == 0) reach_error(); }",
        {"data_model": "ILP32"},
        "violated",
    ),
    "argc is an input": (
        "int main(int argc, char **argv) { if (argc == 3) reach_error(); }",
        {},
        "violated",
    ),
    "the right side of && has effects only if it is reached": (
        "int main(void) { int x = 0, c = __VERIFIER_nondet_int();"
        " if (c && ++x) ; if (!c && x) reach_error(); }",
        {},
        "verified",
    ),
    "the right side of || has effects only if it is reached": (
        "int main(void) { int x = 0, c = __VERIFIER_nondet_int();"
        " if (c || ++x) ; if (!c && x) reach_error(); }",
        {},
        "violated",
    ),
    "one branch of ?: has effects": (
        "int main(void) { int x = 0, c = __VERIFIER_nondet_int();"
        " c ? x++ : x--; if (x == 0) reach_error(); }",
        {},
        "verified",
    ),
    "the least number divided by -1": (
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();"
        " if (y == -1) return x / y; return 0; }",
        {"checks": ["overflow"]},
        "violated",
    ),
    "division by zero": (
        "int main(void) { int y = __VERIFIER_nondet_int(); return y < 5 ? 0 : 10 / (y - 7); }",
        {"checks": ["division"]},
        "violated",
    ),
    "who divides by zero goes no further": (
        "int main(void) { int y = __VERIFIER_nondet_int(); int z = 10 / y;"
        " if (y == 0) reach_error(); return z; }",
        {},
        "verified",
    ),
    "division rounds to zero": (
        "int main(void) { int x = -7; if (x / 2 != -3 || x % 2 != -1) reach_error(); }",
        {},
        "verified",
    ),
    # nobody may say that a shift by 32 gives 0, or 1
    "a shift by too much gives anything": (
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); __VERIFIER_assume(n == 32);"
        " if ((1u << n) != 0) reach_error(); }",
        {},
        "violated",
    ),
    "malloc may fail if that is asked for": (
        "void *malloc(unsigned long);\nint main(void) { int *p = malloc(4); if (!p) reach_error(); }",
        {"checks": ["allocation"]},
        "violated",
    ),
    "malloc succeeds if it is not": (
        "void *malloc(unsigned long);\nint main(void) { int *p = malloc(4); if (!p) reach_error(); }",
        {},
        "verified",
    ),
    # two entries to one loop: an invariant of one of them is none of the loop
    "a loop with two entries": (
        "int main(void) { int x = 0; if (__VERIFIER_nondet_int()) goto inside;\n"
        "top: x = 2; if (__VERIFIER_nondet_int()) return 0;\n"
        "inside: if (x == 0) reach_error(); x = 1; goto top; }",
        {},
        "violated",
    ),
    "a loop with two entries that is safe": (
        "int main(void) { int x = 1; if (__VERIFIER_nondet_int()) goto inside;\n"
        "top: x = 2; if (__VERIFIER_nondet_int()) return 0;\n"
        "inside: if (x == 0) reach_error(); x = 1; goto top; }",
        {},
        "verified",
    ),
    "comparing with an unsigned number loses the sign": (
        "int main(void) { int x = -1; unsigned y = 1; if (x > y) reach_error(); }",
        {},
        "violated",
    ),
    "a char may be negative": (
        "int main(void) { char c = (char)200; if (c < 0) reach_error(); }",
        {},
        "violated",
    ),
    "a pointer into what a function is given": (
        "char *strchr(const char *, int); int main(void) { char s[4] = \"abc\"; char *p = strchr(s, 'b');"
        " if (p) *p = 'x'; if (s[1] != 'b') reach_error(); }",
        {},
        "violated",
    ),
    "an assumption that nothing meets": (
        "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > x); reach_error(); }",
        {},
        "verified",
    ),
}
REFUSED = {
    "a pointer into what a function without a text is given": (
        'char *strtok(char *, const char *); int main(void) { char s[4] = "abc"; char *p = strtok(s, "b");'
        " if (p) *p = 'x'; if (s[1] != 'b') reach_error(); }"
    ),
    "a character of several": "int main(void) { if ('ab' == 'b') reach_error(); }",
    "the order of effects": "int main(void) { int i = 0; int a[2] = {0}; a[i] = i++; return a[0]; }",
    "two calls that write what both read": (
        "int g; int f(void) { return ++g; } int main(void) { if (f() - f() > 0) reach_error(); }"
    ),
    "volatile": "volatile int v; int main(void) { if (v != v) reach_error(); }",
    "assembler": 'int main(void) { int x = 0; __asm__("movl $1, %0" : "=r"(x)); if (x) reach_error(); }',
    "floating-point numbers": "int main(void) { double d = 0.1; if (d + 0.2 != 0.3) reach_error(); }",
    "packed structs": (
        "struct __attribute__((packed)) s { char c; int i; };"
        " int main(void) { if (sizeof(struct s) == 8) reach_error(); }"
    ),
    "jumps that no text shows": (
        "typedef long jmp_buf[32]; int setjmp(jmp_buf); void longjmp(jmp_buf, int);"
        " jmp_buf j; int main(void) { if (setjmp(j)) reach_error(); longjmp(j, 1); }"
    ),
}


def verify(tmp_path: Path, text: str, **options: object) -> assay.Result:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    return assay.verify(file, timeout_seconds=100, **options)


@pytest.mark.parametrize("name", CASES)
def test_a_pitfall_is_judged_as_c_judges_it(name, tmp_path):
    text, options, verdict = CASES[name]
    result = verify(tmp_path, text, **options)
    assert str(result.verdict) == verdict, result.reasons


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_misread_is_refused(name, tmp_path):
    with pytest.raises(SourceProblem):
        verify(tmp_path, REFUSED[name])


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize(("length", "verdict"), [(3, "incomplete"), (4, "violated")])
def test_no_run_fails_by_a_result_that_a_function_of_the_library_never_has(length, verdict, model, tmp_path):
    text = (
        "unsigned long strlen(const char *); int strcmp(const char *, const char *); int main(void)"
        f' {{ int n = __VERIFIER_nondet_int(); if (n == 7 && strlen("abc") != {length}'
        ' && strcmp("a", "b") < 0) reach_error(); }'
    )
    result = verify(tmp_path, text, data_model=model)
    assert str(result.verdict) == verdict
    if verdict == "violated":
        assert "the compiled program fails with these inputs" in result.notes


def test_a_variable_that_another_file_declares_keeps_its_initial_value(tmp_path):
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    first.write_text(f"{HEAD}int x = 2; int get(void);\nint main(void) {{ if (get() == 2) reach_error(); }}")
    second.write_text("extern int x;\nint get(void) { return x; }")
    assert assay.verify(first, c_sources=[str(second)]).verdict.value == "violated"


def test_two_definitions_of_a_function_are_refused(tmp_path):
    first, second, third = (tmp_path / f"{name}.c" for name in ("first", "second", "third"))
    first.write_text(
        f"{HEAD}int f(void); int g(void);\nint main(void) {{ if (f() == 2) reach_error(); g(); }}"
    )
    second.write_text("int f(void) { return 2; }")
    third.write_text("inline int f(void) { return 1; } int g(void) { return f(); }")
    with pytest.raises(SourceProblem, match=r"third.c:1:.*a second definition of 'f'"):
        assay.verify(first, c_sources=[str(second), str(third)])
