"""Limits that follow from a claim, what was left out of it, and what a certified class may be made of."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay import checker
from assay.certification import request, sharing_out
from assay.certification.request import default_limits
from assay.evidence.certificate.container import CertificateFile
from assay.transition_system.interface import SourceProblem
from tests.certificates import graph_certificates as forge
from tests.certificates.attacks import Subject
from tests.certificates.graph_certificates import file_bytes


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def circle(states: int) -> Path:
    """A program of two states, and a true certificate of a few bytes that visits them over and over."""
    Path("circle.pml").write_text("active proctype P() { bit x; do :: x = 1 - x od }")
    honest = Subject(Path("circle.pml")).honest()
    frame = forge.RawFrame(
        states=states,
        entries=states,
        references=1,
        start=b"\0",
        bits=((1 << (states - 1)) - 1).to_bytes(states // 8, "little"),
        ids=b"\3",
        counts=bytes(states - 2) + b"\1\0",
    )
    honest.header |= {"states": states, "transitions": states, "references": 1, "depth": states - 1}
    Path("circle.assay").write_bytes(file_bytes(honest.header | {"claim": None}, [frame]))
    return Path("circle.assay")


def test_a_small_file_that_claims_much_gets_little(monkeypatch):
    file = circle(1 << 22)
    assert file.stat().st_size < 4_000
    with CertificateFile(file) as opened:
        limits = default_limits(opened, mode="authenticated")
    assert limits.memory_bytes < 264 << 20
    assert limits.seconds < 150
    enough = assay.certify("circle.pml", file)
    assert (enough.verdict, enough.states) == (assay.Verdict.VERIFIED, 1 << 22)
    assert enough.peak_memory_bytes < limits.memory_bytes + sharing_out.PROCESS_BYTES
    monkeypatch.setattr(request, "BASE_BYTES", 16 << 20)
    result = assay.certify("circle.pml", file)
    assert (result.verdict, result.reasons) == (
        assay.Verdict.INCOMPLETE,
        (
            "a walk would have to keep more than the memory limit allows; that limit follows from the claim "
            "and the size of its file, and --memory sets another",
        ),
    )


def test_limits_that_are_given_are_the_limits():
    result = assay.certify("circle.pml", circle(1 << 16), memory_limit_bytes=1 << 20)
    assert result.reasons == ("a walk would have to keep more than the memory limit allows",)
    assert assay.certify("circle.pml", "circle.assay").verdict is assay.Verdict.VERIFIED


PLAIN = "byte n;\nactive proctype P() { n = 1 }\n"


def test_nothing_is_left_out_of_a_model_without_claims():
    Path("m.pml").write_text(PLAIN)
    assay.verify("m.pml", safety=True, certificate="m.assay")
    result = assay.certify("m.pml", "m.assay")
    assert (result.verdict, result.notes) == (assay.Verdict.VERIFIED, ())
    assert checker.check(Path("m.pml"), Path("m.assay")).notes == ()
    assert result.semantics["safety_only"] is False


def test_what_was_left_out_is_told():
    Path("m.pml").write_text(f"{PLAIN}ltl p {{ <> (n == 1) }}\n")
    assay.verify("m.pml", safety=True, certificate="m.assay")
    assert assay.certify("m.pml", "m.assay").verdict is assay.Verdict.REJECTED
    result = assay.certify("m.pml", "m.assay", safety=True)
    assert (result.verdict, result.notes) == (
        assay.Verdict.VERIFIED,
        ("not looked at: the ltl claim 'p'",),
    )
    assert checker.check(Path("m.pml"), Path("m.assay")).notes == ("not looked at: the ltl claim 'p'",)


CLASS = """\
import math
from helper import LAST
class Counter:
    def initial_states(self): return [0]
    def enabled(self, state): return ["up"] if state < LAST else []
    def step(self, state, action): return state + 1
    def may_end(self, state): return state == LAST
"""


def test_a_certified_class_imports_nothing_that_no_hash_names(here, monkeypatch):
    monkeypatch.syspath_prepend(str(here))
    Path("helper.py").write_text("LAST = 3\n")
    Path("c.py").write_text(CLASS)
    assert assay.verify("c.py:Counter").verdict is assay.Verdict.VERIFIED
    with pytest.raises(SourceProblem, match="a certificate is about one file, and this one imports helper"):
        assay.verify("c.py:Counter", certificate="c.assay")
    Path("c.py").write_text(CLASS.replace("from helper import LAST", "LAST = 3"))
    assay.verify("c.py:Counter", certificate="c.assay")
    assert assay.certify("c.py:Counter", "c.assay").verdict is assay.Verdict.VERIFIED
    Path("other.py").write_bytes(Path("c.py").read_bytes())
    renamed = assay.certify("other.py:Counter", "c.assay")
    assert (renamed.verdict, renamed.notes) == (
        assay.Verdict.VERIFIED,
        ("the certificate calls this text c.py:Counter",),
    )
    assert checker.check(Path("other.py:Counter"), Path("c.assay")).states == 4
