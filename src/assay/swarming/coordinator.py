"""A swarm: draw the plan, give out the runs, put together what comes back, judge.

A violation is one when its run was executed again here, and shows it. What all runs saw is told from the
sketches that they bring back. A run that is lost takes nothing with it but what it had seen.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import cast

from assay import __version__, languages
from assay.distribution.cluster import Cluster
from assay.distribution.in_process import InProcess
from assay.distribution.interface import ClusterProblem, Executor, OutOfTime, WorkerDied
from assay.distribution.local_processes import LocalProcesses
from assay.evidence.coverage import Estimate
from assay.evidence.properties import Property, Standing, standings
from assay.evidence.result import Violation
from assay.evidence.sketch import Sketch, SketchProblem
from assay.evidence.verdict import Judgement, StopReason, Verdict, judge
from assay.execution import interrupts
from assay.execution.alarm import OutOfTime as LoadedTooLong
from assay.execution.alarm import alarm_at
from assay.records import dataclass
from assay.swarming import run as runs
from assay.swarming.confirmation import Confirmed, confirmed
from assay.swarming.plan import PlannedRun, plan
from assay.swarming.request import (
    DEFAULT_MEMORY_BYTES,
    DEFAULT_RUNS,
    DEFAULT_SECONDS,
    Listener,
    SwarmProgress,
    SwarmRequest,
    require_sense,
    require_shares,
    workers_here,
)
from assay.swarming.result import SwarmFinding, SwarmResult, SwarmRun
from assay.swarming.run import WORK, RunReport, RunTask, ShippedText
from assay.swarming.union import NO_BASIS, Seen, coverage, grouped
from assay.transition_system import language_options
from assay.transition_system.interface import Program, SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.verification.temporal import title
from assay.verification.traces import saved

GRACE_SECONDS = 5.0  # for runs to say what they found when their time is up
LOST = "lost"


def swarm(
    program: str | Path | object,
    *,
    runs: int = DEFAULT_RUNS,
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    all_violations: bool = False,
    timeout_seconds: float = DEFAULT_SECONDS,
    memory_limit_bytes: int = DEFAULT_MEMORY_BYTES,
    check_deadlock: bool = True,
    trace: str | Path | None = None,
    only_plan: bool = False,
    listener: Listener | None = None,
    started: float | None = None,
    **language: object,
) -> SwarmResult:
    """Search a program by `runs` small searches that differ, `workers` at a time on this machine (as many as
    there are processors) or on the Dask cluster at the address `cluster`.

    `seed` decides what the runs are. All have together `timeout_seconds` and, those under way at one time,
    `memory_limit_bytes`. The first violation ends the swarm, unless `all_violations` are wanted. `trace`
    names the file a counterexample is saved in. `only_plan` runs nothing. The options of the language have
    the names that `verify` gives them. Raises `SourceProblem` when the input is wrong and `OptionProblem`
    when an option is.
    """
    known = {option.name for _, option in language_options.table()}
    for name in language.keys() - known:
        raise OptionProblem(f"there is no option {name!r}")
    request = SwarmRequest(
        runs=runs,
        seed=seed,
        workers=workers or (1 if not isinstance(program, str | Path) else workers_here()),
        cluster=cluster,
        all_violations=all_violations,
        check_deadlock=check_deadlock,
        memory_bytes=memory_limit_bytes,
        language=LanguageOptions.from_keywords(language),
        started=time.monotonic() if started is None else started,
        timeout_seconds=timeout_seconds,
        listener=listener or (lambda _: None),
        trace=None if trace is None else Path(trace),
    )
    require_sense(request)
    if not isinstance(program, str | Path) and (request.workers > 1 or cluster):
        raise OptionProblem("workers: an object of this process is searched by this process alone")
    with interrupts.scope():
        result = _Swarm(program, request).result(only_plan=only_plan)
    return replace(result, seconds=time.monotonic() - request.started)


class _Enough(Exception):
    """No other run is needed."""


class _Interrupted(Exception):
    """A run was, so all are."""


@dataclass(frozen=True, slots=True)
class _Came:
    """What came back of a run, and when."""

    report: RunReport | None
    lost: str = ""  # how its worker died
    at: float = 0.0


class _Swarm:
    def __init__(self, program: str | Path | object, request: SwarmRequest) -> None:
        self._subject = program
        self._name = str(program) if isinstance(program, str | Path) else type(program).__name__
        self._request = request
        self._came: dict[int, _Came] = {}
        self._under_way: dict[int, int] = {}
        self._reasons: list[str] = []
        self._interrupted = False

    def result(self, *, only_plan: bool) -> SwarmResult:
        request = self._request
        begin = time.monotonic()
        nothing = SwarmResult(
            verdict=Verdict.INCOMPLETE,
            program=self._name,
            language="",
            complete=False,
            options=request.as_json(),
            version=__version__,
        )
        try:
            with alarm_at(request.deadline):
                program = self._load()
        except LoadedTooLong:
            return replace(nothing, reasons=("the time was up before the program was compiled",))
        except KeyboardInterrupt:
            return replace(nothing, reasons=("it was interrupted",))
        self._program = program
        with self._executor() as executor:
            self._at_a_time = min(executor.workers, request.runs)
            require_shares(request, self._at_a_time)
            self._plan = plan(
                request.runs,
                seed=request.seed,
                memory_bytes=request.memory_of_a_run(self._at_a_time),
                seconds_of_a_share=request.seconds_of_a_share(self._at_a_time),
                lossy=program.capabilities.lossy,
            )
            known = replace(
                nothing,
                language=program.language,
                semantics=dict(program.semantics),
                where=executor.describe(),
                workers=executor.workers,
                compile_seconds=time.monotonic() - begin,
            )
            if only_plan:
                return replace(known, runs=self._runs(), reasons=("nothing was run: this is the plan",))
            try:
                self._run_all(executor)
            finally:
                runs.end_child()
        interrupts.hold()
        return self._told(known)

    # --- before ---

    def _load(self) -> Program:
        if isinstance(self._subject, str | Path):
            return languages.load(Path(self._subject), self._request.language).opened()
        return languages.load_object(self._subject, self._request.language).opened()

    def _executor(self) -> AbstractContextManager[Executor]:
        request = self._request
        until = request.deadline + GRACE_SECONDS
        fixed = self._program.opening.fixed_hashes
        if request.cluster is not None:
            try:
                return Cluster(request.cluster, retries=0, deadline=until, fixed_hashes=fixed)
            except ClusterProblem as problem:
                raise OptionProblem(f"cluster: {problem}") from problem
        if request.workers == 1 or request.runs == 1:
            return nullcontext(InProcess(deadline=until))
        return LocalProcesses(
            min(request.workers, request.runs), retries=0, deadline=until, fixed_hashes=fixed
        )

    def _tasks(self) -> list[RunTask]:
        request, program = self._request, self._program
        left = max(0.0, request.deadline - time.monotonic()) / request.timeout_seconds
        share = left * request.seconds_of_a_share(self._at_a_time)
        opening = program.opening
        in_this_process = self._at_a_time == 1 and request.cluster is None
        is_elsewhere = request.cluster is not None or (opening.model is not None and not in_this_process)
        return [
            RunTask(
                number=one.number,
                program=self._name,
                sources=tuple(source.sha256 for source in program.sources),
                language=request.language,
                options=one.options(
                    check_deadlock=request.check_deadlock,
                    all_errors=request.all_violations,
                    observe="sketch",
                ),
                seconds=share * one.shares,
                until=None if request.cluster else request.deadline,
                opening=None if is_elsewhere else opening,
                shipped=self._shipped() if request.cluster else None,
            )
            for one in self._plan
        ]

    def _shipped(self) -> ShippedText:
        """The texts that were compiled here, by their names relative to each other."""
        sources = [Path(source.path).resolve() for source in self._program.sources]
        file, colon, class_name = self._name.rpartition(":")
        named = Path(file if languages.names_a_class(self._name) else self._name).resolve()
        top = Path(os.path.commonpath([named.parent, *(source.parent for source in sources)]))
        files = []
        for source, known in zip(sources, self._program.sources, strict=True):
            content = source.read_bytes()
            if hashlib.sha256(content).hexdigest() != known.sha256:
                raise SourceProblem("the program was changed while it was read", where=source)
            files.append((str(PurePosixPath(source.relative_to(top))), content))
        main = str(PurePosixPath(named.relative_to(top)))
        is_class = languages.names_a_class(self._name)
        return ShippedText(f"{main}{colon}{class_name}" if is_class else main, tuple(files))

    # --- the runs ---

    def _run_all(self, executor: Executor) -> None:
        try:
            executor.run(
                WORK,
                self._tasks(),
                on_progress=self._on_progress,
                on_done=self._on_done,
                on_lost=lambda _, died: _Came(None, died.how),
            )
        except _Enough:
            pass
        except (KeyboardInterrupt, _Interrupted):
            self._interrupted = True
            self._reasons.append("it was interrupted")
        except OutOfTime:
            self._reasons.append("some runs did not end when their time was up")
        except (WorkerDied, ClusterProblem) as problem:
            self._reasons.append(str(problem))

    def _on_progress(self, number: int, states: object) -> None:
        self._under_way[number] = cast(int, states)
        self._tell()

    def _on_done(self, number: int, came: object) -> None:
        now = time.monotonic() - self._request.started
        if isinstance(came, RunReport):
            came = _Came(came)
        assert isinstance(came, _Came)
        self._came[number] = replace(came, at=now)
        self._tell()
        if came.report is None:
            return
        if came.report.facts.stop_reason is StopReason.INTERRUPTED:
            raise _Interrupted
        if came.report.violations and not self._request.all_violations:
            raise _Enough
        if self._is_proof(came.report):
            raise _Enough

    def _tell(self) -> None:
        reports = [one.report for one in self._came.values() if one.report is not None]
        going = sum(states for number, states in self._under_way.items() if number not in self._came)
        self._request.listener(
            SwarmProgress(
                len(self._came),
                self._request.runs,
                sum(report.facts.states for report in reports) + going,
                sum(bool(report.violations) for report in reports),
            )
        )

    def _is_proof(self, report: RunReport) -> bool:
        """Whether a run saw every state, exactly, and nothing is asked of more; as a rule none does."""
        if self._program.temporal:
            return False
        return judge(report.facts, tuple(self._program.caveats)).verdict is Verdict.VERIFIED

    def _proved_by(self) -> int | None:
        """The number of a run that is a proof."""
        return next(
            (
                number
                for number, came in sorted(self._came.items())
                if came.report is not None and self._is_proof(came.report)
            ),
            None,
        )

    # --- after ---

    def _told(self, known: SwarmResult) -> SwarmResult:
        request = self._request
        found, problems = confirmed(
            self._name,
            self._program,
            request.language,
            [
                (number, came.at, violation, came.report.not_final)
                for number, came in sorted(self._came.items(), key=lambda item: item[1].at)
                if came.report is not None
                for violation in came.report.violations
            ],
            check_deadlock=request.check_deadlock,
            shorten=not self._interrupted,
        )
        judgement = self._judgement(found)
        seen, by_kind, estimate, why_not = self._union()
        violations, not_saved = self._saved(found)
        reports = [one.report for one in self._came.values() if one.report is not None]
        return replace(
            known,
            verdict=judgement.verdict,
            complete=judgement.complete,
            properties=self._standings(judgement, found),
            reasons=(*self._reasons, *judgement.reasons, *problems),
            notes=(*self._program.notes, *_distinct(reports), *self._lost(), *not_saved),
            runs=self._runs(),
            findings=tuple(
                SwarmFinding(violation, one.runs, self._kinds_of(one.runs), one.seconds)
                for violation, one in zip(violations, found, strict=True)
            ),
            seen=seen,
            seen_by_kind=by_kind,
            coverage=estimate,
            why_no_coverage=why_not,
            proved_by=self._proved_by() if judgement.verdict is Verdict.VERIFIED else None,
            first_violation_seconds=min((one.seconds for one in found), default=None),
            peak_memory_bytes=max((report.peak_memory_bytes for report in reports), default=0),
        )

    def _judgement(self, found: Sequence[Confirmed]) -> Judgement:
        if found:
            return Judgement(Verdict.VIOLATED, False, ())
        proof = self._proved_by()
        if proof is not None:
            return Judgement(Verdict.VERIFIED, True, ())
        done = sum(came.report is not None for came in self._came.values())
        reasons = [
            f"a swarm proves nothing: {done:,} of {self._request.runs:,} runs ended, none with a violation"
        ]
        reasons += [
            f"{title(one)}: a swarm looks at states, not at runs that never end"
            for one in self._program.temporal
        ]
        return Judgement(Verdict.INCOMPLETE, False, (*reasons, *self._program.caveats))

    def _standings(self, judgement: Judgement, found: Sequence[Confirmed]) -> tuple[Property, ...]:
        return standings(
            judgement,
            ((one.violation.kind, one.violation.property) for one in found),
            self._request.language,
            check_deadlock=self._request.check_deadlock,
            monitors=self._program.monitors,
            temporal=[Property(one.kind, title(one), Standing.NOT_DECIDED) for one in self._program.temporal],
            unchecked=self._program.unchecked,
        )

    def _union(self) -> tuple[Seen | None, dict[str, int], Estimate | None, str]:
        """What all runs saw, what those of each kind did, which share that is, or why nobody can say."""
        sketches: list[tuple[str, Sketch]] = []
        reports = {number: one.report for number, one in self._came.items() if one.report is not None}
        for number, report in sorted(reports.items()):
            if report.sketch:
                with contextlib.suppress(SketchProblem):  # what a worker sends is not believed
                    sketches.append((self._plan[number].kind, Sketch.from_text(report.sketch)))
        if not sketches:
            return None, {}, None, "no run said what it saw" if reports else "no run ended"
        seen = Seen(
            Sketch.union(sketch for _, sketch in sketches),
            len(sketches),
            sum(report.facts.states for report in reports.values()),
        )
        by_kind = grouped(sketches)
        estimate = coverage(
            seen, by_kind, [report.facts for report in reports.values()], seed=self._request.seed
        )
        seen_by_kind = {kind: round(Sketch.union(ones).estimate) for kind, ones in by_kind.items()}
        return seen, seen_by_kind, estimate, "" if estimate else NO_BASIS

    def _runs(self) -> tuple[SwarmRun, ...]:
        return tuple(self._run(one) for one in self._plan)

    def _run(self, planned: PlannedRun) -> SwarmRun:
        request = self._request
        came = self._came.get(planned.number)
        seconds = round(max(0.1, request.seconds_of_a_share(self._at_a_time) * planned.shares), 3)
        deadlock = {} if request.check_deadlock else {"check_deadlock": False}
        about = SwarmRun(
            number=planned.number,
            kind=planned.kind,
            end=self._end_of(planned.number),
            options=dict(planned.keywords),
            command=planned.command(
                self._name, request.language, more={"timeout_seconds": seconds, **deadlock}
            ),
        )
        if came is None:
            return replace(about, states=self._under_way.get(planned.number, 0))
        if came.report is None:
            return replace(about, detail=came.lost, states=self._under_way.get(planned.number, 0))
        facts = came.report.facts
        return replace(
            about,
            detail=facts.stop_detail,
            states=facts.states,
            transitions=facts.transitions,
            depth=facts.depth,
            seconds=came.report.seconds,
            restarts=came.report.restarts,
            violations=len(came.report.violations),
        )

    def _end_of(self, number: int) -> str:
        came = self._came.get(number)
        if came is None:
            if self._interrupted:
                return "interrupted" if number in self._under_way else "not begun"
            return "not needed" if self._came else "not begun"
        if came.report is None:
            return LOST
        return came.report.facts.stop_reason.value or "finished"

    def _saved(self, found: Sequence[Confirmed]) -> tuple[tuple[Violation, ...], list[str]]:
        violations = tuple(one.violation for one in found)
        if self._request.trace is None:
            return violations, []
        return saved(
            violations,
            self._request.trace,
            program=self._name,
            language=self._program.language,
            sources=tuple(self._program.sources),
            options=self._request.language.as_json(),
            semantics=self._program.semantics,
        )

    def _lost(self) -> Iterator[str]:
        """What became of runs that did not come to an end of any kind."""
        crashed: dict[str, list[int]] = {}
        for number, came in sorted(self._came.items()):
            if came.report is None:
                kind = self._plan[number].kind
                yield f"run {number} ({kind}) is lost, and what it saw with it: {came.lost}"
            elif came.report.facts.stop_reason is StopReason.CRASHED:
                crashed.setdefault(came.report.facts.stop_detail, []).append(number)
        for detail, numbers in crashed.items():
            which = (
                f"run {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} runs, {numbers[0]} the first,"
            )
            yield f"{which} crashed: {detail}"

    def _kinds_of(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._plan[number].kind for number in numbers))


def _distinct(reports: Sequence[RunReport]) -> list[str]:
    """What runs have to remark, each once."""
    return list(dict.fromkeys(remark for report in reports for remark in report.remarks))
