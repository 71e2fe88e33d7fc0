"""Two read the same value, and both wrote: one update is lost, or something is made twice.

Thread-1 and Thread-2 both read counter (0) before either wrote it back
Thread-1 and Thread-2 both found cache['a'] missing before either set it
Thread-1 read total (3) in line 8, Thread-2 changed it to 5, and Thread-1 wrote 4 over it
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.evidence.explanation.events import Event, Run
from assay.records import dataclass

UPDATES = re.compile(r"[-+*/|&^%@]=|<<=|>>=|\+\+|--")


@dataclass(frozen=True, slots=True)
class Overwritten:
    """`read`, then the other's `between`, then `write` by who had read; what the other had read."""

    read: Event
    between: Event
    write: Event
    other_read: Event | None


def lost_update(run: Run) -> str:
    found = list(overwritten(run))
    concerning = run.concerning([one.write for one in found])
    told = [one for one in found if one.write in concerning]
    if not told:
        return ""
    return sentence(next((one for one in told if one.other_read is not None), told[0]))


def overwritten(run: Run) -> Iterator[Overwritten]:
    reads: dict[tuple[str, str], Event] = {}  # the last one of a process, of a place
    writes: dict[str, list[Event]] = {}
    for event in run.events:
        if not event.place or event.kind not in {"read", "write"}:
            continue
        key = event.process, event.place
        if event.kind == "read":
            reads[key] = event
            continue
        read = reads.get(key)
        others = [
            one
            for one in writes.get(event.place, ())
            if read is not None and one.process != event.process and one.index > read.index
        ]
        if read is not None and others and not run.is_rebound(event.place, read, event):
            own = run.last_read(others[0].process, event.place, before=others[0])
            same = own is not None and own.before == read.before and _is_unwritten(run, read, own, others[0])
            yield Overwritten(read, others[0], event, own if same else None)
        writes.setdefault(event.place, []).append(event)


def _is_unwritten(run: Run, one: Event, other: Event, until: Event) -> bool:
    """Whether nobody wrote the place between the earlier read and the first write."""
    first = min(one.index, other.index)
    return not any(
        event.kind == "write" and event.place == one.place and first < event.index < until.index
        for event in run.events
    )


def sentence(one: Overwritten) -> str:
    name = one.write.name
    if one.other_read is not None:
        first, second = sorted((one.read, one.other_read), key=lambda event: event.index)
        both = f"{first.process} and {second.process} both"
        if one.read.before in {"missing", "None"}:
            return f"{both} found {name} {_nothing(one.read.before)} before either set it"
        back = "wrote it back" if UPDATES.search(one.write.text) else "wrote it"
        return f"{both} read {name} ({one.read.short_before}) before either {back}"
    return (
        f"{one.read.process} read {name} ({one.read.short_before}) in {one.read.where}, "
        f"{one.between.process} changed it to {one.between.short_after}, and {one.write.process} wrote "
        f"{one.write.short_after} over it"
    )


def _nothing(value: str) -> str:
    return "missing" if value == "missing" else "to be None"
