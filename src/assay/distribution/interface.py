"""What every executor promises, whoever does the work.

The work is named `package.module:function`, so that any process which can import
it can do it. The function is called as `function(task, report)` with a task that
can be pickled; it may call `report(progress)` now and then, and returns a result
or raises. Tasks share nothing and may be done again from the beginning when the
process that did them dies, so doing a task twice must be harmless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from importlib import import_module
from typing import Any, Protocol, Self

Report = Callable[[object], None]
Work = Callable[[Any, Report], object]


class Executor(Protocol):
    """Runs tasks. A context manager: nothing that it started outlives the block."""

    @property
    def workers(self) -> int:
        """How many tasks are done at the same time."""

    @property
    def peak_memory_bytes(self) -> int:
        """The most memory that any one process which did tasks had resident."""

    def describe(self) -> str:
        """Who does the work, to be put into a sentence."""

    def run(
        self,
        work: str,
        tasks: Sequence[object],
        *,
        on_progress: Callable[[int, object], None],
        on_done: Callable[[int, object], None],
        on_lost: OnLost | None = None,
    ) -> list[object]:
        """Results in the order of the tasks.

        The callbacks get a task's position and what it reported or returned; they
        are called in the caller's thread. Progress may get lost, and begins again
        when a task does. The first exception that a task or a callback raises ends
        the other tasks and is raised here as itself; if `on_lost` is given, a task whose
        process died and that is not tried again ends no other, and what `on_lost`
        makes of its death is its result.
        """

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...


class Cause(Enum):
    """Why a process died, as far as somebody can do something about it."""

    UNKNOWN = "unknown"
    MEMORY = "memory"
    PROCESSOR_TIME = "processor time"  # of which it had set itself a limit (SIGXCPU)


class WorkerDied(Exception):
    """A process that did a task is gone, and trying again did not help or was not worth it."""

    def __init__(self, task: int, how: str, cause: Cause = Cause.UNKNOWN) -> None:
        super().__init__(task, how, cause)
        self.task = task
        self.how = how
        self.cause = cause

    def __str__(self) -> str:
        return f"the process that did task {self.task} died: {self.how}"


OnLost = Callable[[int, WorkerDied], object]


class OutOfTime(Exception):
    """The deadline passed before all tasks were done."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(done, total)
        self.done = done
        self.total = total

    def __str__(self) -> str:
        return f"time ran out when {self.done} of {self.total} tasks were done"


class ClusterProblem(Exception):
    """The cluster cannot be reached or cannot do the work."""


class TaskFailed(Exception):
    """Stands for an exception that cannot travel between processes; says its name and words."""


def find_work(name: str) -> Work:
    module, _, function = name.partition(":")
    found: Work = getattr(import_module(module), function)
    return found
