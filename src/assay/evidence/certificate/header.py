"""What a certificate claims: the header of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any, NoReturn

from assay.evidence.certificate import PYTHON_CLASS
from assay.records import dataclass

FORMAT = "assay-certificate"
CODING = "zstd"
TREES = ("breadth-first", "depth-first")
MAX_HEADER_BYTES = 1 << 20
MAX_STATES = 1 << 32
MAX_TRANSITIONS = 1 << 48
MAX_FRAMES = 1 << 16
SECTIONS = ("start", "bits", "ids", "counts", "subgraphs")
MOVING_SECTIONS = ("start", "bits", "ids", "counts", "moves")  # where the header announces moves
RANKED_SECTIONS = ("start", "bits", "ids", "counts", "excesses")  # of a temporal part
MAX_RANK = 1 << 31
TERMINATION = "termination"  # the kind that is about fair runs, whether or not the others are
ABSENT = frozenset({"acceptance", "progress"})  # kinds whose text names what there is none of
MAX_DICTIONARY_BYTES = 1 << 20
MOST_DICTIONARY_BYTES = 1 << 26  # of all scripts together
MAX_PROPERTIES = 1_000
MAX_PROPERTY_CHARACTERS = 4_096
_PLAIN_TEXT = re.compile(r"[ -_a-~]+\Z")  # printable ASCII, without the mark that stands around it
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+:-]+\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class CertificateProblem(Exception):
    """A certificate that cannot be accepted, in one sentence."""


def shown_text(text: str) -> str:
    """A stranger's text inside of a sentence: where it begins and ends, nobody can mistake."""
    return f"`{text}`" if _PLAIN_TEXT.match(text) else json.dumps(text)


