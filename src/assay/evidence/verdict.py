"""What Assay answers, and the one function that decides it.

`verified` is said only when nothing at all speaks against it: the search was
exact, it ended by itself with no state left, no violation was seen and the
front end has no caveat. Everything unknown is `incomplete`.
"""

from __future__ import annotations

from enum import Enum, StrEnum

from assay.evidence.cache import Cache
from assay.evidence.loss import Loss
from assay.records import dataclass


class Verdict(StrEnum):
    VERIFIED = "verified"  # every reachable state was visited, exactly, and all properties hold
    VIOLATED = "violated"  # a property fails; a replayable counterexample exists
    UNUSABLE = "unusable"  # the input is wrong or unsupported; nothing was checked
    INCOMPLETE = "incomplete"  # stopped by a limit, or the search was lossy; says which and how far
    REJECTED = "rejected"  # a trace or certificate does not match its program
    INTERNAL_ERROR = "internal error"  # our fault


class StopReason(Enum):
    """Why a search ended before it had seen everything."""

    FINISHED = ""
    VIOLATION = "violation"
    MEMORY = "memory"
    TIME = "time"
    DEPTH = "depth"
    STATES = "states"
    INTERRUPTED = "interrupted"
    CRASHED = "crashed"  # the process that ran the model died
    CLUSTER = "cluster"  # its scheduler, or all its workers, went away
    CACHE = "cache"  # the path of the search no longer fits its cache
    DISK = "disk"  # states, or the graph for a certificate, could not be written down
    STUCK = "stuck"  # no answer at the time limit: a step of the model does not return
    UNKNOWN = "unknown"

    @classmethod
    def named(cls, name: str) -> StopReason:
        """A reason this version does not know is still a reason."""
        try:
            return cls(name)
        except ValueError:
            return cls.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFacts:
    """What a search found out, whichever strategy and implementation ran."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    frontier: int = 0
    seconds: float = 0.0
    complete: bool = False
    stop_reason: StopReason = StopReason.UNKNOWN
    stop_detail: str = ""  # a sentence, where the reason alone does not say enough
    violation_count: int = 0
    unrepeatable: int = (
        0  # violations whose run led elsewhere when it was executed again: they are not counted
    )
    loss: Loss | None = None  # None: storage was exact
    cache: Cache | None = None  # of a cached search, whose `states` counts visits


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    complete: bool  # every reachable state was visited, exactly
    reasons: tuple[str, ...]  # why it is incomplete; empty otherwise


def judge(facts: SearchFacts, caveats: tuple[str, ...] = ()) -> Judgement:
    """The verdict that these facts allow, never a stronger one."""
    reasons: list[str] = []
    ended_by_itself = facts.complete and facts.stop_reason is StopReason.FINISHED and facts.frontier == 0
    if not ended_by_itself and facts.stop_reason is not StopReason.VIOLATION:
        reasons.append(_why_it_stopped(facts))
    if facts.loss is not None:
        reasons.append(facts.loss.sentence(facts.states))
    if facts.unrepeatable and not facts.violation_count:
        reasons.append(
            f"{facts.unrepeatable} of the runs of this search came to a violation and do not come to it when "
            "executed again: they depend on what is not tracked (--tracking all takes it into the state)"
        )
    exhaustive = ended_by_itself and facts.loss is None and not facts.unrepeatable
    if facts.violation_count > 0:
        return Judgement(Verdict.VIOLATED, exhaustive, tuple(reasons))
    if facts.stop_reason is StopReason.VIOLATION and not facts.unrepeatable:
        reasons.append("the search reported a violation but gave none")
    if facts.states < 1:
        reasons.append("no state was visited")
    if exhaustive and not reasons and not caveats:
        return Judgement(Verdict.VERIFIED, True, ())
    return Judgement(Verdict.INCOMPLETE, exhaustive and not reasons, (*reasons, *caveats))


def what_was_forgotten(facts: SearchFacts) -> list[str]:
    """Not a reason against a verdict, but against reading `states` as a number of distinct ones."""
    if facts.cache is None or not facts.cache.forgot:
        return []
    return [facts.cache.sentence(facts.states)]


def _why_it_stopped(facts: SearchFacts) -> str:
    sentence = {
        StopReason.FINISHED: "the search ended without having seen every state",
        StopReason.VIOLATION: "the search stopped at a violation",
        StopReason.MEMORY: "the memory limit was reached",
        StopReason.TIME: "the time limit was reached",
        StopReason.DEPTH: "the depth limit was reached",
        StopReason.STATES: "the limit on states was reached",
        StopReason.INTERRUPTED: "it was interrupted",
        StopReason.CRASHED: "the process that ran the model died",
        StopReason.CLUSTER: "the cluster was lost",
        StopReason.CACHE: "the path that the search follows fills the cache, which must be larger",
        StopReason.DISK: "the disk could not be used",
        StopReason.STUCK: "the time limit was reached while the model no longer answered",
        StopReason.UNKNOWN: "the search stopped for an unknown reason",
    }[facts.stop_reason]
    if facts.stop_detail:
        sentence = f"{sentence} ({facts.stop_detail})"
    if facts.frontier > 0:
        sentence += f", with {facts.frontier:,} states still to expand"
    return sentence
