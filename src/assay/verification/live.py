"""Replays a counterexample of a Python program with real threads of CPython."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from assay.evidence.counterexample import Counterexample, Step, Trace, TraceProblem, load_trace
from assay.languages.python.environment import package_folders
from assay.records import dataclass
from assay.transition_system.interface import Happening
from assay.transition_system.language_options import OptionProblem

RANDOM = "Random."  # whose methods the functions of the module are
HELPERS_OF_POOLS = ("(_handle_tasks)", "(_handle_results)")  # of `ThreadPool`: they take no tasks
OF_THREADS = ("Thread.", "Executor.", "ThreadPoolExecutor.", "Future.")
FIRST_THREAD = "MainThread@"
CONTAINERS = {"list", "dict", "set", "tuple", "deque", "collections.deque"}
LIVE = "assay.languages.python.live"
PATIENCE_SECONDS = 120.0
NOT_FOR_LIVE = {
    "race": "a data race is found by looking at two threads at once; CPython shows only what comes of it",
}


@dataclass(frozen=True, slots=True)
class LiveReplay:
    """What happened; `passed` of `total` events of the schedule were followed."""

    reproduced: bool
    passed: int
    total: int
    message: str
    python: str = sys.version.split()[0]

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def replay_live(program: str | Path, trace: str | Path) -> tuple[Counterexample, LiveReplay]:
    """The counterexample, executed by the machine again, and what CPython did along it."""
    from assay.verification import replay_recorded

    recorded = load_trace(Path(trace))
    if recorded.language != "python":
        raise OptionProblem(f"live: only Python programs run live, this trace is of {recorded.language}")
    run = replay_recorded(program, recorded)
    if run.omitted:
        raise TraceProblem("the run is too long to be replayed live: its middle was not recorded")
    why = NOT_FOR_LIVE.get(run.violation.kind)
    if why is not None:
        return run, LiveReplay(False, 0, 0, why)
    return run, _drive(schedule_of(Path(program), recorded, run))


def schedule_of(program: Path, recorded: Trace, run: Counterexample) -> dict[str, object]:
    """What the child needs: paths are absolute, accesses are named by their last part."""
    main = Path(recorded.sources[0].path)

    def found(file: str) -> str:
        return str((program.parent / os.path.relpath(file, main.parent)).resolve())

    is_finest = recorded.semantics["granularity"] == "bytecode"
    events: list[list[object]] = []
    ended: list[str] = []
    choices: dict[str, list[int]] = {}
    drawn: dict[str, list[list[str]]] = {}
    started = 0  # threads, besides the first one
    for step in twice_round(run):
        started += sum(
            c.name.endswith("@") and c.before is None and c.name != FIRST_THREAD for c in step.changes
        )
        ended += [c.name.removesuffix("@") for c in step.changes if c.name.endswith("@") and c.after is None]
        if step.choices and (step.alone or "choose" in step.text):
            choices.setdefault(step.process, []).extend(step.choices)
        for one in step.happenings:
            if one.kind == "does" and one.name.startswith(RANDOM) and one.result:
                drawn.setdefault(step.process, []).append([one.name.removeprefix(RANDOM), one.result])
        if step.file.startswith("<") or not step.line:
            continue
        resumes = step.continues.startswith("Condition.wait")
        accesses = [access for access in step.accesses if access.name]  # else it is inside of a library
        place = [step.process, found(step.file), step.line]
        if step.alone or (step.continues and not accesses and not resumes):
            if step is not run.steps[0]:  # else nobody has to wait
                events.append([*place, "free", str(started)])
            events += [
                [step.process, found(one.file), one.line, "line", ""]
                for one in operations_of(step)
                if one.line != step.line
            ]
            continue
        if resumes:
            events.append([*place, "resume", ""])
        elif not accesses:
            events.append([*place, "line", ""])
        # With `bytecode` all accesses of a step belong to one bytecode, or to what only helps others.
        awaited = accesses[:1] if is_finest else accesses
        events += [[*place, access.kind, last_part(access.name)] for access in awaited]
    invariants = recorded.options.get("invariants", [])
    return {
        "program": str(program.resolve()),
        "call": str(recorded.options.get("call") or ""),
        "sha256": {
            str(program.resolve()): recorded.sources[0].sha256,
            **{found(source.path): source.sha256 for source in recorded.sources[1:]},
        },
        "files": sorted({found(source.path) for source in recorded.sources}),
        "kind": kind_of(run),
        "message": run.violation.message,
        "events": events,
        "ended": ended,
        "choices": choices,
        "drawn": drawn,
        "workers": workers_of(run),
        "packages": packages_of(recorded),
        "invariants": invariants if isinstance(invariants, list) else [],
    }


def packages_of(recorded: Trace) -> list[str]:
    """The folders that were named, and those of a named environment; the running one's are found anyway."""
    named, first = recorded.options.get("python"), recorded.options.get("import_from")
    folders = [Path(str(folder)) for folder in first] if isinstance(first, list) else []
    folders += package_folders(named) if isinstance(named, str) else ()
    return [str(folder.resolve()) for folder in folders]


def workers_of(run: Counterexample) -> list[str]:
    """Workers of pools, one for each task that touches something, in the order in which they took the tasks:
    with their last step in the pool's own code, which has no line, before the first in that of the task."""
    taken: list[tuple[int, str]] = []
    in_the_pool: dict[str, int] = {}
    for step in run.steps:
        if step.process.endswith(HELPERS_OF_POOLS):
            continue
        if not step.line:
            in_the_pool[step.process] = step.number
        elif step.process in in_the_pool:
            taken.append((in_the_pool.pop(step.process), step.process))
    return [worker for _, worker in sorted(taken)]


def operations_of(step: Step) -> Iterator[Happening]:
    """What a thread that goes on by itself does on the way, and others may wait for: it sets an event."""
    for one in step.happenings:
        if one.kind == "does" and one.before != one.after and not one.name.startswith(OF_THREADS):
            yield one


def last_part(name: str) -> str:
    """Of `self.count`, count; nothing of a container, which no bytecode names by its type."""
    return "" if name in CONTAINERS else name.rpartition(".")[2]


def twice_round(run: Counterexample) -> tuple[Step, ...]:
    """The steps that are taken: those of the cycle of a run that never ends twice."""
    if run.loop_start is None:
        return run.steps
    return (*run.steps, *(step for step in run.steps if step.transition >= (run.loop_start or 0)))


def kind_of(run: Counterexample) -> str:
    """What CPython is looked at for: a run that stays where it is ends in a deadlock, or has ended."""
    if run.loop_start is None:
        return run.violation.kind
    if run.loop_start < len(run.positions):
        return "cycle"
    return "deadlock" if run.waiting else "end"


def _drive(schedule: dict[str, object]) -> LiveReplay:
    ours, theirs = os.pipe()
    try:
        try:
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", LIVE, str(theirs)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs,),
                process_group=0,
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )
        finally:
            os.close(theirs)
        try:
            child.communicate(json.dumps(schedule).encode(), timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            return LiveReplay(False, 0, len_of(schedule), "the program did not come to an end in time")
        finally:
            child.kill()
            child.wait()
        with os.fdopen(ours, "rb", closefd=False) as answers:
            line = answers.readline()
        if not line:
            return LiveReplay(False, 0, len_of(schedule), f"the program's process ended ({child.returncode})")
        answer = json.loads(line)
        return LiveReplay(answer["reproduced"], answer["passed"], answer["total"], answer["message"])
    finally:
        os.close(ours)


def len_of(schedule: dict[str, object]) -> int:
    events = schedule["events"]
    return len(events) if isinstance(events, list) else 0
