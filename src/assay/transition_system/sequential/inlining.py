"""One graph of a program: each call is replaced by a copy of the procedure, with variables of its own.

A procedure that calls itself is copied `depth` times; where one more copy would be needed the run ends in
a failure of the kind "unwinding", so that nothing is proved about what was left out.
"""

from __future__ import annotations

from dataclasses import replace

from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import TRUE, Substitution, Term, constant, variable
from assay.transition_system.sequential.control_flow import (
    Action,
    Assign,
    Assume,
    Call,
    CallPath,
    Choose,
    ControlFlow,
    Edge,
    Failure,
    Position,
    Procedure,
    SequentialProgram,
    VariableName,
    reachable,
)

MOST_EDGES = 100_000
UNWINDING = "unwinding"
FIRST_LOCAL = 1 << 30  # numbers of locals in memory; others have smaller or much larger ones


@dataclass(frozen=True, slots=True)
class Instance:
    """A copy: `locations` are those of the procedure, in order, in the graph of the whole."""

    procedure: Procedure
    first: int
    variables: Substitution
    active: tuple[str, ...]  # procedures on the way to here
    path: CallPath


def inlined(program: SequentialProgram, depth: int = 0) -> ControlFlow:
    return Inlining(program, depth).flow()


def is_recursive(program: SequentialProgram) -> bool:
    calls = {
        name: {edge.action.procedure for edge in one.edges if isinstance(edge.action, Call)}
        for name, one in program.procedures.items()
    }
    done: set[str] = set()
    while True:  # whoever calls nobody but who is done is done
        more = {name for name, called in calls.items() if name not in done and called <= done}
        if not more:
            return len(done) < len(calls)
        done |= more


def without_bounds(flow: ControlFlow) -> ControlFlow:
    """Runs that would need one more copy end there: what fails in this fails, and nothing is proved by it."""
    failures = {at: one for at, one in flow.failures.items() if one.kind != UNWINDING}
    return replace(flow, failures=failures)


class Inlining:
    def __init__(self, program: SequentialProgram, depth: int) -> None:
        self.program, self.depth = program, depth
        self.edges: list[Edge] = []
        self.failures: dict[int, Failure] = {}
        self.variables: list[Term] = list(program.globals)
        self.locations = 0
        self.paths: list[CallPath] = []
        self.names: dict[Term, tuple[int | None, VariableName]] = {
            one: (None, name) for one, name in program.names.items()
        }
        self.points: dict[int, tuple[int, Position]] = {}
        self.objects = 0
        self.waiting: list[Instance] = []

    def flow(self) -> ControlFlow:
        main = self._instance(self.program.procedures[self.program.main], (), ())
        while self.waiting:
            self._copy(self.waiting.pop())
        whole = ControlFlow(
            main.first + main.procedure.entry,
            self.locations,
            tuple(self.edges),
            self.failures,
            tuple(self.variables),
            self.program.initial_values,
            self.program.notes,
            tuple(self.paths),
            self.names,
            self.points,
            self.depth,
        )
        return reachable(whole)

    def _instance(self, procedure: Procedure, active: tuple[str, ...], path: CallPath) -> Instance:
        number = len(self.paths)
        self.paths.append(path)
        own = (*procedure.parameters, *procedure.locals)
        if procedure.result is not None and procedure.result not in own:
            own = (*own, procedure.result)
        names = {one: variable(f"{one.name}@{number}" if number else one.name, one.sort) for one in own}
        self.variables += names.values()
        self.points |= {self.locations + at: (number, one) for at, one in procedure.points.items()}
        for one in procedure.addresses:  # the upper half is the object's number
            half = one.width // 2
            names[one] = constant((FIRST_LOCAL + self.objects) << half, one.width)
            self.objects += 1
        found = Instance(procedure, self.locations, Substitution(names), (*active, procedure.name), path)
        self.names |= {found.variables(one): (number, name) for one, name in procedure.names.items()}
        self.locations += 1 + max(
            [procedure.entry, procedure.exit, *procedure.failures]
            + [max(edge.source, edge.target) for edge in procedure.edges]
        )
        for location, failure in procedure.failures.items():
            self.failures[found.first + location] = failure
        self.waiting.append(found)
        return found

    def _copy(self, instance: Instance) -> None:
        if len(self.edges) > MOST_EDGES:
            raise UnsupportedConstruct(
                f"more than {MOST_EDGES} edges when calls are replaced by what they call"
            )
        for edge in instance.procedure.edges:
            source, target = instance.first + edge.source, instance.first + edge.target
            if isinstance(edge.action, Call):
                self._call(instance, edge, edge.action, source, target)
            else:
                action = renamed(edge.action, instance.variables)
                self.edges.append(
                    Edge(source, target, action, edge.place, edge.text, edge.mentions, instance.variables)
                )

    def _call(self, caller: Instance, edge: Edge, call: Call, source: int, target: int) -> None:
        place = edge.place
        if caller.active.count(call.procedure) > self.depth:
            failure = Failure(UNWINDING, f"{call.procedure} calls itself more than {self.depth} times", place)
            self.failures[self.locations] = failure
            self.edges.append(Edge(source, self.locations, Assume(TRUE), place, edge.text))
            self.locations += 1
            return
        path = (*caller.path, call.site)
        called = self._instance(self.program.procedures[call.procedure], caller.active, path)
        parameters = [called.variables(one) for one in called.procedure.parameters]
        arguments = [caller.variables(one) for one in call.arguments]
        bind = Assign(tuple(zip(parameters, arguments, strict=True)))
        entry = called.first + called.procedure.entry
        self.edges.append(Edge(source, entry, bind, place, edge.text, edge.mentions, caller.variables))
        back: Action = Assume(TRUE)
        if call.result is not None and called.procedure.result is not None:
            back = Assign(((caller.variables(call.result), called.variables(called.procedure.result)),))
        text = f"{call.procedure} returns"
        self.edges.append(Edge(called.first + called.procedure.exit, target, back, place, text))


def renamed(action: Action, names: Substitution) -> Action:
    if isinstance(action, Assume):
        return Assume(names(action.condition))
    if isinstance(action, Assign):
        return Assign(tuple((names(one), names(value)) for one, value in action.values))
    assert isinstance(action, Choose)
    return Choose(names(action.variable), action.origin, action.is_input)
