"""Reads temporal formulas as users of SPIN write them.

    []  always  G       <>  eventually  F       X  next       !  not
    U  until  stronguntil       V  R  release       W  weakuntil
    &&  /\\  and       ||  \\/  or       ->  implies       <->  equivalent       true  false

Unary operators bind most strongly, then `U`, `V` and `W`, then `&&`, then `||`, then `->` and `<->`; what
binds equally groups from the left. That is the order of SPIN's `ltl` blocks. Everything between the operators
is an atom, in the language of the program: an `AtomReader` reads the longest comparison there (`x < 2`,
`len(q) == 0`, `P[1]@wait`). So `[] x < 2` says that x stays below 2, which is what is meant; SPIN reads it
otherwise, and a `Misreading` says so.

Words are operators only where an operator can stand. `U`, `V`, `W`, `R` and their long names are operators
after an operand and names elsewhere: `[] U` speaks of a variable U. `X`, `G`, `F` and their long names are
operators where an operand is expected and something follows that can begin one; else they are names: `G ==
2`, `F && p`, `X[1]`, `G U p`. SPIN has no `G`, `F`, `R`, and takes `U`, `V`, `W`, `X` for operators
everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Literal, NoReturn, Protocol

from assay.automata.formula import (
    FALSE,
    TRUE,
    Always,
    Atom,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Release,
    Until,
    WeakUntil,
    conjunction,
    disjunction,
)
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem

MOST_CHARACTERS = 20_000
MOST_NESTING = 100


@dataclass(frozen=True, slots=True)
class AtomText:
    """What a reader found: where it ends, and its text in one normal spelling."""

    end: int
    text: str
    first: str = (
        ""  # its first value, if operators follow: SPIN lets `[]` and `!` before it bind to that alone
    )


class AtomProblem(Exception):
    """Raised by a reader: what begins at `offset` is not an expression."""

    def __init__(self, offset: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.hint = hint


class AtomReader(Protocol):
    """Knows the expressions of a language."""

    def read(self, text: str, start: int) -> AtomText | None:
        """The longest expression at `start` made of arithmetic and comparisons, without `&&`, `||`, `!`, `->`
        outside of brackets; None if none begins there. Raises AtomProblem."""
        ...


@dataclass(frozen=True, slots=True)
class Misreading:
    """A place where another reader of the same text understands something else.

    `reader` is "SPIN" for an `ltl` block of SPIN 6.5, "spin -f" for a formula given to it on the command
    line, and "other tools" for the many that group `U` and `->` from the right.
    """

    line: int
    column: int
    reader: Literal["SPIN", "spin -f", "other tools"]
    sentence: str


@dataclass(frozen=True, slots=True)
class AtomPlace:
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Reading:
    formula: Formula
    atoms: tuple[AtomPlace, ...]  # each once, where it stands first; without `true` and `false`
    misreadings: tuple[Misreading, ...]


_PREFIXES: dict[str, type[Not | Next | Always | Eventually]] = {
    "!": Not,
    "not": Not,
    "[]": Always,
    "always": Always,
    "G": Always,
    "<>": Eventually,
    "eventually": Eventually,
    "F": Eventually,
    "X": Next,
    "next": Next,
}
_PREFIXES_OF_SPIN = {"!", "[]", "always", "<>", "eventually", "X", "next"}
_INFIXES = {
    "U": "U",
    "until": "U",
    "stronguntil": "U",
    "V": "V",
    "R": "V",
    "release": "V",
    "W": "W",
    "weakuntil": "W",
    "&&": "&&",
    "/\\": "&&",
    "and": "&&",
    "||": "||",
    "\\/": "||",
    "or": "||",
    "->": "->",
    "implies": "->",
    "<->": "<->",
    "equivalent": "<->",
}
_LEVELS = ({"U", "V", "W"}, {"&&"}, {"||"}, {"->", "<->"})
_JOINED: dict[str, Callable[[Formula, Formula], Formula]] = {
    "U": Until,
    "V": Release,
    "W": WeakUntil,
    "&&": lambda left, right: conjunction((left, right)),
    "||": lambda left, right: disjunction((left, right)),
    "->": Implies,
    "<->": Iff,
}
_CONSTANTS = {"true": TRUE, "True": TRUE, "1": TRUE, "false": FALSE, "False": FALSE, "0": FALSE}

_TOKEN = re.compile(
    r"""
    (?P<blank> (?: \s+ | /\*.*?\*/ )+ )
  | (?P<number> \d\w* (?: \.\d\w* )? )
  | (?P<word> [^\W\d]\w* )
  | (?P<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<symbol> <-> | -> | \[\] | <> | && | \|\| | /\\ | \\/ | << | >> | <= | >= | == | != | \*\* | // | \?\?
              | [-+*/%<>&|^~!?@.:,;=()\[\]{}] )
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "number", "word", "string", "symbol", or "end"
    text: str
    start: int
    end: int


