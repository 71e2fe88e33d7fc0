"""Failing runs of C programs: what they are in words, how they are kept, and how they are repeated.

A run is what was chosen in it (`Choices`). It is kept as a list of numbers, the `positions` of a
counterexample: how many variables began with a value that nobody gave them, each by its place, then
everything that was chosen, in order. An array is its usual element, how many others there are, and those.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from assay.evidence.counterexample import Change, Counterexample, Step, Trace, TraceProblem
from assay.languages.c.declared import (
    MEMBER,
    NUMBER,
    RETURNED,
    Kind,
    Names,
    Objects,
    declared,
    defined_functions,
)
from assay.languages.c.execution import (
    Executed,
    FailingRun,
    InputFunction,
    Repetition,
    Unset,
    assertion_in,
    execute,
    repetition,
)
from assay.languages.c.outline import lines_of_tests
from assay.languages.c.preprocessing import DATA_MODELS
from assay.languages.c.program import CProgram
from assay.languages.c.rules import REAL
from assay.search.sequential.findings import Choices
from assay.transition_system.interface import Access, ViolationFacts
from assay.transition_system.sequential.bitvectors import (
    TRUE,
    Array,
    ArrayValue,
    Bits,
    Sort,
    Term,
    Value,
    evaluated,
    in_order,
)
from assay.transition_system.sequential.calling import Calling
from assay.transition_system.sequential.compiled_runs import (
    followed,
    followed_far,
    numbers_of,
    numbers_of_starts,
)
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Call,
    Choose,
    ControlFlow,
    Edge,
    Failure,
)
from assay.transition_system.sequential.inlining import is_recursive
from assay.transition_system.sequential.running import Moment, default, run
from assay.verification.sequential_showing import without_prefixes

MOST_FLOWS = 10  # depths of recursion at which a run is looked for again
MOST_STEPS = 20_000  # of a run that is shown
MOST_CALLED_STEPS = 10_000_000  # of a run with calls
MOST_ELEMENTS = 1 << 16  # of an array in a trace
MOST_ARGUMENTS = 100
LONGEST_UNSET = 1 << 16  # bytes of a variable
NAME = re.compile(
    r"(?:(?P<function>\w+)(?:@\d+)?::)?(?P<name>[^#@]+)(?:#\d+)?(?P<path>[.\[][^@]*)?(?:@[\d.]+)?"
)
MEMBER_OF = re.compile(r"(?:->|\.)(\w+)$")
INPUT = re.compile(r"\b__VERIFIER_nondet_\w+")
TEMPORARIES = {"value", "input", "old", "switch", "shifted", "printed", "result", "memory"}


BY_CALLS = ControlFlow(0, 0, (), {}, (), {})  # stands for the graph of a program whose procedures are called


# --- runs as numbers ---


def written(flow: ControlFlow, choices: Choices) -> tuple[int, ...]:
    chosen = [number for value in choices.chosen for number in numbers_of(value)]
    return (*numbers_of_starts(flow, choices.starts), *chosen)


class _Read:
    """What `written` wrote, by somebody or other."""

    def __init__(self, flow: ControlFlow, positions: Sequence[int]) -> None:
        self.left = iter(positions)
        count = next(self.left, 0)
        if not 0 <= count <= len(flow.variables):
            raise TraceProblem("the trace begins with more values than the program has variables")
        self.starts: dict[Term, Value] = {}
        for _ in range(count):
            at = next(self.left, -1)
            if not 0 <= at < len(flow.variables):
                raise TraceProblem("the trace has a value of a variable that the program does not have")
            self.starts[flow.variables[at]] = self.value(flow.variables[at].sort)

    def value(self, sort: Sort) -> Value:
        if isinstance(sort, Bits):
            return next(self.left, 0) & ((1 << sort.width) - 1)
        if not isinstance(sort, Array):
            return default(sort)
        mask, places = (1 << sort.element) - 1, (1 << sort.index) - 1
        otherwise, count = next(self.left, 0) & mask, next(self.left, 0)
        if not 0 <= count <= MOST_ELEMENTS:
            raise TraceProblem(f"the trace has an array of more than {MOST_ELEMENTS} elements")
        elements = {next(self.left, 0) & places: next(self.left, 0) & mask for _ in range(count)}
        return ArrayValue(otherwise, elements)

    def choose(self, edge: Edge) -> Value:
        assert isinstance(edge.action, Choose)
        return self.value(edge.action.variable.sort)


def executed_on_graph(flow: ControlFlow, choices: Choices) -> list[Moment]:
    return followed(flow, choices.chosen, dict(choices.starts))


def again(name: str, program: CProgram, recorded: Trace) -> tuple[ControlFlow, Failure, list[Moment]]:
    """The run of a trace, executed once more."""
    wanted = recorded.counterexample.violation.message
    if is_recursive(program.program):
        with contextlib.suppress(TraceProblem):
            called: list[Moment] = []
            read = _Read(BY_CALLS, recorded.counterexample.positions)
            reached = Calling(program.program).run(read.choose, most_steps=MOST_CALLED_STEPS, moments=called)
            if reached is not None and reached.message == wanted:
                return BY_CALLS, reached, called
    for flow, _ in islice(program.flows(), MOST_FLOWS):
        try:
            read = _Read(flow, recorded.counterexample.positions)
        except TraceProblem:
            continue
        moments = _made_again(flow, read, recorded.counterexample.positions)
        failure = flow.failures.get(moments[-1].location) if moments else None
        if failure is not None and failure.message == wanted:
            return flow, failure, moments
    raise TraceProblem(f"the run no longer ends in: {wanted}; verify {name} again")


def _made_again(flow: ControlFlow, read: _Read, positions: Sequence[int]) -> list[Moment]:
    moments = list(islice(run(flow, read.choose, read.starts), MOST_STEPS))
    return moments if len(moments) < MOST_STEPS else followed_far(flow, moments, positions)


def replay_sequentially(name: str, program: CProgram, recorded: Trace) -> Counterexample:
    flow, failure, moments = again(name, program, recorded)
    return _in_words(program, flow, failure, recorded.counterexample.positions, moments)


def counterexample(
    program: CProgram, flow: ControlFlow | None, failure: Failure, choices: Choices, moments: list[Moment]
) -> Counterexample:
    """`flow`: None, if procedures were called and not copied."""
    if flow is None:
        return _in_words(program, BY_CALLS, failure, written(BY_CALLS, choices), moments)
    return _in_words(program, flow, failure, written(flow, choices), moments)


def _in_words(
    program: CProgram, flow: ControlFlow, failure: Failure, positions: Sequence[int], moments: list[Moment]
) -> Counterexample:
    teller = _Teller(program, flow)
    steps = numbered(tuple(teller.steps(moments)))
    return Counterexample(
        violation=ViolationFacts(failure.kind, failure.message, failure.place.file, failure.place.line),
        positions=tuple(positions),
        initial={},
        steps=steps,
    )


# --- in words ---


class _Teller:
    def __init__(self, program: CProgram, flow: ControlFlow) -> None:
        self.program, self.flow = program, flow
        self.kinds: Names = declared(program.texts)
        self.tests = lines_of_tests(program.texts)
        self.several = self._in_several_functions()
        self.given: set[Term] = set(flow.initial_values)
        self.objects = _objects(flow)
        self.seen: dict[tuple[str, str], object] = {}  # what was told of memory: by function and text

    def _in_several_functions(self) -> set[str]:
        functions: dict[str, set[str]] = {}
        for one in self.flow.variables:
            function, name = self._parts(one)
            functions.setdefault(name.partition(".")[0], set()).add(function)
        return {name for name, found in functions.items() if len(found) > 1}

    @staticmethod
    def _parts(one: Term) -> tuple[str, str]:
        found = NAME.fullmatch(one.name)
        if found is None:
            return "", one.name
        return found.group("function") or "", found.group("name") + (found.group("path") or "")

    def steps(self, moments: Sequence[Moment]) -> Iterator[Step]:
        """One for each statement that a person would look at."""
        made: Step | None = None
        given: list[str] = []  # inputs that the next statement uses
        before: Mapping[Term, Value] = {}
        read: dict[str, object] = {}  # in memory, by the statement that is told next
        for moment in moments[:MOST_STEPS]:
            action = moment.edge.action
            read |= self._mentioned(moment.edge, before, is_write=False)
            if isinstance(action, Choose) and action.is_input and isinstance(moment.chosen, int):
                given.append(self._input(action, moment.chosen))
            text = self._text(moment)
            if text:
                step = self._step(moment, "; ".join([*given, text]), before, read)
                given, read = [], {}
                if made is not None and self._belong_together(made, step, text):
                    made = self._joined(made, step)
                else:
                    if made is not None:
                        yield made
                    made = step
            before = moment.values
        if made is not None:
            yield made

    def _input(self, action: Choose, chosen: int) -> str:
        name, width = action.origin.removesuffix(REAL), action.variable.width
        if name in ("malloc", "calloc"):
            return f"{name}() {'succeeds' if chosen else 'fails'}"
        is_unsigned = "_u" in name.removeprefix("__VERIFIER_nondet")
        shown = chosen if is_unsigned else chosen - (1 << width if chosen >> (width - 1) else 0)
        return f"{name}() gives {shown}"

    def _text(self, moment: Moment) -> str:
        edge = moment.edge
        action, text = edge.action, without_prefixes(edge.text, self.program.rules).replace(REAL, "")
        if isinstance(action, Choose):
            is_told = not action.is_input and moment.chosen not in (0, None) and "what a function" not in text
            return f"{text} is not initialised" if is_told and isinstance(moment.chosen, int) else ""
        if not text:
            return ""
        fails = edge.target in self.flow.failures
        if isinstance(action, Assume) and action.condition is not TRUE:
            known = self.flow.outgoing
            others = [one for one in known[edge.source] if one is not edge] if self.flow.locations else []
            is_checked = any(one.target in self.flow.failures for one in others)
            if not fails and (is_checked or not text.startswith(("(", "!(", "("))):
                return ""  # what is checked and holds
            if text.startswith("!("):
                return text[2:-1] if fails else f"{text[2:-1]}: false"
            if text.startswith("(") and text.endswith(")"):
                return f"{text[1:-1]}: true"
            return text
        if text.endswith(" returns"):
            return self._returned(moment, text)
        return text

    def _returned(self, moment: Moment, text: str) -> str:
        if not isinstance(moment.edge.action, Assign) or not moment.edge.action.values:
            return ""
        ((name, _),) = moment.edge.action.values[:1]
        function = text.removesuffix(" returns").partition("@")[0]
        value = self._value(name, moment.values[name], self.kinds.get((function, RETURNED)))
        return f"{function}() returns {value}"

    def _value(self, name: Term, value: Value, kind: Kind | None = None) -> object:
        if not isinstance(value, int) or not isinstance(name.sort, Bits):
            return "..."
        function, plain = self._parts(name)
        kind = kind or self.kinds.get((function, plain)) or self.kinds.get(("", plain), NUMBER)
        shown = kind.text(value, name.sort.width, self.objects)
        return without_prefixes(shown, self.program.rules) if isinstance(shown, str) else shown

    def _step(
        self, moment: Moment, text: str, before: Mapping[Term, Value], read: Mapping[str, object]
    ) -> Step:
        place = moment.edge.place
        line = self.tests.get((place.file, place.line, place.column), place.line)
        changes = tuple(self._changes(moment, before, read))
        decides = isinstance(moment.edge.action, Assume)
        told = []
        for name, value in read.items():
            is_changed = any(change.name == name for change in changes)
            is_new = decides or self.seen.get((place.function, name)) != value
            self.seen[place.function, name] = value
            if is_new and not is_changed and name in text:
                told.append(Access("read", name, str(value)))
        for change in changes:
            self.seen[place.function, change.name] = change.after
        return Step(1, 0, "", place.file, line, text, changes, place.function, tuple(told))

    def _mentioned(self, edge: Edge, before: Mapping[Term, Value], *, is_write: bool) -> dict[str, object]:
        """What the text of an edge speaks of in memory, with its value."""
        found: dict[str, object] = {}
        for one in edge.mentions:
            if one.is_write is not is_write:
                continue
            rename = edge.renaming or (lambda known: known)
            term = rename(one.term)
            try:
                if not evaluated(rename(one.when), before):
                    continue
                value = evaluated(term, before)
            except KeyError:  # nobody knows it yet
                continue
            if isinstance(value, int) and isinstance(term.sort, Bits):
                name = without_prefixes(one.text, self.program.rules)
                named = MEMBER_OF.search(name)
                known = self.kinds.get((MEMBER, named[1])) if named else self.kinds.get(("", name))
                kind = Kind(one.is_pointer, not one.is_signed, known.names if known else None)
                found[name] = kind.text(value, term.sort.width, self.objects)
        return found

    def _changes(
        self, moment: Moment, before: Mapping[Term, Value], read: Mapping[str, object]
    ) -> Iterator[Change]:
        action = moment.edge.action
        in_braces = moment.edge.text.partition(" = ")[2].startswith("{")  # all of it, of which this is a part
        written = {} if in_braces else self._mentioned(moment.edge, before, is_write=True)
        yield from (Change(name, read.get(name), value) for name, value in written.items())
        if moment.edge.text.endswith(" returns"):
            return
        names = [one for one, _ in action.values] if isinstance(action, Assign) else []
        if isinstance(action, Choose):
            names = [action.variable]
        if isinstance(action, Call):  # whatever these were before, they were in another call
            names = list(self.program.program.procedures[action.procedure].parameters)
            self.given.difference_update(names)
        for name in names:
            shown = self._shown(name)
            value, old = moment.values.get(name), before.get(name)
            if value is None:
                continue
            if isinstance(name.sort, Array) and (written or in_braces):
                pass  # told by what the text calls it
            elif isinstance(name.sort, Array):
                yield from self._elements(moment.edge, name, before, value)
            elif shown and value != (old if name in self.given else None):
                known = self._value(name, old) if name in self.given and old is not None else None
                yield Change(shown, known, self._value(name, value))
            self.given.add(name)

    def _elements(self, edge: Edge, name: Term, before: Mapping[Term, Value], new: Value) -> Iterator[Change]:
        """Of an array, or of memory: what the statement itself calls it."""
        old = before.get(name)
        if not isinstance(new, ArrayValue) or not isinstance(old, ArrayValue):
            return
        changed = [at for at in _stored(edge, name, before) if old[at] != new[at]]
        target = without_prefixes(edge.text, self.program.rules).partition(" = ")[0]
        if len(changed) != 1 or target == edge.text or not isinstance(name.sort, Array):
            return
        after = new[changed[0]]
        width = name.sort.element
        yield Change(target, None, after - (1 << width) if after >> (width - 1) else after)

    def _shown(self, name: Term) -> str:
        function, plain = self._parts(name)
        if plain.startswith("__") and without_prefixes(plain, self.program.rules) == plain:
            return ""
        shown = without_prefixes(plain, self.program.rules)
        if shown.partition(".")[0] in TEMPORARIES and f"{function}::{shown}" not in name.name + "#":
            return ""
        if (function, plain) not in self.kinds and ("", plain) not in self.kinds and "." not in plain:
            return ""  # made by us
        if shown.partition(".")[0] in self.several and function:
            return f"{function.removesuffix(REAL)}:{shown}"
        return shown

    @staticmethod
    def _belong_together(one: Step, other: Step, text: str) -> bool:
        """Parts of one statement: the text of the first is part of the second's."""
        first = one.text.rpartition("; ")[2]
        is_same = (one.file, one.line, one.function) == (other.file, other.line, other.function)
        return is_same and first in text

    @staticmethod
    def _joined(one: Step, other: Step) -> Step:
        inputs, _, _ = one.text.rpartition("; ")
        text = f"{inputs}; {other.text}" if inputs else other.text
        changed: dict[str, Change] = {}  # `= {1, 2}` gives each part a zero first
        for change in (*one.changes, *other.changes):
            known = changed.get(change.name)
            changed[change.name] = replace(change, before=known.before) if known is not None else change
        changes, accesses = tuple(changed.values()), (*one.accesses, *other.accesses)
        return Step(1, 0, "", one.file, one.line, text, changes, one.function, accesses)


