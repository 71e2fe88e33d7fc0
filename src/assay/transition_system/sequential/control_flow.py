"""The control flow of a sequential program: locations, and edges that test, assign, choose or call.

A language gives a `SequentialProgram`: procedures with a control-flow graph each, over typed variables. What
goes wrong is a location of its own, a `Failure`; a program is safe if no run reaches one. Engines read a
`ControlFlow`, which is one graph without calls: `inlining` makes it.

Meaning, exactly:

- A run starts at `entry` with the initial values of the globals; variables without one have any value.
- An edge with `Assume` can be taken where its condition holds. No two edges of a location can be taken in one
  state (what is not determined is chosen first, by `Choose`); where none can, the run ends (`exit`, `abort`,
  an assumption that fails).
- `Assign` sets all its variables at once; others keep their values.
- `Choose` gives a variable any value of its sort: an input of the program, or memory that nobody has set.
- `Call` binds the parameters to the arguments, runs the procedure with locals of its own and then sets
  `result`.

Lines and texts are for people and never decide anything. But somebody else who reads the same text has other
locations and other variables; `Position`, `VariableName` and `CallPath` are what both call by the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import TRUE, Term


@dataclass(frozen=True, slots=True)
class Place:
    file: str
    line: int
    column: int = 0
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


Position = tuple[int, int]  # line and column in the text
CallSite = tuple[int, int, str]  # where a call is, and what it calls
CallPath = tuple[CallSite, ...]  # the calls that lead from `main` to a copy of a procedure


@dataclass(frozen=True, slots=True)
class VariableName:
    """Of a variable as the text of the program knows it: by its name, with the members that lead to a scalar
    in it, and the place where that is declared. A global one is known by its name alone, a static one of a
    function by that as well; what a call returned has no name, and is known by the place of the call."""

    name: str
    position: Position | None = None
    function: str = ""  # of a static one that is declared in it


@dataclass(frozen=True, slots=True)
class Assume:
    condition: Term


@dataclass(frozen=True, slots=True)
class Assign:
    values: tuple[tuple[Term, Term], ...]  # variable, value


@dataclass(frozen=True, slots=True)
class Choose:
    """`origin` says who chooses: the name of an input function (`__VERIFIER_nondet_int`), or of a variable
    that is not initialised."""

    variable: Term
    origin: str
    is_input: bool  # a function of the environment was called: replays hand out these values in order


@dataclass(frozen=True, slots=True)
class Call:
    procedure: str
    arguments: tuple[Term, ...]
    result: Term | None
    site: CallSite


Action = Assume | Assign | Choose | Call


@dataclass(frozen=True, slots=True)
class Mention:
    """Something in memory or in an array that the text of an edge speaks of (`q->count`): before the edge is
    taken, `term` has its value, or the one that is written to it. For people, as the text is."""

    text: str
    term: Term
    is_write: bool
    is_signed: bool
    is_pointer: bool
    when: Term = TRUE  # else the text does not come to it


@dataclass(frozen=True, slots=True)
class Edge:
    source: int
    target: int
    action: Action
    place: Place
    text: str = ""  # of the statement or condition, as a person reads it
    mentions: tuple[Mention, ...] = field(default=(), compare=False)
    # Of a copy of a procedure: what its variables are called there. Nobody needs that before a run is shown.
    renaming: Callable[[Term], Term] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """`kind`: assertion, error (reach_error), rule, overflow, division, bounds, pointer, unwinding."""

    kind: str
    message: str
    place: Place


@dataclass(frozen=True)
class Procedure:
    name: str
    parameters: tuple[Term, ...]
    result: Term | None  # the variable that holds what is returned
    locals: tuple[Term, ...]  # without the parameters
    entry: int
    exit: int
    edges: tuple[Edge, ...]
    failures: Mapping[int, Failure]
    addresses: tuple[Term, ...] = ()  # of locals in memory: constants, different ones in each copy
    # Without temporaries; of an object in memory, what is selected there.
    names: Mapping[Term, VariableName] = field(default_factory=dict)
    points: Mapping[int, Position] = field(default_factory=dict)  # heads of loops, and labels


@dataclass(frozen=True)
class SequentialProgram:
    procedures: Mapping[str, Procedure]
    main: str
    globals: tuple[Term, ...]
    initial_values: Mapping[Term, Term]  # of globals; constants
    notes: tuple[str, ...] = ()
    # Functions of the environment, with the width of what they return; 0: nothing.
    externals: Mapping[str, int] = field(default_factory=dict)
    granted: tuple[str, ...] = ()  # what is assumed of the world and nobody checks, in few words
    names: Mapping[Term, VariableName] = field(default_factory=dict)  # of globals


@dataclass(frozen=True)
class ControlFlow:
    """One graph; no edge calls. Locations are numbers from zero."""

    entry: int
    locations: int
    edges: tuple[Edge, ...]
    failures: Mapping[int, Failure]
    variables: tuple[Term, ...]
    initial_values: Mapping[Term, Term]  # the other variables start with any value
    notes: tuple[str, ...] = ()
    instances: tuple[CallPath, ...] = ()
    # The instance, and the name in it; None: a global variable.
    names: Mapping[Term, tuple[int | None, VariableName]] = field(default_factory=dict)
    points: Mapping[int, tuple[int, Position]] = field(default_factory=dict)
    recursion: int = 0  # the depth to which calls of active procedures are copied

    @cached_property
    def outgoing(self) -> tuple[tuple[Edge, ...], ...]:
        found: list[list[Edge]] = [[] for _ in range(self.locations)]
        for edge in self.edges:
            found[edge.source].append(edge)
        return tuple(tuple(edges) for edges in found)

    @cached_property
    def incoming(self) -> tuple[tuple[Edge, ...], ...]:
        found: list[list[Edge]] = [[] for _ in range(self.locations)]
        for edge in self.edges:
            found[edge.target].append(edge)
        return tuple(tuple(edges) for edges in found)

    @cached_property
    def cut_points(self) -> frozenset[int]:
        """Targets of edges that go back in one depth-first walk: every cycle that can be reached has one.
        Where some of them have no name (jumps into loops), all heads of loops and labels."""
        found = self._targets_of_edges_back()
        named = frozenset(self.points)
        if found <= named or not self.cuts_every_cycle(named):
            return found
        return named

    def _targets_of_edges_back(self) -> frozenset[int]:
        found: set[int] = set()
        state: dict[int, bool] = {self.entry: True}  # on the way to where the walk is
        stack = [(self.entry, iter(self.outgoing[self.entry]))]
        while stack:
            location, edges = stack[-1]
            for edge in edges:
                if edge.target not in state:
                    state[edge.target] = True
                    stack.append((edge.target, iter(self.outgoing[edge.target])))
                    break
                if state[edge.target]:
                    found.add(edge.target)
            else:
                state[location] = False
                stack.pop()
        return frozenset(found)

    def cuts_every_cycle(self, points: Iterable[int]) -> bool:
        """Whether the graph without these locations has no cycle (Kahn's order reaches everything)."""
        cut = set(points)
        degree = [0] * self.locations
        for edge in self.edges:
            if edge.source not in cut and edge.target not in cut:
                degree[edge.target] += 1
        ready = [one for one in range(self.locations) if one not in cut and degree[one] == 0]
        ordered = 0
        while ready:
            location = ready.pop()
            ordered += 1
            for edge in self.outgoing[location]:
                if edge.target not in cut:
                    degree[edge.target] -= 1
                    if degree[edge.target] == 0:
                        ready.append(edge.target)
        return ordered == self.locations - len(cut)


def reachable(flow: ControlFlow) -> ControlFlow:
    """Without locations to which no edge leads; the others keep their order."""
    seen = {flow.entry}
    waiting = [flow.entry]
    while waiting:
        for edge in flow.outgoing[waiting.pop()]:
            if edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    numbers = {location: number for number, location in enumerate(sorted(seen))}
    edges = tuple(
        Edge(
            numbers[edge.source],
            numbers[edge.target],
            edge.action,
            edge.place,
            edge.text,
            edge.mentions,
            edge.renaming,
        )
        for edge in flow.edges
        if edge.source in seen
    )
    failures = {numbers[at]: failure for at, failure in flow.failures.items() if at in seen}
    return ControlFlow(
        numbers[flow.entry],
        len(seen),
        edges,
        failures,
        flow.variables,
        flow.initial_values,
        flow.notes,
        flow.instances,
        flow.names,
        {numbers[at]: point for at, point in flow.points.items() if at in seen},
        flow.recursion,
    )
