"""What a search that forgot states knows about how many there are."""

from __future__ import annotations

from dataclasses import dataclass


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
    states_of_graph: int = 0  # if somebody knew: distinct states

    @property
    def forgot(self) -> bool:
        return self.replaced > 0

    def visits_per_state(self, visits: int) -> float | None:
        """Redundant work of a search that is complete; None if the number of states is not known."""
        states = self.states_of_graph if self.forgot else visits
        return visits / states if states else None

    def sentence(self, visits: int) -> str:
        """For people, where visits are more than states."""
        each = self.visits_per_state(visits)
        known = "their number is not known" if each is None else f"each {each:.2f} times on average"
        return (
            f"the cache of {self.capacity:,} states replaced {self.replaced:,}: states were visited "
            f"{visits:,} times, some of them again; {known}"
        )

    def as_json(self, visits: int) -> dict[str, object]:
        return {
            "policy": self.policy,
            "capacity": self.capacity,
            "held": self.held,
            "replaced": self.replaced,
            "hits": self.hits,
            "states_at_least": visits if not self.forgot else self.held,
            "states_at_most": visits,
            "visits_per_state": self.visits_per_state(visits),
        }
