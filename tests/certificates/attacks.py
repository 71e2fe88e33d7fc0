"""Certificates of real programs, and the ways to forge their scripts.

    subject = Subject(path, options)
    forged = subject.honest(frames=3)
    hide_subtree(forged, 7, 2)          # state 7 and what is below it is never visited
    data = sealed(forged)               # counts, lengths, checksums, digest and claim are right again

A forger here is as careful as can be: whatever follows from the changed script is changed with it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from assay import languages
from assay._engine import CompiledModel
from assay.evidence.certificate.claim import Claim
from assay.transition_system.interface import Program
from assay.transition_system.language_options import LanguageOptions
from tests.certificates import graph_certificates as forge
from tests.certificates.graph_certificates import TREE, Certificate


@dataclass(frozen=True)
class Subject:
    """A program and how it is read. Opens its compiled code in this process."""

    path: Path
    options: LanguageOptions = field(default_factory=LanguageOptions)
    deadlock: bool = True

    @cached_property
    def program(self) -> Program:
        return languages.load(self.path, self.options)

    @cached_property
    def model(self) -> CompiledModel:
        return CompiledModel(self.program.opening.file)

    def honest(self, *, tree: str = "breadth-first", frames: int = 1, subgraphs: bool = False) -> Certificate:
        certificate = forge.certify(
            self.model,
            tree=tree,
            frames=frames,
            subgraphs=subgraphs,
            **forge.program_header(self.program, self.options, deadlock=self.deadlock),
        )
        certificate.header["claim"] = claim(certificate.header)
        return certificate


def claim(header: dict[str, Any]) -> str:
    """The sentence that a reader expects above these facts."""
    counts = {key: header[key] for key in ("states", "transitions", "depth", "frames", "subgraphs")}
    return Claim.from_json({**header, "version": ""}).with_counts(**counts).claim


def sealed(certificate: Certificate) -> bytes:
    certificate.header["claim"] = claim(certificate.header)
    return certificate.to_bytes()


# --- Forging scripts ------------------------------------------------------------------------------------


def subtree_end(entries: list[list[int]], number: int) -> int:
    """The number after the last state of a subtree."""
    left, end = 1, number
    while left:
        left += entries[end].count(TREE) - 1
        end += 1
    return end


def references(certificate: Certificate) -> list[tuple[int, int]]:
    """State and position of every entry that refers."""
    return [
        (number, position)
        for number, entries in enumerate(certificate.entries)
        for position, entry in enumerate(entries)
        if entry != TREE
    ]


def hide_subtree(certificate: Certificate, number: int, target: int) -> None:
    """Say that the step to a state leads to `target` instead, and leave out what is below it.

    `target` and all other numbers are those before the change. References into
    the subtree go to `target` as well, so that every number stays in range.
    """
    entries = certificate.entries
    link = forge.Tree(entries).parent[number]
    assert link is not None
    end = subtree_end(entries, number)
    assert not number <= target < end
    entries[link[0]][link[1]] = target
    kept = entries[:number] + entries[end:]

    def renumbered(entry: int) -> int:
        entry = target if number <= entry < end else entry
        return entry - (end - number) if entry >= end else entry

    certificate.entries = [[renumbered(entry) for entry in of_state] for of_state in kept]
    certificate.states = certificate.states[:number] + certificate.states[end:]
    certificate.recount()


def duplicate_subtree(certificate: Certificate, number: int, position: int) -> int:
    """Follow a reference and visit the subtree it leads to once more; answers how many states that takes."""
    entries = certificate.entries
    target = entries[number][position]
    copied = copy.deepcopy(entries[target : subtree_end(entries, target)])
    before = [at for at, entry in enumerate(entries[number]) if entry == TREE and at < position]
    children = forge.Tree(entries).targets[number]
    place = number + 1
    if before:
        last = children[before[-1]]
        assert last is not None
        place = subtree_end(entries, last)
    entries[number][position] = TREE
    entries[place:place] = copied
    certificate.entries = [
        [entry + len(copied) if entry != TREE and entry >= place else entry for entry in of_state]
        for of_state in entries
    ]
    certificate.recount()
    return len(copied)


def swap_references(certificate: Certificate, first: tuple[int, int], second: tuple[int, int]) -> None:
    entries = certificate.entries
    entries[first[0]][first[1]], entries[second[0]][second[1]] = (
        entries[second[0]][second[1]],
        entries[first[0]][first[1]],
    )
