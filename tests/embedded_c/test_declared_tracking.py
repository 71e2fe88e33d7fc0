"""With what is declared alone, a verdict rests on nothing that the search does not put back and compare."""

import pytest

import assay
from assay.transition_system.language_options import OptionProblem

HEAP = """
c_decl {
\\#include <stdlib.h>
int *p;
}
c_track "&p" "sizeof(p)"
int seen;
active proctype P() {
  c_code { p = malloc(4); *p = 0; };
  do
  :: seen < 2 -> c_code { (*p)++; now.seen++; }
  :: else -> break
  od
}
"""
CLOCK = """
c_decl {
\\#include <time.h>
}
int seen;
active proctype P() { c_code { now.seen = time(0) % 2; }; assert(seen < 2) }
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAP, "memory from malloc() is written by the c_code at model.pml:11 and is not tracked"),
        (CLOCK, "calls 'time'"),
    ],
    ids=["heap", "clock"],
)
def test_what_is_not_put_back_is_a_reason_against_a_proof(tmp_path, text, reason):
    path = tmp_path / "model.pml"
    path.write_text(text)
    result = assay.verify(path, tracking="declared")
    assert result.verdict == "incomplete"
    assert any(reason in one for one in result.reasons)


LATER = """
c_decl { struct part { int a; char room[300000]; int b; }; struct part *p; static struct part place; }
c_track "&p" "sizeof(p)"
c_track "&p->a" "sizeof(int)"
c_track "p->room" "300000"
c_track "&p->b" "sizeof(int)"
active proctype I() { c_code { p = &place; }; run P(); run P() }
proctype P() { c_code { p->a++; p->room[200000 + PP->_pid] = 7; }; c_code { p->b = p->a; } }
"""


def test_data_whose_address_is_known_later_may_be_large(tmp_path):
    path = tmp_path / "model.pml"
    path.write_text(LATER)
    found = [assay.verify(path, tracking=kind, reductions=()) for kind in ("all", "declared")]
    assert [one.verdict for one in found] == ["verified"] * 2
    assert (found[0].states, found[0].transitions) == (found[1].states, found[1].transitions) == (28, 36)


def test_an_address_behind_a_null_pointer_is_one_that_is_known_later(tmp_path):
    """SPIN's verifier crashes on it."""
    path = tmp_path / "model.pml"
    path.write_text("""
    c_decl { struct s { int *d; } *q; struct s one; int cell; }
    c_track "&q" "sizeof(q)"
    c_track "&one" "sizeof(one)"
    c_track "q->d" "sizeof(int)"
    active [2] proctype P() {
      c_code { one.d = &cell; q = &one; }; c_code { (*q->d)++; }; assert(c_expr { cell <= 2 })
    }
    """)
    assert assay.verify(path, tracking="declared").verdict == "verified"


def test_what_cannot_be_searched_with_c_in_it_is_told_with_the_reason(tmp_path):
    path = tmp_path / "model.pml"
    path.write_text("c_decl { int *p; } active proctype P() { c_code { p = malloc(4); } }")
    with pytest.raises(OptionProblem, match="threads: the C in this program is linked for one address"):
        assay.verify(path, threads=2)
    with pytest.raises(OptionProblem, match="spill: states of this program hold the memory of its C"):
        assay.verify(path, spill=tmp_path / "spill")


FORGOTTEN = """
c_decl { int chosen; }
active proctype P() {
  byte value;
  do :: value < 9 -> value++ :: break od;
  c_code { chosen = PP->value; };
end_too_large: c_expr { chosen < 7 };
  c_code { if (chosen == 6) uerror("six"); };
  c_code { if (chosen == 5) uerror("five"); }
}
"""


def test_a_violation_that_nobody_finds_the_way_to_is_none(tmp_path):
    """Breadth first, a state is left behind that nothing leads to any more: the way back ends there."""
    path = tmp_path / "model.pml"
    path.write_text(FORGOTTEN)
    found = assay.verify(path, tracking="declared", reductions=(), all_errors=True)
    assert found.verdict == "incomplete"
    assert any("do not come to it when executed again" in reason for reason in found.reasons)
    assert assay.verify(path).verdict == "violated"
