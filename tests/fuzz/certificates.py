"""Throw forged certificates at the certifier: it accepts what is true, and refuses the rest with a sentence.

    python -m tests.fuzz.certificates --mutations 100000 --seed 1

Certificates of five small programs are changed in three ways: as bytes, as bytes whose checksums and
digest are made right again, and as scripts, sections, records and headers that are written anew. Each
is put before `assay.certify`, which works in this process. What a mutation must not do:

- be accepted unless the independent checker accepts it too, with a table of all states in place of its
  products, and it visits every reachable state under the original's claim;
- raise anything but a rejection, or kill the process;
- walk further than its header says.

Mutations run in child processes with a limit of memory and time; a child's death is a finding.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import dataclasses
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assay import _engine
from assay.certification import coordinator, sharing_out
from assay.certification import program as certification_program
from assay.certification import task as certification_task
from assay.certification.result import CertificationResult
from assay.checker.container import Rejected, read_container
from assay.checker.walk import Walk
from assay.distribution.in_process import InProcess
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import Header
from assay.evidence.signature import SignatureProblem, generate_keys, sign, verify
from assay.evidence.verdict import Verdict
from assay.languages import SUFFIXES, AnotherText, names_a_class
from assay.transition_system.interface import Program, SourceProblem
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from tests.certificates import attacks
from tests.certificates import graph_certificates as forge
from tests.certificates.graph_certificates import SECTIONS, TREE, RawFrame

ROOT = Path(__file__).resolve().parents[2]
REDUCTIONS = frozenset({"dead-variables", "merging", "partial-order"})
MEMORY_BYTES = 1 << 30  # of a child, beyond what it has when it starts
WALK_MEMORY_BYTES = 64 << 20
BATCH = 5_000
BATCH_SECONDS = 300
EXPLAINED = 0.1  # so many are explained, and walked with a map of states too
ALSO_CHECKED = 25  # one rejection in so many is put before the independent checker too
NUMBERS = (0, 1, 2, 3, 127, 128, 255, 1 << 16, 1 << 22, (1 << 22) + 1, 1 << 23, 1 << 28, (1 << 31) - 1,
           (1 << 32) - 1, 1 << 32, 1 << 48, (1 << 63) - 1, 1 << 63, 1 << 64, -1)  # fmt: skip

COUNTERS = """
byte x, y, turn;
active proctype P() { byte i; do :: i < 2 -> x++; i++ :: i == 2 -> break od; assert(x <= 2); turn = 1 }
active proctype Q() { do :: y < 2 -> y++ :: x > 0 -> x-- :: turn == 1 -> break od }
"""
RENDEZVOUS = """
mtype = { ask, grant, done };
chan wire = [0] of { mtype, byte }; chan box = [2] of { byte };
byte served;
active proctype Server() {
  byte who;
end: do :: wire?ask(who) -> atomic { wire!grant(who); box!who } :: box?who -> served = served | who od }
active [2] proctype Client() {
  byte mine;
  wire!ask(_pid); atomic { wire?grant(mine); mine = mine + 1 }; (served > 0); d_step { mine = 0; skip } }
"""
LOCK = """
bool want[2]; byte inside;
active [2] proctype P() {
  byte tries;
  do :: tries < 2 -> atomic { inside == 0 -> inside++ }; want[_pid] = true; assert(inside == 1);
        want[_pid] = false; inside--; tries++
     :: tries == 2 -> break
  od }
