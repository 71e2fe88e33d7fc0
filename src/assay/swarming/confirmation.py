"""Violations that runs report, executed again here; only what shows itself then is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.evidence.counterexample import described_by, translate
from assay.evidence.result import Violation
from assay.evidence.verdict import SearchFacts, StopReason
from assay.execution.model_process import AssumptionFailed, EngineFailure, ModelProcess
from assay.execution.replaying import replay
from assay.records import dataclass
from assay.search import native
from assay.search.options import SearchOptions
from assay.swarming.run import FoundViolation, load
from assay.transition_system.interface import Program, ViolationFacts
from assay.transition_system.language_options import LanguageOptions
from assay.verification.shortening import with_short_runs

MOST_REPLAYED = 200  # of several violations; each takes as long as its run

Reported = tuple[
    int, float, FoundViolation, tuple[str, ...]
]  # number of the run, when, what, failed assumptions


@dataclass(frozen=True, slots=True)
class Confirmed:
    violation: Violation
    runs: tuple[int, ...]  # that came to it, the first one first
    seconds: float  # after the start, when the first of them was heard of


def confirmed(
    name: str,
    program: Program,
    language: LanguageOptions,
    reported: Sequence[Reported],
    *,
    check_deadlock: bool,
    shorten: bool,
) -> tuple[list[Confirmed], list[str]]:
    """Each different violation with its first run, shortened if it is long; and what did not show itself."""
    found: dict[ViolationFacts, Confirmed] = {}
    problems: list[str] = []
    programs: dict[tuple[str, ...], Program] = {language.not_final: program}
    sources = tuple(source.sha256 for source in program.sources)
    for number, seconds, violation, not_final in reported[:MOST_REPLAYED]:
        if not_final not in programs:
            programs[not_final] = load(name, replace(language, not_final=not_final), sources)
        try:
            with ModelProcess() as process:
                facts, told = _executed(
                    programs[not_final], violation, process, check_deadlock=check_deadlock, shorten=shorten
                )
        except (EngineFailure, AssumptionFailed) as problem:
            problems.append(
                f"run {number} reports a violation that cannot be executed again here ({problem})"
            )
            continue
        if facts is None or told is None:
            problems.append(
                f"run {number} reports a violation, but its run does not show one when executed here"
            )
            continue
        known = found.get(facts)
        found[facts] = (
            Confirmed(told, (number,), seconds)
            if known is None
            else replace(known, runs=(*known.runs, number))
        )
    if len(reported) > MOST_REPLAYED:
        problems.append(f"{len(reported) - MOST_REPLAYED} more runs with violations were not executed again")
    return list(found.values()), problems


def _executed(
    program: Program,
    reported: FoundViolation,
    process: ModelProcess,
    *,
    check_deadlock: bool,
    shorten: bool,
) -> tuple[ViolationFacts | None, Violation | None]:
    executed = replay(program.opening, reported.positions, process=process)
    codes = sorted(code for code in executed.codes if code or check_deadlock)
    if executed.run is None or not codes:
        return None, None
    # Codes of some programs are numbers of the process that met them: any that is shown will do.
    code = reported.code if reported.code in codes else codes[-1]
    first = native.NativeViolation(code, reported.positions, executed.run)
    facts = SearchFacts(stop_reason=StopReason.VIOLATION, violation_count=1)
    outcome = native.NativeOutcome(facts, (first,), 0)
    if shorten:
        options = SearchOptions(strategy="dfs", check_deadlock=check_deadlock)
        outcome = with_short_runs(program, outcome, options, process)
    shown = outcome.violations[0]
    assert shown.run is not None
    program = described_by(program, shown.run)
    what = program.describe_violation(shown.code)
    return replace(what, values=(), traceback=()), Violation(
        kind=what.kind,
        message=what.message,
        file=what.file,
        line=what.line,
        traceback=what.traceback,
        counterexample=translate(program, shown.code, shown.positions, shown.run),
        property=what.property,
    )
