"""Control graphs to C: one function per transition, one switch per process type.

The result includes `runtime.h` of this folder and implements the engine's model
interface (`model_abi.h`). Guards read the old state; an effect works on a copy of it
that becomes the successor. What can go wrong while a step is evaluated (an index
out of range, a division by zero) sets `c->fatal` to a violation code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources

from assay.languages.promela import operations as ops
from assay.languages.promela.control import Chain, ControlGraph, Edge, Kind, Mark, Node, Transition
from assay.languages.promela.layout import (
    MAXIMAL_PROCESSES,
    PROCESS_LOCATION_OFFSET,
    PROCESS_TYPE_OFFSET,
    Block,
    Layout,
    QueueLayout,
)
from assay.languages.promela.operations import (
    Const,
    Expr,
    Load,
    Operation,
    Place,
    Process,
    Scalar,
    Structure,
    Symbol,
)
from assay.languages.promela.partial_order import RECEIVE, SEND, AmpleLocation, AmplePlan
from assay.languages.promela.resolve import Resolver
from assay.languages.promela.syntax import Location, Match
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct, ViolationFacts

MAXIMAL_CHAIN = 100_000
MAXIMAL_D_STEP_WORK = 50_000_000


@dataclass(slots=True)
class ViolationTable:
    """Codes that a model reports; 0 is an invalid end state."""

    facts: list[ViolationFacts] = field(default_factory=list)
    codes: dict[ViolationFacts, int] = field(default_factory=dict)

    def code(self, kind: str, message: str, where: Location | None = None) -> int:
        facts = ViolationFacts(kind, message, where.file if where else None, where.line if where else None)
        if facts not in self.codes:
            self.facts.append(facts)
            self.codes[facts] = len(self.facts)
        return self.codes[facts]


@dataclass(frozen=True, slots=True)
class Property:
    text: str
    expression: Expr
    over_step: bool


@dataclass(eq=False, slots=True)
class Plan:
    """Everything the generator needs; reductions have been decided before."""

    resolver: Resolver
    processes: list[Process]
    graphs: dict[str, ControlGraph]
    layout: Layout
    properties: list[Property]
    violations: ViolationTable
    fused: dict[tuple[str, int], list[Transition]] = field(default_factory=dict)
    resets: dict[tuple[str, int], list[Symbol]] = field(default_factory=dict)
    ample: AmplePlan = field(default_factory=AmplePlan)


@dataclass(slots=True)
class Context:
    """What the generated expression may refer to, and whether evaluating it can fail."""

    process: Process | None
    state: str = "g"
    own: str = "p"
    pid: str = "(int)pid"
    fails: bool = False


EXCLUSIVE_TEXT = """
static int channel_unit(const u8 *g, int channel) {
  int left = channel - 1;
  if (left < 0) return 63;
  if (left < GLOBAL_QUEUES) return global_units[left];
  left -= GLOBAL_QUEUES;
  const u8 *r = g + GLOBALS_SIZE;
  for (uint32_t i = 0; i < PROCESSES(g); i++) {
    if (left < (int)block_queues[TYPE(r)]) return units_by_type[TYPE(r)][left];
    left -= (int)block_queues[TYPE(r)];
    r += block_size[TYPE(r)];
  }
  return 63;
}
/* Nobody else can disturb this process at this channel, and the channel is ready. */
static int exclusive_and_ready(struct run *c, const u8 *g, uint32_t pid, int channel, int receiving) {
  struct queue q = find_queue(c, g, channel, 0);
  if (q.shape < 0 || shape_capacity[q.shape] == 0) return 0;
  if (receiving ? queue_length(q) == 0 : queue_full(q)) return 0;
  uint64_t bit = (uint64_t)1 << channel_unit(g, channel);
  const u8 *r = g + GLOBALS_SIZE;
  for (uint32_t i = 0; i < PROCESSES(g); i++, r += block_size[TYPE(r)]) {
    if (i == pid) continue;
    uint64_t used = (receiving ? receives_by_type : sends_by_type)[TYPE(r)][LOCATION(r)];
    if (used & bit) return 0;
    for (const struct channel_variable *v = variables_by_type[TYPE(r)]; v->directions; v++)
      if ((v->directions >> receiving & 1) && U8(r + v->offset) == channel) return 0;
  }
  return 1;
}
static int nobody_starts(const u8 *g, uint32_t pid) {
  const u8 *r = g + GLOBALS_SIZE;
  for (uint32_t i = 0; i < PROCESSES(g); i++, r += block_size[TYPE(r)])
    if (i != pid && starts_by_type[TYPE(r)][LOCATION(r)]) return 0;
  return 1;
}"""


class Generator:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.layout = plan.layout
        self.lines: list[str] = []
        self.has_rendezvous = any(shape.capacity == 0 for shape in self.layout.shapes)

    # --- text ---

    def line(self, text: str = "") -> None:
        self.lines.append(text)

    def generate(self) -> str:
        body = self
        for graph in self.plan.graphs.values():
            body.process(graph)
        body.dispatch()
        body.ample()
        body.initial()
        body.properties()
        body.entry()
        generated = "\n".join(self.lines)
        runtime = resources.files("assay.languages.promela").joinpath("runtime.h").read_text(encoding="utf-8")
        return "\n".join([self.constants(), runtime, self.tables(), self.queues(), generated, ""])

    def constants(self) -> str:
        largest = max((b.size for b in self.layout.processes.values()), default=8)
        fields = max((len(s.fields) for s in self.layout.shapes), default=0)
        chains = any(
            t.continues or isinstance(t.operation, ops.SendMessage)
            for graph in self.plan.graphs.values()
            for t in graph.transitions.values()
        )
        endless = self.plan.violations.code(
            "endless-atomic", f"an atomic sequence takes more than {MAXIMAL_CHAIN} steps without ending"
        )
        return "\n".join(
            [
                '#include "model_abi.h"',
                f"#define GLOBALS_SIZE {self.layout.globals.size}u",
                f"#define GLOBAL_QUEUES {len(self.layout.globals.queues)}",
                f"#define MAX_BLOCK {largest}u",
                f"#define MAX_MESSAGE_FIELDS {fields}",
                f"#define MAX_CHAIN {MAXIMAL_CHAIN}u",
                f"#define ENDLESS_ATOMIC {endless}u",
                f"#define HAS_CHAINS {int(chains)}",
            ]
        )

    def tables(self) -> str:
        sizes = ", ".join(f"{self.layout.processes[p.name].size}u" for p in self.plan.processes)
        queues = ", ".join(f"{len(self.layout.processes[p.name].queues)}u" for p in self.plan.processes)
        return "\n".join(
            [
                f"static const uint32_t block_size[] = {{{sizes or '0'}}};",
                f"static const uint32_t block_queues[] = {{{queues or '0'}}};",
            ]
        )

    # --- channels ---

    def queues(self) -> str:
        """Finding a channel by its number, and sending and receiving by its shape."""
        out: list[str] = []
        out.append("struct queue { u8 *at; int shape; };")
        rows = ", ".join(f"{{{q.offset}u, {q.layout.number}}}" for q in self.layout.globals.queues)
        out.append("struct queue_row { uint32_t offset; int shape; };")
        out.append(f"static const struct queue_row global_queues[] = {{{rows or '{0, 0}'}}};")
        for process in self.plan.processes:
            block = self.layout.processes[process.name]
            rows = ", ".join(f"{{{q.offset}u, {q.layout.number}}}" for q in block.queues)
            out.append(f"static const struct queue_row queues_{process.number}[] = {{{rows or '{0, 0}'}}};")
        names = ", ".join(f"queues_{p.number}" for p in self.plan.processes)
        out.append(f"static const struct queue_row *const process_queues[] = {{{names or '0'}}};")
        capacities = ", ".join(str(s.capacity) for s in self.layout.shapes)
        counts = ", ".join(str(len(s.fields)) for s in self.layout.shapes)
        out.append(f"static const int shape_capacity[] = {{{capacities or '0'}}};")
        out.append(f"static const int shape_fields[] = {{{counts or '0'}}};")
        out.append(
            """