"""


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    text: str
    options: LanguageOptions
    tree: str
    frames: int
    subgraphs: bool


KINDS = (
    Kind("counters", COUNTERS, LanguageOptions(), "breadth-first", 3, False),
    Kind("counters_small", COUNTERS, LanguageOptions(reductions=REDUCTIONS), "depth-first", 2, False),
    Kind(
        "rendezvous",
        RENDEZVOUS,
        LanguageOptions(invariants=("served < 8",), step_invariants=("next.served >= served",)),
        "breadth-first",
        4,
        False,
    ),
    Kind("lock", LOCK, LanguageOptions(reductions=REDUCTIONS), "depth-first", 3, True),
    Kind("peterson", (ROOT / "examples" / "peterson.pml").read_text(), LanguageOptions(),
         "depth-first", 1, True),
)  # fmt: skip


# --- One certificate and what it may become --------------------------------------------------------------


class Remembered:
    """A model whose answers are kept: every mutation asks the same questions."""

    def __init__(self, model: _engine.Model) -> None:
        self._model = model
        self._kept: dict[tuple[Any, ...], Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def asked(*arguments: Any) -> Any:
            question = (name, *arguments)
            if question not in self._kept:
                self._kept[question] = getattr(self._model, name)(*arguments)
            return self._kept[question]

        return asked


class Target:
    """One program with its honest certificate, whole and in parts that are cheap to put together again."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind = kind
        path = folder / f"{kind.name}.pml"
        path.write_text(kind.text)
        self.subject = attacks.Subject(path, kind.options)
        self.model = self.subject.model
        self.remembered = Remembered(self.model)
        self.honest = self.subject.honest(tree=kind.tree, frames=kind.frames, subgraphs=kind.subgraphs)
        self.frames = self.honest.raw_frames()
        for frame in self.frames:
            frame.compressed = {name: forge.compress(getattr(frame, name)) for name in SECTIONS}
        self.header = forge.header_bytes(self.honest.header)
        self.facts = dataclasses.asdict(Header.from_bytes(self.header))
        self.data = forge.file_bytes(self.header, self.frames)
        self.reachable = set(self.honest.states)
        self.script = exact_script(self.data, self.remembered)

    def copied_frames(self) -> list[RawFrame]:
        return [dataclasses.replace(frame, compressed=dict(frame.compressed)) for frame in self.frames]


@dataclasses.dataclass
class Table:
    """In the place of a checker's products: the definition of a right script, word by word."""

    referred: list[tuple[int, bytes]] = dataclasses.field(default_factory=list)
    visited: list[tuple[bytes, int]] = dataclasses.field(default_factory=list)

    def refer(self, number: int, state: bytes, _rank: int) -> None:
        self.referred.append((number, state))

    def visit(self, number: int, state: bytes, _rank: int, count: int) -> None:
        assert number == len(self.visited)
        self.visited.append((state, count))

    def holds(self) -> bool:
        found = Counter(number for number, _ in self.referred)
        return all(self.visited[number][0] == state for number, state in self.referred) and all(
            found[number] == count for number, (_, count) in enumerate(self.visited)
        )


def exact_script(data: bytes, model: Any) -> Table:
    """What the independent checker reads in a certificate. Raises `Rejected`."""
    container = read_container(data)
    table = Table()
    walk = Walk(container.header, model, str)
    walk._check = table
    for number, frame in enumerate(container.frames):
        walk.frame(frame, f"frame {number}")
    walk.finish()
    return table


def without_subgraphs(file: Path) -> bytes:
    """The same certificate without its fifth sections."""
    with CertificateFile(file) as certificate:
        header = json.loads(certificate.header.as_bytes())
        frames = [
            RawFrame(
                frame.states,
                frame.entries,
                frame.references,
                frame.start,
                frame.bits,
                frame.ids,
                frame.counts,
            )
            for frame in certificate.frames()
        ]
    return forge.file_bytes(header | {"subgraphs": False}, frames)


# --- Mutations -------------------------------------------------------------------------------------------


def mutated_bytes(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 1, 2, 4))):
        place = chance.randrange(len(changed) + 1)
        length = chance.choice((1, 1, 2, 4, 8, 40))
        match chance.randrange(9):
            case 0 | 1 | 2 if place < len(changed):
                changed[place] ^= 1 << chance.randrange(8)
            case 3 if place < len(changed):
                changed[place] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            case 4:
                changed[place:place] = chance.randbytes(length)
            case 5:
                del changed[place : place + length]
            case 6:
                changed[place:place] = changed[place : place + length]
            case 7:
                other = chance.choice(others)
                begin = chance.randrange(len(other))
                changed[place : place + length] = other[begin : begin + length]
            case _:
                del changed[place if chance.random() < 0.5 else len(changed) - length :]
    return bytes(changed)


def raw(chance: random.Random, target: Target, targets: Sequence[Target]) -> bytes:
    return mutated_bytes(chance, target.data, [other.data for other in targets])


