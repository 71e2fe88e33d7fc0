"""Expressions to C text: scalars, places, channel tests.

Guards read the old state (`g`, `p`); inside an effect the same names mean the new one.
What can go wrong while an expression is evaluated (an index out of range, a division
by zero) sets `c->fatal` to a violation code, and the context remembers that it can.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela.code_foreign import value_text
from assay.languages.promela.layout import Block, Layout, QueueLayout, is_fixed_index
from assay.languages.promela.operations import Const, Expr, Load, Place, Scalar, Symbol
from assay.languages.promela.plan import Context, Plan
from assay.languages.promela.syntax import Location, Match
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct


class ExpressionCode:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.layout = plan.layout
        self.lines: list[str] = []
        self.functions = 0  # transitions generated so far
        self.has_rendezvous = any(shape.capacity == 0 for shape in self.layout.shapes)

    def line(self, text: str = "") -> None:
        self.lines.append(text)

    # --- scalars ---

    @staticmethod
    def macro(scalar: Scalar) -> str:
        if scalar.signed:
            return {2: "I16", 4: "I32"}[scalar.size]
        return {1: "U8", 2: "U16", 4: "U32"}[scalar.size]

    def load_text(self, scalar: Scalar, address: str) -> str:
        return f"(int){self.macro(scalar)}({address})"

    def truncated(self, scalar: Scalar, value: str) -> str:
        if scalar.signed:
            return f"(int)(i16)({value})" if scalar.size == 2 else f"({value})"
        if scalar.bits == 32:
            return f"({value})"
        return f"(({value}) & {(1 << scalar.bits) - 1})"

    def store_text(self, scalar: Scalar, address: str, value: str) -> str:
        macro = self.macro(scalar)
        if scalar.bits < 8 * scalar.size:
            value = self.truncated(scalar, value)
        return f"{macro}({address}) = ({macro.lower()})({value});"

    # --- expressions ---

    def address(self, place: Place, c: Context, base: str | None = None) -> str:
        block = self.block_of(place.symbol)
        root = base or (c.state if place.symbol.owner is None else c.own)
        fixed, strides = self.layout.place_steps(place)
        text = f"{root} + {block.offsets[place.symbol] + fixed}"
        for position, stride in strides:
            step = place.steps[position]
            assert step.index is not None
            assert step.length is not None
            text += f" + {stride}u * {self.index(step.index, step.length, place, c)}"
        return text

    def index(self, index: Expr, length: int, place: Place, c: Context) -> str:
        c.fails = True
        code = self.plan.violations.code(
            "array-index", f"index outside '{place.symbol.name}' (length {length})", place.where
        )
        return f"at(c, {self.expression(index, c)}, {length}, {code}u)"

    def block_of(self, symbol: Symbol) -> Block:
        return self.layout.globals if symbol.owner is None else self.layout.processes[symbol.owner]

    def load(self, place: Place, c: Context, base: str | None = None) -> str:
        if Layout.is_fixed_channel(place.symbol):
            return self.channel_number(place, c, base)
        if place.symbol in self.layout.unread:
            checks = [
                f"(void){self.index(step.index, step.length, place, c)}"
                for step in place.steps
                if step.index is not None and step.length is not None and not is_fixed_index(step)
            ]
            return f"({', '.join([*checks, '0'])})"
        return self.load_text(place.type, self.address(place, c, base))

    def channel_number(self, place: Place, c: Context, base: str | None = None) -> str:
        """The number of a channel whose variable never changes."""
        first = self.block_of(place.symbol).first_queue[place.symbol].ordinal
        element = "0"
        step = place.steps[0]
        if step.index is not None and step.length is not None:
            if is_fixed_index(step):
                element = self.expression(step.index, c)
            else:
                element = f"(int){self.index(step.index, step.length, place, c)}"
        if place.symbol.owner is None:
            return f"({first + 1} + {element})"
        return f"(first_channel({c.state}, {base or c.own}) + {first} + {element})"

    def expression(self, e: Expr, c: Context) -> str:
        match e:
            case Const(value):
                return "(-2147483647 - 1)" if value == -(2**31) else f"({value})"
            case Load(place):
                return self.load(place, c)
            case ops.UnaryOp(operator, operand):
                return f"({operator}{self.expression(operand, c)})"
            case ops.BinaryOp(operator, left, right, where):
                return self.binary(operator, left, right, where, c)
            case ops.Choose(condition, then, otherwise):
                return (
                    f"({self.expression(condition, c)} ? {self.expression(then, c)}"
                    f" : {self.expression(otherwise, c)})"
                )
            case ops.OwnPid():
                return c.pid
            case ops.ProcessCount():
                if c.counts_claim and self.plan.counts_claim:
                    return f"((int)PROCESSES({c.state}) + 1)"
                return f"(int)PROCESSES({c.state})"
            case ops.SomebodyAt(prefix):
                return f"somebody_at_{prefix}({c.state})"
            case ops.ClaimAccepts():
                return f"claim_accepts(c, {c.state})"
            case ops.SomebodyMoves():
                return "somebody_moves(words, word_count)"
            case ops.IsOver():  # the cheap half first
                return "(is_valid_end(words, word_count) && !somebody_moves(words, word_count))"
            case ops.LastPid():
                return f"(int)LAST({c.state})"
            case ops.ChannelLength(channel):
                return self.channel_test(channel, "length", c)
            case ops.ChannelState(test, channel):
                return self.channel_test(channel, test, c)
            case ops.PollMessage(channel, anywhere, fields, where):
                return self.poll(channel, anywhere, fields, where, c)
            case ops.IsTimeout():
                return "((int)c->timeout)"
            case ops.IsEnabled(process, where):
                code = self.plan.violations.code(
                    "enabled-self", "enabled() asks about the asking process", where
                )
                circular = self.plan.violations.code(
                    "enabled-circular", "enabled() depends on its own answer, through another process", where
                )
                c.fails = True
                who = self.expression(process, c)
                return f"is_enabled(c, {c.state}, {who}, {c.pid}, moved, {code}u, {circular}u)"
            case ops.LocationOf(process):
                return f"(int)LOCATION(process_at({c.state}, {self.expression(process, c)}))"
            case ops.PriorityOf(process):
                if process is None:
                    return f"(int)PRIORITY({c.own})"
                return f"(int)PRIORITY(process_at({c.state}, {self.expression(process, c)}))"
            case ops.AtLabel(proctype, process, label, where):
                location = self.label(proctype, label, where)
                return f"(LOCATION({self.remote(proctype, process, where, c)}) == {location})"
            case ops.RemoteLoad(proctype, process, place):
                base = self.remote(proctype, process, place.where, c)
                return self.load(place, c, base)
            case ops.ForeignValue():
                return value_text(e, c, self.plan)
            case ops.InNextState(expression):
                inner = Context(None, "next_g", "next_g", c.pid)
                text = self.expression(expression, inner)
                c.fails |= inner.fails
                return text
            case ops.StartProcess(_, _, _, where):
                raise UnsupportedConstruct(
                    "'run' inside a larger expression",
                    where=where,
                    hint="assign its result to a variable first",
                )
        raise TypeError(f"no C for {e!r}")

    def binary(self, operator: str, left: Expr, right: Expr, where: Location, c: Context) -> str:
        a, b = self.expression(left, c), self.expression(right, c)
        if operator in ("/", "%"):
            if isinstance(right, Const) and right.value not in (0, -1):
                return f"({a} {operator} {b})"
            c.fails = True
            code = self.plan.violations.code("division", "division by zero", where)
            return f"{'divide' if operator == '/' else 'modulo'}(c, {a}, {b}, {code}u)"
        if operator == "<<":
            return f"shift_left({a}, {b})"
        if operator == ">>":
            return f"shift_right({a}, {b})"
        return f"({a} {operator} {b})"

    def remote(self, proctype: str, process: Expr | None, where: Location, c: Context) -> str:
        number = self.process_number(proctype, where)
        if process is None:
            return f"process_of_type({c.state}, {number}u)"
        return f"process_at({c.state}, {self.expression(process, c)})"

    def process_number(self, name: str, where: Location) -> int:
        process = self.plan.resolver.processes.get(name)
        if process is None:
            raise SourceProblem(f"unknown proctype '{name}'", where=where)
        return process.number

    def label(self, proctype: str, label: str, where: Location) -> int:
        self.process_number(proctype, where)
        location = self.plan.graphs[proctype].location_of(label)
        if location is None:
            raise SourceProblem(f"proctype '{proctype}' has no label '{label}'", where=where)
        return location

    # --- channels in expressions ---

    def fixed_queue(self, place: Place) -> QueueLayout | None:
        """The shape of a channel that is known before the search; None if it must be looked up."""
        if Layout.is_fixed_channel(place.symbol) and place.symbol.channel is not None:
            return self.layout.queue_layout(place.symbol.channel)
        return None

    def queue_address(self, place: Place, c: Context) -> str:
        layout = self.fixed_queue(place)
        assert layout is not None
        block = self.block_of(place.symbol)
        first = block.first_queue[place.symbol]
        root = c.state if place.symbol.owner is None else c.own
        step = place.steps[0]
        if step.index is None or step.length is None:
            return f"({root} + {first.offset})"
        spacing = (layout.size + 7) // 8 * 8
        if is_fixed_index(step):
            assert isinstance(step.index, Const)
            return f"({root} + {first.offset + spacing * step.index.value})"
        return f"({root} + {first.offset} + {spacing}u * {self.index(step.index, step.length, place, c)})"

    def found_queue(self, place: Place, c: Context) -> str:
        c.fails = True
        code = self.plan.violations.code(
            "uninitialized-channel", f"'{place.symbol.name}' names no channel here", place.where
        )
        return f"find_queue(c, {c.state}, {self.load(place, c)}, {code}u)"

    def channel_test(self, channel: Place, test: str, c: Context) -> str:
        layout = self.fixed_queue(channel)
        if layout is not None:
            capacity = layout.shape.capacity
            if capacity:
                length = f"(int)U8({self.queue_address(channel, c)})"
                full = f"({length} >= {capacity})"
            else:  # it holds a message only while that is being handed over
                length = full = f"(channel && {self.load(channel, c)} == channel)" if c.offered else "0"
        else:
            queue = self.found_queue(channel, c)
            length = f"queue_length({queue})"
            full = f"queue_full({queue})"
        return {
            "length": f"({length})",
            "empty": f"({length} == 0)",
            "nempty": f"({length} > 0)",
            "full": f"({full})",
            "nfull": f"(!{full})",
        }[test]

    def poll(
        self, channel: Place, anywhere: bool, fields: Sequence[ops.FieldMatch], where: Location, c: Context
    ) -> str:
        """Whether a message lies there; a rendezvous channel holds none, and to ask is an error."""
        layout = self.fixed_queue(channel)
        never_holds = self.has_rendezvous if layout is None else layout.shape.capacity == 0
        if not never_holds:
            return self.message_waits(channel, anywhere, fields, where, c)
        c.fails = True
        code = self.plan.violations.code("poll-rendezvous", "a poll of a rendezvous channel", where)
        if layout is not None:
            self.check_fields(len(fields), layout, where, "received")
            return f"failing(c, {code}u)"
        rendezvous = f"is_rendezvous({self.found_queue(channel, c)})"
        waits = self.message_waits(channel, anywhere, fields, where, c)
        return f"({rendezvous} ? failing(c, {code}u) : {waits})"

    def message_waits(
        self, channel: Place, anywhere: bool, fields: Sequence[ops.FieldMatch], where: Location, c: Context
    ) -> str:
        """Whether a buffer has a message that matches."""
        layout = self.fixed_queue(channel)
        if layout is not None:
            self.check_fields(len(fields), layout, where, "received")
            if layout.shape.capacity == 0:
                return "0"
            queue, length = f"const u8 *q = {self.queue_address(channel, c)};", "U8(q)"
        else:
            queue, length = f"struct queue q = {self.found_queue(channel, c)};", "queue_length(q)"
        tests = self.field_tests(fields, layout, "slot", where, c)
        limit = length if anywhere else f"({length} > 0)"
        return (
            f"({{ {queue} int slot, found = 0; for (slot = 0; !found && slot < {limit}; slot++) "
            f"found = {tests}; found; }})"
        )

    def field_tests(
        self,
        fields: Sequence[ops.FieldMatch],
        layout: QueueLayout | None,
        slot: str,
        where: Location,
        c: Context,
    ) -> str:
        """Whether the message in a slot of the channel `q` has the values asked for, from the first on."""
        tests = []
        for i, f in enumerate(fields):
            if f.match is not Match.EQUAL or f.expression is None:
                continue
            if layout is None and self.lacks_fields(i + 1):
                c.fails = True
                tests.append(f"queue_has(c, q, {i}, {self.fields_code(where)}u)")
            tests.append(f"{self.field_text(layout, slot, i)} == {self.expression(f.expression, c)}")
        return " && ".join(tests) or "1"

    def lacks_fields(self, given: int) -> bool:
        """Does some channel carry fewer fields?"""
        return any(len(shape.fields) < given for shape in self.layout.shapes)

    def field_text(self, layout: QueueLayout | None, slot: str, field: int) -> str:
        """Field of the message in a slot of the channel `q`; without a layout, of any shape."""
        if layout is None:
            exists = any(s.capacity and field < len(s.fields) for s in self.layout.shapes)
            return f"queue_field_{field}(q, {slot})" if exists else "0"
        return self.load_text(
            layout.shape.fields[field], self.slot_text(layout, slot, layout.field_offsets[field])
        )

    @staticmethod
    def slot_text(layout: QueueLayout, slot: str, offset: int = 0) -> str:
        first = layout.first_message + offset
        return f"q + {first}" if slot == "0" else f"q + {first} + (uint32_t){slot} * {layout.stride}u"

    def fields_code(self, where: Location) -> int:
        return self.plan.violations.code("message-fields", "a message has the wrong number of fields", where)

    def check_fields(self, given: int, layout: QueueLayout, where: Location, verb: str) -> bool:
        """Whether a message has the right number of fields; too many are refused, too few are an
        error only when the statement is executed, as in SPIN."""
        expected = len(layout.shape.fields)
        if given > expected:
            raise SourceProblem(f"expected {expected} message fields, got {given} {verb}", where=where)
        return given == expected
