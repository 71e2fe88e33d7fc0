"""Why a process does not move: what each of its statements waits for, with the values that decide it.

Evaluates conditions in a stored state, for sentences alone: no verdict rests on it. What it does not
understand it says nothing about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from assay.languages.promela import operations as ops
from assay.languages.promela.layout import Layout, Queue
from assay.languages.promela.operations import Expr, Operation, Place, Process, Structure
from assay.languages.promela.syntax import Match
from assay.records import dataclass

BINARY: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: int(a / b) if b else _unknown(),
    "%": lambda a, b: a - b * int(a / b) if b else _unknown(),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


PROCESS_COUNT = "_nr_pr"


class Unknown(Exception):
    """Nothing can be said of this expression."""


def _unknown() -> int:
    raise Unknown


@dataclass(frozen=True, slots=True)
class Reason:
    """What a statement waits for."""

    awaited: str  # "a message", "room", "a receiver", "a sender", "a condition"
    what: str  # the channel, or the variable that decides
    text: str  # what comes behind "waits for"
    receives: bool = False
    sends: bool = False


@dataclass(frozen=True, slots=True)
class Channel:
    name: str
    queue: Queue
    messages: tuple[tuple[object, ...], ...]

    @property
    def capacity(self) -> int:
        return self.queue.layout.shape.capacity


class Moment:
    """A state, seen by one process."""

    def __init__(
        self,
        state: bytes,
        layout: Layout,
        blocks: Sequence[tuple[int, int, Process]],
        pid: int,
        shown: Callable[[bytes, int, ops.Scalar], object],
    ) -> None:
        self._state = state
        self._layout = layout
        self._blocks = blocks
        self._pid = pid
        self._shown = shown
        self._own = next(offset for number, offset, _ in blocks if number == pid)
        self._title = next(f"{process.name}[{number}]" for number, _, process in blocks if number == pid)

    # --- values ---

    def value(self, expr: Expr) -> int:
        match expr:
            case ops.Const(value):
                return value
            case ops.OwnPid():
                return self._pid
            case ops.ProcessCount():
                return len(self._blocks)
            case ops.Load(place):
                return self._number(place)
            case ops.UnaryOp(operator, operand):
                value = self.value(operand)
                return {"!": int(not value), "-": -value, "~": ~value, "+": value}.get(operator, value)
            case ops.BinaryOp("&&", left, right, _):
                return int(bool(self.value(left)) and bool(self.value(right)))
            case ops.BinaryOp("||", left, right, _):
                return int(bool(self.value(left)) or bool(self.value(right)))
            case ops.BinaryOp(operator, left, right, _) if operator in BINARY:
                return BINARY[operator](self.value(left), self.value(right))
            case ops.Choose(condition, then, otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case ops.ChannelLength(channel):
                return len(self.channel(channel).messages)
            case ops.ChannelState(test, channel):
                found = self.channel(channel)
                held = len(found.messages)
                answers = {"empty": not held, "nempty": bool(held), "full": held >= found.capacity}
                return int(answers.get(test, held < found.capacity))
        raise Unknown

    def _number(self, place: Place) -> int:
        at = self._offset(place)
        raw = self._state[at : at + place.type.size]
        return int.from_bytes(raw, "little", signed=place.type.signed)

    def _offset(self, place: Place) -> int:
        symbol = place.symbol
        block = self._layout.globals if symbol.owner is None else self._layout.processes[symbol.owner]
        if symbol not in block.offsets:
            raise Unknown
        at = block.offsets[symbol] + (0 if symbol.owner is None else self._own)
        type_: ops.Type = symbol.type
        for step in place.steps:
            size, _ = self._layout.size_of(type_)
            if step.index is not None:
                at += size * self._index(step)
            if step.field is not None and isinstance(type_, Structure):
                at += self._layout.structure_layout(type_).offsets[step.field]
                inner = type_.field(step.field)
                assert inner is not None
                type_ = inner.type
        return at

    def _index(self, step: ops.Step) -> int:
        assert step.index is not None
        index = self.value(step.index)
        if not 0 <= index < (step.length or 1):
            raise Unknown
        return index

    def name(self, place: Place) -> str:
        """As rows call it: `forks[1]`, and what belongs to the process `P[1].x`."""
        symbol = place.symbol
        text = symbol.identifier if symbol.owner is None else f"{self._title}.{symbol.identifier}"
        for step in place.steps:
            text += f"[{self._index(step)}]" if step.index is not None else ""
            text += f".{step.field}" if step.field is not None else ""
        return text

    def values(self, expr: Expr) -> Iterator[tuple[str, str]]:
        """Of the variables and channels in it: name and value. Indices are in the names."""
        for part in _outside_of_indices(expr):
            try:
                if isinstance(part, ops.Load) and part.place.symbol.channel is None:
                    yield self.name(part.place), self.said(part.place)
                elif isinstance(part, ops.ProcessCount):
                    yield PROCESS_COUNT, str(len(self._blocks))
                elif isinstance(part, ops.ChannelLength | ops.ChannelState | ops.PollMessage):
                    found = self.channel(part.channel)
                    yield found.name, f"[{', '.join(map(message, found.messages))}]"
            except Unknown:
                continue

    def said(self, place: Place) -> str:
        value = self._shown(self._state, self._offset(place), place.type)
        return str(value).lower() if isinstance(value, bool) else str(value)

    # --- channels ---

    def channel(self, place: Place) -> Channel:
        """The channel that a place means here."""
        symbol = place.symbol
        if Layout.is_fixed_channel(symbol):
            block = self._layout.globals if symbol.owner is None else self._layout.processes[symbol.owner]
            first = block.first_queue[symbol].ordinal
            element = self._index(place.steps[0]) if place.steps and place.steps[0].index is not None else 0
            base = 0 if symbol.owner is None else self._own
            return self._read(block.queues[first + element], base, "" if not base else f"{self._title}.")
        return self._numbered(self._number(place))

    def _numbered(self, number: int) -> Channel:
        """Channels are counted from 1: the model's own, then those of each process."""
        left = number - 1
        queues = self._layout.globals.queues
        if left < 0:
            raise Unknown
        if left < len(queues):
            return self._read(queues[left], 0, "")
        left -= len(queues)
        for pid, offset, process in self._blocks:
            queues = self._layout.processes[process.name].queues
            if left < len(queues):
                return self._read(queues[left], offset, f"{process.name}[{pid}].")
            left -= len(queues)
        raise Unknown

    def _read(self, queue: Queue, base: int, prefix: str) -> Channel:
        layout = queue.layout
        messages = []
        if layout.shape.capacity:
            start = base + queue.offset
            for slot in range(self._state[start]):
                at = start + layout.first_message + slot * layout.stride
                fields = zip(layout.field_offsets, layout.shape.fields, strict=True)
                messages.append(
                    tuple(self._shown(self._state, at + offset, scalar) for offset, scalar in fields)
                )
        name = queue.symbol.identifier
        if queue.symbol.length is not None:
            name += f"[{queue.element}]"
        return Channel(prefix + ".".join([name, *queue.path]), queue, tuple(messages))

    # --- why ---

    def reason(self, operation: Operation, text: str) -> Reason | None:
        """None: nothing can be said, or nothing has to be."""
        try:
            match operation:
                case ops.SendMessage(channel, _, _, _):
                    return self._to_send(self.channel(channel))
                case ops.ReceiveMessage():
                    return self._to_receive(self.channel(operation.channel), operation)
                case ops.Test(condition):
                    return self.condition(condition, text)
        except Unknown:
            return None
        return None

    def condition(self, condition: Expr, text: str) -> Reason | None:
        values = dict(self.values(condition))
        if not values:
            return None
        text = text if text.startswith("(") else f"({text})"
        told = " and ".join(f"{name} = {value}" for name, value in values.items())
        shared = [name for name in values if f"{self._title}." not in name]
        what = (shared or list(values))[0]
        return Reason("a condition", what, f"{text}, where {told}")

    @staticmethod
    def _to_send(channel: Channel) -> Reason:
        if not channel.capacity:
            return Reason("a receiver", channel.name, f"somebody to receive from {channel.name}", sends=True)
        held = ", ".join(map(message, channel.messages))
        return Reason("room", channel.name, f"room in {channel.name}, which is full: [{held}]", sends=True)

    def _to_receive(self, channel: Channel, receive: ops.ReceiveMessage) -> Reason:
        wanted = self._wanted(receive)
        if not channel.capacity:
            what = f"somebody to send {wanted} to" if wanted else "somebody to send to"
            return Reason("a sender", channel.name, f"{what} {channel.name}", receives=True)
        if not channel.messages:
            what = f"{wanted} in" if wanted else "a message in"
            return Reason("a message", channel.name, f"{what} {channel.name}, which is empty", receives=True)
        held = ", ".join(map(message, channel.messages))
        which = "which holds" if receive.anywhere or len(channel.messages) == 1 else "whose first message is"
        shown = held if which == "which holds" else message(channel.messages[0])
        what = wanted or "a message"
        return Reason("a message", channel.name, f"{what} in {channel.name}, {which} {shown}", receives=True)

    def _wanted(self, receive: ops.ReceiveMessage) -> str:
        """What the message has to be; empty if any will do."""
        told = []
        shape = receive.channel.channel or self.channel(receive.channel).queue.layout.shape
        for field, scalar in zip_longest(receive.fields, shape.fields):
            if field is None or field.match is not Match.EQUAL or field.expression is None:
                told.append("_")
                continue
            if scalar is None:  # a field that messages do not have
                told.append(str(self.value(field.expression)))
                continue
            raw = self.value(field.expression) & ((1 << (8 * scalar.size)) - 1)
            value = self._shown(raw.to_bytes(scalar.size, "little"), 0, scalar)
            told.append(str(value).lower() if isinstance(value, bool) else str(value))
        return ",".join(told) if any(one != "_" for one in told) else ""


def _outside_of_indices(expr: Expr) -> Iterator[Expr]:
    match expr:
        case ops.UnaryOp(_, operand):
            yield from _outside_of_indices(operand)
        case ops.BinaryOp(_, left, right, _):
            yield from _outside_of_indices(left)
            yield from _outside_of_indices(right)
        case ops.Choose(condition, then, otherwise):
            for part in (condition, then, otherwise):
                yield from _outside_of_indices(part)
        case _:
            yield expr


def message(fields: tuple[object, ...]) -> str:
    return ",".join(str(one).lower() if isinstance(one, bool) else str(one) for one in fields)
