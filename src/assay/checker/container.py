"""The bytes of a certificate: parts, lengths, digests and limits.

Everything here comes from a stranger. A length is compared with what it may be
before anything of that length is made, and nothing is decompressed that does
not state a size which the numbers of states and entries allow.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import zlib
from collections.abc import Mapping
from os import PathLike
from typing import Any, NoReturn

import zstandard

from assay.checker.records import dataclass, replace

MAGIC = b"\x89ASSAY\r\n"
VERSIONS = (1, 3, 4)  # the second of them has temporal parts, the last moves
END_MAGIC = b"ASSAYEND"
DIGEST_BYTES = 32
TRAILER_BYTES = 8 + len(END_MAGIC) + DIGEST_BYTES
RECORD = struct.Struct("<10I")

LARGEST_HEADER = 1 << 20
STATES_END = 1 << 32
TRANSITIONS_END = 1 << 48
MOST_FRAMES = 65_536
MOST_STATES_IN_A_FRAME = 1 << 22
MOST_ENTRIES_IN_A_FRAME = 1 << 23
LARGEST_START = 1 << 28
LONGEST_VARINT = 5
LONGEST_SUBTREE_VARINT = 7
LARGEST_DICTIONARY = 1 << 20
LARGEST_WINDOW = 1 << 27
ALL_DICTIONARIES = 1 << 26
SECTIONS = 5
RANKS_END = 1 << 31

MOST_PROPERTIES = 1_000
LONGEST_PROPERTY = 4_096  # characters
PYTHON_CLASS = "python-class"

HEADER_KEYS = {
    "format",
    "claim",
    "program",
    "language",
    "sources",
    "semantics",
    "properties",
    "tree",
    "states",
    "transitions",
    "references",
    "depth",
    "frames",
    "coding",
    "subgraphs",
    "dictionaries",
    "producer",
}
PART_KEYS = {
    "kind",
    "name",
    "text",
    "rank",
    "states",
    "transitions",
    "references",
    "depth",
    "frames",
    "dictionaries",
}


class Rejected(Exception):
    """The certificate does not prove its claim; the reason is a sentence."""


class Undecided(Exception):
    """The certificate may prove its claim, and this checker cannot tell; the reason is a sentence."""


class Unusable(Exception):
    """There is nothing to judge: a file is missing or of a kind this checker does not know."""


@dataclass(frozen=True, slots=True)
class Part:
    """A property of runs that never end, and the size of the script with ranks that shows it."""

    kind: str
    name: str
    text: str
    rank: int  # of the initial state
    states: int
    transitions: int
    references: int
    depth: int
    frames: int
    dictionaries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Temporal:
    ltl: tuple[str, ...]
    progress: bool
    fair: bool
    terminates: bool
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Header:
    program: str
    language: str
    sources: tuple[tuple[str, str], ...]  # name, SHA-256
    semantics: Mapping[str, Any]
    check_deadlock: bool
    invariants: tuple[str, ...]
    step_invariants: tuple[str, ...]
    states: int
    transitions: int
    references: int
    depth: int
    frames: int
    subgraphs: bool
    moves: bool
    dictionaries: tuple[int, ...]  # their lengths
    temporal: Temporal | None

    def of_part(self, part: Part) -> Header:
        """As if the script of this part were all there is; of states it claims nothing."""
        return replace(
            self,
            check_deadlock=False,
            states=part.states,
            transitions=part.transitions,
            references=part.references,
            depth=part.depth,
            frames=part.frames,
            subgraphs=False,
            moves=False,
            dictionaries=part.dictionaries,
            temporal=None,
        )


@dataclass(frozen=True, slots=True)
class Section:
    """A section as it stands in the file, and what it may refer to beside itself."""

    compressed: memoryview
    dictionary: zstandard.ZstdCompressionDict | None


@dataclass(frozen=True, slots=True)
class Frame:
    """A record of the index and the five sections it speaks of."""

    states: int
    entries: int
    references: int
    start_length: int
    start: Section
    bits: Section
    ids: Section
    counts: Section
    last: Section  # the subgraphs or the moves; in a temporal part the excesses


@dataclass(frozen=True, slots=True)
class Container:
    header: Header
    frames: tuple[Frame, ...]
    parts: tuple[Container, ...] = ()  # one for each temporal part


def content_of(path: str | PathLike[str], what: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # never to wait for a pipe
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                return file.read(status.st_size)  # what is appended meanwhile is not looked at
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        pass
    except OSError as problem:
        raise Unusable(f"{path}: the {what} cannot be read: {problem.strerror}") from None
    raise Unusable(f"{path}: expected a {what}, got a path that is no file")


def read_container(data: bytes) -> Container:
    """Check everything about the file that can be checked without the program."""
    prefix = len(MAGIC) + 8
    if len(data) < prefix + TRAILER_BYTES:
        raise Rejected(f"a certificate is longer than {len(data)} bytes; the file is cut short or none")
    if not data.startswith(MAGIC):
        raise Rejected("the file does not begin as a certificate does")
    version, header_length = struct.unpack_from("<II", data, len(MAGIC))
    if version not in VERSIONS:
        raise Rejected(f"the file has version {version} of the format, this checker knows {VERSIONS}")
    if data[-DIGEST_BYTES - len(END_MAGIC) : -DIGEST_BYTES] != END_MAGIC:
        raise Rejected("the file does not end as a certificate does: it was cut short or has more bytes")
    if hashlib.sha256(memoryview(data)[:-DIGEST_BYTES]).digest() != data[-DIGEST_BYTES:]:
        raise Rejected("the SHA-256 at the end of the file is not that of the file")
    (index,) = struct.unpack_from("<Q", data, len(data) - TRAILER_BYTES)
    if header_length > LARGEST_HEADER:
        raise Rejected(f"the header has {header_length} bytes, at most {LARGEST_HEADER} are allowed")
    if not prefix + header_length <= index <= len(data) - TRAILER_BYTES:
        raise Rejected("the header or the index lies outside the file")
    header = read_header(data[prefix : prefix + header_length])
    if version != (4 if header.moves else 1 if header.temporal is None else 3):
        raise Rejected("a certificate has version 4 exactly if it has moves, else 3 if it has temporal parts")
    headers = [header, *(header.of_part(part) for part in (header.temporal.parts if header.temporal else ()))]
    frames = sum(one.frames for one in headers)
    if index + frames * RECORD.size != len(data) - TRAILER_BYTES:
        raise Rejected(f"the index does not have the length of {frames} frames")
    states, *parts = read_scripts(data, headers, prefix + header_length, index)
    return replace(states, parts=tuple(parts))


# --- The header -----------------------------------------------------------------------------------------


def read_header(raw: bytes) -> Header:
    fields = read_json(raw)
    if not isinstance(fields, dict) or fields.keys() - {"temporal", "moves"} != HEADER_KEYS:
        raise Rejected("the header does not have the keys of a certificate")
    if fields["format"] != "assay-certificate" or fields["coding"] != "zstd":
        raise Rejected("the header names another format or coding")
    if text(fields, "tree") not in {"breadth-first", "depth-first"}:
        raise Rejected("the header names neither of the two kinds of tree")
    producer = mapping(fields, "producer", {"tool", "version"})
    text(producer, "tool")
    text(producer, "version")
    properties = mapping(fields, "properties", {"assertions", "deadlock", "invariants", "step_invariants"})
    if properties["assertions"] is not True:
        raise Rejected("the header does not claim that assertions hold")
    header = Header(
        program=file_name(fields, "program"),
        language=text(fields, "language"),
        sources=sources(fields["sources"]),
        semantics=mapping(fields, "semantics"),
        check_deadlock=truth(properties, "deadlock"),
        invariants=property_texts(properties, "invariants"),
        step_invariants=property_texts(properties, "step_invariants"),
        states=number(fields, "states", 1, STATES_END - 1),
        transitions=number(fields, "transitions", 0, TRANSITIONS_END - 1),
        references=number(fields, "references", 0, TRANSITIONS_END - 1),
        depth=number(fields, "depth", 0, STATES_END - 1),
        frames=number(fields, "frames", 1, MOST_FRAMES),
        subgraphs=truth(fields, "subgraphs"),
        moves="moves" in fields,
        dictionaries=dictionary_lengths(fields["dictionaries"]),
        temporal=read_temporal(
            mapping(fields, "temporal", {"ltl", "progress", "fair", "terminates", "parts"})
        )
        if "temporal" in fields
        else None,
    )
    if fields.get("moves", True) is not True or (header.moves and header.subgraphs):
        raise Rejected("'moves' of the header stands there without need, or beside 'subgraphs'")
    file, colon, name = header.program, "", ""
    if header.language == PYTHON_CLASS:
        file, colon, name = header.program.partition(":")
    if file != header.sources[0][0] or bool(colon) != bool(name):
        raise Rejected("'program' of the header is not its first source, or a class in it")
    if text(fields, "claim") != claim_of(header):
        raise Rejected("'claim' of the header is another sentence than its facts make")
    if len(header.invariants) + len(header.step_invariants) > MOST_PROPERTIES:
        raise Rejected(f"the header claims more than {MOST_PROPERTIES} properties")
    if header.references != header.transitions - (header.states - 1):
        raise Rejected("the header's states, transitions and references do not fit together")
    return header


def read_temporal(fields: Mapping[str, Any]) -> Temporal:
    if not isinstance(fields["parts"], list) or not 0 < len(fields["parts"]) <= MOST_PROPERTIES:
        raise Rejected("'parts' of the header is not a list of temporal parts")
    parts = []
    for item in fields["parts"]:
        if not isinstance(item, dict) or item.keys() != PART_KEYS:
            raise Rejected("'parts' of the header has something that is no temporal part")
        part = Part(
            kind=text(item, "kind"),
            name=text(item, "name"),
            text=text(item, "text"),
            rank=number(item, "rank", 0, RANKS_END - 1),
            states=number(item, "states", 1, STATES_END - 1),
            transitions=number(item, "transitions", 0, TRANSITIONS_END - 1),
            references=number(item, "references", 0, TRANSITIONS_END - 1),
            depth=number(item, "depth", 0, STATES_END - 1),
            frames=number(item, "frames", 1, MOST_FRAMES),
            dictionaries=dictionary_lengths(item["dictionaries"]),
        )
        if not all(0 < len(said) <= LONGEST_PROPERTY for said in (part.text, part.kind + part.name)):
            raise Rejected("a temporal part of the header has a text that is empty or too long")
        if part.references != part.transitions - (part.states - 1):
            raise Rejected("the states, transitions and references of a temporal part do not fit together")
        parts.append(part)
    asked = property_texts(fields, "ltl")
    if len(asked) + len(parts) > MOST_PROPERTIES:
        raise Rejected(f"the header claims more than {MOST_PROPERTIES} properties of runs")
    progress, fair, terminates = (truth(fields, name) for name in ("progress", "fair", "terminates"))
    return Temporal(asked, progress, fair, terminates, tuple(parts))


def claim_of_runs(temporal: Temporal) -> str:
    said = []
    for part in temporal.parts:
        if part.kind == "termination":
            said.append("it comes to its end if it is weakly fair to each process")
            continue
        title = quoted(f"{part.name}: {part.text}" if part.name else part.text)
        absent = part.kind in {"acceptance", "progress"}
        said.append(f"no {title}" if absent else f"{name_shown(part.kind)} {title} holds")
    fair = " that is weakly fair to each process" if temporal.fair else ""
    return f" On every run{fair}, {', '.join(said)}."


def claim_of(header: Header) -> str:
    """The sentence for people, which follows from the facts."""
    checked = ["no assertion fails"]
    if header.check_deadlock:
        checked.append("no state is a deadlock")
    checked += [f"{quoted(item)} holds in every state" for item in header.invariants]
    checked += [f"{quoted(item)} holds at every step" for item in header.step_invariants]
    return (
        f"In every state that {name_shown(header.program)} ({name_shown(header.language)}) can reach "
        f"(at most {header.states:,}, with {header.transitions:,} transitions), {', '.join(checked)}."
        f"{claim_of_runs(header.temporal) if header.temporal else ''}"
    )


def quoted(value: str) -> str:
    """Between backticks if it is printable ASCII without one, as JSON in ASCII otherwise."""
    is_plain = all(" " <= letter <= "~" and letter != "`" for letter in value)
    return f"`{value}`" if is_plain else json.dumps(value)


def name_shown(value: str) -> str:
    is_plain = all(letter in "_.+:-" or (letter.isascii() and letter.isalnum()) for letter in value)
    return value if value and is_plain else json.dumps(value)


def property_texts(fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = texts(fields, key)
    if not all(0 < len(item) <= LONGEST_PROPERTY for item in found):
        raise Rejected(f"{key!r} of the header has a text that is empty or too long")
    return found


def read_json(raw: bytes) -> object:
    """JSON in its one allowed form: writing it again must give the same bytes.

    That also excludes keys given twice, and characters that are escaped without need.
    """
    try:
        value = json.loads(raw.decode("utf-8"), parse_float=no_json, parse_constant=no_json)
        again = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise Rejected("the header is no JSON text that a certificate may have") from None
    if raw != again:
        raise Rejected("the header's keys are not sorted, or it has spaces, escapes or a key twice")
    return value


def no_json(_: str) -> NoReturn:
    raise ValueError("a certificate has no such number")


def mapping(fields: Mapping[str, Any], key: str, keys: set[str] | None = None) -> Mapping[str, Any]:
    value = fields[key]
    if not isinstance(value, dict) or (keys is not None and value.keys() != keys):
        raise Rejected(f"{key!r} of the header is not the object it must be")
    return value


def text(fields: Mapping[str, Any], key: str) -> str:
    value = fields[key]
    if not isinstance(value, str):
        raise Rejected(f"{key!r} of the header is not a text")
    return value


def texts(fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = fields.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Rejected(f"{key!r} of the header is not a list of texts")
    return tuple(value)


def truth(fields: Mapping[str, Any], key: str) -> bool:
    value = fields.get(key)
    if not isinstance(value, bool):
        raise Rejected(f"{key!r} of the header is neither true nor false")
    return value


def number(fields: Mapping[str, Any], key: str, least: int, largest: int) -> int:
    value = fields[key]
    if type(value) is not int or not least <= value <= largest:  # True is an int to isinstance
        raise Rejected(f"{key!r} of the header is not a number from {least} to {largest}")
    return value


def file_name(fields: Mapping[str, Any], key: str) -> str:
    value = text(fields, key)
    if "/" in value or not value:
        raise Rejected(f"{key!r} of the header is not the name of a file without directories")
    return value


def sources(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list) or not value:
        raise Rejected("'sources' of the header is not a list of files")
    pairs = []
    for item in value:
        if not isinstance(item, dict) or item.keys() != {"name", "sha256"}:
            raise Rejected("'sources' of the header is not a list of names and digests")
        digest = text(item, "sha256")
        if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
            raise Rejected("'sha256' of the header is not a digest in hexadecimal")
        pairs.append((file_name(item, "name"), digest))
    return tuple(pairs)


def dictionary_lengths(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) not in {0, SECTIONS}:
        raise Rejected(f"'dictionaries' of the header is not a list of no or {SECTIONS} lengths")
    if not all(type(length) is int and 0 <= length <= LARGEST_DICTIONARY for length in value):
        raise Rejected(f"'dictionaries' of the header has other lengths than 0 to {LARGEST_DICTIONARY}")
    if value and not any(value):
        raise Rejected("'dictionaries' of the header are all empty, and must not be listed then")
    return tuple(value)


# --- The frames -----------------------------------------------------------------------------------------


def read_scripts(data: bytes, headers: list[Header], begin: int, index: int) -> list[Container]:
    """The frames of all scripts stand one behind the other, and so do their records."""
    records = list(RECORD.iter_unpack(data[index : len(data) - TRAILER_BYTES]))
    view = memoryview(data)
    # Where the frames begin follows from their lengths: they end where the index begins.
    offset = index - sum(sum(record[3:8]) for record in records)
    if offset < begin:
        raise Rejected(f"the frames have {begin - offset} bytes more than there are before the index")
    lengths = tuple(length for header in headers for length in header.dictionaries)
    joined = read_dictionaries(view[begin:offset], lengths)
    scripts = []
    for number_of_script, header in enumerate(headers):
        own = [joined.pop(0) for _ in header.dictionaries] or [None] * SECTIONS
        frames, offset = read_frames(
            view, records[: header.frames], header, offset, own, is_ranked=number_of_script > 0
        )
        del records[: header.frames]
        scripts.append(Container(header, frames))
    return scripts


def read_frames(
    view: memoryview,
    records: list[tuple[int, ...]],
    header: Header,
    offset: int,
    dictionaries: list[zstandard.ZstdCompressionDict | None],
    *,
    is_ranked: bool,
) -> tuple[tuple[Frame, ...], int]:
    """The frames of one script, and where the next one's begin."""
    frames = []
    for number_of_frame, record in enumerate(records):
        states, entries, references, *lengths, start_length, checksum = record
        name = f"frame {number_of_frame}"
        if states > MOST_STATES_IN_A_FRAME or entries > MOST_ENTRIES_IN_A_FRAME:
            raise Rejected(f"{name} has {states} states and {entries} entries, which is more than allowed")
        if references > entries:
            raise Rejected(f"{name} has {references} references among {entries} entries")
        if zlib.crc32(view[offset : offset + sum(lengths)]) != checksum:
            raise Rejected(f"{name} does not have the checksum that the index gives")
        sections = []
        for length, dictionary in zip(lengths, dictionaries, strict=True):
            sections.append(Section(view[offset : offset + length], dictionary))
            offset += length
        frame = Frame(states, entries, references, start_length, *sections)
        check_sizes(frame, header, name, is_ranked=is_ranked)
        frames.append(frame)
    for what, sum_of_frames, claimed in [
        ("states", sum(frame.states for frame in frames), header.states),
        ("transitions", sum(frame.entries for frame in frames), header.transitions),
        ("references", sum(frame.references for frame in frames), header.references),
    ]:
        if sum_of_frames != claimed:
            raise Rejected(f"the frames have {sum_of_frames} {what}, the header claims {claimed}")
    return tuple(frames), offset


