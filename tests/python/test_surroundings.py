"""What the environment of a process says decides no verdict: no claim names it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

VIOLATED, REFUSED = 1, 2


def verify(folder: Path, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    program = folder / "program.py"
    program.write_text(text)
    return subprocess.run(
        [sys.executable, "-c", "import sys, assay.cli.main as m; sys.exit(m.main())", "verify", str(program)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


def test_a_module_of_somebody_else_is_not_taken_for_cpythons(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "statistics.py").write_text("def mean(x): return 7\n")
    text = "import statistics\nassert statistics.mean([1, 2]) == 7\n"
    answer = verify(tmp_path, text, PYTHONPATH=str(elsewhere))
    assert (answer.returncode, "not CPython's own" in answer.stdout + answer.stderr) == (REFUSED, True)


def test_numbers_have_as_many_digits_as_by_default(tmp_path: Path) -> None:
    answer = verify(tmp_path, 'int("1" * 5000)\n', PYTHONINTMAXSTRDIGITS="0")
    assert (answer.returncode, "4300 digits" in answer.stdout) == (VIOLATED, True), answer.stderr


def test_the_time_zone_is_always_the_same(tmp_path: Path) -> None:
    text = "from datetime import datetime\nassert datetime(2024, 1, 1).timestamp() != 1704067200.0\n"
    for zone in ("UTC", "Asia/Tokyo"):
        answer = verify(tmp_path, text, TZ=zone)
        assert (answer.returncode, "AssertionError" in answer.stdout) == (VIOLATED, True), answer.stderr
