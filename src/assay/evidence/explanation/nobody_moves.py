"""A deadlock: who waits for what, why it does not come.

Thread-1 holds a and waits for b, Thread-2 holds b and waits for a
producer notified condition in line 17 before consumer waited for it: nobody heard it
Thread-1 waits for an item in jobs: Thread-2 took the last one (None), and nobody is left to put another
P[0] waits in line 6 for (forks[1-i] == 0), where forks[1] = 1, set by P[1] in line 5; P[1] waits in line 6
for (forks[1-i] == 0), where forks[0] = 1, set by P[0] in line 5
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assay.evidence.explanation.events import Event, Run, shortened
from assay.transition_system.interface import Waiting

MOST_TOLD = 4
CONDITION = "a condition"
BARRIER = "the others at a barrier"
WORKER = re.compile(r"^ThreadPoolExecutor-\d+_\d+$")
PRESENT = re.compile(r"(?P<present>\d+) of (?P<wanted>\d+) wait")
NOTIFIES = re.compile(r"Condition\.(notify|notify_all|notifyAll)$")
WAITS = re.compile(r"Condition\.(wait|wait_for)$")


def nobody_moves(run: Run) -> str:
    waiting = {one.process: one for one in run.counterexample.waiting}
    if any(one.reason for one in waiting.values()):
        return _told_with_reasons(run, list(waiting.values()))
    circle = _circle(waiting)
    if circle:
        return _told_of_circle([waiting[name] for name in circle])
    for one in waiting.values():
        text = _reason(run, one)
        if text:
            return text
    return ""


def _told_with_reasons(run: Run, waiting: Sequence[Waiting]) -> str:
    """Of a language that says of each process what it waits for. Who set what it waits for is in the run."""
    told = []
    for one in waiting[:MOST_TOLD]:
        where = f" in {run.where(one.file, one.line)}" if one.line else ""
        if not one.reason:
            told.append(f"{one.process} waits{where}")
            continue
        writes = [event for event in run.events if event.kind == "write" and event.place == one.what]
        last = f", set by {writes[-1].process} in {writes[-1].where}" if writes else ""
        told.append(f"{one.process} waits{where} for {one.reason}{last if one.awaited == CONDITION else ''}")
    left = len(waiting) - MOST_TOLD
    if left > 0:
        told.append(f"{left} more {'waits' if left == 1 else 'wait'}")
    return "; ".join(told)


def _circle(waiting: Mapping[str, Waiting]) -> list[str]:
    """Those who wait for one another, if there are such, from the one who was started first."""
    for start in waiting:
        path: list[str] = []
        here = start
        while here in waiting and here not in path:
            path.append(here)
            here = waiting[here].whom
        if here in path:
            return path[path.index(here) :]
    return []


def _told_of_circle(circle: list[Waiting]) -> str:
    if len(circle) == 1:
        return f"{circle[0].process} waits for {circle[0].what or 'a lock'}, which it holds itself"
    parts = []
    for one in circle:
        holding = [
            other.what for other in circle if other.whom == one.process and other.what and not other.joins
        ]
        holds = f"holds {' and '.join(holding)} and " if holding else ""
        awaited = f"for {one.whom} to end" if one.joins else f"for {one.what or f'a lock of {one.whom}'}"
        parts.append(f"{one.process} {holds}waits {awaited}")
    return ", ".join(parts)


def _reason(run: Run, one: Waiting) -> str:
    if one.joins:
        return ""
    who, what = one.process, one.what
    if one.whom:
        if one.whom not in run.positions():
            return f"{who} waits for {what or 'a lock'}, which {one.whom} held when it ended"
        return ""
    match one.awaited:
        case "a notification":
            return _missed_notification(run, who, what)
        case "an event to be set":
            return _cleared_event(run, who, what)
        case "an item in a queue":
            return _empty_queue(run, who, what)
        case "room in a queue":
            full = f"room in {what or 'a queue'}, which is full"
            return f"{who} waits for {full}, and nobody is left to take an item"
        case "a semaphore":
            return (
                f"{who} waits for {what or 'a semaphore'}, which is used up, and nobody is left to release it"
            )
        case "a queue to be done":
            queue = what or "a queue"
            return f"{who} waits for {queue} to be done, and nobody is left who could call task_done"
        case "the result of a task":
            return _unfinished_task(run, one)
        case "the others at a barrier":
            return _unfilled_barrier(run, who, what)
    return ""


def _unfinished_task(run: Run, one: Waiting) -> str:
    """Told of a worker, if one waits: tasks of a pool that wait for tasks behind them never end."""
    alike = [other for other in run.counterexample.waiting if other.awaited == one.awaited]
    workers = [other for other in alike if WORKER.search(other.process)]
    told = workers[0] if workers else one
    a_worker = ", a worker of a pool," if workers else ""
    where = f" in {run.where(told.file, told.line)}" if told.line else ""
    return (
        f"{told.process}{a_worker} waits{where} for the result of {told.what or 'a task'}, and nobody is "
        "left to compute it"
    )


def _unfilled_barrier(run: Run, who: str, what: str) -> str:
    alike = [one.process for one in run.counterexample.waiting if (one.awaited, one.what) == (BARRIER, what)]
    states = [event.after for event in _operations(run, what)] if len(alike) <= MOST_TOLD else []
    found = PRESENT.search(states[-1]) if states else None
    if found is None or int(found["present"]) != len(alike):
        return f"{who} waits at {what or 'a barrier'} for more threads than come to it"
    names = f"{', '.join(alike[:-1])} and {alike[-1]} wait" if len(alike) > 1 else f"{who} waits"
    return f"{names} at {what}, which opens for {found['wanted']} threads: nobody else is left to come to it"


def _operations(run: Run, what: str) -> list[Event]:
    return [
        event
        for event in run.events
        if event.kind == "does" and what and event.place.rpartition(": ")[2] == what
    ]


def _missed_notification(run: Run, who: str, what: str) -> str:
    events = _operations(run, what)
    begins = [event for event in events if event.process == who and WAITS.search(event.name)]
    notified = [event for event in events if NOTIFIES.search(event.name)]
    lost = [event for event in notified if "nobody waits" in event.before]
    name = what or "a condition"
    first = next((event for event in begins if who in event.after), None)
    if first is not None and lost and lost[-1].index < first.index and lost[-1] is notified[-1]:
        return (
            f"{lost[-1].process} notified {name} in {lost[-1].where} before {who} waited for it in "
            f"{first.where}: nobody heard it"
        )
    if notified and first is not None:
        last = notified[-1]
        return (
            f"{who} waits for a notification of {name}; the last one, by {last.process} in {last.where}, "
            "woke somebody else, and nobody is left to notify again"
        )
    return f"{who} waits for a notification of {name}, and nobody is left to notify it"


def _cleared_event(run: Run, who: str, what: str) -> str:
    changes = [event for event in _operations(run, what) if event.before != event.after]
    if changes and changes[-1].name.endswith(".clear"):
        cleared = changes[-1]
        setting = [event for event in changes if event.name.endswith(".set")]
        by = f"{setting[-1].process} set {what}, and " if setting else ""
        return f"{by}{cleared.process} cleared it in {cleared.where} before {who} saw it"
    return f"{who} waits for {what or 'an event'}, which nobody is left to set"


def _empty_queue(run: Run, who: str, what: str) -> str:
    taken = [
        event
        for event in _operations(run, what)
        if event.name.endswith(("get", "get_nowait")) and event.result
    ]
    name = what or "a queue"
    last = f"{taken[-1].process} took the last one ({shortened(taken[-1].result)}), and " if taken else ""
    return f"{who} waits for an item in {name}: {last}nobody is left to put another"
