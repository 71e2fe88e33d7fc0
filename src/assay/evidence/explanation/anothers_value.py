"""One wrote a value, and when it read it again it was another's.

Thread-1 wrote 1 to Request.total in line 8, and read 2 in line 9, which Thread-2 had written
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.evidence.explanation.events import Event, Run
from assay.records import dataclass


@dataclass(frozen=True, slots=True)
class Taken:
    wrote: Event
    other: Event
    read: Event


def anothers_value(run: Run) -> str:
    found = list(_taken(run))
    concerning = run.concerning([one.read for one in found])
    told = [one for one in found if one.read in concerning]
    if not told:
        return ""
    one = told[0]
    wrote, read = one.wrote, one.read
    return (
        f"{wrote.process} wrote {wrote.short_after} to {wrote.name} in {wrote.where} and read "
        f"{read.short_before} in {read.where}, which {one.other.process} had written"
    )


def _taken(run: Run) -> Iterator[Taken]:
    last: dict[str, Event] = {}  # the last write of a place
    own: dict[tuple[str, str], Event] = {}  # and of each process; until it has read it
    for event in run.events:
        key = event.process, event.place
        if not event.place:
            continue
        if event.kind == "write":
            last[event.place] = own[key] = event
        elif event.kind == "read" and key in own:
            wrote, other = own.pop(key), last[event.place]
            is_anothers = other.process != event.process and event.before == other.after != wrote.after
            is_last_word = not run.writes_later(event) and not run.is_rebound(event.place, wrote, event)
            if is_anothers and is_last_word:
                yield Taken(wrote, other, event)
