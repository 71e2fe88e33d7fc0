"""C programs: engines side by side, and no answer of theirs is believed.

A run that fails is executed on the graph and then by the compiled program; a proof is checked by
obligations that are made anew, and by another solver, before anybody hears of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from assay import __version__
from assay.evidence.certificate.header import CertificateProblem, Properties
from assay.evidence.certificate.invariant_file import write_invariant
from assay.evidence.properties import Property, Standing
from assay.evidence.result import Result, Violation
from assay.evidence.sequential import contract_file
from assay.evidence.sequential.bitwuzla_prover import first_unproved
from assay.evidence.sequential.contract_file import ContractProof
from assay.evidence.sequential.cvc5_prover import second_opinion
from assay.evidence.sequential.obligations import NoProof, Obligation
from assay.evidence.sequential.proof_file import Proof, as_json, sayable
from assay.evidence.verdict import StopReason, Verdict
from assay.execution.limited_questions import asked_in_a_copy
from assay.languages.c.execution import Executed
from assay.languages.c.memory import ADDRESSES, OTHER_PLACES, elsewhere
from assay.languages.c.program import CProgram
from assay.languages.c.reading_functions import text_of
from assay.languages.c.rules import REAL
from assay.records import dataclass
from assay.search.options import SEQUENTIAL
from assay.search.sequential import contracts
from assay.search.sequential.contracts import NAME as CONTRACTS
from assay.search.sequential.contracts import finding as found_contracts
from assay.search.sequential.findings import Choices, Finding, Status
from assay.search.sequential.portfolio import PORTFOLIO, findings
from assay.search.sequential.rounds import from_json as round_from_json
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.sequential.bitvectors import TRUE, Term
from assay.transition_system.sequential.calling import Calling
from assay.transition_system.sequential.contracts import modules
from assay.transition_system.sequential.control_flow import ControlFlow, Failure
from assay.transition_system.sequential.inlining import UNWINDING, is_recursive
from assay.transition_system.sequential.promotion import Promoted, promoted
from assay.transition_system.sequential.running import Moment
from assay.transition_system.sequential.slicing import sliced
from assay.transition_system.sequential.unwinding import unwound
from assay.verification.certificates import claim_of
from assay.verification.request import Phase, Request
from assay.verification.sequential_runs import (
    MOST_CALLED_STEPS,
    counterexample,
    executed_by_gcc,
    executed_on_graph,
    failing_run,
)
from assay.verification.sequential_showing import Showing, show_of

NO_LIMIT_SECONDS = 900.0
LEAST_CHECKING_SECONDS = 3.0  # of a proof, even if it was found at the last moment
CONTRACTS_SHARE = 0.4  # of the time, for procedures that call themselves
SECOND_OPINION_SECONDS = 2.0  # of cvc5, beside Bitwuzla: some engines ask Bitwuzla themselves
MEMORY_BYTES = 8 << 30
PROCESSES = 2
RECHECK_SECONDS = 60.0  # of a proof without what cannot be written down
NOT_ACCEPTED = "its proof is not accepted"
KINDS = {
    "assertion": "no assertion fails",
    "error": "reach_error() is not reached",
    "overflow": "no signed overflow",
    "division": "no division by zero",
    "bounds": "no index out of bounds",
    "rule": "the rules are kept",
    "unwinding": "recursion is within its bound",
}


@dataclass(slots=True)
class Judged:
    """What is left of an engine's answer when it was checked."""

    verdict: Verdict
    finding: Finding
    flow: ControlFlow | None  # what a proof is about; None: procedures, one by one
    violation: Violation | None = None
    executed: Executed | None = None
    failed: tuple[Failure, list[Moment]] | None = None  # the run that fails


