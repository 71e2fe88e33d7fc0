"""The machine ends where the oracle ends: the same outcomes, at each granularity, for every program."""

from __future__ import annotations

import random

import pytest

from tests.python.oracle import GRANULARITIES
from tests.python.oracle.comparison import Incomparable, difference, sequential_difference
from tests.python.oracle.generate import generate
from tests.python.oracle.generate_sequential import generate_sequential
from tests.python.oracle.programs import PROGRAMS

RANDOM_PROGRAMS = 20
RANDOM_SEQUENTIAL_PROGRAMS = 30


def test_the_corpus_is_large():
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_machine_and_oracle_agree(name, granularity):
    problem = difference(PROGRAMS[name], granularity)
    assert not problem, problem + PROGRAMS[name]


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_machine_and_oracle_agree_on_random_programs(granularity):
    compared = 0
    for seed in range(RANDOM_PROGRAMS):
        text = generate(random.Random(seed))
        try:
            problem = difference(text, granularity, most_runs=2_000)
        except Incomparable:
            continue
        assert not problem, problem + text
        compared += 1
    assert compared > RANDOM_PROGRAMS // 2


def test_machine_and_cpython_print_the_same():
    compared = 0
    for seed in range(RANDOM_SEQUENTIAL_PROGRAMS):
        text = generate_sequential(random.Random(seed))
        try:
            problem = sequential_difference(text)
        except Incomparable:
            continue
        assert not problem, problem + text
        compared += 1
    assert compared > RANDOM_SEQUENTIAL_PROGRAMS // 2
