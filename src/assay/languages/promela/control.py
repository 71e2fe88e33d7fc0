"""Processes to control graphs, location by location as SPIN numbers them.

State counts can agree with SPIN's only if control locations do, and two statements
share a location or not by rules that grew over thirty years: jumps and joins are
skipped over, except at the end of an atomic sequence; the first statements of an
option belong to the location of the choice; an escape's guard belongs to every
location it can interrupt. This module builds the same structure: nodes numbered in
the order in which a bottom-up parser meets them, then transitions per node, then
choices and blocks replaced by the transitions of their first statements.

Reference for the rules: SPIN 6.5.2 with `-o3` (no statement merging), whose
automata `pan -d` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from enum import Enum, Flag, auto

from assay.languages.promela import operations as ops
from assay.languages.promela import syntax
from assay.languages.promela.operations import (
    Const,
    Load,
    Operation,
    Place,
    Process,
    Source,
    Structure,
    Symbol,
)
from assay.languages.promela.resolve import Resolver, Scope
from assay.languages.promela.syntax import Location
from assay.languages.promela.unparse import unparse
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct


class Kind(Enum):
    OPERATION = auto()
    GOTO = auto()
    JOIN = auto()  # where the options of a choice meet again
    BREAK_TARGET = auto()  # behind a loop
    CHOICE = auto()
    ATOMIC = auto()
    PLAIN = auto()  # { ... }
    D_STEP = auto()
    UNLESS = auto()


class Mark(Flag):
    NONE = 0
    ATOMIC = auto()  # inside an atomic chain: the next step follows without interruption
    LAST = auto()  # last of its chain
    D_STEP = auto()


BLOCKS = (Kind.ATOMIC, Kind.PLAIN, Kind.D_STEP)


@dataclass(eq=False, slots=True)
class Node:
    kind: Kind
    number: int
    source: Source
    operation: Operation | None = None
    is_skip: bool = False  # literally `skip`, `true` or `(1)`
    is_false: bool = False
    is_loop: bool = False  # CHOICE: do instead of if
    next: Node | None = None
    options: list[Chain] = field(default_factory=list)  # CHOICE; UNLESS: main and escape
    inner: Chain | None = None  # blocks
    escapes: list[Chain] = field(default_factory=list)  # outermost first
    mark: Mark = Mark.NONE
    label: str = ""  # GOTO
    target: Node | None = None  # GOTO of a break
    scope: Scope | None = None  # GOTO
    emitted: bool = False


@dataclass(eq=False, slots=True)
class Chain:
    """A sequence of nodes. `extent` is its last node before a join was appended."""

    first: Node | None = None
    last: Node | None = None
    extent: Node | None = None

    def append(self, node: Node) -> None:
        if self.first is None:
            self.first = node
        else:
            assert self.last is not None
            self.last.next = node
        self.last = node

    @property
    def start(self) -> Node:
        assert self.first is not None
        return self.first

    def nodes(self) -> Iterator[Node]:
        """The nodes of the chain, without the join that was appended to it."""
        node = self.first
        while node is not None:
            yield node
            if node is self.extent:
                return
            node = node.next


@dataclass(eq=False, slots=True)
class Transition:
    """One statement, executable at the locations that list it.

    `target` 0 means that the process is gone. `continues` says that the process
    keeps control: the step is inside an atomic chain.
    """

    number: int  # the node's, unique in the process
    operation: Operation | None  # None: a d_step
    target: int
    continues: bool
    source: Source
    node: Node
    escapes: tuple[int, ...] = ()
    d_step: Chain | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A transition as one location lists it; `escape` is the escape it came from, 0 if none."""

    transition: Transition
    escape: int = 0


@dataclass(eq=False, slots=True)
class ControlGraph:
    process: Process
    initial: int
    edges: dict[int, list[Edge]]
    end_locations: set[int]
    labels: list[tuple[str, int]]
    jumps: dict[int, int]  # from each goto, by its number, to what its label stands before
    transitions: dict[int, Transition]
    accept_locations: set[int] = field(default_factory=set)
    progress_locations: set[int] = field(default_factory=set)

    def marked(self, prefix: str) -> set[int]:
        """Locations with a label that begins like this."""
        return {"accept": self.accept_locations, "progress": self.progress_locations}[prefix]

    def location_of(self, label: str) -> int | None:
        return next((number for name, number in self.labels if name == label), None)


@dataclass(slots=True)
class LabelEntry:
    name: str
    path: tuple[int, ...]
    node: Node
    where: Location


