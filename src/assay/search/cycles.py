"""Temporal properties: asks the engine for a run that violates one, in the child process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.evidence.certificate.assembly import StoredPart
from assay.evidence.counterexample import RawRun
from assay.evidence.verdict import SearchFacts, StopReason
from assay.execution.model_process import EngineFailure, Job, ModelProcess, Progress, Report
from assay.execution.replaying import raw_run
from assay.records import dataclass
from assay.search.native import facts_of_a_broken_search
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening, TemporalProperty
from assay.transition_system.question import question_of


@dataclass(frozen=True, slots=True)
class FoundLasso:
    positions: tuple[int, ...]
    loop_start: int  # a position; if all stand before it, the run stays where they end
    run: RawRun | None  # None: the child died before it could be executed again
    moving: frozenset[int]  # processes that take a step of the cycle
    starved: frozenset[int]  # those that could always move on the cycle and never do
    sometimes: frozenset[int]  # those that could now and then, and never do
    atoms: tuple[frozenset[str], ...] = ()  # that hold in each state; none: it is too long to be told


def _lasso(
    positions: Sequence[int], loop_start: int, run: RawRun | None, told: Mapping[str, Any]
) -> FoundLasso:
    return FoundLasso(
        tuple(positions),
        loop_start,
        run,
        moving=frozenset(told["moving"]),
        starved=frozenset(told["starved"]),
        sometimes=frozenset(told["sometimes"]),
        atoms=tuple(map(frozenset, told["atoms"])),
    )


@dataclass(frozen=True, slots=True)
class CycleOutcome:
    """`facts` counts states of the product with the property's automaton."""

    facts: SearchFacts
    lasso: FoundLasso | None
    peak_memory_bytes: int
    part: StoredPart | None = None  # of the certificate, if one was asked for and the property holds
    part_problem: str = ""  # why there is none then
    log_bytes: int = 0


@dataclass(frozen=True, slots=True)
class PartRequest:
    """Where the part of a certificate goes that is about a property, and how it is written."""

    file: Path
    coding: str


def find_violation(
    opening: Opening,
    wanted: TemporalProperty,
    options: SearchOptions,
    *,
    processes: int = 0,
    deadline: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    process: ModelProcess | None = None,
    certificate: PartRequest | None = None,
    directory: Path | None = None,
    identity: Sequence[tuple[str, str]] = (),
) -> CycleOutcome:
    """Search for a run that violates a property; with fairness for that many `processes`.

    `directory`: where states of the product are kept if they are kept on disk, and `identity` what a search
    that was left there must agree in to be continued.
    """
    facts: dict[str, object] = {
        "options": options.for_engine() | {"spill_directory": "" if directory is None else str(directory)},
        "identity": list(identity),
        "deadline": deadline,
        "question": question_of(wanted, processes),
        "certificate": None
        if certificate is None
        else {"file": str(certificate.file), "coding": certificate.coding},
    }
    with Job("assay.search.cycle_worker:work", facts, opening, process) as child:
        child.watch(deadline=deadline, memory_limit_bytes=options.memory_limit_bytes, on_progress=on_progress)
        searched = child.searched
        if searched is None:
            child.raise_if_it_failed()
            return CycleOutcome(facts_of_a_broken_search(child, options), None, child.peak_memory_bytes)
        return CycleOutcome(
            SearchFacts(
                states=searched["states"],
                transitions=searched["transitions"],
                depth=searched["depth"],
                frontier=searched["frontier"],
                seconds=searched["seconds"],
                complete=searched["complete"],
                stop_reason=StopReason.named(searched["stop_reason"]),
                violation_count=searched["violation_count"],
            ),
            _found(child, searched["violations"], wanted),
            child.peak_memory_bytes,
            *_part(child, wanted, certificate),
        )


def conclude(
    opening: Opening,
    wanted: TemporalProperty,
    options: SearchOptions,
    facts: SearchFacts,
    lasso: tuple[Sequence[int], int] | None,
    *,
    processes: int = 0,
    deadline: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    process: ModelProcess | None = None,
    certificate: PartRequest | None = None,
    peak_memory_bytes: int = 0,
) -> CycleOutcome:
    """What follows from a search that others did: the run in the product that they found is executed here
    and judged, and a part of a certificate is written if there is none."""
    holds = facts.complete and lasso is None
    if lasso is None and (certificate is None or not holds):
        return CycleOutcome(facts, None, peak_memory_bytes)
    job: dict[str, object] = {
        "options": options.for_engine() | {"spill_directory": ""},
        "deadline": deadline,
        "question": question_of(wanted, processes),
        "lasso": lasso,
        "certificate": None
        if certificate is None or not holds
        else {"file": str(certificate.file), "coding": certificate.coding},
    }
    with Job("assay.search.cycle_worker:conclude", job, opening, process) as child:
        child.watch(
            deadline=None if lasso is not None else deadline,
            memory_limit_bytes=options.memory_limit_bytes,
            on_progress=on_progress,
        )
        if child.searched is None:
            child.raise_if_it_failed()
            how = child.how_it_ended()
            if lasso is None:
                return CycleOutcome(facts, None, peak_memory_bytes, part_problem=how)
            # Nobody has seen it violate the property.
            crashed = replace(facts, violation_count=0, stop_reason=StopReason.CRASHED, stop_detail=how)
            return CycleOutcome(crashed, None, peak_memory_bytes)
        return CycleOutcome(
            facts,
            _found(child, child.searched["violations"], wanted),
            max(peak_memory_bytes, child.peak_memory_bytes),
            *_part(child, wanted, certificate if holds else None),
        )


def _found(child: Report, found: Sequence[Mapping[str, Any]], wanted: TemporalProperty) -> FoundLasso | None:
    if any(not one["confirmed"] for one in found):
        raise EngineFailure(
            f"a cycle that the engine found does not violate {wanted.text!r} when executed again"
        )
    if not found:
        return None
    run = raw_run(child.runs[0]) if child.runs else None
    return _lasso(found[0]["path"], found[0]["loop_start"], run, found[0])


def _part(
    child: Report, wanted: TemporalProperty, certificate: PartRequest | None
) -> tuple[StoredPart | None, str, int]:
    written = child.certificate
    if certificate is None or written is None:
        return None, "" if certificate is None else "the process that wrote it was ended", 0
    if written["problem"]:
        return None, str(written["problem"]), 0
    part = StoredPart.from_json(
        certificate.file, written, kind=wanted.kind, name=wanted.name, text=wanted.text
    )
    return part, "", int(written["log_bytes"])


def replay_lasso(
    opening: Opening, wanted: TemporalProperty, positions: tuple[int, ...], loop_start: int, processes: int
) -> FoundLasso | None:
    """A saved run executed again; None if it no longer exists or no longer violates the property."""
    facts: dict[str, object] = {
        "question": question_of(wanted, processes),
        "positions": list(positions),
        "loop_start": loop_start,
    }
    with Job("assay.search.cycle_worker:judge", facts, opening) as child:
        child.watch(deadline=None, memory_limit_bytes=0, on_progress=None)
        child.raise_if_it_failed()
        if child.searched is None or not child.searched["confirmed"] or not child.runs:
            return None
        return _lasso(positions, loop_start, raw_run(child.runs[0]), child.searched)
