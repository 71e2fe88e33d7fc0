"""From source text to transition systems.

One entry per file suffix; the front end is imported when a program needs it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from assay.transition_system.interface import Program, SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem

# language -> module with a function `load(path, options) -> Program`
FRONT_ENDS = {
    "c": "assay.languages.c.program",
    "promela": "assay.languages.promela.loading",
    "python": "assay.languages.python.program",
}
SUFFIXES = {
    ".c": "c",
    ".i": "c",
    ".pml": "promela",
    ".pm": "promela",
    ".prm": "promela",
    ".prom": "promela",
    ".promela": "promela",
    ".py": "python",
    ".spin": "promela",
}


LOOKED_AT_BYTES = 1 << 20  # to guess a language


class AnotherText(Exception):
    """The file is not the one that was asked for; it was not executed. Tells its name."""


def load(path: Path, options: LanguageOptions, *, sha256: str | None = None) -> Program:
    """Compile a program; refuse what no front end understands.

    A class is executed when it is loaded, only if its file has that `sha256` where one is given.
    """
    if names_a_class(str(path)):
        from assay.languages import handwritten

        options.require_those_of(handwritten.LANGUAGE)
        system = handwritten.load(str(path), sha256=sha256, certified=options.portable)
        return handwritten.ClassProgram(system, options)
    if not path.exists():
        raise SourceProblem("expected a program, got a path that does not exist", where=path)
    if path.is_dir():
        raise SourceProblem("expected a program, got a directory", where=path)
    language = options.language or SUFFIXES.get(path.suffix.lower()) or guessed(path)
    if language is None:
        known = ", ".join(sorted(SUFFIXES))
        raise SourceProblem(
            f"expected a program ending in {known}, got {path.suffix or 'no suffix'}",
            where=path,
            hint="say what it is with --language",
        )
    if language not in FRONT_ENDS:
        raise OptionProblem(f"language: expected one of {', '.join(FRONT_ENDS)}, got {language!r}")
    options.require_those_of(language)
    front_end = import_module(FRONT_ENDS[language])
    compile_program = cast(Callable[[Path, LanguageOptions], Program], front_end.load)
    return _told_in_sentences(path, lambda: compile_program(path, options))


def guessed(path: Path) -> str | None:
    """What the text of a file looks like. Whatever is compiled then is read once more, and hashed."""
    try:
        with open(path, "rb", opener=lambda file, flags: os.open(file, flags | os.O_NONBLOCK)) as file:
            text = file.read(LOOKED_AT_BYTES) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return None
    if re.match(rb"#!.*\bpython", text):
        return "python"
    return "promela" if re.search(rb"\bproctype\s+\w|\binit\s*\{", text) else None


def load_object(system: object, options: LanguageOptions) -> Program:
    """An object of this process that has the methods of a transition system."""
    from assay.languages import handwritten

    options.require_those_of(handwritten.LANGUAGE)
    if options.portable:
        raise OptionProblem(
            "certificate: it is about the text of a program; name the class as model.py:ClassName"
        )
    return handwritten.ClassProgram(
        handwritten.HandwrittenSystem(system, name=type(system).__name__), options
    )


def names_a_class(program: str) -> bool:
    """`model.py:ClassName`"""
    file, colon, name = program.rpartition(":")
    return bool(colon) and file.endswith(".py") and name.isidentifier()


def load_call(path: Path, call: str, options: LanguageOptions) -> Program:
    """A call of a function of a Python file; in the call, the file is called `module`."""
    if path.suffix != ".py":
        raise SourceProblem("expected a Python file", where=path)
    options.require_those_of("python")
    from assay.languages.python import program

    return _told_in_sentences(path, lambda: program.load_call(path, call, options))


def _told_in_sentences(path: Path, compile_program: Callable[[], Program]) -> Program:
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
