"""A child process that is a copy of this one, for models that exist in this process alone."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from typing import BinaryIO


class Copy:
    """Serves jobs about a model as `worker` does, and has the face of `subprocess.Popen`."""

    def __init__(self, model: object, events: int) -> None:
        theirs, ours = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()  # else both of us would write what is pending
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _be_a_worker(model, theirs, events)
        os.close(theirs)
        self.stdin: BinaryIO = os.fdopen(ours, "wb")

    def poll(self) -> int | None:
        if self.returncode is None:
            self._collect(os.WNOHANG)
        return self.returncode

    def wait(self) -> int:
        while self.returncode is None:
            self._collect(0)
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _collect(self, how: int) -> None:
        try:
            pid, status = os.waitpid(self.pid, how)
        except ChildProcessError:  # somebody else waited for it
            self.returncode = 0
            return
        if pid:
            self.returncode = os.waitstatus_to_exitcode(status)


def _be_a_worker(model: object, orders: int, events: int) -> None:
    """In the copy; never returns. Neither handlers nor what is left to do at exit are the copy's."""
    try:
        os.setpgid(0, 0)  # Ctrl-C on a terminal reaches the parent alone
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.dup2(orders, 0)
        from assay.execution.worker import serve

        serve(os.dup(events), model)
    except BaseException:
        import traceback

        traceback.print_exc(file=io.TextIOWrapper(io.FileIO(2, "w", closefd=False)))
    finally:
        os._exit(1)
