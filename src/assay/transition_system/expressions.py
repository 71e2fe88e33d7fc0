"""Properties of hand-written systems: Python-like expressions, checked without `eval`.

    owners <= 1                      a state invariant
    x == 5 implies next.x == 8       a step invariant; `next.x` is x after the step

Names are the variables of the state; `next` is the state after the step.
Allowed are constants, arithmetic, comparisons, `and`, `or`, `not`, `implies`
(weakest, to the right), `a if c else b`, indexing, attributes that do not
begin with an underscore, tuples, lists, sets, comprehension-free calls of
`len abs min max sum all any sorted`. Everything else is refused with its place.

A property may be a stranger's, of a certificate: it has no comments, which would say something else than it
does; there is a limit to its length, to how deep it is nested and to the values that it makes; and it
changes nothing.
"""

from __future__ import annotations

import ast
import io
import operator
import re
import tokenize
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

from assay.transition_system.interface import SourceProblem

LONGEST_TEXT = 10_000  # characters
DEEPEST = 100
MOST_BITS = 1 << 16  # of a number
MOST_ITEMS = 1 << 20  # of a text, a tuple or a list
SEQUENCES = (str, bytes, tuple, list)


class TooCostly(Exception):
    """A value would take more time or memory than a property may."""


def _times(left: Any, right: Any) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, SEQUENCES) and isinstance(count, int) and len(sequence) * count > MOST_ITEMS:
            raise TooCostly("makes a value that is too long")
    if isinstance(left, int) and isinstance(right, int):
        _require_few_bits(left.bit_length() + right.bit_length())
    return left * right


def _shifted(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        _require_few_bits(left.bit_length() + right)
    return left << right


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str | bytes):
        raise TooCostly("formats a text, which no property may")
    return left % right


def _require_few_bits(bits: int) -> None:
    if bits > MOST_BITS:
        raise TooCostly("makes a number that is too large")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len,
    "abs": abs,
    "min": min,
    "max": max,
    "sum": sum,
    "all": all,
    "any": any,
    "sorted": sorted,
}
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: _remainder,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: _shifted,
    ast.RShift: operator.rshift,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
IMPLIES = re.compile(r"(?<![\w.])implies(?!\w)")


class Next:
    """The variables after a step, reached as `next.x`."""

    def __init__(self, variables: Mapping[str, object]) -> None:
        self.variables = variables


