"""A Dask cluster of processes on this machine, for trying it out: `--cluster local:3`."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from typing import Self

from assay.distribution.interface import ClusterProblem

PREFIX = "local:"
MOST_WORKERS = 256
START_SECONDS = 60.0
LOOK_SECONDS = 0.05
# A process that would outlive us is nobody's.
_PROCESS = (
    "import sys; from assay.execution.dying import die_with_the_parent; "
    "die_with_the_parent(int(sys.argv.pop(1))); "
    "from distributed.cli.{module} import main; main()"
)


def workers_wanted(address: str) -> int | None:
    """How many workers `local:N` asks for; None: it is the address of a scheduler."""
    if not address.startswith(PREFIX):
        return None
    number = address.removeprefix(PREFIX)
    if not number.isdecimal() or not 1 <= int(number) <= MOST_WORKERS:
        raise ClusterProblem(f"expected local:N with N from 1 to {MOST_WORKERS}, got {address!r}")
    return int(number)


class LocalCluster:
    """A scheduler and workers with one thread each. A context manager: nothing of it outlives the block."""

    def __init__(self, workers: int) -> None:
        try:
            import distributed
        except ImportError as missing:
            raise ClusterProblem(
                "a cluster needs Dask, which is not installed: `pip install 'distributed>=2024.8'`"
            ) from missing
        del distributed
        self._processes: list[subprocess.Popen[bytes]] = []
        self._folder = tempfile.TemporaryDirectory(prefix="assay-dask-")
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(self.close)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            self.address = f"tcp://127.0.0.1:{port}"
            self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
            self._await_the_scheduler(port)
            for _ in range(workers):
                self._start("dask_worker", self.address, "--no-nanny", "--no-dashboard", "--nthreads", "1")
            on_failure.pop_all()
        self.workers = workers

    @property
    def processes(self) -> list[int]:
        """The scheduler's number, then those of the workers."""
        return [process.pid for process in self._processes]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for process in reversed(self._processes):
            process.kill()
        for process in self._processes:
            process.wait()
        self._processes.clear()
        self._folder.cleanup()

    def _start(self, module: str, *arguments: str) -> None:
        self._processes.append(
            subprocess.Popen(
                [sys.executable, "-c", _PROCESS.format(module=module), str(os.getpid()), *arguments],
                cwd=self._folder.name,
                env=os.environ | {"DASK_TEMPORARY_DIRECTORY": self._folder.name},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C on a terminal reaches us alone
            )
        )

    def _await_the_scheduler(self, port: int) -> None:
        patience = time.monotonic() + START_SECONDS
        while time.monotonic() < patience:
            if self._processes[0].poll() is not None:
                break
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                return
            time.sleep(LOOK_SECONDS)
        raise ClusterProblem("a Dask scheduler could not be started on this machine")
