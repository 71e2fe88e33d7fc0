"""One run of a swarm, wherever an executor puts it: an ordinary search in a child process, with a sketch."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from assay import languages
from assay.distribution.interface import Report
from assay.evidence.verdict import SearchFacts, StopReason
from assay.execution.model_process import AssumptionFailed, EngineFailure, ModelProcess, Progress
from assay.records import dataclass
from assay.search import native
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening, Program, SourceProblem
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import KEY_BYTES

WORK = "assay.swarming.run:run"
PROGRESS_SECONDS = 0.5
CONTENT_KEY = bytes(range(1, KEY_BYTES + 1))  # no secret: nobody has a reason to make states look alike


@dataclass(frozen=True, slots=True)
class ShippedText:
    """A program on its way to another machine, which compiles it there."""

    main: str  # its file among `files`; of a class with its name
    files: tuple[tuple[str, bytes], ...]  # relative path and content


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTask:
    number: int
    program: str
    sources: tuple[str, ...]  # the hashes of its files
    language: LanguageOptions
    options: SearchOptions
    seconds: float  # its share of the time
    until: float | None = None  # a reading of the clock of this machine, by which all must be over
    opening: Opening | None = None  # on this machine, where it is compiled already
    shipped: ShippedText | None = None


@dataclass(frozen=True, slots=True)
class FoundViolation:
    code: int  # as the process of the run numbers violations
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    facts: SearchFacts
    seconds: float
    violations: tuple[FoundViolation, ...] = ()
    sketch: str = ""
    restarts: int = 0
    peak_memory_bytes: int = 0
    not_final: tuple[str, ...] = ()  # assumptions of the front end that failed
    remarks: tuple[str, ...] = ()


class _Kept:
    """What this process keeps from run to run: a child with the model open, and what is known of programs."""

    def __init__(self) -> None:
        self.process: ModelProcess | None = None
        self.failed: dict[tuple[str, ...], tuple[str, ...]] = {}  # assumptions, by the sources of a program

    def child_for(self, opening: Opening) -> ModelProcess:
        """A compiled model needs no more memory after a run than before; what an interpreter runs does."""
        if self.process is None or opening.needs_interpreter:
            self.end()
            self.process = ModelProcess()
        return self.process

    def end(self) -> None:
        if self.process is not None:
            self.process.end()
        self.process = None


_kept = _Kept()


def end_child() -> None:
    """For whoever ran runs in this very process."""
    _kept.end()


def run(task: RunTask, report: Report) -> RunReport:
    begin = time.monotonic()
    deadline = begin + task.seconds
    if task.until is not None:
        deadline = min(deadline, task.until)
    failed = _kept.failed.get(task.sources, task.language.not_final)
    program: Program | None = None
    with _unpacked(task) as name:
        while True:
            if task.opening is None or failed != task.language.not_final:
                program = load(name, replace(task.language, not_final=failed), task.sources)
            opening = program.opening if program is not None else task.opening
            assert opening is not None
            opening = same_everywhere(opening)
            try:
                outcome = native.search(
                    opening,
                    task.options,
                    deadline=deadline,
                    on_progress=_told(report),
                    process=_kept.child_for(opening),
                )
            except AssumptionFailed as problem:
                if problem.assumption in failed:
                    raise
                failed = _kept.failed[task.sources] = (*failed, problem.assumption)
            except EngineFailure as problem:
                _kept.end()
                facts = SearchFacts(stop_reason=StopReason.CRASHED, stop_detail=str(problem).split("\n")[0])
                return RunReport(facts=facts, seconds=time.monotonic() - begin)
            else:
                break
    return RunReport(
        facts=outcome.facts,
        seconds=time.monotonic() - begin,
        violations=tuple(FoundViolation(one.code, one.positions) for one in outcome.violations),
        sketch=outcome.sketch,
        restarts=outcome.restarts,
        peak_memory_bytes=outcome.peak_memory_bytes,
        not_final=failed,
        remarks=outcome.remarks,
    )


def same_everywhere(opening: Opening) -> Opening:
    """States that are numbers of the process that made them, where a key can make them digests of content."""
    if not opening.settings.get("numbered"):
        return opening
    return replace(opening, settings={**opening.settings, "content_key": CONTENT_KEY.hex()})


def load(name: str, language: LanguageOptions, sources: tuple[str, ...]) -> Program:
    """The program once more; refuses one that has changed."""
    program = languages.load(Path(name), language).opened()
    if tuple(source.sha256 for source in program.sources) != sources:
        raise SourceProblem(
            "the program was changed while the swarm searched it", where=name, hint="begin again"
        )
    return program


@contextlib.contextmanager
def _unpacked(task: RunTask) -> Iterator[str]:
    """The name of the program here."""
    if task.shipped is None:
        yield task.program
        return
    with tempfile.TemporaryDirectory(prefix="assay-swarm-") as directory, contextlib.chdir(directory):
        for name, content in task.shipped.files:
            target = Path(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield task.shipped.main


def _told(report: Report) -> Callable[[Progress], None]:
    told = 0.0

    def tell(progress: Progress) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told > PROGRESS_SECONDS:
            told = now
            report(progress.states)

    return tell
