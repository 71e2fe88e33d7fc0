"""Engines for sequential programs take turns: nobody waits for one that never ends."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from assay.search.sequential import portfolio
from assay.search.sequential.findings import Finding, Status
from assay.transition_system.sequential.bitvectors import TRUE
from assay.transition_system.sequential.control_flow import Assume, ControlFlow, Edge, Failure, Place

SEVERAL_TURNS = 0.9


@pytest.fixture
def flow() -> ControlFlow:
    place = Place("program.c", 1)
    edge = Edge(0, 1, Assume(TRUE), place, "")
    return ControlFlow(0, 2, (edge,), {1: Failure("error", "reached", place)}, (), {})


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], str], float], None]:
    def made(name: str, work: Callable[[], str], turn: float) -> None:
        module = ModuleType(f"engine_{name}")
        module.search = lambda flow, **_: Finding(name, Status.UNKNOWN, work())  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(portfolio.ENGINES, name, module.__name__)
        monkeypatch.setitem(portfolio.PORTFOLIO, name, turn)

    return made


def found(flow: ControlFlow, *engines: str, seconds: float = 20.0, processes: int = 1) -> Iterator[Finding]:
    deadline = time.monotonic() + seconds
    return portfolio.findings(
        flow, engines, deadline=deadline, memory_bytes=0, processes=processes, say=lambda _: None
    )


def busy(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_that_a_slow_engine_goes_on_where_it_stopped(flow, engine, tmp_path: Path) -> None:
    began = tmp_path / "began"

    def slow() -> str:
        with began.open("a") as file:
            file.write("x")
        busy(SEVERAL_TURNS)
        return "in the end"

    def quick() -> str:
        busy(0.1)
        return "at once"

    engine("slow", slow, 0.2)
    engine("quick", quick, 0.3)
    told = [(one.engine, one.detail) for one in found(flow, "slow", "quick")]
    assert told == [("quick", "at once"), ("slow", "in the end")]
    assert began.read_text() == "x"


def test_that_an_engine_that_does_not_listen_is_stopped(flow, engine, monkeypatch) -> None:
    monkeypatch.setattr(portfolio, "STOPPING_SECONDS", 0.1)

    def deaf() -> str:
        signal.pthread_sigmask(signal.SIG_BLOCK, portfolio.STOPPING)
        busy(SEVERAL_TURNS)
        return "in the end"

    engine("deaf", deaf, 0.2)
    engine("quick", lambda: "at once", 0.3)
    assert [one.engine for one in found(flow, "deaf", "quick")] == ["quick", "deaf"]


def test_that_one_that_stops_when_nobody_waits_any_more_goes_on(flow, engine) -> None:
    """It is asked to stop while the other waits, and stops when there is room for both."""

    def late() -> str:
        signal.pthread_sigmask(signal.SIG_BLOCK, portfolio.STOPPING)
        busy(0.6)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, portfolio.STOPPING)
        busy(0.1)
        return "in the end"

    engine("late", late, 0.2)
    engine("short", lambda: str(busy(0.4)), 0.0)
    engine("quick", lambda: "at once", 0.3)
    told = [one.engine for one in found(flow, "late", "short", "quick", processes=2)]
    assert sorted(told) == ["late", "quick", "short"]
    assert told[-1] == "late"


def test_that_all_end_with_the_time(flow, engine) -> None:
    engine("endless", lambda: str(busy(1000)), 0.2)
    engine("idle", lambda: str(busy(1000)), 0.2)
    began = time.monotonic()
    told = {one.engine: one.detail for one in found(flow, "endless", "idle", seconds=1.0)}
    assert told == {"endless": "out of time", "idle": "out of time"}
    assert time.monotonic() - began < 1.0 + portfolio.PATIENCE_SECONDS + 5
