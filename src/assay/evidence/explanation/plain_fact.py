"""Who failed where, with which values, and where the others stood. Nothing else is claimed."""

from __future__ import annotations

from assay.evidence.counterexample import Step
from assay.evidence.explanation.events import WORD, Event, Run, said, shortened
from assay.evidence.explanation.messages import senders
from assay.evidence.explanation.timed_out import timed_out

MOST_VALUES = 4
MAIN_THREAD = "MainThread"


def plain_fact(run: Run) -> str:
    fact = _fact(run)
    return timed_out(run, fact) or fact


def _fact(run: Run) -> str:
    last, violation = run.failing, run.counterexample.violation
    if last is None:
        return ""
    line = violation.line or last.line
    raised = [event for event in run.events if event.kind == "raises"]
    first = next((event for event in reversed(raised) if event.line == line), None)
    where = run.where(violation.file or last.file, line)
    who = f"{last.process} failed in {where}" if line else f"{last.process} failed"
    if first is not None and first.process != last.process:
        what = f"{shortened(first.name)} in {where}"
        who = f"{first.process} raised {what}, which came to {last.process} in {raised[-1].where}"
        last = next(step for step in run.counterexample.steps if step.number == first.step)
    if violation.kind in {"invariant", "step-invariant"}:
        where = run.where(last.file, last.line)
        who = f"after {last.process} in {where} ({shortened(last.text)}) the invariant does not hold"
    values = ", ".join(_values(run, last))
    if not values and not any(step.happenings for step in run.counterexample.steps):
        return ""  # the message has said as much
    others = _others(run, last.process)
    chosen = ", ".join(
        f"{event.name.replace('Random.', 'random.')} gave {shortened(event.result)} to {event.process}"
        for event in run.events
        if event.kind == "does" and event.result and event.name.startswith(("Random.", "choose"))
    )
    return (
        who
        + (f" with {values}" if values else "")
        + (f", after {chosen}" if chosen else "")
        + (f", while {others}" if others else "")
    )


def _values(run: Run, last: Step) -> list[str]:
    """Of the assertion where it tells them; else what the failing step read, or what its text mentions."""
    violation = run.counterexample.violation
    if violation.kind in {"invariant", "step-invariant"}:
        wrote = [e for e in run.events if e.step == last.number and e.kind in {"write", "change"}]
        if wrote:
            return [f"{event.name} = {event.short_after}" for event in wrote][-MOST_VALUES:]
    told = [text.removeprefix("where ").removeprefix("and ") for text in violation.values[1:]]
    if told:
        return [" = ".join(reversed(text.split(" = ", 1))) for text in told][:MOST_VALUES]
    read = {
        event.name: event.short_before
        for event in run.events
        if event.step == last.number and event.kind == "read" and event.before
    }
    if read and not any(event.step == last.number and event.kind == "write" for event in run.events):
        tells_more = not any(step.happenings for step in run.counterexample.steps)  # rows of threads do
        return [
            f"{name} = {value}{_whose(run, last, name) if tells_more else ''}" for name, value in read.items()
        ][-MOST_VALUES:]
    in_vain = [event for event in run.events if event.step == last.number and is_in_vain(event)]
    if in_vain and any(event.step == last.number and event.kind == "raises" for event in run.events):
        return [f"{event.name} = {event.short_before}" for event in in_vain][-MOST_VALUES:]
    variables = run.counterexample.variables_after(len(run.counterexample.steps))
    mentioned = dict.fromkeys(WORD.findall(violation.property or violation.message or last.text))
    sent = {} if any(step.happenings for step in run.counterexample.steps) else senders(run)
    told = []
    for word in mentioned:
        name = next((one for one in (f"{last.process}.{word}", word) if one in variables), "")
        if not name or not isinstance(variables[name], int | bool | str | list):
            continue
        by = sent.get(name)
        came = f", which {by.process} sent in line {by.line}" if by is not None else _whose(run, last, name)
        told.append(f"{word} = {shortened(shown(variables[name]))}{came}")
    return told[:MOST_VALUES]


def _whose(run: Run, last: Step, name: str) -> str:
    """Who else gave a variable a value, and where: the last one of them."""
    writes = [
        event
        for event in run.events
        if event.kind == "write" and event.place == name and event.before != event.after
    ]
    others = [event for event in writes if event.process != last.process]
    if not others:
        return ""
    other = others[-1]
    if other is writes[-1]:
        return f", which {other.process} set in {other.where}"
    return f", after {other.process} changed it to {other.short_after} in {other.where}"


def is_in_vain(event: Event) -> bool:
    """An operation that changes a container, and found nothing to change: `[].pop()`."""
    return event.kind == "change" and event.before == event.after != ""


def shown(value: object) -> str:
    """Channels and arrays as rows show them."""
    return f"[{', '.join(map(shown, value))}]" if isinstance(value, list) else said(value)


def _others(run: Run, failing: str) -> str:
    """Threads of a program that are left, where they stand; who never moved has not begun."""
    if not any(step.happenings for step in run.counterexample.steps):
        return ""
    moved = {step.process for step in run.counterexample.steps}
    told = []
    for name, position in run.positions().items():
        if name in {failing, MAIN_THREAD}:
            continue
        if name not in moved:
            told.append(f"{name} had not begun")
        elif position != "-":
            file, _, line = position.rpartition(":")
            told.append(f"{name} was at {run.where(file, line)}")
    return " and ".join(told[:MOST_VALUES])
