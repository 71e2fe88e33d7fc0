"""The engine below and at the bindings, built for sanitizers: nothing reads or writes what is not its own."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "sanitized"
STRICT = {"-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"}
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


def run(command: list[str | Path], **environment: str) -> str:
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-20000:]}\n{done.stderr[-20000:]}"
    return done.stdout


def configure(build: Path, *options: str) -> None:
    tools = Path(sysconfig.get_path("scripts"))
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}"] if (ccache := shutil.which("ccache")) else []
    run(
        [
            tools / "cmake",
            *("-S", ROOT, "-B", build, "-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}",
            f"-DPython_EXECUTABLE={sys.executable}",
            "-DCMAKE_BUILD_TYPE=Release",
            "-DASSAY_NATIVE_TESTS=ON",
            *launcher,
            *options,
        ]
    )


def build(*targets: str) -> None:
    """One at a time: tests of this file may run side by side."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        configure(BUILD, "-DASSAY_SANITIZE=ON")
        run([Path(sysconfig.get_path("scripts")) / "ninja", "-C", BUILD, *targets])


def test_every_file_of_ours_is_compiled_with_the_strict_warnings(tmp_path):
    configure(tmp_path, "-DASSAY_STRICT=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    ours = [
        entry
        for entry in commands
        if Path(entry["file"]).is_relative_to(ROOT) and ".venv" not in entry["file"]
    ]
    compiled = {Path(entry["file"]).relative_to(ROOT) for entry in ours}
    sources = {
        path.relative_to(ROOT)
        for folder in ("engine", "tests/native")
        for path in (ROOT / folder).rglob("*.cpp")
    }
    assert compiled == sources
    for entry in ours:
        assert set(entry["command"].split()) >= STRICT, entry["file"]


def test_the_tests_below_the_bindings_pass_under_sanitizers():
    build("assay-native-tests")
    said = run([BUILD / "assay-native-tests"], UBSAN_OPTIONS="print_stacktrace=1")
    passed, failed = said.strip().splitlines()[-1].split(", ")
    assert int(passed.split()[0]) >= 50
    assert failed == "0 failed"


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
