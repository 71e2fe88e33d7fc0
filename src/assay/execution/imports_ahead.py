"""Modules that are imported in a thread while another process is at work.

A copy of this process has none of its threads, but the locks that they held: a copy made in the middle of an
import would wait for ever at the next import of the same module. So whoever makes one waits until it is done.
"""

from __future__ import annotations

import os
from importlib import import_module
from threading import Thread


def import_ahead(module: str) -> None:
    thread = Thread(target=import_module, args=(module,), daemon=True)
    # Before the thread begins: after that, any moment may be one at which a copy is made.
    os.register_at_fork(before=lambda: thread.join() if thread.is_alive() else None)
    thread.start()
