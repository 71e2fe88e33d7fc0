"""Throw forged proofs about C programs at both checkers: they agree, and what they accept is true.

    python -m tests.fuzz.c_certificates --mutations 2000 --seed 1

Proofs of small programs are changed in every part: invariants weakened, strengthened, moved, with other
operators and numbers; cut points left out and doubled; other calls, bounds, rounds and depths; headers with
other checks, data models, macros and rules; and the programs themselves, with the hashes of the certificate
mended. `assay.certify` and the independent checker must both refuse with a reason, or both accept. What is
accepted is tried: runs with random inputs reach no failure, are in states of the invariants wherever they
have one, and pass cut points no more often than a bound says.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import assay
from assay.checker import Rejected, Undecided, check
from assay.evidence.certificate.header import Source
from assay.evidence.certificate.invariant_file import C_VERSION, InvariantFile, InvariantHeader, file_of
from assay.evidence.sequential.obligations import NoProof
from assay.evidence.sequential.proof_file import from_json
from assay.evidence.verdict import Verdict
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.languages.c.program import load
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sequential.bitvectors import (
    Substitution,
    Term,
    all_of,
    constant,
    evaluated,
    in_order,
)
from assay.transition_system.sequential.control_flow import ControlFlow
from assay.transition_system.sequential.quantifiers import instance
from assay.transition_system.sequential.running import default, run

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
COUNTERS = (
    HEAD
    + """\
int x = 0;
int main(void) {
  int y = 0, z = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) { x++; z++; } else { y += 2; z += 2; }
  }
  z++;
  while (__VERIFIER_nondet_int()) { x++; z++; }
  z--;
  if (z != x + y) reach_error();
  return 0;
}
"""
)
COUNTED = (
    HEAD
    + """\
int main(void) {
  int sum = 0;
  for (int i = 0; i < 7; i++) sum += __VERIFIER_nondet_int() & 1;
  if (sum > 7) reach_error();
  return 0;
}
"""
)
CALLS = (
    HEAD
    + """\
static int lock;
static void take(int times) { while (times > 0) { if (lock) reach_error(); lock = 1; lock = 0; times--; } }
int main(void) {
  unsigned char n = 0;
  again:
  take(n);
  n++;
  if (n < 200) goto again;
  take(3);
  if (lock) reach_error();
  return 0;
}
"""
)
ARRAYS = (
    HEAD
    + """\
struct pair { short left; short right; };
unsigned char a[4];
int main(void) {
  struct pair p = {1, 1};
  unsigned i = 0;
  do {
    a[i & 3] = __VERIFIER_nondet_int() & 7;
    if (__VERIFIER_nondet_int()) { p.left++; p.right++; }
    i++;
    if (p.left != p.right) reach_error();
  } while (1);
}
"""
)
ROUNDS = (
    HEAD
    + """\
int main(void) {
  int a = 1, b = 2, c = 3;
  while (1) {
    int t = a; a = b; b = c; c = t;
    if (a == b) reach_error();
  }
}
"""
)
RECURSIVE = (
    HEAD
    + """\
int sum(int n) { if (n <= 0) return 0; return n + sum(n - 1); }
int main(void) { if (sum(3) != 6) reach_error(); return 0; }
"""
)
ELEMENTS = (
    HEAD
    + """\
int a[9];
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 9) return 0;
  for (int i = 0; i < n; i++) a[i] = 7;
  for (int i = 0; i < n; i++) if (a[i] != 7) reach_error();
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
RULE = (
    HEAD
    + """\
void KeAcquireSpinLock(int *l); void KeReleaseSpinLock(int *l);
int main(void) {
  int n = 0;
  do {
    KeAcquireSpinLock(0);
    n = __VERIFIER_nondet_int();
    KeReleaseSpinLock(0);
  } while (n);
  return 0;
}
"""
)