class Expression:
    """A property, parsed and checked once, evaluated in many states."""

    def __init__(
        self, text: str, *, option: str, over_steps: bool = False, line: int = 1, column: int = 1
    ) -> None:
        """`option`, `line` and `column` are where it begins."""
        self.text = text
        self._option = option
        self._line = line
        self._column = column
        self._over_steps = over_steps
        self._tree = self._parse(text)

    def holds(self, before: Mapping[str, object], after: Mapping[str, object] | None = None) -> bool:
        names = dict(before)
        if after is not None:
            names["next"] = Next(after)
        return bool(self.value(names))

    def value(self, names: Mapping[str, object]) -> object:
        try:
            return self._evaluate(self._tree, dict(names))
        except TooCostly as problem:
            raise SourceProblem(f"{self.text!r} {problem}", where=self._option) from None

    def _parse(self, text: str) -> ast.expr:
        if len(text) > LONGEST_TEXT or _depth_of_brackets(text) > DEEPEST:
            raise SourceProblem(
                f"expected at most {LONGEST_TEXT:,} characters and {DEEPEST} nested brackets",
                where=self._option,
            )
        # One line, so that an expression may go over lines without brackets.
        line = _rewrite_implications(" ".join(text.splitlines()))
        indent = len(line) - len(line.lstrip())
        try:
            tree = ast.parse(line.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            column = indent + (getattr(problem, "offset", None) or 1)
            raise self._problem("expected an expression", column) from None
        if _has_comment(line):
            raise self._problem("a property has no comments", 1)
        self._check(tree)
        return tree

    def _problem(self, message: str, column: int) -> SourceProblem:
        # Columns are those of the text as written, which `implies` is not left in.
        place = "" if IMPLIES.search(self.text) else f":{self._line}:{self._column + max(1, column) - 1}"
        return SourceProblem(f"{message} in {self.text!r}", where=f"{self._option}{place}")

    def _check(self, tree: ast.expr) -> None:
        if _depth(tree) > DEEPEST:
            raise self._problem(f"expected at most {DEEPEST} operations inside of each other", 1)
        for node in ast.walk(tree):
            column = getattr(node, "col_offset", 0) + 1
            if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
                raise self._problem("names that begin with an underscore are not available", column)
            if isinstance(node, ast.Name) and node.id == "next" and not self._over_steps:
                raise self._problem("`next` needs two states; use --step-invariant", column)
            if isinstance(node, ast.Call) and (
                not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords
            ):
                raise self._problem(f"only {', '.join(FUNCTIONS)} can be called", column)
            if not isinstance(node, ALLOWED):
                raise self._problem(f"{type(node).__name__} is not part of a property", column)

    def _evaluate(self, node: ast.expr, names: Mapping[str, object]) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                if name in names:
                    return names[name]
                known = [each for each in names if each != "next"]
                import difflib

                near = difflib.get_close_matches(name, known, 1)
                raise self._problem(
                    f"expected one of the variables {', '.join(known)}, got {name}"
                    + (f" (did you mean {near[0]!r}?)" if near else ""),
                    getattr(node, "col_offset", 0) + 1,
                )
            case ast.Attribute(value=value, attr=attribute):
                owner = self._evaluate(value, names)
                if isinstance(owner, Next):
                    if attribute in owner.variables:
                        return owner.variables[attribute]
                    raise self._problem(f"expected a variable after next., got {attribute}", node.col_offset)
                return getattr(owner, attribute)
            case ast.BoolOp(op=op, values=values):
                stop = isinstance(op, ast.Or)
                result: Any = not stop
                for value in values:
                    result = self._evaluate(value, names)
                    if bool(result) is stop:
                        break
                return result
            case ast.BinOp(left=left, op=binary, right=right):
                return BINARY[type(binary)](self._evaluate(left, names), self._evaluate(right, names))
            case ast.UnaryOp(op=unary, operand=operand):
                return UNARY[type(unary)](self._evaluate(operand, names))
            case ast.Compare(left=first, ops=comparisons, comparators=others):
                left_value = self._evaluate(first, names)
                for comparison, other in zip(comparisons, others, strict=True):
                    right_value = self._evaluate(other, names)
                    if not COMPARISONS[type(comparison)](left_value, right_value):
                        return False
                    left_value = right_value
                return True
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return self._evaluate(body if self._evaluate(test, names) else otherwise, names)
            case ast.Subscript(value=value, slice=index):
                return self._evaluate(value, names)[self._evaluate(index, names)]
            case ast.Tuple(elts=elements):
                return tuple(self._evaluate(element, names) for element in elements)
            case ast.List(elts=elements):
                return [self._evaluate(element, names) for element in elements]
            case ast.Set(elts=elements):
                return {self._evaluate(element, names) for element in elements}
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return FUNCTIONS[name](*(self._evaluate(argument, names) for argument in arguments))
        raise self._problem(f"{type(node).__name__} is not part of a property", 1)


ALLOWED = (
    ast.Constant, ast.Name, ast.Attribute, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp,
    ast.Subscript, ast.Tuple, ast.List, ast.Set, ast.Call, ast.Load, ast.And, ast.Or,
    *BINARY, *UNARY, *COMPARISONS,
)  # fmt: skip


def _depth_of_brackets(text: str) -> int:
    """At least as deep as the brackets are nested; those in texts count too."""
    return max(accumulate((letter in "([{") - (letter in ")]}") for letter in text), default=0)


def _depth(tree: ast.expr) -> int:
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [
            child for node in level for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
        ]
    return depth


def _has_comment(line: str) -> bool:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line).readline))
    except (tokenize.TokenError, SyntaxError):
        return "#" in line
    return any(token.type == tokenize.COMMENT for token in tokens)


def _rewrite_implications(text: str) -> str:
    """`a implies b` as `(not (a) or (b))`, also inside brackets; binds weakest and to the right."""
    if not IMPLIES.search(text):
        return text
    rewritten, end = _rewrite_group(text, 0)
    # A closing bracket too many: leave the complaint to the parser.
    return rewritten if end == len(text) else text


def _rewrite_group(text: str, begin: int) -> tuple[str, int]:
    """One bracketed group (or the whole text) up to its closing bracket or the end."""
    items: list[str] = []
    parts: list[str] = []
    current = ""
    position = begin
    while position < len(text) and text[position] not in ")]}":
        character = text[position]
        if character in "'\"":
            end = position + 1
            while end < len(text) and text[end] != character:
                end += 2 if text[end] == "\\" else 1
            current += text[position : end + 1]
            position = end + 1
        elif character in "([{":
            inner, end = _rewrite_group(text, position + 1)
            current += character + inner + text[end : end + 1]
            position = end + 1
        elif character == ",":
            items.append(_implication([*parts, current]))
            parts, current = [], ""
            position += 1
        elif (found := IMPLIES.match(text, position)) is not None:
            parts.append(current)
            current = ""
            position = found.end()
        else:
            current += character
            position += 1
    items.append(_implication([*parts, current]))
    return ",".join(items), position


def _implication(parts: list[str]) -> str:
    whole = parts[-1]
    for condition in reversed(parts[:-1]):
        whole = f"(not ({condition}) or ({whole}))"
    return whole