def raw_and_sealed(chance: random.Random, target: Target, targets: Sequence[Target]) -> bytes:
    """Damage in the compressed sections, the header's text, the index or anywhere, with right digests."""
    others = [other.data for other in targets]
    match chance.randrange(8):
        case 0:
            return forge.with_right_digest(raw(chance, target, targets))
        case 1:
            header = mutated_bytes(chance, target.header, [other.header for other in targets])
            return forge.file_bytes(header, target.frames)
        case 2:
            begin = len(target.data) - 48 - 40 * len(target.frames)
            index = mutated_bytes(chance, target.data[begin:-48], others)
            return forge.file_bytes(target.header, target.frames, index=index)
        case _:
            frames = target.copied_frames()
            frame = chance.choice(frames)
            name = chance.choice(SECTIONS)
            frame.compressed[name] = mutated_bytes(chance, frame.compressed[name], others)
            return forge.file_bytes(target.header, frames)


def other_sections(chance: random.Random, target: Target, targets: Sequence[Target]) -> bytes:
    frames = target.copied_frames()
    for _ in range(chance.choice((1, 1, 2))):
        frame = chance.choice(frames)
        name = chance.choice(SECTIONS)
        content = getattr(frame, name)
        if chance.random() < 0.7 and content:
            # One number or bit, so that the lengths stay and the walk is reached.
            at = chance.randrange(len(content))
            value = content[at] ^ (1 << chance.randrange(8)) if name == "bits" else chance.randrange(128)
            content = content[:at] + bytes([value]) + content[at + 1 :]
        else:
            others = [getattr(chance.choice(other.frames), name) or b"\0" for other in targets]
            content = mutated_bytes(chance, content, others)
        setattr(frame, name, content)
        frame.compressed.pop(name, None)
    if chance.random() < 0.3:
        moved_count(chance, frames)
    return forge.file_bytes(target.header, frames)


def moved_count(chance: random.Random, frames: Sequence[RawFrame]) -> None:
    """One reference less claimed here and one more there: all sums stay right."""
    places = [(frame, at) for frame in frames for at, count in enumerate(frame.counts) if 0 < count < 127]
    if not places:
        return
    frame, at = chance.choice(places)
    other = chance.choice([frame for frame in frames if frame.counts])
    for changed, place, change in ((frame, at, -1), (other, chance.randrange(len(other.counts)), 1)):
        counts = bytearray(changed.counts)
        counts[place] = (counts[place] + change) % 128
        changed.counts = bytes(counts)
        changed.compressed.pop("counts", None)


def other_records(chance: random.Random, target: Target, _: Sequence[Target]) -> bytes:
    frames = target.copied_frames()
    header = dict(target.honest.header)
    match chance.randrange(6):
        case 0:
            chance.shuffle(frames)
        case 1:
            del frames[chance.randrange(len(frames))]
        case 2:
            frames.insert(chance.randrange(len(frames) + 1), copy.deepcopy(chance.choice(frames)))
        case 3:
            frames.insert(chance.randrange(len(frames) + 1), RawFrame(0, 0, 0, b"\0", b"", b"", b""))
        case _:
            frame = chance.choice(frames)
            name = chance.choice(("states", "entries", "references", "start_length", "checksum"))
            number = near(chance, getattr(frame, name) or 0) % (1 << 32)
            setattr(frame, name, number)
            if chance.random() < 0.5 and name in {"states", "entries"}:
                totals = {key: sum(getattr(frame, key) for frame in frames) for key in ("states", "entries")}
                header |= {"states": totals["states"], "transitions": totals["entries"]}
    if chance.random() < 0.8:
        header["frames"] = len(frames)
    header["references"] = header["transitions"] - (header["states"] - 1)
    header["claim"] = attacks.claim(header)
    return forge.file_bytes(header, frames)


def near(chance: random.Random, number: int) -> int:
    return chance.choice((number + 1, number - 1, 2 * number, chance.choice(NUMBERS)))


