"""The values with which an assertion failed, as pytest shows them.

    assert 1 == 2
    where 1 = c.get()
    and 2 = len(threads)

The machine keeps the operands of each comparison and the value of each test when it was evaluated last; the
syntax tree says which of them belong to the assertion.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.records import dataclass

LONGEST_VALUE = 400
OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`right` is None where a value was only tested for truth."""

    line: int
    column: int
    end_line: int
    end_column: int
    left: str
    right: str | None

    @property
    def place(self) -> tuple[int, int, int, int]:
        return self.line, self.column, self.end_line, self.end_column


def failed_assertion(text: str, line: int, evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """Empty if there is no assertion on that line, or nothing is known of it."""
    found = _assertion(text, line)
    told = _told(found.test, evaluations) if found is not None else None
    if told is None:
        return ()
    expression, where = told
    known: list[str] = []
    for value, source in where:
        known.append(f"{'and' if known else 'where'} {value} = {source}")
    return (f"assert {expression}", *known)


def lines_of_assertion(text: str, line: int) -> range:
    found = _assertion(text, line)
    return range(0) if found is None else range(found.lineno, (found.end_lineno or found.lineno) + 1)


def _assertion(text: str, line: int) -> ast.Assert | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return found[0] if len(found) == 1 else None


Where = list[tuple[str, str]]  # a value, and the source that gave it


def _told(node: ast.expr, evaluations: Sequence[Evaluation]) -> tuple[str, Where] | None:
    if isinstance(node, ast.BoolOp):
        return _told_of_several(node, evaluations)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _told(node.operand, evaluations)
        return None if inner is None else (f"not {inner[0]}", inner[1])
    here = [one for one in evaluations if one.place == _place(node)]
    if isinstance(node, ast.Compare):
        return _told_of_chain(node, [(one.left, one.right) for one in here if one.right is not None])
    tested = [one for one in here if one.right is None]
    if not tested:
        return None
    value = _short(tested[-1].left)
    return value, list(_where(node, value))


def _told_of_chain(node: ast.Compare, compared: Sequence[tuple[str, str]]) -> tuple[str, Where] | None:
    """Of `0 <= x <= 9` as far as it was evaluated: the last comparison is the one that failed."""
    compared = compared[-len(node.ops) :]  # others are of an earlier round of a loop
    follows = all(one[1] == other[0] for one, other in pairwise(compared))
    if not compared or not follows:
        return None
    values = [compared[0][0], *(right for _, right in compared)]
    sources = [node.left, *node.comparators]
    operators = [OPERATORS[type(operator)] for operator in node.ops]
    text, where = _short(values[0]), list(_where(sources[0], _short(values[0])))
    for operator, value, source in zip(operators, values[1:], sources[1:], strict=False):
        text += f" {operator} {_short(value)}"
        where += _where(source, _short(value))
    return text, where


def _told_of_several(node: ast.BoolOp, evaluations: Sequence[Evaluation]) -> tuple[str, Where] | None:
    """Of `and` the one that failed, which is the one that was evaluated last; of `or` all."""
    if isinstance(node.op, ast.And):
        last = next((one for one in reversed(evaluations) if _is_within(one, node)), None)
        failed = [value for value in node.values if last is not None and _is_within(last, value)]
        return _told(failed[0], evaluations) if failed else None
    told = [one for one in (_told(value, evaluations) for value in node.values) if one is not None]
    if not told:
        return None
    return " or ".join(text for text, _ in told), [pair for _, where in told for pair in where]


def _where(node: ast.expr, value: str) -> Iterator[tuple[str, str]]:
    if not any(isinstance(part, ast.Name | ast.Attribute | ast.Call) for part in ast.walk(node)):
        return  # it stands there
    source = ast.unparse(node)
    if source != value:
        yield value, source


def _is_within(one: Evaluation, node: ast.expr) -> bool:
    line, column, end_line, end_column = _place(node)
    return (line, column) <= one.place[:2] and one.place[2:] <= (end_line, end_column)


def _place(node: ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."
