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
static inline int queue_full(struct queue q) {
  return q.shape >= 0 && shape_capacity[q.shape] != 0 && U8(q.at) >= shape_capacity[q.shape];
}"""
        )
        out.extend(self.queue_functions(layout) for layout in self.layout.shapes.values())
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
