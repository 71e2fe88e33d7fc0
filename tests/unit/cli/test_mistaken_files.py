"""A trace where a certificate is expected, swapped arguments: named, with the command that was meant."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.cli.mistaken_files import CERTIFICATE, TRACE, kind_of

MODEL = "byte x; active proctype P() { x = 1; assert(x == 0) }\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.pml").write_text(MODEL)
    (tmp_path / "m.trace.json").write_text('{\n "format": "assay-trace",\n "version": 1}')
    (tmp_path / "m.assay").write_bytes(b"\x89ASSAY\r\n" + bytes(40))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            "verify m.trace.json",
            "is a trace of a counterexample, no program: walk through it with assay replay",
        ),
        ("verify m.assay", "m.assay is a certificate, no program: check it with assay certify"),
        ("certify m.pml m.trace.json", "m.trace.json is a trace of a counterexample: walk through it with"),
        ("certify m.assay m.pml", "the program comes first: assay certify m.pml m.assay"),
        ("replay m.trace.json m.pml", "the program comes first: assay replay m.pml m.trace.json"),
        ("replay m.pml m.assay", "m.assay is a certificate: check it with assay certify"),
        ("certify m.pml m.pml", "m.pml is a program: check it with assay verify"),
        ("inspect m.pml", "m.pml is a program: check it with assay verify"),
        ("replay m.pml m.pml", "m.pml is a program: check it with assay verify"),
        ("replay m.pml gone.json", "trace: expected a file, got gone.json, which is none"),
    ],
)
def test_what_was_given_and_what_was_meant_is_said(folder, capsys, arguments, sentence):
    with pytest.raises(SystemExit) as left:
        main(arguments.split())
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err


PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def heed_permissions():
    """In a child: even root may then read only what its permissions allow."""
    libc = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        *(
            "verify no.pml",
            "verify no.py",
            "verify no.py:Model",
            "swarm no.pml",
            "replay no.pml m.trace.json",
        ),
        *("replay m.pml no.json", "certify no.pml m.assay", "certify m.pml no.assay", "inspect no.assay"),
        "certify m.pml m.assay --key no.pub",
    ],
)
def test_what_nobody_may_read_is_unusable_in_every_command(folder, arguments):
    assay.verify("m.pml", invariants=[], check_deadlock=False, trace="m.trace.json")
    (folder / "m.pml").write_text("byte x; active proctype P() { x = 1 }\n")
    assay.verify("m.pml", certificate="m.assay")
    name = next(one for one in arguments.split() if one.startswith("no.")).removesuffix(":Model")
    (folder / name).write_bytes((folder / f"m{Path(name).suffix}").read_bytes() if ".pml" in name else b"")
    (folder / name).chmod(0)
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", *arguments.split()]
    done = subprocess.run(command, check=False, capture_output=True, text=True, preexec_fn=heed_permissions)
    assert done.returncode == 2, done
    assert "Permission denied" in done.stderr or "is not readable" in done.stderr


def test_other_files_are_left_to_those_who_read_them(folder):
    os.mkfifo(folder / "pipe")
    assert [kind_of(name) for name in ("m.assay", "m.trace.json", "m.pml", "pipe", ".", "gone")] == [
        *(CERTIFICATE, TRACE),
        *("", "", "", ""),
    ]
