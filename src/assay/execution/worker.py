"""The child process in which models run.

    python -m assay.execution.worker EVENTS_FD

Whatever a model does here (crash, loop, eat all memory) ends this process and
not the tool. Jobs are lines of JSON on standard input; events go out as
lines of JSON on the inherited file descriptor, so that a model which prints
cannot disturb them. The line `stop` asks for the partial result of the job under way;
the end of standard input means that the parent is gone or wants no more.

A job names its work (`module:function`, called with the opened model, the job, `send` and `stopped`) and its
model, which stays open for the next job about it. This module imports as little as possible: its
start is part of every run.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from assay.execution.dying import be_the_first_to_go_when_memory_runs_out, die_with_the_parent


def main() -> None:
    serve(int(sys.argv[1]))


def serve(events_descriptor: int, own_model: object = None) -> None:
    """Do one job after the other, with `own_model` if this process is a copy of one that has it open."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to us too; the parent decides
    die_with_the_parent()
    be_the_first_to_go_when_memory_runs_out()
    events = os.fdopen(events_descriptor, "w", encoding="ascii")

    said: set[str] = set()

    def send(event: str, **facts: object) -> None:
        said.add(event)
        events.write(json.dumps({"event": event, **facts}) + "\n")
        events.flush()

    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    stopped = threading.Event()
    threading.Thread(target=_obey_the_parent, args=(jobs, stopped), daemon=True).start()
    opened: tuple[object, ...] | None = None
    model: Any = own_model
    facts: dict[str, object]
    while True:
        job = jobs.get()
        try:
            wanted = None if own_model is not None else _identity_of(job["opening"])
            if opened != wanted:
                from assay.transition_system.opening import open_model

                opened, model = None, None  # two at once would take the memory of both
                opening: Any = SimpleNamespace(**job["opening"])  # `Opening` is slow to import
                model = open_model(opening)
                opened = wanted
            module, _, function = job["work"].partition(":")
            getattr(import_module(module), function)(model, job, send, stopped)
        except MemoryError:
            last, facts = "failed", {"kind": "memory", "message": "memory ran out"}
        except Exception as problem:
            last, facts = "failed", told_of(problem)
        else:
            last, facts = "done", {}
        peak = peak_memory_bytes()
        _forget_the_peak()
        stopped.clear()
        if "failed" not in said:  # one last word per job: a second one would end the next job before it began
            send(last, peak_memory_bytes=peak, **facts)
        said.clear()


def told_of(problem: Exception) -> dict[str, object]:
    """What a failure says about the program, if it is no fault of ours."""
    from assay import _engine

    if isinstance(problem, _engine.AssumptionFailed):
        return {"kind": "assumption", "message": str(problem)}
    if isinstance(problem, _engine.UnsupportedProgram):
        return {"kind": "unsupported", "message": str(problem)}
    from assay.transition_system.interface import PropertyProblem, SourceProblem

    if isinstance(problem, SourceProblem):
        return {
            "kind": "source",
            "message": problem.message,
            "where": None if problem.where is None else str(problem.where),
            "hint": problem.hint,
            "property": problem.text if isinstance(problem, PropertyProblem) else "",
        }
    import traceback

    return {"kind": "error", "message": traceback.format_exc()}


def _identity_of(opening: dict[str, Any]) -> tuple[object, ...]:
    """Of the file itself: its name may be that of another one by now (a descriptor is used again)."""
    found = os.stat(opening["file"])  # noqa: PTH116 (pathlib is slow to import)
    return (
        found.st_dev,
        found.st_ino,
        found.st_ctime_ns,
        found.st_size,
        opening["opener"],
        opening["settings"],
    )


def _obey_the_parent(jobs: queue.SimpleQueue[dict[str, Any]], stopped: threading.Event) -> None:
    # The descriptor itself: at exit nobody may find a lock of `sys.stdin` taken.
    pending = b""
    while message := os.read(0, 1 << 16):
        *lines, pending = (pending + message).split(b"\n")
        for line in lines:
            if line == b"stop":
                stopped.set()
            else:
                jobs.put(json.loads(line))
    # Skip tearing down tables of gigabytes; the kernel does it faster.
    os._exit(0)


def peak_memory_bytes() -> int:
    """The most memory this program ever had resident.

    Not `ru_maxrss`: Linux carries that over from the parent across fork and exec.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 (pathlib is slow to import)
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as status:  # noqa: PTH123 (pathlib is slow to import)
        return int(status.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def _forget_the_peak() -> None:
    """So that the next job's is its own."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as references:  # noqa: PTH123
        references.write("5")


if __name__ == "__main__":
    main()
