"""What a search that forgot states knows about how many there are."""

from __future__ import annotations

from assay.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """The cache of a search at its end.

    Whoever forgets states cannot count them: a state may have been visited several times. The
    number of visits is never less than the number of distinct states, and equal if none was replaced.
    """

    policy: str
    capacity: int  # less than asked for if memory was short
    held: int  # states in it at the end: so many distinct ones there are at least
    replaced: int
    hits: int
    states_of_graph: int = 0  # distinct ones, if somebody knew or a certificate was written
    transitions_of_graph: int = 0  # if a certificate was written

    @property
    def forgot(self) -> bool:
        return self.replaced > 0

    def distinct(self, visits: int) -> tuple[int, int]:
        """Between which bounds the number of distinct states visited lies."""
        if not self.forgot:
            return visits, visits
        if self.transitions_of_graph:
            return self.states_of_graph, self.states_of_graph
        return self.held, visits

    def visits_per_state(self, visits: int) -> float | None:
        """How often a complete search visited a state on average; None if their number is not known."""
        low, high = self.distinct(visits)
        states = low if low == high else self.states_of_graph
        # Somebody who knows their number may be wrong.
        return visits / states if states and low <= states <= high else None

    def sentence(self, visits: int) -> str:
        """For people, where visits are more than states."""
        each = self.visits_per_state(visits)
        known = "their number is not known" if each is None else f"each {each:.2f} times on average"
        return (
            f"the cache of {self.capacity:,} states replaced {self.replaced:,}: states were visited "
            f"{visits:,} times, perhaps some of them again; {known}"
        )

    def redundant_work(self, transitions: int) -> float | None:
        """Transitions explored for each one of the graph (4.2.4); None if their number is not known."""
        known = self.transitions_of_graph if self.forgot else transitions
        return transitions / known if known else None

    def as_json(self, visits: int, transitions: int) -> dict[str, object]:
        low, high = self.distinct(visits)
        return {
            "policy": self.policy,
            "capacity": self.capacity,
            "held": self.held,
            "replaced": self.replaced,
            "hits": self.hits,
            "states_at_least": low,
            "states_at_most": high,
            "visits_per_state": self.visits_per_state(visits),
            "redundant_work": self.redundant_work(transitions),
        }
