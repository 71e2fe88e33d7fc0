"""A temporal property as the processes that execute models are told it, and the product that answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from assay import _engine
from assay.automata.automaton import BuchiAutomaton, Edge
from assay.records import dataclass
from assay.transition_system.opening import root_of

if TYPE_CHECKING:
    from assay.transition_system.interface import TemporalProperty

MOST_SETS = 64  # that the engine counts for a cycle: those of the automaton and one for each process


def question_of(wanted: TemporalProperty, processes: int) -> dict[str, object]:
    """With fairness for that many processes; 0: without."""
    return {
        "automaton": wanted.automaton.to_json(),
        "labels": list(wanted.labels),
        "progress_label": wanted.progress_label,
        # If there turn out to be more, whoever counts them says so.
        "processes": min(processes, MOST_SETS - wanted.automaton.acceptance_sets),
    }


@dataclass(frozen=True)
class Question:
    automaton: BuchiAutomaton
    labels: tuple[int, ...]
    progress_label: int | None
    processes: int  # with fairness for so many; 0: without

    @classmethod
    def from_json(cls, data: Mapping[str, Any], model: object) -> Self:
        automaton = BuchiAutomaton.from_json(data["automaton"])
        return cls(
            one_step_later(automaton) if root_of(model) else automaton,
            tuple(data["labels"]),
            data["progress_label"],
            data["processes"],
        )

    def over_labels(self, bits: int) -> int:
        """Bits of atoms as bits of the program's labels."""
        return sum(1 << label for atom, label in enumerate(self.labels) if bits >> atom & 1)

    def edges(self) -> list[list[tuple[int, int, int]]]:
        """Of each location: mask and value over the program's labels, and target."""
        return [
            [(self.over_labels(edge.mask), self.over_labels(edge.value), edge.target) for edge in outgoing]
            for outgoing in self.automaton.edges
        ]

    def product(self, model: _engine.Model) -> _engine.Product:
        automaton = self.automaton
        return _engine.Product(model, self.edges(), list(automaton.accepting), automaton.acceptance_sets)


def one_step_later(automaton: BuchiAutomaton) -> BuchiAutomaton:
    """Reads one state, whatever it is, before it begins: the one in front of several initial states."""
    return BuchiAutomaton(
        automaton.atoms,
        automaton.acceptance_sets,
        (0, *automaton.accepting),
        (
            (Edge(1, 0, 0),),
            *(
                tuple(Edge(edge.target + 1, edge.mask, edge.value) for edge in outgoing)
                for outgoing in automaton.edges
            ),
        ),
    )
