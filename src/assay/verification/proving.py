"""Verification by proof: `--search invariants`, and `--search auto`, where a concrete search runs beside it.

What is found in the symbolic form counts only when the program itself has done it (a violation), or when
every obligation was answered (a proof).
"""

from __future__ import annotations

import select
import time
from dataclasses import replace
from typing import Any

from assay import __version__
from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.properties import ASSERTIONS, DEADLOCK, ERRORS, Property, Standing, standings
from assay.evidence.result import Result
from assay.evidence.verdict import Judgement, StopReason, Verdict
from assay.execution.model_process import Job, ModelProcess
from assay.records import dataclass
from assay.search import symbolic_jobs
from assay.search.native import NativeOutcome, NativeViolation
from assay.transition_system.interface import Program
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.symbolic import NotExpressible, SymbolicSystem
from assay.transition_system.symbolic_opening import deep_recursion, opening_of, sealed
from assay.verification.following import followed
from assay.verification.request import Phase, Request


@dataclass(frozen=True, slots=True)
class Proved:
    """What the search for a proof said, before it is put into words."""

    facts: dict[str, Any]
    invariant: InductiveInvariant | None
    violation: NativeViolation | None
    stop_reason: StopReason
    peak_memory_bytes: int


class ProofJob(Job):
    """A job that can be looked at without waiting for it."""

    def poll(self) -> bool:
        """Whether it is over, one way or the other."""
        while not self.is_over:
            ready, _, _ = select.select([self._worker.events], [], [], 0)
            if not ready:
                return False
            alive, _ = self._read_events()
            if not alive:
                self._worker.wait()
                return True
        return True


def proof_job(system: SymbolicSystem, opening: Any, request: Request) -> ProofJob:
    facts = {"check_deadlock": request.options.check_deadlock, "deadline": request.deadline}
    del system
    return ProofJob(symbolic_jobs.WORK_PROOF, facts, opening)


def require_states_only(program: Program, request: Request) -> None:
    """A proof by invariant says nothing of runs that never end."""
    if program.temporal:
        names = ", ".join(one.name or one.text for one in program.temporal)
        raise OptionProblem(
            f"search: {request.options.strategy} looks at states, and the program claims something of runs "
            f"that never end ({names}); say --safety to leave that out"
        )
    if program.caveats:
        raise OptionProblem(
            f"search: {request.options.strategy} cannot help here: {'; '.join(program.caveats)}"
        )


def form_required(program: Program) -> SymbolicSystem:
    """Who has no symbolic form is told what can be done instead."""
    try:
        return program.symbolic()
    except NotExpressible as problem:
        raise NotExpressible(
            problem.message,
            where=problem.where,
            hint=problem.hint or "--search bfs looks at its states one by one",
        ) from None


def prove_program(name: str, program: Program, request: Request, *, compile_seconds: float) -> Result:
    """`--search invariants`."""
    require_states_only(program, request)
    system = form_required(program)
    request.listener(Phase("proving", name))
    file = sealed(system)
    with proof_job(system, opening_of(file), request) as job:
        job.watch(
            deadline=None if request.deadline is None else request.deadline + 1,
            memory_limit_bytes=request.options.memory_limit_bytes,
            on_progress=request.listener,
        )
        job.raise_if_it_failed()
        found = answer_of(job, program, system)
    return told(name, program, system, found, request, compile_seconds=compile_seconds)


def answer_of(job: ProofJob, program: Program, system: SymbolicSystem) -> Proved:
    facts = job.searched
    if facts is None:
        empty: dict[str, Any] = {"states": job.progress.states, "still_open": [job.how_it_ended()]}
        return Proved(empty, None, None, job.stop_reason, job.peak_memory_bytes)
    violation = None
    if facts["violation"] is not None:
        with ModelProcess() as process:
            states = [tuple(state) for state in facts["violation"]["states"]]
            violation = followed(program, system, states, facts["violation"]["code"], process)
    invariant = None
    if facts["invariant"] is not None:
        with deep_recursion():
            invariant = InductiveInvariant.from_json(facts["invariant"], system)
    reason = (
        StopReason.VIOLATION
        if violation is not None
        else StopReason.FINISHED
        if invariant is not None
        else StopReason.INTERRUPTED
        if facts["stopped"]
        else StopReason.TIME
    )
    return Proved(facts, invariant, violation, reason, job.peak_memory_bytes)


