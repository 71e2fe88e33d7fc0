"""Certificates of C programs of several files: static names of different files are different things."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.checker import Rejected, check
from assay.checker.__main__ import main
from assay.checker.c.checking import deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck
from assay.evidence.certificate.invariant_file import (
    C_VERSION,
    InvariantFile,
    InvariantHeader,
    conjuncts_in,
    file_of,
)
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import LanguageOptions

FIRST = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int left, right; };
extern struct pair shared;
static int n = 1;
static void step(void) { n++; shared.left++; }
void other(int by);
int value(void);
int main(void) {
  while (__VERIFIER_nondet_int()) { step(); other(1); if (n != value() + 1) reach_error(); }
  if (shared.left != shared.right) reach_error();
  return 0;
}
"""
SECOND = """\
struct pair { int left, right; };
static int n = 0;
struct pair shared = {3, 3};
static void step(int by) { n += by; shared.right++; }
void other(int by) { step(by); }
int value(void) { return n; }
"""
RULED = """\
extern int __VERIFIER_nondet_int(void);
static int taken = 0;
static void KeAcquireSpinLock(int *l) { while (taken > 3) taken--; taken++; }
static void KeReleaseSpinLock(int *l) { taken--; }
int main(void) {
  int n;
  do { KeAcquireSpinLock(0); n = __VERIFIER_nondet_int(); KeReleaseSpinLock(0); } while (n);
  return 0;
}
"""
RECURSIVE = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int down(int n) { if (n <= 0) return 0; return down(n - 1); }
int main(void) { if (down(__VERIFIER_nondet_int()) != 0) reach_error(); return 0; }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("linked")
    (found / "first.c").write_text(FIRST)
    (found / "second.c").write_text(SECOND)
    result = assay.verify(
        found / "first.c",
        c_sources=[str(found / "second.c")],
        search="templates",
        certificate=found / "proof.assay",
        timeout_seconds=60,
    )
    assert result.verdict is Verdict.VERIFIED, result.reasons
    return found


def with_files(*files: Path) -> LanguageOptions:
    return LanguageOptions(c_sources=tuple(map(str, files)))


def forged(folder: Path, tmp_path: Path, change) -> Path:
    file = InvariantFile(folder / "proof.assay")
    body, header = file.invariant(), json.loads(file.header.as_bytes())
    change(body)
    content = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    made = InvariantHeader(
        program=header["program"],
        language="c",
        sources=file.header.sources,
        semantics=header["semantics"],
        properties=file.header.properties,
        producer=header["producer"],
        size=len(content),
        locations=len(body["locations"]),
        conjuncts=conjuncts_in(body),
    )
    path = tmp_path / "forged.assay"
    path.write_bytes(file_of(made.as_bytes(), content, C_VERSION))
    return path


def test_both_checkers_accept_a_program_of_two_files(folder):
    first, second, certificate = folder / "first.c", folder / "second.c", folder / "proof.assay"
    result = assay.certify(first, certificate, c_sources=[str(second)], timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert main([str(first), str(certificate), "--c-source", str(second)]) == 0
    assert check(first, certificate, with_files(second)).obligations > 0


def test_a_variable_of_another_file_is_another_variable(folder, tmp_path):
    def confuse(body):
        names = [node for node in body["nodes"] if node[0] == "g" and node[1] in ("n", "n@1")]
        assert {node[1] for node in names} == {"n", "n@1"}
        for node in names:
            node[1] = "n@1" if node[1] == "n" else "n"

    certificate = forged(folder, tmp_path, confuse)
    with pytest.raises(Rejected, match="an obligation is not met"):
        check(folder / "first.c", certificate, with_files(folder / "second.c"))
    result = assay.certify(
        folder / "first.c", certificate, c_sources=[str(folder / "second.c")], timeout_seconds=60
    )
    assert result.verdict is Verdict.REJECTED


def test_files_that_are_missing_or_others_are_rejected(folder, tmp_path):
    certificate = folder / "proof.assay"
    with pytest.raises(Rejected, match="name further files of the program with --c-source"):
        check(folder / "first.c", certificate)
    with pytest.raises(Rejected, match="is another program"):
        check(folder / "first.c", certificate, with_files(folder / "first.c"))
    (tmp_path / "second.c").write_text(SECOND.replace("{3, 3}", "{3, 4}"))
    with pytest.raises(Rejected, match="is another program"):
        check(folder / "first.c", certificate, with_files(tmp_path / "second.c"))


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("int value(void) { float x = 1; return 0; }", "second.c:1:29: an initial value for float"),
        ("int value(long n) { return 0; }", "first.c:2:25: a call of 'value', which is declared with"),
        ("int value(void) { return 0; } int main(void) { return 1; }", "a second definition of 'main'"),
        ("long shared = 1; int value(void) { return 0; }", "'shared' with two types"),
    ],
)
def test_what_is_not_read_is_named_with_its_file(second, said, tmp_path):
    texts = ["int value(void); extern int shared;\nint main(void) { return value(); }\n", second]
    expanded = [expand(text.encode(), tmp_path / "x.c", "LP64", []) for text in texts]
    with pytest.raises(CannotCheck) as problem, deep():
        read(expanded, "LP64", [], [], 0, names=("first.c", "second.c"))
    assert said in str(problem.value)


def test_a_static_function_that_calls_itself_has_a_contract(tmp_path):
    program, certificate = tmp_path / "program.c", tmp_path / "program.assay"
    program.write_text(RECURSIVE)
    result = assay.verify(program, search="contracts", certificate=certificate, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert check(program, certificate).obligations > 0


def test_a_loop_in_a_static_function_that_a_rule_watches_has_a_name(tmp_path):
    program, certificate = tmp_path / "program.c", tmp_path / "program.assay"
    program.write_text(RULED)
    rule = {"rules": ["ke-spinlock"], "timeout_seconds": 60}
    result = assay.verify(program, search="templates", certificate=certificate, **rule)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert assay.certify(program, certificate, **rule).verdict is Verdict.VERIFIED
    assert check(program, certificate).obligations > 0


def test_types_that_double_are_compared_once(tmp_path):
    doubling = "struct s0 { int a; };" + "".join(
        f"struct s{i} {{ struct s{i - 1} *x, *y; struct s{i} *z; }};" for i in range(1, 60)
    )
    texts = [
        f"{doubling} extern struct s59 *p; int main(void) {{ return p == 0; }}",
        f"{doubling} struct s59 *p;",
    ]
    expanded = [expand(text.encode(), tmp_path / "x.c", "LP64", []) for text in texts]
    with deep():
        assert read(expanded, "LP64", [], [], 0).graph.edges
    texts[1] = texts[1].replace("int a", "long a")
    expanded = [expand(text.encode(), tmp_path / "x.c", "LP64", []) for text in texts]
    with pytest.raises(CannotCheck, match="'p' with two types"), deep():
        read(expanded, "LP64", [], [], 0)
