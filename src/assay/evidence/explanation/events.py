"""What happened in a run, one thing after the other: who read or wrote what, where, with which value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from assay.evidence.counterexample import Counterexample, Step
from assay.records import dataclass

LONGEST_VALUE = 120
WORD = re.compile(r"[A-Za-z_]\w*")
STATE = re.compile(r"\w+\((.*)\)$", re.DOTALL)  # `Queue([1])`, `Event(set)`
CHANGES = re.compile(r"\.(set|clear|set_result|set_exception|cancel|put|put_nowait)$")
ITEM = re.compile(r"item (\d+)$")
KEEPS_OTHERS_OUT = ("LockType.", "RLock.", "Condition.", "Semaphore.", "BoundedSemaphore.")
ASSIGNED = re.compile(r"^\s*([A-Za-z_]\w*)\s*(?:=(?!=)|\+\+|--)")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `place` is the same for what is the same object or variable; `where` is its
    line, with the file if that is not the program's own."""

    index: int
    step: int
    process: str
    kind: str  # "read", "write", "does", "raises"
    name: str
    place: str
    line: int
    text: str
    before: str
    after: str
    result: str
    where: str

    @property
    def short_before(self) -> str:
        return shortened(state_of(self.before) if self.kind == "does" else self.before)

    @property
    def short_after(self) -> str:
        return shortened(state_of(self.after) if self.kind == "does" else self.after)

    @property
    def own_name(self) -> str:
        """Of what was read or written; of an operation, the object that it was done with."""
        return self.place.rpartition(": ")[2] if self.kind == "does" and self.place else self.name

    @property
    def is_change(self) -> bool:
        """Of data: that a lock is taken changes nothing that a program computes with."""
        if not self.place:
            return False
        if self.kind == "does" and not self.before and CHANGES.search(self.name):
            return bool(self.result)  # it began earlier, and nobody saw what became of it
        if self.before == self.after:
            return False
        return self.kind in {"write", "change"} or (
            self.kind == "does" and not self.name.startswith(KEEPS_OTHERS_OUT)
        )

    def changed(self, part: str, again: str = "") -> str:
        """What it did to `part`, in words."""
        if self.kind == "does" and not self.after:
            return f"called {self.own_name}.{self.name.rpartition('.')[2]}"
        if self.after == "missing":
            return f"took {part} away"
        return f"changed {part}{again} to {self.short_after}"

    @property
    def is_look(self) -> bool:
        """Whether it looks at something and leaves it as it is: a read, or a question such as `empty`."""
        if not self.place:
            return False
        asks = self.kind == "does" and self.before == self.after and self.result not in {"", "None"}
        return (self.kind == "read" and bool(self.before)) or asks

    @property
    def item(self) -> int | None:
        """Which one a loop asked its container for."""
        found = ITEM.match(self.result) if self.kind == "read" else None
        return int(found[1]) if found else None


