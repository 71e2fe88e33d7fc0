"""A function of a Python file instead of a whole program."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import FunctionType

from assay import languages
from assay.evidence.result import Result
from assay.transition_system.interface import SourceProblem
from assay.verification.compiled import verify_compiled
from assay.verification.request import Request


def verify_function(path: Path, call: str, request: Request) -> Result:
    result, _, _ = verify_compiled(
        path, request, load=lambda path, options: languages.load_call(path, call, options)
    )
    return result


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