class GraphBuilder:
    """Builds the control graph of one process body."""

    def __init__(self, resolver: Resolver, process: Process, scope: Scope) -> None:
        self.resolver = resolver
        self.process = process
        self.scope = scope
        self.count = 1
        self.nodes: list[Node] = []
        self.labels: list[LabelEntry] = []  # oldest first
        self.breaks: list[list[Node]] = []  # jumps that wait for the end of their loop
        self.chain = Chain()
        self.initialisation_allowed = True
        self.in_d_step = 0
        self.stop: Node

    # --- nodes ---

    def node(self, kind: Kind, source: Source, operation: Operation | None = None) -> Node:
        node = Node(kind, self.count, source, operation)
        self.count += 1
        self.nodes.append(node)
        return node

    def skip_node(self, source: Source) -> Node:
        node = self.node(Kind.OPERATION, source, ops.Skip())
        node.is_skip = True
        return node

    def add(self, node: Node) -> None:
        if node.kind is Kind.GOTO and any(
            entry.node is node and entry.name.startswith(("accept", "end", "progress"))
            for entry in self.labels
        ):
            # A jump vanishes from the graph; a label that means something must not.
            skip = self.skip_node(node.source)
            entry = next(e for e in reversed(self.labels) if e.node is node)
            entry.node = skip
            self.chain.append(skip)
        self.chain.append(node)

    def set_label(self, name: str, node: Node, where: Location) -> None:
        if any(e.name == name and e.path == self.scope.path for e in self.labels):
            raise SourceProblem(f"label '{name}' is declared twice", where=where)
        self.labels.append(LabelEntry(name, self.scope.path, node, where))

    def has_label(self, node: Node) -> bool:
        return any(entry.node is node for entry in self.labels)

    def find_label(self, name: str, path: tuple[int, ...]) -> Node | None:
        candidate: Node | None = None
        for entry in reversed(self.labels):
            if entry.name != name:
                continue
            if entry.path == path:
                return entry.node
            if path[: len(entry.path)] == entry.path or candidate is None:
                candidate = entry.node
        return candidate

    def goto_target(self, node: Node) -> Node:
        if node.target is not None:
            return node.target
        assert node.scope is not None
        target = self.find_label(node.label, node.scope.path)
        if target is None:
            raise SourceProblem(f"undefined label '{node.label}'", where=node.source.where)
        return target

    def jumps(self) -> dict[int, int]:
        """Of the gotos with a label; one that is called in several places has a target in each."""
        found = {}
        for node in self.nodes:
            if node.kind is Kind.GOTO and node.target is None and node.scope is not None:
                target = self.find_label(node.label, node.scope.path)
                if target is not None:
                    found[node.number] = target.number
        return found

    def nested(self, build: Callable[[], None]) -> Chain:
        """A chain of its own, filled by `build`."""
        outer = self.chain
        self.chain = Chain()
        self.initialisation_allowed = False
        build()
        chain = self.chain
        self.chain = outer
        if chain.first is None:
            raise SourceProblem(
                "a sequence must have at least one statement", where=self.process.where, hint="write 'skip'"
            )
        chain.extent = chain.last
        return chain

    def refuse_leading_label(self, chain: Chain, instead: str) -> None:
        entry = next((e for e in self.labels if e.node is chain.first), None)
        if entry is not None:
            raise SourceProblem(
                f"label '{entry.name}' is placed incorrectly", where=entry.where, hint=instead
            )

    # --- statements, in the order in which a bottom-up parser completes them ---

    def sequence(self, body: syntax.Sequence) -> None:
        for statement in body.body:
            self.statement(statement)

    def scoped(self, body: syntax.Sequence) -> Callable[[], None]:
        def build() -> None:
            outer = self.scope
            self.scope = outer.open()
            self.sequence(body)
            self.scope = outer

        return build

    def statement(self, statement: syntax.Statement) -> None:
        match statement:
            case syntax.Declare(_, variables):
                for variable in variables:
                    self.declare(variable)
                return
            case syntax.Exclusive(_, direction, channels):
                for channel in channels:
                    place = self.resolver.channel_place(without_index(channel), self.scope)
                    if direction == "xr":
                        place.symbol.exclusive_receive = True
                    else:
                        place.symbol.exclusive_send = True
                return
            case syntax.Sequence():
                self.sequence(statement)
                return
        labels: list[tuple[str, Location]] = []
        while isinstance(statement, syntax.Labelled):
            labels.append((statement.label, statement.where))
            statement = statement.statement
        complete = self.prepare(statement)
        if isinstance(statement, syntax.Select) and statement.form is syntax.SelectForm.TEXT_LOOP:
            # Expanded as text: the label stands before the assignment, not before the loop.
            assert self.chain.last is not None
            for name, where in reversed(labels):
                self.set_label(name, self.chain.last, where)
            labels = []
        if isinstance(statement, syntax.Unless) and labels:
            # `L: { ... } unless { ... }`: the label belongs to a block around it all.
            raise SourceProblem(
                f"label '{labels[0][0]}' before 'unless' is ambiguous",
                where=labels[0][1],
                hint="write 'L: { statement unless statement }'",
            )
        self.complete(complete, labels)
        self.initialisation_allowed = False

    def complete(self, make: Callable[[], tuple[Node, bool]], labels: list[tuple[str, Location]]) -> None:
        """Creates the statement's own node, labels it and adds it (choices add themselves)."""
        node, added = make()
        for name, where in reversed(labels):
            self.set_label(name, node, where)
        if not added:
            self.add(node)

    def declare(self, variable: syntax.Variable) -> None:
        symbol = self.resolver.declare(variable, self.scope, self.process)
        self.initial_value(symbol, variable)

    def initial_value(self, symbol: Symbol, variable: syntax.Variable) -> None:
        source = Source(variable.where, f"{variable.type} {variable.name}")
        if isinstance(variable.initial, syntax.ChannelSpec):
            if not self.initialisation_allowed:
                raise SourceProblem(
                    f"channel '{variable.name}' is created behind the first statement",
                    where=variable.where,
                    hint="move its declaration to the start of the process",
                )
            return
        if isinstance(variable.initial, tuple):
            if not self.initialisation_allowed:
                raise SourceProblem(
                    "an array list initialiser stands only at the start of a process", where=variable.where
                )
            values = tuple(self.resolver.expression(e, self.scope) for e in variable.initial)
            if symbol.length is None:
                raise SourceProblem(f"'{variable.name}' must be an array", where=variable.where)
            symbol.initial = values
            return
        value: ops.Expr | None = None
        if variable.initial is not None:
            value = self.resolver.expression(variable.initial, self.scope)
        if self.initialisation_allowed:
            symbol.initial = value
            return
        # Behind the first statement a declaration is a step that assigns.
        symbol.assigned = True
        if isinstance(symbol.type, Structure):
            self.add(self.node(Kind.OPERATION, source, ops.Skip()))
            return
        index = Const(0) if symbol.length is not None else None
        place = Place(symbol, (ops.Step(index, symbol.length, None),), symbol.type, variable.where)
        self.add(self.node(Kind.OPERATION, source, ops.Store(place, value or Const(0))))

    def prepare(self, statement: syntax.Statement) -> Callable[[], tuple[Node, bool]]:
        """Builds what is inside a statement; the result builds the statement's own node."""
        source = Source(statement.where, unparse(statement))
        match statement:
            case syntax.If(_, options) | syntax.Do(_, options):
                return self.choice(source, list(options), loop=isinstance(statement, syntax.Do))
            case syntax.Break():
                if not self.breaks:
                    raise SourceProblem("'break' outside a loop", where=statement.where)
                waiting = self.breaks[-1]

                def make_break() -> tuple[Node, bool]:
                    node = self.node(Kind.GOTO, source)
                    waiting.append(node)
                    return node, False

                return make_break
            case syntax.Goto(_, label):
                scope = self.scope

                def make_goto() -> tuple[Node, bool]:
                    node = self.node(Kind.GOTO, source)
                    node.label, node.scope = label, scope
                    return node, False

                return make_goto
            case syntax.Atomic(_, body):
                chain = self.nested(self.scoped(body))
                self.refuse_leading_label(chain, "write 'L: atomic { ... }'")
                make_atomic(chain, Mark.NONE)
                return self.block(Kind.ATOMIC, chain, source)
            case syntax.DStep(_, body):
                self.in_d_step += 1
                chain = self.nested(self.scoped(body))
                self.in_d_step -= 1
                self.refuse_leading_label(chain, "write 'L: d_step { ... }'")
                make_atomic(chain, Mark.D_STEP)
                return self.block(Kind.D_STEP, chain, source)
            case syntax.Block(_, body):
                chain = self.nested(self.scoped(body))
                self.refuse_leading_label(chain, "write 'L: { ... }'")
                return self.block(Kind.PLAIN, chain, source)
            case syntax.InlineBody(_, _, body):
                chain = self.nested(self.scoped(body))
                self.refuse_leading_label(chain, "put the label before the call")
                return self.block(Kind.PLAIN, chain, source)
            case syntax.Unless(_, main, escape):
                return self.unless(main, escape, source)
            case syntax.ForRange(_, variable, low, high, body):
                place = self.loop_variable(variable)
                name = unparse(variable)
                first = Source(statement.where, f"{name} = {unparse(low)}")
                self.assign(place, self.resolver.expression(low, self.scope), first)
                condition = ops.BinaryOp(
                    "<=", Load(place), self.resolver.expression(high, self.scope), statement.where
                )
                test = f"({name} <= {unparse(high)})"
                return self.counting_loop(
                    place, condition, self.scoped(body), source, otherwise=True, test=test
                )
            case syntax.ForIn(_, variable, collection, body):
                return self.for_in(variable, collection, body, source)
            case syntax.Select():
                return self.select(statement, source)
            case syntax.Sequence():
                raise SourceProblem("unexpected sequence", where=statement.where)
        operation = self.operation(statement)

        def make() -> tuple[Node, bool]:
            node = self.node(Kind.OPERATION, source, operation)
            if isinstance(statement, syntax.Condition) and isinstance(statement.expression, syntax.Number):
                node.is_skip = statement.expression.value == 1
                node.is_false = statement.expression.value == 0
            return node, False

        return make

    def operation(self, statement: syntax.Statement) -> Operation:
        resolve = self.resolver
        match statement:
            case syntax.Assign(where, target, value):
                if target.name == "_priority":
                    resolve.uses_priority = True
                    resolve.first_uses.setdefault("priorities", where)
                    return ops.SetPriorityOp(ops.OwnPid(), resolve.expression(value, self.scope), where)
                if target.name in ("_pid", "_nr_pr", "_last"):
                    raise SourceProblem(f"'{target.name}' cannot be assigned", where=where)
                if target.name == "_" and len(target.parts) == 1:
                    return ops.PrintText(None, (resolve.expression(value, self.scope),))
                place = resolve.scalar_place(target, self.scope)
                place.symbol.assigned = True
                return ops.Store(place, resolve.expression(value, self.scope))
            case syntax.Condition(where, syntax.SetPriority(_, process, priority)):
                resolve.uses_priority = True
                resolve.first_uses.setdefault("priorities", where)
                return ops.SetPriorityOp(
                    resolve.expression(process, self.scope), resolve.expression(priority, self.scope), where
                )
            case syntax.Condition(_, expression):
                if isinstance(expression, syntax.Number) and expression.value == 1:
                    return ops.Skip()
                return ops.Test(resolve.expression(expression, self.scope))
            case syntax.Else():
                return ops.OtherwiseOp()
            case syntax.Send(where, channel, in_order, arguments):
                place = resolve.channel_place(channel, self.scope)
                return ops.SendMessage(place, in_order, resolve.arguments(arguments, self.scope), where)
            case syntax.Receive(where, channel, anywhere, keep, fields):
                place = resolve.channel_place(channel, self.scope)
                matches = resolve.message_fields(fields, self.scope, store=True)
                return ops.ReceiveMessage(place, anywhere, keep, matches, where)
            case syntax.Assert(where, expression):
                text = unparse(statement)
                return ops.Check(resolve.expression(expression, self.scope), where, text)
            case syntax.Print(_, format_, arguments):
                shown = [a for a in arguments if not isinstance(a, syntax.StringLiteral)]
                return ops.PrintText(format_, resolve.arguments(shown, self.scope))
            case syntax.EmbeddedC(where, "c_code", text, precondition, code):
                return ops.ForeignCode(resolve.embedded.add("c_code", text, precondition, code, where))
            case syntax.EmbeddedC(where, keyword, text, _, code):
                resolve.embedded.declare(syntax.EmbeddedCDeclaration(where, keyword, text, code=code))
                return ops.Skip()
        raise UnsupportedConstruct(f"{type(statement).__name__} as a statement", where=statement.where)

    def block(self, kind: Kind, chain: Chain, source: Source) -> Callable[[], tuple[Node, bool]]:
        def make() -> tuple[Node, bool]:
            node = self.node(kind, source)
            node.inner = chain
            return node, False

        return make

    def choice(
        self, source: Source, options: list[syntax.Sequence], *, loop: bool
    ) -> Callable[[], tuple[Node, bool]]:
        waiting: list[Node] = []
        if loop:
            self.breaks.append(waiting)
        chains = []
        for option in options:
            chain = self.nested(lambda option=option: self.sequence(option))  # type: ignore[misc]
            chains.append(chain)
        if loop:
            self.breaks.pop()
        for chain in chains:
            self.drop_redundant_skips(chain)
        return lambda: (self.make_choice(source, chains, waiting if loop else None), True)

    def drop_redundant_skips(self, chain: Chain) -> None:
        """Of several unlabelled skips in a row inside an option, SPIN keeps one."""
        run = 0
        previous: Node | None = None
        node = chain.first
        while node is not None:
            skip_like = node.is_skip or isinstance(node.operation, ops.PrintText)
            if skip_like and not self.has_label(node):
                run += 1
                if run > 1 and node.is_skip and node not in (chain.first, chain.last, chain.extent):
                    assert previous is not None
                    previous.next = node.next
                    node = node.next
                    continue
            else:
                run = 0
            previous, node = node, node.next

    def make_choice(self, source: Source, chains: list[Chain], waiting: list[Node] | None) -> Node:
        choice = self.node(Kind.CHOICE, source)
        join = self.node(Kind.JOIN, source)
        choice.is_loop = waiting is not None
        otherwise = [c for c in chains if isinstance(c.start.operation, ops.OtherwiseOp)]
        if len(otherwise) > 1:
            raise SourceProblem("a choice has at most one 'else'", where=otherwise[1].start.source.where)
        choice.options = [c for c in chains if c not in otherwise] + otherwise
        for chain in choice.options:
            chain.append(join)
        if waiting is None:
            self.add(choice)
            self.add(join)
        else:
            self.add(join)
            behind = self.node(Kind.BREAK_TARGET, source)
            for jump in waiting:
                jump.target = behind
            self.add(choice)
            self.add(behind)
        return choice

    def loop_variable(self, variable: syntax.Reference) -> Place:
        place = self.resolver.scalar_place(variable, self.scope)
        if len(variable.parts) != 1 or variable.parts[0].index is not None or place.type.name == "chan":
            raise SourceProblem(f"'{variable.name}' cannot count a loop", where=variable.where)
        place.symbol.assigned = True
        place.symbol.read = True
        return place

    def assign(self, place: Place, value: ops.Expr, source: Source) -> None:
        text = f"{place.symbol.name} = {value.value}" if isinstance(value, Const) else source.text
        self.add(self.node(Kind.OPERATION, Source(source.where, text), ops.Store(place, value)))

    def counting_loop(
        self,
        place: Place,
        condition: ops.Expr,
        body: Callable[[], None],
        source: Source,
        *,
        otherwise: bool,
        leave_first: bool = True,
        test: str = "",
    ) -> Callable[[], tuple[Node, bool]]:
        """`do :: condition -> body; place++ :: else -> break od`; without else, the break is free. `test`:
        the condition in words, where those of the loop are the whole of it."""
        waiting: list[Node] = []
        self.breaks.append(waiting)
        where = source.where

        def main() -> None:
            self.add(self.node(Kind.OPERATION, Source(where, test or source.text), ops.Test(condition)))
            body()
            increment = ops.BinaryOp("+", Load(place), Const(1), where)
            self.assign(place, increment, Source(where, f"{place.symbol.name}++"))

        def leave() -> None:
            if otherwise:
                self.add(self.node(Kind.OPERATION, Source(where, "else"), ops.OtherwiseOp()))
            jump = self.node(Kind.GOTO, Source(where, "break"))
            waiting.append(jump)
            self.add(jump)

        main_chain = self.nested(main)
        leave_chain = self.nested(leave)
        self.breaks.pop()
        chains = [leave_chain, main_chain] if leave_first else [main_chain, leave_chain]
        return lambda: (self.make_choice(source, chains, waiting), True)

    def for_in(
        self, variable: syntax.Reference, collection: syntax.Reference, body: syntax.Sequence, source: Source
    ) -> Callable[[], tuple[Node, bool]]:
        symbol = self.scope.find(collection.name)
        indexed = collection.parts[0].index is not None
        if symbol is None or len(collection.parts) != 1:
            raise SourceProblem(
                f"expected an array or a channel, got '{collection.name}'", where=collection.where
            )
        item = self.scope.find(variable.name)
        if item is not None and isinstance(item.type, Structure):
            if symbol.channel is None or indexed == (symbol.length is None) or symbol.channel.capacity == 0:
                raise SourceProblem(
                    f"expected a buffered channel of '{item.type.name}', got '{collection.name}'",
                    where=collection.where,
                )
            # As in SPIN, the loops over channels of one scope share one hidden counter.
            name = "_for_" + "_".join(map(str, self.scope.path))
            place_of_counter = self.scope.names.get(name)
            if place_of_counter is None:
                type_ = "short" if symbol.channel.capacity > 255 else "byte"
                counter = syntax.Variable(source.where, type_, name)
                place_of_counter = self.resolver.declare(counter, self.scope, self.process)
            assert isinstance(place_of_counter.type, ops.Scalar)
            place = Place(
                place_of_counter, (ops.Step(None, None, None),), place_of_counter.type, source.where
            )
            self.assign(place, Const(0), source)
            channel = self.resolver.channel_place(collection, self.scope)
            condition = ops.BinaryOp("<", Load(place), ops.ChannelLength(channel), source.where)
            places = self.resolver.structure_places(variable, self.scope)
            item.assigned = item.read = True

            def rotate() -> None:
                fields = tuple(ops.FieldMatch(syntax.Match.STORE, place=p) for p in places)
                receive = ops.ReceiveMessage(channel, False, False, fields, source.where)
                self.add(self.node(Kind.OPERATION, source, receive))
                send = ops.SendMessage(channel, False, tuple(Load(p) for p in places), source.where)
                self.add(self.node(Kind.OPERATION, source, send))
                self.scoped(body)()

            return self.counting_loop(place, condition, rotate, source, otherwise=True)
        place = self.loop_variable(variable)
        if symbol.length is None:
            raise SourceProblem(f"'{collection.name}' is not an array", where=collection.where)
        self.assign(place, Const(0), source)
        condition = ops.BinaryOp("<=", Load(place), Const(symbol.length - 1), source.where)
        return self.counting_loop(place, condition, self.scoped(body), source, otherwise=True)

    def select(self, statement: syntax.Select, source: Source) -> Callable[[], tuple[Node, bool]]:
        place = self.loop_variable(statement.variable)
        low = self.resolver.expression(statement.low, self.scope)
        high = self.resolver.expression(statement.high, self.scope)
        if isinstance(low, Const) and isinstance(high, Const):
            if low.value > high.value:
                raise SourceProblem("the range of select is empty", where=source.where)
            if statement.form is syntax.SelectForm.OPTIONS:
                chains = [
                    self.nested(lambda value=value: self.assign(place, Const(value), source))  # type: ignore[misc]
                    for value in range(low.value, high.value + 1)
                ]
                return lambda: (self.make_choice(source, chains, None), True)
        self.assign(place, low, source)
        condition = ops.BinaryOp("<", Load(place), high, source.where)
        # The order of the options matters where only the first is taken, in a d_step.
        return self.counting_loop(
            place,
            condition,
            lambda: None,
            source,
            otherwise=False,
            leave_first=statement.form is syntax.SelectForm.LOOP,
        )

    def unless(
        self, main: syntax.Statement, escape: syntax.Statement, source: Source
    ) -> Callable[[], tuple[Node, bool]]:
        labels: list[tuple[str, Location]] = []
        inner_main = main
        while isinstance(inner_main, syntax.Labelled):
            labels.append((inner_main.label, inner_main.where))
            inner_main = inner_main.statement
        as_block = isinstance(inner_main, syntax.Block | syntax.InlineBody)
        main_chain: Chain | None = None
        make_main: Callable[[], tuple[Node, bool]] | None = None
        if labels and isinstance(inner_main, syntax.Block | syntax.Atomic | syntax.DStep | syntax.InlineBody):
            return self.labelled_unless(labels, inner_main, escape, source)
        if as_block:
            assert isinstance(inner_main, syntax.Block | syntax.InlineBody)
            main_chain = self.nested(self.scoped(inner_main.body))
        else:
            make_main = self.prepare(inner_main)
        escape_chain = self.escape_chain(escape)
        if main_chain is None:
            assert make_main is not None
            maker = make_main
            main_chain = self.nested(lambda: self.complete(maker, labels))
            self.refuse_leading_label(main_chain, "write 'L: { statement unless statement }'")
        return lambda: (self.make_unless(main_chain, escape_chain, source), True)

    def escape_chain(self, escape: syntax.Statement) -> Chain:
        if isinstance(escape, syntax.Block | syntax.InlineBody):
            chain = self.nested(self.scoped(escape.body))
        else:
            make = self.prepare(escape)
            chain = self.nested(lambda: self.complete(make, []))
        self.refuse_leading_label(chain, "an escape's guard is no unique location; put the label behind it")
        return chain

    def labelled_unless(
        self,
        labels: list[tuple[str, Location]],
        main: syntax.Block | syntax.Atomic | syntax.DStep | syntax.InlineBody,
        escape: syntax.Statement,
        source: Source,
    ) -> Callable[[], tuple[Node, bool]]:
        """`L: { main } unless { escape }` becomes `L: { { main } unless { escape } }`."""
        kind = {syntax.Atomic: Kind.ATOMIC, syntax.DStep: Kind.D_STEP}.get(type(main), Kind.PLAIN)
        main_chain = self.nested(self.scoped(main.body))
        if kind is Kind.ATOMIC:
            make_atomic(main_chain, Mark.NONE)
        if kind is Kind.D_STEP:
            raise UnsupportedConstruct("d_step with 'unless' under a label", where=source.where)
        escape_chain = self.escape_chain(escape)

        def wrap() -> None:
            self.make_unless(main_chain, escape_chain, source)

        chain = self.nested(wrap)

        def make() -> tuple[Node, bool]:
            node = self.node(kind, source)
            node.inner = chain
            for name, where in reversed(labels):
                self.set_label(name, node, where)
            return node, False

        return make

    def make_unless(self, main: Chain, escape: Chain, source: Source) -> Node:
        node = self.node(Kind.UNLESS, source)
        join = self.node(Kind.JOIN, source)
        node.options = [main, escape]
        main.append(join)
        escape.append(join)
        attach_escape(main, escape)
        self.add(node)
        self.add(join)
        return node

    # --- the finished graph ---

    def read(self, body: syntax.Sequence) -> None:
        """Turns the body into nodes. References to labels of other processes come later."""
        self.sequence(body)
        self.stop = self.node(Kind.OPERATION, Source(self.process.where, "-end-"), ops.Stop())
        self.add(self.stop)
        self.chain.extent = self.chain.last

    def keep_label(self, label: str) -> None:
        """Somebody asks whether this process is at `label`, so it must be a location even where
        a goto stands: a skip takes its place and the goto follows."""
        entry = next((e for e in reversed(self.labels) if e.name == label), None)
        if entry is None or entry.node.kind is not Kind.GOTO:
            return
        old = entry.node
        jump = self.node(Kind.GOTO, old.source)
        jump.label, jump.scope, jump.target, jump.next = old.label, old.scope, old.target, old.next
        old.kind, old.operation, old.is_skip = Kind.OPERATION, ops.Skip(), True
        old.next = jump

    def finish(self) -> ControlGraph:
        return Finisher(self, self.chain, self.stop).finish()


