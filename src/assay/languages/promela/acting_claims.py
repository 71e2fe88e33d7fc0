"""A never claim that executes C: a step of the program before each of its steps.

In SPIN such a claim changes the variables of the model and the memory of its C, and the processes go on from
there. An automaton that reads states cannot say that. So the claim moves within the program: its location is
part of the state, and a successor is a move of the claim and then a step of a process, or that alone where
nobody can step. What is left to ask of runs that never end is whether they pass an accepting location of the
claim again and again. Everything else that is done with programs (every search, replay, certificates) is done
with this one.

What the claim does not go along with does not happen, as in SPIN: where it is stuck the run ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela.claim_moves import VIOLATED, ClaimMoves
from assay.languages.promela.control import ControlGraph, Transition
from assay.languages.promela.footprint import operations_of
from assay.languages.promela.operations import Expr, Operation, Source
from assay.languages.promela.syntax import Location
from assay.records import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """A condition that must be as wanted, or the move is not made."""

    condition: Expr
    wanted: bool
    source: Source
    blocks: bool  # as opposed to what an assertion looks at: there is a move for either


@dataclass(frozen=True, slots=True)
class Act:
    """c_code"""

    operation: ops.ForeignCode
    source: Source


Steps = tuple[Look | Act, ...]


@dataclass(frozen=True, slots=True)
class Move:
    number: int
    steps: Steps
    target: int

    @property
    def acts(self) -> bool:
        return any(isinstance(step, Act) for step in self.steps)

    @property
    def source(self) -> Source:
        """What is shown of it: its C, if it has some."""
        shown = next((s.source for s in self.steps if isinstance(s, Act)), None)
        text = "; ".join(step.source.text for step in self.steps) or "true"
        where = shown or next((s.source for s in self.steps), None)
        return Source(where.where if where is not None else Location("", 0, 0), text)


@dataclass(frozen=True, slots=True)
class ActingClaim:
    title: str  # "the never claim"
    where: Location
    initial: int
    moves: Mapping[int, Sequence[Move]]  # by location
    accepting: frozenset[int]  # where it was violated is one of them, and has no moves

    @property
    def questions(self) -> Iterator[tuple[str, Expr, Location]]:
        """Its conditions, each with its text and its place."""
        for listed in self.moves.values():
            for move in listed:
                for step in move.steps:
                    if isinstance(step, Look):
                        yield step.source.text, step.condition, step.source.where

    def move(self, number: int) -> Move:
        return next(one for listed in self.moves.values() for one in listed if one.number == number)

    def line(self, location: int) -> str:
        """Where it stands, for those who read a state."""
        if location == VIOLATED:
            return "violated"
        return next((f"line {m.source.where.line}" for m in self.moves[location] if m.steps), str(location))


def acts(graph: ControlGraph) -> bool:
    """Does a claim execute C?"""
    return any(
        isinstance(operation, ops.ForeignCode)
        for transition in graph.transitions.values()
        for operation in operations_of(transition)
    )


def acting_claim(title: str, where: Location, graph: ControlGraph) -> ActingClaim:
    """Raises UnsupportedConstruct where it does what no claim may."""
    return _Moves(graph).claim(title, where)


class _Moves(ClaimMoves[Steps]):
    def claim(self, title: str, where: Location) -> ActingClaim:
        found = self.by_location()
        moves: dict[int, list[Move]] = {}
        count = 0
        for location, listed in found.items():
            moves[location] = []
            for steps, target in listed:
                moves[location].append(Move(count, steps, target))
                count += 1
        return ActingClaim(title, where, next(iter(found)), moves, frozenset(self.accepting & found.keys()))

    def nothing(self) -> Steps:
        return ()

    def joined(self, one: Steps, other: Steps) -> Steps | None:
        late = next((step for step in other if isinstance(step, Look) and step.blocks), None)
        if late is not None and any(isinstance(step, Act) for step in one):
            raise self.refused("a condition behind c_code in one atomic sequence or d_step", late.source)
        return (*one, *other)

    def readings(
        self, operation: Operation, source: Source, others: Sequence[Transition]
    ) -> Iterator[tuple[Steps, bool]]:
        match operation:
            case ops.Skip() | ops.PrintText():
                yield (), True
            case ops.ForeignCode():
                yield (Act(operation, source),), True
            case ops.Test(condition):
                self._require_answerable(condition, source)
                yield (Look(condition, True, source, blocks=True),), True
            case ops.Check(condition, _, _):
                self._require_answerable(condition, source)
                yield (Look(condition, True, source, blocks=False),), True
                yield (Look(condition, False, source, blocks=False),), False
            case ops.OtherwiseOp():
                conditions = self.none_of(others)
                if conditions is not None:
                    yield tuple(Look(one, False, source, blocks=True) for one, _ in conditions), True
            case _:
                raise self.refused(f"'{source.text}'", source)

    def _require_answerable(self, condition: Expr, source: Source) -> None:
        """Whether somebody moves depends on what the claim does."""
        if any(isinstance(part, ops.SomebodyMoves) for part in ops.subexpressions(condition)):
            raise self.refused(f"'{source.text}' beside c_code", source)