def shown_name(name: str) -> str:
    """A name as it is if it cannot be taken for anything else, and otherwise quoted and escaped."""
    return name if _PLAIN_NAME.match(name) else json.dumps(name)


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
class Part:
    """A property of runs that never end, and the script with ranks over its product that shows it."""

    kind: str
    name: str  # by which the program knows it; may be empty
    text: str
    rank: int  # of the initial state
    states: int
    transitions: int
    depth: int
    frames: int
    dictionaries: tuple[int, ...] = ()

    @property
    def references(self) -> int:
        return self.transitions - (self.states - 1)

    @property
    def title(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text

    @property
    def claim(self) -> str:
        if self.kind == TERMINATION:
            return "it comes to its end if it is weakly fair to each process"
        title = shown_text(self.title)
        return f"no {title}" if self.kind in ABSENT else f"{shown_name(self.kind)} {title} holds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Temporal:
    """What was asked of runs that never end, as the front end is told it, and one part for each property."""

    ltl: tuple[str, ...] = ()  # names of the program's own formulas, or formulas; empty: all it has
    progress: bool = False
    fair: bool = False
    terminates: bool = False
    parts: tuple[Part, ...]

    @property
    def claim(self) -> str:
        runs = "every run that is weakly fair to each process" if self.fair else "every run"
        return f"On {runs}, {', '.join(part.claim for part in self.parts)}."


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
    moves: bool = False  # frames say whose step each TREE entry is
    dictionaries: tuple[int, ...] = ()  # their lengths, one for each section; none at all for most files
    producer: Mapping[str, str] = field(default_factory=dict)
    temporal: Temporal | None = None

    @property
    def version(self) -> int:
        """Of the format: files without what is newer are read by everybody who could read them before."""
        if self.moves:
            return 4
        return 1 if self.temporal is None else 3

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """States and transitions of each script: the one over the states, and those of the temporal parts."""
        parts = self.temporal.parts if self.temporal else ()
        return [(self.states, self.transitions), *((part.states, part.transitions) for part in parts)]

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
        checked += [f"{shown_text(text)} holds in every state" for text in properties.invariants]
        checked += [f"{shown_text(text)} holds at every step" for text in properties.step_invariants]
        return (
            f"In every state that {shown_name(self.program)} ({shown_name(self.language)}) can reach "
            f"(at most {self.states:,}, with {self.transitions:,} transitions), "
            f"{', '.join(checked) or 'nothing was checked'}."
            f"{'' if self.temporal is None else f' {self.temporal.claim}'}"
        )

    def as_bytes(self) -> bytes:
        data = asdict(self)
        if not self.moves:
            del data["moves"]
        if self.temporal is None:
            del data["temporal"]
        else:
            for part, known in zip(data["temporal"]["parts"], self.temporal.parts, strict=True):
                part["references"] = known.references
        data |= {"format": FORMAT, "claim": self.claim, "references": self.references, "coding": CODING}
        return json.dumps(
            data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Header:
        """Refuses whatever is not exactly a header: it comes from a stranger."""
        try:
            data = json.loads(text, parse_float=_no_number, parse_constant=_no_number)
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
            sources=_sources(data),
            semantics=_object(data, "semantics"),
            properties=_properties(_object(data, "properties")),
            tree=_text(data, "tree"),
            states=_count(data, "states", 1, MAX_STATES),
            transitions=_count(data, "transitions", 0, MAX_TRANSITIONS),
            depth=_count(data, "depth", 0, MAX_STATES),
            frames=_count(data, "frames", 1, MAX_FRAMES),
            subgraphs=_flag(data, "subgraphs"),
            moves=_flag(data, "moves") if "moves" in data else False,
            dictionaries=_dictionaries(data),
            producer={name: _text(_object(data, "producer"), name) for name in ("tool", "version")},
            temporal=_temporal(_object(data, "temporal")) if "temporal" in data else None,
        )
        _require_program(header)
        if header.moves and header.subgraphs:
            raise CertificateProblem("the header announces two sections where a frame has one")
        if header.tree not in TREES:
            raise CertificateProblem(f"the header names another kind of tree than {' or '.join(TREES)}")
        for states, transitions in header.sizes:
            if transitions < states - 1:
                raise CertificateProblem(f"{transitions:,} transitions cannot connect {states:,} states")
        try:
            canonical = header.as_bytes()
        except (ValueError, RecursionError):  # half a character, not a number, nested without end
            canonical = b""
        if canonical != text:
            raise CertificateProblem(
                "the header is not in its canonical form, or its claim does not follow from its facts"
            )
        return header


def _temporal(data: Mapping[str, Any]) -> Temporal:
    temporal = Temporal(
        ltl=_texts(data, "ltl"),
        progress=_flag(data, "progress"),
        fair=_flag(data, "fair"),
        terminates=_flag(data, "terminates"),
        parts=tuple(
            Part(
                kind=_text(part, "kind"),
                name=_text(part, "name"),
                text=_text(part, "text"),
                rank=_count(part, "rank", 0, MAX_RANK),
                states=_count(part, "states", 1, MAX_STATES),
                transitions=_count(part, "transitions", 0, MAX_TRANSITIONS),
                depth=_count(part, "depth", 0, MAX_STATES),
                frames=_count(part, "frames", 1, MAX_FRAMES),
                dictionaries=_dictionaries(part),
            )
            for part in _objects(data, "parts")
        ),
    )
    if not temporal.parts:
        raise CertificateProblem("the header announces what holds of runs, and lists nothing")
    require_short_texts([*temporal.ltl, *(part.text for part in temporal.parts)])
    require_short_texts([part.kind + part.name for part in temporal.parts])
    return temporal


def _properties(data: Mapping[str, Any]) -> Properties:
    if data.keys() != {"assertions", "deadlock", "invariants", "step_invariants"}:
        raise CertificateProblem("the header lists other properties than this version knows")
    properties = Properties(
        _flag(data, "assertions"),
        _flag(data, "deadlock"),
        _texts(data, "invariants"),
        _texts(data, "step_invariants"),
    )
    require_short(properties)
    return properties


def require_short(properties: Properties) -> None:
    """Whoever reads a certificate compiles its properties, which must not take for ever."""
    require_short_texts([*properties.invariants, *properties.step_invariants])


def require_short_texts(texts: Sequence[str]) -> None:
    if len(texts) > MAX_PROPERTIES:
        raise CertificateProblem(f"{len(texts):,} properties are claimed, more than {MAX_PROPERTIES:,}")
    if not all(0 < len(text) <= MAX_PROPERTY_CHARACTERS for text in texts):
        raise CertificateProblem(
            f"a property is claimed that is empty or has more than {MAX_PROPERTY_CHARACTERS:,} characters"
        )


def _sources(data: Mapping[str, Any]) -> tuple[Source, ...]:
    sources = tuple(
        Source(_text(source, "name"), _text(source, "sha256")) for source in _objects(data, "sources")
    )
    if not sources or not all(
        _is_file_name(source.name) and _DIGEST.match(source.sha256) for source in sources
    ):
        raise CertificateProblem("the header does not list the files of a program with their SHA-256")
    return sources


def _require_program(header: Header) -> None:
    """The program is its first file, or a class in it."""
    file, colon, name = header.program, "", ""
    if header.language == PYTHON_CLASS:
        file, colon, name = header.program.partition(":")
    if file != header.sources[0].name or bool(colon) != bool(name):
        raise CertificateProblem("the header calls the program by another name than its first file has")


def _is_file_name(name: str) -> bool:
    return bool(name) and "/" not in name


def _no_number(_: str) -> NoReturn:
    raise ValueError("no header has such a number")


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