static struct queue find_queue(struct run *c, const u8 *state, int channel, uint32_t code) {
  struct queue q = {nothing, -1};
  int left = channel - 1;
  if (left >= 0 && left < GLOBAL_QUEUES) {
    q.at = (u8 *)state + global_queues[left].offset;
    q.shape = global_queues[left].shape;
    return q;
  }
  left -= GLOBAL_QUEUES;
  const u8 *process = state + GLOBALS_SIZE;
  for (uint32_t i = 0; left >= 0 && i < PROCESSES(state); i++) {
    uint32_t type = TYPE(process);
    if (left < (int)block_queues[type]) {
      q.at = (u8 *)process + process_queues[type][left].offset;
      q.shape = process_queues[type][left].shape;
      return q;
    }
    left -= (int)block_queues[type];
    process += block_size[type];
  }
  if (!c->fatal) c->fatal = code;
  return q;
}
static inline int queue_length(struct queue q) {
  return q.shape < 0 || shape_capacity[q.shape] == 0 ? 0 : U8(q.at);
}
static inline int queue_full(struct queue q) {
  return q.shape >= 0 && shape_capacity[q.shape] != 0 && U8(q.at) >= shape_capacity[q.shape];
}"""
        )
        for layout in self.layout.shapes.values():
            out.append(self.queue_functions(layout))
        out.append(self.queue_dispatch())
        return "\n".join(out)

    def queue_functions(self, layout: QueueLayout) -> str:
        """get_N(queue, slot, field), put_N(queue, sorted, values), take_N(queue, slot)."""
        n = layout.number
        fields = list(zip(layout.field_offsets, layout.shape.fields, strict=True))
        lines = []
        truncate = "\n".join(
            f"  v[{i}] = {self.truncated(scalar, f'v[{i}]')};" for i, (_, scalar) in enumerate(fields)
        )
        lines.append(f"static inline void truncate_{n}(int *v) {{ (void)v;\n{truncate}\n}}")
        if layout.shape.capacity == 0:
            return "\n".join(lines)
        message = f"(q + {layout.first_message} + (uint32_t)slot * {layout.stride}u)"
        cases = " ".join(
            f"case {i}: return {self.load_text(scalar, f'{message} + {offset}')};"
            for i, (offset, scalar) in enumerate(fields)
        )
        lines.append(
            f"static inline int get_{n}(const u8 *q, int slot, int field) "
            f"{{ switch (field) {{ {cases} }} return 0; }}"
        )
        stores = " ".join(
            self.store_text(scalar, f"{message} + {offset}", f"v[{i}]")
            for i, (offset, scalar) in enumerate(fields)
        )
        compare = " ".join(
            f"if (v[{i}] > get_{n}(q, slot, {i})) continue; if (v[{i}] < get_{n}(q, slot, {i})) break;"
            for i in range(len(fields))
        )
        stride, first = layout.stride, layout.first_message
        lines.append(
            f"""static inline void put_{n}(u8 *q, int sorted, int *v) {{
  int slot = U8(q);
  if (sorted) {{
    for (slot = 0; slot < U8(q); slot++) {{ {compare} }}
    memmove(q + {first} + (slot + 1) * {stride}, q + {first} + slot * {stride}, (U8(q) - slot) * {stride});
  }}
  U8(q)++;
  {stores}
}}
static inline void take_{n}(u8 *q, int slot) {{
  int last = --U8(q);
  memmove(q + {first} + slot * {stride}, q + {first} + (slot + 1) * {stride}, (last - slot) * {stride});
  memset(q + {first} + last * {stride}, 0, {stride});
}}"""
        )
        return "\n".join(lines)

    def queue_dispatch(self) -> str:
        buffered = [s for s in self.layout.shapes.values() if s.shape.capacity]
        every = list(self.layout.shapes.values())
        get = " ".join(f"case {s.number}: return get_{s.number}(q.at, slot, field);" for s in buffered)
        put = " ".join(f"case {s.number}: put_{s.number}(q.at, sorted, v); break;" for s in buffered)
        take = " ".join(f"case {s.number}: take_{s.number}(q.at, slot); break;" for s in buffered)
        truncate = " ".join(f"case {s.number}: truncate_{s.number}(v); break;" for s in every)
        return f"""
