"""A fixed part of the front end's fuzz campaign; the whole of it is a command."""

from __future__ import annotations

import pytest

from assay.languages.promela import program
from tests.fuzz.promela_front_end import campaign


@pytest.mark.parametrize("seed", [1, 2])
def test_the_front_end_answers_every_input_with_code_or_a_source_problem(seed):
    outcomes, problems = campaign(1000, seed, compile_share=0.05)
    assert problems == []
    assert outcomes["accepted"] > 10
    assert outcomes["refused"] > 10


def test_the_campaign_notices_an_exception_that_is_not_a_source_problem(monkeypatch):
    def broken(*_: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(program, "generate", broken)
    _, problems = campaign(200, 1)
    assert any("planted" in problem for problem in problems)
