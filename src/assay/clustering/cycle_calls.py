"""What the child process of a worker does when cycles are looked for in a product that was explored.

As all its work, every call is a function of the files that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay._engine import CycleWork, PartitionWorker
from assay.transition_system.question import Question

# States of one level with their steps: the level, the first one, how many; file, offset, bytes.
Block = tuple[int, int, int, str, int, int]
# Words or bytes in a file: its name, where they begin, how many.
Piece = tuple[str, int, int]
# The union of these sets; None: all states.
Sets = Sequence[Piece] | None
# Of each slice of the states, where what its steps lead to stands, and where what is to be known of them.
Written = tuple[list[Piece], list[Piece]]


class CycleCalls:
    def __init__(self, engine: PartitionWorker, question: Question, new_name: Callable[[str], str]) -> None:
        self._work = CycleWork(engine, processes=question.processes, progress_label=question.progress_label)
        self._new_name = new_name

    def write_steps(
        self, levels: dict[int, list[tuple[int, list[Any]]]], slices: list[int]
    ) -> dict[int, Written]:
        """The steps of all states of some partitions, each cut into these slices."""
        return {
            partition: self._work.write_steps(of_partition, slices, self._new_name("steps"))
            for partition, of_partition in levels.items()
        }

    def join(self, **slice_: Any) -> tuple[list[Block], int]:
        return self._work.join(**slice_, name=self._new_name("steps"))

    def spread(
        self, states: int, blocks: list[Block], inside: Sets, acceptance_set: int, reached: Sequence[Piece]
    ) -> tuple[bool, int, Piece]:
        return self._work.spread(states, blocks, inside, acceptance_set, reached, self._new_name("sets"))

    def eliminate(
        self, states: int, blocks: list[Block], inside: Sets, elsewhere: Sets
    ) -> tuple[bool, int, Piece, Piece]:
        return self._work.eliminate(states, blocks, inside, elsewhere, self._new_name("sets"))

    def find(self, states: int, blocks: list[Block], hull: Sets) -> tuple[list[int], int] | None:
        return self._work.find(states, blocks, hull)