def said(value: object) -> str:
    """Of a variable; the languages whose values come as Python's write truth in small letters."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shortened(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 3] + "..."


def state_of(shown: str) -> str:
    found = STATE.match(shown)
    return found[1] if found else shown


def overlap(one: str, other: str) -> bool:
    """Whether one place is the other, or a part of it: `cache` and `cache['a']`."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short)] in "[."


class Run:
    """A failing run as a list of events: of all its steps, or of the last ones."""

    def __init__(self, counterexample: Counterexample, last_steps: int | None = None) -> None:
        self.counterexample = counterexample
        self._left_out = max(0, len(counterexample.steps) - last_steps) if last_steps is not None else 0

    @cached_property
    def events(self) -> list[Event]:
        return list(self._numbered())

    def _numbered(self) -> Iterator[Event]:
        index = 0
        variables = dict(self.counterexample.initial)
        steps = self.counterexample.steps
        is_told = any(step.happenings for step in steps)
        for position, step in enumerate(steps):
            if position < self._left_out or (step.alone and position == 0):
                pass  # too long ago, or before there were others
            elif is_told:
                for one in step.happenings:
                    yield Event(
                        index,
                        step.number,
                        step.process,
                        one.kind,
                        one.name,
                        one.place,
                        one.line,
                        one.text,
                        one.before,
                        one.after,
                        one.result,
                        self.where(one.file or step.file, one.line),
                    )
                    index += 1
            else:
                for event in _events_of_statement(step, variables, index, self.where(step.file, step.line)):
                    yield event
                    index += 1
            for change in step.changes:
                variables[change.name] = change.after

    @cached_property
    def own_file(self) -> str:
        return next((Path(step.file).name for step in self.counterexample.steps if step.file), "")

    def where(self, file: str, line: int | str) -> str:
        """The file is named if it is not the program's own: a line of a package tells little without it."""
        name = Path(file).name
        is_own = not file or name == (self.own_file or name)
        return f"line {line}" if is_own else f"line {line} of {name}"

    @property
    def failing(self) -> Step | None:
        return self.counterexample.steps[-1] if self.counterexample.steps else None

    @cached_property
    def words_of_failure(self) -> frozenset[str]:
        """Names that the failing line mentions, or that were read there."""
        violation, last = self.counterexample.violation, self.failing
        texts = [violation.message, violation.property, *violation.values, *violation.traceback[-3:-1]]
        if last is not None:
            texts.append(last.text)
        words = {word for text in texts for word in WORD.findall(text)}
        reads = [e for e in self.events if last and e.step == last.number and e.kind == "read"]
        return frozenset(words.union(*(WORD.findall(event.name) for event in reads)))

    def concerning(self, events: Sequence[Event]) -> list[Event]:
        """Those about something that the failing line mentions or read. If none is, and all are about one
        place, that place is the only one in this run of which there is something to tell."""
        found = self.concerning_strictly(events)
        if not found and len({event.place for event in events}) == 1:
            return list(events)
        return found

    def concerning_strictly(self, events: Sequence[Event]) -> list[Event]:
        """Those about something that the failing line mentions or read."""
        return [
            event
            for event in events
            if not self.words_of_failure.isdisjoint(WORD.findall(event.place.rpartition(": ")[2]))
        ]

    def read_in_the_end(self, event: Event) -> bool:
        """Whether the failing step read what this is about."""
        last = self.failing
        return bool(event.place) and any(
            one.kind == "read" and one.place and overlap(one.place, event.place)
            for one in self.events
            if last is not None and one.step == last.number
        )

    def last_read(self, process: str, place: str, *, before: Event) -> Event | None:
        reads = (
            event
            for event in reversed(self.events[: before.index])
            if event.kind == "read" and (event.process, event.place) == (process, place)
        )
        return next(reads, None)

    def writes_later(self, read: Event) -> bool:
        """Whether who read it writes the place next, before it reads it again."""
        for event in self.events[read.index + 1 :]:
            if (event.process, event.place) == (read.process, read.place):
                return event.kind == "write"
        return False

    def is_rebound(self, place: str, first: Event, last: Event) -> bool:
        """Whether what the place is a part of was replaced on the way: then it is not the same any more."""
        return any(
            event.kind == "write" and event.place and place.startswith((f"{event.place}.", f"{event.place}["))
            for event in self.events[first.index + 1 : last.index]
        )

    def positions(self) -> dict[str, str]:
        """Where every process stands at the end."""
        variables = self.counterexample.variables_after(len(self.counterexample.steps))
        return {name[:-1]: str(value) for name, value in variables.items() if name.endswith("@")}


def _events_of_statement(
    step: Step, variables: Mapping[str, object], index: int, where: str
) -> Iterator[Event]:
    """Of a language that tells statements: shared variables in it are read, changed ones written."""

    def event(offset: int, kind: str, name: str, before: object, after: object) -> Event:
        return Event(
            index + offset,
            step.number,
            step.process,
            kind,
            name,
            name,
            step.line,
            step.text,
            said(before),
            said(after),
            "",
            where,
        )

    assigned = ASSIGNED.match(step.text)
    own = assigned[1] if assigned else ""
    mentioned = WORD.findall(step.text[assigned.end() :] if assigned else step.text)
    is_update = bool(assigned and assigned[0].rstrip().endswith(("++", "--")))
    offset = 0
    for name in dict.fromkeys([*mentioned, *([own] if is_update else [])]):
        if name in variables and isinstance(variables[name], int):
            yield event(offset, "read", name, variables[name], "")
            offset += 1
    changed = {change.name for change in step.changes}
    if own in variables and own not in changed and isinstance(variables[own], int | str):
        yield event(offset, "write", own, variables[own], variables[own])  # the value that it had
        offset += 1
    for change in step.changes:
        if "." in change.name or "@" in change.name:
            continue
        for place, before, after in _elements(change.name, change.before, change.after):
            yield event(offset, "write", place, before, after)
            offset += 1


def _elements(name: str, before: object, after: object) -> Iterator[tuple[str, object, object]]:
    """What changed: the variable, or elements and fields of it. A channel is none."""
    if isinstance(after, int | str):
        yield name, before, after
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            if one != other:
                yield from _elements(f"{name}[{index}]", one, other)
    elif isinstance(before, dict) and isinstance(after, dict):
        for field, other in after.items():
            if before.get(field) != other:
                yield from _elements(f"{name}.{field}", before.get(field), other)
