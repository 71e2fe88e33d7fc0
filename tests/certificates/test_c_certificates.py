"""Certificates of C programs: made, certified, and forged in every way that comes to mind."""

from __future__ import annotations

import copy
import json
import os
import signal
from pathlib import Path

import pytest

import assay
from assay import languages
from assay.certification import sequential
from assay.checker import Rejected, Undecided, check
from assay.checker.c import graph
from assay.checker.c import terms as tm
from assay.checker.c.checking import deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck, NoProgram
from assay.checker.c.rules import read_rule
from assay.checker.c.solvers import Cvc5
from assay.checker.c_certificates import RULES
from assay.evidence.certificate.invariant_file import C_VERSION, InvariantFile, InvariantHeader, file_of
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions

LOOP = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#ifdef WIDE
long x = 0;
#else
int x = 0;
#endif
int main(void) {
  int y = 0, z = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) { x++; z++; } else { y += 2; z += 2; }
  }
  z++;
  while (__VERIFIER_nondet_int()) { x++; z++; }
  z--;
  if (z != (int)x + y) reach_error();
  return 0;
}
"""
COUNTED = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int sum = 0;
  for (int i = 0; i < 7; i++) sum += __VERIFIER_nondet_int() & 1;
  if (sum > 7) reach_error();
  return 0;
}
"""
NESTED = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int sum = 0, n = __VERIFIER_nondet_int() & 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i + n; j++) sum++;
  for (int i = 0; i < n; i++) sum--;
  if (sum > 8) reach_error();
  return 0;
}
"""


@pytest.fixture(scope="module")
def proved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proved")
    for name, text, engine in (
        ("loop", LOOP, "templates"),
        ("counted", COUNTED, "bounded"),
        ("nested", NESTED, "unwinding"),
    ):
        (folder / f"{name}.c").write_text(text)
        result = assay.verify(
            folder / f"{name}.c", search=engine, certificate=folder / f"{name}.cert", timeout_seconds=60
        )
        assert result.verdict is Verdict.VERIFIED, result.reasons
    return folder


def forged(proved: Path, tmp_path: Path, name: str, change, *, facts=None, counts=None) -> Path:
    """The certificate with its body changed by `change`, and facts or counts of its header replaced."""
    file = InvariantFile(proved / f"{name}.cert")
    body = copy.deepcopy(file.invariant())
    change(body)
    content = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    header = json.loads(file.header.as_bytes())
    header |= {"bytes": len(content), "locations": len(body["locations"])}
    header["conjuncts"] = sum(len(one["holds"]) for one in body["locations"])
    header["semantics"] |= facts or {}
    header |= counts or {}
    kept = {key: value for key, value in header.items() if key not in ("format", "claim", "coding", "bytes")}
    made = InvariantHeader(
        **{
            **kept,
            "size": header["bytes"],
            "sources": file.header.sources,
            "properties": file.header.properties,
        }
    )
    path = tmp_path / f"{name}.cert"
    path.write_bytes(file_of(made.as_bytes(), content, C_VERSION))
    return path


def rejected(proved: Path, certificate: Path, name: str = "loop", **more) -> str:
    result = assay.certify(proved / f"{name}.c", certificate, **more)
    assert result.verdict is Verdict.REJECTED
    return result.reasons[0]


def nothing(_) -> None:
    pass


@pytest.mark.parametrize("key", ["conjuncts", "locations"])
def test_a_header_that_counts_more_than_the_proof_has_is_rejected(proved, tmp_path, key):
    false = forged(proved, tmp_path, "loop", nothing, counts={key: 7})
    assert "counts other conjuncts or loops" in rejected(proved, false)
    with pytest.raises(Rejected, match="counts other conjuncts or loops"):
        check(proved / "loop.c", false)


def test_a_version_that_only_equals_a_number_is_none(proved, tmp_path):
    false = forged(proved, tmp_path, "loop", nothing, facts={"version": True})
    assert "version differs" in rejected(proved, false)
    with pytest.raises(Rejected, match="version differs"):
        check(proved / "loop.c", false)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rounds": 3}, "rounds"),
        ({"bound": 4}, "together"),
        ({"bound": 3, "rounds": 4}, "together"),
        ({"rounds": -1}, " "),
    ],
)
def test_loops_with_fewer_rounds_than_they_have_are_no_proof(proved, tmp_path, change, said):
    """The proof says how many rounds a loop has each time, and how many all have together."""
    assert InvariantFile(proved / "nested.cert").invariant()["rounds"] == 4
    false = forged(proved, tmp_path, "nested", lambda body: body.update(change))
    assert said in rejected(proved, false, "nested")
    with pytest.raises(Rejected, match=said):
        check(proved / "nested.c", false)


def test_rounds_of_single_loops_are_a_hint(proved, tmp_path):
    """Whoever counts all rounds together needs none."""
    plain = forged(proved, tmp_path, "nested", lambda body: body.update({"rounds": 0}))
    assert assay.certify(proved / "nested.c", plain).verdict is Verdict.VERIFIED
    assert check(proved / "nested.c", plain)


@pytest.mark.parametrize("name", ["loop", "counted", "nested"])
def test_certificates_are_accepted_by_two_solvers(proved, name):
    result = assay.certify(proved / f"{name}.c", proved / f"{name}.cert")
    assert result.verdict is Verdict.VERIFIED
    assert result.solver.startswith("bitwuzla and cvc5")


@pytest.mark.parametrize("name", ["loop", "counted"])
def test_the_independent_checker_accepts_them_with_a_front_end_of_its_own(proved, name):
    accepted = check(proved / f"{name}.c", proved / f"{name}.cert")
    assert accepted.solver.startswith("cvc5")


def test_the_independent_checker_says_what_it_does_not_read(proved, tmp_path):
    program = tmp_path / "pointer.c"
    program.write_text("int main(void) { int x = 1; if ((unsigned long)&x == 1) reach_error(); return 0; }")
    program.write_text("extern void reach_error(void);\n" + program.read_text())
    certificate = tmp_path / "pointer.cert"
    assert assay.verify(program, certificate=certificate, timeout_seconds=60).verdict is Verdict.VERIFIED
    assert assay.certify(program, certificate).verdict is Verdict.VERIFIED
    with pytest.raises(Undecided, match=r"cannot check: 2:33: a pointer that becomes an integer \("):
        check(program, certificate)


def test_a_copy_of_the_program_elsewhere_is_the_same_program(proved, tmp_path):
    (tmp_path / "renamed.c").write_text(LOOP)
    result = assay.certify(tmp_path / "renamed.c", proved / "loop.cert")
    assert result.verdict is Verdict.VERIFIED


def test_a_weakened_invariant_is_rejected_with_its_obligation(proved, tmp_path):
    def weaken(body):
        for one in body["locations"]:
            one["holds"] = []

    reason = rejected(proved, forged(proved, tmp_path, "loop", weaken))
    assert "an obligation is not met: from " in reason
    assert "loop.c:" in reason


def test_a_strengthened_invariant_is_rejected_with_its_obligation(proved, tmp_path):
    def strengthen(body):
        at = len(body["nodes"])
        body["nodes"] += [["g", "x"], ["c", 0, 32], ["=", [], [at, at + 1]]]
        body["locations"][0]["holds"].append(at + 2)

    reason = rejected(proved, forged(proved, tmp_path, "loop", strengthen))
    assert "an obligation is not met: from loop.c" in reason.replace(str(proved) + "/", "")


def test_an_invariant_that_was_moved_is_rejected(proved, tmp_path):
    def swap(body):
        first, second = body["locations"][:2]
        first["holds"], second["holds"] = second["holds"], first["holds"]

    assert "an obligation is not met" in rejected(proved, forged(proved, tmp_path, "loop", swap))

    def elsewhere(body):
        body["locations"][0]["line"] += 1

    assert "no loop and no label at 11:3" in rejected(proved, forged(proved, tmp_path, "loop", elsewhere))


@pytest.mark.parametrize(
    "nodes",
    [
        [["e", 32]],
        [["e", 32], ["c", 0, 32], ["=", [], [0, 1]]],
        [["e", 32], ["c", 0, 32], ["=", [], [0, 1]], ["forall", [8], [2]]],
        [["e", 32], ["c", 0, 32], ["=", [], [0, 1]], ["forall", [32], [2]], ["forall", [32], [3]]],
        [["e", 32], ["c", 0, 32], ["=", [], [0, 1]], ["forall", [32], [2]], ["=", [], [2, 3]]],
        [["c", 1, 0], ["e", 8], ["c", 0, 8], ["=", [], [1, 2]], ["forall", [8], [3]], ["ite", [], [4, 0, 4]]],
        [["g", "x"], ["c", 0, 32], ["=", [], [0, 1]], ["forall", [32], [2]], ["=", [], [2, 3]]],
        [["forall", [32], []]],
    ],
)
def test_quantifiers_stand_where_they_may(proved, tmp_path, nodes):
    def quantify(body):
        start = len(body["nodes"])
        for node in nodes:
            is_applied = len(node) == 3 and isinstance(node[2], list)
            operands = [at + start for at in node[2]] if is_applied else []
            body["nodes"].append([node[0], node[1], operands] if is_applied else node)
        body["locations"][0]["holds"].append(len(body["nodes"]) - 1)

    certificate = forged(proved, tmp_path, "loop", quantify)
    result = assay.certify(proved / "loop.c", certificate)
    try:
        check(proved / "loop.c", certificate)
    except Rejected:
        assert result.verdict is Verdict.REJECTED
    else:
        assert result.verdict is Verdict.VERIFIED


def test_a_missing_cut_point_is_rejected(proved, tmp_path):
    reason = rejected(proved, forged(proved, tmp_path, "loop", lambda body: body["locations"].pop()))
    assert reason == "a cycle of the program has no invariant"


def test_another_program_is_rejected(proved, tmp_path):
    other = tmp_path / "loop.c"
    other.write_text(LOOP.replace("y += 2", "y += 3"))
    result = assay.certify(other, proved / "loop.cert")
    assert result.verdict is Verdict.REJECTED
    assert "another program text" in result.reasons[0]
    assert "another program text" in rejected(proved, proved / "loop.cert", "counted")


def test_other_macros_and_data_models_are_rejected(proved, tmp_path):
    wide = forged(proved, tmp_path, "loop", nothing, facts={"flags": ["-DWIDE=1"]})
    assert "you asked for it with no macros" in rejected(proved, wide)
    assert "expanded differs" in rejected(proved, wide, defines=None)
    narrow = forged(proved, tmp_path, "loop", nothing, facts={"data_model": "ILP32"})
    assert "you asked for LP64" in rejected(proved, narrow)
    strange = forged(proved, tmp_path, "loop", nothing, facts={"flags": ["-fplugin=evil.so"]})
    assert "neither macros nor folders" in rejected(proved, strange)


def test_a_claim_of_more_checks_is_rejected(proved, tmp_path):
    more = forged(proved, tmp_path, "counted", nothing, facts={"checks": ["overflow", "division"]})
    rejected(proved, forged(proved, tmp_path, "loop", nothing, facts={"checks": ["overflow"]}))
    assert assay.certify(proved / "counted.c", more).verdict is Verdict.VERIFIED  # a bound proves these, too
    assert "does not cover overflow" in rejected(proved, proved / "loop.cert", checks=["overflow"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"bound": 3}, "nothing fails and every run ends within 3 rounds"),
        ({"bound": 10**9}, "no numbers that a proof has"),
        ({"bound": None}, "an obligation is not met: from "),
        ({"bound": None, "rounds": 2}, "an obligation is not met: nothing fails after 2 rounds"),
        ({"locations": []}, "a cycle of the program has no cut point"),
        ({"rounds": 5}, "nothing fails and every run ends within "),  # the loop has seven
        ({"rounds": 5, "bound": 4}, "together"),
        ({"bound": True}, "no numbers that a proof has"),
        ({"nodes": {}}, "no list"),
    ],
)
def test_forged_bounds_are_rejected(proved, tmp_path, change, reason):
    certificate = forged(proved, tmp_path, "counted", lambda body: body.update(change))
    assert reason in rejected(proved, certificate, "counted")


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(rounds=1),
        lambda body: body.update(rounds=10**9),
        lambda body: body.update(more=1),
        lambda body: body["locations"].append(body["locations"][0]),
        lambda body: body["locations"][0].update(at=10**9),
        lambda body: body["locations"][0].update(at="7"),
        lambda body: body["locations"][0].update(holds=[10**6]),
        lambda body: body["locations"][0].update(holds=[0]),
        lambda body: body["nodes"].__setitem__(0, ["v", "nobody"]),
        lambda body: body["nodes"].__setitem__(0, ["bvadd", [], [0, 0]]),
    ],
)
def test_other_forgeries_are_rejected(proved, tmp_path, change):
    certificate = forged(proved, tmp_path, "loop", change)
    if InvariantFile(certificate).invariant()["rounds"] == 1:  # a proof needs no rounds, and may have some
        assert assay.certify(proved / "loop.c", certificate).verdict is Verdict.VERIFIED
    else:
        rejected(proved, certificate)


# --- programs with more in them ---

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
STRUCTS = (
    HEAD
    + """\
