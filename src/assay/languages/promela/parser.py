"""Tokens -> syntax tree, by recursive descent over the grammar of SPIN 6.5.

Three things make Promela more than its grammar, and the class `_Tokens` does
all three, the way SPIN's lexer does them, because programs depend on it:

* a newline ends a statement where a semicolon could stand, and a few more
  semicolons are added or dropped around `}` and `else`;
* a name's kind (mtype constant, typedef, proctype, inline) depends on what was
  declared before it in the text;
* a call of an inline is replaced by the tokens of its body.

The parser keeps what was written: `for`, `select` and inline calls have nodes
of their own. What the names mean is decided by the next stage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from assay.languages.promela import syntax
from assay.languages.promela.lexer import (
    TOKEN_LIMIT,
    Token,
    align_columns,
    tokenize,
    without_comments,
)
from assay.languages.promela.preprocess import PreprocessedText, preprocess
from assay.languages.promela.syntax import NESTING_LIMIT, OPERATOR_LIMIT, deep_recursion
from assay.records import dataclass
from assay.transition_system.interface import SourceProblem

_TYPES = frozenset(["bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"])
_VISIBILITIES = frozenset(["hidden", "show", "local"])
_CONSTANTS = {"true": 1, "false": 0, "skip": 1}
_CONSTANT_KINDS = frozenset(["number", "character", "true", "false", "skip", "constant"])
_CHANNEL_TESTS = frozenset(["empty", "nempty", "full", "nfull"])
_SEPARATORS = frozenset([";", "->"])
_KEEPS_PROBES = frozenset(["&&", "||"])
_PREFIX_OPERATORS = frozenset(["!", "-", "~"])

# Binding strength; all associate to the left.
_BINARY = {
    "||": 20, "&&": 30, "|": 60, "^": 70, "&": 80, "==": 90, "!=": 90, "<": 100, ">": 100, "<=": 100,
    ">=": 100, "<<": 110, ">>": 110, "+": 120, "-": 120, "*": 130, "/": 130, "%": 130,
}  # fmt: skip
_TEMPORAL_BINARY = {"->": 10, "<->": 10, "U": 50, "V": 50, "W": 50}
_TEMPORAL_PREFIX_OPERATORS = _PREFIX_OPERATORS | {"[]", "<>", "X"}
_CONSTANT_BINARY = {operator: _BINARY[operator] for operator in "+-*/%"}

# After one of these a newline ends the statement.
_ENDS_A_STATEMENT = frozenset(
    ["}", ")", "]", "od", "fi", "else", "break", "c_code", "c_expr", "c_decl", "name", "++", "--"]
) | (_CONSTANT_KINDS)
# Before one of these, no semicolon is added after `}`.
_NO_SEMICOLON_BEFORE = frozenset(
    ["proctype", "init", "never", "::", "fi", "od", "}", "unless", ";", "->", "end"]
)
_AFTER_EMPTY_LABEL = frozenset([";", "->", "}", "::", "fi", "od", "unless", "end"])


_PROCESS_FUNCTIONS: dict[str, type[syntax.Enabled | syntax.PcValue | syntax.GetPriority]] = {
    "enabled": syntax.Enabled,
    "pc_value": syntax.PcValue,
    "get_priority": syntax.GetPriority,
}
_STARTS_EXPRESSION = (
    frozenset(["name", "(", "!", "-", "~", "run", "len", "timeout", "np_", "c_expr", "proctype name"])
    | _CONSTANT_KINDS
    | _CHANNEL_TESTS
    | _PROCESS_FUNCTIONS.keys()
)
_AFTER_NEXT = frozenset(["name", "proctype name", "len"]) | _CHANNEL_TESTS


HABITS_OF_C = {  # keyword -> how it is said in Promela
    "if": "write: if :: (x == 0) -> ... :: else -> ... fi",
    "do": "write: do :: ... :: (x == 0) -> break od",
    "while": "write: do :: (x < 3) -> ... :: else -> break od",
    "switch": "write: if :: (x == 0) -> ... :: (x == 1) -> ... :: else -> ... fi",
}
A_PROCESS = "write: active proctype main() { ... }, or inline f(x) { ... } for what is called"
HABITS_ELSEWHERE = {  # (expected, got) -> how it is said in Promela
    ("a declaration or a process", "void"): A_PROCESS,
    ("a declaration or a process", "("): A_PROCESS,
    ("a declaration or a process", "boolean"): "write: bool",
    ("a variable", "int"): "declare it before: int i; for (i : 0 .. 2) { ... }",
    ("an expression", "="): "write: x = x + 1",
    ("an expression", ">"): "different is written '!='",
    ("';' or '}'", "?"): "write: x = (y == 1 -> 2 : 3)",
}


def parse_model(path: Path, defines: Sequence[str] = ()) -> syntax.Model:
    """Read, preprocess and parse a model. Raises SourceProblem, and nothing else."""
    return parse_preprocessed(preprocess(path, defines))


def parse_preprocessed(preprocessed: PreprocessedText) -> syntax.Model:
    tokens = tokenize(preprocessed.text, preprocessed.file)
    if preprocessed.preprocessor_ran:
        texts = {source.path: source.text for source in preprocessed.sources}
        align_columns(tokens, texts)
    with deep_recursion():
        units = _Parser(_Tokens(tokens)).model()
    return syntax.Model(units=units, sources=preprocessed.sources)


def parse_text(text: str, file: str = "<text>") -> syntax.Model:
    """Parse text that needs no preprocessor: no directives, no macros."""
    tokens = tokenize(without_comments(text, file), file)
    with deep_recursion():
        units = _Parser(_Tokens(tokens)).model()
    return syntax.Model(units=units, sources=())


def parse_expression(
    text: str,
    where_file: str = "<invariant>",
    *,
    allow_next: bool = False,
    proctypes: Collection[str] = (),
    line: int = 1,
    column: int = 1,
) -> syntax.Expression:
    """Parse a property given on the command line, or an atom of a formula that stands somewhere.

    Promela's expressions, and three things more: the infix `implies` (weakest,
    to the right), with `allow_next` the prefix `next.` for the state after the
    step, and channel tests such as `empty(q)` anywhere. `proctypes` helps with
    the one ambiguity: `(c -> P:x : y)`.
    """
    if without_comments(text, where_file) != text:
        raise SourceProblem(
            f"a property has no comments, which would say something else than it does: {text!r}",
            where=syntax.Location(where_file, line, column),
        )
    stream = _Tokens(tokenize(text, where_file, line=line, column=column))
    for name in proctypes:
        stream.names[name] = "proctype name"
    with deep_recursion():
        return _Parser(stream, property_of_user=True, allow_next=allow_next).whole_expression()


@dataclass(frozen=True, slots=True)
class _Inline:
    name: str
    parameters: tuple[str, ...]
    tokens: list[Token]
    begin: int
    end: int  # one past the closing brace


class _Frame:
    """Where the next token comes from: the file, or the body of an inline being expanded."""

    __slots__ = ("arguments", "end", "index", "inline", "tokens")

    def __init__(
        self,
        tokens: list[Token],
        index: int,
        end: int,
        arguments: dict[str, list[Token]],
        inline: str | None,
    ) -> None:
        self.tokens = tokens
        self.index = index
        self.end = end
        self.arguments = arguments
        self.inline = inline


class _Tokens:
    """The tokens as the grammar sees them.

    `token` is the current one and `kind` what it is in the light of the
    declarations so far. It is fetched when the one before is consumed, so a
    declaration must be recorded before its last token is consumed.
    """

    def __init__(self, tokens: list[Token], names: dict[str, str] | None = None) -> None:
        self.names = (
            {} if names is None else names
        )  # name -> "constant", "type name", "proctype name", "inline name"
        self.inlines: dict[str, _Inline] = {}
        self.in_sequence = False
        self.parentheses = 0
        self.record: list[Token] | None = None
        self._frames = [_Frame(tokens, 0, len(tokens), {}, None)]
        self._frame = self._frames[0]
        self._substituted: list[Token] = []  # reversed: the next one is last
        self._delivered = 0
        self._last_read = ""  # what a newline looks at
        self._last_token = tokens[0]
        self._last_given: str | None = None  # what `else` and `}` look at
        self._held: tuple[Token, str] | None = None
        self.token, self.kind = self._next()

    def advance(self) -> None:
        """Consume the current token."""
        kind = self.kind
        if kind == "(":
            self.parentheses += 1
        elif kind == ")":
            self.parentheses -= 1
        if self.record is not None:
            self.record.append(self.token)
        self.token, self.kind = self._next()

    @property
    def inside_inline(self) -> bool:
        return self._frame.inline is not None

    def define_inline(self, name: str, parameters: tuple[str, ...]) -> None:
        """With the closing parenthesis as current token: skip the body and remember it."""
        frame = self._frame
        opening = frame.tokens[frame.index]
        if opening.kind != "{":
            raise expected("'{'", opening)
        depth = 0
        index = frame.index
        while True:
            kind = frame.tokens[index].kind
            if kind == "{":
                depth += 1
            elif kind == "}":
                depth -= 1
                if depth == 0:
                    break
            elif kind == "end":
                raise SourceProblem(f"the body of inline {name} has no closing '}}'", where=opening.where)
            index += 1
        self.inlines[name] = _Inline(name, parameters, frame.tokens, frame.index, index + 1)
        self.names[name] = "inline name"
        frame.index = index + 1

    def enter_inline(self, inline: _Inline, arguments: Sequence[list[Token]], call: Token) -> None:
        """With the closing parenthesis of the call as current token: continue with the body."""
        if any(frame.inline == inline.name for frame in self._frames):
            raise SourceProblem(f"inline {inline.name} calls itself", where=call.where)
        self._frame = _Frame(
            inline.tokens,
            inline.begin,
            inline.end,
            # Of a name that stands there twice, the first is meant.
            dict(reversed(list(zip(inline.parameters, arguments, strict=True)))),
            inline.name,
        )
        self._frames.append(self._frame)
        self._last_read = ";"

    def _next(self) -> tuple[Token, str]:
        """What SPIN's parser is given: semicolons added after `else` and `}`, superfluous ones dropped."""
        if self._held is not None:
            token, kind = self._held
            self._held = None
            self._note(token, kind)
        else:
            token, kind = self._read()
            last = self._last_given
            if (last == "else" and kind not in (";", "->", "fi")) or (
                last == "}" and kind not in _NO_SEMICOLON_BEFORE
            ):
                self._held = token, kind
                self._last_given = None
                self._last_read = ";"
                inserted = Token(";", token.text, token.file, token.line, token.column, False)
                return inserted, ";"
            if kind in _SEPARATORS:
                following, following_kind = self._read()
                if following_kind in ("}", ";", "->"):
                    token, kind = following, following_kind
                else:
                    self._held = following, following_kind
        self._last_given = kind
        return token, kind

    def _read(self) -> tuple[Token, str]:
        """The next token of the text, inlines and their parameters replaced, newlines made semicolons."""
        while True:
            if self._substituted:
                token = self._substituted.pop()
                from_argument = True
            else:
                frame = self._frame
                while frame.index >= frame.end:
                    self._frames.pop()
                    self._frame = frame = self._frames[-1]
                token = frame.tokens[frame.index]
                from_argument = False
            if (
                token.after_newline
                and self.in_sequence
                and self.parentheses == 0
                and self._last_read in _ENDS_A_STATEMENT
                and not (self._last_read == "}" and token.text.startswith("u"))
            ):
                if from_argument:
                    self._substituted.append(token)
                self._last_read = ";"
                last_token = self._last_token
                column = last_token.column + len(last_token.text)
                return Token(";", "\n", last_token.file, last_token.line, column, False), ";"
            if not from_argument and token.kind != "end":
                frame.index += 1
            self._delivered += 1
            if self._delivered > TOKEN_LIMIT:
                raise SourceProblem(
                    f"the model has more than {TOKEN_LIMIT:,} tokens after its inlines are expanded",
                    where=token.where,
                )
            kind = token.kind
            if kind == "name":
                kind = self.names.get(token.text, "name")
                if not from_argument and kind != "constant":
                    argument = frame.arguments.get(token.text)
                    if argument is not None:
                        moved = [piece.moved_to(token, False) for piece in argument]
                        moved[0].after_newline = token.after_newline
                        self._substituted = moved[::-1]
                        continue
            self._note(token, kind)
            return token, kind

    def _note(self, token: Token, kind: str) -> None:
        self._last_token = token
        self._last_read = kind
        if kind == "timeout" and self._frame.inline is None:
            self._last_read = ")"  # SPIN puts parentheses around it, but not in an inline


