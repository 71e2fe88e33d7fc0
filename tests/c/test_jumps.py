"""Jumps into the scope of variables, over their declarations: they are new there, and hold anything."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import UnsupportedConstruct

HEAD = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n"
STALE = {
    "goto": "if (n > 0) goto L; int x = 5; L: if (x != 5) reach_error();",
    "case": "switch (n) { int x; case 0: x = 5; break; case 1: if (x != 5) reach_error(); }",
    "address": "if (n > 0) goto L; int x = 5; int *p; L: p = &x; if (*p != 5) reach_error();",
    "call": "f(n);",
}
FUNCTION = "void f(int n) { if (n) goto L; int x = 5; L: if (x != 5) reach_error(); }\n"


@pytest.mark.parametrize("body", STALE.values(), ids=STALE)
def test_what_a_variable_held_in_the_block_before_is_gone(body, tmp_path: Path):
    program = tmp_path / "program.c"
    program.write_text(HEAD + FUNCTION + f"int main(void) {{ for (int n = 0; n < 2; n++) {{ {body} }} }}\n")
    assert assay.verify(program, search="bounded", timeout_seconds=60).verdict is Verdict.VIOLATED


def test_a_jump_to_the_end_over_declarations_is_fine(tmp_path: Path):
    program = tmp_path / "program.c"
    program.write_text(
        HEAD + "int main(void) { int r = 0; if (__VERIFIER_nondet_int()) goto out;\n"
        "int x = 3; r = x; out: if (r != 0 && r != 3) reach_error(); return r; }\n"
    )
    assert assay.verify(program, search="bounded", timeout_seconds=60).verdict is Verdict.VERIFIED


RANGES = """
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int f(int x) { switch (x) { case -3 ... -1: return 1; case 0: return 2; case 5 ... 7: case 10 ... 10:
  return 3; case 20 ... 19: return 9; default: return 4; } }
int g(unsigned x) {
  switch (x) { case 0x80000000u ... 0xffffffffu: return 1; case 1 ... 3: return 2; } return 0; }
int h(unsigned char c) { switch (c) { case 'a' ... 'z': return 1; case 200 ... 255: return 2; } return 0; }
int main(void) {
  int x = __VERIFIER_nondet_int(), y = x ?: 7; unsigned u = __VERIFIER_nondet_uint(); unsigned char c = u;
  if (f(x) != (x >= -3 && x <= -1 ? 1 : x == 0 ? 2 : (x >= 5 && x <= 7) || x == 10 ? 3 : 4)) reach_error();
  if (g(u) != (u >> 31 ? 1 : u >= 1 && u <= 3 ? 2 : 0)) reach_error();
  if (h(c) != (c >= 'a' && c <= 'z' ? 1 : c >= 200 ? 2 : 0)) reach_error();
  if (y != (x ? x : 7)) reach_error();
  %s
}
"""


@pytest.mark.parametrize(
    ("more", "wanted"),
    [("", "verified"), ("if (f(x) == 3 && g(u) == 2 && h(c) == 0) reach_error();", "violated")],
)
def test_ranges_of_cases_are_all_numbers_between(more: str, wanted: str, tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(RANGES % more)
    result = assay.verify(program, timeout_seconds=60)
    assert result.verdict.value == wanted
    if more:
        assert any("the compiled program fails" in one for one in result.notes)


@pytest.mark.parametrize(
    "text",
    [
        "int f(void); int main(void) { return f() ?: 3; }",  # computed once, and we would twice
        "int main(void) { int x = 0; return x++ ?: 3; }",
        "int a[5] = {[0 ... 2] = 3}; int main(void) { return a[1]; }",
        "int main(void) { switch (3) { case 0 ... 0xffffffffffLL: return 1; } }",
    ],
)
def test_what_would_be_read_otherwise_is_refused(text: str, tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(text)
    with pytest.raises(UnsupportedConstruct):
        assay.verify(program, timeout_seconds=60)
