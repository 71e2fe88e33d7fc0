"""The machine under test, seen through the oracle's eyes.

`assay.languages.python.outcomes(text, granularity)` explores every state and returns pairs: the globals that
hold plain data, as texts by name, and "ok", "deadlock" or the last line of a traceback. Here they become
`Outcome`s that can be compared.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from assay.transition_system.interface import SourceProblem
from tests.python.oracle.outcome import Outcome

ENTRY = "assay.languages.python"
COLLECT_OUTPUT = """\
OUTPUT = []
def print(*values, sep=" ", end="\\n"):
    OUTPUT.append(sep.join([str(value) for value in values]) + end)
"""


class Refused(Exception):
    """The machine does not take this program, and says so: nothing to compare."""


def why_missing() -> str | None:
    """Why there is no machine to compare with; None when there is one."""
    try:
        module = import_module(ENTRY)
        engine = import_module("assay._engine")
    except ImportError as problem:
        return f"{ENTRY} cannot be imported: {problem}"
    if not hasattr(module, "outcomes"):
        return f"{ENTRY} has no outcomes() yet"
    return None if hasattr(engine, "PythonMachine") else "the engine was built without the machine for Python"


def outcomes(text: str, granularity: str) -> frozenset[Outcome]:
    """How the runs of a program end, according to the machine, as far as the two can be compared."""
    explore: Any = import_module(ENTRY).outcomes
    try:
        found = explore(text, granularity)
    except SourceProblem as problem:
        raise Refused(str(problem)) from problem
    return frozenset(Outcome(without_module(ended), tuple(named)).comparable() for named, ended in found)


def without_module(last_line: str) -> str:
    """`_queue.Empty` is `Empty`: where an exception's class was written is CPython's affair."""
    kind, colon, message = last_line.partition(":")
    return kind.rpartition(".")[2] + colon + message


def output(text: str) -> tuple[str, str]:
    """What a sequential program prints and how it ends, according to the machine."""
    found = outcomes(COLLECT_OUTPUT + text, "sync")
    if len(found) != 1:
        raise AssertionError(f"a program without threads has {len(found)} outcomes: {sorted(found)}")
    (outcome,) = found
    return dict(outcome.globals).get("OUTPUT", ""), outcome.ended
