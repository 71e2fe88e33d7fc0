"""One read two things of which another had changed the one and not yet the other.

MainThread read ann.balance: 70 in line 26 before mover changed it to 50 in line 13, and bob.balance: 50 after
mover had changed it in line 13
"""

from __future__ import annotations

from assay.evidence.explanation.events import Event, Run, overlap


def half_seen(run: Run) -> str:
    """Of the thread that fails, or of one that then changed what the failing line mentions."""
    last = run.failing
    if last is None:
        return ""
    processes = dict.fromkeys([last.process, *(event.process for event in run.events)])
    return next((told for process in processes if (told := _seen_by(run, process, last.process))), "")


def _seen_by(run: Run, reader: str, failing: str) -> str:
    until = len(run.events)
    if reader != failing:
        own = run.concerning_strictly([e for e in run.events if e.process == reader and e.is_change])
        until = own[-1].index if own else 0
    reads = _last_reads(run, reader, until)
    for process in dict.fromkeys(event.process for event in run.events if event.process != reader):
        changes = [event for event in run.events if event.process == process and event.is_change]
        old = [(read, later) for read in reads if (later := _first_after(read, changes)) is not None]
        new = [(read, ago) for read in reads if (ago := _last_before(read, changes)) is not None]
        if reader != failing or run.concerning(reads):
            between = _in_between(run, reader, process, until)
            if between:
                return between
        for read, later in old:
            for other, ago in new:
                if other.place == read.place or _first_after(other, changes) is not None:
                    continue
                is_one = reader != failing and _whole(read) == _whole(other) != ""
                if read.line == other.line or is_one or len(run.concerning_strictly([read, other])) == 2:
                    return _sentence(read, later, other, ago)
    return ""


def _in_between(run: Run, reader: str, writer: str, until: int) -> str:
    """All of something was read when another had changed one part of it, and then changed another part."""
    for read in run.events[:until]:
        if read.process != reader or read.kind != "read" or read.item is not None or not read.before:
            continue
        changes = [
            event
            for event in run.events
            if event.process == writer and event.is_change and event.place != read.place
            if overlap(event.place, read.place) and len(event.place) > len(read.place)
        ]
        ago = [event for event in changes if event.index < read.index]
        later = [event for event in changes if event.index > read.index]
        if ago and later and ago[-1].place != later[0].place:
            return (
                f"{reader} read {read.name}: {read.short_before} in {read.where}, after {writer} "
                f"{ago[-1].changed(ago[-1].own_name)} in {ago[-1].where} and before it "
                f"{later[0].changed(later[0].own_name)} in {later[0].where}"
            )
    return ""


def _last_reads(run: Run, process: str, until: int) -> list[Event]:
    """Of each place the last one, if the thread did not write it afterwards."""
    reads: dict[str, Event] = {}
    for event in run.events[:until]:
        if event.process != process or not event.place:
            continue
        if event.kind == "read" and event.item is None and event.before:
            reads[event.place] = event
        elif event.is_change:
            reads.pop(event.place, None)
    return list(reads.values())


def _whole(read: Event) -> str:
    """What it is an attribute of."""
    return read.place.rpartition(".")[0]


def _first_after(read: Event, changes: list[Event]) -> Event | None:
    return next((one for one in changes if one.place == read.place and one.index > read.index), None)


def _last_before(read: Event, changes: list[Event]) -> Event | None:
    same = [one for one in changes if one.place == read.place and one.index < read.index]
    return same[-1] if same and same[-1].after == read.before else None


def _sentence(read: Event, later: Event, other: Event, ago: Event) -> str:
    old = (
        f"{read.name}: {read.short_before} in {read.where} before {later.process} {later.changed('it')} in "
        f"{later.where}"
    )
    new = f"{other.name}: {other.short_before}, which {ago.process} had changed in {ago.where}"
    first, second = (old, new) if read.index < other.index else (new, old)
    return f"{read.process} read {first}, and {second}"
