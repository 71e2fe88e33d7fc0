"""A fixed part of the campaign: random programs whose symbolic forms must be what they do."""

from __future__ import annotations

import pytest

from tests.agreement.generator import generate as with_everything
from tests.agreement.guarded_generator import generate
from tests.agreement.symbolic_forms import compare


@pytest.mark.parametrize("seed", range(40_000, 40_030))
def test_the_form_of_a_random_program_is_what_it_does(seed):
    found = compare(generate(seed).text)
    assert found.outcome not in {"disagree", "crashed"}, found.detail


@pytest.mark.parametrize(
    ("text", "states"),
    [
        pytest.param(
            """
            chan c = [0] of { mtype, byte }; mtype = { a, b }; byte x;
            active proctype S() { c!a(1); atomic { c!b(2); x++ } }
            active proctype R() { byte v; atomic { c?a(v); x = v }; if :: c?b(v) :: c?a(3) fi }
            active proctype Q() provided (x < 2) { c?b(x) }
            """,
            6,
            id="a rendezvous hands over who may not be interrupted",
        ),
        pytest.param(
            """
            chan c[2] = [0] of { byte }; byte x;
            active proctype S() {
              byte i; do :: i < 2 -> if :: c[i]!i :: else -> x++ fi; i++ :: else -> break od
            }
            active proctype R() { c[1]?x; assert(x == 2 || len(c[0])) }
            """,
            16,
            id="a rendezvous of an array, and else beside it",
        ),
        pytest.param(
            """
            byte x, y;
            active proctype P() {
              d_step {
                x > 0 -> if :: x > 5 -> y = 1 :: x > 1 -> y = 2 :: else -> goto out fi; x = 0; out: skip
              };
              y++
            }
            active proctype Q() { x = 1; x = 2; x = 7 }
            """,
            26,
            id="a d_step takes its first option",
        ),
        pytest.param(
            """
            byte x, i;
            active proctype P() {
              d_step { do :: i < 3 -> i++; x = x + i :: else -> break od }; assert(x == 6)
            }
            active proctype Q() { d_step { x = 0; x > 4; x = 1 } }
            """,
            3,
            id="a d_step goes round, and blocks",
        ),
        pytest.param(
            """
            chan c = [3] of { byte, short }; byte x; short y;
            active proctype P() { c!!3,1; c!!1,-2; c!!1,300; c??1,y; c?x,y }
            active proctype Q() { byte z; if :: c?[1,_] -> z = 1 :: c??[3,1] -> z = 2 fi; c??<z,-2> }
            """,
            33,
            id="messages in their order, and from the middle",
        ),
        pytest.param(
            """
            byte x;
            active proctype P() {
              { do :: x < 4 -> x++ :: x == 3 -> break od; x = 9 } unless { x == 2 -> x = 7 }
            }
            active proctype Q() {
              { x = 1; { x == 5 } unless { x == 3 } } unless { atomic { x > 6 -> x = 8; x == 1 } }
            }
            """,
            14,
            id="escapes",
        ),
    ],
)
def test_what_one_step_does_is_what_the_form_says(text, states):
    found = compare(text)
    assert (found.outcome, found.detail) == ("agree", "")
    assert found.states == states


@pytest.mark.parametrize("seed", [500_003, 500_008, 500_015, 500_020, 500_031])
def test_the_form_of_a_random_model_with_everything_is_what_it_does(seed):
    found = compare(with_everything(seed).text)
    assert found.outcome not in {"disagree", "crashed"}, found.detail
