"""Memory that is only ever used at known places, as variables of their own.

A pointer that is set once and an object that is made once have one address each, which is found by following
constants along the edges (Wegman and Zadeck 1991). If all places at which an array is read and written
are constants then, the array is nothing but so many variables (register promotion, Cooper and Lu 1997), and
engines that look at values of variables can see a state machine in a struct on the heap. That may show
further pointers to be constants, so it is done again until nothing is new.

Nobody believes it: locations, edges and choices are those of the given graph, so what is found is said of the
arrays again, together with the constants that were used, and checked there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import (
    FALSE,
    Array,
    ArrayValue,
    Bits,
    Substitution,
    Term,
    Value,
    all_of,
    equal,
    in_order,
    ite,
    select,
    substituted,
    variable,
    variables_of,
)
from assay.transition_system.sequential.control_flow import Action, Assign, Assume, ControlFlow, Edge

MOST_PASSES = 6
MOST_CELLS = 500  # of one array
MOST_WORK = 20_000_000  # locations times variables

Known = dict[Term, Term]  # variables that are constants
Cells = dict[Term, dict[Term, None]]  # of arrays: the places at which they are used


@dataclass(frozen=True, slots=True)
class Promoted:
    flow: ControlFlow
    places: Mapping[Term, Term]  # of each new variable: what is selected in which array
    known: Mapping[int, Term]  # of each cut point: the constants that were used

    def invariant(self, at: int, holds: Term) -> Term:
        """What is said of the new variables at a cut point, said of the arrays."""
        return substituted(all_of((self.known[at], holds)), self.places)

    def starts(self, given: Mapping[Term, Value]) -> dict[Term, Value]:
        found: dict[Term, Value] = {}
        for name, value in given.items():
            place = self.places.get(name)
            if place is None:
                found[name] = value
                continue
            array, index = place.operands
            before = found.get(array, ArrayValue(0, {}))
            assert isinstance(before, ArrayValue)
            assert isinstance(value, int)
            found[array] = ArrayValue(0, {**before.elements, index.value: value})
        return found


def promoted(flow: ControlFlow) -> Promoted | None:
    """None: there is no array of that kind."""
    if not any(isinstance(one.sort, Array) for one in flow.variables):
        return None
    given, places, used = flow, dict[Term, Term](), set[Term]()
    for _ in range(MOST_PASSES):
        if flow.locations * len(flow.variables) > MOST_WORK:
            return None
        known = constants(flow)
        simpler = _with_constants(flow, known, used)
        cells = _cells(simpler)
        if not cells:
            break
        flow = _with_cells(simpler, cells)
        places |= {_cell(array, index): select(array, index) for array in cells for index in cells[array]}
    if not places:
        return None
    known = constants(flow)
    simpler = _with_constants(flow, known, used)
    return Promoted(simpler, places, {at: _said(known[at], used) for at in given.cut_points})


def _said(known: Known | None, used: set[Term]) -> Term:
    if known is None:
        return FALSE
    return all_of(equal(name, value) for name, value in known.items() if name in used)


# --- constants ---


def constants(flow: ControlFlow) -> list[Known | None]:
    """Of each location, which variables are constants whenever a run is there; None: no run is."""
    found: list[Known | None] = [None] * flow.locations
    start = {name: value for name, value in flow.initial_values.items() if value.is_constant}
    found[flow.entry] = start
    waiting = {flow.entry: None}
    while waiting:
        location = next(iter(waiting))
        del waiting[location]
        here = found[location]
        assert here is not None
        for edge in flow.outgoing[location]:
            after = _after(edge.action, here)
            if after is None:
                continue
            before = found[edge.target]
            if before is None:
                joined = after
            else:
                joined = {name: value for name, value in before.items() if after.get(name) is value}
                if len(joined) == len(before):
                    continue
            found[edge.target] = joined
            waiting[edge.target] = None
    return found


def _after(action: Action, known: Known) -> Known | None:
    if isinstance(action, Assume):
        return None if _valued(action.condition, known) is FALSE else known
    after = dict(known)
    if isinstance(action, Assign):
        for name, value in action.values:
            becomes = _valued(value, known)
            after.pop(name, None)
            if becomes.is_constant:
                after[name] = becomes
    else:
        after.pop(action.variable, None)  # type: ignore[union-attr]
    return after


def _valued(term: Term, known: Known) -> Term:
    if term.is_constant:
        return term
    given = {name: known[name] for name in variables_of(term) if name in known}
    return substituted(term, given) if given else term


def _with_constants(flow: ControlFlow, known: list[Known | None], used: set[Term]) -> ControlFlow:
    """`used`: gets the variables in whose place there is a constant now."""

    def simpler(term: Term, here: Known) -> Term:
        used.update(name for name in variables_of(term) if name in here)
        return _valued(term, here)

    def changed(edge: Edge) -> Action:
        here = known[edge.source]
        if here is None:
            return Assume(FALSE)
        if isinstance(edge.action, Assume):
            return Assume(simpler(edge.action.condition, here))
        if isinstance(edge.action, Assign):
            return Assign(tuple((name, simpler(value, here)) for name, value in edge.action.values))
        return edge.action

    return replace(flow, edges=tuple(replace(edge, action=changed(edge)) for edge in flow.edges))


# --- arrays ---


def _cells(flow: ControlFlow) -> Cells:
    """Arrays that are only used at constants, and at which."""
    found: Cells = {one: {} for one in flow.variables if isinstance(one.sort, Array)}
    spoiled: set[Term] = set()
    for edge in flow.edges:
        action = edge.action
        if isinstance(action, Assume):
            spoiled |= _used((action.condition,), found)
        elif isinstance(action, Assign):
            spoiled |= _used((value for _, value in action.values), found)
            for name, value in action.values:
                if isinstance(name.sort, Array) and not _bases(value) <= {name}:
                    spoiled |= {name, *_bases(value)}
        else:
            spoiled.add(action.variable)  # type: ignore[union-attr]
    for array, indexes in found.items():
        first = flow.initial_values.get(array)
        if len(indexes) > MOST_CELLS or (first is not None and _bases(first)):
            spoiled.add(array)
    return {array: indexes for array, indexes in found.items() if array not in spoiled}


def _used(terms: Iterable[Term], cells: Cells) -> set[Term]:
    """Notes at which places arrays are used, and gives those that are used otherwise, or mixed."""
    spoiled: set[Term] = set()
    for one in in_order(terms):
        arrays = [each for each in one.operands if isinstance(each.sort, Array)]
        if not arrays or one.operator == "ite":
            continue
        bases = {base for each in arrays for base in _bases(each)}
        if one.operator in ("select", "store") and one.operands[1].is_constant and len(bases) <= 1:
            for base in bases:
                cells[base][one.operands[1]] = None
        else:
            spoiled |= bases
    return spoiled


def _bases(array: Term) -> set[Term]:
    """The variables of which an array is a changed one."""
    found, waiting, seen = set(), [array], {array}
    while waiting:
        one = waiting.pop()
        if one.operator == "variable":
            found.add(one)
        inner = one.operands[:1] if one.operator == "store" else one.operands[1:]
        for each in inner if one.operator in ("store", "ite") else ():
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return found


def _cell(array: Term, index: Term) -> Term:
    assert isinstance(array.sort, Array)
    return variable(f"{array.name}[{index.value:#x}]", Bits(array.sort.element))


def _with_cells(flow: ControlFlow, cells: Cells) -> ControlFlow:
    rewriting = _Rewriting(cells)

    def changed(action: Action) -> Action:
        if isinstance(action, Assume):
            return Assume(rewriting(action.condition))
        if isinstance(action, Assign):
            return Assign(tuple(_assigned(action.values, cells, rewriting)))
        return action

    first: dict[Term, Term] = {}
    for name, value in flow.initial_values.items():
        if name in cells:
            first |= {_cell(name, index): rewriting.element(value, index) for index in cells[name]}
        else:
            first[name] = value
    new = [_cell(array, index) for array in cells for index in cells[array]]
    return replace(
        flow,
        edges=tuple(replace(edge, action=changed(edge.action)) for edge in flow.edges),
        variables=(*(one for one in flow.variables if one not in cells), *new),
        initial_values=first,
    )


def _assigned(
    values: Iterable[tuple[Term, Term]], cells: Cells, rewriting: _Rewriting
) -> Iterator[tuple[Term, Term]]:
    for name, value in values:
        if name not in cells:
            yield name, rewriting(value)
            continue
        rewriting(value)  # what is stored in it
        for index in cells[name]:
            cell, element = _cell(name, index), rewriting.element(value, index)
            if element is not cell:
                yield cell, element


class _Rewriting:
    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.done = Substitution({})

    def __call__(self, term: Term) -> Term:
        for one in in_order((term,)):
            if one.operator != "select" or one in self.done.done:
                continue
            if all(base in self.cells for base in _bases(one.operands[0])):
                self.done.done[one] = self.element(*one.operands)
        return self.done(term)

    def element(self, array: Term, index: Term) -> Term:
        """What an array holds at a constant."""
        while array.operator == "store":
            _, at, value = array.operands
            if at is index:
                return self.done(value)
            array = array.operands[0]
        if array.operator == "ite":
            condition, yes, no = array.operands
            return ite(self.done(condition), self.element(yes, index), self.element(no, index))
        if array.operator == "const":
            return self.done(array.operands[0])
        return _cell(array, index)
