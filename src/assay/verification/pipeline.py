"""One verification: load, search, explain, judge."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from assay import __version__
from assay.evidence.counterexample import Counterexample, Trace, TraceProblem, described_by, translate
from assay.evidence.properties import standings
from assay.evidence.result import Result, Violation
from assay.evidence.verdict import Judgement, SearchFacts, StopReason, Verdict, judge, what_was_forgotten
from assay.execution import interrupts
from assay.execution.alarm import OutOfTime, alarm_at
from assay.execution.model_process import AssumptionFailed, ModelProcess
from assay.execution.replaying import replay
from assay.records import dataclass
from assay.search import native, spilled
from assay.search.options import SEQUENTIAL, SYMBOLIC, SearchOptions
from assay.transition_system.interface import Program, SourceHash, SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.verification.certificates import (
    certificate_in_parts,
    claim_of,
    why_no_certificate,
    without_certificate,
)
from assay.verification.estimating import estimate, search_deadline
from assay.verification.matching import STORAGE, code_coverage, is_checking, judged, require_key, with_the_key
from assay.verification.matching import as_json as matching_as_json
from assay.verification.request import Phase, Request, require_own_file
from assay.verification.searches import searches
from assay.verification.shortening import with_short_runs
from assay.verification.spilling import found_out_before, how_to_go_on, identity_of
from assay.verification.temporal import (
    Answer,
    answers,
    is_told_by,
    replay_temporal,
    standings_of,
    violation_of,
    with_answers,
)
from assay.verification.traces import is_same_violation, require_same_file, require_same_sources


def verify_program(
    name: str, load: Callable[[LanguageOptions], Program], request: Request, *, is_python: bool = False
) -> tuple[Result, str, tuple[SourceHash, ...]]:
    """The result, and the language and the sources of what `load` gave.

    A process that can open Python programs is started before there is one: it takes as long as the compiler.
    """
    with ModelProcess() as process:
        if is_python:
            process.start_ahead(fixed_hashes=True)
        return _verified_in(process, name, load, request)


def _verified_in(
    process: ModelProcess, name: str, load: Callable[[LanguageOptions], Program], request: Request
) -> tuple[Result, str, tuple[SourceHash, ...]]:
    request = for_the_symbolic_form(request)
    request.listener(Phase("compiling", name))
    begin = time.monotonic()
    try:
        with alarm_at(request.deadline):
            program = load(found_out_before(request))
            _require_suitable_options(program, request)
            request = _about_what_there_can_be(program, request)
            for one in (request.certificate.path if request.certificate else None, request.witness):
                if one is not None:
                    require_own_file(one, program.sources)
            if program.capabilities.compiled:
                process.start_ahead(fixed_hashes=False)
            program = program.opened()
    except OutOfTime:
        return _nothing_searched(name, request, StopReason.TIME), "", ()
    except KeyboardInterrupt:
        return _nothing_searched(name, request, StopReason.INTERRUPTED), "", ()
    compiled = time.monotonic()
    if request.deadline is not None and compiled >= request.deadline:
        return _nothing_searched(name, request, StopReason.TIME), program.language, tuple(program.sources)
    if program.language == "c":
        from assay.languages.c.program import CProgram
        from assay.verification.sequential import verify_sequentially

        of_c = cast(CProgram, cast(object, program))  # it has no states, and another face
        result = verify_sequentially(name, of_c, request, compile_seconds=compiled - begin)
        return result, program.language, tuple(program.sources)
    if request.witness is not None:
        raise OptionProblem("witness: SV-COMP's witnesses are about C programs")
    if request.options.strategy in SEQUENTIAL:
        raise OptionProblem(f"search: {request.options.strategy} is for C programs")
    if request.options.strategy in SYMBOLIC:
        from assay.verification.symbolic import verify_symbolically

        interrupts.hold()
        result = verify_symbolically(name, program, load, request, compile_seconds=compiled - begin)
        return result, program.language, tuple(program.sources)
    return search_program(process, name, program, request, compile_seconds=compiled - begin)


def search_program(
    process: ModelProcess, name: str, program: Program, request: Request, *, compile_seconds: float
) -> tuple[Result, str, tuple[SourceHash, ...]]:
    """The search itself and everything after it."""
    request.listener(Phase("searching", name))
    interrupts.hold()
    found = _searched(process, name, program, request)
    result = _told(name, found, request, compile_seconds=compile_seconds)
    program = found.program
    return _with_saved_estimate(result, request, program), program.language, tuple(program.sources)


def for_the_symbolic_form(request: Request) -> Request:
    """That form is of the program without reductions, and so is what is found in it."""
    if request.options.strategy not in SYMBOLIC or request.options.strategy == "auto":
        return request
    return replace(request, language_options=replace(request.language_options, reductions=frozenset()))


def matching(program: Program, options: SearchOptions) -> SearchOptions:
    """States are compared as the program says, if it says so and the user did not ask for anything else."""
    fits = options.storage == "exact" and options.strategy in ("bfs", "dfs") and options.threads == 1
    if not program.capabilities.matches_by_key or not fits or options.spill_directory or is_checking(options):
        return options
    return replace(options, storage="abstraction")


# What the C in a program does not allow, and why.
_WITH_C = {
    "threads": "the C in this program is linked for one address, so that one thread at a time executes it",
    "spill": "states of this program hold the memory of its C as numbers that only this process understands; "
    "up to 4 KiB of memory without malloc() is copied into states, and then there is a search on disk",
}


@dataclass(frozen=True, slots=True)
class _Searched:
    """What the searches found, in the words of the engine."""

    program: Program  # without the assumptions that failed
    outcome: native.NativeOutcome  # of its states
    about_states: Judgement
    answers: Sequence[Answer]  # about its runs
    judgement: Judgement
    certificate: native.WrittenCertificate | None
    problem: str  # why there is no certificate


def _searched(process: ModelProcess, name: str, program: Program, request: Request) -> _Searched:
    """Searches its states and its runs, and again without each assumption of the front end that turns out to
    fail, in one process."""
    with certificate_in_parts(program, request) as parts, searches(request.options) as who:
        while True:
            try:
                certificate = None if program.caveats else parts.for_states if parts else request.certificate
                outcome = who.search(
                    program.opening,
                    matching(program, request.options),
                    deadline=search_deadline(request, with_cycles=bool(program.temporal)),
                    on_progress=request.listener,
                    certificate=certificate,
                    claim=None
                    if certificate is None
                    else claim_of(
                        request,
                        program=name,
                        language=program.language,
                        sources=program.sources,
                        semantics=program.semantics,
                    ),
                    identity=identity_of(request, program, with_graph=certificate is not None),
                    process=process,
                )
                outcome = with_the_key(without_unconfirmed(program, outcome), request.language_options)
                is_interrupted = outcome.facts.stop_reason is StopReason.INTERRUPTED
                has_script = parts is not None and outcome.certificate is not None
                wanted = parts.for_parts if parts and has_script else ()
                given = [] if is_interrupted else answers(program, request, process, name, who, wanted)
                break
            except AssumptionFailed as failed:
                if not program.capabilities.assumes:
                    raise
                if request.options.spill_directory:
                    # What was found of a program that is not as it was assumed to be is worth nothing.
                    spilled.discard(request.options.spill_directory)
                    for of_a_claim in Path(request.options.spill_directory).glob("runs-*"):
                        spilled.discard(str(of_a_claim))
                program = program.without(failed.assumption)
        about_states = judge(outcome.facts, (*program.caveats, *program.doubts(outcome.untracked)))
        judgement = with_answers(about_states, program.temporal, given)
        judgement, about_the_key = judged(judgement, outcome, request.language_options)
        outcome = replace(outcome, remarks=(*outcome.remarks, *about_the_key))
        written, problem = outcome.certificate, outcome.certificate_problem
        if parts is not None:
            written = None
            if judgement.verdict is Verdict.VERIFIED:
                request.listener(Phase("writing the certificate of", name))
                written, problem = parts.assembled(outcome, [one.outcome for one in given])
        outcome = with_short_runs(
            program,
            outcome,
            request.options,
            process,
            deadline=request.deadline,
            say=lambda: request.listener(Phase("looking for a shorter run of", name)),
        )
    return _Searched(program, outcome, about_states, given, judgement, written, problem)


def _told(name: str, found: _Searched, request: Request, *, compile_seconds: float) -> Result:
    program, outcome, given = found.program, found.outcome, found.answers
    violations, unexplained = explained(program, outcome)
    news = [one for one in given if one.outcome.facts.violation_count and not is_told_by(one, violations)]
    violations += tuple(violation_of(program, one) for one in news)
    estimation, about_the_estimate = estimate(request, program, name, outcome)
    properties = standings(
        found.about_states,
        ((one.kind, one.property) for one in violations[: len(outcome.violations)]),
        request.language_options,
        check_deadlock=request.options.check_deadlock,
        monitors=program.monitors,
        temporal=standings_of(program.temporal, given),
        unchecked=program.unchecked,
    )
    judgement = found.judgement
    if found.certificate is None:
        judgement = without_certificate(request, judgement, found.problem)
    return Result(
        verdict=judgement.verdict,
        program=name,
        language=program.language,
        complete=judgement.complete,
        properties=properties,
        reasons=(*judgement.reasons, *unexplained),
        notes=(
            *program.notes,
            *(warning for wanted in program.temporal for warning in wanted.warnings),
            *outcome.remarks,
            *_doubts_about_a_run(program, outcome, judgement.verdict),
            *what_was_forgotten(outcome.facts),
            *why_no_certificate(request, judgement),
            *how_to_go_on(
                request,
                [outcome.facts.stop_reason, *(one.outcome.facts.stop_reason for one in given)],
                problem=outcome.certificate_problem,
            ),
            *about_the_estimate,
        ),
        certificate=None if found.certificate is None else asdict(found.certificate),
        states=outcome.facts.states,
        transitions=outcome.facts.transitions,
        depth=outcome.facts.depth,
        frontier=outcome.facts.frontier,
        search_seconds=outcome.facts.seconds,
        compile_seconds=compile_seconds,
        peak_memory_bytes=max(
            outcome.peak_memory_bytes, *(one.outcome.peak_memory_bytes for one in given), 0
        ),
        stop_reason=outcome.facts.stop_reason.value,
        violations=violations,
        violation_count=outcome.facts.violation_count
        + sum(one.outcome.facts.violation_count for one in news),
        loss=outcome.facts.loss,
        cache=outcome.facts.cache,
        spill={
            "directory": request.options.spill_directory,
            "disk_bytes": outcome.disk_bytes,
            "resumed_from": outcome.resumed_from,
        }
        if request.options.spill_directory
        else None,
        cluster=outcome.cluster,
        coverage=None if estimation is None else estimation.as_json(),
        code_coverage=code_coverage(program, outcome.covered),
        matching=matching_as_json(program, outcome, found.about_states, request.language_options),
        levels=outcome.levels,
        observations=outcome.observations,
        options=request.as_json(),
        semantics=dict(program.semantics),
        version=__version__,
    )


def _with_saved_estimate(result: Result, request: Request, program: Program) -> Result:
    if request.estimate_file is None or result.coverage is None:
        return result
    from assay.evidence.estimate_file import save_estimate

    try:
        save_estimate(
            request.estimate_file,
            result.coverage,
            program=result.program,
            sources=program.sources,
            options=result.options,
            version=__version__,
        )
    except OSError as problem:
        note = f"the estimate is not saved: {request.estimate_file} cannot be written ({problem.strerror})"
        return replace(result, notes=(*result.notes, note))
    return result


def _require_suitable_options(program: Program, request: Request) -> None:
    options, can = request.options, program.capabilities
    for option, is_asked_for, is_possible, instead in (
        ("threads", options.threads != 1, can.threads, "on one thread"),
        ("storage", options.storage not in {"exact", STORAGE}, can.lossy, "with exact storage"),
        ("spill", bool(options.spill_directory) and not options.cluster, can.on_disk, "in memory"),
    ):
        if is_asked_for and not is_possible:
            raise OptionProblem(
                f"{option}: {_WITH_C[option]}"
                if can.foreign and option in _WITH_C
                else f"{option}: a program in {program.language} is searched {instead}"
            )
    if options.cluster:
        _require_suitable_for_a_cluster(program, request)
    require_key(program, options, request.language_options)
    if request.estimate is not None and not can.lossy:
        raise OptionProblem(f"estimate: a search of a program in {program.language} is not estimated")


def _require_suitable_for_a_cluster(program: Program, request: Request) -> None:
    """What is searched on one machine only, each with a way out."""
    refused = ""
    if program.language == "c":
        refused = "a C program is proved on one machine; leave --cluster out"
    elif program.capabilities.foreign and request.language_options.tracking == "declared":
        refused = (
            "what embedded C changes and nobody declared stays in the process that executed it, and others "
            "would not see it; search with --tracking all, or leave --cluster out"
        )
    elif program.capabilities.matches_by_key or request.language_options.match:
        refused = "states that are compared by a key of the program's own are searched on one machine"
    elif request.estimate is not None:
        refused = "a search on a cluster is not estimated; leave --estimate out"
    elif not program.sources:
        refused = "an object of this process is searched by this process alone; name the class in its file"
    if refused:
        raise OptionProblem(f"cluster: {refused}")


def _about_what_there_can_be(program: Program, request: Request) -> Request:
    if program.capabilities.deadlocks:
        return request
    return replace(request, options=replace(request.options, check_deadlock=False))


def _nothing_searched(name: str, request: Request, reason: StopReason) -> Result:
    judgement = judge(SearchFacts(stop_reason=reason, stop_detail="before the search began"))
    return Result(
        verdict=judgement.verdict,
        program=name,
        language="",
        complete=False,
        properties=standings(
            judgement, (), request.language_options, check_deadlock=request.options.check_deadlock
        ),
        reasons=judgement.reasons,
        stop_reason=reason.value,
        options=request.as_json(),
        version=__version__,
    )


def explained(program: Program, outcome: native.NativeOutcome) -> tuple[tuple[Violation, ...], list[str]]:
    """The violations in words, and why some have none: that takes nothing from the verdict."""
    violations, problems = [], []
    for found in outcome.violations:
        try:
            violations.append(_in_words(described_by(program, found.run), found))
        except Exception as problem:
            violations.append(Violation(kind="violation", message="a property fails"))
            problems.append(
                f"a violation was found, but its run cannot be told ({type(problem).__name__}: {problem}); "
                "this is a fault of Assay, please report it with the program"
            )
    if outcome.facts.violation_count > 0 and (
        not violations or any(violation.run is None for violation in outcome.violations)
    ):
        problems.append(
            "a violation was found, but the process that ran the model died before its run could be shown"
        )
    return tuple(violations), problems


def _doubts_about_a_run(program: Program, outcome: native.NativeOutcome, verdict: Verdict) -> Sequence[str]:
    """What was changed and not put back makes violations doubtful too."""
    doubts = program.doubts(outcome.untracked) if verdict is Verdict.VIOLATED else ()
    if not doubts:
        return ()
    return [*doubts, "a run that depends on what is not tracked may not exist; --tracking all knows"]


def without_unconfirmed(program: Program, outcome: native.NativeOutcome) -> native.NativeOutcome:
    """Takes back violations whose run could not be executed again, of a program that runs inside the engine.

    A process that dies of what a program made it do may have found anything before. (A compiled model is
    told apart from its checker, and a violation of it stands.)
    """
    confirmed = tuple(found for found in outcome.violations if found.run is not None)
    nothing_is_missing = len(confirmed) == len(outcome.violations) and (
        confirmed or not outcome.facts.violation_count
    )
    if program.capabilities.apart or nothing_is_missing:
        return outcome
    if confirmed:
        return replace(outcome, violations=confirmed)
    facts = replace(
        outcome.facts,
        complete=False,
        stop_reason=StopReason.CRASHED,
        stop_detail="while it executed the run of a violation again, which is therefore not reported",
        violation_count=0,
    )
    return replace(outcome, facts=facts, violations=())


def _in_words(program: Program, found: native.NativeViolation) -> Violation:
    facts = program.describe_violation(found.code)
    run = None if found.run is None else translate(program, found.code, found.positions, found.run)
    return Violation(
        kind=facts.kind,
        message=facts.message,
        file=facts.file,
        line=facts.line,
        traceback=facts.traceback,
        counterexample=run,
        property=facts.property,
    )


def replay_program(name: str, load: Callable[[LanguageOptions], Program], recorded: Trace) -> Counterexample:
    # What the search found out about the program belongs to the semantics.
    found_out = {"not_final": recorded.semantics.get("not_final", [])}
    try:
        options = LanguageOptions.from_json({**recorded.options, **found_out})
    except OptionProblem as problem:
        raise TraceProblem(f"the trace has options that are none: {problem}") from None
    try:
        program = load(options).opened()
    except SourceProblem:
        # A changed program may not even compile any more; that it has changed is what matters.
        require_same_file(recorded, Path(name))
        raise
    require_same_sources(recorded, program.sources)
    if program.language == "c":
        from assay.languages.c.program import CProgram
        from assay.verification.sequential_runs import replay_sequentially

        return replay_sequentially(name, cast(CProgram, cast(object, program)), recorded)
    if recorded.counterexample.loop_start is not None:
        return replay_temporal(program, recorded, fair=recorded.options.get("fair") is True)
    positions = recorded.counterexample.positions
    replayed = replay(program.opening, positions)
    if replayed.failed_at is not None or replayed.run is None:
        where = f"at step {replayed.failed_at + 1}" if replayed.failed_at is not None else replayed.problem
        raise TraceProblem(f"the trace does not replay on {name} ({where}); verify the program again")
    program = described_by(program, replayed.run)
    for code in sorted(replayed.codes):
        if is_same_violation(program.describe_violation(code), recorded.counterexample.violation):
            return translate(program, code, positions, replayed.run)
    raise TraceProblem(
        f"the run no longer ends in: {recorded.counterexample.violation.message}; verify the program again"
    )
