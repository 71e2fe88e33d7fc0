"""Invariants given on the command line: expressions over the globals of the main module.

They are registered at the very beginning of the program, by lines that are added to its text; the code
that comes out gets the line numbers of the text as it was. As long as a name is not yet
defined an invariant holds.
"""

from __future__ import annotations

import ast
import builtins
import io
import symtable
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.languages.python.code import Code, Program
from assay.transition_system.interface import SourceProblem

REFUSED = {
    ast.NamedExpr: "an assignment",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Lambda: "a lambda",
}
# An invariant may be a stranger's, of a certificate: it looks at values and reaches for nothing else.
BUILTINS_ALLOWED = frozenset(
    "abs all any bool dict divmod enumerate filter float frozenset int isinstance len list map max min range "
    "repr reversed round set sorted str sum tuple zip".split()
)
BUILTINS_REFUSED = frozenset(dir(builtins)) - BUILTINS_ALLOWED


def with_invariants(
    path: Path, text: str, invariants: Sequence[str], compile_text: Callable[[str], Program]
) -> Program:
    """The program, which checks the invariants in every state."""
    known = globals_of(path, text)
    for invariant in invariants:
        _require_usable(invariant, known)
    at = _first_line(path, text)
    added = "\n".join(_registration(invariants, known)).split("\n")
    lines = text.splitlines(keepends=True)
    if at > len(lines):  # nothing but a docstring
        return compile_text(text)
    changed = "".join([*lines[: at - 1], *(f"{line}\n" for line in added), *lines[at - 1 :]])
    program = compile_text(changed)
    main, *others = program.modules
    restored = replace(main, code=_with_old_lines(main.code, at, len(added)))
    return replace(program, modules=(restored, *others), texts={**program.texts, main.file: text})


def globals_of(path: Path, text: str) -> set[str]:
    """Names that the module or one of its functions binds as its globals."""
    try:
        top = symtable.symtable(text, str(path), "exec")
    except SyntaxError as problem:
        raise SourceProblem(problem.msg, where=f"{path}:{problem.lineno}:{problem.offset}") from None
    names = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    tables = list(top.get_children())
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {
            s.get_name()
            for s in table.get_symbols()
            if s.is_declared_global() and (s.is_assigned() or s.is_imported())
        }
    return names | {s.get_name() for s in top.get_symbols() if s.is_namespace()}


def _require_usable(invariant: str, known: set[str]) -> None:
    try:
        tree = ast.parse(invariant.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        reason = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        raise SourceProblem(f"--invariant {invariant!r} is no expression of Python: {reason}") from None
    if "#" in invariant and has_comment(invariant):
        raise SourceProblem(f"--invariant {invariant!r} has a comment, which no invariant may have")
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(tree):
        for kind, name in REFUSED.items():
            if isinstance(node, kind):
                raise SourceProblem(f"--invariant {invariant!r} has {name}, which no invariant may have")
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            raise SourceProblem(f"--invariant {invariant!r} speaks of {node.attr}, which no invariant may")
        if isinstance(node, ast.Name) and node.id not in known | own and node.id in BUILTINS_REFUSED:
            allowed = ", ".join(sorted(BUILTINS_ALLOWED))
            raise SourceProblem(
                f"--invariant {invariant!r} speaks of {node.id}, which no invariant may",
                hint=f"of the built-ins there are {allowed}",
            )
        if isinstance(node, ast.Name) and node.id not in known | own | BUILTINS_ALLOWED:
            close = ", ".join(sorted(name for name in known if not name.startswith("_"))[:12])
            raise SourceProblem(
                f"--invariant {invariant!r} speaks of {node.id!r}, which is no global of the main module",
                hint=f"its globals are {close}" if close else "it has none",
            )


def has_comment(text: str) -> bool:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text.strip()).readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(token.type == tokenize.COMMENT for token in tokens)


def _first_line(path: Path, text: str) -> int:
    """Of the first statement that may follow others: behind the docstring and the imports from the future."""
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
        if not (is_docstring or is_future):
            decorators = getattr(statement, "decorator_list", [])
            first: int = min(node.lineno for node in (statement, *decorators))
            if first <= line - 1:
                raise SourceProblem(
                    "an invariant can be added only if the first statement begins on a line of its own",
                    where=f"{path}:{first}",
                )
            return first
        line = (statement.end_lineno or statement.lineno) + 1
    return max(line, len(text.splitlines()) + 1)


def names_in(invariant: str) -> set[str]:
    tree = ast.parse(invariant.strip(), mode="eval")
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _registration(invariants: Sequence[str], known: set[str]) -> Iterator[str]:
    yield "import assay as __assay_package"
    for number, invariant in enumerate(invariants):
        expression = ast.unparse(ast.parse(invariant.strip(), mode="eval"))
        yield f"def __assay_invariant_{number}():"
        names = sorted(names_in(invariant) & known)
        if names:
            yield "    try:"
            yield f"        {', '.join(names)}"
            yield "    except NameError:"
            yield "        return True"
        yield f"    return ({expression})"
        yield f"__assay_package.invariant(__assay_invariant_{number}, name={invariant!r})"


def _with_old_lines(code: Code, at: int, added: int) -> Code:
    """The code with the line numbers that it has without the added lines, which become the line before."""

    def old(line: int) -> int:
        return line - added if line >= at + added else min(line, at)

    return replace(
        code,
        first_line=old(code.first_line),
        positions=tuple(
            (old(line), column, old(end_line), end_column)
            for line, column, end_line, end_column in code.positions
        ),
        constants=tuple(
            _with_old_lines(constant, at, added) if isinstance(constant, Code) else constant
            for constant in code.constants
        ),
    )
