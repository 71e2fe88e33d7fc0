"""Where what the failing line read came from: who changed it, after reading what another had changed.

cell-1 read cells[0]: 11 in line 12, which cell-0 had changed in line 20, and then changed cells[1]
to 21 in line 20
"""

from __future__ import annotations

from assay.evidence.counterexample import Step
from assay.evidence.explanation.events import Event, Run, overlap

MOST_LINKS = 3


def came_from(run: Run, last: Step) -> str:
    """The chain is followed back to the first change that rests on another's, over few links. Of what was
    changed several times nobody can tell which one decided."""
    places = [e.place for e in run.events if e.step == last.number and e.kind == "read" and e.place]
    found: tuple[Event, Event, Event] | None = None
    change = _last_change(run, places, len(run.events))
    if change is not None and _last_change(run, places, change.index) is not None:
        return ""
    for _ in range(MOST_LINKS):
        link = _link(run, change) if change is not None else None
        if link is None or change is None:
            break
        found = (*link, change)
        change = link[1]
    if found is None:
        return ""
    seen, source, then = found
    part = "it" if source.place == seen.place else source.own_name
    had = source.changed(part).replace("took ", "taken ", 1)
    which = (
        f"which {source.process} had changed"
        if part == "it" and source.after != "missing"
        else (f"when {source.process} had {had}")
    )
    return (
        f": {seen.process} read {seen.name}: {seen.short_before} in {seen.where}, {which} in {source.where}, "
        f"and then {then.changed(then.own_name)} in {then.where}"
    )


def _last_change(run: Run, places: list[str], until: int) -> Event | None:
    changes = (
        event
        for event in reversed(run.events[:until])
        if event.is_change and any(overlap(event.place, place) for place in places)
    )
    return next(changes, None)


def _link(run: Run, change: Event) -> tuple[Event, Event] | None:
    """What its thread read last since it had changed something before, if another had changed that last."""
    for event in reversed(run.events[: change.index]):
        if event.process != change.process:
            continue
        if event.is_change:
            return None
        if event.kind != "read" or not event.place or not event.before or event.place == change.place:
            continue
        source = _last_change(run, [event.place], event.index)
        if source is not None and source.process != event.process:
            return event, source
    return None
