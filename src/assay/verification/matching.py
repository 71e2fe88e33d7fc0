"""States compared by a key (`--match`), and whether that is sound (`--check-abstraction`).

A search that matches by a key follows one state of each key and proves nothing. The check goes over the whole
graph with exact storage instead and compares all states of each key: what it says of the abstraction is
beside what the search proves of the program, and `verified` rests on the latter alone (decision 0017).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from assay.evidence.loss import UnderApproximation
from assay.evidence.verdict import Judgement, Verdict
from assay.search import abstraction_check
from assay.search.native import NativeOutcome
from assay.search.options import SearchOptions
from assay.transition_system.language_options import LanguageOptions, OptionProblem

if TYPE_CHECKING:
    from assay.search.abstraction_check import AbstractionFacts
    from assay.transition_system.interface import Program

STORAGE = "abstraction"
SEARCHES = ("bfs", "dfs", "random-dfs")
WHAT_DIFFERS = {
    "atoms": "a condition of a formula holds in one of them and not in the other",
    "property": "a property holds in one of them and not in the other",
    "end": "the program may end in one of them and not in the other",
    "step": "one of them has a step that the other cannot answer",
    "violation": "a step of one of them fails, and none of the other does so",
}


def for_matching(
    options: SearchOptions, language: LanguageOptions, *, check: bool
) -> tuple[SearchOptions, LanguageOptions]:
    """The options of a search that matches, or checks; others as they are."""
    if not language.match and not check:
        if language.match_anywhere:
            raise OptionProblem("match-anywhere: it goes with --match")
        return options, language
    if options.strategy not in SEARCHES:
        raise OptionProblem(f"match: expected the search {', '.join(SEARCHES)}, got {options.strategy}")
    if options.storage not in {"exact", STORAGE}:
        raise OptionProblem(f"match: a key is kept whole, and {options.storage} storage is not; leave it out")
    if options.threads != 1 or options.spill_directory:
        raise OptionProblem("match: such a search runs on one thread, in memory")
    if not check:
        return replace(options, storage=STORAGE), language
    observe = ",".join(filter(None, (options.observe, abstraction_check.NAME)))
    checking = replace(options, storage="exact", observe=observe, stop_at_first_violation=False)
    return checking, replace(language, reductions=frozenset())


def is_checking(options: SearchOptions) -> bool:
    return abstraction_check.NAME in options.observe.split(",")


def require_key(program: Program, options: SearchOptions, language: LanguageOptions) -> None:
    """What is checked, or compared, is what the user names or what the program says of its own data."""
    if language.match or program.capabilities.matches_by_key:
        return
    if is_checking(options):
        raise OptionProblem("check-abstraction: it is about what --match compares states by; give that too")
    if options.storage == STORAGE:
        raise OptionProblem("storage: states are matched by a key if --match says which")


def keys_text(language: LanguageOptions) -> str:
    if not language.match:
        return "what the program tracks as Matched"
    where = "" if language.match_anywhere else "where processes stand and "
    return where + ", ".join(f"`{text}`" for text in language.match)


def with_the_key(outcome: NativeOutcome, language: LanguageOptions) -> NativeOutcome:
    """Says by what states were compared."""
    if not isinstance(outcome.facts.loss, UnderApproximation) or not language.match:
        return outcome
    loss = UnderApproximation(keys_text(language))
    return replace(outcome, facts=replace(outcome.facts, loss=loss))


def judged(
    judgement: Judgement, outcome: NativeOutcome, language: LanguageOptions
) -> tuple[Judgement, list[str]]:
    """With what was found of the abstraction, and what a reader should know of it."""
    facts = outcome.abstraction
    if facts is None:
        return judgement, []
    by = keys_text(language)
    if facts.difference:
        why = f"comparing states by {by} is unsound for this program: {WHAT_DIFFERS[facts.difference]}"
        if judgement.verdict is Verdict.VERIFIED:
            note = "compared whole, all states were visited and every property asked for holds"
            return Judgement(Verdict.INCOMPLETE, judgement.complete, (why,)), [note]
        return replace(judgement, reasons=(*judgement.reasons, why)), []
    survived = f"{facts.states:,} states with {facts.keys:,} different keys, {facts.pairs:,} pairs that agree"
    if judgement.complete:
        return judgement, [
            f"comparing states by {by} is sound for this program: in every pair of states with one key each "
            f"answers every step of the other, and both agree in all that is checked ({survived})"
        ]
    return judgement, [f"comparing states by {by} was not refuted so far: {survived}"]


def as_json(
    program: Program, outcome: NativeOutcome, judgement: Judgement, language: LanguageOptions
) -> dict[str, object] | None:
    """The pair that breaks an abstraction, in the words of the source."""
    facts = outcome.abstraction
    if facts is None:
        return None
    sound = False if facts.difference else True if judgement.complete else None
    told: dict[str, object] = {
        "match": list(language.match),
        "keys": facts.keys,
        "states": facts.states,
        "pairs": facts.pairs,
        "broken_keys": facts.broken,
        "sound": sound,
        "difference": facts.difference or None,
        "values": [],
        "step": None,
    }
    if not facts.difference:
        return told
    if facts.descriptions is not None:
        program = program.knowing(facts.descriptions)
    return told | _pair(program, facts)


def _pair(program: Program, facts: AbstractionFacts) -> dict[str, object]:
    first, second = program.describe_state(facts.first), program.describe_state(facts.second)
    told: dict[str, object] = {"values": _differing(first, second)}
    if facts.difference != "step":
        return told
    steps = [program.describe_step(facts.first, process, transition) for process, transition in facts.steps]
    after = program.describe_state(facts.after)
    told["step"] = {
        "process": steps[0].process if steps else "",
        "file": steps[0].file if steps else None,
        "line": steps[0].line if steps else None,
        "text": "; ".join(step.text for step in steps),
        "changes": _differing(first, after),
    }
    return told


def _differing(first: Mapping[str, object], second: Mapping[str, object]) -> list[dict[str, object]]:
    names = dict.fromkeys([*first, *second])
    return [
        {"name": name, "first": first.get(name), "second": second.get(name)}
        for name in names
        if first.get(name) != second.get(name)
    ]


class CoversCode(Protocol):
    """A program that can say what was come to of code in it."""

    def code_coverage(self, noted: bytes) -> list[dict[str, object]]: ...


def code_coverage(program: object, noted: bytes) -> tuple[Mapping[str, object], ...]:
    if not noted:
        return ()
    return tuple(cast(CoversCode, program).code_coverage(noted))
