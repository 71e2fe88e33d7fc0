"""The search for a cycle that violates a temporal property, as a job of the child process.

What the engine finds in the product with an automaton becomes a run of the program alone, which is executed
again and judged by the definition: does it come back to where it was, does the automaton accept what it
reads on the way, is it fair. A run that does not pass is a fault of ours and never reported.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay import _engine
from assay.execution.replaying import execute
from assay.execution.worker import peak_memory_bytes
from assay.records import dataclass
from assay.transition_system.opening import root_of
from assay.transition_system.question import Question

if TYPE_CHECKING:
    from assay._engine import Model, Progress

PROGRESS_INTERVAL_SECONDS = 0.1
MOST_STATES_TOLD = 2_000
LIMITS = ("memory_limit_bytes", "depth_limit", "state_limit")


@dataclass(frozen=True, slots=True)
class Lasso:
    """A run that never ends, as positions of the program's steps; a loop of none stays at a dead end."""

    positions: tuple[int, ...]
    loop_start: int


@dataclass(frozen=True)
class CycleSearch(Question):
    """A question that is searched for, and what is found judged."""

    def options(self) -> dict[str, Any]:
        chosen: dict[str, Any] = {"strategy": "accepting-cycle", "check_deadlock": False}
        if self.processes:
            chosen |= {"fair": True, "processes": self.processes}
        if self.progress_label is not None:
            chosen["progress_label"] = self.progress_label
        return chosen

    def in_the_program(self, model: Model, positions: Sequence[int], loop_start: int) -> Lasso:
        """The run of the program inside of a run of the product."""
        state, location = model.initial_state()[0], 0
        own: list[int] = []
        start = 0
        for number, position in enumerate(positions):
            if number == loop_start:
                start = len(own)
            labels = model.labels(state)
            admitted = [
                edge
                for edge in self.automaton.edges[location]
                if labels & self.over_labels(edge.mask) == self.over_labels(edge.value)
            ]
            step, edge = divmod(position, len(admitted))
            location = admitted[edge].target
            successors = model.successors(state)
            if successors:  # else the program is at a dead end, and only the automaton goes on
                own.append(step)
                after, _ = successors[step]
                assert after is not None
                state = after
        return self._begun_early(model, Lasso(tuple(own), min(start, len(own))))

    @staticmethod
    def _begun_early(model: Model, lasso: Lasso) -> Lasso:
        """The same run with its cycle from where it is first on it: the automaton may have joined later."""
        states = [model.initial_state()[0]]
        for position in lasso.positions:
            after, _ = model.successors(states[-1])[position]
            assert after is not None
            states.append(after)
        positions, start = list(lasso.positions), lasso.loop_start
        while (
            (1 if root_of(model) else 0) < start < len(positions)
            and states[start - 1] == states[-2]
            and positions[start - 1] == positions[-1]
        ):
            start -= 1
            positions.pop()
            states.pop()
        return Lasso(tuple(positions), start)

    @staticmethod
    def bystanders(model: Model, lasso: Lasso) -> dict[str, list[int]]:
        """Who moves on the cycle; and of the others who can all the way round (the run is unfair to them),
        and who can now and then."""
        state = model.initial_state()[0]
        always: set[int] | None = None
        sometimes: set[int] = set()
        moved: set[int] = set()
        for number, position in enumerate(lasso.positions):
            if number >= lasso.loop_start:
                can = model.enabled(state)
                always = can if always is None else always & can
                sometimes |= can
                mover = model.processes(state)[position]
                moved |= set() if mover is None else {mover}
            after, _ = model.successors(state)[position]
            assert after is not None
            state = after
        starved = (always or set()) - moved
        return {
            "moving": sorted(moved),
            "starved": sorted(starved),
            "sometimes": sorted(sometimes - moved - starved),
        }

    def atoms_on_the_way(self, model: Model, lasso: Lasso) -> list[list[str]]:
        """Those that hold in each state of the run; nothing for a run too long to be told."""
        if len(lasso.positions) > MOST_STATES_TOLD:
            return []
        state = model.initial_state()[0]
        told = [] if root_of(model) else [sorted(self._letter(model, state))]
        for position in lasso.positions:
            after, _ = model.successors(state)[position]
            assert after is not None
            state = after
            told.append(sorted(self._letter(model, state)))
        return told

    def told(self, model: Model, lasso: Lasso) -> dict[str, Any]:
        """A run that was found, and whether it is a violation."""
        return {
            "path": lasso.positions,
            "loop_start": lasso.loop_start,
            "confirmed": self.is_violated_by(model, lasso),
            **self.bystanders(model, lasso),
            "atoms": self.atoms_on_the_way(model, lasso),
        }

    def is_violated_by(self, model: Model, lasso: Lasso) -> bool:
        """By the definition, from the steps of the program alone."""
        state = model.initial_state()[0]
        states, movers = [state], []
        for position in lasso.positions:
            movers.append(model.processes(state)[position])
            after, _ = model.successors(state)[position]
            assert after is not None
            state = after
            states.append(state)
        loop = states[lasso.loop_start : len(lasso.positions)]
        if not loop:  # it stays where it is
            if model.successors(state) or model.enabled(state):
                return False
            loop = [state]
        elif state != states[lasso.loop_start]:
            return False
        if self.progress_label is not None and any(
            model.labels(one) >> self.progress_label & 1 for one in loop
        ):
            return False
        for process in range(self.processes):
            moves = process in movers[lasso.loop_start :]
            if not moves and all(process in model.enabled(one) for one in loop):
                return False
        return self.automaton.accepts(
            [self._letter(model, one) for one in states[: lasso.loop_start]],
            [self._letter(model, one) for one in loop],
        )

    def _letter(self, model: Model, state: bytes) -> frozenset[str]:
        labels = model.labels(state)
        return frozenset(
            name for name, label in zip(self.automaton.atoms, self.labels, strict=True) if labels >> label & 1
        )


