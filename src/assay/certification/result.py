"""What `assay.certify` returns and `assay certify --json` prints, in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field

from assay.evidence.result import Violation
from assay.evidence.verdict import Verdict
from assay.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedProperty:
    """A property of runs that never end whose part of the certificate was walked through, with what was
    visited."""

    kind: str
    name: str
    text: str
    fair: bool  # it is claimed of fair runs only
    states: int
    transitions: int
    depth: int
    walk_seconds: float

    @property
    def title(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "walk_seconds": round(self.walk_seconds, 6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificationResult:
    """The outcome of one certification.

    `verified`: the certificate holds for this program, and so do the properties
    added to it. `rejected`: it does not, `reasons` says why. `violated`: a property that
    was added fails, and the walk ended there. `states` and `transitions` count what was
    visited here, not what was claimed.
    """

    verdict: Verdict
    program: str
    certificate: Mapping[str, object]  # path, bytes, sha256
    mode: str  # "authenticated", "explained", "trusted"
    claim: str = ""
    complete: bool = False
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    compile_seconds: float = 0.0
    walk_seconds: float = 0.0  # in the walks themselves, summed over tasks
    run_seconds: float = 0.0  # from giving out the first task to having the last answer
    peak_memory_bytes: int = 0
    tasks: int = 1
    workers: int = 1
    where: str = ""  # who did the tasks
    largest_task_share: float = 1.0  # of all entries
    average_path: float = 0.0
    longest_path: int = 0
    wrong_acceptance_log2: float | None = None  # authenticated: bound on accepting a wrong certificate
    duplicates: int | None = None  # explained: states visited under a second number
    map_entries_peak: int | None = None
    temporal: tuple[CertifiedProperty, ...] = ()
    obligations: int | None = None  # of an invariant: how many were proved anew
    solver: str = ""  # by whom
    signed_by: str | None = None
    violations: tuple[Violation, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    semantics: Mapping[str, object] = field(default_factory=dict)
    version: str = ""

    def as_json(self) -> dict[str, object]:
        return {
            "verdict": str(self.verdict),
            "complete": self.complete,
            "mode": self.mode,
            "claim": self.claim,
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "program": self.program,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "seconds": round(self.seconds, 6),
            "compile_seconds": round(self.compile_seconds, 6),
            "walk_seconds": round(self.walk_seconds, 6),
            "run_seconds": round(self.run_seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "tasks": self.tasks,
            "workers": self.workers,
            "where": self.where,
            "largest_task_share": self.largest_task_share,
            "initialization_paths": {"average": self.average_path, "longest": self.longest_path},
            "wrong_acceptance_log2": self.wrong_acceptance_log2,
            "duplicates": self.duplicates,
            "map_entries_peak": self.map_entries_peak,
            "temporal": [one.as_json() for one in self.temporal],
            **({"obligations": self.obligations, "solver": self.solver} if self.solver else {}),
            "signed_by": self.signed_by,
            "violations": [violation.as_json() for violation in self.violations],
            "certificate": dict(self.certificate),
            "options": dict(self.options),
            "semantics": dict(self.semantics),
            "version": self.version,
        }
