"""What others ask about a module, short of its code.

A library is the same in every program: its outline is kept with its code (`kept_libraries`), and a program
that finds both there reads no tree of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from assay.languages.python.compiler.nodes import statements, statements_directly_in
from assay.languages.python.compiler.scopes import Kind, Scope, all_scopes
from assay.records import dataclass

Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True, slots=True)
class Outline:
    imports: tuple[Import, ...]  # all but those for type checkers only, in the order of the text
    import_statements: tuple[Import, ...]  # these too
    if_mentioned: Mapping[str, str]  # name -> the module that is imported if the program mentions it
    is_not_checked: bool  # `TYPE_CHECKING = False` stands in its body, and no other value
    globals: frozenset[str]  # that it binds
    declared: frozenset[str]  # those among them that a function or class declares


def outline_of(tree: ast.Module, scope: Scope) -> Outline:
    inner = [one for one in all_scopes(scope) if one.kind is not Kind.MODULE]
    declared = frozenset(name for one in inner for name in one.global_names)
    return Outline(
        tuple(imports_in(tree)),
        tuple(node for node in statements(tree) if isinstance(node, Import)),
        imports_if_mentioned(tree),
        is_constantly_false(tree, "TYPE_CHECKING"),
        frozenset(scope.bound) | scope.global_names | declared,
        declared,
    )


def is_constantly_false(tree: ast.Module, name: str) -> bool:
    """Whether the body of a module stores the variable once, and that is False: `TYPE_CHECKING = False`."""
    stores = [
        node
        for node in statements(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in ast.dump(node)
    ]
    match stores:
        case [ast.Assign(targets=[ast.Name(id=found)], value=ast.Constant(value=False))]:
            return found == name and stores[0] in tree.body
    return False


def imports_in(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """All import statements but those for type checkers only, in the order of the text."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
            continue
        inside = statements_directly_in(node)
        if isinstance(node, ast.If) and (is_type_checking_name(node.test) or mentioned_name(node.test)):
            inside = list(node.orelse)
        pending += reversed(inside)


def mentioned_name(test: ast.expr) -> str:
    """The name in `_assay.mentions("name")`; libraries may import under that condition."""
    match test:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="_assay"), attr="mentions"),
            args=[ast.Constant(value=str(name))],
        ):
            return name
    return ""


def imports_if_mentioned(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.If) and (name := mentioned_name(node.test)):
            for inner in node.body:
                if isinstance(inner, ast.Import):
                    found[name] = inner.names[0].name
    return found


def is_type_checking_name(test: ast.expr) -> bool:
    """By its looks; the compiler itself knows whether it is the one of typing."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
