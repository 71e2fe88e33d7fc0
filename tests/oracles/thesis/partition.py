"""Cutting a script into tasks: by subtrees as the thesis does (Algorithm 3.2), and evenly as we do.

A region is a subtree of the spanning tree without the regions cut out of it
before. The producer's list Subgraphs says how many transitions each subtree has;
the greedy algorithm takes the subtree whose size is closest to an even share of
what is left. A wrong list makes the partition fail or be uneven, never wrong (Theorem
3.2.4).

The thesis rewrites script and list in every iteration, O(k(S + T)). Preorder makes a
subtree an interval of numbers, so the script is never rewritten here: what was cut out is a few
intervals, and numbers of transitions are differences of prefix sums. That leaves O(kS + T).

What the thesis leaves open: of several subtrees equally close we take the one
with the lowest number. The initial state is never chosen, since the last region has its root
there. When no other state is left there are fewer than k regions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from assay.evidence.script import (
    TREE,
    Rows,
    Script,
    Tree,
    instruction,
    perfect,
    without_trailing_backtracks,
)


class PartitionProblem(Exception):
    """The list Subgraphs does not fit the script, so that no region can be cut out."""


@dataclass(frozen=True, slots=True)
class Region:
    """A task: the states reached by productive transitions from `root` that no other region has."""

    root: int
    end: int  # of the interval of the whole subtree
    cut: tuple[range, ...]  # the subtrees cut out of it, in order
    transitions: int  # the size (Definition 3.2.2)
    path: tuple[int, ...]  # initialization path: positions of the transitions from the initial state
    ancestors: tuple[int, ...]  # the states on that path

    def states(self) -> Iterator[int]:
        start = self.root
        for hole in self.cut:
            yield from range(start, hole.start)
            start = hole.stop
        yield from range(start, self.end)

    def holes(self) -> Mapping[int, int]:
        """The cut as `Script.steps` and `follow` take it."""
        return {hole.start: hole.stop for hole in self.cut}

    def rows(self, script: Script) -> Rows:
        """What the thesis prints for the region, after the initialization path.

        Productive transitions that span regions stay, as transitions to a state
        that has its number already.
        """
        return Rows.of(without_trailing_backtracks(script.steps(self.root, self.holes())))

    def trustful_rows(self, script: Script) -> tuple[str, ...]:
        """The perfect search of the region, without transitions that span regions (3.2.4)."""
        return tuple(instruction(step) for step in perfect(script.steps(self.root, self.holes())))


@dataclass(frozen=True, slots=True)
class Interval:
    """A task of ours: consecutive states, a frame of the certificate."""

    states: range
    transitions: int
    path: tuple[int, ...]  # from the initial state to the first one


def subgraphs(script: Script, *, trustful: bool = False) -> list[int]:
    """For each state the size of the region rooted there, were it cut out first (3.2.1).

    A trustful script has productive transitions only.
    """
    parents = script.tree().parents
    sizes = _transitions(script, trustful=trustful)
    for number in range(script.states - 1, 0, -1):
        sizes[parents[number]] += sizes[number]
    return sizes


def partition(
    script: Script, listed: Mapping[int, int] | Sequence[int], regions: int, *, trustful: bool = False
) -> list[Region]:
    """Algorithm 3.2. The last region is what remains and has its root in the initial state.

    A trustful partition removes the productive transitions that span regions (3.2.4), so a region there
    has one transition less than states.
    """
    if regions < 1:
        raise ValueError(f"a partition has at least 1 region, not {regions}")
    tree = script.tree()
    before = [0, *accumulate(_transitions(script, trustful=trustful))]
    spanning = 1 if trustful else 0
    sizes = dict(sorted(listed.items()) if isinstance(listed, Mapping) else enumerate(listed))
    extracted: list[range] = []  # the largest subtrees that are gone, in order
    left = before[-1]
    found = []
    for shares in range(regions, 1, -1):
        candidates = filter(None, sizes)  # in ascending order, without the initial state
        root = min(candidates, key=lambda number: abs(sizes[number] * shares - left), default=None)
        if root is None:
            break
        if not 0 <= root < script.states:
            raise PartitionProblem(f"Subgraphs lists state {root}, which the script does not have")
        region = _region(root, tree, extracted, before, spanning)
        if sizes[root] != region.transitions:
            raise PartitionProblem(
                f"Subgraphs lists {sizes[root]} transitions for the region of state {root}, "
                f"which has {region.transitions} in the script"
            )
        for number in region.states():
            if number not in sizes:
                raise PartitionProblem(
                    f"Subgraphs does not list state {number} of the region of state {root}"
                )
            del sizes[number]
        for number in region.ancestors:
            if number not in sizes:
                raise PartitionProblem(f"Subgraphs does not list state {number}, an ancestor of state {root}")
            sizes[number] -= region.transitions + spanning
        _extract(region, extracted)
        left -= region.transitions + spanning
        found.append(region)
    return [*found, _region(0, tree, extracted, before, spanning)]


def even_intervals(script: Script, intervals: int) -> list[Interval]:
    """Frames of the certificate: two differ by at most the entries of one state."""
    if intervals < 1:
        raise ValueError(f"a partition has at least 1 interval, not {intervals}")
    tree = script.tree()
    before = [0, *accumulate(map(len, script.entries))]
    starts = [bisect_left(before, index * before[-1] // intervals) for index in range(intervals)]
    stops = [*starts[1:], script.states]
    return [
        Interval(range(start, stop), before[stop] - before[start], tree.path(start) if start < stop else ())
        for start, stop in zip(starts, stops, strict=True)
    ]


def _transitions(script: Script, *, trustful: bool) -> list[int]:
    return [entries.count(TREE) if trustful else len(entries) for entries in script.entries]


def _region(
    root: int, tree: Tree, extracted: Sequence[range], before: Sequence[int], spanning: int
) -> Region:
    end = tree.ends[root]
    inside = tuple(hole for hole in extracted if root < hole.start < end)
    gone = sum(before[hole.stop] - before[hole.start] + spanning for hole in inside)
    return Region(root, end, inside, before[end] - before[root] - gone, tree.path(root), tree.ancestors(root))


def _extract(region: Region, extracted: list[range]) -> None:
    outside = [hole for hole in extracted if not region.root < hole.start < region.end]
    extracted[:] = sorted([*outside, range(region.root, region.end)], key=lambda hole: hole.start)
