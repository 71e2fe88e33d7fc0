"""Runs that never end, on a cluster: is there a cycle of the product that meets every acceptance set?

The product is explored as any program is, in the order of its discovery. Then its states have numbers, and
are cut into slices of consecutive ones, one for each worker. The steps of each slice are put into one file,
and what can be on a cycle that counts is found by rounds over the slices: who has no predecessor goes, who is
not reached from a step of some acceptance set goes, until nothing does (one way catch them young: Černá and
Pelánek 2003). It is the hull that a search on disk computes, so that the run which is made of it, by one
worker, is the run that one machine finds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.clustering.certificate import arguments_of, streams_for
from assay.clustering.coordinator import COMMIT_SECONDS, Coordinator, Stop
from assay.clustering.cycle_calls import Block, Piece, Sets, Written
from assay.clustering.explored import Explored, SharedDirectory
from assay.clustering.grouping import shared_out
from assay.clustering.standing import CALL
from assay.distribution.interface import ClusterProblem
from assay.evidence.verdict import SearchFacts, StopReason
from assay.execution.model_process import ModelProcess, Progress
from assay.search.cycles import CycleOutcome, PartRequest, conclude
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening, TemporalProperty
from assay.transition_system.question import question_of

if TYPE_CHECKING:
    from assay.distribution.pinned_tasks import PinnedTasks

ALONE_STATES = 20_000  # of a product in which one worker looks for cycles
SWEEP_SECONDS = 5.0


def find_violation(
    tasks: PinnedTasks,
    path: str,
    opening: Opening,
    wanted: TemporalProperty,
    options: SearchOptions,
    *,
    processes: int,
    deadline: float | None,
    on_progress: Callable[[Progress], None] | None,
    process: ModelProcess | None,
    certificate: PartRequest | None,
    identity: Sequence[tuple[str, str]],
) -> CycleOutcome:
    """What `search.cycles.find_violation` does, with states of the product in this directory."""
    with SharedDirectory(path) as directory:
        explored = directory.load(dict(identity), resume=options.resume)
        searching = CycleCoordinator(
            tasks, directory, opening, options, deadline, on_progress, question_of(wanted, processes)
        )
        facts, lasso = searching.answer(explored, dict(identity))
    return conclude(
        opening,
        wanted,
        options,
        facts,
        lasso,
        processes=processes,
        deadline=deadline,
        on_progress=on_progress,
        process=process,
        certificate=certificate,
        peak_memory_bytes=searching.peak_memory_bytes,
    )


def files_of(pieces: Iterable[Piece]) -> frozenset[str]:
    return frozenset(piece[0] for piece in pieces)


class CycleCoordinator(Coordinator):
    def __init__(
        self,
        tasks: PinnedTasks,
        directory: SharedDirectory,
        opening: Opening,
        options: SearchOptions,
        deadline: float | None,
        on_progress: Callable[[Progress], None] | None,
        question: Mapping[str, Any],
    ) -> None:
        # What is claimed of states is none of this search.
        plain = replace(options, check_deadlock=False, stop_at_first_violation=False)
        super().__init__(tasks, directory, opening, plain, deadline, on_progress)
        self._question = question
        self._left: int | None = None  # states that can still be on a cycle
        self._next_sweep = 0.0
        self._needed: frozenset[str] = frozenset()  # files of this part of the search

    @property
    def peak_memory_bytes(self) -> int:
        return self._peak_memory

    def answer(
        self, explored: Explored | None, identity: Mapping[str, str]
    ) -> tuple[SearchFacts, tuple[list[int], int] | None]:
        """What was explored and why it ended, and the run that was found."""
        self._search = self._search_for(
            explored, in_order=True, logs_edges=False, question=json.dumps(self._question)
        )
        stop, facts, lasso = Stop(StopReason.FINISHED), None, None
        try:
            try:
                self._look_for_workers(first=True)
                self._explored = self._begin(identity) if explored is None else self._take_up(explored)
                facts = self._explore(self._explored)
                if facts.complete:
                    lasso = self._cycle(self._explored)
            except Stop as stopped:
                stop = stopped
            except ClusterProblem as gone:
                stop = Stop(StopReason.CLUSTER, str(gone))
            facts = self._facts_at(stop, facts)
            if lasso is not None:
                facts = replace(facts, complete=False, stop_reason=StopReason.VIOLATION)
            self._leave(facts)
        finally:
            self._say_goodbye()
        seconds = time.monotonic() - self._began
        return replace(facts, seconds=seconds, violation_count=int(lasso is not None)), lasso

    def _facts_at(self, stop: Stop, facts: SearchFacts | None) -> SearchFacts:
        if facts is None:
            return self._facts_of_a_stopped_search(stop)
        if stop.reason is StopReason.FINISHED:
            return facts
        # All of the product is known, and nobody knows whether it has a cycle.
        return replace(facts, complete=False, stop_reason=stop.reason, stop_detail=stop.detail)

    def _commit(self, explored: Explored) -> None:
        self._directory.commit(explored, self._needed)
        self._directory.sweep(explored.files() | self._needed)
        self._next_commit = time.monotonic() + COMMIT_SECONDS

    def _note(self, explored: Explored) -> str:
        note = super()._note(explored)
        return note if self._left is None else f"{note}, {self._left:,} states can be on a cycle"

    # --- from the product to a run ---

    def _cycle(self, explored: Explored) -> tuple[list[int], int] | None:
        self._commit(explored)
        self._left = explored.states
        slices, asked = self._slices_of_steps(explored)
        hull: Sets = None
        if len(slices) > 1:
            hull = self._hull(explored, slices, asked)
            if not hull:
                return None
        self._tracing = hull is not None
        found: tuple[list[int], int] | None = self._one(
            "cycles.find",
            states=explored.states,
            blocks=[block for slice_ in slices for block in slice_],
            hull=hull,
        )
        return found

    def _boundaries(self, explored: Explored) -> list[int]:
        """A slice of numbers for each worker; one alone has the whole of a small product."""
        alone = explored.states <= ALONE_STATES
        count = 1 if alone else min(len(self._accepted), explored.states)
        return [explored.states * index // count for index in range(count + 1)]

    def _sets(self) -> list[int]:
        """The acceptance sets that a cycle has to meet: those of the automaton, and one for each process."""
        count = self._question["automaton"]["acceptance_sets"] + self._question["processes"]
        return [1 << number for number in range(count)]

    def _slices_of_steps(self, explored: Explored) -> tuple[list[list[Block]], list[int]]:
        """The steps of all states, and the acceptance sets that have to be asked for."""
        bounds = self._boundaries(explored)
        written = self._written(explored, bounds)
        self._needed = files_of(piece for pieces in written.values() for each in pieces for piece in each)
        streams = streams_for(explored, len(self._accepted), self._search.memory_limit_bytes // 2)
        everything = range(explored.partitions)
        count = len(bounds) - 1
        edges = [[written[one][0][index]] for one in everything for index in range(count)]
        numbers = self._numbers_of(explored, streams, edges)
        self._needed |= files_of(piece for stream in numbers for piece in stream)
        stream_of = {partition: index for index, stream in enumerate(streams) for partition in stream}
        firsts = [first for first, _ in arguments_of(explored, ())["levels"]]

        def make() -> list[Any]:
            return [
                self._submit_to(
                    index,
                    "cycles.join",
                    begin=begin,
                    end=end,
                    marks=[written[one][0][index] for one in everything],
                    facts=[written[one][1][index] for one in everything],
                    numbers=[[stream[one * count + index] for one in everything] for stream in numbers],
                    stream_of=[stream_of[one] for one in everything],
                    levels=firsts,
                )
                for index, (begin, end) in enumerate(pairwise(bounds))
            ]

        joined: list[tuple[list[Block], int]] = self._do(make)
        slices = [blocks for blocks, _ in joined]
        self._sweep(explored, slices, ())
        # What is reached from a step of some set has a predecessor: sets that have all steps ask for no more.
        asked = [one for one in self._sets() if not all(of_all & one for _, of_all in joined)]
        return slices, asked

    def _written(self, explored: Explored, bounds: list[int]) -> dict[int, Written]:
        def make() -> list[Any]:
            groups = shared_out(explored.partitions, self._accepted, explored.homes)
            return [
                self._tasks.submit(
                    CALL,
                    self._task(
                        "cycles.write_steps",
                        {
                            "levels": {one: arguments_of(explored, [one])["levels"] for one in mine},
                            "slices": bounds,
                        },
                    ),
                    worker=worker,
                )
                for worker, mine in groups.items()
            ]

        return {one: pieces for group in self._do(make) for one, pieces in group.items()}

    def _numbers_of(
        self, explored: Explored, streams: Sequence[Sequence[int]], edges: list[list[Piece]]
    ) -> list[list[Piece]]:
        """Of each stream, the numbers of what these steps lead to in it."""
        numbers: list[list[Piece]] = []
        at_once = len(self._accepted)
        for begin in range(0, len(streams), at_once):

            def make(begin: int = begin) -> list[Any]:
                return [
                    self._submit_to(
                        index, "number_edges", **{**arguments_of(explored, stream), "edges": edges}
                    )
                    for index, stream in enumerate(streams[begin : begin + at_once])
                ]

            numbers += self._do(make)
        return numbers

    # --- rounds ---

    def _hull(self, explored: Explored, slices: list[list[Block]], asked: Sequence[int]) -> Sequence[Piece]:
        """What can be on a cycle that counts, or behind one; nothing: there is none."""
        inside: Sets = None
        count = explored.states
        while True:
            before = count
            inside, count = self._eliminated(explored, slices, inside)
            for one in asked or [0]:  # the set of all steps
                if count:
                    inside, count = self._reached(explored, slices, inside, one)
            if not count:
                return ()
            if count == before:
                assert inside is not None
                return inside

    def _eliminated(self, explored: Explored, slices: list[list[Block]], inside: Sets) -> tuple[Sets, int]:
        """Without those that no step leads to, and so on."""
        targets: list[Piece] | None = None  # of the steps of each slice
        while True:

            def make(inside: Sets = inside, targets: list[Piece] | None = targets) -> list[Any]:
                return [
                    self._submit_to(
                        index,
                        "cycles.eliminate",
                        states=explored.states,
                        blocks=blocks,
                        inside=inside,
                        elsewhere=None if targets is None else [*targets[:index], *targets[index + 1 :]],
                    )
                    for index, blocks in enumerate(slices)
                ]

            done = self._do(make)
            inside = [left for _, _, left, _ in done]
            self._left = sum(count for _, count, _, _ in done)
            is_known = targets is not None
            targets = [leads_to for _, _, _, leads_to in done]
            self._sweep(explored, slices, [*inside, *targets])
            if (is_known and not any(is_changed for is_changed, *_ in done)) or not self._left:
                return inside, self._left

    def _reached(
        self, explored: Explored, slices: list[list[Block]], inside: Sets, acceptance_set: int
    ) -> tuple[Sets, int]:
        """What is reached from a step of the set, inside."""
        reached: list[Piece] = []
        while True:

            def make(reached: list[Piece] = reached) -> list[Any]:
                return [
                    self._submit_to(
                        index,
                        "cycles.spread",
                        states=explored.states,
                        blocks=blocks,
                        inside=inside,
                        acceptance_set=acceptance_set,
                        reached=reached,
                    )
                    for index, blocks in enumerate(slices)
                ]

            done = self._do(make)
            reached = [found for _, _, found in done]
            self._sweep(explored, slices, [*(inside or ()), *reached])
            if not any(is_changed for is_changed, _, _ in done):  # then all of them are the same
                self._left = done[0][1]
                return reached[:1], done[0][1]

    def _submit_to(self, index: int, call: str, **arguments: Any) -> Any:
        worker = self._accepted[index % len(self._accepted)]
        return self._tasks.submit(CALL, self._task(call, arguments), worker=worker)

    def _sweep(self, explored: Explored, slices: list[list[Block]], sets: Sequence[Piece]) -> None:
        """Removes sets of earlier rounds, now and then."""
        self._needed = frozenset(block[3] for slice_ in slices for block in slice_) | files_of(sets)
        if time.monotonic() > self._next_sweep:
            self._next_sweep = time.monotonic() + SWEEP_SECONDS
            self._directory.sweep(explored.files() | self._needed)
