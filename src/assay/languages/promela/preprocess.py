"""A model file -> one text without comments, macros and directives, and the files it came from.

SPIN hands every model to the C preprocessor (`gcc -std=gnu99 -E -x c`). We run the same one, so that
what it makes of a model is a function of the files whose hashes are told, and of nothing else:

- every file is read once. The preprocessor sees private copies of what was read: the model comes on its
  standard input, the files it includes lie in a directory of our own, and whatever else it opened is
  refused. Which files these are, it says itself, in a run before whose text is thrown away;
- what a compiler, a machine or a clock define (`__GNUC__`, `linux`, `__TIME__`, `__has_include` ...) is
  refused wherever it would be used;
- there is a limit on its time, its memory and its output, and no include path except the folder of the
  including file.

A text that the preprocessor would only copy is not sent through it; then every column is exact for free.
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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from assay.languages.promela.compiler import environment
from assay.languages.promela.lexer import LINE_MARKER, unescape, without_comments
from assay.languages.promela.syntax import Location, SourceFile
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem

TIMEOUT_SECONDS = 10.0
SIZE_LIMIT_BYTES = 64 * 1024 * 1024
MEMORY_LIMIT_KIB = 4 * 1024 * 1024
MOST_INCLUDED = 1000  # files

# Directives, continued lines and the names that gcc defines by itself.
_NEEDS_PREPROCESSOR = re.compile(r"#|%:|\\\r?\n|\b(?:unix|linux|i386|__\w+)\b|_Pragma")
# What embedded C includes of the system is for the compiler of that C: as in SPIN, `\\#` stays until then.
_OF_SYSTEM = re.compile(rb"^([ \t]*)#([ \t]*include[ \t]*<)", re.MULTILINE)
_MAY_INCLUDE = re.compile(r"include|import|embed")
_CONTINUED = re.compile(r"\\[ \t\f\v]*\r?\n")
_DEFINE = re.compile(r"[A-Za-z_]\w*(?:\([\w, .]*\))?(?:=[^\x00-\x1f\x7f]*)?\Z", re.ASCII)
_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<message>.*)$", re.MULTILINE
)
_PLAIN_ERROR = re.compile(r"^.*?error: (?P<message>.*)$", re.MULTILINE)
_POISONED = re.compile(r"attempt to use (?:a )?poisoned (?:identifier)?(?:\"(?P<name>\w+)\")?")
_PREDEFINED = re.compile(r"^#define (\w+)", re.MULTILINE)
_RESERVED = re.compile(r"\b(?:[A-Za-z]\w*|__\w+)\b")
# What is left of a compiler's own macros after `-undef`, besides `__LINE__`.
_NEVER_USED = (
    "__DATE__ __TIME__ __TIMESTAMP__ __FILE__ __FILE_NAME__ __BASE_FILE__ __COUNTER__ __INCLUDE_LEVEL__ "
    "__STDC__ __STDC_HOSTED__ __STDC_VERSION__ __has_include __has_include_next __has_embed __has_attribute "
    "__has_cpp_attribute __has_c_attribute __has_declspec_attribute __has_builtin __has_constexpr_builtin "
    "__has_feature __has_extension __has_warning __is_identifier __building_module _Pragma"
).split()
_STANDARD_INPUT = "<stdin>"
_NOT_A_NAME = re.compile(r"[\x00-\x1f\x7f\\]|\A<")


@dataclass(frozen=True, slots=True)
class PreprocessedText:
    """`text` keeps the preprocessor's line markers (`# 12 "file"`) if it ran."""

    text: str
    file: str
    sources: tuple[SourceFile, ...]
    preprocessor_ran: bool


@dataclass(frozen=True, slots=True)
class _Content:
    """A file as it was read, once."""

    data: bytes
    sha256: str

    def named(self, path: str) -> SourceFile:
        return SourceFile(path=path, sha256=self.sha256, text=decode(self.data))


def preprocess(
    path: Path, defines: Sequence[str] = (), *, meanwhile: Callable[[], object] = lambda: None
) -> PreprocessedText:
    """Read a model and everything it includes. Raises SourceProblem for whatever is wrong.

    `meanwhile` is called while the preprocessor works, if it has to.
    """
    file = str(path)
    if file.startswith("-"):
        file = f"./{file}"
    content = _read(file)
    main = content.named(file)
    for define in defines:
        if _DEFINE.match(define) is None:
            raise SourceProblem(
                f"expected a definition NAME or NAME=VALUE, got {define!r}", where=Location(file, 1, 1)
            )
    if not defines and _NEEDS_PREPROCESSOR.search(main.text) is None:
        return PreprocessedText(without_comments(main.text, file), file, (main,), False)
    return _Preprocessor(file, content, defines, meanwhile).run()


