"""All states that can be reached, by saturation (Ciardo, Lüttgen and Siminiceanu 2001; of relations as
diagrams: Ciardo and Yu 2005).

A step that changes the lowest variables of a diagram alone is taken there, again and again, until nothing new
comes of it, before a step above it is looked at. So what diagrams become on the way stays near what they are
at the end, where going layer by layer has to tell apart how far each state is from the first: a ring of
cells has few nodes at the end and exponentially many in its layers. What is lost is the distance, so this
finds no run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any

LOOKED_AT_CLOCK = 1 << 8  # calls between two looks at the clock
MOST_BITS = 2_000  # each takes some frames of the interpreter


class Interrupted(Exception):
    """Its turn is over: what it has found so far is kept."""


class Saturation:
    """Bit n is variable 2n before a step and 2n + 1 after it; a relation says nothing of the bits that a step
    leaves as they are."""

    def __init__(self, manager: Any, bits: int, relations: Iterable[Any]) -> None:
        self._bits = bits
        self._none, self._all = manager.false(), manager.true()
        self._variables = [manager.var(2 * bit) for bit in range(bits)]
        self._steps: dict[int, list[Any]] = {}  # by the highest bit that they speak of
        for relation in relations:
            if relation != self._none:
                self._steps.setdefault(self._level(relation) // 2, []).append(relation)
        # The first bit from here on at which steps begin.
        self._next = [bits] * (bits + 2)
        for bit in reversed(range(bits)):
            self._next[bit] = bit if bit in self._steps else self._next[bit + 1]
        self._saturated: dict[tuple[Any, int], Any] = {}
        self._images: dict[tuple[Any, Any, int], Any] = {}
        self._calls, self._until = 0, 0.0

    def reached_from(self, states: Any, until: float) -> Any:
        """Everything that can be reached from these states; raises Interrupted at that time, and goes on from
        there when it is asked again."""
        self._until = until
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, 1_000 + 8 * self._bits))
        try:
            return self._saturate(states, 0)
        finally:
            sys.setrecursionlimit(before)

    def _level(self, function: Any) -> int:
        level = function.node_level()
        return 2 * self._bits if level is None else int(level)

    def _halves(self, function: Any, level: int) -> Any:
        """Where the variable at this level is 1, and where it is 0."""
        return function.cofactors() if self._level(function) == level else (function, function)

    def _saturate(self, states: Any, bit: int) -> Any:
        """Closed under all steps that begin at this bit or below."""
        if states == self._none:
            return states
        bit = min(self._level(states) // 2, self._next[bit])
        if bit >= self._bits:
            return states
        key = states, bit
        found = self._saturated.get(key)
        if found is None:
            ones, zeros = self._halves(states, 2 * bit)
            high, low = self._saturate(ones, bit + 1), self._saturate(zeros, bit + 1)
            found = self._closed(self._variables[bit].ite(high, low), bit)
            self._saturated[key] = found
        return found

    def _closed(self, states: Any, bit: int) -> Any:
        """Of states that are closed below this bit: closed at it, too."""
        while True:
            before = states
            for relation in self._steps.get(bit, ()):
                states |= self._image(states, relation, bit)
            if states == before:
                return states

    def _saturated_image(self, states: Any, relation: Any, bit: int) -> Any:
        """What the rest of a step leads to, closed from this bit on. The states are so already."""
        if self._none in (states, relation):
            return self._none
        if relation == self._all:  # it changes nothing from here on
            return states
        bit = min(self._level(states) // 2, self._level(relation) // 2, self._next[bit])
        key = states, relation, bit
        found = self._images.get(key)
        if found is None:
            found = self._closed(self._image(states, relation, bit), bit)
            self._images[key] = found
        return found

    def _image(self, states: Any, relation: Any, bit: int) -> Any:
        """Closed below this bit."""
        self._calls += 1
        if self._calls % LOOKED_AT_CLOCK == 0 and time.monotonic() > self._until:
            raise Interrupted
        ones, zeros = self._halves(states, 2 * bit)
        from_one, from_zero = self._halves(relation, 2 * bit)
        after = 2 * bit + 1
        if after in (self._level(from_one), self._level(from_zero)):
            one_to_one, one_to_zero = self._halves(from_one, after)
            zero_to_one, zero_to_zero = self._halves(from_zero, after)
            high = self._saturated_image(ones, one_to_one, bit + 1)
            high |= self._saturated_image(zeros, zero_to_one, bit + 1)
            low = self._saturated_image(ones, one_to_zero, bit + 1)
            low |= self._saturated_image(zeros, zero_to_zero, bit + 1)
        else:  # the bit stays what it is
            high = self._saturated_image(ones, from_one, bit + 1)
            low = self._saturated_image(zeros, from_zero, bit + 1)
        return self._variables[bit].ite(high, low)