def _token(text: str, start: int) -> _Token:
    """The token at or after a position; a character that begins none is a token of its own."""
    while True:
        found = _TOKEN.match(text, start)
        if found is None:
            if start >= len(text):
                return _Token("end", "", start, start)
            return _Token("unknown", text[start], start, start + 1)
        if found.lastgroup != "blank":
            return _Token(str(found.lastgroup), found.group(), found.start(), found.end())
        start = found.end()


def _closing(text: str, opening: _Token) -> int:
    """The end of the bracket that begins with a token."""
    missing = [(_BRACKETS[opening.text], opening.start)]
    place = opening.end
    while missing:
        token = _token(text, place)
        if token.kind == "end" or (token.text in ")]}" and token.text != missing[-1][0]):
            raise AtomProblem(
                missing[-1][1],
                f"`{text[missing[-1][1]]}` is not closed",
                f"put a `{missing[-1][0]}` where its contents end",
            )
        if token.kind == "symbol" and token.text in _BRACKETS:
            missing.append((_BRACKETS[token.text], token.start))
        elif token.text in {")", "]", "}"}:
            missing.pop()
        place = token.end
    return place


class TokenScanner:
    """Reads atoms by their tokens alone, with balanced brackets: enough for the expressions of Promela and
    for most of Python's. It does not know whether names exist; who compiles the atoms will say."""

    _COMPARING = frozenset("< > <= >= == != in is".split())
    _BINARY = frozenset("+ - * / % ** // << >> & | ^".split()) | _COMPARING

    def read(self, text: str, start: int) -> AtomText | None:
        written: list[str] = []
        first = ""
        token = _token(text, start)
        while True:
            while token.text in {"-", "+", "~"} or (token.text == "!" and written):
                written.append(token.text)
                token = _token(text, token.end)
            if token.kind in {"number", "word", "string"}:
                written.append(token.text)
                place = token.end
            elif token.text in _BRACKETS:
                place = _closing(text, token)
                written.append(self._normal(text[token.start : place]))
            elif token.text == "[]" and written:  # Python's empty list: `queue == []`
                written.append("[]")
                place = token.end
            elif not written:
                return None
            else:
                raise AtomProblem(
                    token.start,
                    f"expected a value after `{written[-1].strip()}`, got {_named(token)}",
                    "write the whole comparison",
                )
            place = self._suffixes(text, place, written, after_word=token.kind == "word")
            token = _token(text, place)
            operator = token.text
            if operator in {"not", "is"}:
                following = _token(text, token.end)
                if (operator, following.text) in {("not", "in"), ("is", "not")}:
                    operator = f"{operator} {following.text}"
                    token = following
            if operator not in self._BINARY and operator not in {"not in", "is not"}:
                return AtomText(place, "".join(written), first)
            first = first or "".join(written)
            written.append(f" {operator} ")
            token = _token(text, token.end)

    def _suffixes(self, text: str, place: int, written: list[str], *, after_word: bool) -> int:
        """Calls, indices, fields, labels and polls: `f(x)[1].y`, `P[1]@wait`, `P:x`, `q?[m]`."""
        while True:
            token = _token(text, place)
            if token.text in {"(", "["} or (token.text == "{" and after_word):
                place = _closing(text, token)
                written.append(self._normal(text[token.start : place]))
            elif token.text in {".", "@", ":", "?", "??"}:
                following = _token(text, token.end)
                if following.kind == "word":
                    written.append(token.text + following.text)
                    place = following.end
                elif following.text == "[" and token.text in {"?", "??"}:
                    written.append(token.text)
                    place = token.end
                else:
                    return place
            else:
                return place

    def _normal(self, text: str) -> str:
        """The inside of brackets, with one space where there is one, none inside the brackets' edges."""
        pieces: list[str] = []
        place = 0
        before: _Token | None = None
        while True:
            token = _token(text, place)
            if token.kind == "end":
                return "".join(pieces)
            words = {"number", "word", "string"}
            if before is not None and (
                before.text == ","
                or (before.kind in words and token.kind in words)
                or self._is_binary(before, token)
            ):
                pieces.append(" ")
            pieces.append(token.text)
            before = token
            place = token.end

    def _is_binary(self, before: _Token, token: _Token) -> bool:
        """Is there a space between two tokens? Around operators that cannot stand before a single value."""
        spaced = self._COMPARING | {"&&", "||", "->", "not", "and", "or"}
        words = {"number", "word", "string"}
        if before.text in spaced and (
            before.kind == "symbol" or token.kind in words or token.text in _BRACKETS
        ):
            return True
        return token.text in spaced