LINKED = (
    HEAD
    + """\
static int n = 0;
static void step(void) { n++; }
void other(void);
int value(void);
int main(void) {
  while (__VERIFIER_nondet_int()) { step(); other(); if (n != value()) reach_error(); }
  return 0;
}
"""
)
SECOND = """\
static int n = 0;
static void step(void) { n++; }
void other(void) { step(); }
int value(void) { return n; }
"""
COPIED = (
    HEAD
    + """\
void *memcpy(void *, const void *, __SIZE_TYPE__);
struct held { int a; int *p; };
int main(void) {
  int x = 0;
  struct held one = {1, &x}, other;
  for (int i = 0; i < 4; i++) { memcpy(&other, &one, sizeof other); *other.p += 1; one.a = other.a + 1; }
  if (x != 4 || one.a != 5) reach_error();
  return 0;
}
"""
)


@dataclass(frozen=True)
class Base:
    name: str
    text: str
    search: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)
    certify: dict[str, Any] = field(default_factory=dict)
    second: str = ""  # a further file


BASES = (
    Base("counters", COUNTERS, "templates"),
    Base("counted", COUNTED, "bounded"),
    Base("calls", CALLS, "k-induction"),
    Base("arrays", ARRAYS, "templates"),
    Base("rounds", ROUNDS, "k-induction"),
    Base("recursive", RECURSIVE, "bounded"),
    Base("rule", RULE, "templates", {"rules": ["ke-spinlock"]}, {"rules": ["ke-spinlock"]}),
    Base("elements", ELEMENTS, "quantified"),
    Base("references", REFERENCES),
    Base("linked", LINKED, "templates", second=SECOND),
    Base("copied", COPIED, "bounded"),
    Base("checked", COUNTED, "bounded", {"checks": ["overflow", "bounds"]}),
)
CHANGES_OF_TEXT = [
    ("x++", "x += 2"),
    ("y += 2", "y += 3"),
    ("z--", "z++"),
    ("< 7", "< 8"),
    ("> 7", "> 6"),
    ("lock = 0", "lock = 1"),
    ("n < 200", "n < 300"),
    ("p.right++", "p.right--"),
    ("& 7", "& 9"),
    ("c = 3", "c = 2"),
    ("b = 2", "b = 4"),
    ("!= 6", "!= 5"),
    ("i < n; i++) a", "i <= n; i++) a"),
    ("i < n; i++) if", "i <= n; i++) if"),
    ("a[i] = 7", "a[i] = i"),
    ("*m += 1", "*n += 1"),
    ("count(&a, &b)", "count(&b, &a)"),
    ("sum(3)", "sum(4)"),
    ("KeReleaseSpinLock(0)", "KeAcquireSpinLock(0)"),
    ("while (n)", "while (!n)"),
    ("reach_error()", "(reach_error())"),
    ("int main(void) {", "int main(void) { int unused;"),
    ("static void step", "extern int m; static void step"),
    ("static int n = 0", "static int n = 1"),
    ("sizeof other", "sizeof(int)"),
    ("*other.p += 1", "*one.p += 2"),
    ("i < 4", "i < 5"),
]


@dataclass
class Report:
    stages: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


class Proved:
    """A program with its certificate, taken apart."""

    def __init__(self, base: Base, folder: Path) -> None:
        self.base, self.folder = base, folder / base.name
        self.folder.mkdir()
        self.program = self.folder / "program.c"
        self.program.write_text(base.text)
        self.further: tuple[str, ...] = ()
        if base.second:
            (self.folder / "second.c").write_text(base.second)
            self.further = (str(self.folder / "second.c"),)
        certificate = self.folder / "original.assay"
        result = assay.verify(
            self.program,
            search=base.search,
            certificate=certificate,
            timeout_seconds=60,
            c_sources=self.further,
            **base.options,
        )
        assert result.verdict is Verdict.VERIFIED, (base.name, result.reasons)
        self.file = InvariantFile(certificate)
        self.body = self.file.invariant()
        self.header = json.loads(self.file.header.as_bytes())

    def written(self, header: dict[str, Any], body: Any) -> Path:
        content = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        locations = body.get("locations") if isinstance(body, dict) else None
        locations = locations if isinstance(locations, list) else []
        made = InvariantHeader(
            program=header["program"],
            language="c",
            sources=tuple(Source(**one) for one in header["sources"]),
            semantics=header["semantics"],
            properties=self.file.header.properties,
            producer=header["producer"],
            size=len(content),
            locations=len(locations),
            conjuncts=sum(len(one["holds"]) for one in locations if _has_conjuncts(one)),
        )
        path = self.folder / "forged.assay"
        path.write_bytes(file_of(made.as_bytes(), content, C_VERSION))
        return path


