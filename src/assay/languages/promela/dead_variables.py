"""Dead-variable reset: a local that will be overwritten before it is read again is set to zero.

States that differ only in such leftovers become one. Backward liveness on the
control graph, per process type; structures and arrays count as a whole. Locals that
others look at (remote references, invariants) are left alone.

A variable that influences nothing gets no room in the state at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela.control import ControlGraph
from assay.languages.promela.footprint import Visibility, operations_of
from assay.languages.promela.layout import Layout, has_channel
from assay.languages.promela.operations import Expr, Process, Structure, Symbol


def without_influence(
    symbols: Sequence[Symbol],
    processes: Sequence[Process],
    visibility: Visibility,
    kept: Iterable[Symbol] = (),
) -> set[Symbol]:
    """Variables that decide nothing: no guard, message, index, assertion or property, nor what
    is `kept`, not even by way of other variables. What storing into them computes is
    still checked for errors."""
    relevant = {*visibility.exposed, *kept}
    flows: list[tuple[Symbol, set[Symbol]]] = []

    def assign(target: Symbol, value: Expr) -> None:
        if isinstance(value, ops.StartProcess):
            relevant.update(loaded(value))
        else:
            relevant.update(decisive(value))
            flows.append((target, loaded(value)))

    for listed in visibility.transitions.values():
        for transition in listed.values():
            for operation in operations_of(transition):
                match operation:
                    case ops.Store(place, value):
                        for index in ops.place_indices(place):
                            relevant.update(loaded(index))
                        assign(place.symbol, value)
                    case ops.PrintText(_, arguments):
                        for argument in arguments:
                            relevant.update(decisive(argument))
                    case _:
                        for part in ops.operation_reads(operation):
                            relevant.update(loaded(part))
    for process in processes:
        if process.provided is not None:
            relevant.update(loaded(process.provided))
    for symbol in symbols:
        initial = symbol.initial if isinstance(symbol.initial, tuple) else (symbol.initial,)
        for start_value in initial:
            if start_value is not None:
                assign(symbol, start_value)
    changed = True
    while changed:
        changed = False
        for target, sources in flows:
            if target in relevant and not sources <= relevant:
                relevant |= sources
                changed = True
    return {s for s in symbols if s not in relevant and s.channel is None and not holds_channels(s)}


def loaded(expr: Expr) -> set[Symbol]:
    return {part.place.symbol for part in ops.subexpressions(expr) if isinstance(part, ops.Load)}


def decisive(expr: Expr) -> set[Symbol]:
    """What decides whether evaluating an expression is an error: indices, divisions, channels."""
    found: set[Symbol] = set()
    for part in ops.subexpressions(expr):
        match part:
            case ops.Load(place) | ops.RemoteLoad(_, _, place):
                for index in ops.place_indices(place):
                    found |= loaded(index)
            case (
                ops.BinaryOp("/" | "%", _, _, _)
                | ops.ChannelLength()
                | ops.ChannelState()
                | ops.PollMessage()
            ):
                found |= loaded(part)
            case ops.Choose(condition, _, _):  # decides which branch is evaluated
                found |= loaded(condition)
            case ops.BinaryOp("&&" | "||", left, _, _):
                found |= loaded(left)
    return found


def holds_channels(symbol: Symbol) -> bool:
    if isinstance(symbol.type, Structure):
        return has_channel(symbol.type)
    return False


def resets(
    processes: Sequence[Process], graphs: dict[str, ControlGraph], visibility: Visibility, layout: Layout
) -> dict[tuple[str, int], list[Symbol]]:
    """(process, location) -> the locals that are dead when control arrives there."""
    result: dict[tuple[str, int], list[Symbol]] = {}
    for process in processes:
        graph = graphs[process.name]
        candidates = [
            s
            for s in process.symbols
            if layout.has_room(s)
            and s not in visibility.exposed
            and layout.block(process, 0, [s]).queues == []
        ]
        live = live_at(graph, visibility, process)
        for location in graph.edges:
            dead = [s for s in candidates if s not in live[location]]
            if dead:
                result[process.name, location] = dead
    return result


def live_at(graph: ControlGraph, visibility: Visibility, process: Process) -> dict[int, set[Symbol]]:
    prints = visibility.footprints[process.name]
    live: dict[int, set[Symbol]] = {location: set() for location in graph.edges}
    changed = True
    while changed:
        changed = False
        for location in sorted(graph.edges, reverse=True):
            now: set[Symbol] = set()
            for edge in graph.edges[location]:
                print_ = prints[edge.transition.number]
                after = live.get(edge.transition.target, set())
                now |= print_.reads | (after - print_.overwrites)
                # A partial write keeps the rest of the variable alive.
                now |= (print_.writes - print_.overwrites) & after
            if now != live[location]:
                live[location] = now
                changed = True
    return live
