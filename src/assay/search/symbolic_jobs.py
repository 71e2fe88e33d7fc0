"""Jobs about the symbolic form of a program, in a child process: what a prover does there cannot harm the
tool.

`work_*` are what the child is asked to do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.transition_system.symbolic import SymbolicSystem, terms_of

if TYPE_CHECKING:
    from assay.search.amcs import Compile
    from assay.search.proofs.proving import Attempt

WORK_PROOF = "assay.search.symbolic_jobs:work_proof"
WORK_CELLS = "assay.search.symbolic_jobs:work_cells"
REPORT_SECONDS = 0.1
MOST_TOLD = 1_000  # predicates


def work_proof(system: SymbolicSystem, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    """In the child: look for a proof until the deadline."""
    from assay.evidence.inductive.z3_prover import load_z3
    from assay.execution.worker import peak_memory_bytes, resident_bytes
    from assay.search.proofs.proving import prove

    load_z3()
    began = time.monotonic()
    send("started")
    deadline = job["deadline"] if job["deadline"] is not None else began + 1e9
    say = reporter(
        send,
        began,
        lambda attempt: {
            "states": attempt.states,
            "note": f"round {attempt.round}, {attempt.candidates:,} candidates, "
            f"{attempt.questions:,} questions",
        },
        resident_bytes,
    )

    def on_progress(attempt: Attempt) -> None:
        say(attempt)
        if stopped.is_set():
            from assay.search.proofs.houdini import OutOfTime

            raise OutOfTime

    found = prove(system, check_deadlock=job["check_deadlock"], deadline=deadline, on_progress=on_progress)
    send(
        "searched",
        invariant=None if found.invariant is None else found.invariant.as_json(system),
        violation=None
        if found.violation is None
        else {"code": found.violation.code, "states": [list(state) for state in found.violation.states]},
        source=found.source,
        states=found.states,
        transitions=found.transitions,
        rounds=found.rounds,
        questions=found.questions,
        candidates=found.candidates,
        is_exhausted=found.is_exhausted,
        is_inductive=found.is_inductive,
        not_excluded=[list(one) for one in found.not_excluded],
        still_open=list(found.still_open),
        seconds=time.monotonic() - began,
        stopped=stopped.is_set(),
        peak_memory_bytes=peak_memory_bytes(),
    )


def work_amcs(
    system: SymbolicSystem, job: dict[str, Any], send: Any, stopped: threading.Event, compiler: Compile
) -> None:
    """In the child: abstract matching with refinement by weakest preconditions."""
    from assay.evidence.inductive.invariant import InductiveInvariant
    from assay.execution.worker import peak_memory_bytes, resident_bytes
    from assay.search.amcs import FastAmcs
    from assay.search.proofs.candidates import Candidates
    from assay.search.reference.amcs import invariant_of
    from assay.transition_system.symbolic import SymbolicModel

    began = time.monotonic()
    send("started")
    say = reporter(
        send,
        began,
        lambda event: {
            "states": event[2],
            "note": f"round {event[0]:,}, {event[1]:,} predicates, {event[2]:,} abstract states",
        },
        resident_bytes,
    )

    def on_progress(*event: int) -> None:
        say(event)
        if stopped.is_set():
            raise TimeoutError

    strategy = job["strategy"]
    found = FastAmcs(
        SymbolicModel(system),
        initial_predicates(system, Candidates(system)),
        None if strategy == "amcs-no-prover" else validity(system),
        compiler=compiler,
        add_all=strategy == "amcs-add-all",
        check_deadlock=job["check_deadlock"],
        deadline=began + 1e9 if job["deadline"] is None else job["deadline"],
        on_progress=on_progress,
    ).run()
    proof = None
    if found.abstraction is not None and strategy != "amcs-no-prover":
        invariant = InductiveInvariant(invariant_of(found.abstraction))
        if is_proved(system, invariant, deadlock=job["check_deadlock"]):
            proof = invariant.as_json(system)
    send(
        "searched",
        violation=None
        if found.violation is None
        else {"code": found.violation[0], "states": [list(state) for state in found.violation[1]]},
        invariant=proof,
        is_precise=found.abstraction is not None,
        is_one_to_one=found.is_one_to_one,
        rounds=found.rounds,
        predicates=[str(one) for one in found.predicates[:MOST_TOLD]],
        predicate_count=len(found.predicates),
        abstract_states=found.abstract_states,
        states=found.states,
        unchanged_rounds=found.unchanged_rounds,
        out_of_time=found.out_of_time,
        is_too_deep=found.is_too_deep,
        stopped=stopped.is_set(),
        seconds=time.monotonic() - began,
        seconds_proving=found.seconds_proving,
        peak_memory_bytes=peak_memory_bytes(),
    )


def work_cells(system: SymbolicSystem, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    """In the child: are the abstract states of a splitting search closed?"""
    from assay.execution.worker import peak_memory_bytes, resident_bytes
    from assay.search.proofs.cells import look_for_closed_cells
    from assay.search.reference.max_overlap import max_overlap
    from assay.search.reference.min_only import min_only
    from assay.search.reference.min_set import min_set

    began = time.monotonic()
    send("started")
    say = reporter(
        send,
        began,
        lambda event: {
            "states": event[1],
            "note": f"round {event[0]:,}, {event[1]:,} abstract states, closed?",
        },
        resident_bytes,
    )
    found = look_for_closed_cells(
        system,
        {"max-overlap": max_overlap, "min-set": min_set, "min-only": min_only}[job["strategy"]],
        initial_predicates(system, None)[: job["most_predicates"]],
        seed=job["seed"],
        check_deadlock=job["check_deadlock"],
        deadline=job["deadline"],
        on_progress=lambda *event: say(event),
    )
    send(
        "searched",
        invariant=None if found.invariant is None else found.invariant.as_json(system),
        is_bisimulation=found.is_bisimulation,
        rounds=found.rounds,
        cells=found.cells,
        predicates=[str(one) for one in found.predicates[:MOST_TOLD]],
        predicate_count=len(found.predicates),
        seconds=time.monotonic() - began,
        stopped=stopped.is_set(),
        peak_memory_bytes=peak_memory_bytes(),
    )


def initial_predicates(system: SymbolicSystem, candidates: Any) -> list[Any]:
    """Those that were given; otherwise the comparisons of properties and guards."""
    if system.predicates:
        return list(system.predicates)
    from assay.search.reference.amcs import predicates_in
    from assay.transition_system.symbolic import with_everything

    del candidates
    found = [one for term in with_everything(system) for one in predicates_in(term, system)]
    return list(dict.fromkeys(found))


def validity(system: SymbolicSystem) -> Callable[[Any, Any], bool]:
    from assay.evidence.inductive.entailment import Entailment

    return Entailment(system.variables, terms_of(system))


def is_proved(system: SymbolicSystem, invariant: Any, *, deadlock: bool) -> bool:
    """Every obligation of a proof is met."""
    from assay.evidence.inductive.obligations import initial_problem
    from assay.evidence.inductive.z3_prover import Z3Prover
    from assay.search.proofs.houdini import left_open

    if initial_problem(system, invariant):
        return False
    terms = [*terms_of(system), *(one for here in invariant.conjuncts.values() for one in here)]
    prover = Z3Prover(system.variables, terms, seconds=30.0)
    return not left_open(
        system, prover, invariant, deadlock=deadlock, deadline=time.monotonic() + 600, steps_too=True
    )


def reporter(
    send: Any, began: float, facts: Callable[[Any], dict[str, Any]], resident_bytes: Callable[[], int]
) -> Callable[[Any], None]:
    """Tells how far a search is, ten times a second."""
    last = [0.0]

    def say(event: Any) -> None:
        now = time.monotonic()
        if now - last[0] < REPORT_SECONDS:
            return
        last[0] = now
        told: dict[str, Any] = {
            "states": 0,
            "transitions": 0,
            "depth": 0,
            "frontier": 0,
            "memory_bytes": resident_bytes(),
            "seconds": now - began,
            **facts(event),
        }
        send("progress", **told)

    return say
