"""Obligations by weakest preconditions against the blocks, which go forwards; two solvers between them."""

from __future__ import annotations

from itertools import islice

import pytest
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.evidence.sequential.obligations import NoProof, obligations
from assay.search.sequential.z3_terms import Translation
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.blocks import blocks
from assay.transition_system.sequential.control_flow import reachable
from assay.transition_system.sequential.running import run
from assay.transition_system.sequential.slicing import failing_part, sliced
from tests.unit.transition_system.random_flows import graphs, simplified, truths, values, vectors


def is_valid(term: bv.Term) -> bool:
    solver = z3.Solver()
    solver.add(z3.Not(Translation()(term)))
    return solver.check() == z3.unsat


def holds_by_blocks(flow, invariants) -> bool:
    for block in blocks(flow):
        before = invariants.get(block.source, bv.TRUE)
        after = (
            bv.FALSE
            if block.target in flow.failures
            else bv.substituted(invariants[block.target], block.values)
            if block.target in invariants
            else bv.TRUE
        )
        sources = [before] if block.source != flow.entry or block.source in invariants else [bv.TRUE]
        if not all(is_valid(bv.implies(bv.all_of((one, block.condition)), after)) for one in sources):
            return False
    return flow.entry not in invariants or is_valid(invariants[flow.entry])


@settings(max_examples=120)
@given(graphs(), st.data())
def test_both_ways_give_the_same_answer(flow, data):
    flow = reachable(flow)
    invariants = {at: simplified(data.draw(truths(2))) for at in sorted(flow.cut_points)}
    prover = Prover()
    by_weakest = all(prover.is_unsatisfiable(one.refutation, 20) for one in obligations(flow, invariants))
    assert by_weakest == holds_by_blocks(flow, invariants)


@settings(max_examples=80)
@given(graphs(), values(), st.integers(0, 255))
def test_a_slice_fails_where_the_whole_fails(flow, state, chosen):
    """With the same choices, after the same edges."""
    whole = reachable(flow)
    part = failing_part(whole)
    assert part.failures == whole.failures

    def end(one):
        last = None
        for last in islice(run(one, lambda edge: chosen + edge.source & 255, dict(state)), 200):
            if last.location in one.failures:
                return last.location
        return None

    assert end(whole) == end(part) == end(sliced(part))


@settings(max_examples=60)
@given(graphs())
def test_a_cycle_without_an_invariant_is_no_proof(flow):
    flow = reachable(flow)
    assume(flow.cut_points)
    for at in flow.cut_points:
        others = {one: bv.TRUE for one in flow.cut_points if one != at}
        if not flow.cuts_every_cycle(others):
            with pytest.raises(NoProof, match="cycle"):
                list(obligations(flow, others))


@settings(max_examples=200)
@given(st.one_of(vectors(8, 3), truths(3)), values())
def test_solvers_compute_what_the_evaluator_computes(term, given_values):
    expected = bv.evaluated(term, given_values)
    known = [
        bv.equal(one, bv.constant(value, one.width))
        for one, value in given_values.items()
        if isinstance(value, int)
    ]
    memory, content = next((one, value) for one, value in given_values.items() if not isinstance(value, int))
    array = bv.constant_array(memory.sort, bv.constant(content.otherwise, 8))
    for index, element in content.elements.items():
        array = bv.store(array, bv.constant(index, 3), bv.constant(element, 8))
    is_same = (
        bv.equal(term, bv.constant(expected, term.width))
        if isinstance(term.sort, bv.Bits)
        else (term if expected else bv.negated(term))
    )
    refutation = bv.all_of((*known, bv.equal(memory, array), bv.negated(is_same)))
    assert Prover().is_unsatisfiable(refutation, 20)
    solver = z3.Solver()
    solver.add(Translation()(refutation))
    assert solver.check() == z3.unsat
