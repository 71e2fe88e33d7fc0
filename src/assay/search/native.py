"""Runs the native engine in a child process and turns whatever happens there into facts.

The child sends events (see `worker`); while it lives its events are relayed to
a listener, and when it dies, hangs or is stopped, what it reported last is the
partial result.
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from assay.distribution.children import deep_stack, environment, signal_name
from assay.evidence.cache import Cache
from assay.evidence.certificate.claim import CertificateRequest, Claim, partial_name
from assay.evidence.counterexample import RawRun, RawStep
from assay.evidence.loss import loss_of
from assay.evidence.verdict import SearchFacts, StopReason
from assay.search import interrupts
from assay.search.options import OptionProblem, SearchOptions
from assay.transition_system.interface import UnsupportedConstruct

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


@dataclass(frozen=True, slots=True)
class NativeViolation:
    code: int
    positions: tuple[int, ...]
    run: RawRun | None  # None: the child died before it could be executed again


@dataclass(frozen=True, slots=True)
class WrittenCertificate:
    path: str
    bytes: int
    seconds: float
    frames: int
    log_bytes: int  # disk that the graph took while it was recorded


@dataclass(frozen=True, slots=True)
class NativeOutcome:
    facts: SearchFacts
    violations: tuple[NativeViolation, ...]
    peak_memory_bytes: int
    disk_bytes: int = 0  # most that lay in the spill directory at once
    resumed_from: int = 0  # states that a checkpoint brought along
    levels: tuple[int, ...] = ()  # states of each breadth-first level, where the search knows
    remarks: tuple[str, ...] = ()  # what the verdict has to mention of what the program did
    certificate: WrittenCertificate | None = None
    certificate_problem: str = ""  # why there is none although one was asked for


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run executed again. `failed_at`: the first position that does not exist."""

    failed_at: int | None
    codes: frozenset[int]
    run: RawRun | None
    problem: str = ""


class AssumptionFailed(Exception):
    """The front end assumed what does not hold of the program: search again without it."""

    def __init__(self, assumption: str) -> None:
        super().__init__(f"an assumption of the front end failed: {assumption}")
        self.assumption = assumption


class EngineFailure(Exception):
    """The engine or its child process went wrong in a way that is our fault."""


def search(
    library: Path,
    options: SearchOptions,
    *,
    opener: str = "",
    deadline: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    certificate: CertificateRequest | None = None,
    claim: Claim | None = None,
    identity: Sequence[tuple[str, str]] = (),
) -> NativeOutcome:
    """Search a compiled model. `deadline` is a reading of `time.monotonic()`.

    `identity` names what a checkpoint on disk must agree in to be continued.

    A certificate is written when the search saw every state and found nothing.
    Raises `AssumptionFailed` when the front end assumed too much, and
    `UnsupportedConstruct` when the program does what its language front end does not model.
    """
    job: dict[str, object] = {
        "task": "search",
        "library": str(library),
        "opener": opener,
        "options": options.for_engine(),
        "deadline": deadline,
        "identity": list(identity),
    }
    partial: Path | None = None
    if certificate is not None and claim is not None:
        # A search that is continued after it was killed removes what it had begun to write.
        partial = partial_name(certificate.path, options.spill_directory)
        job["certificate"] = {
            "path": str(certificate.path),
            "partial": str(partial),
            "coding": certificate.coding,
            "subgraphs": certificate.subgraphs,
            "claim": claim.as_json(),
        }
    writing = False
    try:
        with _Child(job) as child:
            try:
                child.watch(
                    deadline=deadline, memory_limit_bytes=options.memory_limit_bytes, on_progress=on_progress
                )
            finally:
                writing = child.writing
            return _outcome(child, options)
    finally:
        if partial is not None and writing:
            with contextlib.suppress(OSError):
                partial.unlink()  # of a child that was ended while it wrote


def look_around(
    library: Path,
    options: SearchOptions,
    *,
    strategy: str,
    deadline: float | None,
    looking: Mapping[str, object],
    opener: str = "",
    on_progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any] | None:
    """What a search saw that samples or sweeps the state space; None if it came to no end at all."""
    job: dict[str, object] = {
        "task": "search",
        "library": str(library),
        "opener": opener,
        "options": {**options.for_engine(), "strategy": strategy, "spill_directory": "", "resume": False},
        "deadline": deadline,
        "identity": [],
        "looking": dict(looking),
    }
    with _Child(job) as child:
        child.watch(deadline=deadline, memory_limit_bytes=options.memory_limit_bytes, on_progress=on_progress)
        if child.failure is not None and child.failure["kind"] in {"assumption", "unsupported"}:
            return None  # of the program, further on than the search had come
        child.raise_if_it_failed()
        return child.searched


