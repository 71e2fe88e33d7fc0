"""Throw forged temporal parts at the certifier: what holds of runs is accepted only with ranks that show it.

    python -m tests.fuzz.temporal_certificates --mutations 50000 --seed 1

Certificates of small programs, with and without fairness and progress, are changed as bytes, as sections,
as records and headers, as scripts and as ranks, and everything around the change is made right again. Each
is put before `assay.certify`, which works in this process. What is accepted must satisfy the definition, word
by word: the independent checker walks it with a table of states and ranks in the place of its products, and
every state of each product is visited with a rank that falls as it must.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import random
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assay import _engine, languages
from assay.certification import coordinator, sharing_out
from assay.certification import program as certification_program
from assay.certification import task as certification_task
from assay.checker.container import Rejected, read_container
from assay.checker.temporal import Product
from assay.checker.walk import Walk
from assay.distribution.in_process import InProcess
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.verdict import Verdict
from assay.languages import AnotherText, names_a_class
from assay.transition_system.interface import Program, SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from tests.certificates import attacks
from tests.certificates import graph_certificates as forge
from tests.certificates.graph_certificates import SECTIONS, TREE, RawFrame
from tests.certificates.temporal_certificates import Forgery, RankedScript, fair_processes, is_met, sealed
from tests.fuzz.certificates import Remembered, Report, mutated_bytes, near

LOOP = """
byte x; bool done;
active proctype P() { do :: x < 2 -> x++ :: x >= 2 -> x = 0 od }
active proctype Q() { done = true }
ltl comes { <> done }
ltl zero { [] <> (x == 0) }
"""
ENDS = """
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> break od }
active proctype Q() { x = 0 }
ltl stays { <> [] (x == 0 || x == 3 || x == 2 || x == 1) }
ltl both { (<> (x == 3)) && [] ((x == 1) -> <> (x != 1)) }
"""
LABELS = """
byte x;
active proctype P() { accept_first: x = 0; do :: x < 2 -> progress_a: x++ :: x >= 2 -> x = 0 od }
active proctype Q() { x = 0 }
"""
SPINS = """
bool set, seen;
active proctype P() { do :: !set -> skip :: set -> break od; seen = true }
active proctype Q() { set = true }
ltl seen_once_set { [] (seen -> set) }
"""
KINDS = (
    ("fair", LOOP, LanguageOptions(fair=True)),
    ("picked", LOOP, LanguageOptions(ltl=("zero",))),
    ("ends", ENDS, LanguageOptions()),
    ("labels", LABELS, LanguageOptions(progress=True)),
    ("fair_labels", LABELS, LanguageOptions(progress=True, fair=True)),
    ("terminates", SPINS, LanguageOptions(terminates=True)),
    ("all_at_once", ENDS, LanguageOptions(terminates=True, progress=True, fair=True)),
)
WALK_MEMORY_BYTES = 64 << 20
ALSO_CHECKED = 5


class Target:
    def __init__(self, name: str, text: str, options: LanguageOptions, folder: Path) -> None:
        self.path = folder / f"{name}.pml"
        self.path.write_text(text)
        self.options = options
        self.program = languages.load(self.path, options)
        self.model = _engine.CompiledModel(self.program.opening.file)
        self.remembered = Remembered(self.model)
        self.honest = Forgery.of(self.path, options, frames=2)
        self.data = self.honest.to_bytes()
        self.products = [
            Product(
                self.remembered,
                wanted,
                processes=fair_processes(self.program, wanted, options),
                has_root=False,
            )
            for wanted in self.program.temporal
        ]
        self.claim = self.facts(self.data)

    @staticmethod
    def facts(data: bytes) -> tuple[object, ...]:
        """What a certificate says, without how it shows it."""
        header = read_container(data).header
        assert header.temporal is not None
        temporal = header.temporal
        parts = [(part.kind, part.name, part.text) for part in temporal.parts]
        return (
            header.program, header.language, header.sources, dict(header.semantics), header.check_deadlock,
            header.invariants, header.step_invariants, temporal.ltl, temporal.progress, temporal.fair,
            temporal.terminates, parts,
        )  # fmt: skip


@dataclasses.dataclass
class Table:
    """In the place of a checker's products: every state with its rank, and what references say of it."""

    referred: Counter[tuple[int, bytes, int]] = dataclasses.field(default_factory=Counter)
    claimed: Counter[tuple[int, bytes, int]] = dataclasses.field(default_factory=Counter)
    visited: list[tuple[bytes, int]] = dataclasses.field(default_factory=list)

    def refer(self, number: int, state: bytes, rank: int) -> None:
        self.referred[number, state, rank] += 1

    def visit(self, number: int, state: bytes, rank: int, count: int) -> None:
        """In a script with ranks the number is always the same: only what a state is matters."""
        self.visited.append((state, rank))
        self.claimed[number, state, rank] += count

    def holds(self) -> bool:
        return self.referred == self.claimed


