"""One task of certification: a run of consecutive frames or a region, walked along its program.

Runs wherever an executor puts it, in a process of its own, because it executes
the program's compiled code. It shares nothing with other tasks but the
secrets; what it found goes back as a `TaskReport`.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay import _engine
from assay.distribution.interface import Report
from assay.evidence.certificate.dictionaries import StoredDictionaries
from assay.evidence.certificate.frames import Frame, FrameRecord, decode_frame, unchanged
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.certificate.path import varints
from assay.transition_system import opening
from assay.transition_system.interface import CompiledProgram

if TYPE_CHECKING:
    from assay.certification.interpreted import HandwrittenProgram
    from assay.certification.program import ShippedProgram
    from assay.certification.subgraphs import RegionSource


@dataclass(frozen=True, slots=True)
class FrameSource:
    """Frames, by their place in a file of this machine or brought along."""

    first: int  # number of the first frame
    first_state: int
    records: tuple[FrameRecord, ...]
    digests: tuple[bytes, ...]  # of the frames as they stand in the file: SHA-256
    path: str = ""
    offset: int = 0
    bodies: tuple[bytes, ...] = ()
    dictionaries: StoredDictionaries = field(default_factory=StoredDictionaries)  # always brought along

    @property
    def entries(self) -> int:
        return sum(record.entries for record in self.records)

    @property
    def holes(self) -> tuple[tuple[int, int], ...]:
        """Numbers that its states do not have, after the first one's."""
        return ()

    def frames(self, *, bits_only: bool) -> Iterator[tuple[str, Frame]]:
        """With what a sentence about a frame begins with; one after another, as they are asked for."""
        offset = self.offset
        dictionaries = self.dictionaries.opened()
        for index, record in enumerate(self.records):
            number = self.first + index
            body = self.bodies[index] if self.bodies else self._read(offset, index)
            yield f"frame {number}", decode_frame(number, record, body, dictionaries, bits_only=bits_only)
            offset += record.length

    def _read(self, offset: int, index: int) -> bytes:
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            file.seek(offset)
            return unchanged(file.read(self.records[index].length), self.digests[index])


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificationTask:
    library: str  # the program as `open_model` takes it, on the machine that gave out the task
    shipped: ShippedProgram | None = None  # for another machine
    source: FrameSource | RegionSource
    purpose: str  # as `_engine.walk` knows them
    secrets: bytes
    key: bytes = b""  # secret too: of the digests that states consist of, where they do
    total_states: int
    check_deadlock: bool
    memory_limit_bytes: int = 0
    drop_after_last: bool = False


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """An entry that refers to another state than it leads to."""

    state: int
    position: int
    claimed: int
    actual: int | None
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WrongCount:
    state: int
    claimed: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    states: int
    entries: int
    depth: int
    path_length: int
    counted: int  # sum of the reference counts that the script claims
    referred: bytes
    visited: bytes
    start: bytes  # the start section that the walk began with
    end: bytes  # where it stands, in the same form
    open_at_start: bytes  # what this process sees there: `what_is_open`
    open_at_end: bytes
    is_finished: bool
    seconds: float
    violation: tuple[int, tuple[int, ...]] | None = None
    digests: int = 0  # how many components of states had one, and the longest of them, in elements
    longest_digested: int = 0
    duplicates: int = 0
    map_entries: int = 0
    discrepancy: Discrepancy | None = None
    wrong_count: WrongCount | None = None


@dataclass(frozen=True, slots=True)
class TaskProgress:
    states: int
    entries: int


def address_of(program: CompiledProgram | HandwrittenProgram) -> str:
    """A program as `open_model` takes it: its file alone, or JSON that says how to open it."""
    opener = getattr(program, "opener", "")
    if not opener:
        return str(program.library)
    return json.dumps({"opener": opener, "file": str(program.library)})


def is_compiled(program: CompiledProgram | HandwrittenProgram) -> bool:
    """Whether its steps are in a shared object, which needs no interpreter."""
    return not address_of(program).startswith("{")


def open_model(library: str, key: bytes = b"") -> _engine.Model:
    """The step function behind an address: a compiled program, or a class in its JSON form.

    Processes that shall agree on states need the same key; without one, this process draws its own.
    """
    if not library.startswith("{"):
        return opening.open_model(library)
    wanted = json.loads(library)
    if "opener" in wanted:
        return opening.open_model(wanted["file"], wanted["opener"], key=key or opening.draw_key())
    from assay.certification.interpreted import open_class

    return open_class(library)


def what_is_open(model: _engine.Model, section: bytes, secrets: bytes) -> bytes:
    """What this process sees on the open path, where processes may see it differently: of all but
    shared objects."""
    if isinstance(model, _engine.CompiledModel):
        return b""
    from assay.certification.interpreted import digest_of_what_is_open

    return digest_of_what_is_open(model, section, secrets)


def secret_bytes(library: str, _report: Report) -> int:
    """How many secret bytes the program's states need."""
    return _engine.Walk.secret_bytes(open_model(library))


