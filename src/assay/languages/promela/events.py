"""`trace` and `notrace`: an automaton over the sends and receives of the channels that it names.

Written as a process whose statements are events. Its location is a part of the state, and every send or
receive on a channel of its scope takes one step of it: the first event of the location that matches. What
matches is decided by direction, channel and the constants given; `_` and fields left out match anything.
A `trace` must match every such event, be at its closing brace or an `end` label where the system ends, and
be deterministic. A `notrace` must not be matched to its closing brace; the first event that does not match
ends it.

Channels are named by their declarations, so that which events are watched is known before the search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela import syntax
from assay.languages.promela.control import GraphBuilder
from assay.languages.promela.layout import Block, Layout, is_fixed_index
from assay.languages.promela.operations import Const, Operation, Place, Process, Source, Symbol
from assay.languages.promela.resolve import Resolver
from assay.languages.promela.syntax import Location
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct

KINDS = ("trace", "notrace")
MOST_LOCATIONS = 1_000
SEND, RECEIVE = 0, 1


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel as it was declared; `element` counts from 0 in an array."""

    symbol: Symbol
    element: int

    def number(self, globals_: Block) -> int:
        return globals_.first_queue[self.symbol].ordinal + 1 + self.element


@dataclass(frozen=True, slots=True)
class Awaited(Operation):
    """An event that a claim names. A field that is None matches anything, so do fields behind the last."""

    direction: int  # SEND, RECEIVE
    channel: Channel
    fields: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """One way on from a location of a claim; `target` is the number of a location in `EventClaim`."""

    awaited: Awaited
    target: int
    source: Source

    def __str__(self) -> str:
        return f"{self.source.text} (line {self.source.where.line})"


@dataclass(frozen=True, slots=True)
class EventClaim:
    """Its locations are numbered from 0, where it begins."""

    kind: str  # "trace", "notrace"
    where: Location
    locations: tuple[tuple[Event, ...], ...]
    end: int  # the closing brace
    ends: frozenset[int]  # where the system may end
    accepts: frozenset[int]
    progress: frozenset[int]
    scope: frozenset[tuple[int, Channel]]  # (direction, channel) of the events that it watches
    fields: int  # as many as it ever compares

    @property
    def is_negated(self) -> bool:
        return self.kind == "notrace"

    @property
    def text(self) -> str:
        if self.is_negated:
            return f"no run completes the notrace of line {self.where.line}"
        return f"every event follows the trace of line {self.where.line}"

    def marked(self, prefix: str) -> frozenset[int]:
        return {"accept": self.accepts, "progress": self.progress}[prefix]

    def expected(self, location: int) -> str:
        return " or ".join(map(str, self.locations[location])) or "nothing more"

    def unexpected(self, text: str, location: int) -> str:
        """What a violation says: a statement happened at a location where it must not."""
        if self.is_negated:
            return f"{text} completes the notrace of line {self.where.line}"
        return f"{text} does not follow the trace, which expects {self.expected(location)}"

    def ambiguous(self, text: str, location: int) -> str:
        return (
            f"{text} matches more than one event of the {self.kind}, which must be deterministic: "
            f"{self.expected(location)}"
        )

    def may_be_ambiguous(self, location: int, direction: int) -> bool:
        channels = [
            event.awaited.channel
            for event in self.locations[location]
            if event.awaited.direction == direction
        ]
        return len(channels) > len(set(channels))

    def watches(self, place: Place, direction: int) -> bool:
        """May a statement with this channel be an event?"""
        symbol = place.symbol
        if not Layout.is_fixed_channel(symbol):
            return any(found == direction for found, _ in self.scope)
        elements = {
            channel.element for found, channel in self.scope if (found, channel.symbol) == (direction, symbol)
        }
        index = place.steps[0].index
        if isinstance(index, Const):
            return index.value in elements
        return bool(elements)


def only_claim(claims: Iterable[syntax.Claim]) -> syntax.Claim | None:
    """A model has one `trace` or `notrace` at most, as in SPIN."""
    found = [claim for claim in claims if claim.kind in KINDS]
    if len(found) > 1:
        raise SourceProblem(
            f"a second {found[1].kind}; the {found[0].kind} of line {found[0].where.line} is the model's",
            where=found[1].where,
            hint="write one 'trace' or 'notrace' with all events, as in SPIN",
        )
    return found[0] if found else None


