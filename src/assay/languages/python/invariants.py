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
from collections.abc import Set as AbstractSet
from pathlib import Path

from assay.languages.python.additions import added
from assay.languages.python.code import Program
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
    path: Path, text: str, changed: str, invariants: Sequence[str], compile_text: Callable[[str], Program]
) -> Program:
    """The program, which checks the invariants in every state; its text may be changed for other reasons."""
    known = globals_of(path, text)
    for invariant in invariants:
        require_usable(invariant, known, "--invariant")
    more, addition = added(path, changed, list(_registration(invariants, known)), behind_imports=False)
    if addition.at > len(changed.splitlines()):  # nothing but a docstring
        return compile_text(changed)
    return addition.taken_back(compile_text(more), str(path), text)


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


def require_usable(text: str, known: AbstractSet[str], option: str) -> ast.Expression:
    """An expression over globals that may be evaluated in any state and changes none."""
    what = {"--ltl": "atom", "--match": "key"}.get(option, "invariant")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        reason = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        raise SourceProblem(f"{option} {text!r} is no expression of Python: {reason}") from None
    if "#" in text and has_comment(text):
        raise SourceProblem(f"{option} {text!r} has a comment, which no {what} may have")
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(tree):
        for kind, name in REFUSED.items():
            if isinstance(node, kind):
                raise SourceProblem(f"{option} {text!r} has {name}, which no {what} may have")
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            raise SourceProblem(f"{option} {text!r} speaks of {node.attr}, which no {what} may")
        if isinstance(node, ast.Name) and node.id not in known | own and node.id in BUILTINS_REFUSED:
            allowed = ", ".join(sorted(BUILTINS_ALLOWED))
            raise SourceProblem(
                f"{option} {text!r} speaks of {node.id}, which no {what} may",
                hint=f"of the built-ins there are {allowed}",
            )
        if isinstance(node, ast.Name) and node.id not in known | own | BUILTINS_ALLOWED:
            raise UnknownName(node.id, f"{option} {text!r}", known)
    return tree


class UnknownName(SourceProblem):
    """A property speaks of a name that is no global of the main module."""

    def __init__(self, name: str, where_from: str, known: AbstractSet[str]) -> None:
        self.name = name
        close = ", ".join(sorted(one for one in known if not one.startswith("_"))[:12])
        super().__init__(
            f"{where_from} speaks of {name!r}, which is no global of the main module",
            hint=f"its globals are {close}" if close else "it has none",
        )


def has_comment(text: str) -> bool:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text.strip()).readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(token.type == tokenize.COMMENT for token in tokens)


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
