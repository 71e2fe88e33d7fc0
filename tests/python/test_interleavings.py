"""The machine ends where the oracle ends: the same outcomes, at each granularity, for every program."""

from __future__ import annotations

import random

import pytest

from tests.python.oracle import GRANULARITIES, TooLarge, explore, machine
from tests.python.oracle.generate import generate
from tests.python.oracle.generate_sequential import generate_sequential
from tests.python.oracle.programs import PROGRAMS
from tests.python.oracle.real_runs import run_sequentially

RANDOM_PROGRAMS = 25
RANDOM_SEQUENTIAL_PROGRAMS = 40

pytestmark = pytest.mark.skipif(machine.why_missing() is not None, reason=str(machine.why_missing()))


def difference(text: str, granularity: str, most_runs: int = 50_000) -> str:
    """What one side has and the other has not; nothing when they agree."""
    expected = explore(text, granularity, most_runs=most_runs).comparable
    found = machine.outcomes(text, granularity)
    missing = "".join(f"\n  the machine misses  {outcome}" for outcome in sorted(expected - found))
    surplus = "".join(f"\n  only the machine has {outcome}" for outcome in sorted(found - expected))
    return f"{granularity}:{missing}{surplus}\n{text}" if missing or surplus else ""


def test_the_corpus_is_large():
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_machine_and_oracle_agree(name, granularity):
    assert not difference(PROGRAMS[name], granularity)


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_machine_and_oracle_agree_on_random_programs(granularity):
    compared = 0
    for seed in range(RANDOM_PROGRAMS):
        try:
            problem = difference(generate(random.Random(seed)), granularity, most_runs=2_000)
        except TooLarge:
            continue
        assert not problem
        compared += 1
    assert compared > RANDOM_PROGRAMS // 2


def test_machine_and_cpython_print_the_same():
    compared = 0
    for seed in range(RANDOM_SEQUENTIAL_PROGRAMS):
        text = generate_sequential(random.Random(seed))
        try:
            found = machine.output(text)
        except machine.Refused:
            continue
        assert found == run_sequentially(machine.COLLECT_OUTPUT + text), text
        compared += 1
    assert compared > RANDOM_SEQUENTIAL_PROGRAMS // 2
