"""Engines side by side, each in a copy of this process, within one budget of time and memory.

A copy that crashes, runs out of memory or says something that cannot be read is out, and the others go on.
All of them together (`PORTFOLIO`) go in the order that paid. Each has a turn, of six seconds for bounded
model checking, because what fails for few inputs is found by nobody else, and of a second or two for the
others; the next is twice as long, so that what one engine proves at once need not wait for those that never
will. Whoever has had a turn stops where it is, and goes on from there.

Engines stop by themselves when asked, between two questions to a solver: a solver that is stopped would find
its time over when it goes on. One that does not answer in time is stopped all the same.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.records import dataclass
from assay.search.sequential import rounds
from assay.search.sequential.findings import Choices, Finding, Invariants, Status
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.bitvectors import TRUE, ArrayValue, Value
from assay.transition_system.sequential.control_flow import ControlFlow

ENGINES = {
    "bounded": "assay.search.sequential.bounded",
    "unwinding": "assay.search.sequential.unwinding",
    "templates": "assay.search.sequential.templates",
    "k-induction": "assay.search.sequential.k_induction",
    "execution": "assay.search.sequential.execution",
    "long execution": "assay.search.sequential.execution",  # the same once more, with more time
    "explicit": "assay.search.sequential.explicit",
    "quantified": "assay.search.sequential.quantified",
    "horn-integers": "assay.search.sequential.integers",
    "horn": "assay.search.sequential.horn",
    "predicates": "assay.search.sequential.predicates",
}
# Templates are the first step of k-induction. Seconds of each engine's first turn; 0: until the end.
PORTFOLIO = {
    "bounded": 6.0,
    "quantified": 3.0,  # ends at once, where no array is in question
    "explicit": 2.5,  # ends at once, where no variable has few values
    "k-induction": 2.0,
    "unwinding": 1.0,  # ends at once where loops have bounds that can be seen
    "execution": 2.0,
    "horn": 1.0,
    "horn-integers": 1.5,
    "long execution": 3.0,
    "predicates": 1.0,
}
GROWTH = 2  # each turn is so many times as long as the one before
ONE_TURN = ("execution", "long execution")  # runs are made for a time that is known when they begin
MORE = {"long execution": {"seed": 2}}  # what an engine is given besides
STOPPING = {signal.SIGUSR1}
STOPPING_SECONDS = 5.0  # as long as a question may take
UNINTERRUPTED = ("horn", "horn-integers")  # one question; there is nothing to wait for
PATIENCE_SECONDS = 2.0  # an engine that is out of time may say so
MOST_BYTES = 1 << 26  # of what an engine says


@dataclass(slots=True)
class Running:
    engine: str
    pid: int
    pipe: int
    deadline: float
    turn: float  # how long it is; 0: it does not end
    since: float  # when it began
    used: float = 0.0  # in earlier turns
    entitled: float = 0.0  # with this turn
    asked_to_stop: float = 0.0  # when; 0: it was not
    said: bytes = b""

    def is_over(self, now: float) -> bool:
        return bool(self.turn) and self.used + now - self.since > self.entitled


def findings(
    flow: ControlFlow,
    engines: Sequence[str],
    *,
    deadline: float,
    memory_bytes: int,
    processes: int,
    say: Callable[[str], None],
    show: Callable[[dict[str, Any]], None] | None = None,
) -> Iterator[Finding]:
    """What the engines find, in the order in which they end. Whoever stops asking ends the others. `show`:
    gets the steps of engines that can show them."""
    if not flow.failures:
        everywhere = Invariants(dict.fromkeys(flow.cut_points, TRUE))
        yield Finding(engines[0], Status.SAFE, "nothing can fail", invariants=everywhere)
        return
    waiting: deque[str | Running] = deque(engines)  # those that are to begin or to go on
    running: list[Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                following = waiting.popleft()
                if isinstance(following, Running):
                    running.append(_resumed(following))
                    continue
                turn = PORTFOLIO.get(following, 0.0) if len(engines) > 1 else 0.0
                until = deadline
                if turn and following in ONE_TURN:
                    until, turn = min(deadline, time.monotonic() + turn), 0.0
                memory = memory_bytes // processes
                running.append(_start(flow, following, until, turn, memory, shows=show is not None))
            ready, _, _ = select.select([one.pipe for one in running], [], [], _moment(running, waiting))
            for one in [each for each in running if each.pipe in ready]:
                part = os.read(one.pipe, 1 << 16)
                one.said += part
                for message in _messages(one):
                    if "say" in message:
                        say(f"{one.engine}: {message['say']}")
                    elif show is not None:
                        show(message["show"])
                if not part or len(one.said) > MOST_BYTES:
                    running.remove(one)
                    yield _ended(one, flow)
            if waiting or any(one.asked_to_stop for one in running):
                stopped = [one for one in running if _has_stopped(one)]
                running = [one for one in running if one not in stopped]
                waiting.extend(stopped)
                too_large = _too_large(waiting, running, memory_bytes)
                if too_large is not None:
                    waiting.remove(too_large)
                    _end(too_large)
                    yield Finding(too_large.engine, Status.UNKNOWN, "out of memory, with the others")
            for one in [each for each in running if time.monotonic() > each.deadline + PATIENCE_SECONDS]:
                running.remove(one)
                _end(one)
                yield Finding(one.engine, Status.UNKNOWN, "out of time")
            if time.monotonic() > deadline:  # nobody begins or goes on
                for left in waiting:
                    if isinstance(left, Running):
                        _end(left)
                        yield Finding(left.engine, Status.UNKNOWN, "out of time")
                waiting.clear()
    finally:
        for left in (*running, *waiting):
            if isinstance(left, Running):
                _end(left)


def _moment(running: Sequence[Running], waiting: Collection[object]) -> float:
    """Until somebody has to be looked at."""
    now = time.monotonic()
    left = [one.deadline - now for one in running]
    if waiting:
        left += [
            0.02 if one.asked_to_stop else one.entitled - one.used - (now - one.since)
            for one in running
            if one.turn
        ]
    return max(0.02, min(*left, 0.5))


def _has_stopped(one: Running) -> bool:
    """Asks an engine whose turn is over to stop; whether it has."""
    now = time.monotonic()
    if not one.is_over(now):
        return False
    if not one.asked_to_stop:
        one.asked_to_stop = now
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one.pid, signal.SIGUSR1)
    patience = 0.0 if one.engine in UNINTERRUPTED else STOPPING_SECONDS
    if now >= one.asked_to_stop + patience:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(one.pid, signal.SIGSTOP)
    try:
        if os.waitid(os.P_PID, one.pid, os.WSTOPPED | os.WNOHANG) is None:
            return False
    except ChildProcessError:
        return False  # it has ended, and will be read
    one.used += now - one.since
    return True


def _resumed(one: Running) -> Running:
    one.since, one.asked_to_stop = time.monotonic(), 0.0
    while one.entitled <= one.used:
        one.turn *= GROWTH
        one.entitled += one.turn
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(one.pid, signal.SIGCONT)
    return one


def _too_large(
    waiting: Iterable[str | Running], running: Iterable[Running], memory_bytes: int
) -> Running | None:
    """Of those that wait, the largest, if all together have more memory than they may."""
    if not memory_bytes:
        return None
    stopped = [one for one in waiting if isinstance(one, Running)]
    sizes = {one.pid: _resident_bytes(one.pid) for one in (*stopped, *running)}
    if not stopped or sum(sizes.values()) <= memory_bytes:
        return None
    return max(stopped, key=lambda one: sizes[one.pid])


def _resident_bytes(pid: int) -> int:
    """Of its own: copies share what they began with."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * resource.getpagesize()


