"""A sequential program: where the rule was broken in the program, and what the rule remembered then."""

from __future__ import annotations

from pathlib import Path

from assay.evidence.counterexample import Counterexample


def sequential(run: Counterexample) -> str:
    """Empty where the violation says it all."""
    if run.violation.kind != "rule":
        return ""
    own = [step for step in run.steps if step.file != run.violation.file]
    if not own:
        return ""
    remembered: dict[str, object] = {}
    for step in run.steps:
        if step.file == run.violation.file:
            remembered.update({change.name: change.after for change in step.changes})
    values = ", ".join(f"{name} = {value}" for name, value in remembered.items())
    last = own[-1]
    return f"{last.text} in {Path(last.file).name}:{last.line} breaks the rule" + (
        f", when {values}" if values else ""
    )
