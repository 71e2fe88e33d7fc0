"""What stands where in a C text, as witnesses name it: statements, branches, calls, loops; and marks in it.

A mark is a call of a function that does nothing, put where something is to be evaluated:

    __assay_at(3, !!(x > 0)); x = x - 1;

So C itself says what the names in an expression mean there, and gcc says whether it is one. Whoever has the
graph of the marked text finds the call, and in it the expression.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

from pycparser import c_ast

from assay.languages.c.outline import Spot
from assay.languages.c.parsing import ParseError, parse
from assay.languages.c.preprocessing import LINE_MARKER, PRELUDE, TOKEN, without_prelude
from assay.languages.c.uninitialised import offsets_of
from assay.records import dataclass
from assay.transition_system.interface import UnsupportedConstruct

MARK = "__assay_at"
DEFINITION = f"void {MARK}(int id, int holds) {{ }}"
LOOPS = (c_ast.While, c_ast.DoWhile, c_ast.For)
BRANCHES = (*LOOPS, c_ast.If, c_ast.Switch)
# What an expression may be made of that is evaluated in any state: nothing in it can end a run or change one.
HARMLESS = {
    "BinaryOp": {"+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"},
    "UnaryOp": {"+", "-", "~", "!", "sizeof"},
}


# With a constant on the right these do not end a run either.
BY_CONSTANTS = {"/", "%", ">>"}
# What a witness may well say, and what is not evaluated here: it may end a run, or reads memory.
NOT_EVALUATED = {"/", "%", "<<", ">>", "*", "&", "->", "ArrayRef"}


class NoPlace(Exception):
    """Nothing of the kind stands there."""


@dataclass(frozen=True, slots=True)
class Landmark:
    spot: Spot  # of the node, as the graph has it
    line: int  # where a witness looks for it
    column: int
    node: c_ast.Node
    is_item: bool = False  # of a block: something can be put before it


class Landmarks:
    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = without_prelude(text), path
        self.statements: list[Landmark] = []
        self.branches: list[Landmark] = []
        self.calls: list[Landmark] = []
        self.loops: list[Landmark] = []
        self.starts = _line_starts(self.text)
        tree = parse(PRELUDE + self.text)
        for node in tree.ext:
            if isinstance(node, c_ast.FuncDef):
                self._statement(node.body, is_item=False)

    def _spot(self, node: c_ast.Node) -> Spot:
        return str(node.coord.file), int(node.coord.line), int(node.coord.column or 0)

    def _is_own(self, node: c_ast.Node) -> bool:
        return node.coord is not None and Path(str(node.coord.file)).name == Path(self.path).name

    def _statement(self, node: c_ast.Node | None, *, is_item: bool) -> None:
        if node is None:
            return
        if isinstance(node, c_ast.Compound):
            for one in node.block_items or ():
                self._statement(one, is_item=True)
            return
        if isinstance(node, c_ast.Label | c_ast.Case | c_ast.Default):
            for one in [node.stmt] if isinstance(node, c_ast.Label) else node.stmts or ():
                self._statement(one, is_item=not isinstance(node, c_ast.Label))
            return
        if self._is_own(node):
            spot = self._spot(node)
            found = Landmark(spot, spot[1], spot[2], node, is_item)
            self.statements.append(found)
            if isinstance(node, BRANCHES):
                self.branches.append(found)
            if isinstance(node, LOOPS):
                self.loops.append(found)
        for name in ("init", "cond", "next", "expr"):
            self._expression(getattr(node, name, None))
        for name in ("stmt", "iftrue", "iffalse"):
            if isinstance(node, BRANCHES):
                self._statement(getattr(node, name, None), is_item=False)
        if not isinstance(node, (*BRANCHES, c_ast.Return, c_ast.Decl)):
            self._expression(node)

    def _expression(self, node: c_ast.Node | None) -> None:
        if node is None:
            return
        if isinstance(node, c_ast.FuncCall) and self._is_own(node):
            self._call(node)
        if isinstance(node, c_ast.TernaryOp) and self._is_own(node):
            offset = self.offset(self._spot(node.iftrue))
            mark = self.text.rfind("?", 0, offset)
            line, column = self._place(mark, node)
            self.branches.append(Landmark(self._spot(node), line, column, node))
        for _, child in node.children():
            self._expression(child)

    def _call(self, node: c_ast.FuncCall) -> None:
        start = self.offset(self._spot(node))
        end = closing(self.text, start)
        line, column = self._place(end - 1, node)
        self.calls.append(Landmark(self._spot(node), line, column, node))

    def offset(self, spot: Spot) -> int:
        found = offsets_of(self.text, {spot})
        if spot not in found:
            raise NoPlace(f"{spot[1]}:{spot[2]} is not in the text")
        return found[spot]

    def _place(self, offset: int, near: c_ast.Node) -> tuple[int, int]:
        """Line and column of an offset that is a little after a node."""
        first = self.offset(self._spot(near))
        row = bisect_right(self.starts, offset) - 1
        rows = row - (bisect_right(self.starts, first) - 1)
        return int(near.coord.line) + rows, offset - self.starts[row] + 1

    def find(self, kind: str, line: int, column: int | None) -> Landmark:
        known: Sequence[Landmark] = getattr(self, kind)
        here = sorted((one for one in known if one.line == line), key=lambda one: one.column)
        if not here:
            raise NoPlace(f"there is no {NAMES[kind]} in line {line}")
        if column is None:
            return here[0]
        exact = [one for one in here if one.column == column]
        later = [one for one in here if one.column >= column] if kind == "statements" else []
        if not exact and not later:
            raise NoPlace(f"there is no {NAMES[kind]} at {line}:{column}")
        return (exact or later)[0]


NAMES = {"statements": "statement", "branches": "branch", "calls": "call", "loops": "loop"}


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def closing(text: str, start: int) -> int:
    """After the parenthesis that closes the first one from here."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if token.group() == ")" and depth == 0:
            return token.end()
    raise NoPlace("a parenthesis is not closed")


