"""A small producer of certificates with temporal parts, honest ones and forged ones.

    forged = Forgery.of(path, options)           # a script over the states, one with ranks for each property
    forged.parts[0].ranks[3] += 1                # say that another state has another rank
    data = forged.to_bytes()                     # whatever follows from it is right again

Written from docs/formats/certificate.md. Ranks are assigned by a plain reference, component by component.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import languages
from assay.automata.automaton import components
from assay.checker.temporal import Product, Step
from assay.transition_system.interface import Program, TemporalProperty
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import open_model
from tests.certificates import graph_certificates as forge
from tests.certificates.graph_certificates import TREE, Certificate, RawFrame, Tree, varint, zigzag


def is_met(step: Step, rank: int, sets: int) -> bool:
    return sets == 0 or rank % sets in step.is_in


def least_ranks(
    steps: Sequence[Sequence[Step]], targets: Sequence[Sequence[int]], sets: int
) -> list[int] | None:
    """The reference: the smallest rank for each component, sinks first. None: some cycle meets every set."""
    count = max(1, sets)
    held = [
        [(to, set(range(count)) if sets == 0 else set(step.is_in)) for to, step in zip(row, own, strict=True)
         if not step.is_free]
        for row, own in zip(targets, steps, strict=True)
    ]  # fmt: skip
    ranks = [0] * len(steps)
    for component in components([[to for to, _ in row] for row in held], range(len(held))):
        inside = set(component)
        met: set[int] = set()
        for state in component:
            for to, marks in held[state]:
                met |= marks if to in inside else set()
        if len(met) == count:
            return None
        rank = 0
        while rank % count in met or not all(
            ranks[to] <= rank - (rank % count in marks)
            for state in component
            for to, marks in held[state]
            if to not in inside
        ):
            rank += 1
        for state in component:
            ranks[state] = rank
    return ranks


def obeys(
    steps: Sequence[Sequence[Step]], targets: Sequence[Sequence[int]], sets: int, ranks: Sequence[int]
) -> bool:
    """Whether every step that is not free satisfies the one condition that ranks have."""
    return all(
        step.is_free or ranks[to] <= ranks[state] - is_met(step, ranks[state], sets)
        for state, own in enumerate(steps)
        for to, step in zip(targets[state], own, strict=True)
    )


@dataclass
class RankedScript:
    """A script with ranks that need not be true."""

    script: Certificate
    steps: list[list[Step]]
    sets: int
    ranks: list[int]
    facts: dict[str, Any] = field(default_factory=dict)  # kind, name, text
    beside: dict[tuple[int, int], int] = field(
        default_factory=dict
    )  # numbers written instead of the right ones

    @classmethod
    def of(
        cls, product: Product, ranks: Sequence[int] | None = None, *, frames: int = 1, **facts: Any
    ) -> RankedScript:
        script = forge.certify(product, frames=frames)
        steps = [product.steps(state) for state in script.states]
        made = cls(script, steps, product.sets, [], facts)
        found = least_ranks(steps, made.targets, product.sets) if ranks is None else list(ranks)
        made.ranks = [0] * len(steps) if found is None else found
        return made

    @property
    def targets(self) -> list[list[int]]:
        return [[to for to in row if to is not None] for row in Tree(self.script.entries).targets]

    def numbers(self) -> tuple[list[list[int]], list[list[int]]]:
        """Beside each entry, and the rank that a reader then gives its target. What climbs has no number."""
        targets, tree = Tree(self.script.entries).targets, self.script.entries
        own = [self.ranks[0], *[0] * (len(tree) - 1)]
        beside: list[list[int]] = []
        read: list[list[int]] = []
        for state, row in enumerate(targets):
            beside.append([])
            read.append([])
            for position, to in enumerate(row):
                step = self.steps[state][position] if position < len(self.steps[state]) else self.steps[0][0]
                wanted = 0 if to is None or to >= len(self.ranks) else self.ranks[to]
                falls = 0 if step.is_free else int(is_met(step, own[state], self.sets))
                number = zigzag(own[state] - wanted) if step.is_free else max(0, own[state] - falls - wanted)
                number = self.beside.get((state, position), number)
                fall = (
                    (number >> 1 if number % 2 == 0 else -(number + 1 >> 1))
                    if step.is_free
                    else number + falls
                )
                beside[-1].append(number)
                read[-1].append(max(0, own[state] - fall))
                if tree[state][position] == TREE and to is not None:
                    own[to] = read[-1][-1]
        return beside, read

    def start(self, number: int, read: Sequence[Sequence[int]]) -> bytes:
        tree = Tree(self.script.entries)
        path = tree.ancestors(number)
        encoded = varint(len(path))
        rank = self.ranks[0]
        for ancestor, position in path:
            entries = self.script.entries[ancestor]
            later = [at for at, entry in enumerate(entries) if entry == TREE and at > position]
            fall = [zigzag(rank - after) for after in read[ancestor]]
            encoded += varint(position) + varint(fall[position]) + varint(len(later))
            for previous, at in zip([position, *later], later, strict=False):
                encoded += varint(at - previous - 1) + varint(fall[at])
            rank = read[ancestor][position]
        return encoded

    def raw_frames(self) -> list[RawFrame]:
        beside, read = self.numbers()
        frames = self.script.raw_frames()
        ends = [*self.script.frame_begins[1:], len(self.script.entries)]
        for frame, begin, end in zip(frames, self.script.frame_begins, ends, strict=True):
            frame.start = self.start(begin, read)
            frame.ids = b""
            frame.subgraphs = b"".join(varint(number) for row in beside[begin:end] for number in row)
        return frames

    def header(self) -> dict[str, Any]:
        counts = {
            name: self.script.header[name]
            for name in ("states", "transitions", "references", "depth", "frames")
        }
        return {"dictionaries": [], "rank": self.ranks[0], **self.facts, **counts}


def fair_processes(program: Program, wanted: TemporalProperty, options: LanguageOptions) -> int:
    return program.process_limit if options.fair or wanted.always_fair else 0


@dataclass
class Forgery:
    """A certificate of a program with temporal parts."""

    states: Certificate
    parts: list[RankedScript]
    asked: dict[str, Any]

    @classmethod
    def of(cls, path: Path, options: LanguageOptions, *, frames: int = 1) -> Forgery:
        program = languages.load(path, options)
        model = open_model(program.opening)
        states = forge.certify(model, frames=frames, **forge.program_header(program, options))
        parts = [
            RankedScript.of(
                Product(model, wanted, processes=fair_processes(program, wanted, options), has_root=False),
                frames=frames, kind=wanted.kind, name=wanted.name, text=wanted.text,
            )
            for wanted in program.temporal
        ]  # fmt: skip
        asked = {name: getattr(options, name) for name in ("progress", "fair", "terminates")}
        asked["ltl"] = list(options.ltl)
        return cls(states, parts, asked)

    def header(self) -> dict[str, Any]:
        header = self.states.header | {
            "temporal": self.asked | {"parts": [part.header() for part in self.parts]}
        }
        return header | {"claim": claim(header)}

    def frames(self) -> list[list[RawFrame]]:
        return [self.states.raw_frames(), *(part.raw_frames() for part in self.parts)]

    def to_bytes(self) -> bytes:
        return sealed(self.header(), self.frames())


def claim(header: dict[str, Any]) -> str:
    said = forge.sentence(header)
    temporal = header["temporal"]
    parts = []
    for part in temporal["parts"]:
        if part["kind"] == "termination":
            parts.append("it comes to its end if it is weakly fair to each process")
            continue
        title = forge.quoted(f"{part['name']}: {part['text']}" if part["name"] else part["text"])
        parts.append(
            f"no {title}" if part["kind"] in ("acceptance", "progress") else f"{part['kind']} {title} holds"
        )
    fair = " that is weakly fair to each process" if temporal["fair"] else ""
    return f"{said} On every run{fair}, {', '.join(parts)}."


def sealed(header: dict[str, Any], frames: Sequence[Sequence[RawFrame]], *, version: int = 3) -> bytes:
    """The file, with a claim that follows from the header."""
    return forge.file_bytes(
        header | {"claim": claim(header)}, [frame for script in frames for frame in script], version=version
    )
