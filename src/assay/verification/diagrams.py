"""Verification by binary decision diagrams: `--search symbolic`.

In a copy of this process, with the limits on time and memory; what it finds is told after the program itself
has done it. `verified` when every reachable state was seen.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from assay.evidence.result import Result
from assay.evidence.verdict import Judgement, SearchFacts, StopReason, Verdict, judge
from assay.execution.limited_questions import watched_in_a_copy
from assay.execution.model_process import ModelProcess, Progress
from assay.search import diagrams, native
from assay.search.diagram_numbers import TooWide
from assay.search.diagrams import Explored, NotFinite
from assay.transition_system.interface import Program
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.symbolic import NotExpressible, SymbolicSystem
from assay.verification.following import followed
from assay.verification.request import Phase, Request
from assay.verification.symbolic_result import result_of

NO_LIMIT_SECONDS = 10 * 24 * 3600.0
SATURATED = (
    "all states were found by saturation: the depth is how many layers were gone through, and may be larger"
)
FAILS = "a state that fails can be reached, but time ended before a run to it was found"
HINT = "--search bfs looks at its states one by one"


def search_by_diagrams(
    name: str, program: Program, system: SymbolicSystem, request: Request, *, compile_seconds: float
) -> Result:
    options = request.options
    if not options.stop_at_first_violation or options.state_limit:
        raise OptionProblem("search: symbolic finds one violation and counts no states one by one")
    if not system.is_bounded:
        unbounded = ", ".join(one.name for one in system.variables if one.type.bits is None)
        raise NotExpressible(
            f"{unbounded} may hold any integer, and diagrams are finite", hint="--search invariants"
        )
    request.listener(Phase("searching", name))
    began = time.monotonic()
    memory = options.memory_limit_bytes

    def question(tell: Any) -> dict[str, Any]:
        try:
            found = diagrams.explore(
                system,
                memory_bytes=memory * 3 // 4,
                deadline=request.deadline,
                check_deadlock=options.check_deadlock,
                depth_limit=options.depth_limit,
                tell=tell,
            )
        except (NotFinite, TooWide) as problem:
            return {"refused": diagrams.why_not(problem)}
        return diagrams.as_json(found)

    def listen(event: dict[str, Any]) -> None:
        request.listener(
            Progress(
                states=int(event["states"]),
                depth=int(event["depth"]),
                seconds=time.monotonic() - began,
                note=f"{event['nodes']:,} nodes",
            )
        )

    left = NO_LIMIT_SECONDS if request.deadline is None else max(1.0, request.deadline - began + 1)
    answer = watched_in_a_copy(question, seconds=left, memory_bytes=memory, listen=listen)
    seconds = time.monotonic() - began
    if isinstance(answer, dict) and "refused" in answer:
        raise NotExpressible(str(answer["refused"]), hint=HINT)
    if isinstance(answer, str):
        return _without_answer(name, program, request, answer, seconds, compile_seconds)
    found = diagrams.from_json(answer)
    violations: tuple[native.NativeViolation, ...] = ()
    if found.violation is not None:
        with ModelProcess() as process:
            violations = (followed(program, system, found.run, found.violation, process),)
    facts = _facts(found, seconds, len(violations))
    notes = (f"by binary decision diagrams, {found.nodes:,} nodes at the end", *system.notes)
    if found.saturated:
        notes = (*notes, SATURATED if found.complete else FAILS)
    if system.visible:
        notes = (*notes, "transitions are counted in the symbolic form, where a sequence has several")
    return result_of(
        name,
        program,
        request,
        judge(facts),
        violations,
        compile_seconds=compile_seconds,
        facts=facts,
        notes=notes,
    )


def _facts(found: Explored, seconds: float, violations: int) -> SearchFacts:
    reason = StopReason.named(found.stopped_by)
    return SearchFacts(
        states=found.states,
        transitions=found.transitions,
        depth=found.depth,
        seconds=seconds,
        complete=found.complete,
        stop_reason=reason,
        violation_count=violations,
    )


def _without_answer(
    name: str, program: Program, request: Request, why: str, seconds: float, compile_seconds: float
) -> Result:
    reason = StopReason.TIME if why == "time ran out" else StopReason.MEMORY
    facts = SearchFacts(seconds=seconds, complete=False, stop_reason=reason)
    said = "the time limit was reached" if reason is StopReason.TIME else f"the diagrams did not fit ({why})"
    judgement = Judgement(Verdict.INCOMPLETE, False, (said,))
    return replace(
        result_of(name, program, request, judgement, (), compile_seconds=compile_seconds, facts=facts),
        complete=False,
    )
