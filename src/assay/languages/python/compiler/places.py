"""Where in the source something stands, as `file:line:column`."""

from __future__ import annotations

import ast

from assay.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    file: str
    line: int
    column: int  # from 1, as editors count

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def place_of(file: str, node: ast.AST) -> Place:
    return Place(file, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)