def read_dictionaries(
    stored: memoryview, lengths: tuple[int, ...]
) -> list[zstandard.ZstdCompressionDict | None]:
    """The dictionary of each section of each script, from the part of the file before the frames."""
    if not lengths:
        if stored:
            raise Rejected(f"{len(stored)} bytes between the header and the frames belong to nothing")
        return []
    name = "the part with the dictionaries"
    if sum(lengths) > ALL_DICTIONARIES:
        raise Rejected(f"{name} would have more than {ALL_DICTIONARIES} bytes")
    if len(stored) > sum(lengths) + sum(lengths) // 128 + 1024:
        raise Rejected(f"{name} has {len(stored)} bytes for a content of {sum(lengths)}")
    size = content_size(stored, name)
    if size != sum(lengths):
        raise Rejected(f"{name} would have {size} bytes, the header claims {sum(lengths)}")
    content = decompressed(Section(stored, None), name)
    dictionaries: list[zstandard.ZstdCompressionDict | None] = []
    offset = 0
    for length in lengths:
        piece = content[offset : offset + length]
        # Raw: whatever it begins with, it is text to refer to and nothing else.
        raw = (
            zstandard.ZstdCompressionDict(piece, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if piece else None
        )
        dictionaries.append(raw)
        offset += length
    return dictionaries


def check_sizes(frame: Frame, header: Header, name: str, *, is_ranked: bool) -> None:
    """Whether the sections state sizes that the record allows; nothing is decompressed yet."""
    if not 1 <= frame.start_length <= LARGEST_START:
        raise Rejected(f"{name} claims a start section of {frame.start_length} bytes")
    bits = (frame.entries + 7) // 8
    pairs = frame.states if header.subgraphs else 0
    last = ("subgraphs", frame.last, 2 * pairs, (LONGEST_VARINT + LONGEST_SUBTREE_VARINT) * pairs)
    if header.moves:
        numbers = frame.states + frame.entries - frame.references
        last = ("moves", frame.last, numbers, LONGEST_VARINT * numbers)
    identified = frame.references
    if is_ranked:
        last = ("excesses", frame.last, frame.entries, LONGEST_VARINT * frame.entries)
        identified = 0
    for what, section, least, largest in [
        ("start", frame.start, frame.start_length, frame.start_length),
        ("bits", frame.bits, bits, bits),
        ("ids", frame.ids, identified, LONGEST_VARINT * identified),
        ("counts", frame.counts, frame.states, LONGEST_VARINT * frame.states),
        last,
    ]:
        size = content_size(section.compressed, f"section {what} of {name}")
        if not least <= size <= largest:
            raise Rejected(
                f"section {what} of {name} would have {size} bytes, allowed are {least} to {largest}"
            )


def content_size(section: memoryview, name: str) -> int:
    if not section:
        return 0
    try:
        size = zstandard.frame_content_size(section)
    except zstandard.ZstdError:
        raise Rejected(f"{name} is not compressed with Zstandard") from None
    if size < 1:
        raise Rejected(f"{name} does not state the size of its content")
    if zstandard.get_frame_parameters(section).window_size > LARGEST_WINDOW:
        raise Rejected(f"{name} asks for a window of more than {LARGEST_WINDOW} bytes")
    return size


def decompressed(section: Section, name: str) -> bytes:
    """The content of a section whose stated size has been found to be allowed."""
    size = content_size(section.compressed, name)
    if not size:
        return b""
    try:
        content = zstandard.ZstdDecompressor(dict_data=section.dictionary).decompress(
            section.compressed, max_output_size=size, allow_extra_data=False
        )
    except zstandard.ZstdError:
        raise Rejected(f"{name} cannot be decompressed") from None
    if len(content) != size:
        raise Rejected(f"{name} has {len(content)} bytes and states {size}")
    return content


class Varints:
    """Reads the numbers of a section one after another."""

    def __init__(self, content: bytes, name: str) -> None:
        self._content = content
        self._name = name
        self._offset = 0

    def next(self, longest: int = LONGEST_VARINT) -> int:
        value = 0
        for length in range(longest):
            if self._offset == len(self._content):
                raise Rejected(f"{self._name} ends too early")
            byte = self._content[self._offset]
            self._offset += 1
            value |= (byte & 0x7F) << (7 * length)
            if byte < 0x80:
                if byte == 0 and length > 0:
                    raise Rejected(f"{self._name} has a number with a superfluous byte")
                return value
        raise Rejected(f"{self._name} has a number of more than {longest} bytes")

    def finish(self) -> None:
        if self._offset != len(self._content):
            raise Rejected(f"{self._name} has {len(self._content) - self._offset} bytes too many")


def varints(section: Section, name: str) -> Varints:
    return Varints(decompressed(section, name), name)


def varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
