"""The obligations of an invariant, by weakest preconditions of unstructured programs (Barnett and Leino
2005).

Invariants at cut points prove a program safe if every block keeps them and none fails. Between cut points
each choice gives its variable a new incarnation, and so does each place where different values meet; of each
location there is one equation: from here on nothing goes wrong. The formulas are as large as the
graph, and share nothing with the blocks by which a proof was found, which go forwards: a mistake in one
is no mistake in the other.

    obligation of a source:  invariant and equations imply that nothing goes wrong from there

Where an invariant has a quantifier the equation is an implication, which is all that is needed, so that the
quantifier stands where `quantifiers` can take it away.

Where different arrays meet there is no incarnation: solvers know little of arrays that are equal to each
other. It is chosen which way was taken, and the array is the one of that way.

Invariants may need the rounds before a failure to exclude it (k-induction: Sheeran et al. 2000). Then their
obligations are those of three kinds of graphs: the program without its failures, in which they must be
invariants; its first rounds; and from each cut point so many rounds and one that fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.records import dataclass
from assay.transition_system.sequential.bitvectors import (
    BOOLEAN,
    FALSE,
    TRUE,
    Array,
    Substitution,
    Term,
    all_of,
    equal,
    implies,
    ite,
    negated,
    variable,
    variables_of,
)
from assay.transition_system.sequential.control_flow import (
    Assign,
    Assume,
    Choose,
    ControlFlow,
    Edge,
)
from assay.transition_system.sequential.liveness import live_variables
from assay.transition_system.sequential.quantifiers import is_quantified, without_quantifiers
from assay.transition_system.sequential.unrolling import first_rounds, rounds_from

Names = dict[Term, Term]  # of each variable, what it holds, in terms of incarnations
Ways = dict[
    tuple[int, int], Term
]  # of an edge, by its source and number: that it was taken, where arrays meet


class NoProof(Exception):
    """The invariants are of another form than a proof has."""


@dataclass(frozen=True, slots=True)
class Obligation:
    text: str  # what it says, for people
    refutation: Term  # it has no model if the obligation holds


MOST_ROUNDS = 1_000


def obligations(flow: ControlFlow, invariants: Mapping[int, Term], rounds: int = 0) -> Iterator[Obligation]:
    """One for the entry and one for each cut point; together they say that no failure can be reached."""
    unknown = [at for at in invariants if not 0 <= at < flow.locations or at in flow.failures]
    if unknown:
        raise NoProof(f"there is an invariant for {unknown[0]}, which is no location of the program")
    if not rounds:
        yield from _inductive(flow, invariants, "and nothing fails")
        return
    if not 0 < rounds <= MOST_ROUNDS:
        raise NoProof(f"it is an induction over {rounds} rounds, not 1 to {MOST_ROUNDS}")
    yield from _inductive(replace(flow, failures={}), invariants, "")
    base = first_rounds(flow, invariants, rounds)
    yield Obligation(
        f"nothing fails in the first {rounds} rounds", _refutation(base, {}, base.entry, is_start=True)
    )
    for at in sorted(invariants):
        step = rounds_from(flow, at, invariants, rounds)
        text = f"nothing fails after {rounds} rounds from {where(flow, at)}"
        yield Obligation(text, _refutation(step, {}, step.entry, is_start=True))


def where(flow: ControlFlow, location: int) -> str:
    """A location as people know it."""
    edges = [*flow.outgoing[location], *flow.incoming[location]]
    return str(edges[0].place) if edges else f"location {location}"


def _inductive(flow: ControlFlow, invariants: Mapping[int, Term], safe: str) -> Iterator[Obligation]:
    if not flow.cuts_every_cycle(invariants):
        raise NoProof("a cycle of the program has no invariant")
    first = f"from the start to the first cut points: invariants hold {safe}".strip()
    yield Obligation(first, _refutation(flow, invariants, flow.entry, is_start=True))
    for at in sorted(invariants):
        text = f"from {where(flow, at)} to the next cut points: invariants hold {safe}".strip()
        yield Obligation(text, _refutation(flow, invariants, at, is_start=False))


def _refutation(flow: ControlFlow, invariants: Mapping[int, Term], source: int, *, is_start: bool) -> Term:
    order = _order(flow, invariants, source)
    position = {location: number for number, location in enumerate(order)}
    names: dict[int, Names] = {source: {}}
    equations: list[Term] = []
    if is_start:
        names[source] = {}
        equations += [equal(name, value) for name, value in flow.initial_values.items()]
        if source in invariants:  # a loop may begin at once: entering it is the first step
            equations.append(negated(invariants[source]))
            return without_quantifiers(all_of(equations))
    else:
        equations.append(invariants[source])
    live = live_variables(flow, {at: variables_of(one) for at, one in invariants.items()})
    ways = _name_incarnations(flow, invariants, order, names)
    for location in order:
        if location not in names:
            continue
        parts = [
            _of_edge(flow, invariants, edge, number, names, position, live, ways)
            for number, edge in enumerate(flow.outgoing[location])
        ]
        whole, fine = all_of(parts), _fine(location, source)
        equations.append(implies(whole, fine) if is_quantified(whole) else equal(fine, whole))
    return without_quantifiers(all_of((*equations, negated(_fine(source, source)))))


def _fine(location: int, source: int) -> Term:
    """From there on nothing goes wrong; of the source itself, from its edges on."""
    return variable(f"fine!{location}" if location != source else "fine!source", BOOLEAN)


def _order(flow: ControlFlow, invariants: Mapping[int, Term], source: int) -> list[int]:
    """The locations between the source and the next cut points, each after all that lead to it."""
    seen: set[int] = set()
    order: list[int] = []
    stack: list[tuple[int, Iterator[Edge]]] = [(source, iter(flow.outgoing[source]))]
    while stack:
        location, edges = stack[-1]
        for edge in edges:
            inner = edge.target not in invariants and edge.target not in flow.failures
            if inner and edge.target not in seen and edge.target != source:
                seen.add(edge.target)
                stack.append((edge.target, iter(flow.outgoing[edge.target])))
                break
        else:
            stack.pop()
            order.append(location)
    return order[::-1]


def _name_incarnations(
    flow: ControlFlow, invariants: Mapping[int, Term], order: list[int], names: dict[int, Names]
) -> Ways:
    """Where different values meet, the variable gets an incarnation that is named after the location."""
    arriving: dict[int, list[Names]] = {}
    edges: dict[int, list[tuple[int, int]]] = {}
    ways: Ways = {}
    inside = set(order)
    for location in order:
        if location not in names:
            given = arriving.get(location)
            if given is None:
                continue  # no edge that can be taken leads there
            merged: Names = {}
            taken = [variable(f"way!{location}.{number}", BOOLEAN) for number in range(len(given) - 1)]
            for name in {one: None for each in given for one in each}:
                found = [each.get(name, name) for each in given]
                if all(one is found[0] for one in found):
                    merged[name] = found[0]
                elif isinstance(name.sort, Array):
                    merged[name] = found[-1]
                    for way, one in zip(reversed(taken), reversed(found[:-1]), strict=True):
                        merged[name] = ite(way, one, merged[name])
                    for number, edge_before in enumerate(edges[location]):
                        others = [negated(one) for one in taken[:number]]
                        ways[edge_before] = all_of((*others, *taken[number : number + 1]))
                else:
                    merged[name] = variable(f"{name.name}!{location}", name.sort)
            names[location] = merged
        for number, edge in enumerate(flow.outgoing[location]):
            if edge.target in inside and edge.target not in invariants:
                after = _after(edge, number, names[location])
                if after is not None:
                    arriving.setdefault(edge.target, []).append(after)
                    edges.setdefault(edge.target, []).append((location, number))
    return ways


def _after(edge: Edge, number: int, before: Names) -> Names | None:
    """What variables hold after an edge; None if it cannot be taken, whatever they hold."""
    action = edge.action
    now = Substitution(before)
    if isinstance(action, Assign):
        return {**before, **{one: now(value) for one, value in action.values}}
    if isinstance(action, Choose):
        chosen = variable(f"{action.variable.name}!{edge.source}.{number}", action.variable.sort)
        return {**before, action.variable: chosen}
    assert isinstance(action, Assume)
    return None if now(action.condition) is FALSE else before


def _of_edge(
    flow: ControlFlow,
    invariants: Mapping[int, Term],
    edge: Edge,
    number: int,
    names: dict[int, Names],
    position: Mapping[int, int],
    live: Sequence[frozenset[Term]],
    ways: Ways,
) -> Term:
    """What an edge must meet: its own meaning implies what its target must. Of variables that nobody reads
    any more nothing is said; to say too little can only make an obligation fail."""
    before = names[edge.source]
    after = _after(edge, number, before)
    if after is None:
        return TRUE
    meaning = [Substitution(before)(edge.action.condition)] if isinstance(edge.action, Assume) else []
    if edge.target in flow.failures:
        return negated(all_of(meaning))
    if edge.target in invariants:
        return implies(all_of(meaning), Substitution(after)(invariants[edge.target]))
    assert edge.target in position, "an edge that leads back is cut"
    target = names[edge.target]
    meaning += [
        equal(target[one], after.get(one, one))
        for one in target
        if not isinstance(one.sort, Array)
        and one in live[edge.target]
        and target[one] is not after.get(one, one)
    ]
    if (edge.source, number) in ways:
        meaning.append(ways[edge.source, number])
    return implies(all_of(meaning), variable(f"fine!{edge.target}", BOOLEAN))
