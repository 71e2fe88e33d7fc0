"""From the log of a finished search to a certificate on disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import _engine
from assay.evidence.certificate.container import CertificateWriter
from assay.evidence.certificate.dictionaries import FEWEST_FRAMES, Samples
from assay.evidence.certificate.frames import Frame

if TYPE_CHECKING:
    from assay.evidence.certificate.claim import Claim


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
    script = _engine.ScriptWriter(log, subgraphs=subgraphs, memory_bytes=memory_bytes)
    frames = _engine.frames_for(script.transitions)
    header = claim.with_counts(
        states=script.states,
        transitions=script.transitions,
        depth=script.depth,
        frames=frames,
        subgraphs=subgraphs,
    )
    samples = Samples(frames) if coding == "small" and frames >= FEWEST_FRAMES else None
    total = frames if samples is None else 2 * frames
    done = 0

    def took_one() -> bool:
        nonlocal done
        done += 1
        return on_frame(done, total)

    if samples is not None:

        def sample(_states: int, _entries: int, _references: int, *sections: bytes) -> bool:
            samples.take(*sections)
            return took_one()

        if not script.write(frames, sample):
            return None
    dictionaries = () if samples is None else samples.dictionaries()
    with CertificateWriter(path, header, coding=coding, partial=partial, dictionaries=dictionaries) as file:

        def take(*sections: Any) -> bool:
            file.add(Frame(*sections))
            return took_one()

        if not script.write(frames, take):
            return None
        return Written(bytes=file.finish(), frames=frames, seconds=time.monotonic() - began)
