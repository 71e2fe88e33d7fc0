"""The tasks of a search, done in this process as soon as they are given out: many small ones in a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from assay.clustering import standing
from assay.clustering.work import Partitions, Task


class TasksOfThisProcess:
    """What the coordinator needs of `PinnedTasks`. Each worker has an engine of its own."""

    def __init__(self, workers: int) -> None:
        self._names = [f"worker {number}" for number in range(workers)]
        self._partitions: dict[str, Partitions] = {}
        self.calls: list[str] = []

    def workers(self) -> list[str]:
        return self._names

    def silent(self, _seconds: float) -> list[str]:
        return []

    def cancel(self, _tasks: Sequence[Any]) -> None:
        pass

    def submit(
        self,
        function: str,
        given: Any = None,
        *,
        worker: str,
        nowhere_else: bool = False,
    ) -> Any:
        if function == standing.END:
            return None
        assert function == standing.CALL, "levels of several workers need several processes"
        return self._done(given, worker)

    def _done(self, task: Task, worker: str) -> Any:
        if worker not in self._partitions:
            self._partitions[worker] = Partitions(task.search)
        self.calls.append(task.call)
        self._partitions[worker].learn(task.lessons)
        return attrgetter(task.call)(self._partitions[worker])(**task.arguments)

    def results(
        self, tasks: Sequence[Any], *, on_tick: Callable[[], None], on_progress: Callable[[Any], None]
    ) -> list[Any]:
        del on_progress
        on_tick()
        return list(tasks)
