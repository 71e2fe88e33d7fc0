"""Whether every run ends, as a property of any language that can say of a state that the program is over."""

from __future__ import annotations

from assay.automata.automaton import BuchiAutomaton, Edge
from assay.transition_system.interface import TemporalProperty

OVER = "the program is over"  # an atom of ours; no text of a user's


def termination(label: int, *, fair: bool) -> TemporalProperty:
    """`label` is true where a run is over. `fair`: steps belong to processes, and only runs count in which
    whoever can always move does; otherwise all runs count."""
    never_over = BuchiAutomaton((OVER,), 1, (1,), ((Edge(0, 1, 0),),))
    return TemporalProperty("termination", "", "every run ends", never_over, (label,), always_fair=fair)
