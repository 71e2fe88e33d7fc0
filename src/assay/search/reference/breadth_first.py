"""Breadth-first search, exact.

States are expanded level by level. A finished search has seen every reachable
state, each exactly once; without a violation the properties hold. Of all
counterexamples it reports one with the fewest steps.
"""

from __future__ import annotations

from assay.search.outcome import State
from assay.search.reference.run import Run, Stopped


def breadth_first(run: Run[State]) -> None:
    # How each state was first reached; also the set of states seen.
    parents: dict[State, tuple[State, int] | None] = {}

    def path_to(state: State) -> tuple[int, ...]:
        path = []
        while (step := parents[state]) is not None:
            state, position = step
            path.append(position)
        return tuple(reversed(path))

    try:
        initial, violation = run.model.initial_state()
        parents[initial] = None
        run.add_state()
        if violation:
            run.violated(violation, ())
            if run.stop_at_first_violation:
                return
        level = [initial]
        depth = 0
        while level:
            next_level: list[State] = []
            for state in level:

                def report(code: int, position: int | None, state: State = state) -> None:
                    run.violated(code, path_to(state) + (() if position is None else (position,)))

                for position, after in run.expand(state, depth, report):
                    if after not in parents:
                        run.add_state()
                        parents[after] = (state, position)
                        next_level.append(after)
                # A step that violates ends one level further down than a state
                # that does: the rest of this level may hold a shorter path.
                if run.stop_at_first_violation and run.shortest_violation == depth:
                    return
            if run.stop_at_first_violation and run.shortest_violation is not None:
                return
            level = next_level
            depth += 1
    except (Stopped, KeyboardInterrupt, MemoryError) as stop:
        run.stopped(as_stopped(stop))


def as_stopped(stop: BaseException) -> Stopped:
    """What ended the search, by name."""
    if isinstance(stop, Stopped):
        return stop
    return Stopped("memory" if isinstance(stop, MemoryError) else "interrupted")
