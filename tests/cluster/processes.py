"""Real Dask clusters on this machine: a scheduler that knows nothing of Assay, and workers, each a
process."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
# Whatever becomes of a test, its cluster goes with it.
DIE_TOO = "import ctypes; ctypes.CDLL(None).prctl(1, 9, 0, 0, 0); "
# The scheduler of somebody's cluster knows nothing of Assay.
SCHEDULER = (
    DIE_TOO
    + "import sys; sys.modules['assay'] = None; from distributed.cli.dask_scheduler import main; main()"
)
WORKER = DIE_TOO + "from distributed.cli.dask_worker import main; main()"
OPTIONS = ("--no-nanny", "--no-dashboard", "--nthreads", "1")
PATIENCE_SECONDS = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Processes:
    """A cluster whose processes can be killed, and joined by others."""

    def __init__(self, workers: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="assay-test-dask-")
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen] = []
        try:
            self.start_scheduler()
            for _ in range(workers):
                self.add_worker()
            self.await_workers(workers)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
        self._folder.cleanup()

    def _start(self, *command: str, environment: dict[str, str] | None = None) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self._folder.name,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | (environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start_scheduler(self) -> None:
        self.scheduler = self._start(
            "-c", SCHEDULER, "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"
        )
        patience = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < patience:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.05)
        raise AssertionError("the scheduler does not start")

    def add_worker(self, *, environment: dict[str, str] | None = None) -> subprocess.Popen:
        worker = self._start("-c", WORKER, self.address, *OPTIONS, environment=environment)
        self.workers.append(worker)
        return worker

    def kill_worker(self, worker: subprocess.Popen) -> None:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        self.workers.remove(worker)

    def kill_scheduler(self) -> None:
        """Its workers leave when it is gone."""
        self.scheduler.kill()
        self.scheduler.wait()
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.workers.clear()

    def await_workers(self, count: int) -> None:
        from distributed import Client

        patience = time.monotonic() + PATIENCE_SECONDS
        with Client(self.address, timeout=60, set_as_default=False) as client:
            while len(client.scheduler_info(n_workers=-1)["workers"]) < count:
                assert time.monotonic() < patience, "the workers do not start"
                time.sleep(0.1)
