"""Instructions of embedded C that no list of functions sees.

A function of the C library has a name, and those that reach out of the model are refused by it (`library`).
What inline assembly and the builtins of a compiler do has none: it stands in the code of the image, and is
looked for there. Code that hides an instruction inside of another one is not found: that is no accident.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_CALLS = "calls the operating system past the C library"
_DIFFERS = "gives another value each time, or on each machine"
_REMAINS = "changes what the processor remembers beyond the call"
_OF_THREAD = "is memory of the thread that searches"
WHAT_IT_DOES = {
    **dict.fromkeys(["syscall", "sysenter", "int"], _CALLS),
    **dict.fromkeys(["rdtsc", "rdtscp", "rdrand", "rdseed", "rdpmc", "rdpid", "cpuid", "xgetbv"], _DIFFERS),
    **dict.fromkeys(["lsl", "lar", "sgdt", "sidt", "sldt", "str", "smsw", "xbegin", "rdpkru"], _DIFFERS),
    **dict.fromkeys(["popf", "popfq", "wrpkru", "lfs", "lgs", "lss", "xrstor", "fxrstor"], _REMAINS),
    **dict.fromkeys(["wrfsbase", "wrgsbase", "rdfsbase", "rdgsbase"], _OF_THREAD),
}
_INSTRUCTION = re.compile(
    r"^\s*[0-9a-f]+:\t(?:(?:rep|repz|lock|bnd|data16|notrack) )*(?P<name>[a-z][\w.]*)(?P<rest>.*)$"
)
_OF_SEGMENT = re.compile(r"%[fg]s:")
_TO_SEGMENT = re.compile(r",%[defgs]s\s*$")
_FUNCTION = re.compile(r"^[0-9a-f]+ <(?P<name>[^>]+)>:$")
COMMAND = ("objdump", "--disassemble", "--no-show-raw-insn")


def found_in(disassembly: str) -> Sequence[tuple[str, str, str]]:
    """Each instruction once: its name, the function that has it, and what is wrong with it."""
    found: dict[str, tuple[str, str, str]] = {}
    function = "?"
    for line in disassembly.splitlines():
        if begin := _FUNCTION.match(line):
            function = begin["name"]
            continue
        instruction = _INSTRUCTION.match(line)
        if instruction is None:
            continue
        name = instruction["name"]
        what = WHAT_IT_DOES.get(name) or _by_operands(instruction["rest"])
        if what:
            found.setdefault(name, (name, function, what))
    return list(found.values())


def _by_operands(rest: str) -> str:
    if _OF_SEGMENT.search(rest):
        return _OF_THREAD
    return _REMAINS if _TO_SEGMENT.search(rest) else ""


def command(image: Path) -> list[str]:
    return [*COMMAND, str(image)]