def event_claim(claim: syntax.Claim, resolver: Resolver, number: int) -> EventClaim:
    """The automaton of a claim. Comes after all processes: then it is known which names stand for one
    channel."""
    assert claim.body is not None
    require_events(claim.body.body, claim.kind)
    builder = EventGraphBuilder(resolver, Process(claim.kind, number, claim.where))
    builder.read(claim.body)
    graph = builder.finish()
    ordered = list(dict.fromkeys((graph.initial, *graph.edges, builder.stop.number)))
    if len(ordered) > MOST_LOCATIONS:
        raise UnsupportedConstruct(
            f"the {claim.kind} has more than {MOST_LOCATIONS} events",
            where=claim.where,
            hint="make it smaller",
        )
    numbers = {location: place for place, location in enumerate(ordered)}
    locations: list[tuple[Event, ...]] = []
    for location in ordered:
        events = []
        for edge in graph.edges.get(location, ()):
            transition = edge.transition
            if isinstance(transition.operation, ops.Stop):
                continue
            if not isinstance(transition.operation, Awaited):
                raise UnsupportedConstruct(
                    f"'{transition.source.text}' waits for no event in the {claim.kind}",
                    where=transition.source.where,
                    hint="begin every option with a send or a receive, and label no jump",
                )
            events.append(Event(transition.operation, numbers[transition.target], transition.source))
        locations.append(tuple(events))
    awaited = [t.operation for t in graph.transitions.values() if isinstance(t.operation, Awaited)]

    def known(found: Iterable[int]) -> frozenset[int]:
        return frozenset(numbers[location] for location in found if location in numbers)

    return EventClaim(
        claim.kind,
        claim.where,
        tuple(locations),
        numbers[builder.stop.number],
        known(graph.end_locations),
        known(graph.accept_locations),
        known(graph.progress_locations),
        frozenset((event.direction, event.channel) for event in awaited),
        max((len(event.fields) for event in awaited), default=0),
    )


def require_events(statements: Sequence[syntax.Statement], kind: str) -> None:
    """Refuses what SPIN calls `not an event`, and what it lets pass without a meaning."""
    for statement in statements:
        for part in parts_of(statement):
            match part:
                case syntax.Send(_, _, False, _) | syntax.Receive(_, _, False, False, _):
                    continue
                case syntax.Goto() | syntax.Break():
                    continue
            raise UnsupportedConstruct(
                f"not an event: a {kind} is made of sends (!), receives (?), if, do, goto and break",
                where=part.where,
                hint="leave the rest out",
            )


def parts_of(statement: syntax.Statement) -> Iterator[syntax.Statement]:
    """The statements inside choices, sequences and behind labels."""
    match statement:
        case syntax.Labelled():
            yield from parts_of(statement.statement)
        case syntax.Sequence():
            for part in statement.body:
                yield from parts_of(part)
        case syntax.If(_, options) | syntax.Do(_, options):
            for option in options:
                yield from parts_of(option)
        case _:
            yield statement


class EventGraphBuilder(GraphBuilder):
    """Reads a claim as any process, with events in place of operations."""

    def __init__(self, resolver: Resolver, process: Process) -> None:
        super().__init__(resolver, process, resolver.global_scope.open())
        self.kind = process.name

    def operation(self, statement: syntax.Statement) -> Operation:
        match statement:
            case syntax.Send(where, channel, _, arguments):
                fields = tuple(self.sent(argument) for argument in arguments)
                return Awaited(SEND, self.channel(channel, where, len(fields)), fields)
            case syntax.Receive(where, channel, _, _, given):
                matches = self.resolver.message_fields(given, self.scope, store=False)
                fields = tuple(self.received(one, where) for one in matches)
                return Awaited(RECEIVE, self.channel(channel, where, len(fields)), fields)
        return super().operation(statement)

    def sent(self, argument: syntax.Expression) -> int | None:
        if isinstance(argument, syntax.Reference) and argument.parts == (syntax.Part("_", None),):
            return None
        expression = self.resolver.expression(argument, self.scope)
        if not isinstance(expression, Const):
            raise self.no_constant(argument.where)
        return expression.value

    def received(self, field: ops.FieldMatch, where: Location) -> int | None:
        if field.match is syntax.Match.IGNORE:
            return None
        if not isinstance(field.expression, Const):
            raise self.no_constant(where)
        return field.expression.value

    def no_constant(self, where: Location) -> UnsupportedConstruct:
        return UnsupportedConstruct(
            f"a field of an event in the {self.kind} is neither a constant nor '_'",
            where=where,
            hint="write '_' if any value will do",
        )

    def channel(self, reference: syntax.Reference, where: Location, given: int) -> Channel:
        place = self.resolver.channel_place(reference, self.scope)
        step = place.steps[0]
        shape = place.symbol.channel
        is_one = len(place.steps) == 1 and (step.index is None or is_fixed_index(step))
        if shape is None or not Layout.is_fixed_channel(place.symbol) or not is_one:
            raise UnsupportedConstruct(
                f"an event in the {self.kind} is on one channel, known from its declaration; "
                f"'{reference.name}' is not",
                where=where,
                hint="name a global channel that nobody assigns, with a constant index",
            )
        if given > len(shape.fields):
            raise SourceProblem(f"expected {len(shape.fields)} message fields, got {given}", where=where)
        return Channel(place.symbol, step.index.value if isinstance(step.index, Const) else 0)
