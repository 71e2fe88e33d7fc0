"""Words of preprocessed C, each with the place that the preprocessor's line markers give it.

Words of GNU C that change nothing are left out here; attributes that might change something are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from assay.checker.c.problems import CannotCheck

WORD = re.compile(
    r"""
      (?P<space>[ \t\f\v\r]+)
    | (?P<newline>\n)
    | (?P<directive>\#[^\n]*)
    | (?P<str>"(?:[^"\\\n]|\\.)*")
    | (?P<char>'(?:[^'\\\n]|\\.)+')
    | (?P<wide>(?:L|u8|u|U)(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'))
    | (?P<num>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
    | (?P<id>[A-Za-z_$][A-Za-z_0-9$]*)
    | (?P<op>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=
        |[-+*/%&|^~!<>=?:;,.(){}\[\]])
    """,
    re.VERBOSE,
)
MARKER = re.compile(r'#[ ]*(?:line[ ]+)?(\d+)(?:[ ]+"(?:[^"\\]|\\.)*"([ \d]*))?')
LEFT_OUT = {"__extension__", "__restrict", "__restrict__", "restrict", "_Noreturn"}
SAME = {
    "__const": "const",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__inline": "inline",
    "__inline__": "inline",
    "__signed": "signed",
    "__signed__": "signed",
}
REFUSED = {
    *("_Alignas", "alignas", "_Atomic", "_Complex", "_Generic", "_Thread_local", "__thread", "__label__"),
    *("typeof", "__typeof", "__typeof__", "__auto_type", "__int128", "__int128_t", "__uint128_t"),
    *("__builtin_va_arg", "setjmp", "longjmp", "__builtin_setjmp", "_BitInt"),
}
# Of functions and variables, and without a meaning for what a run computes.
HARMLESS = {
    *("access", "alloc_align", "alloc_size", "always_inline", "artificial", "cold", "const", "deprecated"),
    *("error", "fallthrough", "format", "format_arg", "gnu_inline", "hot", "leaf", "malloc", "noclone"),
    *("noinline", "nonnull", "nonstring", "noreturn", "nothrow", "pure", "returns_nonnull", "returns_twice"),
    *("sentinel", "transparent_union", "unused", "used", "visibility", "warning", "warn_unused_result"),
}
HARMLESS_PRAGMAS = {"diagnostic", "message", "once", "poison", "system_header", "unroll", "warning", "mark"}
MODE = "__mode__"  # stands for an attribute that changes a type
MOST_WORDS = 2_000_000


class Token(NamedTuple):
    kind: str  # id, num, char, str, op, end
    text: str
    line: int
    column: int
    is_of_system: bool


def tokens(text: str) -> list[Token]:
    found = list(_cleaned(_raw(text)))
    last = found[-1] if found else Token("end", "", 1, 1, False)
    return [*found, Token("end", "", last.line, last.column, False)]


def _raw(text: str) -> Iterator[Token]:
    line, start, position, is_of_system = 1, 0, 0, False
    count = 0
    while position < len(text):
        found = WORD.match(text, position)
        column = position - start + 1
        if found is None:
            raise CannotCheck(f"the character {text[position]!a}", line, column)
        kind = found.lastgroup or ""
        position = found.end()
        if kind == "newline":
            line, start = line + 1, position
        elif kind == "directive":
            marker = MARKER.match(found.group())
            if marker is not None:
                line = int(marker.group(1)) - 1
                is_of_system = "3" in (marker.group(2) or "").split()
            else:
                _require_harmless_pragma(found.group(), line, is_of_system=is_of_system)
        elif kind == "wide":
            if not is_of_system:
                raise CannotCheck("a text or character with a prefix", line, column)
        elif kind != "space":
            count += 1
            if count > MOST_WORDS:
                raise CannotCheck(f"a program of more than {MOST_WORDS} words")
            yield Token(kind, found.group(), line, column, is_of_system)


def _require_harmless_pragma(directive: str, line: int, *, is_of_system: bool) -> None:
    found = re.match(r"#\s*pragma\s+(?:GCC\s+)?(\w*)", directive)
    if found is None or (found.group(1) not in HARMLESS_PRAGMAS and not is_of_system):
        raise CannotCheck(f"'{directive[:60]}'", line, 1)


def _cleaned(words: Iterator[Token]) -> Iterator[Token]:
    for token in words:
        if token.kind != "id":
            yield token
        elif token.text in LEFT_OUT:
            continue
        elif token.text in SAME:
            yield token._replace(text=SAME[token.text])
        elif token.text in ("__attribute__", "__attribute"):
            names = list(_attributes(_in_parentheses(words, token), token))
            if "mode" in names:
                yield token._replace(text=MODE)
                names.remove("mode")
            wrong = [name for name in names if name not in HARMLESS]
            if wrong and not token.is_of_system:
                raise CannotCheck(f"the attribute '{wrong[0]}'", token.line, token.column)
        elif token.text in ("asm", "__asm", "__asm__"):
            inner = _in_parentheses(words, token)
            is_name = all(one.kind == "str" for one in inner)  # of a function, as the linker knows it
            reserved = "".join(one.text.strip('"') for one in inner).startswith("__")
            if not token.is_of_system and not (is_name and reserved):
                raise CannotCheck("assembler", token.line, token.column)
        elif token.text in REFUSED and not token.is_of_system:
            raise CannotCheck(f"'{token.text}'", token.line, token.column)
        else:
            yield token


def _in_parentheses(words: Iterator[Token], before: Token) -> list[Token]:
    depth, found = 0, []
    for token in words:
        if token.text == "(" and token.kind == "op":
            depth += 1
        elif token.text == ")" and token.kind == "op":
            depth -= 1
        found.append(token)
        if depth == 0:
            break
    if depth or not found or found[0].text != "(":
        raise CannotCheck(f"'{before.text}' without parentheses", before.line, before.column)
    return found[1:-1]


def _attributes(inner: list[Token], at: Token) -> Iterator[str]:
    """Names in `((name, name(...)))`."""
    depth = 0
    for token in inner:
        if token.kind == "op" and token.text in "()":
            depth += 1 if token.text == "(" else -1
        elif depth == 1 and token.kind == "id":
            yield token.text.strip("_")
        elif depth == 1 and token.text != ",":
            raise CannotCheck("an attribute that is not understood", at.line, at.column)
