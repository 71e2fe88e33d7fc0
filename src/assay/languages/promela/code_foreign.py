"""Calls of embedded C: where the generated model hands a state to the engine's host and takes it back.

What can become of a call is a violation of the model with the place of the piece of C (`FAULTS`, in the order
of `assay_fault` in model_abi.h).
"""

from __future__ import annotations

from assay.languages.promela import operations as ops
from assay.languages.promela.embedded_c.mirror import gaps, room_for_others
from assay.languages.promela.layout import Block
from assay.languages.promela.operations import Fragment
from assay.languages.promela.plan import Context, Plan

FAULTS = (
    ("", ""),
    ("uerror", "it calls uerror()"),
    ("precondition", "its precondition [{precondition}] does not hold"),
    ("memory-fault", "it uses memory that is not its own"),
    ("arithmetic-fault", "it divides by zero"),
    ("illegal-instruction", "it executes what is no instruction"),
    ("abort", "it aborts"),
    ("exit", "it calls exit()"),
    ("endless-c", "it does not end within 10 seconds"),
    ("stack-overflow", "it recurses until its stack of 8 MiB is full"),
    ("side-effect", "it changes memory, and a c_expr must not"),
    ("heap-fault", "it uses the heap wrongly"),
    ("undefined-behaviour", "it does what C leaves undefined"),
)

FAULT_KINDS = frozenset(kind for kind, _ in FAULTS if kind)

RUNTIME = """\
static const assay_host *host;
static uint32_t call_foreign(uint32_t function, uint32_t is_question, const u8 *g, const u8 *p,
                             uint32_t process_bytes, const assay_gaps *gaps, int pid, int *answer) {
  assay_foreign_call call = {function, is_question, (u8 *)g, (u8 *)p, process_bytes, gaps, pid, 0,
                             SPREAD(g, pid)};
  uint32_t fault = host->call(host->context, &call);
  *answer = call.answer;
  return fault ? foreign_codes[function][fault] : 0;
}
static int foreign_value(struct run *c, uint32_t function, const u8 *g, const u8 *p, uint32_t process_bytes,
                         const assay_gaps *gaps, int pid) {
  int answer = 0;
  if (c->fatal) return 0;
  c->fatal = call_foreign(function, 1, g, p, process_bytes, gaps, pid, &answer);
  return answer;
}
static void foreign_code(struct run *c, uint32_t function, u8 *g, u8 *p, uint32_t process_bytes,
                         const assay_gaps *gaps, int pid) {
  int answer = 0;
  if (c->fatal) return;
  uint32_t code = call_foreign(function, 0, g, p, process_bytes, gaps, pid, &answer);
  if (code != foreign_codes[function][ASSAY_FAULT_REPORTED]) c->fatal = code;
  else if (!c->violation) c->violation = code;
}
"""


# What C asks for by pptr(), q_len() and q_full(); image_source has the other half.
SPREAD = """\
struct queue_place {{ uint32_t offset, capacity; }};
{tables}
static uint8_t others[{bytes}];
static const uint8_t *spread(const u8 *g, int pid) {{
  memset(others, 0, sizeof others);
  int own = pid + 1, channel = 1;
  memcpy(others + {own}, &own, sizeof own);
#define NOTE(block, places, count) \\
  for (uint32_t k = 0; k < (count); k++, channel++) {{ \\
    others[channel] = (places)[k].capacity ? U8((block) + (places)[k].offset) : 0; \\
    others[256 + channel] = (u8)(places)[k].capacity; }}
  NOTE(g, places_of_now, GLOBAL_QUEUES)
  const u8 *p = g + GLOBALS_SIZE;
  for (int i = 0; i < PROCESSES(g); i++, p += block_size[TYPE(p)]) {{
    uint8_t *slot = others + {header} + (uint32_t)i * {stride}u;
    memcpy(slot, &i, sizeof i);
    memcpy(slot + 8, p, block_size[TYPE(p)]);
    NOTE(p, places_of[TYPE(p)], block_queues[TYPE(p)])
  }}
  return others;
}}
#define SPREAD(g, pid) spread(g, pid)"""


