"""Words of preprocessed C, each with the place that the preprocessor's line markers give it.

Words of GNU C that change nothing are left out here; attributes that might change something are refused. Any
file can call itself a header of the system, so little more is taken from one that does: attributes that can
only change where members of its types are.
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
    "__typeof": "typeof",
    "__typeof__": "typeof",
}
REFUSED = {
    *("_Alignas", "alignas", "_Atomic", "_Complex", "_Generic", "_Thread_local", "__thread", "__label__"),
    *("__auto_type", "__int128", "__int128_t", "__uint128_t"),
    *("__builtin_va_arg", "setjmp", "longjmp", "__builtin_setjmp", "_BitInt"),
}
# Of functions and variables, and without a meaning for what a run computes.
HARMLESS = {
    *("access", "alloc_align", "alloc_size", "always_inline", "artificial", "assume_aligned", "cold"),
    *("const", "deprecated", "error", "externally_visible", "fallthrough", "flatten", "format"),
    *("format_arg", "gnu_inline", "hot", "leaf", "malloc", "may_alias", "noclone", "noinline", "nonnull"),
    *("nonstring", "noreturn", "no_icf", "no_instrument_function", "no_reorder", "nothrow", "pure"),
    *("returns_nonnull", "returns_twice", "sentinel", "transparent_union", "unused", "used"),
    *("visibility", "warning", "warn_unused_result"),
}
# Types with it have members in other places.
ALTERING = {"aligned", "packed"}
# Sections that nobody looks through before `main` or behind it, as the linker does with `.init_array`.
SECTION = re.compile(
    r"\.(?:(?:text|data|init|exit|devinit|devexit|cpuinit|ref)\.[\w.]+|modinfo)|(?!__libc_)[A-Za-z_]\w*",
    re.ASCII,
)
# What a function is called behind the compiler, in the headers of glibc.
RENAMED = re.compile(r"__(?:isoc\d\d|xpg)_")
RENAMED_OTHERWISE = {("__sigsetjmp_cancel", "__sigsetjmp")}
WEAK = "__pthread_unwind_next"  # a function of the library, weak for the sake of old ones
# They begin where the linker has put variables of the program.
OF_THE_LINKER = re.compile(r"__(?:start|stop)_\w+|_*(?:bss_start|edata|end|etext|data_start)")
HARMLESS_PRAGMAS = {"diagnostic", "message", "once", "poison", "system_header", "unroll", "warning", "mark"}
SYSTEM_PRAGMAS = {"pop_macro", "pop_options", "push_macro", "push_options", "target", "visibility"}
MODE = "__mode__"  # stands for an attribute that changes a type
ALTERED = "__altered__"  # for one that changes a layout: behind `struct`, whatever it stood beside
LABEL = "__label_of_assembler__"  # behind a declaration of a function
MOST_WORDS = 2_000_000
MOST_BEFORE = 400  # of a declaration, before a word of GNU C


class Token(NamedTuple):
    kind: str  # id, num, char, str, op, end
    text: str
    line: int
    column: int
    is_of_system: bool


def tokens(text: str) -> list[Token]:
    found = list(_cleaned(_raw(text)))
    if any(one.text == ALTERED for one in found):
        found = list(_with_altered_in_front(found))
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
            raise CannotCheck("a text or character with a prefix", line, column)
        elif kind != "space":
            count += 1
            if count > MOST_WORDS:
                raise CannotCheck(f"a program of more than {MOST_WORDS} words")
            yield Token(kind, found.group(), line, column, is_of_system)


def _require_harmless_pragma(directive: str, line: int, *, is_of_system: bool) -> None:
    found = re.match(r"#\s*pragma\s+(?:GCC\s+)?(\w*)", directive)
    known = HARMLESS_PRAGMAS | (SYSTEM_PRAGMAS if is_of_system else set())
    if found is None or found.group(1) not in known:
        raise CannotCheck(f"'{directive[:60]}'", line, 1)


def _cleaned(words: Iterator[Token]) -> Iterator[Token]:
    before: list[Token] = []  # of a declaration or statement
    for token in words:
        before.append(token)
        if token.kind == "op" and token.text in ";{}":
            before.clear()
        if token.kind != "id":
            yield token
        elif token.text in LEFT_OUT:
            continue
        elif token.text in SAME:
            yield token._replace(text=SAME[token.text])
        elif token.text in ("__attribute__", "__attribute"):
            names = set(_attributes(_in_parentheses(words, token), token))
            if "mode" in names:
                yield token._replace(text=MODE)
            names -= {"mode", "weak"} if any(one.text == WEAK for one in before[-MOST_BEFORE:]) else {"mode"}
            altering = names & ALTERING
            wrong = sorted(names - HARMLESS - altering)
            if wrong:
                raise CannotCheck(f"the attribute '{wrong[0]}'", token.line, token.column)
            if altering:
                yield token._replace(text=ALTERED)
        elif token.text in ("asm", "__asm", "__asm__"):
            label = _in_parentheses(words, token)
            if not _is_of_the_library(before[-MOST_BEFORE:-1], label):
                raise CannotCheck("assembler", token.line, token.column)
            yield token._replace(text=LABEL)
        elif token.text in REFUSED and not token.is_of_system:
            raise CannotCheck(f"'{token.text}'", token.line, token.column)
        elif RENAMED.match(token.text):
            raise CannotCheck(f"the name '{token.text[:60]}'", token.line, token.column)
        else:
            yield token


def _is_of_the_library(declared: list[Token], label: list[Token]) -> bool:
    """Whether a declaration of a function gets a name by which the library knows it, and no other."""
    depth, name = 0, ""
    for at in range(len(declared) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(declared[at].text, 0) if declared[at].kind == "op" else 0
        if depth == 0:
            name = declared[at - 1].text if declared[at].text == "(" else ""
            break
    text = "".join(one.text[1:-1] for one in label)
    is_text = bool(label) and all(one.kind == "str" for one in label)
    is_renamed = RENAMED.match(text) is not None and RENAMED.sub("", text, count=1) == name
    return is_text and name != "" and (is_renamed or (name, text) in RENAMED_OTHERWISE)


def _with_altered_in_front(words: list[Token]) -> Iterator[Token]:
    """An attribute may change all types that its declaration defines."""
    whole: list[Token] = []
    depth, is_function = 0, False
    for token in words:
        if token.text == "{" and token.kind == "op" and depth == 0:
            is_function = bool(whole) and whole[-1].text == ")"
        if token.kind == "op":
            depth += {"{": 1, "}": -1}.get(token.text, 0)
        whole.append(token)
        if depth == 0 and token.kind == "op" and (token.text == ";" or (token.text == "}" and is_function)):
            own = next((one for one in whole if one.text == ALTERED and not one.is_of_system), None)
            if own is not None and (is_function or not _is_of_named_types(whole)):
                raise CannotCheck("an attribute that changes a layout in this place", own.line, own.column)
            yield from _altered(whole) if any(one.text == ALTERED for one in whole) else whole
            whole, is_function = [], False
    yield from whole


def _is_of_named_types(declaration: list[Token]) -> bool:
    """Whether nothing else can be changed than structs with their members here, or types without members."""
    words = [one.text for one in declaration if one.text != ALTERED]
    if words[0] == "{":  # the body of a function whose parameters are declared before it
        return False
    if "typedef" not in words:
        return True
    return "typedef" in words[:2] and ("{" not in words or words[-3] == "}")


def _altered(declaration: list[Token]) -> Iterator[Token]:
    left = [one for one in declaration if one.text != ALTERED]
    is_type = any(one.text == "typedef" for one in left[:2])
    has_members = any(one.text == "{" for one in left)
    depth = 0
    for at, token in enumerate(left):
        depth += {"{": 1, "}": -1, "(": 1, ")": -1}.get(token.text, 0) if token.kind == "op" else 0
        if token.text in (";", ",") and depth == 0 and is_type and not has_members:
            yield token._replace(kind="id", text=MODE)  # behind the name of a type
        yield token
        has_body = any(one.text == "{" for one in left[at + 1 : at + 3])
        if token.text in ("struct", "union", "enum") and token.kind == "id" and has_body:
            yield token._replace(text=ALTERED)


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
    """Names in `((name, name(...)))`. Sections that are like any other have none."""
    depth = 0
    for position, token in enumerate(inner):
        if token.kind == "op" and token.text in "()":
            depth += 1 if token.text == "(" else -1
        elif depth == 1 and token.kind == "id":
            name = token.text.strip("_")
            if name != "section" or not _is_common_section(inner[position + 1 :]):
                yield name
        elif depth == 1 and token.text != ",":
            raise CannotCheck("an attribute that is not understood", at.line, at.column)


def _is_common_section(after: list[Token]) -> bool:
    """`("a" "b")` follows, and the linker has no meaning for the name."""
    texts: list[str] = []
    for token in after[1:]:
        if token.kind != "str":
            break
        texts.append(token.text[1:-1])
    return SECTION.fullmatch("".join(texts)) is not None
