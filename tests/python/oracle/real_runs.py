"""What CPython does with a program when it is run many times with a tiny switch interval.

Each run has a process of its own, forked from one that has only one thread. A run in which every thread has
slept for a while and will not wake is told to say what its globals are, and counts as a deadlock; programs
tried here therefore keep their timeouts far below `DEADLOCK_SECONDS`.

    python -m tests.python.oracle.real_runs < REQUEST > ANSWER     (both JSON, see `observe`)
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from tests.python.oracle.outcome import Outcome, describe_exception, plain_globals

ROOT = Path(__file__).resolve().parents[3]
DEADLOCK_SECONDS = 0.25
LONGEST_RUN_SECONDS = 200.0  # far beyond what a busy machine makes of it
INTERVALS = (1e-6, 1e-6, 1e-5, 1e-4)


def observe(source: str, *, runs: int, seed: int = 1, executable: str = sys.executable) -> set[Outcome]:
    """The outcomes of some runs under a real interpreter. Other threads go on after an exception."""
    answer = subprocess.run(
        [executable, "-m", "tests.python.oracle.real_runs"],
        input=json.dumps({"source": source, "runs": runs, "seed": seed}),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=runs * LONGEST_RUN_SECONDS,
    )
    return {
        Outcome(
            ended,
            tuple((name, text) for name, text in variables),
            tuple((tuple(path), tuple(lines)) for path, lines in output),
        )
        for ended, variables, output in json.loads(answer.stdout)
    }


def run_sequentially(source: str) -> tuple[str, str]:
    """The global OUTPUT of a program without threads, as text, and how it ends. It runs in this process."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    ended = "ok"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random programs are not written with care
        try:
            exec(compile(source, "program.py", "exec"), variables)
        except Exception as problem:
            ended = describe_exception(problem)
    return dict(plain_globals({"OUTPUT": variables.get("OUTPUT")}))["OUTPUT"], ended


class Run:
    """One run of a program in this process, which ends with it."""

    def __init__(self, source: str, pipe: int, seed: int) -> None:
        self._source = source
        self._pipe = pipe
        self._chance = random.Random(seed)
        self._uncaught: list[str] = []
        self._lines: dict[tuple[int, ...], list[str]] = {}
        self._paths: dict[threading.Thread, tuple[int, ...]] = {threading.main_thread(): ()}
        self._children: dict[tuple[int, ...], int] = {}
        self._variables: dict[str, Any] = {"__name__": "__main__", "print": self._print}

    def execute(self) -> NoReturn:
        self._prepare()
        try:
            exec(compile(self._source, "program.py", "exec"), self._variables)
        except Exception as problem:
            self._uncaught.append(describe_exception(problem))
        for thread in list(self._paths):
            if not thread.daemon and thread.is_alive() and thread is not threading.main_thread():
                thread.join()
        self._tell("ok")

    def _prepare(self) -> None:
        signal.signal(signal.SIGUSR1, lambda *_: self._tell("deadlock"))
        sys.setswitchinterval(self._chance.choice(INTERVALS))
        fake = ModuleType("assay")
        fake.choose = self._choose  # type: ignore[attr-defined]
        sys.modules["assay"] = fake
        threading.excepthook = lambda found: self._uncaught.append(
            describe_exception(found.exc_value or found.exc_type())
        )
        initialise = threading.Thread.__init__

        def initialise_and_name(thread: threading.Thread, *arguments: Any, **keywords: Any) -> None:
            initialise(thread, *arguments, **keywords)
            creator = self._paths.get(threading.current_thread())
            if creator is not None:
                number = self._children.get(creator, 0)
                self._children[creator] = number + 1
                self._paths[thread] = (*creator, number)

        setattr(threading.Thread, "__init__", initialise_and_name)  # noqa: B010 - a method is replaced on purpose

    def _choose(self, *options: Any) -> Any:
        return self._chance.choice(list(options[0]) if len(options) == 1 else options)

    def _print(self, *values: Any, sep: str = " ") -> None:
        path = self._paths[threading.current_thread()]
        self._lines.setdefault(path, []).append(sep.join(map(str, values)))

    def _tell(self, ended: str) -> NoReturn:
        variables = plain_globals(self._variables)
        output = sorted((path, tuple(lines)) for path, lines in list(self._lines.items()))
        answer = [self._uncaught[0] if self._uncaught else ended, variables, output]
        os.write(self._pipe, json.dumps(answer).encode())
        os._exit(0)


def run_once(source: str, seed: int) -> Any:
    """The answer of one child."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            Run(source, writing, seed).execute()
        finally:
            os._exit(1)
    os.close(writing)
    try:
        return _await_answer(child, reading)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _await_answer(child: int, reading: int) -> Any:
    quiet_since, before, told = time.monotonic(), "", False
    started = quiet_since
    text = b""
    while time.monotonic() - started < LONGEST_RUN_SECONDS:
        if select.select([reading], [], [], 0.02)[0]:
            part = os.read(reading, 1 << 16)
            if not part:
                return json.loads(text)
            text += part
            continue
        try:
            now = _threads_of(child)
        except OSError:  # a thread ended while we looked
            now = ""
        if now != before or not now:
            before, quiet_since = now, time.monotonic()
        elif time.monotonic() - quiet_since > DEADLOCK_SECONDS and not told:
            os.kill(child, signal.SIGUSR1)
            told = True
    raise TimeoutError("a run neither ended nor came to rest")


def _threads_of(process: int) -> str:
    """What the threads of a process have done so far; something new each time while one of them can run."""
    lines = []
    for task in sorted(Path(f"/proc/{process}/task").iterdir()):
        state, *numbers = (task / "stat").read_text().rpartition(")")[2].split()
        if state != "S":
            return f"running at {time.monotonic()}"
        switches = [line for line in (task / "status").read_text().splitlines() if "ctxt_switches" in line]
        lines.append(f"{task.name} {numbers[10:12]} {switches}")
    return "\n".join(lines)


def main() -> None:
    request = json.load(sys.stdin)
    answers = []
    for number in range(request["runs"]):
        answer = run_once(request["source"], request["seed"] * 1_000_003 + number)
        if answer not in answers:
            answers.append(answer)
        if sum(answer[0] == "deadlock" for answer in answers) and number > request["runs"] // 2:
            break  # deadlocks take long to see
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
