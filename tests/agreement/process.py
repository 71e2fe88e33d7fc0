"""Run one command with a deadline, and measure what it used.

SPIN and Assay are measured by the same code, so that their figures compare.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended."""

    returncode: int  # negative: the signal that ended it
    output: str
    errors: str
    seconds: float
    processor_seconds: float
    peak_memory_bytes: int  # of the largest process, children included
    timed_out: bool


def run(
    command: Sequence[str],
    *,
    directory: Path | None = None,
    timeout_seconds: float = 600.0,
    address_space_bytes: int = 0,
    environment: Mapping[str, str] | None = None,
) -> Completed:
    """Run `command` to its end or to the deadline; output goes through files, never through pipes."""
    arguments = list(command)
    if address_space_bytes:
        limit = str(address_space_bytes // 1024)
        arguments = ["/bin/sh", "-c", 'ulimit -v "$0"; exec "$@"', limit, *arguments]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen(
            arguments,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            env={**os.environ, **environment} if environment else None,
        )
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(timeout_seconds, expire)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        return Completed(
            returncode=process.returncode,
            output=output.read().decode(errors="replace"),
            errors=errors.read().decode(errors="replace"),
            seconds=seconds,
            processor_seconds=usage.ru_utime + usage.ru_stime,
            peak_memory_bytes=usage.ru_maxrss * 1024,
            timed_out=expired.is_set(),
        )
