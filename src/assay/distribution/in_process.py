"""Runs tasks one after another in this process: nothing to start, nothing to isolate."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Self

from assay.distribution.interface import OnLost, OutOfTime, find_work
from assay.execution.memory import memory_of


class InProcess:
    """`deadline` is a reading of `time.monotonic()`; it is looked at when a task reports or ends."""

    workers = 1

    def __init__(self, *, deadline: float | None = None) -> None:
        self._deadline = deadline

    @property
    def peak_memory_bytes(self) -> int:
        return memory_of("self").peak_bytes

    def describe(self) -> str:
        return "this process"

    def run(
        self,
        work: str,
        tasks: Sequence[object],
        *,
        on_progress: Callable[[int, object], None],
        on_done: Callable[[int, object], None],
        on_lost: OnLost | None = None,
    ) -> list[object]:
        del on_lost  # with this process all would be
        function = find_work(work)
        results: list[object] = []

        def report(index: int, progress: object) -> None:
            on_progress(index, progress)
            look_at_the_clock()

        def look_at_the_clock() -> None:
            if self._deadline is not None and time.monotonic() > self._deadline:
                raise OutOfTime(len(results), len(tasks))

        for index, task in enumerate(tasks):
            look_at_the_clock()
            result = function(task, partial(report, index))
            results.append(result)
            on_done(index, result)
        return results

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass
