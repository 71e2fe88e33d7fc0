"""The coordinator's half of checking references without a table.

Each task returns two products, elements of the field of 2^192 elements that
`engine/support/binary_field.hpp` describes; those of all tasks multiply. They
agree if every reference is right, and otherwise with a probability that
`wrong_acceptance_log2` bounds (docs/formats/certificate.md).
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from functools import reduce

BITS = 192
ELEMENT_BYTES = BITS // 8
MODULUS = (1 << BITS) | 0b1000_0111  # x^192 + x^7 + x^2 + x + 1
ONE = 1


def draw(length: int) -> bytes:
    """Secrets for a walk: any 24 bytes are an element, so all elements are equally likely."""
    return secrets.token_bytes(length)


def product(factors: Iterable[bytes]) -> int:
    return reduce(times, (int.from_bytes(factor, "little") for factor in factors), ONE)


def times(a: int, b: int) -> int:
    """Carry-less, and then modulo the polynomial of the field."""
    result = 0
    for bit in range(b.bit_length()):
        if b >> bit & 1:
            result ^= a << bit
    for bit in reversed(range(BITS, result.bit_length())):
        if result >> bit & 1:
            result ^= MODULUS << bit - BITS
    return result


def wrong_acceptance_log2(
    states: int, transitions: int, *, digests: int = 0, longest_digested: int = 0
) -> float:
    """The last two are of programs whose states consist of digests: any two of them might be the same."""
    pairs = digests * (digests - 1) // 2
    return min(0.0, math.log2(3 * transitions + states + pairs * longest_digested) - BITS)


def together_log2(bounds: Iterable[float]) -> float:
    """The bound for several walks: none of them may have passed by chance."""
    return min(0.0, math.log2(sum(2.0 ** (bound + BITS) for bound in bounds)) - BITS)
