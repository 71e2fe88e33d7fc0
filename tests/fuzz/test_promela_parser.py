"""A small fixed part of the fuzzing campaign, so that every test run has some."""

import importlib.util
import sys
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    "promela_parser_fuzz", Path(__file__).with_name("promela_parser.py")
)
assert _spec is not None
assert _spec.loader is not None
fuzz = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = fuzz
_spec.loader.exec_module(fuzz)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_parser_answers_every_input_with_a_tree_or_a_source_problem(seed):
    report = fuzz.campaign(1500, seed, through_files=30)
    assert report.problems == []
    assert report.inputs == 1500
    assert report.parsed > 20  # else the campaign only ever sees the first error


def test_the_campaign_notices_an_exception_that_is_not_a_source_problem():
    report = fuzz.Report()

    def broken(_):
        raise RecursionError("too deep")

    fuzz.one_input(report, "init { skip }", broken)
    assert len(report.problems) == 1
    assert "too deep" in report.problems[0][0]


def test_the_campaign_notices_a_problem_without_a_place():
    report = fuzz.Report()

    def placeless(_):
        raise fuzz.SourceProblem("somewhere something is wrong")

    fuzz.one_input(report, "init { skip }", placeless)
    assert report.problems[0][0] == "a problem without a place: somewhere something is wrong"


@pytest.mark.parametrize(
    ("opening", "closing"), [("(", ")"), ("{ ", " }"), ("if :: ", " fi"), ("x[", "]"), ("- ", "")]
)
def test_nesting_is_refused_in_words_before_the_interpreter_gives_up(opening, closing):
    report = fuzz.Report()
    for depth in (10, 100, 199, 1000, 20_000):
        text = f"byte x; init {{ {opening * depth} x {closing * depth} }}"
        fuzz.one_input(report, text, fuzz.parse_text)
    assert report.problems == []
    assert report.parsed >= 1
