"""Tries programs on the machine, and on CPython."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from assay.transition_system.interface import SourceProblem
from tests.oracles.exploration import outcomes
from tests.python.hiding.places import HELPER, Place
from tests.python.hiding.programs import Form

REFUSED = frozenset({"refused"})

RUN_ALL = """
import runpy, sys
sys.setswitchinterval(1e-6)
for name in sys.argv[1:]:
    sys.modules.pop("helper_of_places", None)
    try:
        runpy.run_path(name)
    except BaseException as problem:
        print(f"{name}: {type(problem).__name__}: {problem}")
"""


def written(place: Place, form: Form, directory: Path) -> Path:
    """The program in a file, beside the module that some import."""
    (directory / "helper_of_places.py").write_text(HELPER)
    file = directory / f"{place.name}_{form.name}.py"
    file.write_text(form.program(place))
    return file


def endings(place: Place, form: Form, granularity: str = "bytecode") -> frozenset[str]:
    """How the machine says that runs of the program end; `refused` where it says nothing about them."""
    with tempfile.TemporaryDirectory(prefix="assay-hiding-") as directory:
        try:
            found = outcomes(written(place, form, Path(directory)), granularity)
        except SourceProblem:
            return REFUSED
        except RuntimeError as fault:  # of the machine
            return frozenset({str(fault).splitlines()[-1]})
    return frozenset(last_line.partition(":")[0] for _, last_line in found)


def wrong_in_cpython(programs: Iterable[tuple[Place, Form]]) -> list[str]:
    """Which of these programs, which cannot fail, fail in CPython: then the program is wrong."""
    with tempfile.TemporaryDirectory(prefix="assay-hiding-") as directory:
        files = [str(written(place, form, Path(directory))) for place, form in programs]
        done = subprocess.run(
            [sys.executable, "-c", RUN_ALL, *files],
            cwd=directory,
            env={
                **os.environ,
                "ASSAY_CHOOSE": "first",
                "PYTHONPATH": os.pathsep.join([directory, *sys.path]),
            },
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout.splitlines()
