"""Claims beside SPIN: verdicts property by property, and counts of the whole product.

SPIN's verdict on a claim comes from `pan -a -N claim` (with fairness `-a -f`), on accept labels from
`pan -a` without a claim, on progress from `pan -l`; counts from a `-DSAFETY -DNOREDUCE` build with a never
claim active, because both sides then walk the same automaton. Everything is unreduced: SPIN's reduction has
known flaws with claims.

Where SPIN is no judge, the plain definition is (`assay.search.reference.accepting_cycle`), over a product
that is built here in Python: `X`, which Debian's SPIN refuses, and fair runs that end, whose violations
`-f` misses.

    python -m tests.agreement.claims --models DIRECTORY
    python -m tests.agreement.claims --random 100 --seed 0 --formulas 5
    python -m tests.agreement.claims --reductions 100 --seed 0
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from assay import _engine
from assay.automata.automaton import cycles
from assay.languages.promela import program
from assay.search.reference.accepting_cycle import Judged, Step, has_accepting_cycle, reachable
from assay.transition_system.interface import SourceProblem, TemporalProperty
from assay.transition_system.language_options import REDUCTIONS, LanguageOptions
from tests.agreement.generator import render
from tests.agreement.process import run
from tests.agreement.reductions import Talk

FEWEST_TOO_LARGE_FOR_THE_DEFINITION = 400  # states of a product; it compares each with each
MOST_STATES_WALKED_IN_PYTHON = 20_000
_DEFAULTS: Mapping[str, object] = {
    "storage": "exact",
    "threads": 1,
    "seed": 0,
    "hash_functions": 0,
    "bitstate_bytes": 0,
    "memory_limit_bytes": 2 << 30,
    "time_limit_seconds": 0,
    "depth_limit": 0,
    "state_limit": 0,
    "check_deadlock": False,
    "on_progress": None,
    "progress_interval_seconds": 1.0,
}


Node = tuple[int, bytes]  # location of the automaton, state of the system


class Subject:
    """A model and its temporal properties, without the command line."""

    def __init__(self, path: Path, options: LanguageOptions) -> None:
        self.program = program.load(path, options)
        self.model = _engine.CompiledModel(self.program.opening.file)

    @cached_property
    def properties(self) -> dict[str, TemporalProperty]:
        """By name, or by kind where there is none."""
        return {each.name or each.kind: each for each in self.program.temporal}

    def product(self, each: TemporalProperty) -> _engine.Product:
        def spread(bits: int) -> int:
            return sum(1 << label for place, label in enumerate(each.labels) if bits >> place & 1)

        automaton = each.automaton
        return _engine.Product(
            self.model,
            [
                [(spread(edge.mask), spread(edge.value), edge.target) for edge in outgoing]
                for outgoing in automaton.edges
            ],
            list(automaton.accepting),
            automaton.acceptance_sets,
        )

    def is_violated(self, each: TemporalProperty, *, fair: bool = False) -> bool:
        options: dict[str, object] = {"strategy": "accepting-cycle", "stop_at_first_violation": True}
        if fair:
            options |= {"fair": True, "processes": self.program.process_limit}
        if each.progress_label is not None:
            options["progress_label"] = each.progress_label
        result = _engine.search(self.product(each), **{**_DEFAULTS, **options})
        assert result.complete or result.violations, result.stop_reason
        return bool(result.violations)

    def states(self, each: TemporalProperty) -> int:
        options = {"strategy": "bfs", "stop_at_first_violation": False}
        return int(_engine.search(self.product(each), **{**_DEFAULTS, **options}).states)

    def by_definition(self, each: TemporalProperty, *, fair: bool = False, stutter: bool = True) -> bool:
        """Is it violated? By the definition, over a product that shares nothing with the engine's. Without
        `stutter`, only runs count that do not end."""
        product = PlainProduct(self.model, each, stutter=stutter)
        judged = Judged(
            product.initial,
            product.steps,
            lambda node: each.automaton.accepting[node[0]],
            each.automaton.acceptance_sets,
            self.program.process_limit if fair else 0,
            product.makes_progress,
        )
        nodes = reachable(judged)
        if len(nodes) < FEWEST_TOO_LARGE_FOR_THE_DEFINITION:
            return has_accepting_cycle(judged)
        return self._has_accepting_component(judged, nodes)

    @staticmethod
    def _has_accepting_component(judged: Judged[Node], nodes: list[Node]) -> bool:
        """The same in linear time."""
        numbers = {node: number for number, node in enumerate(nodes)}
        counting = [[step for step in judged.steps(node) if not judged.is_free(node, step)] for node in nodes]
        graph = [[numbers[step.target] for step in steps] for steps in counting]
        for component in cycles(graph, range(len(nodes))):
            inside = set(component)
            met = 0
            for number in component:
                for step in counting[number]:
                    if numbers[step.target] in inside:
                        met |= judged.marks(nodes[number], step)
            if met & judged.all_sets == judged.all_sets:
                return True
        return False

    def has_dead_ends(self, each: TemporalProperty) -> bool:
        """Does the automaton go on alone somewhere? SPIN does not store all of these states: which ones
        depends on the order of its search."""
        product = PlainProduct(self.model, each)
        seen = {product.initial: None}
        queue = [product.initial]
        for node in queue:
            for step in product.steps(node):
                if step.process is None:
                    return True
                if step.target not in seen:
                    seen[step.target] = None
                    queue.append(step.target)
        return False


class PlainProduct:
    def __init__(self, model: _engine.Model, each: TemporalProperty, *, stutter: bool = True) -> None:
        self._stutter = stutter
        self._model = model
        self._property = each
        self._known: dict[Node, list[Step[Node]]] = {}
        self.initial: Node = (0, model.initial_state()[0])

    def steps(self, node: Node) -> list[Step[Node]]:
        if node not in self._known:
            location, state = node
            labels = self._model.labels(state)
            read = enumerate(self._property.labels)
            valuation = sum(1 << place for place, label in read if labels >> label & 1)
            after: list[tuple[bytes, int | None]] = [
                (target, process)
                for (target, _), process in zip(
                    self._model.successors(state), self._model.processes(state), strict=True
                )
                if target is not None
            ]
            locations = list(self._property.automaton.successors(location, valuation))
            self._known[node] = [
                Step((next_location, target), process)
                for target, process in after or ([(state, None)] if self._stutter else [])
                for next_location in locations
            ]
        return self._known[node]

    def makes_progress(self, node: Node) -> bool:
        progress = self._property.progress_label
        return progress is not None and bool(self._model.labels(node[1]) >> progress & 1)


# --- SPIN ----------------------------------------------------------------------------


class SpinRefuses(Exception):
    """It does not accept the model, or did not finish."""


class Spin:
    """Verifiers of one model, each compiled once."""

    def __init__(self, path: Path, directory: Path) -> None:
        self._directory = directory
        shutil.copy(path, directory / "model.pml")
        self._generate("model.pml")

    def _generate(self, name: str) -> None:
        generated = run(
            ["spin", "-a", "-o1", "-o2", "-o3", name], directory=self._directory, timeout_seconds=60
        )
        if generated.returncode != 0:
            said = (generated.output + generated.errors).strip().splitlines()
            raise SpinRefuses(said[0] if said else "no output")

    def _verifier(self, *flags: str) -> str:
        name = "pan" + "".join(flags).replace("-D", "_").replace("=", "_")
        if not (self._directory / name).exists():
            compiled = run(
                ["gcc", "-O0", "-w", *flags, "-o", name, "pan.c"],
                directory=self._directory,
                timeout_seconds=300,
            )
            if compiled.returncode != 0:
                raise SpinRefuses(compiled.errors.strip().splitlines()[-1])
        return f"./{name}"

    def _said(self, verifier: str, *options: str) -> str:
        searched = run(
            [verifier, "-n", "-m200000", "-w18", *options], directory=self._directory, timeout_seconds=60
        )
        if searched.timed_out or "errors:" not in searched.output or "depth too small" in searched.output:
            raise SpinRefuses(f"{verifier} {' '.join(options)}: {' '.join(searched.output[:100].split())}")
        return searched.output

    def is_violated(self, claim: str, *, fair: bool = False) -> bool:
        said = self._said(
            self._verifier("-DNOREDUCE"), "-a", *(["-f"] if fair else []), *(["-N", claim] if claim else [])
        )
        return _errors(said) > 0

    def has_acceptance_cycle(self, *, fair: bool = False) -> bool:
        verifier = self._verifier("-DNOREDUCE", "-DNOCLAIM")
        said = self._said(verifier, "-a", *(["-f"] if fair else []))
        return _errors(said) > 0

    def has_non_progress_cycle(self, *, fair: bool = False) -> bool:
        said = self._said(self._verifier("-DNOREDUCE", "-DNP"), "-l", *(["-f"] if fair else []))
        return _errors(said) > 0

    def states(self, claim: str) -> int | None:
        """Of the whole product; None where the claim can fail: SPIN goes on then as if it had not, at a dead
        end for ever."""
        options = ["-m10000", "-c0", *(["-N", claim] if claim else [])]
        try:
            said = self._said(self._verifier("-DNOREDUCE", "-DSAFETY"), *options)
        except SpinRefuses:
            return None
        return None if _errors(said) else _figure(r"^\s*(\d+) states, stored", said)


def _errors(said: str) -> int:
    return _figure(r"errors: (\d+)", said)


def _figure(pattern: str, text: str) -> int:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise SpinRefuses(f"no {pattern} in {text[-300:]}")
    return int(found[1])


# --- comparing -----------------------------------------------------------------------


@dataclass
class Comparison:
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, other: Comparison) -> None:
        self.outcomes.update(other.outcomes)
        self.problems.extend(other.problems)

    def note(self, agrees: bool, what: str, detail: str) -> None:
        self.outcomes[what if agrees else f"DISAGREE: {what}"] += 1
        if not agrees:
            self.problems.append(f"{what}: {detail}")


def compare(path: Path, *, fair: bool = True) -> Comparison:
    """Every property of a model, each with and without fairness."""
    found = Comparison()
    text = path.read_text()
    progress = re.search(r"\bprogress\w*\s*:", text) is not None
    try:
        subject = Subject(path, LanguageOptions(progress=progress))
    except SourceProblem as problem:
        found.note(False, "refused by Assay", f"{path.name}: {problem}")
        return found
    _compare_reduced(subject, path, found)
    for reason in subject.program.caveats:
        found.note(False, "not built", f"{path.name}: {reason}")
    with tempfile.TemporaryDirectory(prefix="claims-") as scratch:
        try:
            spin = Spin(path, Path(scratch))
            for name, each in subject.properties.items():
                _compare_property(subject, spin, name, each, found, f"{path}: {name}: {each.text}", fair=fair)
        except SpinRefuses as refusal:
            found.outcomes["refused by SPIN"] += 1
            found.problems.append(f"refused by SPIN: {path.name}: {refusal}")
    return found


def _compare_reduced(subject: Subject, path: Path, found: Comparison) -> None:
    options = replace(subject.program.options, reductions=frozenset(REDUCTIONS))
    reduced = Subject(path, options)
    for name, each in reduced.properties.items():
        for fairly in (False, True):
            one = subject.is_violated(subject.properties[name], fair=fairly)
            other = reduced.is_violated(each, fair=fairly)
            found.note(one == other, "as with reductions", f"{path}: {name}: {each.text}; reduced: {other}")


def _compare_property(
    subject: Subject,
    spin: Spin,
    name: str,
    each: TemporalProperty,
    found: Comparison,
    detail: str,
    *,
    fair: bool,
) -> None:
    states = subject.states(each)
    small = states < MOST_STATES_WALKED_IN_PYTHON
    for fairly in (False, True) if fair else (False,):
        ours = subject.is_violated(each, fair=fairly)
        what = f"{each.kind}{', fair' if fairly else ''}"
        if small:
            found.note(ours == subject.by_definition(each, fair=fairly), f"{what}: definition", detail)
        if each.kind == "acceptance":
            theirs = spin.has_acceptance_cycle(fair=fairly)
        elif each.kind == "progress":
            theirs = spin.has_non_progress_cycle(fair=fairly)
        else:
            theirs = spin.is_violated(each.name, fair=fairly)
        if (
            fairly
            and ours
            and not theirs
            and small
            and not subject.by_definition(each, fair=True, stutter=False)
        ):
            found.outcomes[f"{what}: violated by runs that end, which SPIN misses"] += 1
            continue
        found.note(ours == theirs, f"{what}: {'violated' if ours else 'holds'}", f"{detail}; SPIN: {theirs}")
    if each.kind == "never" and "np_" not in subject.program.path.read_text():  # which SPIN counts wrongly
        stored = spin.states(each.name)
        if stored is not None and states < MOST_STATES_WALKED_IN_PYTHON:
            if subject.has_dead_ends(each):
                what, agrees = "states of a product with dead ends, at most", stored <= states
            else:
                what, agrees = "states of a product", stored == states
            found.note(agrees, what, f"{detail}: {states}, SPIN {stored}")


# --- random programs and formulas ----------------------------------------------------

ATOMS = (
    "x == 0",
    "x == 1",
    "y == 0",
    "y < 2",
    "x == y",
    "len(q) == 0",
    "q?[1]",
    "P0@here",
    "P1@here",
)


class Chance:
    """A small program, and formulas over it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self) -> str:
        pick = self.random
        capacity = pick.choice([0, 1, 2])
        processes = pick.choice([2, 2, 3])
        lines = ["byte x, y;", f"chan q = [{capacity}] of {{ byte }};"]
        for number in range(processes):
            body = self._body(2 + pick.randrange(2), looping=False)
            lines.append(f"active proctype P{number}() {{")
            if pick.random() < 0.7:
                lines += [
                    "  do",
                    *(f"  :: {self._option(here=not i)}" for i in range(1 + pick.randrange(3))),
                    "  od",
                ]
            else:
                lines.append(f"  {body}; here: skip")
            lines.append("}")
        return "\n".join(lines) + "\n"

    def _option(self, *, here: bool) -> str:
        # SPIN refuses loops of nothing, and two `else` at one place.
        statement = f"x < 3; {self._body(1 + self.random.randrange(2), looping=True)}"
        return f"{statement}; here: {self._statement()}" if here else statement

    def _body(self, length: int, *, looping: bool) -> str:
        parts = [self._statement() for _ in range(length)]
        if looping and self.random.random() < 0.15:
            parts.append("break")
        if self.random.random() < 0.15:
            return f"atomic {{ {'; '.join(parts)} }}" if "break" not in parts else "; ".join(parts)
        return "; ".join(parts)

    def _statement(self) -> str:
        pick = self.random
        variable = pick.choice("xy")
        return pick.choice(
            [
                f"{variable} = {pick.randrange(3)}",
                f"{variable} = ({variable} + 1) % 3",
                f"({variable} == {pick.randrange(3)})",
                f"({variable} != {pick.randrange(3)})",
                "skip",
                "q!1",
                "q!0",
                "q?1",
                "q?_",
                f"if :: x == 1 -> y = {pick.randrange(3)} :: else -> skip; skip fi",
            ]
        )

    def private_program(self, marks: Sequence[str]) -> str:
        """Processes with variables and channels of their own, that now and then touch what all can see."""
        pick = self.random
        lines = ["byte g, h;", f"chan q = [{pick.choice([0, 1, 2])}] of {{ byte }};"]
        self._waits = pick.random() < 0.2
        for number in range(pick.choice([2, 2, 3])):
            own = f"r{number}"
            lines += [f"chan {own} = [1] of {{ byte }};", f"active proctype P{number}() {{", "  byte a, b;"]
            options = []
            for _ in range(1 + pick.randrange(3)):
                parts = ["a < 3"] + [self._private_statement(own) for _ in range(1 + pick.randrange(4))]
                if pick.random() < 0.4:
                    at = 1 + pick.randrange(len(parts) - 1)
                    mark = f"{pick.choice(marks)}_{len(lines)}_{len(options)}"
                    parts[at] = f"{mark}: {parts[at]}"
                if pick.random() < 0.2:
                    parts.append("break")
                options.append("; ".join(parts))
            lines += ["  do", *(f"  :: {option}" for option in options), "  od;", "  here: skip", "}"]
        return "\n".join(lines) + "\n"

    def _private_statement(self, own: str) -> str:
        pick = self.random
        number = pick.randrange(3)
        private = [f"a = {number}", "a = (a + 1) % 3", f"b = {number}", "b = a", "skip", f"(b != {number})"]
        private += [f"{own}!a", f"{own}?b", f"if :: a == {number} -> b = 1 :: else fi"]
        shared = [f"g = {number}", "h = (h + 1) % 3", f"(g == {number})", "q!1", "q?_", "g = a"]
        shared += ["if :: q?_ :: skip fi"] + ["timeout"] * self._waits
        return pick.choice(private if pick.random() < 0.7 else shared)

    def formula(self, depth: int, names: Sequence[str]) -> tuple[str, str]:
        """As an ltl block has it, and as `spin -f` does."""
        pick = self.random
        if depth == 0 or pick.random() < 0.1:
            name = pick.choice(names)
            return name, name
        one, one_old = self.formula(depth - 1, names)
        kind = pick.choice(["[]", "<>", "!", "[]", "<>", "U", "V", "W", "->", "<->", "&&", "||"])
        if kind in ("[]", "<>", "!"):
            return f"{kind} ({one})", f"{kind} ({one_old})"
        two, two_old = self.formula(depth - 1, names)
        if kind == "W":
            return f"(({one}) W ({two}))", f"(({two_old}) V (({one_old}) || ({two_old})))"
        return f"(({one}) {kind} ({two}))", f"(({one_old}) {kind} ({two_old}))"


