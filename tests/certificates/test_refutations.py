"""Proofs of obligations: made, checked by unit propagation, and forged."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import zstandard

import assay
from assay.checker import AcceptedInvariant, Rejected, Undecided, Unusable, check
from assay.checker.__main__ import main
from assay.checker.c import solvers
from assay.checker.c import terms as tm
from assay.checker.c.blasting import TooLarge, clauses_of
from assay.checker.c.propagation import Clause, Step, wrong_step
from assay.checker.c.refutations import ProofFile
from assay.checker.c.refuting import NoneFound, Propagation, refuted
from assay.checker.c.terms import Term
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import LanguageOptions

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
unsigned char seen[8];
int main(void) {
  unsigned x = 0, y = 0, i = __VERIFIER_nondet_int();
  while (__VERIFIER_nondet_int()) {
    x = (x + 1) & 15; y = (y + 1) & 15;
    if (seen[i & 7] > 1) reach_error();
    seen[i & 3] = 1; i++;
  }
  if (x != y || x * 2u > 30u || seen[i & 7] > 1) reach_error();
  return 0;
}
"""
DEFAULT = LanguageOptions()


# --- clauses mean what terms mean ---


class RandomTerms:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.width = self.random.randint(1, 5)
        self.variables = [tm.var(f"{name}.{self.width}", self.width) for name in "abc"]
        self.array = tm.var(f"array.{self.width}", (self.width, self.width))

    def number(self, depth: int) -> Term:
        if depth == 0 or self.random.random() < 0.1:
            return self.random.choice([*self.variables, tm.const(self.random.getrandbits(5), self.width)])
        kind, one = self.random.random(), self.number(depth - 1)
        if kind < 0.6:
            return tm.binary(self.random.choice(list(tm.BINARY)), one, self.number(depth - 1))
        if kind < 0.7:
            return tm.unary(self.random.choice(["bvnot", "bvneg"]), one)
        if kind < 0.8:
            return tm.choice(self.truth(depth - 1), one, self.number(depth - 1))
        if kind < 0.9:
            return tm.select(self.elements(depth - 1), one)
        wide = tm.extend(one, self.width + 2, is_signed=self.random.random() < 0.5)
        return tm.extract(self.width, 1, self.random.choice([wide, tm.concat(tm.const(1, 1), wide)]))

    def elements(self, depth: int) -> Term:
        if depth == 0:
            return self.random.choice([self.array, tm.filled((self.width, self.width), self.number(0))])
        inner = self.elements(depth - 1)
        if self.random.random() < 0.3:
            return tm.choice(self.truth(depth - 1), inner, self.elements(depth - 1))
        return tm.store(inner, self.number(depth - 1), self.number(depth - 1))

    def truth(self, depth: int) -> Term:
        one, other = self.number(depth), self.number(depth)
        kind = self.random.random()
        found = (
            tm.equal(one, other)
            if kind < 0.4
            else tm.compared(self.random.choice(list(tm.COMPARED)), one, other)
        )
        return self.random.choice([found, tm.negate(found), tm.both((found, tm.equal(one, one)))])


def can_hold(clauses: list[Clause]) -> bool:
    """And if not, there is a proof that is right."""
    steps = refuted(clauses, 60)
    assert steps is None or wrong_step(clauses, steps) is None
    return steps is None


@pytest.mark.parametrize("seed", range(150))
def test_clauses_can_hold_exactly_where_their_term_can(seed: int) -> None:
    terms = RandomTerms(seed)
    term = terms.number(4)
    values: dict[Term, Any] = {one: terms.random.getrandbits(terms.width) for one in terms.variables}
    content = {at: terms.random.getrandbits(terms.width) for at in range(1 << terms.width)}
    values[terms.array] = tm.ArrayValue(0, content)
    result = tm.computed(term, values)
    given = [tm.equal(one, tm.const(values[one], terms.width)) for one in terms.variables]
    given += [
        tm.equal(tm.select(terms.array, tm.const(at, terms.width)), tm.const(value, terms.width))
        for at, value in content.items()
    ]
    is_so = tm.equal(term, tm.const(result, terms.width))
    for wanted, holds in ((is_so, True), (tm.negate(is_so), False)):
        question = tm.both((*given, wanted))
        if question.value is not None:
            assert bool(question.value) is holds
        else:
            assert can_hold(clauses_of(question)) is holds


