"""A container was changed while somebody went over it: a loop that misses items, or sees some twice.

closer changed bus._handlers to [] in line 13 while publisher went over it in line 16
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.evidence.explanation.events import Event, Run

ITEM = re.compile(r"\[[^\[\]]*\]$")


def went_over(run: Run) -> str:
    """Of loops whose thread then fails, or changes something that the failing line mentions."""
    told = [(read, change) for read, change in _changed_inside(run) if _matters(run, read)]
    if not told:
        return ""
    return sentence(*told[-1])


def sentence(read: Event, change: Event) -> str:
    part = "it" if change.place == read.place else read.name
    changed = f"changed {read.name} to {change.short_after}"
    if change.place != read.place:
        changed = f"took {change.name} away" if change.after == "missing" else f"set {change.name}"
    goes_over = f"{read.process} went over {part} in {read.where}"
    return f"{change.process} {changed} in {change.where} while {goes_over}"


def _changed_inside(run: Run) -> Iterator[tuple[Event, Event]]:
    """A later item that a loop asked for, and what another had changed since it asked for the one before."""
    asked: dict[tuple[str, str, int], Event] = {}
    for event in run.events:
        if event.kind != "read" or not event.place or event.item is None:
            continue
        key = event.process, event.place, event.line
        before = asked.get(key)
        if before is not None and event.item > (before.item or 0):
            changes = [
                one
                for one in run.events[before.index + 1 : event.index]
                if one.process != event.process and one.is_change and _is_of(event.place, one.place)
            ]
            if changes and not run.is_rebound(event.place, before, event):
                yield event, changes[-1]
        asked[key] = event


def _is_of(container: str, place: str) -> bool:
    """Whether it is the container or an item of it, and not something inside of an item."""
    return place == container or (place.startswith(container) and bool(ITEM.match(place[len(container) :])))


def _matters(run: Run, read: Event) -> bool:
    last = run.failing
    if (last is not None and read.process == last.process) or run.concerning_strictly([read]):
        return True
    own = [one for one in run.events if one.process == read.process and one.is_change]
    return bool(run.concerning_strictly(own))
