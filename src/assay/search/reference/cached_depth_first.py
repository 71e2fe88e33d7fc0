"""Depth-first search with a bounded cache of visited states (thesis, chapter 4).

When the cache is full, a policy chooses fully explored states to replace; a state
that was replaced is explored again when it is met again. What is on the stack stays, so a
path never comes back to itself and the search ends.

A finished search has seen every reachable state, some of them several times: every
state it entered was left only after each of its successors had been entered or found in
the cache, where only entered states are (Theorem 4.2.2). `states` counts visits. When all that
the cache holds is on the stack, the search stops and says so.

One difference to Algorithm 4.1: successors are looked up when they are generated, and
once more when it is their turn. What is in the cache at either time needs no exploration.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic

from assay.search.outcome import CacheOutcome, State
from assay.search.reference.breadth_first import as_stopped
from assay.search.reference.replacement import Policy, make_policy
from assay.search.reference.run import Run, Stopped


class Cache:
    """At most `capacity` states, each in a slot of its own until it is removed."""

    def __init__(self, capacity: int, policy: Policy) -> None:
        self.capacity = capacity
        self.policy = policy
        self.hits = 0
        self.replaced = 0
        self._slots: dict[Hashable, int] = {}
        self._states: list[Hashable] = []
        self._free: list[int] = []

    def find(self, state: Hashable, source: int) -> bool:
        """Whether a step from the state in slot `source` leads to one that is known."""
        slot = self._slots.get(state)
        if slot is None:
            return False
        self.hits += 1
        self.policy.hit(slot, source)
        return True

    def add(self, state: Hashable, depth: int) -> int:
        if self._free:
            slot = self._free.pop()
            self._states[slot] = state
        else:
            slot = len(self._states)
            self._states.append(state)
        self._slots[state] = slot
        self.policy.entered(slot, depth)
        return slot

    def make_place(self) -> None:
        if len(self._slots) < self.capacity:
            return
        victims = self.policy.replace()
        if not victims:
            raise Stopped("cache")
        for slot in victims:
            del self._slots[self._states[slot]]
            self._free.append(slot)
        self.replaced += len(victims)

    def outcome(self, *, contents: bool) -> CacheOutcome:
        return CacheOutcome(
            self.capacity,
            len(self._slots),
            self.replaced,
            self.hits,
            tuple((state, self.policy.worth(slot)) for state, slot in self._slots.items())
            if contents
            else (),
        )


@dataclass(slots=True)
class Frame(Generic[State]):
    """A state on the path: the successors not yet tried, the next one last."""

    slot: int
    pending: list[tuple[int, State]]
    position: int = -1  # of the successor that the search is below of


def cached_depth_first(
    run: Run[State], *, size: int, policy: str, strata: int, seed: int, contents: bool
) -> None:
    if size < 1:
        raise ValueError("the cache holds at least one state")
    cache = Cache(size, make_policy(policy, seed, strata))
    stack: list[Frame[State]] = []

    def enter(state: State) -> None:
        def report(code: int, position: int | None) -> None:
            path = tuple(frame.position for frame in stack)
            run.violated(code, path if position is None else (*path, position))

        cache.make_place()
        run.add_state()
        slot = cache.add(state, len(stack))
        successors = run.expand(state, len(stack), report)[::-1]
        cache.policy.expanded(slot, len(successors))
        stack.append(Frame(slot, [found for found in successors if not cache.find(found[1], slot)]))

    try:
        initial, violation = run.model.initial_state()
        if violation:
            run.violated(violation, ())
        if violation and run.stop_at_first_violation:
            run.add_state()
        else:
            enter(initial)
        while stack:
            if run.stop_at_first_violation and run.shortest_violation is not None:
                break
            frame = stack[-1]
            if not frame.pending:
                stack.pop()
                cache.policy.left(frame.slot, stack[-1].slot if stack else None)
                continue
            frame.position, state = frame.pending.pop()
            if not cache.find(state, frame.slot):
                enter(state)
    except (Stopped, KeyboardInterrupt, MemoryError) as stop:
        run.stopped(as_stopped(stop))
    run.cache = cache.outcome(contents=contents)
