"""Throw forged invariants at both checkers: each accepts exactly what is inductive and excludes all errors.

    python -m tests.fuzz.invariant_certificates --mutations 20000 --seed 1

Proofs of small programs, whose variables have so few bits that every value of each can be tried, are changed
as bytes, as headers and as invariants: weakened, strengthened, moved, negated, with terms that nobody would
write. What is right is found out here, by trying all values in plain Python; z3 (`assay.certification`) and
cvc5 (`assay.checker`) are asked the same, in this process. Neither may raise anything but a refusal, and who
refuses an obligation names a state.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import itertools
import json
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay import languages
from assay.certification import invariants as certification
from assay.checker import invariant_file
from assay.checker import invariants as checker
from assay.checker.container import Rejected
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.certificate.invariant_file import InvariantFile, InvariantHeader, file_of
from assay.evidence.inductive.invariant import InductiveInvariant, NoInvariant
from assay.evidence.verdict import Verdict
from assay.search.proofs.proving import prove
from assay.transition_system.interface import Program, SourceProblem
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import SymbolicModel, SymbolicSystem
from assay.transition_system.symbolic_opening import deep_recursion
from assay.transition_system.terms import ARITY, NoTerm, evaluate
from tests.fuzz.certificates import mutated_bytes

LOCK = """
bit lock; unsigned inside : 2;
active [2] proctype P() {
  do
  :: atomic { lock == 0; lock = 1 }; atomic { inside++; assert(inside == 1) }; atomic { inside--; lock = 0 }
  od
}
"""
BITS = """
unsigned x : 3; unsigned y : 3 = 1;
active proctype P() { do :: x < 6 -> x = x + 2; y = y ^ 2 :: x >= 4 -> x = (x >> 2) << 1; y = y | 1 od }
"""
HANDSHAKE = """
chan c = [0] of { bit }; bit x; unsigned y : 2;
active proctype S() { do :: c!x; x = 1 - x od }
active proctype R() {
  bit v;
  do :: c?v -> d_step { y = v + 2; if :: y == 3 -> y = 1 :: else -> y = 0 fi }; assert(y == v) od
}
"""
CLASS = """
from assay.guarded import GuardedProgram, step


class Model(GuardedProgram):
    variables = {"x": "uint3", "y": ("int3", -1), "b": "bool"}
    processes = {
        "A": [
            step("low", "low", when="x < 4", then={"x": "x + 1", "y": "y // 2"}),
            step("low", "high", when="x % 3 == 1", then={"b": "True"}),
            step("high", "low", when="b", then={"x": "0", "b": "x > 7"}),
        ],
        "B": [step("on", "off", when="A == 'high'"), step("off", "on", then={"y": "-1 - (y % 2)"})],
    }
    always = {"negative": "y < 0", "small": "x <= 4"}
"""
ARRAY = """
bit a[1]; unsigned i : 2;
active proctype P() { do :: i == 0 -> a[i] = 1 - a[i]; i = 2 :: i == 2 -> assert(a[i / 3] < 2); i = 0 od }
"""
RUNS = """
unsigned n : 2; bit done;
proctype Q() { atomic { n == 0 -> n++ }; assert(n == 1 && _nr_pr > 1); atomic { n--; done = 1 } }
init { atomic { run Q(); run Q() }; timeout; assert(done && n == 0 && _nr_pr == 1) }
"""
SIGNED = """
from assay.guarded import GuardedProgram, step


class Model(GuardedProgram):
    variables = {"x": ("int3", -4), "y": ("int3", 1), "z": "uint2"}
    processes = {
        "P": [
            step("go", "go", when="y > 0", then={"x": "x // y", "y": "y + 2", "z": "z + 1"}),
            step("go", "go", when="y < 0 and z >= 2", then={"x": "x % y", "y": "-1 - y"}),
            step("go", "go", when="y < 0 and z < 2", then={"z": "z + 1"}),
            step("go", "back", when="x < 0 and z // 2 == 0", then={"x": "x << 1", "z": "3 - z"}),
            step("back", "go", then={"y": "1", "x": "-4 if x >> 1 < -1 else x"}),
        ]
    }
    always = {"not above": "x <= 0", "divides": "y != 0 and x // y <= 4"}
