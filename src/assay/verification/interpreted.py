"""Systems written as Python classes, through the plain Python searches."""

from __future__ import annotations

import resource
import time
from dataclasses import asdict
from pathlib import Path

from assay import __version__
from assay.evidence.cache import Cache
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.counterexample import Counterexample, Trace, TraceProblem
from assay.evidence.interpreted import codes_at_the_end, explain_run
from assay.evidence.properties import standings
from assay.evidence.result import Result, Violation
from assay.evidence.verdict import SearchFacts, StopReason, Verdict, judge, what_was_forgotten
from assay.execution import interrupts
from assay.execution.alarm import alarm_at
from assay.execution.model_process import Progress
from assay.languages.handwritten import LANGUAGE, CanonicalSystem, HandwrittenSystem, NumberedSystem
from assay.search import outcome as outcome_types
from assay.search.certificate_writing import write_certificate
from assay.search.native import WrittenCertificate
from assay.search.recording import Recording
from assay.search.reference import search
from assay.search.reference.run import resident_bytes
from assay.transition_system.interface import OptionProblem
from assay.verification.certificates import claim_of, why_no_certificate, without_certificate
from assay.verification.request import Phase, Request, language_options_of, require_own_file
from assay.verification.traces import is_same_violation

PROGRESS_INTERVAL_SECONDS = 0.1
LEAST_FOR_A_SEARCH = 1 << 20
STOPPED = {
    "time": "the time limit was reached",
    "memory": "the memory limit was reached",
    "interrupted": "it was interrupted",
}


def verify_handwritten(system: HandwrittenSystem, request: Request) -> Result:
    options = request.options
    if options.storage != "exact" or options.threads != 1:
        raise OptionProblem("Python classes are searched on one thread with exact storage")
    if request.estimate is not None:
        raise OptionProblem("estimate: Python classes are not estimated; leave --estimate out")
    if options.spill_directory:
        raise OptionProblem("spill: Python classes are searched in memory; leave --spill out")
    if request.language_options.defines:
        raise OptionProblem("-D defines macros, which Python classes do not have")
    if request.language_options.granularity:
        raise OptionProblem("granularity: a Python class says itself what its steps are")
    recording: Recording | None = None
    if request.certificate is None:
        model = NumberedSystem(system, request.language_options)
    else:
        require_file(system, request.certificate.path)
        if options.strategy == "cached":
            raise OptionProblem(
                "certificate: the graph of a Python class is recorded in memory, a cache saves none; use dfs"
            )
        model = CanonicalSystem(system, request.language_options)
        recording = Recording(model)
    require_memory(options.memory_limit_bytes)
    request.listener(Phase("searching", system.name))
    began = time.monotonic()
    time_limit = 0.0 if request.deadline is None else max(0.001, request.deadline - began)
    # The root of several initial states is ours, not the program's.
    extra = 1 if model.has_root else 0

    def on_progress(progress: outcome_types.Progress) -> bool:
        request.listener(
            Progress(
                progress.states - extra,
                progress.transitions,
                progress.depth,
                progress.frontier,
                progress.memory_bytes,
                progress.seconds,
            )
        )
        return True

    # The search looks at the clock between states; the alarm is for a method that never returns.
    patience = None if request.deadline is None else request.deadline + max(0.5, time_limit / 10)
    with alarm_at(patience):
        outcome = search(
            recording or model,
            strategy=options.strategy,
            seed=options.seed,
            memory_limit_bytes=options.memory_limit_bytes,
            time_limit_seconds=time_limit,
            depth_limit=options.depth_limit + extra if options.depth_limit else 0,
            state_limit=options.state_limit + extra if options.state_limit else 0,
            stop_at_first_violation=options.stop_at_first_violation,
            check_deadlock=options.check_deadlock,
            on_progress=on_progress,
            progress_interval_seconds=PROGRESS_INTERVAL_SECONDS,
            cache_size=options.cache_size + extra,
            cache_policy=options.cache_policy,
            cache_strata=options.cache_strata,
        )
    overdue = patience is not None and time.monotonic() >= patience
    facts = SearchFacts(
        states=outcome.states - extra,
        transitions=outcome.transitions - extra * model.initial_count,
        depth=max(0, outcome.depth - extra),
        frontier=outcome.frontier,
        seconds=time.monotonic() - began,
        complete=outcome.complete,
        stop_reason=StopReason.STUCK if overdue else StopReason.named(outcome.stop_reason),
        violation_count=outcome.violation_count,
        cache=Cache(
            policy=options.cache_policy,
            capacity=options.cache_size,
            held=outcome.cache.held - extra,
            replaced=outcome.cache.replaced,
            hits=outcome.cache.hits,
            states_of_graph=options.states_of_graph,
        )
        if options.strategy == "cached"
        else None,
    )
    judgement = judge(facts)
    if outcome.violations:
        interrupts.hold()
    violations, unexplained = _explained(model, outcome)
    properties = standings(
        judgement,
        ((violation.kind, violation.message) for violation in violations),
        request.language_options,
        check_deadlock=options.check_deadlock,
    )
    certificate: WrittenCertificate | None = None
    if recording is not None and judgement.verdict is Verdict.VERIFIED:
        certificate, problem = write(recording, outcome, system, request)
        if certificate is None:
            judgement = without_certificate(request, judgement, problem)
    return Result(
        verdict=judgement.verdict,
        program=system.name,
        language=LANGUAGE,
        complete=judgement.complete,
        properties=properties,
        reasons=(*judgement.reasons, *unexplained),
        notes=(*what_was_forgotten(facts), *why_no_certificate(request, judgement)),
        certificate=None if certificate is None else asdict(certificate),
        states=facts.states,
        transitions=facts.transitions,
        depth=facts.depth,
        frontier=facts.frontier,
        search_seconds=facts.seconds,
        peak_memory_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        stop_reason=facts.stop_reason.value,
        violations=violations,
        violation_count=facts.violation_count,
        cache=facts.cache,
        options=request.as_json(),
        semantics=system.semantics,
        version=__version__,
    )


