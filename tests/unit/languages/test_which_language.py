"""What a file is written in: its name says so, or the caller, or its text."""

from pathlib import Path

import pytest

from assay import languages, verify
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem

MODEL = "/* a lock */ active proctype P() { assert(true) }\n"


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("model.txt", MODEL, "promela"),
        ("model", "mtype = { a }\ninit {\n  skip }\n", "promela"),
        ("model.py.bak", MODEL, "promela"),
        ("script", "#!/usr/bin/env python3\nx = 1\n", "python"),
        ("prose.txt", "init is a word, and so is proctype.\n", None),
        ("empty", "", None),
        ("binary", "\0\1\2", None),
    ],
)
def test_a_text_is_taken_for_what_it_looks_like(tmp_path, name, text, language):
    (tmp_path / name).write_text(text)
    assert languages.guessed(tmp_path / name) == language
    if language is None:
        with pytest.raises(SourceProblem, match="say what it is with --language"):
            languages.load(tmp_path / name, LanguageOptions())


def test_what_is_no_file_is_not_read(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    assert languages.guessed(tmp_path / "pipe") is None
    assert languages.guessed(Path("/nowhere")) is None


def test_the_caller_knows_best(tmp_path):
    (tmp_path / "odd.py").write_text(MODEL)
    found = verify(tmp_path / "odd.py", language="promela")
    assert found.verdict is Verdict.VERIFIED
    assert found.language == "promela"
    with pytest.raises(OptionProblem, match="language: expected one of c, promela, python, got 'cobol'"):
        verify(tmp_path / "odd.py", language="cobol")


def test_a_trace_of_such_a_program_replays(tmp_path):
    from assay import replay

    (tmp_path / "odd.py").write_text("byte x; active proctype P() { x = 1; assert(x == 0) }\n")
    found = verify(tmp_path / "odd.py", language="promela", trace=tmp_path / "t.json")
    assert found.verdict is Verdict.VIOLATED
    run = replay(tmp_path / "odd.py", tmp_path / "t.json")
    assert run.violation.kind == "assertion"