def require_true(data: bytes, target: Target) -> None:
    """By the definition. Raises `Rejected` or `AssertionError`."""
    container = read_container(data)
    for script, product in zip((container, *container.parts), (None, *target.products), strict=True):
        model: Any = target.remembered if product is None else product
        rank = 0
        if product is not None:
            assert container.header.temporal is not None
            rank = container.header.temporal.parts[target.products.index(product)].rank
        table = Table()
        walk = Walk(script.header, model, str, product=product, rank=rank)
        walk._check = table
        for number, frame in enumerate(script.frames):
            walk.frame(frame, f"frame {number}")
        walk.finish()
        if product is not None:
            require_ranks(table, product)


def require_ranks(table: Table, product: Product) -> None:
    """One rank at least for each reachable state, and for each visit steps to visits with ranks that obey."""
    ranks: dict[bytes, set[int]] = {}
    for state, rank in table.visited:
        ranks.setdefault(state, set()).add(rank)
    for state, rank in table.visited:
        for step in product.steps(state):
            assert step.after is not None
            most = rank - is_met(step, rank, product.sets)
            assert step.is_free or min(ranks[step.after]) <= most, "a rank climbs"
            assert step.after in ranks, "a state is not visited"


# --- Mutations -------------------------------------------------------------------------------------------


def mutated(chance: random.Random, target: Target, targets: Sequence[Target]) -> bytes:
    kind = chance.choices(
        ("bytes", "sections", "ranks", "script", "records", "header"), (15, 30, 25, 15, 8, 12)
    )[0]
    if kind == "bytes":
        changed = mutated_bytes(chance, target.data, [other.data for other in targets])
        return forge.with_right_digest(changed) if chance.random() < 0.5 else changed
    if kind == "header":
        return other_header(chance, target)
    if kind == "script":
        return other_script(chance, target)
    if kind == "ranks":
        return other_ranks(chance, target)
    scripts = target.honest.frames()
    if kind == "records":
        return other_records(chance, target, scripts)
    for _ in range(chance.choice((1, 1, 2))):
        frame = chance.choice(chance.choice(scripts[1:]))
        name = chance.choice((*SECTIONS, "subgraphs", "subgraphs", "start"))
        content = getattr(frame, name)
        if content and chance.random() < 0.75:
            at = chance.randrange(len(content))
            value = content[at] ^ 1 << chance.randrange(8) if name == "bits" else chance.randrange(128)
            content = content[:at] + bytes([value]) + content[at + 1 :]
        else:
            content = mutated_bytes(chance, content, [content or b"\0"])
        setattr(frame, name, content)
    return sealed(target.honest.header(), scripts)


def other_ranks(chance: random.Random, target: Target) -> bytes:
    """Ranks and numbers beside entries as a careful forger changes them."""
    forged = copy.deepcopy(target.honest)
    part = chance.choice(forged.parts)
    match chance.randrange(5):
        case 0:
            part.ranks[chance.randrange(len(part.ranks))] += chance.choice((-1, 1, 2, part.sets))
        case 1:
            part.ranks = [max(0, rank + chance.choice((0, 0, 1, -1))) for rank in part.ranks]
        case 2:
            more = chance.choice((1, part.sets, 2 * part.sets))
            part.ranks = [rank + more for rank in part.ranks]
        case 3:
            part.ranks[0] = near(chance, part.ranks[0]) % (1 << 31)
        case _:
            state = chance.choice([number for number, row in enumerate(part.script.entries) if row])
            place = (state, chance.randrange(len(part.script.entries[state])))
            part.beside[place] = near(chance, chance.randrange(3)) % (1 << 35)
    part.ranks = [max(0, rank) for rank in part.ranks]
    return forged.to_bytes()


def other_script(chance: random.Random, target: Target) -> bytes:
    forged = copy.deepcopy(target.honest)
    part: RankedScript = chance.choice(forged.parts)
    script = part.script
    places = attacks.references(script)
    last = len(script.entries) - 1
    match chance.randrange(5):
        case 0 if places:
            number, position = chance.choice(places)
            script.entries[number][position] = chance.randint(0, last)
            script.recount()
        case 1 if places:
            attacks.swap_references(script, chance.choice(places), chance.choice(places))
        case 2:
            script.counts[chance.randint(0, last)] = near(chance, 1) % (1 << 35)
        case 3:
            cuts = [chance.randint(0, last + 1) for _ in range(chance.randint(0, 4))]
            script.frame_begins = [0, *sorted(cuts)]
            script.header["frames"] = len(cuts) + 1
        case _ if places:
            number, position = chance.choice(places)
            link = forge.Tree(script.entries).parent[chance.randint(1, last)] if last else None
            if link is not None:
                script.entries[link[0]][link[1]] = chance.randint(0, last)
            script.entries[number][position] = TREE
            script.recount()
    return forged.to_bytes()


def other_records(chance: random.Random, target: Target, scripts: list[list[RawFrame]]) -> bytes:
    header = target.honest.header()
    match chance.randrange(4):
        case 0:
            chance.shuffle(scripts)
        case 1:
            chance.shuffle(chance.choice(scripts))
        case 2:
            script = chance.choice(scripts)
            script.insert(0, copy.deepcopy(chance.choice(chance.choice(scripts))))
        case _:
            frame = chance.choice(chance.choice(scripts))
            name = chance.choice(("states", "entries", "references", "start_length", "checksum"))
            setattr(frame, name, near(chance, getattr(frame, name) or 0) % (1 << 32))
    return sealed(header, scripts)


