"""Automata of the claims that are no formulas: never claims, accept and progress labels.

A never claim is an automaton already, written as a process: its control graph is built as that
of any process, and each distinct guard becomes one atom. Reading a state is one step of the
claim; an atomic or d_step sequence reads one state with all its guards. Where SPIN stops with an
error (the closing brace or an `end` label is reached, an assertion fails, a guard cannot be
evaluated), the automaton goes to a location that accepts whatever follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.automata.automaton import BuchiAutomaton, Edge
from assay.languages.promela import control
from assay.languages.promela import operations as ops
from assay.languages.promela.control import ControlGraph, Kind, Transition
from assay.languages.promela.operations import Const, Expr, Operation, Source
from assay.transition_system.interface import CANNOT_BE_EVALUATED, UnsupportedConstruct

MOST_MOVES = 10_000  # of one claim: guards of nested atomic choices multiply

Literals = dict[str, bool]  # atom -> what it must be

_VIOLATED = 0  # as a target; no location of a control graph has this number


def cannot_be_evaluated(atom: str) -> str:
    return atom + CANNOT_BE_EVALUATED


def with_failures(automaton: BuchiAutomaton, fallible: Iterable[str]) -> BuchiAutomaton:
    """The same automaton, which also accepts where an edge would look at an atom that cannot be evaluated.

    An edge that fails for another reason looks at nothing: `i < n && a[i]` is no error where i is n,
    as long as both stand in one guard or `a[i]` is the second of two atoms on one edge.
    """
    failing = [text for text in automaton.atoms if text in set(fallible)]
    if not failing:
        return automaton
    atoms = (*automaton.atoms, *(cannot_be_evaluated(text) for text in failing))
    bit = {text: 1 << place for place, text in enumerate(atoms)}
    failing_bits = sum(bit[text] for text in failing)
    sink = min(automaton.accepting_everything, default=automaton.locations)
    edges: list[tuple[Edge, ...]] = []
    for outgoing in automaton.edges:
        more = [
            Edge(sink, edge.mask & ~failing_bits | undefined, edge.value & ~failing_bits | undefined)
            for edge in outgoing
            for text in failing
            if edge.mask & bit[text]
            for undefined in (bit[cannot_be_evaluated(text)],)
        ]
        edges.append(tuple(dict.fromkeys((*outgoing, *more))))
    accepting = automaton.accepting
    if sink == automaton.locations:
        edges.append((Edge(sink, 0, 0),))
        accepting = (*accepting, (1 << automaton.acceptance_sets) - 1)
    return BuchiAutomaton(atoms, automaton.acceptance_sets, accepting, tuple(edges))


def infinitely_often(atom: str) -> BuchiAutomaton:
    """Accepts the runs in which the atom is true again and again. Location 1: it was true just now."""
    edges = (Edge(0, 1, 0), Edge(1, 1, 1))
    return BuchiAutomaton((atom,), 1, (0, 1), (edges, edges))


def as_long_as(atom: str) -> BuchiAutomaton:
    """Accepts the runs in which the atom is always true."""
    return BuchiAutomaton((atom,), 1, (1,), ((Edge(0, 1, 1),),))


def never(graph: ControlGraph, atom_of: Callable[[Expr, Source], str]) -> BuchiAutomaton:
    """Accepts the runs that a claim forbids. `atom_of` gives each guard its atom, or refuses it."""
    return _NeverClaim(graph, atom_of).automaton()


class _NeverClaim:
    def __init__(self, graph: ControlGraph, atom_of: Callable[[Expr, Source], str]) -> None:
        self._graph = graph
        self._atom_of = atom_of
        self._left = MOST_MOVES

    def automaton(self) -> BuchiAutomaton:
        """Locations in the order in which a breadth-first search meets them."""
        numbers = {self._settled(self._graph.initial): 0}
        queue = list(numbers)
        moves: dict[int, list[tuple[Literals, int]]] = {}
        for location in queue:
            moves[location] = list(self._moves(location, ())) if location != _VIOLATED else [({}, _VIOLATED)]
            for _, target in moves[location]:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    queue.append(target)
        atoms = tuple(
            dict.fromkeys(atom for each in moves.values() for literals, _ in each for atom in literals)
        )
        bit = {atom: 1 << place for place, atom in enumerate(atoms)}

        def edge(literals: Literals, target: int) -> Edge:
            mask = sum(bit[atom] for atom in literals)
            return Edge(numbers[target], mask, sum(bit[atom] for atom, wanted in literals.items() if wanted))

        return BuchiAutomaton(
            atoms,
            1,
            tuple(
                int(location == _VIOLATED or location in self._graph.accept_locations) for location in queue
            ),
            tuple(tuple(dict.fromkeys(edge(*move) for move in moves[location])) for location in queue),
        )

    def _settled(self, location: int) -> int:
        """Where a claim that comes to a location is: the end of a claim is a violation."""
        return _VIOLATED if location in self._graph.end_locations else location

    def _moves(self, location: int, passed: tuple[int, ...]) -> Iterator[tuple[Literals, int]]:
        """What the claim does with one state; `passed` are the locations of its atomic sequence so far."""
        listed = self._graph.edges.get(location, [])
        for edge in listed:
            transition = edge.transition
            if edge.escape or transition.escapes:
                raise self._refused("unless", transition.source)
            others = [other.transition for other in listed if other is not edge]
            for literals, goes_on in self._readings(transition, others):
                self._left -= 1
                if self._left < 0:
                    raise self._refused("so many nested choices", transition.source)
                target = self._settled(transition.target) if goes_on else _VIOLATED
                if target == _VIOLATED or not transition.continues:
                    yield literals, target
                elif target in (location, *passed):
                    raise self._refused("a loop within an atomic sequence", transition.source)
                else:
                    for more, end in self._moves(target, (location, *passed)):
                        both = _joined(literals, more)
                        if both is not None:
                            yield both, end

    def _readings(self, transition: Transition, others: list[Transition]) -> Iterator[tuple[Literals, bool]]:
        """How a statement can be executed; False: by a violation."""
        if transition.d_step is None:
            assert transition.operation is not None
            yield from self._readings_of(transition.operation, transition.source, others)
            return
        so_far: list[Literals] = [{}]
        for operation, source in self._straight(transition.d_step):
            after: list[Literals] = []
            for before in so_far:
                for literals, goes_on in self._readings_of(operation, source, []):
                    both = _joined(before, literals)
                    if both is None:
                        continue
                    if goes_on:
                        after.append(both)
                    else:
                        yield both, False
            so_far = after
        for literals in so_far:
            yield literals, True

    def _straight(self, chain: control.Chain) -> Iterator[tuple[Operation, Source]]:
        for node in chain.nodes():
            if node.kind is Kind.PLAIN and node.inner is not None:
                yield from self._straight(node.inner)
            elif node.kind is not Kind.OPERATION or node.operation is None:
                raise self._refused("a choice or a jump within d_step", node.source)
            else:
                yield node.operation, node.source

    def _readings_of(
        self, operation: Operation, source: Source, others: list[Transition]
    ) -> Iterator[tuple[Literals, bool]]:
        match operation:
            case ops.Skip() | ops.PrintText():
                yield {}, True
            case ops.Test(Const(value)):
                if value:
                    yield {}, True
            case ops.Test(condition):
                yield {self._atom_of(condition, source): True}, True
            case ops.Check(Const(value), _, _):
                yield {}, bool(value)
            case ops.Check(condition, where, text):
                atom = self._atom_of(condition, Source(where, text.removeprefix("assert")))
                yield {atom: True}, True
                yield {atom: False}, False
            case ops.OtherwiseOp():
                literals = self._none_of(others)
                if literals is not None:
                    yield literals, True
            case ops.ForeignCode():
                # A step with an effect: what it writes would be part of the state that others go on from.
                raise UnsupportedConstruct(
                    f"'{source.text}' in a claim is not supported: a claim looks at states and changes none",
                    where=source.where,
                    hint="ask with c_expr, or let a process of the model execute it",
                )
            case _:
                raise self._refused(f"'{source.text}'", source)

    def _none_of(self, others: list[Transition]) -> Literals | None:
        """`else`; None where it is never executable."""
        literals: Literals = {}
        for transition in others:
            operation, source = transition.operation, transition.source
            if transition.d_step is not None:
                operation, source = next(self._straight(transition.d_step))
            match operation:
                case ops.Test(Const(0)):
                    continue
                case ops.Test(condition) if not isinstance(condition, Const):
                    literals[self._atom_of(condition, source)] = False
                case _:
                    return None
        return literals

    @staticmethod
    def _refused(what: str, source: Source) -> UnsupportedConstruct:
        return UnsupportedConstruct(
            f"{what} in a claim is not supported",
            where=source.where,
            hint="a claim is made of conditions, assert, skip, goto, if, do, atomic and d_step",
        )


def _joined(one: Literals, other: Literals) -> Literals | None:
    """Both; None if they contradict each other."""
    if any(other.get(atom, wanted) != wanted for atom, wanted in one.items()):
        return None
    return {**one, **other}
