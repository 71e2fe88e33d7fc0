"""Random programs, searched with and without reductions: nothing reportable may get lost.

    python -m tests.agreement.reductions --programs 3000 --seed 1 --jobs 2
    python -m tests.agreement.reductions --programs 3000 --seed 1 --talkative

For each program the violations found in the whole graph (kind, message, line; an invalid
end state is one of them) must be found again with all reductions, with each one alone and
with random invariants over the globals of the program. Merging and partial-order reduction
must moreover end in exactly the same states. A program for which they differ is made
small and saved. Talkative programs are small ones that do little but pass messages in loops,
where partial-order reduction has most to do and most to lose.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from assay import _engine
from assay.languages.promela import program
from assay.languages.promela.operations import Scalar
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions
from tests.agreement.generator import Form, Node, generate, leaf, render
from tests.agreement.shrink import shrink

REDUCTIONS = frozenset(program.REDUCTIONS)
STATE_LIMIT = 100_000
ENDS_LIMIT = 3_000  # states of a program whose ends are compared one by one
SECONDS = 20.0
FORK = multiprocessing.get_context("fork")

Facts = frozenset[tuple[str, str, int | None]]


@dataclass(frozen=True, slots=True)
class Comparison:
    outcome: str  # "agree", "disagree", or why there is nothing to compare
    detail: str = ""
    invariant: str = ""
    states: int = 0
    reduced_states: int = 0


class Talk:
    """One talkative program; every decision comes from one random source."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.assertions = 0
        self.loops = self.random.random() < 0.5

    def program(self) -> Node:
        some = self.random
        self.channels = [f"q{n}" for n in range(some.randint(1, 3))]
        units = [leaf("byte g, h;")]
        for name in self.channels:
            capacity = some.choices([0, 1, 2], [1, 3, 2])[0]
            units.append(leaf(f"chan {name} = [{capacity}] of {{ byte }};"))
        started = []
        for number in range(some.randint(2, 4)):
            # A channel comes by its name or as a parameter.
            passed = some.random() < 0.4
            ends = ["a", "b"] if passed else some.choices(self.channels, k=2)
            body = tuple(self.process(*ends, number))
            if passed:
                first, second = some.choices(self.channels, k=2)
                started.append(leaf(f"run p{number}({first}, {second})"))
                units.append(Node(Form.UNIT, f"proctype p{number}(chan a, b)", body))
            else:
                units.append(Node(Form.UNIT, f"active proctype p{number}()", body))
        if started:
            together = (
                (Node(Form.BLOCK, "atomic", tuple(started)),) if some.random() < 0.5 else tuple(started)
            )
            units.append(Node(Form.UNIT, "init", together))
        return Node(Form.PROGRAM, children=tuple(units))

    def process(self, ins: str, out: str, number: int) -> list[Node]:
        declared = [leaf("byte x, y")]
        if self.random.random() < 0.2:
            declared.append(leaf(f"byte n = len({self.random.choice(self.channels)})"))
        body = self.steps(ins, out, self.random.randint(0, 2) if self.loops else self.random.randint(2, 4))
        if self.loops and self.random.random() < 0.75:
            options = tuple(
                Node(Form.OPTION, children=tuple(self.steps(ins, out, self.random.randint(1, 3))))
                for _ in range(self.random.randint(1, 2))
            )
            loop = Node(Form.CHOICE, "do", options, "od", label=self.random.choice(["", f"end{number}"]))
            body.append(loop)
        return [*declared, *(body or self.steps(ins, out, 2))]

    def steps(self, ins: str, out: str, count: int) -> list[Node]:
        return [self.step(ins, out) for _ in range(count)]

    def step(self, ins: str, out: str) -> Node:
        some = self.random
        kind = some.random()
        simple = leaf(self.statement(ins, out))
        if kind < 0.75:
            return simple
        if kind < 0.84:
            return Node(Form.BLOCK, "atomic", (simple, *self.simple(ins, out, some.randint(1, 2))))
        if kind < 0.94:
            other = some.choice(["else", "timeout", self.statement(ins, out)])
            options = (
                Node(Form.OPTION, children=(simple,)),
                Node(Form.OPTION, children=(leaf(other), *self.simple(ins, out, 1))),
            )
            return Node(Form.CHOICE, "if", options, "fi")
        blocks = tuple(Node(Form.BLOCK, "", tuple(self.simple(ins, out, 2))) for _ in range(2))
        return Node(Form.UNLESS, children=blocks)

    def simple(self, ins: str, out: str, count: int) -> list[Node]:
        return [leaf(self.statement(ins, out)) for _ in range(count)]

    def statement(self, ins: str, out: str) -> str:
        some = self.random
        self.assertions += 1
        choices = {
            f"{ins}?x": 6,
            f"{out}!{some.choice(['x', '1', '2'])}": 6,
            f"{ins}?{some.randint(0, 2)}": 1,
            f"{ins}??{some.randint(0, 2)}": 1,
            f"{out}!!x": 1,
            f"nempty({ins})": 1,
            f"nfull({out})": 1,
            f"len({out}) == {some.randint(0, 1)}": 1,
            "y = x + 1": 2,
            "x = (x + y) % 3": 2,
            "skip": 1,
            f"x == {some.randint(0, 1)}": 1,
            f"g = {some.randint(0, 2)}": 2,
            f"g != {some.randint(0, 2)}": 1,
            "h = x": 1,
            f"assert(x != {some.randint(0, 2)} || g != {some.randint(0, 2)} || {self.assertions} == 0)": 2,
            f"assert(y != {some.randint(0, 2)} || {self.assertions} == 0)": 1,
            "y = 3 / x": 1,
        }
        return some.choices(list(choices), list(choices.values()))[0]


