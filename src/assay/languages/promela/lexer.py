"""Preprocessed text -> tokens, as SPIN 6.5 cuts them.

One regular expression does the work. Three kinds of text are taken whole:
embedded C (`c_code { ... }`), `ltl` formulas and the line markers that the C
preprocessor leaves. What the lexer does not understand becomes a token of kind
`bad`; whether that is an error is for the parser to say, because text of an
inline that nobody calls is never read.

Where a newline stands matters (it can end a statement), so every token knows
whether one stood before it. Semicolons that SPIN inserts are the parser's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from assay.languages.promela.syntax import Location
from assay.transition_system.interface import SourceProblem

TOKEN_LIMIT = 1_000_000

# `in` is a keyword only inside `for (...)`: the parser looks at its text there.
KEYWORDS = frozenset(
    "D_proctype active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_step"
    " do else empty enabled eval false fi for full get_priority goto hidden if init inline int len local"
    " ltl mtype nempty never nfull notrace np_ od of pc_value pid printf printm priority proctype provided"
    " return run select set_priority short show skip timeout trace true typedef unless unsigned xr xs".split()
)
_TAKEN_WHOLE = frozenset(["c_code", "c_decl", "c_expr", "ltl"])

_TOKEN = re.compile(
    r"""(?:[\ \t\r\f\v]|\*/)*(?:  # the end of a comment that is none is a blank to SPIN
      (?P<newline>\n)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>[0-9]+)
    | (?P<operator>::|-->|->|--|\+\+|<<|<=|>>|>=|==|=>|!=|!!|\?\?|&&|\|\||\.\.|[-+*/%&|^~!<>=?:;,.(){}\[\]@])
    | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
    | (?P<character>'(?:\\[\x00-\x09\x0b-\x7f]|[\x00-\x09\x0b-\x5b\x5d-\x7f])')
    | (?P<marker>\#[^\n]*)
    | (?P<end>\Z)
    | (?P<bad>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_LTL_OPERATOR = re.compile(r"\[\]|<>|<->|->")
_LTL_WORDS = {
    "U": "U", "V": "V", "W": "W", "X": "X", "always": "[]", "eventually": "<>", "until": "U",
    "stronguntil": "U", "weakuntil": "W", "release": "V", "next": "X", "implies": "->", "equivalent": "<->",
}  # fmt: skip
_MARKER = re.compile(r'#(?: |line )(?P<line>[0-9]+)(?: "(?P<file>(?:[^"\\]|\\.)*)")?[ 0-9]*\Z')
LINE_MARKER = re.compile(r'^# (?P<line>[0-9]+) "(?P<file>(?:[^"\\\n]|\\.)*)"', re.MULTILINE)  # with a file
_MARKER_LINE = re.compile(r'(?:(?<=\n)|\A)# [0-9]+(?: "(?:[^"\\\n]|\\.)*")?[ 0-9]*\n')
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|(.))")
_CHARACTERS = {"n": 10, "r": 13, "t": 9, "f": 12}
_OF_BLOCK = re.compile(r"""[{}]|"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*'|/\*.*?\*/|//[^\n]*""", re.DOTALL)
_OF_PRECONDITION = re.compile(r"""[\[\]]|"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL)
_BRACE = re.compile(r"[{}]")
_BLANK = re.compile(r"[ \t\r\f\v\n]*")
_LTL_NAME = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)?\s*\{")
_COMMENT_OR_LITERAL = re.compile(
    r"""(?P<comment>/\*.*?\*/|//(?:\\\r?\n|[^\n])*)|(?P<open>/\*)"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'""",
    re.DOTALL,
)


class Token:
    """A piece of the source. `kind` is the text itself for operators and keywords, else
    name, number, string, character, bad or end; `;` with another text was inserted."""

    __slots__ = (
        "after_newline",
        "column",
        "content",
        "file",
        "kind",
        "line",
        "precondition",
        "raw",
        "text",
        "value",
    )

    def __init__(self, kind: str, text: str, file: str, line: int, column: int, after_newline: bool) -> None:
        self.kind = kind
        self.text = text
        self.file = file
        self.line = line
        self.column = column
        self.after_newline = after_newline
        self.precondition: str | None = None  # of embedded C; for ltl, the name
        self.content: Location | None = None  # of ltl: where the formula starts; of embedded C: where it does
        self.raw = ""  # embedded C with the markers that tell its lines
        self.value = 0

    @property
    def where(self) -> Location:
        return Location(self.file, self.line, self.column)

    def moved_to(self, other: Token, after_newline: bool) -> Token:
        """The same token, standing where `other` stands."""
        token = Token(self.kind, self.text, other.file, other.line, other.column, after_newline)
        token.precondition = self.precondition
        token.content = self.content
        token.raw = self.raw
        token.value = self.value
        return token

    def __repr__(self) -> str:
        return f"Token({self.kind!r}, {self.text!r}, {self.line}:{self.column})"


def without_comments(text: str, file: str) -> str:
    """Comments become blanks, so that every other character keeps its line and column."""

    def blank(match: re.Match[str]) -> str:
        if match["open"] is not None:
            raise SourceProblem("comment is not closed", where=_location(file, text, match.start()))
        comment = match["comment"]
        if comment is None:
            return match[0]
        return re.sub(r"[^\n]", " ", comment)

    if "/*" not in text and "//" not in text:
        return text
    return _COMMENT_OR_LITERAL.sub(blank, text)


def tokenize(
    text: str,
    file: str,
    *,
    line: int = 1,
    temporal: bool = False,
    column: int = 1,
    limit: int = TOKEN_LIMIT,
) -> list[Token]:
    """All tokens of preprocessed text, the last of kind `end`.

    `file` and `line` hold until the first line marker. With `temporal`, `[]`,
    `<>`, `->` and `<->` are the operators of an ltl formula.
    """
    tokens: list[Token] = []
    append = tokens.append
    position = 0
    line_start = 1 - column
    after_newline = False
    while True:
        for match in _TOKEN.finditer(text, position):
            kind = match.lastgroup
            if kind == "newline":
                line += 1
                line_start = match.end()
                after_newline = True
                continue
            assert kind is not None
            start = match.start(kind)
            found = match[kind]
            if kind == "operator":
                if temporal:
                    operator = _LTL_OPERATOR.match(text, start)
                    if operator is not None and operator.end() > match.end():
                        append(
                            Token(operator[0], operator[0], file, line, start - line_start + 1, after_newline)
                        )
                        after_newline = False
                        position = operator.end()
                        break
                kind = "->" if found == "-->" else found
            elif kind == "word":
                kind = "name"
                if temporal and found in _LTL_WORDS:
                    kind = _LTL_WORDS[found]
                elif found in KEYWORDS:
                    kind = found
                    if found in _TAKEN_WHOLE:
                        token = Token(kind, found, file, line, start - line_start + 1, after_newline)
                        append(token)
                        after_newline = False
                        position, line, line_start, file = _take_whole(text, token, match.end(), line_start)
                        break
            elif kind == "marker":
                marker = _MARKER.match(found)
                at_start_of_line = start == 0 or text[start - 1] == "\n"
                if at_start_of_line and marker is not None:
                    line = int(marker["line"][:9]) - 1  # the newline that ends the marker counts
                    if marker["file"] is not None:
                        file = unescape(marker["file"])
                    continue
                if at_start_of_line and found.startswith("#ident"):
                    continue
                kind = "bad"
                found = "#"
            token = Token(kind, found, file, line, start - line_start + 1, after_newline)
            after_newline = False
            append(token)
            if kind == "number":
                _set_number(token)
            elif kind == "character":
                inside = found[1:-1]
                token.value = _CHARACTERS.get(inside[1], ord(inside[1])) if inside[0] == "\\" else ord(inside)
            elif kind == "end":
                return tokens
            if len(tokens) > limit:
                raise SourceProblem(
                    f"the model has more than {limit:,} tokens after preprocessing", where=token.where
                )
        else:  # pragma: no cover (the pattern matches the end)
            raise AssertionError("the lexer stopped before the end")


def align_columns(tokens: Sequence[Token], sources: dict[str, str]) -> None:
    """Give tokens that the preprocessor moved sideways the column they have in the source.

    It prints one blank where the source has several and puts what a macro stands
    for in its place. Tokens before and after a macro are found again by their
    text; those of the macro get the place of its name.
    """
    lines: dict[str, list[str]] = {}
    begin = 0
    count = len(tokens)
    while begin < count:
        first = tokens[begin]
        end = begin + 1
        while end < count and tokens[end].line == first.line and tokens[end].file == first.file:
            end += 1
        group = [token for token in tokens[begin:end] if token.kind != "end"]
        begin = end
        if first.file not in lines:
            source = sources.get(first.file)
            lines[first.file] = [] if source is None else _lines_without_comments(source, first.file)
        known = lines[first.file]
        if not 0 < first.line <= len(known):
            continue
        source_line = known[first.line - 1]
        if all(source_line.startswith(token.text, token.column - 1) for token in group):
            continue
        _align_line(group, source_line)


def _align_line(group: Sequence[Token], source_line: str) -> None:
    original: list[tuple[str, int]] = []
    for match in _TOKEN.finditer(source_line):
        kind = match.lastgroup
        if kind not in (None, "newline", "end"):
            assert kind is not None
            original.append((match[kind], match.start(kind) + 1))
    head = 0
    while head < len(group) and head < len(original) and group[head].text == original[head][0]:
        group[head].column = original[head][1]
        head += 1
    tail = 1
    while (
        tail <= len(group) - head and tail <= len(original) - head and group[-tail].text == original[-tail][0]
    ):
        group[-tail].column = original[-tail][1]
        tail += 1
    if head < len(original):
        for token in group[head : len(group) - tail + 1]:
            token.column = original[head][1]


def _lines_without_comments(source: str, file: str) -> list[str]:
    try:
        return without_comments(source, file).split("\n")
    except SourceProblem:
        return source.split("\n")


def _set_number(token: Token) -> None:
    """SPIN reads a decimal long and keeps the low 32 bits."""
    digits = token.text.lstrip("0")
    if len(digits) > 19 or int(digits or "0") > 0x7FFF_FFFF_FFFF_FFFF:
        raise SourceProblem(f"number {_shortened(token.text)} is too large", where=token.where)
    value = int(digits or "0") & 0xFFFF_FFFF
    token.value = value - 0x1_0000_0000 if value >= 0x8000_0000 else value


def _take_whole(text: str, token: Token, position: int, line_start: int) -> tuple[int, int, int, str]:
    """Embedded C or an ltl formula: from after the keyword to after its closing brace."""
    begin = position
    if token.kind == "ltl":
        opening = _LTL_NAME.match(text, position)
        if opening is None:
            return position, token.line, line_start, token.file
        end = _closing(_BRACE, text, opening.end(), "}")
        content = opening.end()
        token.precondition = opening[1]  # the formula's name
    else:
        position = _skip_blank(text, position)
        if text.startswith("[", position):
            end = _closing(_OF_PRECONDITION, text, position + 1, "]")
            if end < 0:
                raise SourceProblem(f"the precondition of {token.kind} has no closing ']'", where=token.where)
            token.precondition = text[position + 1 : end - 1]
            position = _skip_blank(text, end)
        if not text.startswith("{", position):
            found = text[position : position + 1]
            raise SourceProblem(
                f"expected '{{' after {token.kind}, got {repr(found) if found else 'the end of the file'}",
                where=token.where,
            )
        content = position + 1
        end = _closing(_OF_BLOCK, text, content, "}")
    if end < 0:
        raise SourceProblem(f"the block of {token.kind} has no closing '}}'", where=token.where)
    token.text = text[content : end - 1]
    if token.kind != "ltl":
        token.raw = token.text
        token.text = _MARKER_LINE.sub("", token.text)
    line, file = token.line, token.file
    content_file, content_line, content_start = file, line, line_start
    newline = text.find("\n", begin, end)
    while newline >= 0:
        line += 1
        line_start = newline + 1
        if text.startswith("# ", line_start):
            stop = text.find("\n", line_start)
            marker = _MARKER.match(text[line_start : stop if stop >= 0 else len(text)])
            if marker is not None:
                line = int(marker["line"][:9]) - 1
                file = file if marker["file"] is None else unescape(marker["file"])
        if newline < content:
            content_file, content_line, content_start = file, line, line_start
        newline = text.find("\n", line_start, end)
    token.content = Location(content_file, content_line, content - content_start + 1)
    return end, line, line_start, file


def _closing(pattern: re.Pattern[str], text: str, position: int, closer: str) -> int:
    depth = 1
    for match in pattern.finditer(text, position):
        found = match[0]
        if found == closer:
            depth -= 1
            if depth == 0:
                return match.end()
        elif len(found) == 1:
            depth += 1
    return -1


def _skip_blank(text: str, position: int) -> int:
    while True:
        blank = _BLANK.match(text, position)
        assert blank is not None
        position = blank.end()
        marker = _MARKER_LINE.match(text, position)
        if marker is None:
            return position
        position = marker.end()


def unescape(text: str) -> str:
    """The file name of a line marker: octal escapes are bytes."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 8) & 255) if found[1] else found[2], text)
    try:
        return plain.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return plain


def _location(file: str, text: str, offset: int) -> Location:
    starts = [-1] + [match.start() for match in re.finditer("\n", text)]
    line = bisect_right(starts, offset - 1)
    line = max(line, 1)
    return Location(file, line, offset - starts[line - 1])


def _shortened(text: str) -> str:
    return text if len(text) <= 24 else text[:20] + "..."
