"""A short concrete search, breadth first: what it has seen is what invariants are guessed from.

It keeps how it came to each state, so that a violation that it meets is a run.
"""

from __future__ import annotations

import time
from collections import deque

from assay.records import dataclass
from assay.transition_system.symbolic import Location, State, SymbolicModel
from assay.transition_system.terms import MOST_BITS_OF_A_NUMBER


@dataclass(frozen=True, slots=True)
class SeenViolation:
    """`states` is the run, from the initial state to the one where it fails; `code` 0 is a deadlock."""

    code: int
    states: tuple[State, ...]


class Sample:
    def __init__(self, model: SymbolicModel, *, check_deadlock: bool) -> None:
        self.model = model
        self.check_deadlock = check_deadlock
        self.controls = len(model.system.controls)
        initial, _ = model.initial_state()
        self.parents: dict[State, State | None] = {initial: None}
        self.by_location: dict[Location, list[State]] = {initial[: self.controls]: [initial]}
        self._waiting: deque[State] = deque([initial])
        self.transitions = 0
        self._left_out = False  # a state whose numbers nobody wants to write

    @property
    def states(self) -> int:
        return len(self.parents)

    @property
    def is_exhausted(self) -> bool:
        """Every reachable state has been seen and expanded."""
        return not self._waiting and not self._left_out

    def explore(self, more: int, deadline: float) -> SeenViolation | None:
        """Expands states until there are so many more, or none, or a property fails."""
        limit = self.states + more
        while self._waiting and self.states < limit:
            if self.transitions % 256 == 0 and time.monotonic() > deadline:
                return None
            state = self._waiting.popleft()
            if (found := self.expand(state)) is not None:
                return found
        return None

    def expand(self, state: State) -> SeenViolation | None:
        model = self.model
        if (code := model.check_state(state)) != 0:
            return SeenViolation(code, self.run_to(state))
        successors = model.successors(state)
        if not successors and self.check_deadlock and not model.is_valid_end(state):
            return SeenViolation(0, self.run_to(state))
        for after, code in successors:
            self.transitions += 1
            if code:
                return SeenViolation(code, self.run_to(state))
            if after is not None:
                self.add(after, state)
        return None

    def add(self, state: State, parent: State) -> bool:
        if any(value.bit_length() > MOST_BITS_OF_A_NUMBER for value in state):
            self._left_out = True
            return False
        if state in self.parents:
            return False
        self.parents[state] = parent
        self.by_location.setdefault(state[: self.controls], []).append(state)
        self._waiting.append(state)
        return True

    def run_to(self, state: State) -> tuple[State, ...]:
        run = [state]
        while (parent := self.parents[run[-1]]) is not None:
            run.append(parent)
        return tuple(reversed(run))
