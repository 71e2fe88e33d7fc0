"""The engine below the bindings, built for sanitizers: nothing reads or writes what is not its own."""

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


@pytest.mark.time_limit(1500)  # it builds the engine once more
def test_the_tests_below_the_bindings_pass_under_sanitizers():
    build("assay-native-tests")
    said = run([BUILD / "assay-native-tests"], UBSAN_OPTIONS="print_stacktrace=1")
    passed, failed = said.strip().splitlines()[-1].split(", ")
    assert int(passed.split()[0]) >= 50
    assert failed == "0 failed"
