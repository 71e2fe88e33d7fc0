"""A certificate that proves by an invariant instead of a walk: version 8 of the file, or 9 if it is about a
C program (docs/formats/certificate.md).

The same magic numbers and digest as the others; a header with the same claim but for its counts; and behind
it the invariant, as JSON, compressed. No length is believed before it was compared with the file, and
nothing is read twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

import zstandard

from assay.evidence.certificate.claim import Claim, partial_name
from assay.evidence.certificate.container import DAMAGED, END_MAGIC, MAGIC, PREAMBLE
from assay.evidence.certificate.header import (
    CODING,
    FORMAT,
    MAX_HEADER_BYTES,
    CertificateProblem,
    Properties,
    Source,
    _count,
    _no_number,
    _object,
    _properties,
    _require_program,
    _sources,
    _text,
    shown_name,
    shown_text,
)
from assay.records import dataclass

VERSION = 8
C_VERSION = 9  # with another body
MAX_BODY_BYTES = 1 << 26  # of the invariant, decompressed
MAX_FILE_BYTES = 1 << 26
TRAILER = struct.Struct("<Q8s32s")
KEYS = frozenset(
    "format claim program language sources semantics properties coding producer".split()
    + "bytes locations conjuncts".split()
)
MOST_DEPTH_OF_JSON = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InvariantHeader:
    program: str
    language: str
    sources: tuple[Source, ...]
    semantics: Mapping[str, object] = field(default_factory=dict)
    properties: Properties = field(default_factory=Properties)
    producer: Mapping[str, str] = field(default_factory=dict)
    size: int  # of the invariant, in bytes
    locations: int
    conjuncts: int
    temporal: None = None  # nothing is claimed of runs that never end

    @property
    def states(self) -> int:
        """None were visited: what a signature says of other certificates, too."""
        return 0

    @property
    def transitions(self) -> int:
        return 0

    @property
    def claim(self) -> str:
        if self.language == "c":
            return self._claim_about_c()
        properties = self.properties
        checked = ["no assertion fails"]
        if properties.deadlock:
            checked.append("no state is a deadlock")
        checked += [f"{shown_text(text)} holds in every state" for text in properties.invariants]
        return (
            f"In every state that {shown_name(self.program)} ({shown_name(self.language)}) can reach, "
            f"{', '.join(checked)}. The proof is an invariant of {self.conjuncts:,} conjuncts at "
            f"{self.locations:,} locations."
        )

    def _claim_about_c(self) -> str:
        def texts(key: str) -> list[str]:
            found = self.semantics.get(key)
            return [shown_text(str(one)) for one in found] if isinstance(found, list) else []

        checked = ["no assertion fails and no error is reached"]
        checked += [f"no {one} fails" for one in texts("checks")]
        checked += [f"the rule {one} is kept" for one in texts("rules")]
        model = shown_text(str(self.semantics.get("data_model", "")))
        return (
            f"On every run of {shown_name(self.program)} (c, {model}), {', '.join(checked)}. The proof has "
            f"{self.conjuncts:,} conjuncts at {self.locations:,} loops."
        )

    def as_bytes(self) -> bytes:
        data = asdict(self)
        del data["temporal"]
        data["bytes"] = data.pop("size")
        data |= {"format": FORMAT, "claim": self.claim, "coding": CODING}
        return json.dumps(
            data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> InvariantHeader:
        try:
            data = json.loads(text, parse_float=_no_number, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise CertificateProblem("the header is not JSON") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT or data.keys() != KEYS:
            raise CertificateProblem("the header is not that of a certificate")
        if data.get("coding") != CODING:
            raise CertificateProblem(f"the coding {data.get('coding')!a:.40} is not known")
        header = cls(
            program=_text(data, "program"),
            language=_text(data, "language"),
            sources=_sources(data),
            semantics=_object(data, "semantics"),
            properties=_properties(_object(data, "properties")),
            producer={name: _text(_object(data, "producer"), name) for name in ("tool", "version")},
            size=_count(data, "bytes", 2, MAX_BODY_BYTES + 1),
            locations=_count(data, "locations", 0 if data["language"] == "c" else 1, 1 << 32),
            conjuncts=_count(data, "conjuncts", 0, 1 << 32),
        )
        _require_program(header)  # type: ignore[arg-type]
        if header.properties.step_invariants or not header.properties.assertions:
            raise CertificateProblem("the header claims what an invariant does not prove")
        try:
            canonical = header.as_bytes()
        except (ValueError, RecursionError):
            canonical = b""
        if canonical != text:
            raise CertificateProblem(
                "the header is not in its canonical form, or its claim does not follow from its facts"
            )
        return header


def conjuncts_in(invariant: Mapping[str, Any]) -> int:
    held = [one["holds"] for one in invariant["locations"]]
    for one in invariant.get("contracts", ()):
        held += [one["before"], one["after"]]
    return sum(map(len, held))


def write_invariant(path: Path, claim: Claim, invariant: Mapping[str, Any]) -> int:
    """Write the file whole or not at all; answers its size in bytes."""
    body = json.dumps(invariant, sort_keys=True, separators=(",", ":")).encode()
    if len(body) > MAX_BODY_BYTES:
        raise CertificateProblem(f"the invariant takes {len(body):,} bytes, more than a reader accepts")
    locations = invariant["locations"]
    header = InvariantHeader(
        program=claim.program,
        language=claim.language,
        sources=claim.sources,
        semantics=claim.semantics,
        properties=claim.properties,
        producer={"tool": "assay", "version": claim.version},
        size=len(body),
        locations=len(locations),
        conjuncts=conjuncts_in(invariant),
    )
    content = file_of(header.as_bytes(), body, _version_of(header))
    partial = partial_name(path)
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return len(content)


def file_of(header: bytes, body: bytes, version: int = VERSION) -> bytes:
    compressed = zstandard.ZstdCompressor(level=19, write_content_size=True, write_checksum=False).compress(
        body
    )
    content = PREAMBLE.pack(MAGIC, version, len(header)) + header + compressed
    content += struct.pack("<Q8s", len(content), END_MAGIC)
    return content + hashlib.sha256(content).digest()


def _version_of(header: InvariantHeader) -> int:
    return C_VERSION if header.language == "c" else VERSION


def is_invariant_file(path: Path) -> bool:
    """Whether its first bytes say so; what is not a file at all is not."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return False
            start = file.read(PREAMBLE.size)
    except OSError:
        return False
    return len(start) == PREAMBLE.size and PREAMBLE.unpack(start)[:2] in (
        (MAGIC, VERSION),
        (MAGIC, C_VERSION),
    )


