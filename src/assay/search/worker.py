"""The child process in which compiled models run.

    python -m assay.search.worker EVENTS_FD

Whatever a model does here (crash, loop, eat all memory) ends this process and
not the tool. The job is one line of JSON on standard input; events go out as
lines of JSON on the inherited file descriptor, so that a model which prints
cannot disturb them. Standard input stays open: the line `stop` asks for the
partial result, its end means that the parent is gone.

This module imports as little as possible: its start is part of every run.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay._engine import GraphLog, Model, Progress, Seen

PROGRESS_INTERVAL_SECONDS = 0.1
# A depth-first run can be millions of steps long; nobody reads its middle.
STEPS_KEPT_AT_EACH_END = 10_000
STEPS_TOLD_AT_EACH_END = 1_000  # by a model that describes itself: its words are many
SIGN_OF_LIFE_EVERY_STEPS = 100_000
LEVELS_KEPT = 1_000_000
MEMORY_ON_DISK = 1 << 30  # of a search on disk without a limit
LEAST_MEMORY_FOR_WRITING = 1 << 20
LEAST_FOR_A_SEARCH = 4 << 20  # what the smallest search adds to the process that opened its program
LEAST_FOR_A_CERTIFICATE = 8 << 20  # and then writing
PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def main() -> int:
    events_descriptor = int(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to us too; the parent decides
    _die_with_the_parent()
    _be_the_first_to_go_when_memory_runs_out()
    job = json.loads(sys.stdin.buffer.readline())
    events = os.fdopen(events_descriptor, "w", encoding="ascii")

    def send(event: str, **facts: object) -> None:
        events.write(json.dumps({"event": event, **facts}) + "\n")
        events.flush()

    stopped = threading.Event()
    threading.Thread(target=_obey_the_parent, args=(stopped,), daemon=True).start()
    try:
        _run(job, send, stopped)
    except MemoryError:
        send("failed", kind="memory", message="memory ran out", peak_memory_bytes=peak_memory_bytes())
    except Exception as problem:
        import traceback

        kind, message = _of_the_program(problem)
        send("failed", kind=kind or "error", message=message if kind else traceback.format_exc())
    else:
        send("done", peak_memory_bytes=peak_memory_bytes())
    # Skip tearing down tables of gigabytes; the kernel does it faster.
    os._exit(0)


def _of_the_program(problem: Exception) -> tuple[str, str]:
    """What a failure says about the program, if it is no fault of ours: its kind and the rest of its text."""
    from assay.transition_system.opening import ASSUMPTION_FAILED, UNSUPPORTED

    text = str(problem) if isinstance(problem, RuntimeError) else ""
    for kind, begin in (("assumption", ASSUMPTION_FAILED), ("unsupported", UNSUPPORTED)):
        if text.startswith(begin):
            return kind, text.removeprefix(begin)
    return "", ""


def _run(job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    from assay import _engine
    from assay.transition_system.opening import open_model, remarks_of

    def alive() -> None:
        send("executing")

    model = open_model(job["library"], job["opener"])
    certificate = job.get("certificate")
    if job["task"] == "replay":
        send("run", **execute(model, job["positions"], alive))
        return
    options = job["options"]
    limit, taken = int(options["memory_limit_bytes"]), peak_memory_bytes()
    least = taken + (LEAST_FOR_A_CERTIFICATE if certificate else LEAST_FOR_A_SEARCH)
    if 0 < limit < least:
        send("failed", kind="option", message=_too_little_memory(limit, taken, least))
        return
    time_limit = 0.0
    if job["deadline"] is not None:
        # The clock is the same for all processes of a machine; zero would mean "no limit".
        time_limit = max(0.001, job["deadline"] - time.monotonic())

    def on_progress(progress: Progress) -> bool:
        send(
            "progress",
            states=progress.states,
            transitions=progress.transitions,
            depth=progress.depth,
            frontier=progress.frontier,
            memory_bytes=progress.memory_bytes,
            seconds=progress.seconds,
            tracing=progress.tracing,
        )
        return not stopped.is_set()

    send("started")
    search = functools.partial(
        _engine.search,
        model,
        on_progress=on_progress,
        progress_interval_seconds=PROGRESS_INTERVAL_SECONDS,
        identity=[(name, value) for name, value in job["identity"]],
        **{**options, "time_limit_seconds": time_limit, **job.get("looking", {})},
    )
    log = None
    try:
        if certificate is not None:
            log = _engine.GraphLog(_scratch_directory(certificate, options["spill_directory"]))
        result = search(log=log)
    except (ValueError, _engine.CheckpointProblem) as problem:  # options that do not go together
        if log is not None and options["spill_directory"]:
            with contextlib.suppress(OSError):  # of others, or not empty
                os.rmdir(options["spill_directory"])  # noqa: PTH106 (pathlib is slow to import)
        send("failed", kind="option", message=str(problem))
        return
    except _engine.DiskProblem as problem:
        send("failed", kind="disk", message=str(problem))
        return
    except RuntimeError as problem:
        if not str(problem).startswith(("the graph ", "no temporary file ")):
            raise
        send("failed", kind="disk", message=str(problem))  # the log found it full, or not there
        return
    send(
        "searched",
        states=result.states,
        transitions=result.transitions,
        depth=result.depth,
        frontier=result.frontier,
        seconds=result.seconds,
        complete=result.complete,
        guarantee=result.guarantee,
        stop_reason=result.stop_reason,
        violation_count=result.violation_count,
        violations=[{"code": violation.code, "path": violation.path} for violation in result.violations],
        bits_set=result.bits_set,
        bits_total=result.bits_total,
        cache={
            "capacity": result.cache.capacity,
            "held": result.cache.held,
            "replaced": result.cache.replaced,
            "hits": result.cache.hits,
            "states_of_graph": result.cache.states_of_graph,
            "transitions_of_graph": result.cache.transitions_of_graph,
        },
        disk_bytes=result.disk_bytes,
        resumed_from=result.resumed_from,
        levels=result.seen.levels[:LEVELS_KEPT],
        seen=_seen(result.seen),
        remarks=remarks_of(model),
        peak_memory_bytes=peak_memory_bytes(),
    )
    for violation in result.violations:
        send("run", **execute(model, violation.path, alive))
    if log is not None and certificate is not None and log.is_finished and not result.violation_count:
        send("writing")
        _write_certificate(log, certificate, send, stopped, memory_bytes=_memory_left(options))


def _too_little_memory(limit: int, taken: int, least: int) -> str:
    return (
        f"memory: a limit of {limit:,} bytes cannot be kept: the process takes {taken:,} before it searches; "
        f"expected at least {-(-least // (1 << 20))} MiB"
    )


def _scratch_directory(certificate: dict[str, Any], spill_directory: str) -> str:
    """Where there is room for the graph."""
    if not spill_directory:
        return os.path.dirname(certificate["path"]) or "."  # noqa: PTH120 (pathlib is slow to import)
    with contextlib.suppress(OSError):  # the search will say what is wrong with it
        os.mkdir(spill_directory, 0o700)  # noqa: PTH102 (pathlib is slow to import)
    return spill_directory


def _memory_left(options: dict[str, Any]) -> int:
    """For numbering states; as much again is for compressing what is written. 0: there is no limit."""
    limit = int(options["memory_limit_bytes"])
    if not limit:
        return MEMORY_ON_DISK // 2 if options["spill_directory"] else 0
    return max(LEAST_MEMORY_FOR_WRITING, (limit - _resident_bytes()) // 2)


def _seen(seen: Seen) -> dict[str, object]:
    """What a search that looks around saw, by the names of `assay.evidence.coverage`."""
    return {
        "exhaustive": seen.exhaustive,
        "sizes": seen.sizes,
        "unfinished": seen.unfinished,
        "tried": seen.tried,
        "left": seen.left,
        "productive_left": seen.productive_left,
        "first": seen.first,
        "second": seen.second,
        "both": seen.both,
    }


def _write_certificate(
    log: GraphLog, wanted: dict[str, Any], send: Any, stopped: threading.Event, *, memory_bytes: int = 0
) -> None:
    from pathlib import Path

    from assay.evidence.certificate.claim import Claim
    from assay.evidence.certificate.header import CertificateProblem
    from assay.search.certificate_writing import write_certificate

    def on_frame(written: int, frames: int) -> bool:
        send("writing", frames_written=written, frames=frames)
        return not stopped.is_set()

    partial = Path(wanted["partial"])
    try:
        partial.unlink(missing_ok=True)  # of a search that was killed and is continued here
        written = write_certificate(
            log,
            Claim.from_json(wanted["claim"]),
            Path(wanted["path"]),
            coding=wanted["coding"],
            subgraphs=wanted["subgraphs"],
            memory_bytes=memory_bytes,
            partial=partial,
            on_frame=on_frame,
        )
    except (OSError, RuntimeError, CertificateProblem) as problem:
        send("certificate", problem=str(problem))
        return
    if written is None:
        send("certificate", problem="it was interrupted")
        return
    log.has_served()
    send(
        "certificate",
        problem="",
        path=wanted["path"],
        bytes=written.bytes,
        seconds=written.seconds,
        frames=written.frames,
        log_bytes=log.bytes,
        peak_memory_bytes=peak_memory_bytes(),
    )


def execute(model: Model, positions: list[int], alive: Callable[[], None]) -> dict[str, object]:
    """Take the named successors once more and report every primitive step.

    `failed_at` is the first position that does not exist (None: all do);
    `codes` are the violations that hold at the end, 0 for an invalid end state.
    """
    from assay.transition_system.opening import describes_itself

    words = _Words(model) if describes_itself(model) else None
    state, violation = model.initial_state()
    initial = state
    codes = {violation} - {0}
    steps: list[list[object]] = []
    kept = STEPS_KEPT_AT_EACH_END if words is None else STEPS_TOLD_AT_EACH_END
    gap_begin = kept
    gap_end = len(positions) - kept
    if words is not None:
        words.say_state(initial)
    break_after, resume = 0, b""
    final: bytes | None = state
    for index, position in enumerate(positions):
        if index % SIGN_OF_LIFE_EVERY_STEPS == 0:
            alive()
        successors = model.successors(state)
        if final is None or position >= len(successors):
            return {"failed_at": index}
        if gap_begin <= index < gap_end:
            break_after = len(steps)
        else:
            if index == gap_end and gap_end > gap_begin:
                resume = state
                if words is not None:
                    words.say_state(state)
            if words is not None:
                after = successors[position][0] or state
                steps.append([index, 0, words.say_step(state, position, after), after.hex()])
            else:
                for process, transition, after in model.explain(state, position):
                    steps.append([index, process, transition, after.hex()])
        final, violation = successors[position]
        codes = {violation}
        if final is not None:
            codes.add(model.check_step(state, final))
            state = final
        codes -= {0}
    if final is not None:
        codes |= {model.check_state(final)} - {0}
        if not model.successors(final) and not model.is_valid_end(final):
            codes.add(0)
    if words is not None:
        words.say_end(final or state, codes)
    return {
        "failed_at": None,
        "initial": initial.hex(),
        "steps": steps,
        "final": None if final is None else final.hex(),
        "codes": sorted(codes),
        "omitted": max(0, gap_end - gap_begin),
        "break_after": break_after,
        "resume": resume.hex(),
        "words": None if words is None else words.said,
    }


class _Words:
    """What a model that describes itself says about one run, for those who cannot ask it."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._states: dict[str, object] = {}
        self._steps: list[object] = []
        self.said: dict[str, object] = {"states": self._states, "steps": self._steps, "violations": {}}

    def say_state(self, state: bytes) -> None:
        if state.hex() not in self._states:
            self._states[state.hex()] = self._model.describe(state)

    def say_step(self, before: bytes, position: int, after: bytes) -> int:
        """The number under which the step is told."""
        told = {"before": before.hex(), "after": after.hex(), **self._model.explain(before, position)}
        self._steps.append(told)
        self.say_state(after)
        return len(self._steps) - 1

    def say_end(self, state: bytes, codes: set[int]) -> None:
        self.say_state(state)
        self.said["violations"] = {str(code): self._model.violation(code) for code in sorted(codes) if code}


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


def _resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as status:  # noqa: PTH123 (pathlib is slow to import)
        return int(status.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def _obey_the_parent(stopped: threading.Event) -> None:
    # The descriptor itself: at exit nobody may find a lock of `sys.stdin` taken.
    while message := os.read(0, 64):
        if b"stop" in message:
            stopped.set()
    os._exit(1)


def _die_with_the_parent() -> None:
    """The end of standard input says it too, but only to a process that still runs Python."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _be_the_first_to_go_when_memory_runs_out() -> None:
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:  # noqa: PTH123
        score.write("900")


if __name__ == "__main__":
    sys.exit(main())
