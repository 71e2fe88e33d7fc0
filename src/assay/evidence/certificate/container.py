"""The file around the frames: written as a stream, read a frame at a time.

A file under construction has another name and gets its own only when it is
whole and on disk; whatever interrupts the writer leaves nothing behind that
looks like a certificate. Frames are compressed by several threads and written in
their order. The reader trusts no length: each is checked against
the file and the counts of the header before memory is taken.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

import zstandard

from assay.evidence.certificate.claim import partial_name
from assay.evidence.certificate.dictionaries import (
    NO_DICTIONARIES,
    Dictionary,
    StoredDictionaries,
    most_stored,
    opened,
    separated,
)
from assay.evidence.certificate.frames import (
    BYTES_PER_NUMBER,
    CHANGED,
    Frame,
    FrameRecord,
    decode_frame,
    unchanged,
)
from assay.evidence.certificate.header import (
    MAX_HEADER_BYTES,
    MOST_DICTIONARY_BYTES,
    CertificateProblem,
    Header,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

MAGIC = b"\x89ASSAY\r\n"
END_MAGIC = b"ASSAYEND"
VERSIONS = (1, 3, 4)
OLDER = 2  # had numbers in its temporal parts, of which nobody has need
PREAMBLE = struct.Struct("<8sII")
RECORD = struct.Struct("<10I")
TRAILER = struct.Struct("<Q8s32s")
DIGEST_BYTES = 32

MAX_FRAME_STATES = 1 << 22
MAX_FRAME_ENTRIES = 1 << 23
MAX_START_BYTES = 1 << 28

QUICKLY_READ = 256 << 20  # bytes
DAMAGED = "the file is damaged: its SHA-256 is not the one at its end"

LEVELS = {"fast": 3, "small": 19}
MAX_THREADS = 8  # each takes some ten megabytes at the highest level


class FrameStream:
    """Compresses frames with several threads and writes them in their order."""

    def __init__(self, write: Callable[[bytes], None], coding: str, dictionaries: Sequence[bytes]) -> None:
        self._write = write
        self._level = LEVELS[coding]
        self._dictionaries = opened(dictionaries) if dictionaries else NO_DICTIONARIES
        for dictionary in self._dictionaries:
            if dictionary is not None:
                dictionary.precompute_compress(level=self._level)
        self.records: list[FrameRecord] = []
        from concurrent.futures import ThreadPoolExecutor  # whoever reads has no use for it

        threads = min(MAX_THREADS, len(os.sched_getaffinity(0)))
        self._pool = ThreadPoolExecutor(threads)
        self._pending: deque[tuple[Frame, Future[list[bytes]]]] = deque()
        self._most_pending = 2 * threads

    def add(self, frame: Frame) -> None:
        self._pending.append((frame, self._pool.submit(self._compressed_sections, frame)))
        if len(self._pending) > self._most_pending:
            self._write_oldest()

    def finish(self) -> None:
        while self._pending:
            self._write_oldest()
        self._pool.shutdown()

    def discard(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _write_oldest(self) -> None:
        frame, compression = self._pending.popleft()
        sections = compression.result()
        body = b"".join(sections)
        start, bits, ids, counts, supplement = map(len, sections)
        self.records.append(
            FrameRecord(
                states=frame.states,
                entries=frame.entries,
                references=frame.references,
                start=start,
                bits=bits,
                ids=ids,
                counts=counts,
                supplement=supplement,
                start_length=len(frame.start),
                checksum=zlib.crc32(body),
            )
        )
        self._write(body)

    def _compressed_sections(self, frame: Frame) -> list[bytes]:
        return [
            compressed(section, self._level, dictionary)
            for section, dictionary in zip(frame.sections, self._dictionaries, strict=True)
        ]


def compressed(section: bytes, level: int, dictionary: Dictionary = None) -> bytes:
    if not section:
        return b""
    compressor = zstandard.ZstdCompressor(
        level=level, dict_data=dictionary, write_content_size=True, write_checksum=False, write_dict_id=False
    )
    return compressor.compress(section)


class PartialFile:
    """A certificate under construction; used as a context, it appears only when `finish` was called.

    Until then it is `partial`, in the same directory. Whoever gives that name can remove what
    is left when this process is killed.
    """

    def __init__(self, path: Path, header: Header, partial: Path | None) -> None:
        self._path = path
        self._partial = partial_name(path) if partial is None else partial
        self._file: BinaryIO = self._partial.open("xb")
        self._digest = hashlib.sha256()
        self._offset = 0
        self._finished = False
        try:
            text = header.as_bytes()
            if len(text) > MAX_HEADER_BYTES:
                raise CertificateProblem(  # noqa: TRY301 (the file goes away in one place)
                    f"the header would take {len(text):,} bytes, more than a reader accepts"
                )
            self.write(PREAMBLE.pack(MAGIC, header.version, len(text)) + text)
        except BaseException:
            self._discard()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._finished:
            self._discard()

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._offset += len(data)

    def close(self, records: Iterable[FrameRecord]) -> int:
        """Write index and trailer and make the file appear; answers its size in bytes."""
        index_offset = self._offset
        for record in records:
            self.write(RECORD.pack(*record.as_stored))
        self.write(struct.pack("<Q8s", index_offset, END_MAGIC))
        self.write(self._digest.digest())
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._partial.replace(self._path)
        self._finished = True
        return self._offset

    def _discard(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        self._partial.unlink(missing_ok=True)


class CertificateWriter(PartialFile):
    """Writes the certificate of one script. The header gets the lengths of the `dictionaries` given
    here, one for each section or none at all, whatever it said before.
    """

    def __init__(
        self,
        path: Path,
        header: Header,
        *,
        coding: str = "fast",
        partial: Path | None = None,
        dictionaries: Sequence[bytes] = (),
    ) -> None:
        self._header = replace(header, dictionaries=tuple(map(len, dictionaries)))
        self._frames = FrameStream(self.write, coding, dictionaries)
        try:
            super().__init__(path, self._header, partial)
            self.write(compressed(b"".join(dictionaries), LEVELS[coding]))
        except BaseException:
            self._frames.discard()
            raise

    def add(self, frame: Frame) -> None:
        self._frames.add(frame)

    def finish(self) -> int:
        """Make the file appear; answers its size in bytes."""
        self._frames.finish()
        header, records = self._header, self._frames.records
        written = tuple(sum(getattr(record, name) for record in records) for name in ("states", "entries"))
        if written != (header.states, header.transitions) or len(records) != header.frames:
            raise AssertionError(f"frames with {written} do not add up to {header}")
        return self.close(records)

    def _discard(self) -> None:
        self._frames.discard()
        super()._discard()


class CertificateFile:
    """A certificate opened for reading. Opening checks everything but the content of the frames.

    Somebody may write to the file, or put another in its place, at any time. So header, index and
    dictionaries are read once and kept, of each frame a digest is kept, and whoever reads a frame later gets
    what `sha256` is the digest of, or `CertificateProblem`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Whatever it is, to open it is not to wait for somebody at its other end.
            self._file: BinaryIO = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
        except OSError as problem:
            raise CertificateProblem(f"{path} cannot be read: {problem.strerror}") from None
        try:
            self._open()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _open(self) -> None:
        status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise CertificateProblem(f"{self.path} is not a file")
        self.size = status.st_size
        if self.size < PREAMBLE.size + TRAILER.size:
            raise CertificateProblem("the file is too short to be a certificate: it was truncated or is none")
        self._preamble = self._file.read(PREAMBLE.size)
        if len(self._preamble) != PREAMBLE.size:
            raise CertificateProblem(CHANGED)
        magic, version, header_length = PREAMBLE.unpack(self._preamble)
        if magic != MAGIC:
            raise CertificateProblem("the file is not a certificate: it does not begin like one")
        if version == OLDER:
            raise CertificateProblem(
                "the certificate has version 2, which this Assay reads no longer: have it made again"
            )
        if version not in VERSIONS:
            raise CertificateProblem(
                f"the certificate has version {version}, this Assay reads versions "
                f"{', '.join(map(str, VERSIONS[:-1]))} and {VERSIONS[-1]}"
            )
        if header_length > MAX_HEADER_BYTES or PREAMBLE.size + header_length > self.size - TRAILER.size:
            raise CertificateProblem(
                f"the header is said to take {header_length:,} bytes, more than there can be"
            )
        header_text = self._file.read(header_length)
        self._file.seek(self.size - TRAILER.size)
        trailer = self._file.read(TRAILER.size)
        if len(trailer) != TRAILER.size:
            raise CertificateProblem(CHANGED)
        index_offset, end_magic, digest = TRAILER.unpack(trailer)
        if end_magic != END_MAGIC:
            raise CertificateProblem("the file does not end like a certificate: it was truncated or extended")
        # What is cheap comes first: gigabytes that cannot be a certificate are not read.
        try:
            self._open_parts(header_text, index_offset)
            if self.header.version != version:
                raise CertificateProblem(  # noqa: TRY301 (see below)
                    f"a certificate that says what this header says has version {self.header.version}, "
                    f"the file says version {version}"
                )
        except CertificateProblem:
            if self.size <= QUICKLY_READ and self._digest_of_all() != digest:
                raise CertificateProblem(DAMAGED) from None  # the likelier reason, and says more
            raise
        self._digest_what_was_read(header_text, trailer, digest)

    def _open_parts(self, header_text: bytes, index_offset: int) -> None:
        self.header = Header.from_bytes(header_text)
        headers = [self.header, *part_headers(self.header)]
        header_end = PREAMBLE.size + len(header_text)
        index_length = self.size - TRAILER.size - index_offset
        if (
            index_offset < header_end
            or index_length != sum(header.frames for header in headers) * RECORD.size
        ):
            raise CertificateProblem(
                "the index is not where the file says, or not as long as its frames need"
            )
        self._file.seek(index_offset)
        self._index = self._file.read(index_length)
        if len(self._index) != index_length:
            raise CertificateProblem(CHANGED)
        records = [
            FrameRecord(
                *record,
                is_ranked=number >= self.header.frames,
                has_moves=self.header.moves and number < self.header.frames,
            )
            for number, record in enumerate(RECORD.iter_unpack(self._index))
        ]
        ends = list(accumulate(header.frames for header in headers))
        own_records = [records[end - header.frames : end] for header, end in zip(headers, ends, strict=True)]
        for number, header in enumerate(headers):
            check_index(header, own_records[number], is_ranked=number > 0)
        frames_offset = index_offset - sum(record.length for record in records)
        offsets = list(accumulate((record.length for record in records), initial=frames_offset))
        stored = self._read_dictionaries(headers, header_end, frames_offset - header_end)
        self.script, *self.parts = [
            StoredScript(
                self, header, own, offsets[end - header.frames : end], stored_dictionaries=dictionaries
            )
            for header, own, end, dictionaries in zip(headers, own_records, ends, stored, strict=True)
        ]

    def _read_dictionaries(
        self, headers: Sequence[Header], offset: int, length: int
    ) -> list[StoredDictionaries]:
        """Those of all scripts, joined, fill the file between the header and the frames, if there are any."""
        lengths = tuple(length for header in headers for length in header.dictionaries)
        if length < 0 or (length > 0) != bool(lengths):
            raise CertificateProblem("the frames do not fill the file between header and index")
        if sum(lengths) > MOST_DICTIONARY_BYTES:
            raise CertificateProblem(
                f"the dictionaries have {sum(lengths):,} bytes, at most {MOST_DICTIONARY_BYTES:,} are allowed"
            )
        if length > most_stored(sum(lengths)):
            raise CertificateProblem(
                f"the dictionaries take {length:,} bytes, more than {sum(lengths):,} bytes of content need"
            )
        self._file.seek(offset)
        self._stored_dictionaries = self._file.read(length)
        return separated([header.dictionaries for header in headers], self._stored_dictionaries)

    def _digest_what_was_read(self, header_text: bytes, trailer: bytes, claimed: bytes) -> None:
        """The digest of the parts as they were read, and of the frames, which are read here."""
        digest = hashlib.sha256(self._preamble)
        digest.update(header_text)
        digest.update(self._stored_dictionaries)
        for script in (self.script, *self.parts):
            for record, offset in zip(script.records, script.offsets, strict=True):
                self._file.seek(offset)
                body = self._file.read(record.length)
                digest.update(body)
                script.frame_digests.append(hashlib.sha256(body).digest())
        digest.update(self._index)
        digest.update(trailer[:-DIGEST_BYTES])
        if digest.digest() != claimed:
            raise CertificateProblem(DAMAGED)
        digest.update(claimed)
        self.sha256 = digest.hexdigest()  # of the whole file: what a signature is about

    def _digest_of_all(self) -> bytes:
        digest = hashlib.sha256()
        self._file.seek(0)
        left = self.size - DIGEST_BYTES
        while left and (block := self._file.read(min(left, 1 << 20))):
            digest.update(block)
            left -= len(block)
        return digest.digest()

    def body(self, offset: int, record: FrameRecord, digest: bytes) -> bytes:
        """A frame as it stands in the file, for sending it elsewhere."""
        self._file.seek(offset)
        return unchanged(self._file.read(record.length), digest)

    # Most certificates have one script.
    @property
    def records(self) -> list[FrameRecord]:
        return self.script.records

    @property
    def offsets(self) -> list[int]:
        return self.script.offsets

    @property
    def first_states(self) -> list[int]:
        return self.script.first_states

    @property
    def frame_digests(self) -> list[bytes]:
        return self.script.frame_digests

    @property
    def dictionary_bytes(self) -> int:
        """That those of all scripts take in the file."""
        return len(self._stored_dictionaries)

    @property
    def stored_dictionaries(self) -> StoredDictionaries:
        return self.script.stored_dictionaries

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        return self.script.dictionaries

    def frame_bytes(self, number: int) -> bytes:
        return self.script.frame_bytes(number)

    def frame(self, number: int, *, bits_only: bool = False) -> Frame:
        return self.script.frame(number, bits_only=bits_only)

    def frames(self) -> Iterator[Frame]:
        return self.script.frames()


