"""Random programs, and their symbolic forms: the same states, steps, violations and deadlocks.

    python -m tests.agreement.symbolic_forms --programs 2000 --seed 1

The compiled model is what SPIN agrees with (`tests.agreement.campaign`); the form is executed by plain
Python. What a form refuses is counted by its reason, and nothing is compared.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import _engine
from assay.languages.promela import program as promela
from assay.transition_system.interface import SourceProblem, ViolationFacts
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import NotExpressible, SymbolicModel, SymbolicSystem
from tests.agreement import spin
from tests.agreement.generator import Node, generate, render
from tests.agreement.shrink import shrink

MOST_STATES = 1_000
MOST_INSIDE = 2_000  # states inside of sequences that nobody interrupts


@dataclass(frozen=True, slots=True)
class Agreement:
    outcome: str  # "agree", "disagree", "refused", "too large", "unusable"
    detail: str = ""
    states: int = 0
    kinds: frozenset[str] = frozenset()


class TooLarge(Exception):
    """More states than are compared."""


@dataclass(frozen=True, slots=True)
class Graph:
    states: frozenset[tuple[int | None, ...]]
    steps: frozenset[tuple[tuple[int | None, ...], tuple[int | None, ...]]]
    failures: frozenset[
        tuple[tuple[int | None, ...], str, str, int]
    ]  # where a step fails, or a state is wrong
    deadlocks: frozenset[tuple[int | None, ...]]


def told(facts: ViolationFacts) -> tuple[str, str, int]:
    return facts.kind, facts.message, facts.line


def of_the_program(program: promela.PromelaProgram, system: SymbolicSystem) -> Graph:
    model = _engine.CompiledModel(program.opening.file)
    initial, code = model.initial_state()
    if code:
        raise TooLarge
    names: dict[bytes, tuple[int | None, ...]] = {}
    steps, failures, deadlocks = set(), set(), set()

    def name(state: bytes) -> tuple[int | None, ...]:
        found = names.get(state)
        if found is None:
            if len(names) >= MOST_STATES:
                raise TooLarge
            found = names[state] = tuple(program.symbolic_state(system, state))
            pending.append(state)
        return found

    pending: list[bytes] = []
    name(initial)
    while pending:
        state = pending.pop()
        here = names[state]
        if code := model.check_state(state):
            failures.add((here, *told(program.describe_violation(code))))
        successors = model.successors(state)
        if not successors and not model.is_valid_end(state):
            deadlocks.add(here)
        for after, code in successors:
            if code:
                failures.add((here, *told(program.describe_violation(code))))
            if after is not None:
                steps.add((here, name(after)))
    return Graph(frozenset(names.values()), frozenset(steps), frozenset(failures), frozenset(deadlocks))


def of_the_form(system: SymbolicSystem, unknown: frozenset[int]) -> Graph:
    """Without the variables that the program has no room for, because nobody reads them."""

    def named(state: tuple[int, ...]) -> tuple[int | None, ...]:
        return tuple(None if place in unknown else value for place, value in enumerate(state))

    model = SymbolicModel(system)
    first = len(system.controls)
    initial = model.initial_state()[0]
    seen = {initial}
    pending = [initial]
    steps, failures, deadlocks = set(), set(), set()
    while pending:
        state = pending.pop()
        if code := model.check_state(state):
            failures.add((named(state), *told(model.facts[code])))
        if not model.successors(state) and not model.is_valid_end(state):
            deadlocks.add(named(state))
        inside = {state}
        walking = [state]
        while walking:
            here = walking.pop()
            for after, code in model.successors(here):
                if code:
                    failures.add((named(state), *told(model.facts[code])))
                if after is None:
                    continue
                if system.is_visible(after[:first]):
                    steps.add((named(state), named(after)))
                    if after not in seen:
                        if len(seen) >= 4 * MOST_STATES:
                            return Graph(frozenset(seen), frozenset(), frozenset(), frozenset())
                        seen.add(after)
                        pending.append(after)
                elif after not in inside:
                    if len(inside) >= MOST_INSIDE:
                        raise TooLarge
                    inside.add(after)
                    walking.append(after)
    return Graph(frozenset(map(named, seen)), frozenset(steps), frozenset(failures), frozenset(deadlocks))


def compare(text: str, invariants: Sequence[str] = ()) -> Agreement:
    with tempfile.TemporaryDirectory(prefix="symbolic-") as scratch:
        path = Path(scratch) / "model.pml"
        path.write_text(text)
        options = LanguageOptions(safety_only=True, reductions=frozenset(), invariants=tuple(invariants))
        try:
            program = promela.load(path, options)
        except SourceProblem as problem:
            return Agreement("unusable", str(problem).replace(scratch, ""))
        try:
            system = program.symbolic()
        except NotExpressible as problem:
            return Agreement("refused", problem.message if hasattr(problem, "message") else str(problem))
        try:
            expected = of_the_program(program, system)
            unknown = (
                place for state in expected.states for place, value in enumerate(state) if value is None
            )
            found = of_the_form(system, frozenset(unknown))
        except TooLarge:
            return Agreement("too large")
        difference = differences(system, expected, found)
        kinds = frozenset(kind for _, kind, _, _ in expected.failures)
        return Agreement("disagree" if difference else "agree", difference, len(expected.states), kinds)


def differences(system: SymbolicSystem, expected: Graph, found: Graph) -> str:
    for what in ("states", "deadlocks", "failures", "steps"):
        a, b = getattr(expected, what), getattr(found, what)
        if what == "failures":
            # That a sequence never ends is not said in a form. Of what fails in one, the program tells one.
            a = frozenset(one for one in a if one[1] != "endless-atomic")
            failing = {one[0] for one in a}
            b = frozenset(one for one in b if one in a or one[0] not in failing)
        if a != b:
            missing, more = sorted(a - b, key=repr)[:2], sorted(b - a, key=repr)[:2]
            return (
                f"{what}: {len(a)} in the program, {len(b)} in the form; only the program has {missing}, "
                f"only the form has {more}; variables {[one.name for one in system.variables]}"
            )
    return ""


def run_one(make: Callable[[int], Any], seed: int, attempts: int) -> tuple[Agreement, str]:
    program = make(seed)
    found = compare(program.text)
    if found.outcome != "disagree":
        return found, ""
    about = found.detail.split(":")[0]

    def keeps(tree: Node) -> bool:
        again = compare(render(tree))
        return again.outcome == "disagree" and again.detail.split(":")[0] == about

    return found, render(shrink(program.tree, keeps, attempts=attempts)) if attempts else program.text


def campaign(
    make: Callable[[int], Any], seeds: Iterable[int], attempts: int, stop_after: int
) -> Counter[str]:
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for number, seed in enumerate(seeds, 1):
        try:
            found, shrunk = run_one(make, seed, attempts)
        except Exception as problem:
            found, shrunk = Agreement("crashed", repr(problem)[:300]), ""
        outcomes[found.outcome] += 1
        if found.outcome == "refused":
            reasons[found.detail.split(":")[-1].strip()[:70]] += 1
        if found.outcome in {"disagree", "crashed"}:
            print(f"seed {seed}: {found.outcome}: {found.detail}\n{shrunk}", flush=True)
            if stop_after and outcomes["disagree"] + outcomes["crashed"] >= stop_after:
                break
        if number % 100 == 0:
            print(f"{number} programs: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    for reason, count in reasons.most_common(15):
        print(f"  {count:5} refused: {reason}")
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare symbolic forms with the programs they are of.")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the first of consecutive seeds")
    parser.add_argument("--shrink", type=int, default=200, metavar="ATTEMPTS")
    parser.add_argument("--stop-after", type=int, default=0, metavar="N", help="stop after N disagreements")
    parser.add_argument("--generator", choices=("agreement", "guarded"), default="guarded")
    arguments = parser.parse_args()
    os.environ["CC"] = spin.fast_compiler().split()[0]
    if arguments.generator == "guarded":
        from tests.agreement.guarded_generator import generate as make
    else:
        make = generate  # type: ignore[assignment]
    seeds = range(arguments.seed, arguments.seed + arguments.programs)
    with tempfile.TemporaryDirectory(prefix="symbolic-cache-") as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        outcomes = campaign(make, seeds, arguments.shrink, arguments.stop_after)
    sys.exit(1 if outcomes["disagree"] or outcomes["crashed"] else 0)


if __name__ == "__main__":
    main()
