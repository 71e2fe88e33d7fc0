"""A never claim that executes C, in C: its moves, each before a step of the processes (`acting_claims`)."""

from __future__ import annotations

from assay.languages.promela.acting_claims import Act, ActingClaim, Look, Move
from assay.languages.promela.claim_moves import VIOLATED
from assay.languages.promela.code_labels import LabelCode
from assay.languages.promela.layout import CLAIM_LOCATION_OFFSET, CLAIM_PID
from assay.languages.promela.plan import Context

AFTER_A_MOVE = """
#define CLAIM(state) U16((state) + {offset})
#define CLAIM_PID {pid}u
/* The claim has moved, in the state at `next`: now somebody steps; if nobody can, that was all. */
static void after_claim(struct run *c, uint32_t next, uint32_t size, uint32_t number, int is_told,
                        int is_last) {{
  int moved = !is_last && everybody(c, next, size);
{timeout}  if (c->fatal) fail(c, next, size, CLAIM_PID, number); /* met while asking who may run */
  else if (!moved) {{
    c->process = ASSAY_NO_PROCESS;
    room_for(c, size);
    memcpy(c->out->words + c->out->words_used, c->base + next, size);
    if (c->out->recorder) record(c, !is_told, CLAIM_PID, number, c->out->words + c->out->words_used, size);
    keep(c, size);
  }}
}}"""
TIMEOUT = """\
  if (!moved && !is_last && !c->fatal) {
    c->timeout = 1;
    moved = everybody(c, next, size);
    c->timeout = 0;
  }
"""


class ClaimCode(LabelCode):
    def claim(self) -> None:
        """claim_moves(run, size): all successors of the state at the start of the scratch stack."""
        claim = self.plan.acting
        if claim is None:
            return
        timeout = TIMEOUT if self.plan.resolver.uses_timeout else ""
        self.line(AFTER_A_MOVE.format(offset=CLAIM_LOCATION_OFFSET, pid=CLAIM_PID, timeout=timeout))
        for listed in claim.moves.values():
            for move in listed:
                self._move(move)
        self.line("static void claim_moves(struct run *c, uint32_t size) {")
        self.line("  switch (CLAIM(c->base)) {")
        for location, listed in claim.moves.items():
            calls = " ".join(f"claim_{move.number}(c, size);" for move in listed)
            self.line(f"  case {location}: {calls} break;")
        self.line("  }\n}")
        self._acceptance(claim)

    def _move(self, move: Move) -> None:
        where = move.source.where
        self.line(f"/* {where.line} */")
        self.line(f"static void claim_{move.number}(struct run *c, uint32_t size) {{")
        self.line("  uint32_t next = begin_chain(c, 0, size);")
        self.line("  u8 *g = c->base + next, *p = g;")
        self.line("  const uint32_t pid = UINT32_MAX; /* it is no process */")
        self.line("  const int moved = 0;")
        self.line("  (void)p; (void)pid; (void)moved;")
        failed = f"{{ c->violation = 0; fail(c, 0, size, CLAIM_PID, {move.number}u); return; }}"
        for step in move.steps:
            context = Context(None)
            if isinstance(step, Act):
                self.perform(step.operation, context)
                self.line(f"  if (c->fatal) {failed}")
                continue
            text = self.expression(step.condition, context)
            self.line(f"  {{ const int holds = {text};")
            if context.fails:
                self.line(f"    if (c->fatal) {failed}")
            self.line(f"    if ({'!' if step.wanted else ''}holds) {{ c->violation = 0; return; }} }}")
        self.line(f"  CLAIM(g) = {move.target};")
        is_last = int(move.target == VIOLATED)
        if move.acts:
            self.line(f"  push(c, next, size, CLAIM_PID, {move.number}u);")
        else:
            self.line("  c->top = (size_t)next + size;")
        self.line(f"  after_claim(c, next, size, {move.number}u, {int(move.acts)}, {is_last});")
        self.line("  pop(c, next);" if move.acts else "  c->top = next;")
        self.line("  c->violation = 0;")
        self.line("}")

    def _acceptance(self, claim: ActingClaim) -> None:
        """Where a claim is stuck the run ends, and nobody stays there: it accepts nothing."""
        self.line("static int claim_accepts(struct run *c, const u8 *g) {")
        self.line("  const u8 *p = g;")
        self.line("  const uint32_t pid = UINT32_MAX;")
        self.line("  const int moved = 0;")
        self.line("  int goes_on = 0;")
        self.line("  (void)c; (void)p; (void)pid; (void)moved;")
        self.line("  switch (CLAIM(g)) {")
        for location in sorted(claim.accepting):
            self.line(f"  case {location}:")
            if location == VIOLATED:
                self.line("    return 1;")
                continue
            for move in claim.moves[location]:
                conditions = [
                    f"{'' if step.wanted else '!'}{self.expression(step.condition, Context(None))}"
                    for step in move.steps
                    if isinstance(step, Look) and step.blocks
                ]
                self.line(f"    goes_on = goes_on || ({' && '.join(conditions) or '1'}) || c->fatal;")
            self.line("    break;")
        self.line("  }")
        self.line("  c->fatal = 0; /* what cannot be evaluated is a step that fails */")
        self.line("  return goes_on;\n}")
