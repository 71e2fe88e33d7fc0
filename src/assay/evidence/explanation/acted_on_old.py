"""One looked at something, another changed it, and the first went on as if it had not.

worker saw limits: 3 in line 10, then reload changed it to 1 in line 20, before worker went on and changed
jobs to [1, 2, 3] in line 12
c2 saw bucket.tokens: 1 in line 9, then c1 changed it to 0 in line 12, before c2 went on and wrote -1 in
line 12
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay.evidence.explanation.changed_under_way import (
    Outdated,
    changes_between,
    decides,
    outdated_sentence,
)
from assay.evidence.explanation.events import Event, Run, overlap

ASSIGNS = re.compile(r"^([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)")
KEEPS = re.compile(r"[A-Za-z_]\w*\s*(?::[^=]+)?=(?!=)|return\b")


def acted_on_old(run: Run) -> str:
    """What it did has to stand in the failing line; what it had looked at decided it, or went into it. What
    the failing line read tells most. Else: what it had looked at and kept, and then changed itself."""
    told = [one for one in _acts(run, _looked_at) if run.concerning_strictly([one.act])]
    read = [one for one in told if run.read_in_the_end(one.act)]
    if read or told:
        return outdated_sentence(run, (read or told)[-1])
    kept = list(_acts(run, _kept))
    concerning = run.concerning([one.act for one in kept])
    told = [one for one in kept if one.act in concerning]
    return outdated_sentence(run, told[-1]) if told else ""


def _acts(run: Run, looked_at: Callable[[Run, Event], Event | None]) -> Iterator[Outdated]:
    for act in run.events:
        if not act.is_change:
            continue
        checked = looked_at(run, act)
        if checked is None:
            continue
        changes = changes_between(run, checked, act)
        if changes and not run.is_rebound(checked.place, checked, act):
            yield Outdated(checked, changes, act)


def _looked_at(run: Run, act: Event) -> Event | None:
    """The last thing that its thread looked at in a condition, or that went into a variable of the line."""
    known: set[str] = set()  # what went into a variable before it was assigned anew is not in it
    for event in reversed(run.events[: act.index]):
        if event.process != act.process or not event.is_look or overlap(event.place, act.place):
            continue
        assigned = ASSIGNS.match(event.text)
        if assigned is not None:
            variable = f"{assigned[1]} {event.line}"
            if not re.search(rf"\b{assigned[1]}\b", act.text) or event.line == act.line:
                continue
            if any(one.startswith(f"{assigned[1]} ") for one in known - {variable}):
                continue
            known.add(variable)
            if changes_between(run, event, act):
                return event
        elif decides(event.text):
            return event
    return None


def _kept(run: Run, act: Event) -> Event | None:
    """What its thread had seen of the same place some lines before, and put into a variable or returned."""
    for event in reversed(run.events[: act.index]):
        is_own = event.process == act.process and event.place == act.place
        if is_own and event.is_look and event.line != act.line and KEEPS.match(event.text):
            return event
    return None
