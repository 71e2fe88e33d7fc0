"""Compiled programs against CPython: the compiler and the plain machine together do what Python does."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.languages.python.compiler import LIBRARY, compile_program, library_modules
from tests.python.plain_machine import run_plainly

HERE = Path(__file__).resolve().parent


def run_in_cpython(path):
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    ended = subprocess.run(
        [sys.executable, "-S", str(path)],  # without site, which takes longer than the programs
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=600,
    )
    lines = ended.stderr.strip().splitlines()
    return ended.stdout, lines[-1] if ended.returncode and lines else None


def needs_libraries(path):
    """The libraries wait, choose and start threads; they have tests of their own."""
    names = {
        name
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    return any(name in library_modules(LIBRARY) for name in names)


PROGRAMS = [path for path in sorted((HERE / "sequential").glob("*.py")) if not needs_libraries(path)]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_plain_machine_prints_what_cpython_prints(path):
    outcome = run_plainly(compile_program(path))
    assert (outcome.output, outcome.error) == run_in_cpython(path)


def test_there_are_programs_to_compare():
    assert len([path for path in PROGRAMS if path.stem.startswith("compiler_")]) >= 9
