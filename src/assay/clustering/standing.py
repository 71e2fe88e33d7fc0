"""What a Dask worker does for a search: it has one child process that stands until the search is over.

Results of `expand` stay here, as what `block` picks out for each group of partitions; Dask moves them to
where they are merged.
"""

from __future__ import annotations

import threading
from typing import Any

from assay.clustering.program import NotTheSame
from assay.clustering.work import WORK, Task
from assay.distribution.interface import WorkerDied
from assay.distribution.local_processes import LocalProcesses
from assay.distribution.pinned_tasks import Surroundings
from assay.execution.memory import memory_of

CALL = "assay.clustering.standing:call"
BLOCK = "assay.clustering.standing:block"
MERGE = "assay.clustering.standing:merge"
END = "assay.clustering.standing:end"

_lock = threading.RLock()
_standing: tuple[str, LocalProcesses] | None = None


class Unwanted(Exception):
    """Nobody waits for this task any more."""


def call(task: Task, _inputs: list[Any], around: Surroundings) -> Any:
    return _in_the_child(task, around)


def block(group: tuple[int, int], inputs: list[Any], _around: Surroundings) -> Any:
    """What an expansion has for a group; for its own, also what is known of it."""
    own, wanted = group
    facts, blocks = inputs[0]
    return (facts if own == wanted else None, blocks[wanted])


def merge(task: Task, inputs: list[Any], around: Surroundings) -> Any:
    """Blocks of all groups merged (or put aside); answers the facts that came along, too."""
    arguments = {**task.arguments, "blocks": [content for _, content in inputs]}
    facts = [one for one, _ in inputs if one is not None]
    return facts, _in_the_child(Task(task.search, task.call, arguments), around)


def end(name: str, _inputs: list[Any], _around: Surroundings) -> None:
    global _standing  # noqa: PLW0603 (one process, one child)
    with _lock:
        if _standing is not None and _standing[0] == name:
            _standing[1].close()
            _standing = None


def _in_the_child(task: Task, around: Surroundings) -> Any:
    with _lock:
        executor = _child_for(task)

        def stop_when_unwanted() -> None:
            if not around.is_wanted():
                raise Unwanted

        executor._on_tick = stop_when_unwanted  # noqa: SLF001 (each task has its own)

        def report(_: int, told: Any) -> None:
            around.report((around.worker, *told, memory_of("self").resident_bytes))

        try:
            [result] = executor.run(
                WORK,
                [task],
                on_progress=report,
                on_done=lambda *_: None,
            )
        except NotTheSame as problem:
            raise NotTheSame(f"the Dask worker at {around.worker} cannot take part: {problem}") from None
        except WorkerDied as died:
            raise WorkerDied(
                died.task, f"{died.how}, of the Dask worker at {around.worker}", died.cause
            ) from None
        return result


def _child_for(task: Task) -> LocalProcesses:
    global _standing  # noqa: PLW0603
    if _standing is None or _standing[0] != task.search.name:
        if _standing is not None:
            _standing[1].close()
        limit = task.search.memory_limit_bytes
        executor = LocalProcesses(
            1,
            retries=0,
            memory_limit_bytes=limit + limit // 8 + (32 << 20) if limit else 0,
            fixed_hashes=task.search.program.fixed_hashes,
        )
        _standing = (task.search.name, executor)
    return _standing[1]
