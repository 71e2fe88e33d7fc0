"""How many different states were seen, by however many searches: a sketch that can be merged.

A sketch (HyperLogLog, Flajolet and others 2007) has a number of registers. A state's hash chooses one by its
first bits, and the register keeps the largest number of leading zeros met in the other bits. So a sketch says
nothing of any one state, is of one size however many there are, does not mind if a state comes twice, and the
sketch of a union is the register-wise maximum. The hash must be one of the state's content, and the same in
every process that takes part (`TransitionSystem::content_hash` of the engine, which fills the registers).

The estimate is that of Ertl ("New cardinality estimation algorithms for HyperLogLog sketches", 2017,
algorithm 6), which has no tables and is as good for few states as for many. For n registers its standard
error is 1.04/sqrt(n) of the number.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Self

from assay.records import dataclass

INDEX_BITS = 14
REGISTERS = 1 << INDEX_BITS
LARGEST = 64 - INDEX_BITS + 1
STANDARD_ERROR = 1.04 / math.sqrt(REGISTERS)
ERRORS_TOLD = 2.0  # an interval of two standard errors to each side: 19 of 20 hold the number


class SketchProblem(ValueError):
    """Bytes that are no sketch."""


@dataclass(frozen=True, slots=True)
class Sketch:
    registers: bytes = bytes(REGISTERS)

    def __post_init__(self) -> None:
        if len(self.registers) != REGISTERS or max(self.registers) > LARGEST:
            raise SketchProblem(f"expected {REGISTERS} registers up to {LARGEST}")

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What `as_text` wrote, here or on another machine."""
        try:
            unpacked = zlib.decompressobj().decompress(base64.b85decode(text), REGISTERS + 1)
        except (ValueError, zlib.error) as problem:
            raise SketchProblem(f"expected a sketch, got what cannot be unpacked ({problem})") from None
        return cls(unpacked)

    def as_text(self) -> str:
        return base64.b85encode(zlib.compress(self.registers, 6)).decode("ascii")

    @classmethod
    def union(cls, sketches: Iterable[Sketch]) -> Self:
        merged = 0
        for one in sketches:
            merged = _larger_of_each(merged, int.from_bytes(one.registers, "little"))
        return cls(merged.to_bytes(REGISTERS, "little"))

    @property
    def estimate(self) -> float:
        """How many different hashes went into it."""
        counts = Counter(self.registers)
        total = REGISTERS * _tau(1 - counts[LARGEST] / REGISTERS)
        for value in range(LARGEST - 1, 0, -1):
            total = 0.5 * (total + counts[value])
        total += REGISTERS * _sigma(counts[0] / REGISTERS)
        return 0.0 if math.isinf(total) else REGISTERS**2 / (2 * math.log(2)) / total

    @property
    def interval(self) -> tuple[float, float]:
        share = ERRORS_TOLD * STANDARD_ERROR
        return self.estimate * (1 - share), self.estimate * (1 + share)


def overlap(first: Sketch, second: Sketch) -> float:
    """How many are in both: what their sizes have more than their union. The error is that of the union."""
    return max(0.0, first.estimate + second.estimate - Sketch.union((first, second)).estimate)


_HIGH = int.from_bytes(b"\x80" * REGISTERS, "little")
_LOW = _HIGH - (_HIGH >> 7)


def _larger_of_each(first: int, second: int) -> int:
    """Byte by byte, of numbers whose bytes are below 128: all at once, a hundred times as fast."""
    not_smaller = ((first | _HIGH) - second) & _HIGH  # no byte borrows from the next: its high bit is set
    mask = not_smaller - (not_smaller >> 7)
    return (first & mask) | (second & (_LOW ^ mask))


def _sigma(share: float) -> float:
    """The sum of share**(2**k) * 2**(k-1): what empty registers tell."""
    if share == 1.0:
        return math.inf
    factor, total, before = 1.0, share, -1.0
    while total != before:
        share *= share
        before = total
        total += share * factor
        factor += factor
    return total


def _tau(share: float) -> float:
    """What full registers tell."""
    if share in {0.0, 1.0}:
        return 0.0
    factor, total, before = 1.0, 1 - share, -1.0
    while total != before:
        share = math.sqrt(share)
        before = total
        factor *= 0.5
        total -= (1 - share) ** 2 * factor
    return total / 3
