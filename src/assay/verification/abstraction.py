"""Verification by abstract matching that refines itself (Kudra 2007): `--search min-only` and the others.

Violations are real; `verified` is said when nothing was merged, or when the abstract states meet every
obligation of a proof, which then is the certificate; everything else is `incomplete`, with what is still
imprecise.
"""

from __future__ import annotations

import time
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.result import Result
from assay.evidence.verdict import Judgement, SearchFacts, StopReason, Verdict, judge
from assay.execution.model_process import Job, ModelProcess
from assay.languages.promela.compiler import compile_model
from assay.search import native, symbolic_jobs
from assay.search.reference.amcs import SAME_ROUNDS
from assay.transition_system.interface import Opening, Program
from assay.transition_system.symbolic import NotExpressible, SymbolicSystem
from assay.transition_system.symbolic_code import MOST_PREDICATES, code_of, overflow_code
from assay.transition_system.symbolic_opening import deep_recursion, opening_of, sealed
from assay.verification.following import followed, states_of
from assay.verification.proving import require_states_only, written
from assay.verification.request import Phase, Request
from assay.verification.symbolic_result import result_of

SECONDS_FOR_CELLS = 20.0  # at most, to ask whether abstract states are closed
SHARE_FOR_CELLS = 0.25  # of the time that is given
WORK_AMCS = "assay.verification.amcs_job:work"
LIMITS = frozenset({StopReason.TIME, StopReason.STATES, StopReason.DEPTH})


def search_by_abstraction(name: str, program: Program, request: Request, *, compile_seconds: float) -> Result:
    require_states_only(program, request)
    try:
        system = program.symbolic()
    except NotExpressible as problem:
        if request.language_options.predicates:  # which are about the form
            raise
        return _matched_as_it_is(name, program, request, problem, compile_seconds=compile_seconds)
    if request.options.strategy.startswith("amcs"):
        return _by_preconditions(name, program, system, request, compile_seconds=compile_seconds)
    return _by_splitting(name, program, system, request, compile_seconds=compile_seconds)


def _matched_as_it_is(
    name: str, program: Program, request: Request, problem: NotExpressible, *, compile_seconds: float
) -> Result:
    """Without a form there are no predicates of it: two states are one if they are equal."""
    from assay.verification.pipeline import search_program

    concrete = replace(request, options=replace(request.options, strategy="bfs"))
    with ModelProcess() as process:
        result, _, _ = search_program(process, name, program, concrete, compile_seconds=compile_seconds)
    said = f"states were compared as they are, breadth first: {problem}"
    return replace(result, options=request.as_json(), notes=(*result.notes, said))


# --- splitting: the engine does it ---


def _by_splitting(
    name: str, program: Program, system: SymbolicSystem, request: Request, *, compile_seconds: float
) -> Result:
    with deep_recursion():
        predicates = symbolic_jobs.initial_predicates(system, None)
        file = compile_model(code_of(system, predicates))
    request.listener(Phase("searching", name))
    deadline, reserved = _shared_out(system, request)
    if not system.is_bounded:  # it will never be one to one
        closed = _by_closed_cells(name, program, system, request, reserved, compile_seconds=compile_seconds)
        if closed is not None:
            return closed
    outcome = native.search(
        Opening(str(file.path)),
        request.options,
        deadline=deadline,
        on_progress=request.listener,
        more_options={"control_words": len(system.controls), "overflow_code": overflow_code(system)},
    )
    told = dict(outcome.observations)
    thresholds = [
        f"{system.variables[int(variable)].name} > {number}"
        for variable, number in (key[2:].split(" ") for key in told if key.startswith("> "))
    ]
    facts = outcome.facts
    violations: tuple[native.NativeViolation, ...] = ()
    if outcome.violations:
        with ModelProcess() as process:
            violations = tuple(
                followed(program, system, states_of(system, found.positions), found.code, process)
                for found in outcome.violations
            )
    abstraction = {
        "rounds": told.get("rounds", 0),
        "predicates": [*map(str, predicates[:64]), *thresholds],
        "predicate_count": min(len(predicates), 64) + told.get("predicates", 0),
        "abstract_states": facts.states,
        "eligible": told.get("eligible", 0),
        "one_to_one": facts.loss is None and facts.complete,
    }
    judgement = judge(facts)
    if judgement.verdict is Verdict.INCOMPLETE and system.is_bounded and facts.stop_reason in LIMITS:
        closed = _by_closed_cells(name, program, system, request, reserved, compile_seconds=compile_seconds)
        if closed is not None:
            return closed
    if judgement.verdict is Verdict.INCOMPLETE:
        judgement = Judgement(
            Verdict.INCOMPLETE,
            False,
            (
                f"{judgement.reasons[0]}; after {abstraction['rounds']:,} refinements by "
                f"{abstraction['predicate_count']:,} predicates {abstraction['eligible']:,} of "
                f"{facts.states:,} abstract states still stand for several states",
            ),
        )
    return result_of(
        name,
        program,
        request,
        judgement,
        violations,
        compile_seconds=compile_seconds,
        facts=facts,
        peak_memory_bytes=outcome.peak_memory_bytes,
        abstraction=abstraction,
        notes=(*system.notes, *_no_certificate(request, None)),
    )


