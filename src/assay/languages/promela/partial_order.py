"""Partial-order reduction: where one process alone can be followed, only it is followed.

At some locations everything a process can do next is independent of what the others
do: it touches only what is private, or it sends on (receives from) a channel that
nobody else sends on (receives from). If such a process can move, its moves are an
ample set: the others can wait (Holzmann and Peled 1994).

Whether a state is reduced is a function of the state alone, never of the search: the
location decides, together with conditions on the state that the generated code checks.
The cycle proviso is static too: on every control cycle through such locations at
least one is left out, so no cycle of states can ignore a process for ever. Therefore a
stranger can recompute the reduced successors of any state.

Not reduced at all: models where one step may be noticed by everybody (`_last`,
`enabled`, priorities, `provided`, `pc_value`, properties over consecutive states).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.languages.promela import operations as ops
from assay.languages.promela.control import ControlGraph, Edge
from assay.languages.promela.footprint import Visibility, channel_uses, operations_of
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import Place, Process, Structure, Symbol
from assay.languages.promela.resolve import Resolver

LARGEST_UNIT_COUNT = 64
SEND, RECEIVE = 0, 1


@dataclass(frozen=True, slots=True)
class ChannelCondition:
    """A channel operation at an ample location: the channel must be exclusive and ready."""

    channel: Place
    direction: int  # SEND, RECEIVE


@dataclass(frozen=True, slots=True)
class AmpleLocation:
    channels: tuple[ChannelCondition, ...] = ()
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
    has_step_properties: bool,
) -> AmplePlan:
    result = AmplePlan()
    noticed = (
        resolver.uses_last
        or resolver.uses_enabled
        or resolver.uses_priority
        or resolver.uses_pc_value
        or has_step_properties
        or any(p.provided is not None for p in processes)
    )
    if noticed:
        return result
    planner = Planner(processes, graphs, visibility, layout, resolver, result)
    planner.run()
    return result


class Planner:
    def __init__(
        self,
        processes: Sequence[Process],
        graphs: dict[str, ControlGraph],
        visibility: Visibility,
        layout: Layout,
        resolver: Resolver,
        result: AmplePlan,
    ) -> None:
        self.processes = processes
        self.graphs = graphs
        self.visibility = visibility
        self.layout = layout
        self.resolver = resolver
        self.result = result
        self.counts_processes = any(
            isinstance(part, ops.ProcessCount)
            for listed in visibility.transitions.values()
            for t in listed.values()
            for operation in operations_of(t)
            for part in ops.operation_reads(operation)
        )

    def run(self) -> None:
        channels_allowed = self.number_channels()
        for process in self.processes:
            graph = self.graphs[process.name]
            self.note_later_uses(process, graph)
            if process.name in self.visibility.watched:
                continue
            ample = {
                location: found
                for location in graph.edges
                if (found := self.ample(process, graph, location, channels_allowed)) is not None
            }
            for location in self.cycle_breakers(graph, set(ample)):
                del ample[location]
            for location, found in ample.items():
                self.result.locations[process.name, location] = found

    # --- channels ---

    def number_channels(self) -> bool:
        """Gives every channel declaration a bit; False if channels travel in ways we do not follow."""
        everything = [*self.resolver.globals, *(s for p in self.processes for s in p.symbols)]
        for symbol in everything:
            if isinstance(symbol.type, Structure) and any(True for _ in self.layout.channels_of(symbol)):
                return False
            if symbol.type.name == "chan" and symbol.owner is None and self.layout.has_room(symbol):
                return False
            if symbol.channel is not None:
                self.result.units[symbol] = len(self.result.units)
        if any(f.name == "chan" for shape in self.layout.shapes for f in shape.fields):
            return False
        for process in self.processes:
            self.result.variables[process.name] = self.variable_directions(process)
        return len(self.result.units) <= LARGEST_UNIT_COUNT

    def variable_directions(self, process: Process) -> list[tuple[Symbol, int]]:
        """What a process may do with the channels that its chan variables hold."""
        directions: dict[Symbol, int] = {
            s: 0
            for s in process.symbols
            if not isinstance(s.type, Structure) and s.type.name == "chan" and self.layout.has_room(s)
        }
        for transition in self.visibility.transitions[process.name].values():
            for symbol, mask in self.uses(operations_of(transition)):
                if symbol in directions:
                    directions[symbol] |= mask
        return [(symbol, mask) for symbol, mask in directions.items() if mask]

    def uses(self, operations: list[ops.Operation]) -> list[tuple[Symbol, int]]:
        """(declared symbol, mask of the directions that somebody else's use would disturb)."""
        found = []
        uses, passes = channel_uses(operations)
        for use, place in uses:
            if use == "send":
                # A sorted send may change what comes first, so it disturbs receivers too.
                in_order = any(isinstance(o, ops.SendMessage) and o.sorted for o in operations)
                found.append((place.symbol, 3 if in_order else 1 << SEND))
            elif use in ("receive", "receive-any"):
                found.append((place.symbol, 1 << RECEIVE))
            else:
                found.append((place.symbol, 3))
        found.extend((place.symbol, 3) for place in passes)
        return found

    def note_later_uses(self, process: Process, graph: ControlGraph) -> None:
        """For every location: the channel declarations used, and processes started, from there on."""
        masks: dict[int, tuple[int, int]] = {}
        starts: dict[int, bool] = {}
        for location, edges in graph.edges.items():
            send = receive = 0
            start = False
            for edge in edges:
                for symbol, mask in self.uses(operations_of(edge.transition)):
                    unit = self.result.units.get(symbol)
                    if unit is not None:
                        send |= (mask & 1) << unit
                        receive |= (mask >> 1 & 1) << unit
                start |= bool(self.visibility.footprints[process.name][edge.transition.number].starts)
            masks[location], starts[location] = (send, receive), start
        changed = True
        while changed:
            changed = False
            for location, edges in graph.edges.items():
                send, receive = masks[location]
                start = starts[location]
                for edge in edges:
                    if edge.transition.target in masks:
                        more_send, more_receive = masks[edge.transition.target]
                        send, receive = send | more_send, receive | more_receive
                        start |= starts[edge.transition.target]
                if (send, receive) != masks[location] or start != starts[location]:
                    masks[location], starts[location] = (send, receive), start
                    changed = True
        for location in graph.edges:
            self.result.conflicts[process.name, location] = masks[location]
            if starts[location]:
                self.result.may_start.add((process.name, location))

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
        return AmpleLocation(tuple(channels), stops)

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
        if Layout.is_fixed_channel(channel.symbol):
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

    def cycle_breakers(self, graph: ControlGraph, candidates: set[int]) -> set[int]:
        """Locations to leave out so that no control cycle consists of ample locations only."""
        state: dict[int, int] = {}
        cut: set[int] = set()
        for root in sorted(candidates):
            if root in state:
                continue
            stack: list[tuple[int, list[int]]] = [(root, self.landings(graph, root))]
            state[root] = 1
            while stack:
                location, targets = stack[-1]
                if not targets or location in cut:
                    state[location] = 2
                    stack.pop()
                    continue
                target = targets.pop()
                if target not in candidates or target in cut:
                    continue
                if state.get(target) == 1:
                    cut.add(location)
                elif target not in state:
                    state[target] = 1
                    stack.append((target, self.landings(graph, target)))
        return cut

    @staticmethod
    def landings(graph: ControlGraph, location: int) -> list[int]:
        """Where the process can be after one step from here, atomic chains followed."""
        found: set[int] = set()
        pending = [location]
        expanded: set[int] = set()
        while pending:
            here = pending.pop()
            if here in expanded:
                continue
            expanded.add(here)
            for edge in graph.edges.get(here, ()):
                found.add(edge.transition.target)
                if edge.transition.continues:
                    pending.append(edge.transition.target)
        return sorted(found)
