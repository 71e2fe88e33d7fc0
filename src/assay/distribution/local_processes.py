"""Runs tasks in child processes on this machine, so that a task that crashes harms nobody else.

A child does one task after another. When it dies, its task is given to a fresh
one, a few times; when it grows past the memory limit or the deadline passes, it
is ended. No child outlives the executor, whatever happens to either.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self

from assay.distribution.interface import Cause, OnLost, OutOfTime, WorkerDied
from assay.distribution.messages import Assigned, Raised, Reported, Returned, data_in, packed, take_bodies
from assay.execution.children import deep_stack, environment, signal_name
from assay.execution.memory import memory_of

TICK_SECONDS = 0.1
READ_BYTES = 1 << 20
PIPE_BYTES = 1 << 20  # of what is on the way to a child: it seldom waits for us, and we seldom wake up
LAST_WORDS_BYTES = 4000
# Nobody but the system kills without a word.
CAUSES = {signal.SIGKILL: Cause.MEMORY, signal.SIGXCPU: Cause.PROCESSOR_TIME}

Answer = Reported | Returned | Raised


class Assignment(Protocol):
    """A task on its way to a child and the answers on their way back."""

    def messages(self) -> Iterator[bytes]:
        """What the child is sent, piece by piece: the next one is asked for when it has taken the last."""

    def answer(self, body: bytearray) -> Answer | None:
        """What a message of the child means; None: it is only a part of an answer."""


class ChildKind(Protocol):
    """What the children of an executor are: a program, and how to talk to it."""

    def command(self, pipes: Sequence[str]) -> Sequence[str]:
        """To start one. It is told three numbers: this process, where tasks come from, where answers go."""

    def greeting(self) -> bytes: ...
    def assign(self, work: str, task: object) -> Assignment: ...


class PythonWorkers:
    """Children that can do any work: `assay.distribution.worker`. `says_data_only`: what they answer is taken
    for data and nothing else, because the work executes a stranger's code."""

    def __init__(self, *, says_data_only: bool = False) -> None:
        self._read: Callable[[bytearray], Any] = data_in if says_data_only else pickle.loads

    def command(self, pipes: Sequence[str]) -> Sequence[str]:
        return [sys.executable, "-P", "-m", "assay.distribution.worker", *pipes]

    def greeting(self) -> bytes:
        return packed(sys.path)

    def assign(self, work: str, task: object) -> Assignment:
        return _PickledTask(packed(Assigned(work, task)), self._read)


class _PickledTask:
    def __init__(self, message: bytes, read: Callable[[bytearray], Any]) -> None:
        self._message = message
        self._read = read

    def messages(self) -> Iterator[bytes]:
        yield self._message

    def answer(self, body: bytearray) -> Answer | None:
        answer: Answer = self._read(body)
        return answer


class LocalProcesses:
    """An executor over `workers` child processes of one kind.

    A task is tried again `retries` times when its child dies. A child with more
    than `memory_limit_bytes` resident (0: no limit) is ended and its task is not
    tried again. `deadline` is a reading of `time.monotonic()`. `on_tick` is called
    about ten times a second while tasks run; what it raises ends them. With
    `fixed_hashes`, hashes of texts are the same in all children.
    """

    def __init__(
        self,
        workers: int,
        *,
        retries: int = 2,
        memory_limit_bytes: int = 0,
        deadline: float | None = None,
        on_tick: Callable[[], None] | None = None,
        fixed_hashes: bool = False,
        kind: ChildKind | None = None,
    ) -> None:
        assert workers >= 1
        self.workers = workers
        self.peak_memory_bytes = 0
        self._retries = retries
        self._memory_limit_bytes = memory_limit_bytes
        self._deadline = deadline
        self._on_tick = on_tick
        self._fixed_hashes = fixed_hashes
        self._kind = kind or PythonWorkers()
        self._children: list[_Child] = []

    def describe(self) -> str:
        return "1 local process" if self.workers == 1 else f"{self.workers} local processes"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for child in self._children:
            child.kill()
        while self._children:
            self._bury(self._children[-1])

    def run(
        self,
        work: str,
        tasks: Sequence[object],
        *,
        on_progress: Callable[[int, object], None],
        on_done: Callable[[int, object], None],
        on_lost: OnLost | None = None,
    ) -> list[object]:
        waiting = deque(range(len(tasks)))
        results: dict[int, object] = {}
        deaths: Counter[int] = Counter()

        def take(child: _Child, body: bytearray) -> None:
            index = child.task
            assert index is not None
            assert child.assignment is not None
            answer = child.assignment.answer(body)
            self._note_peak(getattr(answer, "peak_memory_bytes", 0))
            match answer:
                case Reported(progress):
                    on_progress(index, progress)
                case Returned(result, _):
                    child.task = None
                    results[index] = result
                    on_done(index, result)
                case Raised(error, _):
                    raise error

        def mourn(child: _Child) -> None:
            index, how = child.task, self._bury(child)
            if index is None:
                return
            deaths[index] += 1
            if deaths[index] > self._retries or child.cause is Cause.PROCESSOR_TIME:
                times = f" (tried {deaths[index]} times)" if deaths[index] > 1 else ""
                lost = WorkerDied(index, how + times, child.cause)
                if on_lost is None:
                    raise lost
                results[index] = on_lost(index, lost)
                on_done(index, results[index])
                return
            waiting.appendleft(index)

        def look_around(now: float) -> None:
            self._look_at_the_memory()
            if self._on_tick is not None:
                self._on_tick()
            if self._deadline is not None and now > self._deadline:
                raise OutOfTime(len(results), len(tasks))

        next_tick = time.monotonic()
        try:
            while True:
                for child in tuple(self._children):
                    alive = child.exchange()
                    for body in take_bodies(child.arrived):
                        take(child, body)
                    if not alive:
                        mourn(child)
                if len(results) == len(tasks):
                    break
                if (now := time.monotonic()) >= next_tick:
                    next_tick = now + TICK_SECONDS
                    look_around(now)
                while waiting and (idle := self._idle_child()) is not None:
                    index = waiting.popleft()
                    idle.give(index, self._kind.assign(work, tasks[index]))
                self._wait_for_a_sign(until=next_tick)
        except BaseException:
            self.close()
            raise
        return [results[index] for index in range(len(tasks))]

    def _idle_child(self) -> _Child | None:
        for child in self._children:
            if child.task is None:
                return child
        if len(self._children) == self.workers:
            return None
        child = _Child(self._kind, fixed_hashes=self._fixed_hashes)
        self._children.append(child)
        return child

    def _wait_for_a_sign(self, *, until: float) -> None:
        poll = select.poll()
        for child in self._children:
            poll.register(child.answers, select.POLLIN)
            if child.has_more_to_send:
                poll.register(child.tasks, select.POLLOUT)
        poll.poll(max(0.0, until - time.monotonic()) * 1000)

    def _look_at_the_memory(self) -> None:
        for child in self._children:
            memory = memory_of(child.pid)
            self._note_peak(memory.peak_bytes)
            if child.task is not None and 0 < self._memory_limit_bytes < memory.resident_bytes:
                limit = self._memory_limit_bytes / (1 << 20)
                how = f"it had grown past the memory limit of {limit:,.0f} MiB"
                raise WorkerDied(child.task, how, Cause.MEMORY)

    def _note_peak(self, peak_bytes: int) -> None:
        self.peak_memory_bytes = max(self.peak_memory_bytes, peak_bytes)

    def _bury(self, child: _Child) -> str:
        """Leave nothing of a child behind; returns how it died."""
        how = child.end()
        self._children.remove(child)
        return how


