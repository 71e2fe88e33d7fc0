"""Class statements that get their metaclass from `six`, written as Python 3 has them.

`class C(six.with_metaclass(M, B))` is `class C(B, metaclass=M)`, by way of a class that is never seen.
`@six.add_metaclass(M)` makes the class a second time; that is the same where nobody meets the first one, as
methods with `super()` would, or a base that is told of its subclasses, which
`class C(B, metaclass=six.add_metaclass(M, B))` asks for.
"""

from __future__ import annotations

import ast

from assay.languages.python.compiler.nodes import statements, walk

PACKAGE = "six"


def write_metaclasses(tree: ast.Module) -> None:
    """Changes the tree."""
    known = names_of_six(tree)
    if not known:
        return
    for node in statements(tree):
        if not isinstance(node, ast.ClassDef) or any(given.arg == "metaclass" for given in node.keywords):
            continue
        match node.bases:
            case [ast.Call(func=function, args=[metaclass, *bases], keywords=[])] if (
                called(function, known) == "with_metaclass"
            ):
                node.bases = bases
                node.keywords.append(keyword(metaclass))
        match node.decorator_list:
            case [*others, ast.Call(func=function, args=[metaclass], keywords=[]) as decorator] if called(
                function, known
            ) == "add_metaclass" and not mentions_class(node):
                node.decorator_list = others
                decorator.args += node.bases or [ast.copy_location(ast.Name("object", ast.Load()), decorator)]
                node.keywords.append(keyword(decorator))


def names_of_six(tree: ast.Module) -> dict[str, str]:
    """What the module calls the package, and the functions that it takes from there."""
    known: dict[str, str] = {}
    for node in statements(tree):
        if isinstance(node, ast.Import):
            known |= {alias.asname or alias.name: "" for alias in node.names if alias.name == PACKAGE}
        elif isinstance(node, ast.ImportFrom) and node.module == PACKAGE and not node.level:
            known |= {alias.asname or alias.name: alias.name for alias in node.names}
    return known


def called(function: ast.expr, known: dict[str, str]) -> str:
    """The function of `six` that is called; empty if it is another one."""
    match function:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if known.get(module) == "":
            return name
        case ast.Name(id=name):
            return known.get(name, "")
    return ""


def keyword(metaclass: ast.expr) -> ast.keyword:
    return ast.copy_location(ast.keyword("metaclass", metaclass), metaclass)


def mentions_class(node: ast.ClassDef) -> bool:
    """Whether a method could meet the class that the statement itself makes; or it has slots, or is told of
    its subclasses."""
    return any(
        isinstance(inner, ast.Name) and inner.id in {"super", "__class__", "__slots__"}
        for inner in walk(node)
    )
