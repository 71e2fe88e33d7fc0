"""Reads the small files of strangers: whole, once, and without waiting for anybody."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular_file(path: Path, limit: int) -> bytes:
    """Raises `OSError` for what is no regular file, and `ValueError` for one that is longer than `limit`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a named pipe must not make us wait
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{path} is longer than {limit:,} bytes")
    return content
