"""Channels in C: tables to find one by its number, and what each shape of channel can do."""

from __future__ import annotations

from assay.languages.promela.code_expressions import ExpressionCode
from assay.languages.promela.layout import QueueLayout


class ChannelCode(ExpressionCode):
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
static inline int is_rendezvous(struct queue q) { return q.shape >= 0 && shape_capacity[q.shape] == 0; }
static inline int queue_full(struct queue q) {
  return q.shape >= 0 && shape_capacity[q.shape] != 0 && U8(q.at) >= shape_capacity[q.shape];
}"""
        )
        out.extend(self.queue_functions(layout) for layout in self.layout.shapes.values())
        out.append(self.queue_dispatch())
        return "\n".join(out)

    def queue_functions(self, layout: QueueLayout) -> str:
        """append_N(queue, values), insert_N(queue, values) where the order says, take_N(queue, slot)."""
        n = layout.number
        fields = list(zip(layout.field_offsets, layout.shape.fields, strict=True))
        truncate = " ".join(
            f"v[{i}] = {self.truncated(scalar, f'v[{i}]')};" for i, (_, scalar) in enumerate(fields)
        )
        lines = [f"static inline void truncate_{n}(int *v) {{ (void)v; {truncate} }}"]
        if layout.shape.capacity == 0:
            return lines[0]
        stores = " ".join(
            self.store_text(scalar, self.slot_text(layout, "slot", offset), f"v[{i}]")
            for i, (offset, scalar) in enumerate(fields)
        )
        compare = " ".join(
            f"if (v[{i}] > {self.field_text(layout, 'slot', i)}) continue; "
            f"if (v[{i}] < {self.field_text(layout, 'slot', i)}) break;"
            for i in range(len(fields))
        )
        stride, first = layout.stride, layout.first_message
        take = (
            f"U8(q) = 0; memset(q + {first}, 0, {stride});"
            if layout.shape.capacity == 1
            else f"""int last = --U8(q);
  memmove(q + {first} + slot * {stride}, q + {first} + (slot + 1) * {stride}, (last - slot) * {stride});
  memset(q + {first} + last * {stride}, 0, {stride});"""
        )
        lines.append(
            f"""static inline void append_{n}(u8 *q, const int *v) {{
  int slot = U8(q)++;
  {stores}
}}
static void insert_{n}(u8 *q, const int *v) {{
  int slot;
  for (slot = 0; slot < U8(q); slot++) {{ {compare} }}
  memmove(q + {first} + (slot + 1) * {stride}, q + {first} + slot * {stride}, (U8(q) - slot) * {stride});
  U8(q)++;
  {stores}
}}
static inline void take_{n}(u8 *q, int slot) {{
  {take}
}}"""
        )
        return "\n".join(lines)

    def queue_dispatch(self) -> str:
        """The same for a channel whose shape only the state tells."""
        every = list(self.layout.shapes.values())
        buffered = [s for s in every if s.shape.capacity]
        result = [
            "static inline int queue_fields(struct queue q) "
            "{ return q.shape < 0 ? 0 : shape_fields[q.shape]; }",
            "static inline int queue_has(struct run *c, struct queue q, int field, uint32_t code) "
            "{ return field < queue_fields(q) || failing(c, code); }",
        ]
        for field in range(max((len(s.shape.fields) for s in buffered), default=0)):
            cases = " ".join(
                f"case {s.number}: return {self.field_text(s, 'slot', field)};"
                for s in buffered
                if field < len(s.shape.fields)
            )
            result.append(
                f"static inline int queue_field_{field}(struct queue found, int slot) "
                f"{{ const u8 *q = found.at; switch (found.shape) {{ {cases} default: return 0; }} }}"
            )
        for name, type_, argument, shapes in (
            ("append", "const int *", "v", buffered),
            ("insert", "const int *", "v", buffered),
            ("take", "int ", "slot", buffered),
            ("truncate", "int *", "v", every),
        ):
            at = "" if name == "truncate" else "q.at, "
            cases = " ".join(f"case {s.number}: {name}_{s.number}({at}{argument}); break;" for s in shapes)
            result.append(
                f"static inline void queue_{name}(struct queue q, {type_}{argument}) "
                f"{{ switch (q.shape) {{ {cases} default: break; }} }}"
            )
        return "\n".join(result)
