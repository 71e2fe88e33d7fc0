"""Files that were given where another kind is expected: said before anything is read in earnest."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from assay.languages import SUFFIXES
from assay.transition_system.language_options import OptionProblem

ANYTHING_ELSE = ""
CERTIFICATE, TRACE = "a certificate", "a trace of a counterexample"
WHAT_IT_IS_FOR = {CERTIFICATE: "check it with assay certify", TRACE: "walk through it with assay replay"}


def kind_of(path: str | Path) -> str:
    """By how it begins; whether it is one will be seen."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a named pipe must not make us wait
    except (OSError, ValueError):
        return ANYTHING_ELSE
    try:
        begin = os.read(descriptor, 64) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)
    if begin.startswith(b"\x89ASSAY\r\n"):
        return CERTIFICATE
    return TRACE if begin.startswith(b"{") and b'"assay-trace"' in begin else ANYTHING_ELSE


def require_program(program: str, *others: str | Path, command: str) -> None:
    kind = kind_of(program)
    if not kind:
        return
    if others:
        swapped = " ".join(map(str, (*others, program)))
        raise OptionProblem(f"{program} is {kind}; the program comes first: assay {command} {swapped}")
    raise OptionProblem(f"{program} is {kind}, no program: {WHAT_IT_IS_FOR[kind]}")


def require_no(kind: str, path: str | Path) -> None:
    """A program is neither a certificate nor a trace, either."""
    if Path(path).suffix in SUFFIXES and not kind_of(path) and Path(path).is_file():
        raise OptionProblem(f"{path} is a program: check it with assay verify")
    if kind_of(path) == kind:
        raise OptionProblem(f"{path} is {kind}: {WHAT_IT_IS_FOR[kind]}")
