"""Patterns of `match`, PEP 634.

The value to match is on top of the stack and consumed. Captured values wait on the stack, below what is still
being matched, until the whole pattern has succeeded; then they are stored. A pattern that fails jumps to a
place that first drops what has gathered above the subject: `failures[n]` drops n values.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field

from assay.languages.python.code import COMPARISONS, OPERATORS
from assay.languages.python.compiler.assembler import Label
from assay.languages.python.compiler.expressions import ExpressionCompiler
from assay.records import dataclass


@dataclass(slots=True)
class Attempt:
    """One pattern under way."""

    captured: list[str] = field(default_factory=list)  # the first one is on top
    pending: int = 0  # values above the captured ones that are still to be matched
    failures: list[Label] = field(default_factory=list)


class PatternCompiler(ExpressionCompiler):
    def fail(self, attempt: Attempt, operation: str) -> None:
        """Gives up: always, or if the value on top is false."""
        drops = attempt.pending + len(attempt.captured)
        while len(attempt.failures) <= drops:
            attempt.failures.append(Label())
        self.out.jump(operation, attempt.failures[drops])

    def place_failures(self, attempt: Attempt) -> None:
        for drops in range(len(attempt.failures) - 1, -1, -1):
            self.out.place(attempt.failures[drops])
            if drops:
                self.out.emit("POP_TOP")
        attempt.failures = []

    def sink(self, count: int) -> None:
        """Moves the top value down so that `count` values, itself included, keep their order above."""
        for position in range(count, 1, -1):
            self.out.emit("SWAP", position)

    def capture(self, name: str | None, attempt: Attempt) -> None:
        if name is None:
            self.out.emit("POP_TOP")
            return
        self.sink(attempt.pending + len(attempt.captured) + 1)
        attempt.captured.append(name)

    def pattern(self, node: ast.pattern, attempt: Attempt) -> None:
        self.out.at(node)
        match node:
            case ast.MatchValue(value=value):
                self.expression(value)
                self.out.at(node)
                self.out.emit("COMPARE", COMPARISONS.index("Eq"))
                self.fail(attempt, "POP_JUMP_IF_FALSE")
            case ast.MatchSingleton(value=value):
                self.out.constant(value)
                self.out.emit("COMPARE", COMPARISONS.index("Is"))
                self.fail(attempt, "POP_JUMP_IF_FALSE")
            case ast.MatchAs(pattern=None, name=name):
                self.capture(name, attempt)
            case ast.MatchAs(pattern=inner, name=name):
                assert inner is not None
                self.out.emit("COPY", 1)
                attempt.pending += 1
                self.pattern(inner, attempt)
                attempt.pending -= 1
                self.capture(name, attempt)
            case ast.MatchStar(name=name):
                self.capture(name, attempt)
            case ast.MatchSequence(patterns=patterns):
                self.sequence_pattern(node, patterns, attempt)
            case ast.MatchMapping():
                self.mapping_pattern(node, attempt)
            case ast.MatchClass():
                self.class_pattern(node, attempt)
            case ast.MatchOr(patterns=patterns):
                self.or_pattern(patterns, attempt)
            case _:
                raise AssertionError(type(node).__name__)

    def sequence_pattern(self, node: ast.pattern, patterns: Sequence[ast.pattern], attempt: Attempt) -> None:
        star = next((i for i, item in enumerate(patterns) if isinstance(item, ast.MatchStar)), None)
        count = len(patterns)
        self.out.named("LOAD_BUILTIN", "__match_sequence__")
        self.out.emit("COPY", 2)
        self.out.constant(count if star is None else count - 1)
        self.out.constant(star is not None)
        self.out.emit("CALL", 3)
        attempt.pending += 1
        self.fail(attempt, "POP_JUMP_IF_FALSE")
        attempt.pending -= 1
        if all(is_wildcard(item) for item in patterns):
            self.out.emit("POP_TOP")
        elif star is not None and is_wildcard(patterns[star]):
            self.items_around_a_wildcard(patterns, star, attempt)
        else:
            if star is None:
                self.out.emit("UNPACK_SEQUENCE", count)
            else:
                if max(star, count - star - 1) > 255:
                    raise self.context.unsupported(
                        node, "a pattern of more than 255 items", "match in two steps"
                    )
                self.out.emit("UNPACK_EX", star | (count - star - 1) << 8)
            self.unpacked(patterns, attempt)

    def unpacked(self, patterns: Sequence[ast.pattern], attempt: Attempt) -> None:
        """Matches values that stand on the stack, the first one on top."""
        attempt.pending += len(patterns)
        for item in patterns:
            attempt.pending -= 1
            self.pattern(item, attempt)

    def items_around_a_wildcard(self, patterns: Sequence[ast.pattern], star: int, attempt: Attempt) -> None:
        """Takes items by their index, because `*_` needs no list."""
        attempt.pending += 1
        for index, item in enumerate(patterns):
            if is_wildcard(item):
                continue
            self.out.emit("COPY", 1)
            if index < star:
                self.out.constant(index)
            else:
                self.out.named("LOAD_BUILTIN", "len")
                self.out.emit("COPY", 2)
                self.out.emit("CALL", 1)
                self.out.constant(len(patterns) - index)
                self.out.emit("BINARY", OPERATORS.index("Sub"))
            self.out.emit("LOAD_SUBSCR")
            self.pattern(item, attempt)
        attempt.pending -= 1
        self.out.emit("POP_TOP")

    def mapping_pattern(self, node: ast.MatchMapping, attempt: Attempt) -> None:
        self.out.named("LOAD_BUILTIN", "__match_mapping__")
        self.out.emit("SWAP", 2)
        self.sequence("BUILD_TUPLE", node.keys)
        self.out.constant(node.rest is not None)
        self.out.emit("CALL", 3)
        patterns = list(node.patterns)
        if node.rest is not None:
            patterns.append(ast.copy_location(ast.MatchAs(name=node.rest), node))
        self.parts(patterns, attempt)

    def class_pattern(self, node: ast.MatchClass, attempt: Attempt) -> None:
        self.out.named("LOAD_BUILTIN", "__match_class__")
        self.out.emit("SWAP", 2)
        self.expression(node.cls)
        self.out.at(node)
        self.out.constant(len(node.patterns))
        self.out.constant(tuple(self.scope.mangle(name) for name in node.kwd_attrs))
        self.out.emit("CALL", 4)
        self.parts([*node.patterns, *node.kwd_patterns], attempt)

    def parts(self, patterns: Sequence[ast.pattern], attempt: Attempt) -> None:
        """On top is None, or a tuple with a value for each pattern."""
        self.out.emit("COPY", 1)
        self.out.constant(None)
        self.out.emit("COMPARE", COMPARISONS.index("IsNot"))
        attempt.pending += 1
        self.fail(attempt, "POP_JUMP_IF_FALSE")
        attempt.pending -= 1
        self.out.emit("UNPACK_SEQUENCE", len(patterns))
        self.unpacked(patterns, attempt)

    def or_pattern(self, patterns: Sequence[ast.pattern], attempt: Attempt) -> None:
        end = Label()
        order: list[str] = []
        for number, alternative in enumerate(patterns):
            inner = Attempt()
            self.out.emit("COPY", 1)
            self.pattern(alternative, inner)
            if number == 0:
                order = inner.captured
            self.reorder(inner.captured, order)
            self.out.jump("JUMP", end)
            self.place_failures(inner)
        self.out.emit("POP_TOP")
        self.fail(attempt, "JUMP")
        self.out.place(end)
        # The stack has the subject and the captured values above it, the first one on top.
        below = len(order) + 1 + attempt.pending + len(attempt.captured)
        for name in order:
            self.sink(below)
            attempt.captured.append(name)
        self.out.emit("POP_TOP")

    def reorder(self, captured: Sequence[str], order: Sequence[str]) -> None:
        """Sorts the captured values on the stack, the first one on top, as the first alternative has them."""
        now = list(captured)
        for position in range(len(order) - 1, 0, -1):
            found = now.index(order[position])
            if found != position:
                # Exchange through the top: SWAP n trades the top for the n-th.
                if found:
                    self.out.emit("SWAP", found + 1)
                self.out.emit("SWAP", position + 1)
                now[0], now[found] = now[found], now[0]
                now[0], now[position] = now[position], now[0]


def is_wildcard(node: ast.pattern) -> bool:
    return (
        isinstance(node, ast.MatchAs | ast.MatchStar)
        and node.name is None
        and (isinstance(node, ast.MatchStar) or node.pattern is None)
    )
