"""One live line on a terminal while a certificate is walked along."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.report.quantities import count, seconds_text

if TYPE_CHECKING:
    from assay.certification import CertificationProgress


def progress_text(progress: CertificationProgress, elapsed: float) -> str:
    share = progress.entries / progress.total if progress.total else 1.0
    rate = progress.entries / elapsed if elapsed > 0 else 0.0
    left = (progress.total - progress.entries) / rate if rate else 0.0
    parts = [
        f"{share:.0%} of {progress.total:,} transitions",
        f"{progress.states:,} states",
        f"{progress.tasks_done} of {count(progress.tasks, 'task')} done",
        seconds_text(elapsed),
    ]
    if left > 1:
        parts.append(f"about {seconds_text(left)} left")
    return "  ".join(parts)


@contextmanager
def certification_listener(*, wanted: bool) -> Iterator[Callable[[CertificationProgress], None] | None]:
    """A listener that redraws one line, or None where nobody looks."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from assay.report.progress import live_line

    began = time.monotonic()
    with live_line() as draw:
        yield lambda progress: draw(progress_text(progress, time.monotonic() - began))
