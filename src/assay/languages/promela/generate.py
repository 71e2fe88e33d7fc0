"""Control graphs to C: the whole translation unit.

The result includes `runtime.h` of this folder and implements the engine's model
interface (`model_abi.h`). Each layer of the generator has a file of its own:
expressions, channels, transitions, locations, reduction, labels; this one adds the start, the
properties and the entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay.languages.promela import operations as ops
from assay.languages.promela.code_claim import ClaimCode
from assay.languages.promela.code_foreign import runtime as foreign_runtime
from assay.languages.promela.layout import (
    MAXIMAL_PROCESSES,
    PROCESS_LOCATION_OFFSET,
    PROCESS_TYPE_OFFSET,
)
from assay.languages.promela.operations import Const, Place, Scalar, Structure, Symbol
from assay.languages.promela.plan import MAXIMAL_CHAIN, Context, Plan

# Copies of the code around each transition. More of them are compiled into one function: the
# compiler needs half the time then, and a search some two per cent more.
MOST_COPIES = 16


# What follows the script of a certificate wants one step, and of a state without one whether there is any.
ONE_PROCESS_TEXT = """
static void successors_of(const uint64_t *words, uint32_t word_count, uint32_t pid, assay_buffer *out) {
  if (pid >= PROCESSES((const u8 *)words)) return;
  struct run c;
  start_run(&c, out, words, word_count * 8);
  uint32_t process = process_offset(c.base, pid);
  c.process = pid;
  if (may_run(&c, 0, word_count * 8, process, pid, 0))
    step(&c, TYPE(c.base + process), 0, word_count * 8, process, pid);
  if (c.fatal) fail(&c, 0, word_count * 8, 0, 0);
  end_run(&c);
}
static uint32_t can_move(const uint64_t *words, uint32_t word_count, assay_buffer *out) {
  static const uint8_t none[8];
  struct run c;
  start_run(&c, out, words, word_count * 8);
  out->wanted = none;
  out->wanted_first = 0;
  out->wanted_count = 64;
  const u8 *s = c.base;
  uint32_t count = PROCESSES(s), offset = GLOBALS_SIZE;
  int moved = 0;
  for (uint32_t i = 0; i < count && !moved; i++) {
    uint32_t type = TYPE(c.base + offset);
    c.process = i;
    if (may_run(&c, 0, word_count * 8, offset, i, 0)) moved = step(&c, type, 0, word_count * 8, offset, i);
    offset += block_size[type];
  }
  out->wanted = NULL;
  end_run(&c);
  return moved || c.fatal;
}"""


class Generator(ClaimCode):
    def generate(self) -> str:
        for graph in self.plan.graphs.values():
            self.process(graph)
        self.dispatch()
        self.ample()
        self.claim()
        self.initial()
        self.properties()
        self.entry()
        self.label_function()
        self.match_function()
        self.model_table()
        generated = "\n".join(self.lines)
        runtime = Path(__file__).with_name("runtime.h").read_text(encoding="utf-8")
        parts = [self.constants(), runtime, self.tables(), foreign_runtime(self.plan), self.queues()]
        return "\n".join([*parts, self.events(), generated, ""])

    def constants(self) -> str:
        largest = max((b.size for b in self.layout.processes.values()), default=8)
        fields = max((len(s.fields) for s in self.layout.shapes), default=0)
        chains = self.plan.acting is not None or any(
            t.continues or self.may_offer(t)
            for graph in self.plan.graphs.values()
            for t in graph.transitions.values()
        )
        endless = self.plan.violations.code(
            "endless-atomic", f"an atomic sequence never ends, or takes more than {MAXIMAL_CHAIN} steps"
        )
        shared = self.functions > MOST_COPIES
        return "\n".join(
            [
                '#include "model_abi.h"',
                f"#define IN_STEP static {'__attribute__((noinline))' if shared else 'inline'}",
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
                f"static int start_{process.number}(struct run *c, u8 *g, uint32_t size, "
                f"int priority{parameters}) {{"
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
            for i, place in enumerate(process.parameters):
                if self.layout.has_room(place.symbol):
                    self.store(place, f"a{i}", c)
            for symbol in process.symbols:
                if not symbol.parameter:
                    self.initialise(symbol, c)
            for symbol in self.plan.resets.get((process.name, graph.initial), ()):
                self.line(f"  {self.reset_text(symbol)}")
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
        if self.layout.is_fixed_channel(symbol):
            return
        elements: Iterable[int | None] = range(symbol.length) if symbol.length is not None else [None]
        if isinstance(symbol.type, Structure):
            if not self.layout.has_room(symbol):
                return  # its initial values are constants
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
            initial = symbol.initial
            if isinstance(initial, tuple):
                initial = initial[min(element or 0, len(initial) - 1)]
            self.store(self.whole(symbol, element), self.expression(initial, c), c)

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
        if self.plan.events is not None:
            self.line("  EVENT(g) = 0;")
        if self.plan.acting is not None:
            self.line(f"  CLAIM(g) = {self.plan.acting.initial};")
        if self.plan.foreign is not None:
            self.line("  host->begin(host->context, g);")
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
            self.line("  const u8 *p = g; uint32_t pid = 0; int moved = 0;")
            self.line("  (void)p; (void)pid; (void)moved; (void)g;")
            self.line("  struct run run, *c = &run; c->fatal = 0; c->timeout = 0;")
            for prop in chosen:
                context = Context(None, counts_claim=False)
                text = self.expression(prop.expression, context)
                kind = "step-invariant" if over_step else "invariant"
                code = self.plan.violations.code(kind, prop.text, prop=prop.text)
                text_of_undefined = f"{prop.text} (cannot be evaluated)"
                undefined = self.plan.violations.code(kind, text_of_undefined, prop=prop.text)
                self.line(f"  {{ int holds = {text};")
                if context.fails:
                    self.line(f"    if (c->fatal) return {undefined}u;")
                self.line(f"    if (!holds) return {code}u; }}")
            self.line("  return 0;\n}")

    def largest_state(self) -> int:
        """Bytes of the largest state; without `run`, no more processes than at the start."""
        sizes = {p.name: self.layout.processes[p.name].size for p in self.plan.processes}
        starts_more = any(
            isinstance(part, ops.StartProcess)
            for graph in self.plan.graphs.values()
            for t in graph.transitions.values()
            if t.operation is not None
            for part in ops.operation_reads(t.operation)
        )
        if starts_more:
            return self.layout.globals.size + MAXIMAL_PROCESSES * max(sizes.values())
        return self.layout.globals.size + sum(p.instances * sizes[p.name] for p in self.plan.processes)

    def entry(self) -> None:
        ends: list[str] = []
        for graph in self.plan.graphs.values():
            cases = " ".join(f"case {n}:" for n in sorted(graph.end_locations) if n in graph.edges)
            ends.append(
                f"    case {graph.process.number}: switch (LOCATION(p)) {{ {cases} "
                f"{'break;' if cases else ''} default: return 0; }} break;"
            )
        joined = "\n".join(ends)
        claim = self.plan.events
        unfinished = ""
        if claim is not None and not claim.is_negated:  # to stop short of what must not happen is no fault
            cases = " ".join(f"case {n}:" for n in sorted(claim.ends))
            unfinished = f"  switch (EVENT(g)) {{ {cases} break; default: return 0; }}\n"
        timeout = (
            "  if (!moved) { c.timeout = 1; everybody(&c, 0, word_count * 8); }\n"
            if self.plan.resolver.uses_timeout
            else ""
        )
        everybody = f"""\
  int moved = reduced && somebody(&c, 0, word_count * 8);
  if (!moved) moved = everybody(&c, 0, word_count * 8);
{timeout}  if (c.fatal) fail(&c, 0, word_count * 8, 0, 0); /* met while asking who may run */"""
        # Where a claim that is one of the processes is stuck, there is nothing more to look at.
        watched_end = "" if self.plan.acting is None else "  return 1;\n"
        if self.plan.acting is not None:
            everybody = "  (void)reduced;\n  claim_moves(&c, word_count * 8);"
        self.line(
            f"""
