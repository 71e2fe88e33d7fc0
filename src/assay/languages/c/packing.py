"""`#pragma pack`: from where to where members of structs are aligned to at most so many bytes.

gcc takes what is in force where a struct is defined. What it does not understand it warns of and leaves out;
here that is refused, since nobody would see the warning.
"""

from __future__ import annotations

import re

from pycparser import c_ast

from assay.languages.c.declarations import place_of
from assay.transition_system.interface import UnsupportedConstruct

PACK = re.compile(r"pack\s*\(\s*(?:(push|pop)?\s*(?:,\s*)?(\d+)?)\s*\)")
SIZES = (1, 2, 4, 8, 16)


def packings(tree: c_ast.FileAST) -> dict[int, int]:
    """Of each definition of a struct or union, by its node: the most bytes to which members are aligned."""
    found = _Packings()
    found.visit(tree)
    return found.at


class _Packings(c_ast.NodeVisitor):  # type: ignore[misc]
    def __init__(self) -> None:
        self.at: dict[int, int] = {}
        self.now = 0
        self.kept: list[int] = []

    def visit_Pragma(self, node: c_ast.Pragma) -> None:  # noqa: N802
        if not node.string.strip().startswith("pack"):
            return
        read = PACK.fullmatch(node.string.strip())
        if read is None or (read.group(2) and int(read.group(2)) not in SIZES):
            raise UnsupportedConstruct(
                f"'#pragma {node.string}' is not modelled", where=place_of(node), hint="leave it out"
            )
        how, size = read.groups()
        if how == "pop":
            if not self.kept:
                raise UnsupportedConstruct(
                    "'#pragma pack(pop)' without a push is not modelled",
                    where=place_of(node),
                    hint="leave it out",
                )
            self.now = self.kept.pop()
        elif how == "push":
            self.kept.append(self.now)
        if size or not how:
            self.now = int(size or 0)

    def visit_Struct(self, node: c_ast.Struct) -> None:  # noqa: N802
        self._defined(node)

    def visit_Union(self, node: c_ast.Union) -> None:  # noqa: N802
        self._defined(node)

    def _defined(self, node: c_ast.Struct | c_ast.Union) -> None:
        if node.decls is None:
            return
        if any(isinstance(one, c_ast.Pragma) and one.string.strip().startswith("pack") for one in node.decls):
            raise UnsupportedConstruct("'#pragma pack' inside a struct is not modelled", where=place_of(node))
        self.at.setdefault(id(node), self.now)
        self.generic_visit(node)
