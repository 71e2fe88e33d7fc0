"""The child process in which `local_processes` has tasks done, one at a time.

    python -P -m assay.distribution.worker PARENT TASKS_FD ANSWERS_FD

Whatever a task does here (crash, eat all memory) ends this process and not the
tool. Messages are pickles on two inherited descriptors, so that a task which
reads or prints cannot disturb them. In: first the parent's `sys.path`, so that
what it can import is found here too, then `Assigned`. Out: `Reported` any number
of times and `Returned` or `Raised`. The end of the tasks is the end of this process.

This module imports as little as possible: its start is part of every run.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys

from assay.distribution.interface import Report, TaskFailed, find_work
from assay.distribution.messages import Raised, Reported, Returned, packed, read_body
from assay.execution.dying import be_the_first_to_go_when_memory_runs_out, die_with_the_parent
from assay.execution.memory import memory_of


def main() -> None:
    parent, tasks_descriptor, answers_descriptor = map(int, sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    die_with_the_parent(parent)
    be_the_first_to_go_when_memory_runs_out()
    for descriptor in (tasks_descriptor, answers_descriptor):
        os.set_inheritable(descriptor, False)  # what a task starts must not keep our pipes open
    tasks = os.fdopen(tasks_descriptor, "rb")
    answers = os.fdopen(answers_descriptor, "wb", buffering=0)

    def send(message: bytes) -> None:
        rest = memoryview(message)
        while rest:
            rest = rest[answers.write(rest) :]

    path = read_body(tasks)
    if path is not None:
        sys.path[:] = pickle.loads(path)  # noqa: S301 (our parent wrote it)
    while (body := read_body(tasks)) is not None:
        send(_answer(body, lambda progress: send(packed(Reported(progress)))))
    # Skip tearing down what tasks left behind; the kernel does it faster.
    os._exit(0)


def _answer(body: bytes, report: Report) -> bytes:
    try:
        work, task = pickle.loads(body)  # noqa: S301 (our parent wrote it)
        result = find_work(work)(task, report)
        return packed(Returned(result, memory_of("self").peak_bytes))
    except BaseException as error:
        return packed(Raised(_able_to_travel(error), memory_of("self").peak_bytes))


def _able_to_travel(error: BaseException) -> Exception:
    """The error itself if it survives being pickled; where it happened goes along as a note.

    A task that calls `sys.exit` has failed; it must not end the parent.
    """
    import traceback

    with contextlib.suppress(Exception):
        error.add_note("".join(["In a worker process:\n", *traceback.format_exception(error)]).rstrip())
    with contextlib.suppress(Exception):
        if isinstance(error, Exception) and type(pickle.loads(pickle.dumps(error))) is type(error):  # noqa: S301 (we wrote it)
            return error
    substitute = TaskFailed(f"{type(error).__qualname__}: {error}")
    for note in getattr(error, "__notes__", ()):
        substitute.add_note(note)
    return substitute


if __name__ == "__main__":
    main()