class _Parser:
    """One method per rule of the grammar; the current token decides."""

    def __init__(
        self,
        tokens: _Tokens,
        *,
        temporal: bool = False,
        property_of_user: bool = False,
        allow_next: bool = False,
    ) -> None:
        self._tokens = tokens
        self._depth = 0
        self._operator_count = 0
        self._probes = False  # does the expression just parsed contain empty(q) and the like?
        self._property_of_user = property_of_user
        self._allow_next = allow_next
        self._in_branch = 0  # inside (c -> HERE : ...)
        self._temporal = temporal
        self._binary = {**_BINARY, **_TEMPORAL_BINARY} if temporal else _BINARY
        self._returns: list[syntax.Reference | None] = []

    # --- helpers -----------------------------------------------------------------

    def _expect(self, kind: str, what: str | None = None) -> Token:
        tokens = self._tokens
        token = tokens.token
        if tokens.kind != kind:
            raise expected(what or f"'{kind}'", token)
        tokens.advance()
        return token

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > NESTING_LIMIT:
            raise SourceProblem(
                f"nested more than {NESTING_LIMIT} levels deep", where=self._tokens.token.where
            )

    # --- units -------------------------------------------------------------------

    def model(self) -> tuple[_Unit, ...]:
        tokens = self._tokens
        units: list[_Unit] = []
        if tokens.kind == "end":
            raise expected("a declaration or a process", tokens.token)
        while tokens.kind != "end":
            kind = tokens.kind
            if kind in _SEPARATORS:
                tokens.advance()
            elif kind == "inline":
                self._inline_definition()
            else:
                units.append(self._unit(kind))
        return tuple(self._with_formula(unit) if isinstance(unit, syntax.Claim) else unit for unit in units)

    def _with_formula(self, claim: syntax.Claim) -> syntax.Claim:
        """Parse an ltl formula once every name of the model is known, as SPIN does."""
        if claim.formula is None or claim.formula_where is None:
            return claim
        where = claim.formula_where
        pieces = tokenize(claim.formula, where.file, line=where.line, column=where.column, temporal=True)
        pieces[-1].kind = "}"
        pieces[-1].text = "}"
        pieces.append(Token("end", "", where.file, where.line, where.column, False))
        tokens = _Tokens(pieces, self._tokens.names)
        parser = _Parser(tokens, temporal=True)
        tree = parser._full_expression()
        if tokens.kind == ";":
            tokens.advance()
        if tokens.kind != "}":
            raise expected("a temporal operator or '}'", tokens.token)
        return replace(claim, formula=claim.formula.strip(), formula_where=pieces[0].where, temporal=tree)

    def _unit(self, kind: str) -> _Unit:
        if kind in ("proctype", "D_proctype", "active"):
            return self._proctype()
        if kind == "init":
            return self._init()
        if kind in _TYPES or kind in _VISIBILITIES or kind == "type name":
            return self._declaration(is_global=True)
        if kind == "typedef":
            return self._typedef()
        if kind in ("never", "trace", "notrace"):
            return self._claim()
        if kind == "ltl":
            return self._ltl()
        if kind in ("c_code", "c_decl", "c_state", "c_track"):
            return self._embedded_declaration()
        raise expected("a declaration or a process", self._tokens.token)

    def _proctype(self) -> syntax.Proctype:
        tokens = self._tokens
        where = tokens.token.where
        active: syntax.Expression | None = None
        if tokens.kind == "active":
            active = syntax.Number(where, 1)
            tokens.advance()
            if tokens.kind == "[":
                tokens.advance()
                active = self._array_bound()
                self._expect("]")
        if tokens.kind not in ("proctype", "D_proctype"):
            raise expected("'proctype'", tokens.token)
        deterministic = tokens.kind == "D_proctype"
        tokens.advance()
        name = tokens.token
        if tokens.kind != "name":
            raise expected("a name for the proctype", name)
        tokens.names[name.text] = "proctype name"
        tokens.advance()
        self._expect("(")
        parameters: list[syntax.Variable] = []
        if tokens.kind != ")":
            parameters = self._declaration_list(")", "a parameter")
        for parameter in parameters:
            if parameter.initial is not None:
                raise SourceProblem(
                    f"parameter {parameter.name} of {name.text} has an initial value", where=parameter.where
                )
        self._expect(")")
        priority = self._optional_priority()
        provided: syntax.Expression | None = None
        if tokens.kind == "provided":
            tokens.advance()
            self._expect("(")
            provided = self._full_expression()
            self._expect(")")
        body = self._body()
        return syntax.Proctype(
            where=where,
            name=name.text,
            parameters=tuple(parameters),
            body=body,
            active=active,
            priority=priority,
            provided=provided,
            deterministic=deterministic,
        )

    def _init(self) -> syntax.Proctype:
        where = self._expect("init").where
        priority = self._optional_priority()
        body = self._body()
        return syntax.Proctype(
            where=where,
            name="init",
            parameters=(),
            body=body,
            active=syntax.Number(where, 1),
            priority=priority,
            is_init=True,
        )

    def _optional_priority(self) -> syntax.Expression | None:
        tokens = self._tokens
        if tokens.kind != "priority":
            return None
        tokens.advance()
        return self._constant()

    def _body(self) -> syntax.Sequence:
        tokens = self._tokens
        opening = tokens.token
        if tokens.kind != "{":
            raise expected("'{'", opening)
        tokens.in_sequence = True
        tokens.advance()
        sequence = self._sequence(opening)
        if tokens.kind != "}":
            raise expected("';' or '}'", tokens.token)
        tokens.in_sequence = False
        tokens.advance()
        return sequence

    def _typedef(self) -> syntax.Typedef:
        tokens = self._tokens
        where = self._expect("typedef").where
        name = self._expect("name", "a name for the type")
        if tokens.kind != "{":
            raise expected("'{'", tokens.token)
        tokens.in_sequence = True
        tokens.advance()
        fields = self._declaration_list("}", "a field")
        if tokens.kind != "}":
            raise expected("';' or '}'", tokens.token)
        tokens.in_sequence = False
        tokens.names[name.text] = "type name"
        tokens.advance()
        return syntax.Typedef(where, name.text, tuple(fields))

    def _claim(self) -> syntax.Claim:
        tokens = self._tokens
        keyword = tokens.token
        tokens.advance()
        name: str | None = None
        if keyword.kind == "never" and tokens.kind == "name":
            name = tokens.token.text
            tokens.advance()
        body = self._body()
        return syntax.Claim(keyword.where, keyword.kind, name, body=body)

    def _ltl(self) -> syntax.Claim:
        token = self._tokens.token
        if token.text == "ltl":  # the lexer found no formula behind it
            self._tokens.advance()
            raise expected("a name or '{' after ltl", self._tokens.token)
        self._tokens.advance()
        return syntax.Claim(
            token.where, "ltl", token.precondition, formula=token.text, formula_where=token.content
        )

    def _embedded_declaration(self) -> syntax.EmbeddedCDeclaration:
        tokens = self._tokens
        token = tokens.token
        tokens.advance()
        if token.kind in ("c_code", "c_decl"):
            return syntax.EmbeddedCDeclaration(
                token.where, token.kind, token.text, precondition=token.precondition, code=_code(token)
            )
        strings = [self._expect("string", f"a string after {token.kind}").text for _ in range(2)]
        if tokens.kind == "string":
            strings.append(self._expect("string").text)
        return syntax.EmbeddedCDeclaration(
            token.where, token.kind, " ".join(strings), arguments=tuple(text[1:-1] for text in strings)
        )

    def _inline_definition(self) -> None:
        tokens = self._tokens
        tokens.advance()
        name = tokens.token
        if tokens.kind == "inline name":
            raise SourceProblem(f"inline {name.text} is defined twice", where=name.where)
        if tokens.kind != "name":
            raise expected("a name for the inline", name)
        tokens.advance()
        self._expect("(")
        parameters: list[str] = []
        while tokens.kind != ")":
            parameter = self._expect("name", "the name of a parameter")
            parameters.append(parameter.text)
            if tokens.kind == ",":
                tokens.advance()
                if tokens.kind != "name":
                    raise expected("the name of a parameter", tokens.token)
            elif tokens.kind != ")":
                raise expected("',' or ')'", tokens.token)
        tokens.define_inline(name.text, tuple(parameters))
        tokens.advance()

    # --- declarations ------------------------------------------------------------

    def _declaration_list(self, closer: str, what: str) -> list[syntax.Variable]:
        """Declarations separated by `;` (parameters and fields of a typedef)."""
        tokens = self._tokens
        variables: list[syntax.Variable] = []
        while True:
            if not self._starts_declaration():
                raise expected(f"the type of {what}", tokens.token)
            declaration = self._declaration(is_global=False)
            assert isinstance(declaration, syntax.Declare)
            variables += declaration.variables
            if tokens.kind != ";":
                if tokens.kind != closer:
                    raise expected(f"',', ';' or '{closer}'", tokens.token)
                return variables
            tokens.advance()

    def _starts_declaration(self) -> bool:
        kind = self._tokens.kind
        return kind in _TYPES or kind in _VISIBILITIES or kind == "type name"

    def _declaration(self, *, is_global: bool) -> syntax.Declare | syntax.MtypeDeclaration:
        tokens = self._tokens
        first = tokens.token
        visibility: str | None = None
        if tokens.kind in _VISIBILITIES:
            visibility = tokens.kind
            tokens.advance()
        if tokens.kind not in _TYPES and tokens.kind != "type name":
            raise expected("a type", tokens.token)
        type_token = tokens.token
        is_typedef = tokens.kind == "type name"
        tokens.advance()
        mtype_set: str | None = None
        if not is_typedef:
            if tokens.kind == ":":
                tokens.advance()
                set_token = self._expect("name", "the name of an mtype set")
                mtype_set = set_token.text
                if type_token.kind != "mtype":
                    raise SourceProblem(
                        f"expected a name after '{type_token.text}', got ':'", where=set_token.where
                    )
            if tokens.kind == "{" and mtype_set is None:
                return self._mtype_names(first, type_token, visibility, None, is_global)
            if tokens.kind == "=":
                tokens.advance()
                if tokens.kind != "{":
                    raise expected("'{'", tokens.token)
                return self._mtype_names(first, type_token, visibility, mtype_set, is_global)
        variables: list[syntax.Variable] = []
        while True:
            variables.append(self._variable(type_token, mtype_set, visibility))
            if tokens.kind != ",":
                break
            tokens.advance()
        return syntax.Declare(first.where, tuple(variables))

    def _mtype_names(
        self, first: Token, type_token: Token, visibility: str | None, set_name: str | None, is_global: bool
    ) -> syntax.MtypeDeclaration:
        tokens = self._tokens
        if type_token.kind != "mtype":
            raise expected("a name", tokens.token)
        if not is_global:
            raise SourceProblem("an mtype declaration must stand outside of processes", where=first.where)
        if visibility is not None:
            raise SourceProblem(f"an mtype declaration cannot be {visibility}", where=first.where)
        self._expect("{")
        names = {self._expect("name", "a new name").text: None}  # in order, each once
        while tokens.kind != "}":
            if tokens.kind == ",":
                tokens.advance()
                continue
            name = self._expect("name", "a new name, ',' or '}'")
            if name.text in names:
                raise SourceProblem(f"{name.text} stands twice in this mtype declaration", where=name.where)
            names[name.text] = None
        for text in names:
            tokens.names[text] = "constant"
        tokens.advance()
        return syntax.MtypeDeclaration(first.where, set_name, tuple(names))

    def _variable(self, type_token: Token, mtype_set: str | None, visibility: str | None) -> syntax.Variable:
        tokens = self._tokens
        self._operator_count = 0
        name = self._expect("name", "a new name")
        width: int | None = None
        length: syntax.Expression | None = None
        if tokens.kind == ":":
            tokens.advance()
            width_token = tokens.token
            if tokens.kind != "number":
                raise expected("a number of bits", width_token)
            width = width_token.value
            if type_token.kind != "unsigned":
                raise SourceProblem(
                    f"only an unsigned can have a number of bits, {name.text} is {type_token.text}",
                    where=width_token.where,
                )
            if not 0 < width < 32:
                raise SourceProblem(
                    f"expected a number of bits from 1 to 31, got {width}", where=width_token.where
                )
            tokens.advance()
        elif tokens.kind == "[":
            tokens.advance()
            length = self._array_bound()
            self._expect("]")
        if type_token.kind in ("bit", "bool") and visibility == "hidden":
            raise SourceProblem(f"the bit variable {name.text} cannot be hidden", where=name.where)
        if type_token.kind == "unsigned" and width is None:
            raise SourceProblem(
                f"unsigned {name.text} needs its number of bits: unsigned {name.text} : 8", where=name.where
            )
        initial: syntax.Expression | syntax.ChannelSpec | tuple[syntax.Expression, ...] | None = None
        if tokens.kind == "=":
            tokens.advance()
            if tokens.kind == "{":
                initial = self._array_initializer(name, length)
            elif tokens.kind == "[":
                if type_token.kind != "chan":
                    raise SourceProblem(
                        f"expected a value for {name.text}, got a channel", where=tokens.token.where
                    )
                initial = self._channel()
            else:
                initial = self._plain_expression()
        return syntax.Variable(
            where=name.where,
            type=type_token.text,
            name=name.text,
            width=width,
            mtype_set=mtype_set,
            length=length,
            initial=initial,
            visibility=visibility,
        )

    def _array_initializer(
        self, name: Token, length: syntax.Expression | None
    ) -> tuple[syntax.Expression, ...]:
        tokens = self._tokens
        if length is None:
            raise SourceProblem(f"{name.text} must be an array", where=tokens.token.where)
        tokens.advance()
        values = [self._constant()]
        while tokens.kind == ",":
            tokens.advance()
            values.append(self._constant())
        self._expect("}", "',' or '}'")
        return tuple(values)

    def _channel(self) -> syntax.ChannelSpec:
        tokens = self._tokens
        where = self._expect("[").where
        capacity = self._constant_expression()
        self._expect("]")
        self._expect("of")
        self._expect("{")
        fields: list[str] = []
        sets: list[str | None] = []
        while True:
            token = tokens.token
            if tokens.kind not in _TYPES and tokens.kind != "type name":
                raise expected("the type of a message field", token)
            if tokens.kind == "unsigned":
                raise SourceProblem("unsigned cannot be the type of a message field", where=token.where)
            tokens.advance()
            fields.append(token.text)
            sets.append(None)
            if tokens.kind == ":" and token.kind == "mtype":
                tokens.advance()
                sets[-1] = self._expect("name", "the name of an mtype set").text
            if tokens.kind != ",":
                break
            tokens.advance()
        self._expect("}", "',' or '}'")
        return syntax.ChannelSpec(where, capacity, tuple(fields), tuple(sets))

    def _array_bound(self) -> syntax.Expression:
        """A constant expression, or the name of an initialised variable."""
        if self._tokens.kind == "name":
            token = self._expect("name")
            return syntax.Reference(token.where, (syntax.Part(token.text),))
        return self._constant_expression()

    def _constant_expression(self, strength: int = 0) -> syntax.Expression:
        tokens = self._tokens
        self._deeper()
        token = tokens.token
        left: syntax.Expression
        if tokens.kind == "-":
            tokens.advance()
            left = syntax.Unary(token.where, "-", self._constant_expression(1000))
        elif tokens.kind == "(":
            tokens.advance()
            left = self._constant_expression()
            self._expect(")")
        else:
            left = self._constant()
        while (found := _CONSTANT_BINARY.get(tokens.kind, -1)) > strength:
            self._count_operator()
            operator = tokens.kind
            tokens.advance()
            left = syntax.Binary(left.where, operator, left, self._constant_expression(found))
        self._depth -= 1
        return left

    def _constant(self) -> syntax.Expression:
        tokens = self._tokens
        token = tokens.token
        kind = tokens.kind
        if kind not in _CONSTANT_KINDS:
            raise expected("a constant", token)
        tokens.advance()
        if kind == "constant":
            return syntax.Reference(token.where, (syntax.Part(token.text),))
        return syntax.Number(token.where, _CONSTANTS.get(kind, token.value), token.text)

    # --- statements --------------------------------------------------------------

    def _sequence(self, opening: Token) -> syntax.Sequence:
        """Steps with separators between them, one more allowed at the end."""
        tokens = self._tokens
        self._deeper()
        steps = [self._step()]
        while tokens.kind in _SEPARATORS:
            count = 0
            while tokens.kind in _SEPARATORS:
                tokens.advance()
                count += 1
            if count == 1 and tokens.kind in ("}", "::", "fi", "od"):
                break
            steps.append(self._step())
        self._depth -= 1
        return syntax.Sequence(opening.where, tuple(steps))

    def _step(self) -> syntax.Statement:
        tokens = self._tokens
        if self._starts_declaration():
            declaration = self._declaration(is_global=False)
            assert isinstance(declaration, syntax.Declare)
            return declaration
        if tokens.kind in ("xr", "xs"):
            keyword = tokens.token
            tokens.advance()
            channels = [self._reference()]
            while tokens.kind == ",":
                tokens.advance()
                channels.append(self._reference())
            return syntax.Exclusive(keyword.where, keyword.kind, tuple(channels))
        statement = self._statement()
        if tokens.kind == "unless":
            if isinstance(statement, syntax.Select) and statement.form is syntax.SelectForm.TEXT_LOOP:
                raise expected("';'", tokens.token)
            tokens.advance()
            return syntax.Unless(statement.where, statement, self._statement())
        return statement

    def _statement(self) -> syntax.Statement:
        self._deeper()
        self._operator_count = 0
        kind = self._tokens.kind
        method = self._STATEMENTS.get(kind)
        statement = method(self) if method is not None else self._expression_statement()
        self._depth -= 1
        return statement

    def _name_statement(self) -> syntax.Statement:
        """Everything that starts with a plain name."""
        tokens = self._tokens
        name = tokens.token
        tokens.advance()
        if tokens.kind == ":":
            return self._labelled(name)
        if tokens.kind == "(" and name.text in HABITS_OF_C:
            raise SourceProblem(f"Promela has no {name.text}", where=name.where, hint=HABITS_OF_C[name.text])
        reference = self._reference_from(name)
        kind = tokens.kind
        if kind == "=":
            tokens.advance()
            if tokens.kind == "inline name":
                return self._inline_call(reference)
            return syntax.Assign(reference.where, reference, self._full_expression())
        if kind in ("++", "--"):
            tokens.advance()
            one = syntax.Number(reference.where, 1)
            value = syntax.Binary(reference.where, kind[0], reference, one)
            return syntax.Assign(reference.where, reference, value, kind)
        if kind in ("!", "!!"):
            tokens.advance()
            return syntax.Send(reference.where, reference, kind == "!!", self._send_arguments())
        if kind in ("?", "??"):
            tokens.advance()
            if tokens.kind != "[":
                return self._receive(reference, anywhere=kind == "??")
            return self._condition(self._poll(reference, anywhere=kind == "??"))
        return self._condition(reference)

    def _condition(self, start: syntax.Expression) -> syntax.Condition:
        """An expression as a statement whose first operand was already read."""
        self._probes = False
        return syntax.Condition(start.where, self._operators(start, 0))

    def _expression_statement(self) -> syntax.Statement:
        token = self._tokens.token
        if self._tokens.kind not in _STARTS_EXPRESSION:
            raise expected("a statement", token)
        return syntax.Condition(token.where, self._full_expression())

    def _labelled(self, name: Token) -> syntax.Statement:
        tokens = self._tokens
        self._expect(":")
        if self._starts_declaration() or tokens.kind in ("xr", "xs"):
            raise SourceProblem(f"label {name.text} stands before a declaration", where=name.where)
        statement: syntax.Statement
        if tokens.kind in _AFTER_EMPTY_LABEL:
            statement = syntax.Condition(name.where, syntax.Number(name.where, 1, "skip"))
        else:
            statement = self._statement()
        return syntax.Labelled(name.where, name.text, statement)

    def _send_arguments(self) -> tuple[syntax.Expression, ...]:
        tokens = self._tokens
        arguments = [self._plain_expression()]
        if tokens.kind == "(":
            tokens.advance()
            arguments += self._arguments()
            self._expect(")")
            return tuple(arguments)
        while tokens.kind == ",":
            tokens.advance()
            arguments.append(self._plain_expression())
        return tuple(arguments)

    def _arguments(self) -> list[syntax.Expression]:
        arguments = [self._plain_expression()]
        while self._tokens.kind == ",":
            self._tokens.advance()
            arguments.append(self._plain_expression())
        return arguments

    def _receive(self, channel: syntax.Reference, *, anywhere: bool) -> syntax.Receive:
        tokens = self._tokens
        keep = tokens.kind == "<"
        if keep:
            tokens.advance()
        fields = self._message_fields()
        if keep:
            self._expect(">", "',' or '>'")
        return syntax.Receive(channel.where, channel, anywhere, keep, tuple(fields))

    def _message_fields(self) -> list[syntax.MessageField]:
        """`a,b` or `a(b,c)` or `(a,b)`, and these inside one another."""
        tokens = self._tokens
        self._deeper()
        fields: list[syntax.MessageField] = []
        while True:
            if tokens.kind == "(":
                tokens.advance()
                fields += self._message_fields()
                self._expect(")", "',' or ')'")
                break
            fields.append(self._message_field())
            if tokens.kind == "(":
                tokens.advance()
                fields += self._message_fields()
                self._expect(")", "',' or ')'")
                break
            if tokens.kind != ",":
                break
            tokens.advance()
        self._depth -= 1
        return fields

    def _message_field(self) -> syntax.MessageField:
        tokens = self._tokens
        token = tokens.token
        kind = tokens.kind
        if kind == "name":
            reference = self._reference()
            if reference.parts == (syntax.Part("_"),):
                return syntax.MessageField(syntax.Match.IGNORE, None)
            return syntax.MessageField(syntax.Match.STORE, reference)
        if kind == "eval":
            tokens.advance()
            self._expect("(")
            value = self._plain_expression()
            self._expect(")")
            return syntax.MessageField(syntax.Match.EQUAL, value, evaluated=True)
        if kind in _CONSTANT_KINDS:
            return syntax.MessageField(syntax.Match.EQUAL, self._constant())
        if kind == "-":
            tokens.advance()
            negated = syntax.Unary(token.where, "-", self._constant())
            return syntax.MessageField(syntax.Match.EQUAL, negated)
        raise expected("a variable, a constant, eval(...) or _", token)

    def _if(self) -> syntax.Statement:
        where, options = self._options("fi")
        return syntax.If(where, options)

    def _do(self) -> syntax.Statement:
        where, options = self._options("od")
        return syntax.Do(where, options)

    def _options(self, closer: str) -> tuple[syntax.Location, tuple[syntax.Sequence, ...]]:
        tokens = self._tokens
        keyword = tokens.token
        tokens.advance()
        if tokens.kind != "::":
            as_in_c = tokens.kind in ("(", "{")
            raise expected("'::'", tokens.token, HABITS_OF_C[keyword.kind] if as_in_c else "")
        options: list[syntax.Sequence] = []
        while tokens.kind == "::":
            opening = tokens.token
            tokens.advance()
            options.append(self._sequence(opening))
        self._expect(closer, f"';', '::' or '{closer}'")
        return keyword.where, tuple(options)

    def _braced(self) -> syntax.Sequence:
        sequence = self._sequence(self._expect("{"))
        self._expect("}", "';' or '}'")
        return sequence

    def _block(self) -> syntax.Statement:
        where = self._tokens.token.where
        return syntax.Block(where, self._braced())

    def _atomic(self) -> syntax.Statement:
        where = self._expect("atomic").where
        return syntax.Atomic(where, self._braced())

    def _d_step(self) -> syntax.Statement:
        where = self._expect("d_step").where
        return syntax.DStep(where, self._braced())

    def _for(self) -> syntax.Statement:
        tokens = self._tokens
        where = self._expect("for").where
        self._expect("(")
        variable = self._reference()
        collection: syntax.Reference | None = None
        if tokens.kind == "name" and tokens.token.text == "in":
            tokens.advance()
            collection = self._reference()
            self._expect(")")
        else:
            self._expect(":", "':' or 'in'")
            low = self._plain_expression()
            self._expect("..")
            high = self._plain_expression()
            self._expect(")")
        if tokens.kind == ";":
            tokens.advance()
        body = self._braced()
        if collection is not None:
            return syntax.ForIn(where, variable, collection, body)
        return syntax.ForRange(where, variable, low, high, body)

    def _select(self) -> syntax.Statement:
        tokens = self._tokens
        in_text = not tokens.inside_inline
        where = self._expect("select").where
        self._expect("(")
        pieces: list[Token] = []
        tokens.record = pieces
        variable = self._reference()
        self._expect(":")
        low = self._plain_expression()
        self._expect("..")
        high = self._plain_expression()
        tokens.record = None
        pieces.append(tokens.token)
        self._expect(")")
        form = syntax.SelectForm.LOOP
        if (
            in_text
            and [piece.kind for piece in pieces] == ["name", ":", "number", "..", "number", ")"]
            and not any(piece.after_newline for piece in pieces)
            and "_" not in pieces[0].text
        ):
            begin, end = pieces[2].value, pieces[4].value
            if begin > end:
                raise SourceProblem(f"the range {begin} .. {end} of select is empty", where=where)
            form = syntax.SelectForm.OPTIONS if end - begin <= 32 else syntax.SelectForm.TEXT_LOOP
        return syntax.Select(where, variable, low, high, form)

    def _break(self) -> syntax.Statement:
        return syntax.Break(self._expect("break").where)

    def _else(self) -> syntax.Statement:
        return syntax.Else(self._expect("else").where)

    def _goto(self) -> syntax.Statement:
        where = self._expect("goto").where
        return syntax.Goto(where, self._expect("name", "a label").text)

    def _assert(self) -> syntax.Statement:
        where = self._expect("assert").where
        return syntax.Assert(where, self._full_expression())

    def _printf(self) -> syntax.Statement:
        tokens = self._tokens
        where = self._expect("printf").where
        self._expect("(")
        text = self._expect("string", "a string").text[1:-1]
        arguments: list[syntax.Expression] = []
        if tokens.kind == ",":
            tokens.advance()
            arguments = self._arguments()
        self._expect(")", "',' or ')'")
        return syntax.Print(where, text, tuple(arguments))

    def _printm(self) -> syntax.Statement:
        where = self._expect("printm").where
        self._expect("(")
        argument = self._constant() if self._tokens.kind in _CONSTANT_KINDS else self._reference()
        self._expect(")")
        return syntax.Print(where, None, (argument,))

    def _set_priority(self) -> syntax.Statement:
        where = self._expect("set_priority").where
        self._expect("(")
        process = self._plain_expression()
        self._expect(",")
        priority = self._plain_expression()
        self._expect(")")
        return syntax.Condition(where, syntax.SetPriority(where, process, priority))

    def _embedded(self) -> syntax.Statement:
        token = self._tokens.token
        self._tokens.advance()
        return syntax.EmbeddedC(token.where, token.kind, token.text, token.precondition, _code(token))

    def _return(self) -> syntax.Statement:
        where = self._expect("return").where
        target = self._returns[-1] if self._returns else None
        if target is None:
            raise SourceProblem("return stands outside an inline that is called as `x = f(...)`", where=where)
        return syntax.Assign(where, target, self._full_expression())

    def _inline_statement(self) -> syntax.Statement:
        return self._inline_call(None)

    def _inline_call(self, target: syntax.Reference | None) -> syntax.Statement:
        tokens = self._tokens
        name = self._expect("inline name")
        inline = tokens.inlines[name.text]
        self._expect("(")
        arguments: list[syntax.Expression] = []
        texts: list[list[Token]] = []
        outer_record = tokens.record
        if tokens.kind != ")":
            while True:
                pieces: list[Token] = []
                tokens.record = pieces
                arguments.append(self._plain_expression())
                tokens.record = outer_record
                texts.append(pieces)
                if tokens.kind != ",":
                    break
                tokens.advance()
        if tokens.kind != ")":
            raise expected("',' or ')'", tokens.token)
        if len(texts) != len(inline.parameters):
            raise SourceProblem(
                f"inline {name.text} takes {_count(len(inline.parameters), 'argument')}, got {len(texts)}",
                where=name.where,
            )
        tokens.enter_inline(inline, texts, name)
        tokens.advance()
        self._returns.append(target)
        body = self._braced()
        self._returns.pop()
        where = name.where if target is None else target.where
        return syntax.InlineBody(where, name.text, body, tuple(arguments), target)

    # --- expressions -------------------------------------------------------------

    def whole_expression(self) -> syntax.Expression:
        expression = self._full_expression()
        if self._tokens.kind != "end":
            raise expected("an operator or the end", self._tokens.token)
        return expression

    def _full_expression(self) -> syntax.Expression:
        """An expression in which empty(q), full(q) and the like may stand under && and ||."""
        if not self._property_of_user:
            return self._operators(self._operand(), 0)
        left = self._operators(self._operand(), 0)
        tokens = self._tokens
        if tokens.kind == "name" and tokens.token.text == "implies":
            self._deeper()
            self._count_operator()
            tokens.advance()
            right = self._full_expression()
            self._depth -= 1
            return syntax.Binary(left.where, "||", syntax.Unary(left.where, "!", left), right)
        return left

    def _plain_expression(self) -> syntax.Expression:
        token = self._tokens.token
        expression = self._full_expression()
        self._refuse_probe(token)
        return expression

    def _refuse_probe(self, token: Token) -> None:
        if self._probes and not self._property_of_user and not self._temporal:
            raise SourceProblem(
                "empty, nempty, full and nfull can only be combined by && and || (and not negated)",
                where=token.where,
            )

    def _operators(self, left: syntax.Expression, strength: int) -> syntax.Expression:
        """Continue an expression after its first operand with operators that bind stronger."""
        tokens = self._tokens
        binary = self._binary
        probes = self._probes
        while (found := binary.get(tokens.kind, -1)) > strength:
            self._count_operator()
            operator = tokens.token
            tokens.advance()
            right = self._operand()
            if binary.get(tokens.kind, -1) > found:
                right = self._operators(right, found)
            right_probes = self._probes
            if operator.kind not in _KEEPS_PROBES:
                self._probes = probes or right_probes
                self._refuse_probe(operator)
            probes = probes or right_probes
            left = syntax.Binary(left.where, operator.kind, left, right)
        self._probes = probes
        return left

    def _count_operator(self) -> None:
        self._operator_count += 1
        if self._operator_count > OPERATOR_LIMIT:
            raise SourceProblem(
                f"more than {OPERATOR_LIMIT} operators in one statement", where=self._tokens.token.where
            )

    def _operand(self) -> syntax.Expression:
        self._deeper()
        operand = self._plain_operand()
        self._depth -= 1
        return operand

    def _plain_operand(self) -> syntax.Expression:
        tokens = self._tokens
        token = tokens.token
        kind = tokens.kind
        self._probes = False
        if kind == "name":
            if self._allow_next and token.text == "next":
                return self._name_or_next()
            tokens.advance()
            reference = self._reference_from(token)
            if tokens.kind in ("?", "??"):
                anywhere = tokens.kind == "??"
                tokens.advance()
                return self._poll(reference, anywhere=anywhere)
            if self._property_of_user and len(reference.parts) == 1:
                return self._maybe_remote(token, reference)
            return reference
        if kind in _CONSTANT_KINDS:
            return self._constant()
        if kind in (_TEMPORAL_PREFIX_OPERATORS if self._temporal else _PREFIX_OPERATORS):
            tokens.advance()
            operand = self._operand()
            self._refuse_probe(token)
            return syntax.Unary(token.where, kind, operand)
        if kind == "(":
            return self._parenthesised()
        if kind in _CHANNEL_TESTS:
            tokens.advance()
            self._expect("(")
            channel = self._reference()
            self._expect(")")
            self._probes = True
            return syntax.ChannelTest(token.where, kind, channel)
        method = self._OPERANDS.get(kind)
        if method is None:
            raise expected("an expression", token)
        expression = method(self)
        self._probes = False
        return expression

    def _parenthesised(self) -> syntax.Expression:
        tokens = self._tokens
        opening = self._expect("(")
        branch = self._in_branch
        self._in_branch = 0
        inner = self._full_expression()
        if tokens.kind == "->" and not self._temporal:
            self._refuse_probe(opening)
            tokens.advance()
            self._in_branch = 1
            then = self._plain_expression()
            self._in_branch = 0
            self._expect(":")
            otherwise = self._plain_expression()
            inner = syntax.Conditional(opening.where, inner, then, otherwise)
            self._probes = False
        self._expect(")")
        self._in_branch = branch
        return inner

    def _run(self) -> syntax.Expression:
        tokens = self._tokens
        where = self._expect("run").where
        name = tokens.token
        if tokens.kind not in ("name", "proctype name"):
            raise expected("the name of a proctype", name)
        tokens.advance()
        self._expect("(")
        arguments = self._arguments() if tokens.kind != ")" else []
        self._expect(")", "',' or ')'")
        return syntax.Run(where, name.text, tuple(arguments), self._optional_priority())

    def _length(self) -> syntax.Expression:
        where = self._expect("len").where
        self._expect("(")
        channel = self._reference()
        self._expect(")")
        return syntax.Length(where, channel)

    def _process_function(self) -> syntax.Expression:
        token = self._tokens.token
        self._tokens.advance()
        self._expect("(")
        process = self._plain_expression()
        self._expect(")")
        return _PROCESS_FUNCTIONS[token.kind](token.where, process)

    def _timeout(self) -> syntax.Expression:
        return syntax.Timeout(self._expect("timeout").where)

    def _non_progress(self) -> syntax.Expression:
        return syntax.NonProgress(self._expect("np_").where)

    def _embedded_expression(self) -> syntax.Expression:
        token = self._tokens.token
        self._tokens.advance()
        return syntax.EmbeddedCExpression(token.where, token.text, token.precondition, _code(token))

    def _poll(self, channel: syntax.Reference, *, anywhere: bool) -> syntax.Expression:
        self._expect("[")
        fields = self._message_fields()
        self._expect("]", "',' or ']'")
        self._probes = False
        return syntax.Poll(channel.where, channel, anywhere, tuple(fields))

    def _remote(self) -> syntax.Expression:
        """`P@label`, `P:x`, `P[i]@label`, `P[i]:x`."""
        tokens = self._tokens
        name = tokens.token
        tokens.advance()
        process: syntax.Expression | None = None
        if tokens.kind == "[":
            tokens.advance()
            process = self._plain_expression()
            self._expect("]")
        return self._remote_from(name, process)

    def _remote_from(self, name: Token, process: syntax.Expression | None) -> syntax.Expression:
        tokens = self._tokens
        if tokens.kind == "@":
            tokens.advance()
            label = self._expect("name", "a label").text
            return syntax.RemoteLabel(name.where, name.text, process, label)
        self._expect(":", "'@' or ':'" if process is not None else "'[', '@' or ':'")
        variable = self._expect("name", f"a variable of {name.text}")
        index: syntax.Expression | None = None
        if tokens.kind == "[":
            tokens.advance()
            index = self._plain_expression()
            self._expect("]")
        reference = syntax.Reference(variable.where, (syntax.Part(variable.text, index),))
        return syntax.RemoteVariable(name.where, name.text, process, reference)

    def _maybe_remote(self, name: Token, reference: syntax.Reference) -> syntax.Expression:
        """In a property, a name before `@` or `:` is a proctype, declared or not."""
        kind = self._tokens.kind
        if kind == "@" or (kind == ":" and not self._in_branch):
            return self._remote_from(name, reference.parts[0].index)
        return reference

    def _name_or_next(self) -> syntax.Expression:
        tokens = self._tokens
        token = tokens.token
        tokens.advance()
        if tokens.kind != ".":
            return self._reference_from(token)
        tokens.advance()
        if tokens.kind not in _AFTER_NEXT:
            raise expected("a variable, a channel test or a label after next.", tokens.token)
        allowed, self._allow_next = self._allow_next, False
        expression = self._operand()
        self._allow_next = allowed
        return syntax.Next(token.where, expression)

    def _reference(self) -> syntax.Reference:
        return self._reference_from(self._expect("name", "a variable"))

    def _reference_from(self, name: Token) -> syntax.Reference:
        """The rest of a reference whose first name was consumed."""
        tokens = self._tokens
        parts: list[syntax.Part] = []
        link = name
        while True:
            index: syntax.Expression | None = None
            if tokens.kind == "[":
                tokens.advance()
                branch, self._in_branch = self._in_branch, 0
                index = self._plain_expression()
                self._in_branch = branch
                self._expect("]")
            parts.append(syntax.Part(link.text, index))
            if tokens.kind != ".":
                return syntax.Reference(name.where, tuple(parts))
            if len(parts) > NESTING_LIMIT:
                raise SourceProblem(f"nested more than {NESTING_LIMIT} levels deep", where=tokens.token.where)
            tokens.advance()
            link = self._expect("name", "the name of a field")

    _STATEMENTS: ClassVar[dict[str, Callable[[_Parser], syntax.Statement]]] = {
        "name": _name_statement,
        "if": _if,
        "do": _do,
        "for": _for,
        "select": _select,
        "break": _break,
        "goto": _goto,
        "else": _else,
        "atomic": _atomic,
        "d_step": _d_step,
        "{": _block,
        "assert": _assert,
        "printf": _printf,
        "printm": _printm,
        "set_priority": _set_priority,
        "c_code": _embedded,
        "c_decl": _embedded,
        "return": _return,
        "inline name": _inline_statement,
    }
    _OPERANDS: ClassVar[dict[str, Callable[[_Parser], syntax.Expression]]] = {
        "run": _run,
        "len": _length,
        "enabled": _process_function,
        "pc_value": _process_function,
        "get_priority": _process_function,
        "timeout": _timeout,
        "np_": _non_progress,
        "c_expr": _embedded_expression,
        "proctype name": _remote,
    }


