"""The machine under test, seen through the oracle's eyes.

`tests.oracles.exploration.outcomes(text, granularity)` explores every state and returns pairs: the globals
that hold plain data, as texts by name, and "ok", "deadlock" or the last line of a traceback. Here they become
`Outcome`s that can be compared.
"""

from __future__ import annotations

from assay.transition_system.interface import SourceProblem
from tests.oracles import exploration
from tests.python.oracle.outcome import Outcome

COLLECT_OUTPUT = """\
OUTPUT = []
def print(*values, sep=" ", end="\\n"):
    OUTPUT.append(sep.join([str(value) for value in values]) + end)
"""


class Refused(Exception):
    """The machine does not take this program, and says so: nothing to compare."""


def outcomes(text: str, granularity: str) -> frozenset[Outcome]:
    """How the runs of a program end, according to the machine, as far as the two can be compared."""
    try:
        found = exploration.outcomes(text, granularity)
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
