"""What everybody who starts child processes needs: a deep stack for them, and words for how they end."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import threading
from collections.abc import Iterator

STACK_BYTES = 512 << 20

_starting = threading.Lock()


@contextlib.contextmanager
def deep_stack() -> Iterator[None]:
    """A child started inside gets a deep stack: a model follows a long atomic sequence by recursion.

    The limit is inherited, and only address space is reserved, so raising it costs
    nothing. It belongs to the whole process, hence one thread at a time.
    """
    with _starting:
        soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
        wanted = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
        address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
        if address_space != resource.RLIM_INFINITY:  # each thread reserves a stack of that size
            wanted = min(wanted, address_space // 16)
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            yield
            return
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def environment(*, fixed_hashes: bool) -> dict[str, str]:
    """For a child; with `fixed_hashes`, all of them see sets of texts in the same order."""
    return {**os.environ, "PYTHONHASHSEED": "0"} if fixed_hashes else dict(os.environ)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
