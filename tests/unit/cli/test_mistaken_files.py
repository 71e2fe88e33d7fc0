"""A trace where a certificate is expected, swapped arguments: named, with the command that was meant."""

import os

import pytest

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
        ("replay m.pml gone.json", "trace: expected a file, got gone.json, which is none"),
    ],
)
def test_what_was_given_and_what_was_meant_is_said(folder, capsys, arguments, sentence):
    with pytest.raises(SystemExit) as left:
        main(arguments.split())
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err


def test_other_files_are_left_to_those_who_read_them(folder):
    os.mkfifo(folder / "pipe")
    assert [kind_of(name) for name in ("m.assay", "m.trace.json", "m.pml", "pipe", ".", "gone")] == [
        *(CERTIFICATE, TRACE),
        *("", "", "", ""),
    ]
