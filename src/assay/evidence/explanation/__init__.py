"""One sentence about a failing run: what went wrong in it.

Each pattern has a file and looks for itself in what really happened (`events`). A pattern that is found is
told with the threads, lines and values of this run; where none is found, the plain fact is: who failed
where, with which values. No cause is ever guessed.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.evidence.counterexample import Counterexample
from assay.evidence.explanation.acted_on_old import acted_on_old
from assay.evidence.explanation.anothers_value import anothers_value
from assay.evidence.explanation.changed_under_way import changed_under_way
from assay.evidence.explanation.events import Run
from assay.evidence.explanation.formula import formula
from assay.evidence.explanation.half_seen import half_seen
from assay.evidence.explanation.into_the_old import into_the_old
from assay.evidence.explanation.lost_update import lost_update
from assay.evidence.explanation.nobody_moves import nobody_moves
from assay.evidence.explanation.of_each_thread import of_each_thread
from assay.evidence.explanation.one_system import one_system
from assay.evidence.explanation.plain_fact import plain_fact
from assay.evidence.explanation.released_twice import released_twice
from assay.evidence.explanation.sequential import sequential
from assay.evidence.explanation.taken_away import taken_away
from assay.evidence.explanation.went_over import went_over

__all__ = ["explain"]

SAYS_IT_ITSELF = {"race", "trace", "notrace"}  # kinds whose message names the two that do not go together

# Patterns compare pairs of events, and runs may have a hundred thousand steps. What decided such a run is
# near its end, and a pattern that is found there happened, whatever came before.
COMPARED_STEPS = 1000


def explain(counterexample: Counterexample) -> str:
    """Empty where the message of the violation says it all, or nothing is known."""
    if counterexample.violation.kind == "ltl":
        return formula(counterexample)
    if counterexample.loop_start is not None or counterexample.violation.kind in SAYS_IT_ITSELF:
        return ""
    if counterexample.steps and not any(step.process for step in counterexample.steps):
        return sequential(counterexample)
    if counterexample.steps and (text := one_system(counterexample)):
        return text
    if counterexample.violation.kind == "deadlock":
        return nobody_moves(Run(counterexample))
    run = Run(counterexample, last_steps=COMPARED_STEPS)
    patterns: tuple[Callable[[Run], str], ...] = (
        into_the_old,
        lost_update,
        changed_under_way,
        anothers_value,
    )
    if counterexample.violation.kind == "exception":
        patterns = (of_each_thread, changed_under_way, lost_update, anothers_value, taken_away)
    patterns += (half_seen, went_over, acted_on_old, released_twice, plain_fact)
    return next((text for pattern in patterns if (text := pattern(run))), "")
