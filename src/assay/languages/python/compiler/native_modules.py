"""Which modules of CPython programs use as they are, and what of the language is refused by name.

A module is used as it is when its functions compute from their arguments alone and its values are immutable
or known to the machine. Modules that read clocks, files or random numbers, or that keep state of their own,
are not here: either the machine has a library of its own for them, or they are refused.
"""

from __future__ import annotations

NATIVE_MODULES = frozenset(
    "__future__ abc base64 binascii bisect collections collections.abc copy dataclasses decimal enum "
    "fractions hashlib heapq html json keyword math numbers operator re statistics string struct textwrap "
    "types typing unicodedata zlib".split()
)

# Parts of those modules that keep state which no state of the program would show, or draw random numbers.
REFUSED_PARTS = {
    "decimal": frozenset({"getcontext", "setcontext", "localcontext"}),
    "statistics": frozenset({"NormalDist"}),
}

# Names of built-ins that the machine does not model, with a way out.
REFUSED_BUILTINS = {
    "__import__": "write an import statement",
    "breakpoint": "leave it out and step through a counterexample with `assay replay`",
    "compile": "write the code itself",
    "eval": "write the expression itself",
    "exec": "write the code itself",
    "exit": "let the program end, or use sys.exit",
    "globals": "name the variables",
    "help": "leave it out",
    "id": "give the objects numbers of their own, or compare with `is`",
    "input": "let assay.choose give every input that matters",
    "locals": "name the variables",
    "open": "put the data into the program, or let assay.choose give it",
    "quit": "let the program end, or use sys.exit",
    "vars": "name the attributes",
}
REFUSED_GLOBALS = frozenset(
    {"__builtins__", "__spec__", "__loader__", "__cached__", "__package__", "__annotations__"}
)
