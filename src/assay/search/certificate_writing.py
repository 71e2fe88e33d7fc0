"""From the log of a finished search to a certificate on disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import _engine
from assay.evidence.certificate.container import CertificateWriter, Frame

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
    partial: Path | None = None,
    on_frame: Callable[[int, int], bool],
) -> Written | None:
    """`on_frame` is told how many of how many frames are written, and answers whether to go on; None if not.

    Raises `OSError`, `RuntimeError` or `CertificateProblem`, whose words say why there is no certificate.
    """
    began = time.monotonic()
    script = _engine.ScriptWriter(log, subgraphs=subgraphs)
    frames = _engine.frames_for(script.transitions)
    header = claim.with_counts(
        states=script.states,
        transitions=script.transitions,
        depth=script.depth,
        frames=frames,
        subgraphs=subgraphs,
    )
    with CertificateWriter(path, header, coding=coding, partial=partial) as file:
        written = 0

        def take(*sections: Any) -> bool:
            nonlocal written
            file.add(Frame(*sections))
            written += 1
            return on_frame(written, frames)

        if not script.write(frames, take):
            return None
        return Written(bytes=file.finish(), frames=frames, seconds=time.monotonic() - began)
