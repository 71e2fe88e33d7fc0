"""A sequential program: where the rule was broken and what it remembered, or with which values it failed.

sum / count in line 8 with sum = 0 since line 5, count = 0 since line 21, after i < count was false in line 6
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from assay.evidence.counterexample import Counterexample, Step
from assay.evidence.explanation.events import shortened

MOST_VALUES = 4
CONDITION = re.compile(r"(.*): (true|false)$", re.DOTALL)


def sequential(run: Counterexample) -> str:
    """Empty where the violation says it all."""
    return _of_rule(run) if run.violation.kind == "rule" else _of_values(run)


def _of_rule(run: Counterexample) -> str:
    # Steps of other rules around the same function are none of the program either.
    rule = run.violation.file or ""
    own = [
        step for step in run.steps if step.file != rule and Path(step.file or "").suffix != Path(rule).suffix
    ]
    if not own:
        return ""
    remembered: dict[str, object] = {}
    for step in run.steps:
        if step.file == rule:
            remembered.update({change.name: change.after for change in step.changes})
    values = ", ".join(f"{name} = {value}" for name, value in remembered.items())
    last = own[-1]
    return f"{last.text} in {Path(last.file).name}:{last.line} breaks the rule" + (
        f", when {values}" if values else ""
    )


def _of_values(run: Counterexample) -> str:
    last = run.steps[-1]
    before = run.steps[-2] if len(run.steps) > 1 else None
    text = CONDITION.sub(r"\1", last.text)
    values = _values(run.steps, text, last.function, ())
    told = f"{shortened(text)} in line {last.line}" + (f" with {', '.join(values)}" if values else "")
    decided = CONDITION.match(before.text) if before is not None else None
    if before is None or before.line == last.line:
        decided = None
    if before is not None and decided is not None and before.function == last.function:
        more = _values(run.steps[:-1], decided[1], before.function, values)
        told += f", after {shortened(decided[1])} was {decided[2]} in line {before.line}"
        told += f" with {', '.join(more)}" if more else ""
        values += more
    return told if values else ""


def _values(steps: Sequence[Step], text: str, function: str, known: Sequence[str]) -> list[str]:
    """Of the variables that a text mentions: the last value of each and the line that gave it."""
    own = function.partition("@")[0]
    given: dict[str, str] = {}
    for step in steps:
        for change in step.changes:
            scope, _, name = change.name.rpartition(":")
            if scope in {"", own} and not isinstance(change.after, list | dict):
                given.pop(name, None)
                given[name] = f"{name} = {change.after} since line {step.line}"
    for step in steps[-2:]:  # the condition, and what fails by it
        if step.line == steps[-1].line:
            given |= {one.name: f"{one.name} = {one.value}" for one in step.accesses if one.name not in given}
    mentioned = [(at, given[name]) for name in given if (at := _mentioned(name, text)) >= 0]
    return [told for _, told in sorted(mentioned) if told not in known][:MOST_VALUES]


def _mentioned(name: str, text: str) -> int:
    found = re.search(rf"(?<![\w.>]){re.escape(name)}(?![\w(])", text)
    return found.start() if found else -1
