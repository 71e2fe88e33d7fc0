"""A certificate that is a proof by invariant: its file, and who certifies it.

What proofs about C programs need and what others need is imported when it is known which one it is: they
share little, and importing both took longer than most proofs take to check.
"""

from __future__ import annotations

from dataclasses import replace

from assay.certification.claim import signer_of
from assay.certification.request import CertificationRequest
from assay.certification.result import CertificationResult
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.certificate.invariant_file import InvariantFile
from assay.evidence.verdict import Verdict
from assay.execution.alarm import OutOfTime, alarm_at
from assay.transition_system.language_options import OptionProblem


def certify_proof(nothing: CertificationResult, request: CertificationRequest) -> CertificationResult:
    known = nothing
    try:
        file = InvariantFile(request.path)
        header = file.header
        known = replace(
            nothing,
            claim=header.claim,
            certificate={"path": str(request.path), "bytes": file.size, "sha256": file.sha256},
            semantics=dict(header.semantics),
            options=request.as_json(),
        )
        if request.cluster is not None and header.language != "c":
            raise OptionProblem("cluster: a proof by invariant is checked here")
        known = replace(known, signed_by=signer_of(file, request))  # type: ignore[arg-type]
        if header.language == "c":
            from assay.certification.sequential import certify_sequential

            with alarm_at(request.deadline):
                return certify_sequential(known, file, request)
        from assay.certification.invariants import certify_invariant

        return certify_invariant(known, file, request)
    except CertificateProblem as problem:
        return replace(known, verdict=Verdict.REJECTED, reasons=(str(problem),))
    except OutOfTime:
        reason = "time ran out before the program was compiled"
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
