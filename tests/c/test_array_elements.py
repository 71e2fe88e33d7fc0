"""Facts about all elements of an array: what is proved with a quantifier, and what it may not prove."""

from __future__ import annotations

import random
import time
from itertools import product
from pathlib import Path

import pytest

import assay
from assay.evidence.sequential.obligations import obligations
from assay.languages.c.program import load
from assay.search.sequential.shrinking import Shrinking
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.bitvectors import Array, ArrayValue, Bits, Term
from assay.transition_system.sequential.c_text import as_c
from assay.transition_system.sequential.quantifiers import without_quantifiers
from assay.transition_system.sequential.versions import Versions

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n#define N 50000\n"
HOLD = {
    "filled": """
        int a[N]; for (int i = 0; i < N; i++) a[i] = 7;
        for (int x = 0; x < N; x++) if (a[x] != 7) reach_error();""",
    "copied twice": """
        int a[N], b[N], c[N];
        for (int i = 0; i < N; i++) a[i] = __VERIFIER_nondet_int();
        for (int i = 0; i < N; i++) b[i] = a[i];
        for (int i = 0; i < N; i++) c[i] = b[i];
        for (int x = 0; x < N; x++) if (a[x] != c[x]) reach_error();""",
    "the least": """
        int a[N], least = 0;
        for (int i = 0; i < N; i++) a[i] = __VERIFIER_nondet_int();
        for (int i = 0; i < N; i++) if (a[i] < least) least = a[i];
        for (int x = 0; x < N; x++) if (a[x] < least) reach_error();""",
    "equal if nothing else was seen": """
        int a[N], b[N], same = 1;
        for (int i = 0; i < N; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }
        for (int i = 0; i < N; i++) if (a[i] != b[i]) same = 0;
        if (same) for (int x = 0; x < N; x++) if (a[x] != b[x]) reach_error();""",
}
FAIL = {
    "one too few": """
        int a[N]; for (int i = 0; i < N - 1; i++) a[i] = 7;
        for (int x = 0; x < N; x++) if (a[x] != 7) reach_error();""",
    "one is changed": """
        int a[N]; for (int i = 0; i < N; i++) a[i] = 7;
        a[__VERIFIER_nondet_int() & 1023] = 8;
        for (int x = 0; x < N; x++) if (a[x] != 7) reach_error();""",
}


def verify(tmp_path: Path, body: str, **options: object) -> assay.Result:
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{\n{body}\nreturn 0; }}\n")
    return assay.verify(file, timeout_seconds=100, **options)


@pytest.mark.parametrize("name", HOLD)
def test_what_holds_of_all_elements_is_proved(name, tmp_path):
    result = verify(tmp_path, HOLD[name], search="quantified")
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons


@pytest.mark.parametrize("name", FAIL)
def test_what_fails_of_one_element_is_not_proved_and_found_by_running(name, tmp_path):
    result = verify(tmp_path, FAIL[name], search="quantified")
    assert result.verdict is assay.Verdict.INCOMPLETE
    result = verify(tmp_path, FAIL[name], search="execution")
    assert result.verdict is assay.Verdict.VIOLATED, result.reasons
    assert "the compiled program fails with these inputs" in result.notes


def test_a_quantified_invariant_that_is_none_is_refuted(tmp_path):
    """What is said of elements that the loop has not come to does not follow from those that it has."""
    from assay.evidence.sequential.bitwuzla_prover import first_unproved

    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {HOLD['filled']} }}")
    flow = load(file, LanguageOptions()).flow
    first, second = sorted(flow.cut_points)
    array = next(one for one in flow.variables if isinstance(one.sort, Array))
    index = bv.each(32)
    numbers = [one for one in flow.variables if isinstance(one.sort, Bits) and one.name.startswith("main::")]
    i = next(one for one in numbers if "::i#" in one.name)
    held = bv.equal(bv.select(array, index), bv.constant(7, 32))

    def until(last: Term) -> Term:
        zero = bv.constant(0, 32)
        inside = bv.all_of((bv.compare("bvsle", zero, index), bv.compare("bvslt", index, last)))
        return bv.forall(32, bv.implies(inside, held))

    whole = until(bv.constant(50_000, 32))
    bounds = bv.compare("bvsle", bv.constant(0, 32), i)
    right = {first: bv.all_of((until(i), bounds)), second: whole}
    x = next(one for one in numbers if "::x#" in one.name)
    right[second] = bv.all_of((whole, bv.compare("bvsle", bv.constant(0, 32), x)))
    for invariants, is_proof in (
        (right, True),
        ({**right, first: bv.all_of((until(bv.arithmetic("bvadd", i, bv.constant(1, 32))), bounds))}, False),
        ({**right, first: bv.all_of((whole, bounds))}, False),
        ({**right, first: bounds}, False),
    ):
        refutations = [one.refutation for one in obligations(flow, invariants)]
        assert (first_unproved(refutations, time.monotonic() + 100) is None) is is_proof


def random_term(source: random.Random, array: Term, names: list[Term], depth: int) -> Term:
    """A truth value over numbers of two bits, with quantifiers where they may stand."""
    pick = source.random()
    if depth and pick < 0.6:
        parts = [random_term(source, array, names, depth - 1) for _ in range(2)]
        return bv.all_of(parts) if pick < 0.2 else bv.any_of(parts) if pick < 0.4 else bv.negated(parts[0])
    index = bv.each(2)

    def number(inner: list[Term]) -> Term:
        one = source.choice([*inner, bv.constant(source.randrange(4), 2)])
        return bv.select(array, one) if source.random() < 0.5 else one

    if pick < 0.8:
        body = bv.implies(
            bv.compare("bvult", index, source.choice(names)),
            bv.compare("bvule", number([*names, index]), number([*names, index])),
        )
        return bv.forall(2, body)
    return bv.equal(number(names), number(names))


