"""Certifies a proof by invariant: the obligations are made anew from the program text, and z3 is asked
about each.

Nothing of the file is believed but that it is the invariant to be tried. The solver runs in a child
process, with limits on its time and memory: how hard its questions are is up to a stranger.
"""

from __future__ import annotations

import resource
import threading
import time
from collections import deque
from dataclasses import replace
from typing import Any

from assay.certification.claim import require_claim
from assay.certification.program import load_for
from assay.certification.request import CertificationRequest
from assay.certification.result import CertificationResult
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.certificate.invariant_file import InvariantFile, InvariantHeader
from assay.evidence.inductive.invariant import InductiveInvariant, NoInvariant
from assay.evidence.inductive.obligations import initial_problem, obligations_at
from assay.evidence.inductive.z3_prover import ProverProblem, Z3Prover, load_z3
from assay.evidence.verdict import StopReason, Verdict
from assay.execution.alarm import alarm_at
from assay.execution.model_process import Job
from assay.transition_system.interface import Program
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.symbolic import (
    NotExpressible,
    State,
    SymbolicModel,
    SymbolicSystem,
    terms_of,
)
from assay.transition_system.symbolic_opening import deep_recursion, opening_of, sealed
from assay.transition_system.terms import MOST_BITS_OF_A_NUMBER, Term

WORK = "assay.certification.invariants:work"
SECONDS_FOR_A_QUESTION = 60.0
PROCESSOR_SECONDS = 3_600  # of all questions together, unless a timeout is given
WALK_STATES = 1_000
WALK_SECONDS = 5.0
MEMORY_BYTES = 8 << 30  # of the solver, unless a limit is given


def certify_invariant(
    known: CertificationResult, file: InvariantFile, request: CertificationRequest
) -> CertificationResult:
    """Raises CertificateProblem where the certificate is to be rejected, and OutOfTime."""
    header = file.header
    require_claim(header, request)  # type: ignore[arg-type]
    require_no_reductions(header)
    begin = time.monotonic()
    try:
        with alarm_at(request.deadline):
            program = load_for(request.program, header, request.added)  # type: ignore[arg-type]
            system = form_of(program, request)
            with deep_recursion():
                written = file.invariant()
                InductiveInvariant.from_json(written, system)
        notes = [f"not looked at: {one.text}" for one in program.unchecked]
        known = replace(known, compile_seconds=time.monotonic() - begin, notes=(*known.notes, *notes))
        return _proved(known, system, written, request, deadlock=header.properties.deadlock)
    except NoInvariant as problem:
        raise CertificateProblem(str(problem)) from None


def require_no_reductions(header: InvariantHeader) -> None:
    if header.semantics.get("reductions", []) != []:
        raise CertificateProblem(
            "an invariant is about a program without reductions, and the claim names some"
        )


def form_of(program: Program, request: CertificationRequest) -> SymbolicSystem:
    try:
        return program.symbolic()
    except NotExpressible as problem:
        if (
            request.added.invariants or request.added.step_invariants
        ):  # which say nothing about the certificate
            raise OptionProblem(f"what is added cannot be proved by an invariant: {problem}") from None
        raise CertificateProblem(f"an invariant proves nothing about this program: {problem}") from None


def _proved(
    known: CertificationResult,
    system: SymbolicSystem,
    written: Any,
    request: CertificationRequest,
    *,
    deadlock: bool,
) -> CertificationResult:
    load_z3()
    file = sealed(system)
    facts = {
        "invariant": written,
        "deadlock": deadlock,
        "added": list(request.added.invariants),
        "memory_bytes": request.memory_limit_bytes or MEMORY_BYTES,
        "processor_seconds": PROCESSOR_SECONDS,
    }
    began = time.monotonic()
    with Job(WORK, facts, opening_of(file)) as job:
        job.watch(
            deadline=request.deadline,
            memory_limit_bytes=request.memory_limit_bytes,
            on_progress=None,
        )
        ended = job.how_it_ended()
        if job.searched is None and not (job.failure is not None and job.failure["kind"] == "memory"):
            if job.stop_reason is not StopReason.UNKNOWN:
                ended = "a limit was reached"
            else:
                job.raise_if_it_failed()
        found = job.searched
    known = replace(
        known,
        run_seconds=time.monotonic() - began,
        peak_memory_bytes=job.peak_memory_bytes,
        workers=1,
        where="1 local process",
    )
    if found is None:
        reason = f"the solver did not answer: {ended}"
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
    known = replace(known, obligations=found["obligations"], solver=found["solver"])
    if found["problem"]:
        return replace(known, verdict=Verdict[found["verdict"]], reasons=(found["problem"],))
    return replace(known, verdict=Verdict.VERIFIED, complete=True)