def verify_sequentially(name: str, program: CProgram, request: Request, *, compile_seconds: float) -> Result:
    _require_suitable(request)
    started = time.monotonic()
    deadline = min(request.deadline or started + NO_LIMIT_SECONDS, started + NO_LIMIT_SECONDS)
    request.listener(Phase("proving", name))
    said: list[str] = []
    showing = Showing(program, show_of(request.language_options.show))
    answer: Judged | None = None
    reason = StopReason.TIME
    flow = None
    try:
        if is_recursive(program.program) and request.options.strategy in ("bfs", "auto", CONTRACTS):
            answer = _by_contracts(name, program, request, deadline, said)
        for flow, is_whole in program.flows():
            is_over = time.monotonic() > deadline
            if answer is not None or is_over or request.options.strategy == CONTRACTS:
                break
            answer, reason, goes_on = _looked_at(
                name, program, flow, request, deadline, said, showing, is_whole=is_whole
            )
            if not goes_on:
                break
    except UnsupportedConstruct as problem:
        said.append(str(problem))
    except KeyboardInterrupt:
        reason = StopReason.INTERRUPTED
    result = _told(name, program, request, answer, said, reason, started, compile_seconds)
    if request.witness is not None and answer is not None:
        result = _with_witness(result, program, flow, request.witness, answer)
    return replace(result, shown=showing.everything(flow, slicing=not request.language_options.no_slicing))


def _with_witness(
    result: Result, program: CProgram, flow: ControlFlow | None, path: Path, answer: Judged
) -> Result:
    from assay.verification.witness_writing import NoPlace, write_invariants, write_violation

    try:
        if answer.failed is not None:
            written = write_violation(program, *answer.failed, path)
        else:
            assert flow is not None
            written = write_invariants(program, flow, answer.finding, path)
    except (NoPlace, UnsupportedConstruct, OSError) as problem:
        return replace(result, notes=(*result.notes, f"no witness was written: {problem}"))
    return replace(result, witness=written.as_json())


def _looked_at(
    name: str,
    program: CProgram,
    flow: ControlFlow,
    request: Request,
    deadline: float,
    said: list[str],
    showing: Showing,
    *,
    is_whole: bool,
) -> tuple[Judged | None, StopReason, bool]:
    """The first answer that stands, why there is no more, and whether to look at more of the recursion: if
    it goes deeper, or if nothing fails in a part."""
    seen = flow if request.language_options.no_slicing else sliced(flow)
    memory = None if request.language_options.no_slicing or showing.wants_rounds else promoted(seen)
    seen = seen if memory is None else sliced(memory.flow)

    def say(text: str) -> None:
        showing.said(text)
        request.listener(Phase(text, name))

    before = len(said)
    for answered in findings(
        seen,
        _engines(request, showing),
        deadline=deadline,
        memory_bytes=request.options.memory_limit_bytes,
        processes=PROCESSES,
        say=say,
        show=(lambda step: showing.round(round_from_json(step, seen))) if showing.wants_rounds else None,
    ):
        showing.said(_in_words(answered))
        found = answered if memory is None else _said_of_arrays(answered, memory)
        shallow = None if found.run is None else _shallow(flow, found.run)
        if shallow is not None:
            said[before:] = [shallow.message]  # whoever had given up before says nothing more
            return None, StopReason.TIME, True
        if found.status is Status.SAFE and not is_whole:
            return None, StopReason.TIME, True
        answer = judged(program, flow, found, deadline, said)
        if answer is not None:
            return answer, StopReason.TIME, False
    return None, StopReason.FINISHED if time.monotonic() < deadline else StopReason.TIME, False


def _said_of_arrays(found: Finding, memory: Promoted) -> Finding:
    run, invariants = found.run, found.invariants
    if run is not None:
        run = replace(run, starts=memory.starts(run.starts))
    if invariants is not None:
        at = {location: memory.invariant(location, holds) for location, holds in invariants.at.items()}
        invariants = replace(invariants, at=at)
    return replace(found, run=run, invariants=invariants)


def _engines(request: Request, showing: Showing) -> list[str]:
    asked = request.options.strategy
    if showing.wants_rounds and asked not in ("bfs", "predicates"):
        raise OptionProblem(f"show: boolean programs are made by --search predicates, not by {asked}")
    if showing.wants_rounds:
        return ["predicates"]
    return list(PORTFOLIO) if asked in ("bfs", "auto") else [asked]


def _in_words(found: Finding) -> str:
    bound = f", {found.bound} rounds of loops" if found.bound else ""
    return f"{found.engine}: {found.status.value}{bound}{': ' if found.detail else ''}{found.detail}"


