"""Searches through the bindings with a sanitized engine: `make sanitize`, some ten minutes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.native.test_native import BUILD, ROOT, build, run

# What runs through the bindings, in one process and in children: searches, and every construct of the machine
# for Python programs. Nothing that measures memory, of which sanitizers take a multiple; nothing in Promela,
# whose preprocessor may have less address space than they need; nothing that takes long.
SEARCHES = [
    "tests/engine/test_exact_storage.py",
    "tests/engine/test_many_values_per_word.py",
    "tests/conformance/test_observers_and_matching.py",
    "tests/python/test_holes.py",
    "tests/python/test_sequential.py",
]


@pytest.fixture(scope="module")
def sanitized_python() -> tuple[Path, dict[str, str]]:
    """A Python whose `assay` is ours with a sanitized engine and walker, and the variables that it needs."""
    build("_engine", "assay-walker")
    package = BUILD / "package" / "assay"
    shutil.rmtree(BUILD / "package", ignore_errors=True)
    shutil.copytree(ROOT / "src" / "assay", package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (package / "include").mkdir()
    shutil.copy(ROOT / "engine" / "transition_system" / "model_abi.h", package / "include")
    for file in [*BUILD.glob("_engine*.so"), BUILD / "assay-walker"]:
        shutil.copy(file, package)
    home = BUILD / "python"
    run([sys.executable, "-m", "venv", "--without-pip", "--clear", home])
    python = home / "bin" / "python"
    # The other packages are those of this Python, but not its `assay`: a path in a .pth file brings no .pth
    # files along.
    site = Path(run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip())
    others = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "sanitized.pth").write_text("\n".join([str(package.parent), *sorted(others)]) + "\n")
    libraries = [
        run(["gcc", f"-print-file-name={library}"]).strip()
        for library in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    return python, {
        # Sanitizers have to be there before anything else is. What Python itself never frees is not ours to
        # judge.
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def test_whole_searches_are_clean_under_sanitizers(sanitized_python):
    python, environment = sanitized_python
    where = run([python, "-c", "import assay._engine; print(assay._engine.__file__)"], **environment)
    assert Path(where.strip()).is_relative_to(BUILD)
    run([python, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *SEARCHES], **environment)


def test_the_sanitizers_would_say_so(sanitized_python):
    """An access behind the end, in the process in which the searches run."""
    python, environment = sanitized_python
    overrun = "import ctypes; libc = ctypes.CDLL(None); libc.malloc.restype = ctypes.c_void_p; "
    overrun += "block = libc.malloc(16); libc.memset(ctypes.c_void_p(block), 0, 17)"
    done = subprocess.run(
        [python, "-c", overrun],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