def require_memory(limit: int) -> None:
    """Refuses a limit that is broken before the search begins: a class runs in this process."""
    taken = resident_bytes()
    if 0 < limit < taken + LEAST_FOR_A_SEARCH:
        raise OptionProblem(
            f"memory: a limit of {limit:,} bytes cannot be kept: the process takes {taken:,} before it "
            f"searches; expected at least {-(-(taken + LEAST_FOR_A_SEARCH) // (1 << 20))} MiB"
        )


def require_file(system: HandwrittenSystem, certificate: Path) -> None:
    """Others can only check what they can load."""
    if not system.sources:
        raise OptionProblem(
            "certificate: it is about the text of a program; name the class as model.py:ClassName"
        )
    require_own_file(certificate, system.sources)


def write(
    recording: Recording, outcome: outcome_types.Outcome, system: HandwrittenSystem, request: Request
) -> tuple[WrittenCertificate | None, str]:
    """The certificate of a system that was verified, or why there is none."""
    wanted, deadline = request.certificate, request.deadline
    assert wanted is not None
    claim = claim_of(
        request, program=system.name, language=LANGUAGE, sources=system.sources, semantics=system.semantics
    )

    def on_frame(written: int, frames: int) -> bool:
        request.listener(Progress(outcome.states, outcome.transitions, frames_written=written, frames=frames))
        return deadline is None or time.monotonic() < deadline

    try:
        log, why_stopped = recording.log(
            outcome,
            strategy=request.options.strategy,
            directory=wanted.path.absolute().parent,
            memory_limit_bytes=request.options.memory_limit_bytes,
            time_limit_seconds=0.0 if deadline is None else max(0.001, deadline - time.monotonic()),
        )
        if not log.is_finished:
            return None, STOPPED[why_stopped]
        written = write_certificate(
            log, claim, wanted.path, coding=wanted.coding, subgraphs=wanted.subgraphs, on_frame=on_frame
        )
    except (OSError, RuntimeError, CertificateProblem) as problem:
        return None, str(problem)
    if written is None:
        return None, STOPPED["time"]
    return WrittenCertificate(str(wanted.path), written.bytes, written.seconds, written.frames, log.bytes), ""


def replay_handwritten(system: HandwrittenSystem, recorded: Trace) -> Counterexample:
    model = NumberedSystem(system, language_options_of(recorded.options))
    wanted = recorded.counterexample
    for code in codes_at_the_end(model, wanted.positions):
        if is_same_violation(model.violation(code), wanted.violation):
            return explain_run(model, wanted.positions, code)
    raise TraceProblem(f"the run no longer ends in: {wanted.violation.message}; verify the program again")


def _explained(
    model: NumberedSystem, outcome: outcome_types.Outcome
) -> tuple[tuple[Violation, ...], list[str]]:
    """The violations in words, and why some have none: a class that cannot be told takes nothing back."""
    violations, problems = [], []
    for found in outcome.violations:
        try:
            run = explain_run(model, found.path, found.code)
        except Exception as problem:
            violations.append(Violation(kind="violation", message="a property fails"))
            problems.append(
                f"a violation was found, but its run cannot be told: {type(problem).__name__}: {problem}"
            )
        else:
            facts = run.violation
            violations.append(Violation(kind=facts.kind, message=facts.message, counterexample=run))
    return tuple(violations), problems
