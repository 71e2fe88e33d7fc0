"""A thread asked for a variable of `threading.local` that only another thread had set.

helper failed in line 9: every thread has a context.tenant of its own (threading.local), and helper had set
none
"""

from __future__ import annotations

import re

from assay.evidence.explanation.events import Run

NONE_OF_ITS_OWN = re.compile(r"'_thread\._local' object has no attribute '(\w+)'")


def of_each_thread(run: Run) -> str:
    violation, last = run.counterexample.violation, run.failing
    missing = NONE_OF_ITS_OWN.search(violation.message)
    if missing is None or last is None or violation.line is None:
        return ""
    raised = [event for event in run.events if event.kind == "raises" and event.line == violation.line]
    who = raised[-1].process if raised else last.process
    asked = re.search(rf"[\w.]*\b{missing[1]}\b", raised[-1].text if raised else last.text)
    name = asked[0] if asked else missing[1]
    where = run.where(violation.file or last.file, violation.line)
    return (
        f"{who} failed in {where}: every thread has a {name} of its own (threading.local), and {who} had set "
        "none"
    )
