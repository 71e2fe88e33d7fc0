"""Breadth-first search with the states on disk, exact: delayed duplicate detection.

Successors are collected in memory up to a limit and then written out sorted,
as a batch. When a level has been expanded its batches are merged, states of
earlier levels are left out, and what remains is the next level. Memory holds
one batch, however many states there are. A finished search has seen every
reachable state, each exactly once; of all counterexamples it reports one with
the fewest steps, found by going back through the levels.

States are bytes here, since they go to disk. Each level is one sorted file,
and all earlier levels are read again for each new one: what the native search
does to read less is left out, and so are its checkpoints.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from assay.search.reference.breadth_first import as_stopped
from assay.search.reference.run import Run, Stopped


def spilling_breadth_first(run: Run[bytes], directory: Path, batch_states: int) -> None:
    levels: list[Path] = []

    def path_to(state: bytes, depth: int) -> tuple[int, ...]:
        """Positions from the initial state, looked for level by level from the end."""
        path: list[int] = []
        for level in reversed(levels[:depth]):
            position, state = next(
                (position, before)
                for before in read_states(level)
                for position, (after, _) in enumerate(run.model.successors(before))
                if after == state
            )
            path.append(position)
        return tuple(reversed(path))

    def expand(level: Path, depth: int) -> list[Path]:
        """The batches of successors of a level."""
        batches: list[Path] = []
        candidates: set[bytes] = set()

        def write_batch() -> None:
            batches.append(directory / f"batch-{len(batches)}")
            write_states(batches[-1], sorted(candidates))
            candidates.clear()

        for state in read_states(level):

            def report(code: int, position: int | None, state: bytes = state) -> None:
                run.violated(code, path_to(state, depth) + (() if position is None else (position,)))

            candidates.update(after for _, after in run.expand(state, depth, report))
            if len(candidates) >= batch_states:
                write_batch()
            if run.stop_at_first_violation and run.shortest_violation == depth:
                return batches
        if candidates:
            write_batch()
        return batches

    try:
        initial, violation = run.model.initial_state()
        run.add_state()
        if violation:
            run.violated(violation, ())
            if run.stop_at_first_violation:
                return
        level_states = 1
        levels.append(directory / "level-0")
        write_states(levels[0], [initial])
        while level_states:
            depth = len(levels) - 1
            batches = expand(levels[-1], depth)
            if run.stop_at_first_violation and run.shortest_violation is not None:
                return
            reached = once_each(heapq.merge(*map(read_states, batches)))
            seen = heapq.merge(*map(read_states, levels))
            level_states = 0

            def counted(states: Iterable[bytes]) -> Iterator[bytes]:
                nonlocal level_states
                for state in states:
                    run.add_state()
                    level_states += 1
                    yield state

            levels.append(directory / f"level-{depth + 1}")
            write_states(levels[-1], counted(without(reached, seen)))
            for batch in batches:
                batch.unlink()
    except (Stopped, KeyboardInterrupt, MemoryError) as stop:
        run.stopped(as_stopped(stop))


def write_states(path: Path, states: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        for state in states:
            file.write(len(state).to_bytes(4, "little") + state)


def read_states(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while length := file.read(4):
            yield file.read(int.from_bytes(length, "little"))


def once_each(states: Iterable[bytes]) -> Iterator[bytes]:
    """Sorted states without repetitions."""
    for state, _ in groupby(states):
        yield state


def without(states: Iterable[bytes], others: Iterator[bytes]) -> Iterator[bytes]:
    """Sorted states that are not among other sorted states."""
    other = next(others, None)
    for state in states:
        while other is not None and other < state:
            other = next(others, None)
        if state != other:
            yield state
