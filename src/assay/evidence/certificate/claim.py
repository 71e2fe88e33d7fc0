"""What a producer asks to be certified, before the counts are known."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from assay.evidence.certificate.header import Header, Properties, Source
from assay.records import dataclass


def partial_name(path: Path, owner: str = "") -> Path:
    """A name for a file under construction that nobody else has who shares the directory.

    An `owner` that is the only one of its name gets the same one each time, and finds again what it left.
    """
    token = hashlib.sha256(owner.encode()).hexdigest()[:16] if owner else secrets.token_hex(8)
    return path.with_name(f".assay-{token}.partial")


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateRequest:
    """Where the certificate goes and how it is written."""

    path: Path
    coding: str = "fast"
    subgraphs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Everything in a header but the counts. Travels to the process that searches as JSON."""

    program: str
    language: str
    sources: tuple[Source, ...]
    semantics: Mapping[str, object] = field(default_factory=dict)
    properties: Properties = field(default_factory=Properties)
    tree: str
    version: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Claim:
        properties = data["properties"]
        return cls(
            program=data["program"],
            language=data["language"],
            sources=tuple(Source(**source) for source in data["sources"]),
            semantics=data["semantics"],
            properties=Properties(
                properties["assertions"],
                properties["deadlock"],
                tuple(properties["invariants"]),
                tuple(properties["step_invariants"]),
            ),
            tree=data["tree"],
            version=data["version"],
        )

    def with_counts(
        self, *, states: int, transitions: int, depth: int, frames: int, subgraphs: bool, moves: bool = False
    ) -> Header:
        return Header(
            program=self.program,
            language=self.language,
            sources=self.sources,
            semantics=self.semantics,
            properties=self.properties,
            tree=self.tree,
            states=states,
            transitions=transitions,
            depth=depth,
            frames=frames,
            subgraphs=subgraphs,
            moves=moves,
            producer={"tool": "assay", "version": self.version},
        )
