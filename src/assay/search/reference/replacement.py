"""Which visited states a bounded cache gives up first.

One class for each policy, in plain Python: the specification of
`engine/search/replacement/`. States are known by the slot of the cache that they
are in. Where chance decides, both draw the same numbers from the same seed, so
that they replace the same states; nothing else here is quick.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque

WORD = 2**64 - 1
COST_BITS = 40
CLOCKS = 4096
RECENT = 63  # the list of what was left last; those before it are ranks
SHARE_OF_RECENT = 8  # one in so many candidates
CHANCES = 2  # of a state that was met
LOWER_WITH_TWO_STEPS = 2


class Policy:
    """Told what the search does with its cache, and asked what to replace when it is full."""

    def entered(self, slot: int, depth: int) -> None:
        """A state was put into the slot and onto the stack."""

    def expanded(self, slot: int, steps: int) -> None:
        """So many steps lead on from the state that was entered last."""

    def hit(self, slot: int, source: int) -> None:
        """A step from the state on top of the stack met a state in the cache."""

    def left(self, slot: int, parent: int | None) -> None:
        """The state on top of the stack is fully explored; `parent` is the one below it."""

    def replace(self) -> list[int]:
        """The slots to empty now; none if all states are on the stack, or wait for one that is."""
        raise NotImplementedError

    def worth(self, slot: int) -> int:
        """What a state is worth to this policy."""
        raise NotImplementedError


def make_policy(name: str, seed: int, strata: int) -> Policy:
    match name:
        case "rungs":
            return ByRung()
        case "cost":
            return ByCost(seed)
        case "cost-exact":
            return ByComponentCost(seed)
        case "random":
            return AtRandom(seed)
        case "age":
            return ByAge()
        case "hits-fewest":
            return ByHits(seed, most=False)
        case "hits-most":
            return ByHits(seed, most=True)
        case "depth":
            return ByDepth(seed)
        case "stratified":
            return Stratified(seed, strata)
        case _:
            raise ValueError(f"unknown policy {name!r}")


def mix(word: int) -> int:
    """`support::mix` of the engine."""
    word ^= word >> 32
    word = word * 0x9E3779B97F4A7C15 & WORD
    word ^= word >> 29
    word = word * 0xD6E8FEB86659FD93 & WORD
    return word ^ word >> 32


class RandomSource:
    """`support::RandomSource` of the engine (splitmix64), seeded as its policies do."""

    def __init__(self, seed: int) -> None:
        self._state = mix(seed)

    def next(self) -> int:
        self._state = self._state + 0x9E3779B97F4A7C15 & WORD
        return mix(self._state)

    def below(self, limit: int) -> int:
        return self.next() * limit >> 64


class Candidates:
    """Slots that may be replaced: the lowest rank first, of equal ranks any with the same chance.

    Chance is a time to live without memory, which starts when the last of the rank was taken.
    """

    def __init__(self, seed: int) -> None:
        self._random = RandomSource(seed)
        self._clocks: dict[int, float] = defaultdict(float)
        self._order: dict[int, tuple[int, float]] = {}

    def __contains__(self, slot: int) -> bool:
        return slot in self._order

    def put(self, slot: int, rank: int) -> None:
        uniform = ((self._random.next() >> 11) + 1) * 2.0**-53
        self._order[slot] = (rank, self._clocks[rank % CLOCKS] - math.log(uniform))

    def take_first(self) -> list[int]:
        if not self._order:
            return []
        slot = min(self._order, key=self._order.__getitem__)
        rank, end = self._order.pop(slot)
        self._clocks[rank % CLOCKS] = end
        return [slot]


def rounded(cost: int) -> int:
    """As the engine stores it: rounded down to forty significant bits."""
    excess = max(0, cost.bit_length() - COST_BITS)
    return cost >> excess << excess


def packed(cost: int) -> int:
    """The word in which the engine stores it: exponent and forty bits."""
    exponent = max(0, cost.bit_length() - COST_BITS)
    return exponent << COST_BITS | cost >> exponent


class ByCost(Policy):
    """Cheapest first (Algorithm 4.1): one, and the costs of the states that steps lead to.

    A state met on the stack passes on what it has so far, so costs on cycles are too low (4.2.2).
    """

    def __init__(self, seed: int) -> None:
        self._candidates = Candidates(seed)
        self._costs: dict[int, int] = {}

    def entered(self, slot: int, _depth: int) -> None:
        self._costs[slot] = 1

    def hit(self, slot: int, source: int) -> None:
        self._costs[source] = rounded(self._costs[source] + self._costs[slot])

    def left(self, slot: int, parent: int | None) -> None:
        if parent is not None:
            self._costs[parent] = rounded(self._costs[parent] + self._costs[slot])
        self._candidates.put(slot, packed(self._costs[slot]))

    def replace(self) -> list[int]:
        return self._candidates.take_first()

    def worth(self, slot: int) -> int:
        return packed(self._costs[slot])


class ByComponentCost(Policy):
    """Cheapest first, with the costs of Definition 4.2.3.

    The cost of a strongly connected component is known when the first of its states is
    left (Tarjan's algorithm); until then none of them can be replaced, and then only all.
    """

    def __init__(self, seed: int) -> None:
        self._candidates = Candidates(seed)
        self._costs: dict[int, int] = {}
        self._open: list[int] = []  # slots whose component is not complete, as they were entered
        self._lowest: dict[int, int] = {}  # for these: the first of them that they reach
        self._component: dict[int, list[int]] = {}

    def entered(self, slot: int, _depth: int) -> None:
        self._costs[slot] = 1
        self._lowest[slot] = len(self._open)
        self._open.append(slot)

    def hit(self, slot: int, source: int) -> None:
        if slot in self._lowest:
            self._lowest[source] = min(self._lowest[source], self._open.index(slot))
        else:
            self._costs[source] = rounded(self._costs[source] + self._costs[slot])

    def left(self, slot: int, parent: int | None) -> None:
        lowest, begin = self._lowest[slot], self._open.index(slot)
        if lowest < begin:
            assert parent is not None
            self._lowest[parent] = min(self._lowest[parent], lowest)
            return
        component = self._open[begin:]
        del self._open[begin:]
        cost = 0
        for member in component:
            cost = rounded(cost + self._costs[member])
        for member in component:
            self._costs[member] = cost
            del self._lowest[member]
        self._component[slot] = component
        self._candidates.put(slot, packed(cost))
        if parent is not None:
            self._costs[parent] = rounded(self._costs[parent] + cost)

    def replace(self) -> list[int]:
        return [member for slot in self._candidates.take_first() for member in self._component.pop(slot)]

    def worth(self, slot: int) -> int:
        return packed(self._costs[slot])


class AtRandom(Policy):
    """Any state, each with the same chance."""

    def __init__(self, seed: int) -> None:
        self._random = RandomSource(seed)
        self._candidates: list[int] = []

    def left(self, slot: int, _parent: int | None) -> None:
        self._candidates.append(slot)

    def replace(self) -> list[int]:
        return any_of(self._candidates, self._random)

    def worth(self, _slot: int) -> int:
        return 0


def any_of(slots: list[int], random: RandomSource) -> list[int]:
    """Takes one out; the last moves into its place."""
    if not slots:
        return []
    chosen = random.below(len(slots))
    slots[chosen], slots[-1] = slots[-1], slots[chosen]
    return [slots.pop()]


class ByAge(Policy):
    """What has been in the cache longest goes first (Holzmann 1987)."""

    def __init__(self) -> None:
        self._times: dict[int, int] = {}
        self._candidates: set[int] = set()
        self._now = 0

    def entered(self, slot: int, _depth: int) -> None:
        self._now += 1
        self._times[slot] = self._now

    def left(self, slot: int, _parent: int | None) -> None:
        self._candidates.add(slot)

    def replace(self) -> list[int]:
        oldest = sorted(self._candidates, key=self._times.__getitem__)[:1]
        self._candidates.difference_update(oldest)
        return oldest

    def worth(self, slot: int) -> int:
        return self._times[slot]


class ByHits(Policy):
    """What was met again least often goes first, or most often (Holzmann 1987 tries both)."""

    def __init__(self, seed: int, *, most: bool) -> None:
        self._most = most
        self._candidates = Candidates(seed)
        self._hits: dict[int, int] = {}

    def entered(self, slot: int, _depth: int) -> None:
        self._hits[slot] = 0

    def hit(self, slot: int, _source: int) -> None:
        self._hits[slot] += 1
        if slot in self._candidates:
            self.left(slot, None)

    def left(self, slot: int, _parent: int | None) -> None:
        self._candidates.put(slot, WORD - self._hits[slot] if self._most else self._hits[slot])

    def replace(self) -> list[int]:
        return self._candidates.take_first()

    def worth(self, slot: int) -> int:
        return self._hits[slot]


class ByDepth(Policy):
    """What was found furthest from the initial state goes first (Holzmann 1987)."""

    def __init__(self, seed: int) -> None:
        self._candidates = Candidates(seed)
        self._depths: dict[int, int] = {}

    def entered(self, slot: int, depth: int) -> None:
        self._depths[slot] = depth

    def left(self, slot: int, _parent: int | None) -> None:
        self._candidates.put(slot, WORD - self._depths[slot])

    def replace(self) -> list[int]:
        return self._candidates.take_first()

    def worth(self, slot: int) -> int:
        return self._depths[slot]


class Stratified(Policy):
    """Whole levels go first (Geldenhuys 2004): those at depth 0, m, 2m, ...; then 1, m + 1, ..."""

    def __init__(self, seed: int, strata: int) -> None:
        self._random = RandomSource(seed)
        self._strata: list[list[int]] = [[] for _ in range(strata)]
        self._stratum: dict[int, int] = {}

    def entered(self, slot: int, depth: int) -> None:
        self._stratum[slot] = depth % len(self._strata)

    def left(self, slot: int, _parent: int | None) -> None:
        self._strata[self._stratum[slot]].append(slot)

    def replace(self) -> list[int]:
        return next((any_of(stratum, self._random) for stratum in self._strata if stratum), [])

    def worth(self, slot: int) -> int:
        return self._stratum[slot]


class ByRung(Policy):
    """Our own: thin the levels out evenly, and mind what is gone already.

    A replaced state costs little as long as what lies below it is still there. So of the levels
    every second stays, then every fourth, and so on: the rung of a state is the number of ones
    that its depth ends in, in binary. A state below which many have been replaced ranks as a
    rung that so many would be lost with; one from which at most one step leads on goes first,
    and one with two steps stands two rungs lower.
    Within a rank the state goes that was left first, but one that was met since is passed over
    when its turn comes.

    Most states that are met again are met soon. So what was left last is not ranked yet: an
    eighth of what could be replaced. One that was met there stays for another round.
    """

    def __init__(self) -> None:
        self._rung: dict[int, int] = {}
        self._gone: dict[int, int] = {}  # a state, and what was replaced below it in the tree of the search
        self._passed_quickly: set[int] = set()
        self._life: dict[int, int] = defaultdict(int)  # is a slot still the same state?
        self._parent: dict[int, tuple[int, int]] = {}  # slot and life
        self._chances: dict[int, int] = {}  # to stay when its turn comes, one for each kind of list
        self._lists: list[deque[int]] = [deque() for _ in range(RECENT + 1)]  # ranks, then RECENT

    def entered(self, slot: int, depth: int) -> None:
        self._rung[slot] = min((~depth & depth + 1).bit_length() - 1, RECENT - 1)
        self._gone[slot] = 1
        self._passed_quickly.discard(slot)
        self._life[slot] += 1

    def expanded(self, slot: int, steps: int) -> None:
        if steps <= 1:
            self._passed_quickly.add(slot)
        if steps == 2:
            self._rung[slot] = max(0, self._rung[slot] - LOWER_WITH_TWO_STEPS)

    def hit(self, slot: int, _source: int) -> None:
        self._chances[slot] = CHANCES

    def left(self, slot: int, parent: int | None) -> None:
        self._parent.pop(slot, None)
        if parent is not None:
            self._parent[slot] = (parent, self._life[parent])
        self._chances[slot] = 0
        self._lists[RECENT].append(slot)
        self._rank_what_is_not_recent()

    def replace(self) -> list[int]:
        if not any(self._lists):
            return []
        victim = self._take_least()
        self._rank_what_is_not_recent()
        self._life[victim] += 1
        parent, life = self._parent.get(victim, (victim, -1))
        if self._life[parent] == life:
            self._gone[parent] += self._gone[victim]
        return [victim]

    def worth(self, slot: int) -> int:
        if slot in self._passed_quickly:
            return 0
        return max(self._rung[slot], self._gone[slot].bit_length() - 1)

    def _take_least(self) -> int:
        """What was met, or has risen in rank, goes to the end of the list where it belongs first."""
        while True:
            place = next(place for place, slots in enumerate(self._lists) if slots)
            slot = self._lists[place].popleft()
            belongs = RECENT if place == RECENT else self.worth(slot)
            if self._chances[slot] == 0 and belongs == place:
                return slot
            self._chances[slot] = 0
            self._lists[belongs].append(slot)

    def _rank_what_is_not_recent(self) -> None:
        while len(self._lists[RECENT]) > sum(map(len, self._lists)) // SHARE_OF_RECENT:
            oldest = self._lists[RECENT].popleft()
            if self._chances[oldest] == CHANCES:
                self._chances[oldest] -= 1
                self._lists[RECENT].append(oldest)
            else:
                self._lists[self.worth(oldest)].append(oldest)
