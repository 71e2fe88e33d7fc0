"""One cluster of three workers for all tests of a session: starting one takes longer than most of them."""

import pytest

from assay.clustering import coordinator, cycles
from tests.cluster.processes import Processes


@pytest.fixture(scope="session")
def cluster():
    with Processes(3) as processes:
        yield processes


@pytest.fixture(autouse=True)
def small_levels_are_everybodys(monkeypatch):
    monkeypatch.setattr(coordinator, "NARROW_STATES", 20)
    monkeypatch.setattr(cycles, "ALONE_STATES", 20)
