"""Gives variables that a program does not initialise the values that they have in a run.

After a declaration that leaves something open a call is put into the text, on the same line:

    int wanted, failures; __assay_set(0, &failures, sizeof failures);

Whoever compiles the text defines that function. Declarations in the head of a `for`, where there is no room
for a call, stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pycparser import c_ast

from assay.languages.c.outline import Spot
from assay.languages.c.parsing import parse
from assay.languages.c.preprocessing import LINE_MARKER, TOKEN

SET = "__assay_set"
DECLARATION = f"extern void {SET}(unsigned, void *, unsigned long);"


def with_values_set(text: str, wanted: Sequence[Spot], prelude: str) -> str:
    """The text with a call for each of these declarations, by their positions in the list. `prelude`: what
    the parser has to know before."""
    names = dict(_declarations(prelude + text, set(wanted)))
    offsets = offsets_of(text, set(names))
    calls: dict[int, list[str]] = {}
    for number, spot in enumerate(wanted):
        if spot in offsets:
            at = _end(text, offsets[spot])
            calls.setdefault(at, []).append(
                f" {SET}({number}, (void *)&{names[spot]}, sizeof {names[spot]});"
            )
    pieces, done = [DECLARATION], 0
    for at in sorted(calls):
        pieces += [text[done:at], *calls[at]]
        done = at
    return "".join([*pieces, text[done:]])


def _declarations(text: str, wanted: Collection[Spot]) -> Iterator[tuple[Spot, str]]:
    in_heads: set[int] = set()

    class Visitor(c_ast.NodeVisitor):  # type: ignore[misc]
        def __init__(self) -> None:
            self.found: list[tuple[Spot, str]] = []

        def visit_For(self, node: c_ast.For) -> None:  # noqa: N802
            if isinstance(node.init, c_ast.DeclList):
                in_heads.update(id(one) for one in node.init.decls)
            self.generic_visit(node)

        def visit_Decl(self, node: c_ast.Decl) -> None:  # noqa: N802
            is_function = isinstance(node.type, c_ast.FuncDecl)  # what it returns is not set in its text
            if node.name and id(node) not in in_heads and not is_function:
                spot = (str(node.coord.file), int(node.coord.line), int(node.coord.column or 0))
                self.found += [(spot, node.name)] if spot in wanted else []
            self.generic_visit(node)

    visitor = Visitor()
    visitor.visit(parse(text))
    yield from visitor.found


def offsets_of(text: str, wanted: Collection[Spot]) -> Mapping[Spot, int]:
    """Where in the text they stand: the preprocessor says which line is which."""
    by_line: dict[tuple[str, int], list[int]] = {}
    for file, line, column in wanted:
        by_line.setdefault((file, line), []).append(column)
    found: dict[Spot, int] = {}
    file, number, start = "", 1, 0
    for content in text.split("\n"):
        marker = LINE_MARKER.match(content)
        if marker:
            file, number = marker.group(2), int(marker.group(1))
        else:
            for column in by_line.get((file, number), ()):
                if column <= len(content):
                    found.setdefault((file, number, column), start + column - 1)
            number += 1
        start += len(content) + 1
    return found


def _end(text: str, start: int) -> int:
    """After the semicolon that ends the declaration."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        word = token.group()
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(word, 0)
        if word == ";" and depth <= 0:
            return token.end()
    return len(text)
