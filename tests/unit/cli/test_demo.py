"""The demo ends as it tells, and its forger forges one entry and nothing else."""

import re

from assay.cli.demo import forge_one_entry, run_demo
from assay.evidence.certificate.container import CertificateFile
from assay.verification import verify


def test_the_demo_verifies_breaks_certifies_and_catches_a_liar(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert run_demo() == 0
    shown = capsys.readouterr().out
    assert re.findall(r"^\$ (.*)$", shown, re.MULTILINE) == [
        "assay verify alternating_bit.pml --certificate alternating_bit.assay",
        "assay verify broken_mutex.pml",
        "assay certify alternating_bit.pml alternating_bit.assay",
        "assay certify alternating_bit.pml forged.assay --quiet",
    ]
    assert re.findall(r"^(verified|violated|rejected) ", shown, re.MULTILINE) == [
        "verified",
        "violated",
        "verified",
        "rejected",
    ]
    assert "a wrong certificate passes with probability below 2^-179" in shown
    assert "refers to state 559 but leads to state 542" in shown
    assert not list(tmp_path.glob("assay-demo-*"))


def test_the_forger_changes_one_byte_before_compression(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    honest, forged = tmp_path / "honest.assay", tmp_path / "forged.assay"
    (tmp_path / "counter.pml").write_text("byte n; active [2] proctype p() { do :: n = (n + 1) % 5 od }\n")
    verify("counter.pml", certificate=honest)
    forge_one_entry(honest, forged)
    with CertificateFile(honest) as before, CertificateFile(forged) as after:
        assert before.header == after.header
        sections = [
            b"".join(frame.start + frame.bits + frame.ids + frame.counts for frame in file.frames())
            for file in (before, after)
        ]
    assert sum(a != b for a, b in zip(*sections, strict=True)) == 1
