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

from assay.evidence.explanation.changed_under_way import decides
from assay.evidence.explanation.events import Event, Run, shortened, state_of
from assay.evidence.explanation.lost_update import overwritten
from assay.evidence.explanation.lost_update import sentence as lost_sentence
from assay.transition_system.interface import Waiting

MOST_TOLD = 4
CONDITION = "a condition"
BARRIER = "the others at a barrier"
WORKER = re.compile(r"^ThreadPoolExecutor-\d+_\d+$")
PRESENT = re.compile(r"(?P<present>\d+) of (?P<wanted>\d+) wait")
WAITS_FOR_WORK = {"a queue to be done", "the result of a task"}  # which somebody else has to do
TAKES = re.compile(r"\.get(_nowait)?$")
NOTIFICATION = "a notification"
WAITERS = re.compile(r"(?:free, |held by [^,]*, )?(.*) waits?$")
NOTIFIES = re.compile(r"Condition\.(notify|notify_all|notifyAll)$")
WAITS = re.compile(r"Condition\.(wait|wait_for)$")


def nobody_moves(run: Run) -> str:
    waiting = {one.process: one for one in run.counterexample.waiting}
    if any(one.reason for one in waiting.values()):
        return _told_with_reasons(run, list(waiting.values()))
    circle = _circle(waiting)
    if circle:
        return _told_of_circle([waiting[name] for name in circle])
    for one in sorted(waiting.values(), key=lambda one: one.awaited in WAITS_FOR_WORK):
        text = _reason(run, one)
        if text:
            return text + _kept_waiting(run, one) + (_raised_before(run) or _lost_before(run))
    return ""


def _kept_waiting(run: Run, one: Waiting) -> str:
    """Those who wait for what the one has: they might be who it waits for."""
    alike = [other for other in run.counterexample.waiting if other.whom == one.process and not other.joins]
    if not alike:
        return ""
    other = alike[0]
    where = f" in {run.where(other.file, other.line)}" if other.line else ""
    return f", while it holds {other.what or 'a lock'}, for which {other.process} waits{where}"


def _raised_before(run: Run) -> str:
    """What a thread raised that has ended since, whoever caught it."""
    standing = run.positions()
    for event in reversed(run.events):
        if event.kind == "raises" and event.process not in standing:
            return f"; {event.process} had raised {shortened(event.name)} in {event.where}"
    return ""


def _lost_before(run: Run) -> str:
    """An update that was lost, of what somebody looked at afterwards to decide what to do."""
    for lost in overwritten(run):
        looks = (
            event for event in run.events[lost.write.index + 1 :] if event.is_look and decides(event.text)
        )
        if any(event.place == lost.write.place for event in looks):
            return f"; {lost_sentence(lost)}"
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
            return _full_queue(run, one)
        case "a semaphore":
            return _used_up(run, one)
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


def _full_queue(run: Run, one: Waiting) -> str:
    operations = _operations(run, one.what)
    full = f" ({shortened(_items(operations[-1].after))})" if operations else ""
    takers = dict.fromkeys(event.process for event in operations if TAKES.search(event.name))
    where = f" in {run.where(one.file, one.line)}" if one.line else ""
    head = f"{one.process} waits{where} for room in {one.what or 'a queue'}, which is full{full}"
    if list(takers) == [one.process]:
        return f"{head}, and nobody but {one.process} takes items from it"
    standing = run.positions()
    last = {event.process: event for event in operations if TAKES.search(event.name)}
    ended = [
        f"{name} took its last one in {last[name].where} and ended" for name in takers if name not in standing
    ]
    if ended and len(ended) == len(takers):
        return f"{head}, and nobody is left to take an item: {', '.join(ended[:MOST_TOLD])}"
    return f"{head}, and nobody is left to take an item"


def _items(shown: str) -> str:
    """Of a queue, without how many it can hold."""
    return state_of(shown).rpartition(", at most ")[0] or state_of(shown)


def _used_up(run: Run, one: Waiting) -> str:
    """With those who have taken it more often than released."""
    name = one.what or "a semaphore"
    standing = run.positions()
    taken: dict[str, list[Event]] = {}
    for event in _operations(run, one.what):
        if event.before == event.after:
            continue
        if event.name.endswith((".acquire", ".__enter__")):
            taken.setdefault(event.process, []).append(event)
        elif taken.get(event.process):
            taken[event.process].pop()
    told = [
        f"{process} took it in {events[-1].where} and "
        + ("has not released it" if process in standing else "ended without releasing it")
        for process, events in taken.items()
        if events
    ]
    if not told:
        return f"{one.process} waits for {name}, which is used up, and nobody is left to release it"
    return f"{one.process} waits for {name}, which is used up: {', '.join(told[:MOST_TOLD])}"


