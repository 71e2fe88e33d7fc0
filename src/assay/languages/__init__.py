"""From source text to transition systems.

One entry per file suffix; the front end is imported when a program needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from assay.transition_system.interface import CompiledProgram, LanguageOptions, SourceProblem

# suffix -> module with a function `load(path, options) -> CompiledProgram`
FRONT_ENDS = {
    ".pml": "assay.languages.promela.program",
    ".pm": "assay.languages.promela.program",
    ".prm": "assay.languages.promela.program",
    ".prom": "assay.languages.promela.program",
    ".promela": "assay.languages.promela.program",
    ".py": "assay.languages.python.program",
    ".spin": "assay.languages.promela.program",
}


def load(path: Path, options: LanguageOptions) -> CompiledProgram:
    """Compile a program; refuse what no front end understands."""
    if not path.exists():
        raise SourceProblem("expected a program, got a path that does not exist", where=path)
    if path.is_dir():
        raise SourceProblem("expected a program, got a directory", where=path)
    front_end = FRONT_ENDS.get(path.suffix.lower())
    if front_end is None:
        known = ", ".join(sorted(FRONT_ENDS))
        raise SourceProblem(
            f"expected a program ending in {known}, got {path.suffix or 'no suffix'}",
            where=path,
        )
    compile_program = cast(Callable[[Path, LanguageOptions], CompiledProgram], import_module(front_end).load)
    return _told_in_sentences(path, lambda: compile_program(path, options))


def load_call(path: Path, call: str, options: LanguageOptions) -> CompiledProgram:
    """A call of a function of a Python file; in the call, the file is called `module`."""
    if path.suffix != ".py":
        raise SourceProblem("expected a Python file", where=path)
    from assay.languages.python import program

    return _told_in_sentences(path, lambda: program.load_call(path, call, options))


def _told_in_sentences(path: Path, compile_program: Callable[[], CompiledProgram]) -> CompiledProgram:
    try:
        return compile_program()
    except RecursionError:
        raise SourceProblem("the program is nested too deeply to be read", where=path) from None
    except UnicodeDecodeError as problem:
        raise SourceProblem(
            f"expected text, got a byte that is none ({problem.reason})", where=path
        ) from None
    except OSError as problem:
        if problem.filename is None or Path(str(problem.filename)) != path:
            raise
        raise SourceProblem(f"the program cannot be read: {problem.strerror}", where=path) from None
