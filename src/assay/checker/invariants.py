"""Proofs by invariant: obligations, and cvc5's answers to them.

Written from docs/formats/certificate.md. The guarded transitions come from the language, as step functions
do; what has to be proved of them is made here, as text of SMT-LIB, and asked of another solver than the one
that the producer used. The state after a step has names of its own (`after`), so nothing is put into
anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay import languages
from assay.checker.container import Header, Rejected, Undecided
from assay.checker.invariant_file import AcceptedInvariant
from assay.transition_system.interface import Program, SourceProblem
from assay.transition_system.symbolic import SymbolicSystem
from assay.transition_system.terms import (
    Apply,
    NoTerm,
    Number,
    Term,
    Truncate,
    Truth,
    Variable,
    bounds,
    evaluate,
    from_json,
    parts,
)

MOST_LOCATIONS = 100_000
SECONDS = 60
WIDTH = 64
BIT_OPERATORS = {"&", "|", "^", "~", "<<", ">>"}
LOCATION = tuple[int, ...]


def read_conjunctions(data: Any, system: SymbolicSystem) -> dict[LOCATION, list[Term]]:
    if not isinstance(data, dict) or data.keys() != {"controls", "locations"}:
        raise Rejected("the invariant is no list of locations")
    if data["controls"] != [control.name for control in system.controls]:
        raise Rejected("the locations of the invariant are those of other processes")
    if not isinstance(data["locations"], list) or len(data["locations"]) > MOST_LOCATIONS:
        raise Rejected("the invariant is no list of locations, or too long")
    variables = {one.name: one for one in system.variables}
    found: dict[LOCATION, list[Term]] = {}
    for item in data["locations"]:
        if not isinstance(item, dict) or item.keys() != {"at", "holds"}:
            raise Rejected("the invariant has a location without its conjunction")
        at = item["at"]
        if (
            not isinstance(at, list)
            or len(at) != len(system.controls)
            or not all(type(one) is int for one in at)
            or not all(one in control.texts for one, control in zip(at, system.controls, strict=True))
        ):
            raise Rejected("the invariant has a location that is none")
        if tuple(at) in found or not isinstance(item["holds"], list):
            raise Rejected("the invariant has a location twice, or without its conjunction")
        try:
            found[tuple(at)] = [from_json(one, variables) for one in item["holds"]]
        except NoTerm as problem:
            raise Rejected(f"the invariant has something that is no condition: {problem}") from None
    return found


# --- the program ---


def check_invariant(program: Program, header: Header, written: Any) -> AcceptedInvariant:
    """Of a program that is the one that the header speaks of."""
    if header.semantics.get("reductions", []) != []:
        raise Rejected("an invariant is about a program without reductions")
    try:
        system = program.symbolic()
    except SourceProblem as problem:
        raise Rejected(f"an invariant proves nothing about this program: {problem}") from None
    conjunctions = read_conjunctions(written, system)
    initial = tuple(control.initial for control in system.controls)
    values = {one.name: value for one, value in zip(system.variables, system.initial_values, strict=True)}
    if initial not in conjunctions or not all(evaluate(one, values) for one in conjunctions[initial]):
        raise Rejected("the initial state does not satisfy the invariant")
    solver = Cvc5(system, conjunctions)
    count = 1
    for location, conditions, what in solver.obligations(deadlock=header.check_deadlock):
        count += 1
        broken = solver.breaks(conditions)
        if broken:
            where = system.location_text(location)
            raise Rejected(f"{what} at {where} is not excluded: the invariant allows {broken}")
    left_out = (f"not looked at: {one.text}" for one in program.unchecked)
    return AcceptedInvariant(header, count, solver.name, (*program.notes, *left_out))


class Cvc5:
    """Obligations as texts of SMT-LIB, and cvc5, which is asked whether a state breaks them."""

    def __init__(self, system: SymbolicSystem, conjunctions: Mapping[LOCATION, Sequence[Term]]) -> None:
        try:
            import cvc5  # type: ignore[import-untyped]
        except ImportError:
            raise Undecided("proofs are checked by a solver; install assay-mc[solvers]") from None
        self.cvc5 = cvc5
        self.name = f"cvc5 {cvc5.__version__}"
        self.system = system
        self.conjunctions = conjunctions
        self.names = {one.name: f"v{position}" for position, one in enumerate(system.variables)}
        every = [step.guard for step in system.steps]
        every += [value for step in system.steps for _, value in step.assignments]
        every += [failure.condition for failure in system.failures]
        every += [one for here in conjunctions.values() for one in here]
        self.with_bits = any(
            isinstance(part, Apply) and part.operator in BIT_OPERATORS
            for term in every
            for part in parts(term)
        )
        if self.with_bits:
            self.require_room([*system.variables, *every])

    def require_room(self, terms: Iterable[Term]) -> None:
        """In vectors of so many bits no number may come out wrong."""
        most = 1 << WIDTH - 1
        for term in terms:
            for part in parts(term):
                low, high = bounds(part)
                if low is None or high is None or low < -most or high >= most:
                    raise Undecided(f"a number may need more than {WIDTH} bits: {part}")

    # --- what has to be shown ---

    def obligations(self, *, deadlock: bool) -> Iterator[tuple[LOCATION, list[str], str]]:
        """Location, what no state may satisfy, and what it would be."""
        system = self.system
        for location, here in self.conjunctions.items():
            holds = [self.term(one) for one in here]
            for step in system.steps_at(location):
                target = list(location)
                for position, value in step.target:
                    target[position] = value
                yield (
                    location,
                    [*holds, self.term(step.guard), *self.not_after(step.assignments, tuple(target))],
                    (f"the step {step.text}"),
                )
            failures = list(system.failures_at(location))
            for failure in failures:
                yield (
                    location,
                    [*holds, self.term(failure.condition)],
                    f"the failure '{failure.facts.message}'",
                )
            if deadlock and system.is_visible(location) and not system.may_end(location):
                moves = [self.term(step.guard) for step in system.steps_at(location)]
                moves += [self.term(failure.condition) for failure in failures if failure.is_step]
                yield location, [*holds, *(f"(not {move})" for move in moves)], "a deadlock"

    def not_after(self, assignments: Sequence[tuple[str, Term]], target: LOCATION) -> list[str]:
        """The state after the step is not as the invariant says; where it says nothing, there is none at
        all."""
        there = self.conjunctions.get(target)
        if there is None:
            return []
        after = {name: f"after{self.names[name]}" for name in self.names}
        equal = [f"(= {after[name]} {self.term(value)})" for name, value in assignments]
        assigned = {name for name, _ in assignments}
        equal += [f"(= {after[name]} {own})" for name, own in self.names.items() if name not in assigned]
        conjunction = " ".join(self.term(one, after) for one in there)
        return [*equal, f"(not (and true {conjunction}))"]

    # --- the solver ---

    def breaks(self, conditions: Sequence[str]) -> str:
        """The values of a state that satisfies all of them; empty if there is none."""
        sort = f"(_ BitVec {WIDTH})" if self.with_bits else "Int"
        lines = ["(set-logic ALL)"]
        for one in self.system.variables:
            name = self.names[one.name]
            lines += [f"(declare-const {name} {sort})", f"(declare-const after{name} {sort})"]
            if one.type.low is not None and one.type.high is not None:
                low, high = self.number(one.type.low), self.number(one.type.high)
                lines.append(
                    f"(assert (and {self.compared('<=', low, name)} {self.compared('<=', name, high)}))"
                )
        lines += [f"(assert {condition})" for condition in conditions]
        manager = self.cvc5.TermManager()
        solver = self.cvc5.Solver(manager)
        solver.setOption("produce-models", "true")
        solver.setOption("tlimit-per", str(SECONDS * 1000))
        parser = self.cvc5.InputParser(solver)
        parser.setStringInput(self.cvc5.InputLanguage.SMT_LIB_2_6, "\n".join(lines), "obligation")
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            command.invoke(solver, symbols)
        answer = solver.checkSat()
        if answer.isUnsat():
            return ""
        if not answer.isSat():
            raise Undecided("cvc5 does not know about an obligation")
        declared = {str(one): one for one in symbols.getDeclaredTerms()}
        values = []
        for variable in self.system.variables:
            found = solver.getValue(declared[self.names[variable.name]])
            values.append(f"{variable.name} = {self.value(found)}")
        return ", ".join(values) or "it"

    def value(self, found: Any) -> int:
        if not self.with_bits:
            return int(found.getIntegerValue())
        value = int(found.getBitVectorValue(), 2)
        return value - (1 << WIDTH) if value >> WIDTH - 1 else value

    # --- terms ---

    def number(self, value: int) -> str:
        if self.with_bits:
            return f"(_ bv{value % (1 << WIDTH)} {WIDTH})"
        return str(value) if value >= 0 else f"(- {-value})"

    def compared(self, operator: str, left: str, right: str) -> str:
        if self.with_bits:
            operator = {"<": "bvslt", "<=": "bvsle", ">": "bvsgt", ">=": "bvsge"}[operator]
        return f"({operator} {left} {right})"

    def term(self, term: Term, names: Mapping[str, str] | None = None) -> str:
        names = self.names if names is None else names
        match term:
            case Number(value):
                return self.number(value)
            case Truth(value):
                return "true" if value else "false"
            case Variable(name, _):
                return names[name]
            case Truncate(operand, bits, signed):
                return self.truncated(self.term(operand, names), bits, signed)
            case Apply(operator, operands):
                return self.applied(operator, [self.term(one, names) for one in operands])
        raise TypeError(f"no term: {term!r}")

    def applied(self, operator: str, a: list[str]) -> str:
        match operator:
            case "and" | "or" | "not":
                return f"({operator} {' '.join(a)})"
            case "if":
                return f"(ite {' '.join(a)})"
            case "==":
                return f"(= {a[0]} {a[1]})"
            case "!=":
                return f"(not (= {a[0]} {a[1]}))"
            case "<" | "<=" | ">" | ">=":
                return self.compared(operator, *a)
        return self.of_bits(operator, a) if self.with_bits else self.of_integers(operator, a)

    def of_integers(self, operator: str, a: list[str]) -> str:
        match operator:
            case "+" | "-" | "*":
                return f"({operator} {a[0]} {a[1]})"
            case "neg":
                return f"(- {a[0]})"
            case "floor" | "modulo" | "quotient" | "remainder":
                return self.divided(operator, *a)
        raise TypeError(f"no operator over integers: {operator!r}")

    def divided(self, operator: str, left: str, right: str) -> str:
        """`div` of SMT-LIB leaves a remainder that is not negative; ours go down, or towards zero."""
        if operator in {"floor", "modulo"}:
            whole = "(ite (or (> r 0) (= (mod l r) 0)) (div l r) (- (div l r) 1))"
        else:
            whole = "(ite (= (>= l 0) (> r 0)) (div (abs l) (abs r)) (- (div (abs l) (abs r))))"
        found = whole if operator in {"floor", "quotient"} else f"(- l (* r {whole}))"
        return f"(let ((l {left}) (r {right})) (ite (= r 0) 0 {found}))"

    def of_bits(self, operator: str, a: list[str]) -> str:
        names = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "&": "bvand", "|": "bvor", "^": "bvxor"}
        zero = self.number(0)
        if operator in names:
            return f"({names[operator]} {a[0]} {a[1]})"
        match operator:
            case "neg":
                return f"(bvneg {a[0]})"
            case "~":
                return f"(bvnot {a[0]})"
            case "<<":
                return f"(ite (bvslt {a[1]} {zero}) {zero} (bvshl {a[0]} {a[1]}))"
            case ">>":
                return f"(ite (bvslt {a[1]} {zero}) {zero} (bvashr {a[0]} {a[1]}))"
            case "quotient" | "remainder" | "modulo":
                name = {"quotient": "bvsdiv", "remainder": "bvsrem", "modulo": "bvsmod"}[operator]
                return f"(ite (= {a[1]} {zero}) {zero} ({name} {a[0]} {a[1]}))"
            case "floor":
                # (l - l mod r) / r may have no room for its first half
                down = f"(bvsub (bvsdiv l r) {self.number(1)})"
                is_whole = f"(or (= (bvsrem l r) {zero}) (= (bvslt l {zero}) (bvslt r {zero})))"
                whole = f"(ite {is_whole} (bvsdiv l r) {down})"
                return f"(let ((l {a[0]}) (r {a[1]})) (ite (= r {zero}) {zero} {whole}))"
        raise TypeError(f"no operator over bits: {operator!r}")

    def truncated(self, value: str, bits: int, signed: bool) -> str:
        if self.with_bits:
            if bits >= WIDTH:
                return value
            extend = "sign_extend" if signed else "zero_extend"
            return f"((_ {extend} {WIDTH - bits}) ((_ extract {bits - 1} 0) {value}))"
        low = -(1 << bits - 1) if signed else 0
        size, least = self.number(1 << bits), self.number(low)
        return f"(+ (mod (- {value} {least}) {size}) {least})"


def load_invariant(program: Path, header: Header) -> Program:
    """A class, which is its own form; other programs are loaded as for any certificate."""
    from assay.transition_system.language_options import LanguageOptions

    options = LanguageOptions(
        invariants=header.invariants, safety_only=header.semantics.get("safety_only") is True, portable=True
    )
    return languages.load(program, options, sha256=header.sources[0][1])


def as_json(value: object) -> Any:
    return json.loads(json.dumps(value))