def _has_conjuncts(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("holds"), list)


class Campaign:
    def __init__(self, folder: Path, bases: tuple[Base, ...] = BASES) -> None:
        self.folder = folder
        self.proved = [Proved(one, folder) for one in bases]

    def run(self, mutations: int, seed: int) -> Report:
        report = Report()
        chance = random.Random(seed)
        for number in range(mutations):
            proved = self.proved[number % len(self.proved)]
            header, body = copy.deepcopy(proved.header), copy.deepcopy(proved.body)
            text = proved.base.text
            kind = chance.choice(["invariant", "invariant", "invariant", "shape", "header", "program"])
            if kind == "program":
                text = changed_text(text, chance)
                header = mended(header, text, proved)
            elif kind == "header":
                change_header(header, chance)
            elif kind == "shape":
                chance.choice(SHAPES)(body, chance)
            else:
                for _ in range(chance.choice([1, 1, 2])):
                    chance.choice(INVARIANTS)(body, chance)
            if text is None or header is None or (header, body) == (proved.header, proved.body):
                report.stages["nothing changed"] += 1
                continue
            self._judge(proved, text, header, body, kind, report, chance)
        return report

    def _judge(
        self, proved: Proved, text: str, header: Any, body: Any, kind: str, report: Report, chance: Any
    ) -> None:
        proved.program.write_text(text)
        certificate = proved.written(header, body)
        semantics = header["semantics"]
        ours, reason = certified(proved, certificate, semantics)
        theirs, said = checked(proved, certificate)
        told = f"{proved.base.name}, {kind}: certify {ours} ({reason}); checker {theirs} ({said})"
        known = f"{told}\n{json.dumps(body)}\n{json.dumps(semantics)}\n{text}"
        if "accepted" in (ours, theirs) and "rejected" in (ours, theirs):
            report.problems.append(f"they disagree: {known}")
        if "rejected" in (ours, theirs) and not (reason or said):
            report.problems.append(f"a refusal without a reason: {known}")
        if "accepted" in (ours, theirs):
            wrong = refuted(proved, semantics, body, chance)
            if wrong:
                report.problems.append(f"{wrong}: {known}")
        report.stages[f"{kind}: {ours}/{theirs}"] += 1


def certified(proved: Proved, certificate: Path, semantics: Any) -> tuple[str, str]:
    given = dict(proved.base.certify)
    if isinstance(semantics.get("data_model"), str):
        given["data_model"] = semantics["data_model"]
    try:
        result = assay.certify(
            proved.program,
            certificate,
            defines=None,
            timeout_seconds=30,
            c_sources=proved.further,
            **given,
        )
    except SourceProblem as problem:
        return "rejected", str(problem)
    words = {Verdict.VERIFIED: "accepted", Verdict.REJECTED: "rejected"}
    return words.get(result.verdict, "undecided"), "; ".join(result.reasons)


def checked(proved: Proved, certificate: Path) -> tuple[str, str]:
    try:
        check(proved.program, certificate, LanguageOptions(c_sources=proved.further))
    except Rejected as problem:
        return "rejected", str(problem)
    except Undecided as problem:
        return "undecided", str(problem)
    return "accepted", ""


def refuted(proved: Proved, semantics: Any, body: Any, chance: random.Random) -> str:
    """Why what was accepted is not true, by runs of the program with random inputs."""
    try:
        flow, points = flow_of(proved, semantics, body)
    except NoProof:  # and nobody can say of what it speaks
        return "accepted, and it is no proof"
    for _ in range(12):
        limit = chance.choice([1, 3, 1 << 32])
        passed = 0
        for moment in islice(run(flow, partial(any_of, limit=limit, chance=chance), {}), 3_000):
            if moment.location in flow.failures:
                return f"accepted, and {flow.failures[moment.location].message}"
            if moment.location in points:
                passed += 1
                if not evaluated(points[moment.location], moment.values):
                    return "accepted, and an invariant does not hold"
        if body["bound"] is not None and passed > body["bound"]:
            return "accepted, and the bound is passed"
    return ""


