"""What `assay.verify` returns and `--json` prints, in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from assay.evidence.cache import Cache
from assay.evidence.counterexample import Counterexample, step_as_json
from assay.evidence.loss import Loss
from assay.evidence.properties import Property
from assay.evidence.verdict import Verdict
from assay.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    kind: str
    message: str
    file: str | None = None
    line: int | None = None
    traceback: tuple[str, ...] = ()  # as the language prints it, where it does
    counterexample: Counterexample | None = None
    trace: str | None = None  # the file it was saved in
    property: str = ""  # the one that fails, as it was asked for (`ViolationFacts`)

    def explanation(self) -> str:
        """What went wrong in the run, in one sentence."""
        if self.counterexample is None:
            return ""
        from assay.evidence.explanation import explain  # only those who failed need it

        return explain(self.counterexample)

    def values(self) -> tuple[str, ...]:
        """Those with which an assertion failed, where the language tells them."""
        return self.counterexample.violation.values if self.counterexample is not None else ()

    def headline(self) -> str:
        """The message; of an assertion that has none, the values with which it failed."""
        values = self.values()
        return f"{self.message}: {values[0]}" if values and ":" not in self.message else self.message

    def as_json(self) -> dict[str, object]:
        run = self.counterexample
        return {
            "kind": self.kind,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            **({"traceback": list(self.traceback)} if self.traceback else {}),
            **({"values": list(self.values())} if self.values() else {}),
            **({"explanation": explanation} if (explanation := self.explanation()) else {}),
            "length": run.length if run else None,
            "steps": [step_as_json(step) for step in run.steps] if run else [],
            "omitted": run.omitted if run else 0,
            **({"loop_step": run.loop_step} if run and run.loop_step is not None else {}),
            "waiting": [
                {
                    "process": w.process,
                    "file": w.file,
                    "line": w.line,
                    "text": w.text,
                    **({"reason": w.reason} if w.reason and run.loop_start is None else {}),
                }
                for w in run.waiting
            ]
            if run
            else [],
            "trace": self.trace,
        }


@dataclass(frozen=True, slots=True)
class Shown:
    """Something of the way to a verdict: a title and lines for people, facts for programs."""

    what: str
    title: str
    lines: tuple[str, ...]
    facts: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        return {"what": self.what, "title": self.title, "text": list(self.lines), **self.facts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The outcome of one verification.

    `states` counts distinct states stored, initial ones included;
    `transitions` counts the edges explored; `complete` says that every
    reachable state was visited exactly. A search with a `cache` counts visits of
    states and steps taken, which are more when the cache forgot some.
    """

    verdict: Verdict
    program: str
    language: str
    complete: bool
    properties: tuple[Property, ...] = ()  # what the verdict speaks of, and what it does not
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    states: int = 0
    transitions: int = 0
    depth: int = 0
    frontier: int = 0
    seconds: float = 0.0
    search_seconds: float = 0.0
    compile_seconds: float = 0.0
    peak_memory_bytes: int = 0
    stop_reason: str = ""
    violations: tuple[Violation, ...] = ()
    violation_count: int = 0
    loss: Loss | None = None
    cache: Cache | None = None
    certificate: Mapping[str, object] | None = None  # path, bytes, seconds, frames of the one written
    spill: Mapping[str, object] | None = None  # directory, disk_bytes, resumed_from of a search on disk
    cluster: Mapping[str, object] | None = (
        None  # workers, partitions, bytes_sent and levels of a search on a cluster
    )
    proof: Mapping[str, object] | None = None  # what it rests on if not every state was visited
    abstraction: Mapping[str, object] | None = (
        None  # rounds, predicates and states of a search by abstraction
    )
    coverage: Mapping[str, object] | None = None  # an estimate, where the search did not see everything
    code_coverage: tuple[Mapping[str, object], ...] = ()  # of embedded C, by function, with `match` path
    matching: Mapping[str, object] | None = None  # what a check of what states are compared by found
    witness: Mapping[str, object] | None = None  # path, kind, parts, left_out of the SV-COMP witness written
    shown: tuple[Shown, ...] = ()  # what `show` asked for
    levels: tuple[int, ...] = ()  # states of each breadth-first level, where the search knows; not in JSON
    observations: Mapping[str, int] = field(default_factory=dict)  # what `observe` asked for
    options: Mapping[str, object] = field(default_factory=dict)
    semantics: Mapping[str, object] = field(default_factory=dict)
    version: str = ""

    def as_json(self) -> dict[str, object]:
        return {
            "verdict": str(self.verdict),
            "complete": self.complete,
            "properties": [one.as_json() for one in self.properties],
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "program": self.program,
            "language": self.language,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "frontier": self.frontier,
            "seconds": round(self.seconds, 6),
            "search_seconds": round(self.search_seconds, 6),
            "compile_seconds": round(self.compile_seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "stop_reason": self.stop_reason,
            "violations": [violation.as_json() for violation in self.violations],
            "violation_count": self.violation_count,
            "loss": self.loss.as_json(self.states) if self.loss else None,
            "cache": self.cache.as_json(self.states, self.transitions) if self.cache else None,
            "certificate": dict(self.certificate) if self.certificate else None,
            "spill": dict(self.spill) if self.spill else None,
            "cluster": dict(self.cluster) if self.cluster else None,
            **({"proof": dict(self.proof)} if self.proof else {}),
            **({"abstraction": dict(self.abstraction)} if self.abstraction else {}),
            "coverage": dict(self.coverage) if self.coverage else None,
            **({"code_coverage": list(map(dict, self.code_coverage))} if self.code_coverage else {}),
            **({"matching": dict(self.matching)} if self.matching else {}),
            **({"witness": dict(self.witness)} if self.witness else {}),
            **({"shown": [one.as_json() for one in self.shown]} if self.shown else {}),
            **({"observations": dict(self.observations)} if self.observations else {}),
            "options": dict(self.options),
            "semantics": dict(self.semantics),
            "version": self.version,
        }
