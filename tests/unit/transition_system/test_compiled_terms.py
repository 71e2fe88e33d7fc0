"""Compiled terms against the evaluator, which is the meaning of terms."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.compiled_terms import compiled
from tests.unit.transition_system.random_flows import MEMORY, NAMES, truths, values, vectors


@settings(max_examples=300)
@given(st.lists(st.one_of(vectors(8, 3), vectors(3, 3), truths(3)), min_size=1, max_size=3), values())
def test_compiled_terms_compute_what_the_evaluator_computes(terms, given_values):
    variables = [*NAMES, MEMORY]
    found = compiled(terms, variables)([given_values[one] for one in variables])
    assert [int(one) for one in found] == [bv.evaluated(one, given_values) for one in terms]
