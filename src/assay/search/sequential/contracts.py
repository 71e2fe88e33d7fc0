"""Contracts of procedures that call themselves, guessed from runs and weeded by Houdini.

The program is run with its calls (`calling`); what procedures were given and returned is a table, and its
candidates are those of templates, over all rows and over those of which a test of the procedure on its
arguments holds. Then each procedure is looked at by itself, where its calls keep all candidates: what it does
not keep is removed, until nothing is. What is left is kept by all, and proves the program if it excludes all
failures.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from assay.search.sequential.findings import Choices, Finding, Status
from assay.search.sequential.houdini import Houdini
from assay.search.sequential.sampling import Sample, any_number
from assay.search.sequential.templates import Table, candidates_of, distinct, numbers_in
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential import term_file
from assay.transition_system.sequential.bitvectors import Array, ArrayValue, Bits, Term, Value
from assay.transition_system.sequential.blocks import blocks
from assay.transition_system.sequential.calling import Calling, Returned
from assay.transition_system.sequential.compiled_terms import compiled
from assay.transition_system.sequential.contracts import (
    POSTCONDITION,
    PRECONDITION,
    Contract,
    given,
    modular,
    recursive_procedures,
    require_modular,
    variables_after,
    variables_before,
    without_demands,
)
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Choose,
    Edge,
    Procedure,
    SequentialProgram,
)
from assay.transition_system.sequential.liveness import live_variables
from assay.transition_system.sequential.running import default

NAME = "contracts"
RUNS = ((10, 3_000), (1, 200_000), (50, 3_000), (3, 200_000))  # how many, with how many steps
MOST_STEPS = 10_000_000  # of a run that fails
MOST_SECONDS = 2.0  # of the processor, for runs
MOST_ROWS = 400
MOST_CANDIDATES = 600  # of half a contract
MANY_VALUES = 60  # of an argument, for each of which the result may be a number
MOST_SPLITS = 6


class Data:
    """What procedures were given and returned in runs; or the choices of a run that failed."""

    def __init__(self, program: SequentialProgram, seed: int = 1) -> None:
        self.program = program
        self.random = random.Random(seed)
        edges = [edge for procedure in program.procedures.values() for edge in procedure.edges]
        numbers = numbers_in([one for edge in edges for one in terms_of(edge)])
        self.constants = {width: sorted(found) for width, found in numbers.items()}
        self.entered: dict[str, dict[Sample, None]] = {}
        self.returned: dict[str, dict[Sample, None]] = {}

    def any_of(self, edge: Edge) -> Value:
        assert isinstance(edge.action, Choose)
        sort = edge.action.variable.sort
        if isinstance(sort, Array):
            return ArrayValue(any_number(self.random, sort.element, self.constants), {})
        return any_number(self.random, sort.width, self.constants) if isinstance(sort, Bits) else 0

    def collect(self, deadline: float) -> tuple[Value, ...] | None:
        """The choices of a run that failed, if one did."""
        calling = Calling(self.program)
        until = time.process_time() + MOST_SECONDS
        globals_ = self.program.globals
        results: dict[tuple[str, tuple[Value, ...]], Value] = {}

        def plain(values: Iterable[Value]) -> tuple[int, ...]:
            return tuple(one if isinstance(one, int) else 0 for one in values)

        def entered(name: str, arguments: tuple[Value, ...], before: tuple[Value, ...]) -> None:
            rows = self.entered.setdefault(name, {})
            if len(rows) < MOST_ROWS:
                rows[plain((*arguments, *before))] = None

        def returned(one: Returned) -> None:
            rows = self.returned.setdefault(one.procedure, {})
            if len(rows) < MOST_ROWS:
                procedure = self.program.procedures[one.procedure]
                changed = variables_after(self.program, procedure)
                after = [value for name, value in zip(globals_, one.after, strict=True) if name in changed]
                result = () if one.result is None else (one.result,)
                rows[plain((*one.given, *one.before, *after, *result))] = None

        for most_steps in (steps for many, steps in RUNS for _ in range(many)):
            chosen: list[Value] = []

            is_input: list[bool] = []

            def choose(edge: Edge, chosen: list[Value] = chosen, is_input: list[bool] = is_input) -> Value:
                assert isinstance(edge.action, Choose)
                is_input.append(edge.action.is_input)
                chosen.append(self.any_of(edge))
                return chosen[-1]

            failure = calling.run(
                choose, most_steps=most_steps, entered=entered, returned=returned, known_results=results
            )
            if failure is not None:
                whole = self._again(
                    calling, [one for one, given_ in zip(chosen, is_input, strict=True) if given_]
                )
                if whole is not None:
                    return whole
            if time.process_time() > until or time.monotonic() > deadline:
                break
        return None

    @staticmethod
    def _again(calling: Calling, inputs: Sequence[Value]) -> tuple[Value, ...] | None:
        """With all its calls: what a run with these inputs chooses, if it fails."""
        left = iter(inputs)
        chosen: list[Value] = []

        def choose(edge: Edge) -> Value:
            assert isinstance(edge.action, Choose)
            sort = edge.action.variable.sort
            chosen.append(next(left, 0) if edge.action.is_input else default(sort))
            return chosen[-1]

        failure = calling.run(choose, most_steps=MOST_STEPS)
        return None if failure is None else tuple(chosen)


def terms_of(edge: Edge) -> Sequence[Term]:
    if isinstance(edge.action, Assume):
        return [edge.action.condition]
    return [value for _, value in edge.action.values] if isinstance(edge.action, Assign) else []


# --- candidates ---


def halves(program: SequentialProgram, data: Data, name: str) -> tuple[list[Term], list[Term]]:
    """Candidates for what holds when a procedure is entered, and when it returns."""
    procedure = program.procedures[name]
    tests = list(tests_on_arguments(procedure))
    entered = list(data.entered.get(name, ()))
    returned = list(data.returned.get(name, ()))
    at_first = variables_before(program, procedure)
    at_last = variables_after(program, procedure)
    first = candidates_of(Table(at_first, entered, data.constants), tests) if entered else iter((bv.FALSE,))
    last = of_returns(at_last, returned, tests, data.constants, procedure) if returned else iter((bv.FALSE,))
    return (
        list(islice(distinct(first), MOST_CANDIDATES)),
        list(islice(distinct(last), MOST_CANDIDATES)),
    )


def tests_on_arguments(procedure: Procedure) -> Iterator[Term]:
    """Tests of parameters that nobody sets, as they were given."""
    names = {one: given(one) for one in procedure.parameters}
    for edge in procedure.edges:
        action = edge.action
        if isinstance(action, Assume) and bv.variables_of(action.condition) <= set(names):
            yield bv.substituted(action.condition, names)


def of_returns(
    names: Sequence[Term],
    rows: Sequence[Sample],
    tests: Sequence[Term],
    numbers: Mapping[int, Sequence[int]],
    procedure: Procedure,
) -> Iterator[Term]:
    yield from result_of_few(names, rows, procedure)
    yield from candidates_of(Table(names, rows, numbers), tests)
    splits = list(distinct(tests))[:MOST_SPLITS]
    if not splits:
        return
    held = list(map(compiled(splits, names), rows))
    for position, test in enumerate(splits):
        part = [row for row, holds in zip(rows, held, strict=True) if holds[position]]
        if part and len(part) < len(rows):
            for one in candidates_of(Table(names, part, numbers), ()):
                yield bv.implies(test, one)


def result_of_few(names: Sequence[Term], rows: Sequence[Sample], procedure: Procedure) -> Iterator[Term]:
    """The result as a table, where a procedure of one argument was given few."""
    if len(procedure.parameters) != 1 or procedure.result is None or names[-1] is not procedure.result:
        return
    argument, result = names[0], names[-1]
    found: dict[Any, set[Any]] = {}
    for row in rows:
        found.setdefault(row[0], set()).add(row[-1])
    if isinstance(argument.sort, Bits) and isinstance(result.sort, Bits):
        for value, results in sorted(found.items())[:MANY_VALUES]:
            if len(results) == 1:
                known = bv.equal(result, bv.constant(results.pop(), result.width))
                yield bv.implies(bv.equal(argument, bv.constant(value, argument.width)), known)


# --- weeding ---


class Weeding:
    def __init__(
        self,
        program: SequentialProgram,
        candidates: dict[str, tuple[list[Term], list[Term]]],
        deadline: float,
    ) -> None:
        self.program, self.deadline = program, deadline
        self.first = {name: found for name, (found, _) in candidates.items()}
        self.last = {name: found for name, (_, found) in candidates.items()}

    def contracts(self) -> dict[str, Contract]:
        return {
            name: Contract(bv.all_of(self.first[name]), bv.all_of(self.last[name])) for name in self.first
        }

    def run(self, say: Callable[[str], None]) -> bool:
        """Whether what is left excludes every failure."""
        names = [*dict.fromkeys((self.program.main, *self.first))]
        waiting = list(names)
        while waiting:
            name = waiting.pop(0)
            if self._weed(name):
                say(f"{sum(map(len, (*self.first.values(), *self.last.values())))} candidates left")
                waiting += [one for one in names if one not in waiting]
        return all(self._weeded(name)[0].excludes_failures() for name in names)

    def _weeded(self, name: str) -> tuple[Houdini, dict[int, tuple[str, bool, dict[Term, Term]]]]:
        graph = modular(self.program, name, self.contracts(), as_goals=True)
        flow = graph.flow()
        candidates: dict[int, list[Term]] = {at: [] for at in flow.cut_points}
        meaning: dict[int, tuple[str, bool, dict[Term, Term]]] = {}
        for at, failure in flow.failures.items():
            if failure.kind == PRECONDITION:
                called, names = graph.calls[failure.message]
                meaning[at] = (called, True, {new: old for old, new in names.items()})
                candidates[at] = [bv.substituted(one, names) for one in self.first[called]]
            elif failure.kind == POSTCONDITION:
                meaning[at] = (name, False, {})
                candidates[at] = list(self.last[name])
        read = {at: bv.variables_of(*found) for at, found in candidates.items()}
        own = without_demands(flow)
        parts = blocks(own, [*own.cut_points, *meaning], live_variables(flow, read))
        return Houdini(own, parts, candidates, self.deadline), meaning

    def _weed(self, name: str) -> bool:
        """Whether a candidate was removed."""
        houdini, meaning = self._weeded(name)
        houdini.run(lambda _: None)
        removed = False
        for at, (procedure, is_first, back) in meaning.items():
            kept = {bv.substituted(one, back) for one in houdini.candidates[at]}
            half = self.first if is_first else self.last
            left = [one for one in half[procedure] if one in kept]
            removed = removed or len(left) < len(half[procedure])
            half[procedure] = left
        return removed


def search(program: SequentialProgram, *, deadline: float, say: Callable[[str], None]) -> dict[str, Any]:
    """As JSON: `contracts`; or `chosen`, of a run that fails; or `detail`: why there is neither."""
    data = Data(program)
    chosen = data.collect(deadline)
    if chosen is not None:
        return {"chosen": [one if isinstance(one, int) else {"otherwise": one.otherwise} for one in chosen]}
    try:
        require_modular(program)
        names = recursive_procedures(program)
        weeding = Weeding(program, {one: halves(program, data, one) for one in names}, deadline)
        if weeding.run(say):
            return {"contracts": as_json(weeding.contracts())}
    except UnsupportedConstruct as problem:
        return {"detail": str(problem)}
    except TimeoutError:
        return {"detail": "out of time"}
    return {"detail": "what the procedures keep does not exclude every failure"}


def as_json(contracts: Mapping[str, Contract]) -> dict[str, Any]:
    return {name: term_file.dump([one.before, one.after]) for name, one in contracts.items()}


def finding(answer: Mapping[str, Any] | str, program: SequentialProgram) -> Finding:
    """What `search` says, read as if a stranger had written it."""
    if isinstance(answer, str):
        return Finding(NAME, Status.UNKNOWN, answer)
    try:
        if "chosen" in answer:
            chosen = [
                one if isinstance(one, int) else ArrayValue(one["otherwise"], {}) for one in answer["chosen"]
            ]
            return Finding(NAME, Status.UNSAFE, run=Choices({}, tuple(chosen)))
        if "contracts" in answer:
            return Finding(NAME, Status.SAFE, contracts=_read(answer["contracts"], program))
    except (ValueError, KeyError, TypeError) as problem:
        return Finding(NAME, Status.UNKNOWN, f"its answer cannot be read: {problem}"[:200])
    return Finding(NAME, Status.UNKNOWN, str(answer.get("detail", "")))


def _read(written: Mapping[str, Any], program: SequentialProgram) -> dict[str, Contract]:
    found = {}
    for name in recursive_procedures(program):
        procedure = program.procedures[name]
        known = {one.name: one for one in variables_after(program, procedure)}
        first, last = term_file.load(written[name], known)
        found[name] = Contract(first, last)
    return found
