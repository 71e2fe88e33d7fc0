"""Certificates of proofs by contracts: made, accepted by both checkers, and forged."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.checker import Rejected, Undecided, check
from assay.evidence.certificate.invariant_file import (
    C_VERSION,
    InvariantFile,
    InvariantHeader,
    conjuncts_in,
    file_of,
)
from assay.evidence.verdict import Verdict

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
ADD = (
    HEAD
    + """\
int twice(int n) { return n + n; }
int add(int m, int n) { int k = 0; if (n == 0) return m; return add(m + 1, n - 1); }
int main(void) {
  int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000000) return 0;
  if (add(m, n) != m + n || twice(1) != 2) reach_error();
}
"""
)
PROGRAMS = {
    "add": ADD,
    "a table": HEAD
    + """\
int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }
int main(void) { if (fib(18) != 2584) reach_error(); }
""",
    "two that call each other": HEAD
    + """\
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  int e = even(n);
  if (e < 0 || e > 1) reach_error();
}
""",
    "a global variable and a static one": HEAD
    + """\
unsigned depth;
int unused(int n) { return n ? unused(n - 1) : 0; }
static void step(int by) { static int steps; steps = 1; depth += by; }
void down(unsigned n) {
  if (n == 0) return;
  step(1); down(n - 1); step(-1);
}
int main(void) { down((unsigned)__VERIFIER_nondet_int()); if (depth != 0) reach_error(); }
""",
    "a loop": HEAD
    + """unsigned depth;
