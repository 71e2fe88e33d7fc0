"""Runs a program with its calls, however deep: a stack instead of copies.

What `running` is to a graph without calls. Recursion that copies cannot follow is followed here, and what
procedures are given and return is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import Term, Value, evaluated, variables_of
from assay.transition_system.sequential.compiled_terms import compiled
from assay.transition_system.sequential.contracts import changed_by, reached_by
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Call,
    Choose,
    Edge,
    Failure,
    Procedure,
    SequentialProgram,
)
from assay.transition_system.sequential.inlining import FIRST_LOCAL
from assay.transition_system.sequential.running import Moment, default

SHOWN = 20_000  # edges of a run that are kept; after them only what is chosen


@dataclass(frozen=True, slots=True)
class Returned:
    """A call that came back: arguments and globals when it was entered, globals and result at its end."""

    procedure: str
    given: tuple[Value, ...]
    before: tuple[Value, ...]
    after: tuple[Value, ...]
    result: Value | None


@dataclass(slots=True)
class Frame:
    procedure: Procedure
    values: list[Value]  # globals first, which are right in the newest frame only
    given: tuple[Value, ...]
    before: tuple[Value, ...]
    location: int
    call: Edge | None


class Calling:
    def __init__(self, program: SequentialProgram) -> None:
        self.program = program
        self.orders: dict[str, list[Term]] = {}
        self.positions: dict[str, dict[Term, int]] = {}
        self.outgoing: dict[str, dict[int, list[tuple[Edge, Any]]]] = {}
        self.objects = 0
        for name, one in program.procedures.items():
            result = [one.result] if one.result is not None else []
            order = dict.fromkeys([*program.globals, *one.parameters, *one.locals, *result, *one.addresses])
            self.orders[name] = list(order)
            self.positions[name] = {each: at for at, each in enumerate(order)}
            edges: dict[int, list[tuple[Edge, Any]]] = {}
            for edge in one.edges:
                edges.setdefault(edge.source, []).append((edge, None))
            self.outgoing[name] = edges
        self.pure = {name for name in program.procedures if _is_pure(program, name)}

    def run(
        self,
        choose: Callable[[Edge], Value],
        *,
        most_steps: int,
        entered: Callable[[str, tuple[Value, ...], tuple[Value, ...]], None] = lambda *_: None,
        returned: Callable[[Returned], None] = lambda _: None,
        moments: list[Moment] | None = None,
        known_results: dict[tuple[str, tuple[Value, ...]], Value] | None = None,
    ) -> Failure | None:
        """The failure that is reached, if one is in so many steps. With `known_results`, procedures whose
        result depends on their arguments alone are not run twice with the same; their choices are missing."""
        self.objects = 0
        known = {one: evaluated(value, {}) for one, value in self.program.initial_values.items()}
        held = [known.get(one, default(one.sort)) for one in self.program.globals]
        stack = [self._frame(self.program.procedures[self.program.main], (), held, None)]
        size = len(held)
        for _ in range(most_steps):
            frame = stack[-1]
            procedure = frame.procedure
            if frame.location in procedure.failures:
                return procedure.failures[frame.location]
            if frame.location == procedure.exit:
                stack.pop()
                if frame.call is None:
                    return None
                result = self._back(frame, stack[-1], size, returned)
                if moments is not None and len(moments) < SHOWN and procedure.result is not None:
                    moments.append(self._return(frame, stack[-1], procedure.result))
                if known_results is not None and procedure.name in self.pure and result is not None:
                    known_results[procedure.name, frame.given] = result
                continue
            edge, computed = self._taken(frame)
            if edge is None:
                return None
            action, chosen = edge.action, None
            positions = self.positions[procedure.name]
            frame.location = edge.target
            if isinstance(action, Assign):
                for (name, _), value in zip(action.values, computed, strict=True):
                    frame.values[positions[name]] = value
            elif isinstance(action, Choose):
                chosen = choose(edge)
                frame.values[positions[action.variable]] = chosen
            elif isinstance(action, Call):
                called = self.program.procedures[action.procedure]
                key = (called.name, tuple(computed))
                if known_results is not None and called.name in self.pure and key in known_results:
                    if action.result is not None:
                        frame.values[positions[action.result]] = known_results[key]
                    continue
                stack.append(self._frame(called, tuple(computed), frame.values[:size], edge))
                entered(called.name, tuple(computed), tuple(frame.values[:size]))
            if moments is not None and (len(moments) < SHOWN or isinstance(action, Choose)):
                newest = stack[-1]  # what was called knows what it was given
                order = self.orders[newest.procedure.name]
                values = dict(zip(order, newest.values, strict=True)) if len(moments) < SHOWN else {}
                moments.append(Moment(edge, edge.target, values, chosen))
        return None

    def _frame(
        self, procedure: Procedure, given: tuple[Value, ...], held: list[Value], call: Edge | None
    ) -> Frame:
        own: dict[Term, Value] = dict(zip(procedure.parameters, given, strict=True))
        for one in procedure.addresses:
            own[one] = (FIRST_LOCAL + self.objects) << (one.width // 2)
            self.objects += 1
        rest = self.orders[procedure.name][len(held) :]
        values = [*held, *(own[one] if one in own else default(one.sort) for one in rest)]
        return Frame(procedure, values, given, tuple(held), procedure.entry, call)

    def _back(
        self, frame: Frame, caller: Frame, size: int, returned: Callable[[Returned], None]
    ) -> Value | None:
        assert frame.call is not None
        assert isinstance(frame.call.action, Call)
        caller.values[:size] = frame.values[:size]
        result = None
        if frame.procedure.result is not None:
            result = frame.values[self.positions[frame.procedure.name][frame.procedure.result]]
            if frame.call.action.result is not None:
                caller.values[self.positions[caller.procedure.name][frame.call.action.result]] = result
        returned(
            Returned(frame.procedure.name, frame.given, frame.before, tuple(frame.values[:size]), result)
        )
        return result

    def _return(self, frame: Frame, caller: Frame, result: Term) -> Moment:
        """As copies of procedures have it: an edge that hands over the result."""
        assert frame.call is not None
        edge = Edge(
            frame.procedure.exit,
            frame.call.target,
            Assign(((result, result),)),
            frame.call.place,
            f"{frame.procedure.name} returns",
        )
        values = dict(zip(self.orders[caller.procedure.name], caller.values, strict=True))
        values[result] = frame.values[self.positions[frame.procedure.name][result]]
        return Moment(edge, edge.target, values, None)

    def _taken(self, frame: Frame) -> tuple[Edge | None, list[Any]]:
        edges = self.outgoing[frame.procedure.name].get(frame.location, [])
        for position, (edge, known) in enumerate(edges):
            compute = known or compiled(_terms(edge), self.orders[frame.procedure.name])
            edges[position] = (edge, compute)
            computed = compute(frame.values)
            if not isinstance(edge.action, Assume) or computed[0]:
                return edge, computed
        return None, []


def _is_pure(program: SequentialProgram, name: str) -> bool:
    """Whether a procedure reads and changes nothing but its arguments and locals, and has no inputs."""
    shared = set(program.globals)
    for one in (program.procedures[each] for each in {name, *reached_by(program, name)}):
        for edge in one.edges:
            is_input = isinstance(edge.action, Choose) and edge.action.is_input
            if is_input or shared & variables_of(*_terms(edge)):
                return False
        if one.addresses:
            return False
    return not changed_by(program, name)


def _terms(edge: Edge) -> list[Term]:
    action = edge.action
    if isinstance(action, Assume):
        return [action.condition]
    if isinstance(action, Assign):
        return [value for _, value in action.values]
    return list(action.arguments) if isinstance(action, Call) else []
