"""Locations to C: for every process type, a switch from where it is to what it can do there."""

from __future__ import annotations

from collections.abc import Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela.code_d_step import guard_text, starts_with_handshake
from assay.languages.promela.code_transitions import TransitionCode
from assay.languages.promela.control import ControlGraph, Edge, Transition
from assay.languages.promela.operations import Process
from assay.languages.promela.plan import Context


class LocationCode(TransitionCode):
    def process(self, graph: ControlGraph) -> None:
        process = graph.process
        listed = {e.transition.number: e.transition for edges in graph.edges.values() for e in edges}
        edges = self.reached(process, graph)
        used = {e.transition.number for listing in edges.values() for e in listing}
        self.functions += len(used)
        for number in sorted(listed):
            start = len(self.lines)
            self.transition(process, graph, listed[number])
            if number not in used:  # but looked at, because it may be wrong
                del self.lines[start:]
        self.step_function(process, edges)
        if self.has_rendezvous:
            self.receive_function(process, graph, edges)

    def reached(self, process: Process, graph: ControlGraph) -> dict[int, list[Edge]]:
        """The locations where a process can rest: not those that merging always passes."""
        found: set[int] = set()
        pending = [graph.initial]
        while pending:
            location = pending.pop()
            if location in found:
                continue
            found.add(location)
            for edge in graph.edges.get(location, ()):
                pending.append(self.last_of(process, edge.transition).target)
                if self.may_offer(edge.transition):
                    pending.append(edge.transition.target)
        return {location: edges for location, edges in graph.edges.items() if location in found}

    def may_offer(self, t: Transition) -> bool:
        """A rendezvous takes no merged steps with it."""
        return self.has_rendezvous and isinstance(t.operation, ops.SendMessage)

    def step_function(self, process: Process, listing: dict[int, list[Edge]]) -> None:
        self.line(
            f"static int step_{process.number}(struct run *c, uint32_t state, "
            "uint32_t size, uint32_t process, uint32_t pid) {"
        )
        self.switch(process, listing, "t", "")

    def switch(self, process: Process, listing: dict[int, list[Edge]], prefix: str, extra: str) -> None:
        self.line("  int any = 0, result, escaped = 0;")
        self.line("  switch (LOCATION(c->base + state + process)) {")
        for location, edges in listing.items():
            self.line(f"  case {location}:")
            self.calls(process, edges, prefix, extra)
            self.line("    break;")
        self.line("  }")
        self.line("  return any;")
        self.line("}")

    def receive_function(self, process: Process, graph: ControlGraph, reached: dict[int, list[Edge]]) -> None:
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
        self.switch(process, {n: edges for n, edges in receiving.items() if n in reached}, "tr", ", channel")

    def may_handshake(self, t: Transition) -> bool:
        if t.d_step is not None:
            return starts_with_handshake(self, t.d_step)
        if not isinstance(t.operation, ops.ReceiveMessage):
            return False
        layout = self.fixed_queue(t.operation.channel)
        return layout is None or layout.shape.capacity == 0

    def calls(self, process: Process, edges: Sequence[Edge], prefix: str, extra: str) -> None:
        """Tries the edges in order; each is told whether an earlier one could move."""
        has_escapes = any(e.escape for e in edges)
        for edge in edges:
            if has_escapes:
                self.line(f"    if (escaped && escaped != {edge.escape}) break;")
            name = f"{prefix}_{process.number}_{edge.transition.number}"
            call = f"{name}(c, state, size, process, pid, any{extra})"
            if not has_escapes and not self.may_offer(edge.transition):
                self.line(f"    any |= {call};")
                continue
            self.line(f"    result = {call};")
            if self.may_offer(edge.transition):
                # A rendezvous that found no partner. As in SPIN, trying it ends an escape.
                self.line("    if (result < 0) result = escaped = 0;")
            self.line("    any |= result;")
            if has_escapes:
                self.line(f"    if (result) escaped = {edge.escape};")

    def dispatch(self) -> None:
        """The functions by process type that the runtime calls."""
        self.line(
            "static int step(struct run *c, uint32_t type, uint32_t state, "
            "uint32_t size, uint32_t process, uint32_t pid) {"
        )
        self.line("  switch (type) {")
        for p in self.plan.processes:
            self.line(f"  case {p.number}: return step_{p.number}(c, state, size, process, pid);")
        self.line("  }\n  return 0;\n}")
        self.line(
            "static int receive(struct run *c, uint32_t type, uint32_t state, "
            "uint32_t size, uint32_t process, uint32_t pid, int channel) {"
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
            self.line(
                "static int is_provided(struct run *c, const u8 *g, const u8 *p, uint32_t pid, int channel) {"
            )
            self.line("  int moved = 0; (void)c; (void)g; (void)pid; (void)moved; (void)channel;")
            self.line("  switch (TYPE(p)) {")
            for p in provided:
                assert p.provided is not None
                self.line(
                    f"  case {p.number}: return {self.expression(p.provided, Context(p, offered=True))};"
                )
            self.line("  }\n  return 1;\n}")
        self.line(
            "static inline int may_run(struct run *c, uint32_t state, uint32_t size, uint32_t process, "
            "uint32_t pid, int channel) {"
        )
        self.line("  const u8 *g = c->base + state, *p = g + process;")
        self.line("  (void)g; (void)p; (void)size; (void)pid; (void)channel;")
        if provided:
            self.line("  if (!is_provided(c, g, p, pid, channel)) return 0;")
        if resolver.uses_priority:
            self.line("  const u8 *other = g + GLOBALS_SIZE;")
            self.line("  for (uint32_t i = 0; i < PROCESSES(g); i++, other += block_size[TYPE(other)])")
            self.line("    if (i != pid && PRIORITY(other) > PRIORITY(p)")
            if provided:
                self.line("        && is_provided(c, g, other, i, channel)")
            self.line("        && is_enabled_at(c, g, other, i, 0)) return 0;")
        self.line("  return 1;\n}")

    # --- enabled() ---

    def enabled_functions(self) -> list[str]:
        """For enabled() and priorities: is any transition of a process executable?"""
        outer = self.lines
        self.lines = []
        self.line(
            "static int is_enabled_at(struct run *c, const u8 *g, const u8 *p, uint32_t pid, int moved);"
        )
        self.line(
            "static inline int is_enabled(struct run *c, const u8 *g, int who, int me, int moved, "
            "uint32_t about_itself, uint32_t circular) {"
        )
        self.line("  if (c->fatal) return 0;")
        self.line("  if (who == me) { c->fatal = about_itself; return 0; }")
        self.line("  if (who < 0 || who >= (int)PROCESSES(g)) return 0;")
        # Among so many questions one process was asked twice.
        self.line("  if (c->asking > PROCESSES(g)) { c->fatal = circular; return 0; }")
        self.line("  c->asking++;")
        self.line("  const int answer = is_enabled_at(c, g, process_at(g, who), (uint32_t)who, moved);")
        self.line("  c->asking--;")
        self.line("  return answer;")
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
            return guard_text(self, Context(process), t.d_step)
        assert t.operation is not None
        return self.operation_executable(t.operation, Context(process))