def spread(plan: Plan) -> str:
    """Every process and the length of every channel, laid out for C, where it asks for them."""
    if not plan.resolver.embedded.looks_at_others:
        return "#define SPREAD(g, pid) NULL"
    layout = plan.layout

    def table(name: str, block: Block) -> str:
        places = [f"{{{queue.offset}u, {queue.layout.shape.capacity}u}}" for queue in block.queues]
        return f"static const struct queue_place {name}[] = {{{', '.join([*places, '{0u, 0u}'])}}};"

    tables = [table("places_of_now", layout.globals)]
    tables += [table(f"places_of_{p.number}", layout.processes[p.name]) for p in plan.processes]
    named = ", ".join(f"places_of_{p.number}" for p in plan.processes)
    tables.append(f"static const struct queue_place *const places_of[] = {{{named}}};")
    room = room_for_others(layout, plan.processes)
    return SPREAD.format(
        tables="\n".join(tables), bytes=room.bytes, own=room.own, header=room.header, stride=room.stride
    )


MATCH_KEY = """\
static uint32_t match_key(const uint64_t *words, uint32_t word_count, uint64_t *key) {
  memcpy(key, words, word_count * 8);
  host->mask(host->context, (u8 *)key);
  return word_count;
}"""


def fault_codes(plan: Plan, fragment: Fragment) -> list[int]:
    """The violations of one piece of C, by the number of the fault."""
    codes = [0]
    for kind, message in FAULTS[1:]:
        words = message.format(precondition=fragment.precondition or "")
        codes.append(plan.violations.code(kind, f"{shown(fragment)}: {words}", fragment.where))
    return codes


def shown(fragment: Fragment) -> str:
    text = " ".join(fragment.text.split())
    return f"{fragment.keyword} {{ {text if len(text) <= 60 else text[:57] + '...'} }}"


def runtime(plan: Plan) -> str:
    """Between the tables and the transitions; nothing in a model without embedded C."""
    foreign = plan.foreign
    if foreign is None:
        return ""
    rows = [
        f"  {{{', '.join(map(str, fault_codes(plan, fragment)))}}},"
        for fragment in plan.resolver.embedded.fragments
    ]
    image = foreign.elf.loaded
    layout = plan.layout
    return "\n".join(
        [
            f"static const uint32_t foreign_codes[][ASSAY_FAULT_COUNT] = {{\n{chr(10).join(rows)}\n}};",
            *(
                _gaps(f"gaps_{process.number}", gaps(block, layout, block.size))
                for process in plan.processes
                for block in (layout.processes[process.name],)
            ),
            _gaps("gaps_of_now", gaps(layout.globals, layout, layout.memory_offset)),
            spread(plan),
            RUNTIME,
            f'static const uint8_t foreign_image[{len(image)}] = "{literal(image)}";',
            "static const assay_foreign foreign = {",
            f"  foreign_image, sizeof foreign_image, {plan.layout.memory_offset}u,",
            f"  {plan.layout.memory_bytes}u, {foreign.heap_bytes}u, {int(foreign.is_numbered)}u,",
            f"  {int(foreign.only_declared)}u,",
            f"  {{gaps_of_now_places, {_COUNT.format('gaps_of_now')}}}, &host}};",
            *([MATCH_KEY] if foreign.has_unmatched and not plan.match else []),
        ]
    )


_COUNT = "sizeof {0}_places / 8 - 1"


def _gaps(name: str, places: list[tuple[int, int]]) -> str:
    """A pair of zeros ends it, so that there is always one."""
    numbers = ", ".join(f"{begin}u, {end}u" for begin, end in [*places, (0, 0)])
    return (
        f"static const uint32_t {name}_places[] = {{{numbers}}};\n"
        f"static const assay_gaps {name} = {{{name}_places, {_COUNT.format(name)}}};"
    )


def literal(content: bytes) -> str:
    """Bytes inside the quotes of a C string."""
    return "".join(_ESCAPED[byte] for byte in content)


_ESCAPED = [
    chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in range(256)
]


def call_text(name: str, fragment: Fragment, c: Context, plan: Plan) -> str:
    """A call in the context of a process, or of nobody: a property, a claim."""
    if c.process is None or c.process.name not in plan.layout.processes:
        return f"{name}(c, {fragment.number}u, {c.state}, 0, 0, 0, -1)"
    size = plan.layout.processes[c.process.name].size
    return f"{name}(c, {fragment.number}u, {c.state}, {c.own}, {size}u, &gaps_{c.process.number}, {c.pid})"


def value_text(value: ops.ForeignValue, c: Context, plan: Plan) -> str:
    c.fails = True
    return call_text("foreign_value", value.fragment, c, plan)