# --- marks ---


@dataclass(frozen=True, slots=True)
class Mark:
    """`where`: before a statement; before the test of a loop; in the two sides of `?:`, the second of which
    has the next number."""

    number: int
    landmark: Landmark
    expression: str
    where: str  # "statement", "loop", "choice"


def with_marks(landmarks: Landmarks, marks: Sequence[Mark]) -> str:
    """Everything else keeps its line and column: after a mark the text goes on in a line of its own."""
    insertions: dict[int, list[str]] = {}
    for one in marks:
        for at, what in _insertions(landmarks, one):
            insertions.setdefault(at, []).append(what)
    text, done, pieces = landmarks.text, 0, [DEFINITION]
    places = _presumed(text, sorted(insertions))
    for at in sorted(insertions):
        file, line, column = places[at]
        pieces += [text[done:at], *insertions[at], f'\n# {line} "{file}"\n', " " * (column - 1)]
        done = at
    return PRELUDE + "".join([*pieces, text[done:]])


def _presumed(text: str, offsets: Sequence[int]) -> dict[int, Spot]:
    """What the preprocessor says of where they stand."""
    found: dict[int, Spot] = {}
    file, number, start = "", 1, 0
    left = list(reversed(offsets))
    for content in text.split("\n"):
        marker = LINE_MARKER.match(content)
        if marker:
            file, number = marker.group(2), int(marker.group(1))
        else:
            while left and left[-1] <= start + len(content):
                at = left.pop()
                found[at] = (file, number, at - start + 1)
            number += 1
        start += len(content) + 1
    return found