def test_what_has_no_clauses_is_refused() -> None:
    one, other = (tm.var(name, (8, 8)) for name in ("one", "other"))
    with pytest.raises(TooLarge, match="compares arrays"):
        clauses_of(tm.equal(one, other))
    wide = [tm.var(name, 700) for name in ("a", "b")]
    with pytest.raises(TooLarge, match="clauses"):
        clauses_of(tm.equal(tm.binary("bvmul", *wide), wide[0]))


# --- what is accepted follows ---


def holds_somewhere(clauses: list[Clause], count: int) -> bool:
    return any(
        all(any((one > 0) == values[abs(one) - 1] for one in clause) for clause in clauses)
        for values in product((False, True), repeat=count)
    )


@pytest.mark.parametrize("seed", range(300))
def test_no_proof_is_accepted_of_clauses_that_can_hold(seed: int) -> None:
    """Right proofs, of other clauses, altered, and made up."""
    rng = random.Random(seed)
    count = rng.randint(2, 4)

    def clause() -> Clause:
        return tuple(rng.choice((1, -1)) * rng.randint(1, count) for _ in range(rng.randint(1, 3)))

    clauses = [clause() for _ in range(rng.randint(3, 14))]
    others = [clause() for _ in range(len(clauses))]
    found: list[Step] = []
    for each in (clauses, others):
        try:
            found += Propagation(each).explained([clause() for _ in range(6)], float("inf"))
        except NoneFound:
            continue
    for _ in range(60):
        steps = [
            (rng.choice([clause(), (), *(one for one, _ in found)]), [rng.randint(0, len(clauses) + 3)] * 3)
            for _ in range(rng.randint(0, 2))
        ]
        for literals, used in found:
            changed = [rng.randint(0, len(clauses) + 2) if rng.random() < 0.2 else one for one in used]
            steps.append((literals if rng.random() < 0.8 else (), changed[: rng.randint(1, 9)]))
        steps.append(((), [rng.randint(-1, len(clauses) + len(steps)) for _ in range(rng.randint(1, 6))]))
        if wrong_step(clauses, steps) is None:
            assert not holds_somewhere(clauses, count)


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ([], 0),
        ([((1,), [0, 1])], 1),  # does not end with the empty clause
        ([((1,), [0, 1]), ((), [4, 2, 3])], None),
        ([((1,), [1, 0]), ((), [4, 2, 3])], None),
        ([((1,), [0, 2]), ((), [4, 2, 3])], 0),
        ([((), [0, 1, 2, 3])], 0),
        ([((1,), [0, 1]), ((), [4, 2])], 1),
        ([((1,), [0, 1]), ((), [5])], 1),  # itself
        ([((1,), [0, 1]), ((), [-1])], 1),
    ],
)
def test_steps_follow_from_what_is_before_them(steps: list[Step], wrong: int | None) -> None:
    assert wrong_step([(1, 2), (1, -2), (-1, 2), (-1, -2)], steps) == wrong


# --- files ---


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("refutations")
    program = folder / "program.c"
    program.write_text(PROGRAM)
    result = assay.verify(program, certificate=folder / "certificate", timeout_seconds=100)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    arguments = [str(program), str(folder / "certificate")]
    assert main([*arguments, "--write-proofs", str(folder / "proofs")]) == 0
    return folder


def looked_at(proved: Path, proofs: Path, export: Path | None = None) -> AcceptedInvariant:
    found = check(proved / "program.c", proved / "certificate", DEFAULT, ProofFile(proofs, export=export))
    assert isinstance(found, AcceptedInvariant)
    return found