struct in { short a; unsigned char b[2]; };
struct in g = { 1, { 2 } };
static struct in changed(struct in one, int by) { one.a += by; return one; }
int main(void) {
  enum { LOW = -1, HIGH = 4 } mode = LOW;
  struct { unsigned f : 3; struct in x; } k = { 9, { 3 } };
  if (k.f != 1 || g.b[0] != 2 || g.b[1] || mode >= 0) reach_error();
  while (__VERIFIER_nondet_int()) {
    static int rounds;
    rounds = (rounds + 1) & 3;
    g = changed(g, 2);
    switch (g.a & 1) { case 0: reach_error(); case 1: break; }
    if (rounds > 3) reach_error();
  }
  return 0;
}
"""
)
RECURSIVE = (
    HEAD
    + """\
int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s++; return n <= 0 ? s : s + sum(n - 1); }
int main(void) { if (sum(3) != 6) reach_error(); return 0; }
"""
)
WATCHED = (
    HEAD
    + """\
int KeAcquireSpinLock(int l) { int k; for (k = 0; k < l; k++) ; return k; }  void KeReleaseSpinLock(int l);
int main(void) {
  int n = 0;
  do { KeAcquireSpinLock(n); n = __VERIFIER_nondet_int(); KeReleaseSpinLock(0); } while (n);
  return 0;
}
"""
)


REFERENCES = (
    HEAD
    + """\
