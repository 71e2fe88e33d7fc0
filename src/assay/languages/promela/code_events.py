"""`trace` and `notrace` in C: the step that an event takes, and calls of it where messages move."""

from __future__ import annotations

from collections.abc import Sequence

from assay.languages.promela import operations as ops
from assay.languages.promela.code_channels import ChannelCode
from assay.languages.promela.events import RECEIVE, SEND, Event, EventClaim
from assay.languages.promela.layout import EVENT_LOCATION_OFFSET, QueueLayout
from assay.languages.promela.operations import Place, Source
from assay.languages.promela.plan import Context


class EventCode(ChannelCode):
    def events(self) -> str:
        """is_event(channel, receiving), and event(...) for models with a claim of events."""
        claim = self.plan.events
        if claim is None:
            return "#define is_event(channel, receiving) 0"
        scopes = {
            direction: sorted(
                channel.number(self.layout.globals) for found, channel in claim.scope if found == direction
            )
            for direction in (SEND, RECEIVE)
        }
        tests = {
            direction: " || ".join(f"channel == {number}" for number in numbers) or "0"
            for direction, numbers in scopes.items()
        }
        cases = "\n".join(
            f"  case {location}: {' '.join(map(self.event_test, events))} break;"
            for location, events in enumerate(claim.locations)
            if events
        )
        return f"""
#define EVENT(state) U16((state) + {EVENT_LOCATION_OFFSET})
struct event_codes {{ uint32_t unexpected, ambiguous; }}; /* of one statement, at one location of the claim */
static inline int is_event(int channel, int receiving) {{
  return receiving ? ({tests[RECEIVE]}) : ({tests[SEND]});
}}
/* The message m moves through a channel, in the state g that comes to be. */
static void __attribute__((noinline)) event(struct run *c, u8 *g, int channel, int receiving, const int *m,
                                            const struct event_codes *codes) {{
  if (!is_event(channel, receiving)) return;
  const struct event_codes *code = &codes[EVENT(g)];
  int found = 0, next = 0;
  uint32_t violation = 0;
  (void)m;
  switch (EVENT(g)) {{
{cases}
  default: break;
  }}
{self.event_step(claim)}
  if (violation && !c->violation) c->violation = violation;
}}"""

    def event_test(self, event: Event) -> str:
        awaited = event.awaited
        tests = [
            "receiving" if awaited.direction == RECEIVE else "!receiving",
            f"channel == {awaited.channel.number(self.layout.globals)}",
            *(
                f"m[{place}] == {self.expression(ops.Const(value), Context(None))}"
                for place, value in enumerate(awaited.fields)
                if value is not None
            ),
        ]
        return f"if ({' && '.join(tests)} && !found++) next = {event.target};"

    @staticmethod
    def event_step(claim: EventClaim) -> str:
        if claim.is_negated:  # what does not match ends it; at its end nothing matches
            return f"""\
  EVENT(g) = (u16)(found ? next : {claim.end});
  if (found) violation = next == {claim.end} ? code->unexpected : found > 1 ? code->ambiguous : 0;"""
        return """\
  if (found) EVENT(g) = (u16)next;
  violation = !found ? code->unexpected : found > 1 ? code->ambiguous : 0;"""

    # --- where messages move ---

    def watched(self, channel: Place, direction: int) -> bool:
        return self.plan.events is not None and self.plan.events.watches(channel, direction)

    def note_event_channel(self, channel: Place, c: Context) -> None:
        """Before anything is assigned that the channel may be named by."""
        self.line(f"    int event_channel = {self.load(channel, c)};")

    def event(self, source: Source, channel: str, direction: int, message: str, c: Context) -> None:
        """Takes the step of the claim in the new state `g`; `message` is as the channel has it."""
        claim = self.plan.events
        assert claim is not None
        c.violates = True
        rows = []
        for location in range(len(claim.locations)):
            codes = [
                self.plan.violations.code(claim.kind, claim.unexpected(source.text, location), source.where)
            ]
            ambiguous = claim.may_be_ambiguous(location, direction)
            text = claim.ambiguous(source.text, location)
            codes.append(self.plan.violations.code(claim.kind, text, source.where) if ambiguous else 0)
            rows.append("{" + ", ".join(f"{code}u" for code in codes) + "}")
        self.line(f"    {{ static const struct event_codes codes[] = {{{', '.join(rows)}}};")
        self.line(f"      event(c, g, {channel}, {direction}, {message}, codes); }}")

    def sent_message(self, layout: QueueLayout | None, values: Sequence[str]) -> str:
        """The fields that a claim may look at, of a message as the channel keeps it."""
        assert self.plan.events is not None
        fields = layout.shape.fields if layout is not None else ()
        texts = [
            self.truncated(fields[i], value) if i < len(fields) else value for i, value in enumerate(values)
        ]
        compared = self.plan.events.fields
        return f"(const int[{compared + 1}]){{{', '.join(texts[:compared]) or '0'}}}"

    def note_received_message(self, layout: QueueLayout | None, slot: str) -> None:
        """The same for a message in a slot of the channel `q`, before it is taken out."""
        assert self.plan.events is not None
        count = self.plan.events.fields
        if layout is not None:
            count = min(count, len(layout.shape.fields))
        texts = [self.field_text(layout, slot, field) for field in range(count)]
        self.line(
            f"    const int event_message[{self.plan.events.fields + 1}] = {{{', '.join(texts) or '0'}}};"
        )
