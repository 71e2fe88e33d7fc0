"""Generated C -> a shared object, by the C compiler of this machine.

Equal text is compiled once per machine, if it can be kept (`kept`): what is kept is known by the text, the
compiler, its flags and the interface to the engine. It is read once, and what is run is a sealed copy of what
was read.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from assay.transition_system.interface import SourceProblem
from assay.transition_system.kept import Cache
from assay.transition_system.native_interface import HEADER, include_directory
from assay.transition_system.sealed_file import SealedFile

COMPILER_FLAGS = (
    *("-O1", "-fPIC", "-shared", "-fwrapv", "-fno-strict-aliasing", "-w", "-std=gnu11"),
    # Whoever opens a model has the C library already, and linking without it takes a quarter of the time.
    "-nostdlib",
    # What takes the compiler time and gains the search nothing.
    *("-pipe", "-fno-tree-dominator-opts", "-fno-tree-loop-optimize", "-fno-tree-pta"),
)
COMPILE_SECONDS = 600
ANSWER_SECONDS = 60
LONGEST_ANSWER = 1 << 16
# A command line of `-###`: that of cc1, where the compiler is gcc.
_INNER_PROGRAM = re.compile(r'^ "?(?P<file>/[^"\n ]+)', re.MULTILINE)
# What changes the result of a compiler behind the back of its arguments.
_OF_COMPILERS = frozenset(
    "CPATH COMPILER_PATH LIBRARY_PATH DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES SOURCE_DATE_EPOCH".split()
)


def environment() -> Mapping[str, str]:
    """That of this process, without what would make a compiler read or write other files."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _OF_COMPILERS and not name.startswith("GCC_") and not name.endswith("_INCLUDE_PATH")
    }
    return kept | {"LC_ALL": "C"}


class SharedObject:
    """What the compiler makes of a text: there at once if it was made before, else when it is asked for.

    Until then the compiler works beside this process, which has other things to do.
    """

    def __init__(self, found: bytes | _Compiler, keep: Callable[[bytes], None]) -> None:
        self._file = SealedFile(found) if isinstance(found, bytes) else None
        self._compiler = None if isinstance(found, bytes) else found
        self._keep = keep

    @property
    def path(self) -> Path:
        if self._file is None:
            assert self._compiler is not None
            library = self._compiler.result()
            self._keep(library)
            self._file, self._compiler = SealedFile(library), None
        return self._file.path


def compile_model(text: str) -> SharedObject:
    """The shared object that the compiler makes of a text, or has made of it before."""
    found = _found()
    header = (include_directory() / HEADER).read_text(encoding="utf-8")
    made_from = json.dumps([text, header, COMPILER_FLAGS, _identity(found), platform.machine()])
    cache = Cache.of_this_user("models")
    key = hashlib.sha256(made_from.encode("utf-8", "surrogatepass")).hexdigest()
    library = cache.find(key) if cache else None
    if library is not None:
        return SharedObject(library, lambda _: None)
    return SharedObject(
        _Compiler(found, text), lambda made: cache.keep(key, made) if cache is not None else None
    )


def _found() -> str:
    compiler = os.environ.get("CC", "cc")
    found = shutil.which(compiler)
    if found is None:
        raise SourceProblem(
            f"no C compiler '{compiler}' found", hint="install gcc, or set CC to a C compiler"
        )
    return found


class _Compiler:
    """A compiler at work. It ends with this object, whether or not anybody waits for it."""

    def __init__(self, compiler: str, text: str) -> None:
        private = tempfile.TemporaryDirectory(prefix="assay-compile-")
        self._library = Path(private.name, "model.so")
        command = [compiler, *COMPILER_FLAGS, f"-I{include_directory()}"]
        command += ["-o", str(self._library), "-x", "c", "-", "-lgcc"]
        try:
            with _unnamed(text.encode("utf-8")) as source, _unnamed() as errors:
                self._process = subprocess.Popen(
                    command, stdin=source, stdout=subprocess.DEVNULL, stderr=errors, env=environment()
                )
                self._errors = os.fdopen(os.dup(errors.fileno()), "rb")
        except OSError as problem:
            private.cleanup()
            raise SourceProblem(
                f"the C compiler '{compiler}' cannot be run: {problem.strerror}", hint="set CC to another"
            ) from None
        self._end = weakref.finalize(self, _end, self._process, self._errors, private)

    def result(self) -> bytes:
        try:
            status = self._process.wait(COMPILE_SECONDS)
            if status != 0:
                self._errors.seek(0)
                words = self._errors.read(2000).decode(errors="replace")
                raise RuntimeError(f"the generated C does not compile:\n{words}")
            return self._library.read_bytes()
        except subprocess.TimeoutExpired:
            raise SourceProblem(
                f"compiling the model takes more than {COMPILE_SECONDS} seconds",
                hint="make the model smaller",
            ) from None
        finally:
            self._end()


def _unnamed(content: bytes = b"") -> BinaryIO:
    """A file in memory, at its beginning: a pipe would have to be filled while the compiler reads."""
    file = os.fdopen(os.memfd_create("compiler"), "w+b")
    file.write(content)
    file.seek(0)
    return file


def _end(
    process: subprocess.Popen[bytes], errors: BinaryIO, private: tempfile.TemporaryDirectory[str]
) -> None:
    process.kill()
    process.wait()
    errors.close()
    private.cleanup()


def ask_what_it_is() -> None:
    """Begins to ask the compiler, which has to be known before anything that it made is found again."""
    with contextlib.suppress(SourceProblem, OSError):
        _asked(*_file_of(_found()))


def _identity(compiler: str) -> object:
    """Changes when a compiler is exchanged: its files, and what it says of itself."""
    file, size, changed = _file_of(compiler)
    return [file, size, changed, *_asked(file, size, changed).answer]


def _file_of(compiler: str) -> tuple[str, int, int]:
    file = Path(compiler).resolve()
    status = file.stat()
    return str(file), status.st_size, status.st_mtime_ns


@functools.lru_cache(maxsize=16)
def _asked(file: str, _size: int, _changed: int) -> _Question:
    return _Question(file)


class _Question:
    """What would you run, and which version are you? The answer is there when somebody wants it."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._answer = _unnamed()
        self._process: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                [file, "-###", "-S", "-x", "c", "-o", "/dev/null", "/dev/null"],
                stdin=subprocess.DEVNULL,
                stdout=self._answer,
                stderr=subprocess.STDOUT,
                env=environment(),
            )

    @functools.cached_property
    def answer(self) -> Sequence[str]:
        words = ""
        if self._process is not None:
            try:
                self._process.wait(ANSWER_SECONDS)
                self._answer.seek(0)
                words = self._answer.read(LONGEST_ANSWER).decode(errors="replace")
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._answer.close()
        answers = [hashlib.sha256(Path(self._file).read_bytes()).hexdigest(), words]
        if inner := _INNER_PROGRAM.search(words):
            with contextlib.suppress(OSError, ValueError):
                status = Path(inner["file"]).resolve(strict=True).stat()
                answers.append(f"{status.st_size} {status.st_mtime_ns}")
        return answers
