"""Many questions of one solver: the same answers as one by one, and fewer questions."""

from __future__ import annotations

import itertools

import pytest

from assay.transition_system.terms import Integer, Number, Variable, apply, both, negated

pytest.importorskip("z3")

from assay.evidence.inductive.entailment import Entailment
from assay.evidence.inductive.z3_prover import Z3Prover

X, Y = Variable("x", Integer(3, False)), Variable("y", Integer())
TERMS = [
    apply("<", X, Number(3)),
    apply(">=", Y, X),
    apply("==", apply("modulo", Y, Number(2)), Number(0)),
    apply(">", apply("+", X, Y), Number(4)),
    apply("!=", X, Y),
]
LITERALS = [(one, negated(one)) for one in TERMS]


def test_what_follows_is_what_a_prover_says_of_each_question_alone():
    follows = Entailment([X, Y], TERMS)
    prover = Z3Prover([X, Y], TERMS)
    asked = 0
    for signs in itertools.product((0, 1), repeat=len(TERMS)):
        given = [pair[sign] for pair, sign in zip(LITERALS, signs, strict=True)]
        for size, then in itertools.product((1, 3), itertools.chain.from_iterable(LITERALS)):
            asked += 1
            expected = prover.ask(prover.solver(given[:size]), (), then) is True
            assert follows(given[:size], then) is expected
    assert follows.questions < asked  # what followed once from fewer literals was not asked again


def test_a_number_without_room_is_no_answer():
    wide = Variable("w", Integer(32, True))
    follows = Entailment([wide], [apply("^", wide, Number(1))])  # bits: vectors of 64
    large = apply(">", apply("*", apply("*", wide, wide), wide), Number(0))
    assert follows([large], both(large, apply(">", wide, Number(0)))) is False
    assert follows([apply(">", wide, Number(3))], apply(">", wide, Number(2))) is True