def other_header(chance: random.Random, target: Target) -> bytes:
    header = copy.deepcopy(target.honest.header())
    temporal = header["temporal"]
    scripts = target.honest.frames()
    match chance.randrange(8):
        case 0 | 1:
            part = chance.choice(temporal["parts"])
            name = chance.choice(("rank", "states", "transitions", "references", "depth", "frames"))
            part[name] = near(chance, part[name])
        case 2:
            name = chance.choice(("fair", "progress", "terminates"))
            temporal[name] = not temporal[name]
        case 3:
            temporal["ltl"] = chance.choice(([], ["zero"], ["comes"], ["<> (x == 0)"]))
        case 4:
            order = [chance.randrange(len(temporal["parts"])) for _ in range(chance.randint(1, 3))]
            temporal["parts"] = [temporal["parts"][at] for at in order]
            if chance.random() < 0.7:
                scripts = [scripts[0], *(copy.deepcopy(scripts[1 + at]) for at in order)]
        case 5:
            part = chance.choice(temporal["parts"])
            part[chance.choice(("kind", "name", "text"))] = chance.choice(("ltl", "zero", "<> done", "never"))
        case 6:
            del header["temporal"]
            claim = forge.sentence(header)
            frames = [frame for script in scripts for frame in script]
            return forge.file_bytes(header | {"claim": claim}, frames, version=chance.choice((1, 2, 3)))
        case _:
            version = chance.choice((0, 1, 2, 4, 1 << 31))
            return sealed(header, scripts, version=version)
    return sealed(header, scripts)


# --- The campaign ----------------------------------------------------------------------------------------


class Campaign:
    """Lets `assay.certify` work in this process, with programs that were compiled and opened once."""

    def __init__(self, folder: Path) -> None:
        self.targets = [Target(*kind, folder) for kind in KINDS]
        self.file = folder / "mutation.assay"
        models = {target.program.opening.file: target.model for target in self.targets}
        self.stand_ins = (
            (sharing_out, "LocalProcesses", lambda *_, **__: InProcess()),
            (
                certification_program,
                "languages",
                SimpleNamespace(
                    load=self._load,
                    names_a_class=names_a_class,
                    AnotherText=AnotherText,
                    SUFFIXES=languages.SUFFIXES,
                ),
            ),
            (certification_task, "open_model", lambda opening, _key=b"": models[opening.file]),
        )
        for module, name, stand_in in self.stand_ins:
            setattr(module, name, stand_in)

    def _load(self, path: Path, options: LanguageOptions, sha256: str | None = None) -> Program:
        del sha256  # nothing is executed here
        options = dataclasses.replace(options, portable=False, readable=())
        for target in self.targets:
            if (target.path, target.options) == (path, options):
                return target.program
        raise SourceProblem("the program was not compiled like this", where=path)

    def run(self, mutations: int, seed: int) -> Report:
        chance = random.Random(seed)
        report = Report()
        for _ in range(mutations):
            target = chance.choice(self.targets)
            data = mutated(chance, target, self.targets)
            options = {"tasks": chance.choice((1, 2, 3)), "explain_rejection": chance.random() < 0.1}
            report.mutations += 1
            try:
                stage = self.one(target, data, options, report.mutations)
            except Exception:
                stage = "problem"
                report.problems.append((traceback.format_exc(limit=-4), data))
            report.stages[stage] += 1
        return report

    def one(self, target: Target, data: bytes, options: dict[str, Any], number: int) -> str:
        self.file.write_bytes(data)
        try:
            result = coordinator.certify(
                target.path, self.file, fair=True, ltl=target.options.ltl,
                memory_limit_bytes=WALK_MEMORY_BYTES, **options,
            )  # fmt: skip
        except OptionProblem:
            return "option"
        if result.verdict is Verdict.VERIFIED:
            require_true(data, target)
            with CertificateFile(self.file) as file:
                assert file.header.temporal is not None
            facts = Target.facts(data)
            assert facts == target.claim, "accepted with another claim"
            return "accepted: same bytes" if data == target.data else "accepted: as true"
        assert result.verdict is Verdict.REJECTED, f"{result.verdict}: {result.reasons}"
        (reason,) = result.reasons
        if number % ALSO_CHECKED == 0 and ": " in reason and result.states:
            try:
                require_true(data, target)
            except (Rejected, AssertionError, KeyError):
                pass
            else:
                if Target.facts(data) == target.claim:
                    raise AssertionError(f"rejected ({reason}), but the checker accepts")
        if not result.claim:
            return "file"
        if not result.states:
            return "claim or states"
        return "ranks" if "rank" in reason else "products" if "--explain" in reason else "walk"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mutations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Campaign(Path(folder)).run(arguments.mutations, arguments.seed)
    print(f"{report.mutations:,} mutations in {time.monotonic() - began:,.0f} s: {dict(report.stages)}")
    for what, data in report.problems[:5]:
        print(what, data[:200])
    return 1 if report.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
