"""A thread gave back more of a semaphore than it had taken, so that more came in than were meant to.

worker-0 took pool.free once and released it twice, in line 31 and in line 21
"""

from __future__ import annotations

import re

from assay.evidence.explanation.events import Event, Run

TAKES = re.compile(r"Semaphore\.(acquire|__enter__)$")
RELEASES = re.compile(r"Semaphore\.(release|__exit__)$")
TIMES = {1: "once", 2: "twice"}


def released_twice(run: Run) -> str:
    """Of threads that take it, too: who only releases it tells others something."""
    taken: dict[tuple[str, str], int] = {}
    released: dict[tuple[str, str], list[Event]] = {}
    for event in run.events:
        if event.kind != "does" or not event.place or event.before == event.after:
            continue
        key = event.process, event.place
        if TAKES.search(event.name):
            taken[key] = taken.get(key, 0) + 1
        elif RELEASES.search(event.name):
            released.setdefault(key, []).append(event)
    for key, times in taken.items():
        events = released.get(key, [])
        if len(events) > times:
            where = " and in ".join(dict.fromkeys(event.where for event in events))
            return (
                f"{key[0]} took {events[0].own_name} {_times(times)} and released it {_times(len(events))}, "
                f"in {where}"
            )
    return ""


def _times(number: int) -> str:
    return TIMES.get(number, f"{number} times")
