"""Random guarded programs in Promela, small enough to be searched whole, for what has a symbolic form.

Every way to search them must say the same: the explicit engine, the symbolic form executed, searches by
abstraction, proofs.

    python -m tests.agreement.guarded --seeds 0:2000
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from assay import _engine, languages
from assay.evidence.inductive.invariant import InductiveInvariant
from assay.languages.promela.compiler import compile_model
from assay.search.amcs import FastAmcs
from assay.search.diagrams import explore
from assay.search.proofs.cells import look_for_closed_cells
from assay.search.proofs.proving import prove
from assay.search.reference.amcs import Amcs, AmcsOutcome
from assay.search.reference.general_splitting import GeneralSplitting, Refine, SplittingOutcome
from assay.search.reference.max_overlap import max_overlap
from assay.search.reference.min_only import min_only
from assay.search.reference.min_set import min_set
from assay.search.symbolic_jobs import initial_predicates, validity
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import State, SymbolicModel, SymbolicSystem
from assay.transition_system.symbolic_code import code_of, overflow_code

SPLITTINGS: dict[str, Refine] = {"max-overlap": max_overlap, "min-set": min_set, "min-only": min_only}
MOST_STATES = 1_500
SAME = ("predicates", "rounds", "abstract_states", "states", "violation", "abstraction", "is_one_to_one")


class Writer:
    """One seed gives one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names: list[tuple[str, int]] = []  # with how many values

    def program(self) -> str:
        pick = self.random
        lines = []
        for number in range(pick.randint(1, 3)):
            kind, values = pick.choice([("byte", 4), ("bool", 2), ("short", 5), ("int", 6), ("unsigned", 8)])
            width = " : 3" if kind == "unsigned" else ""
            initial = pick.randint(0, 1)
            lines.append(f"{kind} g{number}{width} = {initial};")
            self.names.append((f"g{number}", values))
        if pick.random() < 0.4:
            lines.append("byte a[3];")
            self.names += [("a[0]", 4), ("a[1]", 4), (f"a[g0 % {pick.choice([2, 3, 3])}]", 4)]
        if pick.random() < 0.3:
            lines.append("chan c = [2] of { byte };")
        has_channel = lines[-1].startswith("chan")
        for number in range(pick.randint(1, 2)):
            copies = pick.choice(["", "", " [2]"])
            lines.append(f"active{copies} proctype P{number}() {{")
            local = [*self.names, ("x", 4)]
            lines.append("  byte x;")
            lines += (
                self.loop(local, has_channel) if pick.random() < 0.8 else self.block(local, 2, has_channel)
            )
            lines.append("}")
        return "\n".join(lines) + "\n"

    def loop(self, names: list[tuple[str, int]], has_channel: bool) -> list[str]:
        lines = ["  do"]
        for _ in range(self.random.randint(1, 3)):
            body = self.block(names, 1, has_channel)
            lines.append(f"  :: {self.guard(names)} -> {'; '.join(line.strip() for line in body)}")
        if self.random.random() < 0.5:
            lines.append("  :: else -> break")
        return [*lines, "  od"]

    def block(self, names: list[tuple[str, int]], depth: int, has_channel: bool) -> list[str]:
        lines = [self.statement(names, has_channel) for _ in range(self.random.randint(1, 2))]
        if depth > 1:
            lines.append(
                f"  if :: {self.guard(names)} -> {self.statement(names, has_channel).strip()} :: else fi"
            )
        text = "; ".join(line.strip() for line in lines)
        if self.random.random() < 0.25:
            text = f"atomic {{ {text} }}"
        return [f"  {text}"]

    def statement(self, names: list[tuple[str, int]], has_channel: bool) -> str:
        pick = self.random
        if has_channel and pick.random() < 0.25:
            return pick.choice([f"  c!{self.value(names)} % 3", "  c?x", "  nempty(c)", "  c?1"])
        if pick.random() < 0.1:
            return f"  assert({self.guard(names)[1:-1]} || {self.guard(names)})"
        if pick.random() < 0.1:
            return f"  {self.guard(names)}"
        name, values = pick.choice(names)
        return f"  {name} = ({self.value(names)}) % {values}"

    def value(self, names: list[tuple[str, int]]) -> str:
        pick = self.random
        name, other = pick.choice(names)[0], pick.choice(names)[0]
        return pick.choice(
            [
                f"{name} + 1",
                f"{name} + {other}",
                f"{name} - {other} + 3",
                f"{name} * 2",
                f"{pick.randint(0, 9)}",
                f"{name}",
                f"({name} > {other} -> {name} : {other} + 1)",
                f"{name} / 2",
                f"{name} & 3",
                f"255 + {name}",
            ]
        )

    def guard(self, names: list[tuple[str, int]]) -> str:
        pick = self.random
        (name, values), other = pick.choice(names), pick.choice(names)[0]
        return pick.choice(
            [
                f"({name} < {pick.randint(1, values)})",
                f"({name} == {pick.randint(0, values)})",
                f"({name} != {other})",
                f"({name} <= {other} + 1)",
                f"({name} > 0 && {other} < 3)",
                "(true)",
            ]
        )


