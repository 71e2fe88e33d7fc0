"""Ends work that has no time limit of its own."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


class OutOfTime(KeyboardInterrupt):
    """Like an interrupt, and no Exception: no handler on the way out may take it for a mistake."""


@contextmanager
def alarm_at(deadline: float | None) -> Iterator[None]:
    """Raises `OutOfTime` at a reading of `time.monotonic()`, whatever runs then.

    Only the main thread can be interrupted; elsewhere the deadline is for
    the caller to check afterwards.
    """
    if deadline is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def out_of_time(_signal: int, _frame: object) -> None:
        # A file that was opened this moment has no owner yet: it is closed, and nobody need hear of it.
        given_up.enter_context(warnings.catch_warnings(category=ResourceWarning, action="ignore"))
        raise OutOfTime

    with ExitStack() as given_up:
        before = signal.signal(signal.SIGALRM, out_of_time)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, deadline - time.monotonic()))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
