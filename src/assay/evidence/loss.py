"""What a search that found nothing may have missed, as a union: from it the verdict follows.

`None`: nothing. The search matched states exactly and saw every one.

`FingerprintLoss`: two different states that share a 64-bit fingerprint are taken
for one. For n states and an ideal hash the probability that this happened at
all is at most n(n-1)/2 / 2^64 < n^2 / 2^65 (the birthday bound).

`BitstateLoss` (Holzmann 1998): a state is taken for seen when all k of its bits are
set. With a share p of the bits set, a new state is lost with probability p^k
at that moment; p only grows, so p^k at the end bounds the risk of each state,
and the expected number of states lost directly is at most n * p^k / (1 - p^k)
for n states stored. Whatever is reachable only through a lost state is lost
with it, which no bound from the table alone can count; the sentence says so.

`UnderApproximation`: states that an abstraction takes for one were followed from one of them
only. What the others would have led to was not looked at, and no probability bounds it.

`Bound`: everything up to a bound was looked at and nothing beyond it.
"""

from __future__ import annotations

from assay.records import dataclass


@dataclass(frozen=True, slots=True)
class FingerprintLoss:
    def probability(self, states: int) -> float:
        """That anything was lost directly, at most."""
        return min(1.0, states**2 / 2**65)

    def sentence(self, states: int) -> str:
        return (
            f"64-bit fingerprints may take two states for one: "
            f"the probability that any was lost is at most {self.probability(states):.2g}"
        )

    def as_json(self, states: int) -> dict[str, object]:
        return {"storage": "fingerprint", "probability_any": self.probability(states)}


@dataclass(frozen=True, slots=True)
class BitstateLoss:
    hash_functions: int
    bits_set: int = 0
    bits_total: int = 0  # 0: the search ended before it could say

    def probability_per_state(self) -> float:
        """That one new state is taken for an old one, at the end of the search."""
        if self.bits_total <= 0:
            return 1.0
        return min(1.0, (self.bits_set / self.bits_total) ** self.hash_functions)

    def expected_states(self, states: int) -> float:
        """How many states were lost directly, in expectation, at most."""
        probability = self.probability_per_state()
        return float("inf") if probability >= 1.0 else states * probability / (1.0 - probability)

    def probability(self, states: int) -> float:
        """That anything was lost directly, at most."""
        return min(1.0, self.expected_states(states))

    def sentence(self, states: int) -> str:
        if not self.bits_total:
            return "bitstate storage may take a new state for an old one"
        filled = self.bits_set / self.bits_total
        return (
            "bitstate storage may take a new state for an old one: "
            f"with {100 * filled:.2g} % of the bits set and {self.hash_functions} hash functions "
            f"each state is lost with probability at most {self.probability_per_state():.2g}, "
            f"about {self.expected_states(states):.2g} states in all, and with them what only they lead to"
        )

    def as_json(self, states: int) -> dict[str, object]:
        expected = self.expected_states(states)
        return {
            "storage": "bitstate",
            "probability_any": self.probability(states),
            "probability_per_state": self.probability_per_state(),
            "expected_states": None if expected == float("inf") else expected,
            "bits_set": self.bits_set,
            "bits_total": self.bits_total,
            "hash_functions": self.hash_functions,
        }


@dataclass(frozen=True, slots=True)
class UnderApproximation:
    by: str  # what states were compared by, in words

    def sentence(self, states: int) -> str:
        return (
            f"states were compared by {self.by}: {states:,} different ones were followed, "
            "and what only other states with the same value lead to was not looked at"
        )

    def as_json(self, states: int) -> dict[str, object]:
        return {"storage": "abstraction", "compared_by": self.by, "followed": states}


@dataclass(frozen=True, slots=True)
class Bound:
    what: str  # the bound, in words

    def sentence(self, states: int) -> str:  # noqa: ARG002 (all losses are told alike)
        return f"nothing beyond {self.what} was looked at"

    def as_json(self, states: int) -> dict[str, object]:  # noqa: ARG002
        return {"bound": self.what}


Loss = FingerprintLoss | BitstateLoss | UnderApproximation | Bound


def loss_of(
    guarantee: str, storage: str, *, hash_functions: int, bits_set: int = 0, bits_total: int = 0
) -> Loss | None:
    """From what the engine says that its matching guarantees. What nobody knows is no guarantee."""
    if guarantee == "exact" and storage == "exact":
        return None
    if storage == "fingerprint":
        return FingerprintLoss()
    if storage == "bitstate":
        return BitstateLoss(hash_functions, bits_set, bits_total)
    return UnderApproximation(
        "a key of the program's own" if storage == "abstraction" else f"{storage} storage"
    )
