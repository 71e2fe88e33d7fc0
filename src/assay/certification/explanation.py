"""What is wrong with a certificate or a program, in the words of the source."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from assay.certification.task import EntryFacts, FrameSource, RankedWalk, TaskReport
from assay.distribution.interface import Executor
from assay.evidence.certificate.container import StoredScript
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.counterexample import described_by, translate
from assay.evidence.result import Violation
from assay.execution import replaying
from assay.transition_system.interface import Program

TASK = "assay.certification.task"


def explain_violation(program: Program, code: int, path: tuple[int, ...]) -> Violation:
    """A violation that a walk met; without its run if the program died while that was executed again."""
    replayed = replaying.replay(program.opening, path)
    run = replayed.run
    if run is not None and run.descriptions is not None and code != 0:
        # Such a program numbers its violations as it meets them: this process may have met others.
        code = min(replayed.codes - {0}, default=code)
    program = described_by(program, run)
    facts = program.describe_violation(code)
    shown = run is not None and code in replayed.codes
    return Violation(
        kind=facts.kind,
        message=facts.message,
        file=facts.file,
        line=facts.line,
        traceback=facts.traceback,
        counterexample=translate(program, code, path, run) if shown and run else None,
    )


def explain_discrepancy(
    executor: Executor,
    file: StoredScript,
    program: Program,
    report: TaskReport,
    ranked: RankedWalk | None = None,
) -> None:
    """Raises `CertificateProblem` that names the first wrong entry, if there is one."""
    found = report.discrepancy
    if found is not None:
        path = found.path or _path_to(executor, file, program, found.state, ranked)
        step = _step_text(executor, program, path, found.position, ranked)
        if found.claimed_rank is not None:
            raise CertificateProblem(
                f"a state is said to have another rank than it has: in state {found.state}, entry "
                f"{found.position} "
                f"({step}) refers to state {found.actual} with rank {found.claimed_rank}, which was "
                f"visited with "
                f"rank {found.actual_rank}"
            )
        if found.claimed is None:
            raise CertificateProblem(
                f"a transition is said to lead to a visited state, and does not: in state {found.state}, "
                f"entry {found.position} ({step}) leads to a state that the script never visits"
            )
        actual = "a state that the script never visits" if found.actual is None else f"state {found.actual}"
        raise CertificateProblem(
            f"a transition is said to lead to a state already visited, and does not: in state {found.state}, "
            f"entry {found.position} ({step}) refers to state {found.claimed} but leads to {actual}"
        )
    if report.wrong_count is not None:
        wrong = report.wrong_count
        raise CertificateProblem(
            f"state {wrong.state} is said to be referred to {wrong.claimed:,} times; the script does so "
            f"{wrong.found:,} times"
        )


def _path_to(
    executor: Executor, file: StoredScript, program: Program, state: int, ranked: RankedWalk | None
) -> tuple[int, ...]:
    frame = max(
        number
        for number, first in enumerate(file.first_states)
        if first <= state and file.records[number].states
    )
    source = FrameSource(
        frame,
        file.first_states[frame],
        (file.records[frame],),
        (file.frame_digests[frame],),
        str(file.path.absolute()),
        file.offsets[frame],
        dictionaries=file.stored_dictionaries,
    )
    (path,) = executor.run(
        f"{TASK}:path_to_state",
        [(program.opening, source, state, ranked)],
        on_progress=lambda *_: None,
        on_done=lambda *_: None,
    )
    return cast(tuple[int, ...], path)


def _step_text(
    executor: Executor, program: Program, path: tuple[int, ...], position: int, ranked: RankedWalk | None
) -> str:
    """The statement behind an entry: `P[1] model.pml:12: x = x + 1`."""
    (facts,) = executor.run(
        f"{TASK}:describe_entry",
        [(program.opening, path, position, ranked)],
        on_progress=lambda *_: None,
        on_done=lambda *_: None,
    )
    entry = cast(EntryFacts, facts)
    if not entry.steps:
        return "a step without a statement" if entry.state else "the run stays at its end"
    if entry.descriptions is not None:
        program = program.knowing(entry.descriptions)
    process, transition, _ = entry.steps[0]
    step = program.describe_step(entry.state, process, transition)
    more = f" and {len(entry.steps) - 1} more" if len(entry.steps) > 1 else ""
    return f"{step.process} {Path(step.file).name}:{step.line}: {step.text}{more}"
