"""A function of a Python file instead of a whole program."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import FunctionType

from assay.transition_system.interface import SourceProblem


def call_of(function: FunctionType) -> tuple[Path, str]:
    """The file and the call; refuses what cannot be called from outside of this process."""
    name = function.__qualname__
    file = inspect.getsourcefile(function)
    if file is None or not Path(file).is_file():
        raise SourceProblem(f"{name} stands in no file", hint="put it into one: its text is what is verified")
    where = f"{file}:{function.__code__.co_firstlineno}"
    if function.__closure__:
        used = ", ".join(function.__code__.co_freevars)
        raise SourceProblem(
            f"{name} uses variables of the function around it ({used})",
            where=where,
            hint="move it to the level of the module",
        )
    if not all(part.isidentifier() for part in name.split(".")) or "." in name:
        raise SourceProblem(
            f"{name} cannot be named from outside", where=where, hint="move it to the level of the module"
        )
    needed = [p.name for p in inspect.signature(function).parameters.values() if is_needed(p)]
    if needed:
        raise SourceProblem(
            f"{name} needs arguments ({', '.join(needed)})",
            where=where,
            hint="verify a function without any that calls it",
        )
    return Path(file), f"module.{name}()"


def is_needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind not in {
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    }
