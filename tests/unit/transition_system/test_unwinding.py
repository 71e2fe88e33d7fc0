"""Loops with copies of their own do what the program does, until one of them goes on for too long."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.evidence.sequential.obligations import NoProof
from assay.evidence.sequential.proof_file import Proof
from assay.languages.c.program import load
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.control_flow import reachable
from assay.transition_system.sequential.running import run
from assay.transition_system.sequential.unwinding import unwound
from tests.unit.transition_system.random_flows import graphs, values

MOST_STEPS = 300
SORT = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a[5];
  for (int i = 0; i < 5; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 1; i < 5; i++) {
    int k = a[i], j = i - 1;
    while (j >= 0 && a[j] > k) { a[j + 1] = a[j]; j--; }
    a[j + 1] = k;
  }
  for (int i = 0; i < 4; i++) if (a[i] > a[i + 1]) reach_error();
  return 0;
}
"""


@settings(max_examples=300)
@given(graphs(), values(), st.lists(st.integers(0, 255), min_size=40, max_size=40), st.integers(0, 4))
def test_a_run_of_the_copies_is_a_run_of_the_program(flow, starts, drawn, rounds):
    flow = reachable(flow)
    copies = unwound(flow, rounds, flow.cut_points)
    assert all(edge.source < edge.target for edge in copies.flow.edges)

    def steps(one):
        left = iter(drawn * 20)
        return list(islice(run(one, lambda _: next(left), dict(starts)), MOST_STEPS))

    whole, copied = steps(flow), steps(copies.flow)
    beyond = copies.flow.locations - 1
    is_cut_off = bool(copied) and copied[-1].location == beyond
    assert len(copied) == len(whole) or (is_cut_off and len(copied) < len(whole)) or len(whole) == MOST_STEPS
    for ours, theirs in zip(copied, whole, strict=False):
        assert (ours.edge.action, ours.values) == (theirs.edge.action, theirs.values)
    if not is_cut_off and len(whole) < MOST_STEPS and whole:
        assert (copied[-1].location in copies.flow.failures) == (whole[-1].location in flow.failures)
    passed = sum(moment.location in flow.cut_points for moment in whole[: len(copied)])
    assert passed <= copies.longest + is_cut_off
    assert copies.goes_on or not is_cut_off


def sorting(folder: Path):
    file = folder / "sort.c"
    file.write_text(SORT)
    return file, load(file, LanguageOptions()).flow


def test_what_numbers_decide_needs_no_bound(tmp_path):
    """A counter is a number in each copy, also in a loop inside of a loop: nothing goes on."""
    _, flow = sorting(tmp_path)
    copies = unwound(flow, 8, flow.cut_points)
    assert not copies.goes_on
    assert copies.longest == 30
    assert unwound(flow, 4, flow.cut_points).goes_on  # a loop of five
    with pytest.raises(UnsupportedConstruct, match="unwound"):
        unwound(flow, 8, flow.cut_points, most_edges=100)


def test_loops_that_end_by_themselves_are_a_proof_with_a_certificate(tmp_path):
    """Counting all rounds together, insertion of five elements was out of reach."""
    file, _ = sorting(tmp_path)
    certificate = tmp_path / "sort.assay"
    result = assay.verify(file, search="unwinding", timeout_seconds=100, certificate=certificate)
    assert result.verdict is assay.Verdict.VERIFIED
    assert assay.certify(file, certificate).verdict is assay.Verdict.VERIFIED
    file.write_text(SORT.replace("a[j] > k", "a[j] >= k + 1"))
    result = assay.verify(file, search="unwinding", timeout_seconds=100)
    assert result.verdict is assay.Verdict.VIOLATED  # k + 1 may wrap


@pytest.mark.parametrize("loop", ["", "for (int i = 0; i < 2; i++) n++;"])
def test_a_program_with_fewer_rounds_than_were_tried_has_a_certificate(tmp_path, loop):
    file, certificate = tmp_path / "short.c", tmp_path / "short.assay"
    file.write_text(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n"
        f"int main(void) {{ int n = __VERIFIER_nondet_int() & 3; {loop} if (n > 5) reach_error(); }}\n"
    )
    result = assay.verify(file, search="unwinding", timeout_seconds=100, certificate=certificate)
    assert result.verdict is assay.Verdict.VERIFIED
    assert assay.certify(file, certificate).verdict is assay.Verdict.VERIFIED


def test_a_bound_that_is_too_small_is_no_proof(tmp_path):
    _, flow = sorting(tmp_path)
    points = dict.fromkeys(flow.cut_points, bv.TRUE)
    with pytest.raises(NoProof, match="more than 29 rounds together"):
        list(Proof(points, rounds=8, bound=29).obligations(flow))
    wanted = list(Proof(points, rounds=4, bound=30).obligations(flow))
    assert not all(Prover().is_unsatisfiable(one.refutation, 60) for one in wanted)
