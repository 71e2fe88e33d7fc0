"""A search as a job of the child process, and the certificate after it."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from assay.execution.worker import peak_memory_bytes, resident_bytes

if TYPE_CHECKING:
    from assay._engine import GraphLog, Model, Progress, Seen

PROGRESS_INTERVAL_SECONDS = 0.1
LEVELS_KEPT = 1_000_000
MEMORY_ON_DISK = 1 << 30  # of a search on disk without a limit
LEAST_MEMORY_FOR_WRITING = 1 << 20
LEAST_FOR_A_SEARCH = 4 << 20  # what the smallest search adds to the process that opened its program
LEAST_FOR_A_CERTIFICATE = 8 << 20  # and then writing


def work(model: Model, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    from assay import _engine
    from assay.execution.replaying import execute
    from assay.search import abstraction_check
    from assay.transition_system.opening import remarks_of, root_of, untracked_by

    def alive() -> None:
        send("executing")

    certificate = job.get("certificate")
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

    # A state before the initial ones is ours, not the program's.
    initial_states = root_of(model)
    root = 1 if initial_states else 0

    def on_progress(progress: Progress) -> bool:
        send(
            "progress",
            states=progress.states - root,
            transitions=progress.transitions,
            depth=progress.depth,
            frontier=progress.frontier,
            memory_bytes=progress.memory_bytes,
            seconds=progress.seconds,
            tracing=progress.tracing,
            note=_refining(progress),
        )
        return not stopped.is_set()

    send("started")
    search = functools.partial(
        _engine.search,
        model,
        on_progress=on_progress,
        progress_interval_seconds=PROGRESS_INTERVAL_SECONDS,
        identity=[(name, value) for name, value in job["identity"]],
        **{**_with_room_for(root, options), "time_limit_seconds": time_limit, **job.get("looking", {})},
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
    except (_engine.DiskProblem, _engine.GraphProblem) as problem:
        send("failed", kind="disk", message=str(problem))
        return
    send(
        "searched",
        states=result.states - root,
        transitions=result.transitions - initial_states,
        depth=max(0, result.depth - root),
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
            "held": max(0, result.cache.held - root),
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
        untracked=untracked_by(model),
        observations=result.observations,
        restarts=result.restarts,
        sketch=_sketch(model, result.records),
        covered=_covered(job["opening"]["settings"]),
        abstraction=abstraction_check.tell(model, result) if result.records else None,
        peak_memory_bytes=peak_memory_bytes(),
    )
    for violation in result.violations:
        send("run", **execute(model, violation.path, alive))
    if log is not None and certificate is not None and log.is_finished and not result.violation_count:
        send("writing")
        write_certificate_of(log, certificate, send, stopped, memory_bytes=_memory_left(options))


def _covered(settings: dict[str, Any]) -> str:
    """Which blocks of embedded C were come to: it is noted in this process, at a fixed address."""
    if "covered" not in settings:
        return ""
    import ctypes

    address, length = settings["covered"]
    return ctypes.string_at(address, length).hex()


def _sketch(model: Model, records: dict[str, bytes]) -> str:
    """Of the states that were looked at, if somebody made one and their content was known."""
    if "sketch" not in records or getattr(model, "content_is_unknown", False):
        return ""
    from assay.evidence.sketch import Sketch

    return Sketch(records["sketch"]).as_text()


def _refining(progress: Progress) -> str:
    """How far a search is that refines an abstraction."""
    if not progress.rounds:
        return ""
    return (
        f"round {progress.rounds:,}, {progress.predicates:,} predicates, "
        f"{progress.eligible:,} abstract states were split"
    )


def _with_room_for(root: int, options: dict[str, Any]) -> dict[str, Any]:
    """Limits are about the program's own states."""
    limits = ("depth_limit", "state_limit", "cache_size")
    return {**options, **{name: options[name] + root for name in limits if options[name]}}


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
    return max(LEAST_MEMORY_FOR_WRITING, (limit - resident_bytes()) // 2)


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


def write_certificate_of(
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
