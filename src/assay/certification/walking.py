"""The walk along all scripts of a certificate: tasks given out, their reports put together.

Imported while the program is compiled: what a walk needs is half of what a certifier imports.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import cast

from assay.certification import products
from assay.certification.judgement import require_whole_walk, with_violation
from assay.certification.program import processes_for_fairness, ship
from assay.certification.request import PURPOSES, CertificationRequest
from assay.certification.result import CertificationResult, CertifiedProperty
from assay.certification.sharing_out import (
    cluster_of,
    draw_secrets,
    native_walkers,
    processes_here,
    run_tasks,
    sources_of,
    with_bodies,
)
from assay.certification.subgraphs import require_fitting_list
from assay.certification.task import CertificationTask, FrameSource, RankedWalk, TaskReport
from assay.distribution.interface import Executor
from assay.evidence.certificate.container import CertificateFile, StoredScript
from assay.evidence.certificate.header import CertificateProblem, Part
from assay.evidence.verdict import Verdict
from assay.records import dataclass
from assay.transition_system.interface import Program
from assay.transition_system.opening import draw_key
from assay.transition_system.question import question_of


def walk(
    file: CertificateFile, program: Program, known: CertificationResult, request: CertificationRequest
) -> CertificationResult:
    """First the script over the states, then each temporal part."""
    temporal = file.header.temporal
    # What is executed in Python has to see every set in the order that the producer saw.
    fixed_hashes = program.opening.fixed_hashes
    with (
        processes_here(request, fixed_hashes=fixed_hashes) as here,
        native_walkers(program, request) as walkers,
        cluster_of(request, fixed_hashes=fixed_hashes) as elsewhere,
    ):
        executors = Executors(here, walkers, elsewhere)
        known = _walk_script(file, file.script, program, known, request, executors, None)
        if known.verdict is not Verdict.VERIFIED or temporal is None or request.mode == "trusted":
            return known
        for wanted, part, script in zip(program.temporal, temporal.parts, file.parts, strict=True):
            processes = processes_for_fairness(file.header, program, wanted)
            ranked = RankedWalk(question_of(wanted, processes), part.rank)
            try:
                found = _walk_script(file, script, program, known, request, executors, ranked)
            except CertificateProblem as problem:
                raise CertificateProblem(f"{part.title}: {problem}") from None
            if found.verdict is not Verdict.VERIFIED:
                return replace(
                    known,
                    verdict=found.verdict,
                    complete=False,
                    wrong_acceptance_log2=None,
                    reasons=tuple(f"{part.title}: {reason}" for reason in found.reasons),
                )
            known = _with_part(known, found, part, fair=processes > 0)
        return known


@dataclass(frozen=True, slots=True)
class Executors:
    """Who walks: processes of this machine, those of the engine alone if they are enough, a cluster if
    there is one."""

    here: Executor
    walkers: Executor | None
    elsewhere: Executor | None

    @property
    def chosen(self) -> Executor:
        return self.elsewhere or self.walkers or self.here


def _with_part(
    known: CertificationResult, found: CertificationResult, part: Part, *, fair: bool
) -> CertificationResult:
    """What is known after one more part. Counts of states stay those of the program."""
    bounds = [one.wrong_acceptance_log2 for one in (known, found) if one.wrong_acceptance_log2 is not None]
    return replace(
        known,
        run_seconds=known.run_seconds + found.run_seconds,
        walk_seconds=known.walk_seconds + found.walk_seconds,
        peak_memory_bytes=max(known.peak_memory_bytes, found.peak_memory_bytes),
        wrong_acceptance_log2=products.together_log2(bounds) if bounds else None,
        temporal=(
            *known.temporal,
            CertifiedProperty(
                kind=part.kind,
                name=part.name,
                text=part.text,
                fair=fair,
                states=found.states,
                transitions=found.transitions,
                depth=found.depth,
                walk_seconds=found.walk_seconds,
            ),
        ),
    )


def _walk_script(
    file: CertificateFile,
    script: StoredScript,
    program: Program,
    known: CertificationResult,
    request: CertificationRequest,
    executors: Executors,
    ranked: RankedWalk | None,
) -> CertificationResult:
    """One script with all its tasks, under secrets of its own, which are drawn after the file was read."""
    header = script.header
    executor = executors.chosen
    if ranked is None and request.partition == "intervals" and request.mode != "trusted":
        require_fitting_list(file, memory_limit_bytes=request.memory_limit_bytes, deadline=request.deadline)
    sources = sources_of(file, script, executor.workers, request)
    partition = request.partition if ranked is None else "intervals"
    request = replace(request, partition=partition)
    began = time.monotonic()
    drawn = draw_secrets(executors.walkers or executors.here, program, is_ranked=ranked is not None)
    key = draw_key()
    shipped = None
    if executors.elsewhere:
        shipped = ship(request.program, program, file.header, request.added)
    tasks = [
        CertificationTask(
            opening=program.opening,
            shipped=shipped,
            source=with_bodies(script, source)
            if executors.elsewhere and isinstance(source, FrameSource)
            else source,
            purpose=PURPOSES[request.mode],
            secrets=drawn,
            key=key,
            total_states=header.states,
            check_deadlock=header.properties.deadlock,
            moves=header.moves,
            memory_limit_bytes=request.memory_limit_bytes,
            drop_after_last=request.drop_after_last,
            ranked=ranked,
        )
        for source in sources
    ]
    reports = cast(list[TaskReport], run_tasks(executor, tasks, header, request))
    entries = [source.entries for source in sources]
    known = replace(
        known,
        run_seconds=time.monotonic() - began,
        walk_seconds=sum(report.seconds for report in reports),
        states=sum(report.states for report in reports),
        transitions=sum(report.entries for report in reports),
        depth=max(report.depth for report in reports),
        tasks=len(tasks),
        workers=executor.workers,
        where=executor.describe(),
        largest_task_share=max(entries) / max(1, sum(entries)),
        average_path=sum(report.path_length for report in reports) / len(reports),
        longest_path=max(report.path_length for report in reports),
        peak_memory_bytes=executor.peak_memory_bytes,
    )
    if request.mode == "explained":
        known = replace(
            known,
            duplicates=None if request.drop_after_last else reports[0].duplicates,
            map_entries_peak=reports[0].map_entries,
        )
    for report in reports:
        if report.violation is None:
            continue
        if ranked is None:
            return with_violation(program, header, report.violation, known, request)
        reason = "a step of the program fails, which the script over its states does not show"
        return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
    try:
        require_whole_walk(executors.here, script, program, sources, reports, request, ranked)
    except CertificateProblem as problem:
        return replace(known, verdict=Verdict.REJECTED, reasons=(str(problem),))
    bound = products.wrong_acceptance_log2(
        header.states,
        header.transitions,
        digests=sum(report.digests for report in reports),
        longest_digested=max(report.longest_digested for report in reports),
    )
    return replace(
        known,
        verdict=Verdict.VERIFIED,
        complete=request.mode != "trusted",
        wrong_acceptance_log2=None if request.mode == "trusted" else bound,
    )
