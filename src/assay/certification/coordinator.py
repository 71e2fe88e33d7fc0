"""Puts the stages together for a certifier: read, compile, walk, combine, judge.

The program text is compiled here, the certificate says how to walk through its
states, and nothing else of the certificate is believed: docs/formats/certificate.md
has the argument. No search is involved.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from assay import __version__
from assay.certification import products
from assay.certification.claim import require_claim, require_nothing_left_out, signer_of
from assay.certification.judgement import require_whole_walk, with_violation
from assay.certification.program import load_for, processes_for_fairness, ship
from assay.certification.request import CertificationRequest, Listener
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
from assay.certification.subgraphs import require_fitting_list, require_subgraphs
from assay.certification.task import PURPOSES, CertificationTask, FrameSource, RankedWalk, TaskReport
from assay.distribution.cluster import ClusterProblem
from assay.distribution.interface import Cause, Executor, OutOfTime, WorkerDied
from assay.evidence.certificate.container import CertificateFile, StoredScript
from assay.evidence.certificate.header import CertificateProblem, Header, Part, shown_name
from assay.evidence.verdict import Verdict
from assay.execution.alarm import OutOfTime as LoadedTooLong
from assay.execution.alarm import alarm_at
from assay.languages import names_a_class
from assay.records import dataclass
from assay.transition_system.interface import Program, PropertyProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.opening import draw_key
from assay.transition_system.question import question_of

PARTITIONS = ("intervals", "subgraphs")


def certify(
    program: str | Path,
    certificate: str | Path,
    *,
    mode: str = "authenticated",
    drop_after_last: bool = False,
    tasks: int | None = None,
    partition: str = "intervals",
    workers: int = 1,
    cluster: str | None = None,
    invariants: Iterable[str] = (),
    step_invariants: Iterable[str] = (),
    require_deadlock_freedom: bool = True,
    safety: bool = False,
    ltl: Iterable[str] = (),
    progress: bool = False,
    fair: bool = False,
    terminates: bool = False,
    defines: Iterable[str] | None = (),
    granularity: str = "",
    trusted_keys: Sequence[str | Path] = (),
    signature: str | Path | None = None,
    trust_unsigned: bool = False,
    memory_limit_bytes: int = 0,
    timeout_seconds: float = 0.0,
    explain_rejection: bool = True,
    listener: Listener | None = None,
    started: float | None = None,
) -> CertificationResult:
    """Check that a certificate holds for a program, and whatever is added to its claim.

    `mode` is "authenticated" (nobody is trusted), "explained" (the same with a
    map of all states, to name what is wrong) or "trusted" (the script is believed; needs a
    signature by one of `trusted_keys`, or `trust_unsigned`). `partition` is "intervals"
    (tasks of equal size) or "subgraphs" (subtrees, as the thesis cuts them; the
    certificate must have its list of subgraphs). `invariants` and
    `step_invariants` are checked in addition to what the producer claimed.
    `defines` must be the macros of the certificate, one for one; None accepts any.
    `granularity` is where the threads of a Python program may switch, "bytecode" if empty; a claim
    with another one is refused.
    A certificate that leaves out the program's own claims needs `safety`, one that speaks of
    fair runs only needs `fair`. `ltl` names properties of runs, or gives their formulas, that the
    certificate must cover, `progress` that there are no non-progress cycles, `terminates` that every fair run
    ends; none of these can be added to it.
    Raises `SourceProblem` when the program cannot be used and `OptionProblem` when an
    option cannot.
    """
    started = time.monotonic() if started is None else started
    if mode not in PURPOSES:
        raise OptionProblem(f"mode: expected one of {', '.join(PURPOSES)}, got {mode!r}")
    if partition not in PARTITIONS:
        raise OptionProblem(f"partition: expected one of {', '.join(PARTITIONS)}, got {partition!r}")
    if mode == "explained" and partition != "intervals":
        raise OptionProblem(
            "partition: to explain, one map of all states is kept, so there is one task and nothing to cut"
        )
    added = LanguageOptions(invariants=tuple(invariants), step_invariants=tuple(step_invariants))
    if mode == "trusted" and added.step_invariants:
        raise OptionProblem(
            "step-invariant: a trusted certificate is not followed along every transition, "
            "so nothing can be said about steps; leave --trusted out"
        )
    request = CertificationRequest(
        program=Path(program),
        path=Path(certificate),
        mode=mode,
        drop_after_last=drop_after_last,
        tasks=tasks,
        partition=partition,
        workers=workers,
        cluster=cluster,
        added=added,
        require_deadlock_freedom=require_deadlock_freedom,
        safety=safety,
        ltl=tuple(ltl),
        progress=progress,
        fair=fair,
        terminates=terminates,
        defines=None if defines is None else tuple(defines),
        granularity=granularity,
        trusted_keys=tuple(Path(key) for key in trusted_keys),
        signature=None if signature is None else Path(signature),
        trust_unsigned=trust_unsigned,
        started=started,
        memory_limit_bytes=memory_limit_bytes,
        deadline=started + timeout_seconds if timeout_seconds else None,
        explain_rejection=explain_rejection,
        listener=listener,
    )
    return replace(_result(request), seconds=time.monotonic() - started)


def _result(request: CertificationRequest) -> CertificationResult:
    nothing = CertificationResult(
        verdict=Verdict.REJECTED,
        program=str(request.program),
        certificate={"path": str(request.path), "bytes": None, "sha256": None},
        mode=request.mode,
        workers=request.workers,
        version=__version__,
    )
    if not request.path.is_file():
        raise OptionProblem(f"certificate: expected a file, got {request.path}, which is none")
    try:
        with CertificateFile(request.path) as file:
            return _with_file(file, nothing, request.limited_for(file))
    except CertificateProblem as problem:
        return replace(nothing, reasons=(str(problem),))


def _with_file(
    file: CertificateFile, nothing: CertificationResult, request: CertificationRequest
) -> CertificationResult:
    header = file.header
    known = replace(
        nothing,
        claim=header.claim,
        certificate={"path": str(request.path), "bytes": file.size, "sha256": file.sha256},
        semantics=dict(header.semantics),
        options=request.as_json(),
    )
    try:
        known = replace(known, signed_by=signer_of(file, request))
        require_claim(header, request)
        if request.partition == "subgraphs":
            require_subgraphs(header)
        begin = time.monotonic()
        if request.deadline is not None and begin >= request.deadline:
            raise LoadedTooLong  # noqa: TRY301 (told like the alarm)
        with alarm_at(request.deadline):  # the stranger's macros may take the front end long
            program = _load(header, request)
            require_nothing_left_out(header, program, request)
        known = replace(
            known, compile_seconds=time.monotonic() - begin, notes=_notes(header, program, request)
        )
        return _walk(file, program, known, request)
    except CertificateProblem as problem:
        return replace(known, verdict=Verdict.REJECTED, reasons=(str(problem),))
    except WorkerDied as problem:
        if problem.cause is Cause.PROCESSOR_TIME:
            reason = "a property that the certificate claims takes too long to evaluate"
            return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
        remedy = request.how_to_allow_more("--memory") if problem.cause is Cause.MEMORY else ""
        reason = f"{problem}{remedy}"
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
    except PropertyProblem as problem:
        if problem.text in {*request.added.invariants, *request.added.step_invariants}:
            raise
        reason = f"the certificate claims what cannot be evaluated: {problem}"
        return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
    except OutOfTime as problem:
        reason = f"{problem}{request.how_to_allow_more('--timeout')}"
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
    except ClusterProblem as problem:
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(str(problem),))
    except LoadedTooLong:
        reason = "time ran out before the program was compiled"
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
    except MemoryError:
        reason = "a walk would have to keep more than the memory limit allows"
        reason += request.how_to_allow_more("--memory")
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))


def _notes(header: Header, program: Program, request: CertificationRequest) -> tuple[str, ...]:
    notes = []
    if request.mode == "trusted":
        notes.append(
            "the script was believed: states were checked again, but not that there are no others, "
            "and nothing about steps"
        )
        if header.temporal is not None:
            notes.append(
                "what is claimed of runs that never end was not looked at: ranks that are believed "
                "prove nothing"
            )
    if program.unchecked:
        # What the program itself asks about and the claim does not cover.
        notes.append(f"not looked at: {', '.join(left_out.text for left_out in program.unchecked)}")
    if header.program != request.program.name:
        notes.append(f"the certificate calls this text {shown_name(header.program)}")
    return tuple(notes)


def _load(header: Header, request: CertificationRequest) -> Program:
    if names_a_class(str(request.program)):
        if request.cluster is not None:
            raise OptionProblem("cluster: a Python class is executed where its file is; use --workers")
        if request.partition != "intervals":
            raise OptionProblem("partition: a Python class is cut into intervals only")
    return load_for(request.program, header, request.added)


def _walk(
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
