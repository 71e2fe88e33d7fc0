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
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import zstandard

from assay.evidence.certificate.claim import partial_name
from assay.evidence.certificate.dictionaries import (
    NO_DICTIONARIES,
    Dictionary,
    StoredDictionaries,
    most_stored,
    opened,
)
from assay.evidence.certificate.frames import (
    BYTES_PER_NUMBER,
    CHANGED,
    Frame,
    FrameRecord,
    decode_frame,
    unchanged,
)
from assay.evidence.certificate.header import MAX_HEADER_BYTES, CertificateProblem, Header

MAGIC = b"\x89ASSAY\r\n"
END_MAGIC = b"ASSAYEND"
VERSION = 1
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


class CertificateWriter:
    """Writes a certificate; used as a context, the file appears only when `finish` was called.

    Until then it is `partial`, in the same directory. Whoever gives that name can remove what
    is left when this process is killed. The header gets the lengths of the `dictionaries` given
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
        self._path = path
        self._header = replace(header, dictionaries=tuple(map(len, dictionaries)))
        self._level = LEVELS[coding]
        self._dictionaries = opened(dictionaries) if dictionaries else NO_DICTIONARIES
        for dictionary in self._dictionaries:
            if dictionary is not None:
                dictionary.precompute_compress(level=self._level)
        self._records: list[FrameRecord] = []
        self._partial = partial_name(path) if partial is None else partial
        self._file: BinaryIO = self._partial.open("xb")
        self._digest = hashlib.sha256()
        self._offset = 0
        self._finished = False
        threads = min(MAX_THREADS, len(os.sched_getaffinity(0)))
        self._pool = ThreadPoolExecutor(threads)
        self._pending: deque[tuple[Frame, Future[list[bytes]]]] = deque()
        self._most_pending = 2 * threads
        try:
            self._write_header()
            self._write(self._compressed(b"".join(dictionaries), None))
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

    def _write_header(self) -> None:
        text = self._header.as_bytes()
        if len(text) > MAX_HEADER_BYTES:
            raise CertificateProblem(f"the header would take {len(text):,} bytes, more than a reader accepts")
        self._write(PREAMBLE.pack(MAGIC, VERSION, len(text)) + text)

    def add(self, frame: Frame) -> None:
        self._pending.append((frame, self._pool.submit(self._compressed_sections, frame)))
        if len(self._pending) > self._most_pending:
            self._write_oldest()

    def _write_oldest(self) -> None:
        frame, compression = self._pending.popleft()
        sections = compression.result()
        body = b"".join(sections)
        start, bits, ids, counts, subgraphs = (len(section) for section in sections)
        self._records.append(
            FrameRecord(
                states=frame.states,
                entries=frame.entries,
                references=frame.references,
                start=start,
                bits=bits,
                ids=ids,
                counts=counts,
                subgraphs=subgraphs,
                start_length=len(frame.start),
                checksum=zlib.crc32(body),
            )
        )
        self._write(body)

    def finish(self) -> int:
        """Make the file appear; answers its size in bytes."""
        while self._pending:
            self._write_oldest()
        self._pool.shutdown()
        header, records = self._header, self._records
        written = tuple(sum(getattr(record, name) for record in records) for name in ("states", "entries"))
        if written != (header.states, header.transitions) or len(records) != header.frames:
            raise AssertionError(f"frames with {written} do not add up to {header}")
        index_offset = self._offset
        for record in records:
            self._write(RECORD.pack(*(getattr(record, item.name) for item in fields(FrameRecord))))
        self._write(struct.pack("<Q8s", index_offset, END_MAGIC))
        self._write(self._digest.digest())
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._partial.replace(self._path)
        self._finished = True
        return self._offset

    def _compressed_sections(self, frame: Frame) -> list[bytes]:
        return [
            self._compressed(section, dictionary)
            for section, dictionary in zip(frame.sections, self._dictionaries, strict=True)
        ]

    def _compressed(self, section: bytes, dictionary: Dictionary) -> bytes:
        if not section:
            return b""
        compressor = zstandard.ZstdCompressor(
            level=self._level,
            dict_data=dictionary,
            write_content_size=True,
            write_checksum=False,
            write_dict_id=False,
        )
        return compressor.compress(section)

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._offset += len(data)

    def _discard(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        with contextlib.suppress(OSError):
            self._file.close()
        self._partial.unlink(missing_ok=True)


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
        if version != VERSION:
            raise CertificateProblem(
                f"the certificate has version {version}, this Assay reads version {VERSION}"
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
        except CertificateProblem:
            if self.size <= QUICKLY_READ and self._digest_of_all() != digest:
                raise CertificateProblem(DAMAGED) from None  # the likelier reason, and says more
            raise
        self._digest_what_was_read(header_text, trailer, digest)

    def _open_parts(self, header_text: bytes, index_offset: int) -> None:
        self.header = Header.from_bytes(header_text)
        header_end = PREAMBLE.size + len(header_text)
        index_length = self.size - TRAILER.size - index_offset
        if index_offset < header_end or index_length != self.header.frames * RECORD.size:
            raise CertificateProblem(
                "the index is not where the file says, or not as long as its frames need"
            )
        self._file.seek(index_offset)
        self._index = self._file.read(index_length)
        if len(self._index) != index_length:
            raise CertificateProblem(CHANGED)
        self.records = [FrameRecord(*record) for record in RECORD.iter_unpack(self._index)]
        self._check_index()
        frames_offset = index_offset - sum(record.length for record in self.records)
        self.stored_dictionaries = self._read_dictionaries(header_end, frames_offset - header_end)
        self.dictionaries = self.stored_dictionaries.opened()
        self.offsets: list[int] = []
        self.first_states: list[int] = []
        offset, states = frames_offset, 0
        for record in self.records:
            self.offsets.append(offset)
            self.first_states.append(states)
            offset += record.length
            states += record.states

    def _read_dictionaries(self, offset: int, length: int) -> StoredDictionaries:
        """They fill the file between the header and the frames, if there are any."""
        lengths = self.header.dictionaries
        if length < 0 or (length > 0) != bool(lengths):
            raise CertificateProblem("the frames do not fill the file between header and index")
        if length > most_stored(sum(lengths)):
            raise CertificateProblem(
                f"the dictionaries take {length:,} bytes, more than {sum(lengths):,} bytes of content need"
            )
        self._file.seek(offset)
        return StoredDictionaries(lengths, self._file.read(length))

    def _check_index(self) -> None:
        header, records = self.header, self.records
        before = 0  # states in earlier frames
        for number, record in enumerate(records):
            if record.states > MAX_FRAME_STATES or record.entries > MAX_FRAME_ENTRIES:
                raise CertificateProblem(
                    f"frame {number} claims {record.states:,} states and {record.entries:,} entries, "
                    "more than a frame may have"
                )
            if record.references > record.entries:
                raise CertificateProblem(f"frame {number} claims more references than entries")
            # Two numbers for each ancestor, which were all visited before, and one for each state to come.
            longest = BYTES_PER_NUMBER * (1 + 2 * before + max(0, header.states - before))
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
            if bool(record.subgraphs) != (header.subgraphs and record.states > 0):
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

    def _digest_what_was_read(self, header_text: bytes, trailer: bytes, claimed: bytes) -> None:
        """The digest of the parts as they were read, and of the frames, which are read here."""
        digest = hashlib.sha256(self._preamble)
        digest.update(header_text)
        digest.update(self.stored_dictionaries.content)
        self.frame_digests: list[bytes] = []
        for record, offset in zip(self.records, self.offsets, strict=True):
            self._file.seek(offset)
            body = self._file.read(record.length)
            digest.update(body)
            self.frame_digests.append(hashlib.sha256(body).digest())
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

    def frame_bytes(self, number: int) -> bytes:
        """A frame as it stands in the file, for sending it elsewhere."""
        self._file.seek(self.offsets[number])
        return unchanged(self._file.read(self.records[number].length), self.frame_digests[number])

    def frame(self, number: int, *, bits_only: bool = False) -> Frame:
        record, body = self.records[number], self.frame_bytes(number)
        return decode_frame(number, record, body, self.dictionaries, bits_only=bits_only)

    def frames(self) -> Iterator[Frame]:
        for number in range(len(self.records)):
            yield self.frame(number)
