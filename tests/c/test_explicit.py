"""Machines with states: what values occur together is the proof, and what else matters is found out."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import assay
from assay.evidence.sequential.bitwuzla_prover import first_unproved
from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.search.sequential.explicit import search
from assay.search.sequential.findings import Finding, Status
from assay.transition_system.sequential.control_flow import ControlFlow
from assay.transition_system.sequential.inlining import inlined
from assay.verification.sequential import proof_of
from assay.verification.sequential_runs import executed_on_graph

MODEL = DATA_MODELS["LP64"]
HEAD = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#define ANY __VERIFIER_nondet_int()
"""
MACHINE = (
    HEAD
    + """
int main(void) {
  int state = 10, next = ANY, hit = ANY, flag = 0;
  while (1) {
    if (state == 10) { next = hit ? 20 : 30; state = 40; if (flag == 0) flag = 1; }
    else if (state == 40) { state = next; }
    else if (state == 20) { if (flag == 1) flag = 2; next = 50; state = 40; }
    else if (state == 30) { if (flag == 2) flag = 3; next = 50; state = 40; }
    else if (state == 50) { if (flag == WANTED) reach_error(); if (ANY) return 0; state = 10; }
    else return 0;
  }
}
"""
)
COUNTED = (
    HEAD
    + """
int main(void) {
  int mode = 0, n = ANY, left = 0;
  while (ANY) {
    if (mode == 0) { left = 3; mode = 1; }
    else if (mode == 1) { left--; if (left == 0) mode = 2; }
    else { if (left WRONG) reach_error(); mode = 0; }
    if (n > 5) { if (n <= 4) reach_error(); }
  }
  return 0;
}
"""
)
BEGINS = HEAD + "int s; int main(void) { while (1) { if (s == 3) reach_error(); s = s == 0 ? 1 : TURN; } }\n"


def found_in(text: str, folder: Path) -> tuple[ControlFlow, Finding]:
    (folder / "program.c").write_text(text)
    flow = inlined(lower([preprocess(folder / "program.c", MODEL)], MODEL))
    return flow, search(flow, deadline=time.monotonic() + 60, say=lambda _: None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MACHINE.replace("WANTED", "3"), Status.SAFE),  # only because `hit` stays what it is
        (MACHINE.replace("WANTED", "2"), Status.UNSAFE),
        (COUNTED.replace("WRONG", "!= 0"), Status.SAFE),
        (COUNTED.replace("WRONG", "== 0"), Status.UNSAFE),
        (BEGINS.replace("TURN", "2"), Status.SAFE),
        (BEGINS.replace("TURN", "3"), Status.UNSAFE),
    ],
)
def test_a_machine_gets_its_verdict_with_evidence(text, expected, tmp_path: Path):
    flow, found = found_in(text, tmp_path)
    assert found.status is expected
    if found.run is not None:
        assert executed_on_graph(flow, found.run)[-1].location in flow.failures
    else:
        wanted = [one.refutation for one in proof_of(found, flow).obligations(flow)]
        assert first_unproved(wanted, time.monotonic() + 60) is None


def test_what_has_no_few_values_is_left_to_others(tmp_path: Path):
    text = (
        HEAD
        + "int main(void) { unsigned x = ANY; while (x != 7) x = x * 3 + 1; if (x != 7) reach_error(); }\n"
    )
    assert found_in(text, tmp_path)[1].status is Status.UNKNOWN


def test_a_variable_is_followed_if_a_test_leaves_it_few_values(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
        "int main(void) {\n"
        "  int mode = __VERIFIER_nondet_int(), turn = __VERIFIER_nondet_int();\n"
        "  if (mode != 3 && mode != 4) return 0;\n"
        "  if (turn < 0 || turn > 1) return 0;\n"
        "  while (1) {\n"
        "    if (mode == 3) mode = 4;\n"
        "    else if (mode == 4) { mode = 3; turn = turn < 5 ? turn + 1 : 0; }\n"
        "    else reach_error();\n"
        "    if (turn > 5) reach_error();\n"
        "  }\n}\n"
    )
    result = assay.verify(file, search="explicit", timeout_seconds=60)
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons
