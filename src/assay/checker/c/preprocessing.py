"""The text that gcc's preprocessor makes of a file, which is read once and given to it as bytes.

What a stranger may say to gcc is -D and -I, and nothing of the user's environment but where gcc is.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from assay.checker.c.problems import CannotCheck, NoProgram

SECONDS = 60
MEMORY_BYTES = 4 << 30
MOST_BYTES = 16 << 20
FLAGS = {"LP64": "-m64", "ILP32": "-m32"}


def expand(source: bytes, path: Path, model: str, flags: Sequence[str]) -> bytes:
    """With the preprocessor's line markers."""
    marker = b'# 1 "%s"\n' % os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    common = ["-std=gnu11", FLAGS[model], "-iquote", str(path.parent), *flags, "-x", "c", "-"]
    gcc(["-fsyntax-only", "-w", *common], marker + source)
    expanded = gcc(["-E", *common], marker + source)
    if len(expanded) > MOST_BYTES:
        raise CannotCheck(f"more than {MOST_BYTES} bytes after the preprocessor")
    return expanded


def without_markers(expanded: bytes) -> bytes:
    return b"\n".join(line for line in expanded.split(b"\n") if not line.startswith(b"# "))


def gcc(arguments: list[str], source: bytes) -> bytes:
    compiler = shutil.which("gcc")
    if compiler is None:
        raise CannotCheck("gcc was not found, and programs are read after its preprocessor")
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    try:
        done = subprocess.run(
            [compiler, *arguments],
            input=source,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**kept, "LC_ALL": "C"},
            preexec_fn=_limit,
        )
    except subprocess.TimeoutExpired:
        raise CannotCheck(f"gcc needs more than {SECONDS} s for this program") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise NoProgram(f"gcc does not accept this program: {said[:400]}")
    return done.stdout


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
