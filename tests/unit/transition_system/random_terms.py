"""Random terms, and what they mean: evaluated, compiled, bounded, and asked of both solvers.

python -m tests.unit.transition_system.random_terms --terms 10000 --seed 1
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from assay.checker import invariants as checker
from assay.evidence.inductive import z3_prover
from assay.transition_system.interface import SourceProblem
from assay.transition_system.terms import (
    ARITY,
    Integer,
    Number,
    Term,
    Variable,
    bounds,
    compiled,
    evaluate,
    from_json,
    parts,
    substituted,
    to_json,
)

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
PLAIN = ("+", "-", "*", "quotient", "remainder", "floor", "modulo", "neg")
OF_BITS = ("&", "|", "^", "~", "<<", ">>")
SMALL = (0, 1, 2, 3, -1, -2, 5, 7, 8, 15, 16, 31, -7)
LARGE = (
    *SMALL,
    63,
    64,
    255,
    -128,
    2**31 - 1,
    -(2**31),
    2**32,
    2**62,
    2**63 - 1,
    2**63,
    -(2**63),
    2**64,
    2**65 - 1,
)


class Terms:
    def __init__(self, seed: int) -> None:
        chance = self.chance = random.Random(seed)
        self.numbers = LARGE if chance.random() < 0.4 else SMALL
        self.operators = (*PLAIN, *OF_BITS) if chance.random() < 0.5 else PLAIN
        unbounded = chance.random() < 0.3
        widths = (1, 3, 8, 16, 31, 32, 64)
        kinds = [
            Integer() if unbounded else Integer(chance.choice(widths), chance.random() < 0.5) for _ in "xy"
        ]
        self.variables = [Variable(name, kind) for name, kind in zip("xy", kinds, strict=True)]
        self.term = from_json(self.truth(4), {one.name: one for one in self.variables})

    def truth(self, depth: int) -> Any:
        chance = self.chance
        kind = chance.random()
        if depth <= 0 or kind < 0.65:
            return [chance.choice(COMPARISONS), self.number(depth - 1), self.number(depth - 1)]
        if kind < 0.85:
            return [
                chance.choice(("and", "or")),
                *(self.truth(depth - 1) for _ in range(chance.randint(1, 3))),
            ]
        if kind < 0.93:
            return ["not", self.truth(depth - 1)]
        return ["if", *(self.truth(depth - 1) for _ in range(3))]

    def number(self, depth: int) -> Any:
        chance = self.chance
        if depth <= 0 or chance.random() < 0.2:
            return chance.choice(self.numbers) if chance.random() < 0.4 else chance.choice("xy")
        kind = chance.random()
        if kind < 0.1:
            return [
                chance.choice(("int", "unsigned")),
                chance.choice((1, 3, 8, 32, 63, 64)),
                self.number(depth - 1),
            ]
        if kind < 0.2:
            return ["if", self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1)]
        operator = chance.choice(self.operators)
        return [operator, *(self.number(depth - 1) for _ in range(ARITY.get(operator, 2)))]

    def values(self) -> Iterator[dict[str, int]]:
        for _ in range(4):
            found = {}
            for one in self.variables:
                low, high = one.type.low, one.type.high
                wanted = self.chance.choice((0, 1, -1, 5, 7, -7, 2**40, -(2**33)))
                if low is not None and high is not None:
                    wanted = self.chance.choice((low, high, max(low, min(high, wanted))))
                found[one.name] = wanted
            yield found


def problem_with(seed: int, seen: Counter[str]) -> str:
    """Empty if everybody agrees with the plain evaluation."""
    made = Terms(seed)
    term = made.term
    for values in made.values():
        expected = bool(evaluate(term, values))
        for who, answer in answers(made, term, values, with_cvc5=seed % 4 == 0):
            seen[who] += answer is not None
            if answer is not None and answer is not expected:
                return f"{seed}: {who} says {answer} of {to_json(term)} for {values}"
    return ""


def answers(
    made: Terms, term: Term, values: Mapping[str, int], *, with_cvc5: bool
) -> Iterator[tuple[str, bool | None]]:
    """Who says what; None: nothing."""
    expected = bool(evaluate(term, values))
    yield "the compiled function", bool(compiled(term, {"x": 0, "y": 1})((values["x"], values["y"])))
    known = substituted(term, {name: Number(value) for name, value in values.items()})
    yield "the term with its values put in", bool(evaluate(known, {}))
    for part in parts(term):
        low, high = bounds(part)
        value = int(evaluate(part, values))
        if (low is not None and value < low) or (high is not None and value > high):
            yield f"bounds of {to_json(part)}", not expected
    yield from z3_says(made, term, values)
    if with_cvc5:
        yield "cvc5", cvc5_says(made, term, values)


def z3_says(made: Terms, term: Term, values: Mapping[str, int]) -> Iterator[tuple[str, bool | None]]:
    try:
        encoding = z3_prover.encoding_for(made.variables, [term])
        formula = encoding(term)
    except (SourceProblem, z3_prover.ProverProblem):
        return
    z3 = encoding.z3
    solver = z3.Solver()
    solver.set("timeout", 5_000)
    solver.add(*(encoding.constants[name] == encoding.number(value) for name, value in values.items()))
    solver.add(*encoding.ranges(), formula)
    answer = solver.check()
    yield type(encoding).__name__, None if answer == z3.unknown else answer == z3.sat


def cvc5_says(made: Terms, term: Term, values: Mapping[str, int]) -> bool | None:
    system: Any = SimpleNamespace(variables=made.variables, steps=(), failures=())
    try:
        solver = checker.Cvc5(system, {(0,): [term]})
        given = [f"(= {solver.names[name]} {solver.number(value)})" for name, value in values.items()]
        return bool(solver.breaks([*given, solver.term(term)]))
    except checker.Undecided:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Ask everybody what random terms mean.")
    parser.add_argument("--terms", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    seen: Counter[str] = Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.terms):
        if problem := problem_with(seed, seen):
            print(problem)
    print(dict(seen))


if __name__ == "__main__":
    main()
