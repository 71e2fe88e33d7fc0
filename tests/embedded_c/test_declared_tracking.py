"""With what is declared alone, a verdict rests on nothing that the search does not put back and compare."""

import pytest

import assay

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
    [(HEAP, "what embedded C allocates is put back and compared only"), (CLOCK, "calls 'time'")],
    ids=["heap", "clock"],
)
def test_what_is_not_put_back_is_a_reason_against_a_proof(tmp_path, text, reason):
    path = tmp_path / "model.pml"
    path.write_text(text)
    result = assay.verify(path, tracking="declared")
    assert result.verdict == "incomplete"
    assert any(reason in one for one in result.reasons)