def work(model: Model, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    question = CycleSearch.from_json(job["question"], model)
    on_progress = _teller(send, stopped)
    send("started")
    product = question.product(model)
    limits = _limits(job)
    try:
        result = _engine.search(
            product,
            on_progress=on_progress,
            progress_interval_seconds=PROGRESS_INTERVAL_SECONDS,
            **question.options(),
            **limits,
            **_on_disk(job),
        )
    except (ValueError, _engine.CheckpointProblem) as problem:  # options that do not go together
        send("failed", kind="option", message=str(problem))
        return
    except (_engine.DiskProblem, _engine.GraphProblem) as problem:
        send("failed", kind="disk", message=str(problem))
        return
    # Without a start there was no time to make one.
    lassos = [
        question.in_the_program(model, violation.path, violation.loop_start)
        for violation in result.violations
        if violation.loop_start is not None
    ]
    send(
        "searched",
        states=result.states,
        transitions=result.transitions,
        depth=result.depth,
        frontier=result.frontier,
        seconds=result.seconds,
        complete=result.complete,
        stop_reason=result.stop_reason,
        violation_count=result.violation_count,
        violations=[question.told(model, lasso) for lasso in lassos],
        peak_memory_bytes=peak_memory_bytes(),
    )
    for lasso in lassos:
        send("run", **execute(model, list(lasso.positions), lambda: send("executing")))
    if job["certificate"] is not None and result.complete and not result.violation_count:
        _write_part(question, product, job["certificate"], _limits(job), on_progress, send, stopped)


def conclude(model: Model, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    """What a search that others did comes to: its run is executed here, or a part of a certificate
    written."""
    question = CycleSearch.from_json(job["question"], model)
    send("started")
    lassos = []
    if job["lasso"] is not None:
        positions, loop_start = job["lasso"]
        lassos.append(question.in_the_program(model, positions, loop_start))
    send(
        "searched",
        violations=[question.told(model, lasso) for lasso in lassos],
        peak_memory_bytes=peak_memory_bytes(),
    )
    for lasso in lassos:
        send("run", **execute(model, list(lasso.positions), lambda: send("executing")))
    if job["certificate"] is not None:
        on_progress = _teller(send, stopped)
        product = question.product(model)
        _write_part(question, product, job["certificate"], _limits(job), on_progress, send, stopped)


def _teller(send: Any, stopped: threading.Event) -> Callable[[Progress], bool]:
    def on_progress(progress: Progress) -> bool:
        send(
            "progress",
            states=progress.states,
            transitions=progress.transitions,
            depth=progress.depth,
            frontier=progress.frontier,
            memory_bytes=progress.memory_bytes,
            seconds=progress.seconds,
            tracing=progress.tracing,
        )
        return not stopped.is_set()

    return on_progress


def _limits(job: dict[str, Any]) -> dict[str, Any]:
    limits = {name: job["options"][name] for name in LIMITS}
    if job["deadline"] is not None:
        limits["time_limit_seconds"] = max(0.001, job["deadline"] - time.monotonic())
    return limits


def _on_disk(job: dict[str, Any]) -> dict[str, Any]:
    """What a search is told that keeps its states there."""
    if not job["options"]["spill_directory"]:
        return {}
    return {
        **{name: job["options"][name] for name in ("spill_directory", "resume")},
        "identity": [(name, value) for name, value in job["identity"]],
    }


def _write_part(
    question: CycleSearch,
    product: _engine.Product,
    wanted: dict[str, Any],
    limits: dict[str, Any],
    on_progress: Callable[[Progress], bool],
    send: Any,
    stopped: threading.Event,
) -> None:
    """What the search has shown, for others: the product once more, breadth first, and its ranks.

    Breadth first because the tree then has the shortest paths: a certifier keeps one, and each frame begins
    with one. The search for cycles is depth first, and its paths are as long as the product is deep.
    """
    from pathlib import Path

    from assay.search.certificate_writing import write_part

    def on_frame(written: int, frames: int) -> bool:
        send("writing", frames_written=written, frames=frames)
        return not stopped.is_set()

    send("writing")
    path = Path(wanted["file"])
    try:
        log = _engine.GraphLog(str(path.parent))
        ranks = _engine.RankedGraph(processes=question.processes, progress_label=question.progress_label)
        explored = _engine.search(
            product,
            on_progress=on_progress,
            progress_interval_seconds=PROGRESS_INTERVAL_SECONDS,
            strategy="bfs",
            check_deadlock=False,
            log=log,
            ranked=ranks,
            **limits,
        )
        if not log.is_finished:
            send("certificate", problem=f"exploring the product again ended early: {explored.stop_reason}")
            return
        written = write_part(log, ranks, path, coding=wanted["coding"], on_frame=on_frame)
    except (OSError, RuntimeError, MemoryError) as problem:
        send("certificate", problem=str(problem))
        return
    if written is None:
        send("certificate", problem="it was interrupted")
        return
    send("certificate", problem="", peak_memory_bytes=peak_memory_bytes(), log_bytes=log.bytes, **written)


def judge(model: Model, job: dict[str, Any], send: Any, _stopped: object) -> None:
    """Execute a saved run again: is it still a violation?"""
    question = CycleSearch.from_json(job["question"], model)
    lasso = Lasso(tuple(job["positions"]), job["loop_start"])
    run = execute(model, list(lasso.positions), lambda: send("executing"))
    exists = run["failed_at"] is None and 0 <= lasso.loop_start <= len(lasso.positions)
    confirmed = exists and question.is_violated_by(model, lasso)
    told: dict[str, Any] = {}
    if confirmed:
        told = {**question.bystanders(model, lasso), "atoms": question.atoms_on_the_way(model, lasso)}
    send("searched", confirmed=confirmed, **told)
    send("run", **run)
