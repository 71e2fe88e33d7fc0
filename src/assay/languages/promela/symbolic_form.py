"""A model as guarded transitions over integers (`transition_system.symbolic`), for what that can say exactly.

Each process that can be alive at once is a control, whose values are the locations of its control graph; 0
is a process that is not there. One more control, `atomic`, says whose sequence may not be interrupted. An
element of an array is a variable, and so is a field of a structure; a buffered channel is a length and a
variable for each field of each slot. Arithmetic is that of C on 32 bits: every result is truncated, and so
is what a variable stores.

What an evaluation can do wrong (an index outside its array, a division by zero) becomes a `Failure` under
the condition that it is evaluated at all: C does not look at the second half of `a && b` if the first is
false, so neither do we.

A rendezvous is one step that names where both stand, a message that is received from the middle of a channel
one for each place in it, and a d_step has locations of its own (`symbolic_d_step`).

The form is that of the model without reductions. What it cannot say is refused with its place: channels that
travel, a rendezvous beside unless, priorities, `enabled`, `_last`, claims and traces, and processes that are
started in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.languages.promela import operations as ops
from assay.languages.promela.code_d_step import entry_guards
from assay.languages.promela.control import ControlGraph, Edge, Node, Transition
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import Const, Expr, Load, Place, Process, Scalar, Structure, Symbol
from assay.languages.promela.parser import parse_expression
from assay.languages.promela.symbolic_d_step import (
    INSIDE,
    ROUNDS,
    DStepForm,
    guard_of,
    has_loops,
    jumps_about,
)
from assay.languages.promela.syntax import Location, Match
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, ViolationFacts
from assay.transition_system.symbolic import (
    CONTROL,
    At,
    Control,
    Failure,
    NotExpressible,
    Step,
    SymbolicSystem,
)
from assay.transition_system.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Apply,
    Integer,
    Number,
    Term,
    Truncate,
    Variable,
    apply,
    both,
    choice,
    either,
    evaluate,
    is_truth,
    negated,
    stored,
    truncated,
)

if TYPE_CHECKING:
    from assay.languages.promela.plan import Property
    from assay.languages.promela.program import PromelaModel, PromelaProgram

MOST_VARIABLES = 2_000
MOST_PROCESSES = 255  # as many as Promela has
LARGEST_VALUE = 50_000  # parts of a term
GONE = 0
INT = 32
ENDLESS = (
    "whether an atomic sequence or a d_step with a loop ever ends is not asked: only states are looked at"
)


@dataclass(frozen=True, slots=True)
class Value:
    """An expression as a term, and when evaluating it fails, with the first reason."""

    term: Term
    failures: tuple[tuple[Term, ViolationFacts], ...] = ()

    @property
    def truth(self) -> Term:
        return self.term if is_truth(self.term) else apply("!=", self.term, ZERO)

    @property
    def number(self) -> Term:
        return choice(self.term, ONE, ZERO) if is_truth(self.term) else self.term

    @property
    def fails(self) -> Term:
        return either(*(condition for condition, _ in self.failures))


def only_if(condition: Term, value: Value) -> tuple[tuple[Term, ViolationFacts], ...]:
    """The failures of what is evaluated only under a condition."""
    return tuple((both(condition, failing), facts) for failing, facts in value.failures)


def symbolic_form(
    model: PromelaModel, properties: Sequence[Property], predicates: Sequence[str] = ()
) -> SymbolicSystem:
    """Raises `NotExpressible`, and `SourceProblem` if a predicate is none."""
    for one in properties:
        if one.over_step:
            raise NotExpressible(f"the step invariant '{one.text}' cannot be said in guarded transitions")
    return Form(model).system([(one.text, one.expression) for one in properties], predicates)


def symbolic_state(program: PromelaProgram, system: SymbolicSystem, state: bytes) -> tuple[int | None, ...]:
    """A state of the compiled model as one of the form; None for a variable that it has no room for."""
    form = Form(program.model)
    layout = program.plan.layout
    found: dict[str, int | None] = {one.name: None for one in system.variables}
    alive = program.blocks(state)
    controls = [GONE] * len(form.slots)
    for pid, offset, process in alive:
        controls[pid] = form.location(pid, process, program.location(state, offset))
    blocks = [("", 0, layout.globals)]
    blocks += [
        (f"{process.name}[{pid}].", offset, layout.processes[process.name]) for pid, offset, process in alive
    ]
    for slot in range(len(alive), len(form.slots)):
        for process in form.slots[slot]:
            forgotten = f"{process.name}[{slot}]."
            found |= {name: 0 for name in found if name.startswith((forgotten, f"len({forgotten}"))}
    for slot, kinds in enumerate(form.slots[: len(alive)]):  # the slot holds another kind
        for process in kinds:
            if process is not alive[slot][2]:
                forgotten = f"{process.name}[{slot}]."
                found |= {name: 0 for name in found if name.startswith((forgotten, f"len({forgotten}"))}
    for prefix, base, block in blocks:
        for symbol, offset in block.offsets.items():
            _read_scalars(
                found, layout, prefix + symbol.identifier, state, base + offset, symbol.type, symbol.length
            )
        for queue in block.queues:
            name = prefix + queue.symbol.identifier
            if queue.symbol.length is not None:
                name += f"[{queue.element}]"
            start, shape = base + queue.offset, queue.layout.shape
            if shape.capacity == 0:
                continue
            found[f"len({name})"] = state[start]
            for position in range(shape.capacity):
                at = start + queue.layout.first_message + position * queue.layout.stride
                for number, (offset, scalar) in enumerate(
                    zip(queue.layout.field_offsets, shape.fields, strict=True)
                ):
                    found[f"{name}#{position}.{number}"] = _scalar(state, at + offset, scalar)
    return (*controls, 0, *(found[one.name] for one in system.variables))


def _read_scalars(
    found: dict[str, int | None],
    layout: Layout,
    name: str,
    state: bytes,
    offset: int,
    kind: ops.Type,
    length: int | None,
) -> None:
    size, _ = layout.size_of(kind)
    for element in range(length) if length is not None else [None]:
        here = name if element is None else f"{name}[{element}]"
        at = offset + size * (element or 0)
        if isinstance(kind, Structure):
            offsets = layout.structure_layout(kind).offsets
            for item in kind.fields:
                _read_scalars(
                    found,
                    layout,
                    f"{here}.{item.name}",
                    state,
                    at + offsets[item.name],
                    item.type,
                    item.length,
                )
        else:
            found[here] = _scalar(state, at, kind)


def _scalar(state: bytes, offset: int, kind: Scalar) -> int:
    return int.from_bytes(state[offset : offset + kind.size], "little", signed=kind.signed)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose names are meant: the process in this slot; -1 for nobody's."""

    slot: int
    process: Process | None
    timeout: Term = FALSE


