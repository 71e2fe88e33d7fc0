"""Every test has a time limit that names it: a test that waits for ever fails, and the others go on.

The limit is generous, so that it says nothing about a busy machine. A process beside the tests keeps the
time, because tests fork, and a process that forks has no threads. When time is over it sends a
signal, and the exception that this raises ends whatever waits. A test that cannot even be
interrupted is aborted: pytest then prints where every thread stands.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 1200.0
SECONDS_TO_GIVE_IN = 60.0

_keeper: subprocess.Popen | None = None


class TimeLimitReached(BaseException):
    """No Exception: nothing that a test tries may take it for what it expects."""


@contextmanager
def limited(name: str, seconds: float) -> Iterator[None]:
    def interrupt(_signal: int, _frame: object) -> None:
        raise TimeLimitReached(f"{name} takes more than {seconds:.0f} seconds")

    _tell(f"{seconds}")
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        yield
    finally:
        _tell("done")
        signal.signal(signal.SIGUSR1, before)


def stop() -> None:
    global _keeper  # noqa: PLW0603
    if _keeper is not None:
        _keeper.stdin.close()
        _keeper.wait()
        _keeper = None


def _tell(line: str) -> None:
    global _keeper  # noqa: PLW0603 (one for each process that runs tests)
    if _keeper is None:
        # What comes a moment too late goes nowhere.
        signal.signal(signal.SIGUSR1, lambda *_: None)
        command = [sys.executable, __file__, str(os.getpid())]
        _keeper = subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0)
    _keeper.stdin.write(line.encode() + b"\n")
    _keeper.stdin.flush()


def keep_time(tests: int) -> None:
    """Limits begin and end on standard input, the inner ones first; its end is the end of the tests."""
    pending = b""
    limits: list[tuple[float, int]] = []  # when, and what is sent then
    while True:
        wait = None if not limits else max(0.0, limits[-1][0] - time.monotonic())
        if not select.select([0], [], [], wait)[0]:
            _, number = limits.pop()
            limits.append((time.monotonic() + SECONDS_TO_GIVE_IN, signal.SIGABRT))
            os.kill(tests, number)
            continue
        said = os.read(0, 1 << 16)
        if not said:
            return
        *lines, pending = (pending + said).split(b"\n")
        for line in lines:
            if line == b"done":
                limits.pop()
            else:
                limits.append((time.monotonic() + float(line), signal.SIGUSR1))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_time(int(sys.argv[1]))