class StoredScript:
    """One script of a certificate: the one over the states of the program, or that of a temporal part."""

    def __init__(
        self,
        file: CertificateFile,
        header: Header,
        records: list[FrameRecord],
        offsets: list[int],
        *,
        stored_dictionaries: StoredDictionaries,
    ) -> None:
        self._file = file
        self.path = file.path
        self.header = header  # of a part: as if it were all there is
        self.records = records
        self.offsets = offsets
        self.first_states = list(accumulate((record.states for record in records), initial=0))[:-1]
        self.frame_digests: list[bytes] = []
        self.stored_dictionaries = stored_dictionaries
        self.dictionaries = stored_dictionaries.opened()

    def frame_bytes(self, number: int) -> bytes:
        return self._file.body(self.offsets[number], self.records[number], self.frame_digests[number])

    def frame(self, number: int, *, bits_only: bool = False) -> Frame:
        record, body = self.records[number], self.frame_bytes(number)
        return decode_frame(number, record, body, self.dictionaries, bits_only=bits_only)

    def frames(self) -> Iterator[Frame]:
        for number in range(len(self.records)):
            yield self.frame(number)


def part_headers(header: Header) -> list[Header]:
    """For each temporal part the header that its script would have alone. It has nothing to say of states."""
    return [
        replace(
            header,
            states=part.states,
            transitions=part.transitions,
            depth=part.depth,
            frames=part.frames,
            subgraphs=False,
            moves=False,
            dictionaries=part.dictionaries,
            properties=replace(header.properties, deadlock=False),
            temporal=None,
        )
        for part in (header.temporal.parts if header.temporal else ())
    ]


