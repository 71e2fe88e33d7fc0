"""What a verification says about the certificate that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay import __version__
from assay.evidence.certificate.claim import Claim
from assay.evidence.certificate.header import Properties, Source
from assay.evidence.verdict import Judgement, Verdict
from assay.transition_system.interface import SourceHash
from assay.verification.request import Request

TREES = {"bfs": "breadth-first", "dfs": "depth-first", "random-dfs": "depth-first", "cached": "depth-first"}


def claim_of(
    request: Request,
    *,
    program: str,
    language: str,
    sources: Sequence[SourceHash],
    semantics: Mapping[str, object],
) -> Claim:
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
        tree=TREES[request.options.strategy],
        version=__version__,
    )


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
