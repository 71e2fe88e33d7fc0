"""What the frames of a script have in common, kept once.

Frames are compressed one by one, because different machines decompress them, and yet much of
one frame stands in others too. So each section may have a dictionary, made of that section of
frames spread evenly over the script. A frame then refers to its own content or to the dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import zstandard

from assay.evidence.certificate.header import MAX_DICTIONARY_BYTES, SECTIONS, CertificateProblem
from assay.records import dataclass

SAMPLES = 50
FEWEST_FRAMES = 16  # below, a dictionary saves less than it takes
MAX_WINDOW = 1 << 27

Dictionary = zstandard.ZstdCompressionDict | None
NO_DICTIONARIES: tuple[Dictionary, ...] = (None,) * len(SECTIONS)


class Samples:
    """Chooses what goes into the dictionaries, while all frames pass by."""

    def __init__(self, frames: int) -> None:
        self._wanted = frozenset(spread(frames, min(frames, SAMPLES)))
        self._passed = 0
        self._kept: list[list[bytes]] = [[] for _ in SECTIONS]

    def take(self, *sections: bytes) -> None:
        if self._passed in self._wanted:
            for kept, section in zip(self._kept, sections, strict=True):
                kept.append(section[:MAX_DICTIONARY_BYTES])
        self._passed += 1

    def dictionaries(self) -> tuple[bytes, ...]:
        return tuple(joined(kept) for kept in self._kept)


def spread(length: int, count: int) -> list[int]:
    """`count` of the numbers below `length`, at even distances."""
    return [(2 * index + 1) * length // (2 * count) for index in range(count)]


def joined(sections: Sequence[bytes]) -> bytes:
    """As many of them as surely fit, whole: the paths of a deep tree begin alike, and differ later."""
    longest = max(1, *map(len, sections))
    count = min(len(sections), max(1, MAX_DICTIONARY_BYTES // longest))
    return b"".join(sections[index] for index in spread(len(sections), count))


def most_stored(content: int) -> int:
    """What that many bytes may take in the file: Zstandard lets what it cannot compress grow by less."""
    return content + content // 128 + 1024


def opened(contents: Sequence[bytes | memoryview]) -> tuple[Dictionary, ...]:
    """For compressing and decompressing; nothing for a section whose dictionary is empty."""
    return tuple(
        zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if content else None
        for content in contents
    )


@dataclass(frozen=True, slots=True)
class StoredDictionaries:
    """As they stand in the file; they travel with every task that has frames to decompress."""

    lengths: tuple[int, ...] = ()
    content: bytes = b""

    def opened(self) -> tuple[Dictionary, ...]:
        if not self.lengths:
            return NO_DICTIONARIES
        view = memoryview(self.joint())  # of which each dictionary keeps its own copy
        ends = accumulate(self.lengths)
        return opened([view[end - length : end] for end, length in zip(ends, self.lengths, strict=True)])

    def joint(self) -> bytes:
        """All of them, one behind the other."""
        if not self.lengths:
            return b""
        try:
            if zstandard.frame_content_size(self.content) != sum(self.lengths):
                raise CertificateProblem("the dictionaries are not as long as the header says")
            if zstandard.get_frame_parameters(self.content).window_size > MAX_WINDOW:
                raise CertificateProblem("the dictionaries ask for too large a window")
            joint = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompress(
                self.content, allow_extra_data=False
            )
        except zstandard.ZstdError:
            raise CertificateProblem("the dictionaries cannot be decompressed") from None
        if len(joint) != sum(self.lengths):
            raise CertificateProblem("the dictionaries are not one whole Zstandard frame")
        return joint


def separated(lengths: Sequence[tuple[int, ...]], content: bytes) -> list[StoredDictionaries]:
    """Those of several scripts, each for itself, from one Zstandard frame that holds them all."""
    if len(lengths) == 1:
        return [StoredDictionaries(lengths[0], content)]
    joint = StoredDictionaries(tuple(length for own in lengths for length in own), content).joint()
    apart = []
    begin = 0
    for own in lengths:
        end = begin + sum(own)
        stored = zstandard.ZstdCompressor(level=1).compress(joint[begin:end]) if own else b""
        apart.append(StoredDictionaries(own, stored))
        begin = end
    return apart
