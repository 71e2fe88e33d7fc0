"""Walks over syntax trees, in the order of the text.

Every program is compiled with libraries of many thousand nodes, and these walks are a good part of what a
small program waits for: `ast.walk` takes twice as long, half of it for nodes without content (the context of
a name, the sign of an operation), which are left out here.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

WITHOUT_CONTENT = {"ctx", "op", "ops"}  # said of the node that they stand in
STATEMENT_LISTS = ("body", "handlers", "orelse", "finalbody", "cases")


LEAVES = (ast.Name, ast.Constant, ast.alias, ast.Global, ast.Nonlocal)
FIELDS = {  # of each kind of node, those in which others may stand
    kind: () if kind in LEAVES else tuple(name for name in kind._fields if name not in WITHOUT_CONTENT)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def children(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        inside = children(node)
        inside.reverse()
        pending += inside


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Only what holds statements, and they themselves: no expression is looked into."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(statements_directly_in(node))


def statements_directly_in(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in STATEMENT_LISTS:
        inside = getattr(node, name, None)
        if isinstance(inside, list):
            found += inside
    return found


def catches_import_error(node: ast.Try) -> bool:
    """By its looks: whether it goes on when an import in it fails. What a variable names may be anything."""
    for handler in node.handlers:
        text = "Exception" if handler.type is None else ast.unparse(handler.type)
        if any(name in text for name in ("ImportError", "ModuleNotFoundError", "Exception")):
            return True
        if isinstance(handler.type, ast.Name) and not hasattr(builtins, handler.type.id):
            return True
    return False


def has_annotations(module: ast.Module) -> bool:
    """Whether its body, not that of a class or function, annotates variables."""
    pending: list[ast.AST] = list(module.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.AnnAssign):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pending += statements_directly_in(node)
    return False
