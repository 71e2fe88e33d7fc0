"""Procedures one by one: what holds when one is entered, and what when it returns (Hoare 1971, recursion).

A recursive program is safe if each procedure that calls itself keeps a contract, where its calls are taken to
keep theirs. `modular` is the graph of one procedure: it begins with any arguments of which `before` holds; a
call fails if `before` does not hold of its arguments, and gives any result of which `after` holds; returning
fails if `after` does not hold. If nothing fails in the graphs of all of them and of `main`, nothing fails in
the program: by induction over the calls of a run. Procedures that do not call themselves are copied as ever.

A contract speaks of

    given(parameter)   an argument, as it was given
    before(global)     a global variable when the procedure was entered
    a global variable  when it returns, in `after`; and the procedure's result
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct
from assay.transition_system.sequential.bitvectors import (
    TRUE,
    Term,
    negated,
    substituted,
    variable,
    variables_of,
)
from assay.transition_system.sequential.control_flow import (
    Action,
    Assign,
    Assume,
    Call,
    Choose,
    ControlFlow,
    Edge,
    Failure,
    Place,
    Procedure,
    SequentialProgram,
    reachable,
)
from assay.transition_system.sequential.inlining import Inlining, Instance

PRECONDITION = "precondition"
POSTCONDITION = "postcondition"


@dataclass(frozen=True, slots=True)
class Contract:
    before: Term = TRUE
    after: Term = TRUE


def given(parameter: Term) -> Term:
    return variable(f"{parameter.name}!given", parameter.sort)


def before(name: Term) -> Term:
    return variable(f"{name.name}!before", name.sort)


def calls_of(program: SequentialProgram) -> dict[str, set[str]]:
    return {
        name: {edge.action.procedure for edge in one.edges if isinstance(edge.action, Call)}
        for name, one in program.procedures.items()
    }


def reached_by(program: SequentialProgram, name: str) -> set[str]:
    """Procedures that a procedure calls, directly or through others."""
    calls = calls_of(program)
    found: set[str] = set()
    waiting = list(calls[name])
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += calls[one]
    return found


def recursive_procedures(program: SequentialProgram) -> tuple[str, ...]:
    """Those that call themselves, directly or through others, and that a run may call."""
    called = {program.main, *reached_by(program, program.main)}
    return tuple(name for name in program.procedures if name in called and name in reached_by(program, name))


def changed_by(program: SequentialProgram, name: str) -> tuple[Term, ...]:
    """Global variables that a procedure or one that it calls may set."""
    found: set[Term] = set()
    for one in {name, *reached_by(program, name)}:
        for edge in program.procedures[one].edges:
            action = edge.action
            if isinstance(action, Assign):
                found |= {each for each, _ in action.values}
            elif isinstance(action, Choose):
                found.add(action.variable)
            elif isinstance(action, Call) and action.result is not None:
                found.add(action.result)
    return tuple(one for one in program.globals if one in found)


def require_modular(program: SequentialProgram) -> None:
    """Locals in memory have a number for each copy of their procedure; in a recursive one that would be one
    number for many objects. And main is entered with the first values of global variables: once."""
    for name in recursive_procedures(program):
        if name == program.main:
            raise UnsupportedConstruct(f"{name} calls itself")
        inside = {name, *reached_by(program, name)}
        if any(program.procedures[one].addresses for one in inside):
            raise UnsupportedConstruct(f"{name} calls itself and has local variables in memory")


def variables_before(program: SequentialProgram, procedure: Procedure) -> tuple[Term, ...]:
    """What the first half of a contract may speak of."""
    return (*map(given, procedure.parameters), *map(before, program.globals))


def variables_after(program: SequentialProgram, procedure: Procedure) -> tuple[Term, ...]:
    result = () if procedure.result is None else (procedure.result,)
    return (*variables_before(program, procedure), *changed_by(program, procedure.name), *result)


def modular(
    program: SequentialProgram, name: str, contracts: Mapping[str, Contract], *, as_goals: bool = False
) -> Modular:
    require_modular(program)
    return Modular(program, name, contracts, as_goals=as_goals)


class Modular(Inlining):
    """`as_goals`: what contracts demand is not tested; whoever looks for contracts asks what holds there."""

    def __init__(
        self, program: SequentialProgram, name: str, contracts: Mapping[str, Contract], *, as_goals: bool
    ) -> None:
        super().__init__(program, 0)
        self.root, self.contracts, self.as_goals = program.procedures[name], contracts, as_goals
        self.recursive = set(recursive_procedures(program))
        self.calls: dict[str, tuple[str, dict[Term, Term]]] = {}  # by message: who is called, with what names

    def flow(self) -> ControlFlow:
        root, program = self.root, self.program
        main = self._instance(root, (), () if root.name == program.main else ((0, 0, root.name),))
        while self.waiting:
            self._copy(self.waiting.pop())
        place = self.edges[0].place if self.edges else Place("", 0)
        entry = self._location()
        inside = self._location()
        own = Assign(
            (
                *((given(one), one) for one in root.parameters),
                *((before(one), one) for one in program.globals),
            )
        )
        contract = self.contracts.get(root.name, Contract())
        self._edge(entry, inside, own, place)
        self._edge(inside, main.first + root.entry, Assume(contract.before), place)
        if root.name in self.recursive:
            failure = Failure(POSTCONDITION, f"what {root.name} leaves is not what it should", place)
            self._demand(main.first + root.exit, contract.after, failure)
        self.variables += variables_before(program, root)
        initial = program.initial_values if root.name == program.main else {}
        whole = ControlFlow(
            entry,
            self.locations,
            tuple(self.edges),
            self.failures,
            tuple(dict.fromkeys(self.variables)),
            initial,
            program.notes,
            tuple(self.paths),
            self.names,
            self.points,
        )
        return reachable(whole)

    def _location(self) -> int:
        self.locations += 1
        return self.locations - 1

    def _edge(self, source: int, target: int, action: Action, place: Place, text: str = "") -> None:
        self.edges.append(Edge(source, target, action, place, text))

    def _demand(self, at: int, condition: Term, failure: Failure) -> None:
        target = self._location()
        self.failures[target] = failure
        self._edge(at, target, Assume(TRUE if self.as_goals else negated(condition)), failure.place)

    def _call(self, caller: Instance, edge: Edge, call: Call, source: int, target: int) -> None:
        if call.procedure not in self.recursive:
            super()._call(caller, edge, call, source, target)
            return
        called, place = self.program.procedures[call.procedure], edge.place
        number = len(self.calls)
        contract = self.contracts.get(called.name, Contract())
        known = {
            one: variable(f"{one.name}@call{number}", one.sort)
            for one in (*variables_before(self.program, called), *((called.result,) if called.result else ()))
        }
        self.variables += known.values()
        message = f"call {number} of {called.name} is not as it should be"
        self.calls[message] = (called.name, known)
        values = [
            (known[given(one)], caller.variables(argument))
            for one, argument in zip(called.parameters, call.arguments, strict=True)
        ]
        values += [(known[before(one)], one) for one in self.program.globals]
        at = self._location()
        self._edge(source, at, Assign(tuple(values)), place, edge.text)
        demanded = substituted(contract.before, known)
        self._demand(at, demanded, Failure(PRECONDITION, message, place))
        after = self._location()
        self._edge(at, after, Assume(demanded), place)
        chosen = list(changed_by(self.program, called.name))
        chosen += [known[called.result]] if called.result else []
        for one in chosen:
            at, after = after, self._location()
            self._edge(at, after, Choose(one, one.name, is_input=False), place)
        at, after = after, self._location()
        self._edge(at, after, Assume(substituted(contract.after, known)), place)
        back: Action = Assume(TRUE)
        if call.result is not None and called.result is not None:
            back = Assign(((caller.variables(call.result), known[called.result]),))
        self._edge(after, target, back, place, f"{called.name} returns")


def modules(
    program: SequentialProgram, contracts: Mapping[str, Contract]
) -> Iterator[tuple[str, ControlFlow]]:
    """What has to be safe, each by itself: main and the procedures that call themselves."""
    require_modular(program)
    for name in dict.fromkeys((program.main, *recursive_procedures(program))):
        contract = contracts.get(name, Contract())
        if not variables_of(contract.before) <= set(variables_before(program, program.procedures[name])):
            raise UnsupportedConstruct(f"what holds before {name} is called speaks of what is after it")
        if not variables_of(contract.after) <= set(variables_after(program, program.procedures[name])):
            raise UnsupportedConstruct(f"what holds when {name} returns speaks of what it does not know")
        yield name, Modular(program, name, contracts, as_goals=False).flow()


def without_demands(flow: ControlFlow) -> ControlFlow:
    """With the failures of the program alone."""
    own = {at: one for at, one in flow.failures.items() if one.kind not in (PRECONDITION, POSTCONDITION)}
    return replace(flow, failures=own)
