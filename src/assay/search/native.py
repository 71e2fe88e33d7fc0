"""Runs the native engine, as a rule in a child process, and turns whatever happens there into facts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.evidence.cache import Cache
from assay.evidence.counterexample import RawRun
from assay.evidence.loss import loss_of
from assay.evidence.verdict import SearchFacts, StopReason
from assay.execution.model_process import EngineFailure, Job, ModelProcess, Progress, Report
from assay.execution.replaying import raw_run
from assay.records import dataclass
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening

if TYPE_CHECKING:
    from assay.evidence.certificate.claim import CertificateRequest, Claim
    from assay.search.abstraction_check import AbstractionFacts

WORK = "assay.search.worker:work"


@dataclass(frozen=True, slots=True)
class NativeViolation:
    code: int
    positions: tuple[int, ...]
    run: RawRun | None  # None: the child died before it could be executed again


@dataclass(frozen=True, slots=True)
class WrittenCertificate:
    path: str
    bytes: int
    seconds: float
    frames: int
    log_bytes: int  # disk that the graph took while it was recorded


@dataclass(frozen=True, slots=True)
class NativeOutcome:
    facts: SearchFacts
    violations: tuple[NativeViolation, ...]
    peak_memory_bytes: int
    disk_bytes: int = 0  # most that lay in the spill directory at once
    resumed_from: int = 0  # states that a checkpoint brought along
    levels: tuple[int, ...] = ()  # states of each breadth-first level, where the search knows
    remarks: tuple[str, ...] = ()  # what the verdict has to mention of what the program did
    untracked: tuple[tuple[int, int, bool], ...] = ()  # what steps changed that is no part of the state
    observations: Mapping[str, int] = field(default_factory=dict)  # of whoever was asked to listen
    sketch: str = ""  # of the states that were looked at, if one was asked for (`evidence.sketch`)
    restarts: int = 0  # how often the search began again
    covered: bytes = b""  # which blocks of embedded code were come to, where that is noted
    abstraction: AbstractionFacts | None = None  # what a check of one found
    certificate: WrittenCertificate | None = None
    certificate_problem: str = ""  # why there is none although one was asked for
    cluster: Mapping[str, object] | None = None  # who searched, and what each level cost


def search(
    opening: Opening,
    options: SearchOptions,
    *,
    deadline: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    certificate: CertificateRequest | None = None,
    claim: Claim | None = None,
    identity: Sequence[tuple[str, str]] = (),
    process: ModelProcess | None = None,
    more_options: Mapping[str, object] | None = None,
) -> NativeOutcome:
    """Search a model. `deadline` is a reading of `time.monotonic()`.

    `more_options` are for the strategy alone, by the names of the engine.
    `identity` names what a checkpoint on disk must agree in to be continued; `process`, if given, does this
    job among others.

    A certificate is written when the search saw every state and found nothing.
    Raises `AssumptionFailed` when the front end assumed too much, and
    `UnsupportedConstruct` when the program does what its language front end does not model.
    """
    facts: dict[str, object] = {
        "options": options.for_engine(),
        "deadline": deadline,
        "identity": list(identity),
        **({"looking": dict(more_options)} if more_options else {}),
    }
    partial: Path | None = None
    if certificate is not None and claim is not None:
        # A search that is continued after it was killed removes what it had begun to write.
        from assay.evidence.certificate.claim import partial_name

        partial = partial_name(certificate.path, options.spill_directory)
        facts["certificate"] = {
            "path": str(certificate.path),
            "partial": str(partial),
            "coding": certificate.coding,
            "subgraphs": certificate.subgraphs,
            "claim": claim.as_json(),
        }
    writing = False
    try:
        with Job(WORK, facts, opening, process) as child:
            try:
                child.watch(
                    deadline=deadline, memory_limit_bytes=options.memory_limit_bytes, on_progress=on_progress
                )
            finally:
                writing = child.writing
            return _outcome(child, options, repeats=not opening.settings.get("declared"))
    finally:
        if partial is not None and writing:
            with contextlib.suppress(OSError):
                partial.unlink()  # of a child that was ended while it wrote


def look_around(
    opening: Opening,
    options: SearchOptions,
    *,
    strategy: str,
    deadline: float | None,
    looking: Mapping[str, object],
    on_progress: Callable[[Progress], None] | None = None,
    process: ModelProcess | None = None,
) -> dict[str, Any] | None:
    """What a search saw that samples or sweeps the state space; None if it came to no end at all."""
    facts: dict[str, object] = {
        "options": {**options.for_engine(), "strategy": strategy, "spill_directory": "", "resume": False},
        "deadline": deadline,
        "identity": [],
        "looking": dict(looking),
    }
    with Job(WORK, facts, opening, process) as child:
        child.watch(deadline=deadline, memory_limit_bytes=options.memory_limit_bytes, on_progress=on_progress)
        if child.failure is not None and child.failure["kind"] in {"assumption", "unsupported"}:
            return None  # of the program, further on than the search had come
        child.raise_if_it_failed()
        return child.searched


def _outcome(child: Report, options: SearchOptions, *, repeats: bool) -> NativeOutcome:
    """`repeats`: a run leads where it led before, because steps depend on nothing but the state."""
    if child.searched is None:
        if not child.progress.tracing or child.says_that_the_model_is_wrong:
            child.raise_if_it_failed()
        return NativeOutcome(facts_of_a_broken_search(child, options), (), child.peak_memory_bytes)
    searched = child.searched
    if child.failure is not None and (not searched["violations"] or child.says_that_the_model_is_wrong):
        child.raise_if_it_failed()
    ran_out = searched["stop_reason"] == "memory" and not options.memory_limit_bytes
    facts = SearchFacts(
        states=searched["states"],
        transitions=searched["transitions"],
        depth=searched["depth"],
        frontier=searched["frontier"],
        seconds=searched["seconds"],
        complete=searched["complete"],
        stop_reason=StopReason.named(searched["stop_reason"]),
        stop_detail="the system gave no more" if ran_out else "",
        violation_count=searched["violation_count"],
        loss=loss_of(
            searched["guarantee"],
            options.storage,
            hash_functions=options.hash_functions,
            bits_set=searched["bits_set"],
            bits_total=searched["bits_total"],
        ),
        cache=_cache(options, **searched["cache"]),
    )
    violations, unrepeatable = [], 0
    for index, violation in enumerate(searched["violations"]):
        raw = child.runs[index] if index < len(child.runs) else None
        if raw is not None and (raw["failed_at"] is not None or violation["code"] not in raw["codes"]):
            if not repeats:
                unrepeatable += 1
                continue
            raise EngineFailure(
                f"a run that the engine found does not lead to its violation when executed again "
                f"(code {violation['code']}, executed: {raw.get('codes')}, failed at {raw['failed_at']})"
            )
        violations.append(
            NativeViolation(
                violation["code"], tuple(violation["path"]), None if raw is None else raw_run(raw)
            )
        )
    if unrepeatable:  # the others of the same kinds were not executed again either
        facts = replace(facts, violation_count=len(violations), unrepeatable=unrepeatable)
    certificate, problem = certificate_of(child)
    return NativeOutcome(
        facts,
        tuple(violations),
        child.peak_memory_bytes,
        disk_bytes=searched["disk_bytes"],
        resumed_from=searched["resumed_from"],
        levels=tuple(searched["levels"]),
        remarks=tuple(searched["remarks"]),
        untracked=tuple((address, code, asked) for address, code, asked in searched["untracked"]),
        observations=_observed(searched),
        sketch=searched["sketch"],
        restarts=searched["restarts"],
        abstraction=_abstraction(searched),
        covered=bytes.fromhex(searched["covered"]),
        certificate=certificate,
        certificate_problem=problem,
    )


def _observed(searched: Mapping[str, Any]) -> Mapping[str, int]:
    counted: Mapping[str, int] = searched["observations"]
    if searched["abstraction"] is not None:
        from assay.search.abstraction_check import others

        counted = others(counted)
    if not searched["sketch"]:
        return counted
    from assay.evidence.sketch import Sketch

    return {
        **counted,
        "different states looked at, about": round(Sketch.from_text(searched["sketch"]).estimate),
    }


def _abstraction(searched: Mapping[str, Any]) -> AbstractionFacts | None:
    if searched["abstraction"] is None:
        return None
    from assay.search.abstraction_check import facts_from

    return facts_from(searched["abstraction"])


def certificate_of(child: Report) -> tuple[WrittenCertificate | None, str]:
    found = child.certificate
    if found is None:
        return None, "" if child.finished else _why_it_was_not_written(child)
    if found["problem"]:
        return None, found["problem"]
    return WrittenCertificate(
        found["path"], found["bytes"], found["seconds"], found["frames"], found["log_bytes"]
    ), ""


def _why_it_was_not_written(child: Report) -> str:
    if child.stop_reason is StopReason.STUCK:
        return "the time limit was reached"
    if child.stop_reason is StopReason.INTERRUPTED:
        return "it was interrupted"
    return child.how_it_ended()


def facts_of_a_broken_search(child: Report, options: SearchOptions) -> SearchFacts:
    reason, detail = child.stop_reason, ""
    if reason is StopReason.UNKNOWN:
        if child.failure is not None and child.failure["kind"] == "disk":
            reason, detail = StopReason.DISK, child.failure["message"]
        elif child.failure is not None:
            reason = StopReason.MEMORY
            detail = "the system gave no more"
        else:
            reason, detail = StopReason.CRASHED, child.how_it_ended()
    elif reason is StopReason.MEMORY:
        detail = "the model's process had grown past it"
    elif reason is StopReason.INTERRUPTED:
        detail = "the search did not answer and was ended"
    return SearchFacts(
        states=child.progress.states,
        transitions=child.progress.transitions,
        depth=child.progress.depth,
        frontier=child.progress.frontier,
        seconds=child.progress.seconds,
        complete=False,
        stop_reason=reason,
        stop_detail=detail,
        violation_count=int(child.progress.tracing),  # found, though nobody can say any more how
        loss=loss_of("exact", options.storage, hash_functions=options.hash_functions),
        # Of what it held nothing is known; what went beyond its size must have replaced something.
        cache=_cache(
            options,
            capacity=options.cache_size,
            held=0,
            replaced=max(0, child.progress.states - options.cache_size),
            hits=0,
        ),
    )


def _cache(
    options: SearchOptions,
    *,
    capacity: int,
    held: int,
    replaced: int,
    hits: int,
    states_of_graph: int = 0,
    transitions_of_graph: int = 0,
) -> Cache | None:
    if options.strategy != "cached":
        return None
    return Cache(
        policy=options.cache_policy,
        capacity=capacity,
        held=held,
        replaced=replaced,
        hits=hits,
        states_of_graph=states_of_graph or options.states_of_graph,
        transitions_of_graph=transitions_of_graph,
    )
