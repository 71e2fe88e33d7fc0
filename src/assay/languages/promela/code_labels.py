"""Atomic propositions of claims as C: the model's `labels` function.

An atom that cannot be evaluated in a state (an index out of range, a division by zero) is
false there, and a second label says so: the automaton of a claim that looks at it goes to a
violation (`claims.py`), as SPIN stops with an error.
"""

from __future__ import annotations

from assay.languages.promela import operations as ops
from assay.languages.promela.code_ample import AmpleCode
from assay.languages.promela.plan import Context

# Asks for successors without building their states.
SOMEBODY_MOVES = """\
static void more_room(assay_buffer *b, uint32_t words, uint32_t successors) {
  b->words_capacity = 2 * b->words_capacity + words;
  b->capacity = 2 * b->capacity + successors;
  b->words = realloc(b->words, b->words_capacity * sizeof *b->words);
  b->successors = realloc(b->successors, b->capacity * sizeof *b->successors);
  if ((!b->words && b->words_capacity) || !b->successors) abort();
}
static int somebody_moves(const uint64_t *words, uint32_t word_count) {
  static const uint8_t unwanted_ones[8];
  assay_buffer probe = {.grow = more_room, .wanted = unwanted_ones, .wanted_count = 64};
  follow(words, word_count, &probe, REDUCED);
  const int moves = probe.count != 0;
  free(probe.words);
  free(probe.successors);
  free(probe.scratch);
  return moves;
}"""


class LabelCode(AmpleCode):
    def label_function(self) -> None:
        """Behind everything that it may call."""
        if not self.plan.labels:
            return
        parts = [part for label in self.plan.labels.values() for part in ops.subexpressions(label.expression)]
        for prefix in sorted({part.prefix for part in parts if isinstance(part, ops.SomebodyAt)}):
            self.somebody_at(prefix)
        if any(isinstance(part, ops.SomebodyMoves | ops.IsOver) for part in parts):
            self.line(SOMEBODY_MOVES)
        self.line("static uint64_t labels(const uint64_t *words, uint32_t word_count) {")
        self.line("  const u8 *g = (const u8 *)words, *p = g;")
        self.line("  const uint32_t pid = UINT32_MAX; /* the claim asks, and is no process */")
        self.line("  const int moved = 0;")
        self.line("  struct run run, *c = &run; c->fatal = 0; c->timeout = 0; c->asking = 0;")
        self.line("  uint64_t found = 0;")
        self.line("  (void)word_count; (void)p; (void)pid; (void)moved; (void)c;")
        for number, label in sorted(self.plan.labels.items()):
            context = Context(None)
            text = self.expression(label.expression, context)
            assert label.undefined is not None or not context.fails, label.text
            self.line(f"  {{ const int holds = {text};")
            if label.undefined is not None:
                self.line(
                    f"    if (c->fatal) {{ c->fatal = 0; found |= UINT64_C(1) << {label.undefined}; }} else"
                )
            self.line(f"    if (holds) found |= UINT64_C(1) << {number}; }}")
        self.line("  return found;\n}")

    def somebody_at(self, prefix: str) -> None:
        self.line(f"static int somebody_at_{prefix}(const u8 *g) {{")
        self.line("  const u8 *p = g + GLOBALS_SIZE;")
        self.line("  for (uint32_t i = 0; i < PROCESSES(g); i++, p += block_size[TYPE(p)]) {")
        self.line("    switch (TYPE(p)) {")
        for graph in self.plan.graphs.values():
            cases = " ".join(f"case {n}:" for n in sorted(graph.marked(prefix)) if n in graph.edges)
            if cases:
                self.line(
                    f"    case {graph.process.number}: switch (LOCATION(p)) {{ {cases} return 1; }} break;"
                )
        self.line("    default: break;\n    }\n  }")
        claim = self.plan.events
        if claim is not None and claim.marked(prefix):
            cases = " ".join(f"case {n}:" for n in sorted(claim.marked(prefix)))
            self.line(f"  switch (EVENT(g)) {{ {cases} return 1; }}")
        self.line("  return 0;\n}")

    def label_entries(self) -> str:
        """Of the model's table; nothing in a model without claims."""
        if not self.plan.labels:
            return ""
        count = 1 + max(
            number for own, label in self.plan.labels.items() for number in (own, label.undefined or 0)
        )
        return f",\n  .label_count = {count}u,\n  .labels = labels"
