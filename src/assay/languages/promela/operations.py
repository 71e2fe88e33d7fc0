"""What a Promela process does, with every name resolved: types, places, expressions, operations.

The control graph (`control.py`) carries these; the analyses and the C generator read them.
Nothing here knows about scopes or source text any more, except for the location that
an error message needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from assay.languages.promela.syntax import EmbeddedText, Location, Match
from assay.records import dataclass

# --- types -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number of `bits` bits; storing truncates."""

    name: str  # bit, bool, byte, pid, short, int, unsigned, mtype, chan
    bits: int
    signed: bool = False
    mtype_set: str | None = None

    @property
    def size(self) -> int:
        """Bytes in the state."""
        return 1 if self.bits <= 8 else 2 if self.bits <= 16 else 4


BIT = Scalar("bit", 1)
BOOL = Scalar("bool", 1)
BYTE = Scalar("byte", 8)
PID = Scalar("pid", 8)
SHORT = Scalar("short", 16, signed=True)
INT = Scalar("int", 32, signed=True)
CHAN = Scalar("chan", 8)


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: Type
    length: int | None
    initial: tuple[int, ...] | None = None
    channel: ChannelShape | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    name: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)


Type = Scalar | Structure


@dataclass(frozen=True, slots=True)
class ChannelShape:
    """Capacity 0 is a rendezvous channel; structures are flattened into their scalars."""

    capacity: int
    fields: tuple[Scalar, ...]


# --- symbols -----------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Symbol:
    """A variable. Symbols are compared by identity: two scopes may use one name twice."""

    name: str
    type: Type
    where: Location
    owner: str | None  # proctype, None for a global
    length: int | None = None
    initial: Expr | tuple[Expr, ...] | None = None  # evaluated when the owner starts
    channel: ChannelShape | None = None
    hidden: bool = False
    local_use: bool = False  # declared `local`: a global that one process uses
    parameter: bool = False
    exclusive_receive: bool = False
    exclusive_send: bool = False
    assigned: bool = False  # somebody stores into it after its declaration
    read: bool = False
    identifier: str = ""  # unique within its owner
    declaration: str = ""  # in C, of a c_state: then it is so many bytes that only C understands

    def __repr__(self) -> str:
        return f"<{self.owner or 'global'}.{self.identifier or self.name}>"


# --- expressions --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expr:
    pass


@dataclass(frozen=True, slots=True)
class Step:
    """One step into a place: an element of an array, then possibly a field of it."""

    index: Expr | None
    length: int | None
    field: str | None  # the field taken after indexing


@dataclass(frozen=True, slots=True)
class Place:
    """A scalar somewhere in the state: a symbol and the way from it to the scalar."""

    symbol: Symbol
    steps: tuple[Step, ...]
    type: Scalar
    where: Location
    channel: ChannelShape | None = None


@dataclass(frozen=True, slots=True)
class Const(Expr):
    value: int


@dataclass(frozen=True, slots=True)
class Load(Expr):
    place: Place


@dataclass(frozen=True, slots=True)
class UnaryOp(Expr):
    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class BinaryOp(Expr):
    operator: str
    left: Expr
    right: Expr
    where: Location


@dataclass(frozen=True, slots=True)
class Choose(Expr):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class OwnPid(Expr):
    pass


@dataclass(frozen=True, slots=True)
class ProcessCount(Expr):
    pass


@dataclass(frozen=True, slots=True)
class LastPid(Expr):
    pass


@dataclass(frozen=True, slots=True)
class ChannelLength(Expr):
    channel: Place


@dataclass(frozen=True, slots=True)
class ChannelState(Expr):
    test: str  # "empty", "nempty", "full", "nfull"
    channel: Place


@dataclass(frozen=True, slots=True)
class FieldMatch:
    match: Match
    expression: Expr | None = None  # EQUAL
    place: Place | None = None  # STORE


@dataclass(frozen=True, slots=True)
class PollMessage(Expr):
    channel: Place
    anywhere: bool
    fields: tuple[FieldMatch, ...]
    where: Location


@dataclass(frozen=True, slots=True)
class StartProcess(Expr):
    proctype: str
    arguments: tuple[Expr, ...]
    priority: int
    where: Location


@dataclass(frozen=True, slots=True)
class IsEnabled(Expr):
    process: Expr
    where: Location


@dataclass(frozen=True, slots=True)
class LocationOf(Expr):
    """pc_value(pid)"""

    process: Expr


@dataclass(frozen=True, slots=True)
class PriorityOf(Expr):
    process: Expr | None  # None: the process itself (`_priority`)


@dataclass(frozen=True, slots=True)
class IsTimeout(Expr):
    pass


@dataclass(frozen=True, slots=True)
class AtLabel(Expr):
    proctype: str
    process: Expr | None
    label: str
    where: Location


@dataclass(frozen=True, slots=True)
class RemoteLoad(Expr):
    proctype: str
    process: Expr | None
    place: Place


@dataclass(frozen=True, slots=True)
class SomebodyAt(Expr):
    """Only in claims: some process is at a label with this prefix ("accept" or "progress")."""

    prefix: str


@dataclass(frozen=True, slots=True)
class ClaimAccepts(Expr):
    """Only in claims: the one that executes C is at a location that accepts."""


@dataclass(frozen=True, slots=True)
class SomebodyMoves(Expr):
    """Only in claims: the state has a successor."""


@dataclass(frozen=True, slots=True)
class IsOver(Expr):
    """Only in claims: nobody can move, and everybody may stop here."""


@dataclass(frozen=True, slots=True)
class InNextState(Expr):
    """Only in properties over consecutive states."""

    expression: Expr