static void count(int *n, int *m) { *n += 1; *m += 1; }
int main(void) {
  int a = 0, b = 0;
  while (__VERIFIER_nondet_int()) count(&a, &b);
  if (a != b) reach_error();
  return 0;
}
"""
)
ELEMENTS = (
    HEAD
    + """\
int a[1000];
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) return 0;
  for (int i = 0; i < n; i++) a[i] = 7;
  for (int i = 0; i < n; i++) if (a[i] != 7) reach_error();
  return 0;
}
"""
)
ZEROS = (
    HEAD
    + """\
unsigned char seen[8];
int main(void) {
  unsigned i = __VERIFIER_nondet_int();
  while (__VERIFIER_nondet_int()) { if (seen[i & 7] > 1) reach_error(); seen[i & 3] = 1; i++; }
  if (seen[4 + (i & 3)]) reach_error();
  return 0;
}
"""
)


@pytest.mark.parametrize(
    ("text", "search", "rules"),
    [
        (STRUCTS, "k-induction", []),
        (RECURSIVE, "bounded", []),
        (WATCHED, "templates", ["ke-spinlock"]),
        (REFERENCES, "auto", []),
        (ELEMENTS, "quantified", []),
    ],
    ids=["structs", "recursive", "watched", "references", "elements"],
)
def test_both_checkers_accept(text, search, rules, tmp_path):
    program, certificate = tmp_path / "program.c", tmp_path / "program.assay"
    program.write_text(text)
    result = assay.verify(program, search=search, rules=rules, certificate=certificate, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert assay.certify(program, certificate, rules=rules).verdict is Verdict.VERIFIED
    check(program, certificate)


def test_arrays_that_start_with_zeros_are_decided(tmp_path):
    program = tmp_path / "program.c"
    program.write_text(ZEROS)
    with deep():
        found = read([expand(program.read_bytes(), program, "LP64", [])], "LP64", [], [], 0)
    seen, i = (found.variables["g", "seen"], found.variables["l", (), "i", 5, 12])
    start = tm.select(found.initial[seen], i)
    assert Cvc5().never_holds(tm.negate(tm.equal(start, tm.const(0, 8))), 10) is True
    other = tm.var("other", seen.sort)
    differ = tm.negate(tm.equal(tm.select(other, i), tm.const(0, 8)))
    same = tm.equal(other, found.initial[seen])
    assert Cvc5().never_holds(tm.both((same, differ)), 10) is True


def test_a_rule_that_was_changed_is_rejected_by_both(tmp_path):
    program, certificate, rule = (tmp_path / name for name in ("program.c", "program.assay", "mine.rule"))
    program.write_text(WATCHED)
    text = Path(RULES, "ke-spinlock.rule").read_text()
    rule.write_text(text)
    given = {"search": "templates", "rules": [str(rule)], "timeout_seconds": 60}
    assert assay.verify(program, certificate=certificate, **given).verdict is Verdict.VERIFIED
    options = LanguageOptions(rules=(str(rule),))
    assert check(program, certificate, options).obligations > 0
    rule.write_text(text.replace("state == Locked", "state == Unlocked"))
    with pytest.raises(Rejected, match="the rule mine is another one"):
        check(program, certificate, options)
    result = assay.certify(program, certificate, rules=[str(rule)])
    assert result.verdict is Verdict.REJECTED


@pytest.mark.parametrize(
    "cheat",
    [
        "void __assay_rule_failed(void) {}",
        "static int __mine_held;\nvoid tamper(void) { __mine_held = 0; }",
        "void take__real(int l) { }",
    ],
)
def test_a_program_that_uses_the_names_of_a_rule_is_refused_by_both(cheat, tmp_path):
    program, rule = tmp_path / "program.c", tmp_path / "mine.rule"
    program.write_text(f"void take(int l);\n{cheat}\nint main(void) {{ take(0); take(0); return 0; }}\n")
    rule.write_text("state { int held = 0; }\ntake.entry { if (held) abort; held = 1; }\n")
    with pytest.raises(SourceProblem, match="which the rule mine needs"):
        languages.load(program, LanguageOptions(rules=(str(rule),), language="c"))
    expanded = [expand(program.read_bytes(), program, "LP64", [])]
    with pytest.raises(NoProgram, match="which the rule mine needs"):
        read(expanded, "LP64", [], [read_rule(rule.read_text(), "mine")], 0)


def test_macros_of_the_certificate_are_those_that_the_checker_uses(proved, tmp_path):
    program, certificate = tmp_path / "program.c", tmp_path / "program.assay"
    program.write_text(COUNTED.replace("i < 7", "i < TIMES"))
    result = assay.verify(
        program, search="bounded", defines=["TIMES=5"], certificate=certificate, timeout_seconds=60
    )
    assert result.verdict is Verdict.VERIFIED
    assert check(program, certificate).header.semantics["flags"] == ["-DTIMES=5"]
    program = proved / "loop.c"
    wide = forged(proved, tmp_path, "loop", nothing, facts={"flags": ["-DWIDE"]})
    with pytest.raises(Rejected, match="expanded differs"):
        check(program, wide)
    strange = forged(proved, tmp_path, "loop", nothing, facts={"flags": ["-fplugin=evil.so"]})
    with pytest.raises(Rejected, match="neither macros nor folders"):
        check(program, strange)


# --- solvers that fail ---


class Crashes:
    def is_unsatisfiable(self, *_):
        os.kill(os.getpid(), signal.SIGKILL)


class Hangs:
    def is_unsatisfiable(self, *_):
        while True:
            pass


class EatsMemory:
    def is_unsatisfiable(self, *_):
        kept = []
        while True:
            kept.append(bytearray(1 << 26))


class Lies:
    def is_unsatisfiable(self, *_):
        return False


@pytest.mark.parametrize(
    ("solver", "said"), [(Crashes, "ended"), (Hangs, "time ran out"), (EatsMemory, "memory ran out")]
)
def test_a_solver_that_fails_is_out_and_named(proved, monkeypatch, solver, said):
    monkeypatch.setattr(sequential, "SOLVERS", {**sequential.SOLVERS, "cvc5": solver})
    monkeypatch.setattr(sequential, "SECOND_OPINION_SECONDS", 0.1)
    monkeypatch.setattr(sequential, "LEAST_SECONDS", 0.1)
    monkeypatch.setattr(sequential, "GRACE_SECONDS", 0.5 if solver is Hangs else 30.0)
    result = assay.certify(proved / "counted.c", proved / "counted.cert", memory_limit_bytes=2 << 30)
    assert result.verdict is Verdict.VERIFIED
    assert result.solver == "bitwuzla"
    assert any(note.startswith("cvc5 did not decide") and said in note for note in result.notes)


def test_solvers_that_disagree_accept_nothing(proved, monkeypatch):
    monkeypatch.setattr(sequential, "SOLVERS", {**sequential.SOLVERS, "cvc5": Lies})
    assert "solvers disagree" in rejected(proved, proved / "loop.cert")


def test_without_any_answer_nothing_is_decided(proved, monkeypatch):
    monkeypatch.setattr(sequential, "SOLVERS", {"bitwuzla": Crashes, "cvc5": Crashes})
    result = assay.certify(proved / "loop.c", proved / "loop.cert")
    assert result.verdict is Verdict.INCOMPLETE
    assert "an obligation is not decided (bitwuzla: the process was ended" in result.reasons[0]


def test_obligations_are_tasks_for_several_processes(proved):
    result = assay.certify(proved / "loop.c", proved / "loop.cert", workers=2)
    assert result.verdict is Verdict.VERIFIED
    assert (result.workers, result.tasks) == (2, 3)


# --- hostile texts ---

HOSTILE = {
    "parentheses": ("int x = " + "(" * 3000 + "1" + ")" * 3000 + ";", "nested too deeply"),
    "sums": ("int x = " + "+".join(["1"] * 20_000) + ";", "nested too deeply"),
    "blocks": ("{" * 4000 + "}" * 4000, "nested too deeply"),
    "array": ("int a[1 << 28]; a[1] = 2;", "16777216 elements"),
    "gotos": ("".join(f"L{i}: if (x) goto L{i * 7919 % 900};\n" for i in range(900)), None),
    "doubling": (
        "struct s0 { int a; };"
        + "".join(f"struct s{i} {{ struct s{i - 1} x, y; }};" for i in range(1, 40))
        + "struct s39 h; h = h;",
        "more than 16384 scalars",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused_with_a_sentence(name, tmp_path):
    body, refusal = HOSTILE[name]
    program = tmp_path / "program.c"
    program.write_text(f"int x; int main(void) {{ {body} return 0; }}\n")
    expanded = [expand(program.read_bytes(), program, "LP64", [])]
    options = LanguageOptions(language="c")
    if refusal is None:
        with deep():
            assert read(expanded, "LP64", [], [], 0).graph.edges
        languages.load(program, options)
        return
    with pytest.raises(CannotCheck, match=refusal), deep():
        read(expanded, "LP64", [], [], 0)
    with pytest.raises(SourceProblem, match=refusal):
        languages.load(program, options)


def test_calls_that_double_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(graph, "MOST_EDGES", 10_000)
    program = tmp_path / "program.c"
    calls = "".join(f"int f{i}(void) {{ return f{i + 1}() + f{i + 1}(); }}\n" for i in range(29, -1, -1))
    program.write_text(f"int f30(void) {{ return 1; }}\n{calls}int main(void) {{ return f0(); }}\n")
    with pytest.raises(CannotCheck, match="edges when calls are copied"), deep():
        read([expand(program.read_bytes(), program, "LP64", [])], "LP64", [], [], 0)


def test_what_is_taken_for_granted_cannot_be_hidden(proved, tmp_path):
    for granted in (
        [],
        ["nothing"],
        ["indexes and pointers, also those compared, are within live objects"] * 2,
    ):
        hidden = forged(proved, tmp_path, "loop", nothing, facts={"granted": granted})
        assert "granted differs" in rejected(proved, hidden)
        with pytest.raises(Rejected, match="granted differs"):
            check(proved / "loop.c", hidden)


SLICED = (
    HEAD
    + """\
int main(void) {
  unsigned x = 0, y = 0, other = 1;
  while (__VERIFIER_nondet_int()) { x = (x + 1) & 7; y = (y + 1) & 7; other = other * 3 + x; }
  if (x != y) reach_error();
  return other == 0;
}
"""
)


@pytest.mark.parametrize("no_slicing", [False, True])
def test_a_proof_that_was_found_in_a_slice_is_one_of_the_whole_program(no_slicing, tmp_path):
    program, certificate = tmp_path / "program.c", tmp_path / "program.cert"
    program.write_text(SLICED)
    result = assay.verify(program, certificate=certificate, no_slicing=no_slicing, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert result.proof is not None
    assert result.proof["sliced"] is not no_slicing
    assert assay.certify(program, certificate).verdict is Verdict.VERIFIED
    check(program, certificate)
    assert "slic" not in InvariantFile(certificate).header.as_bytes().decode()