def work(system: SymbolicSystem, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    """In the child: asks about every obligation until one is not met."""
    from assay.execution.worker import peak_memory_bytes

    resource.setrlimit(resource.RLIMIT_AS, (job["memory_bytes"] + (2 << 30), resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (job["processor_seconds"], job["processor_seconds"] + 5))
    count, verdict, problem = checked(
        system,
        InductiveInvariant.from_json(job["invariant"], system),
        deadlock=job["deadlock"],
        added=frozenset(job["added"]),
        stopped=stopped,
    )
    z3 = load_z3()
    send(
        "searched",
        obligations=count,
        verdict=verdict.name,
        problem=problem,
        solver=f"z3 {z3.get_version_string()}",
        peak_memory_bytes=peak_memory_bytes(),
    )


def checked(
    system: SymbolicSystem,
    invariant: InductiveInvariant,
    *,
    deadlock: bool,
    added: frozenset[str] = frozenset(),
    stopped: threading.Event | None = None,
    seconds: float = SECONDS_FOR_A_QUESTION,
) -> tuple[int, Verdict, str]:
    """How many obligations were answered, the verdict, and what is wrong."""
    if problem := initial_problem(system, invariant):
        return 1, Verdict.REJECTED, problem
    if problem := problem_on_a_walk(system, invariant, added, deadlock=deadlock):
        return 1, Verdict.REJECTED, problem
    prover = Z3Prover(system.variables, all_terms(system, invariant), seconds=seconds)
    count = 1
    for location, here in invariant.conjuncts.items():
        solver = None
        for one in obligations_at(system, invariant, location, deadlock=deadlock):
            if stopped is not None and stopped.is_set():
                return count, Verdict.INCOMPLETE, "it was interrupted"
            count += 1
            try:
                solver = prover.solver(here) if solver is None else solver
                answer = prover.ask(solver, one.given[len(here) :], one.then)
            except ProverProblem as problem:
                return count, Verdict.INCOMPLETE, str(problem)
            if answer is True:
                continue
            where = f"{one.text} at {system.location_text(location)}"
            if answer is None:
                return (
                    count,
                    Verdict.INCOMPLETE,
                    f"the solver does not know about the {one.kind} obligation of {where}",
                )
            assert not isinstance(answer, bool)
            values = ", ".join(f"{name} = {value}" for name, value in answer.items())
            if one.facts is not None and one.facts.property in added:
                return (
                    count,
                    Verdict.INCOMPLETE,
                    f"the invariant does not prove what was added: {one.text} for {values}",
                )
            return (
                count,
                Verdict.REJECTED,
                (f"the {one.kind} obligation of {where} does not hold: the invariant allows {values}"),
            )
    return count, Verdict.VERIFIED, ""


def problem_on_a_walk(
    system: SymbolicSystem, invariant: InductiveInvariant, added: frozenset[str], *, deadlock: bool
) -> str:
    """A few states, reached step by step in plain Python, must be as the invariant says: no solver is asked
    here, so one that says what is not so does not go unnoticed at once."""
    model = SymbolicModel(system)
    controls = len(system.controls)
    initial = system.initial_state
    seen, waiting = {initial}, deque([initial])
    until = time.monotonic() + WALK_SECONDS
    while waiting and time.monotonic() < until:
        state = waiting.popleft()
        where = f"at {system.location_text(state[:controls])} with {system.values_text(state)}"
        if not invariant.holds(system, state):
            return f"the invariant does not hold of a state that can be reached, {where}"
        successors = model.successors(state)
        codes = {model.check_state(state), *(code for _, code in successors)} - {0}
        failing = [model.facts[code] for code in codes if model.facts[code].property not in added]
        if failing:
            return f"'{failing[0].message}' happens in a state that can be reached, {where}"
        if deadlock and not successors and not model.is_valid_end(state):
            return f"a state that can be reached is a deadlock, {where}"
        for after, _ in successors:
            if after is not None and after not in seen and len(seen) < WALK_STATES and _is_short(after):
                seen.add(after)
                waiting.append(after)
    return ""


def _is_short(state: State) -> bool:
    return all(value.bit_length() <= MOST_BITS_OF_A_NUMBER for value in state)


def all_terms(system: SymbolicSystem, invariant: InductiveInvariant) -> list[Term]:
    return [*terms_of(system), *(one for here in invariant.conjuncts.values() for one in here)]