def _insertions(landmarks: Landmarks, mark: Mark) -> Iterator[tuple[int, str]]:
    node, text = mark.landmark.node, landmarks.text
    call = f"{MARK}({mark.number}, !!({mark.expression}))"
    start = landmarks.offset(mark.landmark.spot)
    if mark.where == "choice":
        for number, side, sign in ((mark.number, node.iftrue, "?"), (mark.number + 1, node.iffalse, ":")):
            offset = landmarks.offset(landmarks._spot(side))  # noqa: SLF001
            yield text.rfind(sign, 0, offset) + 1, f" ({MARK}({number}, 1), 0) + "
        return
    if mark.where == "statement":
        if not mark.landmark.is_item:
            raise NoPlace(f"nothing can be put before the statement in line {mark.landmark.line}")
        yield _beginning(text, start), f"{call}; "
        return
    if isinstance(node, c_ast.For):
        yield from _in_head_of_for(text, start, call)
        return
    if isinstance(node, c_ast.DoWhile):
        body = text.index("{", start)
        if text[start + 2 : body].strip():
            raise NoPlace(f"the loop in line {mark.landmark.line} has no braces")
        start = _after_block(text, body)
    opening = text.index("(", start)
    yield opening + 1, f"{call}, ("
    yield closing(text, opening) - 1, ")"


def _beginning(text: str, start: int) -> int:
    """Of the statement: a declaration begins with its type, and an expression may with a parenthesis."""
    before = [text.rfind(one, 0, start) for one in ";{}:"]
    at = max(before) + 1
    line = text.rfind("\n", 0, start) + 1
    while at < start and (text[at].isspace() or LINE_MARKER.match(text[at : text.find("\n", at)])):
        at = text.find("\n", at) + 1 if not text[at].isspace() else at + 1
    return max(at, line) if text[line:start].strip() else start


def _in_head_of_for(text: str, start: int, call: str) -> Iterator[tuple[int, str]]:
    opening = text.index("(", start)
    depth, semicolons = 0, []
    for token in TOKEN.finditer(text, opening):
        word = token.group()
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(word, 0)
        if word == ";" and depth == 1:
            semicolons.append(token.start())
        if depth == 0:
            break
    if len(semicolons) != 2:
        raise NoPlace("the head of a for loop cannot be read")
    first, second = semicolons
    is_empty = not text[first + 1 : second].strip()
    yield first + 1, f" {call}, ("
    yield second, "1)" if is_empty else ")"


def _after_block(text: str, opening: int) -> int:
    depth = 0
    for token in TOKEN.finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    raise NoPlace("a brace is not closed")


def require_expression(text: str) -> None:
    """Of C, and one that can be evaluated anywhere: nothing of it changes or ends the program.

    Raises NoPlace for what is no expression of a witness, UnsupportedConstruct for what is not evaluated."""
    try:
        tree = parse(f"int assay_expression = ({text}\n);")
    except ParseError:
        raise NoPlace(f"`{text[:100]}` is no expression of C that is understood") from None
    if len(tree.ext) != 1 or not isinstance(tree.ext[0], c_ast.Decl):
        raise NoPlace(f"`{text[:100]}` is more than an expression")
    if "#" in text or "\n" in text or "/*" in text or "//" in text or '"' in text:
        raise NoPlace(f"`{text[:100]}` has characters that no such expression needs")
    waiting = [tree.ext[0].init]
    while waiting:
        node = waiting.pop()
        kind = type(node).__name__
        allowed = HARMLESS.get(kind)
        is_plain = kind in {"ID", "Constant", "Cast", "TernaryOp", "Typename", "TypeDecl", "IdentifierType"}
        is_member = kind == "StructRef" and node.type == "."
        if not (is_plain or is_member or (allowed is not None and node.op in allowed)):
            what = getattr(node, "op", getattr(node, "type", kind) if kind == "StructRef" else kind)
            if kind == "BinaryOp" and what in BY_CONSTANTS and _is_small_constant(node.right):
                waiting.append(node.left)
                continue
            problem = f"`{text[:100]}`: {what} is not evaluated in witnesses"
            raise UnsupportedConstruct(problem) if what in NOT_EVALUATED else NoPlace(problem)
        waiting += [child for _, child in node.children()]


def _is_small_constant(node: c_ast.Node) -> bool:
    """From 1 to 31: something can be divided by it, and shifted so far."""
    return isinstance(node, c_ast.Constant) and node.value in {str(one) for one in range(1, 32)}
