"""Prints the code of a program: `python -m assay.languages.python.compiler FILE [--libraries]`."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.languages.python.compiler.disassembler import disassemble_program
from assay.languages.python.compiler.program import compile_program
from assay.transition_system.interface import SourceProblem


def main(arguments: list[str]) -> int:
    files = [argument for argument in arguments if argument != "--libraries"]
    if len(files) != 1:
        sys.stderr.write("usage: python -m assay.languages.python.compiler FILE [--libraries]\n")
        return 2
    try:
        program = compile_program(Path(files[0]))
    except SourceProblem as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    for line in disassemble_program(program, with_libraries="--libraries" in arguments):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