@dataclass(eq=False, slots=True)
class Fragment:
    """A piece of embedded C, and the variables of the model that it may read and change.

    These are found by their names when all are declared (`embedded_c.fragments`).
    """

    number: int  # of its function in the image
    keyword: str  # c_code or c_expr
    text: str
    precondition: str | None
    code: EmbeddedText
    where: Location
    symbols: list[Symbol] = field(default_factory=list)

    def places(self) -> Iterator[Place]:
        """One for each variable, which stands for the whole of it."""
        for symbol in self.symbols:
            scalar = symbol.type if isinstance(symbol.type, Scalar) else INT
            yield Place(symbol, (Step(None, None, None),), scalar, self.where)


@dataclass(frozen=True, slots=True)
class ForeignValue(Expr):
    """c_expr"""

    fragment: Fragment


# --- operations: what one transition does ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Operation:
    pass


@dataclass(frozen=True, slots=True)
class Skip(Operation):
    pass


@dataclass(frozen=True, slots=True)
class OtherwiseOp(Operation):
    """`else`: executable when no other option of the same choice is."""


@dataclass(frozen=True, slots=True)
class Stop(Operation):
    """The end of a process: it disappears, youngest first."""


@dataclass(frozen=True, slots=True)
class Test(Operation):
    condition: Expr


@dataclass(frozen=True, slots=True)
class Store(Operation):
    place: Place
    value: Expr


@dataclass(frozen=True, slots=True)
class SendMessage(Operation):
    channel: Place
    sorted: bool
    arguments: tuple[Expr, ...]
    where: Location


@dataclass(frozen=True, slots=True)
class ReceiveMessage(Operation):
    channel: Place
    anywhere: bool
    keep: bool
    fields: tuple[FieldMatch, ...]
    where: Location


@dataclass(frozen=True, slots=True)
class Check(Operation):
    """assert"""

    condition: Expr
    where: Location
    text: str


@dataclass(frozen=True, slots=True)
class PrintText(Operation):
    format: str | None
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SetPriorityOp(Operation):
    process: Expr
    priority: Expr
    where: Location


@dataclass(frozen=True, slots=True)
class ForeignCode(Operation):
    """c_code"""

    fragment: Fragment


# --- walking ------------------------------------------------------------------------


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """The expression and everything inside it, indices of places included."""
    yield expr
    match expr:
        case Load(place):
            yield from place_indices(place)
        case UnaryOp(_, operand):
            yield from subexpressions(operand)
        case BinaryOp(_, left, right, _):
            yield from subexpressions(left)
            yield from subexpressions(right)
        case Choose(condition, then, otherwise):
            for part in (condition, then, otherwise):
                yield from subexpressions(part)
        case ChannelLength(channel) | ChannelState(_, channel):
            yield Load(channel)
            yield from place_indices(channel)
        case PollMessage(channel, _, fields, _):
            yield Load(channel)
            yield from place_indices(channel)
            for message_field in fields:
                if message_field.expression is not None:
                    yield from subexpressions(message_field.expression)
        case StartProcess(_, arguments, _, _):
            for argument in arguments:
                yield from subexpressions(argument)
        case IsEnabled(process, _) | LocationOf(process):
            yield from subexpressions(process)
        case PriorityOf(process) | AtLabel(_, process, _, _) if process is not None:
            yield from subexpressions(process)
        case RemoteLoad(_, process, place):
            if process is not None:
                yield from subexpressions(process)
            yield from place_indices(place)
        case InNextState(expression):
            yield from subexpressions(expression)
        case ForeignValue(fragment):
            yield from map(Load, fragment.places())


def place_indices(place: Place) -> Iterator[Expr]:
    for step in place.steps:
        if step.index is not None:
            yield from subexpressions(step.index)


def operation_reads(operation: Operation) -> Iterator[Expr]:
    """Every expression that executing (or trying) the operation evaluates."""
    match operation:
        case Test(condition) | Check(condition, _, _):
            yield from subexpressions(condition)
        case Store(place, value):
            yield from place_indices(place)
            yield from subexpressions(value)
        case SendMessage(channel, _, arguments, _):
            yield from subexpressions(Load(channel))
            for argument in arguments:
                yield from subexpressions(argument)
        case ReceiveMessage(channel, _, _, fields, _):
            yield from subexpressions(Load(channel))
            for message_field in fields:
                if message_field.expression is not None:
                    yield from subexpressions(message_field.expression)
                if message_field.place is not None:
                    yield from place_indices(message_field.place)
        case PrintText(_, arguments):
            for argument in arguments:
                yield from subexpressions(argument)
        case SetPriorityOp(process, priority, _):
            yield from subexpressions(process)
            yield from subexpressions(priority)
        case ForeignCode(fragment):
            yield from map(Load, fragment.places())


def operation_writes(operation: Operation) -> Iterator[Place]:
    match operation:
        case Store(place, _):
            yield place
        case ReceiveMessage(_, _, _, fields, _):
            for message_field in fields:
                if message_field.place is not None:
                    yield message_field.place
        case ForeignCode(fragment):
            yield from fragment.places()


@dataclass(frozen=True, slots=True)
class Source:
    """Where an operation stands and how a person wrote it."""

    where: Location
    text: str


@dataclass(eq=False, slots=True)
class Process:
    """A proctype, resolved."""

    name: str
    number: int
    where: Location
    parameters: list[Place] = field(default_factory=list)  # structures flattened, as arguments are
    symbols: list[Symbol] = field(default_factory=list)  # locals, parameters first
    provided: Expr | None = None
    priority: int = 1
    instances: int = 0  # started at once
    is_init: bool = False
