"""What a search of the symbolic form says, as a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay import __version__
from assay.evidence.properties import standings
from assay.evidence.result import Result
from assay.evidence.verdict import Judgement, SearchFacts, Verdict
from assay.search import native
from assay.transition_system.interface import Program
from assay.verification.request import Request


def result_of(
    name: str,
    program: Program,
    request: Request,
    judgement: Judgement,
    violations: tuple[native.NativeViolation, ...],
    *,
    compile_seconds: float,
    facts: SearchFacts,
    peak_memory_bytes: int = 0,
    abstraction: dict[str, Any] | None = None,
    proof: dict[str, Any] | None = None,
    certificate: dict[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> Result:
    from assay.verification.pipeline import explained

    told, unexplained = explained(program, native.NativeOutcome(facts, violations, 0))
    return Result(
        verdict=judgement.verdict,
        program=name,
        language=program.language,
        complete=judgement.complete,
        properties=standings(
            Judgement(judgement.verdict, judgement.verdict is Verdict.VERIFIED, ()),
            ((one.kind, one.property) for one in told),
            request.language_options,
            check_deadlock=request.options.check_deadlock,
            monitors=program.monitors,
            unchecked=program.unchecked,
        ),
        reasons=(*judgement.reasons, *unexplained),
        notes=(*program.notes, *notes),
        certificate=certificate,
        states=facts.states,
        transitions=facts.transitions,
        depth=facts.depth,
        frontier=facts.frontier,
        search_seconds=facts.seconds,
        compile_seconds=compile_seconds,
        peak_memory_bytes=peak_memory_bytes,
        stop_reason=facts.stop_reason.value,
        violations=told,
        violation_count=facts.violation_count,
        loss=facts.loss,
        options=request.as_json(),
        semantics=dict(program.semantics),
        proof=proof,
        abstraction=abstraction,
        version=__version__,
    )