def random_model(seed: int, formulas: int) -> str:
    """A program with formulas as ltl blocks, and the same formulas as never claims of SPIN's making."""
    chance = Chance(seed)
    text = chance.program()
    usable = [atom for atom in ATOMS if "q?[" not in atom or "[0] of" not in text]
    chosen = chance.random.sample(usable, 3)
    names = [f"p{number}" for number in range(len(chosen))]
    defines = "".join(f"#define {name} ({atom})\n" for name, atom in zip(names, chosen, strict=True))
    claims = []
    for number in range(formulas):
        written, old = chance.formula(chance.random.choice([2, 2, 3]), names)
        translated = run(["spin", "-f", f"!({old})"], timeout_seconds=2)
        if translated.returncode != 0:
            continue  # SPIN needs minutes for some
        claims.append(f"ltl f{number} {{ {written} }}")
        if translated.output.count("\n") < 60:
            claims.append(translated.output.replace("never  {", f"never n{number} {{", 1))
    return defines + text + "\n".join(claims) + "\n"


def compare_random(seed: int, formulas: int, save: Path | None = None) -> Comparison:
    with tempfile.TemporaryDirectory(prefix="claims-") as scratch:
        path = Path(scratch) / f"seed{seed}.pml"
        path.write_text(random_model(seed, formulas))
        found = compare(path)
        if save is not None and any(outcome.startswith("DISAGREE") for outcome in found.outcomes):
            save.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, save)
        return found


