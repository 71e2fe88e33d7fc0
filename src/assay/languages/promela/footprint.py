"""What a transition touches: the facts that all reductions are decided from.

A variable counts as local to a process if nobody else can see it: a local that no
remote reference and no invariant names, or a global that only one process ever uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from assay.languages.promela import operations as ops
from assay.languages.promela.control import Chain, ControlGraph, Transition
from assay.languages.promela.layout import MAXIMAL_PROCESSES, Layout, is_fixed_index
from assay.languages.promela.operations import Expr, Load, Operation, Place, Process, Symbol
from assay.records import dataclass


@dataclass(slots=True)
class Footprint:
    """Reads and writes of one transition, and whether it does anything that others may notice."""

    reads: set[Symbol] = field(default_factory=set)
    writes: set[Symbol] = field(default_factory=set)
    overwrites: set[Symbol] = field(default_factory=set)  # scalars that are set as a whole
    channels: list[tuple[str, Place]] = field(default_factory=list)  # (use, channel)
    passes: list[Place] = field(default_factory=list)  # channels used as values
    global_effect: bool = False  # processes, timeout, remote references, priorities
    starts: list[ops.StartProcess] = field(default_factory=list)
    stops: bool = False


def operations_of(transition: Transition) -> list[Operation]:
    """The operations of a transition; a d_step has many."""
    if transition.d_step is None:
        assert transition.operation is not None
        return [transition.operation]
    return list(chain_operations(transition.d_step))


def chain_operations(chain: Chain) -> Iterator[Operation]:
    for node in chain.nodes():
        if node.operation is not None:
            yield node.operation
        for option in node.options:
            yield from chain_operations(option)
        if node.inner is not None:
            yield from chain_operations(node.inner)


def footprint(operations: Iterable[Operation], *, sequential: bool = True) -> Footprint:
    result = Footprint()
    for operation in operations:
        touch(operation, result)
    if not sequential:
        result.overwrites.clear()
    return result


def can_fail(expr: Expr) -> bool:
    """Whether evaluating an expression may be an error: unless it is plain arithmetic, we say yes."""
    for part in ops.subexpressions(expr):
        match part:
            case ops.BinaryOp(operator, _, right, _) if operator in ("/", "%"):
                if not isinstance(right, ops.Const) or right.value in (0, -1):
                    return True
            case Load(place):
                if index_can_fail(place):
                    return True
            case ops.Const() | ops.UnaryOp() | ops.BinaryOp() | ops.Choose() | ops.OwnPid():
                pass
            case ops.ProcessCount() | ops.LastPid() | ops.IsTimeout():
                pass
            case _:
                return True
    return False


def index_can_fail(place: Place) -> bool:
    return any(s.index is not None and not is_fixed_index(s) for s in place.steps)


def operation_can_fail(operation: Operation) -> bool:
    """Whether executing an operation may be an error that leaves no state behind."""
    match operation:
        case ops.Skip() | ops.OtherwiseOp():
            return False
        case ops.Test(condition) | ops.Check(condition, _, _):
            return can_fail(condition)
        case ops.Store(place, value):
            return index_can_fail(place) or can_fail(value)
        case ops.PrintText(_, arguments):
            return any(can_fail(a) for a in arguments)
    return True


def touch(operation: Operation, result: Footprint) -> None:
    # What is only printed cannot influence anything, unless computing it can fail.
    shown_only = isinstance(operation, ops.PrintText) and not any(can_fail(a) for a in operation.arguments)
    if not shown_only:
        read(ops.operation_reads(operation), result)
    for place in ops.operation_writes(operation):
        result.writes.add(place.symbol)
        whole = len(place.steps) == 1 and place.steps[0].index is None
        if whole and place.symbol not in result.reads:
            result.overwrites.add(place.symbol)
    match operation:
        case ops.Stop():
            result.stops = True
        case ops.SendMessage(channel, _, _, _):
            result.channels.append(("send", channel))
        case ops.ReceiveMessage(channel, anywhere, keep, _, _):
            result.channels.append(("receive-any" if anywhere or keep else "receive", channel))
        case ops.SetPriorityOp() | ops.ForeignCode():
            result.global_effect = True


def read(expressions: Iterable[Expr], result: Footprint) -> None:
    channel_places: set[int] = set()
    for part in expressions:
        match part:
            case Load(place):
                result.reads.add(place.symbol)
                if place.type.name == "chan" and id(part) not in channel_places:
                    result.passes.append(place)
            case ops.ChannelLength(channel):
                result.channels.append(("test", channel))
            case ops.ChannelState(test, channel):
                result.channels.append((test, channel))
            case ops.PollMessage(channel, anywhere, _, _):
                result.channels.append(("test" if anywhere else "nempty", channel))
            case ops.StartProcess():
                result.starts.append(part)
                result.global_effect = True
            case (
                ops.ProcessCount()
                | ops.LastPid()
                | ops.IsTimeout()
                | ops.IsEnabled()
                | ops.LocationOf()
                | ops.PriorityOf()
                | ops.AtLabel()
                | ops.RemoteLoad()
                | ops.ForeignValue()
            ):
                result.global_effect = True


def channel_uses(operations: Sequence[Operation]) -> tuple[list[tuple[str, Place]], list[Place]]:
    """(uses, channels passed on as values): a channel that an operation works on is not passed on."""
    whole = footprint(operations)
    used = {place for _, place in whole.channels}
    return whole.channels, [place for place in whole.passes if place not in used]


class Visibility:
    """Which symbols are private to which process, and which processes must not be reduced at all."""

    def __init__(
        self,
        processes: Sequence[Process],
        graphs: dict[str, ControlGraph],
        globals_: Sequence[Symbol],
        properties: Sequence[Expr],
        *,
        fair: bool = False,
    ) -> None:
        self.graphs = graphs
        self.exposed: set[Symbol] = set()  # seen by others, by invariants or by `provided`
        self.watched: set[str] = set()  # proctypes whose locations or locals others look at
        self.initials = {p.name: list(initial_expressions(p.symbols)) for p in processes}
        self.transitions = {
            name: {e.transition.number: e.transition for edges in g.edges.values() for e in edges}
            for name, g in graphs.items()
        }
        self.footprints = {
            name: {n: footprint(operations_of(t), sequential=t.d_step is None) for n, t in listed.items()}
            for name, listed in self.transitions.items()
        }
        self.testing = {name: testing_locations(graph) for name, graph in graphs.items()}
        self.expressions = list(self.all_expressions(processes, properties))
        for part in self.expressions:
            if isinstance(part, ops.AtLabel | ops.RemoteLoad):
                # With a pid, the process may be of any type: SPIN does not look.
                self.watched.update([part.proctype] if part.process is None else self.graphs)
            if isinstance(part, ops.SomebodyAt):
                self.watched.update(name for name, graph in graphs.items() if graph.marked(part.prefix))
            if isinstance(part, ops.RemoteLoad):
                self.exposed.add(part.place.symbol)
                if part.process is not None:
                    self.exposed.update(s for p in processes for s in p.symbols)
        for expr in (*properties, *(p.provided for p in processes if p.provided is not None)):
            for part in ops.subexpressions(expr):
                if isinstance(part, Load):
                    self.exposed.add(part.place.symbol)
        symbols = [*globals_, *(s for p in processes for s in p.symbols)]
        self.watch_receivers(symbols, all_of_them=fair)
        self.single = {p.name: self.is_single(p, processes) for p in processes}
        self.owner = self.find_owners(processes, globals_)

    def operations(self) -> Iterator[tuple[str, Operation]]:
        for name, listed in self.transitions.items():
            for transition in listed.values():
                for operation in operations_of(transition):
                    yield name, operation

    def all_expressions(self, processes: Sequence[Process], properties: Sequence[Expr]) -> Iterator[Expr]:
        """Every expression that is ever evaluated, and its parts."""
        for _, operation in self.operations():
            yield from ops.operation_reads(operation)
        whole = [*properties, *(p.provided for p in processes if p.provided is not None)]
        for expr in (*whole, *(e for listed in self.initials.values() for e in listed)):
            yield from ops.subexpressions(expr)

    def watch_receivers(self, symbols: Iterable[Symbol], *, all_of_them: bool) -> None:
        """Where more than one statement hangs on whether a rendezvous is possible (`else`, an escape,
        an atomic sequence that might block), the sender sees where its receivers stand. Fairness sees
        it everywhere: whether a sender is enabled."""
        if not any(shape.capacity == 0 for symbol in symbols for shape in declared_channels(symbol)):
            return
        offered: set[Symbol] = set()
        unknown = all_of_them
        for name, locations in self.testing.items():
            for location in locations:
                for edge in self.graphs[name].edges.get(location, ()):
                    operation = edge.transition.operation
                    if isinstance(operation, ops.SendMessage) and may_be_rendezvous(operation.channel):
                        offered.add(operation.channel.symbol)
                        unknown |= not is_fixed(operation.channel)
        if not offered and not unknown:
            return
        for name, operation in self.operations():
            if not isinstance(operation, ops.ReceiveMessage) or not may_be_rendezvous(operation.channel):
                continue
            if unknown or not is_fixed(operation.channel) or operation.channel.symbol in offered:
                self.watched.add(name)

    def is_single(self, process: Process, processes: Sequence[Process]) -> bool:
        """At most one instance can ever exist."""
        sites = 0
        for other in processes:
            graph = self.graphs[other.name]
            for location, edges in graph.edges.items():
                for edge in edges:
                    for start in self.footprints[other.name][edge.transition.number].starts:
                        if start.proctype != process.name:
                            continue
                        once = other.name != process.name and other.instances == 1
                        once = once and not self.started_somewhere(other, processes)
                        if not once or on_cycle(graph, location):
                            return False
                        sites += 1
        return process.instances + sites <= 1

    def started_somewhere(self, process: Process, processes: Sequence[Process]) -> bool:
        return any(
            start.proctype == process.name
            for other in processes
            for print_ in self.footprints[other.name].values()
            for start in print_.starts
        )

    def find_owners(self, processes: Sequence[Process], globals_: Sequence[Symbol]) -> dict[Symbol, str]:
        users: dict[Symbol, set[str]] = {s: set() for s in globals_}
        for process in processes:
            for print_ in self.footprints[process.name].values():
                for symbol in print_.reads | print_.writes:
                    if symbol in users:
                        users[symbol].add(process.name)
            for expr in self.initials[process.name]:
                for part in ops.subexpressions(expr):
                    if isinstance(part, Load) and part.place.symbol in users:
                        # read whenever somebody starts this process
                        users[part.place.symbol].update(p.name for p in processes)
        return {
            symbol: next(iter(names))
            for symbol, names in users.items()
            if len(names) == 1 and self.single[next(iter(names))]
        }

    def private(self, symbol: Symbol, process: Process) -> bool:
        if symbol in self.exposed:
            return False
        if symbol.owner is not None:
            return symbol.owner == process.name
        return self.owner.get(symbol) == process.name

    def is_local(self, process: Process, transition: Transition) -> bool:
        """Touches nothing but what is private to the process; channels and processes excluded."""
        print_ = self.footprints[process.name][transition.number]
        if print_.global_effect or print_.channels or print_.starts or print_.stops:
            return False
        return all(self.private(s, process) for s in print_.reads | print_.writes)


def is_fixed(channel: Place) -> bool:
    return Layout.is_fixed_channel(channel.symbol)


def declared_channels(symbol: Symbol | ops.Field) -> Iterator[ops.ChannelShape]:
    if symbol.channel is not None:
        yield symbol.channel
    if isinstance(symbol.type, ops.Structure):
        for item in symbol.type.fields:
            yield from declared_channels(item)


def may_be_rendezvous(channel: Place) -> bool:
    shape = channel.symbol.channel
    return not is_fixed(channel) or shape is None or shape.capacity == 0


def initial_expressions(symbols: Iterable[Symbol]) -> Iterator[Expr]:
    for symbol in symbols:
        initial = symbol.initial if isinstance(symbol.initial, tuple) else (symbol.initial,)
        yield from (expr for expr in initial if expr is not None)


def testing_locations(graph: ControlGraph) -> set[int]:
    """Locations where it matters beyond a statement itself whether that statement is executable.

    With `else` or an escape beside it, another statement becomes executable or stops being
    so; within an atomic sequence others get to see the state if it blocks.
    """
    inside = {e.transition.target for edges in graph.edges.values() for e in edges if e.transition.continues}
    return {
        location
        for location, edges in graph.edges.items()
        if location in inside
        or any(e.escape or e.transition.d_step is not None for e in edges)
        or any(isinstance(e.transition.operation, ops.OtherwiseOp) for e in edges)
    }


def most_processes(processes: Sequence[Process], graphs: dict[str, ControlGraph]) -> int:
    """A bound on the numbers of processes: on how many are ever started, if no `run` can be repeated."""
    repeated: set[tuple[str, str]] = set()
    sites: dict[str, list[str]] = {p.name: [] for p in processes}  # started -> starters, one per `run`
    for starter, graph in graphs.items():
        found: dict[int, Transition] = {}
        for location, edges in graph.edges.items():
            for edge in edges:
                transition = found.setdefault(edge.transition.number, edge.transition)
                if transition.d_step is not None or on_cycle(graph, location):
                    repeated.update((starter, start.proctype) for start in starts_of(transition))
        for transition in found.values():
            for start in starts_of(transition):
                sites.setdefault(start.proctype, []).append(starter)

    def instances(process: Process, above: tuple[str, ...]) -> int:
        if process.name in above:
            return MAXIMAL_PROCESSES
        total = process.instances
        for starter in sites[process.name]:
            if (starter, process.name) in repeated:
                return MAXIMAL_PROCESSES
            owner = next(p for p in processes if p.name == starter)
            total += instances(owner, (process.name, *above))
            if total >= MAXIMAL_PROCESSES:
                return MAXIMAL_PROCESSES
        return total

    return min(MAXIMAL_PROCESSES, sum(instances(process, ()) for process in processes))


def starts_of(transition: Transition) -> list[ops.StartProcess]:
    return footprint(operations_of(transition)).starts


def on_cycle(graph: ControlGraph, location: int) -> bool:
    seen: set[int] = set()
    pending = [e.transition.target for e in graph.edges.get(location, ())]
    while pending:
        here = pending.pop()
        if here == location:
            return True
        if here in seen:
            continue
        seen.add(here)
        pending.extend(e.transition.target for e in graph.edges.get(here, ()))
    return False