def _by_contracts(
    name: str, program: CProgram, request: Request, deadline: float, said: list[str]
) -> Judged | None:
    """Of a program that calls itself: its procedures one by one, before any of them is copied."""
    seconds = CONTRACTS_SHARE * (deadline - time.monotonic())
    until = time.monotonic() + seconds
    request.listener(Phase(f"{CONTRACTS}: running the program for data", name))
    found = found_contracts(
        asked_in_a_copy(
            lambda: contracts.search(program.program, deadline=until, say=lambda _: None),
            seconds=seconds + 1,
            memory_bytes=request.options.memory_limit_bytes or MEMORY_BYTES,
        ),
        program.program,
    )
    if found.run is not None:
        moments: list[Moment] = []
        left = iter(found.run.chosen)
        failure = Calling(program.program).run(
            lambda _: next(left, 0), most_steps=MOST_CALLED_STEPS, moments=moments
        )
        return None if failure is None else _failed(program, None, found, failure, found.run, moments, said)
    if found.contracts is None:
        said.append(f"{found.engine}: {found.detail}")
        return None
    try:
        proof = contract_proof_of(found, program)
        problem = _doubt_about(list(proof.obligations(program.program)), deadline)
    except (UnsupportedConstruct, NoProof) as refused:
        problem = str(refused)
    if problem:
        said.append(f"{found.engine}: {NOT_ACCEPTED}: {problem}")
        return None
    return Judged(Verdict.VERIFIED, found, None)


def _shallow(flow: ControlFlow, choices: Choices) -> Failure | None:
    """What of the program was left out, if the run comes there."""
    if not any(one.kind == UNWINDING for one in flow.failures.values()):
        return None
    moments = executed_on_graph(flow, choices)
    failure = flow.failures.get(moments[-1].location) if moments else None
    return failure if failure is not None and failure.kind == UNWINDING else None


def _require_suitable(request: Request) -> None:
    options = request.options
    if options.strategy not in ("bfs", "auto", *SEQUENTIAL):
        known = ", ".join(SEQUENTIAL)
        raise OptionProblem(f"search: expected auto or one of {known} for a C program")
    if options.storage != "exact" or options.spill_directory or options.threads != 1 or request.estimate:
        raise OptionProblem("a C program is not searched state by state: leave options about states out")


def judged(
    program: CProgram, flow: ControlFlow, found: Finding, deadline: float, said: list[str]
) -> Judged | None:
    """The finding if it stands; else why it does not is said."""
    if found.status is Status.UNKNOWN:
        said.append(f"{found.engine}: {found.detail}" + (f" at bound {found.bound}" if found.bound else ""))
        return None
    try:
        if found.status is Status.SAFE:
            problem = _doubt_about_proof(flow, found, deadline)
            if problem:
                said.append(f"{found.engine}: {NOT_ACCEPTED}: {problem}")
                return None
            return Judged(Verdict.VERIFIED, found, flow)
        assert found.run is not None
        return _violated(program, flow, found, found.run, said)
    except UnsupportedConstruct as problem:
        said.append(f"{found.engine}: {problem}")
        return None


def _doubt_about_proof(flow: ControlFlow, found: Finding, deadline: float) -> str:
    try:
        return _doubt_about(list(proof_of(found, flow).obligations(flow)), deadline)
    except NoProof as problem:
        return str(problem)


def _doubt_about(wanted: Sequence[Obligation], deadline: float) -> str:
    """In copies of this process: a solver that crashes or does not end is a doubt and nothing else."""
    refutations = [one.refutation for one in wanted]
    seconds = max(LEAST_CHECKING_SECONDS, deadline - time.monotonic())
    first = asked_in_a_copy(
        lambda: {"failed": first_unproved(refutations, time.monotonic() + seconds)},
        seconds=seconds + 1,
        memory_bytes=MEMORY_BYTES,
    )
    if isinstance(first, str):
        return f"its obligations could not be checked: {first}"
    if first["failed"] is not None:
        return f"an obligation is not met, or not in time: {wanted[first['failed']].text}"
    second = asked_in_a_copy(
        lambda: second_opinion(refutations, SECOND_OPINION_SECONDS),
        seconds=SECOND_OPINION_SECONDS + 2,
        memory_bytes=MEMORY_BYTES,
    )
    if isinstance(second, dict) and second["refuted"] is not None:
        return f"solvers disagree about an obligation: {wanted[second['refuted']].text}"
    return ""


