"""The field in which products are compared: that it is one, and how tasks join."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.certification import products
from assay.certification.products import times

elements = st.integers(0, 2**192 - 1)
X = 2


@settings(deadline=None)
@given(elements, elements, elements)
def test_elements_form_a_commutative_ring(a, b, c):
    assert times(a, b) == times(b, a) < 2**192
    assert times(times(a, b), c) == times(a, times(b, c))
    assert times(a, b ^ c) == times(a, b) ^ times(a, c)
    assert times(a, 1) == a


@settings(deadline=None)
@given(elements.filter(bool))
def test_every_element_but_zero_has_an_inverse(a):
    """So that the modulus has no factors: a to the power of 2^192 - 2 is the inverse of a."""
    inverse, power = 1, a
    for _ in range(191):
        power = times(power, power)
        inverse = times(inverse, power)
    assert times(a, inverse) == 1


def test_x_to_the_192_is_what_the_documentation_says():
    power = 1
    for _ in range(192):
        power = times(power, X)
    assert power == 0b1000_0111


def test_the_products_of_tasks_multiply():
    one, other = (3).to_bytes(24, "little"), (5).to_bytes(24, "little")
    assert products.product([one, other]) == 0b1111  # (x + 1)(x^2 + 1) = x^3 + x^2 + x + 1
    assert products.product([]) == 1


def test_secrets_are_as_long_as_asked_and_differ():
    assert len(products.draw(72)) == 72
    assert products.draw(72) != products.draw(72)


def test_the_bound_follows_from_the_counts():
    assert math.isclose(products.wrong_acceptance_log2(4, 4), 4 - 192)
    assert products.wrong_acceptance_log2(2**32, 2**48) < -142