int down(int n) {
  if (n <= 0) return 0;
  depth++;
  for (; __VERIFIER_nondet_int(); ) down(n - 1);
  depth--;
  return 0;
}
int main(void) { if (down(__VERIFIER_nondet_int())) reach_error(); }
""",
}
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    for name, text in PROGRAMS.items():
        (folder / f"{name}.c").write_text(text)
        result = assay.verify(
            folder / f"{name}.c", search="contracts", certificate=folder / f"{name}.cert", timeout_seconds=600
        )
        assert result.verdict is Verdict.VERIFIED, result.reasons
        assert result.proof is not None
        assert result.proof["kind"] == "contracts"
    return folder


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_checkers_accept_a_proof_by_contracts(proved: Path, name: str) -> None:
    result = assay.certify(proved / f"{name}.c", proved / f"{name}.cert")
    assert result.verdict is Verdict.VERIFIED, result.reasons
    accepted = check(proved / f"{name}.c", proved / f"{name}.cert")
    assert getattr(accepted, "obligations", 0) > 0


def forged(proved: Path, name: str, change: Change) -> Path:
    file = InvariantFile(proved / f"{name}.cert")
    body = copy.deepcopy(file.invariant())
    change(body)
    content = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    header = json.loads(file.header.as_bytes())
    kept = {key: value for key, value in header.items() if key not in ("format", "claim", "coding", "bytes")}
    kept |= {"size": len(content), "locations": len(body["locations"]), "conjuncts": conjuncts_in(body)}
    kept |= {"sources": file.header.sources, "properties": file.header.properties}
    path = proved / "forged.cert"
    path.write_bytes(file_of(InvariantHeader(**kept).as_bytes(), content, C_VERSION))
    return path


def both_reject(proved: Path, name: str, change: Change) -> tuple[str, str]:
    certificate = forged(proved, name, change)
    result = assay.certify(proved / f"{name}.c", certificate)
    assert result.verdict is Verdict.REJECTED
    with pytest.raises(Rejected) as second:
        check(proved / f"{name}.c", certificate)
    return result.reasons[0], str(second.value)


def add_nodes(body: dict[str, Any], *nodes: list[Any]) -> int:
    """Operands are counted from the first of these; answers where the last one is."""
    start = len(body["nodes"])
    for node in nodes:
        is_applied = len(node) == 3 and isinstance(node[2], list)
        body["nodes"].append([node[0], node[1], [at + start for at in node[2]]] if is_applied else list(node))
    return len(body["nodes"]) - 1


def held(half: str, *nodes: list[Any], function: int = 0) -> Change:
    return lambda body: body["contracts"][function][half].append(add_nodes(body, *nodes))


M, N, RESULT = ["p", "add", "m", 4, 13], ["p", "add", "n", 4, 20], ["x", "add"]
ZERO = ["c", 0, 32]


@pytest.mark.parametrize(
    ("change", "first", "second"),
    [
        (
            lambda body: body["contracts"][0].update(after=[]),
            "main and its contract: from the start",
            "from the start without the failure (error) at 8:44",
        ),
        (
            held("after", RESULT, M, ["=", [], [0, 1]]),
            "add and its contract: from the start",
            "in add from the start without the failure (what add has to leave) at 4:5",
        ),
        (
            held("after", ["c", 0, 0]),
            "add and its contract: from the start",
            "in add from the start without the failure (what add has to leave) at 4:5",
        ),
        (
            held("before", N, ["c", 5, 32], ["=", [], [0, 1]]),
            "main and its contract: from the start",
            "from the start without the failure (what has to hold before add) at 8:7",
        ),
        (
            held("before", ["c", 0, 0]),
            "main and its contract: from the start",
            "from the start without the failure (what has to hold before add) at 8:7",
        ),
        (
            lambda body: body["contracts"][0].update(before=[]),
            "add and its contract: from the start",
            "in add from the start without the failure (what add has to leave) at 4:5",
        ),
    ],
    ids=["weakened", "strengthened", "never returns", "for few arguments", "for none", "for all arguments"],
)
def test_other_contracts_are_rejected_with_the_obligation(
    proved: Path, change: Change, first: str, second: str
) -> None:
    def whole(body: dict[str, Any]) -> None:
        # All arguments from 0 to a million, and nothing else: what `add` returns depends on both halves.
        body["contracts"][0] = {"function": "add", "before": [], "after": []}
        held("before", N, ["c", 1000000, 32], ["bvule", [], [0, 1]])(body)
        held("after", RESULT, M, N, ["bvadd", [], [1, 2]], ["=", [], [0, 3]])(body)
        held("after", N, ["c", 1000000, 32], ["bvule", [], [0, 1]])(body)

    certificate = forged(proved, "add", whole)
    assert assay.certify(proved / "add.c", certificate).verdict is Verdict.VERIFIED
    check(proved / "add.c", certificate)

    def changed(body: dict[str, Any]) -> None:
        whole(body)
        change(body)

    reasons = both_reject(proved, "add", changed)
    assert f"an obligation is not met: {first}" in reasons[0]
    assert f"an obligation is not met: {second}" in reasons[1]


def test_contracts_that_changed_places_are_rejected(proved: Path) -> None:
    def swapped(body: dict[str, Any]) -> None:
        one, other = body["contracts"]
        one["function"], other["function"] = other["function"], one["function"]

    reasons = both_reject(proved, "two that call each other", swapped)
    assert "cannot speak of 'p even n" in reasons[0] or "cannot speak of 'p odd n" in reasons[0]
    assert "cannot speak of n#" in reasons[1]


@pytest.mark.parametrize(
    ("change", "first", "second"),
    [
        (
            lambda body: (body["contracts"].clear(), body["nodes"].clear()),
            "add calls itself and has no contract",
            "the failure (unwinding) at 4:65",
        ),
        (
            lambda body: body["contracts"].append({"function": "twice", "before": [], "after": []}),
            "'twice' has a contract, and is no function of the program that calls itself",
            "'twice' has a contract, and is no function that calls itself",
        ),
        (
            lambda body: body["contracts"].append({"function": "main", "before": [], "after": []}),
            "'main' has a contract",
            "'main' has a contract",
        ),
        (
            lambda body: body["contracts"].append({"function": "nobody", "before": [], "after": []}),
            "'nobody' has a contract",
            "'nobody' has a contract",
        ),
        (
            lambda body: body["contracts"].append(body["contracts"][0]),
            "'add' has two contracts",
            "a function has two contracts",
        ),
        (
            lambda body: body["contracts"][0].update(more=1),
            "not written as contracts are",
            "the keys of contr",
        ),
        (lambda body: body.update(bound=1), "not written as proofs", "the keys of a proof"),
        (lambda body: body["contracts"][0].update(after=[10**6]), "there is no node", "not in 0.."),
        (held("after", ZERO), "is no truth value", "no truth value"),
        (held("before", RESULT, ZERO, ["=", [], [0, 1]]), "cannot speak of 'x add'", "cannot speak of"),
        (
            held("after", ["l", 0, "k", 4, 29], ZERO, ["=", [], [0, 1]]),
            "belongs to no instance",
            "not in 0..",
        ),
        (
            lambda body: (
                body["instances"].append([[0, 0, "add"]]),
                held("after", ["l", 0, "k", 4, 29], ZERO, ["=", [], [0, 1]])(body),
            ),
            "what add leaves cannot speak of 'l 0 k 4 29'",
            "what is left by 'add' cannot speak of k#",
        ),
        (
            held("after", ["e", 32], ZERO, ["=", [], [0, 1]], ["forall", [32], [2]]),
            "a quantifier stands where none may",
            "has a quantifier",
        ),
        (held("after", ["p", "add", "m", 4, 14], ZERO, ["=", [], [0, 1]]), "cannot speak", "no variable"),
        (held("after", ["p", "twice", "n", 3, 15], ZERO, ["=", [], [0, 1]]), "cannot speak", "no variable"),
        (held("after", ["x", "twice"], ZERO, ["=", [], [0, 1]]), "cannot speak", "no variable"),
        (lambda body: body["instances"].append([[0, 0, "twice"]]), "no call path", "no call path"),
    ],
)
def test_contracts_of_others_and_about_others_are_rejected(
    proved: Path, change: Change, first: str, second: str
) -> None:
    reasons = both_reject(proved, "add", change)
    assert first in reasons[0]
    assert second in reasons[1]


def test_what_a_call_changes_follows_from_the_program(proved: Path) -> None:
    """A contract that says nothing of what is changed loses it, also what others change that are called."""
    name = "a global variable and a static one"
    reasons = both_reject(proved, name, lambda body: body["contracts"][0].update(after=[]))
    assert "main and its contract" in reasons[0]
    assert "from the start without the failure (error)" in reasons[1]


def test_loops_of_a_function_with_a_contract_have_invariants(proved: Path) -> None:
    """That may speak of what was there when the function was entered."""
    depth, before = ["g", "depth"], ["o", "g", "depth"]
    same = [depth, before, ["=", [], [0, 1]]]
    above = [depth, before, ["c", 1, 32], ["bvadd", [], [1, 2]], ["=", [], [0, 3]]]

    def kept(body: dict[str, Any]) -> None:
        held("after", *same)(body)
        (loop,) = body["locations"]
        assert body["instances"][loop["instance"]] == [[0, 0, "down"]]
        loop["holds"].append(add_nodes(body, *above))

    certificate = forged(proved, "a loop", kept)
    assert assay.certify(proved / "a loop.c", certificate).verdict is Verdict.VERIFIED
    check(proved / "a loop.c", certificate)
    reasons = both_reject(proved, "a loop", held("after", *same))
    assert "down and its contract: from" in reasons[0]
    assert "in down from 7:3 without the failure (what down has" in reasons[1]
    reasons = both_reject(proved, "a loop", lambda body: body["locations"].clear())
    assert "a cycle of the program has no" in reasons[0]
    assert "a cycle of the program has no" in reasons[1]


def test_pointers_that_are_passed_to_a_function_with_a_contract_are_named(tmp_path: Path) -> None:
    program, certificate = tmp_path / "program.c", tmp_path / "program.cert"
    program.write_text(
        HEAD + "int x;\nint count(int *p, int n) { if (n <= 0) return 0; return count(p, n - 1); }\n"
        "int main(void) { if (count(&x, __VERIFIER_nondet_int())) reach_error(); }\n"
    )
    result = assay.verify(program, search="contracts", certificate=certificate, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert assay.certify(program, certificate).verdict is Verdict.VERIFIED
    with pytest.raises(Undecided, match="memory that pointers reach, beside contracts"):
        check(program, certificate)
