"""GeneralSplitting (Kudra 2007, Algorithm 3) over breadth-first search with abstract matching (Algorithm 4).

Concrete states are explored; two match if their controls, the predicates that were given and the intervals
of their variables between thresholds are the same. An abstract state keeps the first concrete one, and the
least and greatest value of each variable among all that matched. When nothing new is found, thresholds are
added that split abstract states with several concrete ones, and the steps that were matched are looked at
again. The thesis begins each round from nothing; keeping what is explored changes neither theorem: a state
that stands for its class stands for one of the parts, and every step into a class that was split is decided
anew.

Every counterexample is real (Theorem 3). When nothing is merged, every reachable state was seen (Theorem
2); if there are finitely many, that happens (Theorem 1), because each round splits every abstract state
that can be split.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence

from assay.records import dataclass
from assay.transition_system.symbolic import State, SymbolicModel
from assay.transition_system.terms import Term, compiled_together

WORD = (1 << 64) - 1
Segment = tuple[tuple[int, ...], tuple[int, ...]]  # least and greatest value of each variable
Threshold = tuple[int, int]  # variable, number: `variable > number`


class RandomSource:
    """As the engine's, number for number."""

    def __init__(self, seed: int) -> None:
        self._state = seed & WORD

    def below(self, limit: int) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & WORD
        x = self._state
        x ^= x >> 32
        x = x * 0x9E3779B97F4A7C15 & WORD
        x ^= x >> 29
        x = x * 0xD6E8FEB86659FD93 & WORD
        x ^= x >> 32
        return x * limit >> 64


Refine = Callable[[Sequence[Segment], RandomSource], Sequence[Threshold]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplittingOutcome:
    states: tuple[State, ...]  # one for each abstract state, in the order of their discovery
    rounds: int
    thresholds: tuple[tuple[int, ...], ...]  # of each variable
    eligible: int
    transitions: int
    violation: tuple[int, tuple[State, ...]] | None  # its code and run
    is_one_to_one: bool


class _AbstractState:
    def __init__(self, values: Sequence[int]) -> None:
        self.low, self.high = list(values), list(values)
        self.merged: list[tuple[int, int]] = []

    def note(self, values: Sequence[int], step: tuple[int, int]) -> None:
        self.low = list(map(min, self.low, values))
        self.high = list(map(max, self.high, values))
        self.merged.append(step)


class GeneralSplitting:
    def __init__(
        self,
        model: SymbolicModel,
        refine: Refine,
        *,
        predicates: Sequence[Term] = (),
        seed: int = 0,
        check_deadlock: bool = True,
        most_states: int = 1 << 60,
        most_rounds: int = 1 << 60,
    ) -> None:
        self.model = model
        self.refine = refine
        self.random = RandomSource(seed)
        self.check_deadlock = check_deadlock
        self.most_states, self.most_rounds = most_states, most_rounds
        self.controls = len(model.system.controls)
        self.labels = compiled_together(predicates, model.system.positions)
        self.thresholds: list[list[int]] = [[] for _ in model.system.variables]
        self.states: list[State] = []
        self.parents: list[int] = []
        self.abstract: list[_AbstractState] = []
        self.numbers: dict[object, int] = {}
        self.next = self.rounds = self.transitions = 0
        self.violation: tuple[int, tuple[State, ...]] | None = None

    def run(self) -> SplittingOutcome:
        self.meet(self.model.initial_state()[0], (0, 0))
        self.explore()
        while (
            self.violation is None and self.rounds < self.most_rounds and len(self.states) < self.most_states
        ):
            if not self.split():
                break
            self.explore()
        eligible = sum(bool(one.merged) for one in self.abstract)
        return SplittingOutcome(
            states=tuple(self.states),
            rounds=self.rounds,
            thresholds=tuple(map(tuple, self.thresholds)),
            eligible=eligible,
            transitions=self.transitions,
            violation=self.violation,
            is_one_to_one=self.next == len(self.states) and eligible == 0 and self.violation is None,
        )

    def key(self, state: State) -> tuple[object, ...]:
        intervals = tuple(map(bisect_left, self.thresholds, state[self.controls :]))
        return state[: self.controls], tuple(map(bool, self.labels(state))), intervals

    def meet(self, state: State, step: tuple[int, int]) -> None:
        key = self.key(state)
        known = self.numbers.get(key)
        if known is None:
            self.numbers[key] = len(self.states)
            self.states.append(state)
            self.parents.append(step[0])
            self.abstract.append(_AbstractState(state[self.controls :]))
        elif self.states[known] != state:
            self.abstract[known].note(state[self.controls :], step)

    def explore(self) -> None:
        """Algorithm 4, from where it stands."""
        while self.next < len(self.states) < self.most_states and self.violation is None:
            number = self.next
            self.next += 1
            self.expand(number)

    def expand(self, number: int) -> None:
        state = self.states[number]
        if (code := self.model.check_state(state)) != 0:
            self.violation = code, self.run_to(number)
        successors = self.model.successors(state)
        if not successors and self.check_deadlock and not self.model.is_valid_end(state):
            self.violation = self.violation or (0, self.run_to(number))
        for position, (after, code) in enumerate(successors):
            if code:
                self.violation = self.violation or (code, self.run_to(number))
            if after is not None:
                self.transitions += 1
                self.meet(after, (number, position))

    def run_to(self, number: int) -> tuple[State, ...]:
        run = [number]
        while run[-1] != 0:
            run.append(self.parents[run[-1]])
        return tuple(self.states[one] for one in reversed(run))

    def split(self) -> bool:
        """Algorithm 3, lines 5 to 9. False: nothing is merged."""
        eligible = [one for one in self.abstract if one.merged]
        if not eligible:
            return False
        self.rounds += 1
        segments = [(tuple(one.low), tuple(one.high)) for one in eligible]
        for variable, number in self.refine(segments, self.random):
            if number not in self.thresholds[variable]:
                insort(self.thresholds[variable], number)
        steps = sorted(step for one in eligible for step in one.merged)
        for number, one in enumerate(self.abstract):
            if one.merged:
                self.abstract[number] = _AbstractState(self.states[number][self.controls :])
        self.numbers = {self.key(state): number for number, state in enumerate(self.states)}
        assert len(self.numbers) == len(self.states)
        for number, position in steps:
            after, _ = self.model.successors(self.states[number])[position]
            assert after is not None
            self.meet(after, (number, position))
        return True