class TooLarge(Exception):
    """The whole graph is not seen within the limits."""


def violations(
    model: Path, reductions: frozenset[str], invariants: tuple[str, ...] = ()
) -> tuple[Facts, int]:
    """Everything that a complete search reports, and how many states it saw."""
    options = LanguageOptions(invariants=invariants, reductions=reductions, safety_only=True)
    loaded = program.load(model, options)
    result = _engine.search(
        _engine.CompiledModel(loaded.opening.file),
        strategy="bfs",
        storage="exact",
        threads=1,
        seed=0,
        hash_functions=0,
        bitstate_bytes=0,
        memory_limit_bytes=0,
        time_limit_seconds=SECONDS / 2,
        depth_limit=0,
        state_limit=STATE_LIMIT,
        stop_at_first_violation=False,
        check_deadlock=True,
        on_progress=None,
        progress_interval_seconds=1,
    )
    if not result.complete:
        raise TooLarge
    described = (loaded.describe_violation(v.code) for v in result.violations)
    return frozenset((f.kind, f.message, f.line) for f in described), result.states


def ends(model: Path, reductions: frozenset[str]) -> frozenset[bytes]:
    """The reachable states from which nothing goes on."""
    loaded = program.load(model, LanguageOptions(reductions=reductions, safety_only=True))
    compiled = _engine.CompiledModel(loaded.opening.file)
    initial, _ = compiled.initial_state()
    seen, pending, found = {initial}, [initial], set()
    while pending:
        state = pending.pop()
        successors = compiled.successors(state)
        if not successors:
            found.add(state)
        for successor, _ in successors:
            if successor is not None and successor not in seen:
                seen.add(successor)
                pending.append(successor)
    return frozenset(found)


def random_invariants(model: Path, seed: int, count: int) -> list[str]:
    """Simple statements about globals; whether they hold does not matter."""
    source = random.Random(seed)
    atoms = [f"_nr_pr <= {source.randint(1, 4)}"]
    resolver = program.load(model, LanguageOptions(safety_only=True)).model.resolver
    for symbol in resolver.globals:
        place = symbol.name if symbol.length is None else f"{symbol.name}[{source.randrange(symbol.length)}]"
        if symbol.channel is not None:
            atoms.append(f"len({place}) < {source.randint(1, 2)}")
        elif isinstance(symbol.type, Scalar) and symbol.type.name != "chan":
            atoms.append(f"{place} {source.choice(['<=', '==', '!='])} {source.randint(0, 3)}")
    chosen = [" || ".join(source.sample(atoms, min(len(atoms), source.randint(1, 3)))) for _ in range(count)]
    return list(dict.fromkeys(chosen))


