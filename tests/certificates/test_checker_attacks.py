"""Programs that fail when gcc compiles them and that a reader of C could take for safe ones.

Each is compiled and run: a program here that does not fail says nothing. Neither front end may call it safe.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import assay
from assay.checker.c.checking import asked, deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck, NoProof
from assay.checker.c.proofs import Proof
from assay.transition_system.interface import SourceProblem

# ruff: noqa: E501 (programs on one line)

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
FAILED = 77
REST = "extern void _exit(int);\nvoid reach_error(void) { _exit(77); }\nint __VERIFIER_nondet_int(void) { return 3; }\n"
BODY = "int main(void) { return body(); }\n"
# What each does in its own text must not do more because the text calls itself a header of the system.
OF_THE_SYSTEM = {
    "constructor": "int x; __attribute__((constructor)) void f(void) { x = 1; } int body(void) { if (x) reach_error(); return 0; }",
    "alias": 'int x = 1; extern int y __attribute__((alias("x"))); int body(void) { y = 5; if (x == 5) reach_error(); return 0; }',
    "pragma weak": "#pragma weak f = g\nint g(void) { reach_error(); return 0; } int f(void); int body(void) { f(); return 0; }",
    "redefine_extname": "#pragma redefine_extname f g\nint g(void) { reach_error(); return 0; } int f(void); int body(void) { f(); return 0; }",
    "assembler": 'static int body(void) { int x = 0; __asm__("movl $1,%0" : "=r"(x)); if (x) reach_error(); return 0; }',
    "a label for the linker": 'void q(void) __asm__("reach_error"); int body(void) { q(); return 0; }',
    "cleanup": "void f(int *p) { reach_error(); } int body(void) { __attribute__((cleanup(f))) int x = 1; return 0; }",
    "the order of bytes": "#pragma scalar_storage_order big-endian\nstruct s { int i; }; union u { struct s s; char c[4]; }; int body(void) { union u x; x.s.i = 1; if (x.c[3] == 1) reach_error(); return 0; }",
    "a mode": "int x __attribute__((mode(QI))); int body(void) { x = 300; if (x == 44) reach_error(); return 0; }",
    "the mode of a parameter": "int f(int x __attribute__((mode(QI)))) { return x; } int body(void) { if (f(300) == 44) reach_error(); return 0; }",
    "alignas": "struct s { char c; _Alignas(16) int i; }; int body(void) { if (sizeof(struct s) == 32) reach_error(); return 0; }",
    "packed": "struct s { char c; int i; } __attribute__((packed)); int body(void) { if (sizeof(struct s) == 5) reach_error(); return 0; }",
    "a wide text": 'int body(void) { if (sizeof("x" L"a") == 12) reach_error(); return 0; }',
    "a wide character": "int body(void) { if (L'a' == 97) reach_error(); return 0; }",
    "a section": 'int x; void f(void) { x = 1; } __attribute__((section(".init_array"), used)) void (*p)(void) = f; int body(void) { if (x) reach_error(); return 0; }',
    "weak": "__attribute__((weak)) int f(void); int body(void) { if (!f) reach_error(); return 0; }",
}
PROGRAMS = {
    **{f"{name}, by a marker": f'# 5 "/usr/include/q.h" 1 3\n{text}\n{BODY}' for name, text in OF_THE_SYSTEM.items()},
    "a variable with the name of another": 'int __x; extern int y __asm__("__x"); int main(void) { __x = 1; y = 2; if (__x != 1) reach_error(); }',
    "a function with the name of another": 'int x; int __g(void) { x = 1; return 0; } int f(void) __asm__("__g"); int main(void) { f(); if (x) reach_error(); }',
    "a name of the library for one of the program": 'int x; int __isoc99_f(void) { x = 1; return 0; } int f(void) __asm__("__isoc99_f"); int main(void) { f(); if (x) reach_error(); }',
    "a section that is run before main": 'int x; void f(void) { x = 1; } __attribute__((section(".init_array"), used)) void (*p)(void) = f; int main(void) { if (x) reach_error(); }',
    "the same, spelled otherwise": 'int x; void f(void) { x = 1; } __attribute__((section(".init" "\\137array"), used)) void (*p)(void) = f; int main(void) { if (x) reach_error(); }',
    "a section that is run behind main": 'void f(void) { reach_error(); } __attribute__((section(".fini_array"), used)) void (*p)(void) = f; int main(void) { }',
    "where a section begins": 'int x __attribute__((section("foo"))) = 1; extern int __start_foo; int main(void) { __start_foo = 5; if (x == 5) reach_error(); }',
    "a handler": "int __cxa_atexit(void (*)(void *), void *, void *); void f(void *p) { reach_error(); } int main(void) { void (*g)(void *) = f; __cxa_atexit(g, 0, 0); }",
    "memcpy by another name": "void *__memcpy_chk(void *, const void *, unsigned long, unsigned long); int main(void) { int x = 1, y = 2; __memcpy_chk(&x, &y, 4, 4); if (x == 2) reach_error(); }",
    "setjmp by another name": "typedef long buffer[25]; int _setjmp(buffer); void _longjmp(buffer, int); buffer b; int main(void) { if (_setjmp(b)) reach_error(); _longjmp(b, 1); }",
    "a format that stores": 'int printf(const char *, ...); int x; int main(void) { printf("ab%\\x6e", &x); if (x == 2) reach_error(); }',
    "a format of glibc that stores": 'int printf(const char *, ...); long x; int main(void) { printf("ab%qn", &x); if (x == 2) reach_error(); }',
    "a part in the place of another": "struct s { int a, b; }; struct t { struct s s; int c; } x = { .s = { 1, 5 }, .s = { .b = 2 } }; int main(void) { if (x.s.a == 0) reach_error(); }",
    "a whole in the place of a part": "struct s { int a, b; }; struct t { struct s s; int c; }; int main(void) { struct t x = { .s.a = 4, .s = { .b = 2 } }; if (x.s.a == 0) reach_error(); }",
    "elements in the place of others": "int a[2][2] = { [0] = { 1, 2 }, [0] = { [1] = 8 } }; int main(void) { if (a[0][0] == 0) reach_error(); }",
    "a part in the place of that of a struct": "struct s { int a, b; }; struct t { struct s s; int c; }; int main(void) { struct s q = { 1, 2 }; struct t x = { .s = q, .s.b = 9 }; if (x.s.a == 0) reach_error(); }",
    "two members of a union": "union { int i; char c; } u = { .i = 0x101, .c = 1 }; int main(void) { if (u.i == 1) reach_error(); }",
    "a union without its braces": "struct { int a; union { int b; char c; }; int d; } s = { 1, 2, 4 }; int main(void) { if (s.b == 2 && s.d == 4) reach_error(); }",
    "a struct that hides another": "struct s { char c; }; int f(void) { struct s; typedef struct s *P; struct s { long a; }; return sizeof(*(P)0); } int main(void) { if (f() == 8) reach_error(); }",
    "what is expected is a long": "int main(void) { unsigned u = 4294967295u; if (-1 < __builtin_expect(u, 0)) reach_error(); }",
    "abs is that of gcc": "int abs(int x) { return 5; } int main(void) { if (abs(-3) == 3) reach_error(); }",
    "abs in parentheses": "int (abs)(int x) { return 5; } int main(void) { if (abs(-3) == 3) reach_error(); }",
    "strlen is that of gcc": 'unsigned long strlen(const char *s) { return 5; } int main(void) { if (strlen("abc") == 3) reach_error(); }',
    "memcpy is that of gcc": "void *memcpy(void *a, const void *b, unsigned long n) { return a; } int x = 1, y = 2; int main(void) { memcpy(&x, &y, 4); if (x == 2) reach_error(); }",
    "gcc calls puts for printf": 'int x; int puts(const char *s) { x = 1; return 0; } int printf(const char *, ...); int main(void) { printf("hello\\n"); if (x) reach_error(); }',
}  # fmt: skip
SEVERAL = {
    "abs of another file": ("int abs(int); int main(void) { if (abs(-3) == 3) reach_error(); }", "int abs(int x) { return 5; }"),
}  # fmt: skip


def fails_when_it_runs(files: list[Path], folder: Path) -> bool:
    rest, made = folder / "rest.c", folder / "program"
    rest.write_text(REST)
    options = ["-std=gnu11", "-w", "-O0", "-fwrapv"]
    subprocess.run(["gcc", *options, *map(str, files), str(rest), "-o", str(made)], check=True)
    return subprocess.run([made], check=False, timeout=20).returncode == FAILED


def is_accepted(files: list[Path], model: str = "LP64", checks: tuple[str, ...] = ()) -> bool:
    """By the independent checker, with a bound for all loops and some recursion."""
    try:
        with deep():
            expanded = [expand(one.read_bytes(), one, model, []) for one in files]
            program = read(expanded, model, checks, [], 4, (), [one.name for one in files])
            paths = list(dict.fromkeys(where for where, _, _ in program.points))
            body = {
                "bound": 12,
                "rounds": 0,
                "recursion": 4,
                "nodes": [],
                "locations": [
                    {"instance": paths.index(where), "line": line, "column": column, "holds": []}
                    for where, line, column in program.points
                ],
                "instances": [[list(site) for site in one] for one in paths],
            }
            wanted = list(Proof(body, program).obligations())
        asked(wanted)
    except (NoProof, CannotCheck):
        return False
    return True


def written(texts: tuple[str, ...], folder: Path) -> list[Path]:
    files = [folder / f"part{number}.c" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(HEAD + text)
    return files


ALL = {name: (text,) for name, text in PROGRAMS.items()} | SEVERAL


@pytest.mark.parametrize("name", ALL)
def test_no_front_end_calls_a_program_safe_that_fails(name: str, tmp_path: Path) -> None:
    files = written(ALL[name], tmp_path)
    assert fails_when_it_runs(files, tmp_path)
    assert not is_accepted(files)
    try:
        result = assay.verify(files[0], c_sources=[str(one) for one in files[1:]], timeout_seconds=60)
    except SourceProblem:
        return
    assert result.verdict.value == "violated"


@pytest.mark.parametrize("name", OF_THE_SYSTEM)
def test_a_file_that_calls_itself_a_header_of_the_system_is_read_as_any_other(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "own.h").write_text(f"#pragma GCC system_header\n{OF_THE_SYSTEM[name]}\n")
    files = written((f'#include "own.h"\n{BODY}',), tmp_path)
    assert fails_when_it_runs(files, tmp_path)
    assert not is_accepted(files)
    try:
        assert assay.verify(files[0], timeout_seconds=60).verdict.value == "violated"
    except SourceProblem:
        return


def test_headers_of_the_system_are_read(tmp_path: Path) -> None:
    names = "stdio stdlib string assert errno limits stdint stddef stdbool unistd signal setjmp time pthread"
    text = "".join(f"#include <{name}.h>\n" for name in [*names.split(), "sys/socket", "netinet/in"])
    files = written((text + "int main(void) { assert(1); return 0; }\n",), tmp_path)
    assert is_accepted(files)
    assert assay.verify(files[0], timeout_seconds=60).verdict.value == "verified"
