"""What was made once and is kept for the next run: a convenience, never a reason to fail.

Nothing that lies in the cache is believed because it lies there. An entry begins with a code that only this
user can make, with a secret that lies elsewhere, over the whole content and over the key, which has to say
all that it was made from.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import stat
import tempfile
from pathlib import Path

CODE_BYTES = 32  # of the code at the beginning of an entry, and of the secret
LARGEST_ENTRY_BYTES = 256 << 20


class Cache:
    """What earlier runs made, each in a file of its own."""

    def __init__(self, directory: Path, secret: bytes) -> None:
        self._directory = directory
        self._secret = secret

    @classmethod
    def of_this_user(cls, kind: str) -> Cache | None:
        """None where nothing can be kept, or kept apart from others."""
        try:
            secret = _secret_of_this_user(_home("XDG_STATE_HOME", ".local/state") / "cache-secret")
            directory = _home("XDG_CACHE_HOME", ".cache") / kind
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
        code, made = content[:CODE_BYTES], content[CODE_BYTES:]
        return made if hmac.compare_digest(code, self._code(key, made)) else None

    def keep(self, key: str, content: bytes) -> None:
        with contextlib.suppress(OSError):
            descriptor, name = tempfile.mkstemp(dir=self._directory, suffix=".part")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(self._code(key, content) + content)
                Path(name).replace(self._file(key))
            except OSError:
                Path(name).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self._directory / f"{key}.kept"

    def _code(self, key: str, content: bytes) -> bytes:
        return hmac.digest(self._secret, bytes.fromhex(key) + content, "sha256")


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
