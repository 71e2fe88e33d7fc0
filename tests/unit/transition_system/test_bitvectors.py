"""Terms over bit vectors against plain arithmetic, and blocks against running the graph edge by edge."""

from __future__ import annotations

import contextlib
import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.blocks import blocks, choice_of
from assay.transition_system.sequential.control_flow import Assign, Assume, Choose
from tests.unit.transition_system.random_flows import (
    MEMORY,
    NAMES,
    X,
    Y,
    graphs,
    simplified,
    truths,
    values,
    vectors,
)


@settings(max_examples=400)
@given(st.one_of(vectors(8, 4), vectors(3, 4), truths(4)), values())
def test_what_is_left_out_cannot_change_the_value(term, given_values):
    assert bv.evaluated(simplified(term), given_values) == bv.evaluated(term, given_values)


@settings(max_examples=200)
@given(vectors(8, 3), vectors(8, 2), values())
def test_substitution_is_evaluation_with_the_other_value(term, replacement, given_values):
    name = NAMES[-1]
    changed = {**given_values, name: bv.evaluated(replacement, given_values)}
    after = bv.substituted(term, {name: replacement})
    assert bv.evaluated(after, given_values) == bv.evaluated(term, changed)


@settings(max_examples=200)
@given(st.lists(st.one_of(vectors(8, 3), truths(3)), max_size=3))
def test_terms_come_back_as_they_were_written(terms):
    terms = [simplified(one) for one in terms]
    known = {one.name: one for one in (*NAMES, MEMORY)}
    written = json.loads(json.dumps(term_file.dump(terms)))
    assert all(a is b for a, b in zip(term_file.load(written, known), terms, strict=True))


JSON = st.recursive(
    st.one_of(st.integers(-3, 300), st.text(max_size=3), st.none(), st.booleans()),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300)
@given(st.data(), truths(3))
def test_what_is_no_list_of_terms_is_refused_in_a_sentence(data, term):
    known = {one.name: one for one in (*NAMES, MEMORY)}
    written = term_file.dump([term])
    node = data.draw(st.integers(0, len(written["nodes"]) - 1))
    words = st.sampled_from(["bvadd", "ite", "extract", "c", "v"])
    written["nodes"][node] = data.draw(st.one_of(JSON, st.tuples(words, JSON, JSON).map(list)))
    with contextlib.suppress(term_file.TermProblem):
        term_file.load(json.loads(json.dumps(written)), known)


def walked(flow, start, state, chosen):
    """Where a walk of single edges ends: at the first cut point or failure, or nowhere."""
    location, first = start, True
    while first or (location not in flow.cut_points and location not in flow.failures):
        first = False
        for position, edge in enumerate(flow.edges):
            if edge.source != location:
                continue
            if isinstance(edge.action, Assume) and not bv.evaluated(edge.action.condition, state):
                continue
            if isinstance(edge.action, Assign):
                new = {name: bv.evaluated(value, state) for name, value in edge.action.values}
                state = {**state, **new}
            if isinstance(edge.action, Choose):
                state = {**state, edge.action.variable: chosen[choice_of(edge, position)]}
            location = edge.target
            break
        else:
            return None
    return location, state


@settings(max_examples=200)
@given(graphs(), values(), st.integers(0, 255))
def test_a_block_does_what_its_edges_do(flow, state, chosen):
    assert flow.cuts_every_cycle(flow.cut_points) or len(flow.cut_points) < flow.locations
    choices = {
        choice_of(edge, i): chosen + i & 255
        for i, edge in enumerate(flow.edges)
        if isinstance(edge.action, Choose)
    }
    try:
        found = blocks(flow)
    except ValueError:  # a cycle that nothing leads to
        return
    for start in {flow.entry, *flow.cut_points}:
        taken = [
            block
            for block in found
            if block.source == start and bv.evaluated(block.condition, {**state, **choices})
        ]
        end = walked(flow, start, state, choices)
        assert len(taken) == (end is not None)
        for block in taken:
            after = {
                name: bv.evaluated(block.values.get(name, name), {**state, **choices}) for name in (X, Y)
            }
            assert end == (block.target, {**state, **after})


@pytest.mark.parametrize("operator", ["bvsdiv", "bvsrem"])
@pytest.mark.parametrize(
    ("left_sign", "right_sign"), [(True, True), (True, False), (False, True), (False, False)]
)
def test_a_division_of_small_numbers_is_a_small_division(operator, left_sign, right_sign):
    one, other = bv.variable("one", bv.Bits(4)), bv.variable("other", bv.Bits(4))
    wide = [bv.extended(term, 32, is_signed=sign) for term, sign in ((one, left_sign), (other, right_sign))]
    made = bv.arithmetic(operator, *wide)
    assert made.operator == "sign_extend"
    for value, divisor in product(range(16), repeat=2):
        held = {one: value, other: divisor}
        left, right = (bv.evaluated(term, held) for term in wide)
        assert bv.evaluated(made, held) == bv.ARITHMETIC[operator](left, right, 32) % (1 << 32)
