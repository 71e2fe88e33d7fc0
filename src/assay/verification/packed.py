"""Verification over the compiled symbolic form, breadth first: `--search packed`.

The form is C, and a state of it as few words as its bits take, so nothing is faster where a program has
one: a class, above all, whose steps are otherwise computed in Python. What it finds is told after the
program itself has done it; `verified` when every state was seen and no number outgrew a word.
"""

from __future__ import annotations

from dataclasses import replace

from assay.evidence.result import Result
from assay.evidence.verdict import Judgement, StopReason, Verdict, judge
from assay.execution.model_process import ModelProcess
from assay.languages.promela.compiler import compile_model
from assay.search import native
from assay.transition_system.interface import Opening, Program
from assay.transition_system.symbolic import SymbolicSystem
from assay.transition_system.symbolic_code import code_of, overflow_code
from assay.transition_system.symbolic_opening import deep_recursion
from assay.verification.following import followed, states_of
from assay.verification.request import Phase, Request
from assay.verification.symbolic_result import result_of

OUTGROWN = "a number needs more than the 64 bits that it has here"


def search_packed(
    name: str, program: Program, system: SymbolicSystem, request: Request, *, compile_seconds: float
) -> Result:
    with deep_recursion():
        file = compile_model(code_of(system, packed=True))
    request.listener(Phase("searching", name))
    outcome = native.search(
        Opening(str(file.path)),
        replace(request.options, strategy="packed"),
        deadline=request.deadline,
        on_progress=request.listener,
        more_options={"overflow_code": overflow_code(system)},
    )
    violations: tuple[native.NativeViolation, ...] = ()
    if outcome.violations:
        with ModelProcess() as process:
            violations = tuple(
                followed(program, system, states_of(system, found.positions), found.code, process)
                for found in outcome.violations
            )
    judgement = judge(outcome.facts)
    outgrew = outcome.facts.stop_reason is StopReason.DEPTH and not request.options.depth_limit
    if judgement.verdict is Verdict.INCOMPLETE and outgrew:
        judgement = Judgement(Verdict.INCOMPLETE, False, (OUTGROWN,))
    return result_of(
        name,
        program,
        request,
        judgement,
        violations,
        compile_seconds=compile_seconds,
        facts=outcome.facts,
        peak_memory_bytes=outcome.peak_memory_bytes,
        notes=system.notes,
    )
