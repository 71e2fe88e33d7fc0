"""How a child process ends: together with its parent, and before others when memory runs out."""

from __future__ import annotations

import contextlib
import os
import signal

PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def die_with_the_parent(parent: int | None = None) -> None:
    """Also while no Python runs. `parent`: the process that started this one, which may be gone already."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if parent is not None and os.getppid() != parent:  # it died before we asked
        os._exit(1)


def be_the_first_to_go_when_memory_runs_out() -> None:
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:  # noqa: PTH123
        score.write("900")
