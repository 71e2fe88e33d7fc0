"""Which way embedded C was gone through: `--match path` (Groce and Joshi 2008, without a hand in it).

The compiler puts a call at the beginning of every basic block (`-fsanitize-coverage=trace-pc`). Each of these
calls gets the number of its block here, in the assembly, where the line that it belongs to can be read too.
What is called notes in memory of the image, which is part of the state, that this block came after that one:
the set of these pairs is what states are compared by. It only grows along a run, so there are finitely many
of them, and a way through the code that was not gone before makes a new state, whatever the data.

Blocks that any run came to are noted besides in memory that is not part of the state: what the search has
covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.languages.promela.operations import Fragment
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions

PATH = "path"  # what states are compared by, as the user asks for it
COMPILER_FLAGS = ("-O0", "-fsanitize-coverage=trace-pc")  # every line keeps a block of its own
MOST_BITS = 1 << 13  # of pairs; beyond, some share one: a coarser key
COVERED = "assay_covered"  # the symbol of what any run came to
KEYS = ("c_expr { assay_path(0) }", "c_expr { assay_path(1) }", "c_expr { assay_path(2) }")
DECLARATION = "extern int assay_path(int part); extern unsigned assay_is_question;"
# Around a value that is asked for: what is gone through for it is no step.
QUESTION_BEGINS = "assay_is_question = 1;"
QUESTION_ENDS = "assay_is_question = 0;"
OF_OURS = "assay_"  # functions whose blocks are nobody's: those of questions among them
OF_STEPS = "code_"  # pieces of C that are steps

_CALL = re.compile(r"^\s*call\s+\*?__sanitizer_cov_trace_pc(?:@\w+)?(?:\(%rip\))?\s*$")
_FUNCTION = re.compile(r"^\s*\.type\s+([\w.$]+),\s*@function")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_PLACE = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
_LABEL = re.compile(r"^[\w.$]+:")

# The engine restores all memory but the private one. A question (c_expr) must not change the state.
SUPPORT = """
#include "image.h"
#define BLOCKS {blocks}u
#define BITS {bits}u
static unsigned char assay_pairs[BITS / 8];
static unsigned assay_last_block;
ASSAY_SCRATCH unsigned assay_is_question;
ASSAY_SCRATCH unsigned char assay_covered[BLOCKS + 1];
void assay_block(unsigned block) {{
  if (assay_is_question) return;
  unsigned long pair = (unsigned long)assay_last_block * (BLOCKS + 1) + block;
  if ((unsigned long)(BLOCKS + 1) * (BLOCKS + 1) > BITS) pair = pair * 0x9E3779B97F4A7C15ul >> 32;
  pair %= BITS;
  assay_pairs[pair / 8] |= (unsigned char)(1u << pair % 8);
  assay_last_block = block;
  assay_covered[block] = 1;
}}
int assay_path(int part) {{
  unsigned long hash = 0xCBF29CE484222325ul + (unsigned long)part * 0x9E3779B97F4A7C15ul;
  for (unsigned i = 0; i < sizeof assay_pairs; i++) hash = (hash ^ assay_pairs[i]) * 0x100000001B3ul;
  return (int)(hash >> 29);
}}
"""


@dataclass(frozen=True, slots=True)
class Block:
    function: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Instrumented:
    assembly: str
    blocks: tuple[Block, ...]  # the first number first


def support(blocks: Sequence[Block]) -> str:
    """The C that the calls of all blocks lead to."""
    bits = min((len(blocks) + 1) ** 2, MOST_BITS)
    return SUPPORT.format(blocks=len(blocks), bits=-(-bits // 64) * 64)


def function_of(fragment: Fragment) -> str:
    """The name of the function that a piece of C becomes."""
    return f"{OF_STEPS if fragment.keyword == 'c_code' else OF_OURS}fragment_{fragment.number}"


def instrumented(assembly: str, first: int = 1) -> Instrumented:
    """Numbers the calls, and finds the place of each block: that of its first line that says one."""
    lines, files = assembly.split("\n"), dict[str, str]()
    blocks: list[Block] = []
    function, place = "", ("", 0)
    pending = False  # a block waits for its place
    for at, line in enumerate(lines):
        if found := _FILE.match(line):
            files[found[1]] = found[3] or found[2]
        elif found := _FUNCTION.match(line):
            function = found[1]
        elif found := _PLACE.match(line):
            place = (files.get(found[1], ""), int(found[2]))
            if pending:
                blocks[-1] = Block(function, *place)
                pending = False
        elif _CALL.match(line) and function.startswith(OF_OURS):
            lines[at] = ""
        elif _CALL.match(line):
            blocks.append(Block(function, *place))
            pending = True
            lines[at] = f"\tmovl\t${first + len(blocks) - 1}, %edi\n\tcall\tassay_block"
        elif _LABEL.match(line):
            pending = False
    return Instrumented("\n".join(lines), tuple(blocks))


def is_asked(options: LanguageOptions) -> bool:
    return PATH in options.match


def require_paths(options: LanguageOptions, *, has_embedded_c: bool) -> None:
    """Refuses to note paths where there are none, or where what is noted would be no part of the state."""
    if not has_embedded_c:
        raise SourceProblem(
            "--match path is about the way through embedded C, and this model has none",
            hint="name what states are compared by: --match 'x + y'",
        )
    if options.tracking == "declared":
        raise SourceProblem(
            "--match path notes the way in memory that no c_track declares",
            hint="leave --tracking declared out",
        )


@dataclass(frozen=True, slots=True)
class FunctionCoverage:
    """What a search came to of one function."""

    name: str
    file: str
    blocks: int
    reached: int
    lines: tuple[int, ...]  # that have blocks
    missed: tuple[int, ...]  # of these, without one that was reached

    def as_json(self) -> dict[str, object]:
        return {
            "function": self.name,
            "file": self.file,
            "blocks": self.blocks,
            "reached": self.reached,
            "lines": list(self.lines),
            "missed": list(self.missed),
        }


def coverage(blocks: Sequence[Block], covered: bytes, own_files: Iterable[str]) -> list[FunctionCoverage]:
    """By function, in the order of the source; of the files of the model alone."""
    names = {Path(file).name for file in own_files}
    grouped: dict[tuple[str, str], list[tuple[int, bool]]] = {}
    for number, block in enumerate(blocks, start=1):
        if Path(block.file).name in names:
            reached = number < len(covered) and covered[number] != 0
            grouped.setdefault((block.file, block.function), []).append((block.line, reached))
    found = []
    for (file, name), ones in grouped.items():
        lines = sorted({line for line, _ in ones})
        reached_lines = {line for line, reached in ones if reached}
        found.append(
            FunctionCoverage(
                _shown(name),
                file,
                len(ones),
                sum(reached for _, reached in ones),
                tuple(lines),
                tuple(line for line in lines if line not in reached_lines),
            )
        )
    return found


def _shown(function: str) -> str:
    """Pieces of C in processes have no name of their own."""
    return re.sub(rf"^{OF_STEPS}fragment_(\d+)$", r"c_code number \1", function)
