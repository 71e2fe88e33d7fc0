"""Compares what the machine and the oracle say of runs that never end.

    PYTHONHASHSEED=0 python -m tests.python.random_liveness --seed 1 --count 200

Random programs, a random formula of each, and whether it ends; with and without fairness, at each
granularity. Where the machine finds no data race, switching at synchronisation only must lose nothing, so
with `sync` it is compared with the oracle at `bytecode`.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from assay import _engine
from assay.languages.python.machine import open_image
from assay.languages.python.program import load
from assay.search.cycle_worker import CycleSearch
from assay.search.cycles import question_of
from assay.transition_system.language_options import LanguageOptions
from tests.python.oracle import GRANULARITIES, TooLarge, Unsupported
from tests.python.oracle.fair_runs import Graph, explore_runs
from tests.python.oracle.generate_liveness import FORMULAS, generate_liveness

MOST_STATES = 20_000


class Incomparable(Exception):
    """One of the two has no answer."""


def machine_answers(text: str, granularity: str, formula: str) -> dict[tuple[str, bool], bool]:
    """Whether each property is violated, by kind and fairness."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "program.py")
        path.write_text(text, encoding="utf-8")
        asked = () if not formula else (formula,)
        program = load(path, LanguageOptions(granularity=granularity, ltl=asked, terminates=True))
        while True:
            try:
                # Half of them with states as certificates have them.
                model = open_image(program.opening, key=bytes(range(24)) if len(text) % 2 else b"")
                if granularity == "sync":
                    _require_no_race(model)
                return {
                    (wanted.kind, fair): _is_violated(program, model, wanted, fair)
                    for wanted in program.temporal
                    for fair in (False, True)
                }
            except _engine.AssumptionFailed as failed:
                program = program.without(str(failed))
            except _engine.UnsupportedProgram as problem:
                raise Incomparable(f"refused by the machine: {problem}") from problem


def _require_no_race(model: _engine.Model) -> None:
    found = _engine.search(
        model, strategy="bfs", stop_at_first_violation=False, check_deadlock=False, state_limit=MOST_STATES
    )
    for violation in found.violations:
        if "data race" in str(model.violation(violation.code)["message"]):
            raise Incomparable("a data race")


def _is_violated(program: object, model: _engine.Model, wanted: object, fair: bool) -> bool:
    processes = program.process_limit if fair else 0
    question = CycleSearch.from_json(question_of(wanted, processes), model)
    result = _engine.search(question.product(model), state_limit=MOST_STATES, **question.options())
    for violation in result.violations:
        lasso = question.in_the_program(model, violation.path, violation.loop_start)
        if not question.is_violated_by(model, lasso):
            raise AssertionError("a cycle that is none")
    if not result.violations and not result.complete:
        raise Incomparable("too large for the machine")
    return bool(result.violations)


def oracle_graph(text: str, granularity: str, formula: str) -> Graph:
    atoms = {atom: atom for atom in ("x == 1", "x == 0", "y == 1") if atom in formula}
    try:
        return explore_runs(text, "bytecode" if granularity == "sync" else granularity, atoms)
    except TooLarge as problem:
        raise Incomparable("too large for the oracle") from problem
    except Unsupported as problem:
        raise Incomparable(f"unknown to the oracle: {problem}") from problem


def expected_answers(text: str, granularity: str, formula: str) -> dict[tuple[str, bool], bool]:
    from dataclasses import replace

    from assay.languages.python.formulas import BEGUN, read_formulas
    from assay.transition_system.termination import OVER

    graph = oracle_graph(text, granularity, formula)
    wanted = read_formulas(
        Path("program.py"), text, (formula,) if formula else (), terminates=True
    ).properties()
    answers = {}
    for one in wanted:
        names = {BEGUN: "begun", OVER: "over"}
        automaton = replace(one.automaton, atoms=tuple(names.get(atom, atom) for atom in one.automaton.atoms))
        for fair in (False, True):
            answers[one.kind, fair] = graph.violates(automaton, fair=fair)
    return answers


def compare(text: str, granularity: str, formula: str) -> str:
    """How they disagree; nothing if they do not."""
    found = machine_answers(text, granularity, formula)
    expected = expected_answers(text, granularity, formula)
    return "\n".join(
        f"{granularity}: {kind}{' fair' if fair else ''}: the machine says "
        f"{'violated' if found[kind, fair] else 'holds'}, the oracle does not"
        for kind, fair in found
        if found[kind, fair] != expected[kind, fair]
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    begun = time.monotonic()
    counts: Counter[str] = Counter()
    for number in range(options.count):
        if time.monotonic() > begun + options.seconds:
            break
        chance = random.Random(options.seed * 1_000_003 + number)
        text = generate_liveness(chance)
        usable = [
            one for one in FORMULAS if all(f'"{p}"' in text for p in "pq" if p in one.replace("<>", ""))
        ]
        formula = chance.choice(usable)
        granularity = chance.choice(GRANULARITIES)
        if options.verbose:
            sys.stderr.write(f"{number} {granularity} {formula} {time.monotonic() - begun:.1f}\n")
        try:
            problem = compare(text, granularity, formula)
        except Incomparable as reason:
            counts[f"incomparable: {str(reason)[:60]}"] += 1
            continue
        counts["compared"] += 1
        if problem:
            counts["different"] += 1
            sys.stdout.write(f"--- {options.seed}:{number} {formula}\n{text}\n{problem}\n")
            sys.stdout.flush()
    for what, count in counts.most_common():
        sys.stdout.write(f"{count:6}  {what}\n")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
