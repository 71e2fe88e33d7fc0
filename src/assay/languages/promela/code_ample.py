"""Partial-order reduction in C: the conditions of `partial_order.py`, asked of a state."""

from __future__ import annotations

from assay.languages.promela.code_locations import LocationCode
from assay.languages.promela.operations import Process
from assay.languages.promela.partial_order import RECEIVE, SEND, AmpleLocation
from assay.languages.promela.plan import Context

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
/* Does the process r use the channel, of declaration `bit`, in this direction? */
static int uses_channel(const u8 *r, int channel, uint64_t bit, int receiving) {
  if ((receiving ? receives_by_type : sends_by_type)[TYPE(r)][LOCATION(r)] & bit) return 1;
  for (const struct channel_variable *v = variables_by_type[TYPE(r)]; v->directions; v++)
    if ((v->directions >> receiving & 1) && U8(r + v->offset) == channel) return 1;
  return 0;
}
/* Nobody else can disturb this process at this channel, and the channel is ready. Where a cycle
 * must be broken, moreover: its partners at the channel are all older (1) or all younger (2). */
static int exclusive_and_ready(struct run *c, const u8 *g, uint32_t pid, int channel, int receiving,
                               int breaks) {
  struct queue q = find_queue(c, g, channel, 0);
  if (q.shape < 0 || shape_capacity[q.shape] == 0 || is_event(channel, receiving)) return 0;
  if (receiving ? queue_length(q) == 0 : queue_full(q)) return 0;
  uint64_t bit = (uint64_t)1 << channel_unit(g, channel);
  const u8 *r = g + GLOBALS_SIZE;
  for (uint32_t i = 0; i < PROCESSES(g); i++, r += block_size[TYPE(r)]) {
    if (i != pid && uses_channel(r, channel, bit, receiving)) return 0;
    if (breaks && (breaks == 1 ? i >= pid : i <= pid) && uses_channel(r, channel, bit, !receiving)) return 0;
  }
  return 1;
}
static int nobody_starts(const u8 *g, uint32_t pid) {
  const u8 *r = g + GLOBALS_SIZE;
  for (uint32_t i = 0; i < PROCESSES(g); i++, r += block_size[TYPE(r)])
    if (i != pid && starts_by_type[TYPE(r)][LOCATION(r)]) return 0;
  return 1;
}"""


class AmpleCode(LocationCode):
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
            ("sends", "uint64_t"),
            ("receives", "uint64_t"),
            ("starts", "u8"),
            ("units", "u8"),
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
            conditions.append(f"exclusive_and_ready(c, g, pid, {number}, {item.direction}, {found.breaks})")
        return " && ".join(dict.fromkeys(conditions)) or "1"
