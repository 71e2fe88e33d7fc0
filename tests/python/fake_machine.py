"""A model that describes itself, in place of the machine: two threads that add one to a counter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay import _engine
from assay.transition_system.interface import Opening

THREADS = ("Thread-1 (count)", "Thread-2 (count)")
FILE = "counter.py"
READ, WRITE, DONE = 0, 1, 2


class Counting:
    """State: the counter, then for each thread where it stands and what it has read."""

    def initial_state(self):
        return bytes([0, READ, 0, READ, 0, 0, 0, 0]), 0

    def successors(self, state):
        following = []
        for thread in range(2):
            where, read = state[1 + 2 * thread], state[2 + 2 * thread]
            after = bytearray(state)
            if where == READ:
                after[1 + 2 * thread], after[2 + 2 * thread] = WRITE, state[0]
            elif where == WRITE:
                after[0], after[1 + 2 * thread], after[2 + 2 * thread] = read + 1, DONE, 0
            else:
                continue
            following.append((bytes(after), 0))
        return following

    def is_valid_end(self, state):
        return True

    def __init__(self, *, may_lose: bool) -> None:
        self.may_lose = may_lose

    def check_state(self, state):
        return 1 if not self.may_lose and state[1] == state[3] == DONE and state[0] != 2 else 0

    def check_step(self, before, after):
        return 0


class FakeMachine(_engine.PythonSystem):
    def __init__(self, *, may_lose: bool) -> None:
        super().__init__(Counting(may_lose=may_lose), 1)

    def describe(self, state: bytes) -> dict[str, Any]:
        threads = [
            {
                "name": name,
                "status": "running",
                "daemon": False,
                "frames": [{"function": "count", "file": FILE, "line": 8, "locals": {}}],
                "waits_for": None,
            }
            for number, name in enumerate(THREADS)
            if state[1 + 2 * number] != DONE
        ]
        joining = {"function": "<module>", "file": FILE, "line": 15, "locals": {}}
        main = {"name": "MainThread", "status": "waiting", "frames": [joining], "waits_for": None}
        threads.insert(0, main)
        return {"threads": threads, "globals": {"__main__": {"counter": str(state[0])}}}

    def explain(self, state: bytes, position: int) -> dict[str, Any]:
        able = [number for number in range(2) if state[1 + 2 * number] != DONE]
        number = able[position]
        reads = state[1 + 2 * number] == READ
        return {
            "thread": THREADS[number],
            "lines": [[FILE, 8, "count"]],
            "accesses": [[FILE, 8, "read" if reads else "write", "counter", ""]],
            "output": "",
            "violation": None,
        }

    def violation(self, code: int) -> dict[str, Any]:
        assert code == 1
        return {
            "kind": "invariant",
            "message": "nothing is lost",
            "file": FILE,
            "line": 8,
            "traceback": [[FILE, 8, "count"], ["<assay>/threading.py", 3, "run"]],
            "last_line": "InvariantViolated: nothing is lost",
        }


class Complaining:
    def __init__(self, kind: str, complaint: str) -> None:
        self.problem = getattr(_engine, kind, RuntimeError)(complaint)

    def initial_state(self):
        return bytes(8), 0

    def successors(self, state):
        raise self.problem

    def is_valid_end(self, state):
        return True


def open_image(opening: Opening, *, key: bytes = b"") -> _engine.Model:
    """A file of JSON has a complaint in it; whatever else the image is, two threads count."""
    content = Path(opening.file).read_bytes()
    if content.startswith(b"{"):
        return _engine.PythonSystem(Complaining(**json.loads(content)), 1)
    return FakeMachine(may_lose=b"may lose updates" in content)
