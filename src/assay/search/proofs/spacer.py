"""Horn clauses for z3's Spacer, as one more source of invariants.

A relation for each location over all variables; a clause for each step; the query is whether anything
fails. The locations are those that can be reached if every guard could hold. What Spacer answers is a
conjunction for each relation; it is read back as terms and then asked about like every other invariant:
nothing rests on Spacer being right.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from assay.evidence.inductive.invariant import InductiveInvariant
from assay.evidence.inductive.z3_prover import Encoding, load_z3, needs_bits
from assay.transition_system.symbolic import Location, SymbolicSystem, terms_of
from assay.transition_system.terms import (
    FALSE,
    TRUE,
    Apply,
    Number,
    Term,
    Truth,
    Variable,
    apply,
)

MOST_LOCATIONS = 400
ARITHMETIC = {"+": "+", "-": "-", "*": "*"}


class NotReadable(Exception):
    """An answer of Spacer that is no term of ours."""


def invariant_from_spacer(
    system: SymbolicSystem, *, deadlock: bool, seconds: float
) -> InductiveInvariant | None:
    """None if it found none in that time, or has none because something fails."""
    z3 = load_z3()
    if seconds <= 0 or needs_bits(terms_of(system)):
        return None
    locations = possible_locations(system)
    if locations is None:
        return None
    context = z3.Context()
    encoding = Encoding(system.variables, context=context)
    horn = z3.SolverFor("HORN", ctx=context)
    horn.set("timeout", max(1, int(seconds * 1000)))
    variables = [encoding.constants[one.name] for one in system.variables]
    numbers = z3.IntSort(context)
    relations = {
        location: z3.Function(f"at_{number}", *[numbers] * len(variables), z3.BoolSort(context))
        for number, location in enumerate(locations)
    }

    def at(location: Location, values: list[Any]) -> Any:
        return relations[location](*values)

    def clause(body: list[Any], head: Any) -> None:
        formula = z3.Implies(z3.And(*body), head)
        horn.add(z3.ForAll(variables, formula) if variables else formula)

    initial = [encoding.number(value) for value in system.initial_values]
    horn.add(at(system.initial_location, initial))
    false = z3.BoolVal(False, context)
    for location in locations:
        here = at(location, variables)
        ranges = encoding.ranges()
        for step in system.steps_at(location):
            if step.guard == FALSE:
                continue
            assigned = dict(step.assignments)
            after = [encoding(assigned.get(one.name, one)) for one in system.variables]
            clause([here, *ranges, encoding(step.guard)], at(system.location_after(location, step), after))
        conditions = [failure.condition for failure in system.failures_at(location)]
        if deadlock:
            conditions.append(system.stuck(location))
        for condition in conditions:
            if condition != FALSE:
                clause([here, *ranges, encoding(condition)], false)
    # The limit of a query is not always kept.
    timer = threading.Timer(seconds + 2, context.interrupt)
    timer.daemon = True
    timer.start()
    try:
        if horn.check() != z3.sat:
            return None
        model = horn.model()
        return InductiveInvariant(
            {
                location: (_body(z3, model, relation, system.variables),)
                for location, relation in relations.items()
            }
        )
    except (z3.Z3Exception, NotReadable):
        return None
    finally:
        timer.cancel()


def possible_locations(system: SymbolicSystem) -> list[Location] | None:
    """None: there are too many."""
    found = {system.initial_location: None}
    pending = [system.initial_location]
    while pending:
        location = pending.pop()
        for step in system.steps_at(location):
            if step.guard == FALSE:
                continue
            after = system.location_after(location, step)
            if after not in found:
                if len(found) >= MOST_LOCATIONS:
                    return None
                found[after] = None
                pending.append(after)
    return list(found)


def _body(z3: Any, model: Any, relation: Any, variables: tuple[Variable, ...]) -> Term:
    value = model[relation]
    if value is None:
        return TRUE
    if isinstance(value, z3.FuncInterp):
        if value.num_entries():
            raise NotReadable
        return _read(z3, value.else_value(), variables)
    if z3.is_quantifier(value):
        return _read(z3, value.body(), tuple(reversed(variables)))
    return _read(z3, value, variables)


def _read(z3: Any, expression: Any, variables: tuple[Variable, ...]) -> Term:
    if z3.is_quantifier(expression):
        raise NotReadable
    if z3.is_var(expression):
        index = z3.get_var_index(expression)
        if index >= len(variables):  # of a quantifier around it
            raise NotReadable
        found: Term = variables[index]
        return found
    if z3.is_int_value(expression):
        return Number(expression.as_long())
    if z3.is_true(expression):
        return Truth(True)
    if z3.is_false(expression):
        return Truth(False)
    operands = [_read(z3, child, variables) for child in expression.children()]
    kind = expression.decl().kind()
    joining: dict[int, Callable[..., Term]] = {
        z3.Z3_OP_AND: lambda *all_of: Apply("and", all_of) if len(all_of) > 1 else all_of[0],
        z3.Z3_OP_OR: lambda *all_of: Apply("or", all_of) if len(all_of) > 1 else all_of[0],
        z3.Z3_OP_NOT: lambda one: apply("not", one),
        z3.Z3_OP_ITE: lambda *three: apply("if", *three),
        z3.Z3_OP_LE: lambda a, b: apply("<=", a, b),
        z3.Z3_OP_LT: lambda a, b: apply("<", a, b),
        z3.Z3_OP_GE: lambda a, b: apply(">=", a, b),
        z3.Z3_OP_GT: lambda a, b: apply(">", a, b),
        z3.Z3_OP_ADD: lambda *all_of: _folded("+", all_of),
        z3.Z3_OP_SUB: lambda *all_of: _folded("-", all_of),
        z3.Z3_OP_MUL: lambda *all_of: _folded("*", all_of),
        z3.Z3_OP_UMINUS: lambda one: apply("neg", one),
    }
    if kind == z3.Z3_OP_EQ and z3.is_int(expression.arg(0)):
        return apply("==", *operands)
    if kind in {z3.Z3_OP_MOD, z3.Z3_OP_IDIV} and isinstance(operands[1], Number) and operands[1].value > 0:
        return apply("modulo" if kind == z3.Z3_OP_MOD else "floor", *operands)
    if kind not in joining:
        raise NotReadable
    return joining[kind](*operands)


def _folded(operator: str, operands: tuple[Term, ...]) -> Term:
    found = operands[0]
    for operand in operands[1:]:
        found = apply(operator, found, operand)
    return found
