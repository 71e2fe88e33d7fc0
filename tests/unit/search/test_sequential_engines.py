"""Engines for sequential programs: their verdicts on random graphs, and the form of their evidence."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.evidence.sequential.obligations import NoProof, obligations
from assay.languages.c.program import load
from assay.search.sequential import bounded, k_induction, templates, unwinding
from assay.search.sequential.findings import Finding, Status
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.control_flow import ControlFlow, reachable
from assay.transition_system.sequential.running import run
from assay.transition_system.sequential.unrolling import unrolled
from tests.unit.transition_system.random_flows import graphs

PROGRAMS = Path(__file__).resolve().parents[3] / "benchmarks" / "models" / "c_programs"


def searched(engine, flow: ControlFlow, seconds: float = 20, **more) -> Finding:
    return engine.search(flow, deadline=time.monotonic() + seconds, say=lambda _: None, **more)


def flow_of(name: str) -> ControlFlow:
    return load(PROGRAMS / f"{name}.c", LanguageOptions()).flow


def is_proof(flow: ControlFlow, found: Finding) -> bool:
    prover = Prover()
    if found.invariants is None:
        wanted = obligations(unrolled(flow, found.bound), {})
    else:
        wanted = obligations(flow, found.invariants.at, found.invariants.rounds)
    return all(prover.is_unsatisfiable(one.refutation, 20) for one in wanted)


def fails(flow: ControlFlow, found: Finding) -> bool:
    left = iter(found.run.chosen)
    last = list(run(flow, lambda _: next(left), dict(found.run.starts)))[-1]
    return last.location in flow.failures


@settings(max_examples=12)
@given(graphs())
def test_engines_agree_and_their_evidence_stands(flow):
    flow = reachable(flow)
    found = [
        searched(bounded, flow, 3, most_levels=6),
        searched(unwinding, flow, 3),
        searched(templates, flow, 3),
        searched(k_induction, flow, 3, most_rounds=3),
    ]
    for one in found:
        if one.status is Status.SAFE:
            assert is_proof(flow, one)
        if one.status is Status.UNSAFE:
            assert fails(flow, one)
    assert {Status.SAFE, Status.UNSAFE} - {one.status for one in found}


def test_an_induction_over_rounds_is_evidence_with_its_number_of_rounds():
    flow = flow_of("rotation")
    found = searched(k_induction, flow, with_templates=False)
    assert (found.status, found.invariants.rounds) == (Status.SAFE, 3)
    assert is_proof(flow, found)
    prover = Prover()
    fewer = list(obligations(flow, found.invariants.at, 2))
    assert [one.text for one in fewer if not prover.is_unsatisfiable(one.refutation, 20)] == [
        "nothing fails after 2 rounds from " + str(flow.outgoing[min(found.invariants.at)][0].place)
    ]


def test_what_fails_late_is_not_proved_by_an_induction_over_few_rounds():
    flow = flow_of("counter_overshoots")
    for rounds in (1, 2, 3):
        prover = Prover()
        everywhere = dict.fromkeys(flow.cut_points, bv.TRUE)
        assert not all(
            prover.is_unsatisfiable(one.refutation, 20) for one in obligations(flow, everywhere, rounds)
        )


def test_inductions_over_absurd_numbers_of_rounds_are_no_proofs():
    flow = flow_of("rotation")
    for rounds in (-1, 10**9):
        with pytest.raises(NoProof, match="rounds"):
            list(obligations(flow, dict.fromkeys(flow.cut_points, bv.TRUE), rounds))


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("sum_of_two", templates),
        ("state_machine", templates),
        ("array_filled", bounded),
        ("array_filled", unwinding),
    ],
)
def test_programs_are_proved(name, engine):
    flow = flow_of(name)
    found = searched(engine, flow)
    assert found.status is Status.SAFE
    assert is_proof(flow, found)


def test_invariants_are_short_enough_to_be_read():
    found = searched(templates, flow_of("sum_of_two"))
    (invariant,) = found.invariants.at.values()
    assert bv.shown(invariant) == "(= main::z#3 (bvadd main::x#1 main::y#2))"
