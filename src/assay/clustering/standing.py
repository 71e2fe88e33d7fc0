"""What a Dask worker does for a search: it has one child process that stands until the search is over."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from assay.clustering.company import Company, LevelDone, advance
from assay.clustering.program import NotTheSame
from assay.clustering.work import WORK, Search, Task
from assay.distribution.interface import WorkerDied
from assay.distribution.local_processes import LocalProcesses
from assay.distribution.meeting import NobodyWaits, clear_table, open_table
from assay.distribution.pinned_tasks import Surroundings
from assay.execution.memory import memory_of

CALL = "assay.clustering.standing:call"
TOGETHER = "assay.clustering.standing:together"
END = "assay.clustering.standing:end"


class _Standing:
    """The child of one search, and who uses it now."""

    def __init__(self, search: Search) -> None:
        limit = search.memory_limit_bytes
        self.executor = LocalProcesses(
            1,
            retries=0,
            memory_limit_bytes=limit + limit // 8 + (32 << 20) if limit else 0,
            fixed_hashes=search.program.fixed_hashes,
        )
        self.lock = threading.RLock()
        self.users = 0
        # A child ends with the thread that began it, and a thread of Dask that has left its pool for a
        # meeting ends with its task.
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="assay-child")

    def close(self) -> None:
        self.executor.close()
        self.thread.shutdown()


_lock = threading.Lock()
_standing: dict[str, _Standing] = {}


@contextmanager
def _child_of(search: Search) -> Iterator[_Standing]:
    """For as long as its tasks need it, and then until another search begins or this one ends."""
    with _lock:
        if search.name not in _standing:
            for name in [name for name, one in _standing.items() if not one.users]:
                _standing.pop(name).close()
            _standing[search.name] = _Standing(search)
        child = _standing[search.name]
        child.users += 1
    try:
        yield child
    finally:
        with _lock:
            child.users -= 1


def call(task: Task, _inputs: list[Any], around: Surroundings) -> Any:
    open_table()
    with _child_of(task.search) as child:
        return _done(child, task, around)


def together(company: Company, _inputs: list[Any], around: Surroundings) -> list[LevelDone]:
    with _child_of(company.search) as child:

        def done(call: str, lessons: Sequence[str], **arguments: Any) -> Any:
            return _done(child, Task(company.search, call, arguments, tuple(lessons), company.syncs), around)

        return advance(company, around.is_wanted, done)


def end(name: str, _inputs: list[Any], _around: Surroundings) -> None:
    clear_table(name)
    with _lock:
        child = _standing.pop(name, None)
    if child is not None:
        child.close()


def _done(child: _Standing, task: Task, around: Surroundings) -> Any:
    def stop_when_unwanted() -> None:
        if not around.is_wanted():
            raise NobodyWaits

    def report(_: int, told: Any) -> None:
        around.report((around.worker, *told, memory_of("self").resident_bytes))

    with child.lock:
        child.executor._on_tick = stop_when_unwanted  # noqa: SLF001 (each task has its own)
        try:
            [result] = child.thread.submit(
                child.executor.run, WORK, [task], on_progress=report, on_done=lambda *_: None
            ).result()
        except NotTheSame as problem:
            raise NotTheSame(f"the Dask worker at {around.worker} cannot take part: {problem}") from None
        except WorkerDied as died:
            raise WorkerDied(
                died.task, f"{died.how}, of the Dask worker at {around.worker}", died.cause
            ) from None
        return result
