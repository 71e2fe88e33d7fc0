"""A class that says of its states which actions are enabled: which action gave the deciding values.

('write', 1) in step 4 ends where the invariant does not hold: pc = [done, done], counter = 1 since
('write', 0) in step 3
"""

from __future__ import annotations

from assay.evidence.counterexample import Counterexample, Step
from assay.evidence.explanation.events import WORD, said, shortened

MOST_VALUES = 4


def one_system(counterexample: Counterexample) -> str:
    """Empty if the steps are those of processes or threads."""
    steps, violation = counterexample.steps, counterexample.violation
    names = {step.process for step in steps}
    if len(names) != 1 or "[" in next(iter(names)) or any(step.happenings or step.function for step in steps):
        return ""
    variables = counterexample.variables_after(len(steps))
    last = steps[-1]
    if violation.kind == "deadlock":
        mentioned = [name for name in variables if "@" not in name]
        head = f"after {_action(last)} in step {last.number} no action is enabled"
    elif violation.kind in {"invariant", "step-invariant"}:
        words = dict.fromkeys(WORD.findall(violation.property or violation.message))
        mentioned = [word for word in words if word in variables]
        head = f"{_action(last)} in step {last.number} ends where the invariant does not hold"
    else:
        return ""
    told = [f"{name} = {_shown(variables[name])}{_since(name, steps)}" for name in mentioned[:MOST_VALUES]]
    return head + (f": {', '.join(told)}" if told else "")


def _since(name: str, steps: tuple[Step, ...]) -> str:
    """Which action gave it the value; it may have been there from the start."""
    changing = [step for step in steps if any(change.name == name for change in step.changes)]
    if not changing:
        return " from the start"
    if changing[-1] is steps[-1]:
        return ""
    return f" since {_action(changing[-1])} in step {changing[-1].number}"


def _action(step: Step) -> str:
    return shortened(step.text)


def _shown(value: object) -> str:
    if isinstance(value, list):
        return shortened(f"[{', '.join(map(_shown, value))}]")
    return shortened(said(value))
