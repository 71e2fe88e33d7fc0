"""Partial-order reduction: where one process alone can be followed, only it is followed.

At some locations everything a process can do next is independent of what the others
do: it touches only what is private, or it sends on (receives from) a channel that
nobody else sends on (receives from). If such a process can move, its moves are an
ample set: the others can wait (Holzmann and Peled 1994).

Whether a state is reduced is a function of the state alone, never of the search: the
location decides, together with conditions on the state that the generated code checks.
The cycle proviso is static too: on every control cycle through such locations at
least one is a breaker, so that no cycle of states can ignore a process for ever. A
breaker is left out; if it only sends or receives, it is left out only while a process
with the same or a lower pid may do the opposite with the channel. That suffices: on a
cycle of states every message sent is received, so the partner of the process with the
highest pid on that cycle has a lower pid, or is that process itself. For each model either
this rule holds for all processes or its mirror image, with pids the other way round,
whichever leaves out less. Therefore a stranger
can recompute the reduced successors of any state. If such a process has no
move that leads to a state (an error, an atomic sequence that never ends), the runtime
follows the others as well.

Sending and receiving commute, so a sender leaves an exclusive receiver alone and the
other way round. That holds only where nothing but the statement itself hangs on whether
it is executable: beside `else`, beside an escape and inside an atomic sequence a channel
operation counts as a test, which disturbs both directions. What a process may do to a
channel includes what the processes do that it may start.

A send or receive that is an event of a `trace` or `notrace` is never ample: all events meet at the claim.

Not reduced at all: models where one step may be noticed by everybody (`_last`,
`enabled`, priorities, `provided`, `pc_value`, properties over consecutive states).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from assay.languages.promela import operations as ops
from assay.languages.promela.control import ControlGraph, Edge, Transition
from assay.languages.promela.footprint import (
    Visibility,
    channel_uses,
    initial_expressions,
    is_fixed,
    operations_of,
)
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import Expr, Place, Process, Structure, Symbol
from assay.languages.promela.resolve import Resolver
from assay.records import dataclass

LARGEST_UNIT_COUNT = 64
SEND, RECEIVE = 0, 1
BOTH = 1 << SEND | 1 << RECEIVE
OLDER, YOUNGER = 1, 2  # processes with lower, with higher pids


@dataclass(frozen=True, slots=True)
class ChannelCondition:
    """A channel operation at an ample location: the channel must be exclusive and ready."""

    channel: Place
    direction: int  # SEND, RECEIVE


@dataclass(frozen=True, slots=True)
class AmpleLocation:
    channels: tuple[ChannelCondition, ...] = ()
    breaks: int = 0  # others wait only while all partners at the channels are OLDER or YOUNGER
    stops: bool = False  # the process ends here: it must be the youngest, and nobody may start another


@dataclass(slots=True)
class AmplePlan:
    locations: dict[tuple[str, int], AmpleLocation] = field(default_factory=dict)
    units: dict[Symbol, int] = field(default_factory=dict)  # channels of declarations, as bits
    conflicts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)  # units used later
    may_start: set[tuple[str, int]] = field(default_factory=set)  # locations from which `run` is reachable
    variables: dict[str, list[tuple[Symbol, int]]] = field(default_factory=dict)  # chan locals, directions


def plan(
    processes: Sequence[Process],
    graphs: dict[str, ControlGraph],
    visibility: Visibility,
    layout: Layout,
    resolver: Resolver,
    fused: dict[tuple[str, int], list[Transition]],
    *,
    fair: bool = False,
) -> AmplePlan:
    """With `fair`, only what is private is ample: whether others are enabled must not change."""
    result = AmplePlan()
    noticed = (
        resolver.uses_last
        or resolver.uses_enabled
        or resolver.uses_priority
        or resolver.uses_pc_value
        or any(p.provided is not None for p in processes)
    )
    if noticed:
        return result
    planner = Planner(processes, graphs, visibility, layout, resolver, fused, result)
    planner.run(private_only=fair)
    return result


class Planner:
    def __init__(
        self,
        processes: Sequence[Process],
        graphs: dict[str, ControlGraph],
        visibility: Visibility,
        layout: Layout,
        resolver: Resolver,
        fused: dict[tuple[str, int], list[Transition]],
        result: AmplePlan,
    ) -> None:
        self.processes = processes
        self.graphs = graphs
        self.visibility = visibility
        self.layout = layout
        self.resolver = resolver
        self.result = result
        self.fused = fused
        self.counts_processes = any(isinstance(e, ops.ProcessCount) for e in visibility.expressions)

    def run(self, *, private_only: bool) -> None:
        channels_allowed = self.number_channels() and not private_only
        self.note_later_uses()
        found = {
            process.name: {
                location: ample
                for location, ample in self.ample_locations(process, channels_allowed).items()
                if not (private_only and ample.stops)
            }
            for process in self.processes
            if process.name not in self.visibility.watched
        }
        _, chosen = min(
            (self.break_cycles(found, partners) for partners in (YOUNGER, OLDER)), key=lambda r: r[0]
        )
        self.result.locations.update(chosen)

    def ample_locations(self, process: Process, channels_allowed: bool) -> dict[int, AmpleLocation]:
        graph = self.graphs[process.name]
        return {
            location: found
            for location in graph.edges
            if (found := self.ample(process, graph, location, channels_allowed)) is not None
        }

    def break_cycles(
        self, found: dict[str, dict[int, AmpleLocation]], partners: int
    ) -> tuple[int, dict[tuple[str, int], AmpleLocation]]:
        """What stays ample if partners at a breaker must be older (or younger), and what that costs."""
        chosen: dict[tuple[str, int], AmpleLocation] = {}
        cost = 0
        for name, ample in found.items():
            breakers = self.cycle_breakers(name, ample, partners)
            for location, item in ample.items():
                if location not in breakers:
                    chosen[name, location] = item
                elif self.only_messages(name, location, item):
                    chosen[name, location] = replace(item, breaks=partners)
            cost += sum(1 + 9 * self.price(name, n, ample[n], partners) for n in breakers)
        return cost, chosen

    # --- channels ---

    def number_channels(self) -> bool:
        """Gives every channel declaration a bit; False if channels travel in ways we do not follow."""
        everything = [*self.resolver.globals, *(s for p in self.processes for s in p.symbols)]
        for symbol in everything:
            if isinstance(symbol.type, Structure) and holds_channels(symbol.type):
                return False
            if symbol.type.name == "chan" and symbol.owner is None and self.layout.has_room(symbol):
                return False
            if symbol.channel is not None:
                self.result.units[symbol] = len(self.result.units)
        if any(f.name == "chan" for shape in self.layout.shapes for f in shape.fields):
            return False
        if not all(is_channel(value) for value in self.channel_sources()):
            return False
        for process in self.processes:
            self.result.variables[process.name] = self.variable_directions(process)
        return len(self.result.units) <= LARGEST_UNIT_COUNT

    def channel_sources(self) -> Iterator[Expr | None]:
        """What chan variables are given, wherever they are given something; None: part of a message."""
        for _, operation in self.visibility.operations():
            if isinstance(operation, ops.Store) and operation.place.type.name == "chan":
                yield operation.value
            if isinstance(operation, ops.ReceiveMessage):
                yield from (None for f in operation.fields if f.place and f.place.type.name == "chan")
        for part in self.visibility.expressions:
            if isinstance(part, ops.StartProcess) and part.proctype in self.resolver.processes:
                parameters = self.resolver.processes[part.proctype].parameters
                for parameter, argument in zip(parameters, part.arguments, strict=False):
                    if parameter.type.name == "chan":
                        yield argument
        for process in self.processes:
            for symbol in process.symbols:
                if symbol.type.name == "chan":
                    yield from initial_expressions([symbol])

    def variable_directions(self, process: Process) -> list[tuple[Symbol, int]]:
        """What a process may do with the channels that its chan variables hold."""
        directions: dict[Symbol, int] = {
            s: 0
            for s in process.symbols
            if not isinstance(s.type, Structure) and s.type.name == "chan" and self.layout.has_room(s)
        }
        for location, edges in self.graphs[process.name].edges.items():
            testing = location in self.visibility.testing[process.name]
            for edge in edges:
                for symbol, mask in self.uses(operations_of(edge.transition), testing):
                    if symbol in directions:
                        directions[symbol] |= mask
        return [(symbol, mask) for symbol, mask in directions.items() if mask]

    def uses(self, operations: list[ops.Operation], testing: bool = False) -> list[tuple[Symbol, int]]:
        """(declared symbol, mask of the directions that somebody else's use would disturb)."""
        found = []
        uses, passes = channel_uses(operations)
        lasting = all(isinstance(o, ops.Test) and tests_last(o.condition) for o in operations)
        for use, place in uses:
            if testing:
                found.append((place.symbol, BOTH))
            elif use == "send":
                # A sorted send may change what comes first, so it disturbs receivers too.
                in_order = any(isinstance(o, ops.SendMessage) and o.sorted for o in operations)
                found.append((place.symbol, BOTH if in_order else 1 << SEND))
            elif use in ("receive", "receive-any") or (use == "nempty" and lasting):
                found.append((place.symbol, 1 << RECEIVE))
            elif use == "nfull" and lasting:
                found.append((place.symbol, 1 << SEND))
            else:
                found.append((place.symbol, BOTH))
        found.extend((place.symbol, BOTH) for place in passes)
        return found

    def note_later_uses(self) -> None:
        """For every location: the channel declarations used, and processes started, from there on.

        A channel that a property looks at counts as used by everybody.
        """
        seen = self.units_of((symbol, BOTH) for symbol in self.visibility.exposed)
        masks: dict[tuple[str, int], tuple[int, int]] = {}
        starts: dict[tuple[str, int], set[str]] = {}
        for name, graph in self.graphs.items():
            for location, edges in graph.edges.items():
                testing = location in self.visibility.testing[name]
                used = [use for e in edges for use in self.uses(operations_of(e.transition), testing)]
                masks[name, location] = union(seen, self.units_of(used))
                starts[name, location] = {
                    start.proctype
                    for e in edges
                    for start in self.visibility.footprints[name][e.transition.number].starts
                }
        initials = {
            name: self.units_of((load.place.symbol, BOTH) for load in self.initial_loads(name))
            for name in self.graphs
        }
        changed = True
        while changed:
            changed = False
            for name, graph in self.graphs.items():
                for location, edges in graph.edges.items():
                    mask, started = masks[name, location], starts[name, location]
                    for edge in edges:
                        mask = union(mask, masks.get((name, edge.transition.target), (0, 0)))
                        started = started | starts.get((name, edge.transition.target), set())
                    for other in started & self.graphs.keys():
                        first = (other, self.graphs[other].initial)
                        mask = union(mask, union(initials[other], masks[first]))
                    if (mask, started) != (masks[name, location], starts[name, location]):
                        masks[name, location], starts[name, location] = mask, started
                        changed = True
        self.result.conflicts.update(masks)
        self.result.may_start.update(key for key, started in starts.items() if started)

    def initial_loads(self, name: str) -> Iterator[ops.Load]:
        """What starting a process reads; channels that it asks about included."""
        for expr in self.visibility.initials[name]:
            for part in ops.subexpressions(expr):
                if isinstance(part, ops.Load):
                    yield part

    def units_of(self, uses: Iterable[tuple[Symbol, int]]) -> tuple[int, int]:
        send = receive = 0
        for symbol, mask in uses:
            unit = self.result.units.get(symbol)
            if unit is not None:
                send |= (mask & 1) << unit
                receive |= (mask >> 1 & 1) << unit
        return send, receive

    # --- locations ---

    def ample(
        self, process: Process, graph: ControlGraph, location: int, channels_allowed: bool
    ) -> AmpleLocation | None:
        edges = graph.edges[location]
        if not edges:
            return None
        channels: list[ChannelCondition] = []
        stops = False
        has_else = False
        for edge in edges:
            operation = edge.transition.operation
            if isinstance(operation, ops.Stop):
                if self.counts_processes or self.layout.processes[process.name].queues:
                    return None
                stops = True
                continue
            has_else |= isinstance(operation, ops.OtherwiseOp)
            if not self.visibility.is_local(process, edge.transition):
                condition = self.channel_condition(process, edge) if channels_allowed else None
                if condition is None:
                    return None
                channels.append(condition)
            if edge.transition.continues and not self.chain_is_local(process, graph, edge.transition.target):
                return None
        if has_else and channels:
            return None  # then `else` depends on the channel
        return AmpleLocation(tuple(channels), stops=stops)

    def channel_condition(self, process: Process, edge: Edge) -> ChannelCondition | None:
        operation = edge.transition.operation
        if isinstance(operation, ops.SendMessage) and not operation.sorted:
            direction = SEND
        elif isinstance(operation, ops.ReceiveMessage) and not operation.anywhere and not operation.keep:
            direction = RECEIVE
        else:
            return None
        print_ = self.visibility.footprints[process.name][edge.transition.number]
        _, passes = channel_uses([operation])
        symbols = (print_.reads | print_.writes) - {operation.channel.symbol}
        if print_.global_effect or passes or len(print_.channels) != 1:
            return None
        channel = operation.channel
        if channel.symbol in self.visibility.exposed:
            return None
        if not all(self.visibility.private(s, process) for s in symbols):
            return None
        if is_fixed(channel):
            assert channel.symbol.channel is not None
            if channel.symbol.channel.capacity == 0:
                return None
        elif channel.symbol.owner != process.name:
            return None
        return ChannelCondition(channel, direction)

    def chain_is_local(self, process: Process, graph: ControlGraph, location: int) -> bool:
        seen: set[int] = set()
        pending = [location]
        while pending:
            here = pending.pop()
            if here in seen:
                continue
            seen.add(here)
            for edge in graph.edges.get(here, ()):
                if not self.visibility.is_local(process, edge.transition):
                    return False
                if edge.transition.continues:
                    pending.append(edge.transition.target)
        return True

    def only_messages(self, name: str, location: int, found: AmpleLocation) -> bool:
        return len(found.channels) == len(self.graphs[name].edges[location])

    def price(self, name: str, location: int, found: AmpleLocation, partners: int) -> int:
        """Channels are mostly handed on in the order in which processes are started, so receivers
        are mostly younger than senders. Then a breaker that sends to younger ones costs nothing."""
        if not self.only_messages(name, location, found):
            return 1
        cheap = SEND if partners == YOUNGER else RECEIVE
        return 0 if all(c.direction == cheap for c in found.channels) else 2

    def cycle_breakers(self, name: str, ample: dict[int, AmpleLocation], partners: int) -> set[int]:
        """Ample locations such that every control cycle of ample locations has one of them."""
        targets = {n: [t for t in self.landings(name, n) if t in ample] for n in ample}
        breakers: set[int] = set()
        while cycle := find_cycle(targets, breakers):
            breakers.add(min(reversed(cycle), key=lambda n: self.price(name, n, ample[n], partners)))
        return breakers

    def landings(self, name: str, location: int) -> list[int]:
        """Where the process can be after one step from here, atomic chains and merged steps followed."""
        found: set[int] = set()
        pending = [location]
        expanded: set[int] = set()
        while pending:
            here = pending.pop()
            if here in expanded:
                continue
            expanded.add(here)
            for edge in self.graphs[name].edges.get(here, ()):
                last = [edge.transition, *self.fused.get((name, edge.transition.number), ())][-1]
                found.add(last.target)
                if last.continues:
                    pending.append(last.target)
        return sorted(found)


def find_cycle(targets: dict[int, list[int]], without: set[int]) -> list[int]:
    """A cycle as the nodes on it, in order; empty if there is none."""
    finished = set(without)
    for root in sorted(targets):
        if root in finished:
            continue
        path, pending = [root], [list(targets[root])]
        while path:
            if not pending[-1]:
                finished.add(path.pop())
                pending.pop()
                continue
            target = pending[-1].pop()
            if target in path:
                return path[path.index(target) :]
            if target not in finished:
                path.append(target)
                pending.append(list(targets[target]))
    return []


def tests_last(condition: Expr) -> bool:
    """Whether a guard, once `nfull(q)` or `nempty(q)` made it true, stays true when somebody receives
    or sends: nothing is negated or computed from such a test."""
    if isinstance(condition, ops.BinaryOp) and condition.operator in ("&&", "||"):
        return tests_last(condition.left) and tests_last(condition.right)
    if isinstance(condition, ops.ChannelState | ops.PollMessage):
        return True
    channel_tests = (ops.ChannelLength, ops.ChannelState, ops.PollMessage)
    return not any(isinstance(part, channel_tests) for part in ops.subexpressions(condition))


def union(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] | other[0], one[1] | other[1]


def holds_channels(structure: Structure) -> bool:
    return any(
        holds_channels(f.type) if isinstance(f.type, Structure) else f.type.name == "chan"
        for f in structure.fields
    )


def is_channel(value: Expr | None) -> bool:
    """Nothing that was a number on the way."""
    return (isinstance(value, ops.Load) and value.place.type.name == "chan") or value == ops.Const(0)
