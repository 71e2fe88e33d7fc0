"""The control flow of a whole program: places of a run, and what happens between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from assay.checker.c.problems import CannotCheck
from assay.checker.c.terms import FALSE, TRUE, Replacing, Term, negate
from assay.checker.records import dataclass, field, replace

MOST_EDGES = 400_000


@dataclass(frozen=True, slots=True)
class Edge:
    """Can be taken where the condition holds; then variables get values at once, or one gets any."""

    source: int
    target: int
    condition: Term = TRUE
    values: Mapping[Term, Term] = field(default_factory=dict)
    chosen: Term | None = None
    origin: str = ""  # of what is chosen: the function that gave it, or empty


@dataclass(frozen=True, slots=True)
class Failure:
    kind: str  # assertion, error, rule, overflow, division, bounds, unwinding, or the half of a contract
    line: int
    column: int
    file: str = ""  # of a program that has several

    def __str__(self) -> str:
        place = f"{self.line}:{self.column}"
        return f"the failure ({self.kind}) at {f'{self.file}:{place}' if self.file else place}"


class Graph:
    """`here` is where the next edge begins; None where no run comes."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.failures: dict[int, Failure] = {}
        self.count = 1
        self.entry = 0
        self.here: int | None = 0

    def node(self) -> int:
        self.count += 1
        return self.count - 1

    def _add(self, edge: Edge) -> None:
        if len(self.edges) >= MOST_EDGES:
            raise CannotCheck(f"a program of more than {MOST_EDGES} edges when calls are copied")
        self.edges.append(edge)

    def assume(self, condition: Term) -> None:
        if self.here is not None and condition is not TRUE:
            target = self.node()
            if condition is not FALSE:
                self._add(Edge(self.here, target, condition))
            self.here = target

    def set(self, values: Mapping[Term, Term]) -> None:
        if self.here is not None and values:
            target = self.node()
            self._add(Edge(self.here, target, values=values))
            self.here = target

    def choose(self, chosen: Term, origin: str = "") -> None:
        if self.here is not None:
            target = self.node()
            self._add(Edge(self.here, target, chosen=chosen, origin=origin))
            self.here = target

    def jump(self, target: int) -> None:
        """Nothing comes after it."""
        if self.here is not None:
            self._add(Edge(self.here, target))
            self.here = None

    def branch(self, condition: Term, yes: int, no: int) -> None:
        if self.here is not None:
            for target, one in ((yes, condition), (no, negate(condition))):
                if one is not FALSE:
                    self._add(Edge(self.here, target, one))
        self.here = None

    def leave(self, conditions: list[tuple[Term, int]]) -> None:
        if self.here is not None:
            for condition, target in conditions:
                if condition is not FALSE:
                    self._add(Edge(self.here, target, condition))
        self.here = None

    def require(self, condition: Term, failure: Failure) -> None:
        if self.here is None or condition is TRUE:
            return
        fails, goes_on = self.node(), self.node()
        self.failures[fails] = failure
        self.branch(condition, goes_on, fails)
        self.here = goes_on

    def fail(self, failure: Failure) -> None:
        if self.here is not None:
            target = self.node()
            self.failures[target] = failure
            self.jump(target)

    def stop(self) -> None:
        self.here = None

    def settle(self, known: Mapping[Term, Term]) -> None:
        """Puts conditions in the place of those that only had names when the graph was drawn."""
        now = Replacing(known)
        settled = (replace(one, condition=now(one.condition)) for one in self.edges)
        self.edges = [one for one in settled if one.condition is not FALSE]


class Flow:
    """The part of a graph that a run can come to and from which a failure can be reached."""

    def __init__(self, graph: Graph) -> None:
        self.entry = graph.entry
        ahead: dict[int, list[Edge]] = {}
        back: dict[int, list[int]] = {}
        for edge in graph.edges:
            ahead.setdefault(edge.source, []).append(edge)
            back.setdefault(edge.target, []).append(edge.source)
        reached = _closed({graph.entry}, lambda at: [edge.target for edge in ahead.get(at, ())])
        self.failures = {at: one for at, one in graph.failures.items() if at in reached}
        leads = _closed(set(self.failures), lambda at: back.get(at, []))
        self.nodes = reached & leads
        self.outgoing = {
            at: [edge for edge in ahead.get(at, ()) if edge.target in self.nodes] for at in self.nodes
        }

    def order(self, cut: Collection[int]) -> list[int] | None:
        """All nodes, each after those from which an edge leads to it that enters none of the cut; None if
        there is a cycle without one of the cut."""
        degree = dict.fromkeys(self.nodes, 0)
        for edges in self.outgoing.values():
            for edge in edges:
                degree[edge.target] += edge.target not in cut
        ready = sorted((at for at, count in degree.items() if count == 0), reverse=True)
        found: list[int] = []
        while ready:
            at = ready.pop()
            found.append(at)
            for edge in self.outgoing[at]:
                if edge.target not in cut:
                    degree[edge.target] -= 1
                    if degree[edge.target] == 0:
                        ready.append(edge.target)
        return found if len(found) == len(self.nodes) else None


def _closed(start: set[int], following: Callable[[int], Iterable[int]]) -> set[int]:
    found, waiting = set(start), list(start)
    while waiting:
        for one in following(waiting.pop()):
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found
