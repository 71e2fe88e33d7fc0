"""Dead-variable reset: a local that will be overwritten before it is read again is set to zero.

States that differ only in such leftovers become one. Backward liveness on the
control graph, per process type; structures and arrays count as a whole. Locals that
others look at (remote references, invariants) are left alone.

A variable that is never read at all gets no room in the state, unless storing into it
can be an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.languages.promela.control import ControlGraph
from assay.languages.promela.footprint import Visibility
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import Process, Symbol


def never_read(symbols: Sequence[Symbol], visibility: Visibility) -> set[Symbol]:
    """Variables whose value can influence nothing."""
    read = {s for prints in visibility.footprints.values() for p in prints.values() for s in p.reads}
    return {
        s
        for s in symbols
        if s not in read | visibility.exposed | visibility.fallible and not s.read and s.channel is None
    }


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