static inline int queue_get(struct queue q, int slot, int field) {{
  switch (q.shape) {{ {get} default: return 0; }} }}
static inline void queue_put(struct queue q, int sorted, int *v) {{
  switch (q.shape) {{ {put} default: break; }} }}
static inline void queue_take(struct queue q, int slot) {{
  switch (q.shape) {{ {take} default: break; }} }}
static inline void queue_truncate(struct queue q, int *v) {{
  switch (q.shape) {{ {truncate} default: break; }} }}
static inline int queue_fields(struct queue q) {{ return q.shape < 0 ? 0 : shape_fields[q.shape]; }}
"""

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
        return f"{self.macro(scalar)}({address}) = ({self.macro(scalar).lower()})({self.truncated(scalar, value)});"

    # --- expressions ---

    def address(self, place: Place, c: Context, base: str | None = None) -> str:
        block = self.block_of(place.symbol)
        root = base or (c.state if place.symbol.owner is None else c.own)
        fixed, strides = self.layout.place_steps(place)
        text = f"{root} + {block.offsets[place.symbol] + fixed}"
        for position, stride in strides:
            step = place.steps[position]
            assert step.index is not None and step.length is not None
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
            return "0"
        return self.load_text(place.type, self.address(place, c, base))

    def channel_number(self, place: Place, c: Context, base: str | None = None) -> str:
        """The number of a channel whose variable never changes."""
        first = self.block_of(place.symbol).first_queue[place.symbol].ordinal
        element = "0"
        step = place.steps[0]
        if step.index is not None and step.length is not None:
            if isinstance(step.index, Const):
                element = str(step.index.value)
            else:
                element = f"(int){self.index(step.index, step.length, place, c)}"
        if place.symbol.owner is None:
            return f"({first + 1} + {element})"
        return f"(first_channel({c.state}, {base or c.own}) + {first} + {element})"

    def expression(self, e: Expr, c: Context) -> str:
        match e:
            case Const(value):
                return f"(-2147483647 - 1)" if value == -(2**31) else f"({value})"
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
                return f"(int)PROCESSES({c.state})"
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
                c.fails = True
                return f"is_enabled(c, {c.state}, {self.expression(process, c)}, {c.pid}, moved, {code}u)"
            case ops.LocationOf(process):
                return f"(int)LOCATION(process_at({c.state}, {self.expression(process, c)}))"
            case ops.PriorityOf(process):
                if process is None:
                    return f"(int)PRIORITY({c.own})"
                return f"(int)PRIORITY(process_at({c.state}, {self.expression(process, c)}))"
            case ops.AtLabel(proctype, process, label, where):
                return f"(LOCATION({self.remote(proctype, process, where, c)}) == {self.label(proctype, label, where)})"
            case ops.RemoteLoad(proctype, process, place):
                base = self.remote(proctype, process, place.where, c)
                return self.load(place, c, base)
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
        if isinstance(step.index, Const):
            return f"({root} + {first.offset + spacing * step.index.value})"
        return f"({root} + {first.offset} + {spacing}u * {self.index(step.index, step.length, place, c)})"

    def found_queue(self, place: Place, c: Context) -> str:
        c.fails = True
        code = self.plan.violations.code(
            "channel", f"'{place.symbol.name}' names no channel here", place.where
        )
        return f"find_queue(c, {c.state}, {self.load(place, c)}, {code}u)"

    def channel_test(self, channel: Place, test: str, c: Context) -> str:
        layout = self.fixed_queue(channel)
        if layout is not None:
            capacity = layout.shape.capacity
            length = f"(int)U8({self.queue_address(channel, c)})" if capacity else "0"
            full = f"({length} >= {capacity})" if capacity else "0"
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
        layout = self.fixed_queue(channel)
        if layout is not None:
            self.check_fields(len(fields), layout, where, "received")
            if layout.shape.capacity == 0:
                return "0"
            queue, length = f"const u8 *q = {self.queue_address(channel, c)};", "U8(q)"
            get = f"get_{layout.number}"
        else:
            queue, length = f"struct queue q = {self.found_queue(channel, c)};", "queue_length(q)"
            get = "queue_get"
        tests = " && ".join(
            f"{get}(q, slot, {i}) == {self.expression(f.expression, c)}"
            for i, f in enumerate(fields)
            if f.match is Match.EQUAL and f.expression is not None
        )
        limit = length if anywhere else f"({length} > 0)"
        return (
            f"({{ {queue} int slot, found = 0; for (slot = 0; !found && slot < {limit}; slot++) "
            f"found = {tests or '1'}; found; }})"
        )

    def fields_code(self, where: Location) -> int:
        return self.plan.violations.code("message-fields", "a message has the wrong number of fields", where)

    def check_fields(self, given: int, layout: QueueLayout, where: Location, verb: str) -> bool:
        """Whether a message has the right number of fields; too many are refused, too few are an
        error only when the statement is executed, as in SPIN."""
        expected = len(layout.shape.fields)
        if given > expected:
            raise SourceProblem(f"expected {expected} message fields, got {given} {verb}", where=where)
        return given == expected

    # --- one transition ---

    def process(self, graph: ControlGraph) -> None:
        process = graph.process
        listed = {e.transition.number: e.transition for edges in graph.edges.values() for e in edges}
        for number in sorted(listed):
            self.transition(process, graph, listed[number])
        self.step_function(process, graph)
        if self.has_rendezvous:
            self.receive_function(process, graph)

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
            self.d_step(process, graph, t)
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
                self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
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
        self.line("  uint32_t violation = c->violation;")
        if self.last_of(process, t).continues:
            self.line("  uint32_t next = begin_chain(c, state, size);")
            self.line("  u8 *n = c->base + next;")
        else:
            self.line("  u8 *n = begin(c, state, size);")
        self.line("  { u8 *g = n, *p = n + process; (void)g; (void)p;")

    def close_effect(self, process: Process, graph: ControlGraph, t: Transition, c: Context) -> None:
        self.land(process, t.target, self.plan.fused.get((process.name, t.number), []), c)
        self.line("  }")
        if c.fails:
            self.line(
                f"  if (c->fatal) {{ c->violation = violation; return fail(c, state, size, pid, {t.number}u); }}"
            )
        self.after_step("n")
        self.close(graph, self.last_of(process, t), t.number)

    def land(self, process: Process, target: int, fused: Sequence[Transition], c: Context) -> None:
        for follower in fused:
            assert follower.operation is not None
            self.perform(follower.operation, c)
            target = follower.target
        if target:
            self.line(f"    LOCATION(p) = {target};")
            for symbol in self.plan.resets.get((process.name, target), ()):
                size, _ = self.layout.size_of(symbol.type)
                block = self.block_of(symbol)
                self.line(f"    memset(p + {block.offsets[symbol]}, 0, {size * (symbol.length or 1)});")

    def close(self, graph: ControlGraph, last: Transition, number: int) -> None:
        if last.continues:
            backwards = int(last.target <= last.number or self.in_cycle(graph, last.target))
            # The chain may start a rendezvous of its own; an outer one that is still looking
            # for receivers must find its message again.
            if self.has_rendezvous:
                self.line("  int sent[MAX_MESSAGE_FIELDS + 1], sent_fields = c->message_fields;")
                self.line("  memcpy(sent, c->message, sizeof sent);")
            self.line(f"  int result = go_on(c, next, size, pid, {number}u, {backwards});")
            if self.has_rendezvous:
                self.line("  memcpy(c->message, sent, sizeof sent); c->message_fields = sent_fields;")
        else:
            self.line(f"  int result = finish(c, size, pid, {number}u);")
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
                self.line(
                    f"    if (!{self.expression(condition, c)} && !c->violation) c->violation = {code}u;"
                )
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
            if "(c, " in value:
                self.line(f"    (void)({value});")
            return
        self.line(
            f"    {{ int value = {value}; {self.store_text(place.type, self.address(place, c), 'value')} }}"
        )

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
        self.line(f"      int started = start_{target.number}(c, g, size, {start.priority}{arguments});")
        self.line(f"      size += {self.layout.processes[name].size}u;")
        if result is not None:
            self.store(result, "started", c)
        self.line("      (void)started; }")

    # --- messages ---

    def send(self, process: Process, graph: ControlGraph, t: Transition, send: ops.SendMessage) -> None:
        c = Context(process)
        layout = self.fixed_queue(send.channel)
        number = self.load(send.channel, c)
        if layout is not None:
            self.check_fields(len(send.arguments), layout, send.where, "sent")
            capacity = layout.shape.capacity
            if capacity:
                queue = self.queue_address(send.channel, c)
                self.line(f"  int full = U8({queue}) >= {capacity};")
                if c.fails:
                    self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
                self.line("  if (full) return 0;")
        else:
            self.line(f"  struct queue q = {self.found_queue(send.channel, c)};")
            self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
            self.line(
                f"  if (queue_fields(q) < {len(send.arguments)}) "
                f"{{ c->fatal = {self.fields_code(send.where)}u; return fail(c, state, size, pid, {t.number}u); }}"
            )
            self.line("  if (queue_full(q)) return 0;")
        values = ", ".join(self.expression(a, c) for a in send.arguments)
        self.line(f"  int v[MAX_MESSAGE_FIELDS + 1] = {{{values}}};")
        if c.fails:
            self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
        if layout is None:
            self.line("  queue_truncate(q, v);")
            self.line("  if (shape_capacity[q.shape] == 0) {")
            self.offer(process, t, number, len(send.arguments))
            self.line("  }")
        elif layout.shape.capacity == 0:
            self.line(f"  truncate_{layout.number}(v);")
            self.offer(process, t, number, len(send.arguments))
            return
        self.open_effect(process, t)
        inner = Context(process)
        if layout is not None:
            self.line(
                f"    put_{layout.number}({self.queue_address(send.channel, inner)}, {int(send.sorted)}, v);"
            )
        else:
            self.line(f"    queue_put({self.found_queue(send.channel, inner)}, {int(send.sorted)}, v);")
        self.short_message(send.channel, len(send.arguments), send.where)
        self.close_effect(process, graph, t, inner)

    def short_message(self, channel: Place, given: int, where: Location) -> None:
        """Executing a statement with too few fields is an error after which SPIN goes on."""
        layout = self.fixed_queue(channel)
        if layout is None:
            self.line(
                f"    if (queue_fields(q) > {given} && !c->violation) c->violation = {self.fields_code(where)}u;"
            )
        elif given < len(layout.shape.fields):
            self.line(f"    if (!c->violation) c->violation = {self.fields_code(where)}u;")

    def offer(self, process: Process, t: Transition, number: str, count: int) -> None:
        """A rendezvous: the sender moves, then somebody must receive."""
        self.line(f"    int channel = {number};")
        self.line("    uint32_t next = begin_chain(c, state, size);")
        self.line("    u8 *n = c->base + next;")
        self.line(f"    memcpy(c->message, v, sizeof v); c->message_fields = {count};")
        self.line("    { u8 *p = n + process; u8 *g = n; (void)p; (void)g;")
        self.land(process, t.target, [], Context(process))
        self.line("    }")
        self.after_step("n")
        self.line(f"    return handshake(c, next, size, pid, {t.number}u, channel);")

    def receive_plain(
        self, process: Process, graph: ControlGraph, t: Transition, receive: ops.ReceiveMessage
    ) -> None:
        """Receiving from a buffer."""
        c = Context(process)
        layout = self.fixed_queue(receive.channel)
        if layout is not None:
            self.check_fields(len(receive.fields), layout, receive.where, "received")
            if layout.shape.capacity == 0:
                self.line("  (void)c; (void)size; (void)pid; return 0; /* only in a handshake */")
                return
            self.line(f"  const u8 *q = {self.queue_address(receive.channel, c)};")
            get, length = f"get_{layout.number}", "U8(q)"
        else:
            self.line(f"  struct queue q = {self.found_queue(receive.channel, c)};")
            get, length = "queue_get", "queue_length(q)"
        if c.fails:
            self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
        self.line(f"  if ({length} == 0) return 0;")
        if layout is None:
            self.line(
                f"  if (queue_fields(q) < {len(receive.fields)}) "
                f"{{ c->fatal = {self.fields_code(receive.where)}u; return fail(c, state, size, pid, {t.number}u); }}"
            )
        tests = self.message_tests(receive, c, lambda i: f"{get}(q, slot, {i})")
        self.line("  int slot = 0;")
        if receive.anywhere:
            self.line(f"  while (slot < {length} && !({tests})) slot++;")
            if c.fails:
                self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
            self.line(f"  if (slot == {length}) return 0;")
        elif tests != "1":
            self.line(f"  int matches = {tests};")
            if c.fails:
                self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
            self.line("  if (!matches) return 0;")
        # The values are taken from the old state before anything changes.
        stored = [(i, f.place) for i, f in enumerate(receive.fields) if f.place is not None]
        for i, _ in stored:
            self.line(f"  int v{i} = {get}(q, slot, {i});")
        self.open_effect(process, t)
        inner = Context(process)
        if not receive.keep:
            if layout is not None:
                self.line(f"    take_{layout.number}({self.queue_address(receive.channel, inner)}, slot);")
            else:
                self.line(f"    queue_take({self.found_queue(receive.channel, inner)}, slot);")
            self.short_message(receive.channel, len(receive.fields), receive.where)
        for i, place in stored:
            self.store(place, f"v{i}", inner)
        self.close_effect(process, graph, t, inner)

    def message_tests(self, receive: ops.ReceiveMessage, c: Context, value: object) -> str:
        assert callable(value)
        tests = [
            f"{value(i)} == {self.expression(f.expression, c)}"
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
        if receive.keep:
            code = self.plan.violations.code(
                "poll-rendezvous", "?<...> on a rendezvous channel", receive.where
            )
            self.line(f"  if ({self.load(receive.channel, c)} != channel) return 0;")
            self.line(f"  c->fatal = {code}u; return fail(c, state, size, pid, {t.number}u);")
            self.line("}")
            return
        self.line(f"  int own = {self.load(receive.channel, c)};")
        tests = self.message_tests(receive, c, lambda i: f"c->message[{i}]")
        self.line("  if (!c->fatal && own != channel) return 0;")
        wrong = self.fields_code(receive.where)
        self.line(f"  if (!c->fatal && c->message_fields < {len(receive.fields)}) c->fatal = {wrong}u;")
        self.line(f"  int matches = !c->fatal && {tests};")
        self.line(f"  if (c->fatal) return fail(c, state, size, pid, {t.number}u);")
        self.line("  if (!matches) return 0;")
        self.line("  int fields = c->message_fields; (void)fields;")
        self.open_effect(process, t)
        inner = Context(process)
        for i, f in enumerate(receive.fields):
            if f.place is not None:
                self.store(f.place, f"c->message[{i}]", inner)
        self.line(f"    if (fields > {len(receive.fields)} && !c->violation) c->violation = {wrong}u;")
        self.close_effect(process, graph, t, inner)
        self.line("}")

    # --- deterministic steps ---

    def d_step(self, process: Process, graph: ControlGraph, t: Transition) -> None:
        from assay.languages.promela.generate_d_step import DStepGenerator

        DStepGenerator(self, process, graph, t).generate()

    # --- locations ---

    def step_function(self, process: Process, graph: ControlGraph) -> None:
        self.line(
            f"static int step_{process.number}(struct run *c, uint32_t state, uint32_t size, uint32_t process, "
            "uint32_t pid) {"
        )
        self.line("  int moved = 0, any = 0, result = 0, escaped = 0;")
        self.line("  (void)escaped; (void)moved; (void)result; (void)size; (void)pid;")
        self.line("  switch (LOCATION(c->base + state + process)) {")
        for location, edges in graph.edges.items():
            self.line(f"  case {location}:")
            self.calls(process, edges, "t", "")
            self.line("    break;")
        self.line("  }")
        self.line("  return any;")
        self.line("}")

    def receive_function(self, process: Process, graph: ControlGraph) -> None:
        receiving = {
            location: [e for e in edges if self.may_handshake(e.transition)]
            for location, edges in graph.edges.items()
        }
        receiving = {location: edges for location, edges in receiving.items() if edges}
        done: set[int] = set()
        for edges in receiving.values():
            for edge in edges:
                t = edge.transition
                if t.number not in done and isinstance(t.operation, ops.ReceiveMessage):
                    self.receive_handshake(process, graph, t, t.operation)
                done.add(t.number)
        self.line(
            f"static int receive_{process.number}(struct run *c, uint32_t state, uint32_t size, "
            "uint32_t process, uint32_t pid, int channel) {"
        )
        self.line("  int moved = 0, any = 0, result = 0, escaped = 0;")
        self.line("  (void)escaped; (void)moved; (void)result; (void)size; (void)pid; (void)channel;")
        self.line("  switch (LOCATION(c->base + state + process)) {")
        for location, edges in receiving.items():
            self.line(f"  case {location}:")
            self.calls(process, edges, "tr", ", channel")
            self.line("    break;")
        self.line("  }")
        self.line("  return any;")
        self.line("}")

    def may_handshake(self, t: Transition) -> bool:
        if t.d_step is not None:
            from assay.languages.promela.generate_d_step import starts_with_handshake

            return starts_with_handshake(self, t.d_step)
        if not isinstance(t.operation, ops.ReceiveMessage):
            return False
        layout = self.fixed_queue(t.operation.channel)
        return layout is None or layout.shape.capacity == 0

    def calls(self, process: Process, edges: Sequence[Edge], prefix: str, extra: str) -> None:
        has_escapes = any(e.escape for e in edges)
        has_else = any(isinstance(e.transition.operation, ops.OtherwiseOp) for e in edges)
        needs_moved = has_else or self.plan.resolver.uses_enabled or any(e.transition.d_step for e in edges)
        for edge in edges:
            if has_escapes:
                self.line(f"    if (escaped && escaped != {edge.escape}) break;")
            self.line(
                f"    result = {prefix}_{process.number}_{edge.transition.number}"
                f"(c, state, size, process, pid, moved{extra});"
            )
            self.line("    any |= result;")
            if needs_moved:
                self.line("    moved |= result;")
            if has_escapes:
                self.line(f"    if (result) escaped = {edge.escape};")

    def dispatch(self) -> None:
        """The functions by process type that the runtime calls."""
        self.line(
            "static int step(struct run *c, uint32_t type, uint32_t state, uint32_t size, uint32_t process, "
            "uint32_t pid) {"
        )
        self.line("  switch (type) {")
        for p in self.plan.processes:
            self.line(f"  case {p.number}: return step_{p.number}(c, state, size, process, pid);")
        self.line("  }\n  return 0;\n}")
        self.line(
            "static int receive(struct run *c, uint32_t type, uint32_t state, uint32_t size, uint32_t process, "
            "uint32_t pid, int channel) {"
        )
        self.line("  (void)c; (void)state; (void)size; (void)process; (void)pid; (void)channel;")
        self.line("  switch (type) {")
        if self.has_rendezvous:
            for p in self.plan.processes:
                self.line(
                    f"  case {p.number}: return receive_{p.number}(c, state, size, process, pid, channel);"
                )
        self.line("  }\n  return 0;\n}")
        self.may_run()

    def may_run(self) -> None:
        provided = [p for p in self.plan.processes if p.provided is not None]
        resolver = self.plan.resolver
        if provided:
            self.line("static int is_provided(struct run *c, const u8 *g, const u8 *p, uint32_t pid) {")
            self.line("  int moved = 0; (void)c; (void)g; (void)pid; (void)moved;")
            self.line("  switch (TYPE(p)) {")
            for p in provided:
                assert p.provided is not None
                self.line(f"  case {p.number}: return {self.expression(p.provided, Context(p))};")
            self.line("  }\n  return 1;\n}")
        self.line(
            "static inline int may_run(struct run *c, uint32_t state, uint32_t size, uint32_t process, uint32_t pid) {"
        )
        self.line("  const u8 *g = c->base + state, *p = g + process;")
        self.line("  (void)g; (void)p; (void)size; (void)pid;")
        if provided:
            self.line("  if (!is_provided(c, g, p, pid)) return 0;")
        if resolver.uses_priority:
            self.line("  const u8 *other = g + GLOBALS_SIZE;")
            self.line("  for (uint32_t i = 0; i < PROCESSES(g); i++, other += block_size[TYPE(other)])")
            self.line("    if (i != pid && PRIORITY(other) > PRIORITY(p)")
            if provided:
                self.line("        && is_provided(c, g, other, i)")
            self.line("        && is_enabled_at(c, g, other, i, 0)) return 0;")
        self.line("  return 1;\n}")

    # --- enabled() ---

    def enabled_functions(self) -> list[str]:
        """For enabled() and priorities: is any transition of a process executable?"""
        outer = self.lines
        self.lines = []
        self.line("static int is_enabled_at(struct run *c, const u8 *g, const u8 *p, uint32_t pid, int moved);")
        self.line("static inline int is_enabled(struct run *c, const u8 *g, int who, int me, int moved, uint32_t code) {")
        self.line("  if (who == me) { if (!c->fatal) c->fatal = code; return 0; }")
        self.line("  if (who < 0 || who >= (int)PROCESSES(g)) return 0;")
        self.line("  return is_enabled_at(c, g, process_at(g, who), (uint32_t)who, moved);")
        self.line("}")
        for graph in self.plan.graphs.values():
            process = graph.process
            self.line(
                f"static int enabled_{process.number}(struct run *c, const u8 *g, const u8 *p, uint32_t pid, "
                "int moved) {"
            )
            self.line("  (void)c; (void)g; (void)p; (void)pid; (void)moved;")
            self.line("  switch (LOCATION(p)) {")
            for location, edges in graph.edges.items():
                tests = " || ".join(f"({self.executable(process, e.transition)})" for e in edges)
                self.line(f"  case {location}: return {tests or '0'};")
            self.line("  }\n  return 0;\n}")
        self.line(
            "static int is_enabled_at(struct run *c, const u8 *g, const u8 *p, uint32_t pid, int moved) {"
        )
        self.line("  switch (TYPE(p)) {")
        for p in self.plan.processes:
            self.line(f"  case {p.number}: return enabled_{p.number}(c, g, p, pid, moved);")
        self.line("  }\n  return 0;\n}")
        result, self.lines = self.lines, outer
        return result

    def executable(self, process: Process, t: Transition) -> str:
        if t.d_step is not None:
            from assay.languages.promela.generate_d_step import guard_text

            return guard_text(self, Context(process), t.d_step)
        assert t.operation is not None
        return self.operation_executable(t.operation, Context(process))

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
                return self.poll(channel, anywhere, fields, where, c)
        return "1"

    # --- partial-order reduction ---

    def ample(self) -> None:
        """For each process: may the others wait while it moves from where it is?"""
        plan = self.plan.ample
        if not plan.locations:
            self.line("#define REDUCED 0")
            self.line("static int others_may_wait(struct run *c, const u8 *g, const u8 *p, uint32_t pid) {")
            self.line("  (void)c; (void)g; (void)p; (void)pid; return 0; }")
            return
        self.line("#define REDUCED 1")
        for process in self.plan.processes:
            locations = range(max(self.plan.graphs[process.name].edges, default=0) + 1)
            rows = [plan.conflicts.get((process.name, n), (0, 0)) for n in locations]
            for direction, name in ((SEND, "send"), (RECEIVE, "receive")):
                values = ", ".join(f"{row[direction]}u" for row in rows)
                self.line(f"static const uint64_t {name}s_{process.number}[] = {{{values}}};")
            starts = ", ".join(str(int((process.name, n) in plan.may_start)) for n in locations)
            self.line(f"static const u8 starts_{process.number}[] = {{{starts}}};")
            block = self.layout.processes[process.name]
            variables = [
                f"{{{block.offsets[symbol] + i}u, {mask}u}}"
                for symbol, mask in plan.variables.get(process.name, [])
                for i in range(symbol.length or 1)
            ]
            self.line(
                f"static const struct channel_variable variables_{process.number}[] = "
                f"{{{', '.join([*variables, '{0u, 0u}'])}}};"
            )
            units = ", ".join(str(plan.units.get(q.symbol, 63)) for q in block.queues)
            self.line(f"static const u8 units_{process.number}[] = {{{units or '0'}}};")
        numbers = [p.number for p in self.plan.processes]
        for name, type_ in (
            ("sends", "uint64_t"), ("receives", "uint64_t"), ("starts", "u8"), ("units", "u8"),
        ):
            rows_text = ", ".join(f"{name}_{n}" for n in numbers)
            self.line(f"static const {type_} *const {name}_by_type[] = {{{rows_text}}};")
        rows_text = ", ".join(f"variables_{n}" for n in numbers)
        self.line(f"static const struct channel_variable *const variables_by_type[] = {{{rows_text}}};")
        units = ", ".join(str(plan.units.get(q.symbol, 63)) for q in self.layout.globals.queues)
        self.line(f"static const u8 global_units[] = {{{units or '0'}}};")
        self.line(EXCLUSIVE_TEXT)
        self.line("static int others_may_wait(struct run *c, const u8 *g, const u8 *p, uint32_t pid) {")
        self.line("  (void)c; (void)pid;")
        self.line("  switch (TYPE(p)) {")
        for process in self.plan.processes:
            self.line(f"  case {process.number}: switch (LOCATION(p)) {{")
            groups: dict[str, list[int]] = {}
            for (name, location), found in plan.locations.items():
                if name == process.name:
                    groups.setdefault(self.ample_condition(process, found), []).append(location)
            for condition, locations_ in groups.items():
                cases = " ".join(f"case {n}:" for n in sorted(locations_))
                self.line(f"    {cases} return {condition};")
            self.line("    } return 0;")
        self.line("  }\n  return 0;\n}")

    def ample_condition(self, process: Process, found: AmpleLocation) -> str:
        conditions = []
        if found.stops:
            conditions.append("(pid + 1 == PROCESSES(g) && nobody_starts(g, pid))")
        c = Context(process)
        for item in found.channels:
            number = self.load(item.channel, c)
            conditions.append(f"exclusive_and_ready(c, g, pid, {number}, {item.direction})")
        return " && ".join(conditions) or "1"

    # --- start ---

    def starters(self) -> list[str]:
        """start_N: append a process to a state."""
        outer = self.lines
        self.lines = []
        for process in self.plan.processes:
            block = self.layout.processes[process.name]
            graph = self.plan.graphs[process.name]
            parameters = "".join(f", int a{i}" for i in range(len(process.parameters)))
            self.line(
                f"static int start_{process.number}(struct run *c, u8 *g, uint32_t size, int priority{parameters}) {{"
            )
            self.line("  u8 *p = g + size;")
            self.line("  uint32_t pid = PROCESSES(g);")
            self.line("  (void)c; (void)priority;")
            self.line(f"  memset(p, 0, {block.size});")
            self.line(f"  U8(p + {PROCESS_TYPE_OFFSET}) = {process.number};")
            self.line(f"  U16(p + {PROCESS_LOCATION_OFFSET}) = {graph.initial};")
            if self.plan.resolver.uses_priority:
                self.line("  PRIORITY(p) = (u8)priority;")
            self.line("  PROCESSES(g)++;")
            c = Context(process)
            for i, symbol in enumerate(process.parameters):
                if self.layout.has_room(symbol):
                    self.store(self.whole(symbol), f"a{i}", c)
            for symbol in process.symbols:
                if not symbol.parameter:
                    self.initialise(symbol, c)
            for symbol in self.plan.resets.get((process.name, graph.initial), ()):
                size, _ = self.layout.size_of(symbol.type)
                self.line(f"  memset(p + {block.offsets[symbol]}, 0, {size * (symbol.length or 1)});")
            self.line("  return (int)pid;")
            self.line("}")
        result, self.lines = self.lines, outer
        return result

    @staticmethod
    def whole(symbol: Symbol, element: int | None = None) -> Place:
        assert isinstance(symbol.type, Scalar)
        index = Const(element) if element is not None else None
        return Place(symbol, (ops.Step(index, symbol.length, None),), symbol.type, symbol.where)

    def initialise(self, symbol: Symbol, c: Context) -> None:
        if not self.layout.has_room(symbol):
            return
        elements: Iterable[int | None] = range(symbol.length) if symbol.length is not None else [None]
        if isinstance(symbol.type, Structure):
            for place, value in self.structure_initials(symbol):
                self.store(place, value, c)
            self.structure_channels(symbol, c)
            return
        if symbol.channel is not None:
            first = self.block_of(symbol).first_queue[symbol].ordinal
            base = f"{first + 1}" if symbol.owner is None else f"first_channel(g, p) + {first}"
            for element in elements:
                self.store(self.whole(symbol, element), f"{base} + {element or 0}", c)
            return
        if symbol.initial is None:
            return
        for element in elements:
            if isinstance(symbol.initial, tuple):
                position = min(element or 0, len(symbol.initial) - 1)
                value = symbol.initial[position]
            else:
                value = symbol.initial
            self.store(self.whole(symbol, element), self.expression(value, c), c)

    def structure_initials(self, symbol: Symbol) -> Iterable[tuple[Place, str]]:
        assert isinstance(symbol.type, Structure)
        elements: Iterable[int | None] = range(symbol.length) if symbol.length is not None else [None]
        for element in elements:
            index = Const(element) if element is not None else None
            yield from self.field_initials(symbol, symbol.type, (ops.Step(index, symbol.length, None),))

    def field_initials(
        self, symbol: Symbol, structure: Structure, steps: tuple[ops.Step, ...]
    ) -> Iterable[tuple[Place, str]]:
        last = steps[-1]
        for item in structure.fields:
            entered = (*steps[:-1], ops.Step(last.index, last.length, item.name))
            elements: Iterable[int | None] = range(item.length) if item.length is not None else [None]
            for position, element in enumerate(elements):
                index = Const(element) if element is not None else None
                here = (*entered, ops.Step(index, item.length, None))
                if isinstance(item.type, Structure):
                    yield from self.field_initials(symbol, item.type, here)
                elif item.initial is not None:
                    value = item.initial[min(position, len(item.initial) - 1)]
                    yield Place(symbol, here, item.type, symbol.where), str(value)

    def structure_channels(self, symbol: Symbol, c: Context) -> None:
        """Channels declared inside a typedef: their numbers go into the chan fields."""
        for queue in self.block_of(symbol).queues:
            if queue.symbol is not symbol:
                continue
            element = Const(queue.element) if symbol.length is not None else None
            steps: list[ops.Step] = [ops.Step(element, symbol.length, None)]
            type_: ops.Type = symbol.type
            for name in queue.path:
                field_name, _, index_text = name.rstrip("]").partition("[")
                assert isinstance(type_, Structure)
                item = type_.field(field_name)
                assert item is not None
                steps[-1] = ops.Step(steps[-1].index, steps[-1].length, field_name)
                steps.append(ops.Step(Const(int(index_text)) if index_text else None, item.length, None))
                type_ = item.type
            base = (
                f"{queue.ordinal + 1}" if symbol.owner is None else f"first_channel(g, p) + {queue.ordinal}"
            )
            assert isinstance(type_, Scalar)
            self.store(Place(symbol, tuple(steps), type_, symbol.where), base, c)

    def initial(self) -> None:
        self.line("static uint32_t initial(uint64_t *words, uint32_t *violation) {")
        self.line("  struct run run, *c = &run;")
        self.line("  u8 *g = (u8 *)words, *p = g; uint32_t size = GLOBALS_SIZE, pid = 0; int moved = 0;")
        self.line("  (void)p; (void)pid; (void)moved;")
        self.line("  memset(c, 0, sizeof run);")
        self.line("  memset(g, 0, GLOBALS_SIZE);")
        c = Context(None)
        for symbol in self.plan.resolver.globals:
            self.initialise(symbol, c)
        for process in self.plan.processes:
            for _ in range(process.instances):
                arguments = ", 0" * len(process.parameters)
                self.line(f"  start_{process.number}(c, g, size, {process.priority}{arguments});")
                self.line(f"  size += {self.layout.processes[process.name].size}u;")
        self.line("  *violation = c->fatal;")
        self.line("  return size / 8;")
        self.line("}")

    # --- properties ---

    def properties(self) -> None:
        for over_step in (False, True):
            chosen = [p for p in self.plan.properties if p.over_step == over_step]
            if not chosen:
                continue
            if over_step:
                self.line(
                    "static uint32_t check_step(const uint64_t *before, uint32_t before_count, "
                    "const uint64_t *after, uint32_t after_count) {"
                )
                self.line("  const u8 *g = (const u8 *)before, *next_g = (const u8 *)after;")
                self.line("  (void)before_count; (void)after_count; (void)next_g;")
            else:
                self.line("static uint32_t check_state(const uint64_t *words, uint32_t word_count) {")
                self.line("  const u8 *g = (const u8 *)words; (void)word_count;")
            self.line(
                "  const u8 *p = g; uint32_t pid = 0; int moved = 0; (void)p; (void)pid; (void)moved; (void)g;"
            )
            self.line("  struct run run, *c = &run; c->fatal = 0; c->timeout = 0;")
            for prop in chosen:
                context = Context(None)
                text = self.expression(prop.expression, context)
                kind = "step-invariant" if over_step else "invariant"
                code = self.plan.violations.code(kind, prop.text)
                undefined = self.plan.violations.code(kind, f"{prop.text} (cannot be evaluated)")
                self.line(f"  {{ int holds = {text};")
                if context.fails:
                    self.line(f"    if (c->fatal) return {undefined}u;")
                self.line(f"    if (!holds) return {code}u; }}")
            self.line("  return 0;\n}")

    def entry(self) -> None:
        ends: list[str] = []
        for graph in self.plan.graphs.values():
            cases = " ".join(f"case {n}:" for n in sorted(graph.end_locations) if n in graph.edges)
            ends.append(
                f"    case {graph.process.number}: switch (LOCATION(p)) {{ {cases} "
                f"{'break;' if cases else ''} default: return 0; }} break;"
            )
        joined = "\n".join(ends)
        has_state = any(not p.over_step for p in self.plan.properties)
        has_step = any(p.over_step for p in self.plan.properties)
        largest = self.layout.globals.size + MAXIMAL_PROCESSES * max(
            (b.size for b in self.layout.processes.values()), default=8
        )
        timeout = (
            "  if (!moved) { c.timeout = 1; everybody(&c, 0, word_count * 8); }\n"
            if self.plan.resolver.uses_timeout
            else ""
        )
        self.line(
            f"""
