"""One task of certification: a run of consecutive frames or a region, walked along its program.

Runs wherever an executor puts it, in a process of its own, because it executes
the program's compiled code. It shares nothing with other tasks but the
secrets; what it found goes back as a `TaskReport`.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from assay import _engine
from assay.distribution.interface import Report
from assay.evidence.certificate.dictionaries import StoredDictionaries
from assay.evidence.certificate.frames import Frame, FrameRecord, decode_frame, unchanged
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.certificate.path import varints
from assay.languages import AnotherText
from assay.records import dataclass
from assay.transition_system import opening as opening_of_models
from assay.transition_system.interface import Opening
from assay.transition_system.question import Question

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class RankedWalk:
    """That the script has ranks, and what the product is that it goes through. The automaton, the
    acceptance sets and fairness are those of the program compiled here; of the certificate comes the
    rank of the initial state."""

    question: Mapping[str, object]  # as `Question.from_json` reads it
    initial_rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificationTask:
    opening: Opening  # of the program, on the machine that gave out the task
    shipped: ShippedProgram | None = None  # for another machine
    source: FrameSource | RegionSource
    purpose: str  # as `_engine.walk` knows them
    secrets: bytes
    key: bytes = b""  # secret too: of the digests that states consist of, where they do
    total_states: int
    check_deadlock: bool
    memory_limit_bytes: int = 0
    drop_after_last: bool = False
    moves: bool = False  # the last section of each frame names them
    ranked: RankedWalk | None = None


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """An entry that refers to another state than it leads to, or to the right one with a wrong rank."""

    state: int
    position: int
    claimed: int | None  # nothing in a script with ranks, where entries have no numbers
    actual: int | None
    path: tuple[int, ...]
    claimed_rank: int | None = None  # where only the rank is wrong
    actual_rank: int | None = None


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


def _is_child() -> bool:
    """A process that does tasks and nothing else may be confined for good."""
    specification = getattr(sys.modules["__main__"], "__spec__", None)
    return specification is not None and specification.name == "assay.distribution.worker"


def open_model(opening: Opening, key: bytes = b"") -> _engine.Model:
    """The step function. Processes that shall agree on states need the same key; without one, this process
    draws its own."""
    if opening_of_models.is_confined(opening) and not _is_child():
        raise CertificateProblem(
            "the program has C in it, which is executed on this machine alone, in a process of its own"
        )
    try:
        return opening_of_models.open_model(opening, key=key or opening_of_models.draw_key())
    except AnotherText as other:
        raise CertificateProblem(f"the certificate is about another program text: {other} differs") from None


def what_is_open(model: _engine.Model, section: bytes, secrets: bytes, *, is_ranked: bool = False) -> bytes:
    """A digest of the successors of all states on the open path, as this process sees them.

    A class may list actions in the order of a set, which differs between processes. Then a position on the
    open path means one child to the process that leaves it and another to the one that goes on there, and
    a state could be lost between them. Shared objects are the same everywhere.
    """
    digest = hashlib.sha256(secrets)
    numbers = varints(section)
    state: bytes | None = model.initial_state()[0]
    for _ in range(next(numbers)):
        assert state is not None
        successors = model.successors(state)
        digest.update(len(successors).to_bytes(8, "little"))
        for after, _ in successors:
            content = after or b""  # no state is empty
            digest.update(len(content).to_bytes(8, "little") + content)
        position = next(numbers)
        if is_ranked:
            next(numbers)
        for _ in range(next(numbers) * (2 if is_ranked else 1)):
            next(numbers)
        state = successors[position][0]
    return digest.digest()


def secret_bytes(opening: Opening, _report: Report) -> int:
    """How many secret bytes the program's states need."""
    return _engine.Walk.secret_bytes(open_model(opening))


def run(task: CertificationTask, report: Report) -> TaskReport:
    """Walk through the frames of a task. Raises `CertificateProblem` when they do not fit the program."""
    try:
        if task.shipped is None:
            return walk(open_model(task.opening, task.key), task, report)
        from assay.certification.program import unpacked

        with unpacked(task.shipped) as program:
            return walk(open_model(program.opening, task.key), task, report)
    except _engine.AssumptionFailed as failed:
        raise CertificateProblem(
            f"the certificate assumes something about {str(failed)!a} that fails for what is checked here; "
            "verify it again, with the same properties"
        ) from None
    except _engine.UnsupportedProgram as problem:
        raise CertificateProblem(f"the program does what is not modelled: {problem}") from None