def other_header(chance: random.Random, target: Target, _: Sequence[Target]) -> bytes:
    header = copy.deepcopy(target.honest.header)
    match chance.randrange(8):
        case 0 | 1 | 2:
            name = chance.choice(("states", "transitions", "references", "depth", "frames"))
            header[name] = near(chance, header[name])
        case 3:
            name = chance.choice(("assertions", "deadlock"))
            header["properties"][name] = not header["properties"][name]
        case 4:
            name = chance.choice(("invariants", "step_invariants"))
            header["properties"][name] = chance.choice(([], ["1"], header["properties"][name] * 2))
        case 5:
            source = chance.choice(header["sources"])
            source[chance.choice(("name", "sha256"))] = chance.choice(("", "a", "00" * 32))
        case 6:
            name = chance.choice(sorted(header["semantics"]))
            header["semantics"][name] = chance.choice(
                (None, 0, 0.0, 1, 1.0, [], ["merging"], "", {}, not header["semantics"][name])
            )
        case _:
            name = chance.choice(sorted(header))
            header[name] = chance.choice((None, 0, True, "", [], {}, "promela", "depth-first"))
    with contextlib.suppress(Exception):  # of some facts no sentence can be made
        header["claim"] = attacks.claim(header)
    return forge.file_bytes(header, target.frames)


def other_script(chance: random.Random, target: Target, _: Sequence[Target]) -> bytes:
    """Another script, written by a forger who keeps everything consistent, or nearly."""
    forged = dataclasses.replace(
        target.honest, entries=[list(entries) for entries in target.honest.entries],
        counts=list(target.honest.counts), frame_begins=list(target.honest.frame_begins),
        header=dict(target.honest.header), states=list(target.honest.states),
    )  # fmt: skip
    last = len(forged.entries) - 1
    places = attacks.references(forged)
    number, position = chance.choice(places)
    match chance.randrange(9):
        case 0:
            forged.entries[number][position] = chance.randint(0, last)
            forged.recount()
        case 1:
            attacks.swap_references(forged, (number, position), chance.choice(places))
        case 2:
            state = chance.randint(1, last)
            outside = set(range(last + 1)) - set(range(state, attacks.subtree_end(forged.entries, state)))
            attacks.hide_subtree(forged, state, chance.choice(sorted(outside)))
        case 3:
            small = min(
                chance.choices(places, k=8),
                key=lambda place: (
                    attacks.subtree_end(forged.entries, forged.entries[place[0]][place[1]])
                    - forged.entries[place[0]][place[1]]
                ),
            )
            attacks.duplicate_subtree(forged, *small)
        case 4:
            link = forge.Tree(forged.entries).parent[chance.randint(1, last)]
            assert link is not None
            forged.entries[link[0]][link[1]] = chance.randint(0, last)
            forged.entries[number][position] = TREE
            forged.recount()
        case 5:
            forged.entries.pop()
            forged.recount()
        case 6:
            cuts = [chance.randint(0, last + 1) for _ in range(chance.randint(0, 5))]
            forged.frame_begins = [0, *sorted(cuts)]
            forged.header["frames"] = len(cuts) + 1
        case 7:
            state = chance.randint(0, last)
            forged.entries[state].append(chance.choice((TREE, chance.randint(0, last))))
            forged.recount()
        case _:
            forged.counts[chance.randint(0, last)] = near(chance, 1) % (1 << 35)
    forged.header["references"] = forged.header["transitions"] - (forged.header["states"] - 1)
    return attacks.sealed(forged)


Mutator = Callable[[random.Random, Target, Sequence[Target]], bytes]
MUTATORS: tuple[tuple[Mutator, int], ...] = (
    (raw, 10),
    (raw_and_sealed, 25),
    (other_sections, 41),
    (other_records, 8),
    (other_header, 8),
    (other_script, 8),
)


# --- Judging ---------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Report:
    mutations: int = 0
    seconds: float = 0.0
    stages: Counter[str] = dataclasses.field(default_factory=Counter)
    problems: list[tuple[str, bytes]] = dataclasses.field(default_factory=list)  # what happened, the file

    def add(self, other: Report) -> None:
        self.mutations += other.mutations
        self.stages += other.stages
        self.problems += other.problems


