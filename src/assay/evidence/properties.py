"""What a verdict speaks of: each property with its standing, and what nobody asked for.

A headline says no more than these lines. A property that was not asked for, because an option
left it out or because it cannot be asked for yet, is listed all the same where the program gives
reason to expect it; whether every run ends is listed always.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from assay.evidence.verdict import Judgement, Verdict
from assay.records import dataclass
from assay.transition_system.interface import Unchecked
from assay.transition_system.language_options import LanguageOptions


class Standing(StrEnum):
    HOLDS = "holds"
    VIOLATED = "violated"
    NOT_DECIDED = "not decided"
    NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Property:
    """`kind` is a word of the documentation; `text` says what the property is, in words of the source."""

    kind: str
    text: str
    standing: Standing

    def as_json(self) -> dict[str, object]:
        return {"kind": self.kind, "text": self.text, "standing": str(self.standing)}


ERRORS = ("error", "no error occurs while it runs")
ASSERTIONS = ("assertion", "no assertion fails")
DEADLOCK = ("deadlock", "no state is a deadlock")
TEMPORAL = (
    "ltl",
    "never",
    "acceptance",
    "progress",
    "termination",
)  # kinds that are about runs which never end
EVENTS = ("trace", "notrace")  # kinds that are about the order of steps
TERMINATION = ("termination", "whether every run ends")


def standings(
    judgement: Judgement,
    violated: Iterable[tuple[str, str]],
    options: LanguageOptions,
    *,
    check_deadlock: bool,
    monitors: Sequence[tuple[str, str]] = (),
    temporal: Sequence[Property] = (),
    unchecked: Sequence[Unchecked] = (),
) -> tuple[Property, ...]:
    """`violated` are the kinds of the violations that were found in states and on steps, and the properties
    that they are about; of what runs that never end must do, the standing is known."""
    asked = [ERRORS, ASSERTIONS, *([DEADLOCK] if check_deadlock else [])]
    asked += [("invariant", text) for text in options.invariants]
    asked += [("step-invariant", text) for text in options.step_invariants]
    asked += monitors
    broken = {_asked_for(kind, text, asked) for kind, text in violated}
    # Something failed that nobody can name any more: it may have been any of them.
    unknown = judgement.verdict is Verdict.VIOLATED and not broken
    seen_all = judgement.complete and not unknown

    def standing(name: tuple[str, str]) -> Standing:
        if name in broken:
            return Standing.VIOLATED
        return Standing.HOLDS if seen_all else Standing.NOT_DECIDED

    return (
        *(Property(*name, standing(name)) for name in asked),
        *temporal,
        *([] if check_deadlock else [Property("deadlock", "deadlocks", Standing.NOT_ASKED)]),
        *(
            Property(one.kind, one.text, Standing.NOT_DECIDED if one.asked else Standing.NOT_ASKED)
            for one in unchecked
        ),
        *(
            []
            if any(one.kind == TERMINATION[0] for one in temporal)
            else [Property(*TERMINATION, Standing.NOT_ASKED)]
        ),
    )


def _asked_for(kind: str, text: str, asked: Sequence[tuple[str, str]]) -> tuple[str, str]:
    if kind in {"assertion", "deadlock"}:
        return ASSERTIONS if kind == "assertion" else DEADLOCK
    if kind in EVENTS:
        return next((name for name in asked if name[0] == kind), ERRORS)
    if kind in {"invariant", "step-invariant"}:
        return (kind, text) if (kind, text) in asked else ASSERTIONS  # written in the program itself
    return ERRORS


def left_out(properties: Iterable[Property]) -> list[Property]:
    """What was not asked for although the program or an option gives reason to mention it in a headline."""
    return [one for one in properties if one.standing is Standing.NOT_ASKED and one.kind != TERMINATION[0]]


def nobody_asked_whether_it_ends(properties: Iterable[Property]) -> bool:
    return any(one.kind == TERMINATION[0] and one.standing is Standing.NOT_ASKED for one in properties)