def _unfilled_barrier(run: Run, who: str, what: str) -> str:
    alike = [one.process for one in run.counterexample.waiting if (one.awaited, one.what) == (BARRIER, what)]
    states = [event.after for event in _operations(run, what)] if len(alike) <= MOST_TOLD else []
    found = PRESENT.search(states[-1]) if states else None
    if found is None or int(found["present"]) != len(alike):
        return f"{who} waits at {what or 'a barrier'} for more threads than come to it"
    names = f"{', '.join(alike[:-1])} and {alike[-1]} wait" if len(alike) > 1 else f"{who} waits"
    return (
        f"{names} at {what}, which opens for {found['wanted']} threads: nobody else is left to come to it"
        f"{_ended(run).replace(': ', '; ', 1)}"
    )


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
        return f"{_who_was_woken(run, name, notified[-1])}, and nobody is left to notify again"
    return f"{who} waits for a notification of {name}, and nobody is left to notify it"


def _who_was_woken(run: Run, name: str, last: Event) -> str:
    """By the last notification: who waited before and not after it, what that one saw, and who was left."""
    left = _waiters(last.after)
    woken = [one for one in _waiters(last.before) if one not in left]
    head = f"the last notification of {name}, by {last.process} in {last.where},"
    if not woken:
        return f"{head} woke nobody"
    told = f"{head} woke {' and '.join(woken)}"
    saw = [
        event
        for event in run.events[last.index + 1 :]
        if event.process in woken and event.is_look and event.place != last.place
    ]
    waits = [one.process for one in run.counterexample.waiting if one.awaited == NOTIFICATION]
    again = [one for one in woken if one in waits]
    if again and saw and saw[0].process in again:
        told += f", which saw {_looked(saw[0])} in {saw[0].where} and waits again"
    still = [one for one in left if one in waits]
    were = "was" if len(still) == 1 else "were"
    return told + (f"; {' and '.join(still)} {were} not woken" if still else "")


def _waiters(shown: str) -> list[str]:
    """Of a condition: `Condition(free, a, b wait)`."""
    found = WAITERS.match(state_of(shown))
    return found[1].split(", ") if found and found[1] != "nobody" else []


def _looked(event: Event) -> str:
    if event.kind == "read":
        return f"{event.name}: {event.short_before}"
    return f"{event.own_name}.{event.name.rpartition('.')[2]} give {event.result}"


def _cleared_event(run: Run, who: str, what: str) -> str:
    operations = _operations(run, what)
    clears = [event for event in operations if event.name.endswith(".clear") and event.before != event.after]
    sets = [event for event in operations if event.name.endswith(".set")]
    if not clears or (sets and sets[-1].index > clears[-1].index):
        return f"{who} waits for {what or 'an event'}, which nobody is left to set{_ended(run)}"
    cleared = clears[-1]
    last = next((event for event in reversed(sets) if event.index < cleared.index), None)
    if last is None:
        return f"{cleared.process} cleared {what} in {cleared.where}, and nobody is left to set it again"
    seen = [
        event
        for event in operations[: operations.index(cleared)]
        if event.process == who and event.name.endswith(".wait") and event.result == "True"
    ]
    by, cleared_by = (
        f"{last.process} set {what} in {last.where}",
        f"{cleared.process} cleared it in {cleared.where}",
    )
    if not seen:
        return f"{by}, and {cleared_by} before {who} saw it"
    if last.index < seen[-1].index:
        return f"{by}, {who} saw it in {seen[-1].where}, and {cleared_by}: nobody is left to set it again"
    return f"{by} after {who} had seen it set in {seen[-1].where}, and {cleared_by} before {who} waited again"


def _ended(run: Run) -> str:
    """Who might have done it, and where they were last."""
    standing = run.positions()
    last = {step.process: step for step in run.counterexample.steps if step.line}
    told = [
        f"{name} ended in {run.where(step.file, step.line)}"
        for name, step in last.items()
        if name not in standing
    ]
    return f": {', '.join(told[:MOST_TOLD])}" if told else ""


def _empty_queue(run: Run, who: str, what: str) -> str:
    taken = [
        event
        for event in _operations(run, what)
        if event.name.endswith(("get", "get_nowait")) and event.result
    ]
    name = what or "a queue"
    last = f"{taken[-1].process} took the last one ({shortened(taken[-1].result)}), and " if taken else ""
    return f"{who} waits for an item in {name}: {last}nobody is left to put another"
