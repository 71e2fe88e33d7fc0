"""Every schedule of a small program, one after the other, each from the start.

`explore` without memory is the reference: it knows nothing but how to run a program along a list of
decisions. With memory it stops a run when it comes to a state where some run has been, which changes how
long it takes and not what it finds.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from tests.python.oracle.canonical import Canonical
from tests.python.oracle.interpreter import Interpreter, Program, TooLong, UncaughtException
from tests.python.oracle.outcome import GRANULARITIES, Outcome, describe_exception, plain_globals
from tests.python.oracle.synchronisation import Choice, Thread

STEPS_BETWEEN_LOOKS = 30  # where one thread alone can run, its state is looked at only so often


class TooLarge(Exception):
    """The program has more schedules, or longer ones, than the oracle was allowed to run."""


@dataclass(frozen=True)
class Exploration:
    outcomes: frozenset[Outcome]
    runs: int
    states: int  # remembered; 0 without memory

    def values(self, name: str) -> set[str]:
        """The texts a global can have at the end of a run that ended well."""
        return {outcome.value(name) for outcome in self.outcomes if outcome.ended == "ok"}

    @property
    def comparable(self) -> frozenset[Outcome]:
        return frozenset(outcome.comparable() for outcome in self.outcomes)

    @property
    def endings(self) -> set[str]:
        return {outcome.ended for outcome in self.outcomes}


@dataclass
class Decision:
    taken: int
    count: int


@dataclass
class Explorer:
    program: Program
    granularity: str
    memory: bool
    with_output: bool
    goes_on_after_exceptions: bool
    most_runs: int
    most_statements: int
    decisions: list[Decision] = field(default_factory=list)
    visited: set[tuple[Any, ...]] = field(default_factory=set)
    outcomes: set[Outcome] = field(default_factory=set)
    runs: int = 0

    def explore(self) -> Exploration:
        while True:
            if self.runs >= self.most_runs:
                raise TooLarge(f"more than {self.most_runs} runs")
            self.runs += 1
            outcome = self._run()
            if outcome is not None:
                self.outcomes.add(outcome)
            while self.decisions and self.decisions[-1].taken + 1 == self.decisions[-1].count:
                self.decisions.pop()
            if not self.decisions:
                return Exploration(frozenset(self.outcomes), self.runs, len(self.visited))
            self.decisions[-1].taken += 1

    def _run(self) -> Outcome | None:
        """One run along the decisions, then along the first of each; None if it comes to a known state."""
        run = Interpreter(
            self.program,
            self.granularity,
            goes_on_after_exceptions=self.goes_on_after_exceptions,
            most_statements=self.most_statements,
        )
        made = 0
        alone = 0
        thread = run.main
        try:
            while True:
                options = self._options(run, thread)
                if not options:
                    return self._outcome(run, "deadlock")
                alone = alone + 1 if len(options) == 1 else 0
                picked = 0
                if len(options) > 1 or alone == STEPS_BETWEEN_LOOKS:
                    alone = 0
                    if made == len(self.decisions):
                        if self.memory and self._was_here(run):
                            return None
                        self.decisions.append(Decision(0, len(options)))
                    picked = self.decisions[made].taken
                    made += 1
                thread, alternative = options[picked]
                self._step(thread, alternative)
                if run.main.finished:
                    return self._outcome(run, "ok")
        except UncaughtException:
            return self._outcome(run, "ok")
        except TooLong:
            raise TooLarge(f"a run of more than {self.most_statements} statements") from None

    @staticmethod
    def _options(run: Interpreter, last: Thread) -> list[tuple[Thread, str]]:
        if isinstance(last.pending, Choice) and not last.finished:
            return [(last, way) for way in last.pending.alternatives()]
        return [
            (thread, way)
            for thread in run.threads
            if not thread.finished
            for way in thread.pending.alternatives()
        ]

    @staticmethod
    def _step(thread: Thread, alternative: str) -> None:
        assert thread.steps is not None
        is_new = inspect.getgeneratorstate(thread.steps) == inspect.GEN_CREATED
        try:
            thread.pending = thread.steps.send(None if is_new else alternative)
        except StopIteration:
            assert thread.finished

    def _was_here(self, run: Interpreter) -> bool:
        key = Canonical(run, with_output=self.with_output).key
        if key in self.visited:
            return True
        self.visited.add(key)
        return False

    def _outcome(self, run: Interpreter, ended: str) -> Outcome:
        if run.uncaught:
            ended = describe_exception(run.uncaught[0])
        printing = [thread for thread in run.threads if thread.lines and self.with_output]
        output = tuple(sorted((thread.path, tuple(thread.lines)) for thread in printing))
        return Outcome(ended, plain_globals(run.module.variables), output)


def explore(
    source: str,
    granularity: str,
    *,
    memory: bool = True,
    with_output: bool = False,
    goes_on_after_exceptions: bool = False,
    most_runs: int = 50_000,
    most_statements: int = 20_000,
) -> Exploration:
    """The outcomes of all schedules of a program.

    A run is over at the first exception nobody catches, as every violation ends a run; CPython lets the
    other threads go on, and so does the oracle with `goes_on_after_exceptions`.
    """
    if granularity not in GRANULARITIES:
        raise ValueError(f"granularity must be one of {', '.join(GRANULARITIES)}, not {granularity!r}")
    return Explorer(
        Program(source),
        granularity,
        memory,
        with_output,
        goes_on_after_exceptions,
        most_runs,
        most_statements,
    ).explore()