def _end(one: Running) -> None:
    """With whatever it has started."""
    for end in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(one.pid, signal.SIGKILL)
    _collect(one)


def _start(
    flow: ControlFlow, engine: str, deadline: float, turn: float, memory_bytes: int, *, shows: bool
) -> Running:
    ours, theirs = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # until the copy knows what it means
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _work(flow, engine, deadline, memory_bytes, theirs, shows=shows)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.close(theirs)
    return Running(engine, pid, ours, deadline, turn, time.monotonic(), entitled=turn)


def _work(
    flow: ControlFlow, engine: str, deadline: float, memory_bytes: int, pipe: int, *, shows: bool
) -> None:
    """In the copy; never returns."""
    try:
        os.setpgid(0, 0)  # Ctrl-C on a terminal reaches the parent alone
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, lambda *_: os.killpg(0, signal.SIGSTOP))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        seconds = max(1, int(deadline - time.monotonic()) + 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        module = importlib.import_module(ENGINES[engine])
        more: dict[str, Any] = dict(MORE.get(engine, {}))
        if shows and hasattr(module, "SHOWS"):
            more["show"] = lambda step: _write(pipe, {"show": rounds.as_json(step)})
        found = module.search(flow, deadline=deadline, say=lambda text: _write(pipe, {"say": text}), **more)
        _write(pipe, as_json(found))
        os._exit(0)
    except MemoryError:
        _write(pipe, {"status": "unknown", "detail": "out of memory"})
    except BaseException as problem:
        _write(pipe, {"status": "unknown", "detail": f"{type(problem).__name__}: {problem}"[:300]})
    finally:
        os._exit(1)


def _write(pipe: int, message: dict[str, Any]) -> None:
    text = (json.dumps(message) + "\n").encode()
    while text:
        text = text[os.write(pipe, text) :]


def _messages(one: Running) -> Iterator[dict[str, Any]]:
    """Takes what is progress out of what was said."""
    while b"\n" in one.said and one.said.startswith((b'{"say"', b'{"show"')):
        line, _, one.said = one.said.partition(b"\n")
        yield json.loads(line)


def _collect(one: Running) -> int:
    os.close(one.pipe)
    with contextlib.suppress(ChildProcessError):
        return os.waitstatus_to_exitcode(os.waitpid(one.pid, 0)[1])
    return 0


def _ended(one: Running, flow: ControlFlow) -> Finding:
    code = _collect(one)
    try:
        return from_json(one.engine, json.loads(one.said), flow)
    except (ValueError, KeyError, TypeError):
        if code == -signal.SIGXCPU:
            return Finding(one.engine, Status.UNKNOWN, "out of time")
        how = f"was ended by signal {-code}" if code < 0 else f"ended with {code} and no answer"
        return Finding(one.engine, Status.UNKNOWN, f"it {how}")


# --- findings as JSON ---


def as_json(found: Finding) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "status": found.status.value,
        "detail": found.detail,
        "bound": found.bound,
        "unwound": found.unwound,
    }
    if found.run is not None:
        answer["starts"] = {name.name: _value_as_json(value) for name, value in found.run.starts.items()}
        answer["chosen"] = [_value_as_json(value) for value in found.run.chosen]
    if found.invariants is not None:
        places = sorted(found.invariants.at)
        terms = term_file.dump([found.invariants.at[at] for at in places])
        answer["invariants"] = {"at": places, "rounds": found.invariants.rounds, **terms}
    return answer


def from_json(engine: str, given: dict[str, Any], flow: ControlFlow) -> Finding:
    names = {one.name: one for one in flow.variables}
    run = invariants = None
    if "chosen" in given:
        starts = {names[name]: _value_from_json(value) for name, value in given["starts"].items()}
        run = Choices(starts, tuple(map(_value_from_json, given["chosen"])))
    if "invariants" in given:
        written = given["invariants"]
        terms = term_file.load(written, names)
        invariants = Invariants(dict(zip(written["at"], terms, strict=True)), int(written["rounds"]))
    return Finding(
        engine,
        Status(given["status"]),
        str(given.get("detail", "")),
        int(given.get("bound", 0)),
        run,
        invariants,
        unwound=int(given.get("unwound", 0)),
    )


def _value_as_json(value: Value) -> Any:
    if isinstance(value, ArrayValue):
        return {
            "otherwise": value.otherwise,
            "elements": {str(at): one for at, one in value.elements.items()},
        }
    return value


def _value_from_json(value: Any) -> Value:
    if isinstance(value, dict):
        return ArrayValue(value["otherwise"], {int(at): one for at, one in value["elements"].items()})
    return int(value)
