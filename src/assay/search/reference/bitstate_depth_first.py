"""Depth-first search that keeps k bits of each state (Holzmann 1998).

A state whose bits are all set is taken for seen. Every counterexample is real;
a finished search without one proves nothing, and the share of bits set says
how likely a state was lost.
"""

from __future__ import annotations

import random
from collections.abc import Hashable

from assay.search.outcome import State
from assay.search.reference.depth_first import explore
from assay.search.reference.fingerprint_breadth_first import fingerprint
from assay.search.reference.run import Run


class BitArray:
    """Looks like a set of states to the search; holds k bits of each."""

    def __init__(self, size_bytes: int, functions: int, seed: int) -> None:
        self.bits_set = 0
        self._bits = bytearray((size_bytes + 7) // 8 * 8)
        self._functions = functions
        self._seed = seed

    @property
    def bits_total(self) -> int:
        return len(self._bits) * 8

    def __contains__(self, state: object) -> bool:
        return all(self._bits[at >> 3] >> (at & 7) & 1 for at in self._places(state))

    def add(self, state: Hashable) -> None:
        for at in self._places(state):
            if not self._bits[at >> 3] >> (at & 7) & 1:
                self._bits[at >> 3] |= 1 << (at & 7)
                self.bits_set += 1

    def _places(self, state: object) -> list[int]:
        return [fingerprint(state, self._seed, salt) % self.bits_total for salt in range(self._functions)]


def bitstate_depth_first(
    run: Run[State], seed: int, *, shuffle: bool, functions: int, size_bytes: int
) -> None:
    generator = random.Random(seed)
    bits = BitArray(size_bytes, functions, seed)

    def ordered(successors: list[tuple[int, State]]) -> list[tuple[int, State]]:
        return generator.sample(successors, len(successors)) if shuffle else successors

    explore(run, bits, order=ordered)
    run.bits_set, run.bits_total = bits.bits_set, bits.bits_total
