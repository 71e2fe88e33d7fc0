"""How much a search with lossy storage may have missed.

Fingerprints: two different states that share a 64-bit fingerprint are taken
for one. For n states and an ideal hash the probability that this happened at
all is at most n(n-1)/2 / 2^64 < n^2 / 2^65 (the birthday bound).

Bitstate (Holzmann 1998): a state is taken for seen when all k of its bits are
set. With a share p of the bits set, a new state is lost with probability p^k
at that moment; p only grows, so p^k at the end bounds the risk of each state,
and the expected number of states lost directly is at most n * p^k / (1 - p^k)
for n states stored. Whatever is reachable only through a lost state is lost
with it, which no bound from the table alone can count; the sentence says so.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    storage: str  # "fingerprint" or "bitstate"
    hash_functions: int = 0
    bits_set: int = 0
    bits_total: int = 0

    def probability_per_state(self) -> float:
        """Bitstate: that one new state is taken for an old one, at the end of the search."""
        if self.bits_total <= 0:
            return 1.0
        return min(1.0, (self.bits_set / self.bits_total) ** self.hash_functions)

    def expected_states(self, states: int) -> float:
        """Bitstate: how many states were lost directly, in expectation, at most."""
        probability = self.probability_per_state()
        return float("inf") if probability >= 1.0 else states * probability / (1.0 - probability)

    def probability(self, states: int) -> float:
        """That anything was lost directly, at most."""
        if self.storage == "fingerprint":
            return min(1.0, states**2 / 2**65)
        return min(1.0, self.expected_states(states))

    def sentence(self, states: int) -> str:
        if self.storage == "fingerprint":
            return (
                f"64-bit fingerprints may take two states for one: "
                f"the probability that any was lost is at most {self.probability(states):.2g}"
            )
        if not self.bits_total:  # the search ended before it could say
            return "bitstate storage may take a new state for an old one"
        filled = self.bits_set / self.bits_total
        return (
            "bitstate storage may take a new state for an old one: "
            f"with {100 * filled:.2g} % of the bits set and {self.hash_functions} hash functions "
            f"each state is lost with probability at most {self.probability_per_state():.2g}, "
            f"about {self.expected_states(states):.2g} states in all, and with them what only they lead to"
        )

    def as_json(self, states: int) -> dict[str, object]:
        facts: dict[str, object] = {"storage": self.storage, "probability_any": self.probability(states)}
        if self.storage == "bitstate":
            expected = self.expected_states(states)
            facts |= {
                "probability_per_state": self.probability_per_state(),
                "expected_states": None if expected == float("inf") else expected,
                "bits_set": self.bits_set,
                "bits_total": self.bits_total,
                "hash_functions": self.hash_functions,
            }
        return facts
