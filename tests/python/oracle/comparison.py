"""Where the machine and the oracle, or the machine and CPython, say different things about a program.

With `sync` the machine looks for data races and stops a run where it finds one. Where there is a race, the
outcomes of the other runs depend on where exactly steps are cut; each must still be one of the oracle's at
`bytecode`. Where the machine finds no race, switching only at synchronisation must lose nothing: the oracle's
outcomes at `bytecode` are expected too. Where there are daemons they are only allowed: one that dies between
two synchronisations leaves half of its writes behind, and no thread is left to see them.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.python.oracle import machine
from tests.python.oracle.explorer import TooLarge, explore
from tests.python.oracle.outcome import Outcome
from tests.python.oracle.real_runs import run_sequentially
from tests.python.oracle.values import Unsupported

RACE = "data race"
DAEMON = "daemon"


class Incomparable(Exception):
    """One of the two has no answer; says which and why."""


def difference(text: str, granularity: str, *, most_runs: int = 50_000) -> str:
    """How the machine and the oracle disagree about a threaded program; nothing when they agree."""
    try:
        expected = explore(text, granularity, most_runs=most_runs).comparable
    except TooLarge as problem:
        raise Incomparable("too large for the oracle") from problem
    except Unsupported as problem:
        raise Incomparable(f"unknown to the oracle: {problem}") from problem
    try:
        found = machine.outcomes(text, granularity)
    except machine.Refused as problem:
        raise Incomparable(f"refused by the machine: {problem}") from problem
    if granularity == "sync":
        races = {outcome for outcome in found if outcome.ended.startswith(RACE)}
        found -= races
        everywhere = _everywhere(text, most_runs)
        expected |= everywhere & found if DAEMON in text else everywhere
        if races:
            expected &= found
    missing = _listed(f"{granularity}: the machine misses ", expected - found)
    return missing + _listed(f"{granularity}: only the machine has ", found - expected)


def _everywhere(text: str, most_runs: int) -> frozenset[Outcome]:
    try:
        return explore(text, "bytecode", most_runs=most_runs).comparable
    except TooLarge as problem:
        raise Incomparable("too large for the oracle") from problem


def _listed(head: str, outcomes: Iterable[Outcome]) -> str:
    return "".join(f"{head}{outcome}\n" for outcome in sorted(outcomes))


def sequential_difference(text: str) -> str:
    """How the machine's output differs from CPython's; nothing when it does not."""
    expected = run_sequentially(machine.COLLECT_OUTPUT + text)
    try:
        found = machine.output(text)
    except machine.Refused as problem:
        raise Incomparable(f"refused by the machine: {problem}") from problem
    if expected[1] != "ok":  # the machine keeps no globals of a run that failed
        return "" if found[1] == expected[1] else f"CPython: {expected[1]}\nmachine: {found[1]}\n"
    return "" if found == expected else f"CPython: {expected}\nmachine: {found}\n"
