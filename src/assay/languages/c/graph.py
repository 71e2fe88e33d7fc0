"""Draws the control flow of one procedure, edge by edge, as its statements are read."""

from __future__ import annotations

from dataclasses import replace

from assay.languages.c import types as t
from assay.languages.c.memory import POINTER_BITS
from assay.transition_system.sequential.bitvectors import (
    FALSE,
    TRUE,
    Bits,
    Sort,
    Term,
    all_of,
    negated,
    variable,
)
from assay.transition_system.sequential.control_flow import (
    Action,
    Assign,
    Assume,
    Choose,
    Edge,
    Failure,
    Mention,
    Place,
    Position,
    Procedure,
    VariableName,
)


class Graph:
    """`here` is the location that the next edge leaves; None where nothing can come (after `return`)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.edges: list[Edge] = []
        self.failures: dict[int, Failure] = {}
        self.locals: dict[Term, None] = {}
        self.count = 2
        self.entry, self.exit = 0, 1
        self.here: int | None = self.entry
        self.temporaries = 0
        self.addresses: dict[Term, None] = {}
        self.names: dict[Term, VariableName] = {}
        self.results: dict[Position, Term] = {}  # what the call at a place returned
        self.points: dict[int, Position] = {}
        self.mentions: list[Mention] = []  # of the next edge

    def mention(self, text: str, term: Term, kind: t.Type, *, is_write: bool = False) -> None:
        is_signed = isinstance(kind, t.Integer) and kind.signed
        self.mentions.append(Mention(text, term, is_write, is_signed, isinstance(kind, t.Pointer)))

    def mentioned(self, when: Term = TRUE) -> tuple[Mention, ...]:
        """Of the next edge, if this holds there; the one after it has others."""
        found, self.mentions = self.mentions, []
        return tuple(
            found if when is TRUE else (replace(one, when=all_of((one.when, when))) for one in found)
        )

    def location(self) -> int:
        self.count += 1
        return self.count - 1

    def point(self, place: Place) -> int:
        """A location that has a name: the head of a loop, or a label."""
        made = self.location()
        self.points[made] = (place.line, place.column)
        return made

    def local(self, name: str, sort: Sort) -> Term:
        made = variable(f"{self.name}::{name}", sort)
        self.locals[made] = None
        return made

    def address(self, name: str) -> Term:
        """Of a local in memory: a constant, another one in each copy of the procedure."""
        made = variable(f"{self.name}::&{name}", Bits(POINTER_BITS))
        self.addresses[made] = None
        return made

    def temporary(self, sort: Sort, purpose: str) -> Term:
        self.temporaries += 1
        return self.local(f"{purpose}#{self.temporaries}", sort)

    def act(self, action: Action, place: Place, text: str = "") -> None:
        self.go(self.location(), action, place, text)

    def go(self, target: int, action: Action, place: Place, text: str = "") -> None:
        """An edge from here to a location, which is here then."""
        if self.here is not None:
            self.edges.append(Edge(self.here, target, action, place, text, self.mentioned()))
            self.here = target

    def jump(self, target: int, place: Place, text: str = "") -> None:
        """And nothing comes after it here."""
        self.go(target, Assume(TRUE), place, text)
        self.here = None

    def assign(self, name: Term, value: Term, place: Place, text: str = "") -> None:
        self.act(Assign(((name, value),)), place, text)

    def choose(self, name: Term, origin: str, place: Place, *, is_input: bool) -> None:
        self.act(Choose(name, origin, is_input), place, f"{origin}()" if is_input else origin)

    def branch(self, condition: Term, yes: int, no: int, place: Place, text: str = "") -> None:
        mentions = self.mentioned()
        if self.here is not None:
            for target, side, prefix in ((yes, condition, ""), (no, negated(condition), "!")):
                if side is not FALSE:
                    called = prefix + f"({text})"
                    self.edges.append(Edge(self.here, target, Assume(side), place, called, mentions))
        self.here = None

    def require(self, condition: Term, failure: Failure, text: str) -> None:
        """Where it does not hold, the run fails."""
        if condition is TRUE or self.here is None:
            return
        fails, goes_on = self.location(), self.location()
        self.failures[fails] = failure
        self.branch(condition, goes_on, fails, failure.place, text)
        self.here = goes_on

    def fail(self, failure: Failure, text: str) -> None:
        if self.here is not None:
            target = self.location()
            self.failures[target] = failure
            self.jump(target, failure.place, text)

    def stop(self, place: Place, text: str) -> None:
        """The program ends here, and that is no failure."""
        self.jump(self.location(), place, text)

    def mark(self) -> tuple[int, int, int | None]:
        return len(self.edges), self.count, self.here

    def undo(self, mark: tuple[int, int, int | None]) -> None:
        """Forgets all that was drawn since the mark; locals that were made meanwhile do no harm."""
        edges, self.count, self.here = mark
        self.mentions = []
        del self.edges[edges:]
        self.points = {at: point for at, point in self.points.items() if at < self.count}
        self.failures = {at: failure for at, failure in self.failures.items() if at < self.count}

    def procedure(self, parameters: tuple[Term, ...], result: Term | None) -> Procedure:
        self.names |= {term: VariableName("", at) for at, term in self.results.items()}
        locals_ = tuple(one for one in self.locals if one not in parameters)
        return Procedure(
            self.name,
            parameters,
            result,
            locals_,
            self.entry,
            self.exit,
            tuple(self.edges),
            self.failures,
            tuple(self.addresses),
            self.names,
            self.points,
        )
