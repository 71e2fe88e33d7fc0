"""How much memory a process has, as Linux tells it."""

from __future__ import annotations

import contextlib
from typing import NamedTuple


class Memory(NamedTuple):
    resident_bytes: int
    peak_bytes: int


def memory_of(process: int | str) -> Memory:
    """Zeros for a process that is gone.

    Not `ru_maxrss`: Linux carries that over from the parent across fork and exec.
    """
    found = {"VmRSS": 0, "VmHWM": 0}
    with (
        contextlib.suppress(OSError),
        open(f"/proc/{process}/status", encoding="ascii", errors="replace") as status,  # noqa: PTH123 (pathlib is slow to import)
    ):
        for line in status:
            key, _, value = line.partition(":")
            if key in found:
                found[key] = int(value.split()[0]) * 1024
    return Memory(found["VmRSS"], found["VmHWM"])
