"""One frame of a certificate: its record in the index, its sections, and how to decompress them.

Apart from the file around them, because the processes that walk need no more than this.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache

import zstandard

from assay.evidence.certificate.dictionaries import MAX_WINDOW, NO_DICTIONARIES, Dictionary
from assay.evidence.certificate.header import SECTIONS, CertificateProblem
from assay.records import dataclass

BYTES_PER_NUMBER = 5
BYTES_PER_SUBGRAPH = 5 + 7
CHANGED = "the file changed while it was read"


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame, decompressed. `subgraphs` and `moves` are empty unless the header promises them, `excesses`
    unless the frame is of a temporal part: the last section is one of the three. Such parts have no `ids`."""

    states: int
    entries: int
    references: int
    start: bytes
    bits: bytes
    ids: bytes
    counts: bytes
    subgraphs: bytes = b""
    excesses: bytes = b""
    moves: bytes = b""

    @property
    def supplement(self) -> bytes:
        return self.subgraphs or self.excesses or self.moves

    @property
    def sections(self) -> tuple[bytes, ...]:
        return self.start, self.bits, self.ids, self.counts, self.supplement


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """A line of the index; lengths are those in the file."""

    states: int
    entries: int
    references: int
    start: int
    bits: int
    ids: int
    counts: int
    supplement: int
    start_length: int
    checksum: int
    # Not in the index: whether it is of a temporal part, or names moves.
    is_ranked: bool = field(default=False, kw_only=True)
    has_moves: bool = field(default=False, kw_only=True)

    @property
    def as_stored(self) -> tuple[int, ...]:
        return self.states, self.entries, self.references, *self.lengths, self.start_length, self.checksum

    @property
    def lengths(self) -> tuple[int, ...]:
        return self.start, self.bits, self.ids, self.counts, self.supplement

    @property
    def length(self) -> int:
        return sum(self.lengths)

    @property
    def most_content(self) -> tuple[int, ...]:
        """What the counts allow each section to be when decompressed."""
        return (
            self.start_length,
            (self.entries + 7) // 8,
            0 if self.is_ranked else self.references * BYTES_PER_NUMBER,
            self.states * BYTES_PER_NUMBER,
            self._most_of_supplement,
        )

    @property
    def _most_of_supplement(self) -> int:
        if self.is_ranked:
            return self.entries * BYTES_PER_NUMBER
        if self.has_moves:
            return (self.states + max(0, self.entries - self.references)) * BYTES_PER_NUMBER
        return self.states * BYTES_PER_SUBGRAPH


def unchanged(body: bytes, digest: bytes) -> bytes:
    """A frame that is read, if it is what was there when the certificate was opened."""
    if hashlib.sha256(body).digest() != digest:
        raise CertificateProblem(CHANGED)
    return body


def decode_frame(
    number: int,
    record: FrameRecord,
    body: bytes,
    dictionaries: Sequence[Dictionary] = NO_DICTIONARIES,
    *,
    bits_only: bool = False,
) -> Frame:
    """Decompress one frame, taking no more memory than its counts allow.

    `bits_only` leaves out what only matters to somebody who does not trust the
    producer: ids, counts and subgraphs. Moves stay, which lead whoever does.
    """
    if len(body) != record.length or zlib.crc32(body) != record.checksum:
        raise CertificateProblem(f"frame {number} is damaged: its checksum is not the one in the index")
    sections: list[bytes] = []
    position = 0
    for index, (length, limit, dictionary) in enumerate(
        zip(record.lengths, record.most_content, dictionaries, strict=True)
    ):
        wanted = index < 2 or not bits_only or (record.has_moves and index == len(record.lengths) - 1)
        section = body[position : position + length]
        sections.append(_decompressed(number, section, limit, dictionary) if wanted else b"")
        position += length
    if len(sections[0]) != record.start_length or len(sections[1]) != (record.entries + 7) // 8:
        raise CertificateProblem(f"frame {number} has sections of other lengths than the index says")
    before = 2 if record.has_moves else 1 if record.is_ranked else 0  # other last sections of a `Frame`
    sections[-1:-1] = [b""] * before
    return Frame(record.states, record.entries, record.references, *sections)


@lru_cache(maxsize=2 * len(SECTIONS))
def _decompressor(dictionary: Dictionary) -> zstandard.ZstdDecompressor:
    """Made once for all frames: that takes as long as a section does."""
    return zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=MAX_WINDOW)


def _decompressed(number: int, section: bytes, limit: int, dictionary: Dictionary) -> bytes:
    if not section:
        return b""
    try:
        size = zstandard.frame_content_size(section)
        if not 0 < size <= limit:
            raise CertificateProblem(
                f"frame {number} has a section of {size:,} bytes where its counts allow {limit:,}"
            )
        if zstandard.get_frame_parameters(section).window_size > MAX_WINDOW:
            raise CertificateProblem(f"frame {number} has a section that asks for too large a window")
        # Decompresses into a buffer of that size and no further, whatever the blocks say.
        content = _decompressor(dictionary).decompress(section, allow_extra_data=False)
    except zstandard.ZstdError:
        raise CertificateProblem(f"frame {number} cannot be decompressed") from None
    if len(content) != size:
        raise CertificateProblem(f"frame {number} has a section that is not one whole Zstandard frame")
    return content