class Form:
    def __init__(self, model: PromelaModel) -> None:
        self.model = model
        self.graphs = model.graphs
        self.refuse()
        self.slots = self.kinds_of_slots()
        self.holder = len(self.slots)  # the control behind those of the processes
        self.variables: dict[str, Variable] = {}
        self.places: dict[tuple[int, Symbol], list[str]] = {}
        self.initial: dict[str, int] = {}
        self.sizes: dict[int, tuple[Term, int]] = {}
        self.steps: list[Step] = []
        self.failures: list[Failure] = []
        self.inner_texts: dict[int, dict[int, str]] = {}  # of statements inside of d_steps, by slot
        self.d_steps: set[tuple[int, str, int]] = set()  # whose inner steps are there

    # --- what there is no form for ---

    def refuse(self) -> None:
        model, resolver = self.model, self.model.resolver
        asks = {
            "priorities": resolver.uses_priority,
            "enabled()": resolver.uses_enabled,
            "_last": resolver.uses_last,
            "pc_value()": resolver.uses_pc_value,
            "trace and notrace": model.events is not None,
        }
        places = {**resolver.first_uses, "trace and notrace": model.events.where if model.events else None}
        for what, is_used in asks.items():
            if is_used:
                raise NotExpressible(f"{what} cannot be said in guarded transitions", where=places.get(what))

    def kinds_of_slots(self) -> list[list[Process]]:
        """Of each process number, which proctypes it may be: those that are active, then those that are
        run."""
        slots = [[process] for process in self.model.processes for _ in range(process.instances)]
        count = {process.name: process.instances for process in self.model.processes}
        started: list[Process] = []
        pending = [process for process in self.model.processes if process.instances]
        seen: set[str] = set()
        while pending:
            process = pending.pop(0)
            if process.name in seen:
                raise NotExpressible(
                    f"'{process.name}' is started by itself or in several places in turn", where=process.where
                )
            for transition, start in self.starts(process):
                if self.comes_back(self.graphs[process.name], transition):
                    raise NotExpressible(
                        "a process that is started in a loop has no fixed number",
                        where=start.where,
                        hint="start it once, or declare it active [N]",
                    )
                target = self.model.resolver.processes.get(start.proctype)
                if target is None:
                    raise SourceProblem(f"unknown proctype '{start.proctype}'", where=start.where)
                started += [target] * count[process.name]
                count[target.name] += count[process.name]
                if target not in pending and any(True for _ in self.starts(target)):
                    pending.append(target)
            seen.add(process.name)
        if len(slots) + len(started) > MOST_PROCESSES:
            raise NotExpressible(f"there are more than {MOST_PROCESSES} processes")
        kinds: list[Process] = []
        for process in started:
            if process not in kinds:
                kinds.append(process)
        # Who is started takes the first number that is free: that of an active process that is gone, too.
        return [
            slots[0],
            *([*slot, *(process for process in kinds if process not in slot)] for slot in slots[1:]),
            *([kinds] * len(started)),
        ]

    def starts(self, process: Process) -> Iterator[tuple[Transition, ops.StartProcess]]:
        for transition in self.graphs[process.name].transitions.values():
            if transition.operation is not None:
                for part in ops.operation_reads(transition.operation):
                    if isinstance(part, ops.StartProcess):
                        yield transition, part

    @staticmethod
    def comes_back(graph: ControlGraph, transition: Transition) -> bool:
        seen: set[int] = set()
        pending = [transition.target]
        while pending:
            here = pending.pop()
            if here in seen:
                continue
            seen.add(here)
            for edge in graph.edges.get(here, ()):
                if edge.transition is transition:
                    return True
                pending.append(edge.transition.target)
        return False

    @staticmethod
    def goes_round(graph: ControlGraph) -> bool:
        """Whether a sequence that nobody interrupts has a loop."""
        inside = {
            location: [edge.transition.target for edge in edges if edge.transition.continues]
            for location, edges in graph.edges.items()
        }
        if any(one.d_step is not None and jumps_about(one.d_step) for one in graph.transitions.values()):
            return True
        while leaves := [
            location for location, targets in inside.items() if not any(one in inside for one in targets)
        ]:
            for location in leaves:
                del inside[location]
        return bool(inside)

    # --- names ---

    def declare(self, slot: int, prefix: str, symbol: Symbol) -> None:
        if symbol.channel is not None:
            self.declare_channels(slot, prefix, symbol)
            return
        scalars = list(self.scalars(prefix + symbol.identifier, symbol.type, symbol.length, symbol.where))
        self.places[slot, symbol] = [name for name, _ in scalars]
        for name, scalar in scalars:
            self.declare_scalar(name, scalar, symbol.where)

    def declare_scalar(self, name: str, scalar: Scalar, where: Location) -> None:
        if scalar.name == "chan":
            raise NotExpressible("a channel that is stored in a variable has no fixed place", where=where)
        self.variables[name] = Variable(name, Integer(scalar.bits, scalar.signed))
        self.initial[name] = 0
        if len(self.variables) > MOST_VARIABLES:
            raise NotExpressible(f"there are more than {MOST_VARIABLES:,} variables", where=where)

    def declare_channels(self, slot: int, prefix: str, symbol: Symbol) -> None:
        assert symbol.channel is not None
        shape = symbol.channel
        if not Layout.is_fixed_channel(symbol):
            raise NotExpressible(
                "a channel that is stored in a variable has no fixed place", where=symbol.where
            )
        if shape.capacity == 0:  # a message is never in it
            self.places[slot, symbol] = []
            return
        names = []
        for element in range(symbol.length or 1):
            base = prefix + symbol.identifier + (f"[{element}]" if symbol.length is not None else "")
            length = f"len({base})"
            self.variables[length] = Variable(length, Integer(8, False))
            self.initial[length] = 0
            names.append(length)
            for position in range(shape.capacity):
                for number, scalar in enumerate(shape.fields):
                    self.declare_scalar(f"{base}#{position}.{number}", scalar, symbol.where)
        self.places[slot, symbol] = names

    def scalars(
        self, name: str, kind: ops.Type, length: int | None, where: Location
    ) -> Iterator[tuple[str, Scalar]]:
        for element in range(length) if length is not None else [None]:
            here = name if element is None else f"{name}[{element}]"
            if isinstance(kind, Structure):
                for item in kind.fields:
                    if item.channel is not None:
                        raise NotExpressible(
                            "a channel inside of a structure has no symbolic form", where=where
                        )
                    yield from self.scalars(f"{here}.{item.name}", item.type, item.length, where)
            else:
                yield here, kind

    def owner(self, symbol: Symbol, scope: Scope) -> int:
        return -1 if symbol.owner is None else scope.slot

    def elements(self, place: Place, scope: Scope) -> tuple[list[tuple[str, Term]], Value]:
        """The variables that a place may mean, each under a condition on its indices, and how that can
        fail."""
        symbol = place.symbol
        prefix = self.prefix(symbol, scope)
        found: list[tuple[str, Term]] = [(prefix + symbol.identifier, TRUE)]
        failures: list[tuple[Term, ViolationFacts]] = []
        earlier: Term = FALSE
        for step in place.steps:
            if step.length is not None:
                index_expression = step.index if step.index is not None else Const(0)
                index = self.value(index_expression, scope)
                failures += [(both(negated(earlier), c), f) for c, f in index.failures]
                outside = either(
                    apply("<", index.number, ZERO), apply(">=", index.number, Number(step.length))
                )
                facts = ViolationFacts(
                    "array-index",
                    f"index outside '{symbol.name}' (length {step.length})",
                    place.where.file,
                    place.where.line,
                )
                failures.append((both(negated(either(earlier, index.fails)), outside), facts))
                earlier = either(*(condition for condition, _ in failures))
                found = [
                    (f"{name}[{element}]", both(condition, apply("==", index.number, Number(element))))
                    for name, condition in found
                    for element in range(step.length)
                ]
                found = [(name, condition) for name, condition in found if condition != FALSE]
            if step.field is not None:
                found = [(f"{name}.{step.field}", condition) for name, condition in found]
        return found, Value(ZERO, tuple((c, f) for c, f in failures if c != FALSE))

    def prefix(self, symbol: Symbol, scope: Scope) -> str:
        return "" if symbol.owner is None else f"{symbol.owner}[{scope.slot}]."

    # --- expressions ---

    def load(self, place: Place, scope: Scope) -> Value:
        if place.symbol.channel is not None and place.type.name == "chan":
            raise NotExpressible("a channel is used as a value", where=place.where)
        elements, failing = self.elements(place, scope)
        if not elements:
            return Value(ZERO, failing.failures)
        return Value(self.chosen([(self.read(name), c) for name, c in elements]), failing.failures)

    def read(self, name: str) -> Term:
        variable = self.variables[name]
        kind = variable.type
        if kind.bits == INT and not kind.signed:  # C reads it as an int
            return truncated(variable, INT, True)
        return variable

    def chosen(self, options: list[tuple[Term, Term]]) -> Term:
        """One of the terms, by its condition. The last needs none: what else can happen is a failure. Halves
        keep the term flat."""
        if len(options) == 1:
            return options[0][0]
        first, second = options[: len(options) // 2], options[len(options) // 2 :]
        return choice(either(*(condition for _, condition in first)), self.chosen(first), self.chosen(second))

    def value(self, e: Expr, scope: Scope) -> Value:
        found = self.value_of(e, scope)
        if sum(map(self.size, (found.term, *(condition for condition, _ in found.failures)))) > LARGEST_VALUE:
            raise NotExpressible(
                "an expression is nested so deeply that its conditions cannot be written out"
            )
        return found

    def size(self, term: Term) -> int:
        """Of the term written out; what it shares with others is counted each time."""
        known = self.sizes.get(id(term))
        if known is not None:
            return known[1]
        operands: tuple[Term, ...] = ()
        if isinstance(term, Apply):
            operands = term.operands
        elif isinstance(term, Truncate):
            operands = (term.operand,)
        found = 1 + sum(map(self.size, operands))
        self.sizes[id(term)] = term, found  # which keeps the term, and so its id
        return found

    def value_of(self, e: Expr, scope: Scope) -> Value:
        match e:
            case Const(value):
                return Value(Number(value))
            case Load(place):
                return self.load(place, scope)
            case ops.UnaryOp(operator, operand):
                inner = self.value(operand, scope)
                if operator == "!":
                    return Value(negated(inner.truth), inner.failures)
                term = apply("neg" if operator == "-" else operator, inner.number)
                return Value(truncated(term, INT, True), inner.failures)
            case ops.BinaryOp(operator, left, right, where):
                return self.binary(operator, self.value(left, scope), self.value(right, scope), where)
            case ops.Choose(condition, then, otherwise):
                chosen, a, b = (self.value(part, scope) for part in (condition, then, otherwise))
                no = negated(chosen.fails)
                return Value(
                    choice(chosen.truth, a.number, b.number),
                    (
                        *chosen.failures,
                        *only_if(both(no, chosen.truth), a),
                        *only_if(both(no, negated(chosen.truth)), b),
                    ),
                )
            case ops.OwnPid():
                return Value(Number(max(scope.slot, 0)))
            case ops.ProcessCount():
                if self.model.watched.has_claim:
                    raise NotExpressible("_nr_pr beside a claim cannot be said in guarded transitions")
                return Value(self.alive())
            case ops.IsTimeout():
                return Value(scope.timeout)
            case ops.ChannelLength(channel):
                return self.channel_value(channel, scope, "length")
            case ops.ChannelState(test, channel):
                return self.channel_value(channel, scope, test)
            case ops.PollMessage(channel, anywhere, fields, where):
                if self.is_rendezvous(channel):
                    raise NotExpressible("a poll of a rendezvous channel is an error", where=where)
                return self.waiting(channel, fields, scope, where, anywhere=anywhere)
            case ops.AtLabel(proctype, process, label, where):
                return self.at_label(proctype, process, label, where, scope)
            case ops.RemoteLoad(proctype, process, place):
                return self.remote_load(proctype, process, place, scope)
        raise NotExpressible(f"{type(e).__name__} cannot be said in guarded transitions")

    def binary(self, operator: str, a: Value, b: Value, where: Location) -> Value:
        if operator == "&&":
            return Value(both(a.truth, b.truth), (*a.failures, *only_if(both(negated(a.fails), a.truth), b)))
        if operator == "||":
            return Value(
                either(a.truth, b.truth),
                (*a.failures, *only_if(both(negated(a.fails), negated(a.truth)), b)),
            )
        left, right = a.number, b.number
        failures = (*a.failures, *only_if(negated(a.fails), b))
        if operator in {"==", "!=", "<", "<=", ">", ">="}:
            return Value(apply(operator, left, right), failures)
        if operator in {"/", "%"}:
            wrong = either(
                apply("==", right, ZERO),
                both(apply("==", right, Number(-1)), apply("==", left, Number(-(2**31)))),
            )
            if wrong != FALSE:
                facts = ViolationFacts("division", "division by zero", where.file, where.line)
                failures = (*failures, (both(negated(either(a.fails, b.fails)), wrong), facts))
            return Value(apply("quotient" if operator == "/" else "remainder", left, right), failures)
        if operator in {"<<", ">>"}:
            right = apply("&", right, Number(31))
        return Value(truncated(apply(operator, left, right), INT, True), failures)

    def alive(self) -> Term:
        total: Term = ZERO
        for slot in range(len(self.slots)):
            total = apply("+", total, choice(apply("!=", self.control(slot), Number(GONE)), ONE, ZERO))
        return total

    def control(self, slot: int) -> Variable:
        return Variable(self.control_name(slot), CONTROL)

    def control_name(self, slot: int) -> str:
        kinds = self.slots[slot]
        return f"{kinds[0].name}[{slot}]" if len(kinds) == 1 else f"process[{slot}]"

    def location(self, slot: int, process: Process, location: int) -> int:
        """The value of a control."""
        if location == GONE:
            return GONE
        return location if len(self.slots[slot]) == 1 else (process.number << 16) + location

    def meant(
        self, proctype: str, process: Expr | None, scope: Scope, where: Location
    ) -> Iterator[tuple[int, Term]]:
        """The slots that a remote reference may mean, each with its condition; nobody is read as zeros."""
        target = self.model.resolver.processes.get(proctype)
        if target is None:
            raise SourceProblem(f"unknown proctype '{proctype}'", where=where)
        if process is not None:
            who = self.value(process, scope)
            if who.failures:
                raise NotExpressible("a remote reference may fail", where=where)
            for slot, kinds in enumerate(self.slots):
                condition = apply("==", who.number, Number(slot))
                if condition != FALSE:
                    if kinds != [target]:
                        raise NotExpressible("a remote reference may mean several proctypes", where=where)
                    yield slot, both(condition, apply("!=", self.control(slot), Number(GONE)))
            return
        earlier: Term = FALSE
        for slot, kinds in enumerate(self.slots):
            if target not in kinds:
                continue
            values = [
                Number(self.location(slot, target, location)) for location in self.graphs[proctype].edges
            ]
            here = either(*(apply("==", self.control(slot), value) for value in values))
            yield slot, both(negated(earlier), here)
            earlier = either(earlier, here)

    def at_label(
        self, proctype: str, process: Expr | None, label: str, where: Location, scope: Scope
    ) -> Value:
        target = self.model.resolver.processes.get(proctype)
        location = self.graphs[proctype].location_of(label) if target is not None else None
        if target is None or location is None:
            raise SourceProblem(f"proctype '{proctype}' has no label '{label}'", where=where)
        return Value(
            either(
                *(
                    both(
                        condition,
                        apply("==", self.control(slot), Number(self.location(slot, target, location))),
                    )
                    for slot, condition in self.meant(proctype, process, scope, where)
                )
            )
        )

    def remote_load(self, proctype: str, process: Expr | None, place: Place, scope: Scope) -> Value:
        found: Term = ZERO
        for slot, condition in self.meant(proctype, process, scope, place.where):
            value = self.load(place, Scope(slot, self.model.resolver.processes[proctype]))
            if value.failures:
                raise NotExpressible("a remote reference may fail", where=place.where)
            found = choice(condition, value.term, found)
        return Value(found)

    # --- channels ---

    def buffers(self, channel: Place, scope: Scope) -> tuple[list[tuple[str, Term]], Value]:
        """The names of the channels that a place may mean, each under its condition."""
        if channel.symbol.channel is None or not Layout.is_fixed_channel(channel.symbol):
            raise NotExpressible(
                "a channel that is stored in a variable has no fixed place", where=channel.where
            )
        return self.elements(channel, scope)

    @staticmethod
    def is_rendezvous(channel: Place) -> bool:
        shape = channel.symbol.channel
        return shape is not None and Layout.is_fixed_channel(channel.symbol) and shape.capacity == 0

    def channel_value(self, channel: Place, scope: Scope, test: str) -> Value:
        if self.is_rendezvous(channel):  # it holds a message only while that is handed over
            return Value(ZERO if test == "length" else TRUE if test in {"empty", "nfull"} else FALSE)
        names, failing = self.buffers(channel, scope)
        assert channel.symbol.channel is not None
        if not names:
            return Value(ZERO, failing.failures)
        length = self.chosen([(self.variables[f"len({name})"], condition) for name, condition in names])
        capacity = Number(channel.symbol.channel.capacity)
        term = {
            "length": length,
            "empty": apply("==", length, ZERO),
            "nempty": apply(">", length, ZERO),
            "full": apply(">=", length, capacity),
            "nfull": apply("<", length, capacity),
        }[test]
        return Value(term, failing.failures)

    # --- processes ---

    def system(self, invariants: Sequence[tuple[str, Expr]], predicates: Sequence[str]) -> SymbolicSystem:
        for symbol in self.model.resolver.globals:
            self.declare(-1, "", symbol)
        for slot, kinds in enumerate(self.slots):
            for process in kinds:
                for symbol in process.symbols:
                    self.declare(slot, f"{process.name}[{slot}].", symbol)
        if any(
            one.d_step is not None and has_loops(one.d_step)
            for graph in self.graphs.values()
            for one in graph.transitions.values()
        ):
            self.variables[ROUNDS] = Variable(ROUNDS, Integer(INT, True))
            self.initial[ROUNDS] = 0
        self.start()
        for slot, kinds in enumerate(self.slots):
            for process in kinds:
                self.process(slot, process)
        self.invariants(invariants)
        controls = [
            Control(self.control_name(slot), self.at_start(slot), self.texts(slot))
            for slot in range(len(self.slots))
        ]
        holders = {0: "nobody"} | {slot + 1: self.control_name(slot) for slot in range(len(self.slots))}
        controls.append(Control("atomic", 0, holders))
        ends = [
            frozenset(
                {GONE}
                | {
                    self.location(slot, process, location)
                    for process in kinds
                    for location in self.graphs[process.name].end_locations
                    if location in self.graphs[process.name].edges
                }
            )
            for slot, kinds in enumerate(self.slots)
        ]
        return SymbolicSystem(
            tuple(controls),
            tuple(self.variables.values()),
            tuple(self.initial[name] for name in self.variables),
            tuple(self.steps),
            tuple(self.failures),
            visible=((self.holder, 0),),
            ends=(*ends, frozenset({0})),
            notes=(ENDLESS,) if any(map(self.goes_round, self.graphs.values())) else (),
            predicates=tuple(self.predicate(text) for text in predicates),
        )

    def predicate(self, text: str) -> Term:
        expression = parse_expression(text, proctypes=tuple(self.model.resolver.processes))
        resolved = self.model.resolver.expression(expression, self.model.resolver.global_scope)
        value = self.value(resolved, Scope(-1, None))
        if value.failures:
            raise SourceProblem(
                f"the predicate '{text}' cannot be evaluated in every state",
                hint="index and divide by constants",
            )
        return value.truth

    def at_start(self, slot: int) -> int:
        active = sum(process.instances for process in self.model.processes)
        if slot >= active:
            return GONE
        return self.location(slot, self.slots[slot][0], self.graphs[self.slots[slot][0].name].initial)

    def texts(self, slot: int) -> dict[int, str]:
        found = {GONE: "-"}
        for process in self.slots[slot]:
            graph = self.graphs[process.name]
            labels = {number: name for name, number in graph.labels}
            for location, edges in graph.edges.items():
                line = edges[0].transition.source.where.line if edges else process.where.line
                name = labels.get(location, str(line))
                kind = f"{process.name}:" if len(self.slots[slot]) > 1 else ""
                found[self.location(slot, process, location)] = f"{kind}{name}"
        found |= self.inner_texts.get(slot, {})
        return {
            value: f"{text}/{value}" if list(found.values()).count(text) > 1 else text
            for value, text in found.items()
        }

    def inside(self, scope: Scope, node: Node) -> int:
        """The value of a control for a statement inside of a d_step."""
        assert scope.process is not None
        if node.number >= INSIDE:
            raise NotExpressible("a process has too many statements", where=scope.process.where)
        value = self.location(scope.slot, scope.process, INSIDE + node.number)
        self.inner_texts.setdefault(scope.slot, {})[value] = f"{node.source.where.line}"
        return value

    def start(self) -> None:
        """Initial values, computed in the order in which they are assigned."""
        for symbol in self.model.resolver.globals:
            self.initialise_now(symbol, Scope(-1, None))
        active = sum(process.instances for process in self.model.processes)
        for slot in range(active):
            process = self.slots[slot][0]
            for symbol in process.symbols:
                if not symbol.parameter:
                    self.initialise_now(symbol, Scope(slot, process))

    def initialise_now(self, symbol: Symbol, scope: Scope) -> None:
        controls = {self.control_name(slot): self.at_start(slot) for slot in range(len(self.slots))}
        for slot in range(len(self.slots)):
            if slot > scope.slot:  # who is started later is not there yet
                controls[self.control_name(slot)] = GONE
        for name, value in self.initial_assignments(symbol, scope):
            values = {**self.initial, **controls}
            if evaluate(value.fails, values):
                raise NotExpressible("setting up the initial state fails", where=symbol.where)
            self.initial[name] = int(evaluate(stored(value.number, self.variables[name].type), values))

    def initial_assignments(self, symbol: Symbol, scope: Scope) -> Iterator[tuple[str, Value]]:
        if symbol.channel is not None:
            return
        prefix = self.prefix(symbol, scope)
        if isinstance(symbol.type, Structure):
            yield from self.structure_initials(prefix + symbol.identifier, symbol.type, symbol.length)
            return
        if symbol.initial is None:
            return
        for position, name in enumerate(self.places[self.owner(symbol, scope), symbol]):
            initial = symbol.initial
            if isinstance(initial, tuple):
                initial = initial[min(position, len(initial) - 1)]
            yield name, self.value(initial, scope)

    def structure_initials(
        self, name: str, kind: Structure, length: int | None
    ) -> Iterator[tuple[str, Value]]:
        for element in range(length) if length is not None else [None]:
            here = name if element is None else f"{name}[{element}]"
            for item in kind.fields:
                for position, inner in enumerate(range(item.length) if item.length is not None else [None]):
                    place = f"{here}.{item.name}" if inner is None else f"{here}.{item.name}[{inner}]"
                    if isinstance(item.type, Structure):
                        yield from self.structure_initials(place, item.type, None)
                    elif item.initial is not None:
                        value = item.initial[min(position, len(item.initial) - 1)]
                        yield place, Value(Number(value))

    def process(self, slot: int, process: Process) -> None:
        graph = self.graphs[process.name]
        inside = {
            edge.transition.target
            for edges in graph.edges.values()
            for edge in edges
            if edge.transition.continues
        }
        for location, edges in graph.edges.items():
            if any(edge.escape for edge in edges):
                self.require_no_rendezvous(edges)
            self.at_location(slot, process, location, edges, held=False)
            if location in inside:
                self.at_location(slot, process, location, edges, held=True)

    def at_location(
        self, slot: int, process: Process, location: int, edges: Sequence[Edge], *, held: bool
    ) -> None:
        source: At = (
            (slot, self.location(slot, process, location)),
            (self.holder, slot + 1 if held else 0),
        )
        provided = self.provided(slot, process)
        moved: Term = FALSE
        escaped: dict[int, Term] = {}  # whether an escape was taken, by its number
        for edge in edges:
            # What an escape interrupts is not tried.
            others = (taken for escape, taken in escaped.items() if escape and escape != edge.escape)
            stays = negated(either(*others))
            timeout = FALSE if held else self.nobody_moves(edge.transition)
            scope = Scope(slot, process, timeout)
            moves = self.transition(scope, edge.transition, source, both(provided, stays), moved)
            escaped[edge.escape] = either(escaped.get(edge.escape, FALSE), both(stays, moves))
            moved = either(moved, both(stays, moves))
        if held:
            release: At = ((self.holder, 0),)
            self.steps.append(
                Step(slot, source, release, negated(both(provided, moved)), (), "its sequence is interrupted")
            )

    def require_no_rendezvous(self, edges: Sequence[Edge]) -> None:
        """To try one that finds nobody ends an escape, as in SPIN."""
        for edge in edges:
            operation = edge.transition.operation
            if isinstance(operation, ops.SendMessage | ops.ReceiveMessage) and self.is_rendezvous(
                operation.channel
            ):
                raise NotExpressible(
                    "a rendezvous beside unless cannot be said in guarded transitions", where=operation.where
                )

    def provided(self, slot: int, process: Process) -> Term:
        if process.provided is None:
            return TRUE
        value = self.value(process.provided, Scope(slot, process))
        if value.failures:
            raise NotExpressible("a provided clause may fail", where=process.where)
        return value.truth

    def nobody_moves(self, transition: Transition) -> Term:
        """`timeout`, where the statement asks for it: nobody could move without it."""
        operation = transition.operation
        if operation is None or not any(
            isinstance(part, ops.IsTimeout) for part in ops.operation_reads(operation)
        ):
            return FALSE
        somebody: list[Term] = []
        for slot, kinds in enumerate(self.slots):
            for process in kinds:
                provided = self.provided(slot, process)
                for location, edges in self.graphs[process.name].edges.items():
                    here = apply("==", self.control(slot), Number(self.location(slot, process, location)))
                    enabled: Term = FALSE
                    for edge in edges:
                        enabled = either(
                            enabled, self.enabled(Scope(slot, process), edge.transition, enabled)
                        )
                    somebody.append(both(here, provided, enabled))
        return negated(either(*somebody))

    def enabled(self, scope: Scope, transition: Transition, moved: Term) -> Term:
        """Whether it can be executed, or fails when that is tried."""
        if transition.operation is None:
            assert transition.d_step is not None
            value = guard_of(self, scope, transition.d_step, moved)
        else:
            value = self.executable(scope, transition.operation, moved)
        return either(value.fails, value.truth)

    def executable(self, scope: Scope, operation: ops.Operation, moved: Term) -> Value:
        match operation:
            case ops.OtherwiseOp():
                return Value(negated(moved))
            case ops.Stop():
                return Value(
                    both(
                        *(
                            apply("==", self.control(slot), Number(GONE))
                            for slot in range(scope.slot + 1, len(self.slots))
                        )
                    )
                )
            case ops.Test(ops.StartProcess()):
                return Value(TRUE)
            case ops.Test(condition):
                return self.value(condition, scope)
            case ops.SendMessage(channel, _, _, _):
                if self.is_rendezvous(channel):
                    return self.offered(operation, scope)
                return self.channel_value(channel, scope, "nfull")
            case ops.ReceiveMessage():
                return self.receivable(operation, scope)
        return Value(TRUE)

    def transition(
        self, scope: Scope, transition: Transition, source: At, provided: Term, moved: Term
    ) -> Term:
        """Adds the steps and failures of one statement; answers when it moves."""
        enabled = self.enabled(scope, transition, moved)
        if transition.operation is None:
            self.d_step(scope, transition, source, provided, moved)
            return enabled
        adding = self.adding(scope, transition, source, provided, transition.source)
        match transition.operation:
            case ops.Skip() | ops.OtherwiseOp():
                adding.step(enabled, {})
            case ops.Stop():
                adding.step(enabled, self.forgotten(scope))
            case ops.PrintText(_, arguments):
                values = [self.value(argument, scope) for argument in arguments]
                adding.effect(enabled, {}, values)
            case ops.Test(ops.StartProcess() as start) | ops.Store(_, ops.StartProcess() as start):
                operation = transition.operation
                result = operation.place if isinstance(operation, ops.Store) else None
                self.start_process(adding, start, result, scope)
            case _:
                self.operate(adding, transition.operation, scope)
        return enabled

    def operate(self, adding: Adding, operation: ops.Operation, scope: Scope) -> None:
        """Statements that mean the same inside of a d_step."""
        match operation:
            case ops.Test(condition):
                value = self.value(condition, scope)
                adding.guarded(value)
            case ops.Store(place, expression):
                value = self.value(expression, scope)
                assigned, failing = self.store(place, value.number, scope)
                adding.effect(TRUE, assigned, [value, failing])
            case ops.Check(condition, where, text):
                value = self.value(condition, scope)
                facts = ViolationFacts("assertion", text, where.file, where.line)
                adding.failure(both(negated(value.fails), negated(value.truth)), facts)
                adding.effect(TRUE, {}, [value])
            case ops.SendMessage():
                self.send(adding, operation, scope)
            case ops.ReceiveMessage():
                self.receive(adding, operation, scope)
            case _:
                raise NotExpressible(
                    f"'{adding.text.text}' cannot be said in guarded transitions", where=adding.text.where
                )

    def d_step(self, scope: Scope, transition: Transition, source: At, provided: Term, moved: Term) -> None:
        assert transition.d_step is not None
        assert scope.process is not None
        chain = transition.d_step
        for node in entry_guards(chain) or ():
            if isinstance(node.operation, ops.ReceiveMessage) and self.is_rendezvous(node.operation.channel):
                raise NotExpressible(
                    "a d_step that begins with a rendezvous cannot be said in guarded transitions",
                    where=node.source.where,
                )
        inner = DStepForm(self, scope, self.graphs[scope.process.name], transition)
        first = inner.way(chain.start)
        if first is None:
            raise NotExpressible("a d_step without statements", where=transition.source.where)
        inner.adding(source, provided, transition.source, first).guarded(guard_of(self, scope, chain, moved))
        key = (scope.slot, scope.process.name, transition.number)
        if key not in self.d_steps:
            self.d_steps.add(key)
            inner.add_inside()

    def landing(self, scope: Scope, transition: Transition) -> At:
        """Where a process is behind a statement, and whether it goes on."""
        assert scope.process is not None
        target = self.location(scope.slot, scope.process, transition.target)
        goes_on = transition.continues and transition.target != GONE
        if isinstance(transition.operation, ops.Stop):
            target, goes_on = GONE, False
        return ((scope.slot, target), (self.holder, scope.slot + 1 if goes_on else 0))

    def adding(
        self,
        scope: Scope,
        transition: Transition,
        source: At,
        provided: Term,
        text: ops.Source,
        target: At | None = None,
    ) -> Adding:
        target = self.landing(scope, transition) if target is None else target
        return Adding(self, scope, text, source, provided, target)

    def forgotten(self, scope: Scope) -> dict[str, Term]:
        """A process that is gone has no variables."""
        assert scope.process is not None
        prefix = f"{scope.process.name}[{scope.slot}]."
        return {name: ZERO for name in self.variables if name.startswith((prefix, f"len({prefix}"))}

    def store(self, place: Place, value: Term, scope: Scope) -> tuple[dict[str, Term], Value]:
        elements, failing = self.elements(place, scope)
        assigned = {}
        for name, condition in elements:
            variable = self.variables[name]
            # With one element there is no other: what else the index may be is a failure.
            new = stored(value, variable.type)
            assigned[name] = new if len(elements) == 1 else choice(condition, new, variable)
        return assigned, failing

    def start_process(
        self, adding: Adding, start: ops.StartProcess, result: Place | None, scope: Scope
    ) -> None:
        target = self.model.resolver.processes[start.proctype]
        arguments = [self.value(argument, scope) for argument in start.arguments]
        if any(argument.failures for argument in arguments):
            raise NotExpressible("an argument of a process may fail", where=start.where)
        if len(arguments) != len(target.parameters):
            raise SourceProblem(
                f"expected {len(target.parameters)} arguments for '{start.proctype}', got {len(arguments)}",
                where=start.where,
            )
        for slot, kinds in enumerate(self.slots):
            if slot <= 0 or target not in kinds:
                continue
            free = both(
                apply("==", self.control(slot), Number(GONE)),
                apply("!=", self.control(slot - 1), Number(GONE)),
            )
            inner = Scope(slot, target)
            assigned: dict[str, Term] = {}
            for place, argument in zip(target.parameters, arguments, strict=True):
                stores, _ = self.store(place, argument.number, inner)
                assigned |= stores
            for symbol in target.symbols:
                if symbol.parameter:
                    continue
                for name, value in self.initial_assignments(symbol, inner):
                    if value.failures or any(
                        isinstance(part, Load) and part.place.symbol.owner is not None
                        for initial in (
                            [symbol.initial] if isinstance(symbol.initial, Expr) else symbol.initial or ()
                        )
                        for part in ops.subexpressions(initial)
                    ):
                        raise NotExpressible(
                            "a local variable whose first value is computed from others", where=symbol.where
                        )
                    assigned[name] = stored(value.number, self.variables[name].type)
            values = []
            if result is not None:
                stores, failing = self.store(result, Number(slot), scope)
                values.append(failing)
                assigned |= stores
            begin = self.location(slot, target, self.graphs[target.name].initial)
            adding.effect(free, assigned, values, ((slot, begin),))

    # --- messages ---

    def one_buffer(self, channel: Place, scope: Scope) -> list[tuple[str, Term, Term]]:
        """Name, condition, length of each channel that may be meant."""
        names, _ = self.buffers(channel, scope)
        return [(name, condition, self.variables[f"len({name})"]) for name, condition in names]

    def send(self, adding: Adding, send: ops.SendMessage, scope: Scope) -> None:
        if self.is_rendezvous(send.channel):
            offered = self.offered(send, scope)
            adding.failures_of(offered)
            for receiver in self.receivers(send, scope):
                adding.handshake(receiver, negated(offered.fails))
            return
        shape = send.channel.symbol.channel
        assert shape is not None
        ready = self.channel_value(send.channel, scope, "nfull")
        if len(send.arguments) != len(shape.fields):
            raise NotExpressible("a message has the wrong number of fields", where=send.where)
        arguments = [self.value(argument, scope) for argument in send.arguments]
        adding.failures_of(ready)
        for name, condition, length in self.one_buffer(send.channel, scope):
            guard = both(negated(ready.fails), ready.truth, condition)
            if not send.sorted:
                adding.effect(guard, self.appended(name, shape, length, arguments), arguments)
                continue
            failing = either(*(argument.fails for argument in arguments))
            for argument in arguments:  # once, whatever its place would be
                for fails, facts in argument.failures:
                    adding.failure(both(guard, fails), facts)
            before: Term = TRUE  # all earlier messages come first
            for place in range(shape.capacity):
                later = both(
                    apply(">", length, Number(place)), self.comes_later(name, place, shape, arguments)
                )
                here = both(guard, negated(failing), before, negated(later))
                adding.step(here, self.inserted(name, place, shape, length, arguments))
                before = both(before, later)

    def appended(
        self, name: str, shape: ops.ChannelShape, length: Term, arguments: Sequence[Value]
    ) -> dict[str, Term]:
        assigned: dict[str, Term] = {f"len({name})": apply("+", length, ONE)}
        for slot in range(shape.capacity):
            for number, argument in enumerate(arguments):
                variable = self.variables[f"{name}#{slot}.{number}"]
                assigned[variable.name] = choice(
                    apply("==", length, Number(slot)), stored(argument.number, variable.type), variable
                )
        return assigned

    def inserted(
        self, name: str, place: int, shape: ops.ChannelShape, length: Term, arguments: Sequence[Value]
    ) -> dict[str, Term]:
        assigned: dict[str, Term] = {f"len({name})": apply("+", length, ONE)}
        for number, argument in enumerate(arguments):
            variable = self.variables[f"{name}#{place}.{number}"]
            assigned[variable.name] = stored(argument.number, variable.type)
            for slot in range(place + 1, shape.capacity):
                assigned[f"{name}#{slot}.{number}"] = self.variables[f"{name}#{slot - 1}.{number}"]
        return assigned

    def comes_later(self, name: str, place: int, shape: ops.ChannelShape, arguments: Sequence[Value]) -> Term:
        """Whether a new message belongs behind the one in that place: it is not less, field by field."""
        found: Term = TRUE
        for number in reversed(range(len(shape.fields))):
            ours, theirs = arguments[number].number, self.read(f"{name}#{place}.{number}")
            found = either(apply(">", ours, theirs), both(apply("==", ours, theirs), found))
        return found

    def matches(
        self, name: str, place: int, fields: Sequence[ops.FieldMatch], scope: Scope, where: Location
    ) -> Term:
        """Whether the message in a place of a channel has the values asked for."""
        conditions = []
        for number, field in enumerate(fields):
            if field.match is Match.EQUAL and field.expression is not None:
                wanted = self.value(field.expression, scope)
                if wanted.failures:
                    raise NotExpressible("a value in a receive may fail", where=where)
                conditions.append(apply("==", self.read(f"{name}#{place}.{number}"), wanted.number))
        return both(*conditions)

    def taken(
        self,
        channel: Place,
        fields: Sequence[ops.FieldMatch],
        scope: Scope,
        where: Location,
        *,
        anywhere: bool,
    ) -> list[tuple[str, int, Term]]:
        """Channels, places in them and when the message there is the one that would be received."""
        shape = channel.symbol.channel
        assert shape is not None
        if len(fields) != len(shape.fields):
            raise NotExpressible("a message has the wrong number of fields", where=where)
        found = []
        for name, condition, length in self.one_buffer(channel, scope):
            earlier: Term = FALSE
            for place in range(shape.capacity if anywhere else 1):
                here = both(
                    apply(">", length, Number(place)), self.matches(name, place, fields, scope, where)
                )
                found.append((name, place, both(condition, here, negated(earlier))))
                earlier = either(earlier, here)
        return found

    def waiting(
        self,
        channel: Place,
        fields: Sequence[ops.FieldMatch],
        scope: Scope,
        where: Location,
        *,
        anywhere: bool,
    ) -> Value:
        _, failing = self.buffers(channel, scope)
        taken = self.taken(channel, fields, scope, where, anywhere=anywhere)
        return Value(either(*(condition for *_, condition in taken)), failing.failures)

    def receivable(self, receive: ops.ReceiveMessage, scope: Scope) -> Value:
        if self.is_rendezvous(receive.channel):
            if receive.keep:
                raise NotExpressible("?<...> on a rendezvous channel is an error", where=receive.where)
            return Value(FALSE)  # whoever sends takes the step
        return self.waiting(receive.channel, receive.fields, scope, receive.where, anywhere=receive.anywhere)

    def receive(self, adding: Adding, receive: ops.ReceiveMessage, scope: Scope) -> None:
        ready = self.receivable(receive, scope)
        if self.is_rendezvous(receive.channel):
            return
        shape = receive.channel.symbol.channel
        assert shape is not None
        adding.failures_of(ready)
        taken = self.taken(receive.channel, receive.fields, scope, receive.where, anywhere=receive.anywhere)
        for name, place, condition in taken:
            assigned: dict[str, Term] = {}
            if not receive.keep:
                length = self.variables[f"len({name})"]
                assigned[length.name] = apply("-", length, ONE)
                for slot in range(place, shape.capacity):
                    for number in range(len(shape.fields)):
                        last = slot == shape.capacity - 1
                        assigned[f"{name}#{slot}.{number}"] = (
                            ZERO if last else self.variables[f"{name}#{slot + 1}.{number}"]
                        )
            message = [self.read(f"{name}#{place}.{number}") for number in range(len(shape.fields))]
            stores, failing = self.received(receive, message, scope)
            adding.effect(both(negated(ready.fails), condition), assigned | stores, failing)

    def received(
        self, receive: ops.ReceiveMessage, message: Sequence[Term], scope: Scope
    ) -> tuple[dict[str, Term], list[Value]]:
        assigned: dict[str, Term] = {}
        failing = []
        for head, field in zip(message, receive.fields, strict=True):
            if field.place is not None:
                if field.place.symbol.channel is not None or any(
                    step.index is not None and not isinstance(step.index, Const) for step in field.place.steps
                ):
                    raise NotExpressible("a receive into a computed place", where=receive.where)
                stores, failure = self.store(field.place, head, scope)
                assigned |= stores
                failing.append(failure)
        return assigned, failing

    # --- rendezvous ---

    def offered(self, send: ops.SendMessage, scope: Scope) -> Value:
        """Whether somebody takes the message; to evaluate it may fail, whoever is there."""
        _, failing = self.elements(send.channel, scope)
        failures = list(failing.failures)
        for argument in send.arguments:
            earlier = either(*(condition for condition, _ in failures))
            failures += only_if(negated(earlier), self.value(argument, scope))
        return Value(either(*(one.met for one in self.receivers(send, scope))), tuple(failures))

    def receivers(self, send: ops.SendMessage, scope: Scope) -> list[Receiver]:
        """Who may take the message, where and when."""
        shape = send.channel.symbol.channel
        assert shape is not None
        if send.channel.symbol.owner is not None:
            return []  # nobody else knows it
        if len(send.arguments) != len(shape.fields):
            raise NotExpressible("a message has the wrong number of fields", where=send.where)
        arguments = [self.value(argument, scope) for argument in send.arguments]
        channels, _ = self.elements(send.channel, scope)
        message = []
        for argument, scalar in zip(arguments, shape.fields, strict=True):
            value = stored(argument.number, Integer(scalar.bits, scalar.signed))
            message.append(truncated(value, INT, True) if scalar.bits == INT and not scalar.signed else value)
        found = []
        for slot, kinds in enumerate(self.slots):
            for process in kinds if slot != scope.slot else ():
                for location, edges in self.graphs[process.name].edges.items():
                    for edge in edges:
                        operation = edge.transition.operation
                        if (
                            isinstance(operation, ops.ReceiveMessage)
                            and self.is_rendezvous(operation.channel)
                            and operation.channel.symbol is send.channel.symbol
                        ):
                            at = (slot, self.location(slot, process, location))
                            inner = Scope(slot, process)
                            found.append(
                                self.receiver(at, inner, edge.transition, operation, channels, message)
                            )
        return found

    def receiver(
        self,
        at: tuple[int, int],
        scope: Scope,
        transition: Transition,
        receive: ops.ReceiveMessage,
        channels: Sequence[tuple[str, Term]],
        message: Sequence[Term],
    ) -> Receiver:
        assert scope.process is not None
        if len(receive.fields) != len(message):
            raise NotExpressible("a message has the wrong number of fields", where=receive.where)
        if receive.keep:
            raise NotExpressible("?<...> on a rendezvous channel is an error", where=receive.where)
        theirs, failing = self.elements(receive.channel, scope)
        wanted = [
            (head, self.value(field.expression, scope))
            for head, field in zip(message, receive.fields, strict=True)
            if field.match is Match.EQUAL and field.expression is not None
        ]
        if failing.failures or any(value.failures for _, value in wanted):
            raise NotExpressible("a rendezvous that may fail", where=receive.where)
        looks_around = any(
            isinstance(part, ops.AtLabel | ops.RemoteLoad | ops.ChannelLength | ops.ChannelState)
            for expression in (
                *(field.expression for field in receive.fields),
                scope.process.provided,
            )
            if expression is not None
            for part in ops.subexpressions(expression)
        )
        if looks_around:  # the sender has moved when it is evaluated, and the channel holds the message
            raise NotExpressible(
                "a rendezvous that hangs on where somebody stands, or on a channel", where=receive.where
            )
        same = either(*(both(a, b) for one, a in channels for other, b in theirs if one == other))
        stores, failures = self.received(receive, message, scope)
        if any(value.failures for value in failures):
            raise NotExpressible("a rendezvous that may fail", where=receive.where)
        guard = both(
            same,
            self.provided(scope.slot, scope.process),
            *(apply("==", head, value.number) for head, value in wanted),
        )
        return Receiver(
            at,
            both(apply("==", self.control(at[0]), Number(at[1])), guard),
            guard,
            self.landing(scope, transition),
            stores,
            transition.source.text,
        )

    # --- properties ---

    def invariants(self, invariants: Sequence[tuple[str, Expr]]) -> None:
        for text, expression in invariants:
            value = self.value(expression, Scope(-1, None))
            visible: At = ((self.holder, 0),)
            if value.failures:
                facts = ViolationFacts("invariant", f"{text} (cannot be evaluated)", property=text)
                self.failures.append(Failure(facts, visible, value.fails, is_step=False))
            facts = ViolationFacts("invariant", text, property=text)
            wrong = both(negated(value.fails), negated(value.truth))
            self.failures.append(Failure(facts, visible, wrong, is_step=False))


@dataclass(frozen=True, slots=True)
class Receiver:
    """Somebody who may take the message of a rendezvous."""

    at: tuple[int, int]  # a control and its value
    met: Term  # it is there, and takes it
    guard: Term  # it takes it if it is there
    landing: At
    stores: dict[str, Term]
    text: str


class Adding:
    """Adds the steps of one statement to the form."""

    def __init__(
        self, form: Form, scope: Scope, text: ops.Source, source: At, provided: Term, target: At
    ) -> None:
        self.form = form
        self.scope = scope
        self.text = text
        self.source = source
        self.provided = provided
        self.target = target
        self.always: dict[str, Term] = {}  # assigned by every step, besides
        self.limits: list[tuple[Term, ViolationFacts]] = []  # under which every step fails instead

    def guarded(self, value: Value) -> None:
        self.failures_of(value)
        self.step(both(negated(value.fails), value.truth), {})

    def effect(self, guard: Term, assigned: dict[str, Term], values: Sequence[Value], more: At = ()) -> None:
        """A step whose effect may fail after its guard held."""
        earlier: Term = FALSE
        for value in values:
            for condition, facts in value.failures:
                self.failure(both(guard, negated(earlier), condition), facts)
            earlier = either(earlier, value.fails)
        self.step(both(guard, negated(earlier)), assigned, more)

    def step(self, guard: Term, assigned: dict[str, Term], more: At = ()) -> None:
        for condition, facts in self.limits:
            self.failure(both(guard, condition), facts)
        guard = both(guard, *(negated(condition) for condition, _ in self.limits))
        self._add(self.source, (*self.target, *more), guard, assigned | self.always, self.text.text)

    def handshake(self, receiver: Receiver, works: Term) -> None:
        """Both move, and the receiver goes on if it may."""
        sender, _ = self.target
        target = (sender, *receiver.landing)
        text = f"{self.text.text} -> {receiver.text}"
        guard = both(works, receiver.guard)
        self._add((*self.source, receiver.at), target, guard, receiver.stores, text)

    def _add(self, source: At, target: At, guard: Term, assigned: dict[str, Term], text: str) -> None:
        guard = both(self.provided, guard)
        if guard == FALSE:
            return
        form, where = self.form, self.text.where
        kept = tuple((name, value) for name, value in assigned.items() if value != form.variables[name])
        form.steps.append(Step(self.scope.slot, source, target, guard, kept, text, where.file, where.line))

    def failures_of(self, value: Value) -> None:
        for condition, facts in value.failures:
            self.failure(condition, facts)

    def failure(self, condition: Term, facts: ViolationFacts) -> None:
        condition = both(self.provided, condition)
        if condition != FALSE:
            self.form.failures.append(Failure(facts, self.source, condition, is_step=True))
