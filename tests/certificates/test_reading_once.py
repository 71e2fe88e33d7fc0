"""Certificates, keys and programs that somebody changes while they are checked."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import pytest

import assay
from assay import checker
from assay.certification import coordinator
from assay.cli.main import main
from assay.evidence import signature
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.signature import generate_keys, sign

GOOD = "active proctype P() { byte x; do :: x < 3 -> x++ :: else -> break od; assert(x == 3) }\n"
BROKEN = GOOD.replace("x == 3", "x == 2")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A good program with its certificate, signed; keys of two people."""
    monkeypatch.chdir(tmp_path)
    Path("m.pml").write_text(GOOD)
    assert assay.verify("m.pml", certificate="m.assay").verdict is assay.Verdict.VERIFIED
    for name in ("own", "other"):
        generate_keys(Path(f"{name}.pem"), Path(f"{name}.pub"))
    sign(Path("m.assay"), Path("own.pem"), Path("m.assay.sig"))
    return tmp_path


def other_certificate() -> bytes:
    Path("o.pml").write_text(f"byte more;\n{GOOD}")
    assay.verify("o.pml", certificate="o.assay", reductions=())
    return Path("o.assay").read_bytes()


@pytest.mark.parametrize("how", ["in place", "another file", "nothing"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_certificate_that_is_exchanged_after_its_signature_was_checked_is_rejected(
    here, monkeypatch, how, workers
):
    other = other_certificate()
    real = signature.verify

    def then_exchanged(*arguments):
        signed = real(*arguments)
        if how == "in place":
            Path("m.assay").write_bytes(other)
        elif how == "another file":
            Path("m.assay").unlink()
            Path("m.assay").write_bytes(other)
        return signed

    monkeypatch.setattr(signature, "verify", then_exchanged)
    result = assay.certify("m.pml", "m.assay", mode="trusted", trusted_keys=["own.pub"], workers=workers)
    if how == "nothing":
        assert result.verdict is assay.Verdict.VERIFIED
    else:
        assert (result.verdict, result.reasons) == (
            assay.Verdict.REJECTED,
            ("the file changed while it was read",),
        )


def test_no_signer_is_told_for_a_file_that_was_not_signed(here, monkeypatch):
    """The signed file is there while its signature is checked, and another one before and after."""
    honest, other = Path("m.assay").read_bytes(), other_certificate()
    Path("m.assay").write_bytes(other)
    real = signature.verify

    def with_the_signed_one_in_its_place(*arguments):
        Path("m.assay").write_bytes(honest)
        try:
            return real(*arguments)
        finally:
            Path("m.assay").write_bytes(other)

    monkeypatch.setattr(signature, "verify", with_the_signed_one_in_its_place)
    result = assay.certify("o.pml", "m.assay", mode="trusted", trusted_keys=["own.pub"])
    assert (result.verdict, result.signed_by) == (assay.Verdict.REJECTED, None)
    assert result.reasons[0].startswith("the signature is about another file")


def test_every_part_of_an_opened_certificate_is_what_was_digested(here):
    """Bytes are changed in place, one frame or part at a time, after the file was opened."""
    honest = Path("m.assay").read_bytes()
    with CertificateFile(Path("m.assay")) as file:
        header, digest, offset = file.header, file.sha256, file.offsets[0]
        for position in (20, offset, offset + 3, len(honest) - 60, len(honest) - 1):
            changed = bytearray(honest)
            changed[position] ^= 1
            Path("m.assay").write_bytes(changed)
            assert (file.header, file.sha256) == (header, digest)
            with contextlib.suppress(CertificateProblem):
                assert file.frame_bytes(0) == honest[offset : offset + file.records[0].length]


@pytest.mark.parametrize("mode", ["authenticated", "explained", "trusted"])
def test_a_key_is_checked_wherever_it_is_given(here, mode):
    more = {"trust_unsigned": True} if mode == "trusted" else {}
    known = assay.certify("m.pml", "m.assay", mode=mode, trusted_keys=["own.pub"], **more)
    assert (known.verdict, len(known.signed_by)) == (assay.Verdict.VERIFIED, 64)
    unknown = assay.certify("m.pml", "m.assay", mode=mode, trusted_keys=["other.pub"], **more)
    assert (unknown.verdict, unknown.signed_by) == (assay.Verdict.REJECTED, None)
    assert "is by a given key" in unknown.reasons[0]
    with pytest.raises(ValueError, match=r"key: expected a file, got none\.pub, which is none"):
        assay.certify("m.pml", "m.assay", mode=mode, trusted_keys=["none.pub"], **more)
    Path("m.assay.sig").unlink()
    unsigned = assay.certify("m.pml", "m.assay", mode=mode, trusted_keys=["own.pub"], **more)
    assert unsigned.reasons == ("m.assay.sig cannot be read: No such file or directory",)


def command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    assert isinstance(left.value.code, int)
    return left.value.code


def test_the_command_checks_keys_too(here, capsys):
    assert command("certify", "m.pml", "m.assay", "--key", "own.pub") == 0
    assert "signed by key" in capsys.readouterr().out
    assert command("certify", "m.pml", "m.assay", "--key", "other.pub") == 4
    assert command("certify", "m.pml", "m.assay", "--signature", "m.assay.sig") == 2
    assert command("certify", "m.pml", "m.assay", "--trust-unsigned") == 2
    Path("e.json").write_text("{}")
    assert command("certify", "m.pml", "e.json", "--key", "own.pub") == 2
    assert "--key is for certificates" in capsys.readouterr().err


@pytest.fixture
def exchanging_compiler(here, monkeypatch):
    """A `gcc` that puts the good program in the place of the broken one before it does its work."""
    Path("bin").mkdir()
    shutil.copy("m.pml", "good.pml")
    for name in ("gcc", "cc"):
        wrapper = Path("bin", name)
        # Not when it is only asked what it is, which happens before anybody has read the program.
        wrapper.write_text(
            f'#!/bin/sh\n[ "$1" = "-###" ] || cp {here}/good.pml {here}/m.pml\n'
            f'exec {shutil.which("gcc")} "$@"\n'
        )
        wrapper.chmod(0o700)
    monkeypatch.setenv("PATH", f"{here}/bin:{os.environ['PATH']}")


def test_a_program_that_is_exchanged_before_it_is_compiled_is_rejected(here, exchanging_compiler):
    Path("m.pml").write_text(f"#define A 1\n{BROKEN}")
    result = assay.certify("m.pml", "m.assay")
    assert (result.verdict, result.reasons) == (
        assay.Verdict.REJECTED,
        ("the certificate is about another program text: m.pml differs",),
    )
    Path("m.pml").write_text(f"#define A 1\n{BROKEN}")
    with pytest.raises(checker.Rejected, match="is another program"):
        checker.check(Path("m.pml"), Path("m.assay"))


def test_a_program_that_changes_before_added_properties_are_compiled_is_rejected(here, monkeypatch):
    from assay import languages

    real, calls = languages.load, []

    def changing(path, options, **more):
        calls.append(path)
        if len(calls) == 2:
            Path("m.pml").write_text(BROKEN)
        return real(path, options, **more)

    monkeypatch.setattr(languages, "load", changing)
    assert coordinator is not None
    result = assay.certify("m.pml", "m.assay", invariants=["true"])
    assert (result.verdict, result.reasons) == (
        assay.Verdict.REJECTED,
        ("the program changed while it was read",),
    )


CLASS = """\
class Counter:
    def initial_states(self): return [0]
    def enabled(self, state): return ["up"] if state < 3 else []
    def step(self, state, action): return state + 1
    def may_end(self, state): return state == LAST
LAST = 3
"""


def test_a_class_that_changes_under_a_worker_is_not_executed(here, monkeypatch):
    Path("c.py").write_text(CLASS)
    assay.verify("c.py:Counter", certificate="c.assay")
    real = coordinator.load_for

    def then_exchanged(*arguments):
        program = real(*arguments)
        Path("c.py").write_text(f"open('touched', 'w')\n{CLASS}")
        return program

    monkeypatch.setattr(coordinator, "load_for", then_exchanged)
    result = assay.certify("c.py:Counter", "c.assay")
    assert (result.verdict, Path("touched").exists()) == (assay.Verdict.REJECTED, False)


def test_a_pipe_in_the_place_of_a_file_makes_nobody_wait(here):
    os.mkfifo("pipe.assay")
    os.mkfifo("pipe.pml")
    with pytest.raises(Exception, match=r"pipe\.assay"):
        assay.certify("m.pml", "pipe.assay")
    with pytest.raises(Exception, match=r"pipe\.assay"):
        checker.check(Path("m.pml"), Path("pipe.assay"))
    assert assay.certify("pipe.pml", "m.assay").verdict is assay.Verdict.REJECTED
    with pytest.raises(Exception, match=r"pipe\.pml"):
        checker.check(Path("pipe.pml"), Path("m.assay"))