"""
NUMBERS = (
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    -1,
    -4,
    31,
    63,
    64,
    1 << 32,
    (1 << 63) - 1,
    1 << 63,
    1 << 64,
    -(1 << 63),
    1 << 255,
    1 << 256,
)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = (
    "+",
    "-",
    "*",
    "quotient",
    "remainder",
    "floor",
    "modulo",
    "neg",
    "&",
    "|",
    "^",
    "~",
    "<<",
    ">>",
)


@dataclasses.dataclass
class Report:
    mutations: int = 0
    seconds: float = 0.0
    stages: Counter[str] = dataclasses.field(default_factory=Counter)
    problems: list[str] = dataclasses.field(default_factory=list)


class Target:
    """A program with a proof, and every value that its variables can have."""

    def __init__(self, directory: Path, name: str, text: str, invariants: tuple[str, ...] = ()) -> None:
        is_class = "class Model" in text
        self.path = directory / f"{name}.{'py' if is_class else 'pml'}"
        self.path.write_text(text)
        options = LanguageOptions(invariants=invariants, reductions=frozenset(), portable=True)
        self.named = Path(f"{self.path}:Model") if is_class else self.path
        self.program: Program = languages.load(self.named, options)
        self.system = self.program.symbolic()
        self.model = SymbolicModel(self.system)
        found = prove(self.system, check_deadlock=True, deadline=time.monotonic() + 60)
        assert found.invariant is not None, found
        self.invariant: dict[str, Any] = json.loads(json.dumps(found.invariant.as_json(self.system)))
        self.header = {
            "coding": "zstd",
            "format": "assay-certificate",
            "language": self.program.language,
            "producer": {"tool": "assay", "version": "0"},
            "program": self.named.name,
            "properties": {
                "assertions": True,
                "deadlock": True,
                "invariants": list(invariants),
                "step_invariants": [],
            },
            "semantics": json.loads(json.dumps(dict(self.program.semantics))),
            "sources": [{"name": self.path.name, "sha256": self.program.sources[0].sha256}],
        }
        kinds = [one.type for one in self.system.variables]
        self.values = list(itertools.product(*(range(kind.low or 0, (kind.high or 0) + 1) for kind in kinds)))

    def sealed(self, invariant: Any, changes: Mapping[str, Any] | None = None) -> bytes:
        """A file around an invariant, with everything else as it should be."""
        with deep_recursion():  # whoever forges may nest terms as deeply as they like
            body = json.dumps(invariant, sort_keys=True, separators=(",", ":")).encode()
        locations = invariant.get("locations") if isinstance(invariant, dict) else None
        listed = locations if isinstance(locations, list) else []
        facts = {
            **self.header,
            "bytes": len(body),
            "conjuncts": sum(
                len(one["holds"])
                for one in listed
                if isinstance(one, dict) and isinstance(one.get("holds"), list)
            ),
            "locations": max(1, len(listed)),
            **(changes or {}),
        }
        header = InvariantHeader(
            **{
                key: facts[key]
                for key in ("program", "language", "semantics", "producer", "locations", "conjuncts")
            },
            size=facts["bytes"],
            sources=tuple(_source(one) for one in facts["sources"]),
            properties=_properties(facts["properties"]),
        )
        return file_of(header.as_bytes(), body)

    def is_right(self, conjuncts: Mapping[tuple[int, ...], Iterable[Any]], *, deadlock: bool) -> bool:
        """By trying all values of the variables at every location that the invariant names."""
        system, model = self.system, self.model
        first = len(system.controls)
        names = [one.name for one in system.variables]

        known: dict[tuple[int, ...], bool] = {}

        def holds(state: tuple[int, ...]) -> bool:
            found = known.get(state)
            if found is None:
                here = conjuncts.get(state[:first])
                values = dict(zip(names, state[first:], strict=True))
                found = known[state] = here is not None and all(evaluate(one, values) for one in here)
            return found

        if not holds(system.initial_state):
            return False
        for location in conjuncts:
            for values in self.values:
                state = (*location, *values)
                if not holds(state):
                    continue
                successors = model.successors(state)
                if any(code or not holds(after or ()) for after, code in successors) or model.check_state(
                    state
                ):
                    return False
                if deadlock and not successors and not model.is_valid_end(state):
                    return False
        return True


def _source(facts: Mapping[str, str]) -> Any:
    from assay.evidence.certificate.header import Source

    return Source(facts["name"], facts["sha256"])


def _properties(facts: Mapping[str, Any]) -> Any:
    from assay.evidence.certificate.header import Properties

    return Properties(
        assertions=facts["assertions"],
        deadlock=facts["deadlock"],
        invariants=tuple(facts["invariants"]),
        step_invariants=tuple(facts["step_invariants"]),
    )


# --- what is forged ---


class Forger:
    def __init__(self, chance: random.Random, target: Target) -> None:
        self.chance = chance
        self.target = target
        self.names = [one.name for one in target.system.variables]

    def number(self, depth: int) -> Any:
        chance = self.chance
        if depth <= 0 or chance.random() < 0.3:
            return chance.choice(self.names) if chance.random() < 0.6 else chance.choice(NUMBERS)
        if chance.random() < 0.1:
            return [
                chance.choice(("int", "unsigned")),
                chance.choice((1, 2, 3, 8, 63, 64)),
                self.number(depth - 1),
            ]
        if chance.random() < 0.1:
            return ["if", self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1)]
        operator = chance.choice(ARITHMETIC)
        return [operator, *(self.number(depth - 1) for _ in range(ARITY.get(operator, 2)))]

    def truth(self, depth: int) -> Any:
        chance = self.chance
        kind = chance.random()
        if depth > 0 and kind < 0.15:
            return [
                chance.choice(("and", "or")),
                *(self.truth(depth - 1) for _ in range(chance.randint(1, 3))),
            ]
        if depth > 0 and kind < 0.2:
            return ["not", self.truth(depth - 1)]
        if kind < 0.25:
            return chance.random() < 0.5
        return [chance.choice(COMPARISONS), self.number(depth), self.number(depth)]

    def nonsense(self) -> Any:
        chance = self.chance
        deep: Any = ["==", 1, 1]
        for _ in range(chance.choice((10, 390, 500, 3_000))):
            deep = ["not", deep]
        return chance.choice(
            (
                1, "x", None, [], {}, ["=="], ["==", 1], ["==", True, 1], ["and"], ["not", 1],
                ["if", True, 1, True],
                ["int", 0, 1], ["int", 65, 1], ["int", True, 1], ["<", 1 << 300, 1], ["<", "nobody", 1],
                ["<", "x\u200b", 1], ["eval", "1"], ["<", ["<<", 1, -1], 1], ["<", ["<<", 1, 1 << 200], 1],
                ["==", ["&", 5, 15], 5], ["<", self.names[0], 1 << 64],
                ["<", self.names[0], ["unsigned", 64, -1]],
                deep, ["or", *[["==", 1, 2]] * chance.choice((10, 25_000))],
            )
        )  # fmt: skip

    def nodes(self, term: Any) -> Iterable[tuple[list[Any], int]]:
        if isinstance(term, list):
            for position in range(1, len(term)):
                yield term, position
                yield from self.nodes(term[position])

    def invariant(self) -> Any:
        """Another one, changed in a few places."""
        chance = self.chance
        found = copy.deepcopy(self.target.invariant)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            self.change(found)
        return found

    def change(self, found: Any) -> None:
        chance = self.chance
        locations = found["locations"]
        if not locations or not all(
            isinstance(one, dict) and isinstance(one.get("holds"), list) for one in locations
        ):
            return
        here, there = chance.choice(locations), chance.choice(locations)
        holds = here["holds"]
        match chance.randrange(16):
            case 0 | 1 if holds:
                holds.pop(chance.randrange(len(holds)))
            case 2:
                holds.append(self.truth(2))
            case 3:
                holds.append(["or", self.truth(1), *chance.sample(holds, min(1, len(holds)))])
            case 4:
                holds[:] = copy.deepcopy(there["holds"])
            case 5:
                locations.remove(here)
            case 6:
                at = [chance.choice(sorted(control.texts)) for control in self.target.system.controls]
                locations.append({"at": at, "holds": [self.truth(2) for _ in range(chance.randint(0, 2))]})
            case 7 | 8 | 9 | 10 if holds:
                term = chance.choice(holds)
                nodes = list(self.nodes(term))
                if nodes:
                    inside, position = chance.choice(nodes)
                    one = inside[position]
                    if isinstance(one, int) and not isinstance(one, bool):
                        inside[position] = chance.choice((one + 1, one - 1, -one, chance.choice(NUMBERS)))
                    elif isinstance(inside[0], str) and inside[0] in COMPARISONS:
                        inside[0] = chance.choice(COMPARISONS)
                    else:
                        inside[position] = self.truth(1)
            case 11 if holds:
                position = chance.randrange(len(holds))
                holds[position] = ["not", holds[position]]
            case 12:
                holds.append(self.nonsense())
            case 13:
                holds.append(chance.random() < 0.5)
            case 14:
                here["at"] = [*here["at"][1:], chance.choice((here["at"][0], -1, True, "0", 10**30))]
            case _:
                found[chance.choice(("controls", "locations", "more"))] = chance.choice(
                    ([], {}, None, list(found["controls"] or ())[::-1], locations * 2)
                )

    def header(self) -> dict[str, Any]:
        chance = self.chance
        header = copy.deepcopy(self.target.header)
        match chance.randrange(6):
            case 0:
                header["properties"]["invariants"] = chance.choice(
                    (
                        ["1 == 1"],
                        ["0 == 1"],
                        [self.names[0] + " >= 1"],
                        [self.names[0] + " >= 0 # and all is well"],
                        ["_"] * 3,
                    )
                )
            case 1:
                header["properties"]["deadlock"] = False
            case 2:
                header["properties"][chance.choice(("assertions", "step_invariants"))] = chance.choice(
                    (False, ["1"])
                )
            case 3:
                name = chance.choice(sorted(header["semantics"]))
                header["semantics"][name] = chance.choice((None, 1, [], ["merging"], ["N=3"], "", True))
            case 4:
                header["sources"][0]["sha256"] = "00" * 32
            case _:
                header[chance.choice(("program", "language"))] = chance.choice(
                    ("other.pml", "promela", "python-class", "")
                )
        return header


# --- the campaign ---


class Campaign:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.targets = [
            Target(directory, "lock", LOCK, ("inside <= 1",)),
            Target(directory, "bits", BITS, ("x < 7",)),
            Target(directory, "handshake", HANDSHAKE, ("y <= 1",)),
            Target(directory, "guarded", CLASS, ("x <= 4",)),
            Target(directory, "array", ARRAY, ("i <= 2",)),
            Target(directory, "runs", RUNS, ("n <= 1",)),
            Target(directory, "signed", SIGNED, ("x < 1",)),
        ]
        self.file = directory / "forged.assay"

    def run(self, mutations: int, seed: int) -> Report:
        report = Report()
        began = time.monotonic()
        for number in range(mutations):
            chance = random.Random(f"{seed} {number}")
            target = chance.choice(self.targets)
            try:
                self.one(chance, target, report)
            except Exception:
                report.problems.append(f"{seed} {number}: {traceback.format_exc()}")
            report.mutations += 1
        report.seconds = time.monotonic() - began
        return report

    def one(self, chance: random.Random, target: Target, report: Report) -> None:
        forger = Forger(chance, target)
        kind = chance.random()
        if kind < 0.2:
            honest = [each.sealed(each.invariant) for each in self.targets]
            data = mutated_bytes(chance, target.sealed(target.invariant), honest)
            if data == target.sealed(target.invariant):
                return
            self.judged(data, target, None, report, "bytes")
        elif kind < 0.3:
            header = forger.header()
            try:
                data = target.sealed(target.invariant, header)
            except (TypeError, ValueError, AttributeError):
                return
            self.judged(data, target, None, report, "header", is_header=True)
        else:
            self.judged(
                target.sealed(invariant := forger.invariant()), target, invariant, report, "invariant"
            )

    def judged(
        self,
        data: bytes,
        target: Target,
        invariant: Any,
        report: Report,
        stage: str,
        *,
        is_header: bool = False,
    ) -> None:
        first, why = self.by_z3(data, target)
        second, why_not = self.by_cvc5(data, target)
        report.stages[f"{stage}: {first}, {second}"] += 1
        told = f"{stage} of {target.path.name}: z3 {first} ({why}), cvc5 {second} ({why_not})"
        with deep_recursion():
            told += f": {json.dumps(invariant)[:1500]}"
        if is_header:
            return  # what a claim must fit is asked in tests of its own
        expected = False
        if invariant is not None:
            try:
                read = InductiveInvariant.from_json(invariant, target.system)
                expected = target.is_right(read.conjuncts, deadlock=True)
            except (NoInvariant, NoTerm):
                expected = False
        report.stages[f"{stage}: {'right' if expected else 'wrong'}"] += 1
        for answer in (first, second):
            if answer == "undecided":
                continue
            if (answer == "accepted") is not expected:
                report.problems.append(f"expected {expected}: {told}")
                return
        for answer, reason in ((first, why), (second, why_not)):
            if (
                answer == "rejected"
                and ("obligation" in reason or "is not excluded" in reason)
                and "allows" not in reason
            ):
                report.problems.append(f"no state: {told}")

    def by_z3(self, data: bytes, target: Target) -> tuple[str, str]:
        self.file.write_bytes(data)
        try:
            file = InvariantFile(self.file)
            system = self.system_of(target, file.header.properties.invariants)
            read = InductiveInvariant.from_json(file.invariant(), system)
            _, verdict, problem = certification.checked(
                system, read, deadlock=file.header.properties.deadlock, seconds=20.0
            )
        except (CertificateProblem, NoInvariant) as problem_:
            return "rejected", str(problem_)
        known = {Verdict.VERIFIED: "accepted", Verdict.REJECTED: "rejected"}
        return known.get(verdict, "undecided"), problem

    def by_cvc5(self, data: bytes, target: Target) -> tuple[str, str]:
        if not invariant_file.is_invariant(data):
            return "rejected", "another kind of file"
        try:
            header, written = invariant_file.read_invariant_file(data)
            program = _WithForm(self.system_of(target, header.invariants), target.program)
            checker.check_invariant(program, header, written)  # type: ignore[arg-type]
        except (Rejected, CertificateProblem) as reason:
            return "rejected", str(reason)
        except checker.Undecided as reason:
            return "undecided", str(reason)
        return "accepted", ""

    def system_of(self, target: Target, invariants: Iterable[str]) -> SymbolicSystem:
        if list(invariants) == target.header["properties"]["invariants"]:
            return target.system
        try:
            options = LanguageOptions(invariants=tuple(invariants), reductions=frozenset(), portable=True)
            return languages.load(target.named, options).symbolic()
        except SourceProblem as problem:
            raise CertificateProblem(str(problem)) from None


@dataclasses.dataclass
class _WithForm:
    system: SymbolicSystem
    program: Program

    def symbolic(self) -> SymbolicSystem:
        return self.system

    @property
    def notes(self) -> Any:
        return self.program.notes

    @property
    def unchecked(self) -> Any:
        return self.program.unchecked


def main() -> None:
    parser = argparse.ArgumentParser(description="Forge proofs by invariant.")
    parser.add_argument("--mutations", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="forged-") as directory:
        report = Campaign(Path(directory)).run(arguments.mutations, arguments.seed)
    print(f"{report.mutations:,} forgeries in {report.seconds:.0f} s")
    for stage, count in report.stages.most_common():
        print(f"  {count:6}  {stage}")
    for problem in report.problems[:20]:
        print(problem)
    print(f"{len(report.problems)} problems")
    sys.exit(1 if report.problems else 0)


if __name__ == "__main__":
    main()
