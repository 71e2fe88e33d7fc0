"""Jumps into the scope of variables, over their declarations: they are new there, and hold anything."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.evidence.verdict import Verdict

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