def replay(
    library: Path, positions: Sequence[int], *, opener: str = "", deadline: float | None = None
) -> Replayed:
    """Execute a run again."""
    job = {"task": "replay", "library": str(library), "opener": opener, "positions": list(positions)}
    with _Child(job) as child:
        child.watch(deadline=deadline, memory_limit_bytes=0, on_progress=None)
        child.raise_if_it_failed()
        if not child.runs:
            return Replayed(None, frozenset(), None, child.how_it_ended())
        run = child.runs[0]
        if run["failed_at"] is not None:
            return Replayed(run["failed_at"], frozenset(), None)
        return Replayed(None, frozenset(run["codes"]), _raw_run(run))


class _Child:
    """One child process, from its job to its end; never left behind."""

    def __init__(self, job: Mapping[str, object]) -> None:
        self.progress = Progress()
        self.searched: dict[str, Any] | None = None
        self.runs: list[dict[str, Any]] = []
        self.failure: dict[str, Any] | None = None
        self.certificate: dict[str, Any] | None = None
        self.writing = False  # the certificate
        self.finished = False
        self.peak_memory_bytes = 0
        self.stop_reason = StopReason.UNKNOWN  # why we ended it, if we did
        self._errors = os.fdopen(os.memfd_create("errors"), "w+b")  # there may be no room for a file
        self._events, theirs = os.pipe()
        self._pending = b""
        try:
            with deep_stack():
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "assay.search.worker", str(theirs)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=(theirs,),
                    process_group=0,  # Ctrl-C on a terminal reaches us alone
                    env=environment(fixed_hashes=bool(job["opener"])),
                )
        finally:
            os.close(theirs)
        self._tell(json.dumps(job))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process.wait()
        os.close(self._events)
        self._errors.close()

    def watch(
        self,
        *,
        deadline: float | None,
        memory_limit_bytes: int,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        """Follow the child to its end. An interrupt asks it to stop, a second one ends it."""
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
                if not alive:
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
                    self._tell("stop")
        self._process.wait()

    @property
    def says_that_the_model_is_wrong(self) -> bool:
        """Then what was found in it means nothing. Any other failure leaves a violation what it is."""
        return self.failure is not None and self.failure["kind"] in {"assumption", "unsupported", "option"}

    def raise_if_it_failed(self) -> None:
        if self.failure is not None and self.failure["kind"] == "option":
            raise OptionProblem(str(self.failure["message"]))
        if self.failure is not None and self.failure["kind"] == "assumption":
            raise AssumptionFailed(str(self.failure["message"]))
        if self.failure is not None and self.failure["kind"] == "unsupported":
            raise _unsupported(str(self.failure["message"]))
        if self.failure is not None and self.failure["kind"] not in {"memory", "disk"}:
            raise EngineFailure(str(self.failure["message"]))
        if self.stop_reason is StopReason.UNKNOWN and self._process.returncode > 0:
            raise EngineFailure(
                f"the child process ended with status {self._process.returncode}: {self._last_words()}"
            )

    def how_it_ended(self) -> str:
        """A sentence about a child that did not finish."""
        if self.failure is not None and self.failure["kind"] == "memory":
            return "memory ran out while the model ran"
        status = self._process.returncode
        if status is not None and status < 0:
            name = signal_name(-status)
            if -status == signal.SIGKILL:
                return f"it was killed ({name}), most likely by the system for lack of memory"
            return f"the model crashed with {name}"
        return f"it ended with status {status}"

    def _kill(self, why: StopReason) -> None:
        if self._process.poll() is None:
            self.stop_reason = why
            self._process.kill()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def _read_events(self) -> tuple[bool, bool]:
        """Whether the child may still speak, and whether it just did."""
        ready, _, _ = select.select([self._events], [], [], POLL_SECONDS)
        if not ready:
            return True, False
        chunk = os.read(self._events, 1 << 20)
        if not chunk:
            return False, False
        *lines, rest = (self._pending + chunk).split(b"\n") if b"\n" in chunk else [self._pending + chunk]
        self._pending = rest
        for line in lines:
            self._take(json.loads(line))
        return True, True

    def _take(self, event: dict[str, Any]) -> None:
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

    def _with_silence(self, seconds: float) -> Progress:
        memory = max(self.progress.memory_bytes, self._resident_bytes())
        return replace(self.progress, memory_bytes=memory, silent_seconds=seconds)

    def _note_memory(self) -> None:
        self.peak_memory_bytes = max(self.peak_memory_bytes, self._status("VmHWM:"))

    def _resident_bytes(self) -> int:
        return self._status("VmRSS:")

    def _status(self, key: str) -> int:
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in Path(f"/proc/{self._process.pid}/status").read_text("ascii").splitlines():
                if line.startswith(key):
                    return int(line.split()[1]) * 1024
        return 0

    def _last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-4000:].strip() or "it said nothing"


