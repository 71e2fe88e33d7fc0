"""The C text of an image: what the model has of C, each piece a function, and the table of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources

from assay.languages.promela.embedded_c import path_coverage
from assay.languages.promela.embedded_c.fragments import EmbeddedCode, StateVariable
from assay.languages.promela.embedded_c.mirror import Room, room_for_others, structures
from assay.languages.promela.layout import Layout
from assay.languages.promela.operations import Fragment, Process
from assay.languages.promela.syntax import EmbeddedText, Location

# What a verifier of SPIN includes before the C of a model. Not sys/stat.h and fcntl.h: models of file systems
# have functions with the names of theirs.
PROLOGUE = """\
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>
#include <ctype.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>
#include <sys/types.h>
#include <limits.h>
typedef unsigned char uchar;
void uerror(char *);
extern int Printf(const char *, ...);
extern void putrail(void);
extern int Nr_Trails;
"""
# As Promela takes it: a value that is no int is only true or false. (A bit field plus 0 is an int.)
VALUE = "(__typeof__(value))(int)value == value ? (int)value : value != 0"


def shared_text(name: str) -> str:
    return resources.files("assay.languages.promela.embedded_c").joinpath(name).read_text(encoding="utf-8")


def probe_source(embedded: EmbeddedCode) -> str:
    """The variables that c_state gives to processes: how large they are and what they hold first."""
    lines = [PROLOGUE, shared_text("image.h")]
    for keyword, code in embedded.declarations:
        if keyword == "c_decl":
            lines += _text(code)
    for number, variable in enumerate(embedded.locals):
        lines.append(_line(variable.where))
        lines.append(f"struct assay_probe_{number} {{ {variable.declaration}; }} __attribute__((packed));")
        constant = "" if variable.depends_on_the_state else variable.initial
        lines.append(f"struct assay_probe_{number} assay_probe_{number} = {{ {constant} }};")
    return "\n".join(lines)


def image_source(
    embedded: EmbeddedCode, layout: Layout, processes: Sequence[Process], *, with_paths: bool = False
) -> str:
    """`with_paths`: which way it goes through the code becomes part of the state (`path_coverage`)."""
    return "\n".join(_parts(embedded, layout, processes, with_paths=with_paths))


def _parts(
    embedded: EmbeddedCode, layout: Layout, processes: Sequence[Process], *, with_paths: bool
) -> Iterator[str]:
    yield PROLOGUE
    yield shared_text("image.h")
    if with_paths:
        yield path_coverage.DECLARATION
    for keyword, code in embedded.declarations:
        if keyword == "c_decl":
            yield from _text(code)
    of_state = [v for v in embedded.variables if v.scope == "Global"]
    for variable in embedded.variables:
        if variable.scope == "Hidden":
            yield _line(variable.where)
            yield f"{variable.declaration}{f' = {variable.initial}' if variable.initial else ''};"
    yield structures(layout, processes, [f"{_line(v.where)}\n{v.declaration};" for v in of_state])
    yield from _state(layout, processes, of_state)
    if embedded.looks_at_others:
        yield _others(room_for_others(layout, processes))
    for keyword, code in embedded.declarations:
        if keyword == "c_code":
            yield from _text(code)
    for fragment in embedded.fragments:
        yield from _function(fragment, with_paths=with_paths)
    yield from _tracks(embedded)
    yield from _table(embedded, layout)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _line(where: Location) -> str:
    return f"\n# {where.line} {_quoted(where.file)}"


def _text(code: EmbeddedText) -> Iterator[str]:
    """As it was written, at its line and column, so that what a compiler says of it has its place."""
    yield _line(code.where)
    yield " " * (code.where.column - 1) + code.text.replace("\\#", "#")
    yield '\n# 1 "assay"'


def _state(layout: Layout, processes: Sequence[Process], of_state: Sequence[StateVariable]) -> Iterator[str]:
    initials = ", ".join(f".{v.name} = {v.initial}" for v in of_state if v.initial)
    yield f"struct assay_now now = {{{initials}}};"
    largest = max((layout.processes[p.name].size for p in processes), default=0)
    yield f"ASSAY_SCRATCH unsigned char assay_self[{largest + 8}] __attribute__((aligned(8)));"
    yield "ASSAY_SCRATCH int *assay_system_errno;"
    yield "ASSAY_PRIVATE struct assay_services assay_services;"
    yield "#define _this ((void *)assay_self)"
    for process in processes:
        yield f"#define P{process.name} ((P{process.number} *)assay_self)"


def _others(room: Room) -> str:
    """What SPIN's verifier tells of processes and channels; one's own process is the one that changes."""
    return f"""\
