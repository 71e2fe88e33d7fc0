"""A depth-first search comes to a violation on a long way; a short one is shown."""

import pytest

import assay
from assay.verification import shortening

COUNTS = """\
int x; bool failed;
active proctype fails() { x > 20; failed = true; assert(!failed) }
active proctype counts() { do :: x < 3000 -> x++ :: x > 0 -> x-- :: else -> break od }
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "counts.pml"
    path.write_text(COUNTS)
    return path


def test_a_long_run_of_a_depth_first_search_is_replaced_by_the_shortest(model):
    result = assay.verify(model, search="dfs")
    shortest = assay.verify(model)
    assert result.violations[0].counterexample.length == shortest.violations[0].counterexample.length == 45
    assert result.violations[0].message == shortest.violations[0].message
    assert result.states == 6003
    assert (
        "the search came to this violation after 6,003 transitions; a run of 44 that ends in the same one is "
        "shown" in result.notes
    )


def test_where_breadth_first_does_not_come_there_depth_is_limited(model, monkeypatch):
    monkeypatch.setattr(shortening, "MOST_STATES", 10_000)
    monkeypatch.setattr(shortening, "BREADTH_FIRST_SECONDS", 0.0)
    run = assay.verify(model, search="dfs").violations[0].counterexample
    assert 45 < run.length <= 201


def test_a_run_stays_as_it_is_where_no_shorter_one_is_found(model, monkeypatch):
    monkeypatch.setattr(shortening, "BREADTH_FIRST_SECONDS", 0.0)
    monkeypatch.setattr(shortening, "DEPTH_FIRST_SECONDS", 0.0)
    result = assay.verify(model, search="dfs")
    assert len(result.violations[0].counterexample.positions) == 6003
    assert not any("transitions; a run of" in note for note in result.notes)


@pytest.mark.parametrize(
    "asked", [{"process_order": "reversed"}, {"order": "random", "restarts": 3, "restart_after": 20_000}]
)
def test_orders_and_restarts_of_the_search_are_not_asked_of_the_one_for_a_short_run(asked, tmp_path):
    # Breadth first has neither, and refuses to be asked for them.
    path = tmp_path / "counts.pml"
    counts, fails = COUNTS.splitlines()[2], COUNTS.splitlines()[1].replace("20", "200")
    path.write_text(f"int x; bool failed;\n{counts}\n{fails}\n")
    result = assay.verify(path, search="dfs", **asked)
    assert result.violations[0].counterexample.length == 405