def proof_of(found: Finding, flow: ControlFlow) -> Proof:
    if found.invariants is None:
        points = dict.fromkeys(flow.cut_points, TRUE)
        if found.unwound:
            longest = unwound(flow, found.unwound, flow.cut_points).longest
            return Proof(points, rounds=min(found.unwound, longest), bound=longest)
        return Proof(points, bound=found.bound)
    return Proof(found.invariants.at, found.invariants.rounds)


def contract_proof_of(found: Finding, program: CProgram) -> ContractProof:
    assert found.contracts is not None
    invariants = {
        name: dict.fromkeys(flow.cut_points, TRUE) for name, flow in modules(program.program, found.contracts)
    }
    return ContractProof(found.contracts, invariants)


def _certificate(
    name: str, program: CProgram, request: Request, answer: Judged
) -> tuple[dict[str, object] | None, str]:
    """What was written, or why nothing was."""
    assert request.certificate is not None
    claim = claim_of(
        request,
        program=name,
        language=program.language,
        sources=program.sources,
        semantics=program.semantics,
    )
    claim = replace(claim, properties=Properties(deadlock=False))
    began = time.monotonic()
    try:
        body, wanted = _written(program, answer)
        problem = _doubt_about(wanted, began + RECHECK_SECONDS) if wanted else ""
        if problem:
            return None, f"the proof needs what has no name in the text: {problem}"
        size = write_invariant(request.certificate.path, claim, body)
    except (OSError, CertificateProblem, NoProof, UnsupportedConstruct) as refused:
        return None, str(refused)
    path = str(request.certificate.path)
    return {"path": path, "bytes": size, "seconds": time.monotonic() - began, "kind": "cut points"}, ""


def _written(program: CProgram, answer: Judged) -> tuple[dict[str, object], list[Obligation]]:
    """The body of the file; and obligations, if something of the proof has no name and was left out."""
    if answer.flow is None:
        by_contracts = contract_proof_of(answer.finding, program)
        said = contract_file.sayable(by_contracts, program.program)
        body = contract_file.as_json(said, program.program)
        return body, [] if said == by_contracts else list(said.obligations(program.program))
    proof = proof_of(answer.finding, answer.flow)
    written = sayable(proof, answer.flow)
    body = as_json(written, answer.flow)
    return body, [] if written == proof else list(written.obligations(answer.flow))


def _violated(
    program: CProgram, flow: ControlFlow, found: Finding, choices: Choices, said: list[str]
) -> Judged | None:
    moments = executed_on_graph(flow, choices)
    failure = flow.failures.get(moments[-1].location) if moments else None
    if failure is None or failure.kind == "unwinding":
        problem = "its run does not fail" if failure is None else failure.message
        said.append(f"{found.engine}: {problem}")
        return None
    return _failed(program, flow, found, failure, choices, moments, said)


def _failed(
    program: CProgram,
    flow: ControlFlow | None,
    found: Finding,
    failure: Failure,
    choices: Choices,
    moments: list[Moment],
    said: list[str],
) -> Judged | None:
    violation = Violation(
        kind=failure.kind,
        message=failure.message,
        file=failure.place.file,
        line=failure.place.line,
        counterexample=counterexample(program, flow, failure, choices, moments),
    )
    run = failing_run(failure, moments)
    executed = executed_by_gcc(program, run)
    without_body = {one.name for one, _ in run.inputs} & program.program.externals.keys()
    guessed = sorted(filter(text_of, without_body))
    if not executed.reached and guessed:
        results = ", ".join(f"{name.removesuffix(REAL)}()" for name in guessed)
        said.append(f"{found.engine}: a run fails by results of {results} that may be none; {executed.what}")
        return None
    has_addresses = any(one.name == ADDRESSES for one in program.program.globals)
    if not executed.reached and has_addresses and _depends_on_places(flow, choices, moments):
        said.append(f"{found.engine}: a run fails that depends on where objects are; {executed.what}")
        return None
    return Judged(Verdict.VIOLATED, found, None, violation, executed, (failure, moments))


