"""d_step sequences to C: straight code with jumps, the first executable option taken.

A d_step is one transition. Only its first statement may block; anything that blocks
later is an error, and so is a rendezvous send. Everything happens on one copy of the
state, so there is nothing to undo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.languages.promela import operations as ops
from assay.languages.promela.control import Chain, ControlGraph, Finisher, Kind, Node, Transition
from assay.languages.promela.events import RECEIVE, SEND
from assay.languages.promela.operations import Process, Source
from assay.languages.promela.plan import MAXIMAL_D_STEP_WORK, Context
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct

if TYPE_CHECKING:
    from assay.languages.promela.code_transitions import TransitionCode


def first_choice(node: Node) -> Node | None:
    if node.kind is Kind.CHOICE:
        return node
    if (
        node.kind is Kind.JOIN
        and node.next is not None
        and node.next.kind is Kind.CHOICE
        and node.next.is_loop
    ):
        return node.next
    return None


def guards_of(choice: Node) -> Iterator[Node]:
    """The statements that decide whether a choice can start. As in SPIN, options that
    begin with something always executable (an assignment, say) do not count."""
    for option in choice.options:
        node = Finisher.hunt_start(option.start)
        if node.kind is Kind.PLAIN:
            assert node.inner is not None
            inner = first_choice(node.inner.start)
            if inner is not None:
                yield from guards_of(inner)
        elif (nested := first_choice(node)) is not None:
            yield from guards_of(nested)
        elif (
            isinstance(
                node.operation, ops.Test | ops.Skip | ops.SendMessage | ops.ReceiveMessage | ops.OtherwiseOp
            )
            and node.kind is Kind.OPERATION
        ):
            yield node


def entry_guards(chain: Chain) -> list[Node] | None:
    """The guards of a d_step; None if it can always start."""
    first = chain.start
    if first.kind is Kind.PLAIN:
        assert first.inner is not None
        return entry_guards(first.inner)
    choice = first_choice(first)
    if choice is not None:
        return list(guards_of(choice)) or None
    if first.kind is Kind.OPERATION and isinstance(
        first.operation, ops.Test | ops.SendMessage | ops.ReceiveMessage | ops.OtherwiseOp
    ):
        return [first]
    return None


def in_choice(chain: Chain) -> bool:
    first = chain.start
    if first.kind is Kind.PLAIN:
        assert first.inner is not None
        return in_choice(first.inner)
    return first_choice(first) is not None


def guard_text(generator: TransitionCode, c: Context, chain: Chain) -> str:
    guards = entry_guards(chain)
    if guards is None:
        return "1"
    if in_choice(chain) and any(isinstance(g.operation, ops.OtherwiseOp) for g in guards):
        return "1"
    texts = []
    for node in guards:
        assert node.operation is not None
        texts.append(f"({generator.operation_executable(node.operation, c)})")
    return " || ".join(texts)


def rendezvous_receives(generator: TransitionCode, chain: Chain) -> list[ops.ReceiveMessage]:
    found = []
    for node in entry_guards(chain) or ():
        if isinstance(node.operation, ops.ReceiveMessage):
            layout = generator.fixed_queue(node.operation.channel)
            if layout is None or layout.shape.capacity == 0:
                found.append(node.operation)
    return found


def starts_with_handshake(generator: TransitionCode, chain: Chain) -> bool:
    return bool(rendezvous_receives(generator, chain))


class DStepCode:
    def __init__(
        self, generator: TransitionCode, process: Process, graph: ControlGraph, t: Transition
    ) -> None:
        assert t.d_step is not None
        self.g = generator
        self.process = process
        self.graph = graph
        self.t = t
        self.chain = t.d_step
        self.inside = {node.number for node in self.all_nodes(self.chain)}
        self.handshake = False

    def all_nodes(self, chain: Chain) -> Iterator[Node]:
        for node in chain.nodes():
            yield node
            for option in node.options:
                yield from self.all_nodes(option)
            if node.inner is not None:
                yield from self.all_nodes(node.inner)

    def context(self) -> Context:
        return Context(self.process)

    def generate(self) -> None:
        self.function()
        if self.g.has_rendezvous and starts_with_handshake(self.g, self.chain):
            self.handshake = True
            self.function()
            self.handshake = False

    def function(self) -> None:
        g, t = self.g, self.t
        g.head(self.process, t, "r" if self.handshake else "", ", int channel" if self.handshake else "")
        c = self.context()
        if self.handshake:
            texts = []
            for receive in rendezvous_receives(g, self.chain):
                tests = g.offer_tests(receive, c)
                texts.append(f"({g.load(receive.channel, c)} == channel && {tests})")
            guard = " || ".join(texts)
            g.line("  int offered = channel;")
        else:
            guard = guard_text(g, c, self.chain)
            g.line("  int offered = 0;")
        g.line(f"  int executable = {guard};")
        if c.fails:
            g.line(f"  if (c->fatal) return {g.failed(t)};")
        g.line("  if (!executable) return 0;")
        g.line("  (void)offered;")
        g.open_effect(self.process, t)
        self.chain_code(self.chain, "goto blocked")
        g.line("  goto done;")
        code = g.plan.violations.code("d_step-blocks", "a statement inside d_step blocks", t.source.where)
        g.line("blocked: __attribute__((unused));")
        g.line(f"  if (!c->fatal) c->fatal = {code}u;")
        g.line("failed: __attribute__((unused));")
        g.line("  c->violation = violation;")
        g.line(f"  return {g.failed(t)};")
        g.line("done: __attribute__((unused));")
        g.close_effect(self.process, self.graph, t, self.context())
        g.line("}")

    def chain_code(self, chain: Chain, fail: str) -> None:
        for node in chain.nodes():
            self.g.line(f"N{node.number}: __attribute__((unused));")
            self.node_code(node, fail)
            if node.kind is not Kind.JOIN:
                fail = "goto blocked"

    def node_code(self, node: Node, fail: str) -> None:
        g = self.g
        if node.kind is Kind.GOTO:
            target = node.target or self.jump_target(node)
            if target.number in self.inside:
                g.line(f"  goto N{target.number};")
            elif target.kind in (Kind.JOIN, Kind.BREAK_TARGET):
                g.line("  goto done;")
            else:
                raise SourceProblem("a jump out of a d_step", where=node.source.where)
        elif node.kind is Kind.CHOICE:
            self.choice_code(node)
        elif node.kind is Kind.PLAIN:
            assert node.inner is not None
            self.chain_code(node.inner, fail)
        elif node.kind is Kind.UNLESS:
            raise UnsupportedConstruct(
                "'unless' inside d_step",
                where=node.source.where,
                hint="nothing can interrupt a d_step: leave it out",
            )
        elif node.kind is Kind.OPERATION:
            assert node.operation is not None
            self.operation_code(node.operation, node, fail)
        elif node.kind not in (Kind.JOIN, Kind.BREAK_TARGET):
            raise UnsupportedConstruct("this construct inside d_step", where=node.source.where)

    def jump_target(self, node: Node) -> Node:
        assert node.scope is not None
        labels = [n for n in self.all_nodes(self.chain) if n.number in self.inside]
        location = self.graph.jumps.get(node.number)
        for candidate in labels:
            if candidate.number == location:
                return candidate
        raise SourceProblem("a jump out of a d_step", where=node.source.where)

    def choice_code(self, node: Node) -> None:
        g = self.g
        if node.is_loop:
            code = g.plan.violations.code(
                "endless-d_step", f"a d_step loops more than {MAXIMAL_D_STEP_WORK} times", node.source.where
            )
            g.line(f"  if (++c->work > {MAXIMAL_D_STEP_WORK}u) {{ c->fatal = {code}u; goto failed; }}")
        for position, option in enumerate(node.options):
            following = f"O{node.number}_{position + 1}"
            self.chain_code(option, f"goto {following}")
            after = node.number if node.is_loop else self.join_of(node)
            g.line(f"  goto N{after};" if after is not None else "  goto done;")
            g.line(f"{following}: __attribute__((unused));")
        g.line("  goto blocked;")

    def join_of(self, node: Node) -> int | None:
        return node.next.number if node.next is not None and node.next.number in self.inside else None

    def operation_code(self, operation: ops.Operation, node: Node, fail: str) -> None:
        g = self.g
        c = self.context()
        match operation:
            case ops.OtherwiseOp() | ops.Skip() | ops.PrintText():
                return
            case ops.Stop():
                raise SourceProblem("a process ends inside d_step", where=node.source.where)
            case ops.Test(ops.StartProcess()) | ops.Store(_, ops.StartProcess()):
                raise UnsupportedConstruct("'run' inside d_step", where=node.source.where, hint="use atomic")
            case ops.Test(condition):
                text = g.expression(condition, c)
                g.line(f"  {{ int executable = {text};")
                if c.fails:
                    g.line("    if (c->fatal) goto failed;")
                g.line(f"    if (!executable) {fail}; }}")
                return
            case ops.SendMessage():
                self.send_code(operation, node.source, c, fail)
            case ops.ReceiveMessage():
                self.receive_code(operation, node.source, c, fail)
            case _:
                g.line("  {")
                g.perform(operation, c)
                g.line("  }")
        if c.fails:
            g.line("  if (c->fatal) goto failed;")

    def send_code(self, send: ops.SendMessage, source: Source, c: Context, fail: str) -> None:
        g = self.g
        layout = g.fixed_queue(send.channel)
        action = "insert" if send.sorted else "append"
        rendezvous = g.plan.violations.code(
            "rendezvous-in-d_step", "a rendezvous send inside d_step", send.where
        )
        if layout is not None:
            g.check_fields(len(send.arguments), layout, send.where, "sent")
            if layout.shape.capacity == 0:
                g.line(f"  c->fatal = {rendezvous}u; goto failed;")
                return
            g.line(f"  {{ u8 *q = {g.queue_address(send.channel, c)};")
            full, put = f"U8(q) >= {layout.shape.capacity}", f"{action}_{layout.number}"
        else:
            g.line(f"  {{ struct queue q = {g.found_queue(send.channel, c)};")
            g.line("    if (c->fatal) goto failed;")
            g.line(f"    if (shape_capacity[q.shape] == 0) {{ c->fatal = {rendezvous}u; goto failed; }}")
            full, put = "queue_full(q)", f"queue_{action}"
        g.line(f"    if ({full}) {fail};")
        if layout is None and g.lacks_fields(len(send.arguments)):
            code = g.fields_code(send.where)
            g.line(f"    if (queue_fields(q) < {len(send.arguments)}) {{ c->fatal = {code}u; goto failed; }}")
        values = ", ".join(g.expression(a, c) for a in send.arguments)
        g.line(f"    int v[MAX_MESSAGE_FIELDS + 1] = {{{values}}};")
        if c.fails:
            g.line("    if (c->fatal) goto failed;")
        g.line(f"    {put}(q, v);")
        g.short_message(send.channel, len(send.arguments), send.where, c)
        if g.watched(send.channel, SEND):
            g.note_event_channel(send.channel, c)
            if layout is None:
                g.line("    queue_truncate(q, v);")
            names = [f"v[{i}]" for i in range(len(send.arguments))]
            g.event(source, "event_channel", SEND, g.sent_message(layout, names), c)
        g.line("  }")

    def receive_code(self, receive: ops.ReceiveMessage, source: Source, c: Context, fail: str) -> None:
        g = self.g
        layout = g.fixed_queue(receive.channel)
        given = len(receive.fields)
        stored = [(i, f.place) for i, f in enumerate(receive.fields) if f.place is not None]
        if self.handshake and (layout is None or layout.shape.capacity == 0):
            tests = g.offer_tests(receive, c)
            g.line(f"  if (offered && {g.load(receive.channel, c)} == offered && {tests}) {{ offered = 0;")
            if layout is None:
                g.line(f"    struct queue q = {g.found_queue(receive.channel, c)};")
                self.require_fields(given, receive)
            g.short_message(receive.channel, given, receive.where, c)
            if g.watched(receive.channel, RECEIVE):
                g.event(source, "channel", RECEIVE, "c->message", c)
            for i, place in stored:
                g.store(place, f"c->message[{i}]", c)
            g.line("  } else")
        if layout is not None:
            g.check_fields(len(receive.fields), layout, receive.where, "received")
            if layout.shape.capacity == 0:
                g.line(f"  {fail};")
                return
            g.line(f"  {{ u8 *q = {g.queue_address(receive.channel, c)};")
            length, take = "U8(q)", f"take_{layout.number}"
        else:
            g.line(f"  {{ struct queue q = {g.found_queue(receive.channel, c)};")
            g.line("    if (c->fatal) goto failed;")
            length, take = "queue_length(q)", "queue_take"
        g.line(f"    if ({length} == 0) {fail};")
        tests = g.field_tests(receive.fields, layout, "slot", receive.where, c)
        g.line("    int slot = 0;")
        limit = length if receive.anywhere else "1"
        g.line(f"    while (slot < {limit} && !({tests})) slot++;")
        if c.fails:
            g.line("    if (c->fatal) goto failed;")
        g.line(f"    if (slot == {limit}) {fail};")
        if layout is None:
            self.require_fields(given, receive)
        for i, _ in stored:
            g.line(f"    int v{i} = {g.field_text(layout, 'slot', i)};")
        if not receive.keep:
            is_watched = g.watched(receive.channel, RECEIVE)
            if is_watched:
                g.note_event_channel(receive.channel, c)
                g.note_received_message(layout, "slot")
            g.line(f"    {take}(q, slot);")
            g.short_message(receive.channel, len(receive.fields), receive.where, c)
            if is_watched:
                g.event(source, "event_channel", RECEIVE, "event_message", c)
        for i, place in stored:
            g.store(place, f"v{i}", c)
        g.line("  }")

    def require_fields(self, given: int, receive: ops.ReceiveMessage) -> None:
        if self.g.lacks_fields(given):
            code = self.g.fields_code(receive.where)
            self.g.line(f"    if (!queue_has(c, q, {given - 1}, {code}u)) goto failed;")
