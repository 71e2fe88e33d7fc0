"""Files that other processes open and nobody can change: what is run is what was made.

A sealed file has no name in any directory. It lives in memory, as long as this process keeps it, and
every process of the same user opens it under `path`; from the moment it is made its content is fixed, for its
maker too. Nothing is left behind, whatever happens to the process.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from pathlib import Path

_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


class SealedFile:
    """Keeps its file for as long as it lives itself."""

    def __init__(self, content: bytes) -> None:
        descriptor = os.memfd_create("assay", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._close = weakref.finalize(self, os.close, descriptor)
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
        self.path = Path(f"/proc/{os.getpid()}/fd/{descriptor}")
