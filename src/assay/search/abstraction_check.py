"""Is matching by a key sound for a program? What the engine's observer of that name found, told by the child.

The observer (`engine/search/observers/abstraction_check.cpp`) compares all states of each key, over the graph
that a search with exact storage visits. `tell` runs where the model is open: some states mean nothing
elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.records import dataclass

if TYPE_CHECKING:
    from assay._engine import Model, SearchResult

NAME = "abstraction"  # of the observer
PREFIX = f"{NAME}: "
# What two states of one key disagree in, by the engine's numbers.
DIFFERENCES = ("", "atoms", "property", "end", "step", "violation")


@dataclass(frozen=True, slots=True)
class AbstractionFacts:
    keys: int
    states: int  # that were compared
    pairs: int  # that agree, among those with one key
    broken: int  # keys with states that do not
    difference: str = ""  # of the first pair: one of DIFFERENCES
    first: bytes = b""
    second: bytes = b""
    steps: tuple[tuple[int, int], ...] = ()  # process and transition: what the second cannot answer
    after: bytes = b""  # where that leads
    descriptions: Mapping[str, object] | None = None  # by models that describe themselves


def tell(model: Model, result: SearchResult) -> dict[str, object] | None:
    """In the child: what there is to say, in JSON; None if nobody asked."""
    found = result.observations
    if f"{PREFIX}keys" not in found:
        return None
    told: dict[str, Any] = {name: found[PREFIX + name] for name in ("keys", "states", "pairs", "broken")}
    told["difference"] = DIFFERENCES[found[f"{PREFIX}difference"]]
    if not told["difference"]:
        return told
    first, second = (result.records[f"{PREFIX}{which}"] for which in ("first", "second"))
    told |= {"first": first.hex(), "second": second.hex()}
    from assay.execution.replaying import Descriptions
    from assay.transition_system.opening import describes_itself

    descriptions = Descriptions(model) if describes_itself(model) else None
    if descriptions is not None:
        for state in (first, second):
            descriptions.say_state(state)
        told["descriptions"] = descriptions.said
    if told["difference"] == "step":
        position = found[f"{PREFIX}position"]
        after = model.successors(first)[position][0] or first
        told["after"] = after.hex()
        if descriptions is not None:
            told["steps"] = [[0, descriptions.say_step(first, position, after)]]
        else:
            told["steps"] = [list(step[:2]) for step in model.explain(first, position)]
    return told


def facts_from(told: Mapping[str, Any]) -> AbstractionFacts:
    """In the parent."""
    return AbstractionFacts(
        told["keys"],
        told["states"],
        told["pairs"],
        told["broken"],
        told["difference"],
        bytes.fromhex(told.get("first", "")),
        bytes.fromhex(told.get("second", "")),
        tuple((process, transition) for process, transition in told.get("steps", ())),
        bytes.fromhex(told.get("after", "")),
        told.get("descriptions"),
    )


def others(observations: Mapping[str, int]) -> dict[str, int]:
    """What was counted for people."""
    return {name: number for name, number in observations.items() if not name.startswith(PREFIX)}