def _no_certificate(request: Request, certificate: dict[str, Any] | None) -> list[str]:
    if request.certificate is None or certificate is not None:
        return []
    return ["no certificate was written: only a proof by its abstract states is one; bfs writes others"]


def _shared_out(system: SymbolicSystem, request: Request) -> tuple[float | None, float]:
    """When the engine has to end, and how many seconds there are to ask whether its cells are closed."""
    if request.deadline is None:
        return None, SECONDS_FOR_CELLS
    reserved = min(SECONDS_FOR_CELLS, (request.deadline - time.monotonic()) * SHARE_FOR_CELLS)
    return (request.deadline - reserved if system.is_bounded else request.deadline), reserved


def _by_closed_cells(
    name: str,
    program: Program,
    system: SymbolicSystem,
    request: Request,
    seconds: float,
    *,
    compile_seconds: float,
) -> Result | None:
    """None: it was not shown, or there is nobody to show it."""
    if seconds <= 0 or find_spec("z3") is None:
        return None
    asked = {
        "strategy": request.options.strategy,
        "seed": request.options.seed,
        "check_deadlock": request.options.check_deadlock,
        "most_predicates": MOST_PREDICATES,
        "deadline": time.monotonic() + seconds,
    }
    file = sealed(system)
    with Job(symbolic_jobs.WORK_CELLS, asked, opening_of(file)) as job:
        job.watch(
            deadline=asked["deadline"] + 2,  # type: ignore[operator]
            memory_limit_bytes=request.options.memory_limit_bytes,
            on_progress=request.listener,
        )
        found = job.searched
    if found is None or found["invariant"] is None:
        return None
    with deep_recursion():
        invariant = InductiveInvariant.from_json(found["invariant"], system)
    facts = SearchFacts(
        states=found["cells"], seconds=found["seconds"], stop_reason=StopReason.FINISHED, violation_count=0
    )
    judgement, certificate = _certified(name, program, system, invariant, request)
    return result_of(
        name,
        program,
        request,
        judgement,
        (),
        compile_seconds=compile_seconds,
        facts=facts,
        peak_memory_bytes=job.peak_memory_bytes,
        abstraction={
            "rounds": found["rounds"],
            "predicates": found["predicates"],
            "predicate_count": found["predicate_count"],
            "abstract_states": found["cells"],
            "bisimulation": found["is_bisimulation"],
            "one_to_one": False,
        },
        proof={
            "kind": "bisimulation" if found["is_bisimulation"] else "closed abstraction",
            "source": request.options.strategy,
            "locations": len(invariant.conjuncts),
            "conjuncts": found["cells"],
            "rounds": found["rounds"],
            "bounded": system.is_bounded,
        },
        certificate=certificate,
        notes=system.notes,
    )


def _certified(
    name: str, program: Program, system: SymbolicSystem, invariant: InductiveInvariant, request: Request
) -> tuple[Judgement, dict[str, Any] | None]:
    """The verdict of a proof, with its certificate if one is wanted."""
    if request.certificate is None:
        return Judgement(Verdict.VERIFIED, False, ()), None
    certificate, problem = written(name, program, system, invariant, request)
    if certificate is None:
        reason = f"the certificate could not be written: {problem}"
        return Judgement(Verdict.INCOMPLETE, False, (reason,)), None
    return Judgement(Verdict.VERIFIED, False, ()), certificate