def _objects(flow: ControlFlow) -> Objects:
    """What objects in memory are called: their parts have names, and are known by their addresses."""
    found: dict[int, dict[int, str]] = {}
    for term, (_, name) in flow.names.items():
        if term.operator == "select" and term.operands[1].is_constant and name.name:
            number, offset = divmod(term.operands[1].value, 1 << 32)
            found.setdefault(number, {})[offset] = name.name
    return found


def _stored(edge: Edge, name: Term, before: Mapping[Term, Value]) -> list[int]:
    """The places of an array that an edge may change; all other elements stay what they were."""
    if not isinstance(edge.action, Assign):
        return []
    stores = [one for one in in_order([dict(edge.action.values)[name]]) if one.operator == "store"]
    return sorted({place for one in stores if isinstance(place := evaluated(one.operands[1], before), int)})


def numbered(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(
        replace(one, number=number, transition=number - 1) for number, one in enumerate(steps, start=1)
    )


# --- repeated by the compiled program ---


def failing_run(failure: Failure, moments: Sequence[Moment]) -> FailingRun:
    inputs = []
    for moment in moments:
        action = moment.edge.action
        if isinstance(action, Choose) and action.is_input:
            assert isinstance(moment.chosen, int)
            assert isinstance(action.variable.sort, Bits)
            inputs.append((InputFunction(action.origin, action.variable.sort.width), moment.chosen))
    return FailingRun(
        failure.kind,
        failure.message,
        inputs,
        tuple(_unset(moments)),
        _arguments(moments),
        assertion_in(failure),
    )


def _arguments(moments: Sequence[Moment]) -> int:
    """`argc` is an input: the command gets as many arguments."""
    for name, value in moments[0].values.items() if moments else ():
        if name.name.startswith("main::argc#") and isinstance(value, int):
            return value - 1 if 1 < value <= MOST_ARGUMENTS else 0
    return 0


def _unset(moments: Sequence[Moment]) -> list[Unset]:
    """Of all declarations that matter, whenever one is passed; those that always hold zero need nobody."""
    found: list[Unset] = []
    last: tuple[Edge, int] | None = None  # the edge before, and where its part of the content ends
    for moment in moments:
        action, place = moment.edge.action, moment.edge.place
        is_one = (
            isinstance(action, Choose) and not action.is_input and place.column and moment.chosen is not None
        )
        if not is_one or (isinstance(action, Choose) and "what a function" in action.origin):
            last = last if isinstance(action, Assign) and last and last[0].place == place else None
            continue
        spot = (place.file, place.line, place.column)
        assert isinstance(action, Choose)
        content = _bytes(moment.chosen, action.variable.sort)
        if last is not None and last[0].place == place and found and moment.edge is not last[0]:
            size = max(1, _size(action.variable.sort))
            padding = -len(found[-1].content) % min(size, 8)
            found[-1] = Unset(spot, (found[-1].content + bytes(padding) + content)[:LONGEST_UNSET])
        else:
            found.append(Unset(spot, content[:LONGEST_UNSET]))
        last = (moment.edge, len(found[-1].content))
    needed = {one.spot for one in found if any(one.content)}
    return [one for one in found if one.spot in needed]


def _size(sort: Sort) -> int:
    return (sort.width if isinstance(sort, Bits) else sort.element if isinstance(sort, Array) else 8) // 8


def _bytes(value: Value | None, sort: Sort) -> bytes:
    """As the machine keeps it. Addresses of a run are none of the machine's."""
    if isinstance(value, int) and isinstance(sort, Bits):
        return value.to_bytes(max(1, sort.width // 8), "little") if sort.width % 8 == 0 else bytes([value])
    if isinstance(value, ArrayValue) and isinstance(sort, Array) and sort.element % 8 == 0:
        size = sort.element // 8
        last = max(value.elements, default=0)
        count = min(last + 1, LONGEST_UNSET // size)
        elements = (value.elements.get(at, value.otherwise) for at in range(count))
        return b"".join(one.to_bytes(size, "little") for one in elements)
    return b""


def repetition_of(program: CProgram, failing: FailingRun, *, by_name: bool = False) -> Repetition:
    defined = defined_functions(program.texts)
    model = DATA_MODELS[program.data_model]
    named = {name for text in program.texts for name in INPUT.findall(text)}
    externals = {
        **dict.fromkeys(named, 64),
        **program.program.externals,
    }  # also those that the run does not ask
    return repetition(program, model, failing, externals, defined, by_name=by_name)


def executed_by_gcc(program: CProgram, failing: FailingRun) -> Executed:
    return execute(repetition_of(program, failing), DATA_MODELS[program.data_model])
