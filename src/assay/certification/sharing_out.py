"""A walk in parts: what each task gets, which processes walk, and what is heard of them meanwhile."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import cast

from assay.certification import products
from assay.certification.request import CertificationProgress, CertificationRequest
from assay.certification.subgraphs import RegionSource, region_sources
from assay.certification.task import CertificationTask, FrameSource, TaskProgress, TaskReport
from assay.certification.walkers import NativeWalkers
from assay.distribution.interface import ClusterProblem, Executor
from assay.distribution.local_processes import ChildKind, LocalProcesses, PythonWorkers
from assay.evidence.certificate.container import CertificateFile, StoredScript
from assay.evidence.certificate.header import Header
from assay.transition_system.interface import Program
from assay.transition_system.language_options import OptionProblem

TASK = "assay.certification.task"
TASKS_PER_CLUSTER_WORKER = 4
PROCESS_BYTES = 64 << 20  # of a process that walks, besides what the walk keeps


def sources_of(
    file: CertificateFile, script: StoredScript, workers: int, request: CertificationRequest
) -> Sequence[FrameSource | RegionSource]:
    """Temporal parts are cut into intervals: they have no list of subgraphs."""
    tasks = _task_count(workers, request)
    if request.partition == "intervals" or script is not file.script:
        return frame_sources(script, min(tasks, script.header.frames))
    return region_sources(
        file,
        tasks,
        trusted=request.mode == "trusted",
        memory_limit_bytes=request.memory_limit_bytes,
        deadline=request.deadline,
    )


def _task_count(workers: int, request: CertificationRequest) -> int:
    if request.mode == "explained":
        if request.tasks not in {None, 1} or request.workers > 1 or request.cluster:
            raise OptionProblem("explain: one map of all states is kept, so there is one task")
        return 1
    # On a cluster, more tasks than workers: one that is lost costs less.
    return request.tasks or (workers * TASKS_PER_CLUSTER_WORKER if request.cluster else workers)


def frame_sources(file: StoredScript, tasks: int) -> list[FrameSource]:
    """The frames in `tasks` runs whose lengths differ by at most one frame."""
    frames = len(file.records)
    cuts = [frames * task // tasks for task in range(tasks + 1)]
    return [
        FrameSource(
            first=begin,
            first_state=file.first_states[begin],
            records=tuple(file.records[begin:end]),
            digests=tuple(file.frame_digests[begin:end]),
            path=str(file.path.absolute()),
            offset=file.offsets[begin],
            dictionaries=file.stored_dictionaries,
        )
        for begin, end in itertools.pairwise(cuts)
    ]


def with_bodies(file: StoredScript, source: FrameSource) -> FrameSource:
    """The same frames, brought along instead of named."""
    bodies = tuple(file.frame_bytes(source.first + index) for index in range(len(source.records)))
    return replace(source, path="", bodies=bodies)


def processes_here(
    request: CertificationRequest, *, fixed_hashes: bool, kind: ChildKind | None = None
) -> LocalProcesses:
    limit = request.memory_limit_bytes
    return LocalProcesses(
        request.workers,
        memory_limit_bytes=limit + PROCESS_BYTES if limit else 0,
        deadline=request.deadline,
        fixed_hashes=fixed_hashes,
        kind=kind or PythonWorkers(says_data_only=True),
    )


def native_walkers(
    program: Program, request: CertificationRequest
) -> AbstractContextManager[Executor | None]:
    """Processes of the engine alone, where these are enough."""
    if request.cluster is not None or request.mode == "explained" or program.opening.needs_interpreter:
        return nullcontext()
    return processes_here(request, fixed_hashes=False, kind=NativeWalkers(program.opening.file))


def cluster_of(
    request: CertificationRequest, *, fixed_hashes: bool
) -> AbstractContextManager[Executor | None]:
    if request.cluster is None:
        return nullcontext()
    from assay.distribution.cluster import Cluster

    limit = request.memory_limit_bytes
    try:
        return Cluster(
            request.cluster,
            memory_limit_bytes=limit + PROCESS_BYTES if limit else 0,
            deadline=request.deadline,
            fixed_hashes=fixed_hashes,
        )
    except ClusterProblem as problem:
        raise OptionProblem(f"cluster: {problem}") from problem


def run_tasks(
    executor: Executor, tasks: Sequence[CertificationTask], header: Header, request: CertificationRequest
) -> list[object]:
    latest: dict[int, TaskProgress] = {}
    done: set[int] = set()

    def tell() -> None:
        if request.listener is not None:
            request.listener(
                CertificationProgress(
                    sum(progress.states for progress in latest.values()),
                    sum(progress.entries for progress in latest.values()),
                    header.transitions,
                    len(done),
                    len(tasks),
                )
            )

    def on_progress(task: int, progress: object) -> None:
        latest[task] = cast(TaskProgress, progress)
        tell()

    def on_done(task: int, report: object) -> None:
        done.add(task)
        found = cast(TaskReport, report)
        latest[task] = TaskProgress(found.states, found.entries)
        tell()

    return executor.run(f"{TASK}:run", tasks, on_progress=on_progress, on_done=on_done)


def draw_secrets(executor: Executor, program: Program, *, is_ranked: bool = False) -> bytes:
    """A script with ranks has two words more: the location of the automaton, and the rank."""
    more = 2 * products.ELEMENT_BYTES if is_ranked else 0
    return products.draw(cast(int, _ask(executor, "secret_bytes", [program.opening])[0]) + more)


def _ask(executor: Executor, function: str, questions: Sequence[object]) -> list[object]:
    return executor.run(f"{TASK}:{function}", questions, on_progress=lambda *_: None, on_done=lambda *_: None)
