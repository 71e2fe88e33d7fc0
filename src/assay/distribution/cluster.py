"""Runs tasks on a Dask cluster, named by the address of its scheduler.

A Dask worker has each task done in a child process of its own (`LocalProcesses`
with one child): a task that crashes costs the cluster nothing, and a task that is
no longer wanted is ended at once. When a Dask worker dies, Dask gives its tasks to
another. Tasks and outcomes travel as pickles, so that the scheduler needs nothing
of Assay and Dask does not look into them.

Progress travels as events of the scheduler: they cost a worker no round trip, and
what the scheduler keeps of them is bounded.

Results are as trustworthy as the cluster: who runs its workers decides what they
answer.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import queue
import time
import uuid
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

from assay import __version__
from assay.distribution.interface import ClusterProblem, OnLost, OutOfTime, WorkerDied
from assay.distribution.local_cluster import START_SECONDS, LocalCluster, workers_wanted
from assay.distribution.local_processes import LocalProcesses
from assay.records import dataclass

CONNECT_SECONDS = 5.0
TICK_SECONDS = 0.1
PROGRESS_INTERVAL_SECONDS = 0.5
LOOK_FOR_WORKERS_SECONDS = 5.0
WITHOUT_WORKERS_SECONDS = 30.0
ANSWER_SECONDS = 30.0
TOPIC = "assay-progress"


class _Unwanted(Exception):
    """Raised in a Dask worker when nobody waits for its task any more."""


@dataclass(frozen=True, slots=True)
class _Assignment:
    run_name: str
    index: int
    work: str
    task: object
    retries: int
    memory_limit_bytes: int
    fixed_hashes: bool


@dataclass(frozen=True, slots=True)
class _Outcome:
    result: object
    error: Exception | None
    peak_memory_bytes: int


class Cluster:
    """An executor over the workers of a Dask cluster.

    A task is tried again `retries` times when the child process that does it dies,
    and as often when Dask fails to run it. Limits are those of `LocalProcesses`.
    """

    def __init__(
        self,
        address: str,
        *,
        retries: int = 2,
        memory_limit_bytes: int = 0,
        deadline: float | None = None,
        fixed_hashes: bool = False,
    ) -> None:
        self.peak_memory_bytes = 0
        self._address = address
        self._client: Any = None
        self._retries = retries
        self._memory_limit_bytes = memory_limit_bytes
        self._deadline = deadline
        self._fixed_hashes = fixed_hashes
        self._local: LocalCluster | None = None
        wanted = workers_wanted(address)
        if wanted is not None:
            self._local = LocalCluster(wanted)
            address = self._local.address
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(self.close)
            self._client = connect(address)
            if wanted is not None:
                self._client.wait_for_workers(wanted, timeout=START_SECONDS)
            self.workers = self._threads()
            if not self.workers:
                raise ClusterProblem(
                    f"the Dask scheduler at {address} has no workers; start some with `dask worker {address}`"
                )
            on_failure.pop_all()

    def describe(self) -> str:
        return f"the Dask cluster at {self._address} ({self.workers} at a time)"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        if self._local is not None:
            self._local.close()

    def run(
        self,
        work: str,
        tasks: Sequence[object],
        *,
        on_progress: Callable[[int, object], None],
        on_done: Callable[[int, object], None],
        on_lost: OnLost | None = None,
    ) -> list[object]:
        inbox: queue.SimpleQueue[tuple[int, bytes | None]] = queue.SimpleQueue()
        run_name = uuid.uuid4().hex
        results: dict[int, object] = {}
        futures: dict[int, Any] = {}
        workers_seen = next_look = time.monotonic()

        def hear(event: tuple[float, Any]) -> None:
            name, index, progress = event[1]
            if name == run_name:
                inbox.put((index, progress))

        def take(index: int, progress: bytes | None) -> None:
            if index in results:
                return
            if progress is not None:
                on_progress(index, pickle.loads(progress))  # noqa: S301 (our own work wrote it)
                return
            try:
                outcome = self._outcome(index, futures[index])
            except WorkerDied as lost:
                if on_lost is None:
                    raise
                outcome = _Outcome(on_lost(index, lost), None, 0)
            if outcome is None:
                inbox.put((index, None))
                return
            self.peak_memory_bytes = max(self.peak_memory_bytes, outcome.peak_memory_bytes)
            if outcome.error is not None:
                raise outcome.error
            results[index] = outcome.result
            del futures[index]
            on_done(index, outcome.result)

        def look_around(now: float) -> None:
            nonlocal next_look, workers_seen
            if self._deadline is not None and now > self._deadline:
                raise OutOfTime(len(results), len(tasks))
            if now > next_look:
                next_look = now + LOOK_FOR_WORKERS_SECONDS
                if self._threads():
                    workers_seen = now
                elif now > workers_seen + WITHOUT_WORKERS_SECONDS:
                    raise ClusterProblem(f"the Dask scheduler at {self._address} has lost all its workers")

        self._client.subscribe_topic(TOPIC, hear)
        try:
            for index, task in enumerate(tasks):
                future = self._submit(self._assignment(run_name, index, work, task))
                futures[index] = future
                future.add_done_callback(lambda _, index=index: inbox.put((index, None)))
            while len(results) < len(tasks):
                with contextlib.suppress(queue.Empty):
                    take(*inbox.get(timeout=TICK_SECONDS))
                look_around(time.monotonic())
        finally:
            if futures:
                self._client.cancel(list(futures.values()), force=True)
            self._client.unsubscribe_topic(TOPIC)
        return [results[index] for index in range(len(tasks))]

    def _assignment(self, run_name: str, index: int, work: str, task: object) -> bytes:
        return pickle.dumps(
            _Assignment(
                run_name,
                index,
                work,
                task,
                self._retries,
                self._memory_limit_bytes,
                self._fixed_hashes,
            )
        )

    def _submit(self, assignment: bytes) -> Any:
        with warnings.catch_warnings():
            # The scheduler has to keep a task to be able to give it to another worker.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return self._client.submit(
                _function_for_dask(),
                __version__,
                assignment,
                pure=False,
                retries=self._retries,
            )

    def _outcome(self, index: int, future: Any) -> _Outcome | None:
        """None when it does not arrive: its worker may have died with it, and another does it again."""
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        try:
            outcome = pickle.loads(future.result(timeout=ANSWER_SECONDS))  # noqa: S301 (our own work wrote it)
        except TimeoutError:
            return None
        except KilledWorker as killed:
            how = f"{killed.allowed_failures + 1} Dask workers were lost while they did it"
            raise WorkerDied(index, how) from killed
        except CancelledError as error:
            raise ClusterProblem(
                f"the Dask scheduler at {self._address} went away or dropped the tasks"
            ) from error
        except ClusterProblem:
            raise
        except Exception as error:
            raise ClusterProblem(
                f"the Dask cluster at {self._address} could not run a task "
                f"({type(error).__name__}: {error}); install assay-mc {__version__} for all its workers"
            ) from error
        assert isinstance(outcome, _Outcome)
        if isinstance(outcome.error, WorkerDied):
            raise WorkerDied(index, outcome.error.how, outcome.error.cause)
        return outcome

    def _threads(self) -> int:
        try:
            ask = self._client.scheduler.ncores
            return sum(self._client.sync(ask, callback_timeout=ANSWER_SECONDS).values())
        except OSError as error:  # time-outs and lost connections alike
            raise ClusterProblem(f"the Dask scheduler at {self._address} no longer answers") from error


def connect(address: str) -> Any:
    if not address.strip():
        raise ClusterProblem("expected the address of a Dask scheduler, such as tcp://host:8786, got nothing")
    try:
        from distributed import Client
    except ImportError as missing:
        raise ClusterProblem(
            "a cluster needs Dask, which is not installed: `pip install 'distributed>=2024.8'`"
        ) from missing
    # What matters of its troubles becomes an exception here; nobody is served by its tracebacks.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception:
        # One that never came to be would show a traceback at the end.
        Client.__del__ = lambda _client: None  # type: ignore[method-assign]
        raise ClusterProblem(
            f"no Dask scheduler answers at {address}; start one with `dask scheduler` "
            "and give the address that it prints"
        ) from None


def _function_for_dask() -> Callable[[str, bytes], bytes]:
    """A nested function travels as code, so that the scheduler, which unpickles it, can do without Assay."""

    def assay_task(version: str, assignment: bytes) -> bytes:
        from assay.distribution.cluster import do_in_a_child

        return do_in_a_child(version, assignment)

    return assay_task


def do_in_a_child(version: str, pickled_assignment: bytes) -> bytes:
    """What a Dask worker does: the task in a child process; its end is told as a pickled outcome.

    An exception of the task is part of the outcome and not raised: Dask would try again.
    """
    from distributed import get_worker

    worker = get_worker()
    if version != __version__:
        raise ClusterProblem(
            f"the Dask worker at {worker.address} has assay-mc {__version__}, but {version} is needed"
        )
    assignment: _Assignment = pickle.loads(pickled_assignment)  # noqa: S301 (our own client wrote it)
    key = worker.get_current_task()
    last_reported = 0.0

    def report(_: int, progress: object) -> None:
        nonlocal last_reported
        now = time.monotonic()
        if now > last_reported + PROGRESS_INTERVAL_SECONDS:
            last_reported = now
            worker.log_event(TOPIC, [assignment.run_name, assignment.index, pickle.dumps(progress)])

    def stop_when_unwanted() -> None:
        # Dask forgets a task that its client cancelled or left behind, but would let it run to its end.
        state = worker.state.tasks.get(key)
        if state is None or state.state == "cancelled":
            raise _Unwanted

    with LocalProcesses(
        1,
        retries=assignment.retries,
        memory_limit_bytes=assignment.memory_limit_bytes,
        on_tick=stop_when_unwanted,
        fixed_hashes=assignment.fixed_hashes,
    ) as executor:
        result, problem = None, None
        try:
            [result] = executor.run(
                assignment.work, [assignment.task], on_progress=report, on_done=lambda *_: None
            )
        except _Unwanted:
            raise  # should Dask want it again after all, it is a failure of Dask's and tried again
        except Exception as error:
            problem = error
        return pickle.dumps(_Outcome(result, problem, executor.peak_memory_bytes))
