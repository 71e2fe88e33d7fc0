"""The child process in which models run, seen from its parent.

The child sends events (see `worker`); while it lives its events are relayed to
a listener, and when it dies, hangs or is stopped, what it reported last is the
partial result. One process can do several jobs, one after the other, about one open model.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

from assay.evidence.verdict import StopReason
from assay.execution import interrupts
from assay.execution.children import deep_stack, environment, signal_name
from assay.execution.copies import Copy
from assay.execution.memory import memory_of
from assay.records import dataclass
from assay.transition_system.interface import Opening, PropertyProblem, SourceProblem, UnsupportedConstruct
from assay.transition_system.language_options import OptionProblem

POLL_SECONDS = 0.1
# The engine watches its own limits; these are for a child that no longer can.
GRACE_AFTER_STOP_SECONDS = 5.0
EXPLANATION_SECONDS = 60.0
MEMORY_OVERSHOOT = 1.1


@dataclass(frozen=True, slots=True)
class Progress:
    states: int = 0
    transitions: int = 0
    depth: int = 0
    frontier: int = 0
    memory_bytes: int = 0
    seconds: float = 0.0
    tracing: bool = False  # the search is over and found something: paths to it are being made
    silent_seconds: float = 0.0  # since the search last reported: a long step of the model
    frames_written: int = 0  # of a certificate, after the search
    frames: int = 0
    note: str = ""  # what a search in rounds says besides: "round 3, 17 predicates"


class AssumptionFailed(Exception):
    """The front end assumed what does not hold of the program: search again without it."""

    def __init__(self, assumption: str) -> None:
        super().__init__(f"an assumption of the front end failed: {assumption}")
        self.assumption = assumption


class EngineFailure(Exception):
    """The engine or its child process went wrong in a way that is our fault."""


class ModelProcess:
    """A child that does jobs until it is ended, dies or is killed; then the next job gets another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | Copy | None = None
        self._kind: tuple[object, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self, opening: Opening) -> None:
        """Unless one runs already that can open it."""
        kind = (opening.fixed_hashes, id(opening.model))
        if self._process is not None:
            if self._process.poll() is None and self._kind == kind:
                return
            self.end()
        self._errors = os.fdopen(os.memfd_create("errors"), "w+b")  # there may be no room for a file
        self.events, theirs = os.pipe()
        try:
            with deep_stack():
                if opening.model is not None:
                    self._process = Copy(opening.model, theirs)
                else:
                    self._process = subprocess.Popen(
                        [sys.executable, "-P", "-m", "assay.execution.worker", str(theirs)],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.DEVNULL,
                        stderr=self._errors,
                        pass_fds=(theirs,),
                        process_group=0,  # Ctrl-C on a terminal reaches us alone
                        env=environment(fixed_hashes=opening.fixed_hashes),
                    )
        except BaseException:
            os.close(self.events)
            self._errors.close()
            raise
        finally:
            os.close(theirs)
        self._kind = kind

    def start_ahead(self, *, fixed_hashes: bool) -> None:
        """Before it is known what it will open."""
        self.start(Opening("", fixed_hashes=fixed_hashes))

    def end(self) -> None:
        if self._process is None:
            return
        self.kill()
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process.wait()
        self._process = None
        os.close(self.events)
        self._errors.close()

    @property
    def number(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status; below zero a signal, None while it runs."""
        return None if self._process is None else self._process.returncode

    def tell(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def kill(self) -> bool:
        """Whether it still ran."""
        if self._process is None or self._process.poll() is not None:
            return False
        self._process.kill()
        return True

    def wait(self) -> None:
        assert self._process is not None
        self._process.wait()

    def last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-4000:].strip() or "it said nothing"


class Report:
    """What is known of a job: everything that was said of it while it ran."""

    def __init__(self) -> None:
        self.progress = Progress()
        self.searched: dict[str, Any] | None = None
        self.runs: list[dict[str, Any]] = []
        self.failure: dict[str, Any] | None = None
        self.certificate: dict[str, Any] | None = None
        self.writing = False  # the certificate
        self.finished = False
        self.peak_memory_bytes = 0
        self.stop_reason = StopReason.UNKNOWN  # why we ended it, if we did

    @property
    def is_over(self) -> bool:
        """It was said to be done, one way or the other."""
        return self.finished or self.failure is not None

    @property
    def says_that_the_model_is_wrong(self) -> bool:
        """Then what was found in it means nothing. Any other failure leaves a violation what it is."""
        return self.failure is not None and self.failure["kind"] in {
            "assumption",
            "unsupported",
            "option",
            "source",
        }

    def raise_if_it_failed(self) -> None:
        if self.failure is not None and self.failure["kind"] == "option":
            raise OptionProblem(str(self.failure["message"]))
        if self.failure is not None and self.failure["kind"] == "assumption":
            raise AssumptionFailed(str(self.failure["message"]))
        if self.failure is not None and self.failure["kind"] == "unsupported":
            raise _unsupported(str(self.failure["message"]))
        if self.failure is not None and self.failure["kind"] == "source":
            raise _problem_of_the_source(self.failure)
        if self.failure is not None and self.failure["kind"] not in {"memory", "disk"}:
            raise EngineFailure(str(self.failure["message"]))

    def how_it_ended(self) -> str:
        """A sentence about a job that did not finish."""
        return "memory ran out while the model ran"

    def take(self, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        if kind == "progress":
            self.progress = Progress(**event)
        elif kind == "searched":
            self.searched = event
        elif kind == "run":
            self.runs.append(event)
        elif kind == "failed":
            self.failure = event
        elif kind == "writing":
            self.writing = True
            self.progress = replace(self.progress, **event)
        elif kind == "certificate":
            self.certificate = event
        elif kind == "done":
            self.finished = True
        self.peak_memory_bytes = max(self.peak_memory_bytes, event.get("peak_memory_bytes", 0))


class Job(Report):
    """One job of a child process, from its words to what came of it.

    Without a `process` it has one of its own, which is never left behind.
    """

    def __init__(
        self, work: str, facts: Mapping[str, object], opening: Opening, process: ModelProcess | None = None
    ) -> None:
        """`work` is `module:function`, called with the model, the facts, `send` and `stopped`."""
        super().__init__()
        self._worker = process or ModelProcess()
        self._is_alone = process is None
        self._pending = bytearray()  # of a line that has not ended: a long run is one of many megabytes
        self._worker.start(opening)
        self._worker.tell(json.dumps({"work": work, "opening": opening.as_json(), **facts}))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_alone or not self.is_over:
            self._worker.end()

    def watch(
        self,
        *,
        deadline: float | None,
        memory_limit_bytes: int,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        """Follow the job to its end. An interrupt asks it to stop, a second one ends it."""
        last_sign_of_life = time.monotonic()
        kill_at: float | None = None
        stopping = False
        # Limits hold within ten per cent, also when a step of the model never returns.
        patience = 0.0 if deadline is None else min(5.0, max(0.5, (deadline - last_sign_of_life) / 10))
        while True:
            try:
                alive, heard = self._read_events()
                if interrupts.take():
                    raise KeyboardInterrupt  # noqa: TRY301 (as if it had not been held back)
                now = time.monotonic()
                if not alive or self.is_over:
                    break
                if heard:
                    last_sign_of_life = now
                self._note_memory()
                if on_progress is not None:
                    on_progress(self._with_silence(now - last_sign_of_life))
                if (self.searched is not None or self.progress.tracing) and not self.writing:
                    # A violation that was found is told, even if that takes longer than the limit.
                    limit: float | None = last_sign_of_life + EXPLANATION_SECONDS
                elif stopping:
                    limit = kill_at
                else:
                    limit = None if deadline is None else deadline + patience
                if limit is not None and now > limit:
                    self._kill(StopReason.INTERRUPTED if stopping else StopReason.STUCK)
                if (
                    memory_limit_bytes
                    and self.searched is None
                    and not self.progress.tracing
                    and self._resident_bytes() > (memory_limit_bytes * MEMORY_OVERSHOOT + 64 * 1024 * 1024)
                ):
                    self._kill(StopReason.MEMORY)
            except KeyboardInterrupt:
                if stopping:
                    self._kill(StopReason.INTERRUPTED)
                else:
                    stopping = True
                    kill_at = time.monotonic() + GRACE_AFTER_STOP_SECONDS
                    self._worker.tell("stop")
        if not self.is_over:
            self._worker.wait()

    def raise_if_it_failed(self) -> None:
        super().raise_if_it_failed()
        if self.stop_reason is StopReason.UNKNOWN and (self._worker.status or 0) > 0:
            raise EngineFailure(
                f"the child process ended with status {self._worker.status}: {self._worker.last_words()}"
            )

    def how_it_ended(self) -> str:
        if self.failure is not None and self.failure["kind"] == "memory":
            return "memory ran out while the model ran"
        status = self._worker.status
        if status is not None and status < 0:
            name = signal_name(-status)
            if -status == signal.SIGKILL:
                return f"it was killed ({name}), most likely by the system for lack of memory"
            return f"the model crashed with {name}"
        return f"it ended with status {status}"

    def _kill(self, why: StopReason) -> None:
        if self._worker.kill():
            self.stop_reason = why

    def _read_events(self) -> tuple[bool, bool]:
        """Whether the child may still speak, and whether it just did."""
        ready, _, _ = select.select([self._worker.events], [], [], POLL_SECONDS)
        if not ready:
            return True, False
        chunk = os.read(self._worker.events, 1 << 20)
        if not chunk:
            return False, False
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            line, self._pending = self._pending + end, bytearray()
            self.take(json.loads(line))
        self._pending += rest
        return True, True

    def _with_silence(self, seconds: float) -> Progress:
        memory = max(self.progress.memory_bytes, self._resident_bytes())
        return replace(self.progress, memory_bytes=memory, silent_seconds=seconds)

    def _note_memory(self) -> None:
        self.peak_memory_bytes = max(self.peak_memory_bytes, memory_of(self._worker.number).peak_bytes)

    def _resident_bytes(self) -> int:
        return memory_of(self._worker.number).resident_bytes


def _problem_of_the_source(failure: Mapping[str, Any]) -> SourceProblem:
    if failure["property"]:
        return PropertyProblem(failure["message"], failure["property"])
    return SourceProblem(failure["message"], where=failure["where"], hint=failure["hint"])


def _unsupported(message: str) -> UnsupportedConstruct:
    """`file:line: sentence`, or a sentence alone; a place inside of the sentence is more exact."""
    place: str | None = None
    while found := re.match(r"([^\s:][^:]*:\d+(?::\d+)?): (.*)", message, re.DOTALL):
        place, message = found[1], found[2]
    return UnsupportedConstruct(message, where=place)
