"""How a never claim moves, read off its control graph.

Reading a state is one step of the claim; an atomic or d_step sequence reads one state with all its guards.
Where SPIN stops with an error (the closing brace or an `end` label is reached, an assertion fails), the claim
is violated. What a statement means is for the kinds of claims to say: literals of an automaton
(`claim_automata`), or steps of the program (`acting_claims`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from assay.languages.promela import control
from assay.languages.promela import operations as ops
from assay.languages.promela.control import ControlGraph, Kind, Transition
from assay.languages.promela.operations import Const, Expr, Operation, Source
from assay.transition_system.interface import UnsupportedConstruct

MOST_MOVES = 10_000  # of one claim: guards of nested atomic choices multiply
VIOLATED = 0  # as a target; no location of a control graph has this number

Reading = TypeVar("Reading")


class ClaimMoves(ABC, Generic[Reading]):
    """The moves of a claim, each with what it means and where it leads."""

    def __init__(self, graph: ControlGraph) -> None:
        self._graph = graph
        self._left = MOST_MOVES

    @abstractmethod
    def nothing(self) -> Reading:
        """What it means to do nothing."""

    @abstractmethod
    def joined(self, one: Reading, other: Reading) -> Reading | None:
        """Both, one after the other; None if that cannot be."""

    @abstractmethod
    def readings(
        self, operation: Operation, source: Source, others: Sequence[Transition]
    ) -> Iterator[tuple[Reading, bool]]:
        """How a statement can be executed; False: by a violation. `others` are those beside it."""

    @property
    def accepting(self) -> set[int]:
        return {VIOLATED, *self._graph.accept_locations}

    def by_location(self) -> dict[int, list[tuple[Reading, int]]]:
        """Locations in the order in which a breadth-first search meets them; the first is where it begins."""
        queue = [self._settled(self._graph.initial)]
        moves: dict[int, list[tuple[Reading, int]]] = {queue[0]: []}
        for location in queue:
            if location != VIOLATED:
                moves[location] = list(self._moves(location, ()))
            for _, target in moves[location]:
                if target not in moves:
                    moves[target] = []
                    queue.append(target)
        return moves

    def _settled(self, location: int) -> int:
        """Where a claim that comes to a location is: the end of a claim is a violation."""
        return VIOLATED if location in self._graph.end_locations else location

    def _moves(self, location: int, passed: tuple[int, ...]) -> Iterator[tuple[Reading, int]]:
        """What the claim does with one state; `passed` are the locations of its atomic sequence so far."""
        listed = self._graph.edges.get(location, [])
        for edge in listed:
            transition = edge.transition
            if edge.escape or transition.escapes:
                raise self.refused("unless", transition.source)
            others = [other.transition for other in listed if other is not edge]
            for reading, goes_on in self._readings(transition, others):
                self._left -= 1
                if self._left < 0:
                    raise self.refused("so many nested choices", transition.source)
                target = self._settled(transition.target) if goes_on else VIOLATED
                if target == VIOLATED or not transition.continues:
                    yield reading, target
                elif target in (location, *passed):
                    raise self.refused("a loop within an atomic sequence", transition.source)
                else:
                    for more, end in self._moves(target, (location, *passed)):
                        both = self.joined(reading, more)
                        if both is not None:
                            yield both, end

    def _readings(
        self, transition: Transition, others: Sequence[Transition]
    ) -> Iterator[tuple[Reading, bool]]:
        if transition.d_step is None:
            assert transition.operation is not None
            yield from self.readings(transition.operation, transition.source, others)
            return
        so_far = [self.nothing()]
        for operation, source in self._straight(transition.d_step):
            after: list[Reading] = []
            for before in so_far:
                for reading, goes_on in self.readings(operation, source, []):
                    both = self.joined(before, reading)
                    if both is None:
                        continue
                    if goes_on:
                        after.append(both)
                    else:
                        yield both, False
            so_far = after
        for reading in so_far:
            yield reading, True

    def _straight(self, chain: control.Chain) -> Iterator[tuple[Operation, Source]]:
        for node in chain.nodes():
            if node.kind is Kind.PLAIN and node.inner is not None:
                yield from self._straight(node.inner)
            elif node.kind is not Kind.OPERATION or node.operation is None:
                raise self.refused("a choice or a jump within d_step", node.source)
            else:
                yield node.operation, node.source

    def none_of(self, others: Sequence[Transition]) -> list[tuple[Expr, Source]] | None:
        """What must be false for `else`; None where it is never executable."""
        conditions = []
        for transition in others:
            operation, source = transition.operation, transition.source
            if transition.d_step is not None:
                operation, source = next(self._straight(transition.d_step))
            match operation:
                case ops.Test(Const(0)):
                    continue
                case ops.Test(condition) if not isinstance(condition, Const):
                    conditions.append((condition, source))
                case _:
                    return None
        return conditions

    @staticmethod
    def refused(what: str, source: Source) -> UnsupportedConstruct:
        return UnsupportedConstruct(
            f"{what} in a claim is not supported",
            where=source.where,
            hint="a claim is made of conditions, assert, skip, goto, if, do, atomic, d_step and c_code",
        )
