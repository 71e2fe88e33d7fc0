"""Tasks of certification done by `assay-walker`, the engine's own process for compiled programs.

It has no interpreter in it, so that starting many costs little and each stays
small. Frames are decompressed here, one at a time, when it has taken the last;
it walks through them and answers. `engine/walker/main.cpp` is the other side.
Whoever is no compiled program, and a walk that explains, needs Python: `task.run`.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay import _engine
from assay.certification.task import (
    CertificationTask,
    FrameSource,
    RankedWalk,
    TaskProgress,
    TaskReport,
    checked_start,
)
from assay.distribution.local_processes import Answer
from assay.distribution.messages import LENGTH_BYTES, Raised, Reported, Returned
from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import CertificateProblem
from assay.records import dataclass
from assay.transition_system.question import Question

NO_LABEL = 0xFFFFFFFF
LONGEST_PIECE = 1 << 20
PROGRAM = Path(_engine.__file__).with_name("assay-walker")


@dataclass(frozen=True, slots=True)
class NativeWalkers:
    """Walkers of one compiled program. Of the work in `task`, they know `run` and `secret_bytes`."""

    library: str

    def command(self, pipes: Sequence[str]) -> Sequence[str]:
        return [str(PROGRAM), *pipes, self.library]

    def greeting(self) -> bytes:
        return b""

    def assign(self, work: str, task: object) -> _Question | _Walk:
        if work.endswith(":secret_bytes"):
            return _Question()
        assert isinstance(task, CertificationTask)
        return _Walk(task)


class _Question:
    """How many secret bytes do the program's states need?"""

    def messages(self) -> Iterator[bytes]:
        yield _message(b"Q")

    def answer(self, body: bytearray) -> Answer | None:
        if body[:1] != b"S":
            return _problem(body, lambda _: "")
        (secret_bytes,) = struct.unpack_from("<Q", body, 1)
        return Returned(secret_bytes, 0)


class _Walk:
    """One task. The first word of the walker that settles it counts; it then ignores further frames."""

    def __init__(self, task: CertificationTask) -> None:
        self._task = task
        self._names: list[str] = []  # of the frames that were sent
        self._start = b""
        self._unreadable: CertificateProblem | None = None  # a frame that could not be sent
        self._found: TaskReport | Raised | None = None
        self._decoding_seconds = 0.0

    def messages(self) -> Iterator[bytes]:
        task = self._task
        if isinstance(task.source, FrameSource):
            longest = max(record.start_length for record in task.source.records)
            if 0 < task.memory_limit_bytes < longest:  # it is read here, and what it says is kept there
                raise MemoryError("the path to where a frame starts is longer than the memory limit allows")
        holes = [number for hole in task.source.holes for number in hole]
        yield _message(
            b"W",
            struct.pack(
                f"<BBBQQQQ{len(holes)}Q",
                task.purpose == "trust",
                task.check_deadlock,
                task.moves,
                task.total_states,
                task.memory_limit_bytes,
                task.source.first_state,
                len(holes) // 2,
                *holes,
            ),
            _blob(task.secrets),
            _ranking(task.ranked),
        )
        frames = task.source.frames(bits_only=task.purpose == "trust")
        while self._found is None and (frame := self._next(frames)) is not None:
            yield from _frame_message(frame)
        yield _message(b"E")

    def _next(self, frames: Iterator[tuple[str, Frame]]) -> Frame | None:
        """The next frame, if there is one and it can be read."""
        began = time.perf_counter()
        try:
            name, frame = next(frames)
        except StopIteration:
            return None
        except CertificateProblem as problem:
            self._unreadable = problem
            return None
        finally:
            self._decoding_seconds += time.perf_counter() - began
        try:
            self._start = self._start or checked_start(frame, self._task.source.first_state)
        except CertificateProblem as problem:
            self._unreadable = CertificateProblem(f"{name}: {problem}")
            return None
        self._names.append(name)
        return frame

    def answer(self, body: bytearray) -> Answer | None:
        kind = body[:1]
        if kind == b"P":
            return Reported(TaskProgress(*struct.unpack_from("<QQ", body, 1)))
        if kind == b"R":
            self._found = self._report(body)
            return None
        if kind == b"E":
            seconds, peak_memory_bytes = struct.unpack_from("<dQ", body, 1)
            return self._settled(seconds, peak_memory_bytes)
        self._found = _problem(body, self._names.__getitem__)
        return None

    def _report(self, body: bytearray) -> TaskReport:
        states, entries, depth, path_length, counted, is_finished = struct.unpack_from("<6Q", body, 1)
        position = 1 + 6 * 8
        blobs = []
        for _ in range(3):
            (length,) = struct.unpack_from("<Q", body, position)
            blobs.append(bytes(body[position + 8 : position + 8 + length]))
            position += 8 + length
        rest = struct.unpack_from(f"<{(len(body) - position) // 4}I", body, position)
        return TaskReport(
            states=states,
            entries=entries,
            depth=depth,
            path_length=path_length,
            counted=counted,
            referred=blobs[0],
            visited=blobs[1],
            start=self._start,
            end=blobs[2],
            open_at_start=b"",
            open_at_end=b"",
            is_finished=bool(is_finished),
            seconds=0.0,
            violation=(rest[0], rest[1:]) if rest else None,
        )

    def _settled(self, seconds: float, peak_memory_bytes: int) -> Answer:
        found = self._found
        assert found is not None, "a walker answers before the end of its task"
        if isinstance(found, Raised):
            return Raised(found.error, peak_memory_bytes)
        if self._unreadable is not None and found.violation is None:
            return Raised(self._unreadable, peak_memory_bytes)
        return Returned(replace(found, seconds=seconds + self._decoding_seconds), peak_memory_bytes)


