"""Saving counterexamples, and what must hold before a saved one may be replayed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay import __version__
from assay.evidence.counterexample import Counterexample, Trace, TraceProblem, save_trace
from assay.evidence.result import Result, Violation
from assay.transition_system.interface import SourceHash, ViolationFacts


def save_traces(result: Result, path: Path, language: str, sources: Sequence[SourceHash]) -> Result:
    """The result with the names of the files; one that cannot be written takes nothing from the verdict."""
    violations, problems = saved(
        result.violations,
        path,
        program=result.program,
        language=language,
        sources=sources,
        options=result.options,
        semantics=result.semantics,
    )
    return replace(result, violations=violations, notes=(*result.notes, *problems))


def saved(
    violations: Sequence[Violation],
    path: Path,
    *,
    program: str,
    language: str,
    sources: Sequence[SourceHash],
    options: Mapping[str, object],
    semantics: Mapping[str, object],
) -> tuple[tuple[Violation, ...], list[str]]:
    """Each violation with the name of its file, and why some have none."""
    named, problems = [], []
    for number, violation in enumerate(violations, start=1):
        if violation.counterexample is None:
            named.append(violation)
            continue
        trace = Trace(
            program=program,
            language=language,
            sources=tuple(sources),
            options=options,
            semantics=semantics,
            counterexample=violation.counterexample,
            tool_version=__version__,
        )
        try:
            target = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
            save_trace(trace, target)
        except (OSError, ValueError) as problem:  # a name can be impossible, too
            problems.append(not_saved(path, problem))
            named.append(violation)
        else:
            named.append(replace(violation, trace=str(target)))
    return tuple(named), problems


def not_saved(path: Path, problem: OSError | ValueError) -> str:
    why = problem.strerror if isinstance(problem, OSError) else None
    return f"the counterexample is not saved: {path} cannot be written ({why or problem}); see --trace"


def require_same_sources(recorded: Trace, sources: Sequence[SourceHash]) -> None:
    def named(hashes: Sequence[SourceHash]) -> list[tuple[str, str]]:
        return [(Path(source.path).name, source.sha256) for source in hashes]

    then, now = named(recorded.sources), named(sources)
    if then == now:
        return
    if then and now and not {name for name, _ in then} & {name for name, _ in now}:
        raise TraceProblem(f"the trace is of {then[0][0]}, not of {now[0][0]}")
    changed = sorted({name for name, _ in set(then) ^ set(now)})
    raise TraceProblem(
        f"the program has changed since the trace was written ({', '.join(changed) or 'other files'}); "
        "verify it again"
    )


def require_same_file(recorded: Trace, path: Path) -> None:
    """For a program that can no longer be read: its own file must be as it was."""
    try:
        now = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return  # that it cannot be read is told elsewhere
    then = {Path(source.path).name: source.sha256 for source in recorded.sources}
    if then.get(path.name) != now:
        raise TraceProblem(
            f"the program has changed since the trace was written ({path.name}); verify it again"
        )


def is_same_violation(one: ViolationFacts, other: ViolationFacts) -> bool:
    """Wherever the program was called from: the directory in front of a file name may differ."""

    def essence(facts: ViolationFacts) -> tuple[object, ...]:
        return facts.kind, facts.message, facts.file and Path(facts.file).name, facts.line

    return essence(one) == essence(other)


def require_same_run(then: Counterexample, now: Counterexample) -> None:
    for before, after in zip(then.steps, now.steps, strict=False):
        if (before.process, before.line, before.text) != (after.process, after.line, after.text):
            raise TraceProblem(
                f"step {before.number} was `{before.text}` by {before.process} and is now "
                f"`{after.text}` by {after.process}; verify the program again"
            )
    if len(then.steps) != len(now.steps):
        raise TraceProblem(
            f"the trace has {len(then.steps)} steps and now takes {len(now.steps)}; verify the program again"
        )
