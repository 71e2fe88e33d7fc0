"""Breadth-first search that keeps a 64-bit fingerprint of each state.

Two states with one fingerprint are taken for one. Every counterexample is
real; a finished search without one proves nothing, though with n states the
probability that any was lost is below n² / 2⁶⁵.
"""

from __future__ import annotations

from hashlib import blake2b

from assay.search.outcome import State
from assay.search.reference.breadth_first import as_stopped
from assay.search.reference.run import Run, Stopped


def fingerprint(state: object, seed: int, salt: int = 0) -> int:
    """64 bits that depend on the state and the seed alone.

    States that are not bytes are told apart by their `repr`, which for frozen
    dataclasses, tuples and numbers says all there is.
    """
    text = state if isinstance(state, bytes) else repr(state).encode()
    key = seed.to_bytes(8, "little") + salt.to_bytes(8, "little")
    return int.from_bytes(blake2b(text, digest_size=8, key=key).digest(), "little")


def fingerprint_breadth_first(run: Run[State], seed: int) -> None:
    seen: set[int] = set()
    parents: list[tuple[int, int]] = [(0, 0)]  # of the n-th state: its parent's number, the position

    def path_to(number: int) -> tuple[int, ...]:
        path = []
        while number:
            number, position = parents[number]
            path.append(position)
        return tuple(reversed(path))

    try:
        initial, violation = run.model.initial_state()
        seen.add(fingerprint(initial, seed))
        run.add_state()
        if violation:
            run.violated(violation, ())
            if run.stop_at_first_violation:
                return
        level = [(0, initial)]
        depth = 0
        while level:
            next_level: list[tuple[int, State]] = []
            for number, state in level:

                def report(code: int, position: int | None, number: int = number) -> None:
                    run.violated(code, path_to(number) + (() if position is None else (position,)))

                for position, after in run.expand(state, depth, report):
                    if (mark := fingerprint(after, seed)) not in seen:
                        run.add_state()
                        seen.add(mark)
                        next_level.append((len(parents), after))
                        parents.append((number, position))
                if run.stop_at_first_violation and run.shortest_violation == depth:
                    return
            if run.stop_at_first_violation and run.shortest_violation is not None:
                return
            level = next_level
            depth += 1
    except (Stopped, KeyboardInterrupt, MemoryError) as stop:
        run.stopped(as_stopped(stop))
