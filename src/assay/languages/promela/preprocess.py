"""A model file -> one text without comments, macros and directives, and the files it came from.

SPIN hands every model to the C preprocessor (`gcc -std=gnu99 -E -x c`). We run
the same one, but in a fence: a time limit, a limit on its output, and no include
path except the folder of the including file. A text that the preprocessor would
only copy is not sent through it; then every column is exact for free.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.languages.promela.lexer import marked_files, without_comments
from assay.languages.promela.syntax import Location, SourceFile
from assay.transition_system.interface import SourceProblem

TIMEOUT_SECONDS = 10.0
SIZE_LIMIT_BYTES = 64 * 1024 * 1024

# Directives, continued lines and the names that gcc defines by itself.
_NEEDS_PREPROCESSOR = re.compile(r"#|%:|\\\r?\n|\b(?:unix|linux|i386|__\w+)\b|_Pragma")
_DEFINE = re.compile(r"[A-Za-z_]\w*(?:\([\w, .]*\))?(?:=.*)?\Z", re.DOTALL | re.ASCII)
_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<message>.*)$", re.MULTILINE
)
_PLAIN_ERROR = re.compile(r"^.*?error: (?P<message>.*)$", re.MULTILINE)
_INCLUDE_VARIABLES = frozenset(
    ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "DEPENDENCIES_OUTPUT"]
)


@dataclass(frozen=True, slots=True)
class PreprocessedText:
    """`text` keeps the preprocessor's line markers (`# 12 "file"`) if it ran."""

    text: str
    file: str
    sources: tuple[SourceFile, ...]
    preprocessor_ran: bool


def preprocess(path: Path, defines: Sequence[str] = ()) -> PreprocessedText:
    """Read a model and everything it includes. Raises SourceProblem for whatever is wrong."""
    file = str(path)
    if file.startswith("-"):
        file = f"./{file}"
    main = _read(file)
    for define in defines:
        if _DEFINE.match(define) is None:
            raise SourceProblem(
                f"expected a definition NAME or NAME=VALUE, got {define!r}", where=Location(file, 1, 1)
            )
    if not defines and _NEEDS_PREPROCESSOR.search(main.text) is None:
        return PreprocessedText(without_comments(main.text, file), file, (main,), False)
    text = _run_preprocessor(file, defines)
    included = tuple(_read(name) for name in marked_files(text) if name != file and not name.startswith("<"))
    return PreprocessedText(text, file, (main, *included), True)


def decode(content: bytes) -> str:
    """UTF-8, or Latin-1 for the models of the nineties: only comments and strings can differ."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _read(file: str) -> SourceFile:
    where = Location(file, 1, 1)
    try:
        with open(file, "rb", opener=_open_without_waiting) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise SourceProblem("cannot read this: not a regular file", where=where)
            content = stream.read(SIZE_LIMIT_BYTES + 1)
    except OSError as problem:
        raise SourceProblem(f"cannot read this file: {problem.strerror}", where=where) from None
    except ValueError:  # a zero byte in the name
        raise SourceProblem("cannot read this file: not a file name", where=where) from None
    if len(content) > SIZE_LIMIT_BYTES:
        raise SourceProblem(f"the file is larger than {SIZE_LIMIT_BYTES // 1024 // 1024} MiB", where=where)
    return SourceFile(path=file, sha256=hashlib.sha256(content).hexdigest(), text=decode(content))


def _open_without_waiting(file: str, flags: int) -> int:
    return os.open(file, flags | os.O_NONBLOCK)  # a named pipe must not make us wait


def _run_preprocessor(file: str, defines: Sequence[str]) -> str:
    where = Location(file, 1, 1)
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SourceProblem(
            "this model needs the C preprocessor, and no C compiler was found",
            where=where,
            hint="install gcc",
        )
    command = [compiler, "-std=gnu99", "-E", "-x", "c", "-nostdinc", "-fno-diagnostics-show-caret"]
    command += [f"-D{define}" for define in defines]
    environment = {name: value for name, value in os.environ.items() if name not in _INCLUDE_VARIABLES}
    environment["LC_ALL"] = "C"
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as diagnostics:
        try:
            child = subprocess.Popen(
                [*command, file],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=diagnostics,
                env=environment,
                start_new_session=True,  # the compiler driver has a child of its own
            )
        except (OSError, ValueError) as problem:
            raise SourceProblem(f"cannot run the C preprocessor: {problem}", where=where) from None
        try:
            _wait(child, output.fileno(), where)
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        if child.returncode != 0:
            diagnostics.seek(0)
            raise _problem_of(decode(diagnostics.read(1 << 20)), where)
        output.seek(0)
        return decode(output.read(SIZE_LIMIT_BYTES))


def _wait(child: subprocess.Popen[bytes], output: int, where: Location) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    pause = 0.001
    while child.poll() is None:
        if os.fstat(output).st_size > SIZE_LIMIT_BYTES:
            break
        if time.monotonic() > deadline:
            raise SourceProblem(
                f"the C preprocessor did not finish within {TIMEOUT_SECONDS:g} seconds", where=where
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    if os.fstat(output).st_size > SIZE_LIMIT_BYTES:
        raise SourceProblem(
            f"the preprocessed model is larger than {SIZE_LIMIT_BYTES // 1024 // 1024} MiB", where=where
        )


def _problem_of(diagnostics: str, where: Location) -> SourceProblem:
    found = _DIAGNOSTIC.search(diagnostics)
    if found is not None:
        where = Location(found["file"], int(found["line"]), int(found["column"] or 1))
        return SourceProblem(found["message"].strip(), where=where)
    plain = _PLAIN_ERROR.search(diagnostics)
    message = plain["message"].strip() if plain is not None else "the C preprocessor failed"
    return SourceProblem(message, where=where)
