"""What a verification says about the certificate that was asked for."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assay import __version__
from assay.evidence.verdict import Judgement, Verdict
from assay.transition_system.interface import Program, SourceHash
from assay.verification.request import Request

if TYPE_CHECKING:  # imported where a certificate is wanted: most verifications want none
    from assay.evidence.certificate.claim import CertificateRequest, Claim
    from assay.search.cycles import CycleOutcome, PartRequest
    from assay.search.native import NativeOutcome, WrittenCertificate
    from assay.transition_system.language_options import LanguageOptions

TREES = {"bfs": "breadth-first", "dfs": "depth-first", "random-dfs": "depth-first", "cached": "depth-first"}


def claim_of(
    request: Request,
    *,
    program: str,
    language: str,
    sources: Sequence[SourceHash],
    semantics: Mapping[str, object],
) -> Claim:
    from assay.evidence.certificate.claim import Claim
    from assay.evidence.certificate.header import Properties, Source

    options = request.language_options
    return Claim(
        program=Path(program).name,
        language=language,
        sources=tuple(Source(Path(source.path).name, source.sha256) for source in sources),
        semantics=dict(semantics),
        properties=Properties(
            assertions=True,
            deadlock=request.options.check_deadlock,
            invariants=options.invariants,
            step_invariants=options.step_invariants,
        ),
        tree=TREES.get(request.options.strategy, "breadth-first"),
        version=__version__,
    )


class CertificateInParts:
    """The certificate of a program with temporal properties, which is whole only when all were searched.

    Until then the script over the states and each part have files of their own beside it, without names that
    anybody would take for a certificate; leaving the block removes them.
    """

    def __init__(self, request: CertificateRequest, options: LanguageOptions, parts: int) -> None:
        from assay.evidence.certificate.claim import partial_name
        from assay.evidence.certificate.header import Temporal

        self._request = request
        self._asked = Temporal(
            ltl=options.ltl,
            progress=options.progress,
            fair=options.fair,
            terminates=options.terminates,
            parts=(),
        )
        self._states = partial_name(request.path)
        self._parts = [partial_name(request.path) for _ in range(parts)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self._states, *self._parts):
            with contextlib.suppress(OSError):
                file.unlink()

    @property
    def for_states(self) -> CertificateRequest:
        return replace(self._request, path=self._states)

    @property
    def for_parts(self) -> list[PartRequest]:
        from assay.search.cycles import PartRequest

        return [PartRequest(file, self._request.coding) for file in self._parts]

    def assembled(
        self, outcome: NativeOutcome, found: Sequence[CycleOutcome]
    ) -> tuple[WrittenCertificate | None, str]:
        """The certificate, or why there is none."""
        if outcome.certificate is None:
            return None, outcome.certificate_problem
        parts = [one.part for one in found if one.part is not None]
        if len(parts) < len(self._parts):
            return None, next((one.part_problem for one in found if one.part_problem), "a part is missing")
        from assay.evidence.certificate.assembly import assemble
        from assay.evidence.certificate.header import CertificateProblem

        began = time.monotonic()
        try:
            size = assemble(self._request.path, self._states, self._asked, parts, self._request.coding)
        except (OSError, CertificateProblem) as problem:
            return None, str(problem)
        return (
            replace(
                outcome.certificate,
                path=str(self._request.path),
                bytes=size,
                seconds=outcome.certificate.seconds + time.monotonic() - began,
                frames=outcome.certificate.frames + sum(part.part.frames for part in parts),
                log_bytes=max(outcome.certificate.log_bytes, *(one.log_bytes for one in found)),
            ),
            "",
        )


def certificate_in_parts(
    program: Program, request: Request
) -> AbstractContextManager[CertificateInParts | None]:
    """If a certificate is wanted and there is more to say than what holds of states."""
    if request.certificate is None or not program.temporal:
        return nullcontext()
    return CertificateInParts(request.certificate, request.language_options, len(program.temporal))


def without_certificate(request: Request, judgement: Judgement, problem: str) -> Judgement:
    """The judgement when there is no certificate: who asked for one has not got what they wanted."""
    if request.certificate is None or judgement.verdict is not Verdict.VERIFIED:
        return judgement
    why = f"the certificate could not be written: {problem}"
    return Judgement(Verdict.INCOMPLETE, judgement.complete, (why,))


def why_no_certificate(request: Request, judgement: Judgement) -> list[str]:
    if request.certificate is None or judgement.verdict is Verdict.VERIFIED:
        return []
    return [f"no certificate was written: the verdict is {judgement.verdict}, not {Verdict.VERIFIED}"]