def flow_of(proved: Proved, semantics: Any, body: Any) -> tuple[ControlFlow, Any]:
    options = LanguageOptions(
        checks=tuple(semantics["checks"]),
        data_model=semantics["data_model"],
        rules=tuple(proved.base.certify.get("rules", ())),
        c_sources=proved.further,
        defines=tuple(one[2:] for one in semantics["flags"] if one.startswith("-D")),
        language="c",
    )
    flow = load(proved.program, options).flow_at(body["recursion"])
    return flow, {at: of_some(one) for at, one in from_json(body, flow).invariants.items()}


def of_some(term: Term) -> Term:
    """What quantifiers say of some values: less, and it can be computed."""
    found = {
        one: all_of(instance(one, constant(value, one.parameters[0])) for value in range(-2, 14))
        for one in in_order((term,))
        if one.operator == "forall"
    }
    return Substitution(found)(term)


def any_of(edge: Any, limit: int, chance: random.Random) -> Any:
    sort = edge.action.variable.sort
    value = default(sort)
    return chance.randrange(min(limit, 1 << sort.width)) if isinstance(value, int) else value


# --- changes ---


def changed_text(text: str, chance: random.Random) -> str | None:
    possible = [one for one in CHANGES_OF_TEXT if one[0] in text]
    old, new = chance.choice(possible)
    return text.replace(old, new, 1) if chance.random() < 0.7 else text.replace(old, new)


def mended(header: Any, text: str | None, proved: Proved) -> Any:
    """With the hashes of the new text: all that is wrong is the proof."""
    if text is None:
        return None
    header["sources"][0]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    proved.program.write_text(text)
    model = DATA_MODELS[header["semantics"]["data_model"]]
    files = (proved.program, *map(Path, proved.further))
    header["semantics"]["expanded"] = [preprocess(one, model).expanded_sha256 for one in files]
    return header


def change_header(header: Any, chance: random.Random) -> None:
    semantics = header["semantics"]
    change = chance.randrange(8)
    if change == 0:
        semantics["checks"] = chance.sample(["overflow", "division", "bounds", "allocation"], 2)
    elif change == 1:
        semantics["data_model"] = chance.choice(["ILP32", "LLP64", 64])
    elif change == 2:
        semantics["flags"] = [chance.choice(["-Dsum=0", "-Dint=long", "-O2", "-I-", "-fplugin=x", "-D"])]
    elif change == 3:
        semantics["rules"] = chance.choice([[], ["spinlock"], ["ke_spinlock", "mutex"], ["../x"]])
    elif change == 4:
        semantics["granted"] = []
    elif change == 5:
        semantics["expanded"] = [semantics["expanded"][0][::-1]]
    elif change == 6:
        semantics["version"] = chance.choice([0, 2, True, "1"])
    else:
        header["sources"][0]["sha256"] = header["sources"][0]["sha256"][::-1]


def weaken(body: Any, chance: random.Random) -> None:
    held = [one["holds"] for one in body["locations"] if one["holds"]]
    if held:
        chosen = chance.choice(held)
        del chosen[chance.randrange(len(chosen))]


def move(body: Any, chance: random.Random) -> None:
    if len(body["locations"]) > 1:
        one, other = chance.sample(body["locations"], 2)
        one["holds"], other["holds"] = other["holds"], one["holds"]


def relocate(body: Any, chance: random.Random) -> None:
    if body["locations"]:
        one = chance.choice(body["locations"])
        key = chance.choice(["line", "column", "instance"])
        one[key] += chance.choice([-1, 1])


