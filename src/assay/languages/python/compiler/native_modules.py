"""Which modules of CPython programs use as they are, and what of the language is refused by name.

A module is used as it is when its functions compute from their arguments alone and its values are immutable
or known to the machine. Modules that read clocks, files or random numbers, or that keep state of their own,
are not here: either the machine has a library of its own for them, or they are refused.
"""

from __future__ import annotations

NATIVE_MODULES = frozenset(
    "__future__ _collections_abc _operator abc ast base64 binascii bisect cmath codecs collections "
    "collections.abc copy dataclasses decimal enum errno fractions hashlib heapq json keyword "
    "math numbers operator re statistics string struct textwrap types typing unicodedata zlib".split()
)

# Parts of those modules that keep state which no state of the program would show, or draw random numbers.
REFUSED_PARTS = {
    "codecs": frozenset({"lookup_error", "open", "unregister"}),
    "decimal": frozenset({"getcontext", "setcontext", "localcontext"}),
    "errno": frozenset({"errorcode"}),
    "statistics": frozenset({"NormalDist"}),
}

# Modules that only libraries of the machine import.
FOR_LIBRARIES = frozenset({"_datetime", "_pickle"})

# Modules of the standard library that are written in Python and compiled with the program. What only a
# package imports is compiled once it is used: most imports are for what a program does not do.
COMPILED_MODULES = frozenset(
    "_markupbase _py_abc _strptime _threading_local _weakrefset calendar cmd colorsys configparser copyreg "
    "csv difflib fnmatch genericpath getopt gettext glob graphlib hmac html html.entities html.parser http "
    "http.client http.cookies "
    "ipaddress linecache ntpath nturl2path opcode pathlib posixpath pprint quopri reprlib sched "
    "secrets shlex stat string stringprep token tokenize tomllib tomllib._parser tomllib._re "
    "tomllib._types urllib urllib.parse weakref".split()
)

# Modules of the standard library that are absent although they are written in Python: they can be imported,
# and are refused where they are used, with a way out.
ABSENT_MODULES = {
    "argparse": "give the arguments as values, or let assay.choose pick from those that matter",
    "asyncio": "threads are modelled, coroutines are not",
    "ctypes": "only what is written in Python can be verified",
    "multiprocessing": "use threading; processes share nothing that could be raced for",
    "optparse": "give the arguments as values, or let assay.choose pick from those that matter",
    "pickle": "use copy.deepcopy, or json",
    "select": "let queues stand for what comes from outside",
    "selectors": "let queues stand for what comes from outside",
    "shutil": "let a dict stand for the files",
    "signal": "let a thread that sets an Event stand for the signal",
    "socket": "let queues stand for the connections",
    "socketserver": "let queues stand for the connections",
    "sqlite3": "let a dict behind a lock stand for the database",
    "ssl": "let queues stand for the connections",
    "subprocess": "let a function stand for the process",
    "tempfile": "let a dict stand for the files",
    "unittest": "write tests as functions with `assert`, and mark them with pytest.mark.assay",
    "urllib": "let a function stand for the server",
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
    "input": "let assay.choose give every input that matters",
    "locals": "name the variables",
    "open": "put the data into the program, or let assay.choose give it",
    "quit": "let the program end, or use sys.exit",
    "vars": "name the attributes",
}
# Of those, what packages may call: with texts that runs before have come to (`texts.py`).
COMPILING_BUILTINS = frozenset({"compile", "eval", "exec"})
COMPILING_MODULE = "_compiling"
FILES_MODULE = "_files"  # where packages find `open`
REFUSED_GLOBALS = frozenset({"__builtins__", "__spec__", "__loader__", "__cached__", "__annotations__"})
