"""Which names the text of a program contains: `_assay.mentions("task_done")` in a library.

A library that keeps something only for the sake of one function asks whether the program can call it at all.
The answer is known when the program is compiled, and yes in case of doubt.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from assay.languages.python.compiler.context import ModuleSource, Origin
from assay.languages.python.compiler.nodes import walk

READS_BY_NAME = {"getattr", "attrgetter", "methodcaller", "__getattribute__"}


def mentions(modules: Iterable[ModuleSource], name: str) -> bool:
    """Whether a module that is no library could read an attribute, or import something, of that name."""
    return any(is_mentioned(module.tree, name) for module in modules if module.origin is not Origin.LIBRARY)


def is_mentioned(tree: ast.Module, name: str) -> bool:
    for node in walk(tree):
        match node:
            case ast.Attribute(attr=found) if found in {name, "__dict__"}:
                return True
            case ast.Constant(value=str(text)) if name in text:
                return True
            case ast.alias(name=found) if found == "*" or name in found.split("."):
                return True
            case ast.ImportFrom(module=str(found)) if name in found.split("."):
                return True
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in READS_BY_NAME:
                if not all(isinstance(item, ast.Constant) for item in node.args[called == "getattr" :]):
                    return True
            case ast.FunctionDef(name="__del__") if name == "__del__":
                return True
            case ast.MatchClass(kwd_attrs=attributes) if name in attributes:
                return True
    return False
