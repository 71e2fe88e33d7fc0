"""What one had checked was changed by another before it acted on it.

thief saw tasks: deque([1]) in line 14, then owner changed it to deque([]) in line 10, before thief went on
in line 15
Thread-2 changed sessions in line 13 while Thread-1 went over it in line 7
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.evidence.explanation.events import WORD, Event, Run, overlap
from assay.evidence.explanation.went_over import sentence as went_over_sentence
from assay.records import dataclass

CHANGED_WHILE_READ = "during iteration"
CHECKS = re.compile(
    # Lines that decide something.
    r"(el)?if\b|while\b|assert\b|.*\bif\b.*\belse\b|.*[^=!<>]=[^=].*\b(is|in|not|and|or|len)\b|.*[=!<>]="
)
ITEM = re.compile(r".*?(?P<of>\w+)\[(?P<key>[^\[\]]+)\]$")  # `self.entries['a']`
COMPREHENSION = re.compile(r"\bfor\b[^()\[\]{}]*?\bin\b")
MOST_CHANGES = 3


@dataclass(frozen=True, slots=True)
class Outdated:
    """`checked` by a process, `changes` by others, and then what it did: `act`."""

    checked: Event
    changes: Sequence[Event]
    act: Event


def decides(text: str) -> bool:
    """Whether a line has a condition; what a comprehension goes over is none."""
    return CHECKS.match(COMPREHENSION.sub("", text)) is not None


def changed_under_way(run: Run) -> str:
    """Of what a process does after that: that it fails counts more than what it writes."""
    for kinds in ({"raises"}, {"write", "change", "does"}):
        found = list(_outdated(run, kinds))
        concerning = run.concerning([one.checked for one in found])
        told = [one for one in found if one.checked in concerning]
        if told:
            return outdated_sentence(run, told[-1])
    return ""


def _outdated(run: Run, kinds: set[str]) -> Iterator[Outdated]:
    for act in run.events:
        if act.kind not in kinds:
            continue
        checked = _last_check(run, act)
        if checked is None:
            continue
        changes = changes_between(run, checked, act)
        if changes and not run.is_rebound(checked.place, checked, act):
            yield Outdated(checked, changes, act)


def changes_between(run: Run, checked: Event, act: Event) -> list[Event]:
    """By others, of what was checked."""
    return [
        event
        for event in run.events[checked.index + 1 : act.index]
        if event.process != act.process and _changes(event, checked)
    ]


def _last_check(run: Run, act: Event) -> Event | None:
    """What the one who acts looked at last in a condition; if it acts on something, that must be it."""
    for event in reversed(run.events[: act.index]):
        if event.process != act.process or not event.is_look:
            continue
        goes_over = CHANGED_WHILE_READ in run.counterexample.violation.message and act.kind == "raises"
        if goes_over and event.before != _last_value(run, act, event):
            return event
        if not goes_over and decides(event.text) and _concerns(run, act, event):
            return event
    return None


def _concerns(run: Run, act: Event, check: Event) -> bool:
    if act.kind != "raises":
        return bool(act.place) and overlap(act.place, check.place)
    name = re.split(r"[.\[]", check.place.rpartition(": ")[2])[-1].strip("]'\"") or check.name
    touched = [
        one for one in run.events if one.step == act.step and one.place and overlap(one.place, check.place)
    ]
    item = ITEM.match(check.place.rpartition(": ")[2])
    is_missed = item is not None and item["key"] in act.name and item["of"] in WORD.findall(act.text)
    return check.step != act.step and (bool(touched) or name in act.text or is_missed)


def _last_value(run: Run, act: Event, read: Event) -> str:
    values = [one.before for one in run.events if one.step == act.step and one.place == read.place]
    return values[-1] if values else read.before


def _changes(event: Event, checked: Event) -> bool:
    if event.kind == "does":
        return event.place == checked.place and (event.is_change or event.before != event.after)
    is_change = event.kind in {"write", "change"} and event.before != event.after
    return is_change and bool(event.place) and overlap(event.place, checked.place)


def outdated_sentence(run: Run, one: Outdated) -> str:
    who, name = one.act.process, one.checked.own_name
    last = one.changes[-MOST_CHANGES:]
    if CHANGED_WHILE_READ in run.counterexample.violation.message:
        return went_over_sentence(one.checked, last[-1])
    told = []
    for change in last:
        again = " again" if change is not last[0] and change.place == last[0].place else ""
        part = "it" if change.place == one.checked.place else change.own_name
        told.append(f"{change.process} {change.changed(part, again)} in {change.where}")
    acted = ""
    if one.act.kind == "write" and overlap(one.act.place, one.checked.place):
        acted = f" and wrote {one.act.short_after}"
    elif one.act.is_change:
        part = "it" if one.act.place == one.checked.place else one.act.own_name
        acted = f" and {one.act.changed(part)}"
    return (
        f"{who} saw {_seen(one.checked, name)} in {one.checked.where}, then {', then '.join(told)}, "
        f"before {who} went on{acted} in {one.act.where}"
    )


def _seen(checked: Event, name: str) -> str:
    if checked.kind == "read":
        return f"{name}: {checked.short_before}"
    return f"{name}.{checked.name.rpartition('.')[2]} give {checked.result}"