def compare_reductions(seed: int, formulas: int) -> Comparison:
    """A program that does much out of sight, with formulas one by one: reductions change no verdict."""
    found = Comparison()
    chance = Chance(seed)
    marks = ["accept", "progress", "here"]
    with tempfile.TemporaryDirectory(prefix="claims-") as scratch:
        path = Path(scratch) / f"seed{seed}.pml"
        path.write_text(chance.private_program(marks) if seed % 3 else render(Talk(seed).program()))
        names = ["g == 0", "g < 2", "h == 1", "g == h"]
        names += [] if not seed % 3 else ["P0@here", "len(q) == 0"]
        asked = [LanguageOptions(ltl=(chance.formula(2, names)[0],)) for _ in range(formulas)]
        asked += [LanguageOptions(), LanguageOptions(progress=True), LanguageOptions(terminates=True)]
        asked += [replace(each, fair=True) for each in asked]
        for options in asked:
            try:
                whole = Subject(path, options)
            except SourceProblem as problem:
                found.outcomes[f"refused: {problem.message[:40]}"] += 1
                continue
            if not whole.properties:
                continue
            if max(whole.states(each) for each in whole.properties.values()) > MOST_STATES_WALKED_IN_PYTHON:
                found.outcomes["too large"] += 1
                continue
            for reduction in (*REDUCTIONS, None):
                reductions = frozenset(REDUCTIONS) if reduction is None else frozenset({reduction})
                reduced = Subject(path, replace(options, reductions=reductions))
                for name, each in reduced.properties.items():
                    fewer = reduced.states(each) < whole.states(whole.properties[name])
                    one = whole.is_violated(whole.properties[name], fair=options.fair)
                    other = reduced.is_violated(each, fair=options.fair)
                    what = f"{reduction or 'all reductions'}: {'violated' if one else 'holds'}"
                    what += ", fair" if options.fair else ""
                    what += ", fewer states" if fewer and each.stutter_invariant else ""
                    found.note(one == other, what, f"seed {seed}, {what}: {each.text}; reduced: {other}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", type=Path, help="a directory of models with claims")
    parser.add_argument("--random", type=int, default=0, help="random programs")
    parser.add_argument("--reductions", type=int, default=0, help="programs to search with and without them")
    parser.add_argument("--formulas", type=int, default=5, help="for each random program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", type=Path, help="where models are left on which we disagree")
    arguments = parser.parse_args()
    total = Comparison()
    with ProcessPoolExecutor(arguments.workers) as pool:
        for comparison in _comparisons(pool, arguments):
            total.add(comparison)
            for problem in comparison.problems:
                print(problem, flush=True)
    for outcome, count in sorted(total.outcomes.items()):
        print(f"{count:6}  {outcome}")
    sys.exit(1 if any(outcome.startswith("DISAGREE") for outcome in total.outcomes) else 0)


def _comparisons(pool: ProcessPoolExecutor, arguments: argparse.Namespace) -> Iterator[Comparison]:
    if arguments.models:
        yield from pool.map(compare, sorted(arguments.models.glob("*.pml")))
    seeds = range(arguments.seed, arguments.seed + arguments.random)
    reduced = range(arguments.seed, arguments.seed + arguments.reductions)
    yield from pool.map(partial(compare_reductions, formulas=arguments.formulas), reduced)
    yield from pool.map(partial(compare_random, formulas=arguments.formulas, save=arguments.save), seeds)


if __name__ == "__main__":
    main()
