"""One table of options: whoever takes options takes those of the table."""

import click
import pytest

import assay
from assay import _engine
from assay.cli.verify import verify
from assay.search.options import SearchKeywords, SearchOptions, table
from assay.transition_system.language_options import OptionProblem

NAMES = {option.name for _, option in table()}


def test_the_api_is_typed_with_the_words_of_the_table():
    assert set(SearchKeywords.__annotations__) == NAMES


def test_every_option_has_its_flag_and_its_help():
    flags = {flag for parameter in verify.params for flag in parameter.opts}
    texts = {p.opts[0]: p.help for p in verify.params if isinstance(p, click.Option)}
    for _, option in table():
        assert option.flag in flags
        assert texts[option.flag] == option.help


def test_the_engine_takes_every_option_by_its_name():
    graph = _engine.ExplicitGraph([b""], [[]], [True], [0])
    assert _engine.search(graph, **SearchOptions(bitstate_bytes=1024).for_engine()).states == 1


def test_the_words_of_the_api_and_of_json_go_both_ways():
    options = SearchOptions(strategy="dfs", stop_at_first_violation=False, check_deadlock=False, seed=7)
    words = options.as_keywords()
    assert words["all_errors"] is True
    assert words["search"] == "dfs"
    assert SearchOptions.from_keywords({**words, "spill": ""}) == options


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"serach": "dfs"}, "there is no option 'serach'; did you mean 'search'?"),
        ({"colour": 1}, "there is no option 'colour'"),
        ({"threads": 0}, "threads: expected a number from 1 to 1024, got 0"),
        (
            {"search": "astar"},
            "search: expected one of bfs, dfs, random-dfs, cached, invariants, auto, packed, symbolic, ",
        ),
    ],
)
def test_what_the_table_does_not_have_is_refused_with_a_sentence(given, sentence):
    with pytest.raises(OptionProblem) as problem:
        assay.verify("nothing.pml", **given)
    assert sentence in str(problem.value)


def test_only_what_decides_what_a_search_sees_belongs_to_its_identity():
    assert [name for name, _ in SearchOptions().identity()] == [
        "depth limit",
        "choice about deadlocks",
        "choice about errors",
    ]