# --- weakest preconditions: a prover does it ---


def _by_preconditions(
    name: str, program: Program, system: SymbolicSystem, request: Request, *, compile_seconds: float
) -> Result:
    request.listener(Phase("searching", name))
    file = sealed(system)
    strategy = request.options.strategy
    asked = {
        "strategy": strategy,
        "check_deadlock": request.options.check_deadlock,
        "deadline": request.deadline,
    }
    with Job(WORK_AMCS, asked, opening_of(file)) as job:
        job.watch(
            deadline=None if request.deadline is None else request.deadline + 5,
            memory_limit_bytes=request.options.memory_limit_bytes,
            on_progress=request.listener,
        )
        job.raise_if_it_failed()
        found = job.searched
    if found is None:
        judgement = Judgement(Verdict.INCOMPLETE, False, (f"it did not end by itself: {job.how_it_ended()}",))
        facts = SearchFacts(states=job.progress.states, stop_reason=job.stop_reason)
        return result_of(name, program, request, judgement, (), compile_seconds=compile_seconds, facts=facts)
    violations: tuple[native.NativeViolation, ...] = ()
    if found["violation"] is not None:
        with ModelProcess() as process:
            states = [tuple(state) for state in found["violation"]["states"]]
            violations = (followed(program, system, states, found["violation"]["code"], process),)
    proof = None
    if found["invariant"] is not None:
        with deep_recursion():
            invariant = InductiveInvariant.from_json(found["invariant"], system)
        proof = {
            "kind": "precise abstraction",
            "source": strategy,
            "locations": len(invariant.conjuncts),
            "conjuncts": found["abstract_states"],
            "rounds": found["rounds"],
            "bounded": system.is_bounded,
        }
    abstraction = {
        "rounds": found["rounds"],
        "predicates": found["predicates"],
        "predicate_count": found["predicate_count"],
        "abstract_states": found["abstract_states"],
        "precise": found["is_precise"],
        "one_to_one": found["is_one_to_one"],
        "seconds_proving": round(found["seconds_proving"], 6),
    }
    is_proved = found["is_one_to_one"] or proof is not None
    verdict = Verdict.VIOLATED if violations else Verdict.VERIFIED if is_proved else Verdict.INCOMPLETE
    reasons = () if verdict is not Verdict.INCOMPLETE else (_why_not(found),)
    stop = StopReason.VIOLATION if violations else StopReason.FINISHED if is_proved else StopReason.TIME
    facts = SearchFacts(
        states=found["abstract_states"],
        seconds=found["seconds"],
        stop_reason=stop,
        violation_count=len(violations),
    )
    judgement = Judgement(verdict, found["is_one_to_one"], reasons)
    certificate = None
    if proof is not None and not violations:
        judgement, certificate = _certified(name, program, system, invariant, request)
    return result_of(
        name,
        program,
        request,
        judgement,
        violations,
        compile_seconds=compile_seconds,
        facts=facts,
        peak_memory_bytes=job.peak_memory_bytes,
        abstraction=abstraction,
        proof=proof,
        certificate=certificate,
        notes=(*system.notes, *_no_certificate(request, certificate)),
    )


def _why_not(found: dict[str, Any]) -> str:
    size = (
        f"{found['rounds']:,} refinements, {found['predicate_count']:,} predicates, "
        f"{found['abstract_states']:,} abstract states"
    )
    if found["is_precise"]:
        return f"the abstraction is precise as far as the prover could tell, and proves nothing ({size})"
    why = "it was interrupted" if found["stopped"] else "the time limit was reached"
    if found["is_too_deep"]:
        why = "predicates became too deeply nested to be evaluated"
    if found["unchanged_rounds"] >= SAME_ROUNDS:
        why += (
            f"; the last {found['unchanged_rounds']:,} refinements added predicates and split no state: "
            "refinement by weakest preconditions may never end here"
        )
    return f"{why} ({size})"
