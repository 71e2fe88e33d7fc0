"""The certificate of a search on a cluster, written by a child process of this machine.

Who has the states of a partition has given their numbers to the steps that lead to them; here everything is
put into one order, the one in which a single process would have come by it, and written as it would write
it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.clustering.explored import Explored
from assay.clustering.work import Piece
from assay.execution.model_process import Job, ModelProcess, Progress
from assay.search.native import WrittenCertificate, certificate_of

if TYPE_CHECKING:
    from assay._engine import Model
    from assay.evidence.certificate.claim import CertificateRequest, Claim
    from assay.transition_system.interface import Opening

WORK = "assay.clustering.certificate:work"
BYTES_PER_STATE = 24  # of the table in which numbers are looked up
NOTHING: Piece = ("", 0, 0)


def streams_for(explored: Explored, workers: int, memory_bytes: int) -> list[list[int]]:
    """Partitions that are numbered together: their table must fit the memory of one worker."""
    sizes = [
        sum(level.runs[one][2] for level in explored.levels if one in level.runs)
        for one in range(explored.partitions)
    ]
    streams: list[list[int]] = []
    room = max(1, memory_bytes // BYTES_PER_STATE - 16)
    share = -(-explored.partitions // workers)
    taken = 0
    for partition, size in enumerate(sizes):
        if not streams or len(streams[-1]) == share or taken + size > room:
            streams.append([])
            taken = 0
        streams[-1].append(partition)
        taken += size
    return streams


def arguments_of(explored: Explored, stream: Sequence[int]) -> dict[str, Any]:
    """What numbering a stream needs to know."""
    levels, first = [], 0
    for level in explored.levels:
        levels.append((first, level.parts(stream)))
        first += level.states
    return {"partitions": list(stream), "levels": levels, "edges": steps_of(explored)}


def steps_of(explored: Explored) -> list[list[Piece]]:
    """Of each partition, the steps of all its states."""
    return [
        [piece for level in explored.levels for piece in level.edges.get(one, [])]
        for one in range(explored.partitions)
    ]


def write(
    opening: Opening,
    explored: Explored,
    streams: Sequence[Sequence[int]],
    numbers: Sequence[Sequence[Piece]],
    directory: str,
    *,
    certificate: CertificateRequest,
    claim: Claim,
    memory_bytes: int,
    deadline: float | None,
    on_progress: Callable[[Progress], None] | None,
    process: ModelProcess | None,
) -> tuple[WrittenCertificate | None, str]:
    """The certificate, or why there is none."""
    from assay.evidence.certificate.claim import partial_name

    partial = partial_name(certificate.path, directory)
    stream_of = {partition: index for index, stream in enumerate(streams) for partition in stream}
    everything = range(explored.partitions)
    facts: dict[str, object] = {
        "directory": directory,
        "states": explored.states,
        "levels": [
            (
                level.states,
                [level.ranks.get(one, []) if one in level.runs else [] for one in everything],
                [level.edges.get(one, []) for one in everything],
            )
            for level in explored.levels
        ],
        "stream_of": [stream_of[one] for one in everything],
        "numbers": numbers,
        "memory_bytes": memory_bytes,
        "certificate": {
            "path": str(certificate.path),
            "partial": str(partial),
            "coding": certificate.coding,
            "subgraphs": certificate.subgraphs,
            "claim": claim.as_json(),
        },
    }
    try:
        with Job(WORK, facts, opening, process) as child:
            child.watch(deadline=deadline, memory_limit_bytes=0, on_progress=on_progress)
            child.raise_if_it_failed()
            if child.failure is not None:
                return None, str(child.failure["message"])
            return certificate_of(child)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def work(_model: Model, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    """In the child."""
    from assay import _engine
    from assay.search.worker import write_certificate_of

    def pieces(told: Any) -> list[list[Piece]]:
        return [[(file, offset, count) for file, offset, count in each] for each in told]

    send("writing")
    try:
        log = _engine.GraphLog(job["directory"])
        _engine.write_partitioned_graph(
            job["directory"],
            job["states"],
            [(states, pieces(ranks), pieces(edges)) for states, ranks, edges in job["levels"]],
            job["stream_of"],
            pieces(job["numbers"]),
            log,
        )
    except (_engine.DiskProblem, _engine.GraphProblem, _engine.CheckpointProblem) as problem:
        send("failed", kind="disk", message=str(problem))
        return
    write_certificate_of(log, job["certificate"], send, stopped, memory_bytes=job["memory_bytes"])
