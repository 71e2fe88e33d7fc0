"""A failing run, step by step, in the words of the source.

The engine names a run by the position of each successor; the run is then
executed once more, primitive step by primitive step, and translated by the
front end. What is kept of each step is what it changed, so that a long run
stays small; `variables_after` puts a whole state together again.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path

from assay.evidence.reading import read_regular_file
from assay.records import dataclass
from assay.transition_system.interface import (
    Access,
    Happening,
    Program,
    SourceHash,
    StepFacts,
    ViolationFacts,
    Waiting,
)

TRACE_FORMAT = "assay-trace"
LARGEST_TRACE_BYTES = 1 << 30
TRACE_VERSION = 1
TRACE_VERSION_WITH_A_LOOP = 2
HAPPENING_TEXTS = ("kind", "file", "text", "name", "place", "before", "after", "result")


class TraceProblem(Exception):
    """A trace file cannot be read, or does not belong to the program it is used with."""


@dataclass(frozen=True, slots=True)
class Change:
    """One variable that a step changed; None on a side where the variable does not exist."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Step:
    number: int  # from 1
    transition: int  # which element of `positions` it belongs to, from 0
    process: str
    file: str
    line: int
    text: str
    changes: tuple[Change, ...]
    function: str = ""
    accesses: tuple[Access, ...] = ()
    output: str = ""
    choices: tuple[int, ...] = ()
    continues: str = ""
    alone: bool = False
    happenings: tuple[Happening, ...] = ()
    conditions: tuple[str, ...] = ()  # of a formula, that it changed: "x == 1 becomes true"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A run from the initial state to a violation.

    `positions` names the successor taken in each state. `steps` are the
    primitive steps; an atomic sequence has several under one position.
    `omitted` counts positions in the middle of a very long run that were not
    translated into steps; they stand before step `omitted_before`.
    """

    violation: ViolationFacts
    positions: tuple[int, ...]
    initial: Mapping[str, object]
    steps: tuple[Step, ...]
    waiting: tuple[Waiting, ...] = ()
    omitted: int = 0
    omitted_before: int = 0
    # Of a run that never ends: how many positions stand before its cycle, which goes round for ever. If all
    # do, the run stays where they end.
    loop_start: int | None = None
    conditions: tuple[str, ...] = ()  # of the formula, all the way round: "x == 1 is false"

    @property
    def loop_step(self) -> int | None:
        """The number of the first step of the cycle; one more than there are steps if it has none."""
        if self.loop_start is None:
            return None
        inside = (step.number for step in self.steps if step.transition >= (self.loop_start or 0))
        return next(inside, len(self.steps) + 1)

    @property
    def length(self) -> int:
        return len(self.steps) if not self.omitted else len(self.positions)

    def variables_after(self, number: int) -> dict[str, object]:
        """All variables after that many steps; 0 is the initial state."""
        variables = dict(self.initial)
        for step in self.steps[:number]:
            for change in step.changes:
                if change.after is None:
                    variables.pop(change.name, None)
                else:
                    variables[change.name] = change.after
        return variables


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A counterexample together with all that is needed to execute it again."""

    program: str
    language: str
    sources: tuple[SourceHash, ...]
    options: Mapping[str, object]
    semantics: Mapping[str, object]
    counterexample: Counterexample
    tool_version: str


@dataclass(frozen=True, slots=True)
class RawStep:
    """A primitive step as the engine reports it."""

    transition: int
    process: int
    action: int
    state: bytes


@dataclass(frozen=True, slots=True)
class RawRun:
    """A run as the engine executed it again. `break_after`: steps before a gap of `omitted` positions."""

    initial: bytes
    steps: tuple[RawStep, ...]
    final: bytes | None  # None: the last step left no state behind
    omitted: int = 0
    break_after: int = 0
    resume: bytes = b""  # the state at the far side of the gap
    descriptions: Mapping[str, object] | None = None  # of a model that describes itself


