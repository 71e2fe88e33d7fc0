"""The thesis's greedy partition (Algorithm 3.2) of a certificate with millions of states.

`assay.evidence.thesis.partition` is the readable one and looks at every state for
each region. Here the sizes of subtrees are sorted once, and the closest to an
even share of what is left is found by bisection: cutting a region out changes the
sizes of its root's ancestors alone, and those are few.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.evidence.certificate.container import CertificateFile


@dataclass(frozen=True, slots=True)
class Region:
    transitions: int
    path_length: int  # from the initial state to the region's root


@dataclass(frozen=True, slots=True)
class ScriptTree:
    """The spanning tree of a script, its states numbered in preorder."""

    parents: Sequence[int]  # -1 for the initial state
    ends: Sequence[int]  # the subtree of state i has the numbers from i to ends[i] - 1
    sizes: Sequence[int]  # transitions of the whole subtree


def read_tree(certificate: Path) -> ScriptTree:
    """Needs the list Subgraphs, which also says how many of the entries belong to each state."""
    parents: list[int] = []
    sizes: list[int] = []
    parents_to_come = [-1]  # of the states that are not numbered yet, the next one last
    with CertificateFile(certificate) as file:
        for frame in file.frames():
            is_tree = f"{int.from_bytes(frame.bits, 'little'):0{frame.entries}b}"[::-1]
            used = 0
            numbers = varints(frame.subgraphs)
            for entries, size in zip(numbers, numbers, strict=True):
                children = is_tree.count("1", used, used + entries)
                used += entries
                parents.append(parents_to_come.pop())
                sizes.append(size)
                parents_to_come += [len(parents) - 1] * children
    ends = list(range(1, len(parents) + 1))
    for number in range(len(parents) - 1, 0, -1):
        ends[parents[number]] = max(ends[parents[number]], ends[number])
    return ScriptTree(parents, ends, sizes)


def varints(section: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in section:
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            yield value
            value = shift = 0
        else:
            shift += 7


def partition(tree: ScriptTree, regions: int) -> list[Region]:
    """Of several subtrees equally close the one with the lowest number; the last region is what remains."""
    ordered = sorted(range(1, len(tree.sizes)), key=tree.sizes.__getitem__)  # equal sizes stay in order
    changed: dict[int, int] = {}  # sizes that are no longer those of the tree
    gone: list[range] = []

    def is_left(number: int) -> bool:
        return not any(number in numbers for numbers in gone)

    left = tree.sizes[0]
    found = []
    for shares in range(regions, 1, -1):
        sizes = {number: size for number, size in changed.items() if is_left(number)}
        near = closest(ordered, tree.sizes, left / shares, lambda n: n not in changed and is_left(n))
        sizes.update((number, tree.sizes[number]) for number in near)
        if not sizes:
            break
        _, root = min((abs(size * shares - left), number) for number, size in sizes.items())
        size = sizes[root]
        ancestors = list(ancestors_of(root, tree))
        for number in ancestors[:-1]:
            changed[number] = changed.get(number, tree.sizes[number]) - size
        gone.append(range(root, tree.ends[root]))
        left -= size
        found.append(Region(size, len(ancestors)))
    return [*found, Region(left, 0)]


def closest(
    ordered: Sequence[int], sizes: Sequence[int], share: float, is_candidate: Callable[[int], bool]
) -> Iterator[int]:
    """The first candidate from the share downwards, and the first one upwards.

    Downwards, the lowest number of the size that is found comes last, so the whole size is looked at.
    """
    middle = bisect_left(ordered, share, key=sizes.__getitem__)
    below: int | None = None
    for position in range(middle - 1, -1, -1):
        number = ordered[position]
        if below is not None and sizes[number] != sizes[below]:
            break
        if is_candidate(number):
            below = number
    if below is not None:
        yield below
    for position in range(middle, len(ordered)):
        if is_candidate(ordered[position]):
            yield ordered[position]
            break


def ancestors_of(number: int, tree: ScriptTree) -> Iterator[int]:
    """From the parent up to the initial state."""
    while (number := tree.parents[number]) >= 0:
        yield number