def told(
    name: str,
    program: Program,
    system: SymbolicSystem,
    found: Proved,
    request: Request,
    *,
    compile_seconds: float,
) -> Result:
    from assay.verification.pipeline import explained

    facts = found.facts
    judgement = _judgement(found)
    certificate, problem = None, ""
    if found.invariant is not None and request.certificate is not None:
        certificate, problem = written(name, program, system, found.invariant, request)
        if certificate is None:
            judgement = Judgement(
                Verdict.INCOMPLETE, False, (f"the certificate could not be written: {problem}",)
            )
    outcome = NativeOutcome(
        _search_facts(found), () if found.violation is None else (found.violation,), found.peak_memory_bytes
    )
    violations, unexplained = explained(program, outcome)
    properties = standings(
        Judgement(judgement.verdict, judgement.verdict is Verdict.VERIFIED, ()),
        ((one.kind, one.property) for one in violations),
        request.language_options,
        check_deadlock=request.options.check_deadlock,
        monitors=program.monitors,
        unchecked=program.unchecked,
    )
    if facts.get("is_inductive") and found.violation is None and found.invariant is None:
        properties = with_what_is_proved(properties, [tuple(one) for one in facts["not_excluded"]])
    proof = None
    if found.invariant is not None:
        proof = {
            "kind": "inductive invariant",
            "source": facts["source"],
            "locations": len(found.invariant.conjuncts),
            "conjuncts": found.invariant.size,
            "questions": facts["questions"],
            "rounds": facts["rounds"],
            "bounded": system.is_bounded,
        }
    return Result(
        verdict=judgement.verdict,
        program=name,
        language=program.language,
        complete=False,
        properties=properties,
        reasons=(*judgement.reasons, *unexplained),
        notes=(*program.notes, *system.notes),
        certificate=None if certificate is None else certificate,
        states=facts.get("states", 0),
        transitions=facts.get("transitions", 0),
        search_seconds=facts.get("seconds", 0.0),
        compile_seconds=compile_seconds,
        peak_memory_bytes=found.peak_memory_bytes,
        stop_reason=found.stop_reason.value,
        violations=violations,
        violation_count=len(violations),
        options=request.as_json(),
        semantics=dict(program.semantics),
        proof=proof,
        version=__version__,
    )


def _search_facts(found: Proved) -> Any:
    from assay.evidence.verdict import SearchFacts

    return SearchFacts(
        states=found.facts.get("states", 0),
        stop_reason=found.stop_reason,
        violation_count=int(found.violation is not None),
    )


def _judgement(found: Proved) -> Judgement:
    if found.violation is not None:
        return Judgement(Verdict.VIOLATED, False, ())
    if found.invariant is not None:
        return Judgement(Verdict.VERIFIED, False, ())
    why = {
        StopReason.INTERRUPTED: "it was interrupted before there was a proof",
        StopReason.MEMORY: "the memory limit was reached before there was a proof",
    }.get(found.stop_reason, "no invariant was found that proves it")
    rounds = found.facts.get("rounds")
    if rounds:
        why += (
            f" ({rounds} rounds, {found.facts['states']:,} states seen, "
            f"{found.facts['questions']:,} questions to the prover)"
        )
    return Judgement(Verdict.INCOMPLETE, False, (why, *found.facts.get("still_open", ())))


def with_what_is_proved(
    properties: tuple[Property, ...], not_excluded: list[tuple[str, ...]]
) -> tuple[Property, ...]:
    """An invariant that does not exclude everything still proves what it excludes."""
    kinds = {kind for kind, _ in not_excluded}

    def is_open(one: Property) -> bool:
        if (one.kind, one.text) == DEADLOCK:
            return "deadlock" in kinds
        if (one.kind, one.text) == ASSERTIONS:
            return bool(kinds & {"assertion"}) or any(
                kind == "invariant" and not text for kind, text in not_excluded
            )
        if (one.kind, one.text) == ERRORS:
            return bool(kinds - {"deadlock", "assertion", "invariant"})
        return (one.kind, one.text) in not_excluded or one.kind != "invariant"

    return tuple(
        replace(one, standing=Standing.HOLDS)
        if one.standing is Standing.NOT_DECIDED and not is_open(one)
        else one
        for one in properties
    )


def written(
    name: str, program: Program, system: SymbolicSystem, invariant: InductiveInvariant, request: Request
) -> tuple[dict[str, Any] | None, str]:
    """The certificate, or why there is none."""
    from assay.evidence.certificate.header import CertificateProblem
    from assay.evidence.certificate.invariant_file import write_invariant
    from assay.verification.certificates import claim_of

    assert request.certificate is not None
    claim = claim_of(
        request,
        program=name,
        language=program.language,
        sources=program.sources,
        semantics=program.semantics,
    )
    began = time.monotonic()
    try:
        with deep_recursion():
            size = write_invariant(request.certificate.path, claim, invariant.as_json(system))
    except (OSError, CertificateProblem) as problem:
        return None, str(problem)
    return {
        "path": str(request.certificate.path),
        "bytes": size,
        "seconds": time.monotonic() - began,
        "kind": "inductive invariant",
        "locations": len(invariant.conjuncts),
        "conjuncts": invariant.size,
    }, ""