def _message(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join((kind, *parts))
    return len(body).to_bytes(LENGTH_BYTES, "little") + body


def _blob(content: bytes) -> bytes:
    return struct.pack("<Q", len(content)) + content


def _ranking(ranked: RankedWalk | None) -> bytes:
    """The automaton and what else makes a cycle one that counts; such a program has one initial state."""
    if ranked is None:
        return b"\x00"
    question = Question.from_json(ranked.question, None)
    automaton = question.automaton
    parts = [
        b"\x01",
        struct.pack(
            "<IIIII",
            ranked.initial_rank,
            question.processes,
            NO_LABEL if question.progress_label is None else question.progress_label,
            automaton.acceptance_sets,
            automaton.locations,
        ),
    ]
    for accepting, edges in zip(automaton.accepting, question.edges(), strict=True):
        parts.append(struct.pack("<QI", accepting, len(edges)))
        parts += [struct.pack("<QQI", *edge) for edge in edges]
    return b"".join(parts)


def _frame_message(frame: Frame) -> Iterator[bytes]:
    """In one piece, or, where sections are large, in pieces that are not copied."""
    sections = (frame.start, frame.bits, frame.ids, frame.counts, frame.supplement)
    counts = struct.pack("<III", frame.states, frame.entries, frame.references)
    length = 1 + len(counts) + sum(8 + len(section) for section in sections)
    pieces = [length.to_bytes(LENGTH_BYTES, "little") + b"F" + counts]
    for section in sections:
        pieces += [struct.pack("<Q", len(section)), section]
    if length <= LONGEST_PIECE:
        yield b"".join(pieces)
    else:
        yield from filter(None, pieces)


def _problem(body: bytearray, name_of_frame: Callable[[int], str]) -> Raised:
    """What went wrong in a walker, as the exception that the same walk raises here."""
    frame, length = struct.unpack_from("<QQ", body, 1)
    words = body[17 : 17 + length].decode(errors="replace")
    if body[:1] == b"X":
        return Raised(CertificateProblem(f"{name_of_frame(frame)}: {words}"), 0)
    return Raised(MemoryError(words) if body[:1] == b"M" else RuntimeError(words), 0)
