"""One waited only for some time, or not at all, and went on without what it had asked for.

MainThread waited for done in line 14 until the time ran out; then MainThread failed in line 15 with
result = []
three did not get lock_a in line 22, which one held; then three failed in line 25
"""

from __future__ import annotations

import re

from assay.evidence.explanation.events import Event, Run

WAITS = re.compile(r"(Event|Condition)\.(wait|wait_for)$")
TRIES = re.compile(r"(LockType|RLock|Semaphore|BoundedSemaphore)\.acquire$")


def timed_out(run: Run, failed: str) -> str:
    """`failed` is the plain fact; who fails is the one that waited in vain."""
    last = run.failing
    if last is None or not failed.startswith(f"{last.process} failed"):
        return ""
    waits = [
        event
        for event in run.events
        if event.kind == "does"
        and event.process == last.process
        and (WAITS.search(event.name) or TRIES.search(event.name))
    ]
    if not waits or waits[-1].result != "False" or not waits[-1].place:
        return ""
    told = _tried(waits[-1]) if TRIES.search(waits[-1].name) else _waited(run, waits[-1])
    return f"{told}; then {failed}"


def _tried(event: Event) -> str:
    """It may have asked without waiting, so nothing is said of time."""
    name = event.place.rpartition(": ")[2]
    state = event.before.partition("(")[2].rpartition(")")[0].split(", ")[0]
    held = f", which {state.removeprefix('held by ')} held" if state.startswith("held by ") else ""
    return f"{event.process} did not get {name} in {event.where}{held}"


def _waited(run: Run, wait: Event) -> str:
    name = wait.place.rpartition(": ")[2]
    later = [
        event
        for event in run.events[wait.index + 1 :]
        if event.kind == "does" and event.place == wait.place and event.process != wait.process
    ]
    came = ""
    if later and later[0].name.endswith(".set"):
        came = f", before {later[0].process} set it in {later[0].where}"
    return f"{wait.process} waited for {name} in {wait.where} until the time ran out{came}"
