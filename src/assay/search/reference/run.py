"""What the reference searches share: checking states, counting, limits, the result."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic

from assay.search.outcome import INVALID_END, CacheOutcome, Model, Outcome, Progress, State, Violation

LOOK_EVERY_STATES = 64


class Stopped(Exception):
    """Ends a search early, from wherever it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Run(Generic[State]):
    """One search under way."""

    def __init__(
        self,
        model: Model[State],
        *,
        memory_limit_bytes: int,
        time_limit_seconds: float,
        depth_limit: int,
        state_limit: int,
        stop_at_first_violation: bool,
        check_deadlock: bool,
        on_progress: Callable[[Progress], bool | None] | None,
        progress_interval_seconds: float,
    ) -> None:
        self.model = model
        self.depth_limit = depth_limit
        self.stop_at_first_violation = stop_at_first_violation
        self.states = 0
        self.transitions = 0
        self.depth = 0
        self.frontier = 0
        self.bits_set = 0
        self.bits_total = 0
        self.cache = CacheOutcome()
        self._memory_limit_bytes = memory_limit_bytes
        self._time_limit_seconds = time_limit_seconds
        self._state_limit = state_limit
        self._check_deadlock = check_deadlock
        self._on_progress = on_progress
        self._progress_interval_seconds = progress_interval_seconds
        self._began = time.monotonic()
        self._next_progress = progress_interval_seconds
        self._expanded = 0
        self._cut = False
        self._stop_reason = ""
        self._violations: dict[int, tuple[int, ...]] = {}
        self._violation_count = 0

    def add_state(self) -> None:
        """Count a new state, or stop if there may be no more."""
        if self._state_limit and self.states >= self._state_limit:
            raise Stopped("states")
        self.states += 1
        self.frontier += 1

    def expand(
        self, state: State, depth: int, report: Callable[[int, int | None], None]
    ) -> list[tuple[int, State]]:
        """Check a state and list its successors with their positions.

        `report` is told of each violation: its code and, if a step violates
        rather than the state, the position of that step. Beyond the depth
        limit a state is still checked but has no successors for the search.
        """
        self._look_up()
        self._expanded += 1
        self.frontier -= 1
        self.depth = max(self.depth, depth)
        model = self.model
        if code := model.check_state(state):
            report(code, None)
        successors = model.successors(state)
        if not successors:
            if self._check_deadlock and not model.is_valid_end(state):
                report(INVALID_END, None)
            return []
        if self.depth_limit and depth >= self.depth_limit:
            self._cut = True
            return []
        reached: list[tuple[int, State]] = []
        for position, (after, violation) in enumerate(successors):
            if violation:
                report(violation, position)
            if after is None:
                continue
            if code := model.check_step(state, after):
                report(code, position)
            reached.append((position, after))
        self.transitions += len(reached)
        return reached

    def violated(self, code: int, path: tuple[int, ...]) -> None:
        """Keep the first path of each code, and a shorter one in its place."""
        self._violation_count += 1
        if code not in self._violations or len(path) < len(self._violations[code]):
            self._violations[code] = path

    @property
    def shortest_violation(self) -> int | None:
        return min(map(len, self._violations.values()), default=None)

    def stopped(self, stop: Stopped) -> None:
        self._stop_reason = stop.reason

    def outcome(self) -> Outcome:
        violations = tuple(Violation(code, path) for code, path in self._violations.items())
        count = self._violation_count
        reason = self._stop_reason or ("depth" if self._cut else "")
        if violations and self.stop_at_first_violation:
            violations = (min(violations, key=lambda violation: len(violation.path)),)
            count, reason = 1, "violation"
        return Outcome(
            states=self.states,
            transitions=self.transitions,
            depth=self.depth,
            complete=not reason,
            stop_reason=reason,
            violations=violations,
            violation_count=count,
            seconds=time.monotonic() - self._began,
            bits_set=self.bits_set,
            bits_total=self.bits_total,
            frontier=self.frontier,
            cache=self.cache,
        )

    def _look_up(self) -> None:
        """Now and then: limits, progress."""
        if self._expanded % LOOK_EVERY_STATES:
            return
        seconds = time.monotonic() - self._began
        if self._time_limit_seconds and seconds >= self._time_limit_seconds:
            raise Stopped("time")
        if self._memory_limit_bytes and resident_bytes() > self._memory_limit_bytes:
            raise Stopped("memory")
        if self._on_progress is not None and seconds >= self._next_progress:
            self._next_progress = seconds + self._progress_interval_seconds
            progress = Progress(
                self.states, self.transitions, self.depth, self.frontier, resident_bytes(), seconds
            )
            if self._on_progress(progress) is False:
                raise Stopped("interrupted")


def resident_bytes() -> int:
    """Resident memory of this process; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * 4096