static uint32_t is_valid_end(const uint64_t *words, uint32_t word_count) {{
  const u8 *g = (const u8 *)words, *p = g + GLOBALS_SIZE;
  (void)word_count;
  for (uint32_t i = 0; i < PROCESSES(g); i++, p += block_size[TYPE(p)]) {{
    switch (TYPE(p)) {{
{joined}
    }}
  }}
  return 1;
}}
static void successors(const uint64_t *words, uint32_t word_count, assay_buffer *out) {{
  struct run c;
  start_run(&c, out, words, word_count * 8);
  int moved = REDUCED && somebody(&c, 0, word_count * 8);
  if (!moved) moved = everybody(&c, 0, word_count * 8);
{timeout}  if (c.fatal) fail(&c, 0, word_count * 8, 0, 0); /* met while asking who may run */
  end_run(&c);
}}
static const assay_model model = {{
  ASSAY_MODEL_ABI, {largest // 8 + 1}u, initial, successors, is_valid_end,
  {"check_state" if has_state else "NULL"}, {"check_step" if has_step else "NULL"}}};
const assay_model *assay_model_entry(void) {{ return &model; }}"""
        )


def generate(plan: Plan) -> str:
    generator = Generator(plan)
    starters = generator.starters()
    generator.lines.extend(starters)
    if plan.resolver.uses_enabled or plan.resolver.uses_priority:
        generator.lines.extend(generator.enabled_functions())
    return generator.generate()


__all__ = ["Chain", "Kind", "Mark", "Node", "Plan", "Property", "ViolationTable", "generate"]
