"""What a search for a proof says when its time runs out, or its solver does not tell the truth."""

from __future__ import annotations

import time

import pytest

import assay
from assay.certification import invariants as certification
from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.inductive.z3_prover import Z3Prover
from assay.evidence.verdict import Verdict
from assay.guarded import GuardedProgram, form_of, step
from assay.search.proofs import proving
from assay.search.proofs.houdini import OutOfTime
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.symbolic import SymbolicSystem

pytest.importorskip("z3")


class Fails(GuardedProgram):
    variables = {"x": "integer"}
    processes = {"A": [step("a", "a", then={"x": "x + 1"})]}
    always = {"small": "x < 600"}


class Squares(GuardedProgram):
    variables = {"x": ("integer", 3)}
    processes = {"A": [step("a", "a", then={"x": "x * x"})]}
    always = {"positive": "x > 0"}


class Large(GuardedProgram):
    variables = {"x": ("integer", 1 << 400)}
    processes = {"A": [step("a", "a", then={"x": "x + 1"})]}
    always = {"positive": "x > 0"}


class Wide(GuardedProgram):
    variables = {"x": ("int32", 3)}
    processes = {"A": [step("a", "a", then={"x": "(x * x * x) | 1"})]}
    always = {"odd": "x != 0"}


def form(program: type[GuardedProgram]) -> SymbolicSystem:
    found = form_of(program(), (), ())
    assert isinstance(found, SymbolicSystem)
    return found


def proved(system: SymbolicSystem, seconds: float = 30.0) -> proving.ProofOutcome:
    return proving.prove(system, check_deadlock=True, deadline=time.monotonic() + seconds, with_spacer=False)


def test_an_invariant_counts_only_when_its_failures_were_asked_about(monkeypatch):
    def runs_out(*_args, **_options):
        raise OutOfTime

    monkeypatch.setattr(proving, "left_open", runs_out)
    found = proved(form(Fails))
    assert found.invariant is None
    assert not found.is_inductive  # else every property that it says nothing about would hold


def test_a_solver_that_says_that_nothing_is_wrong_is_noticed(monkeypatch):
    system = form(Fails)
    nothing = InductiveInvariant({system.initial_location: ()})
    assert certification.checked(system, nothing, deadlock=True)[1] is Verdict.REJECTED
    monkeypatch.setattr(Z3Prover, "ask", lambda *_: True)
    _, verdict, why = certification.checked(system, nothing, deadlock=True)
    assert verdict is Verdict.REJECTED
    assert "x = 600" in why


def test_a_solver_that_knows_nothing_proves_nothing(monkeypatch):
    monkeypatch.setattr(Z3Prover, "ask", lambda *_: None)
    found = proved(form(Squares))
    assert found.invariant is None
    system = form(Squares)
    trivial = InductiveInvariant({system.initial_location: ()})
    assert certification.checked(system, trivial, deadlock=True)[1] is Verdict.INCOMPLETE


def test_numbers_that_grow_without_end_do_not_fill_the_memory():
    found = proved(form(Squares))
    assert found.invariant is not None
    assert found.states < 100


def test_what_a_reader_would_refuse_is_no_proof():
    system = form(Large)
    found = proved(system)
    if found.invariant is not None:
        InductiveInvariant.from_json(found.invariant.as_json(system), system)


def test_numbers_without_room_are_told():
    found = proved(form(Wide))
    assert found.invariant is None
    assert "64 bits" in found.still_open[0]


def test_a_prover_that_dies_leaves_it_undecided(tmp_path, monkeypatch):
    path = tmp_path / "model.pml"
    path.write_text("int x; active proctype P() { do :: x < 100000 -> x++ :: else -> x = 0 od }")
    (tmp_path / "dying.py").write_text(
        "import os, signal\ndef work(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("assay.search.symbolic_jobs.WORK_PROOF", "dying:work")
    result = assay.verify(str(path), search="invariants", timeout_seconds=20)
    assert result.verdict == "incomplete"
    assert not any(str(one.standing) == "holds" for one in result.properties)


def test_what_is_added_and_cannot_be_proved_says_nothing_about_the_certificate(tmp_path):
    path = tmp_path / "model.pml"
    path.write_text("byte x; active proctype P() { do :: x < 10 -> x++ :: else -> x = 0 od }")
    certificate = tmp_path / "proof.assay"
    assert assay.verify(str(path), search="invariants", certificate=certificate).verdict == "verified"
    with pytest.raises(OptionProblem, match="added"):
        assay.certify(str(path), certificate, step_invariants=["next.x != x"])