def _outcome(child: _Child, options: SearchOptions) -> NativeOutcome:
    if child.searched is None:
        if not child.progress.tracing or child.says_that_the_model_is_wrong:
            child.raise_if_it_failed()
        return NativeOutcome(_facts_of_a_broken_search(child, options), (), child.peak_memory_bytes)
    searched = child.searched
    if child.failure is not None and (not searched["violations"] or child.says_that_the_model_is_wrong):
        child.raise_if_it_failed()
    ran_out = searched["stop_reason"] == "memory" and not options.memory_limit_bytes
    facts = SearchFacts(
        states=searched["states"],
        transitions=searched["transitions"],
        depth=searched["depth"],
        frontier=searched["frontier"],
        seconds=searched["seconds"],
        complete=searched["complete"],
        stop_reason=StopReason.named(searched["stop_reason"]),
        stop_detail="the system gave no more" if ran_out else "",
        violation_count=searched["violation_count"],
        loss=loss_of(
            searched["guarantee"],
            options.storage,
            hash_functions=options.hash_functions,
            bits_set=searched["bits_set"],
            bits_total=searched["bits_total"],
        ),
        cache=_cache(options, **searched["cache"]),
    )
    violations = []
    for index, violation in enumerate(searched["violations"]):
        raw = child.runs[index] if index < len(child.runs) else None
        if raw is not None and (raw["failed_at"] is not None or violation["code"] not in raw["codes"]):
            raise EngineFailure(
                f"a run that the engine found does not lead to its violation when executed again "
                f"(code {violation['code']}, executed: {raw.get('codes')}, failed at {raw['failed_at']})"
            )
        violations.append(
            NativeViolation(
                violation["code"], tuple(violation["path"]), None if raw is None else _raw_run(raw)
            )
        )
    certificate, problem = _certificate(child)
    return NativeOutcome(
        facts,
        tuple(violations),
        child.peak_memory_bytes,
        disk_bytes=searched["disk_bytes"],
        resumed_from=searched["resumed_from"],
        levels=tuple(searched["levels"]),
        remarks=tuple(searched["remarks"]),
        certificate=certificate,
        certificate_problem=problem,
    )


def _certificate(child: _Child) -> tuple[WrittenCertificate | None, str]:
    found = child.certificate
    if found is None:
        return None, "" if child.finished else _why_it_was_not_written(child)
    if found["problem"]:
        return None, found["problem"]
    return WrittenCertificate(
        found["path"], found["bytes"], found["seconds"], found["frames"], found["log_bytes"]
    ), ""


def _why_it_was_not_written(child: _Child) -> str:
    if child.stop_reason is StopReason.STUCK:
        return "the time limit was reached"
    if child.stop_reason is StopReason.INTERRUPTED:
        return "it was interrupted"
    return child.how_it_ended()


def _facts_of_a_broken_search(child: _Child, options: SearchOptions) -> SearchFacts:
    reason, detail = child.stop_reason, ""
    if reason is StopReason.UNKNOWN:
        if child.failure is not None and child.failure["kind"] == "disk":
            reason, detail = StopReason.DISK, child.failure["message"]
        elif child.failure is not None:
            reason = StopReason.MEMORY
            detail = "the system gave no more"
        else:
            reason, detail = StopReason.CRASHED, child.how_it_ended()
    elif reason is StopReason.MEMORY:
        detail = "the model's process had grown past it"
    elif reason is StopReason.INTERRUPTED:
        detail = "the search did not answer and was ended"
    return SearchFacts(
        states=child.progress.states,
        transitions=child.progress.transitions,
        depth=child.progress.depth,
        frontier=child.progress.frontier,
        seconds=child.progress.seconds,
        complete=False,
        stop_reason=reason,
        stop_detail=detail,
        violation_count=int(child.progress.tracing),  # found, though nobody can say any more how
        loss=loss_of("exact", options.storage, hash_functions=options.hash_functions),
        # Of what it held nothing is known; what went beyond its size must have replaced something.
        cache=_cache(
            options,
            capacity=options.cache_size,
            held=0,
            replaced=max(0, child.progress.states - options.cache_size),
            hits=0,
        ),
    )


def _cache(
    options: SearchOptions,
    *,
    capacity: int,
    held: int,
    replaced: int,
    hits: int,
    states_of_graph: int = 0,
    transitions_of_graph: int = 0,
) -> Cache | None:
    if options.strategy != "cached":
        return None
    return Cache(
        policy=options.cache_policy,
        capacity=capacity,
        held=held,
        replaced=replaced,
        hits=hits,
        states_of_graph=states_of_graph or options.states_of_graph,
        transitions_of_graph=transitions_of_graph,
    )


def _raw_run(run: dict[str, Any]) -> RawRun:
    return RawRun(
        initial=bytes.fromhex(run["initial"]),
        steps=tuple(
            RawStep(transition, process, action, bytes.fromhex(state))
            for transition, process, action, state in run["steps"]
        ),
        final=None if run["final"] is None else bytes.fromhex(run["final"]),
        omitted=run["omitted"],
        break_after=run["break_after"],
        resume=bytes.fromhex(run["resume"]),
        words=run["words"],
    )


def _unsupported(message: str) -> UnsupportedConstruct:
    """`file:line: sentence`, or a sentence alone; a place inside of the sentence is more exact."""
    place: str | None = None
    while found := re.match(r"([^\s:][^:]*:\d+(?::\d+)?): (.*)", message, re.DOTALL):
        place, message = found[1], found[2]
    return UnsupportedConstruct(message, where=place)