class WatchedEngine:
    """The engine as a task knows it; keeps the walks, so that their lengths can be asked for."""

    Walk = _engine.Walk
    Rejected = _engine.Rejected

    CompiledModel = _engine.CompiledModel
    PythonSystem = _engine.PythonSystem
    PythonMachine = _engine.PythonMachine
    Product = _engine.Product
    AssumptionFailed = _engine.AssumptionFailed
    UnsupportedProgram = _engine.UnsupportedProgram

    def __init__(self) -> None:
        self.walks: list[_engine.Walk] = []
        self.total_states = 0

    def walk(self, *arguments: Any, **options: Any) -> _engine.Walk:
        self.total_states = options["total_states"]
        self.walks.append(_engine.walk(*arguments, **options))
        return self.walks[-1]


class Campaign:
    """Lets `assay.certify` work in this process, with programs that were compiled and opened once."""

    def __init__(self, folder: Path) -> None:
        self.targets = [Target(kind, folder) for kind in KINDS]
        self.file = folder / "mutation.assay"
        self.engine = WatchedEngine()
        self.models = {target.subject.program.opening.file: target.model for target in self.targets}
        for module, name, stand_in in (
            (sharing_out, "LocalProcesses", lambda *_, **__: InProcess()),
            (
                certification_program,
                "languages",
                SimpleNamespace(
                    load=self._load, names_a_class=names_a_class, AnotherText=AnotherText, SUFFIXES=SUFFIXES
                ),
            ),
            (certification_task, "_engine", self.engine),
            (certification_task, "open_model", lambda opening, _key=b"": self.models[opening.file]),
        ):
            setattr(module, name, stand_in)

    def _load(self, path: Path, options: LanguageOptions, sha256: str | None = None) -> Program:
        del sha256  # nothing is executed here
        options = dataclasses.replace(options, portable=False, readable=())
        for target in self.targets:
            if (target.subject.path, target.subject.options) == (path, options):
                return target.subject.program
        raise SourceProblem("the program was not compiled like this", where=path)

    def run(self, mutations: int, seed: int) -> Report:
        chance = random.Random(seed)
        mutators, weights = zip(*MUTATORS, strict=True)
        report = Report()
        for _ in range(mutations):
            target = chance.choice(self.targets)
            mutate = chance.choices(mutators, weights)[0]
            tasks = chance.choice((1, 2, 3, 8))
            options = {
                "tasks": tasks,
                "partition": "subgraphs" if tasks > 1 and target.kind.subgraphs else "intervals",
                "explain_rejection": chance.random() < EXPLAINED,
            }
            self.one(report, target, mutate(chance, target, self.targets), options)
        return report

    def one(self, report: Report, target: Target, data: bytes, options: dict[str, Any]) -> None:
        report.mutations += 1
        self.file.write_bytes(data)  # also what is left to look at if this process dies
        try:
            stage = self.stage(target, options)
            if stage in {"accepted", "products"} and options["explain_rejection"]:
                self.require_the_same_by_a_map(target, stage)
        except Exception:
            stage = "problem"
            report.problems.append((traceback.format_exc(limit=-4), data))
        if stage == "accepted":
            stage = self.accepted_as(report, target, data)
        elif report.mutations % ALSO_CHECKED == 0:
            self.require_rejection(report, target, data, stage)
        report.stages[stage] += 1

    def stage(self, target: Target, options: dict[str, Any]) -> str:
        """Where the certificate is rejected, or "accepted"."""
        self.engine.walks.clear()
        try:
            result = coordinator.certify(
                target.subject.path, self.file, memory_limit_bytes=WALK_MEMORY_BYTES, **options
            )
        except OptionProblem:  # there is no list of subgraphs any more
            return "claim"
        finally:
            self.require_short_walks()
        return stage_of(result)

    def require_the_same_by_a_map(self, target: Target, stage: str) -> None:
        for drop_after_last in (False, True):
            found = self.stage(target, {"mode": "explained", "drop_after_last": drop_after_last})
            if found != stage:
                raise AssertionError(f"{stage} without a map of states, {found} with one")

    def require_short_walks(self) -> None:
        walked = sum(walk.facts().states for walk in self.engine.walks)
        if walked > 2 * self.engine.total_states:  # a rejection is explained by a second walk
            raise AssertionError(f"{walked} states were walked, the header has {self.engine.total_states}")

    def accepted_as(self, report: Report, target: Target, data: bytes) -> str:
        """Why this acceptance is right; otherwise it is a problem."""
        if data == target.data:
            return "accepted: same bytes"
        try:
            script = exact_script(data, target.remembered)
        except Rejected as reason:
            if "subgraphs" in str(reason):
                # Not read by a walk, and no part of the claim: the rest must be true all the same.
                return self.accepted_as(report, target, without_subgraphs(self.file)) + ", wrong subgraphs"
            report.problems.append((f"accepted, but the checker says: {reason}", data))
            return "problem"
        with CertificateFile(self.file) as file:
            facts, honest = dataclasses.asdict(file.header), target.facts
        # Who made it and how it is cut are no part of the claim; of the tree, any will do.
        changed = {name for name in facts if facts[name] != honest[name]} - {"producer", "tree", "frames"}
        if {state for state, _ in script.visited} != target.reachable:
            report.problems.append(("accepted, but not every state is visited", data))
            return "problem"
        if script == target.script:
            if changed:
                report.problems.append((f"accepted with another header: {sorted(changed)}", data))
                return "problem"
            return "accepted: same script"
        if changed - {"states", "transitions", "depth"}:
            report.problems.append((f"accepted with another claim: {sorted(changed)}", data))
            return "problem"
        return "accepted: another script, as true"

    def require_rejection(self, report: Report, target: Target, data: bytes, stage: str) -> None:
        try:
            exact_script(data, target.remembered)
        except Rejected:
            return
        except Exception:
            report.problems.append((traceback.format_exc(limit=-4), data))
        else:
            if stage not in {"claim", "header"}:  # these read more than the script
                report.problems.append((f"rejected ({stage}), but the checker accepts", data))