class _Child:
    """One worker process: its two pipes, the task that it does, what is on the way."""

    def __init__(self, kind: ChildKind, *, fixed_hashes: bool) -> None:
        self.task: int | None = None
        self.cause = Cause.UNKNOWN  # of its death, told by `end`
        self.assignment: Assignment | None = None
        self.arrived = bytearray()
        self._unsent = memoryview(kind.greeting())
        self._messages: Iterator[bytes] | None = None
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            self._errors = ours.enter_context(tempfile.TemporaryFile())
            their_tasks, self.tasks = os.pipe()
            theirs.callback(os.close, their_tasks)
            ours.callback(os.close, self.tasks)
            self.answers, their_answers = os.pipe()
            theirs.callback(os.close, their_answers)
            ours.callback(os.close, self.answers)
            with contextlib.suppress(OSError):  # more than this user may have
                fcntl.fcntl(self.tasks, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            os.set_blocking(self.tasks, False)
            os.set_blocking(self.answers, False)
            pipes = [str(os.getpid()), str(their_tasks), str(their_answers)]
            with deep_stack():
                self._process = subprocess.Popen(
                    kind.command(pipes),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=(their_tasks, their_answers),
                    process_group=0,  # Ctrl-C on a terminal reaches us alone
                    env=environment(fixed_hashes=fixed_hashes),
                )
            self._ours = ours.pop_all()
        self.pid = self._process.pid

    def give(self, task: int, assignment: Assignment) -> None:
        self.task, self.assignment, self._messages = task, assignment, assignment.messages()

    @property
    def has_more_to_send(self) -> bool:
        return bool(self._unsent) or self._messages is not None

    def exchange(self) -> bool:
        """Send and receive what can be without waiting; False when the child is gone."""
        # Asked first: what a child said before it died is read before it is buried.
        gone = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        try:
            while self._unsent or self._next_message():
                self._unsent = self._unsent[os.write(self.tasks, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent, self._messages = memoryview(b""), None
        try:
            while chunk := os.read(self.answers, READ_BYTES):
                self.arrived += chunk
                if not gone:  # one that never stops talking does not keep us from the others
                    return True
        except BlockingIOError:
            return not gone
        return False

    def _next_message(self) -> bool:
        message = None if self._messages is None else next(self._messages, None)
        if message is None:
            self._messages = None
            return False
        self._unsent = memoryview(message)
        return True

    def kill(self) -> None:
        """Its own children too. Until `end` the number cannot belong to anyone else."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> str:
        """Make sure that it is gone and say how it went."""
        self.kill()
        status = self._process.wait()
        self.cause = next((CAUSES[one] for one in CAUSES if status == -one), Cause.UNKNOWN)
        self._errors.seek(0)
        last_words = self._errors.read()[-LAST_WORDS_BYTES:].decode(errors="replace").strip()
        self._ours.close()
        if status == -signal.SIGKILL:
            return "it was killed (SIGKILL), most likely by the system for lack of memory"
        if status < 0:
            return f"it crashed with {signal_name(-status)}"
        return f"it ended with status {status}" + (f": {last_words}" if last_words else "")
