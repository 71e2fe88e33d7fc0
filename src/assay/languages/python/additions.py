"""Lines that are added to the text of a program, for properties that are given from outside.

The code that comes out of the changed text gets the line numbers of the text as it was.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.languages.python.code import Code, Program
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem


@dataclass(frozen=True, slots=True)
class Addition:
    """`count` lines that stand before what was line `at`."""

    at: int
    count: int

    def taken_back(self, program: Program, file: str, text: str) -> Program:
        """The program with the lines that the module has without the addition, and with that text."""
        modules = tuple(
            replace(module, code=self._with_old_lines(module.code)) if module.file == file else module
            for module in program.modules
        )
        return replace(program, modules=modules, texts={**program.texts, file: text})

    def _with_old_lines(self, code: Code) -> Code:
        """Lines that were added become the one that they stand before."""

        def old(line: int) -> int:
            return line - self.count if line >= self.at + self.count else min(line, self.at)

        return replace(
            code,
            first_line=old(code.first_line),
            positions=tuple(
                (old(line), column, old(end_line), end_column)
                for line, column, end_line, end_column in code.positions
            ),
            constants=tuple(
                self._with_old_lines(constant) if isinstance(constant, Code) else constant
                for constant in code.constants
            ),
        )


def added(path: Path, text: str, lines: Sequence[str], *, behind_imports: bool) -> tuple[str, Addition]:
    """The text with more lines: behind the docstring and the imports from the future, or behind all imports
    that nothing else stands before."""
    at = _first_line(path, text, behind_imports=behind_imports)
    own = text.splitlines(keepends=True)
    if own and not own[-1].endswith("\n"):
        own[-1] += "\n"
    new = "\n".join(lines).split("\n")
    changed = "".join([*own[: at - 1], *(f"{line}\n" for line in new), *own[at - 1 :]])
    return changed, Addition(at, len(new))


def _first_line(path: Path, text: str, *, behind_imports: bool) -> int:
    """Of the first statement that others may be put before."""
    try:
        body = ast.parse(text, str(path)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        where = f"{path}:{problem.lineno}" if isinstance(problem, SyntaxError) else path
        raise SourceProblem(f"this is no Python program: {problem}", where=where) from None
    line = 1
    for number, statement in enumerate(body):
        is_docstring = (
            number == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        )
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        is_import = behind_imports and isinstance(statement, ast.Import | ast.ImportFrom)
        if not (is_docstring or is_future or is_import):
            decorators = getattr(statement, "decorator_list", [])
            first: int = min(node.lineno for node in (statement, *decorators))
            if first <= line - 1:
                raise SourceProblem(
                    "a property can be added only if the first statement begins on a line of its own",
                    where=f"{path}:{first}",
                )
            return first
        line = (statement.end_lineno or statement.lineno) + 1
    return max(line, len(text.splitlines()) + 1)
