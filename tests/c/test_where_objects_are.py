"""Addresses: what C leaves open must not be decided by where we happen to put things.

Each program fails for a compiler, and was once proved because pointers were compared as we number them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import assay

OPEN = {
    "equal strings may be kept once": ('char *a = "xy", *b = "xy"; assert(a != b);', ""),
    "a string may end in another": ('assert(&"abc"[1] != "bc");', ""),
    "objects have no order": ("static int a, b; assert(&a < &b);", ""),
    "nor the other one": ("static int a, b; assert(&b < &a);", ""),
    "nor a distance": ("static int a, b; assert(&a - &b == 1ll << 30);", ""),
    "what follows an object": (
        "static int a, b; int *p = &a + 1, *q = &b + 1; assert(p != &b && q != &a);",
        "bounds",
    ),
    "memory is given again": ("int *p = malloc(4); free(p); assert(malloc(4) != p);", "bounds"),
    "a local that is gone": ("old(); assert(!now());", "bounds"),
    "a local of a block that was left": ("int *p; { int x = 1; p = &x; } *p = 2;", "bounds"),
    "by break": ("int *p = 0; while (1) { int x = 1; p = &x; break; } *p = 2;", "bounds"),
    "by continue": (
        "int *p = 0; for (int i = 0; i < 2; i++) { if (p) *p = 1; int x = i; p = &x; continue; }",
        "bounds",
    ),
    "by goto": ("int *p = 0; { int x = 1; p = &x; goto out; } out: *p = 2;", "bounds"),
    "of a loop's beginning": ("int *p; for (int i = 0; i < 1; i++) p = &i; *p = 2;", "bounds"),
    "of a statement expression": ("int *p; int y = ({ int x = 1; p = &x; *p; }); *p = y;", "bounds"),
    "the least number has no absolute value": ("int x = -2147483647 - 1; x = abs(x);", "overflow"),
    "a pointer read as an integer": (
        "static int x; int *p = &x; assert(*(unsigned long *)&p == 1ul << 32);",
        "",
    ),
    "a pointer in a union": (
        "static int x; union { int *p; unsigned long n; } u; u.p = &x; assert(u.n == 1ul << 32);",
        "",
    ),
    "bytes of a pointer": (
        "static int x; int *p = &x; unsigned char c[8]; memcpy(c, &p, 8); assert(c[0] == 0);",
        "",
    ),
    "a pointer that was set at the start": (
        "static int x; static int *p = &x; assert(*(unsigned long *)&p == 1ul << 32);",
        "",
    ),
    "the name of a function is a string": ("assert(__func__[0] == 'x');", ""),
    "of so many bytes": ("assert(sizeof(__func__) == 8);", ""),
}

KNOWN = {
    "bytes of a pointer may be copied one by one": (
        "static int x; int *p = &x, *q; char *s = (char *)&p, *t = (char *)&q;"
        "for (int i = 0; i < 8; i++) t[i] = s[i]; *q = 3; assert(x == 3);",
        "bounds",
    ),
    "a pointer in bytes may be NULL": ("int *p; memset(&p, 0, sizeof p); assert(!p);", ""),
    "errors as pointers": (
        "void *p = (void *)-12l; unsigned char c[8]; memcpy(c, &p, 8); assert(c[7] == 255);",
        "",
    ),
    "different live objects are different": (
        "static int a[3], b; int *p = malloc(4); assert(&a[2] != &b && p != &b && p != a);",
        "bounds",
    ),
    "the end of an array, in a loop": (
        "int a[3], n = 0; for (int *p = a; p != a + 3; p++) n++; assert(n == 3);",
        "bounds",
    ),
    "a local of a block, while it lives": (
        "int n = 0; again: { int x = n, *p = &x; *p += 1; n = x; if (n < 3) goto again; } assert(n == 3);",
        "bounds",
    ),
    "absolute values": ("int x = -5; assert(abs(x) == 5 && labs(-(1l << 40)) == 1l << 40);", "overflow"),
    "order within an object": ("int a[3], *p = a, n = 0; while (p < a + 3) p++, n++; assert(n == 3);", ""),
    "functions": ("assert(old != now2);", "bounds"),
    "addresses of one pointer": ("static int x; assert((unsigned long)&x == (unsigned long)&x && &x);", ""),
    "the name of this function": ("assert(__func__[0] == 'm' && sizeof(__func__) == 5);", ""),
}

TEXT = """
#include <assert.h>
#include <stdlib.h>
#include <string.h>
static int *kept;
void old(void) {{ int x = 1; kept = &x; }}
void now2(void) {{ }}
int now(void) {{ int y = 2; return kept == &y; }}
int main(void) {{ {} return 0; }}
"""


def verdict(statements: str, checks: str, folder: Path, model: str) -> assay.Verdict:
    file = folder / "program.c"
    file.write_text(TEXT.format(statements))
    return assay.verify(
        str(file), checks=[checks] if checks else [], data_model=model, timeout_seconds=30.0
    ).verdict


@pytest.mark.parametrize("name", OPEN)
def test_what_c_leaves_open_is_not_proved(name, tmp_path):
    assert verdict(*OPEN[name], tmp_path, "LP64") in (assay.Verdict.VIOLATED, assay.Verdict.INCOMPLETE)


@pytest.mark.parametrize("name", KNOWN)
def test_what_c_says_is_proved(name, tmp_path):
    assert verdict(*KNOWN[name], tmp_path, "LP64") is assay.Verdict.VERIFIED


def test_a_run_that_hangs_on_addresses_is_no_violation_before_a_compiler_shows_it(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(TEXT.format("static int x[2]; assert((unsigned long)&x[1] - (unsigned long)&x[0] == 4);"))
    result = assay.verify(str(file), timeout_seconds=30.0)
    assert result.verdict is assay.Verdict.INCOMPLETE
    assert "depends on where objects are" in str(result.as_json())


def test_the_assertion_that_is_reported_is_the_one_that_the_compiled_program_fails_in(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(
        TEXT.format(
            "static int x[2]; assert((unsigned long)&x[1] - (unsigned long)&x[0] == 4); assert(x[0]);"
        )
    )
    result = assay.verify(str(file), timeout_seconds=30.0)
    assert result.verdict is assay.Verdict.INCOMPLETE or "x[0]) fails" in result.violations[0].message


def test_a_call_by_a_pointer_of_another_type_is_taken_for_granted_by_name(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(TEXT.format("int (*p)(int) = (int (*)(int))now; assert(p(1) == 3);"))
    result = assay.verify(str(file), timeout_seconds=30.0)
    assert "nobody calls now() by a pointer of another type" in result.semantics["granted"]


def test_what_new_memory_holds_is_a_violation_wherever_objects_are(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(TEXT.format("int **p = malloc(sizeof *p); assert((unsigned long)*p == 0);"))
    result = assay.verify(str(file), search="bounded", timeout_seconds=30.0)
    assert result.verdict is assay.Verdict.VIOLATED
    assert any("not repeated by the compiled program" in one for one in result.notes)


@pytest.mark.parametrize(
    "holds",
    [
        "(unsigned long)p < (unsigned long)q",
        "(unsigned long)p > (unsigned long)q",
        "(unsigned long)p % 16 == 0",
        "(unsigned long)p % 16 != 0",
        "(unsigned long)p % 2 == 0",
        "(int)(unsigned long)p > 0",
        "(int)(unsigned long)p < 0",
        "(unsigned long)p < 1ul << 31",
        "(unsigned long)p - (unsigned long)q != 1ul << 20",
    ],
)
def test_what_hangs_on_places_is_a_violation_only_if_a_compiler_shows_it(holds, tmp_path):
    file = tmp_path / "program.c"
    file.write_text(
        TEXT.format(f"int *p = malloc(4), *q = malloc(4); int **r = malloc(8); if (*r) assert({holds});")
    )
    result = assay.verify(str(file), search="bounded", timeout_seconds=30.0)
    shown = "the compiled program fails with these inputs" in result.notes
    assert result.verdict is assay.Verdict.INCOMPLETE or (result.verdict is assay.Verdict.VIOLATED and shown)
