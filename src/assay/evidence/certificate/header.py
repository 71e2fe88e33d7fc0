"""What a certificate claims: the header of the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

FORMAT = "assay-certificate"
CODING = "zstd"
TREES = ("breadth-first", "depth-first")
MAX_HEADER_BYTES = 1 << 20
MAX_STATES = 1 << 32
MAX_TRANSITIONS = 1 << 48
MAX_FRAMES = 1 << 16
SECTIONS = ("start", "bits", "ids", "counts", "subgraphs")
MAX_DICTIONARY_BYTES = 1 << 20


class CertificateProblem(Exception):
    """A certificate that cannot be accepted, in one sentence."""


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Properties:
    """What every reachable state and step was checked for."""

    assertions: bool = True
    deadlock: bool = True
    invariants: tuple[str, ...] = ()
    step_invariants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    program: str
    language: str
    sources: tuple[Source, ...]
    semantics: Mapping[str, object] = field(default_factory=dict)
    properties: Properties = field(default_factory=Properties)
    tree: str = "breadth-first"
    states: int
    transitions: int
    depth: int
    frames: int
    subgraphs: bool = False
    dictionaries: tuple[int, ...] = ()  # their lengths, one for each section; none at all for most files
    producer: Mapping[str, str] = field(default_factory=dict)

    @property
    def references(self) -> int:
        return self.transitions - (self.states - 1)

    @property
    def claim(self) -> str:
        """The claim in one sentence, made from the facts below it.

        At most: a script may visit one state under two numbers.
        """
        properties = self.properties
        checked = ["no assertion fails"] if properties.assertions else []
        if properties.deadlock:
            checked.append("no state is a deadlock")
        checked += [f"`{text}` holds in every state" for text in properties.invariants]
        checked += [f"`{text}` holds at every step" for text in properties.step_invariants]
        return (
            f"In every state that {self.program} ({self.language}) can reach (at most {self.states:,}, "
            f"with {self.transitions:,} transitions), {', '.join(checked) or 'nothing was checked'}."
        )

    def as_bytes(self) -> bytes:
        data = asdict(self)
        data |= {"format": FORMAT, "claim": self.claim, "references": self.references, "coding": CODING}
        return json.dumps(
            data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Header:
        """Refuses whatever is not exactly a header: it comes from a stranger."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise CertificateProblem("the header is not JSON") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise CertificateProblem("the header is not that of a certificate")
        if data.get("coding") != CODING:
            raise CertificateProblem(
                f"the coding {data.get('coding')!r} is not known; it may need a newer Assay"
            )
        header = cls(
            program=_text(data, "program"),
            language=_text(data, "language"),
            sources=tuple(
                Source(_text(source, "name"), _text(source, "sha256")) for source in _objects(data, "sources")
            ),
            semantics=_object(data, "semantics"),
            properties=_properties(_object(data, "properties")),
            tree=_text(data, "tree"),
            states=_count(data, "states", 1, MAX_STATES),
            transitions=_count(data, "transitions", 0, MAX_TRANSITIONS),
            depth=_count(data, "depth", 0, MAX_STATES),
            frames=_count(data, "frames", 1, MAX_FRAMES),
            subgraphs=_flag(data, "subgraphs"),
            dictionaries=_dictionaries(data),
            producer={name: _text(_object(data, "producer"), name) for name in ("tool", "version")},
        )
        if header.tree not in TREES:
            raise CertificateProblem(f"the header names another kind of tree than {' or '.join(TREES)}")
        if header.references < 0:
            raise CertificateProblem(
                f"{header.transitions:,} transitions cannot connect {header.states:,} states"
            )
        try:
            canonical = header.as_bytes()
        except (ValueError, RecursionError):  # half a character, not a number, nested without end
            canonical = b""
        if canonical != text:
            raise CertificateProblem(
                "the header is not in its canonical form, or its claim does not follow from its facts"
            )
        return header


def _properties(data: Mapping[str, Any]) -> Properties:
    if data.keys() != {"assertions", "deadlock", "invariants", "step_invariants"}:
        raise CertificateProblem("the header lists other properties than this version knows")
    return Properties(
        _flag(data, "assertions"),
        _flag(data, "deadlock"),
        _texts(data, "invariants"),
        _texts(data, "step_invariants"),
    )


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise CertificateProblem(f"the header has no text under {key!r}")
    return value


def _texts(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise CertificateProblem(f"the header has no list of texts under {key!r}")
    return tuple(value)


def _flag(data: Mapping[str, Any], key: str) -> bool:
    value = data.get(key)
    if not isinstance(value, bool):
        raise CertificateProblem(f"the header has no true or false under {key!r}")
    return value


def _count(data: Mapping[str, Any], key: str, low: int, below: int) -> int:
    value = data.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value < below:
        raise CertificateProblem(f"the header has no number from {low} to {below - 1:,} under {key!r}")
    return value


def _dictionaries(data: Mapping[str, Any]) -> tuple[int, ...]:
    value = data.get("dictionaries")
    if not isinstance(value, list) or len(value) not in {0, len(SECTIONS)}:
        raise CertificateProblem("the header has no list of the lengths of dictionaries")
    if not all(type(length) is int and 0 <= length <= MAX_DICTIONARY_BYTES for length in value):
        raise CertificateProblem(
            f"the header announces a dictionary whose length is no number up to {MAX_DICTIONARY_BYTES:,}"
        )
    if value and not any(value):
        raise CertificateProblem("the header announces dictionaries, and all are empty")
    return tuple(value)


def _object(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise CertificateProblem(f"the header has no object under {key!r}")
    return value


def _objects(data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise CertificateProblem(f"the header has no list of objects under {key!r}")
    return value