ASSAY_SCRATCH unsigned char assay_others[{room.bytes}] __attribute__((aligned(8)));
static void *assay_process(int pid) {{
  if (pid < 0 || pid >= now._nr_pr)
    assay_services.fail(ASSAY_MEMORY, "pptr() of a process that there is not");
  if (pid + 1 == *(int *)(assay_others + {room.own})) return assay_self;
  return assay_others + {room.header} + pid * {room.stride};
}}
#define pptr(pid) ((unsigned char *)assay_process(pid))
static int assay_channel(int channel) {{
  if (channel < 1 || channel > 255 || !assay_others[256 + channel])
    assay_services.fail(ASSAY_MEMORY, "q_len() or q_full() of what is no channel with a buffer");
  return channel;
}}
#define q_len(channel) ((int)assay_others[assay_channel(channel)])
#define q_full(channel) (q_len(channel) == assay_others[256 + (channel)])"""


def _function(fragment: Fragment, *, with_paths: bool) -> Iterator[str]:
    yield f"static int {path_coverage.function_of(fragment)}(void) {{"
    if fragment.precondition is not None:
        yield _line(fragment.where)
        yield f"if (!({fragment.precondition})) assay_services.fail(ASSAY_PRECONDITION, 0);"
    if fragment.keyword == "c_expr":
        yield path_coverage.QUESTION_BEGINS if with_paths else ""
        yield "__auto_type value = ("
        yield from _text(fragment.code)
        yield ") + 0;"
        yield path_coverage.QUESTION_ENDS if with_paths else ""
        yield f"return {VALUE};\n}}"
    else:
        yield "{"
        yield from _text(fragment.code)
        yield ";}\nreturn 0;\n}"


def _tracks(embedded: EmbeddedCode) -> Iterator[str]:
    for number, track in enumerate(embedded.tracked):
        yield f"static void *assay_track_{number}(void) {{"
        yield _line(track.where)
        yield f"(void)sizeof(*({track.address})); return (void *)({track.address}); }}"  # what is an address
    yield '\n# 1 "assay"'
    yield "static const struct assay_track assay_tracks[] = {"
    for number, track in enumerate(embedded.tracked):
        yield _line(track.where)
        is_matched = int(track.kind == "Matched")
        place = _quoted(f"{track.where}")
        yield f"{{assay_track_{number}, {track.size}, {is_matched}, {place}}},"
    yield "{0}};"


def _table(embedded: EmbeddedCode, layout: Layout) -> Iterator[str]:
    yield '\n# 1 "assay"'
    functions = ", ".join(map(path_coverage.function_of, embedded.fragments))
    yield f"static int (*const assay_functions[])(void) = {{{functions or '0'}}};"
    yield f"""\
extern unsigned char __start_assay_private[], __stop_assay_private[];
extern unsigned char __start_assay_scratch[], __stop_assay_scratch[];
extern const char assay_import_count[], *const assay_import_names[];
extern void *assay_imports[];
extern void (*const __init_array_start[])(void), (*const __init_array_end[])(void);
const struct assay_table assay_table = {{
  .magic = ASSAY_MAGIC,
  .function_count = {len(embedded.fragments)},
  .functions = assay_functions,
  .now = (unsigned char *)&now,
  .mirrored_bytes = {layout.memory_offset},
  .self = assay_self + 8,
  .self_bytes = sizeof assay_self - 8,
  .pid = (int *)assay_self,
  .private_begin = __start_assay_private,
  .private_end = __stop_assay_private,
  .scratch_begin = __start_assay_scratch,
  .scratch_end = __stop_assay_scratch,
  .system_errno = &assay_system_errno,
  .import_count = (unsigned long)assay_import_count,
  .import_names = assay_import_names,
  .imports = assay_imports,
  .services = &assay_services,
  .constructors = __init_array_start,
  .constructors_end = __init_array_end,
  .track_count = {len(embedded.tracked)},
  .tracks = assay_tracks,
  .now_bytes = sizeof now,
  {".others = assay_others, .others_bytes = sizeof assay_others," if embedded.looks_at_others else ""}
}};"""