def run(task: CertificationTask, report: Report) -> TaskReport:
    """Walk through the frames of a task. Raises `CertificateProblem` when they do not fit the program."""
    try:
        if task.shipped is None:
            return walk(open_model(task.library, task.key), task, report)
        from assay.certification.program import unpacked

        with unpacked(task.shipped) as program:
            return walk(open_model(address_of(program), task.key), task, report)
    except RuntimeError as problem:
        text = str(problem)
        if text.startswith(opening.ASSUMPTION_FAILED):
            name = text.removeprefix(opening.ASSUMPTION_FAILED)
            raise CertificateProblem(
                f"the certificate assumes something about {name!a} that fails for what is checked here; "
                "verify it again, with the same properties"
            ) from None
        if text.startswith(opening.UNSUPPORTED):
            raise CertificateProblem(
                f"the program does what is not modelled: {text.removeprefix(opening.UNSUPPORTED)}"
            ) from None
        raise


def checked_start(frame: Frame, first_state: int) -> bytes:
    """Where the first frame of a task starts. Each state on the way there was numbered before."""
    if next(varints(frame.start), 0) > first_state:
        raise CertificateProblem("the path to its start has more states than are numbered before it")
    return frame.start


def walk(model: _engine.Model, task: CertificationTask, report: Report) -> TaskReport:
    began = time.perf_counter()
    walker = _engine.walk(
        model,
        purpose=task.purpose,
        check_deadlock=task.check_deadlock,
        total_states=task.total_states,
        memory_limit_bytes=task.memory_limit_bytes,
        secrets=task.secrets,
        drop_after_last=task.drop_after_last,
    )
    problem: CertificateProblem | None = None
    start = b""
    states = entries = 0
    for name, frame in task.source.frames(bits_only=task.purpose == "trust"):
        try:
            if not start:
                start = checked_start(frame, task.source.first_state)
                walker.begin(start, task.source.first_state, task.source.holes)
            elif walker.position() != frame.start:
                raise CertificateProblem(  # noqa: TRY301 (the frame's name is added in one place)
                    "it does not start where the frame before it ends"
                )
            if not walker.frame(
                frame.states,
                frame.entries,
                frame.references,
                frame.bits,
                frame.ids,
                frame.counts,
                frame.subgraphs,
            ):
                break
        except (_engine.Rejected, CertificateProblem) as found:
            problem = CertificateProblem(f"{name}: {found}")
            break
        states += frame.states
        entries += frame.entries
        report(TaskProgress(states, entries))
    discrepancy = walker.discrepancy
    if problem is not None and discrepancy is None:
        raise problem
    facts, violation = walker.facts(), walker.violation
    wrong = walker.wrong_count() if task.purpose == "explain" and problem is None else None
    digested = model.statistics() if isinstance(model, _engine.PythonMachine) else Counter[str]()
    return TaskReport(
        states=facts.states,
        entries=facts.entries,
        depth=facts.depth,
        path_length=facts.path_length,
        counted=facts.counted,
        referred=facts.referred,
        visited=facts.visited,
        start=start,
        end=walker.position(),
        open_at_start=what_is_open(model, start, task.secrets),
        # Where something is wrong the walk stands nowhere, and the report is not compared.
        open_at_end=b"" if violation or problem else what_is_open(model, walker.position(), task.secrets),
        is_finished=walker.is_finished,
        seconds=time.perf_counter() - began,
        violation=None if violation is None else (violation[0], tuple(violation[1])),
        digests=digested["components"],
        longest_digested=digested["longest_digested"],
        duplicates=facts.duplicates,
        map_entries=facts.map_entries,
        discrepancy=None
        if discrepancy is None
        else Discrepancy(
            discrepancy.state,
            discrepancy.position,
            discrepancy.claimed,
            discrepancy.actual,
            tuple(discrepancy.path),
        ),
        wrong_count=None if wrong is None else WrongCount(*wrong),
    )


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """A state and the primitive steps of one of its successors, before they have words."""

    state: bytes
    steps: tuple[tuple[int, int, bytes], ...]  # process, transition, state after
    words: Mapping[str, object] | None = None  # of a model that describes itself


def describe_entry(question: tuple[str, tuple[int, ...], int], _report: Report) -> EntryFacts:
    """Go along a path in the compiled program and look at one successor of where it ends."""
    library, path, position = question
    model = open_model(library)
    state, _ = model.initial_state()
    for step in path:
        following = model.successors(state)[step][0]
        assert following is not None
        state = following
    if opening.describes_itself(model):
        told: Any = model
        words = {"states": {}, "steps": [told.explain(state, position)], "violations": {}}
        return EntryFacts(state, ((0, 0, state),), words)
    return EntryFacts(state, tuple(model.explain(state, position)))


def path_to_state(question: tuple[str, FrameSource, int], _report: Report) -> tuple[int, ...]:
    """The tree path to a state of a frame, in positions: walks the frame once more, slowly."""
    from assay.evidence.certificate.path import path_within

    library, source, number = question
    ((_, frame),) = source.frames(bits_only=True)
    return path_within(open_model(library), frame, source.first_state, number)
