"""The table of what front ends are asked for: flags, API, JSON and types agree with it."""

import pytest

from assay.cli.verify import verify
from assay.transition_system.language_options import (
    REDUCTIONS,
    LanguageKeywords,
    LanguageOptions,
    OptionProblem,
    table,
)

ASKED = {
    "invariants": ["x < 3"],
    "step_invariants": ["next.x >= x"],
    "ltl": ["[] p"],
    "progress": True,
    "terminates": True,
    "fair": True,
    "safety": True,
    "reductions": ["merging"],
    "defines": ["N=3"],
    "includes": ["include"],
    "checks": ["overflow"],
    "rules": ["spinlock"],
    "data_model": "ILP32",
    "show": ["slice"],
    "no_slicing": True,
    "granularity": "gil",
    "tracking": "declared",
    "audit_tracking": True,
    "c_sources": ["tree.c"],
    "cflags": ["-O2"],
    "ldflags": ["-lm"],
    "sanitize": True,
    "language": "promela",
    "predicates": ["x > 3"],
    "match": ["x + y"],
    "match_anywhere": True,
    "python": "venv",
    "import_from": ["src"],
}
NEEDED = {"audit_tracking": {"tracking": "declared"}}  # some mean something beside others only


def test_types_know_the_options_of_the_table():
    assert set(LanguageKeywords.__annotations__) == {option.name for _, option in table()} == set(ASKED)


def test_the_command_has_a_flag_for_every_option():
    flags = {flag for parameter in verify.params for flag in parameter.opts}
    assert {option.flag for _, option in table() if option.flag} <= flags
    assert {f"--no-{name}" for name in REDUCTIONS} <= flags


def test_what_was_asked_for_survives_json():
    options = LanguageOptions.from_keywords(ASKED)
    assert options.as_json() == ASKED
    assert LanguageOptions.from_json(options.as_json()) == options
    assert LanguageOptions.from_json(LanguageOptions().as_json()) == LanguageOptions()


def test_a_caller_who_says_nothing_wants_all_reductions_and_nothing_else():
    assert LanguageOptions.from_keywords({}) == LanguageOptions(reductions=frozenset(REDUCTIONS))


@pytest.mark.parametrize("written", [{"ltl": "[] p"}, {"invariants": [1]}, {"reductions": {}}])
def test_texts_that_are_none_are_refused(written):
    with pytest.raises(OptionProblem, match="there is no list of texts under"):
        LanguageOptions.from_json(written)


@pytest.mark.parametrize("language", ["promela", "python", "python-class", "c"])
def test_a_language_refuses_what_it_does_not_have(language):
    for name, option in table():
        asked = LanguageOptions(**{name: option.value(ASKED[option.name])}, **NEEDED.get(name, {}))
        if option.languages and language not in option.languages:
            with pytest.raises(OptionProblem, match=f"this program is in {language}"):
                asked.require_those_of(language)
        else:
            asked.require_those_of(language)
