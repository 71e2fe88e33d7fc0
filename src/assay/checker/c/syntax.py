"""A parser of C11 by recursive descent: what a text says, without what it means.

A node has a kind, a place, and parts by name. Types stay as they are written: what `sizeof(x)` in an array's
length is, only a reader with scopes can say. All that is looked up here is which words name types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.checker.c.lexer import ALTERED, LABEL, MODE, Token, tokens
from assay.checker.c.problems import CannotCheck

BASE_WORDS = {
    *("void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool"),
    *("_Float128", "_Float64", "_Float32", "_Float32x", "_Float64x", "__float128", "__builtin_va_list"),
}
STORAGE = {"typedef", "extern", "static", "auto", "register", "inline"}
QUALIFIERS = {"const", "volatile"}
KEYWORDS = {
    *("if", "else", "while", "do", "for", "switch", "case", "default", "goto", "break", "continue", "return"),
    *("sizeof", "struct", "union", "enum", "_Static_assert", "_Alignof", "__alignof__"),
    *("typeof", "__builtin_offsetof"),
    *BASE_WORDS,
    *STORAGE,
    *QUALIFIERS,
}
PRECEDENCE = {
    **dict.fromkeys(("*", "/", "%"), 10),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("<", ">", "<=", ">="), 7),
    **dict.fromkeys(("==", "!="), 6),
    "&": 5,
    "^": 4,
    "|": 3,
    "&&": 2,
    "||": 1,
}
# gcc knows what these do and does it without a call, whatever body they have, or calls one for another.
KNOWN_TO_GCC = frozenset(
    "_Exit _exit abort abs aligned_alloc alloca bcmp bcopy bzero calloc dcgettext dgettext execl execle "
    "execlp execv execve execvp exit feclearexcept fegetenv fegetexceptflag fegetround feholdexcept "
    "feraiseexcept fesetenv fesetexceptflag fesetround fetestexcept feupdateenv ffs ffsl ffsll fork "
    "fprintf fprintf_unlocked fputc fputc_unlocked fputs fputs_unlocked free fscanf fwrite "
    "fwrite_unlocked gettext imaxabs index isalnum isalpha isascii isblank iscntrl isdigit isgraph "
    "islower isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph "
    "iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit labs llabs malloc memchr memcmp "
    "memcpy memmove mempcpy memset posix_memalign printf printf_unlocked putc putc_unlocked putchar "
    "putchar_unlocked puts puts_unlocked realloc rindex scanf snprintf sprintf sscanf stpcpy stpncpy "
    "strcasecmp strcat strchr strcmp strcpy strcspn strdup strfmon strftime strlen strncasecmp strncat "
    "strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr toascii tolower toupper towlower "
    "towupper vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf".split()
)
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}


class Node:
    """`kind`, `line` and `column`, and whatever parts its kind has."""

    def __init__(self, kind: str, at: Token | Node, **parts: Any) -> None:
        self.kind = kind
        self.line: int = at.line
        self.column: int = at.column
        self.parts = parts

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["parts"][name]
        except KeyError:
            raise AttributeError(name) from None


def parse(text: str) -> list[Node]:
    """The declarations and definitions of a file."""
    return Parser(tokens(text)).file()


class Parser:
    def __init__(self, words: list[Token]) -> None:
        self.words, self.at = words, 0
        # Of each scope: whether a name is a type there. What gcc knows without a declaration is among words.
        self.scopes: list[dict[str, bool]] = [{}]
        self.renamed: set[str] = set()  # functions that the linker knows by another name
        self.defined: set[str] = set()

    # --- words ---

    @property
    def now(self) -> Token:
        return self.words[self.at]

    def is_op(self, *texts: str) -> bool:
        return self.now.kind == "op" and self.now.text in texts

    def is_word(self, *texts: str) -> bool:
        return self.now.kind == "id" and self.now.text in texts

    def next(self) -> Token:
        found = self.words[self.at]
        self.at += found.kind != "end"
        return found

    def accept(self, text: str) -> bool:
        if self.now.text == text and self.now.kind in ("op", "id"):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        if self.now.text != text or self.now.kind not in ("op", "id"):
            raise self.problem(f"'{self.now.text[:40]}' where '{text}' is expected")
        return self.next()

    def problem(self, what: str) -> CannotCheck:
        return CannotCheck(what, self.now.line, self.now.column)

    def identifier(self) -> Token:
        if self.now.kind != "id" or self.now.text in KEYWORDS:
            raise self.problem(f"'{self.now.text[:40]}' where a name is expected")
        return self.next()

    # --- declarations ---

    def file(self) -> list[Node]:
        found: list[Node] = []
        while self.now.kind != "end":
            if self.accept(";"):
                continue
            found += self.external()
        return found

    def is_type_name(self, token: Token) -> bool:
        for scope in reversed(self.scopes):
            if token.text in scope:
                return scope[token.text]
        return False

    def begins_type(self) -> bool:
        now = self.now
        if now.kind != "id":
            return False
        words = BASE_WORDS | QUALIFIERS | {"struct", "union", "enum", "typeof"}
        return now.text in words or (now.text not in KEYWORDS and self.is_type_name(now))

    def begins_declaration(self) -> bool:
        return self.begins_type() or self.is_word(*STORAGE, "_Static_assert")

    def static_assertion(self) -> None:
        """gcc has checked it."""
        self.expect("_Static_assert")
        self.expect("(")
        self.assignment()
        if self.accept(","):
            self.assignment()
        self.expect(")")
        self.expect(";")

    def external(self) -> list[Node]:
        if self.is_word("_Static_assert"):
            self.static_assertion()
            return []
        start = self.now
        base, storage = self.specifiers()
        if self.accept(";"):
            return [Node("declare", start, name=None, type=base, storage=storage, init=None)]
        first = self.declarator(base)
        if first.name is None:
            raise self.problem("a declaration without a name")
        if self.is_op("{"):
            return [self.definition(first, storage)]
        if self.begins_declaration():
            raise self.problem("a function in the style of K&R")
        return self.declarators(first, base, storage)

    def definition(self, declared: Node, storage: set[str]) -> Node:
        if declared.type.kind != "function":
            raise self.problem("a body of what is no function")
        if "static" not in storage and declared.name in KNOWN_TO_GCC:
            raise self.problem(f"a definition of '{declared.name}', which gcc knows without it,")
        self.defined.add(declared.name)
        self._require_own_name(declared.name)
        self.scopes[-1][declared.name] = False
        self.scopes.append({one.name: False for one in declared.type.parameters if one.name is not None})
        body = self.compound(is_scope=False)
        self.scopes.pop()
        return Node("define", declared, name=declared.name, type=declared.type, storage=storage, body=body)

    def _require_own_name(self, name: str) -> None:
        """One that is renamed is the library's, which other files may mean as well."""
        if name in self.renamed & self.defined:
            raise self.problem(f"a definition of '{name}', which has another name for the linker,")

    def declarators(self, first: Node | None, base: Node, storage: set[str]) -> list[Node]:
        found = []
        declared = first
        while True:
            if declared is None:
                declared = self.declarator(base)
            kind = declared.type
            if self.now.kind == "id" and self.now.text == MODE:
                self.next()
                kind = Node("unmodelled", declared, name="a type with a mode")
            if declared.name is None:
                raise self.problem("a declaration without a name")
            if self.now.kind == "id" and self.now.text == LABEL:
                self.next()
                self.renamed.add(declared.name)
                self._require_own_name(declared.name)
            self.scopes[-1][declared.name] = "typedef" in storage
            init = self.initialiser() if self.accept("=") else None
            found.append(Node("declare", declared, name=declared.name, type=kind, storage=storage, init=init))
            if self.accept(";"):
                return found
            self.expect(",")
            declared = None

    def specifiers(self) -> tuple[Node, set[str]]:
        start, words, storage = self.now, [], set()
        is_volatile, named = False, None
        while self.now.kind == "id":
            text = self.now.text
            if text in STORAGE:
                storage.add(self.next().text)
            elif text in QUALIFIERS:
                is_volatile |= self.next().text == "volatile"
            elif text in BASE_WORDS:
                words.append(self.next().text)
            elif text in ("struct", "union", "enum"):
                named = self.enumeration() if text == "enum" else self.struct()
            elif text == "typeof":
                named = self.type_of()
            elif text == MODE:
                token = self.next()
                named = Node("unmodelled", token, name="a type with a mode")
            elif not words and named is None and text not in KEYWORDS and self.is_type_name(self.now):
                token = self.next()
                named = Node("named", token, name=token.text)
            else:
                break
        if words and named is not None:
            raise self.problem("a type of two types")
        kind = named or Node("base", start, words=tuple(sorted(words)))
        if not words and named is None:
            raise self.problem("a declaration without a type")
        return (Node("volatile", start, of=kind) if is_volatile else kind), storage

    def type_of(self) -> Node:
        start, is_type = self.next(), self._is_type_in_parentheses()
        self.expect("(")
        found = self.type_name() if is_type else self.expression()
        self.expect(")")
        return found if is_type else Node("typeof", start, value=found)

    def struct(self) -> Node:
        start = self.next()
        is_altered = self._accept_altered()
        tag = self.next().text if self.now.kind == "id" and self.now.text not in KEYWORDS else None
        fields: list[Node] | None = None
        if self.accept("{"):
            fields = []
            while not self.accept("}"):
                if self.is_word("_Static_assert"):
                    self.static_assertion()
                    continue
                fields += self.members()
        elif tag is None:
            raise self.problem("a struct without a name and without members")
        is_union = start.text == "union"
        return Node("struct", start, is_union=is_union, tag=tag, fields=fields, is_altered=is_altered)

    def _accept_altered(self) -> bool:
        """After `struct`, `union` or `enum`: an attribute may change the type."""
        is_altered = self.now.kind == "id" and self.now.text == ALTERED
        if is_altered:
            self.next()
        return is_altered

    def members(self) -> list[Node]:
        start = self.now
        base, _ = self.specifiers()
        found: list[Node] = []
        if self.accept(";"):
            return [Node("member", start, name=None, type=base, bits=None)]
        while True:
            if self.is_op(":"):
                declared = Node("declarator", self.now, name=None, type=base)
            else:
                declared = self.declarator(base)
            bits = self.conditional() if self.accept(":") else None
            found.append(Node("member", declared, name=declared.name, type=declared.type, bits=bits))
            if self.accept(";"):
                return found
            self.expect(",")

    def enumeration(self) -> Node:
        start = self.next()
        is_altered = self._accept_altered()
        tag = self.next().text if self.now.kind == "id" and self.now.text not in KEYWORDS else None
        items: list[Node] | None = None
        if self.accept("{"):
            items = []
            while not self.accept("}"):
                name = self.identifier()
                self.scopes[-1][name.text] = False
                value = self.conditional() if self.accept("=") else None
                items.append(Node("enumerator", name, name=name.text, value=value))
                if not self.is_op("}"):
                    self.expect(",")
        return Node("enum", start, tag=tag, items=items, is_altered=is_altered)

    def declarator(self, base: Node, *, is_abstract: bool = False) -> Node:
        """With the type around the name, or around nothing."""
        if self.is_op("*"):
            star = self.next()
            is_volatile = False
            while self.is_word(*QUALIFIERS):
                is_volatile |= self.next().text == "volatile"
            pointer = Node("pointer", star, of=base)
            return self.declarator(
                Node("volatile", star, of=pointer) if is_volatile else pointer, is_abstract=is_abstract
            )
        inner: int | None = None
        place: Token | None = None
        name: str | None = None
        if self.is_op("(") and self._is_inner_declarator(is_abstract=is_abstract):
            self.next()
            inner = self.at
            self._skip_to_closing()
        elif self.now.kind == "id" and self.now.text not in KEYWORDS and not is_abstract:
            place = self.next()
            name = place.text
        kind = self.suffixes(base)
        if inner is None:
            return Node("declarator", place or self.now, name=name, type=kind)
        after, self.at = self.at, inner
        found = self.declarator(kind, is_abstract=is_abstract)
        self.expect(")")
        self.at = after
        return found

    def _is_inner_declarator(self, *, is_abstract: bool) -> bool:
        following = self.words[self.at + 1]
        if following.kind == "op" and following.text in ("*", "(", "["):
            return True
        if following.kind != "id":
            return False
        is_type = following.text in BASE_WORDS | QUALIFIERS | STORAGE | {"struct", "union", "enum"}
        return not is_abstract and not is_type and not self.is_type_name(following)

    def _skip_to_closing(self) -> None:
        depth = 1
        while depth:
            token = self.next()
            if token.kind == "end":
                raise self.problem("a parenthesis that is not closed")
            if token.kind == "op":
                depth += {"(": 1, ")": -1}.get(token.text, 0)

    def suffixes(self, base: Node) -> Node:
        if self.is_op("["):
            start = self.next()
            while self.is_word("static", *QUALIFIERS):
                self.next()
            if self.is_op("*") and self.words[self.at + 1].text == "]":
                self.next()
                length = None
            else:
                length = None if self.is_op("]") else self.assignment()
            self.expect("]")
            return Node("array", start, of=self.suffixes(base), length=length)
        if self.is_op("("):
            start = self.next()
            parameters, is_variadic, is_open = self.parameters()
            result = self.suffixes(base)
            return Node(
                "function",
                start,
                of=result,
                parameters=parameters,
                is_variadic=is_variadic,
                is_open=is_open,
            )
        return base

    def parameters(self) -> tuple[list[Node], bool, bool]:
        if self.accept(")"):
            return [], False, True
        found: list[Node] = []
        self.scopes.append({})
        try:
            while True:
                if self.accept("..."):
                    self.expect(")")
                    return found, True, False
                if not self.begins_declaration():
                    raise self.problem("a parameter without a type")
                start = self.now
                base, _ = self.specifiers()
                declared = self.parameter(base)
                place = declared if declared.name is not None else start
                found.append(Node("parameter", place, name=declared.name, type=declared.type))
                if declared.name is not None:
                    self.scopes[-1][declared.name] = False
                if self.accept(")"):
                    return found, False, False
                self.expect(",")
        finally:
            self.scopes.pop()

    def parameter(self, base: Node) -> Node:
        """With a name or without."""
        before = self.at
        depth = 0
        while self.words[before + depth].text in ("*", "(", *QUALIFIERS):
            depth += 1
        word = self.words[before + depth]
        is_named = word.kind == "id" and word.text not in KEYWORDS and not self.is_type_name(word)
        return self.declarator(base, is_abstract=not is_named)

    def type_name(self) -> Node:
        base, storage = self.specifiers()
        if storage:
            raise self.problem("a type with a storage class")
        return self.declarator(base, is_abstract=True).type  # type: ignore[no-any-return]

    def initialiser(self) -> Node:
        if not self.is_op("{"):
            return self.assignment()
        start = self.next()
        items: list[Node] = []
        while not self.accept("}"):
            designators: list[Any] = []
            while self.is_op("[", "."):
                if self.next().text == "[":
                    designators.append(self.conditional())
                    if self.is_op("..."):
                        raise self.problem("a range of elements")
                    self.expect("]")
                else:
                    designators.append(self.next().text)
            if designators:
                self.expect("=")
            value = self.initialiser()
            items.append(Node("item", value, designators=designators, value=value))
            if not self.is_op("}"):
                self.expect(",")
        return Node("braces", start, items=items)

    # --- statements ---

    def compound(self, *, is_scope: bool = True) -> Node:
        start = self.expect("{")
        if is_scope:
            self.scopes.append({})
        items: list[Node] = []
        while not self.accept("}"):
            items += self.item()
        if is_scope:
            self.scopes.pop()
        return Node("compound", start, items=items)

    def item(self) -> list[Node]:
        following = self.words[self.at + 1]
        is_label = self.now.kind == "id" and following.kind == "op" and following.text == ":"
        if self.is_word("_Static_assert"):
            self.static_assertion()
            return []
        if not self.begins_declaration() or (is_label and self.now.text not in KEYWORDS):
            return [self.statement()]
        start = self.now
        base, storage = self.specifiers()
        if self.accept(";"):
            return [Node("declare", start, name=None, type=base, storage=storage, init=None)]
        return self.declarators(None, base, storage)

    def statement(self) -> Node:
        token = self.now
        if token.kind == "op":
            if token.text == "{":
                return self.compound()
            if token.text == ";":
                return Node("empty", self.next())
        following = self.words[self.at + 1]
        is_name = token.kind == "id" and token.text not in KEYWORDS
        if is_name and following.kind == "op" and following.text == ":":
            self.at += 2
            return Node("label", token, name=token.text, body=self.labelled())
        readers: dict[str, Callable[[Token], Node]] = {
            "if": self.if_,
            "while": self.while_,
            "do": self.do,
            "for": self.for_,
            "switch": self.switch,
            "case": self.case,
            "default": self.default,
            "goto": self.goto,
            "return": self.return_,
        }
        if token.kind == "id" and token.text in readers:
            return readers[self.next().text](token)
        if token.kind == "id" and token.text in ("break", "continue"):
            self.next()
            self.expect(";")
            return Node(token.text, token)
        value = self.expression()
        self.expect(";")
        return Node("expression", token, value=value)

    def labelled(self) -> Node:
        """What a label stands before; a declaration or nothing is not a statement in C11."""
        if self.is_op("}") or self.begins_declaration():
            return Node("empty", self.now)
        return self.statement()

    def in_parentheses(self) -> Node:
        self.expect("(")
        found = self.expression()
        self.expect(")")
        return found

    def if_(self, start: Token) -> Node:
        condition = self.in_parentheses()
        yes = self.statement()
        no = self.statement() if self.accept("else") else None
        return Node("if", start, condition=condition, yes=yes, no=no)

    def while_(self, start: Token) -> Node:
        return Node("while", start, condition=self.in_parentheses(), body=self.statement())

    def do(self, start: Token) -> Node:
        body = self.statement()
        self.expect("while")
        condition = self.in_parentheses()
        self.expect(";")
        return Node("do", start, condition=condition, body=body)

    def for_(self, start: Token) -> Node:
        self.expect("(")
        self.scopes.append({})
        if self.begins_declaration():
            first = self.item()
        else:
            first = [] if self.is_op(";") else [Node("expression", self.now, value=self.expression())]
            self.expect(";")
        condition = None if self.is_op(";") else self.expression()
        self.expect(";")
        after = None if self.is_op(")") else self.expression()
        self.expect(")")
        body = self.statement()
        self.scopes.pop()
        return Node("for", start, first=first, condition=condition, after=after, body=body)

    def switch(self, start: Token) -> Node:
        return Node("switch", start, value=self.in_parentheses(), body=self.statement())

    def case(self, start: Token) -> Node:
        value = self.conditional()
        last = self.conditional() if self.accept("...") else None
        self.expect(":")
        return Node("case", start, value=value, last=last, body=self.labelled())

    def default(self, start: Token) -> Node:
        self.expect(":")
        return Node("case", start, value=None, last=None, body=self.labelled())

    def goto(self, start: Token) -> Node:
        if self.is_op("*"):
            raise self.problem("a computed goto")
        name = self.identifier().text
        self.expect(";")
        return Node("goto", start, name=name)

    def return_(self, start: Token) -> Node:
        value = None if self.is_op(";") else self.expression()
        self.expect(";")
        return Node("return", start, value=value)

    # --- expressions ---

    def expression(self) -> Node:
        first = self.assignment()
        if not self.is_op(","):
            return first
        items = [first]
        while self.accept(","):
            items.append(self.assignment())
        return Node("comma", first, items=items)

    def assignment(self) -> Node:
        left = self.conditional()
        if self.now.kind == "op" and self.now.text in ASSIGNMENTS:
            operator = self.next().text
            return Node("assign", left, op=operator, left=left, right=self.assignment())
        return left

    def conditional(self) -> Node:
        condition = self.operators(1)
        if not self.is_op("?"):
            return condition
        self.next()
        if self.is_op(":"):
            self.next()
            return Node("or_else", condition, value=condition, no=self.conditional())
        yes = self.expression()
        self.expect(":")
        return Node("conditional", condition, condition=condition, yes=yes, no=self.conditional())

    def operators(self, least: int) -> Node:
        left = self.cast()
        while self.now.kind == "op" and PRECEDENCE.get(self.now.text, 0) >= least:
            operator = self.next().text
            right = self.operators(PRECEDENCE[operator] + 1)
            left = Node("binary", left, op=operator, left=left, right=right)
        return left

    def _is_type_in_parentheses(self) -> bool:
        if not self.is_op("("):
            return False
        self.at += 1
        found = self.begins_type()
        self.at -= 1
        return found

    def cast(self) -> Node:
        if not self._is_type_in_parentheses():
            return self.unary()
        start = self.next()
        kind = self.type_name()
        self.expect(")")
        if self.is_op("{"):
            raise self.problem("a compound literal")
        return Node("cast", start, type=kind, value=self.cast())

    def unary(self) -> Node:
        token = self.now
        if token.kind == "op" and token.text in ("++", "--"):
            self.next()
            return Node("increment", token, op=token.text, value=self.unary(), is_before=True)
        if token.kind == "op" and token.text in ("&", "*", "+", "-", "~", "!"):
            self.next()
            return Node("unary", token, op=token.text, value=self.cast())
        if token.kind == "op" and token.text == "&&":
            raise self.problem("the address of a label")
        if self.is_word("sizeof"):
            self.next()
            if self._is_type_in_parentheses():
                self.next()
                kind = self.type_name()
                self.expect(")")
                return Node("sizeof", token, type=kind, value=None)
            return Node("sizeof", token, type=None, value=self.unary())
        if self.is_word("_Alignof", "__alignof__"):
            raise self.problem("an alignment")
        if self.is_word("__builtin_offsetof"):
            return self.offset()
        return self.postfix(self.primary())

    def offset(self) -> Node:
        """`steps` are names of members, and expressions for elements."""
        start = self.next()
        self.expect("(")
        kind = self.type_name()
        self.expect(",")
        steps: list[str | Node] = [self.identifier().text]
        while not self.accept(")"):
            if self.accept("."):
                steps.append(self.identifier().text)
            else:
                self.expect("[")
                steps.append(self.expression())
                self.expect("]")
        return Node("offset", start, type=kind, steps=steps)

    def primary(self) -> Node:
        token = self.next()
        if token.kind == "num":
            return Node("number", token, text=token.text)
        if token.kind == "char":
            return Node("character", token, text=token.text)
        if token.kind == "str":
            texts = [token.text]
            while self.now.kind == "str":
                texts.append(self.next().text)
            return Node("string", token, texts=texts)
        if token.kind == "id" and token.text not in KEYWORDS:
            return Node("name", token, name=token.text)
        if token.kind == "op" and token.text == "(":
            is_block = self.is_op("{")
            found = Node("block", token, body=self.compound()) if is_block else self.expression()
            self.expect(")")
            return found
        raise CannotCheck(f"'{token.text[:40]}' in an expression", token.line, token.column)

    def postfix(self, value: Node) -> Node:
        while self.now.kind == "op":
            if self.accept("["):
                index = self.expression()
                self.expect("]")
                value = Node("index", value, value=value, index=index)
            elif self.accept("("):
                arguments = []
                while not self.accept(")"):
                    arguments.append(self.assignment())
                    if not self.is_op(")"):
                        self.expect(",")
                value = Node("call", value, function=value, arguments=arguments)
            elif self.accept("."):
                value = Node("member_of", value, value=value, name=self.next().text)
            elif self.accept("->"):
                value = Node("member_at", value, value=value, name=self.next().text)
            elif self.is_op("++", "--"):
                operator = self.next().text
                value = Node("increment", value, op=operator, value=value, is_before=False)
            else:
                break
        return value
