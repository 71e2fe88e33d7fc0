"""Tasks of a Dask cluster whose results stay on the workers that made them, to be inputs of other tasks.

What a task does is named `package.module:function` and called in the process of the Dask worker, with what
it was given (a pickle, into which Dask does not look) and its inputs. A task should be done by the worker
that it names and can be done by any: a worker that is lost has its tasks, and those whose results went with
it, done by others.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from assay import __version__
from assay.distribution.cluster import ANSWER_SECONDS, TICK_SECONDS, TOPIC, connect
from assay.distribution.interface import ClusterProblem
from assay.distribution.local_cluster import LocalCluster, workers_wanted

FIRST_WORKER_SECONDS = 60.0
RESULT_SECONDS = 5.0  # they are small


class TasksLost(Exception):
    """Results that were waited for will not come, though the cluster is there: begin these tasks again."""


class PinnedTasks:
    """A context manager: when it ends, nothing of the tasks stays in the cluster."""

    def __init__(self, address: str) -> None:
        self._stack = contextlib.ExitStack()
        self._run_name = uuid.uuid4().hex
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()  # progress, or nothing: a task is done
        self.name = address
        self.local: LocalCluster | None = None
        with self._stack:
            wanted = workers_wanted(address)
            if wanted is not None:
                self.local = self._stack.enter_context(LocalCluster(wanted))
                address = self.local.address
            self._client = connect(address)
            self._stack.callback(self._close_client)
            self._client.subscribe_topic(TOPIC, self._hear)
            self._await_workers(wanted or 1)
            self._stack = self._stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _close_client(self) -> None:
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)

    def _await_workers(self, count: int) -> None:
        patience = time.monotonic() + (FIRST_WORKER_SECONDS if self.local is not None else 0)
        while len(self.workers()) < count:
            if time.monotonic() > patience:
                raise ClusterProblem(
                    f"the Dask scheduler at {self.name} has no workers; start some with "
                    f"`dask worker {self.name} --nthreads 1`"
                )
            time.sleep(TICK_SECONDS)

    def workers(self) -> list[str]:
        """Their addresses, as the scheduler knows them now."""
        try:
            ask = self._client.scheduler.ncores
            return sorted(self._client.sync(ask, callback_timeout=ANSWER_SECONDS))
        except OSError as error:
            raise ClusterProblem(f"the Dask scheduler at {self.name} no longer answers") from error

    def silent(self, seconds: float) -> list[str]:
        """Workers that the scheduler has not heard of for so long: they hang, or are cut off."""
        try:
            known = self._client.sync(
                self._client.scheduler.identity, n_workers=-1, callback_timeout=ANSWER_SECONDS
            )["workers"]
        except TypeError:  # before there was a number of workers to be told of
            known = self._client.scheduler_info()["workers"]
        except OSError as error:
            raise ClusterProblem(f"the Dask scheduler at {self.name} no longer answers") from error
        newest = max((one["last_seen"] for one in known.values()), default=0.0)
        return [worker for worker, facts in known.items() if facts["last_seen"] < newest - seconds]

    def submit(
        self,
        function: str,
        given: object = None,
        *,
        worker: str,
        inputs: Sequence[Any] = (),
        nowhere_else: bool = False,
    ) -> Any:
        """A task whose result others can be given, or that can be waited for."""
        return self._client.submit(
            _function_for_dask(),
            __version__,
            function,
            pickle.dumps((self._run_name, given)),
            list(inputs),
            pure=False,
            workers=[worker],
            allow_other_workers=not nowhere_else,
            retries=0,
        )

    def results(
        self, tasks: Sequence[Any], *, on_tick: Callable[[], None], on_progress: Callable[[Any], None]
    ) -> list[Any]:
        """What the tasks returned. `on_tick` is called ten times a second and ends the wait by raising.
        Raises what a task raised, and `TasksLost`."""
        waiting = list(tasks)
        for task in tasks:
            task.add_done_callback(lambda _: self._inbox.put(None))
        found: dict[Any, Any] = {}
        while waiting:
            with contextlib.suppress(queue.Empty):
                progress = self._inbox.get(timeout=TICK_SECONDS)
                if progress is not None:
                    on_progress(progress)
            # Asked anew each time: a result can be lost with its worker after it was told of, and is told
            # of once.
            for task in [task for task in waiting if task.done()]:
                with contextlib.suppress(
                    TimeoutError
                ):  # its worker may have died with it: another does it again
                    found[task.key] = self._result(task)
                    waiting.remove(task)
            on_tick()
        return [found[task.key] for task in tasks]

    def cancel(self, tasks: Iterable[Any]) -> None:
        with contextlib.suppress(Exception):
            self._client.cancel(list(tasks), force=True)

    def _result(self, task: Any) -> Any:
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        try:
            return task.result(timeout=RESULT_SECONDS)
        except KilledWorker as error:
            raise TasksLost(str(error)) from error
        except CancelledError as error:
            if self._client.status != "running":
                raise ClusterProblem(f"the Dask scheduler at {self.name} went away") from error
            raise TasksLost("the cluster dropped a task") from error

    def _hear(self, event: tuple[float, Any]) -> None:
        name, _, progress = event[1]
        if name == self._run_name:
            self._inbox.put(pickle.loads(progress))  # noqa: S301 (our own work wrote it)


def _function_for_dask() -> Callable[[str, str, bytes, list[Any]], Any]:
    """A nested function travels as code, so that the scheduler can do without Assay."""

    def assay_part(version: str, function: str, given: bytes, inputs: list[Any]) -> Any:
        try:
            from assay.distribution.pinned_tasks import do
        except ImportError as missing:
            raise RuntimeError(f"this Dask worker has no assay-mc {version}") from missing
        return do(version, function, given, inputs)

    return assay_part


def do(version: str, function: str, pickled: bytes, inputs: list[Any]) -> Any:
    """What a Dask worker does."""
    from distributed import get_worker

    from assay.distribution.interface import find_work

    worker = get_worker()
    if version != __version__:
        raise ClusterProblem(
            f"the Dask worker at {worker.address} has assay-mc {__version__}, but {version} is needed"
        )
    run_name, given = pickle.loads(pickled)  # noqa: S301 (our own client wrote it)
    key = worker.get_current_task()

    def report(progress: object) -> None:
        worker.log_event(TOPIC, [run_name, 0, pickle.dumps(progress)])

    def is_wanted() -> bool:
        # Dask forgets a task that its client cancelled or left behind, but would let it run to its end.
        state = worker.state.tasks.get(key)
        return state is not None and state.state != "cancelled"

    work: Any = find_work(function)
    return work(given, inputs, Surroundings(worker.address, report, is_wanted))


class Surroundings:
    """Of a task that is being done: where, who hears of it, and whether anybody still wants it."""

    def __init__(self, worker: str, report: Callable[[object], None], is_wanted: Callable[[], bool]) -> None:
        self.worker = worker
        self.report = report
        self.is_wanted = is_wanted
