"""The text that gcc's preprocessor makes of a file, which is read once and given to it as bytes.

What a stranger may say to gcc is -D and -I, and nothing of the user's environment but where gcc is. It is
started without `subprocess`, whose import takes as long as gcc does for a small program, and has files in
memory for what it reads and writes, so that nobody waits for anybody.
"""
# pathlib takes almost as long to import as gcc to expand a small program.
# ruff: noqa: PTH113, PTH118, PTH120

from __future__ import annotations

import os
import resource
import time
from collections.abc import Sequence

from assay.checker.c.problems import CannotCheck, NoProgram

SECONDS = 60
MEMORY_BYTES = 4 << 30
MOST_BYTES = 16 << 20
MOST_WRITTEN = 1 << 27  # by gcc, to one file
FLAGS = {"LP64": "-m64", "ILP32": "-m32"}
# Headers of 64 bits serve for 32 too, where those are missing: found after all others.
OTHERS = {
    "ILP32": (
        *("-idirafter", "/usr/include/x86_64-linux-gnu"),
        *("-idirafter", os.path.join(os.path.dirname(__file__), "headers")),
    )
}
PAUSE, LONGEST_PAUSE = 0.0005, 0.01  # between two looks at whether gcc has ended
KILL = 9
LIMITS = (
    (resource.RLIMIT_CPU, SECONDS),
    (resource.RLIMIT_AS, MEMORY_BYTES),
    (resource.RLIMIT_FSIZE, MOST_WRITTEN),
)


def expand(source: bytes, path: str | os.PathLike[str], model: str, flags: Sequence[str]) -> bytes:
    """With the preprocessor's line markers."""
    marker = b'# 1 "%s"\n' % os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    folder = os.path.dirname(os.fspath(path)) or "."
    common = ["-std=gnu11", FLAGS[model], "-iquote", folder, *flags, *OTHERS.get(model, ()), "-x", "c", "-"]
    working: list[Gcc] = []
    try:
        for wanted in (["-fsyntax-only", "-w"], ["-E"]):
            working.append(Gcc([*wanted, *common], marker + source))  # noqa: PERF401 (one may fail)
        for one in working:
            one.wait()
        expanded = working[-1].said(1, MOST_BYTES + 1)
    finally:
        for one in working:
            one.end()
    if len(expanded) > MOST_BYTES:
        raise CannotCheck(f"more than {MOST_BYTES} bytes after the preprocessor")
    return expanded


def without_markers(expanded: bytes) -> bytes:
    return b"\n".join(line for line in expanded.split(b"\n") if not line.startswith(b"# "))


class Gcc:
    """A compiler at work, in a group of processes of its own."""

    def __init__(self, arguments: Sequence[str], source: bytes) -> None:
        compiler = _found()
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        self.files = [os.memfd_create(name) for name in ("read by gcc", "written by gcc", "said by gcc")]
        self.process = 0
        try:
            with open(self.files[0], "wb", closefd=False) as file:
                file.write(source)
            os.lseek(self.files[0], 0, os.SEEK_SET)
            self.process = os.posix_spawn(
                compiler,
                [compiler, *arguments],
                {**kept, "LC_ALL": "C"},
                file_actions=[(os.POSIX_SPAWN_DUP2, one, number) for number, one in enumerate(self.files)],
                setpgroup=0,
            )
            for kind, most in LIMITS:
                resource.prlimit(self.process, kind, (most, most))
        except ProcessLookupError:
            pass  # it has ended already
        except BaseException:
            self.end()
            raise

    def wait(self) -> None:
        """Until it has accepted what it was given; raises NoProgram if it does not."""
        end, pause = time.monotonic() + SECONDS, PAUSE
        while True:
            ended, status = os.waitpid(self.process, os.WNOHANG)
            if ended:
                break
            if time.monotonic() > end:
                raise CannotCheck(f"gcc needs more than {SECONDS} s for this program")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        self.process = 0
        if status != 0:
            said = self.said(2, 4_000).decode("utf-8", "replace").strip().split("\n")[0]
            raise NoProgram(f"gcc does not accept this program: {said[:400]}")

    def said(self, number: int, most: int) -> bytes:
        with open(self.files[number], "rb", closefd=False) as file:
            file.seek(0)
            return file.read(most)

    def end(self) -> None:
        if self.process:
            os.killpg(self.process, KILL)
            os.waitpid(self.process, 0)
            self.process = 0
        while self.files:
            os.close(self.files.pop())


def _found() -> str:
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        file = os.path.join(folder or ".", "gcc")
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    raise CannotCheck("gcc was not found, and programs are read after its preprocessor")
