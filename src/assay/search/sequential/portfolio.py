"""Engines side by side, each in a copy of this process, within one budget of time and memory.

A copy that crashes, runs out of memory or says something that cannot be read is out, and the others go on.
All of them together (`PORTFOLIO`) go in the order that paid: bounded model checking has one processor until
the end, because what fails for few inputs is found by nobody else; the others take turns on the other, each
for its share of the time, and what one leaves is for those after it.
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
from collections.abc import Callable, Iterator, Sequence
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
# Templates are the first step of k-induction. Each with its share of the time; the last has what is left.
PORTFOLIO = {
    "bounded": 1.0,
    "unwinding": 0.15,  # at once, where loops have bounds that can be seen
    "execution": 0.1,
    "explicit": 0.3,  # at once, where no variable has few values
    "quantified": 0.3,  # at once, where no array is in question
    "k-induction": 0.4,
    "long execution": 0.15,
    "horn": 0.3,
    "horn-integers": 0.3,
    "predicates": 1.0,
}
MOST_SECONDS = {"execution": 3.0}  # a first look, however long the others may take
MORE = {"long execution": {"seed": 2}}  # what an engine is given besides
PATIENCE_SECONDS = 2.0  # an engine that is out of time may say so
MOST_BYTES = 1 << 26  # of what an engine says


@dataclass(slots=True)
class Running:
    engine: str
    pid: int
    pipe: int
    deadline: float
    said: bytes = b""


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
    waiting, started = list(engines), time.monotonic()
    running: list[Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                until = deadline
                if len(engines) > 1:
                    share = PORTFOLIO.get(waiting[0], 1.0) * (deadline - started)
                    seconds = min(share, MOST_SECONDS.get(waiting[0], share))
                    until = min(deadline, time.monotonic() + seconds)
                running.append(
                    _start(flow, waiting.pop(0), until, memory_bytes // processes, shows=show is not None)
                )
            left = min(one.deadline for one in running) - time.monotonic()
            ready, _, _ = select.select([one.pipe for one in running], [], [], max(0.05, min(left, 0.5)))
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
            for one in [each for each in running if time.monotonic() > each.deadline + PATIENCE_SECONDS]:
                running.remove(one)
                _end(one)
                yield Finding(one.engine, Status.UNKNOWN, "out of time")
    finally:
        for one in running:
            _end(one)


def _end(one: Running) -> None:
    """With whatever it has started."""
    for end in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(one.pid, signal.SIGKILL)
    _collect(one)


def _start(flow: ControlFlow, engine: str, deadline: float, memory_bytes: int, *, shows: bool) -> Running:
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _work(flow, engine, deadline, memory_bytes, theirs, shows=shows)
    os.close(theirs)
    return Running(engine, pid, ours, deadline)


def _work(
    flow: ControlFlow, engine: str, deadline: float, memory_bytes: int, pipe: int, *, shows: bool
) -> None:
    """In the copy; never returns."""
    try:
        os.setpgid(0, 0)  # Ctrl-C on a terminal reaches the parent alone
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
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
