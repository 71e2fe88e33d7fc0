"""Automata of the claims that are no formulas: never claims, accept and progress labels.

A never claim is an automaton already, written as a process: its control graph is built as that
of any process, and each distinct guard becomes one atom. How it moves is in `claim_moves`; where
it is violated, the automaton goes to a location that accepts whatever follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from assay.automata.automaton import BuchiAutomaton, Edge
from assay.languages.promela import operations as ops
from assay.languages.promela.claim_moves import VIOLATED, ClaimMoves
from assay.languages.promela.control import ControlGraph, Transition
from assay.languages.promela.operations import Const, Expr, Operation, Source
from assay.transition_system.interface import CANNOT_BE_EVALUATED

Literals = dict[str, bool]  # atom -> what it must be


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


class _NeverClaim(ClaimMoves[Literals]):
    def __init__(self, graph: ControlGraph, atom_of: Callable[[Expr, Source], str]) -> None:
        super().__init__(graph)
        self._atom_of = atom_of

    def automaton(self) -> BuchiAutomaton:
        moves = self.by_location()
        numbers = {location: number for number, location in enumerate(moves)}
        atoms = tuple(
            dict.fromkeys(atom for each in moves.values() for literals, _ in each for atom in literals)
        )
        bit = {atom: 1 << place for place, atom in enumerate(atoms)}

        def edge(literals: Literals, target: int) -> Edge:
            mask = sum(bit[atom] for atom in literals)
            return Edge(numbers[target], mask, sum(bit[atom] for atom, wanted in literals.items() if wanted))

        for_ever: dict[int, list[tuple[Literals, int]]] = {VIOLATED: [({}, VIOLATED)]}
        return BuchiAutomaton(
            atoms,
            1,
            tuple(int(location in self.accepting) for location in moves),
            tuple(
                tuple(dict.fromkeys(edge(*move) for move in for_ever.get(location, found)))
                for location, found in moves.items()
            ),
        )

    def nothing(self) -> Literals:
        return {}

    def joined(self, one: Literals, other: Literals) -> Literals | None:
        if any(other.get(atom, wanted) != wanted for atom, wanted in one.items()):
            return None
        return {**one, **other}

    def readings(
        self, operation: Operation, source: Source, others: Sequence[Transition]
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
                conditions = self.none_of(others)
                if conditions is not None:
                    yield {self._atom_of(*one): False for one in conditions}, True
            case _:
                raise self.refused(f"'{source.text}'", source)
