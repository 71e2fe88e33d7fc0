"""The coordinator's half of checking references without a table.

Each task returns two products, three independent numbers modulo 2^61 - 1
each; those of all tasks multiply. They agree if every reference is right, and
otherwise with a probability that `wrong_acceptance_log2` bounds: one of the
three agrees with probability at most (3T + S)/p (docs/formats/certificate.md).
"""

from __future__ import annotations

import math
import secrets
import struct
from collections.abc import Iterable

PRIME = (1 << 61) - 1
LANES = 3
UNUSED_BITS = 3  # the engine takes the upper 61 bits of a word


def draw(length: int) -> bytes:
    """Secrets for a walk: words that stand for numbers drawn uniformly below the prime."""
    words = (secrets.randbelow(PRIME) << UNUSED_BITS for _ in range(length // 8))
    return struct.pack(f"<{length // 8}Q", *words)


def product(factors: Iterable[bytes]) -> tuple[int, ...]:
    lanes = [1] * LANES
    for factor in factors:
        lanes = [lane * number % PRIME for lane, number in zip(lanes, numbers(factor), strict=True)]
    return tuple(lanes)


def numbers(factor: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{LANES}Q", factor)


def wrong_acceptance_log2(states: int, transitions: int) -> float:
    return min(0.0, LANES * math.log2((3 * transitions + states) / PRIME))
