"""Opens the image of a Python program: in child processes, whose hashes are fixed."""

from __future__ import annotations

import gc
import os
import pickle
import platform
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from assay import _engine
from assay.languages.python.code import Program
from assay.transition_system.interface import Opening, SourceProblem

TELLS_OF_INVARIANTS = "assay"  # a program that does not import it has none


def forget_surroundings() -> None:
    """What the environment of this process says must not decide what a program does: no claim names it."""
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    os.environ["TZ"] = "UTC0"
    time.tzset()
    ours = {Path(_engine.__file__).resolve().parents[1], Path(__file__).resolve().parents[3]}
    given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    foreign = {Path(entry).resolve() for entry in given} - ours
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() not in foreign]


def open_image(opening: Opening, *, key: bytes = b"") -> _engine.Model:
    """The machine with a program in it.

    With a `key`, states are digests of their content, which are the same in every process that has the key;
    otherwise they are numbers of this process. Refuses where hashes of texts are random: the order of sets,
    and so the program's steps, would differ from process to process.
    """
    if sys.flags.hash_randomization:
        raise SourceProblem(
            "a Python program runs only in a process with PYTHONHASHSEED=0",
            hint="set it before Python starts",
        )
    forget_surroundings()
    with Path(opening.file).open("rb") as file:
        image: dict[str, Any] = pickle.load(file)  # noqa: S301 (our own front end wrote it)
    if image["python"] != platform.python_version():
        raise SourceProblem(
            f"the image was made by Python {image['python']}, this is {platform.python_version()}",
            where=opening.file,
        )
    # Steps make and drop many small objects; what exists by now stays.
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    program: Program = image["program"]
    for module in program.modules:  # dataclasses and their like look for the module of a class
        if not module.file.startswith("<"):
            sys.modules.setdefault(module.name, ModuleType(module.name))
    return _engine.PythonMachine(
        program,
        image["granularity"],
        key=key,
        invariants=any(module.name == TELLS_OF_INVARIANTS for module in program.modules),
        **image["watch"],
    )
