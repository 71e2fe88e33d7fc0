"""What a step changed, read and wrote, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assay.evidence.counterexample import Change, Step
from assay.report.quantities import value_text
from assay.report.words import shortened

VALUE_WIDTH = 60
CONTAINERS = {"list", "dict", "set", "deque", "collections.deque", "tuple"}
OBJECT = re.compile(r"[A-Za-z_]\w*\(")


def change_texts(changes: Iterable[Change]) -> list[str]:
    """What changed, element by element; where a process stands is said by its steps."""
    changes = list(changes)
    texts = []
    coming_and_going: set[str] = set()
    for place in changes:
        if not is_place(place.name) or (place.before is not None and place.after is not None):
            continue
        owner = place.name.removesuffix("@")
        own = [change for change in changes if change.name.startswith(f"{owner}.")]
        coming_and_going |= {change.name for change in own}
        if place.before is None:
            values = ", ".join(
                f"{change.name.removeprefix(f'{owner}.')} = {value_text(change.after)}" for change in own
            )
            texts.append(f"{owner} starts" + (f" with {values}" if values else ""))
        else:
            texts.append(f"{owner} is gone")
    for change in changes:
        if not is_place(change.name) and change.name not in coming_and_going:
            texts += _change_texts(change)
    return texts


def _change_texts(change: Change) -> list[str]:
    name, before, after = change.name, change.before, change.after
    if before is None:
        return [f"{name} = {value_text(after)}"]
    if after is None:
        return [f"{name} gone"]
    parts: list[Change] = []
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        parts = [Change(f"{name}[{i}]", *pair) for i, pair in enumerate(zip(before, after, strict=True))]
    elif isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        parts = [Change(f"{name}.{key}", before[key], after[key]) for key in before]
    if parts and not any(part.before is None or part.after is None for part in parts):
        return [text for part in parts if part.before != part.after for text in _change_texts(part)]
    return [f"{name}: {value_text(before)} -> {value_text(after)}"]


def is_place(name: str) -> bool:
    """Where a process stands is a variable too, named `P[1]@`."""
    return name.endswith("@")


def access_texts(step: Step) -> Iterator[str]:
    """What it read and wrote that other threads can see; the value where it is known."""
    changed = any("@" not in change.name for change in step.changes)
    for access in step.accesses:
        value = shortened(access.value, VALUE_WIDTH)
        if OBJECT.match(access.value):
            continue  # which object a name stands for says the source
        if not value and access.name in CONTAINERS and (changed or access.kind == "read"):
            continue  # which one it is says the source, and what is new in it, the change
        if access.kind == "read":
            yield f"reads {access.name}: {value}" if value else f"reads {access.name}"
        else:
            yield f"{access.name} = {value}" if value else f"writes {access.name}"
