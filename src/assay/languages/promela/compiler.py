"""Generated C -> a shared object, by the C compiler of this machine.

Equal text is compiled once per machine, if it can be kept: a cache is a convenience, never a reason
to fail. Nothing that lies in the cache is believed because it lies there. An entry begins with a code that
only this user can make, with a secret that lies elsewhere, over the whole content and over what it was made
from: the text, the compiler, its flags and the interface to the engine. It is read once, and what is
run is a sealed copy of what was read.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import json
import os
import platform
import secrets
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from assay.transition_system.interface import SourceProblem
from assay.transition_system.native_interface import HEADER, include_directory
from assay.transition_system.sealed_file import SealedFile

COMPILER_FLAGS = (
    *("-O1", "-fPIC", "-shared", "-fwrapv", "-fno-strict-aliasing", "-w", "-std=gnu11"),
    # What takes the compiler time and gains the search nothing.
    *("-pipe", "-fno-tree-dominator-opts", "-fno-tree-loop-optimize", "-fno-tree-pta"),
)
COMPILE_SECONDS = 600
CODE_BYTES = 32  # of the code at the beginning of an entry, and of the secret
LARGEST_ENTRY_BYTES = 256 << 20
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


def compile_model(text: str) -> SealedFile:
    """The shared object that the compiler makes of a text, or has made of it before."""
    compiler = os.environ.get("CC", "cc")
    found = shutil.which(compiler)
    if found is None:
        raise SourceProblem(
            f"no C compiler '{compiler}' found", hint="install gcc, or set CC to a C compiler"
        )
    header = (include_directory() / HEADER).read_text(encoding="utf-8")
    made_from = json.dumps([text, header, COMPILER_FLAGS, _identity(found), platform.machine()])
    cache = _Cache.of_this_user()
    key = hashlib.sha256(made_from.encode("utf-8", "surrogatepass")).hexdigest()
    library = cache.find(key) if cache else None
    if library is None:
        library = _compiled(found, text)
        if cache:
            cache.keep(key, library)
    return SealedFile(library)


def _compiled(compiler: str, text: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="assay-compile-") as private:
        library = Path(private, "model.so")
        command = [compiler, *COMPILER_FLAGS, f"-I{include_directory()}", "-o", str(library), "-x", "c", "-"]
        try:
            outcome = subprocess.run(
                command,
                input=text.encode("utf-8"),
                capture_output=True,
                check=False,
                timeout=COMPILE_SECONDS,
                env=environment(),
            )
        except subprocess.TimeoutExpired:
            raise SourceProblem(
                f"compiling the model takes more than {COMPILE_SECONDS} seconds",
                hint="make the model smaller",
            ) from None
        except OSError as problem:
            raise SourceProblem(
                f"the C compiler '{compiler}' cannot be run: {problem.strerror}", hint="set CC to another"
            ) from None
        if outcome.returncode != 0:
            words = outcome.stderr.decode(errors="replace")[:2000]
            raise RuntimeError(f"the generated C does not compile:\n{words}")
        return library.read_bytes()


def _identity(compiler: str) -> object:
    """Changes when a compiler is exchanged: its files, and what it says of itself."""
    file = Path(compiler).resolve()
    status = file.stat()
    return _identity_of(str(file), status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _identity_of(file: str, size: int, changed: int) -> object:
    answers = []
    for question in ("--version", "-print-prog-name=cc1"):
        try:
            asked = subprocess.run(
                [file, question], capture_output=True, check=False, timeout=60, env=environment()
            )
        except (OSError, subprocess.TimeoutExpired):
            answers.append("")
        else:
            answers.append(asked.stdout.decode(errors="replace"))
    inner = Path(answers[1].strip())
    with contextlib.suppress(OSError, ValueError):
        status = inner.resolve(strict=True).stat()
        answers.append(f"{status.st_size} {status.st_mtime_ns}")
    digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return [file, size, changed, digest, *answers]


class _Cache:
    """Compiled models of earlier runs, each in a file of its own."""

    def __init__(self, directory: Path, secret: bytes) -> None:
        self._directory = directory
        self._secret = secret

    @classmethod
    def of_this_user(cls) -> _Cache | None:
        """None where nothing can be kept, or kept apart from others."""
        try:
            secret = _secret_of_this_user(_home("XDG_STATE_HOME", ".local/state") / "cache-secret")
            directory = _home("XDG_CACHE_HOME", ".cache") / "models"
            directory.mkdir(parents=True, exist_ok=True)
        except (OSError, RuntimeError):  # no home, or a full, foreign or read-only one
            return None
        return None if secret is None else cls(directory, secret)

    def find(self, key: str) -> bytes | None:
        try:
            with self._file(key).open("rb") as file:
                content = file.read(LARGEST_ENTRY_BYTES + 1)
        except OSError:
            return None
        code, library = content[:CODE_BYTES], content[CODE_BYTES:]
        return library if hmac.compare_digest(code, self._code(key, library)) else None

    def keep(self, key: str, library: bytes) -> None:
        with contextlib.suppress(OSError):
            descriptor, name = tempfile.mkstemp(dir=self._directory, suffix=".part")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(self._code(key, library) + library)
                Path(name).replace(self._file(key))
            except OSError:
                Path(name).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self._directory / f"{key}.model"

    def _code(self, key: str, library: bytes) -> bytes:
        return hmac.digest(self._secret, bytes.fromhex(key) + library, "sha256")


def _home(variable: str, otherwise: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / otherwise) / "assay"


def _secret_of_this_user(path: Path) -> bytes | None:
    """Read from a file that nobody else can read or has written; made at the first time."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=path.parent)  # readable by its owner alone
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(CODE_BYTES))
            with contextlib.suppress(FileExistsError):
                os.link(name, path)  # whoever comes first, whole
        finally:
            Path(name).unlink()
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        is_own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        if not is_own or status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            return None
        secret = file.read(CODE_BYTES + 1)
    return secret if len(secret) == CODE_BYTES else None
