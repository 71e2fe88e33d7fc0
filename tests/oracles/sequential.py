"""Runs a program once, from beginning to end, as CPython would: how the machine is compared with CPython.

Threads run one after the other, each at once when it is started; nothing is explored.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from assay import _engine
from assay.languages.python.compiler import compile_program

OF_THE_MACHINE = "_assay"  # a module that only the engine has


@dataclass(frozen=True, slots=True)
class Run:
    """What a program printed, and the last line of the traceback if it ended with an exception."""

    output: str
    error: str | None


def run(path: str | Path) -> Run:
    """Runs the program in the machine. Raises SourceProblem for what is not modelled."""
    program = compile_program(Path(path))
    modules: dict[str, object] = {
        name: import_module(name) for name in program.native_modules if name != OF_THE_MACHINE
    }
    return Run(*_engine.run_python_sequentially(program, modules))