def check_index(header: Header, records: Sequence[FrameRecord], *, is_ranked: bool) -> None:
    """Whether the counts of one script's frames are possible and add up."""
    before = 0  # states in earlier frames
    # For each ancestor, which were all visited before, two numbers and with ranks one more; one, or two, for
    # each state to come.
    of_ancestor, of_child = (3, 2) if is_ranked else (2, 1)
    for number, record in enumerate(records):
        if record.states > MAX_FRAME_STATES or record.entries > MAX_FRAME_ENTRIES:
            raise CertificateProblem(
                f"frame {number} claims {record.states:,} states and {record.entries:,} entries, "
                "more than a frame may have"
            )
        if record.references > record.entries:
            raise CertificateProblem(f"frame {number} claims more references than entries")
        longest = BYTES_PER_NUMBER * (1 + of_ancestor * before + of_child * max(0, header.states - before))
        if record.start_length > min(longest, MAX_START_BYTES):
            raise CertificateProblem(
                f"frame {number} claims a start section of {record.start_length:,} bytes, which no path "
                "before it can need"
            )
        for length, content in zip(record.lengths, record.most_content, strict=True):
            if length > most_stored(content):
                raise CertificateProblem(
                    f"frame {number} has a section that takes {length:,} bytes in the file, "
                    "more than its counts can need"
                )
        listed = header.subgraphs or header.moves
        announced = record.entries > 0 if is_ranked else listed and record.states > 0
        if bool(record.supplement) != announced or (is_ranked and record.ids):
            raise CertificateProblem(f"frame {number} has other sections than the header announces")
        before += record.states
    for claimed, name in (
        (header.states, "states"),
        (header.transitions, "entries"),
        (header.references, "references"),
    ):
        found = sum(getattr(record, name) for record in records)
        if found != claimed:
            raise CertificateProblem(f"the frames have {found:,} {name}, the header claims {claimed:,}")
