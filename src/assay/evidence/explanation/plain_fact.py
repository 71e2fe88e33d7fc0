"""Who failed where, with which values, and where the others stood. Nothing else is claimed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.evidence.counterexample import Step
from assay.evidence.explanation.came_from import came_from
from assay.evidence.explanation.changed_under_way import decides
from assay.evidence.explanation.events import WORD, Event, Run, overlap, said, shortened
from assay.evidence.explanation.messages import senders
from assay.evidence.explanation.timed_out import timed_out

MOST_VALUES = 4
MAIN_THREAD = "MainThread"
GIVES = re.compile(r"Queue\.get(_nowait)?$|^Future\.result$")
VARIABLE = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])?")
TRUTH_OF_CALL = re.compile(r"(True|False) = .*\)$", re.DOTALL)
NO_DATA = {"", "None", "True", "False"}


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
    came = first is not None and first.process != last.process
    if first is not None and came:
        what = f"{shortened(first.name)} in {where}"
        who = f"{first.process} raised {what}, which came to {last.process} in {raised[-1].where}"
        last = next(step for step in run.counterexample.steps if step.number == first.step)
    if violation.kind in {"invariant", "step-invariant"}:
        where = run.where(last.file, last.line)
        who = f"after {last.process} in {where} ({shortened(last.text)}) the invariant does not hold"
    values = ", ".join(_values(run, last))
    has_threads = any(step.happenings for step in run.counterexample.steps)
    if not values and not has_threads:
        return ""  # the message has said as much
    if not values and first is not None and violation.kind == "exception" and not came:
        who = f"{last.process} raised {shortened(first.name)} in {where}"
    others = _others(run, last.process)
    chosen = _chosen(run)
    early = _read_early(run, last) if not others else ""
    decided = (
        _decided(run, last.process) if violation.kind == "assertion" and not early and not chosen else ""
    )
    gave_up = _gave_up(run, last.process) if not others and not chosen else ""
    in_order = _came_in_order(run, last.process, others) if violation.kind == "assertion" else ""
    clauses = [
        f" with {values}" if values else "",
        _given(run, first) if first is not None and not values else "",
        chosen,
        in_order,
        early,
        decided,
        f", while {others}" if others else "",
        gave_up,
    ]
    if not any(clauses[1:]) and violation.kind == "assertion":
        clauses.append(_changed_by_turns(run, last) or came_from(run, last))
    return who + "".join(clauses)


def _chosen(run: Run) -> str:
    chosen = ", ".join(
        f"{event.name.replace('Random.', 'random.')} gave {shortened(event.result)} to {event.process}"
        for event in run.events
        if event.kind == "does" and event.result and event.name.startswith(("Random.", "choose"))
    )
    return f", after {chosen}" if chosen else ""


def _came_in_order(run: Run, failing: str, left: str) -> str:
    """What the one who fails got from queues and tasks on one line, one after the other; or, if nobody is
    left, the one who changed what the failing step read, if nobody else did."""
    told = _got_in_order(run, failing, "it")
    changed = {event.process for event in run.events if event.is_change and run.read_in_the_end(event)}
    if told or left or len(changed - {failing}) != 1:
        return told
    other = (changed - {failing}).pop()
    return _got_in_order(run, other, other)


def _got_in_order(run: Run, process: str, called: str) -> str:
    came = [
        event
        for event in run.events
        if event.process == process and GIVES.search(event.name) and event.result not in NO_DATA
    ]
    alike = [event for event in came if event.line == came[-1].line]
    if len(alike) < 2 or len({event.result for event in alike}) < 2:
        return ""
    told = ", ".join(shortened(event.result) for event in alike[:MOST_VALUES])
    more = ", ..." if len(alike) > MOST_VALUES else ""
    what = "as_completed" if "as_completed(" in alike[0].text else alike[0].name.rpartition(".")[2]
    if called != "it":
        what = f"{alike[0].own_name}.{what}"
    return f", after {what} gave {called} {told}{more} in this order in {alike[0].where}"


def _changed_by_turns(run: Run, last: Step) -> str:
    """Who changed what the failing step read, one after the other, if several did."""
    read = [event for event in run.events if event.step == last.number and event.kind == "read"]
    for place in dict.fromkeys(event.place for event in read if event.place):
        changes = [event for event in run.events if event.is_change and overlap(event.place, place)]
        if len({event.process for event in changes} - {last.process}) < 2:
            continue
        told = [
            f"{event.process} {_changed_how(event, place)} in {event.where}"
            for event in changes[-MOST_VALUES:]
        ]
        return f": {', then '.join(told)}"
    return ""


def _changed_how(event: Event, place: str) -> str:
    """`['a'] -> ['a', 'b']` added 'b'."""
    closing = next((text for text in ("])", "})", "]", "}") if event.before.endswith(text)), "")
    opening = event.before.removesuffix(closing)
    if closing and event.after.startswith(opening) and event.after.endswith(closing):
        added = event.after[len(opening) : -len(closing)].removeprefix(", ")
        if added:
            return f"added {shortened(added)}"
    return event.changed("it" if event.place == place else event.own_name)


def _given(run: Run, raised: Event) -> str:
    """What an operation gave last to the one who raises."""
    results = [
        event
        for event in run.events[: raised.index]
        if event.process == raised.process and event.kind == "does" and event.result not in NO_DATA
    ]
    if not results or results[-1].result.startswith("<") or not results[-1].place:
        return ""
    one = results[-1]
    operation = one.name.rpartition(".")[2]
    return f", after {one.own_name}.{operation} gave {shortened(one.result)} in {one.where}"


def _read_early(run: Run, last: Step) -> str:
    """What the one who fails had read, and others changed afterwards, before it failed."""
    for event in reversed(run.events):
        if event.process != last.process or not event.is_look or event.item is not None:
            continue
        later = [
            one
            for one in run.events[event.index + 1 :]
            if one.process != event.process and one.place == event.place and one.is_change
        ]
        again = any(
            one.process == event.process and overlap(one.place, event.place)
            for one in run.events[event.index + 1 :]
            if one.place
        )
        if later and not again:
            return (
                f", after it read {_looked(event)} in {event.where} before {later[0].process} "
                f"{later[0].changed('it')} in {later[0].where}"
            )
    return ""


def _decided(run: Run, failing: str) -> str:
    """Of the last change of what the failing line mentions: what its thread saw before, if that is new."""
    text = run.failing.text if run.failing is not None else ""
    named = set(WORD.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", text)))
    acts = [event for event in run.events if event.is_change and named & set(WORD.findall(event.place)[:1])]
    act = acts[-1] if acts else None
    if act is None or act.process == failing:
        return ""
    looks = [
        event
        for event in run.events[: act.index]
        if event.process == act.process and event.is_look and decides(event.text)
    ]
    if not looks:
        return ""
    seen = looks[-1]
    changes = [
        event for event in run.events[: seen.index] if event.is_change and overlap(event.place, seen.place)
    ]
    if not changes or changes[-1].process in {act.process, MAIN_THREAD}:
        return ""
    other = changes[-1]
    part = "it" if other.place == seen.place else other.own_name
    return (
        f", after {act.process} saw {_looked(seen)} in {seen.where}, when {other.process} had "
        f"{other.changed(part).replace('took ', 'taken ', 1)} in {other.where}, and "
        f"{act.changed(act.own_name)} in {act.where}"
    )


def _looked(event: Event) -> str:
    if event.kind == "read":
        return f"{event.name}: {event.short_before}"
    return f"{event.own_name}.{event.name.rpartition('.')[2]}: {event.result}"


def _gave_up(run: Run, failing: str) -> str:
    """Of a thread that ended and changed nothing that the failing line mentions: what it saw last."""
    standing = run.positions()
    moved = dict.fromkeys(step.process for step in run.counterexample.steps)
    for name in moved:
        own = [event for event in run.events if event.process == name]
        if name in {failing, MAIN_THREAD} or name in standing or not own:
            continue
        if run.concerning_strictly([event for event in own if event.is_change]):
            continue
        last = own[-1]
        if not last.is_look or not decides(last.text):
            continue
        changed = [
            event
            for event in run.events[: last.index]
            if event.place == last.place and event.is_change and event.process != name
        ]
        by = f", which {changed[-1].process} had changed in {changed[-1].where}" if changed else ""
        return f"; {name} ended after it saw {_looked(last)} in {last.where}{by}"
    return ""


def _values(run: Run, last: Step) -> list[str]:
    """Of the assertion where it tells them; else what the failing step read, or what its text mentions."""
    violation = run.counterexample.violation
    if violation.kind in {"invariant", "step-invariant"}:
        wrote = [e for e in run.events if e.step == last.number and e.kind in {"write", "change"}]
        if wrote:
            return [f"{event.name} = {event.short_after}" for event in wrote][-MOST_VALUES:]
    told = [text.removeprefix("where ").removeprefix("and ") for text in violation.values[1:]]
    reads = [e for e in run.events if e.step == last.number and e.kind == "read" and e.is_look]
    if any(run.counterexample.steps[-1].happenings) and reads:
        told = [text for text in told if not TRUTH_OF_CALL.match(text)]  # what it was called with tells more
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
            f"{_with_value(name, value)}{_whose(run, last, name) if tells_more else ''}"
            for name, value in read.items()
        ][-MOST_VALUES:]
    in_vain = [event for event in run.events if event.step == last.number and is_in_vain(event)]
    if in_vain and any(event.step == last.number and event.kind == "raises" for event in run.events):
        return [f"{event.name} = {event.short_before}" for event in in_vain][-MOST_VALUES:]
    variables = run.counterexample.variables_after(len(run.counterexample.steps))
    mentioned = dict.fromkeys(VARIABLE.findall(violation.property or violation.message or last.text))
    sent = {} if any(step.happenings for step in run.counterexample.steps) else senders(run)
    told = []
    for word in mentioned:
        name = next((one for one in (f"{last.process}.{word}", word) if one in variables), "")
        if (element := _element(variables, word)) is not None:
            told.append(f"{word} = {shortened(shown(element))}{_whose(run, last, word)}")
            continue
        if not name or not isinstance(variables[name], int | bool | str | list):
            continue
        by = sent.get(name)
        came = f", which {by.process} sent in line {by.line}" if by is not None else _whose(run, last, name)
        told.append(f"{word} = {shortened(shown(variables[name]))}{came}")
    return told[:MOST_VALUES]


def _element(variables: Mapping[str, object], word: str) -> object:
    """Of `value[1]`; None if it is none."""
    name, _, index = word.partition("[")
    array = variables.get(name)
    if not index or not isinstance(array, list) or int(index[:-1]) >= len(array):
        return None
    found: object = array[int(index[:-1])]
    return found if isinstance(found, int | str) else None


def _with_value(name: str, value: str) -> str:
    return f"{name} missing" if value == "missing" else f"{name} = {value}"


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
            told.append(f"{name}{_did_last(run, name)} was at {run.where(file, line)}")
    return " and ".join(told[:MOST_VALUES])


def _did_last(run: Run, name: str) -> str:
    """What it had changed last, if it has only looked at something since: it may be half way through."""
    own = [event for event in run.events if event.process == name]
    while own and own[-1].kind == "read":
        own.pop()
    if not own or not own[-1].is_change:
        return ""
    one = own[-1]
    if one.kind == "does" and one.result not in NO_DATA:
        return f", which had got {shortened(one.result)} from {one.own_name} in {one.where},"
    did = one.changed(one.own_name).replace("took ", "taken ", 1)
    return f", which had {did} in {one.where},"
