"""One changed an object in whose place another had put something else: nobody sees that change.

writer read log.buffer in line 10, then flusher changed it to [] in line 15, and writer changed the one that
it had read to ['a', 'b'] in line 10
"""

from __future__ import annotations

from assay.evidence.explanation.events import Event, Run
from assay.transition_system.interface import WHAT_WAS


def into_the_old(run: Run) -> str:
    for lost in reversed(run.events):
        if not lost.name.startswith(WHAT_WAS) or lost.before == lost.after:
            continue
        read = _read_from(run, lost)
        if read is None or not run.concerning([read]):
            continue
        replaced = [
            event
            for event in run.events[read.index + 1 : lost.index]
            if event.process != lost.process and event.kind == "write" and event.place == read.place
        ]
        if replaced:
            other, part = replaced[-1], lost.name.removeprefix(WHAT_WAS + read.name)
            did = f"set {part} of" if part else "changed"
            return (
                f"{lost.process} read {read.name} in {read.where}, then {other.process} "
                f"{other.changed('it')} in {other.where}, and {lost.process} {did} the one that it had read "
                f"to {lost.short_after} in {lost.where}"
            )
    return ""


def _read_from(run: Run, lost: Event) -> Event | None:
    was = lost.name.removeprefix(WHAT_WAS)
    reads = (
        event
        for event in reversed(run.events[: lost.index])
        if event.kind == "read" and event.process == lost.process and event.place
        if was == event.name or was.startswith((f"{event.name}.", f"{event.name}["))
    )
    return next(reads, None)
