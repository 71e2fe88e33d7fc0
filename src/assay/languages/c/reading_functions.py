"""Functions of C's library whose results follow from what they are given, as texts of C.

A proof takes their results for any value, which is more than they return. A run that fails by such a value is
no run of the program: so the compiled program is given these functions, and not the values of the run.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.languages.c.rules import REAL

TEXTS: Mapping[str, str] = {
    "strlen": "unsigned long strlen(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; }",
    "strnlen": "unsigned long strnlen(const char *s, unsigned long m)"
    " { unsigned long n = 0; while (n < m && s[n]) n++; return n; }",
    "strcmp": "int strcmp(const char *a, const char *b)"
    " { while (*a && *a == *b) { a++; b++; } return (unsigned char)*a - (unsigned char)*b; }",
    "strncmp": "int strncmp(const char *a, const char *b, unsigned long n) { for (; n; n--, a++, b++)"
    " if (*a != *b || !*a) return (unsigned char)*a - (unsigned char)*b; return 0; }",
    "memcmp": "int memcmp(const void *a, const void *b, unsigned long n)"
    " { const unsigned char *x = a, *y = b;"
    " for (; n; n--, x++, y++) if (*x != *y) return *x - *y; return 0; }",
    "strcasecmp": "int strcasecmp(const char *a, const char *b) { for (;; a++, b++) {"
    " int x = (unsigned char)*a, y = (unsigned char)*b;"
    " x += x >= 'A' && x <= 'Z' ? 32 : 0; y += y >= 'A' && y <= 'Z' ? 32 : 0;"
    " if (x != y || !x) return x - y; } }",
    "htonl": "unsigned htonl(unsigned n) { return __builtin_bswap32(n); }",
    "ntohl": "unsigned ntohl(unsigned n) { return __builtin_bswap32(n); }",
    "htons": "unsigned short htons(unsigned short n) { return __builtin_bswap16(n); }",
    "ntohs": "unsigned short ntohs(unsigned short n) { return __builtin_bswap16(n); }",
    "ffs": "int ffs(int n) { return __builtin_ffs(n); }",
    "isdigit": "int isdigit(int c) { return c >= '0' && c <= '9'; }",
    "islower": "int islower(int c) { return c >= 'a' && c <= 'z'; }",
    "isupper": "int isupper(int c) { return c >= 'A' && c <= 'Z'; }",
    "isalpha": "int isalpha(int c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }",
    "isalnum": "int isalnum(int c)"
    " { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }",
    "isxdigit": "int isxdigit(int c)"
    " { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f'); }",
    "isprint": "int isprint(int c) { return c >= ' ' && c <= '~'; }",
    "iscntrl": "int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 127; }",
    "isgraph": "int isgraph(int c) { return c > ' ' && c <= '~'; }",
    "isblank": "int isblank(int c) { return c == ' ' || c == 9; }",
    "isspace": "int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }",
    "tolower": "int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }",
    "toupper": "int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }",
    "atoi": "int atoi(const char *s) { unsigned n = 0; int negative;"
    " while (*s == ' ' || (*s >= 9 && *s <= 13)) s++; negative = *s == '-'; if (*s == '-' || *s == '+') s++;"
    " for (; *s >= '0' && *s <= '9'; s++) n = n * 10 + (*s - '0'); return (int)(negative ? -n : n); }",
}


def text_of(name: str) -> str:
    """Of a function that the program calls so, also of one that a rule was woven around; empty: of none."""
    plain = name.removesuffix(REAL)
    return TEXTS[plain].replace(f"{plain}(", f"{name}(", 1) if plain in TEXTS else ""
