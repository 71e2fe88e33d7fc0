"""What a swarm found out: `assay.swarm` returns it and `--json` prints it, in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from assay.evidence.coverage import Estimate
from assay.evidence.properties import Property
from assay.evidence.result import Violation
from assay.evidence.verdict import Verdict
from assay.records import dataclass
from assay.swarming.union import Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmRun:
    """One run. `end` is how it ended: "violation", "finished", "time", "memory", "depth", "states",
    "crashed", "lost" (its worker died), "interrupted", "not begun", "not needed" (it was over before)."""

    number: int
    kind: str
    end: str
    detail: str = ""
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    restarts: int = 0
    violations: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    command: str = ""  # repeats it alone

    def as_json(self) -> dict[str, object]:
        return {
            "number": self.number,
            "kind": self.kind,
            "end": self.end,
            "detail": self.detail,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "seconds": round(self.seconds, 6),
            "restarts": self.restarts,
            "violations": self.violations,
            "options": dict(self.options),
            "command": self.command,
        }


@dataclass(frozen=True, slots=True)
class SwarmFinding:
    """Which runs came to a violation, and how long after the start the first did."""

    violation: Violation
    runs: tuple[int, ...]
    kinds: tuple[str, ...]
    seconds: float

    def as_json(self) -> dict[str, object]:
        return {
            **self.violation.as_json(),
            "found_by": {
                "runs": list(self.runs),
                "kinds": list(self.kinds),
                "seconds": round(self.seconds, 6),
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmResult:
    verdict: Verdict
    program: str
    language: str
    complete: bool
    properties: tuple[Property, ...] = ()
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    runs: tuple[SwarmRun, ...] = ()
    findings: tuple[SwarmFinding, ...] = ()
    seen: Seen | None = None  # by all runs together; None: nobody knows
    seen_by_kind: Mapping[str, int] = field(default_factory=dict)
    coverage: Estimate | None = None
    why_no_coverage: str = ""
    first_violation_seconds: float | None = None
    proved_by: int | None = None  # the run that saw every state, exactly
    where: str = ""  # who ran the runs
    workers: int = 1
    seconds: float = 0.0
    compile_seconds: float = 0.0
    peak_memory_bytes: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    semantics: Mapping[str, object] = field(default_factory=dict)
    version: str = ""

    @property
    def violations(self) -> tuple[Violation, ...]:
        return tuple(one.violation for one in self.findings)

    def ends(self) -> dict[str, int]:
        """How many runs ended how."""
        counted: dict[str, int] = {}
        for run in self.runs:
            counted[run.end] = counted.get(run.end, 0) + 1
        return counted

    def as_json(self) -> dict[str, object]:
        return {
            "verdict": str(self.verdict),
            "complete": self.complete,
            "properties": [one.as_json() for one in self.properties],
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "program": self.program,
            "language": self.language,
            "states": self.seen.states if self.seen else max((run.states for run in self.runs), default=0),
            "transitions": sum(run.transitions for run in self.runs),
            "depth": max((run.depth for run in self.runs), default=0),
            "seconds": round(self.seconds, 6),
            "compile_seconds": round(self.compile_seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "violations": [one.as_json() for one in self.findings],
            "violation_count": len(self.findings),
            "first_violation_seconds": self.first_violation_seconds,
            "proved_by": self.proved_by,
            "ends": self.ends(),
            "seen": self.seen.as_json() if self.seen else None,
            "seen_by_kind": dict(self.seen_by_kind),
            "coverage": estimate_as_json(self.coverage) if self.coverage else None,
            "runs": [run.as_json() for run in self.runs],
            "where": self.where,
            "workers": self.workers,
            "certificate": None,
            "options": dict(self.options),
            "semantics": dict(self.semantics),
            "version": self.version,
        }


def estimate_as_json(estimate: Estimate) -> dict[str, object]:
    return {
        "method": estimate.method,
        "coverage": estimate.coverage,
        "low": estimate.low,
        "high": estimate.high,
        "visited": estimate.visited,
        "total": estimate.total,
    }
