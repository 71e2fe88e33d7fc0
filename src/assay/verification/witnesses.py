"""SV-COMP witnesses of C programs: written from what was found, and validated against the program.

A violation is looked for along the witness: the graph beside the automaton that the segments are. A run is
executed on the graph of the program itself and by the compiled program. Invariants are checked as a proof of
their own; if they are none, the engines look for one that has them, and the verdict says so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from pycparser import c_ast

from assay.certification.result import CertificationResult
from assay.evidence.result import Violation
from assay.evidence.sequential.bitwuzla_prover import first_unproved
from assay.evidence.sequential.cvc5_prover import second_opinion
from assay.evidence.sequential.obligations import NoProof, obligations
from assay.evidence.verdict import Verdict
from assay.evidence.witness_file import (
    NO_OVERFLOW,
    Invariant,
    Waypoint,
    Witness,
    WitnessProblem,
    read_witness,
)
from assay.execution.limited_questions import asked_in_a_copy
from assay.languages.c.landmarks import (
    MARK,
    Landmark,
    Landmarks,
    Mark,
    NoPlace,
    require_expression,
    with_marks,
)
from assay.languages.c.preprocessing import Preprocessed
from assay.languages.c.program import CProgram, load
from assay.records import dataclass
from assay.search.sequential.findings import Choices, Finding, Status
from assay.search.sequential.portfolio import PORTFOLIO, findings
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import FALSE, TRUE, Term
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Choose,
    ControlFlow,
    Edge,
    Failure,
)
from assay.transition_system.sequential.guided import Stage, guided
from assay.transition_system.sequential.inlining import is_recursive
from assay.transition_system.sequential.slicing import sliced
from assay.verification.sequential_runs import counterexample, executed_by_gcc, executed_on_graph, failing_run

SECONDS = 300.0
MEMORY_BYTES = 8 << 30
SECOND_OPINION_SECONDS = 10.0
PROCESSES = 2
RESULT = re.compile(r"\s*\(*\s*\\result\s*(==|!=|<=|>=|<|>)\s*(-?\d+)\s*[uUlL]*\s*\)*\s*")
COMPARISONS = {"==": "=", "<": "bvslt", "<=": "bvsle"}


class Rejected(Exception):
    """The witness does not show what it should, and why."""


@dataclass(frozen=True, slots=True)
class Asked:
    program: Path
    witness: Path
    options: LanguageOptions
    deadline: float
    memory_bytes: int


def validate_witness(
    program: str | Path,
    witness: str | Path,
    options: LanguageOptions,
    *,
    timeout_seconds: float = 0.0,
    memory_limit_bytes: int = 0,
    started: float | None = None,
) -> CertificationResult:
    """The verdict speaks of the program: `violated` if the witness of a violation is confirmed, `verified` if
    invariants are; `rejected` if the witness does not show what it says, `incomplete` if nobody knows."""
    began = time.monotonic() if started is None else started
    path = Path(witness)
    content = path.read_bytes() if path.is_file() else b""
    digest = {"path": str(path), "bytes": len(content), "sha256": sha256(content).hexdigest()}
    known = CertificationResult(
        verdict=Verdict.REJECTED,
        program=str(program),
        certificate=digest,
        mode="witness",
        options=options.as_json(),
    )
    deadline = time.monotonic() + (timeout_seconds or SECONDS)
    asked = Asked(Path(program), path, options, deadline, memory_limit_bytes or MEMORY_BYTES)
    try:
        found = _validated(known, asked)
    except (WitnessProblem, Rejected, NoPlace) as problem:
        found = replace(known, verdict=Verdict.REJECTED, reasons=(str(problem),))
    except (ValueError, OSError) as problem:
        found = replace(known, verdict=Verdict.REJECTED, reasons=(f"it cannot be read: {problem}",))
    except UnsupportedConstruct as problem:
        found = replace(known, verdict=Verdict.INCOMPLETE, reasons=(str(problem),))
    return replace(found, seconds=time.monotonic() - began)


def _validated(known: CertificationResult, asked: Asked) -> CertificationResult:
    witness = read_witness(asked.witness)
    options = replace(asked.options, checks=tuple({*asked.options.checks, *_checks(witness)}))
    asked = replace(asked, options=options)
    _require_same_program(witness, asked)
    if witness.is_about_a_violation:
        claim = (
            f"{asked.program.name} fails: {witness.task.specification or 'its specification'} does not hold"
        )
        return _violation(replace(known, claim=claim), witness, asked)
    count = len(witness.invariants or ())
    claim = f"{count} invariants of {asked.program.name}, which show: {witness.task.specification}"
    return _correctness(replace(known, claim=claim), witness, asked)


def _checks(witness: Witness) -> tuple[str, ...]:
    text = "".join(witness.task.specification.split())
    if not text or re.search(r"call\((reach_error|__VERIFIER_error)\(\)\)|Gassert", text):
        return ()
    if "".join(NO_OVERFLOW.split()) == text or "G!overflow" in text:
        return ("overflow",)
    raise WitnessProblem(f"the specification {witness.task.specification[:100]!r} is not understood")


def _require_same_program(witness: Witness, asked: Asked) -> None:
    try:
        ours = sha256(asked.program.read_bytes()).hexdigest()
    except OSError as problem:
        raise SourceProblem(f"cannot be read: {problem.strerror}", where=asked.program) from None
    if ours not in witness.task.files.values():
        raise Rejected(f"it is about another program: no file of it has the SHA-256 of {asked.program.name}")
    wanted = asked.options.data_model or "LP64"
    if witness.task.data_model != wanted:
        raise Rejected(
            f"it is about the data model {witness.task.data_model[:20]!r}, you asked for {wanted}; give "
            "--data-model if that is what you mean"
        )


def _landmarks(asked: Asked) -> tuple[CProgram, Landmarks]:
    program = load(asked.program, asked.options)
    try:
        return program, Landmarks(program.texts[0], str(asked.program))
    except NoPlace as problem:
        raise UnsupportedConstruct(f"places in this program are not told apart: {problem}") from None


def _marked(asked: Asked, landmarks: Landmarks, marks: Sequence[Mark]) -> CProgram:
    def changed(text: Preprocessed) -> Preprocessed:
        return replace(text, text=with_marks(landmarks, marks))

    try:
        return load(asked.program, asked.options, changed) if marks else load(asked.program, asked.options)
    except SourceProblem as problem:
        if isinstance(problem, UnsupportedConstruct):
            raise
        said = next((line for line in str(problem).splitlines() if "error:" in line), str(problem))
        raise Rejected(
            f"an expression of it is none in this program: {said.partition('error:')[2].strip()}"
        ) from None


def _mark_of(edge: Edge) -> tuple[int, Term] | None:
    """The number of a mark and whether its expression holds, where the edge calls one."""
    if not isinstance(edge.action, Assign) or len(edge.action.values) != 2:
        return None
    (first, number), (_, holds) = edge.action.values
    if not first.name.startswith(f"{MARK}::id") or not number.is_constant:
        return None
    return number.value, bv.negated(bv.equal(holds, bv.constant(0, holds.width)))


# --- violations ---


@dataclass(frozen=True, slots=True)
class Event:
    """When a waypoint is passed: of each edge, the condition before it and after it; and when a run comes to
    where it stands without passing it. Whoever follows it must pass it the first time."""

    before: Callable[[int], Term]
    after: Callable[[int], Term]
    missed_before: Callable[[int], Term]
    missed_after: Callable[[int], Term]


def _on(conditions: Mapping[int, Term]) -> tuple[Callable[[int], Term], Callable[[int], Term]]:
    """Where it is passed, and where it is missed."""
    return (
        lambda at: conditions.get(at, FALSE),
        lambda at: bv.negated(conditions[at]) if at in conditions else FALSE,
    )


def _before(conditions: Mapping[int, Term]) -> Event:
    passed, missed = _on(conditions)
    return Event(passed, _never, missed, _never)


def _after(conditions: Mapping[int, Term]) -> Event:
    passed, missed = _on(conditions)
    return Event(_never, passed, _never, missed)


def _never(_: int) -> Term:
    return FALSE


def _violation(known: CertificationResult, witness: Witness, asked: Asked) -> CertificationResult:
    plain, landmarks = _landmarks(asked)
    known = replace(known, semantics=dict(plain.semantics))
    known = replace(known, semantics=dict(plain.semantics))
    marks: list[Mark] = []
    numbers: dict[tuple[int, int], int] = {}
    places: dict[tuple[int, int], Landmark] = {}
    for at, segment in enumerate(witness.segments):
        for position, point in enumerate(segment):
            places[at, position] = place = _landmark(landmarks, point)
            is_choice = point.kind == "branching" and isinstance(place.node, c_ast.TernaryOp)
            if point.kind == "assumption" or is_choice:
                expression = "1" if is_choice else point.value
                require_expression(expression)
                numbers[at, position] = number = 2 * len(marks)
                where = "choice" if is_choice else "statement"
                marks.append(Mark(number, place, expression, where))
    marked = _marked(asked, landmarks, marks)
    for flow, _ in _some_flows(marked):
        events = {
            key: _event(flow, witness.segments[key[0]][key[1]], place, numbers.get(key))
            for key, place in places.items()
        }
        beside = _beside(flow, witness, events, places)
        found = _searched(beside, asked)
        if found is not None and found.run is not None:
            return _confirmed(known, plain, found.run, asked)
        if found is None:
            reason = "along the witness no run was found that fails, and no proof that there is none"
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
    if is_recursive(marked.program):
        reason = "no run fails along the witness as deep as the recursion was followed"
        return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
    raise Rejected("no run of the program goes along the witness and fails at its target")


def _some_flows(program: CProgram) -> Sequence[tuple[ControlFlow, bool]]:
    from itertools import islice

    return list(islice(program.flows(), 5))


def _landmark(landmarks: Landmarks, point: Waypoint) -> Landmark:
    kind = {"assumption": "statements", "branching": "branches", "target": "statements"}.get(
        point.kind, "calls"
    )
    return landmarks.find(kind, point.location.line, point.location.column)


def _event(flow: ControlFlow, point: Waypoint, place: Landmark, number: int | None) -> Event:
    edges = flow.edges
    if number is not None:
        marked = {at: found for at, edge in enumerate(edges) if (found := _mark_of(edge))}
        if point.kind == "branching":
            wanted = number + (point.value == "false")
            sides = {at for at, (found, _) in marked.items() if found in (number, number + 1)}
            return _before({at: bv.truth(marked[at][0] == wanted) for at in sides})
        return _before({at: holds for at, (found, holds) in marked.items() if found == number})
    here = [at for at, edge in enumerate(edges) if _spot(edge) == place.spot]
    if point.kind == "branching":
        chosen = _branching(flow, here, point, place)
        sources = {edges[at].source for at in chosen} | {edges[at].source for at in here if _tests(edges[at])}
        return _before(
            {at: bv.truth(at in chosen) for at, edge in enumerate(edges) if edge.source in sources}
        )
    if point.kind == "function_enter":
        return _before({at: TRUE for at in here if _is_input(edges[at]) or _is_call(flow, edges[at])})
    if point.kind == "function_return":
        returned = {
            at: _returned(edges[at], point) for at in here if _is_input(edges[at]) or _returns(edges[at])
        }
        return _after(returned)
    return Event(_never, _never, _never, _never)


def _spot(edge: Edge) -> tuple[str, int, int]:
    return edge.place.file, edge.place.line, edge.place.column


def _tests(edge: Edge) -> bool:
    return isinstance(edge.action, Assume) and edge.text.startswith(("(", "!("))


def _is_input(edge: Edge) -> bool:
    return isinstance(edge.action, Choose) and edge.action.is_input


def _returns(edge: Edge) -> bool:
    return edge.text.endswith(" returns")


def _is_call(flow: ControlFlow, edge: Edge) -> bool:
    """It leads into a copy of a procedure."""
    if not isinstance(edge.action, Assign | Assume) or _returns(edge):
        return False
    return any(
        one.place.function != edge.place.function and not _returns(one) for one in flow.outgoing[edge.target]
    )


def _branching(flow: ControlFlow, here: Sequence[int], point: Waypoint, place: Landmark) -> set[int]:
    edges = flow.edges
    if isinstance(place.node, c_ast.Switch):
        sources = {edges[at].target for at in here if _is_switched(edges[at])}
        cases = [at for at, edge in enumerate(edges) if edge.source in sources]
        if point.value == "default":
            return {at for at in cases if edges[at].text.endswith("is none of them")}
        return {at for at in cases if edges[at].text.endswith(f"== {point.value}")}
    if point.value not in ("true", "false"):
        raise Rejected(f"a branch is true or false, not {point.value[:40]!r}")
    start = "(" if point.value == "true" else "!("
    return {at for at in here if isinstance(edges[at].action, Assume) and edges[at].text.startswith(start)}


def _is_switched(edge: Edge) -> bool:
    """What a `switch` decides by is kept first."""
    return isinstance(edge.action, Assign) and any("::switch#" in name.name for name, _ in edge.action.values)


def _returned(edge: Edge, point: Waypoint) -> Term:
    if not point.value or point.value.strip() in ("1", "true"):
        return TRUE
    found = RESULT.fullmatch(point.value)
    if found is None:
        raise UnsupportedConstruct(f"the constraint {point.value[:100]!r} of a result is not modelled")
    action = edge.action
    name = action.variable if isinstance(action, Choose) else None
    if isinstance(action, Assign) and action.values:
        name = action.values[0][0]
    if name is None:
        raise UnsupportedConstruct(f"the call in line {point.location.line} has no result that is kept")
    sign, value = found.group(1), bv.constant(int(found.group(2)), name.width)
    if sign in (">", ">="):
        sign, left, right = {">": "<", ">=": "<="}[sign], value, name
    else:
        left, right = name, value
    if sign in ("==", "!="):
        equal = bv.equal(left, right)
        return equal if sign == "==" else bv.negated(equal)
    return bv.compare(COMPARISONS[sign], left, right)


def _beside(
    flow: ControlFlow,
    witness: Witness,
    events: dict[tuple[int, int], Event],
    places: dict[tuple[int, int], Landmark],
) -> ControlFlow:
    stages = []
    for at, segment in enumerate(witness.segments):
        avoided = [events[at, position] for position in range(len(segment) - 1)]
        followed = events[at, len(segment) - 1]
        is_last = at == len(witness.segments) - 1
        stages.append(
            Stage(
                _never if is_last else followed.before,
                _never if is_last else followed.after,
                _any_of([*(one.before for one in avoided), followed.missed_before]),
                _any_of([*(one.after for one in avoided), followed.missed_after]),
            )
        )
    target = places[len(witness.segments) - 1, len(witness.segments[-1]) - 1]
    return guided(flow, stages, lambda at: flow.edges[at].place.line == target.spot[1])


def _any_of(conditions: Sequence[Callable[[int], Term]]) -> Callable[[int], Term]:
    return lambda at: bv.any_of(one(at) for one in conditions)


def _searched(flow: ControlFlow, asked: Asked) -> Finding | None:
    """A run, or a proof that there is none, which is checked."""
    if not flow.failures:
        return Finding("bounded", Status.SAFE)
    for found in findings(
        sliced(flow),
        list(PORTFOLIO),
        deadline=asked.deadline,
        memory_bytes=asked.memory_bytes,
        processes=PROCESSES,
        say=lambda _: None,
    ):
        if found.run is not None or (found.status is Status.SAFE and not _doubt_about(flow, found, asked)):
            return found
    return None


def _confirmed(
    known: CertificationResult, program: CProgram, choices: Choices, asked: Asked
) -> CertificationResult:
    """The run, on the graph of the program as it stands, and by the compiled program."""
    for flow, _ in _some_flows(program):
        names = {one.name for one in flow.variables}
        plain = Choices(
            {one: value for one, value in choices.starts.items() if one.name in names}, choices.chosen
        )
        try:
            moments = executed_on_graph(flow, plain)
        except (RuntimeError, StopIteration):
            continue
        failure = flow.failures.get(moments[-1].location) if moments else None
        if failure is None or failure.kind == "unwinding":
            continue
        executed = executed_by_gcc(program, failing_run(failure, moments))
        if not executed.reached:
            reason = (
                f"a run along the witness fails, but the compiled program does not show it: {executed.what}"
            )
            return replace(known, verdict=Verdict.INCOMPLETE, reasons=(reason,))
        violation = Violation(
            kind=failure.kind,
            message=failure.message,
            file=failure.place.file,
            line=failure.place.line,
            counterexample=counterexample(program, flow, failure, plain, moments),
        )
        return replace(
            known,
            verdict=Verdict.VIOLATED,
            violations=(violation,),
            notes=(f"the witness is confirmed: {executed.what}",),
        )
    del asked
    raise Rejected("a run along the witness does not fail in the program itself")


# --- invariants ---


def _correctness(known: CertificationResult, witness: Witness, asked: Asked) -> CertificationResult:
    plain, landmarks = _landmarks(asked)
    known = replace(known, semantics=dict(plain.semantics))
    marks, names = [], {}
    for number, one in enumerate(witness.invariants or ()):
        require_expression(one.value)
        is_loop = one.kind == "loop_invariant"
        place = landmarks.find("loops" if is_loop else "statements", one.location.line, one.location.column)
        marks.append(Mark(number, place, one.value, "loop" if is_loop else "statement"))
        names[number] = one
    marked = _marked(asked, landmarks, marks)
    began = time.monotonic()
    known = replace(known, workers=1, where="1 local process", notes=plain.notes)
    flows = list(_some_flows(marked))
    is_recursive = len(flows) > 1
    if not is_recursive:
        whole = flows[0][0]
        problem = _doubt(whole, asked)
        if not problem:
            note = "the invariants of the witness are inductive and suffice: no engine was asked"
            return _shown(known, began, note)
    else:
        problem = "the program is recursive"
    for flow, is_whole in flows:
        required = _required(flow, names)
        for found in findings(
            sliced(required),
            list(PORTFOLIO),
            deadline=asked.deadline,
            memory_bytes=asked.memory_bytes,
            processes=PROCESSES,
            say=lambda _: None,
        ):
            if found.status is Status.UNSAFE and found.run is not None:
                _explain_failure(required, found.run)
                continue
            if found.status is Status.SAFE and is_whole and not _doubt_about(required, found, asked):
                note = (
                    f"the invariants of the witness hold, but are no proof by themselves ({problem}); our "
                    f"engine {found.engine} strengthened them"
                )
                return _shown(known, began, note)
    return replace(
        known,
        verdict=Verdict.INCOMPLETE,
        reasons=(
            f"the invariants are no proof by themselves ({problem}), and no engine could strengthen them",
        ),
    )


def _shown(known: CertificationResult, began: float, note: str) -> CertificationResult:
    return replace(
        known,
        verdict=Verdict.VERIFIED,
        complete=True,
        solver="bitwuzla and cvc5",
        run_seconds=time.monotonic() - began,
        notes=(*known.notes, note),
    )


def _held(flow: ControlFlow) -> dict[int, Term]:
    """What the witness says of each location at which it says something."""
    found: dict[int, list[Term]] = {}
    for edge in flow.edges:
        mark = _mark_of(edge)
        if mark is not None:
            found.setdefault(edge.source, []).append(mark[1])
    return {at: bv.all_of(terms) for at, terms in found.items()}


def _doubt(flow: ControlFlow, asked: Asked) -> str:
    """Empty: what the witness says is a proof. Where it says nothing of a loop, nothing is known there."""
    said = _held(flow)
    points = dict(said)
    if not flow.cuts_every_cycle(points):
        points |= {at: TRUE for at in flow.cut_points if at not in points}
    try:
        wanted = list(obligations(flow, points))
    except NoProof as problem:
        return str(problem)
    return _not_met([one.refutation for one in wanted], [one.text for one in wanted], asked)


def _not_met(refutations: Sequence[Term], texts: Sequence[str], asked: Asked) -> str:
    failed = first_unproved(list(refutations), asked.deadline)
    if failed is not None:
        return texts[failed]
    second = asked_in_a_copy(
        lambda: second_opinion(list(refutations), SECOND_OPINION_SECONDS),
        seconds=SECOND_OPINION_SECONDS + 2,
        memory_bytes=asked.memory_bytes,
    )
    if isinstance(second, dict) and second["refuted"] is not None:
        return f"solvers disagree: {texts[second['refuted']]}"
    return ""


def _required(flow: ControlFlow, names: dict[int, Invariant]) -> ControlFlow:
    """With a failure wherever an invariant does not hold."""
    edges: list[Edge] = []
    failures = dict(flow.failures)
    locations = flow.locations
    for edge in flow.edges:
        mark = _mark_of(edge)
        if mark is None:
            edges.append(edge)
            continue
        number, holds = mark
        fails, goes_on = locations, locations + 1
        locations += 2
        one = names[number]
        failures[fails] = Failure(
            "invariant",
            f"the invariant `{one.value[:100]}` of line {one.location.line} does not hold",
            edge.place,
        )
        edges += [
            Edge(edge.source, fails, Assume(bv.negated(holds)), edge.place, ""),
            Edge(edge.source, goes_on, Assume(holds), edge.place, ""),
            replace(edge, source=goes_on),
        ]
    return replace(flow, edges=tuple(edges), failures=failures, locations=locations)


def _explain_failure(flow: ControlFlow, choices: Choices) -> None:
    """Raises Rejected with what fails, if the run does fail."""
    moments = executed_on_graph(flow, choices)
    failure = flow.failures.get(moments[-1].location) if moments else None
    if failure is None or failure.kind == "unwinding":
        return
    what = failure.message if failure.kind == "invariant" else f"the program fails: {failure.message}"
    raise Rejected(what)


def _doubt_about(flow: ControlFlow, found: Finding, asked: Asked) -> str:
    from assay.verification.sequential import proof_of

    try:
        wanted = list(proof_of(found, flow).obligations(flow))
    except NoProof as problem:
        return str(problem)
    return _not_met([one.refutation for one in wanted], [one.text for one in wanted], asked)