@pytest.mark.parametrize("seed", range(150))
def test_a_term_without_its_quantifiers_has_a_model_if_the_term_has(seed):
    source = random.Random(seed)
    array = bv.variable("a", Array(2, 2))
    names = [bv.variable(name, Bits(2)) for name in "xy"]
    term = random_term(source, array, names, 3)
    plain = without_quantifiers(term)
    assert not any(one.operator == "forall" for one in bv.in_order((plain,)))

    def holds(one: Term, values: dict[Term, bv.Value]) -> bool:
        if one.operator == "forall":
            return all(bv.evaluated(one.operands[0], {**values, bv.each(2): each}) for each in range(4))
        if one.operator in ("and", "or"):
            return (all if one.operator == "and" else any)(holds(each, values) for each in one.operands)
        return (
            not holds(one.operands[0], values) if one.operator == "not" else bool(bv.evaluated(one, values))
        )

    more = sorted(bv.variables_of(plain) - {array, *names}, key=lambda one: one.name)[:3]
    for content in product(range(4), repeat=4):
        for x, y in product(range(4), repeat=2):
            values: dict[Term, bv.Value] = {
                array: ArrayValue(0, dict(enumerate(content))),
                names[0]: x,
                names[1]: y,
            }
            if holds(term, values):
                if bv.variables_of(plain) <= {*values, *more}:
                    found = any(
                        bv.evaluated(plain, {**values, **dict(zip(more, some, strict=True))})
                        for some in product(range(4), repeat=len(more))
                    )
                    assert found, bv.shown(term)
                return


def test_quantified_terms_are_written_and_read_and_misplaced_ones_refused():
    array = bv.variable("a", Array(32, 32))
    body = bv.equal(bv.select(array, bv.each(32)), bv.constant(7, 32))
    term = bv.forall(32, body)
    assert bv.variables_of(term) == {array}
    assert bv.variables_of(bv.all_of((term, bv.equal(bv.each(32), bv.constant(1, 32))))) == {
        array,
        bv.each(32),
    }
    assert term_file.load(term_file.dump([term]), {"a": array}) == [term]
    assert as_c(term) == "for all each: a[each] == 7"
    with pytest.raises(term_file.TermProblem, match="not below its quantifier"):
        term_file.load(term_file.dump([body]), {"a": array})
    nested = term_file.dump([term])
    nested["nodes"].append(["forall", [32], [len(nested["nodes"]) - 1]])
    with pytest.raises(term_file.TermProblem, match="below another"):
        term_file.load({**nested, "terms": [len(nested["nodes"]) - 1]}, {"a": array})


def test_every_version_of_a_mapping_stays_as_it_was():
    source = random.Random(5)
    versions = [(Versions({}), {})]
    for _ in range(300):
        mapping, content = source.choice(versions)
        index, value = source.randrange(6), source.randrange(100)
        versions.append((mapping.changed(index, value), {**content, index: value}))
        for one, expected in source.sample(versions, min(3, len(versions))):
            assert dict(one) == expected
            assert one.get(0, -1) == expected.get(0, -1)


def test_small_numbers_are_put_back(tmp_path):
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {HOLD['filled']} }}")
    shrinking = Shrinking(load(file, LanguageOptions()).flow)
    x = bv.variable("x", Bits(32))
    for number in (50_000, 49_999, 50_001):
        small = shrinking.small_of[50_000] + number - 50_000
        test = bv.compare("bvslt", x, bv.constant(small, 32))
        assert shrinking.restored(test) is bv.compare("bvslt", x, bv.constant(number, 32))


MEETING = """
    int a[8], n = 0;
    for (int i = 0; i < 8; i++) a[i] = 1;
    if (__VERIFIER_nondet_int()) a[__VERIFIER_nondet_int() & 7] = 2;
    else if (__VERIFIER_nondet_int()) a[3] = 2;
    for (int i = 0; i < 8; i++) n += a[i];
    if (n > BOUND) reach_error();
"""


def test_no_arrays_are_compared_where_ways_meet(tmp_path):
    """Bitwuzla has few means for that: a list of four elements was not decided in a minute."""
    file = tmp_path / "program.c"
    ways = "int a[8]; if (n) a[n & 7] = 2; else if (n > 3) a[3] = 2; if (a[n & 3] > 2) reach_error();"
    file.write_text(f"{HEAD}int main(void) {{ int n = __VERIFIER_nondet_int(); {ways} }}")
    flow = load(file, LanguageOptions()).flow
    found = [*obligations(flow, dict.fromkeys(flow.cut_points, bv.TRUE))]
    assert any(one.operator == "store" for each in found for one in bv.in_order([each.refutation]))
    for one in found:
        for term in bv.in_order([one.refutation]):
            assert term.operator != "=" or not isinstance(term.operands[0].sort, Array)


@pytest.mark.parametrize(("bound", "verdict"), [(9, "verified"), (8, "violated")])
def test_an_array_is_that_of_the_way_that_was_taken(tmp_path, bound, verdict):
    result = verify(tmp_path, MEETING.replace("BOUND", str(bound)))
    assert result.verdict.value == verdict