@dataclass(frozen=True, slots=True)
class Explored:
    states: frozenset[tuple[int | None, ...]]
    violations: frozenset[tuple[str, str]]  # kind and message


def explored_by_the_engine(program: object, system: SymbolicSystem) -> Explored | None:
    """None: there are too many states."""
    model = _engine.CompiledModel(program.opening.file)  # type: ignore[attr-defined]
    initial, _ = model.initial_state()
    seen, pending, violations = {initial}, [initial], set()
    while pending:
        state = pending.pop()
        successors = model.successors(state)
        codes = {code for _, code in successors} | {model.check_state(state)}
        if not successors and not model.is_valid_end(state):
            violations.add(("deadlock", ""))
        for code in codes - {0}:
            facts = program.describe_violation(code)  # type: ignore[attr-defined]
            violations.add((facts.kind, facts.message))
        for after, _ in successors:
            if after is not None and after not in seen:
                seen.add(after)
                pending.append(after)
        if len(seen) > MOST_STATES:
            return None
    found = frozenset(tuple(program.symbolic_state(system, state)) for state in seen)  # type: ignore[attr-defined]
    return Explored(found, frozenset(violations))


def explored_symbolically(system: SymbolicSystem) -> Explored:
    model = SymbolicModel(system)
    initial, _ = model.initial_state()
    seen, pending, violations = {initial}, [initial], set()
    while pending:
        state = pending.pop()
        successors = model.successors(state)
        if not successors and not model.is_valid_end(state):
            violations.add(("deadlock", ""))
        for code in {model.check_state(state), *(code for _, code in successors)} - {0}:
            violations.add((model.facts[code].kind, model.facts[code].message))
        for after, _ in successors:
            if after is not None and after not in seen:
                seen.add(after)
                pending.append(after)
    first = len(system.controls)
    visible = frozenset(state for state in seen if system.is_visible(state[:first]))
    return Explored(visible, frozenset(violations))


def natively_split(system: SymbolicSystem, name: str, seed: int, **more: object) -> _engine.SearchResult:
    file = compile_model(code_of(system, initial_predicates(system, None)))
    model = _engine.CompiledModel(str(file.path))
    return _engine.search(
        model,
        strategy=name,
        storage="exact",
        seed=seed,
        control_words=len(system.controls),
        overflow_code=overflow_code(system),
        **more,
    )


def split_in_python(system: SymbolicSystem, name: str, seed: int, **more: object) -> SplittingOutcome:
    return GeneralSplitting(
        SymbolicModel(system),
        SPLITTINGS[name],
        predicates=initial_predicates(system, None)[:64],
        seed=seed,
        **more,  # type: ignore[arg-type]
    ).run()