def compare(model: Path, *, invariants: Sequence[str]) -> Comparison:
    try:
        expected, states = violations(model, frozenset())
        whole, reduced_states = violations(model, REDUCTIONS)
        different = difference("all", expected, whole)
        for one in sorted(REDUCTIONS):
            different = different or difference(one, expected, violations(model, frozenset({one}))[0])
        if states <= ENDS_LIMIT and not different:
            whole_ends = ends(model, frozenset())
            for one in ("merging", "partial-order"):
                if ends(model, frozenset({one})) != whole_ends:
                    different = f"{one}: other end states"
        if different:
            return Comparison("disagree", different)
        for invariant in invariants:
            expected, _ = violations(model, frozenset(), (invariant,))
            found, _ = violations(model, REDUCTIONS, (invariant,))
            if different := difference("all, with an invariant", expected, found):
                return Comparison("disagree", different, invariant)
    except SourceProblem:
        return Comparison("refused")
    except TooLarge:
        return Comparison("too large")
    return Comparison("agree", states=states, reduced_states=reduced_states)


def difference(reductions: str, expected: Facts, found: Facts) -> str:
    if expected == found:
        return ""
    lost, invented = sorted(expected - found, key=str), sorted(found - expected, key=str)
    return f"{reductions}: lost {lost}, invented {invented}"


def check(text: str, *, seed: int = 0, invariants: Sequence[str] | None = None) -> Comparison:
    """Compares in a process of its own: a model that hangs or crashes must not take us along."""
    receiver, sender = FORK.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(prefix="reductions-") as scratch:
        child = FORK.Process(target=_child, args=(sender, Path(scratch), text, seed, invariants))
        child.start()
        sender.close()
        try:
            answered = receiver.poll(SECONDS * 2)
            result = receiver.recv() if answered else Comparison("timed out")
        except EOFError:
            result = Comparison("disagree", "crashed")
        child.kill()
        child.join()
        receiver.close()
        child.close()
    assert isinstance(result, Comparison)
    return result


def _child(sender: Connection, scratch: Path, text: str, seed: int, invariants: Sequence[str] | None) -> None:
    os.environ["XDG_CACHE_HOME"] = str(scratch)
    if shutil.which("tcc"):
        os.environ["CC"] = "tcc"
    model = scratch / "model.pml"
    model.write_text(text)
    try:
        chosen = random_invariants(model, seed, 2) if invariants is None else invariants
        sender.send(compare(model, invariants=chosen))
    except SourceProblem:
        sender.send(Comparison("refused"))
    except Exception as error:
        sender.send(Comparison("disagree", f"crashed: {error!r}"))


def run_one(seed: int, shrink_attempts: int, *, talkative: bool = False) -> tuple[Comparison, str]:
    """The comparison, and the program made small if it is a disagreement."""
    tree = Talk(seed).program() if talkative else generate(seed).tree
    comparison = check(render(tree), seed=seed)
    if comparison.outcome != "disagree":
        return comparison, ""
    invariants = [comparison.invariant] if comparison.invariant else []

    def keeps(tree: Node) -> bool:
        return check(render(tree), invariants=invariants).outcome == "disagree"

    smallest = render(shrink(tree, keeps, attempts=shrink_attempts))
    final = check(smallest, invariants=invariants)
    return comparison, f"/* seed {seed}, {final.invariant!r}: {final.detail} */\n{smallest}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Search random programs with and without reductions.")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the first of consecutive seeds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--talkative", action="store_true")
    parser.add_argument("--shrink", type=int, default=300, metavar="ATTEMPTS")
    parser.add_argument("--save", type=Path, default=Path("disagreements"), metavar="DIRECTORY")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.programs)
    began = time.perf_counter()
    outcomes: Counter[str] = Counter()
    states = reduced_states = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda seed: run_one(seed, arguments.shrink, talkative=arguments.talkative), seeds)
        for seed, (comparison, shrunk) in zip(seeds, results, strict=True):
            outcomes[comparison.outcome] += 1
            states += comparison.states
            reduced_states += comparison.reduced_states
            if comparison.outcome == "disagree":
                arguments.save.mkdir(parents=True, exist_ok=True)
                saved = arguments.save / f"reductions{seed}.pml"
                saved.write_text(shrunk)
                print(f"seed {seed}: {comparison.detail}\n  saved as {saved}", flush=True)
    print(f"{outcomes.total()} programs in {time.perf_counter() - began:.0f} s: {dict(outcomes)}")
    print(f"{states} states of the programs that agree, {reduced_states} with all reductions")
    sys.exit(1 if outcomes["disagree"] else 0)


if __name__ == "__main__":
    main()
