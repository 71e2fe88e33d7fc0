"""Executing a run again, step by step, in a process that may be lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.records import dataclass

if TYPE_CHECKING:
    from assay._engine import Model
    from assay.evidence.counterexample import RawRun
    from assay.execution.model_process import ModelProcess
    from assay.transition_system.interface import Opening

# A depth-first run can be millions of steps long; nobody reads its middle.
STEPS_KEPT_AT_EACH_END = 10_000
STEPS_TOLD_AT_EACH_END = 1_000  # by a model that describes itself: its words are many
SIGN_OF_LIFE_EVERY_STEPS = 100_000


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run executed again. `failed_at`: the first position that does not exist."""

    failed_at: int | None
    codes: frozenset[int]
    run: RawRun | None
    problem: str = ""


def replay(
    opening: Opening,
    positions: Sequence[int],
    *,
    deadline: float | None = None,
    process: ModelProcess | None = None,
) -> Replayed:
    """Execute a run again."""
    from assay.execution.model_process import Job

    facts = {"positions": list(positions)}
    with Job("assay.execution.replaying:work", facts, opening, process) as child:
        child.watch(deadline=deadline, memory_limit_bytes=0, on_progress=None)
        child.raise_if_it_failed()
        if not child.runs:
            return Replayed(None, frozenset(), None, child.how_it_ended())
        run = child.runs[0]
        if run["failed_at"] is not None:
            return Replayed(run["failed_at"], frozenset(), None)
        return Replayed(None, frozenset(run["codes"]), raw_run(run))


def work(model: Model, job: dict[str, Any], send: Any, _stopped: object) -> None:
    """In the child."""
    send("run", **execute(model, job["positions"], lambda: send("executing")))


def execute(model: Model, positions: list[int], alive: Callable[[], None]) -> dict[str, object]:
    """Take the named successors once more and report every primitive step.

    `failed_at` is the first position that does not exist (None: all do);
    `codes` are the violations that hold at the end, 0 for an invalid end state.
    """
    from assay.transition_system.opening import describes_itself, root_of

    descriptions = Descriptions(model) if describes_itself(model) else None

    def shown(state: bytes) -> str:
        """A state for those who read it, with the memory of embedded C behind it."""
        memory_of = getattr(model, "memory_of", None)
        return (state + memory_of(state) if memory_of is not None else state).hex()

    state, violation = model.initial_state()
    codes = {violation} - {0}
    begin = 0
    if root_of(model) and positions:
        # The first position chooses among several initial states, and is no step of the program.
        if positions[0] >= root_of(model):
            return {"failed_at": 0}
        chosen, _ = model.successors(state)[positions[0]]
        assert chosen is not None
        state, begin = chosen, 1
    initial = state
    steps: list[list[object]] = []
    kept = STEPS_KEPT_AT_EACH_END if descriptions is None else STEPS_TOLD_AT_EACH_END
    gap_begin = kept
    gap_end = len(positions) - kept
    if descriptions is not None:
        descriptions.say_state(initial)
    break_after, resume = 0, b""
    said = ""
    final: bytes | None = state
    for index, position in enumerate(positions[begin:], start=begin):
        if index % SIGN_OF_LIFE_EVERY_STEPS == 0:
            alive()
        successors = model.successors(state)
        if final is None or position >= len(successors):
            return {"failed_at": index}
        if gap_begin <= index < gap_end:
            break_after = len(steps)
        else:
            if index == gap_end and gap_end > gap_begin:
                resume = state
                if descriptions is not None:
                    descriptions.say_state(state)
            if descriptions is not None:
                after = successors[position][0] or state
                steps.append([index, 0, descriptions.say_step(state, position, after), after.hex()])
            else:
                listen(model)
                for process, transition, after in model.explain(state, position):
                    steps.append([index, process, transition, shown(after)])
                said = listen(model)
        final, violation = successors[position]
        codes = {violation}
        if final is not None:
            codes.add(model.check_step(state, final))
            state = final
        codes -= {0}
    if final is not None:
        codes |= {model.check_state(final)} - {0}
        if not model.successors(final) and not model.is_valid_end(final):
            codes.add(0)
    if descriptions is not None:
        descriptions.say_end(final or state, codes)
    return {
        "failed_at": None,
        "initial": shown(initial),
        "steps": steps,
        "final": None if final is None else shown(final),
        "codes": sorted(codes),
        "omitted": max(0, gap_end - gap_begin),
        "break_after": break_after,
        "resume": shown(resume) if resume else "",
        "descriptions": descriptions.said if descriptions is not None else {"said": said} if said else None,
    }


def listen(model: Any) -> str:
    """What embedded C printed since the last time."""
    take_output = getattr(model, "take_output", None)
    return "" if take_output is None else take_output().decode("utf-8", "replace")


class Descriptions:
    """What a model that describes itself says about one run, for those who cannot ask it."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._states: dict[str, object] = {}
        self._steps: list[object] = []
        self.said: dict[str, object] = {"states": self._states, "steps": self._steps, "violations": {}}

    def say_state(self, state: bytes) -> None:
        if state.hex() not in self._states:
            self._states[state.hex()] = self._model.describe(state)

    def say_step(self, before: bytes, position: int, after: bytes) -> int:
        """The number under which the step is told."""
        told = {"before": before.hex(), "after": after.hex(), **self._model.explain(before, position)}
        self._steps.append(told)
        self.say_state(after)
        return len(self._steps) - 1

    def say_end(self, state: bytes, codes: set[int]) -> None:
        self.say_state(state)
        self.said["violations"] = {str(code): self._model.violation(code) for code in sorted(codes) if code}


def raw_run(run: dict[str, Any]) -> RawRun:
    """A run as it came out of the child."""
    from assay.evidence.counterexample import RawRun, RawStep

    return RawRun(
        initial=bytes.fromhex(run["initial"]),
        steps=tuple(
            RawStep(transition, process, action, bytes.fromhex(state))
            for transition, process, action, state in run["steps"]
        ),
        final=None if run["final"] is None else bytes.fromhex(run["final"]),
        omitted=run["omitted"],
        break_after=run["break_after"],
        resume=bytes.fromhex(run["resume"]),
        descriptions=run["descriptions"],
    )
