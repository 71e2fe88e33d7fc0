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

from assay import __version__
from assay.certification.claim import require_claim, require_nothing_left_out, signer_of
from assay.certification.program import load_for
from assay.certification.request import PURPOSES, CertificationRequest, Listener
from assay.certification.result import CertificationResult
from assay.distribution.interface import Cause, ClusterProblem, OutOfTime, WorkerDied
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem, Header, shown_name
from assay.evidence.certificate.invariant_file import is_invariant_file
from assay.evidence.verdict import Verdict
from assay.execution.alarm import OutOfTime as LoadedTooLong
from assay.execution.alarm import alarm_at
from assay.languages import names_a_class
from assay.transition_system.interface import Program, PropertyProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem, require_readable

PARTITIONS = ("intervals", "subgraphs")


def certify(
    program: str | Path,
    certificate: str | Path,
    *,
    mode: str = "authenticated",
    drop_after_last: bool = False,
    tasks: int | None = None,
    partition: str = "intervals",
    workers: int | None = None,
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
    python: str = "",
    trusted_keys: Sequence[str | Path] = (),
    signature: str | Path | None = None,
    trust_unsigned: bool = False,
    memory_limit_bytes: int = 0,
    timeout_seconds: float = 0.0,
    explain_rejection: bool = True,
    c_sources: Iterable[str] = (),
    rules: Iterable[str] = (),
    checks: Iterable[str] = (),
    data_model: str = "",
    cflags: Iterable[str] = (),
    ldflags: Iterable[str] = (),
    sanitize: bool = False,
    foreign_code: bool = False,
    listener: Listener | None = None,
    started: float | None = None,
) -> CertificationResult:
    """Check that a certificate holds for a program, and whatever is added to its claim.

    `mode` is "authenticated" (nobody is trusted), "explained" (the same with a
    map of all states, to name what is wrong) or "trusted" (the script is believed; needs a
    signature by one of `trusted_keys`, or `trust_unsigned`). `partition` is "intervals"
    (tasks of equal size) or "subgraphs" (subtrees, as the thesis cuts them; the
    certificate must have its list of subgraphs). Without `workers` a compiled program is walked by as many
    processes as there are processors, if the certificate is worth it. `invariants` and
    `step_invariants` are checked in addition to what the producer claimed.
    `defines` must be the macros of the certificate, one for one; None accepts any.
    `granularity` is where the threads of a Python program may switch, "bytecode" if empty; a claim
    with another one is refused. `python` is the environment with its packages.
    A certificate that leaves out the program's own claims needs `safety`, one that speaks of
    fair runs only needs `fair`. `ltl` names properties of runs, or gives their formulas, that the
    certificate must cover, `progress` that there are no non-progress cycles, `terminates` that every fair run
    ends; none of these can be added to it.
    Of a C program: `rules` that are files and not in the library, `checks` that the certificate must cover,
    and the `data_model` that it must be about, "LP64" if empty.
    A program with embedded C needs `foreign_code`: it is executed, confined; `c_sources`, `cflags`, `ldflags`
    and `sanitize` are those that it was verified with.
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
    added = LanguageOptions(
        invariants=tuple(invariants),
        step_invariants=tuple(step_invariants),
        c_sources=tuple(c_sources),
        rules=tuple(rules),
        checks=tuple(name for one in checks for name in one.split(",")),
        data_model=data_model,
        cflags=tuple(cflags),
        ldflags=tuple(ldflags),
        sanitize=sanitize,
        foreign_code=foreign_code,
        readable=(str(certificate),),
        python=python,
    )
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
        workers=workers or 0,
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
        workers=request.workers or 1,
        version=__version__,
    )
    require_readable("certificate", request.path)
    if is_invariant_file(request.path):
        from assay.certification.proofs import certify_proof

        return certify_proof(nothing, request)
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
            from assay.certification.subgraphs import require_subgraphs

            require_subgraphs(header)
        begin = time.monotonic()
        if request.deadline is not None and begin >= request.deadline:
            raise LoadedTooLong  # noqa: TRY301 (told like the alarm)
        with alarm_at(request.deadline):  # the stranger's macros may take the front end long
            program = _load(header, request)
            require_nothing_left_out(header, program, request)
            from assay.certification.walking import walk  # while the compiler is at work

            _ = program.opening  # there when the compiler is done
        known = replace(
            known, compile_seconds=time.monotonic() - begin, notes=_notes(header, program, request)
        )
        return walk(file, program, known, request)
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
