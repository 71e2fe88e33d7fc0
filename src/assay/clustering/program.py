"""A compiled program on its way to the workers: a file of the shared directory.

What was compiled here is what is opened there, so that no worker has another compiler's model. Its digest
travels with every task: a worker opens no other file.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from pathlib import Path
from typing import Any

from assay.records import dataclass
from assay.transition_system.interface import Opening

MODEL = "assay-cluster-model"
CLASS = f"{MODEL}.py"  # of a program that is a class
CLASS_OPENER = "assay.languages.handwritten:open_class"


@dataclass(frozen=True, slots=True)
class SharedProgram:
    """Where it lies, and what a worker must agree in."""

    directory: str
    sha256: str
    opener: str
    settings: str  # JSON
    fixed_hashes: bool
    c_library: str = ""  # that embedded C calls; empty: there is none
    machine: str = platform.machine()
    python: str = platform.python_version()


class NotTheSame(Exception):
    """A worker cannot take part: it would not search the same program."""


def has_parts(opening: Opening) -> bool:
    """Its states name parts by numbers of their process: a program of the engine's machine, and one whose
    embedded C has more memory than is copied into states."""
    return opening.needs_interpreter or bool(opening.settings.get("numbered"))


def share(opening: Opening, directory: str) -> SharedProgram:
    content = Path(opening.file).read_bytes()
    settings = dict(opening.settings)
    target = Path(directory) / MODEL
    if opening.opener == CLASS_OPENER:
        target = target.with_name(CLASS)
        settings["class"] = f"{target}:{str(settings['class']).rpartition(':')[2]}"
    fresh = target.with_name(f"{target.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(content)
    fresh.replace(target)
    return SharedProgram(
        directory,
        hashlib.sha256(content).hexdigest(),
        opening.opener,
        json.dumps(settings, sort_keys=True),
        opening.fixed_hashes,
        c_library() if opening.settings.get("foreign") else "",
    )


def c_library() -> str:
    """What decides about the results of functions that embedded C calls: the library of this machine, which
    computes some of them in another way, with another last digit, on processors that can do more."""
    version = os.confstr("CS_GNU_LIBC_VERSION") or "another C library"
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    flags = next((line.partition(":")[2].split() for line in text.splitlines() if line[:5] == "flags"), [])
    return " ".join([version, *sorted({"avx2", "avx512f", "fma", "fma4", "sse4_1"} & set(flags))])


def opened(shared: SharedProgram) -> Any:
    """The model, in this process."""
    from assay.transition_system.opening import open_model

    if (shared.machine, shared.python) != (platform.machine(), platform.python_version()):
        raise NotTheSame(
            f"it runs Python {platform.python_version()} on {platform.machine()}, "
            f"and Python {shared.python} on {shared.machine} is needed"
        )
    if shared.c_library and shared.c_library != c_library():
        raise NotTheSame(
            f"embedded C would call functions of {c_library()} there, and of {shared.c_library} here, whose "
            "results may differ"
        )
    file = Path(shared.directory) / (CLASS if shared.opener == CLASS_OPENER else MODEL)
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise NotTheSame(
            f"it does not see {shared.directory} ({problem.strerror}); "
            "give it a directory that all workers share with this machine"
        ) from None
    if hashlib.sha256(content).hexdigest() != shared.sha256:
        raise NotTheSame(f"{file} is another program there than here")
    settings = json.loads(shared.settings)
    if shared.opener == CLASS_OPENER:
        return open_model(Opening(str(file), shared.opener, settings, shared.fixed_hashes))
    descriptor = os.memfd_create("assay-model")
    with os.fdopen(os.dup(descriptor), "wb") as copy:
        copy.write(content)
    return open_model(Opening(f"/proc/self/fd/{descriptor}", shared.opener, settings, shared.fixed_hashes))
