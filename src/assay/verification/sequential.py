"""C programs: engines side by side, and no answer of theirs is believed.

A run that fails is executed on the graph and then by the compiled program; a proof is checked by
obligations that are made anew, and by another solver, before anybody hears of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from assay import __version__
from assay.evidence.certificate.header import CertificateProblem, Properties
from assay.evidence.certificate.invariant_file import write_invariant
from assay.evidence.counterexample import Change, Counterexample, Step, Trace, TraceProblem
from assay.evidence.properties import Property, Standing
from assay.evidence.result import Result, Violation
from assay.evidence.sequential.bitwuzla_prover import first_unproved
from assay.evidence.sequential.cvc5_prover import second_opinion
from assay.evidence.sequential.obligations import NoProof, Obligation, obligations
from assay.evidence.sequential.proof_file import Proof, as_json, sayable
from assay.evidence.verdict import StopReason, Verdict
from assay.execution.limited_questions import asked_in_a_copy
from assay.languages.c.execution import Executed, InputFunction, assertion_in, execute, harness
from assay.languages.c.memory import ADDRESSES
from assay.languages.c.preprocessing import DATA_MODELS
from assay.languages.c.program import CProgram
from assay.languages.c.rules import REAL
from assay.records import dataclass
from assay.search.sequential import contracts
from assay.search.sequential.contracts import NAME as CONTRACTS
from assay.search.sequential.contracts import finding as found_contracts
from assay.search.sequential.findings import Choices, Finding, Status
from assay.search.sequential.portfolio import ENGINES, PORTFOLIO, findings
from assay.transition_system.interface import UnsupportedConstruct, ViolationFacts
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.sequential.bitvectors import BOOLEAN, TRUE, Bits, Term, Value, signed
from assay.transition_system.sequential.calling import Calling
from assay.transition_system.sequential.compiled_runs import followed
from assay.transition_system.sequential.contracts import modules
from assay.transition_system.sequential.control_flow import Choose, ControlFlow, Edge, Failure
from assay.transition_system.sequential.inlining import UNWINDING, is_recursive
from assay.transition_system.sequential.running import Moment, default, run
from assay.transition_system.sequential.slicing import sliced
from assay.verification.certificates import claim_of
from assay.verification.request import Phase, Request

NO_LIMIT_SECONDS = 900.0
LEAST_CHECKING_SECONDS = 3.0  # of a proof, even if it was found at the last moment
CONTRACTS_SHARE = 0.4  # of the time, for procedures that call themselves
SECOND_OPINION_SECONDS = 2.0  # of cvc5, beside Bitwuzla: some engines ask Bitwuzla themselves
MEMORY_BYTES = 8 << 30
PROCESSES = 2
MOST_FLOWS = 10  # depths of recursion at which a run is looked for again
MOST_STEPS = 20_000  # of a run that is shown
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
    flow: ControlFlow | None  # what it is about; None: procedures, one by one
    violation: Violation | None = None
    executed: Executed | None = None


def verify_sequentially(name: str, program: CProgram, request: Request, *, compile_seconds: float) -> Result:
    _require_suitable(request)
    started = time.monotonic()
    deadline = min(request.deadline or started + NO_LIMIT_SECONDS, started + NO_LIMIT_SECONDS)
    request.listener(Phase("proving", name))
    said: list[str] = []
    answer: Judged | None = None
    reason = StopReason.TIME
    try:
        if is_recursive(program.program) and request.options.strategy in ("bfs", "auto", CONTRACTS):
            answer = _by_contracts(name, program, request, deadline, said)
        for flow, is_whole in program.flows():
            if answer is not None or request.options.strategy == CONTRACTS:
                break
            answer, reason, goes_on = _looked_at(
                name, program, flow, request, deadline, said, is_whole=is_whole
            )
            if not goes_on:
                break
    except UnsupportedConstruct as problem:
        said.append(str(problem))
    except KeyboardInterrupt:
        reason = StopReason.INTERRUPTED
    return _told(name, program, request, answer, said, reason, started, compile_seconds)


def _looked_at(
    name: str,
    program: CProgram,
    flow: ControlFlow,
    request: Request,
    deadline: float,
    said: list[str],
    *,
    is_whole: bool,
) -> tuple[Judged | None, StopReason, bool]:
    """The first answer that stands, why there is no more, and whether to look at more of the recursion: if
    it goes deeper, or if nothing fails in a part."""
    asked = request.options.strategy
    engines = list(PORTFOLIO) if asked in ("bfs", "auto") else [asked]
    for found in findings(
        sliced(flow),
        engines,
        deadline=deadline,
        memory_bytes=request.options.memory_limit_bytes,
        processes=PROCESSES,
        say=lambda text: request.listener(Phase(text, name)),
    ):
        if found.run is not None and _is_too_shallow(flow, found.run):
            return None, StopReason.TIME, True
        if found.status is Status.SAFE and not is_whole:
            return None, StopReason.TIME, True
        answer = judged(program, flow, found, deadline, said)
        if answer is not None:
            return answer, StopReason.TIME, False
    return None, StopReason.FINISHED if time.monotonic() < deadline else StopReason.TIME, False


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
            lambda _: next(left, 0), most_steps=MOST_STEPS * 100, moments=moments
        )
        return None if failure is None else _failed(program, found, failure, moments, said)
    if found.contracts is None:
        said.append(f"{found.engine}: {found.detail}")
        return None
    try:
        wanted = [
            one
            for _, flow in modules(program.program, found.contracts)
            for one in obligations(flow, dict.fromkeys(flow.cut_points, TRUE))
        ]
        problem = _doubt_about(wanted, deadline)
    except (UnsupportedConstruct, NoProof) as refused:
        problem = str(refused)
    if problem:
        said.append(f"{found.engine}: {NOT_ACCEPTED}: {problem}")
        return None
    return Judged(Verdict.VERIFIED, found, None)


def _is_too_shallow(flow: ControlFlow, choices: Choices) -> bool:
    if not any(one.kind == UNWINDING for one in flow.failures.values()):
        return False
    moments = executed_on_graph(flow, choices)
    failure = flow.failures.get(moments[-1].location) if moments else None
    return failure is not None and failure.kind == UNWINDING


def _require_suitable(request: Request) -> None:
    options = request.options
    if options.strategy not in ("bfs", "auto", CONTRACTS, *ENGINES):
        known = ", ".join((*ENGINES, CONTRACTS))
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
        return Proof(dict.fromkeys(flow.cut_points, TRUE), bound=found.bound)
    return Proof(found.invariants.at, found.invariants.rounds)


def _certificate(
    name: str, program: CProgram, request: Request, answer: Judged
) -> tuple[dict[str, object] | None, str]:
    """What was written, or why nothing was."""
    assert request.certificate is not None
    if answer.flow is None:
        return None, "proofs by contracts of procedures cannot be written down yet"
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
        proof = proof_of(answer.finding, answer.flow)
        written = sayable(proof, answer.flow)
        if written != proof:  # is what is left still a proof?
            problem = _doubt_about(list(written.obligations(answer.flow)), began + RECHECK_SECONDS)
            if problem:
                return None, f"the proof needs what has no name in the text: {problem}"
        size = write_invariant(request.certificate.path, claim, as_json(written, answer.flow))
    except (OSError, CertificateProblem, NoProof) as problem:
        return None, str(problem)
    path = str(request.certificate.path)
    return {"path": path, "bytes": size, "seconds": time.monotonic() - began, "kind": "cut points"}, ""


def _violated(
    program: CProgram, flow: ControlFlow, found: Finding, choices: Choices, said: list[str]
) -> Judged | None:
    moments = executed_on_graph(flow, choices)
    failure = flow.failures.get(moments[-1].location) if moments else None
    if failure is None or failure.kind == "unwinding":
        problem = "its run does not fail" if failure is None else failure.message
        said.append(f"{found.engine}: {problem}")
        return None
    return _failed(program, found, failure, moments, said)


def _failed(
    program: CProgram, found: Finding, failure: Failure, moments: list[Moment], said: list[str]
) -> Judged | None:
    violation = Violation(
        kind=failure.kind,
        message=failure.message,
        file=failure.place.file,
        line=failure.place.line,
        counterexample=_counterexample(program, failure, moments),
    )
    executed = _executed(program, moments, failure)
    if not executed.reached and any(one.name == ADDRESSES for one in program.program.globals):
        said.append(f"{found.engine}: a run fails that depends on where objects are; {executed.what}")
        return None
    return Judged(Verdict.VIOLATED, found, None, violation, executed)


def _counterexample(program: CProgram, failure: Failure, moments: list[Moment]) -> Counterexample:
    """Its `positions` are what was chosen, in order: with them the run can be executed again."""
    chosen = [one.chosen for one in moments if isinstance(one.edge.action, Choose)]
    return Counterexample(
        violation=ViolationFacts(failure.kind, failure.message, failure.place.file, failure.place.line),
        positions=tuple(one if isinstance(one, int) else 0 for one in chosen),
        initial={},
        steps=tuple(_steps(program, moments)),
    )


def replay_sequentially(name: str, program: CProgram, recorded: Trace) -> Counterexample:
    wanted = recorded.counterexample.violation.message
    if is_recursive(program.program):
        again: list[Moment] = []
        left = iter(recorded.counterexample.positions)
        reached = Calling(program.program).run(
            lambda edge: _of_sort(edge, next(left, 0)), most_steps=MOST_STEPS * 100, moments=again
        )
        if reached is not None and reached.message == wanted:
            return _counterexample(program, reached, again)
    for flow, _ in islice(program.flows(), MOST_FLOWS):
        moments = _chosen_again(flow, recorded.counterexample.positions)
        failure = flow.failures.get(moments[-1].location) if moments else None
        if failure is not None and failure.message == wanted:
            return _counterexample(program, failure, moments)
    raise TraceProblem(f"the run no longer ends in: {wanted}; verify {name} again")


def _chosen_again(flow: ControlFlow, positions: Sequence[int]) -> list[Moment]:
    left = iter(positions)
    return list(islice(run(flow, lambda edge: _of_sort(edge, next(left, 0)), {}), MOST_STEPS * 100))


def _of_sort(edge: Edge, value: int) -> Value:
    sort = edge.action.variable.sort if isinstance(edge.action, Choose) else BOOLEAN
    return value & ((1 << sort.width) - 1) if isinstance(sort, Bits) else default(sort)


def executed_on_graph(flow: ControlFlow, choices: Choices) -> list[Moment]:
    return followed(flow, choices.chosen, dict(choices.starts))


def _executed(program: CProgram, moments: list[Moment], failure: Failure) -> Executed:
    inputs = []
    for moment in moments:
        action = moment.edge.action
        if isinstance(action, Choose) and action.is_input:
            assert isinstance(moment.chosen, int)
            assert isinstance(action.variable.sort, Bits)
            inputs.append((InputFunction(action.origin, action.variable.sort.width), moment.chosen))
    defined = frozenset(one.partition("@")[0] for one in program.program.procedures)
    watched = next((one for one in ("reach_error", "__VERIFIER_error") if one in defined), "")
    text = harness(inputs, program.program.externals, defined, assertion_in(failure))
    return execute(program, DATA_MODELS[program.data_model], text, watched)


def _steps(program: CProgram, moments: list[Moment]) -> list[Step]:
    """One for each edge that a person would look at; what nobody set is not told."""
    steps: list[Step] = []
    before = moments[0].values
    given: list[str] = []  # inputs that the next line used
    for moment in moments[:MOST_STEPS]:
        changes = tuple(_changes(before, moment.values, program.rules))
        before = moment.values
        action, place = moment.edge.action, moment.edge.place
        if isinstance(action, Choose):
            if action.is_input and isinstance(moment.chosen, int):
                width = action.variable.width
                given.append(f"{action.origin.removesuffix(REAL)}() gives {signed(moment.chosen, width)}")
            continue
        if not moment.edge.text:
            continue
        number = len(steps)
        text = "; ".join([*given, _without_prefixes(moment.edge.text, program.rules)])
        given = []
        steps.append(
            Step(number + 1, number, "program", place.file, place.line, text, changes, place.function)
        )
    return steps


def _without_prefixes(text: str, rules: Sequence[str]) -> str:
    """Names of a rule's state, as the rule calls them."""
    for rule in rules:
        text = text.replace(f"__{rule}_", "")
    return text


def _changes(before: dict[Term, Value], after: dict[Term, Value], rules: Sequence[str]) -> Iterator[Change]:
    for name, value in after.items():
        old = before.get(name)
        plain = name.name.rpartition("::")[2].partition("@")[0].partition("#")[0]
        shown = _without_prefixes(plain, rules)
        if value == old or not isinstance(value, int) or not isinstance(old, int):
            continue
        if shown not in TEMPORARIES and not shown.startswith("__"):
            yield Change(shown, signed(old, name.width), signed(value, name.width))


TEMPORARIES = {"value", "input", "old", "switch", "shifted", "printed", "result"}


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
        )
    if answer is not None and answer.verdict is Verdict.VERIFIED:
        proof = _proof(answer.finding)
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