def stage_of(result: CertificationResult) -> str:
    if result.verdict is Verdict.VERIFIED:
        return "accepted"
    (reason,) = result.reasons
    if result.verdict is not Verdict.REJECTED or result.violations:
        raise AssertionError(f"{result.verdict}: {reason}")

    def speaks_of(*words: str) -> bool:
        return any(word in reason for word in words)

    if not result.claim:
        of_header = speaks_of("header has", "header is", "header lists", "coding", "cannot connect")
        return "header" if of_header else "container"
    if result.states:
        return "products" if speaks_of("--explain", "leads to", "is said to") else "judgement"
    if not reason.startswith(("frame ", "region ")):
        return "regions" if speaks_of("subgraphs", "subtree") else "claim"
    if speaks_of("decompress", "section", "checksum"):
        return "sections"
    return "start" if speaks_of("start", "path") else "walk"


# --- Envelopes -------------------------------------------------------------------------------------------


def envelopes(mutations: int, seed: int, folder: Path) -> Report:
    """Changed signature envelopes: accepted only if statement and signature are the original's."""
    chance = random.Random(seed)
    certificate = folder / "signed.assay"
    keys = folder / f"key-{seed}", folder / f"key-{seed}.pub"
    kind = Kind("signed", COUNTERS, LanguageOptions(), "breadth-first", 1, False)
    certificate.write_bytes(Target(kind, folder).data)
    generate_keys(*keys)
    honest = folder / "signed.assay.sig"
    sign(certificate, keys[0], honest)
    envelope = json.loads(honest.read_bytes())
    report = Report()
    for _ in range(mutations):
        forged = mutated_envelope(chance, envelope, honest.read_bytes())
        path = folder / "forged.sig"
        path.write_bytes(forged)
        report.mutations += 1
        try:
            with CertificateFile(certificate) as file:
                verify(file, path, [keys[1]])
        except SignatureProblem:
            report.stages["envelope rejected"] += 1
        except Exception:
            report.stages["problem"] += 1
            report.problems.append((traceback.format_exc(limit=-4), forged))
        else:
            found = json.loads(forged)
            same = found["payload"].rstrip("=") == envelope["payload"].rstrip("=")
            report.stages["envelope accepted" if same else "problem"] += 1
            if not same:
                report.problems.append(("accepted with another statement", forged))
    return report


