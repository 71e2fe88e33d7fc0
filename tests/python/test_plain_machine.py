"""Compiled programs against CPython: the compiler and the plain machine together do what Python does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.languages.python.compiler import compile_program
from tests.python.plain_machine import run_plainly

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted((HERE / "sequential").glob("*.py"))


def run_in_cpython(path):
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    ended = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, env=environment, check=False, timeout=60
    )
    lines = ended.stderr.strip().splitlines()
    return ended.stdout, lines[-1] if ended.returncode and lines else None


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_plain_machine_prints_what_cpython_prints(path):
    outcome = run_plainly(compile_program(path))
    assert (outcome.output, outcome.error) == run_in_cpython(path)


def test_there_are_programs_to_compare():
    assert len([path for path in PROGRAMS if path.stem.startswith("compiler_")]) >= 9
