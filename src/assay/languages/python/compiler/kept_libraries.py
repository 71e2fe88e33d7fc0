"""What was compiled of a library, kept for the next run of this user (`assay.transition_system.kept`).

Most of a small program is the libraries that it is compiled with, and they are the same every time. What is
kept is known by the text of the library, by this compiler (its files) and by the version of Python.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
import sys
from pathlib import Path
from typing import Any

from assay.transition_system.kept import Cache

MOST_CODES = 32  # of one library; programs differ in what its code depends on
HERE = Path(__file__).parent


@functools.cache
def _compiler() -> str:
    """Changes when a file of the compiler does."""
    files = sorted([*HERE.glob("*.py"), *HERE.parent.glob("*.py")])
    stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return repr([sys.version, stats])


@functools.cache
def _cache() -> Cache | None:
    return Cache.of_this_user("libraries")


class KeptLibrary:
    """By question: whatever was found out about a library."""

    def __init__(self, file: str, text: str) -> None:
        made_from = repr([file, text, _compiler()])
        self._key = hashlib.sha256(made_from.encode("utf-8", "surrogatepass")).hexdigest()
        self.answers: dict[Any, Any] = {}
        cache = _cache()
        content = cache.find(self._key) if cache is not None else None
        if content is not None:
            # Only this user can have written it. What another version of a class cannot read is made again.
            with contextlib.suppress(Exception):
                self.answers = pickle.loads(content)  # noqa: S301 (see above)

    def keep(self, question: object, answer: object) -> None:
        if len(self.answers) >= MOST_CODES:
            self.answers = {}
        self.answers[question] = answer
        cache = _cache()
        if cache is not None:
            cache.keep(self._key, pickle.dumps(self.answers, protocol=5))


@functools.lru_cache(maxsize=64)
def kept_library(file: str, text: str) -> KeptLibrary:
    return KeptLibrary(file, text)