static uint32_t is_valid_end(const uint64_t *words, uint32_t word_count) {{
  const u8 *g = (const u8 *)words, *p = g + GLOBALS_SIZE;
  (void)word_count;
{watched_end}  for (uint32_t i = 0; i < PROCESSES(g); i++, p += block_size[TYPE(p)]) {{
    switch (TYPE(p)) {{
{joined}
    }}
  }}
{unfinished}  return 1;
}}
static void follow(const uint64_t *words, uint32_t word_count, assay_buffer *out, int reduced) {{
  struct run c;
  start_run(&c, out, words, word_count * 8);
{everybody}
  end_run(&c);
}}
static void successors(const uint64_t *words, uint32_t word_count, assay_buffer *out) {{
  follow(words, word_count, out, REDUCED);
}}
#if REDUCED
#define ALL_SUCCESSORS all_successors
static void all_successors(const uint64_t *words, uint32_t word_count, assay_buffer *out) {{
  follow(words, word_count, out, 0);
}}
#else
#define ALL_SUCCESSORS NULL
#endif"""
        )
        if self.follows_one_process:
            self.line(ONE_PROCESS_TEXT)

    @property
    def follows_one_process(self) -> bool:
        """Not where whether a process moves is known after all were asked, nor where steps are foreign."""
        return not self.plan.resolver.uses_timeout and self.plan.foreign is None

    def foreign_entries(self) -> str:
        if self.plan.foreign is None:
            return ""
        entries = ",\n  .flags = ASSAY_SINGLE_THREADED | ASSAY_FOREIGN_CODE,\n  .foreign = &foreign"
        has_key = self.plan.foreign.has_unmatched and not self.plan.match
        return entries + (",\n  .match_key = match_key" if has_key else "")

    def match_function(self) -> None:
        """What states are compared by: where processes stand, and values. One that cannot be computed is
        different from all others."""
        if not self.plan.match:
            return
        self.line("static uint32_t match_key(const uint64_t *words, uint32_t word_count, uint64_t *key) {")
        self.line("  const u8 *g = (const u8 *)words, *p = g + GLOBALS_SIZE;")
        self.line("  const uint32_t pid = UINT32_MAX;")
        self.line("  const int moved = 0;")
        self.line("  struct run run, *c = &run; c->fatal = 0; c->timeout = 0; c->asking = 0;")
        self.line("  uint32_t n = 0;")
        self.line("  (void)word_count; (void)pid; (void)moved; (void)c;")
        if not self.plan.match_anywhere:
            self.line("  for (uint32_t i = 0; i < PROCESSES(g); i++, p += block_size[TYPE(p)])")
            self.line("    key[n++] = TYPE(p) | (uint64_t)LOCATION(p) << 8;")
            if self.plan.events is not None:
                self.line("  key[n++] = EVENT(g);")
            if self.plan.acting is not None:
                self.line("  key[n++] = CLAIM(g);")
        self.line("  p = g; (void)p;")
        for one in self.plan.match:
            text = self.expression(one.expression, Context(None, counts_claim=False))
            self.line(f"  {{ const uint32_t value = (uint32_t)({text});")
            self.line("    key[n++] = c->fatal ? UINT64_C(1) << 63 : value; c->fatal = 0; }")
        self.line("  return n;\n}")

    def model_table(self) -> None:
        has_state = any(not p.over_step for p in self.plan.properties)
        has_step = any(p.over_step for p in self.plan.properties)
        one_process = (
            ",\n  .successors_of = successors_of,\n  .can_move = can_move" if self.follows_one_process else ""
        )
        match = ",\n  .match_key = match_key" if self.plan.match else ""
        self.line(
            f"""\
static const assay_model model = {{
  .abi = ASSAY_MODEL_ABI,
  .max_words = {self.largest_state() // 8 + 1 + (len(self.plan.match) + 2 if self.plan.match else 0)}u,
  .initial = initial,
  .successors = successors,
  .is_valid_end = is_valid_end,
  .check_state = {"check_state" if has_state else "NULL"},
  .check_step = {"check_step" if has_step else "NULL"},
  .all_successors = ALL_SUCCESSORS{self.label_entries()}{one_process}{self.foreign_entries()}{match}}};
const assay_model *assay_model_entry(void) {{ return &model; }}"""
        )


def generate(plan: Plan) -> str:
    generator = Generator(plan)
    starters = generator.starters()
    generator.lines.extend(starters)
    if plan.resolver.uses_enabled or plan.resolver.uses_priority:
        generator.lines.extend(generator.enabled_functions())
    return generator.generate()
