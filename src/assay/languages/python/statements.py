"""The text of the statement that a line belongs to: rows of a run show it whole, whatever lines it has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

LONGEST = 300  # a table of constants tells nothing that its own line does not


def statements_by_line(text: str) -> dict[int, str]:
    """Of lines that are part of a longer statement; of one with a body, its first lines are the statement."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    lines = text.splitlines()
    found: dict[int, str] = {}
    for node in ast.walk(tree):  # outer ones first: a function in a statement has its own
        if not isinstance(node, ast.stmt):
            continue
        first, last = node.lineno, _last_line(node)
        if last <= first:
            continue
        shown = ""
        for line in _without_comments(lines[first - 1 : last]):
            is_tight = not shown or shown[-1] in "([{" or line[:1] in {")", "]", "}"}
            shown += line if is_tight else f" {line}"
        if len(shown) <= LONGEST:
            found.update(dict.fromkeys(range(first, last + 1), shown))
    return found


def _last_line(node: ast.stmt) -> int:
    match node:
        case ast.If(test=head) | ast.While(test=head) | ast.For(iter=head) | ast.AsyncFor(iter=head):
            return head.end_lineno or 0
        case ast.With(items=[*_, item]) | ast.AsyncWith(items=[*_, item]):
            return (item.optional_vars or item.context_expr).end_lineno or 0
        case ast.Match(subject=head):
            return head.end_lineno or 0
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Try() | ast.TryStar():
            return 0
    return node.end_lineno or 0


def _without_comments(lines: list[str]) -> Iterator[str]:
    for line in lines:
        shown = line.strip()
        if not shown.startswith("#"):
            yield re.sub(r"\s+#[^'\"]*$", "", shown).removesuffix("\\").rstrip()
