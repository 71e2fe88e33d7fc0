"""Certificates of what holds on runs that never end: made, checked, and told."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import assay
from assay.certification import certify
from assay.cli.certificates import inspect
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.verdict import Verdict

LOOP = """
byte x; bool done;
active proctype P() { do :: x < 3 -> x++ :: x >= 3 -> x = 0 od }
active proctype Q() { done = true }
ltl finally { <> done }
ltl bounded { [] (x <= 3) }
"""
ENDING = """
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> break od }
ltl stays { <> [] (x == 3) }
ltl comes { [] (x == 1 -> <> x == 2) }
"""
LABELS = """
byte x;
active proctype P() {
accept_first:
  x = 0;
  do
  :: x < 3 -> progress_a: x++
  :: x >= 3 -> x = 0
  od
}
active proctype Q() { x = 0 }
"""
NEVER = """
byte x;
active proctype P() { do :: x = 1 - x od }
never { do :: x > 1 -> break :: else od }
"""

PROGRAMS = {
    "fair": (LOOP, {"fair": True}),
    "picked": (LOOP, {"ltl": ("bounded",)}),
    "ending": (ENDING, {}),
    "two at once": (ENDING, {"ltl": ("(<> x == 2) && (<> x == 1) && [] <> (x == 3)",)}),
    "accept and progress": (LABELS, {"progress": True}),
    "fair progress": (LABELS, {"progress": True, "fair": True}),
    "never": (NEVER, {}),
}


def certified(directory, name, *, coding="fast"):
    text, options = PROGRAMS[name]
    model, certificate = directory / "model.pml", directory / "model.assay"
    model.write_text(text)
    result = assay.verify(model, certificate=certificate, certificate_coding=coding, **options)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    return model, certificate


def asked(name):
    return {key: value for key, value in PROGRAMS[name][1].items() if key != "progress"}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("mode", ["authenticated", "explained"])
def test_what_was_verified_is_certified(tmp_path, name, mode):
    model, certificate = certified(tmp_path, name)
    result = certify(model, certificate, mode=mode, **asked(name))
    assert (result.verdict, result.reasons) == (Verdict.VERIFIED, ())
    with CertificateFile(certificate) as file:
        assert file.header.temporal is not None
        parts = file.header.temporal.parts
    assert [(one.kind, one.text, one.states) for one in result.temporal] == [
        (part.kind, part.text, part.states) for part in parts
    ]
    assert all(one.fair == PROGRAMS[name][1].get("fair", False) for one in result.temporal)


def test_a_printed_script_says_that_it_is_not_all(tmp_path):
    model, certificate = certified(tmp_path, "ending")
    shown = CliRunner().invoke(
        inspect, [str(certificate), "--script", "--program", str(model)], standalone_mode=False
    )
    assert shown.exception is None
    last = shown.output.splitlines()[-1]
    assert last == "Of the states; what the 2 temporal parts say of products with automata is not printed."
