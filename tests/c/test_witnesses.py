"""SV-COMP witnesses: what we write validates, what others write is validated or rejected with the reason."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.evidence.witness_file import Location, WitnessProblem, from_text
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.c_expressions import NoExpression, as_exact_c
from assay.verification.sequential_harness import write_harness
from assay.verification.witnesses import validate_witness

DECLARATIONS = (
    "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); "
    "extern void reach_error(void);\n"
)
HOLD = {
    "while": "unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0;\nwhile (x < n) {\nx++; y += 2;\n"
    "if (y != 2 * x) reach_error();\n}",
    "for": "int s = 0;\nfor (int i = 0; i < 1000000; i++)\ns = 7 - (7 - s);\nif (s) reach_error();",
    "do": "int z, k = 3;\ndo {\nz = __VERIFIER_nondet_int();\n} while (z > 5);\n"
    "if (z > 5 || k != 3) reach_error();",
    "two": "short a = 0; unsigned char c = 0;\nwhile (__VERIFIER_nondet_int()) {\nif (a < 100) a++;\n}\n"
    "while (__VERIFIER_nondet_int()) { c = (unsigned char)(c + 2); }\nif (a > 100 || c % 2) reach_error();",
}
FAIL = {
    "inputs": "int a = __VERIFIER_nondet_int();\nint b = __VERIFIER_nondet_int();\n"
    "if (a > 5)\nif (b == a + 7)\nreach_error();",
    "rounds": "int s = 0;\nfor (int i = 0; i < 4; i++) {\ns += __VERIFIER_nondet_int();\n}\n"
    "if (s == 99) reach_error();",
    "unset": "int y;\nunsigned char c;\nint k = 0;\nif (y == 77 && c == 200) reach_error();",
    "unsigned": "unsigned u = __VERIFIER_nondet_uint();\nif (u > 4000000000u) { reach_error(); }",
}


def written(folder: Path, body: str, head: str = "") -> Path:
    file = folder / "program.c"
    file.write_text(f"{DECLARATIONS}{head}int main(void) {{\n{body}\nreturn 0; }}\n")
    return file


def validated(program: Path, witness: Path, seconds: float = 40, **options: object):
    given = LanguageOptions(language="c", **options)
    return validate_witness(program, witness, given, timeout_seconds=seconds)


def witness_of(
    program: Path,
    *,
    segments: str = "",
    invariants: str = "",
    model: str = "LP64",
    version: str = "2.0",
    digest="",
) -> Path:
    """Each line: a kind, `follow` or `avoid` or nothing, line[:column], then the constraint."""
    kind = "violation_sequence" if segments else "invariant_set"
    lines = [
        f"- entry_type: {kind}",
        "  metadata:",
        f"    format_version: '{version}'",
        "    uuid: 5f1d6f6e-0000-4000-8000-000000000000",
        "    creation_time: 2026-01-01T00:00:00+00:00",
        "    producer: {name: nobody, version: '1'}",
        "    task:",
        "      input_files: [program.c]",
        f"      input_file_hashes: {{program.c: {digest or sha256(program.read_bytes()).hexdigest()}}}",
        "      specification: 'CHECK( init(main()), LTL(G ! call(reach_error())) )'",
        f"      data_model: {model}",
        "      language: C",
        "  content:",
    ]
    for segment in segments.strip().splitlines():
        lines.append("  - segment:")
        for point in segment.split("|"):
            what, action, place, *value = point.split(None, 3)
            line, _, column = place.partition(":")
            where = f"{{file_name: program.c, line: {line}{f', column: {column}' if column else ''}}}"
            said = f", constraint: {{value: '{value[0].strip()}'}}" if value else ""
            lines.append(f"    - waypoint: {{type: {what}, action: {action}, location: {where}{said}}}")
    for one in invariants.strip().splitlines():
        what, place, value = one.split(None, 2)
        line, _, column = place.partition(":")
        where = f"{{file_name: program.c, line: {line}{f', column: {column}' if column else ''}}}"
        lines.append(
            f"  - invariant: {{type: {what}, location: {where}, value: {value!r}, format: c_expression}}"
        )
    if not segments and not invariants:
        lines[-1] += " []"
    path = program.with_name("witness.yml")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("body", HOLD.values(), ids=HOLD)
def test_invariants_that_we_write_are_confirmed(body, tmp_path):
    program = written(tmp_path, body)
    result = assay.verify(program, witness=tmp_path / "w.yml", timeout_seconds=60)
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons
    assert result.witness["kind"] == "invariant_set"
    found = validated(program, tmp_path / "w.yml")
    assert found.verdict is assay.Verdict.VERIFIED, found.reasons


@pytest.mark.parametrize("body", FAIL.values(), ids=FAIL)
def test_violations_that_we_write_are_confirmed_and_shown_by_the_compiled_program(body, tmp_path):
    program = written(tmp_path, body)
    result = assay.verify(program, witness=tmp_path / "w.yml", timeout_seconds=60)
    assert result.verdict is assay.Verdict.VIOLATED
    found = validated(program, tmp_path / "w.yml")
    assert found.verdict is assay.Verdict.VIOLATED, found.reasons
    assert "the compiled program fails" in found.notes[0]


# Lines are those of `written`: the body begins in line 3.
GUIDED = """int a = __VERIFIER_nondet_int();
int n = 0;
while (a > 0) {
  n++;
  a = a > 10 ? a - 10 : step(a);
}
if (n == 3)
  reach_error();
