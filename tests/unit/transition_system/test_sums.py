"""Sums in one order mean what they meant, and those of the same parts are one term."""

from __future__ import annotations

import random
from functools import reduce

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.sums import MOST_PARTS, SortedSums
from tests.unit.transition_system.random_flows import NAMES, truths, values, vectors

OF_A_BYTE = [one for one in NAMES if one.width == 8]
PARTS = [bv.variable(f"part{number}", bv.Bits(32)) for number in range(2 * MOST_PARTS)]


def added(*parts: bv.Term) -> bv.Term:
    return reduce(lambda left, right: bv.arithmetic("bvadd", left, right), parts)


@settings(max_examples=400)
@given(st.one_of(vectors(8, 5), truths(5)), values())
def test_they_mean_what_they_meant(term, given_values):
    assert bv.evaluated(SortedSums()(term), given_values) == bv.evaluated(term, given_values)


@settings(max_examples=400)
@given(st.lists(st.sampled_from((*OF_A_BYTE, 3, 255)), min_size=1, max_size=9), values(), st.randoms())
def test_sums_of_the_same_parts_are_one_term(parts, given_values, source):
    parts = [bv.constant(one, 8) if isinstance(one, int) else one for one in parts]
    sums = SortedSums()
    first = sums(added(*parts))
    assert bv.evaluated(first, given_values) == bv.evaluated(added(*parts), given_values)
    for _ in range(3):
        source.shuffle(parts)
        cut = source.randrange(len(parts))
        nested = added(added(*parts[:cut]), added(*parts[cut:])) if cut else added(*parts)
        assert sums(nested) is first


def test_long_ones_are_left_as_they_are():
    term = added(*PARTS)
    source = random.Random(1)
    given_values = {one: source.getrandbits(32) for one in PARTS}
    assert bv.evaluated(SortedSums()(term), given_values) == bv.evaluated(term, given_values)


def test_solvers_see_that_averages_do_not_depend_on_an_order():
    wide = [bv.extended(one, 64, is_signed=True) for one in PARTS[:60]]
    sixty = bv.constant(60, 64)
    one, other = (bv.arithmetic("bvsdiv", added(*parts), sixty) for parts in (wide, [*wide[1:], wide[0]]))
    assert Prover().is_unsatisfiable(bv.negated(bv.equal(one, other)), 10) is True
    found = Prover().model(bv.equal(added(*PARTS[:3]), bv.constant(7, 32)), 10)
    assert found is not None
    assert sum(found.values()) % (1 << 32) == 7
