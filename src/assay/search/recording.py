"""The graph of a system that is executed in Python, written down for a certificate.

The plain Python searches explore such a system in this very thread, where limits
and interrupts reach its code. What they saw is recorded, and when they saw
everything, the engine goes through the recorded graph once more, without the
system's code, and writes it down as it does for compiled models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import _engine
from assay.execution.model_process import EngineFailure
from assay.search.outcome import Model, Outcome

WORD_BYTES = 8


class Recording:
    """A model that remembers the successors it was asked for."""

    def __init__(self, model: Model[bytes]) -> None:
        self._model = model
        self._graph: dict[bytes, list[bytes]] = {}
        self.initial_state = model.initial_state
        self.is_valid_end = model.is_valid_end
        self.check_state = model.check_state
        self.check_step = model.check_step

    def successors(self, state: bytes) -> Sequence[tuple[bytes | None, int]]:
        found = self._model.successors(state)
        self._graph[state] = [after for after, _ in found if after is not None]
        return found

    def log(
        self,
        outcome: Outcome,
        *,
        strategy: str,
        directory: Path,
        memory_limit_bytes: int,
        time_limit_seconds: float,
    ) -> tuple[_engine.GraphLog, str]:
        """The graph of a search that saw everything and found nothing; and why it is not finished, if so."""
        log = _engine.GraphLog(str(directory))
        again = _engine.search(
            _engine.PythonSystem(
                _RecordedGraph(self.initial_state()[0], self._graph),
                max(map(len, self._graph)) // WORD_BYTES,
            ),
            strategy=strategy,
            storage="exact",
            threads=1,
            seed=0,
            hash_functions=1,
            bitstate_bytes=0,
            memory_limit_bytes=memory_limit_bytes,
            time_limit_seconds=time_limit_seconds,
            depth_limit=0,
            state_limit=0,
            stop_at_first_violation=True,
            check_deadlock=False,
            on_progress=None,
            progress_interval_seconds=1.0,
            log=log,
        )
        if again.complete and (again.states, again.transitions) != (outcome.states, outcome.transitions):
            raise EngineFailure(
                f"the search saw {outcome.states} states and {outcome.transitions} transitions, "
                f"the recorded graph has {again.states} and {again.transitions}"
            )
        return log, again.stop_reason


@dataclass(frozen=True, slots=True)
class _RecordedGraph:
    initial: bytes
    graph: Mapping[bytes, Sequence[bytes]]

    def initial_state(self) -> tuple[bytes, int]:
        return self.initial, 0

    def successors(self, state: bytes) -> list[tuple[bytes, int]]:
        return [(after, 0) for after in self.graph[state]]

    def is_valid_end(self, _state: bytes) -> bool:
        return True
