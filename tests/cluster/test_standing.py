"""The child that a Dask worker keeps for a search."""

from __future__ import annotations

import threading
import time

from assay.clustering import standing
from assay.clustering.work import Task
from assay.distribution.pinned_tasks import Surroundings
from benchmarks.cluster_costs import search_for
from tests.cluster.test_simulation import PHILOSOPHERS

AROUND = Surroundings("here", lambda _: None, lambda: True)


def test_a_child_outlives_the_thread_that_asked_first():
    """Threads of Dask that take part in a meeting end with their task, and Linux ends a process with the
    thread that began it."""
    children: list[int] = []
    with search_for(PHILOSOPHERS, 1) as search, standing._child_of(search) as child:

        def ask() -> None:
            standing._done(child, Task(search, "hello", {}), AROUND)
            children.extend(one.pid for one in child.executor._children)

        try:
            for _ in range(3):
                thread = threading.Thread(target=ask)
                thread.start()
                thread.join()
                time.sleep(0.2)  # for it to be ended
        finally:
            standing._standing.pop(search.name).close()
    assert len(children) == 3
    assert len(set(children)) == 1