def _depends_on_places(flow: ControlFlow | None, choices: Choices, moments: Sequence[Moment]) -> bool:
    """Whether the run fails no more if objects are elsewhere."""
    if flow is None:
        return True
    for first, step in OTHER_PLACES:
        starts = elsewhere(flow.variables, choices.starts, first, step)
        again = executed_on_graph(flow, replace(choices, starts=starts))
        if not again or again[-1].location != moments[-1].location:
            return True
    return False


def _proof(finding: Finding) -> dict[str, object]:
    found: dict[str, object] = {"engine": finding.engine, "checked_by": "bitwuzla"}
    if finding.contracts is not None:
        halves = [half for one in finding.contracts.values() for half in (one.before, one.after)]
        return {
            **found,
            "kind": "contracts",
            "conjuncts": _size(halves),
            "procedures": len(finding.contracts),
        }
    if finding.invariants is None:
        return {**found, "kind": "unrolled", "bound": finding.bound}
    at = finding.invariants.at
    return {**found, "kind": "cut points", "conjuncts": _size(at.values()), "locations": len(at)}


def _size(terms: Iterable[Term]) -> int:
    return sum(len(one.operands) if one.operator == "and" else 1 for one in terms)


FRESH_MEMORY = (
    "memory that malloc gives holds anything until it is set, and the compiled program has what is there"
)


def _told(
    name: str,
    program: CProgram,
    request: Request,
    answer: Judged | None,
    said: list[str],
    reason: StopReason,
    started: float,
    compile_seconds: float,
) -> Result:
    verdict = Verdict.INCOMPLETE if answer is None else answer.verdict
    violations = () if answer is None or answer.violation is None else (answer.violation,)
    kinds = {"assertion", "error", *program.checks, *(["rule"] if program.rules else [])} - {"allocation"}
    standing = {
        Verdict.VERIFIED: Standing.HOLDS,
        Verdict.VIOLATED: Standing.NOT_DECIDED,
        Verdict.INCOMPLETE: Standing.NOT_DECIDED,
    }[verdict]
    failed = {one.kind for one in violations}
    properties = tuple(
        Property(kind, KINDS[kind], Standing.VIOLATED if kind in failed else standing)
        for kind in sorted(kinds)
    )
    notes = [*program.notes, *(one for one in said if answer is not None and NOT_ACCEPTED in one)]
    proof = written = None
    if answer is not None and answer.executed is not None:
        notes.append(
            answer.executed.what
            if answer.executed.reached
            else f"the run was not repeated by the compiled program: {answer.executed.what}"
            + (f"; {FRESH_MEMORY}" if program.allocates else "")
        )
    if answer is not None and answer.verdict is Verdict.VERIFIED:
        proof = {**_proof(answer.finding), "sliced": not request.language_options.no_slicing}
        if request.certificate is not None:
            written, problem = _certificate(name, program, request, answer)
            if problem:
                verdict = Verdict.INCOMPLETE
                said = [f"the certificate could not be written: {problem}"]
    elif request.certificate is not None:
        said.append("no certificate was written: there is no proof")
        notes += [said[-1]] if verdict is Verdict.VIOLATED else []
    reasons = tuple(said) if verdict is Verdict.INCOMPLETE else ()
    return Result(
        verdict=verdict,
        program=name,
        language=program.language,
        complete=False,
        properties=properties,
        reasons=reasons or (("no engine found an answer",) if verdict is Verdict.INCOMPLETE else ()),
        notes=tuple(notes),
        search_seconds=time.monotonic() - started,
        compile_seconds=compile_seconds,
        stop_reason=StopReason.VIOLATION.value if violations else "" if answer else reason.value,
        violations=violations,
        violation_count=len(violations),
        options=request.as_json(),
        semantics=dict(program.semantics),
        proof=proof,
        certificate=written,
        version=__version__,
    )
