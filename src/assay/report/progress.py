"""One live line on a terminal: states, rate, memory, frontier, depth, elapsed. Silent in pipes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from assay.execution.model_process import Progress
from assay.report.quantities import bytes_text, rate_text, seconds_text
from assay.verification.request import Phase

QUIET_SECONDS = 0.3  # short runs show nothing
REDRAW_SECONDS = 0.1
SILENCE_WORTH_SAYING_SECONDS = 5.0


def progress_text(progress: Progress, elapsed: float) -> str:
    if progress.frames:
        return (
            f"writing the certificate  {progress.frames_written:,} of {progress.frames:,} frames"
            f"  {seconds_text(elapsed)}"
        )
    rate = progress.states / progress.seconds if progress.seconds > 0 else 0.0
    parts = [
        f"{progress.states:,} states",
        rate_text(rate),
        bytes_text(progress.memory_bytes),
        f"frontier {progress.frontier:,}",
        f"depth {progress.depth:,}",
        *([progress.note] if progress.note else []),
        seconds_text(elapsed),
    ]
    if progress.silent_seconds > SILENCE_WORTH_SAYING_SECONDS:
        parts.append(f"no answer from the model for {seconds_text(progress.silent_seconds)}")
    return "  ".join(parts)


@contextmanager
def progress_listener(*, wanted: bool) -> Iterator[Callable[[Phase | Progress], None] | None]:
    """A listener that redraws the line, or None where nobody looks."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    began = time.monotonic()

    def text(event: Phase | Progress) -> str:
        if isinstance(event, Phase):
            return f"{event.name} {event.program}"
        return progress_text(event, time.monotonic() - began)

    with live_line() as draw:
        yield lambda event: draw(text(event))


@contextmanager
def live_line() -> Iterator[Callable[[str], None]]:
    """A line on standard error that is drawn over itself, not too often, and wiped at the end."""
    began = time.monotonic()
    drawn = 0.0

    def draw(text: str) -> None:
        nonlocal drawn
        now = time.monotonic()
        if now - began < QUIET_SECONDS or now - drawn < REDRAW_SECONDS:
            return
        drawn = now
        _write("\r\x1b[2K" + text[: _terminal_width() - 1])

    try:
        yield draw
    finally:
        if drawn:
            _write("\r\x1b[2K")


def _write(text: str) -> None:
    """A terminal that has gone away takes nothing with it."""
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size().columns
