"""One waited only for some time, or not at all, and went on without what it had asked for.

MainThread waited for done in line 14 until the time ran out; then MainThread failed in line 15 with
result = []
three did not get lock_a in line 22, which one held; then three failed in line 25
MainThread found no item in answers in line 18, before server changed it to ['PING'] in line 13; then
MainThread failed in line 28 with answer = None
"""

from __future__ import annotations

import re

from assay.evidence.explanation.events import Event, Run, shortened, state_of

WAITS = re.compile(r"(Event|Condition)\.(wait|wait_for)$")
TRIES = re.compile(r"(LockType|RLock|Semaphore|BoundedSemaphore|Condition)\.acquire$")
IN_VAIN = {  # what an operation raises -> what it did not find
    "Empty": "found no item in {}",
    "Full": "found no room in {}",
    "TimeoutError": "did not wait for {} any longer",
    "BrokenBarrierError": "did not wait at {} any longer",
}


def timed_out(run: Run, failed: str) -> str:
    """`failed` is the plain fact; who fails is the one that waited in vain."""
    last = run.failing
    if last is None or not failed.startswith((f"{last.process} failed", f"{last.process} raised")):
        return ""
    own = [event for event in run.events if event.process == last.process]
    for at in range(len(own) - 1, -1, -1):
        event = own[at]
        if event.kind == "does" and event.place and (WAITS.search(event.name) or TRIES.search(event.name)):
            if event.result != "False":
                return ""
            told = _tried(event) if TRIES.search(event.name) else _waited(run, event)
            return f"{told}; then {failed}"
        kind = event.name.partition(":")[0]
        if event.kind == "raises" and kind in IN_VAIN and event.line != run.counterexample.violation.line:
            asked = own[at - 1] if at else event
            if asked.kind != "does" or not asked.place or asked.line != event.line:
                return ""
            return f"{_found_nothing(run, asked, kind)}; then {failed}"
    return ""


def _found_nothing(run: Run, asked: Event, kind: str) -> str:
    later = [
        event
        for event in run.events[asked.index + 1 :]
        if event.process != asked.process and event.place == asked.place and event.is_change
    ]
    came = ""
    if later:
        came = f", before {later[0].process} {later[0].changed('it')} in {later[0].where}"
    return f"{asked.process} {IN_VAIN[kind].format(asked.own_name)} in {asked.where}{came}"


def _tried(event: Event) -> str:
    """It may have asked without waiting, so nothing is said of time."""
    name = event.place.rpartition(": ")[2]
    state = state_of(event.before).split(", ")[0]
    held = f", which {state.removeprefix('held by ')} held" if state.startswith("held by ") else ""
    return f"{event.process} did not get {shortened(name)} in {event.where}{held}"


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
