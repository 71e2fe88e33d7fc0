"""Searches of the symbolic form of a program, by their names."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

from assay.evidence.result import Result
from assay.evidence.verdict import Verdict
from assay.execution.model_process import ModelProcess, Progress
from assay.transition_system.interface import Program
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.symbolic import NotExpressible
from assay.transition_system.symbolic_opening import opening_of, sealed
from assay.verification.packed import search_packed
from assay.verification.proving import (
    ProofJob,
    answer_of,
    form_required,
    proof_job,
    prove_program,
    require_states_only,
    told,
)
from assay.verification.request import Phase, Request

Load = Callable[[LanguageOptions], Program]


def verify_symbolically(
    name: str, program: Program, load: Load, request: Request, *, compile_seconds: float
) -> Result:
    strategy = request.options.strategy
    if request.options.spill_directory or request.estimate is not None:
        raise OptionProblem(f"search: {strategy} keeps no states on disk and is not estimated")
    if strategy == "invariants":
        return prove_program(name, program, request, compile_seconds=compile_seconds)
    if strategy == "auto":
        return _side_by_side(name, program, load, request, compile_seconds=compile_seconds)
    if strategy == "packed":
        require_states_only(program, request)
        return search_packed(name, program, form_required(program), request, compile_seconds=compile_seconds)
    if strategy == "symbolic":
        from assay.verification.diagrams import search_by_diagrams

        require_states_only(program, request)
        return search_by_diagrams(
            name, program, form_required(program), request, compile_seconds=compile_seconds
        )
    from assay.verification.abstraction import search_by_abstraction

    return search_by_abstraction(name, program, request, compile_seconds=compile_seconds)


class _Proved(Exception):
    """The proof answered first."""


def _side_by_side(
    name: str, program: Program, load: Load, request: Request, *, compile_seconds: float
) -> Result:
    """A concrete search and a search for a proof, in two processes and one budget; whoever answers first."""
    from assay.verification.pipeline import search_program

    concrete = replace(request, options=replace(request.options, strategy="bfs"))
    try:
        require_states_only(program, request)
        unreduced = load(replace(request.language_options, reductions=frozenset())).opened()
        system = unreduced.symbolic()
    except (NotExpressible, OptionProblem) as problem:
        with ModelProcess() as process:
            result, _, _ = search_program(process, name, program, concrete, compile_seconds=compile_seconds)
        said = f"no proof was looked for: {problem}"
        return replace(result, options=request.as_json(), notes=(*result.notes, said))
    file = sealed(system)
    own = replace(request, language_options=replace(request.language_options, reductions=frozenset()))
    with proof_job(system, opening_of(file), request) as job:

        def listen(event: Phase | Progress) -> None:
            request.listener(event)
            if isinstance(event, Progress) and _has_answered(job):
                raise _Proved

        found_first: Result | None = None
        with contextlib.suppress(_Proved):
            # Steps that are computed in Python take a thousand times as long as those of the form.
            if not program.capabilities.compiled and request.certificate is None:
                found_first = search_packed(
                    name, unreduced, system, replace(own, listener=listen), compile_seconds=compile_seconds
                )
            else:
                with ModelProcess() as process:
                    asked = replace(concrete, listener=listen)
                    found_first, _, _ = search_program(
                        process, name, program, asked, compile_seconds=compile_seconds
                    )
        if found_first is not None and found_first.verdict is not Verdict.INCOMPLETE:
            return replace(found_first, options=request.as_json())
        if found_first is not None and found_first.stop_reason != "interrupted" and not job.poll():
            request.listener(Phase("proving", name))
            job.watch(
                deadline=None if request.deadline is None else request.deadline + 1,
                memory_limit_bytes=request.options.memory_limit_bytes,
                on_progress=request.listener,
            )
        if _has_answered(job):
            found = answer_of(job, unreduced, system)
            return told(name, unreduced, system, found, own, compile_seconds=compile_seconds)
    assert found_first is not None
    notes = (*found_first.notes, "no proof was found beside the search")
    return replace(found_first, options=request.as_json(), notes=notes)


def _has_answered(job: ProofJob) -> bool:
    """With a proof or a violation."""
    job.poll()
    found = job.searched
    return found is not None and (found["invariant"] is not None or found["violation"] is not None)
