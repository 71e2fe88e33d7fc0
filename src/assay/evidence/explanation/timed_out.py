"""One waited only for some time, and went on without what it had waited for.

MainThread waited for done in line 14 until the time ran out; then MainThread failed in line 15 with
result = []
"""

from __future__ import annotations

import re

from assay.evidence.explanation.events import Event, Run

WAITS = re.compile(r"(Event|Condition)\.(wait|wait_for)$|(LockType|RLock|Semaphore)\.acquire$")


def timed_out(run: Run, failed: str) -> str:
    """`failed` is the plain fact; who fails is the one that waited in vain."""
    last = run.failing
    if last is None or not failed.startswith(f"{last.process} failed"):
        return ""
    waits = [
        event
        for event in run.events
        if event.kind == "does" and event.process == last.process and WAITS.search(event.name)
    ]
    if not waits or waits[-1].result != "False" or not waits[-1].place:
        return ""
    return f"{_waited(run, waits[-1])}; then {failed}"


def _waited(run: Run, wait: Event) -> str:
    name = wait.place.rpartition(": ")[2]
    later = [
        event
        for event in run.events[wait.index + 1 :]
        if event.kind == "does" and event.place == wait.place and event.process != wait.process
    ]
    came = ""
    if later and later[0].name.endswith(".set"):
        came = f", before {later[0].process} set it in line {later[0].line}"
    return f"{wait.process} waited for {name} in line {wait.line} until the time ran out{came}"