_Unit = (
    syntax.Proctype
    | syntax.Typedef
    | syntax.MtypeDeclaration
    | syntax.Declare
    | syntax.Exclusive
    | syntax.Claim
    | syntax.EmbeddedCDeclaration
)


def _code(token: Token) -> syntax.EmbeddedText:
    return syntax.EmbeddedText(token.content or token.where, token.raw)


def expected(what: str, token: Token, hint: str = "") -> SourceProblem:
    if token.kind == "=>":
        hint = "an arrow is written '->'"
    hint = hint or HABITS_ELSEWHERE.get((what, token.text), "")
    if token.text == "\\":
        hint = "only embedded C includes files of the system"
    return SourceProblem(f"expected {what}, got {_describe(token)}", where=token.where, hint=hint)


def _describe(token: Token) -> str:
    if token.kind == "end":
        return "the end of the file"
    if token.kind == ";" and token.text == "\n":
        return "the end of the line"
    if token.kind == "string":
        return "a string"
    if token.kind in ("c_code", "c_decl", "c_expr", "ltl"):
        return f"'{token.kind}'"
    if token.kind == "bad" and token.text == '"':
        return "a string that is not closed"
    if token.kind == "bad" and not token.text.isprintable():
        return f"the character {token.text!r}"
    text = token.text if len(token.text) <= 40 else token.text[:37] + "..."
    return f"'{text}'" if "'" not in text else text


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
