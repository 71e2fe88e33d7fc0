"""A small fixed part of the campaign with random terms, and the terms that it found."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from assay.checker import invariants as checker
from assay.evidence.inductive import z3_prover
from assay.transition_system.terms import Integer, Variable, evaluate, from_json
from tests.unit.transition_system import random_terms

pytest.importorskip("z3")
pytest.importorskip("cvc5")
X = Variable("x", Integer(8, signed=False))


def test_everybody_agrees_about_random_terms():
    seen: Counter[str] = Counter()
    assert [found for seed in range(120) if (found := random_terms.problem_with(seed, seen))] == []
    assert min(seen["Encoding"], seen["BitEncoding"], seen["cvc5"]) > 10


def test_of_two_numbers_the_mask_is_the_one_that_is_one():
    term = from_json(["==", ["&", 5, 15], 5], {})
    encoding = z3_prover.encoding_for([], [term])
    assert evaluate(term, {}) is True
    assert encoding.z3.is_true(encoding.z3.simplify(encoding(term)))


@pytest.mark.parametrize("wide", [1 << 63, 1 << 64, -(1 << 64), ["unsigned", 64, -1]])
def test_vectors_have_no_room_for_every_number(wide):
    term = from_json(["and", ["<", "x", wide], ["==", ["|", "x", 1], 1]], {"x": X})
    encoding = z3_prover.encoding_for([X], [term])
    assert isinstance(encoding, z3_prover.BitEncoding)
    with pytest.raises(z3_prover.TooWide):
        encoding(term)


@pytest.mark.parametrize("kind", [Integer(64, signed=False), Integer()])
def test_variables_that_have_no_room_are_not_left_without_values(kind):
    # Nobody reads `y`, but its range would exclude every state.
    term = from_json(["==", ["|", "x", 1], ["|", "x", 1]], {"x": X})
    system = SimpleNamespace(variables=[X, Variable("y", kind)], steps=(), failures=())
    with pytest.raises(checker.Undecided):
        checker.Cvc5(system, {(0,): [term]})


def test_downwards_division_of_the_smallest_number():
    x = Variable("x", Integer(64))
    term = from_json(["==", ["|", ["floor", "x", 3], 0], ["floor", "x", 3]], {"x": x})
    solver = checker.Cvc5(SimpleNamespace(variables=[x], steps=(), failures=()), {(0,): [term]})
    smallest = f"(= v0 {solver.number(-(2**63))})"
    right = f"(= {solver.term(from_json(['==', ['floor', 'x', 3], -(2**63) // 3], {'x': x}))} true)"
    assert solver.breaks([smallest, right])
    assert not solver.breaks([smallest, f"(not {right})"])
