"""The file of a proof by invariant: of versions 8 and 9, which are a header and one part.

Written from docs/formats/certificate.md. What the part says is for `invariants`, or for `c` if it is about a
C program.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import zstandard

from assay.checker.container import (
    DIGEST_BYTES,
    END_MAGIC,
    LARGEST_HEADER,
    MAGIC,
    MOST_PROPERTIES,
    PYTHON_CLASS,
    TRAILER_BYTES,
    Header,
    Rejected,
    file_name,
    mapping,
    name_shown,
    number,
    property_texts,
    quoted,
    read_json,
    sources,
    text,
    truth,
)
from assay.checker.records import dataclass

VERSION = 8
C_VERSION = 9  # of proofs about C programs
C = "c"
LARGEST_INVARIANT = 1 << 26
KEYS = {
    *("format", "claim", "program", "language", "sources", "semantics", "properties", "coding", "producer"),
    *("bytes", "locations", "conjuncts"),
}


@dataclass(frozen=True, slots=True)
class AcceptedInvariant:
    header: Header
    obligations: int
    solver: str
    notes: tuple[str, ...] = ()


def is_invariant(data: bytes) -> bool:
    return _has_version(data, VERSION) or is_about_c(data)


def is_about_c(data: bytes) -> bool:
    return _has_version(data, C_VERSION)


def _has_version(data: bytes, version: int) -> bool:
    return data.startswith(MAGIC + struct.pack("<I", version))


def read_invariant_file(data: bytes) -> tuple[Header, Any]:
    """The claim and the invariant as JSON."""
    prefix = len(MAGIC) + 8
    if len(data) < prefix + TRAILER_BYTES:
        raise Rejected("the file is cut short")
    (length,) = struct.unpack_from("<I", data, len(MAGIC) + 4)
    (end,) = struct.unpack_from("<Q", data, len(data) - TRAILER_BYTES)
    if data[-DIGEST_BYTES - len(END_MAGIC) : -DIGEST_BYTES] != END_MAGIC:
        raise Rejected("the file does not end as a certificate does")
    if hashlib.sha256(memoryview(data)[:-DIGEST_BYTES]).digest() != data[-DIGEST_BYTES:]:
        raise Rejected("the SHA-256 at the end of the file is not that of the file")
    if length > LARGEST_HEADER or end != len(data) - TRAILER_BYTES or prefix + length > end:
        raise Rejected("the header or the invariant lies outside the file")
    header, size, counts = read_header(data[prefix : prefix + length])
    (version,) = struct.unpack_from("<I", data, len(MAGIC))
    if version != (C_VERSION if header.language == C else VERSION):
        raise Rejected(f"the file has version {version}, which is not that of its language")
    body = read_json(decompressed_invariant(data[prefix + length : end], size))
    if header.language == C and counted(body) not in (None, counts):
        raise Rejected("the header counts other conjuncts or loops than the proof has")
    return header, body


def counted(body: Any) -> tuple[int, int] | None:
    """Conjuncts and cut points of a proof about C, contracts included; of what is no proof nothing."""
    try:
        held = [one["holds"] for one in body["locations"]]
        held += [one[half] for one in body.get("contracts", ()) for half in ("before", "after")]
        return sum(map(len, held)), len(body["locations"])
    except (AttributeError, KeyError, TypeError):
        return None


def read_header(raw: bytes) -> tuple[Header, int, tuple[int, int]]:
    """With the bytes that the invariant has, and how many conjuncts and locations."""
    fields = read_json(raw)
    if not isinstance(fields, dict) or fields.keys() != KEYS:
        raise Rejected("the header does not have the keys of a proof by invariant")
    if fields["format"] != "assay-certificate" or fields["coding"] != "zstd":
        raise Rejected("the header names another format or coding")
    properties = mapping(fields, "properties", {"assertions", "deadlock", "invariants", "step_invariants"})
    if properties["assertions"] is not True or properties["step_invariants"] != []:
        raise Rejected("the header does not claim that assertions hold, or it claims something of steps")
    header = Header(
        program=file_name(fields, "program"),
        language=text(fields, "language"),
        sources=sources(fields["sources"]),
        semantics=mapping(fields, "semantics"),
        check_deadlock=truth(properties, "deadlock"),
        invariants=property_texts(properties, "invariants"),
        step_invariants=(),
        states=0,
        transitions=0,
        references=0,
        depth=0,
        frames=0,
        subgraphs=False,
        dictionaries=(),
        temporal=None,
        moves=False,
    )
    if len(header.invariants) > MOST_PROPERTIES:
        raise Rejected(f"the header claims more than {MOST_PROPERTIES} properties")
    file, colon, name = header.program, "", ""
    if header.language == PYTHON_CLASS:
        file, colon, name = header.program.partition(":")
    if file != header.sources[0][0] or bool(colon) != bool(name):
        raise Rejected("'program' of the header is not its first source, or a class in it")
    least = 0 if header.language == C else 1
    conjuncts, locations = number(fields, "conjuncts", 0, 2**32), number(fields, "locations", least, 2**32)
    checked = ["no assertion fails", *(["no state is a deadlock"] if header.check_deadlock else [])]
    checked += [f"{quoted(item)} holds in every state" for item in header.invariants]
    claim = (
        f"In every state that {name_shown(header.program)} ({name_shown(header.language)}) can reach, "
        f"{', '.join(checked)}. The proof is an invariant of {conjuncts:,} conjuncts at {locations:,} "
        "locations."
    )
    if header.language == C:
        claim = claim_about_c(header, conjuncts, locations)
    if text(fields, "claim") != claim:
        raise Rejected("'claim' of the header is another sentence than its facts make")
    return header, number(fields, "bytes", 2, LARGEST_INVARIANT), (conjuncts, locations)


def claim_about_c(header: Header, conjuncts: int, locations: int) -> str:
    if header.check_deadlock or header.invariants:
        raise Rejected("the header claims what a proof about a C program does not say")

    def texts(key: str) -> list[str]:
        found = header.semantics.get(key)
        return [quoted(str(one)) for one in found] if isinstance(found, list) else []

    checked = ["no assertion fails and no error is reached"]
    checked += [f"no {one} fails" for one in texts("checks")]
    checked += [f"the rule {one} is kept" for one in texts("rules")]
    model = quoted(str(header.semantics.get("data_model", "")))
    return (
        f"On every run of {name_shown(header.program)} (c, {model}), "
        f"{', '.join(checked)}. The proof has {conjuncts:,} conjuncts at {locations:,} loops."
    )


def decompressed_invariant(compressed: bytes, size: int) -> bytes:
    try:
        stated = zstandard.get_frame_parameters(compressed).content_size
        if stated != size:
            raise Rejected("the invariant has another length than the header says")
        body = zstandard.ZstdDecompressor(max_window_size=2**27).decompress(compressed, max_output_size=size)
    except zstandard.ZstdError:
        raise Rejected("the invariant cannot be decompressed") from None
    if len(body) != size:
        raise Rejected("the invariant has another length than the header says")
    return body
