"""Functions of C's library that change memory or return pointers into it, as texts of C (C11 7.24).

A program that calls one and does not define it is read as if this were one more file of it: so proofs and
runs follow what the function does, byte by byte. Where there is no C library for a data model the compiled
program gets the same texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pycparser import c_ast

from assay.languages.c import reading_functions
from assay.languages.c.preprocessing import DataModel

PATH = "C library"
_COPIED = "{ char *p = to; while ((*p = *of)) { p++; of++; } return to; }"
_FOUND = "{ char wanted = (char)c; for (;; s++) { if (*s == wanted) return (char *)s; if (!*s) return 0; } }"
_LAST = (
    "{ char wanted = (char)c; char *found = 0; for (;; s++)"
    " { if (*s == wanted) found = (char *)s; if (!*s) return found; } }"
)
TEXTS: Mapping[str, str] = {
    "strcpy": f"char *strcpy(char *to, const char *of) {_COPIED}",
    "stpcpy": "char *stpcpy(char *to, const char *of) { while ((*to = *of)) { to++; of++; } return to; }",
    "strncpy": "char *strncpy(char *to, const char *of, size_t n) { size_t i = 0;"
    " while (i < n && of[i]) { to[i] = of[i]; i++; } while (i < n) { to[i] = 0; i++; } return to; }",
    "strcat": "char *strcat(char *to, const char *of)"
    " { char *p = to; while (*p) p++; while ((*p = *of)) { p++; of++; } return to; }",
    "strncat": "char *strncat(char *to, const char *of, size_t n)"
    " { char *p = to; size_t i = 0; while (*p) p++;"
    " while (i < n && of[i]) { *p = of[i]; p++; i++; } *p = 0; return to; }",
    "strchr": f"char *strchr(const char *s, int c) {_FOUND}",
    "strrchr": f"char *strrchr(const char *s, int c) {_LAST}",
    "strstr": "char *strstr(const char *s, const char *t) { for (;; s++) { size_t i = 0;"
    " while (t[i] && s[i] == t[i]) i++; if (!t[i]) return (char *)s; if (!*s) return 0; } }",
    "strpbrk": "char *strpbrk(const char *s, const char *some) { for (; *s; s++) { size_t i = 0;"
    " while (some[i]) { if (some[i] == *s) return (char *)s; i++; } } return 0; }",
    "memchr": "void *memchr(const void *s, int c, size_t n) { const unsigned char *p = s; size_t i;"
    " for (i = 0; i < n; i++) if (p[i] == (unsigned char)c) return (void *)(p + i); return 0; }",
    "bzero": "void bzero(void *to, size_t n)"
    " { unsigned char *p = to; size_t i; for (i = 0; i < n; i++) p[i] = 0; }",
}


# They read through pointers: where bounds are asked for, what they read is part of the question.
READING: Mapping[str, str] = {
    name: reading_functions.TEXTS[name].replace("unsigned long", "size_t")
    for name in ("strlen", "strnlen", "strcmp", "strncmp", "memcmp", "strcasecmp", "atoi")
}


def read(checks: Collection[str]) -> Mapping[str, str]:
    """Texts of all that are read as a part of the program."""
    return {**TEXTS, **READING} if "bounds" in checks else TEXTS


def wanted(trees: Iterable[c_ast.FileAST], checks: Collection[str]) -> list[str]:
    """Names of those that are called and that no file defines."""
    called: set[str] = set()
    defined: set[str] = set()

    class Names(c_ast.NodeVisitor):  # type: ignore[misc]
        def visit_ID(self, node: c_ast.ID) -> None:  # noqa: N802
            called.add(node.name)

        def visit_FuncDef(self, node: c_ast.FuncDef) -> None:  # noqa: N802
            defined.add(node.decl.name)
            self.generic_visit(node)

    for tree in trees:
        Names().visit(tree)
    return [name for name in read(checks) if name in called and name not in defined]


def text_of(names: Iterable[str], model: DataModel) -> str:
    size = "unsigned int" if model.pointer == 32 else "unsigned long"
    return "\n".join((f"typedef {size} size_t;", *({**TEXTS, **READING}[name] for name in names)))
