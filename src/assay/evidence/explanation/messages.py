"""Where the value of a variable came from, if it came in a message: who sent it, and where.

R[1] failed in line 6 with v = 3, which S[0] sent in line 4
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.evidence.counterexample import Change, Step
from assay.evidence.explanation.events import Run
from assay.records import dataclass


@dataclass(frozen=True, slots=True)
class Sent:
    process: str
    line: int


def senders(run: Run) -> dict[str, Sent]:
    """By variable: who sent the value that it has at the end. Channels are lists that change by one item."""
    found: dict[str, Sent] = {}
    waiting: dict[str, list[Sent | None]] = {}  # of each channel: who sent each of its messages
    before: Step | None = None
    for step in run.counterexample.steps:
        taken = _handed_over(before, step)
        for change in step.changes:
            moved = _moved(change)
            if moved is None:
                continue
            at, is_sent = moved
            messages = waiting.setdefault(change.name, [None] * len(_as_list(change.before)))
            if is_sent:
                messages.insert(at, Sent(step.process, step.line))
            elif at < len(messages):
                taken = messages.pop(at)
        for change in step.changes:
            if isinstance(change.after, list):
                continue
            found.pop(change.name, None)
            if taken is not None and taken.process != step.process and change.after is not None:
                found[change.name] = taken
        before = step
    return found


def _as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _moved(change: Change) -> tuple[int, bool] | None:
    """Which message came or went, and whether it came."""
    if not isinstance(change.before, list) or not isinstance(change.after, list):
        return None
    short, long = sorted((change.before, change.after), key=len)
    if len(long) != len(short) + 1:
        return None
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    is_sent = long is change.after
    # Of equal messages the first one is taken and the last one has come.
    if is_sent and at < len(short) and long[at + 1 :] != short[at:]:
        return None
    if not is_sent and long[1:] == short:
        at = 0
    return at, is_sent


def _handed_over(before: Step | None, step: Step) -> Sent | None:
    """Of a rendezvous: the two halves of one transition."""
    if before is None or before.transition != step.transition or before.process == step.process:
        return None
    return Sent(before.process, before.line) if "!" in before.text and "?" in step.text else None
