"""The compiler from Python source to the machine's code (docs/python/machine.md).

`imports` finds and reads all modules of a program; `scopes` decides what names mean; `expressions`,
`patterns` and `statements` make instructions, which `assembler` collects; `finality` tells what is stored
only once; `program` puts them together. `disassembler` shows code to people.
"""

from assay.languages.python.compiler.imports import library_modules
from assay.languages.python.compiler.program import LIBRARY, compile_program

__all__ = ["LIBRARY", "compile_program", "library_modules"]