def parse(text: str, *, reader: AtomReader | None = None, name: str = "formula", line: int = 1) -> Reading:
    """The formula that a text means. Raises SourceProblem with `name:line:column`, and nothing else."""
    return _Parser(text, reader or TokenScanner(), name, line).whole()


@dataclass(slots=True)
class _Part:
    """An operand, how deeply it is nested, and where it begins."""

    formula: Formula
    depth: int
    start: int


class _Parser:
    def __init__(self, text: str, reader: AtomReader, name: str, first_line: int) -> None:
        self._text = text
        self._reader = reader
        self._name = name
        self._first_line = first_line
        self._place = 0
        self._atoms: dict[str, AtomPlace] = {}
        self._misreadings: list[Misreading] = []
        self._ends: dict[int, int] = {}  # of brackets, by where they begin

    def whole(self) -> Reading:
        if len(self._text) > MOST_CHARACTERS:
            self._fail(
                MOST_CHARACTERS,
                f"a formula has at most {MOST_CHARACTERS:,} characters, this one {len(self._text):,}",
                "check it as several formulas",
            )
        self._match_brackets()
        part = self._chain(0)
        self._misreadings.sort(key=lambda each: (each.line, each.column))
        return Reading(part.formula, tuple(self._atoms.values()), tuple(self._misreadings))

    def _match_brackets(self) -> None:
        """Once for all, so that a text of many brackets is not walked many times."""
        missing: list[_Token] = []
        place = 0
        while (token := _token(self._text, place)).kind != "end":
            place = token.end
            if token.text in _BRACKETS:
                missing.append(token)
                self._check_depth(len(missing), token.start)
            elif token.text in {")", "]", "}"}:
                if not missing:
                    self._fail(
                        token.start, f"`{token.text}` closes nothing", "take it away, or open it before"
                    )
                if _BRACKETS[missing[-1].text] != token.text:
                    break
                self._ends[missing.pop().start] = token.end
        if missing:
            closing = _BRACKETS[missing[-1].text]
            self._fail(
                missing[-1].start,
                f"`{missing[-1].text}` is not closed",
                f"put a `{closing}` where its contents end",
            )

    # Places and problems.

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        before = self._text[:offset]
        return self._first_line + before.count("\n"), offset - (before.rfind("\n") + 1) + 1

    def _fail(self, offset: int, message: str, hint: str) -> NoReturn:
        line, column = self._line_and_column(offset)
        raise SourceProblem(message, where=f"{self._name}:{line}:{column}", hint=hint)

    def _misread(self, offset: int, reader: Literal["SPIN", "spin -f", "other tools"], sentence: str) -> None:
        line, column = self._line_and_column(offset)
        self._misreadings.append(Misreading(line, column, reader, sentence))

    def _next(self) -> _Token:
        token = _token(self._text, self._place)
        if token.kind == "unknown":
            if token.text in "\"'":
                self._fail(
                    token.start, f"the text after `{token.text}` does not end", f"close it with {token.text}"
                )
            self._fail(token.start, f"the character {token.text!r} means nothing here", "take it away")
        return token

    def _check_depth(self, depth: int, offset: int) -> None:
        if depth > MOST_NESTING:
            self._fail(
                offset,
                f"the formula is nested more than {MOST_NESTING} deep here",
                "check it as several formulas",
            )

    # The grammar: chain = operand (infix operand)*; operand = prefix* ( "(" chain ")" | atom ).

    def _chain(self, brackets: int) -> _Part:
        self._check_depth(brackets, self._place)
        operands = [self._operand(brackets)]
        operators: list[tuple[str, int]] = []
        while True:
            token = self._next()
            if token.kind == "end" or token.text == ")":
                return self._grouped(operands, operators)
            if token.text not in _INFIXES:
                self._fail_after_operand(token)
            operators.append((_INFIXES[token.text], token.start))
            self._place = token.end
            operands.append(self._operand(brackets))

    def _fail_after_operand(self, token: _Token) -> NoReturn:
        hints = {
            "=": "to compare, write `==`",
            ";": "a formula is one expression: join its parts with `&&`",
            "!": "negation stands before what it negates; join the two with `&&`, `||`, `->` or `U`",
        }
        self._fail(
            token.start,
            f"expected an operator such as `&&`, `->` or `U`, got {_named(token)}",
            hints.get(token.text, "join what stands before and after with an operator"),
        )

    def _operand(self, brackets: int) -> _Part:
        prefixes: list[type[Not | Next | Always | Eventually]] = []
        first = last = self._next()
        token = first
        while token.text in _PREFIXES and (token.kind == "symbol" or self._begins_operand_after(token)):
            prefixes.append(_PREFIXES[token.text])
            last = token
            self._place = token.end
            self._check_depth(brackets + len(prefixes), token.start)
            token = self._next()
        part, first_value = self._primary(token, brackets)
        if first_value and last.text in _PREFIXES_OF_SPIN:
            sign = last.text + " " * (last.kind == "word")
            atom = str(part.formula)
            self._misread(
                last.start,
                "SPIN",
                f"SPIN reads `{sign}{atom}` as `({sign}{first_value}){atom[len(first_value) :]}`; "
                f"here it means `{sign}({atom})`; write these parentheses",
            )
        formula, depth = part.formula, part.depth
        for kind in reversed(prefixes):
            formula = kind(formula)
            depth += 1
        self._check_depth(depth, first.start)
        return _Part(formula, depth, first.start)

    def _begins_operand_after(self, word: _Token) -> bool:
        """Is a word that names a unary operator one here? If what follows can begin an operand."""
        following = _token(self._text, word.end)
        if following.kind in {"number", "string"}:
            return True
        if following.kind == "word":
            return (
                following.text not in _INFIXES
                and following.text not in {"in", "is"}
                and not (following.text == "not" and _token(self._text, following.end).text == "in")
            )
        if following.text == "{":
            return True
        return following.text in {"(", "!", "[]", "<>", "~"}

    def _primary(self, token: _Token, brackets: int) -> tuple[_Part, str]:
        """A formula in parentheses or an atom; and of an atom that SPIN would take apart the first value."""
        if token.kind == "end" or token.text == ")" or (token.kind == "symbol" and token.text in _INFIXES):
            self._fail(
                token.start,
                f"expected a formula, got {_named(token)}",
                "write a condition such as `x == 1` there, or take the operator before it away"
                if self._place
                else "write a condition such as `x == 1` there",
            )
        closed = self._ends.get(token.start)
        if token.text == "(" and closed is not None and self._ends_operand(closed):
            self._place = token.end
            part = self._chain(brackets + 1)
            self._place = closed
            return _Part(part.formula, part.depth, token.start), ""
        try:
            atom = self._reader.read(self._text, token.start)
        except AtomProblem as problem:
            self._fail(problem.offset, problem.message, problem.hint)
        if atom is None or atom.end <= token.start:
            self._fail(
                token.start,
                f"expected a formula, got {_named(token)}",
                "write a condition such as `x == 1` there",
            )
        self._refuse_temporal_parts(token, closed)
        self._place = atom.end
        text = atom.text
        if token.text == "{" and closed == atom.end:
            text = self._embedded(token, closed)
        if text in _CONSTANTS:
            return _Part(_CONSTANTS[text], 1, token.start), ""
        line, column = self._line_and_column(token.start)
        self._atoms.setdefault(text, AtomPlace(text, line, column))
        return _Part(Atom(text), 1, token.start), atom.first

    def _embedded(self, opening: _Token, closed: int) -> str:
        """The atom in `{ a + b > n }`, as formulas for `spin -f` have it."""
        try:
            atom = self._reader.read(self._text, opening.end)
        except AtomProblem as problem:
            self._fail(problem.offset, problem.message, problem.hint)
        if atom is None or _token(self._text, atom.end).end != closed:
            self._fail(
                opening.start, "expected one comparison within `{` and `}`", "use `(` and `)` for formulas"
            )
        return atom.text

    def _ends_operand(self, place: int) -> bool:
        """Or does an expression go on after a parenthesis, as in `(a + b) > c`?"""
        following = _token(self._text, place)
        return following.kind == "end" or following.text == ")" or following.text in _INFIXES

    def _refuse_temporal_parts(self, token: _Token, closed: int | None) -> None:
        """`(p U q) == r`: values can be compared, formulas cannot."""
        if token.text != "(" or closed is None:
            return
        place = token.end
        before = token
        while place < closed - 1:
            inner = _token(self._text, place)
            infix = inner.kind == "word" and _INFIXES.get(inner.text) in {"U", "V", "W"}
            operand_before = before.kind in {"number", "word", "string"} or before.text in {")", "]"}
            if (
                inner.text == "<>"
                or (inner.text == "[]" and not operand_before)
                or (infix and operand_before)
            ):
                self._fail(
                    inner.start,
                    f"the temporal operator `{inner.text}` stands within an expression that is compared",
                    "compare values only, and join formulas with `&&`, `||`, `->` or `<->`",
                )
            before = inner
            place = inner.end

    # Precedence.

    def _grouped(self, operands: list[_Part], operators: list[tuple[str, int]]) -> _Part:
        signs = [sign for sign, _ in operators]
        temporal = [place for place, sign in enumerate(signs) if sign in _LEVELS[0]]
        parts, rest = self._joined(operands, operators, [_LEVELS[0]])
        by_strength, none_left = self._joined(parts, rest, list(_LEVELS[1:]))
        assert not none_left
        if len({sign for sign, _ in rest}) > 1:
            from_the_left, _ = self._joined(parts, rest, [set().union(*_LEVELS[1:])])
            if from_the_left[0].formula != by_strength[0].formula:
                self._misread(
                    operands[0].start,
                    "spin -f",
                    "`spin -f` groups `&&`, `||`, `->` and `<->` from the left, whatever binds stronger; "
                    f"here, as in an `ltl` block, this means `{by_strength[0].formula}`; write parentheses",
                )
        arrows = [sign for sign in signs if sign in _LEVELS[3]]
        chained = any(after - before == 1 for before, after in pairwise(temporal))
        if chained or (len(arrows) > 1 and "->" in arrows):
            sign = "U" if chained else "->"
            self._misread(
                operands[0].start,
                "other tools",
                f"`p {sign} q {sign} r` groups from the left, as SPIN has it, and from the right in other "
                "tools; write parentheses",
            )
        return by_strength[0]

    def _joined(
        self, operands: list[_Part], operators: list[tuple[str, int]], levels: list[set[str]]
    ) -> tuple[list[_Part], list[tuple[str, int]]]:
        """Operands joined by the operators of some levels, the strongest first."""
        for level in levels:
            joined = [operands[0]]
            rest: list[tuple[str, int]] = []
            for (sign, offset), operand in zip(operators, operands[1:], strict=True):
                if sign not in level:
                    rest.append((sign, offset))
                    joined.append(operand)
                    continue
                left = joined[-1]
                formula = _JOINED[sign](left.formula, operand.formula)
                deepens = 0 if sign in {"&&", "||"} and type(formula) is type(left.formula) else 1
                depth = max(left.depth + deepens, operand.depth + 1)
                self._check_depth(depth, offset)
                joined[-1] = _Part(formula, depth, left.start)
            operands, operators = joined, rest
        return operands, operators


def _named(token: _Token) -> str:
    return "the end" if token.kind == "end" else f"`{token.text}`"
