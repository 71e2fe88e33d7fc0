"""Recursive programs, proved procedure by procedure; and contracts that nobody keeps."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import assay
from assay.evidence.sequential.bitwuzla_prover import first_unproved
from assay.evidence.sequential.obligations import obligations
from assay.languages.c.program import CProgram, load
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.bitvectors import Term
from assay.transition_system.sequential.calling import Calling
from assay.transition_system.sequential.contracts import Contract, before, given, modules
from assay.transition_system.sequential.control_flow import Choose, Edge
from assay.transition_system.sequential.inlining import inlined
from assay.transition_system.sequential.running import run

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
ADD = "int add(int m, int n) { if (n == 0) return m; return add(m + 1, n - 1); }\n"
HOLD = {
    "a sum": ADD + "int main(void) { int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();"
    " if (n < 0 || n > 1000000) return 0; if (add(m, n) != m + n) reach_error(); }",
    "a table": "int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }\n"
    "int main(void) { if (fib(18) != 2584) reach_error(); }",
    "two that call each other": "int odd(int n);\nint even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
    "int odd(int n) { return n == 0 ? 0 : even(n - 1); }\n"
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0; int e = even(n);"
    " if (e < 0 || e > 1) reach_error(); }",
    "a global variable": "unsigned depth, most;\n"
    "void down(unsigned n) { if (n == 0) return; depth++; down(n - 1); depth--; }\n"
    "int main(void) { down((unsigned)__VERIFIER_nondet_int()); if (depth != 0) reach_error(); }",
}
FAIL = {
    "a sum": (HOLD["a sum"].replace("!= m + n", "== 17"), "violated"),
    "a table": (HOLD["a table"].replace("2584", "2585"), "violated"),
    "a global variable": (HOLD["a global variable"].replace("depth--", "depth -= 2"), "violated"),
}


def loaded(tmp_path: Path, text: str) -> CProgram:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    return load(file, LanguageOptions())


@pytest.mark.parametrize("name", HOLD)
def test_recursion_without_a_bound_is_proved(name, tmp_path):
    file = tmp_path / "program.c"
    file.write_text(HEAD + HOLD[name])
    result = assay.verify(file, search="contracts", timeout_seconds=100)
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons
    assert result.proof is not None
    assert result.proof["kind"] == "contracts"


@pytest.mark.parametrize("name", FAIL)
def test_recursion_that_fails_is_run_by_the_compiled_program_and_again(name, tmp_path):
    text, expected = FAIL[name]
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    result = assay.verify(file, search="auto", timeout_seconds=100)
    assert str(result.verdict) == expected, result.reasons
    assert "the compiled program fails with these inputs" in result.notes


def unproved(program: CProgram, contracts: dict[str, Contract]) -> int | None:
    refutations = [
        one.refutation
        for _, flow in modules(program.program, contracts)
        for one in obligations(flow, dict.fromkeys(flow.cut_points, bv.TRUE))
    ]
    return first_unproved(refutations, time.monotonic() + 100)


def test_contracts_that_are_not_kept_are_refuted(tmp_path):
    program = loaded(tmp_path, HOLD["a sum"])
    add = program.program.procedures["add"]
    m, n = map(given, add.parameters)
    assert add.result is not None

    def gives(more: int) -> Term:
        whole = bv.arithmetic("bvadd", bv.arithmetic("bvadd", m, n), bv.constant(more, 32))
        assert add.result is not None
        return bv.equal(add.result, whole)

    right = Contract(bv.TRUE, gives(0))
    assert unproved(program, {"add": right}) is None
    for wrong in (
        Contract(bv.TRUE, gives(1)),  # no run returns that
        Contract(bv.TRUE, bv.TRUE),  # says too little
        Contract(bv.TRUE, bv.FALSE),  # says that it never returns
        Contract(bv.FALSE, gives(0)),  # nobody may call it
        Contract(bv.equal(n, bv.constant(0, 32)), gives(0)),  # main calls it with others
    ):
        assert unproved(program, {"add": wrong}) is not None
    result = bv.equal(add.result, m)
    with pytest.raises(UnsupportedConstruct, match="speaks of what is after it"):
        unproved(program, {"add": Contract(result, gives(0))})


def test_a_call_changes_the_global_variables_that_anything_below_it_sets(tmp_path):
    text = "int g;\nvoid set(void) { g = 1; }\nvoid f(int n) { if (n > 0) { set(); f(n - 1); } }\n"
    program = loaded(tmp_path, text + "int main(void) { f(3); if (g) reach_error(); }")
    g = next(one for one in program.program.globals if one.name == "g")
    assert unproved(program, {"f": Contract()}) is not None
    assert unproved(program, {"f": Contract(bv.TRUE, bv.equal(g, before(g)))}) is not None


def test_locals_in_memory_of_a_recursive_procedure_are_refused(tmp_path):
    text = "int f(int *p, int n) { int x = *p + 1; return n ? f(&x, n - 1) : x; }\n"
    program = loaded(tmp_path, text + "int main(void) { int y = 0; if (f(&y, 3) != 4) reach_error(); }")
    with pytest.raises(UnsupportedConstruct, match="local variables in memory"):
        unproved(program, {"f": Contract()})


def test_main_that_calls_itself_begins_with_first_values_only_once(tmp_path):
    """In its second call the global variable is 1."""
    text = "int g;\nint main(void) { if (g) reach_error(); g = 1; if (__VERIFIER_nondet_int()) main(); }"
    program = loaded(tmp_path, text)
    with pytest.raises(UnsupportedConstruct, match="main calls itself"):
        unproved(program, {"main": Contract()})
    result = assay.verify(tmp_path / "program.c", search="auto", timeout_seconds=100)
    assert result.verdict is assay.Verdict.VIOLATED, result.reasons


@pytest.mark.parametrize("name", HOLD)
def test_calls_do_what_their_copies_do(name, tmp_path):
    """The same choices lead to the same edges, with a stack and in a graph of copies."""
    text = HOLD[name].replace("18", "5").replace("2584", "5")
    program = loaded(tmp_path, text)

    def choose(edge: Edge) -> int:
        assert isinstance(edge.action, Choose)
        return 3

    moments: list[assay.transition_system.sequential.running.Moment] = []
    failure = Calling(program.program).run(choose, most_steps=10_000, moments=moments)
    copied = list(run(inlined(program.program, 6), choose, {}))
    assert failure is None
    assert [one.edge.text for one in moments if isinstance(one.edge.action, Choose)] == [
        one.edge.text for one in copied if isinstance(one.edge.action, Choose)
    ]
    own = [one.edge.place for one in moments if not one.edge.text.endswith(" returns")]
    assert own == [one.edge.place for one in copied if not one.edge.text.endswith(" returns")]
