"""A question that may take for ever, asked in a copy of this process with limits on its time and memory."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any

MOST_BYTES = 1 << 24  # of an answer


def asked_in_a_copy(
    question: Callable[[], dict[str, Any]], *, seconds: float, memory_bytes: int
) -> dict[str, Any] | str:
    """Its answer; or, as a sentence, why there is none."""
    return watched_in_a_copy(lambda _: question(), seconds=seconds, memory_bytes=memory_bytes)


Telling = Callable[[dict[str, Any]], None]


def watched_in_a_copy(
    question: Callable[[Telling], dict[str, Any]],
    *,
    seconds: float,
    memory_bytes: int,
    listen: Telling = lambda _: None,
) -> dict[str, Any] | str:
    """The same, with a listener: what the question tells on the way is a line each."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _answer(question, seconds, memory_bytes, theirs)
    os.close(theirs)
    said = b""
    deadline = time.monotonic() + seconds
    try:
        while len(said) <= MOST_BYTES:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([ours], [], [], left)[0]:
                return "time ran out"
            part = os.read(ours, 1 << 16)
            if not part:
                break
            said += part
            while b"\n" in said:
                line, _, said = said.partition(b"\n")
                listen(json.loads(line))
    finally:
        os.close(ours)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
    try:
        found = json.loads(said)
    except ValueError:
        return f"the process was ended ({os.waitstatus_to_exitcode(status)})"
    return found if isinstance(found, dict) else str(found)


def _answer(
    question: Callable[[Telling], dict[str, Any]], seconds: float, memory_bytes: int, pipe: int
) -> None:
    """In the copy; never returns."""
    text = '"it failed"'
    try:
        os.setpgid(0, 0)  # Ctrl-C on a terminal reaches the parent alone
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.disable()  # a solver that dies at its limits is told in a sentence
        if memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        limit = int(seconds) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        text = json.dumps(question(lambda event: _write(pipe, json.dumps(event) + "\n")))
    except MemoryError:
        text = '"memory ran out"'
    except BaseException as problem:
        text = json.dumps(f"{type(problem).__name__}: {problem}"[:300])
    finally:
        _write(pipe, text)
        os._exit(0)


def _write(pipe: int, text: str) -> None:
    content = text.encode()
    while content:
        content = content[os.write(pipe, content) :]