def is_run(system: SymbolicSystem, states: tuple[State, ...]) -> bool:
    """Each state is a successor of the one before it."""
    model = SymbolicModel(system)
    return states[0] == model.initial_state()[0] and all(
        after in [each for each, _ in model.successors(before)] for before, after in pairwise(states)
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    outcome: str
    problems: tuple[str, ...] = ()


def compare(seed: int, *, proofs: bool = True) -> Comparison:
    """Everything that can be said of one random program, said in all ways."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"guarded{seed}.pml"
        path.write_text(Writer(seed).program())
        program = languages.load(path, LanguageOptions())
    system = program.symbolic()
    theirs = explored_by_the_engine(program, system)
    if theirs is None:
        return Comparison("too many states")
    ours = explored_symbolically(system)
    problems = []
    if theirs.states != ours.states or theirs.violations != ours.violations:
        problems.append(
            f"states {len(ours.states)} instead of {len(theirs.states)}, "
            f"violations {sorted(ours.violations ^ theirs.violations)}"
        )
    fails = bool(theirs.violations)
    problems += _packed(system, fails=fails)
    problems += by_diagrams(system, ours, fails=fails)
    for name in SPLITTINGS:
        problems += _splitting(system, name, seed, fails=fails)
    problems += _amcs(system, fails=fails)
    problems += _cells(system, theirs, seed, fails=fails)
    if proofs:
        problems += _proof(system, theirs, fails=fails)
    return Comparison("violated" if fails else "safe", tuple(problems))


def packed(system: SymbolicSystem, **more: object) -> _engine.SearchResult:
    file = compile_model(code_of(system, packed=True))
    return _engine.search(
        _engine.CompiledModel(str(file.path)), strategy="packed", overflow_code=overflow_code(system), **more
    )


def _packed(system: SymbolicSystem, *, fails: bool) -> list[str]:
    """The compiled form, its states packed and not, in the order of the executed one."""
    found = packed(system, stop_at_first_violation=False)
    file = compile_model(code_of(system))
    plain = _engine.search(
        _engine.CompiledModel(str(file.path)), strategy="bfs", stop_at_first_violation=False
    )
    ours = [
        (one.states, one.transitions, one.depth, sorted((v.code, v.path) for v in one.violations))
        for one in (found, plain)
    ]
    problems = [] if ours[0] == ours[1] else [f"packed {ours[0]}, with a word for each {ours[1]}"]
    if not found.complete or bool(found.violation_count) != fails:
        problems.append(f"packed says {found.violation_count}, {found.complete}")
    return problems


def by_diagrams(system: SymbolicSystem, explored: Explored, *, fails: bool) -> list[str]:
    """All states at once: as many of them, or a run to a violation that there is."""
    found = explore(
        system,
        memory_bytes=1 << 26,
        deadline=time.monotonic() + 60,
        check_deadlock=True,
        depth_limit=0,
        tell=lambda _: None,
    )
    if (found.violation is not None) != fails or found.complete == fails:
        return [f"diagrams say {found.violation}, {found.stopped_by}"]
    if not fails:
        wanted = len(explored.states)
        return [] if found.states == wanted else [f"diagrams count {found.states} states, there are {wanted}"]
    facts = SymbolicModel(system).facts.get(found.violation or 0)
    kind = ("deadlock", "") if facts is None else (facts.kind, facts.message)
    problems = [] if kind in explored.violations else [f"diagrams find {kind}, which there is not"]
    return problems if is_run(system, found.run) else [*problems, "the run that diagrams found is none"]


def _splitting(system: SymbolicSystem, name: str, seed: int, *, fails: bool) -> list[str]:
    problems = []
    plain = split_in_python(system, name, seed)
    if (plain.violation is not None) != fails or plain.is_one_to_one == fails:
        problems.append(f"{name} says {plain.violation is not None}, {plain.is_one_to_one}")
    if plain.violation is not None and not is_run(system, plain.violation[1]):
        problems.append(f"{name}: its counterexample is no run")
    fast = natively_split(system, name, seed)
    if bool(fast.violation_count) != fails or (fast.complete and fast.guarantee == "exact") == fails:
        problems.append(f"{name} natively says {fast.violation_count}, {fast.complete}, {fast.guarantee}")
    if not fails:
        told = (fast.states, fast.transitions, fast.observations["rounds"], fast.observations["predicates"])
        wanted = (len(plain.states), plain.transitions, plain.rounds, sum(map(len, plain.thresholds)))
        if told != wanted:
            problems.append(f"{name} natively counts {told}, in Python {wanted}")
    return problems


def _amcs(system: SymbolicSystem, *, fails: bool) -> list[str]:
    problems = []
    for name, valid, add_all in (
        ("amcs", validity(system), False),
        ("amcs-add-all", validity(system), True),
        ("amcs-no-prover", None, False),
    ):
        found = Amcs(
            SymbolicModel(system),
            initial_predicates(system, None),
            valid,
            add_all=add_all,
            most_rounds=4,
            deadline=time.monotonic() + 3,
        ).run()
        says_safe = found.is_one_to_one or (found.abstraction is not None and valid is not None)
        if (found.violation is not None and not fails) or (says_safe and fails):
            problems.append(f"{name} says {found.violation is not None}, {says_safe}")
        if not found.out_of_time:
            problems += _amcs_as_it_runs(system, name, found, add_all=add_all)
    return problems


def _amcs_as_it_runs(system: SymbolicSystem, name: str, wanted: AmcsOutcome, *, add_all: bool) -> list[str]:
    """Explored in Python, and by the engine from the first round or the fifth state on."""
    problems = []
    for where, most in (("in Python", None), ("natively", 0), ("in both", 4)):
        search = FastAmcs(
            SymbolicModel(system),
            initial_predicates(system, None),
            None if name == "amcs-no-prover" else validity(system),
            compiler=None if most is None else compile_model,
            many_states=most or 0,
            add_all=add_all,
            most_rounds=4,
        )
        found = search.run()
        problems += [
            f"{name} {where}: {fact} are {getattr(found, fact)} instead of {getattr(wanted, fact)}"
            for fact in SAME
            if getattr(found, fact) != getattr(wanted, fact)
        ]
        if most == 0 and search.native_rounds != found.rounds:
            problems.append(f"{name}: the engine explored {search.native_rounds} of {found.rounds} rounds")
    return problems


def _cells(system: SymbolicSystem, explored: Explored, seed: int, *, fails: bool) -> list[str]:
    found = look_for_closed_cells(
        system,
        SPLITTINGS["min-only"],
        initial_predicates(system, None)[:64],
        seed=seed,
        check_deadlock=True,
        deadline=time.monotonic() + 1,
    )
    if found.invariant is None:
        return []
    if fails:
        return ["cells are closed in a program that fails"]
    return _holds_everywhere(system, found.invariant, explored)


def _proof(system: SymbolicSystem, explored: Explored, *, fails: bool) -> list[str]:
    found = prove(system, check_deadlock=True, deadline=time.monotonic() + 10, with_spacer=False)
    if (found.violation is not None and not fails) or (found.invariant is not None and fails):
        return [f"a proof says {found.violation is not None}, {found.invariant is not None}"]
    if found.invariant is not None:
        return _holds_everywhere(system, found.invariant, explored)
    return []


def _holds_everywhere(system: SymbolicSystem, invariant: InductiveInvariant, explored: Explored) -> list[str]:
    wrong = [state for state in explored.states if not invariant.holds(system, state)]  # type: ignore[arg-type]
    return [f"the invariant excludes a state that is reached: {wrong[0]}"] if wrong else []


def main() -> int:
    parser = argparse.ArgumentParser(description="Search random guarded programs in every way.")
    parser.add_argument("--seeds", default="0:500")
    parser.add_argument("--no-proofs", action="store_true")
    chosen = parser.parse_args()
    first, _, last = chosen.seeds.partition(":")
    counts: Counter[str] = Counter()
    for seed in range(int(first), int(last)):
        found = compare(seed, proofs=not chosen.no_proofs)
        counts[found.outcome] += 1
        for problem in found.problems:
            print(f"seed {seed}: {problem}")
            counts["problems"] += 1
        if (seed + 1) % 50 == 0:  # so that what was stopped was not for nothing
            print(f"up to seed {seed}: {dict(counts)}", flush=True)
    print(dict(counts))
    return 1 if counts["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