def strengthen(body: Any, chance: random.Random) -> None:
    """One more conjunct, of variables that the proof has."""
    if body["bound"] is not None or not body["locations"]:
        return
    variables = [at for at, node in enumerate(body["nodes"]) if node[0] in ("g", "l", "s", "r")]
    if not variables:
        return
    nodes = body["nodes"]
    number = ["c", chance.choice([0, 1, 2, 7, 255]), chance.choice([32, 32, 16, 8])]
    nodes.append(number)
    operator = chance.choice(["=", "bvule", "bvsle", "bvslt", "bvult"])
    operands = [chance.choice(variables), chance.choice([len(nodes) - 1, *variables])]
    nodes.append([operator, [], operands])
    if chance.random() < 0.3:
        nodes.append(["not", [], [len(nodes) - 1]])
    chance.choice(body["locations"])["holds"].append(len(nodes) - 1)


def change_number(body: Any, chance: random.Random) -> None:
    numbers = [node for node in body["nodes"] if node[0] == "c"]
    if numbers:
        node = chance.choice(numbers)
        node[1] = chance.choice([node[1] + 1, max(0, node[1] - 1), node[1] ^ 1, 0, (1 << node[2]) - 1])


def change_operator(body: Any, chance: random.Random) -> None:
    applied = [node for node in body["nodes"] if len(node) == 3 and isinstance(node[1], list)]
    if applied:
        node = chance.choice(applied)
        node[0] = chance.choice(
            [
                "=",
                "bvule",
                "bvult",
                "bvsle",
                "bvslt",
                "bvadd",
                "bvsub",
                "bvmul",
                "and",
                "or",
                "not",
                "xor",
                "forall",
            ]
        )


def change_operands(body: Any, chance: random.Random) -> None:
    applied = [(at, n) for at, n in enumerate(body["nodes"]) if len(n) == 3 and isinstance(n[1], list)]
    if applied:
        at, node = chance.choice(applied)
        node[2][chance.randrange(len(node[2]))] = chance.randrange(-1, at + 2)


def change_variable(body: Any, chance: random.Random) -> None:
    variables = [node for node in body["nodes"] if node[0] in ("g", "l", "s", "r")]
    if variables:
        node = chance.choice(variables)
        at = chance.randrange(1, len(node))
        node[at] = chance.choice(
            [0, "x", "z", node[at], *(other[-1] for other in variables), None, [], 10**30]
        )


def drop(body: Any, chance: random.Random) -> None:
    if body["locations"]:
        del body["locations"][chance.randrange(len(body["locations"]))]


def double(body: Any, chance: random.Random) -> None:
    if body["locations"]:
        body["locations"].append(copy.deepcopy(chance.choice(body["locations"])))


def change_bound(body: Any, chance: random.Random) -> None:
    key = chance.choice(["bound", "rounds", "recursion"])
    body[key] = chance.choice([None, 0, 1, 2, 5, 6, 7, 8, -1, True, 10**9, "3", 2.0])


def change_path(body: Any, chance: random.Random) -> None:
    body["instances"] = chance.choice(
        [
            [],
            [[]],
            body["instances"][::-1],
            [*body["instances"], [[1, 1, "take"]]],
            [[[1, 2]]],
            [*body["instances"], *body["instances"]],
            [[*path, *path] for path in body["instances"]],
        ]
    )


def change_shape(body: Any, chance: random.Random) -> None:
    key = chance.choice(sorted(body))
    body[key] = chance.choice([{}, [[]], [{}], "x", 3, [None]])


NOT_OF_NUMBERS = ("and", "or", "not", "xor", "forall")
INVARIANTS: list[Callable[[Any, random.Random], None]] = [
    weaken,
    strengthen,
    strengthen,
    move,
    relocate,
    change_number,
    change_operator,
    change_operands,
    change_variable,
]
SHAPES: list[Callable[[Any, random.Random], None]] = [drop, double, change_bound, change_path, change_shape]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--mutations", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        report = Campaign(Path(name)).run(given.mutations, given.seed)
    for stage, count in sorted(report.stages.items()):
        print(f"{count:6} {stage}")
    for problem in report.problems:
        print(f"\n{problem}")
    print(f"{given.mutations} mutations, {len(report.problems)} problems")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
