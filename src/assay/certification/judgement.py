"""What the reports of all tasks mean together: the argument of docs/formats/certificate.md, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from assay.certification import products
from assay.certification.explanation import explain_discrepancy, explain_violation
from assay.certification.request import PURPOSES, CertificationRequest
from assay.certification.result import CertificationResult
from assay.certification.sharing_out import draw_secrets, frame_sources, run_tasks
from assay.certification.subgraphs import RegionSource
from assay.certification.task import CertificationTask, FrameSource, RankedWalk, TaskReport
from assay.distribution.interface import Executor, OutOfTime, WorkerDied
from assay.evidence.certificate.container import StoredScript
from assay.evidence.certificate.header import CertificateProblem, Header
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import Program
from assay.transition_system.opening import draw_key


def require_whole_walk(
    executor: Executor,
    file: StoredScript,
    program: Program,
    sources: Sequence[FrameSource | RegionSource],
    reports: Sequence[TaskReport],
    request: CertificationRequest,
    ranked: RankedWalk | None = None,
) -> None:
    """Whether the tasks together are the whole script. Raises `CertificateProblem` if not."""
    header = file.header
    if reports[0].discrepancy is not None:
        explain_discrepancy(executor, file, program, reports[0], ranked)
    if request.partition == "intervals":
        require_one_walk(cast(Sequence[FrameSource], sources), reports)
    else:
        require_finished_walks(reports)
    states, entries = sum(r.states for r in reports), sum(r.entries for r in reports)
    if (states, entries) != (header.states, header.transitions):
        raise CertificateProblem(
            f"{states:,} states and {entries:,} transitions were visited, the certificate claims "
            f"{header.states:,} and {header.transitions:,}"
        )
    depth = max(report.depth for report in reports)
    if depth != header.depth:
        raise CertificateProblem(
            f"the longest path of the tree has {depth:,} steps, the certificate claims {header.depth:,}"
        )
    if request.mode == "trusted":
        return
    if request.mode == "explained":
        explain_discrepancy(executor, file, program, reports[0], ranked)
        return
    # Between regions, a reference stands in the place of each entry that leads to another one.
    between = 0 if request.partition == "intervals" else len(sources) - 1
    counted = sum(report.counted for report in reports)
    if counted == header.references + between and products.product(
        r.referred for r in reports
    ) == products.product(r.visited for r in reports):
        return
    if request.explain_rejection:
        _explain(executor, file, program, request, ranked)
    with_that_rank = "" if ranked is None else " with the rank that it says"
    raise CertificateProblem(
        f"some transition does not lead to the state that the certificate says{with_that_rank}, or a "
        f"state is not "
        "referred to as often as it says (--explain names the first one)"
    )


def _explain(
    executor: Executor,
    file: StoredScript,
    program: Program,
    request: CertificationRequest,
    ranked: RankedWalk | None,
) -> None:
    """Walk once more with a map of all states; raises `CertificateProblem` that names what is wrong."""
    (source,) = frame_sources(file, 1)
    header = file.header
    task = CertificationTask(
        opening=program.opening,
        source=source,
        purpose=PURPOSES["explained"],
        secrets=draw_secrets(executor, program, is_ranked=ranked is not None),
        key=draw_key(),
        total_states=header.states,
        check_deadlock=header.properties.deadlock,
        moves=header.moves,
        memory_limit_bytes=request.memory_limit_bytes,
        ranked=ranked,
    )
    try:
        (report,) = cast(list[TaskReport], run_tasks(executor, [task], header, request))
    except (OutOfTime, WorkerDied, MemoryError):
        return  # the rejection stands, its place stays unknown
    explain_discrepancy(executor, file, program, report, ranked)


def require_one_walk(sources: Sequence[FrameSource], reports: Sequence[TaskReport]) -> None:
    """Each task must end where the next one starts: then nothing falls between them."""
    end = b"\x00"
    for source, report in zip(sources, reports, strict=True):
        if report.start != end:
            raise CertificateProblem(f"frame {source.first} does not start where the frame before it ends")
        end = report.end
    if any(before.open_at_end != after.open_at_start for before, after in itertools.pairwise(reports)):
        raise CertificateProblem(
            "processes do not agree on the steps of the program: enabled must list actions in an order that "
            "depends on the state alone, not on hash seeds or the order of a set"
        )
    if not reports[-1].is_finished or end != b"\x00":
        raise CertificateProblem("the script ends although states are left to visit")


def require_finished_walks(reports: Sequence[TaskReport]) -> None:
    """Regions cover the script as they were cut; each must have been walked to its end."""
    if not all(report.is_finished for report in reports):
        raise CertificateProblem("the script ends although states are left to visit")


def with_violation(
    program: Program,
    header: Header,
    found: tuple[int, tuple[int, ...]],
    known: CertificationResult,
    request: CertificationRequest,
) -> CertificationResult:
    violation = explain_violation(program, *found)
    known = replace(known, violations=(violation,))
    added = {*request.added.invariants, *request.added.step_invariants}
    claimed = {*header.properties.invariants, *header.properties.step_invariants}
    text = violation.message.removesuffix(" (cannot be evaluated)")
    if violation.kind in {"invariant", "step-invariant"} and text in added - claimed:
        return replace(known, verdict=Verdict.VIOLATED)
    reason = f"the program violates what the certificate claims: {violation.message}"
    return replace(known, verdict=Verdict.REJECTED, reasons=(reason,))