def checked_start(frame: Frame, first_state: int) -> bytes:
    """Where the first frame of a task starts. Each state on the way there was numbered before."""
    if next(varints(frame.start), 0) > first_state:
        raise CertificateProblem("the path to its start has more states than are numbered before it")
    return frame.start


def walk(program: _engine.Model, task: CertificationTask, report: Report) -> TaskReport:
    began = time.perf_counter()
    model, question = program, None
    if task.ranked is not None:
        question = Question.from_json(task.ranked.question, program)
        model = question.product(program)

    def open_at(section: bytes) -> bytes:
        if isinstance(program, _engine.CompiledModel):
            return b""
        return what_is_open(model, section, task.secrets, is_ranked=question is not None)

    walker = _engine.walk(
        model,
        purpose=task.purpose,
        check_deadlock=task.check_deadlock,
        total_states=task.total_states,
        memory_limit_bytes=task.memory_limit_bytes,
        secrets=task.secrets,
        drop_after_last=task.drop_after_last,
        initial_rank=task.ranked.initial_rank if task.ranked else None,
        processes=question.processes if question else 0,
        progress_label=question.progress_label if question else None,
        moves=task.moves,
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
                frame.supplement,
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
    digested = program.statistics() if isinstance(program, _engine.PythonMachine) else Counter[str]()
    if isinstance(program, _engine.CompiledModel):
        digested = Counter(components=program.digests(), longest_digested=program.longest_digested())
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
        open_at_start=open_at(start),
        # Where something is wrong the walk stands nowhere, and the report is not compared.
        open_at_end=b"" if violation or problem else open_at(walker.position()),
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
            discrepancy.claimed_rank,
            discrepancy.actual_rank,
        ),
        wrong_count=None if wrong is None else WrongCount(*wrong),
    )


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """A state and the primitive steps of one of its successors, before they have words."""

    state: bytes
    steps: tuple[tuple[int, int, bytes], ...]  # process, transition, state after
    descriptions: Mapping[str, object] | None = None  # of a model that describes itself


def describe_entry(
    question: tuple[Opening, tuple[int, ...], int, RankedWalk | None], _report: Report
) -> EntryFacts:
    """Go along a path in the compiled program and look at one successor of where it ends."""
    opening, path, position, ranked = question
    model = open_model(opening)
    if ranked is not None:
        path, own = _in_the_program(model, Question.from_json(ranked.question, model), (*path, position))
        if own is None:
            return EntryFacts(b"", ())
        position = own
    state, _ = model.initial_state()
    for step in path:
        following = model.successors(state)[step][0]
        assert following is not None
        state = following
    if opening_of_models.describes_itself(model):
        descriptions = {"states": {}, "steps": [model.explain(state, position)], "violations": {}}
        return EntryFacts(state, ((0, 0, state),), descriptions)
    return EntryFacts(state, tuple(model.explain(state, position)))


def _in_the_program(
    model: _engine.Model, question: Question, positions: tuple[int, ...]
) -> tuple[tuple[int, ...], int | None]:
    """The steps of the program in steps of the product: all but the last, and that one; None if it only
    stays at its end there."""
    state, location = model.initial_state()[0], 0
    edges = question.edges()
    own: list[int] = []
    last: int | None = None
    for position in positions:
        labels = model.labels(state)
        admitted = [target for mask, value, target in edges[location] if labels & mask == value]
        step, edge = divmod(position, len(admitted))
        location = admitted[edge]
        successors = model.successors(state)
        last = step if successors else None
        if successors:
            own.append(step)
            after, _ = successors[step]
            assert after is not None
            state = after
    return (tuple(own), None) if last is None else (tuple(own[:-1]), last)


def path_to_state(
    question: tuple[Opening, FrameSource, int, RankedWalk | None], _report: Report
) -> tuple[int, ...]:
    """The tree path to a state of a frame, in positions: walks the frame once more, slowly."""
    from assay.evidence.certificate.path import path_within

    opening, source, number, ranked = question
    ((_, frame),) = source.frames(bits_only=True)
    model = open_model(opening)
    if ranked is not None:
        model = Question.from_json(ranked.question, model).product(model)
    return path_within(model, frame, source.first_state, number, is_ranked=ranked is not None)
