"""A certificate of several scripts: the one over the states, and those of its temporal parts, which were
written one by one before it was known that there would be a certificate."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Self

from assay.evidence.certificate.container import LEVELS, CertificateFile, FrameStream, PartialFile, compressed
from assay.evidence.certificate.frames import CHANGED, Frame, FrameRecord
from assay.evidence.certificate.header import (
    MAX_FRAMES,
    MOST_DICTIONARY_BYTES,
    CertificateProblem,
    Part,
    Temporal,
)
from assay.records import dataclass

BLOCK = 1 << 20


class PartWriter:
    """Writes the script of a temporal part into a file of its own: its dictionaries as they are, then its
    frames. The file is nobody's but the one's who assembles a certificate of it."""

    def __init__(self, path: Path, *, coding: str, dictionaries: Sequence[bytes]) -> None:
        self._file: BinaryIO = path.open("xb")
        self._dictionaries = dictionaries
        self._frames = FrameStream(self._write, coding, dictionaries)
        self._write(b"".join(dictionaries))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._frames.discard()
        with contextlib.suppress(OSError):
            self._file.close()

    def add(self, frame: Frame) -> None:
        self._frames.add(frame)

    def finish(self) -> dict[str, Any]:
        """What has to be known of the file besides, for `StoredPart.from_json`."""
        self._frames.finish()
        self._file.close()
        return {
            "dictionaries": [len(dictionary) for dictionary in self._dictionaries],
            "records": [record.as_stored for record in self._frames.records],
        }

    def _write(self, data: bytes) -> None:
        self._file.write(data)


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A part that was written, and what it is about."""

    file: Path
    part: Part
    records: tuple[FrameRecord, ...]

    @classmethod
    def from_json(cls, file: Path, data: Mapping[str, Any], *, kind: str, name: str, text: str) -> StoredPart:
        records = tuple(FrameRecord(*record, is_ranked=True) for record in data["records"])
        part = Part(
            kind=kind,
            name=name,
            text=text,
            rank=data["rank"],
            states=data["states"],
            transitions=data["transitions"],
            depth=data["depth"],
            frames=len(records),
            dictionaries=tuple(data["dictionaries"]),
        )
        return cls(file, part, records)


def assemble(path: Path, states: Path, temporal: Temporal, parts: Sequence[StoredPart], coding: str) -> int:
    """Write a certificate from the one over the states and from the parts; answers its size in bytes.

    `temporal` says what was asked for; it gets the parts. Raises `CertificateProblem` or `OSError`.
    """
    with CertificateFile(states) as file:
        header = replace(file.header, temporal=replace(temporal, parts=tuple(one.part for one in parts)))
        lengths = [header.dictionaries, *(one.part.dictionaries for one in parts)]
        if sum(map(sum, lengths)) > MOST_DICTIONARY_BYTES or header.frames > MAX_FRAMES:
            raise CertificateProblem("so many properties do not fit one certificate")
        joint = file.stored_dictionaries.joint()
        for one in parts:
            with one.file.open("rb") as stored:
                joint += stored.read(sum(one.part.dictionaries))
        with PartialFile(path, header, None) as target:
            target.write(compressed(joint, LEVELS[coding]))
            for number in range(len(file.records)):
                target.write(file.frame_bytes(number))
            for one in parts:
                with one.file.open("rb") as stored:
                    stored.seek(sum(one.part.dictionaries))
                    _copy(stored, target, sum(record.length for record in one.records))
            return target.close([*file.records, *(record for one in parts for record in one.records)])


def _copy(source: BinaryIO, target: PartialFile, length: int) -> None:
    while length:
        block = source.read(min(length, BLOCK))
        if not block:
            raise CertificateProblem(CHANGED)
        target.write(block)
        length -= len(block)
