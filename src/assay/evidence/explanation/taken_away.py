"""One failed over something that another had changed last.

Thread-1 failed in line 10 over jobs, which Thread-2 had changed to [] in line 14
"""

from __future__ import annotations

import re

from assay.evidence.explanation.events import WORD, Event, Run, overlap

LAST_WORD = re.compile(r"(\w+)(?:\[[^\]]*\])*$")


def taken_away(run: Run) -> str:
    """Of what the failing line mentions; the last change counts, and only if it was somebody else's."""
    line = run.counterexample.violation.line
    failed = next((one for one in reversed(run.events) if one.kind == "raises" and one.line == line), None)
    if failed is None:
        return ""
    words = set(WORD.findall(failed.text))
    reads = [
        one
        for one in run.events[: failed.index]
        if one.kind == "read" and one.place and (one.process, one.line) == (failed.process, failed.line)
    ]
    known: set[str] = set()
    for event in reversed(run.events[: failed.index]):
        if not event.is_change or not event.after or event.place in known:
            continue
        known.add(event.place)
        if event.process == failed.process or not _is_named(event, words):
            continue
        if reads and not overlap(event.place, reads[-1].place):
            continue  # the line went on after it had read that
        return (
            f"{failed.process} failed in {failed.where} over {event.own_name}, which {event.process} had "
            f"{_changed(event)} in {event.where}"
        )
    return ""


def _is_named(event: Event, words: set[str]) -> bool:
    found = LAST_WORD.search(event.place.rpartition(": ")[2])
    return found is not None and found[1] in words


def _changed(event: Event) -> str:
    return "taken away" if event.after == "missing" else f"changed to {event.short_after}"