def without_index(reference: syntax.Reference) -> syntax.Reference:
    """xr and xs may name a whole array; the claim then holds for each of its channels."""
    parts = tuple(
        part if part.index is not None or len(reference.parts) > 1 else syntax.Part(part.name, None)
        for part in reference.parts
    )
    return syntax.Reference(reference.where, parts)


def attach_escape(chain: Chain, escape: Chain) -> None:
    node = chain.first
    while node is not None:
        escape_node(node, escape)
        if node is chain.extent:
            break
        node = node.next


def escape_node(node: Node, escape: Chain) -> None:
    if escape in node.escapes:
        return
    for lower in node.escapes:
        attach_escape(lower, escape)
    node.escapes.insert(0, escape)
    if node.kind is Kind.UNLESS:
        attach_escape(node.options[0], escape)
    elif node.kind is Kind.CHOICE:
        for option in node.options:
            attach_escape(option, escape)
    elif node.kind is Kind.D_STEP:
        assert node.inner is not None
        escape_node(node.inner.start, escape)
    elif node.kind in (Kind.ATOMIC, Kind.PLAIN):
        assert node.inner is not None
        attach_escape(node.inner, escape)


def make_atomic(chain: Chain, extra: Mark) -> None:
    walk_atomic(chain, extra)
    last = chain.last
    assert last is not None
    if last.kind in (Kind.PLAIN, Kind.ATOMIC):
        assert last.inner is not None
        make_atomic(last.inner, extra)
    elif last.kind is Kind.UNLESS:
        make_atomic(last.options[0], extra)
    else:
        last.mark = (last.mark & ~Mark.ATOMIC) | Mark.LAST