def decode(content: bytes) -> str:
    """UTF-8, or Latin-1 for the models of the nineties: only comments and strings can differ."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _read(file: str) -> _Content:
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
    return _Content(content, hashlib.sha256(content).hexdigest())


def read_source(name: str) -> SourceFile:
    """A file that is part of a model, read once."""
    return _read(name).named(name)


def _open_without_waiting(file: str, flags: int) -> int:
    return os.open(file, flags | os.O_NONBLOCK)  # a named pipe must not make us wait


class _Preprocessor:
    """One model on its way through the C preprocessor."""

    def __init__(
        self, file: str, main: _Content, defines: Sequence[str], meanwhile: Callable[[], object]
    ) -> None:
        self._file = file
        self._main = main
        self._defines = defines
        self._meanwhile = meanwhile
        self._where = Location(file, 1, 1)
        self._folder = os.path.dirname(file)  # noqa: PTH120 (as the user wrote it)
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            raise SourceProblem(
                "this model needs the C preprocessor, and no C compiler was found",
                where=self._where,
                hint="install gcc",
            )
        self._compiler = os.path.abspath(compiler)  # noqa: PTH100 (it runs in another directory)

    def run(self) -> PreprocessedText:
        included: dict[str, _Content] = {}
        if _MAY_INCLUDE.search(_CONTINUED.sub("", decode(self._main.data))):
            included = self._read_included()
        poison = self._poison(included)
        with tempfile.TemporaryDirectory(prefix="assay-preprocess-") as private:
            folder = self._copied(included, private)
            text, opened = self._preprocess(folder, poison)
            for name in opened:
                if name not in included:
                    self._require_inside(name)
                    raise SourceProblem(f"{name!a} changed while the model was read", where=self._where)
        names = {name: self._shown(name) for name in opened}
        sources = {os.path.normpath(self._file): self._main.named(self._file)}
        for name, shown in names.items():
            sources.setdefault(os.path.normpath(shown), included[name].named(shown))
        text = _with_names(text, {_STANDARD_INPUT: self._file, **names})
        return PreprocessedText(text, self._file, tuple(sources.values()), True)

    def _read_included(self) -> dict[str, _Content]:
        """What the model includes, by the name under which the preprocessor would open it.

        This run reads the files themselves, which may change at any time: only the names it tells are used.
        Files of the model may include files of the system, for their C: then those must be found in this run.
        """
        try:
            _, names = self._preprocess(self._folder or ".", self._poison({}), only_names=True)
        except SourceProblem as problem:
            if "no include path" not in problem.message:
                raise
            _, names = self._preprocess(self._folder or ".", (), only_names=True, with_system=True)
        if len(names) > MOST_INCLUDED:
            raise SourceProblem(f"the model includes more than {MOST_INCLUDED:,} files", where=self._where)
        included: dict[str, _Content] = {}
        total = len(self._main.data)
        for name in names:
            if _NOT_A_NAME.search(name):
                raise SourceProblem(
                    f"included files must not have a name like {name!a}", where=self._where, hint="rename it"
                )
            self._require_inside(name)
            shown = self._shown(name)
            is_main = os.path.normpath(shown) == os.path.normpath(self._file)
            included[name] = self._main if is_main else _read(shown)
            total += len(included[name].data)
            if total > SIZE_LIMIT_BYTES:
                raise SourceProblem(
                    f"the model and its files are larger than {SIZE_LIMIT_BYTES // 1024 // 1024} MiB",
                    where=self._where,
                )
        return included

    def _require_inside(self, name: str) -> None:
        """Refuses names that lead out of a copy of the folders, wherever that lies."""
        depth = len(Path(os.path.abspath(self._folder)).parts) - 1  # noqa: PTH100 (links keep their names)
        for part in name.split("/"):
            depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
            if depth < 0 or name.startswith("/"):
                raise SourceProblem(
                    f"{name!a} is included by its absolute path",
                    where=self._where,
                    hint="name included files from the folder of the file that includes them",
                )

    def _shown(self, name: str) -> str:
        """A file that the preprocessor names from the model's folder, as the user would name it."""
        return os.path.join(self._folder, name)  # noqa: PTH118 (pathlib would change it)

    def _copied(self, included: Mapping[str, _Content], private: str) -> str:
        """Puts copies where the same names lead to them; answers the folder to run in."""
        here = os.path.abspath(self._folder)  # noqa: PTH100 (links keep their names)
        written: dict[str, bytes] = {}
        for name, content in included.items():
            target = os.path.normpath(os.path.join(here, name))  # noqa: PTH118
            if written.setdefault(target, content.data) != content.data:
                raise SourceProblem(
                    f"{name!a} and another include are one file by name, and two by symbolic links",
                    where=self._where,
                    hint="include files without links between folders",
                )
        for target in (here, *(os.path.dirname(target) for target in written)):  # noqa: PTH120
            os.makedirs(private + target, exist_ok=True)  # noqa: PTH103
        for target, data in written.items():
            Path(private + target).write_bytes(_OF_SYSTEM.sub(rb"\1\\#\2", data))
            os.utime(private + target, (0, 0))  # `#pragma once` looks at it
        return private + here

    def _poison(self, included: Mapping[str, _Content]) -> Sequence[str]:
        """The names that must not be used: those that only a compiler could give a meaning."""
        texts = [decode(content.data) for content in (self._main, *included.values())]
        mentioned = {
            name for text in (*texts, *self._defines) for name in _RESERVED.findall(_CONTINUED.sub("", text))
        }
        if not any(name.startswith("__") or name in {"unix", "linux", "i386"} for name in mentioned):
            return _NEVER_USED
        command = ["-std=gnu99", "-E", "-dM", "-x", "c", "-"]
        predefined = _PREDEFINED.findall(decode(self._run(command, "/", b"")))
        return [*_NEVER_USED, *sorted(mentioned.intersection(predefined) - {*_NEVER_USED, "__LINE__"})]

    def _preprocess(
        self, folder: str, poison: Sequence[str], *, only_names: bool = False, with_system: bool = False
    ) -> tuple[str, list[str]]:
        """The text that the preprocessor makes of the model in a folder, and the files that it opened."""
        prologue = f'# 1 "{_STANDARD_INPUT}"\n'
        if poison:
            prologue = f"#pragma GCC poison {' '.join(poison)}\n{prologue}"
        data = self._main.data if with_system else _OF_SYSTEM.sub(rb"\1\\#\2", self._main.data)
        with tempfile.NamedTemporaryFile(prefix="assay-names-") as names:
            command = ["-std=gnu99", "-E", "-x", "c", "-fno-diagnostics-show-caret"]
            command += ["-MMD"] if with_system else ["-nostdinc", "-undef", "-Werror=deprecated", "-MD"]
            command += ["-MF", names.name, "-MT", "model"]
            command += [f"-D{define}" for define in self._defines]
            text = self._run([*command, "-"], folder, prologue.encode() + data, keep=not only_names)
            return decode(text), dependencies(os.fsdecode(names.read()))

    def _run(self, arguments: Sequence[str], folder: str, text: bytes, *, keep: bool = True) -> bytes:
        limited = ["/bin/sh", "-c", f'ulimit -v {MEMORY_LIMIT_KIB}; exec "$@"', "sh", self._compiler]
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as output,
            tempfile.TemporaryFile() as diagnostics,
        ):
            given.write(text)
            given.seek(0)
            try:
                child = subprocess.Popen(
                    [*limited, *arguments],
                    stdin=given,
                    stdout=output,
                    stderr=diagnostics,
                    cwd=folder,
                    env=environment(),
                    start_new_session=True,  # the compiler driver has a child of its own
                )
            except (OSError, ValueError) as problem:
                raise SourceProblem(f"cannot run the C preprocessor: {problem}", where=self._where) from None
            try:
                self._meanwhile()
                self._wait(child, output.fileno())
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
            if child.returncode != 0:
                diagnostics.seek(0)
                raise self._problem_of(decode(diagnostics.read(SIZE_LIMIT_BYTES)))
            output.seek(0)
            return output.read(SIZE_LIMIT_BYTES) if keep else b""

    def _wait(self, child: subprocess.Popen[bytes], output: int) -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        pause = 0.001
        while child.poll() is None:
            if os.fstat(output).st_size > SIZE_LIMIT_BYTES:
                break
            if time.monotonic() > deadline:
                raise SourceProblem(
                    f"the C preprocessor did not finish within {TIMEOUT_SECONDS:g} seconds", where=self._where
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        if os.fstat(output).st_size > SIZE_LIMIT_BYTES:
            raise SourceProblem(
                f"the preprocessed model is larger than {SIZE_LIMIT_BYTES // 1024 // 1024} MiB",
                where=self._where,
            )

    def _problem_of(self, diagnostics: str) -> SourceProblem:
        found = _DIAGNOSTIC.search(diagnostics)
        if found is None:
            plain = _PLAIN_ERROR.search(diagnostics)
            message = plain["message"].strip() if plain is not None else "the C preprocessor failed"
            return SourceProblem(message, where=self._where)
        file = self._file if found["file"] == _STANDARD_INPUT else self._shown(found["file"])
        where = Location(file, int(found["line"]), int(found["column"] or 1))
        message = found["message"].strip()
        poisoned = _POISONED.match(message)
        if poisoned is not None:
            return SourceProblem(
                f"{poisoned['name'] or 'a name used here'} depends on the compiler or the machine, "
                "and no model may",
                where=where,
                hint="use a macro of your own, and give it with -D",
            )
        return SourceProblem(message, where=where)


def dependencies(text: str) -> list[str]:
    """The files in a rule for make, as gcc writes it. Names with a backslash come out wrong: refuse them."""
    _, _, files = text.partition(":")
    names = re.findall(r"(?:[^\s\\]|\\[^\n])+", files.replace("\\\n", " "))
    found = dict.fromkeys(re.sub(r"\\([ \t#])", r"\1", name).replace("$$", "$") for name in names)
    return list(found)


def _with_names(text: str, names: Mapping[str, str]) -> str:
    """The text with other file names in its line markers."""

    def renamed(marker: re.Match[str]) -> str:
        name = unescape(marker["file"])
        if name not in names:
            return marker[0]
        escaped = names[name].replace("\\", "\\\\").replace('"', '\\"')
        escaped = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\{ord(found[0]):03o}", escaped)
        return f'# {marker["line"]} "{escaped}"'

    return LINE_MARKER.sub(renamed, text)