def test_no_solver_is_needed(proved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError

    monkeypatch.setattr(solvers, "Cvc5", missing)
    monkeypatch.setattr(solvers, "Bitwuzla", missing)
    accepted = looked_at(proved, proved / "proofs")
    assert accepted.solver == "unit propagation along proofs"
    assert accepted.obligations > 2
    with pytest.raises(Undecided, match="proofs without cvc5"):
        check(proved / "program.c", proved / "certificate")


def test_clauses_and_proofs_are_written_down_for_others(proved: Path, tmp_path: Path) -> None:
    """The lines are those of DIMACS and LRAT, read as a stranger would."""
    looked_at(proved, proved / "proofs", tmp_path / "for" / "others")
    files = sorted((tmp_path / "for" / "others").glob("*.cnf"))
    assert files
    for file in files:
        first, *lines = file.read_text().splitlines()
        clauses = [tuple(map(int, line.split()))[:-1] for line in lines]
        assert first.split()[3] == str(len(clauses))
        steps: list[Step] = []
        for number, line in enumerate(file.with_suffix(".lrat").read_text().splitlines(), len(clauses) + 1):
            identity, *rest = map(int, line.split())
            assert identity == number
            end = rest.index(0)
            assert rest[-1] == 0
            steps.append((rest[:end], [one - 1 for one in rest[end + 1 : -1]]))
        assert wrong_step(clauses, steps) is None


def forged(proved: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    body = json.loads(zstandard.ZstdDecompressor().decompress((proved / "proofs").read_bytes()))
    change(body)
    path = tmp_path / "forged"
    path.write_bytes(zstandard.ZstdCompressor().compress(json.dumps(body).encode()))
    return path


def longest(body: dict[str, Any]) -> list[list[int]]:
    found: list[list[int]] = max(body["proofs"], key=lambda one: len(one or ()))
    return found


def test_without_a_proof_a_solver_is_asked(proved: Path, tmp_path: Path) -> None:
    path = forged(proved, tmp_path, lambda body: body["proofs"].__setitem__(-1, None))
    accepted = looked_at(proved, path)
    assert accepted.solver.startswith("unit propagation along proofs (")
    assert "cvc5" in accepted.solver


def swap(body: dict[str, Any]) -> None:
    first = body["proofs"].index(longest(body))
    others = [at for at, one in enumerate(body["proofs"]) if one and at != first]
    body["proofs"][first], body["proofs"][others[0]] = body["proofs"][others[0]], body["proofs"][first]


@pytest.mark.parametrize(
    "change",
    [
        swap,
        lambda body: longest(body).pop(),
        lambda body: longest(body).clear(),
        lambda body: longest(body).__setitem__(slice(0, -1), []),
        lambda body: longest(body)[0].__setitem__(0, -longest(body)[0][0]),
        lambda body: longest(body)[0].pop(),
        lambda body: longest(body)[-1].append(10**9) or longest(body)[-1].__setitem__(1, 10**9),
        lambda body: longest(body).__setitem__(-1, [0, len(longest(body)), 0]),
        lambda body: longest(body).append([1, 0]),
    ],
    ids=["of another", "truncated", "empty", "only its end", "literal", "position", "far", "self", "more"],
)
def test_proofs_that_do_not_hold_are_rejected_with_their_obligation(
    proved: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(Rejected, match=r"the proof of an obligation does not hold, from step \d+ on: from "):
        looked_at(proved, forged(proved, tmp_path, change))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda body: body["proofs"].pop(), "there are proofs for"),
        (lambda body: body["proofs"].append(None), "there are proofs for"),
        (lambda body: body.update(certificate="0" * 64), "the proofs of another certificate"),
        (lambda body: body.update(version=2), "another format"),
        (lambda body: body.update(more=1), "does not have their keys"),
        (lambda body: body.update(proofs=7), "does not have their keys"),
        (lambda body: body["proofs"].__setitem__(-1, 7), "no list of steps"),
        (lambda body: body["proofs"].__setitem__(-1, [7]), "no list of steps"),
        (lambda body: longest(body)[0].__setitem__(0, True), "no list of numbers"),
        (lambda body: longest(body).__setitem__(0, [5]), "no list of numbers"),
    ],
)
def test_files_that_are_none_are_rejected(
    proved: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], reason: str
) -> None:
    with pytest.raises(Rejected, match=reason):
        looked_at(proved, forged(proved, tmp_path, change))


def test_a_file_that_would_grow_without_bound_is_not_read(proved: Path, tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(zstandard.ZstdCompressor().compress(bytes(1 << 29)))
    with pytest.raises(Rejected, match="a length that none has"):
        looked_at(proved, path)
    path.write_bytes(b"nothing")
    with pytest.raises(Rejected, match="cannot be read"):
        looked_at(proved, path)
    with pytest.raises(Unusable, match="file of proofs"):
        looked_at(proved, tmp_path / "nowhere")