def walk_atomic(chain: Chain, extra: Mark) -> None:
    node = chain.first
    while node is not None:
        node.mark |= Mark.ATOMIC | extra
        if node.kind is Kind.ATOMIC or (node.kind is Kind.D_STEP and extra):
            node.kind = Kind.PLAIN
        if node.kind is Kind.PLAIN:
            assert node.inner is not None
            walk_atomic(node.inner, extra)
        for option in node.options:
            walk_atomic(option, extra)
        if node is chain.last:
            break
        node = node.next


class Finisher:
    """From nodes to transitions: targets, escapes, end locations."""

    def __init__(self, builder: GraphBuilder, chain: Chain, stop: Node) -> None:
        self.builder = builder
        self.chain = chain
        self.stop = stop
        self.by_number = {node.number: node for node in builder.nodes}
        self.transitions: dict[int, Transition] = {}
        self.heads: dict[int, list[int]] = {}  # choice or block -> locations of its first statements

    def finish(self) -> ControlGraph:
        self.tie_loose_ends()
        self.emit(self.chain)
        ends = self.labelled("end")
        ends.add(self.stop.number)
        accepts, progress = self.labelled("accept"), self.labelled("progress")
        edges = self.flatten((ends, accepts, progress))
        self.add_escapes(edges)
        for number, listed in edges.items():
            if number in ends and len(listed) == 1 and self.by_number[number].kind is Kind.JOIN:
                ends.add(listed[0].transition.target)
        labels = [(e.name, e.node.number) for e in self.builder.labels]
        start = self.chain.start
        initial = self.hunt(start, start.mark).number
        graph = ControlGraph(
            self.builder.process,
            initial,
            self.reachable(edges, initial),
            ends,
            labels,
            self.builder.jumps(),
            self.transitions,
            accepts,
            progress,
        )
        self.refuse_two_elses(graph)
        return graph

    def labelled(self, prefix: str) -> set[int]:
        return {e.node.number for e in self.builder.labels if e.name.startswith(prefix)}

    def refuse_two_elses(self, graph: ControlGraph) -> None:
        for listed in graph.edges.values():
            elses = [e for e in listed if isinstance(e.transition.operation, ops.OtherwiseOp)]
            if len(elses) > 1:
                raise SourceProblem(
                    "two 'else' meet in one choice",
                    where=elses[1].transition.source.where,
                    hint="nest them with skip",
                )

    def tie_loose_ends(self) -> None:
        for node in reversed(self.builder.nodes):
            if node.kind in BLOCKS and node.next is not None:
                follower: Node | None = node.next
                while follower is not None and follower.kind is Kind.JOIN:
                    follower = follower.next
                assert node.inner is not None
                assert node.inner.last is not None
                if node.inner.last.next is None:
                    node.inner.last.next = follower
                elif node.inner.last.next.kind is Kind.GOTO:
                    # `keep_label` put the jump behind what used to be the end of the block.
                    node.inner.last = node.inner.last.next

    def hunt(self, node: Node, mark: Mark) -> Node:
        """The location where control really is when it reaches a node: jumps and joins are no
        locations, unless following them would leave an atomic chain."""
        start = node
        for _ in range(500):
            if node.kind is Kind.GOTO:
                follower = self.builder.goto_target(node)
                if follower is node:
                    raise SourceProblem("a goto that jumps to itself", where=node.source.where)
                self.check_d_step_crossing(node, follower)
            elif node.kind in (Kind.JOIN, Kind.BREAK_TARGET):
                if node.next is None:
                    return node
                follower = node.next
            elif node.kind is Kind.UNLESS:
                follower = self.hunt(node.options[0].start, mark)
            else:
                return node
            if Mark.ATOMIC in mark and Mark.ATOMIC not in follower.mark:
                return node
            node = follower
        raise SourceProblem("a cycle of jumps without a statement", where=start.source.where)

    def check_d_step_crossing(self, jump: Node, target: Node) -> None:
        if (Mark.D_STEP in jump.mark) != (Mark.D_STEP in target.mark):
            # The end of the d_step is where a trailing jump of a loop may lead.
            if Mark.D_STEP in jump.mark and target.kind in (Kind.JOIN, Kind.BREAK_TARGET):
                return
            raise SourceProblem(
                "a jump into or out of a d_step",
                where=jump.source.where,
                hint="use atomic, or jump behind it",
            )

    @staticmethod
    def hunt_start(node: Node) -> Node:
        for _ in range(200):
            if node.kind is Kind.JOIN and node.next is not None:
                node = node.next
            elif node.kind is Kind.UNLESS:
                node = node.options[0].start
            else:
                return node
        raise SourceProblem("confusing control structure", where=node.source.where)

    def emit(self, chain: Chain) -> None:
        node = chain.first
        while node is not None:
            if not node.emitted:
                node.emitted = True
                self.emit_node(node)
            if node is chain.last:
                break
            node = node.next

    def emit_node(self, node: Node) -> None:
        if node.kind is Kind.UNLESS:
            self.emit(node.options[0])
        elif node.kind is Kind.CHOICE:
            self.heads[node.number] = [
                first.number
                for first in (self.hunt_start(option.start) for option in node.options)
                if not (first.is_false and not first.escapes)
            ]
            for option in node.options:
                self.emit(option)
        elif node.kind in BLOCKS:
            self.emit_block(node)
        else:
            self.emit_leaf(node)

    def emit_block(self, node: Node) -> None:
        chain = node.inner
        assert chain is not None
        assert chain.last is not None
        self.patch_atomic(chain)
        chain.last.next = node.next
        if node.kind is Kind.D_STEP:
            target = self.hunt(node.next, node.mark).number if node.next is not None else 0
            self.transitions[node.number] = Transition(
                node.number, None, target, Mark.ATOMIC in node.mark, node.source, node, d_step=chain
            )
            self.emit_escapes(node)
        else:
            self.heads[node.number] = [self.hunt_start(chain.start).number]
            self.emit(chain)

    def emit_leaf(self, node: Node) -> None:
        if node.kind is Kind.GOTO:
            target = self.hunt(self.builder.goto_target(node), node.mark).number
        elif node.next is not None:
            target = self.hunt(node.next, node.mark).number
        else:
            target = 0
        operation = node.operation if node.kind is Kind.OPERATION else ops.Skip()
        self.transitions[node.number] = Transition(
            node.number, operation, target, Mark.ATOMIC in node.mark, node.source, node
        )
        self.emit_escapes(node)

    def emit_escapes(self, node: Node) -> None:
        if not node.escapes or node.kind is Kind.JOIN:
            return
        transition = self.transitions[node.number]
        transition.escapes = tuple(self.hunt(e.start, node.mark).number for e in node.escapes)
        for escape in node.escapes:
            self.emit(escape)

    def patch_atomic(self, chain: Chain) -> None:
        """A goto out of an atomic chain ends it; a goto from its end into another continues it."""
        node = chain.first
        while node is not None:
            if node.kind is Kind.GOTO:
                target = self.builder.goto_target(node)
                self.check_d_step_crossing(node, target)
                inside = bool(target.mark & (Mark.ATOMIC | Mark.LAST))
                if node.mark & (Mark.ATOMIC | Mark.LAST) and not inside:
                    node.mark = (node.mark & ~Mark.ATOMIC) | Mark.LAST
                if Mark.LAST in node.mark and inside:
                    node.mark = (node.mark & ~Mark.LAST) | Mark.ATOMIC
            else:
                for option in node.options:
                    self.patch_atomic(option)
            if node is chain.extent:
                break
            node = node.next

    def flatten(self, marked: tuple[set[int], ...]) -> dict[int, list[Edge]]:
        """Choices and blocks list the transitions of their first statements.

        An end, accept or progress label inside such a first statement would get lost with its
        location; SPIN lets what follows inherit it, and so do we.
        """

        def inherit(source: int, heir: int) -> None:
            for locations in marked:
                if source in locations:
                    locations.add(heir)

        heads = {number: list(targets) for number, targets in self.heads.items()}
        changed = True
        while changed:
            changed = False
            for number in sorted(heads):
                targets = heads[number]
                if not any(t in heads for t in targets):
                    continue
                flat: list[int] = []
                for target in targets:
                    if target in heads:
                        for inner in heads[target]:
                            flat.append(inner)
                            inherit(target, inner)
                    else:
                        flat.append(target)
                heads[number] = flat
                changed = True
        edges: dict[int, list[Edge]] = {}
        for number in sorted(self.by_number):
            if number in heads:
                listed = []
                for target in heads[number]:
                    transition = self.transitions.get(target)
                    if transition is None:
                        continue
                    listed.append(Edge(transition))
                    inherit(target, transition.target)
                edges[number] = listed
            elif number in self.transitions:
                edges[number] = [Edge(self.transitions[number])]
        return edges

    def add_escapes(self, edges: dict[int, list[Edge]]) -> None:
        for number in sorted(edges):
            listed = edges[number]
            for edge in list(listed):
                for escape in reversed(edge.transition.escapes):
                    for guard in list(edges.get(escape, ())):
                        if all(guard.transition is not e.transition for e in listed):
                            listed.insert(0, Edge(guard.transition, escape))

    def reachable(self, edges: dict[int, list[Edge]], initial: int) -> dict[int, list[Edge]]:
        seen: dict[int, list[Edge]] = {}
        pending = [initial]
        while pending:
            number = pending.pop()
            if number in seen or number == 0:
                continue
            seen[number] = edges.get(number, [])
            pending.extend(e.transition.target for e in seen[number])
        return {number: seen[number] for number in sorted(seen)}