switch (n) { case 2: if (a == -1) reach_error(); }"""
STEP = "int step(int x) { return x - __VERIFIER_nondet_int(); } "


@pytest.mark.parametrize(
    ("segments", "verdict"),
    [
        ("target follow 10", "violated"),
        ("target follow 10:3", "violated"),
        ("function_return follow 3:31 \\result == 25\ntarget follow 10", "violated"),
        ("function_return follow 3:31 \\result == 0\ntarget follow 10", "rejected"),
        ("assumption follow 4:1 a == 25\ntarget follow 10", "violated"),
        ("assumption follow 4:1 a == 25\nassumption follow 6 n == 1\ntarget follow 10", "rejected"),
        ("branching follow 5 true\nbranching follow 5 true\nbranching follow 5 true\n"
         "branching follow 5 false\nbranching follow 9 true\ntarget follow 10", "violated"),
        ("branching follow 5 true\nbranching follow 5 false\nbranching follow 9 true\ntarget follow 10",
         "rejected"),
        ("branching follow 5 false\ntarget follow 10", "rejected"),
        ("branching avoid 9 true | target follow 11", "violated"),
        ("branching avoid 9 false | target follow 11", "rejected"),
        ("function_enter avoid 7:31 | target follow 10", "rejected"),
        ("branching follow 7:14 true\ntarget follow 10", "violated"),
        ("branching follow 7:14 false\nfunction_enter follow 7:31\ntarget follow 10", "violated"),
        ("branching follow 11:1 2\ntarget follow 11", "violated"),
        ("branching follow 11:1 default\ntarget follow 11", "rejected"),
    ],
)  # fmt: skip
def test_a_run_is_looked_for_along_the_witness(segments, verdict, tmp_path):
    program = written(tmp_path, GUIDED, STEP)
    found = validated(program, witness_of(program, segments=segments))
    assert str(found.verdict) == verdict, found.reasons


WRONG = {
    "line": ("assumption follow 99 a == 1\ntarget follow 10", "no statement in line 99"),
    "branch": ("branching follow 4 true\ntarget follow 10", "no branch in line 4"),
    "call": ("function_enter follow 4\ntarget follow 10", "no call in line 4"),
    "column": ("branching follow 5:7 true\ntarget follow 10", "no branch at 5:7"),
    "target": ("target follow 4", "no run of the program"),
    "name": ("assumption follow 4 nobody == 1\ntarget follow 10", "undeclared"),
    "effect": ("assumption follow 4 a = 1\ntarget follow 10", "is not evaluated"),
    "call in it": ("assumption follow 4 step(1) == 1\ntarget follow 10", "is not evaluated"),
    "more": ("assumption follow 4 1)); reach_error(); ((1\ntarget follow 10", "is no expression"),
    "statement": ("assumption follow 4 ({ reach_error(); 1; })\ntarget follow 10", "is not evaluated"),
    "no target": ("assumption follow 4 a == 1", "the target is followed in the last segment"),
    "late follow": ("target follow 10 | assumption avoid 4 a == 1", "waypoints to avoid and then one"),
    "value": ("branching follow 5 perhaps\ntarget follow 10", "true or false"),
    "kind": ("jump follow 5\ntarget follow 10", "'jump' is not understood"),
    "action": ("target want 10", "expected follow or avoid"),
}


@pytest.mark.parametrize(("segments", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_witness_is_rejected_with_the_reason(segments, words, tmp_path):
    program = written(tmp_path, GUIDED, STEP)
    found = validated(program, witness_of(program, segments=segments))
    assert found.verdict is assay.Verdict.REJECTED
    assert words in found.reasons[0]


@pytest.mark.parametrize("expression", ["1 / a == 1", "*(int *)0 == 1"])
def test_a_run_along_what_is_not_evaluated_is_not_decided(expression, tmp_path):
    program = written(tmp_path, GUIDED, STEP)
    segments = f"assumption follow 4 {expression}\ntarget follow 10"
    found = validated(program, witness_of(program, segments=segments))
    assert found.verdict is assay.Verdict.INCOMPLETE
    assert "is not evaluated" in found.reasons[0]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"digest": "0" * 64}, "about another program"),
        ({"model": "ILP32"}, "data model 'ILP32'"),
        ({"version": "3.0"}, "format_version '3.0'"),
    ],
)
def test_a_witness_of_something_else_is_rejected(more, words, tmp_path):
    program = written(tmp_path, GUIDED, STEP)
    found = validated(program, witness_of(program, segments="target follow 10", **more))
    assert found.verdict is assay.Verdict.REJECTED
    assert words in found.reasons[0]


COUNTING = """unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0, i;
while (x < n) {
  x++;
  y += 2;
}
for (i = 0; i < 10; i++)
  n = 0;
