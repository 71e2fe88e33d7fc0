"""What CPython itself does with a small program of two threads, under schedules that are forced upon it.

CPython looks whether another thread wants to run when a function in Python begins, when a generator
goes on and when a built-in returns to code in Python (3.10 and later, with the global lock). A
profile function is called at exactly these places. There it holds a thread back until another has
come as far as the schedule says, so every schedule below is one that could happen, and none depends
on time.

    endings = observe(text)

runs the program once for each schedule, in this process, and returns how it ended: the value of its
global `result`, and "ok" or the last line of a traceback. `Observer` does the same in a child
process with a limit of time.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.oracles.exploration import text_of_value

Ending = tuple[str, str]

BODIES = ("one", "two")  # functions of the program that run as threads
MOST_SCHEDULES = 200
PATIENCE_SECONDS = 0.05  # for a thread that waits for a lock: then the other goes on
ENOUGH_SECONDS = 10.0  # of schedules for one program
MOST_SECONDS = 60.0
FILE = "<probe>"


class Director:
    """Lets one of two threads run at a time. `switches`: after how many places it is held back."""

    def __init__(self, first: int, switches: tuple[int, ...]) -> None:
        self.first = first
        self.switches = switches
        self.places = [0, 0]
        self.turn = first
        self.used = 0
        self.ended = [False, False]
        self.changed = threading.Condition()
        self.local = threading.local()

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        if getattr(self.local, "is_here", False):
            return
        self.local.is_here = True
        try:
            self.at(frame, event)
        finally:
            self.local.is_here = False

    def at(self, frame: FrameType, event: str) -> None:
        code = frame.f_code
        body = BODIES.index(code.co_name) if code.co_filename == FILE and code.co_name in BODIES else None
        if event == "call" and body is not None:
            self.local.body = body
            self.local.frame = frame
            self.wait_for_turn(body)
            return
        mine = getattr(self.local, "body", None)
        if mine is None:
            return
        if event == "return":
            if frame is self.local.frame:
                self.local.body = None
                with self.changed:
                    self.ended[mine] = True
                    self.give_turn(mine)
            return
        if event not in ("call", "c_return"):
            return
        self.places[mine] += 1
        if self.used < len(self.switches) and self.turn == mine:
            wanted = self.switches[self.used]
            before = sum(self.switches[self.used % 2 : self.used : 2])
            if self.places[mine] == before + wanted:
                with self.changed:
                    self.used += 1
                    self.give_turn(mine)
                self.wait_for_turn(mine)

    def give_turn(self, mine: int) -> None:
        if not self.ended[1 - mine]:
            self.turn = 1 - mine
        self.changed.notify_all()

    def wait_for_turn(self, mine: int) -> None:
        with self.changed:
            if not self.changed.wait_for(lambda: self.turn == mine or self.ended[1 - mine], PATIENCE_SECONDS):
                self.turn = mine  # the other waits for something that this thread has


def run(code: CodeType, director: Director) -> Ending:
    """One run of the program, with its threads directed."""
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": FILE}
    problems: list[str] = []
    fresh = set(sys.modules)
    threading.excepthook = lambda args: problems.append(last_line(args.exc_value))
    threading.setprofile(director.profile)
    try:
        exec(code, namespace)
    except Exception as problem:
        problems.append(last_line(problem))
    finally:
        threading.setprofile(None)  # type: ignore[arg-type]
        threading.excepthook = threading.__excepthook__
        for name in set(sys.modules) - fresh:
            del sys.modules[name]
    if problems:
        return ("", problems[0])
    return (text_of_value(namespace.get("result")) or "", "ok")


def last_line(problem: BaseException | None) -> str:
    text = str(problem)
    return type(problem).__name__ + (f": {text}" if text else "")


def schedules(places: list[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Who runs first, and where it and the other are held back: every place, and pairs of places."""
    for first in (0, 1):
        for place in range(1, places[first] + 1):
            yield first, (place,)
    pairs = [
        (first, (place, other))
        for first in (0, 1)
        for place, other in itertools.product(range(1, places[first] + 1), range(1, places[1 - first] + 1))
    ]
    step = max(1, len(pairs) // (MOST_SCHEDULES // 2))
    yield from pairs[::step]


def observe(text: str) -> set[Ending]:
    code = compile(text, FILE, "exec", dont_inherit=True)
    found = set()
    places = [0, 0]
    for first in (0, 1):
        director = Director(first, ())
        found.add(run(code, director))
        places = [max(pair) for pair in zip(places, director.places, strict=True)]
    listed = list(schedules(places))
    step = max(1, len(listed) // MOST_SCHEDULES)
    began = time.monotonic()
    for first, switches in listed[::step]:
        if time.monotonic() - began > ENOUGH_SECONDS:
            break  # what was seen is true, however little it is
        found.add(run(code, Director(first, switches)))
    return found


class Observer:
    """A child that observes one program after the other; one that does not come back is replaced."""

    def __init__(self) -> None:
        self.child: subprocess.Popen[str] | None = None

    def observe(self, text: str) -> set[Ending]:
        if self.child is None or self.child.poll() is not None:
            self.child = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.python.adversary.reality"],
                cwd=Path(__file__).parents[3],
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "PYTHONHASHSEED": "0"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        child = self.child
        watch = threading.Timer(MOST_SECONDS, child.kill)
        watch.start()
        try:
            child.stdin.write(json.dumps(text) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        finally:
            watch.cancel()
        if not line:
            child.wait()
            self.child = None
            raise TimeoutError("CPython did not come back")
        return {(result, ended) for result, ended in json.loads(line)}

    def close(self) -> None:
        if self.child is not None:
            self.child.communicate()
            self.child = None


def serve() -> None:
    sys.setswitchinterval(100)  # nobody else decides who runs
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print
    for line in sys.stdin:
        answers.write(json.dumps(sorted(observe(json.loads(line)))) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
