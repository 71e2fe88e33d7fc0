"""From the log of a finished search to a certificate on disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import _engine
from assay.evidence.certificate.assembly import PartWriter
from assay.evidence.certificate.container import CertificateWriter
from assay.evidence.certificate.dictionaries import FEWEST_FRAMES, Samples
from assay.evidence.certificate.frames import Frame
from assay.records import dataclass

if TYPE_CHECKING:
    from assay.evidence.certificate.claim import Claim


SMALLEST_RANKED_FRAME = 256  # entries


@dataclass(frozen=True, slots=True)
class Written:
    bytes: int
    frames: int
    seconds: float


def write_certificate(
    log: _engine.GraphLog,
    claim: Claim,
    path: Path,
    *,
    coding: str,
    subgraphs: bool,
    memory_bytes: int = 0,
    partial: Path | None = None,
    on_frame: Callable[[int, int], bool],
) -> Written | None:
    """`on_frame` is told how many of how many frames are done, and answers whether to go on; None if not.

    `memory_bytes` is what it may take to number the states; 0: as much as it needs.
    In the small coding all frames pass by once more beforehand, for their dictionaries, and count twice.
    Raises `OSError`, `RuntimeError` or `CertificateProblem`, whose words say why there is no certificate.
    """
    began = time.monotonic()
    # One section or the other: whoever wants subtrees cut cuts them by the first.
    moves = log.names_moves and not subgraphs
    script = _engine.ScriptWriter(log, subgraphs=subgraphs, memory_bytes=memory_bytes, moves=moves)
    frames = _engine.frames_for(script.transitions)
    header = claim.with_counts(
        states=script.states,
        transitions=script.transitions,
        depth=script.depth,
        frames=frames,
        subgraphs=subgraphs,
        moves=moves,
    )
    writing = Writing(script, frames, coding, on_frame)
    dictionaries = writing.dictionaries()
    if dictionaries is None:
        return None
    with CertificateWriter(path, header, coding=coding, partial=partial, dictionaries=dictionaries) as file:
        if not writing.into(file.add):
            return None
        return Written(bytes=file.finish(), frames=frames, seconds=time.monotonic() - began)


def write_part(
    log: _engine.GraphLog,
    ranks: _engine.RankedGraph,
    path: Path,
    *,
    coding: str,
    on_frame: Callable[[int, int], bool],
) -> dict[str, Any] | None:
    """The same for the script with ranks of a temporal part; what `StoredPart` has to know of it."""
    ranks.assign()
    script = _engine.ScriptWriter(log, ranks)
    # Where ranks stand on the path, the start of a frame is longer, and small frames are mostly that.
    frames = min(_engine.frames_for(script.transitions), max(1, script.transitions // SMALLEST_RANKED_FRAME))
    writing = Writing(script, frames, coding, on_frame)
    dictionaries = writing.dictionaries()
    if dictionaries is None:
        return None
    with PartWriter(path, coding=coding, dictionaries=dictionaries) as file:
        if not writing.into(file.add):
            return None
        return {
            "rank": ranks.rank(0),
            "states": script.states,
            "transitions": script.transitions,
            "depth": script.depth,
            **file.finish(),
        }


class Writing:
    """The frames of a script on their way into a file: twice, if they are to have dictionaries."""

    def __init__(
        self, script: _engine.ScriptWriter, frames: int, coding: str, on_frame: Callable[[int, int], bool]
    ) -> None:
        self._script = script
        self._frames = frames
        self._has_dictionaries = coding == "small" and frames >= FEWEST_FRAMES
        self._on_frame = on_frame
        self._done = 0

    def dictionaries(self) -> tuple[bytes, ...] | None:
        """None: it was told to stop."""
        if not self._has_dictionaries:
            return ()
        samples = Samples(self._frames)

        def sample(frame: Frame) -> None:
            samples.take(*frame.sections)

        return samples.dictionaries() if self.into(sample) else None

    def into(self, add: Callable[[Frame], None]) -> bool:
        """False: it was told to stop."""

        def take(*sections: Any) -> bool:
            add(Frame(*sections))
            self._done += 1
            return self._on_frame(self._done, self._frames * (2 if self._has_dictionaries else 1))

        return self._script.write(self._frames, take)