def changes_between(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[Change, ...]:
    changed = [
        Change(name, before.get(name), value)
        for name, value in after.items()
        if name not in before or before[name] != value
    ]
    gone = [Change(name, value, None) for name, value in before.items() if name not in after]
    return (*changed, *gone)


def translate(
    program: Program,
    code: int,
    positions: Sequence[int],
    run: RawRun,
    *,
    violation: ViolationFacts | None = None,
    loop_start: int | None = None,
) -> Counterexample:
    """Put an executed run into the words of its source; `violation`, where no code of the program says it."""
    program = described_by(program, run)
    violation = violation or program.describe_violation(code)
    initial = dict(program.describe_state(run.initial))
    steps: list[Step] = []
    state, variables, kept = run.initial, initial, initial
    omitted_before = 0
    for index, raw in enumerate(run.steps):
        if run.omitted and index == run.break_after:
            state = run.resume
            omitted_before = len(steps) + 1
        facts = program.describe_step(state, raw.process, raw.action)
        parts = (facts, *facts.then)
        kept_after = dict(program.describe_state(raw.state))
        after = _shown(variables, kept, kept_after, parts)
        changed = _shared_out(parts, changes_between(variables, after))
        told = _until_failure(parts, violation) if raw is run.steps[-1] else len(parts)
        for part, changes in zip(parts[:told], changed[:told], strict=True):
            steps.append(_step(len(steps) + 1, raw.transition, part, changes))
        state, variables, kept = raw.state, after, kept_after
    last = run.final if run.final is not None else state
    return Counterexample(
        violation=violation,
        positions=tuple(positions),
        initial=initial,
        steps=tuple(steps),
        waiting=tuple(program.describe_waiting(last)) if code == 0 else (),
        omitted=run.omitted,
        omitted_before=omitted_before,
        loop_start=loop_start,
    )


def _shown(
    variables: Mapping[str, object],
    kept: Mapping[str, object],
    kept_after: Mapping[str, object],
    parts: Sequence[StepFacts],
) -> dict[str, object]:
    """The variables as the program has them after a step. A state does not keep the value of a variable that
    nobody reads again; the variable has it all the same, until somebody writes it."""
    forgotten = {name for part in parts for name in part.forgets}
    written = {name for part in parts for name in part.writes} - forgotten
    after = dict(kept_after)
    for name, value in kept_after.items():
        is_left = name in kept and kept[name] == value and name not in written
        if name in variables and (is_left or name in forgotten):
            after[name] = variables[name]
    return after


def _until_failure(parts: Sequence[StepFacts], violation: ViolationFacts) -> int:
    """How many statements of the last step to tell: a search takes several at once, and the program stops at
    the one that fails."""
    for index, part in enumerate(parts):
        if part.text == violation.message and (part.file, part.line) == (violation.file, violation.line):
            return index + 1
    return len(parts)


def _shared_out(parts: Sequence[StepFacts], changes: Iterable[Change]) -> list[tuple[Change, ...]]:
    """Each change to the last part that wrote the variable, or else to the last of all."""
    shares: list[list[Change]] = [[] for _ in parts]
    for change in changes:
        writers = [index for index, part in enumerate(parts) if change.name in part.writes]
        if not writers and isinstance(change.before, list):  # a channel
            writers = [index for index, part in enumerate(parts) if part.moves_messages]
        shares[writers[-1] if writers else -1].append(change)
    return [tuple(share) for share in shares]


def described_by(program: Program, run: RawRun | None) -> Program:
    """The program, knowing what the process that executed the run said about it."""
    return program if run is None or run.descriptions is None else program.knowing(run.descriptions)


def _step(number: int, transition: int, facts: StepFacts, changes: tuple[Change, ...]) -> Step:
    return Step(
        number=number,
        transition=transition,
        process=facts.process,
        file=facts.file,
        line=facts.line,
        text=facts.text,
        changes=changes,
        function=facts.function,
        accesses=facts.accesses,
        output=facts.output,
        choices=facts.choices,
        continues=facts.continues,
        alone=facts.alone,
        happenings=facts.happenings,
    )


# --- the file format, described in docs/formats/trace.md ------------------------------------------


def trace_as_json(trace: Trace) -> dict[str, object]:
    run = trace.counterexample
    return {
        "format": TRACE_FORMAT,
        "version": TRACE_VERSION if run.loop_start is None else TRACE_VERSION_WITH_A_LOOP,
        "tool": f"assay {trace.tool_version}",
        "program": trace.program,
        "language": trace.language,
        "sources": [{"path": source.path, "sha256": source.sha256} for source in trace.sources],
        "options": dict(trace.options),
        "semantics": dict(trace.semantics),
        "violation": {
            "kind": run.violation.kind,
            "message": run.violation.message,
            "file": run.violation.file,
            "line": run.violation.line,
            **({"traceback": list(run.violation.traceback)} if run.violation.traceback else {}),
            **({"values": list(run.violation.values)} if run.violation.values else {}),
        },
        "positions": list(run.positions),
        "initial": dict(run.initial),
        "steps": [step_as_json(step) for step in run.steps],
        "waiting": [
            {
                "process": w.process,
                "file": w.file,
                "line": w.line,
                "text": w.text,
                **({"reason": w.reason} if w.reason and run.loop_start is None else {}),
                **({} if run.loop_start is None else {"how": w.how}),
            }
            for w in run.waiting
        ],
        "omitted": run.omitted,
        "omitted_before": run.omitted_before,
        **({} if run.loop_start is None else {"loop_start": run.loop_start}),
        **({"conditions": list(run.conditions)} if run.conditions else {}),
    }


def step_as_json(step: Step) -> dict[str, object]:
    """Keys of languages that have them come only with something in them."""
    more: dict[str, object] = {}
    if step.function:
        more["function"] = step.function
    if step.accesses:
        more["accesses"] = [
            {"kind": access.kind, "name": access.name, "value": access.value} for access in step.accesses
        ]
    if step.output:
        more["output"] = step.output
    if step.choices:
        more["choices"] = list(step.choices)
    if step.continues:
        more["continues"] = step.continues
    if step.alone:
        more["alone"] = True
    if step.happenings:
        more["happenings"] = [asdict(happening) for happening in step.happenings]
    if step.conditions:
        more["conditions"] = list(step.conditions)
    return {
        "step": step.number,
        "transition": step.transition,
        "process": step.process,
        "file": step.file,
        "line": step.line,
        "text": step.text,
        "changes": [
            {"name": change.name, "before": change.before, "after": change.after} for change in step.changes
        ],
        **more,
    }


def save_trace(trace: Trace, path: Path) -> None:
    """Write the file whole or not at all."""
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("w", encoding="utf-8") as stream:
            json.dump(trace_as_json(trace), stream, indent=1, default=str)
            stream.write("\n")
        unfinished.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def load_trace(path: Path) -> Trace:
    try:
        data = json.loads(read_regular_file(path, LARGEST_TRACE_BYTES))
    except OSError as problem:
        raise TraceProblem(f"{path}: the trace cannot be read: {problem.strerror}") from None
    except (ValueError, RecursionError):  # too long, no text, no JSON
        raise TraceProblem(
            f"{path}: expected a trace written by `assay verify`, got something else"
        ) from None
    if not isinstance(data, dict) or data.get("format") != TRACE_FORMAT:
        raise TraceProblem(f"{path}: expected a trace written by `assay verify`, got something else")
    if data.get("version") not in (TRACE_VERSION, TRACE_VERSION_WITH_A_LOOP):
        raise TraceProblem(
            f"{path}: expected trace version {TRACE_VERSION} or {TRACE_VERSION_WITH_A_LOOP}, "
            f"got {data.get('version')}; verify the program again"
        )
    try:
        return _trace_from_json(data)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise TraceProblem(f"{path}: the trace is damaged ({problem!r}); verify the program again") from None


def _trace_from_json(data: Mapping[str, object]) -> Trace:
    reader = _Reader(data)
    violation = reader.part("violation")
    steps = tuple(
        Step(
            number=step.number("step"),
            transition=step.number("transition"),
            process=step.text("process"),
            file=step.text("file"),
            line=step.number("line"),
            text=step.text("text"),
            changes=tuple(
                Change(change.text("name"), change.data["before"], change.data["after"])
                for change in step.parts("changes")
            ),
            function=step.text("function") if "function" in step.data else "",
            accesses=tuple(
                Access(access.text("kind"), access.text("name"), access.text("value"))
                for access in (step.parts("accesses") if "accesses" in step.data else ())
            ),
            output=step.text("output") if "output" in step.data else "",
            choices=tuple(step.numbers("choices")) if "choices" in step.data else (),
            continues=step.text("continues") if "continues" in step.data else "",
            alone=step.data.get("alone") is True,
            happenings=tuple(
                Happening(
                    line=one.number("line"),
                    **{key: one.text(key) for key in HAPPENING_TEXTS},
                )
                for one in (step.parts("happenings") if "happenings" in step.data else ())
            ),
            conditions=tuple(step.texts("conditions")) if "conditions" in step.data else (),
        )
        for step in reader.parts("steps")
    )
    waiting = tuple(
        Waiting(
            w.text("process"),
            w.text("file"),
            w.number("line"),
            w.text("text"),
            w.text("how") if "how" in w.data else "waits",
            reason=w.text("reason") if "reason" in w.data else "",
        )
        for w in reader.parts("waiting")
    )
    return Trace(
        program=reader.text("program"),
        language=reader.text("language"),
        sources=tuple(
            SourceHash(source.text("path"), source.text("sha256")) for source in reader.parts("sources")
        ),
        options=reader.part("options").data,
        semantics=reader.part("semantics").data,
        tool_version=reader.text("tool").removeprefix("assay "),
        counterexample=Counterexample(
            violation=ViolationFacts(
                violation.text("kind"),
                violation.text("message"),
                None if violation.data["file"] is None else violation.text("file"),
                None if violation.data["line"] is None else violation.number("line"),
                tuple(violation.texts("traceback")) if "traceback" in violation.data else (),
                values=tuple(violation.texts("values")) if "values" in violation.data else (),
            ),
            positions=tuple(reader.numbers("positions")),
            initial=reader.part("initial").data,
            steps=steps,
            waiting=waiting,
            omitted=reader.number("omitted"),
            omitted_before=reader.number("omitted_before"),
            loop_start=reader.number("loop_start") if "loop_start" in data else None,
            conditions=tuple(reader.texts("conditions")) if "conditions" in data else (),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads an object of the trace and insists on the type of each member."""

    data: Mapping[str, object]
    name: str = field(default="trace")

    def _get(self, key: str, kind: type) -> object:
        value = self.data[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise TypeError(f"{key}: expected {kind.__name__}, got {type(value).__name__}")
        return value

    def text(self, key: str) -> str:
        return str(self._get(key, str))

    def number(self, key: str) -> int:
        value = self._get(key, int)
        assert isinstance(value, int)
        return value

    def numbers(self, key: str) -> list[int]:
        values = self._get(key, list)
        assert isinstance(values, list)
        if not all(type(value) is int and value >= 0 for value in values):
            raise TypeError(f"{key}: expected a list of positions")
        return values

    def texts(self, key: str) -> list[str]:
        values = self._get(key, list)
        assert isinstance(values, list)
        if not all(isinstance(value, str) for value in values):
            raise TypeError(f"{key}: expected a list of texts")
        return values

    def part(self, key: str) -> _Reader:
        value = self._get(key, dict)
        assert isinstance(value, dict)
        return _Reader(value, key)

    def parts(self, key: str) -> list[_Reader]:
        values = self._get(key, list)
        assert isinstance(values, list)
        if not all(isinstance(value, dict) for value in values):
            raise TypeError(f"{key}: expected a list of objects")
        return [_Reader(value, key) for value in values]
