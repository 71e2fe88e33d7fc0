"""Transitions to C: one function each, from guard to finished successor.

A guard reads the old state; the effect works on a copy of it that becomes the successor.
Between the two, a successor that the caller does not want is left out (`unwanted`).
A transition inside an atomic sequence goes on with the next one (`go_on`); a rendezvous
send looks for a receiver (`handshake`).
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela.code_d_step import DStepCode
from assay.languages.promela.code_events import EventCode
from assay.languages.promela.code_foreign import call_text
from assay.languages.promela.control import ControlGraph, Transition
from assay.languages.promela.events import RECEIVE, SEND
from assay.languages.promela.layout import MAXIMAL_CHANNELS, MAXIMAL_PROCESSES, QueueLayout
from assay.languages.promela.operations import Operation, Place, Process, Scalar, Symbol
from assay.languages.promela.plan import Context
from assay.languages.promela.syntax import Location, Match
from assay.transition_system.interface import SourceProblem


class TransitionCode(EventCode):
    def failed(self, t: Transition) -> str:
        return f"fail(c, state, size, pid, {t.number}u)"

    def head(self, process: Process, transition: Transition, suffix: str = "", extra: str = "") -> None:
        text = transition.source.text.replace("*/", "* /").replace("\\", " ")
        self.line(f"/* {transition.source.where.line}: {text} */")
        self.line(
            f"static int t{suffix}_{process.number}_{transition.number}(struct run *c, uint32_t state, "
            f"uint32_t size, uint32_t process, uint32_t pid, int moved{extra}) {{"
        )
        self.line("  const u8 *g = c->base + state, *p = g + process;")
        self.line("  (void)g; (void)p; (void)moved;")

    def transition(self, process: Process, graph: ControlGraph, t: Transition) -> None:
        c = Context(process)
        if t.d_step is not None:
            DStepCode(self, process, graph, t).generate()
            return
        operation = t.operation
        assert operation is not None
        self.head(process, t)
        if isinstance(operation, ops.SendMessage):
            self.send(process, graph, t, operation)
        elif isinstance(operation, ops.ReceiveMessage):
            self.receive_plain(process, graph, t, operation)
        elif isinstance(operation, ops.Stop):
            self.line("  if (pid + 1 != PROCESSES(g)) return 0;")
            self.line("  if (unwanted(c, 0)) return 1;")
            self.line("  u8 *n = begin(c, state, process);")
            self.line("  PROCESSES(n)--;")
            self.after_step("n")
            self.line(f"  return finish(c, process, pid, {t.number}u);")
        else:
            self.guard(operation, c, t)
            self.effect(process, graph, t, [operation])
        self.line("}")

    def guard(self, operation: Operation, c: Context, t: Transition) -> None:
        if isinstance(operation, ops.OtherwiseOp):
            self.line("  if (moved) return 0;")
        elif isinstance(operation, ops.Test) and not isinstance(operation.condition, ops.StartProcess):
            self.line(f"  int executable = {self.expression(operation.condition, c)};")
            if c.fails:
                self.line(f"  if (c->fatal) return {self.failed(t)};")
            self.line("  if (!executable) return 0;")

    def after_step(self, state: str) -> None:
        if self.plan.resolver.uses_last:
            self.line(f"  LAST({state}) = (u8)pid;")

    def effect(
        self, process: Process, graph: ControlGraph, t: Transition, operations: Sequence[Operation]
    ) -> None:
        """From a true guard to the finished successor."""
        self.open_effect(process, t)
        c = Context(process)
        for operation in operations:
            self.perform(operation, c)
        self.close_effect(process, graph, t, c)

    def last_of(self, process: Process, t: Transition) -> Transition:
        fused = self.plan.fused.get((process.name, t.number), [])
        return fused[-1] if fused else t

    def open_effect(self, process: Process, t: Transition) -> None:
        """Copies the state to where the successor belongs; the effect works on that copy."""
        self.effect_line = len(self.lines)
        if self.last_of(process, t).continues:
            self.line("  uint32_t next = begin_chain(c, state, size);")
            self.line("  u8 *n = c->base + next;")
        else:
            self.line("  u8 *n = begin(c, state, size);")
        self.line("  { u8 *g = n, *p = n + process; (void)g; (void)p;")

    def close_effect(self, process: Process, graph: ControlGraph, t: Transition, c: Context) -> None:
        self.land(process, t.target, self.plan.fused.get((process.name, t.number), []), c)
        self.line("  }")
        violates = c.violates or t.d_step is not None
        if c.fails:
            restore = "c->violation = violation; " if violates else ""
            self.line(f"  if (c->fatal) {{ {restore}return {self.failed(t)}; }}")
        self.after_step("n")
        last = self.last_of(process, t)
        self.close(graph, last, t.number, violates)
        # What the effect can do is known only now.
        if violates:
            self.lines.insert(self.effect_line, "  uint32_t violation = c->violation;")
        if t.d_step is None and not last.continues:
            self.lines.insert(self.effect_line, f"  if (unwanted(c, {int(c.fails)})) return 1;")

    def land(self, process: Process, target: int, fused: Sequence[Transition], c: Context) -> None:
        for follower in fused:
            assert follower.operation is not None
            self.perform(follower.operation, c)
            target = follower.target
        if target:
            self.line(f"    LOCATION(p) = {target};")
            for symbol in self.plan.resets.get((process.name, target), ()):
                self.line(f"    {self.reset_text(symbol)}")

    def reset_text(self, symbol: Symbol) -> str:
        address = f"p + {self.block_of(symbol).offsets[symbol]}"
        if isinstance(symbol.type, Scalar) and symbol.length is None:
            return f"{self.macro(symbol.type)}({address}) = 0;"
        size, _ = self.layout.size_of(symbol.type)
        return f"memset({address}, 0, {size * (symbol.length or 1)});"

    def close(self, graph: ControlGraph, last: Transition, number: int, violates: bool) -> None:
        if not last.continues:
            result = f"finish(c, size, pid, {number}u)"
        else:
            backwards = int(last.target <= last.number or self.in_cycle(graph, last.target))
            result = f"go_on(c, next, size, pid, {number}u, {backwards})"
        # The chain may start a rendezvous of its own; an outer one that is still looking
        # for receivers must find its message again.
        disturbs = last.continues and self.has_rendezvous
        if not disturbs and not violates:
            self.line(f"  return {result};")
            return
        if disturbs:
            self.line("  int sent[MAX_MESSAGE_FIELDS + 1];")
            self.line("  memcpy(sent, c->message, sizeof sent);")
        self.line(f"  int result = {result};")
        if disturbs:
            self.line("  memcpy(c->message, sent, sizeof sent);")
        if violates:
            self.line("  c->violation = violation;")
        self.line("  return result;")

    @staticmethod
    def in_cycle(graph: ControlGraph, location: int) -> bool:
        """Can control come back to this location without leaving the atomic chain?"""
        seen: set[int] = set()
        pending = [location]
        while pending:
            here = pending.pop()
            for edge in graph.edges.get(here, ()):
                if not edge.transition.continues:
                    continue
                if edge.transition.target == location:
                    return True
                if edge.transition.target not in seen:
                    seen.add(edge.transition.target)
                    pending.append(edge.transition.target)
        return False

    def perform(self, operation: Operation, c: Context) -> None:
        """The effect of an operation on the new state `g`, `p`."""
        match operation:
            case ops.Skip() | ops.OtherwiseOp() | ops.PrintText(_, ()):
                pass
            case ops.PrintText(_, arguments):
                for argument in arguments:
                    text = self.expression(argument, c)
                    if "c->" in text or "(c, " in text:
                        self.line(f"    (void){text};")
            case ops.Test(ops.StartProcess() as start):
                self.start_process(start, c, None)
            case ops.Test():
                pass
            case ops.Store(place, ops.StartProcess() as start):
                self.start_process(start, c, place)
            case ops.Store(place, value):
                self.store(place, self.expression(value, c), c)
            case ops.Check(condition, where, text):
                code = self.plan.violations.code("assertion", text, where)
                c.violates = True
                self.line(
                    f"    if (!{self.expression(condition, c)} && !c->violation) c->violation = {code}u;"
                )
            case ops.ForeignCode(fragment):
                c.fails = c.violates = True
                self.line(f"    {call_text('foreign_code', fragment, c, self.plan)};")
            case ops.SetPriorityOp(process, priority, where):
                code = self.plan.violations.code("priority", "a priority is between 1 and 255", where)
                c.fails = True
                self.line(
                    f"    {{ int who = {self.expression(process, c)}, level = {self.expression(priority, c)};"
                )
                self.line("      if (who >= 0 && who < PROCESSES(g)) {")
                self.line(f"        if (level < 1 || level > 255) {{ if (!c->fatal) c->fatal = {code}u; }}")
                self.line("        else PRIORITY(process_at(g, who)) = (u8)level; } }")
            case _:
                raise TypeError(f"no effect for {operation!r}")

    def store(self, place: Place, value: str, c: Context) -> None:
        if place.symbol in self.layout.unread:
            # Nobody needs the value, but computing it and its index may still go wrong.
            for step in place.steps:
                if step.index is not None and step.length is not None:
                    self.line(f"    (void){self.index(step.index, step.length, place, c)};")
            if "(c, " in value:
                self.line(f"    (void)({value});")
            return
        address = self.address(place, c)
        if "(c, " in address:  # if both go wrong, the value is what is reported
            self.line(f"    {{ int value = {value}; {self.store_text(place.type, address, 'value')} }}")
        else:
            self.line(f"    {self.store_text(place.type, address, value)}")

    def start_process(self, start: ops.StartProcess, c: Context, result: Place | None) -> None:
        name, where = start.proctype, start.where
        self.process_number(name, where)
        target = self.plan.resolver.processes[name]
        if target.is_init:
            raise SourceProblem("init cannot be run", where=where)
        if len(start.arguments) != len(target.parameters):
            raise SourceProblem(
                f"expected {len(target.parameters)} arguments for '{name}', got {len(start.arguments)}",
                where=where,
            )
        c.fails = True
        code = self.plan.violations.code(
            "too-many-processes", f"more than {MAXIMAL_PROCESSES} processes", where
        )
        arguments = "".join(f", {self.expression(a, c)}" for a in start.arguments)
        self.line(
            f"    if (PROCESSES(g) >= {MAXIMAL_PROCESSES}) {{ if (!c->fatal) c->fatal = {code}u; }} else {{"
        )
        owned = len(self.layout.processes[name].queues)
        if owned:
            full = self.plan.violations.code(
                "too-many-channels", f"more than {MAXIMAL_CHANNELS} channels", where
            )
            most = MAXIMAL_CHANNELS + 1 - owned
            self.line(f"      if (first_channel(g, g + size) > {most} && !c->fatal) c->fatal = {full}u;")
        self.line(f"      int started = start_{target.number}(c, g, size, {start.priority}{arguments});")
        self.line(f"      size += {self.layout.processes[name].size}u;")
        if result is not None:
            self.store(result, "started", c)
        self.line("      (void)started; }")

    # --- messages ---

    def send(self, process: Process, graph: ControlGraph, t: Transition, send: ops.SendMessage) -> None:
        given = len(send.arguments)
        number = self.load(send.channel, Context(process))
        layout = self.known_queue(send.channel, given)
        self.look_up(process, t, send, layout)
        capacity = layout.shape.capacity if layout is not None else 0
        if capacity:
            self.line(f"  if (U8(q) >= {capacity}) return 0;")
        elif layout is None:
            self.line("  if (queue_full(q)) return 0;")
        self.wrong_offer(t, send, layout)
        c = Context(process)
        values = [self.expression(a, c) for a in send.arguments]
        appended = capacity and not send.sorted
        if appended:
            for i, value in enumerate(values):
                self.line(f"  int v{i} = {value};")
        else:
            self.line(f"  int v[MAX_MESSAGE_FIELDS + 1] = {{{', '.join(values)}}};")
        if c.fails:
            self.line(f"  if (c->fatal) return {self.failed(t)};")
        is_watched = self.watched(send.channel, SEND)
        if is_watched and (capacity or layout is None):
            self.note_event_channel(send.channel, Context(process))
        if layout is None:
            self.line("  queue_truncate(q, v);")
            if self.has_rendezvous:
                self.line("  if (shape_capacity[q.shape] == 0) {")
                self.offer(process, t, send, number)
                self.line("  }")
        elif not capacity:
            self.line(f"  truncate_{layout.number}(v);")
            self.offer(process, t, send, number)
            return
        elif send.sorted and self.fixed_queue(send.channel) is None:
            self.line(f"  truncate_{layout.number}(v);")
        inner = Context(process)
        self.open_channel_effect(process, t, layout)
        if layout is None:
            self.line(f"    queue_{'insert' if send.sorted else 'append'}(q, v);")
        elif appended:
            self.append(layout, given)
        else:
            self.line(f"    insert_{layout.number}(q, v);")
        self.short_message(send.channel, given, send.where, inner)
        if is_watched:
            names = [f"v{i}" if appended else f"v[{i}]" for i in range(given)]
            message = self.sent_message(layout, names)
            self.event(t.source, "event_channel", SEND, message, inner)
        self.close_effect(process, graph, t, inner)

    def wrong_offer(self, t: Transition, send: ops.SendMessage, layout: QueueLayout | None) -> None:
        """Too many fields; and too few in a rendezvous, an error whether or not somebody receives."""
        given = len(send.arguments)
        if layout is not None:
            wrong = "1" if layout.shape.capacity == 0 and given < len(layout.shape.fields) else ""
        else:
            wrong = " || ".join(
                [f"queue_fields(q) < {given}"] * self.lacks_fields(given)
                + [f"(is_rendezvous(q) && queue_fields(q) > {given})"] * self.has_rendezvous
            )
        if wrong:
            self.line(
                f"  if ({wrong}) {{ c->fatal = {self.fields_code(send.where)}u; return {self.failed(t)}; }}"
            )

    def known_queue(self, channel: Place, given: int) -> QueueLayout | None:
        """The shape of a channel that has been found: as declared, or the only one in the model."""
        layout = self.fixed_queue(channel)
        if layout is None and len(self.layout.shapes) == 1:
            (only,) = self.layout.shapes.values()
            if only.shape.capacity and given <= len(only.shape.fields):
                return only
        return layout

    def look_up(
        self,
        process: Process,
        t: Transition,
        statement: ops.SendMessage | ops.ReceiveMessage,
        layout: QueueLayout | None,
    ) -> None:
        """Finds the channel `q` of a statement: its address if the shape is known."""
        c = Context(process)
        channel = statement.channel
        fixed = self.fixed_queue(channel)
        if fixed is not None:
            if isinstance(statement, ops.SendMessage):
                self.check_fields(len(statement.arguments), fixed, statement.where, "sent")
            else:
                self.check_fields(len(statement.fields), fixed, statement.where, "received")
            if not fixed.shape.capacity:
                return
            self.line(f"  const u8 *q = {self.queue_address(channel, c)};")
        elif layout is not None:
            self.line(f"  const u8 *q = {self.found_queue(channel, c)}.at;")
        else:
            self.line(f"  struct queue q = {self.found_queue(channel, c)};")
        if c.fails:
            self.line(f"  if (c->fatal) return {self.failed(t)};")

    def append(self, layout: QueueLayout, given: int) -> None:
        """Writes v0, v1, ... behind the messages of `q`. Free slots are zero, so are missing fields."""
        slot = "0" if layout.shape.capacity == 1 else "slot"
        self.line("    U8(q) = 1;" if slot == "0" else "    int slot = U8(q)++;")
        fields = zip(layout.field_offsets, layout.shape.fields, strict=True)
        for i, (offset, scalar) in zip(range(given), fields, strict=False):
            self.line(f"    {self.store_text(scalar, self.slot_text(layout, slot, offset), f'v{i}')}")

    def open_channel_effect(self, process: Process, t: Transition, layout: QueueLayout | None) -> None:
        """As `open_effect`; then `q` is the channel in the new state, where nothing has moved yet."""
        self.line(f"  uint32_t at_queue = (uint32_t)({'q.at' if layout is None else 'q'} - g);")
        self.open_effect(process, t)
        self.line("    q.at = g + at_queue;" if layout is None else "    u8 *q = g + at_queue;")

    def short_message(self, channel: Place, given: int, where: Location, c: Context) -> None:
        """Executing a statement with too few fields is an error after which SPIN goes on."""
        layout = self.known_queue(channel, given)
        shapes = self.layout.shapes if layout is None else [layout.shape]
        if all(len(shape.fields) <= given for shape in shapes):
            return
        c.violates = True
        condition = f"queue_fields(q) > {given} && " if layout is None else ""
        self.line(f"    if ({condition}!c->violation) c->violation = {self.fields_code(where)}u;")

    def offer(self, process: Process, t: Transition, send: ops.SendMessage, number: str) -> None:
        """A rendezvous: the sender moves, then somebody must receive."""
        is_watched = self.watched(send.channel, SEND)
        self.line(f"    int channel = {number};")
        self.line("    uint32_t next = begin_chain(c, state, size);")
        self.line("    u8 *n = c->base + next;")
        self.line("    memcpy(c->message, v, sizeof v);")
        if is_watched:
            self.line("    uint32_t violation = c->violation;")
        self.line("    { u8 *p = n + process; u8 *g = n; (void)p; (void)g;")
        if is_watched:
            self.event(t.source, "channel", SEND, "c->message", Context(process))
        self.land(process, t.target, [], Context(process))
        self.line("    }")
        self.after_step("n")
        result = f"handshake(c, next, size, pid, {t.number}u, channel) ? 1 : -1"
        if is_watched:
            self.line(f"    int result = {result};")
            self.line("    c->violation = violation;")
            result = "result"
        self.line(f"    return {result};")

    def receive_too_much(
        self, process: Process, t: Transition, receive: ops.ReceiveMessage, layout: QueueLayout
    ) -> None:
        """More fields than messages have: an error when it is executed, as in SPIN, and not before. What has
        to equal a field that is not there never does."""
        has = len(layout.shape.fields)
        if any(f.match is Match.EQUAL for f in receive.fields[has:]):
            self.line("  (void)c; (void)size; (void)pid; return 0;")
            return
        c = Context(process)
        self.line(f"  const u8 *q = {self.queue_address(receive.channel, c)};")
        if c.fails:
            self.line(f"  if (c->fatal) return {self.failed(t)};")
        self.line("  if (U8(q) == 0) return 0;")
        c = Context(process)
        slot = "slot" if receive.anywhere else "0"
        tests = self.field_tests(receive.fields[:has], layout, slot, receive.where, c)
        if receive.anywhere:
            self.line("  int slot = 0;")
            self.line(f"  while (slot < U8(q) && !({tests})) slot++;")
            self.line("  int matches = slot < U8(q);")
        else:
            self.line(f"  int matches = {tests};")
        if c.fails:
            self.line(f"  if (c->fatal) return {self.failed(t)};")
        self.line("  if (!matches) return 0;")
        self.line(f"  c->fatal = {self.fields_code(receive.where)}u; return {self.failed(t)};")

    def receive_plain(
        self, process: Process, graph: ControlGraph, t: Transition, receive: ops.ReceiveMessage
    ) -> None:
        """Receiving from a buffer."""
        given = len(receive.fields)
        fixed = self.fixed_queue(receive.channel)
        if fixed is not None and fixed.shape.capacity > 0 and len(fixed.shape.fields) < given:
            self.receive_too_much(process, t, receive, fixed)
            return
        layout = self.known_queue(receive.channel, given)
        self.look_up(process, t, receive, layout)
        if receive.keep:
            self.refuse_rendezvous(t, receive, layout)
        if layout is not None and layout.shape.capacity == 0:
            self.line("  (void)c; (void)size; (void)pid; return 0; /* only in a handshake */")
            return
        length = "queue_length(q)" if layout is None else "U8(q)"
        self.line(f"  if ({length} == 0) return 0;")
        c = Context(process)
        slot = "slot" if receive.anywhere else "0"
        tests = self.field_tests(receive.fields, layout, slot, receive.where, c)
        if receive.anywhere:
            self.line("  int slot = 0;")
            self.line(f"  while (slot < {length} && !({tests})) slot++;")
            if c.fails:
                self.line(f"  if (c->fatal) return {self.failed(t)};")
            self.line(f"  if (slot == {length}) return 0;")
        elif tests != "1":
            self.line(f"  int matches = {tests};")
            if c.fails:
                self.line(f"  if (c->fatal) return {self.failed(t)};")
            self.line("  if (!matches) return 0;")
        if layout is None and self.lacks_fields(given):
            self.line(
                f"  if (queue_fields(q) < {given}) "
                f"{{ c->fatal = {self.fields_code(receive.where)}u; return {self.failed(t)}; }}"
            )
        # The values are taken from the old state before anything changes.
        stored = [(i, f.place) for i, f in enumerate(receive.fields) if f.place is not None]
        for i, _ in stored:
            self.line(f"  int v{i} = {self.field_text(layout, slot, i)};")
        inner = Context(process)
        if receive.keep:
            self.open_effect(process, t)
        else:
            is_watched = self.watched(receive.channel, RECEIVE)
            if is_watched:
                self.note_event_channel(receive.channel, Context(process))
                self.note_received_message(layout, slot)
            self.open_channel_effect(process, t, layout)
            take = "queue_take" if layout is None else f"take_{layout.number}"
            self.line(f"    {take}(q, {slot});")
            self.short_message(receive.channel, given, receive.where, inner)
            if is_watched:
                self.event(t.source, "event_channel", RECEIVE, "event_message", inner)
        for i, place in stored:
            self.store(place, f"v{i}", inner)
        self.close_effect(process, graph, t, inner)

    def refuse_rendezvous(
        self, t: Transition, receive: ops.ReceiveMessage, layout: QueueLayout | None
    ) -> None:
        """A message that is handed over cannot be left where it is, whether or not there is one."""
        if layout is not None:
            rendezvous = "1" if layout.shape.capacity == 0 else ""
        else:
            rendezvous = "is_rendezvous(q)" if self.has_rendezvous else ""
        if rendezvous:
            code = self.plan.violations.code(
                "poll-rendezvous", "?<...> on a rendezvous channel", receive.where
            )
            self.line(f"  if ({rendezvous}) {{ c->fatal = {code}u; return {self.failed(t)}; }}")

    def offer_tests(self, receive: ops.ReceiveMessage, c: Context) -> str:
        """Whether the message that is being handed over has the values asked for."""
        tests = [
            f"c->message[{i}] == {self.expression(f.expression, c)}"
            for i, f in enumerate(receive.fields)
            if f.match is Match.EQUAL and f.expression is not None
        ]
        return " && ".join(tests) or "1"

    def receive_handshake(
        self, process: Process, graph: ControlGraph, t: Transition, receive: ops.ReceiveMessage
    ) -> None:
        """Taking the message that a rendezvous offers."""
        c = Context(process)
        self.head(process, t, "r", ", int channel")
        if receive.keep:  # an error by itself, see `receive_plain`
            self.line("  return 0;")
            self.line("}")
            return
        self.line(f"  int own = {self.load(receive.channel, c)};")
        c.offered = True
        tests = self.offer_tests(receive, c)
        c.offered = False
        self.line("  if (!c->fatal && own != channel) return 0;")
        given = len(receive.fields)
        self.line(f"  int matches = !c->fatal && {tests};")
        if self.fixed_queue(receive.channel) is None:
            self.line(f"  struct queue q = {self.found_queue(receive.channel, c)};")
            if self.lacks_fields(given):
                self.line(
                    f"  if (matches) (void)queue_has(c, q, {given - 1}, {self.fields_code(receive.where)}u);"
                )
        self.line(f"  if (c->fatal) return {self.failed(t)};")
        self.line("  if (!matches) return 0;")
        self.open_effect(process, t)
        inner = Context(process)
        for i, f in enumerate(receive.fields):
            if f.place is not None:
                self.store(f.place, f"c->message[{i}]", inner)
        self.short_message(receive.channel, given, receive.where, inner)
        if self.watched(receive.channel, RECEIVE):
            self.event(t.source, "channel", RECEIVE, "c->message", inner)
        self.close_effect(process, graph, t, inner)
        self.line("}")

    def operation_executable(self, operation: Operation, c: Context) -> str:
        match operation:
            case ops.OtherwiseOp():
                return "!moved"
            case ops.Stop():
                return "pid + 1 == PROCESSES(g)"
            case ops.Test(ops.StartProcess()):
                return f"PROCESSES(g) < {MAXIMAL_PROCESSES}"
            case ops.Test(condition):
                return self.expression(condition, c)
            case ops.SendMessage(channel, _, _, _):
                return self.channel_test(channel, "nfull", c)
            case ops.ReceiveMessage(channel, anywhere, _, fields, where):
                return self.message_waits(channel, anywhere, fields, where, c)
        return "1"