def mutated_envelope(chance: random.Random, envelope: dict[str, Any], text: bytes) -> bytes:
    if chance.random() < 0.5:
        return mutated_bytes(chance, text, [text])
    forged = copy.deepcopy(envelope)
    holder, key = chance.choice([(forged, name) for name in forged] + [(forged["signatures"][0], "sig"),
                                 (forged["signatures"][0], "keyid")])  # fmt: skip
    value = holder[key]
    if isinstance(value, str) and chance.random() < 0.6:
        at = chance.randrange(len(value))
        holder[key] = value[:at] + chance.choice("Aa0+/=-_ é") + value[at + 1 :]
    else:
        holder[key] = chance.choice(
            (None, 0, "", "AAAA", [], {}, [value], [[]], value * 2, [{"sig": "AAAA"}])
        )
    return json.dumps(forged).encode()


# --- The campaign ----------------------------------------------------------------------------------------


def batch(mutations: int, seed: int, folder: Path) -> Report:
    """In this very process, with its memory limited from now on."""
    campaign = Campaign(folder)
    with Path("/proc/self/statm").open() as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES,) * 2)
    report = campaign.run(mutations, seed)
    report.add(envelopes(mutations // 20, seed, folder))
    return report


def campaign(mutations: int, seed: int, *, progress: Callable[[Report], None] | None = None) -> Report:
    """Batches in child processes, one after another."""
    total = Report()
    begin = time.perf_counter()
    for number in range(-(-mutations // BATCH)):
        count = min(BATCH, mutations - number * BATCH)
        total.add(_in_child(count, seed * 1_000_003 + number))
        total.seconds = time.perf_counter() - begin
        if progress is not None:
            progress(total)
    return total


def _in_child(mutations: int, seed: int) -> Report:
    report = Report()
    with tempfile.TemporaryDirectory(prefix="assay-fuzz-", dir=_fast_folder()) as name:
        folder = Path(name)
        command = [sys.executable, "-m", "tests.fuzz.certificates", "--batch", name]
        command += ["--mutations", str(mutations), "--seed", str(seed)]
        try:
            child = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, timeout=BATCH_SECONDS, check=False
            )
            died = "" if child.returncode == 0 else f"exit code {child.returncode}: {child.stderr[-2000:]}"
        except subprocess.TimeoutExpired:
            died = f"took longer than {BATCH_SECONDS} seconds"
        if died:
            last = folder / "mutation.assay"
            data = last.read_bytes() if last.exists() else b""
            report.problems.append((f"batch {seed} died, {died}", data))
            return report
        found = json.loads(child.stdout)
        report.mutations, report.stages = found["mutations"], Counter(found["stages"])
        report.problems = [(what, bytes.fromhex(data)) for what, data in found["problems"]]
    return report


def _fast_folder() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutations", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", type=Path, default=Path(tempfile.gettempdir(), "assay-fuzz"), help="folder for findings"
    )
    parser.add_argument("--batch", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.batch is not None:
        report = batch(options.mutations, options.seed, options.batch)
        problems = [(what, data.hex()) for what, data in report.problems[:50]]
        print(json.dumps({"mutations": report.mutations, "stages": report.stages, "problems": problems}))
        return 0

    def show(report: Report) -> None:
        rate = report.mutations / report.seconds
        print(
            f"{report.mutations:>9,} mutations  {rate:,.0f}/s  {len(report.problems)} problems",
            file=sys.stderr,
        )

    report = campaign(options.mutations, options.seed, progress=show)
    for number, (what, data) in enumerate(report.problems):
        options.keep.mkdir(parents=True, exist_ok=True)
        file = options.keep / f"{options.seed}-{number}.assay"
        file.write_bytes(data)
        if number < 20:
            print(f"--- {file}: {what}")
    for stage, count in sorted(report.stages.items()):
        print(f"{count:>9,}  {stage}")
    rate = report.mutations / report.seconds
    print(f"{report.mutations:,} mutations, {report.seconds:.1f} s, {rate:,.0f} mutations/s,"
          f" {len(report.problems)} problems")  # fmt: skip
    return 1 if report.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