if (y != 2 * x || i != 10) reach_error();"""


@pytest.mark.parametrize(
    ("invariants", "verdict", "words"),
    [
        ("loop_invariant 4:1 y == 2 * x\nloop_invariant 8:1 y == 2 * x && i <= 10",
         "verified", "no engine was asked"),
        ("loop_invariant 4 y == 2 * x\nlocation_invariant 6 y + 2 == 2 * x\n"
         "loop_invariant 8 y == 2 * x && i <= 10",
         "verified", "no engine was asked"),
        ("loop_invariant 4:1 y == 2 * x", "verified", "strengthened"),
        ("", "verified", "strengthened"),
        ("loop_invariant 4:1 x <= n", "verified", "strengthened"),
        ("loop_invariant 4:1 y == 3 * x", "rejected", "`y == 3 * x` of line 4 does not hold"),
        ("loop_invariant 4:1 x < n", "rejected", "does not hold"),
        ("location_invariant 5 x == 0", "rejected", "does not hold"),
        ("loop_invariant 5 x == 0", "rejected", "no loop in line 5"),
        ("loop_invariant 4 missing == 0", "rejected", "undeclared"),
        ("loop_invariant 4 x++ >= 0", "rejected", "is not evaluated"),
    ],
)  # fmt: skip
def test_invariants_are_checked_and_strengthening_is_said(invariants, verdict, words, tmp_path):
    program = written(tmp_path, COUNTING)
    found = validated(program, witness_of(program, invariants=invariants))
    assert str(found.verdict) == verdict, (found.reasons, found.notes)
    assert any(words in one for one in (*found.reasons, *found.notes))


POINTED = """unsigned n = __VERIFIER_nondet_uint(), x = 0; int *p = &g, a[4] = {0};
while (x < n) {
  x++;
  g = 1;
}
if (g > 1) reach_error();"""


@pytest.mark.parametrize(
    ("expression", "verdict", "words"),
    [
        ("g / 2 == 0 && g <= 1", "verified", ""),
        ("g % 31 <= 1", "verified", ""),
        ("g >> 1 == 0", "verified", ""),
        ("p != 0 && g <= 1", "verified", ""),
        ("sizeof(x) == 4", "verified", ""),
        ("g / 2 == 1", "rejected", "does not hold"),
        ("x / n <= 5", "incomplete", "/ is not evaluated"),
        ("x % 0 == 0", "incomplete", "% is not evaluated"),
        ("g >> 32 == 0", "incomplete", ">> is not evaluated"),
        ("x << 1 >= 0", "incomplete", "<< is not evaluated"),
        ("*p <= 1", "incomplete", "* is not evaluated"),
        ("p == &g", "incomplete", "& is not evaluated"),
        ("p[0] <= 1", "incomplete", "ArrayRef is not evaluated"),
        ("a[0] == 0", "incomplete", "ArrayRef is not evaluated"),
        ("f(g) == 0", "rejected", "FuncCall is not evaluated"),
        ("(g = 1)", "rejected", "= is not evaluated"),
        ("(g <= 1, 1)", "rejected", "ExprList is not evaluated"),
        ("({1;})", "rejected", "Compound is not evaluated"),
    ],
)
def test_an_expression_is_evaluated_or_refused_by_name(expression, verdict, words, tmp_path):
    """What changes something is no expression of a witness; what is only not read here is not rejected."""
    program = written(tmp_path, POINTED, "int g; int f(int v) { return 0; }\n")
    found = validated(program, witness_of(program, invariants=f"loop_invariant 5 {expression}"))
    assert str(found.verdict) == verdict, (found.reasons, found.notes)
    assert words in " ".join(found.reasons)


@pytest.mark.parametrize(
    ("depth", "verdict", "words"),
    [(1, "violated", ""), (5, "incomplete", "as deep as the recursion was followed")],
)
def test_a_run_through_recursion_is_written_validated_and_compiled(
    depth, verdict, words, tmp_path, monkeypatch
):
    """As a witness, which is validated as deep as recursion is copied, and as a file for plain gcc."""
    head = "int add(int m, int n) {\nif (n == 0) return m;\nreturn add(m + 1, n - 1);\n}\n"
    body = (
        "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();\n"
        f"if (n != {depth}) return 0;\nif (add(m, n) == 17) reach_error();"
    )
    monkeypatch.chdir(tmp_path)
    program = written(tmp_path, body, head)
    witness, trace = tmp_path / "witness.yml", tmp_path / "trace.json"
    result = assay.verify(program, witness=witness, trace=trace, timeout_seconds=100)
    assert str(result.verdict) == "violated", result.reasons
    found = validated(program, witness)
    assert str(found.verdict) == verdict, found.reasons
    assert words in " ".join(found.reasons)
    harness = write_harness(program, trace, "harness.c")
    assert harness.executed.reached
    done = subprocess.run(["bash", "-c", harness.command], capture_output=True, text=True, check=False)
    assert done.returncode == 86, done.stderr


def test_invariants_do_not_make_a_wrong_program_right(tmp_path):
    program = written(tmp_path, COUNTING.replace("y != 2 * x", "y == 20"))
    for invariants in ("loop_invariant 4 y == 2 * x", "loop_invariant 4 0 == 1", "loop_invariant 4 1"):
        found = validated(program, witness_of(program, invariants=invariants))
        assert found.verdict is assay.Verdict.REJECTED, invariants
        assert "fails" in found.reasons[0] or "does not hold" in found.reasons[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: &a [*a]",
        "!!python/object/apply:os.system ['touch /tmp/assay-was-here']",
        "- [" * 200,
        "- entry_type: violation_sequence",
        "- 1\n- 2",
        "{}",
        "\0",
        "- entry_type: invariant_set\n  metadata: 3",
        "- " + "a" * (5 << 20),
        "&a [*a, *a]",
    ],
    ids=range(11),
)
def test_a_file_that_is_no_witness_is_refused(text, tmp_path):
    if len(text) < 1000:
        with pytest.raises(WitnessProblem):
            from_text(text)
    program = written(tmp_path, COUNTING)
    path = tmp_path / "w.yml"
    path.write_text(text)
    found = validated(program, path)
    assert found.verdict is assay.Verdict.REJECTED
    assert not Path("/tmp/assay-was-here").exists()


def test_what_sv_comp_cannot_say_is_not_written(tmp_path):
    program = written(tmp_path, "int x = 1 / __VERIFIER_nondet_int();")
    result = assay.verify(program, witness=tmp_path / "w.yml", checks=["division"], timeout_seconds=60)
    assert any("no witness was written" in one for one in result.notes)
    with pytest.raises(OptionProblem, match="no specification for rules"):
        assay.verify(program, witness=tmp_path / "w.yml", rules=["mutex"])
    with pytest.raises(OptionProblem, match="the program itself"):
        assay.verify(program, witness=program)


def test_columns_are_optional():
    assert str(Location(3)) == "3"
    assert str(Location(3, 4)) == "3:4"


# --- exact expressions ---

NAMES = {
    "a": (8, False),
    "b": (8, True),
    "c": (16, False),
    "d": (32, False),
    "e": (32, True),
    "f": (64, False),
    "g": (64, True),
}
VARIABLES = {
    bv.variable(name, bv.Bits(width)): (name, is_unsigned) for name, (width, is_unsigned) in NAMES.items()
}
TYPES = {8: "char", 16: "short", 32: "int", 64: "long long"}


def numbers(width: int) -> st.SearchStrategy[bv.Term]:
    known = [one for one in VARIABLES if one.width == width]
    leaves = st.one_of(
        st.sampled_from(known), st.integers(0, (1 << width) - 1).map(lambda value: bv.constant(value, width))
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(
                bv.arithmetic,
                st.sampled_from(["bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor"]),
                inner,
                inner,
            ),
            inner.map(bv.complement),
            inner.map(bv.minus),
        ),
        max_leaves=4,
    )


def truths() -> st.SearchStrategy[bv.Term]:
    compared = st.sampled_from([8, 16, 32, 64]).flatmap(
        lambda width: st.one_of(
            st.builds(
                bv.compare,
                st.sampled_from(["bvult", "bvule", "bvslt", "bvsle"]),
                numbers(width),
                numbers(width),
            ),
            st.builds(bv.equal, numbers(width), numbers(width)),
            st.builds(
                lambda one, is_signed: bv.equal(
                    bv.extended(one, 64, is_signed=is_signed), list(VARIABLES)[5]
                ),
                numbers(width),
                st.booleans(),
            ),
        )
    )
    return st.recursive(
        compared,
        lambda inner: st.one_of(
            inner.map(bv.negated), st.lists(inner, min_size=2, max_size=3).map(bv.all_of)
        ),
        max_leaves=3,
    )


@settings(max_examples=6, deadline=None)
@given(
    st.lists(truths(), min_size=6, max_size=6), st.lists(st.integers(0, 2**64 - 1), min_size=7, max_size=7)
)
def test_an_expression_means_in_c_what_the_term_means(terms, values):
    """Compiled and run by gcc."""
    import subprocess
    import tempfile

    given = {one: value & ((1 << one.width) - 1) for one, value in zip(VARIABLES, values, strict=True)}
    declared = "".join(
        f"{'unsigned' if is_unsigned else 'signed'} {TYPES[one.width]} {name} = {given[one]}ull;"
        for one, (name, is_unsigned) in VARIABLES.items()
    )
    texts = []
    for term in terms:
        try:
            texts.append((term, as_exact_c(term, VARIABLES.get)))
        except NoExpression:
            continue
    tests = "".join(f"putchar('0' + !!({text}));" for _, text in texts)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "x.c")
        source.write_text(f"#include <stdio.h>\nint main(void) {{ {declared} {tests} }}\n")
        subprocess.run(["gcc", "-w", "-O0", "-fwrapv", str(source), "-o", f"{folder}/x"], check=True)
        said = subprocess.run([f"{folder}/x"], capture_output=True, text=True, check=False).stdout
    assert said == "".join(str(int(bv.evaluated(term, given))) for term, _ in texts), texts
