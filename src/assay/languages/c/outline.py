"""A C program as a text of the same shape in which each statement is replaced by what is left of it.

`if`, loops, jumps and calls stay where they are in the text; whoever asks for an outline says what stands for
a condition and for a statement (`Remains`). Lines that do nothing are one `skip`. For reading only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pycparser import c_ast

from assay.languages.c.parsing import ParseError, parse
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem

SKIP = "skip;"
Spot = tuple[str, int, int]  # file, line, column


class Remains(Protocol):
    def statements(self, function: str, spots: frozenset[Spot]) -> Sequence[str]:
        """What is left of what stands there, calls included; nothing: it is skipped."""

    def condition(self, function: str, spot: Spot) -> str: ...

    def is_kept(self, function: str) -> bool:
        """Whether anything is left of its body."""


@dataclass(frozen=True, slots=True)
class Line:
    line: int  # of the source; 0: it closes something
    depth: int
    text: str


def outline(texts: Sequence[str], remains: Remains) -> Iterator[tuple[str, str, list[Line]]]:
    """Of each function of which something is left: its name, its file, its lines. `main` comes first."""
    found = []
    for text in texts:
        for node in _parsed(text).ext:
            if isinstance(node, c_ast.FuncDef) and remains.is_kept(node.decl.name):
                lines = list(_Outline(node.decl.name, remains).of(node.body, 1))
                found.append((node.decl.name, str(node.decl.coord.file), list(_with_less_skips(lines))))
    return iter(sorted(found, key=lambda one: one[0] != "main"))


def _parsed(text: str) -> c_ast.FileAST:
    try:
        return parse(text)
    except ParseError as problem:
        raise SourceProblem(f"gcc accepts this, and our parser does not: {problem}") from None


def _with_less_skips(lines: Sequence[Line]) -> Iterator[Line]:
    before = None
    for one in lines:
        if one.text != SKIP or before is None or before.text != SKIP or before.depth != one.depth:
            yield one
        before = one


def _spot(node: c_ast.Node) -> Spot:
    coord = node.coord
    return str(coord.file), int(coord.line), int(coord.column or 0)


def spots_of(node: c_ast.Node | None) -> frozenset[Spot]:
    """Where it and all its parts stand."""
    found: set[Spot] = set()
    waiting = [] if node is None else [node]
    while waiting:
        one = waiting.pop()
        if one.coord is not None:
            found.add(_spot(one))
        waiting += [child for _, child in one.children()]
    return frozenset(found)


class _Outline:
    def __init__(self, function: str, remains: Remains) -> None:
        self.function, self.remains = function, remains

    def of(self, node: c_ast.Node | None, depth: int) -> Iterator[Line]:
        if node is None or isinstance(node, c_ast.Typedef):
            return
        special = getattr(self, "_" + type(node).__name__, None)
        if special is not None:
            yield from special(node, depth)
            return
        line = node.coord.line if node.coord is not None else 0
        left = self._left(node)
        yield from (Line(line, depth, text) for text in left or [SKIP])

    def _left(self, node: c_ast.Node | None) -> list[str]:
        spots = spots_of(node)
        return list(self.remains.statements(self.function, spots)) if spots else []

    def _condition(self, node: c_ast.Node) -> str:
        return self.remains.condition(self.function, _spot(node))

    def _before(self, node: c_ast.Node | None, depth: int) -> Iterator[Line]:
        """What a condition does before it is decided."""
        if node is not None:
            yield from (Line(node.coord.line, depth, text) for text in self._left(node))

    def _body(self, node: c_ast.Node | None, depth: int) -> Iterator[Line]:
        lines = list(self.of(node, depth))
        yield from lines or [Line(0, depth, SKIP)]

    def _Compound(self, node: c_ast.Compound, depth: int) -> Iterator[Line]:  # noqa: N802
        for one in node.block_items or ():
            yield from self.of(one, depth)

    def _EmptyStatement(self, node: c_ast.EmptyStatement, depth: int) -> Iterator[Line]:  # noqa: N802
        yield Line(node.coord.line if node.coord else 0, depth, SKIP)

    def _Decl(self, node: c_ast.Decl, depth: int) -> Iterator[Line]:  # noqa: N802
        yield from (Line(node.coord.line, depth, text) for text in self._left(node))

    def _If(self, node: c_ast.If, depth: int) -> Iterator[Line]:  # noqa: N802
        yield from self._before(node.cond, depth)
        yield Line(node.coord.line, depth, f"if ({self._condition(node)}) {{")
        yield from self._body(node.iftrue, depth + 1)
        if node.iffalse is not None:
            yield Line(0, depth, "} else {")
            yield from self._body(node.iffalse, depth + 1)
        yield Line(0, depth, "}")

    def _While(self, node: c_ast.While, depth: int) -> Iterator[Line]:  # noqa: N802
        before = " ".join(self._left(node.cond))
        also = f"  // each time: {before}" if before else ""
        yield Line(node.coord.line, depth, f"while ({self._condition(node)}) {{{also}")
        yield from self._body(node.stmt, depth + 1)
        yield Line(0, depth, "}")

    def _DoWhile(self, node: c_ast.DoWhile, depth: int) -> Iterator[Line]:  # noqa: N802
        yield Line(node.coord.line, depth, "do {")
        yield from self._body(node.stmt, depth + 1)
        yield from self._before(node.cond, depth + 1)
        yield Line(node.cond.coord.line, depth, f"}} while ({self._condition(node)});")

    def _For(self, node: c_ast.For, depth: int) -> Iterator[Line]:  # noqa: N802
        first, following = (" ".join(self._left(one)) for one in (node.init, node.next))
        before = " ".join(self._left(node.cond))
        also = f"  // each time: {before}" if before else ""
        head = f"for ({first.rstrip(';')}; {self._condition(node)}; {following.rstrip(';')}) {{"
        yield Line(node.coord.line, depth, head + also)
        yield from self._body(node.stmt, depth + 1)
        yield Line(0, depth, "}")

    def _Switch(self, node: c_ast.Switch, depth: int) -> Iterator[Line]:  # noqa: N802
        yield from self._before(node.cond, depth)
        yield Line(node.coord.line, depth, "switch (*) {")
        yield from self.of(node.stmt, depth)
        yield Line(0, depth, "}")

    def _cases(self, node: c_ast.Node, depth: int, text: str) -> Iterator[Line]:
        condition = self._condition(node)
        only = "" if condition == "*" else f"  assume({condition});"
        yield Line(node.coord.line, depth, f"{text}:{only}")
        for one in node.stmts or ():
            yield from self.of(one, depth + 1)

    def _Case(self, node: c_ast.Case, depth: int) -> Iterator[Line]:  # noqa: N802
        value = getattr(node.expr, "value", None) or getattr(node.expr, "name", None) or "..."
        yield from self._cases(node, depth, f"case {value}")

    def _Default(self, node: c_ast.Default, depth: int) -> Iterator[Line]:  # noqa: N802
        yield from self._cases(node, depth, "default")

    def _Label(self, node: c_ast.Label, depth: int) -> Iterator[Line]:  # noqa: N802
        yield Line(node.coord.line, max(depth - 1, 0), f"{node.name}:")
        yield from self.of(node.stmt, depth)

    def _Goto(self, node: c_ast.Goto, depth: int) -> Iterator[Line]:  # noqa: N802
        yield Line(node.coord.line, depth, f"goto {node.name};")

    def _Break(self, node: c_ast.Break, depth: int) -> Iterator[Line]:  # noqa: N802
        yield Line(node.coord.line, depth, "break;")

    def _Continue(self, node: c_ast.Continue, depth: int) -> Iterator[Line]:  # noqa: N802
        yield Line(node.coord.line, depth, "continue;")

    def _Return(self, node: c_ast.Return, depth: int) -> Iterator[Line]:  # noqa: N802
        yield from (Line(node.coord.line, depth, text) for text in self._left(node))
        yield Line(node.coord.line, depth, "return;")


def lines_of_tests(texts: Sequence[str]) -> dict[Spot, int]:
    """Of loops that begin with `do`: the line of the test, which is made at the end."""
    found: dict[Spot, int] = {}

    class Loops(c_ast.NodeVisitor):  # type: ignore[misc]
        def visit_DoWhile(self, node: c_ast.DoWhile) -> None:  # noqa: N802
            found[_spot(node)] = node.cond.coord.line
            self.generic_visit(node)

    for text in texts:
        if "do" in text:
            Loops().visit(_parsed(text))
    return found
