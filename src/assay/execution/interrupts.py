"""Interrupts that end a search must not end what comes after it: the result that was found.

Before anything was found an interrupt is an exception, as everywhere in Python. From `hold` on it is noted,
and whoever waits for a search asks for it with `take`; what is noted after that is dropped, because
the work is over in a moment. `release`, at the latest the end of the outermost `scope`, makes
interrupts exceptions again. A signal that was ignored when the process started (a shell does so with
its background jobs) stays ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object]

_before: dict[int, Handler] = {}
_noted = 0
_scopes = 0


@contextmanager
def scope() -> Iterator[None]:
    """Whatever is held inside is released at the end of the outermost scope."""
    global _scopes  # noqa: PLW0603 (signal handlers belong to the whole process)
    _scopes += 1
    try:
        yield
    finally:
        _scopes -= 1
        if not _scopes:
            release()


def keep() -> None:
    """No end of a scope releases anything any more: for a process that ends with its result."""
    global _scopes  # noqa: PLW0603
    _scopes += 1


def hold() -> None:
    if _before or threading.current_thread() is not threading.main_thread():
        return  # held already, or nobody interrupts this thread
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if callable(handler):
            _before[number] = handler
            signal.signal(number, _note)


def release() -> None:
    global _noted  # noqa: PLW0603
    if threading.current_thread() is not threading.main_thread():
        return
    _noted = 0
    while _before:
        number, handler = _before.popitem()
        signal.signal(number, handler)


def take() -> bool:
    """Whether there was an interrupt since the last one that was taken."""
    global _noted  # noqa: PLW0603
    if not _noted:
        return False
    _noted -= 1
    return True


def _note(_signal: int, _frame: FrameType | None) -> None:
    global _noted  # noqa: PLW0603
    _noted += 1
