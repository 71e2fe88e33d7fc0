"""The way through embedded C as what states are compared by."""

from __future__ import annotations

import subprocess

import pytest

import assay
from assay.evidence.verdict import Verdict
from assay.languages.promela.embedded_c.path_coverage import COMPILER_FLAGS, Block, coverage, instrumented
from assay.transition_system.interface import SourceProblem

CODE = """\
# 12 "model.pml"
int f(int a) { if (a > 3)
    return a * 2;
  return 7; }
# 40 "model.pml"
static int g(int a) { for (int i = 0; i < a; i++)
    f(i);
  return 1; }
int assay_ours(int a) { return a > 3 ? g(a) : 2; }
"""
MODEL = """
c_decl {
  int fill;
  int high;
  int check(void) {
    if (fill > 9)
      return 0;
    return 1;
  }
}
c_code {
  void put(int n) {
    fill += n;
    if (fill > 5) {
      if (n == 2)
        high = 1;
      fill = 0;
    }
  }
  void never(void) { fill = 77; }
}
active proctype P() {
  byte n;
  do
  :: n < 12 -> n++; c_code { put(1); }
  :: n < 12 -> n++; c_code { put(2); }
  :: c_expr { fill == 99 } -> c_code { never(); }
  :: n == 12 -> break
  od;
  assert(c_expr { check() })
}
"""


def assembly_of(code):
    done = subprocess.run(
        ["gcc", "-g", "-O2", "-fPIE", "-w", "-fno-plt", *COMPILER_FLAGS, "-x", "c", "-", "-S", "-o", "-"],
        input=code,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_every_block_gets_a_number_and_a_place():
    found = instrumented(assembly_of(CODE), 5)
    places = [(block.function, block.line) for block in found.blocks]
    assert {function for function, _ in places} == {"f", "g"}
    assert {line for function, line in places if function == "f"} == {12, 13, 14}
    assert {line for function, line in places if function == "g"} >= {40, 41}
    assert all(block.file == "model.pml" for block in found.blocks)
    for number in range(5, 5 + len(found.blocks)):
        assert f"movl\t${number}, %edi\n\tcall\tassay_block" in found.assembly
    assert "__sanitizer_cov_trace_pc" not in found.assembly.partition(".debug_info")[0]


def test_coverage_is_told_by_function_and_line():
    blocks = [Block("f", "model.pml", 3), Block("f", "model.pml", 4), Block("g", "other.h", 9)]
    [found] = coverage(blocks, bytes([0, 1, 0, 1]), ["dir/model.pml"])
    assert (found.name, found.blocks, found.reached) == ("f", 2, 1)
    assert (found.lines, found.missed) == ((3, 4), (4,))


@pytest.mark.parametrize("search", ["bfs", "dfs"])
def test_states_are_compared_by_the_way_through_the_code(tmp_path, search):
    path = tmp_path / "model.pml"
    path.write_text(MODEL)
    whole = assay.verify(path)
    assert whole.verdict is Verdict.VERIFIED
    found = assay.verify(path, match=["path"], search=search)
    assert found.verdict is Verdict.INCOMPLETE
    assert 1 < found.states < whole.states
    by_name = {one["function"]: one for one in found.code_coverage}
    assert by_name["put"]["reached"] == by_name["put"]["blocks"], "every way through it was found"
    assert by_name["put"]["missed"] == []
    assert by_name["never"]["reached"] == 0
    assert by_name["never"]["missed"]


def test_an_error_behind_a_branch_is_found_and_its_run_is_real(tmp_path):
    path = tmp_path / "model.pml"
    path.write_text(MODEL.replace("high = 1;", '{ high = 1; uerror("high"); }'))
    trace = tmp_path / "trace.json"
    found = assay.verify(path, match=["path"], trace=trace)
    assert found.verdict is Verdict.VIOLATED
    assert assay.replay(path, trace).steps


def test_paths_need_code_to_go_through(tmp_path):
    path = tmp_path / "plain.pml"
    path.write_text("byte x; active proctype P() { x = 1 }")
    with pytest.raises(SourceProblem, match="this model has none"):
        assay.verify(path, match=["path"])
