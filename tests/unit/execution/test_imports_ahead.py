"""A copy of a process that is importing something must not wait for a thread that it does not have."""

from __future__ import annotations

import subprocess
import sys

SLOW = """
import time
import started_slowly.marker
time.sleep(0.5)
VALUE = 7
"""

FORKS_MEANWHILE = """
import os, sys, time
from assay.execution.imports_ahead import import_ahead

import_ahead("started_slowly")
while "started_slowly.marker" not in sys.modules:
    time.sleep(0.001)
pid = os.fork()
if pid == 0:
    import started_slowly

    os._exit(started_slowly.VALUE)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_copy_made_in_the_middle_of_an_import_can_import_the_same(tmp_path):
    package = tmp_path / "started_slowly"
    package.mkdir()
    (package / "__init__.py").write_text(SLOW)
    (package / "marker.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", FORKS_MEANWHILE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "7\n"
