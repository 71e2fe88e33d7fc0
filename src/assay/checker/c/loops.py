"""Rounds of loops, counted loop by loop: how often runs can be at a cut point, and in which order to look.

Between two cut points nothing repeats, so it is enough to know which cut points follow each other. Whatever
can be left and come back to is a loop: the first of its cut points is its head, and without the head there
can be further loops in it. A run is told by its cut point and the rounds that it made in each loop around it;
leaving a loop forgets its rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.checker.records import dataclass

Around = tuple[int, ...]  # the heads of the loops around a cut point, the outermost first
Rounds = tuple[int, ...]  # made in each of these


@dataclass(frozen=True, slots=True)
class Visit:
    """One cut point after so many rounds of the loops around it. `rank` grows along every run."""

    rank: tuple[int, ...]
    node: int
    rounds: Rounds


class Loops:
    def __init__(self, following: Mapping[int, Sequence[int]], first: int) -> None:
        """`following`: of each cut point, and of where runs begin, the cut points that come next."""
        self._around: dict[int, Around] = {}
        self._ranks: dict[int, tuple[int, ...]] = {}
        self._arrange(following, sorted(following, key=lambda node: (node != first, node)), (), ())
        self.first = self._visit(first, (0,) * len(self._around[first]))

    def after(self, visit: Visit, node: int) -> Visit:
        before, around = self._around[visit.node], self._around[node]
        rounds = [
            visit.rounds[at] if at < len(before) and before[at] == head else 0
            for at, head in enumerate(around)
        ]
        if around and around[-1] == node and node in before:  # a head is the last of what is around it
            rounds[-1] += 1
        return self._visit(node, tuple(rounds))

    def _visit(self, node: int, rounds: Rounds) -> Visit:
        places, rank = self._ranks[node], []
        for at, number in enumerate(rounds):
            rank += [places[at], number]
        return Visit((*rank, places[-1]), node, rounds)

    def _arrange(
        self, following: Mapping[int, Sequence[int]], nodes: Sequence[int], around: Around, rank: Around
    ) -> None:
        for place, part in enumerate(_groups(following, nodes), start=1):
            head = part[0]
            if len(part) == 1 and head not in following[head]:
                self._around[head], self._ranks[head] = around, (*rank, place)
                continue
            inner = (*around, head)
            self._around[head], self._ranks[head] = inner, (*rank, place, 0)
            self._arrange(following, part[1:], inner, (*rank, place))


def _groups(following: Mapping[int, Sequence[int]], nodes: Sequence[int]) -> list[list[int]]:
    """Those that lead to each other are together, each group before those that it leads to, in the order of a
    walk (Kosaraju)."""
    inside = set(nodes)
    ended: list[int] = []
    seen: set[int] = set()
    for root in nodes:
        walk = [(root, iter(following[root]))] if root not in seen else []
        seen.add(root)
        while walk:
            node, others = walk[-1]
            new = next((one for one in others if one in inside and one not in seen), None)
            if new is None:
                ended.append(node)
                walk.pop()
            else:
                seen.add(new)
                walk.append((new, iter(following[new])))
    leading: dict[int, list[int]] = {one: [] for one in nodes}
    for node in nodes:
        for one in following[node]:
            if one in inside:
                leading[one].append(node)
    groups: list[list[int]] = []
    placed: set[int] = set()
    for root in reversed(ended):
        if root in placed:
            continue
        placed.add(root)
        group, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            group.append(node)
            for one in leading[node]:
                if one not in placed:
                    placed.add(one)
                    waiting.append(one)
        groups.append(group)
    return groups