class InvariantFile:
    """A certificate of this kind, read once."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_FILE_BYTES:
                raise CertificateProblem(f"the file is larger than any that is accepted ({size:,} bytes)")
            content = file.read(size)
        self.path = path
        self.size = len(content)
        self.sha256 = hashlib.sha256(content).hexdigest()
        if len(content) < PREAMBLE.size + TRAILER.size:
            raise CertificateProblem("the file is too short to be a certificate")
        magic, version, length = PREAMBLE.unpack_from(content)
        end, end_magic, digest = TRAILER.unpack_from(content, len(content) - TRAILER.size)
        if magic != MAGIC or version not in (VERSION, C_VERSION) or end_magic != END_MAGIC:
            raise CertificateProblem("the file is no certificate of this kind")
        if hashlib.sha256(content[: -len(digest)]).digest() != digest:
            raise CertificateProblem(DAMAGED)
        if end != len(content) - TRAILER.size or length > min(MAX_HEADER_BYTES, end - PREAMBLE.size):
            raise CertificateProblem("the lengths in the file do not fit together")
        self.header = InvariantHeader.from_bytes(content[PREAMBLE.size : PREAMBLE.size + length])
        if version != _version_of(self.header):
            raise CertificateProblem(
                f"certificates about programs in {self.header.language[:40]!a} have another version of the "
                f"format than {version}; have the certificate made anew"
            )
        self._compressed = content[PREAMBLE.size + length : end]

    def invariant(self) -> Any:
        """As JSON, with nothing believed of it but its size."""
        try:
            parameters = zstandard.get_frame_parameters(self._compressed)
            if parameters.content_size != self.header.size or parameters.window_size > MAX_BODY_BYTES * 2:
                raise CertificateProblem("the invariant has another length than the header says")
            decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_BODY_BYTES * 2)
            body = decompressor.decompress(self._compressed, max_output_size=self.header.size)
        except zstandard.ZstdError:
            raise CertificateProblem("the invariant cannot be decompressed") from None
        if len(body) != self.header.size:
            raise CertificateProblem("the invariant has another length than the header says")
        try:
            found = json.loads(body, parse_float=_no_number, parse_constant=_no_number)
            canonical = json.dumps(found, sort_keys=True, separators=(",", ":")).encode()
        except (ValueError, RecursionError):
            raise CertificateProblem("the invariant is not JSON") from None
        if canonical != body:
            raise CertificateProblem("the invariant is not in its canonical form")
        return found
