"""gcc believes a declaration, whatever is defined elsewhere: programs in which the two differ are refused by
both front ends, and their neighbours, in which they agree, are read.

Each program has one file or two. Those that are refused would be judged wrongly if a name alone counted.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.checker import check
from assay.checker.c.checking import deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions


def fails_if(condition: str) -> str:
    return f"int main(void) {{ if ({condition}) reach_error(); }}"


ERROR = "extern void reach_error(void);\n"
SYSTEM = """\
# 1 "/usr/include/of_a_system.h" 1 3 4
enum small { ONE, TWO } __attribute__((packed));
typedef int wide __attribute__((aligned(16)));
struct tight { char c; long x; } __attribute__((packed));
typedef struct { char c; long x __attribute__((packed)); } member;
struct plain { char c; long x; } __attribute__((may_alias));
# 7 "program.c" 2
"""
STRUCT = "struct s { int x; struct { %s y; } in; };\n"
USES_STRUCT = "int f(struct s *p);\nint main(void) { struct s v = {1, {2}}; if (f(&v) != 2) reach_error(); }"
# Of each: the texts of its files, and a part of what is said.
REFUSED: dict[str, tuple[list[str], str]] = {
    "a parameter of another type": (
        ["int f(long); " + fails_if("f(0x100000001L) != 1"), "int f(int x) { return x; }"],
        "declared as int(long) and defined as int(int)",
    ),
    "a result of another type": (
        ["unsigned f(void); " + fails_if("f() / 2 > 0"), "int f(void) { return -1; }"],
        "declared as unsigned int() and defined as int()",
    ),
    "no parameters, and an argument of another width": (
        ["int f(); " + fails_if("f(1) != 1"), "int f(long x) { return x == 1; }"],
        "with int for long",
    ),
    "the address of a function of another type": (
        [
            "int f(int);\nint main(void) { int (*p)(int) = f; if (p(1) != 1) reach_error(); }",
            "int f(long x) { return 1; }",
        ],
        "the address of 'f', which is int(long) and declared as int(int)",
    ),
    "a table of functions of another type": (
        ["int f(int);\nint (*t[1])(int) = {f}; " + fails_if("t[0](1)"), "int f(long x) { return 0; }"],
        "the address of 'f', which is declared with another type",
    ),
    "an array of other elements, of unknown length": (
        ["extern int a[]; " + fails_if("a[1]"), "long a[2] = {0x100000000L, 0};"],
        "'a' with two types, int[] and long[2]",
    ),
    "a struct in a struct, both without a name": (
        [STRUCT % "int" + USES_STRUCT, ERROR + STRUCT % "long" + "int f(struct s *p) { return p->in.y; }"],
        "struct s with other members in another file",
    ),
    "structs without a tag": (
        [
            "typedef struct { int x; } t;\nextern t v; " + fails_if("v.x"),
            "typedef struct { long y; } t; t v;",
        ],
        "'v' with two types",
    ),
    "an input of another sign": (
        [
            "extern unsigned __VERIFIER_nondet_int(void); "
            + fails_if("__VERIFIER_nondet_int() / 2 > 0x40000000")
        ],
        "an input '__VERIFIER_nondet_int' of type unsigned int",
    ),
    "an input that is not declared is an int": (
        [fails_if("__VERIFIER_nondet_longlong() > 0x100000000")],
        "an input '__VERIFIER_nondet_longlong' of type int",
    ),
    "a function of the library that is declared without a sign": (
        [
            "extern int __VERIFIER_nondet_int(void); extern unsigned abs(int); "
            + fails_if("abs(__VERIFIER_nondet_int()) - 1 > 0x7fffffff")
        ],
        "a function 'abs' that is declared to return unsigned int",
    ),
    "a function of the library whose pointer is cut": (
        ["extern int malloc(unsigned long); " + fails_if("(long)malloc(4) > 0x7fffffffL")],
        "a function 'malloc' that is declared to return int",
    ),
    "a packed struct of a system header": (
        [SYSTEM + fails_if("sizeof(struct tight) == 9")],
        "the layout of struct tight",
    ),
    "a packed member of a system header": (
        [SYSTEM + fails_if("sizeof(member) == 9")],
        "the layout of struct at line",
    ),
    "a packed enumeration of a system header": (
        [SYSTEM + fails_if("sizeof(enum small) == 1")],
        "the size of enum small",
    ),
    "an aligned type of a system header": (
        [SYSTEM + "struct s { char c; wide w; }; " + fails_if("sizeof(struct s) == 32")],
        "the size of 'wide'",
    ),
    "a packed struct": (
        ["struct s { char c; int i; } __attribute__((packed)); " + fails_if("sizeof(struct s) == 5")],
        "the layout of struct s",
    ),
    "a struct with a packed one in it": (
        [
            "struct s { char c; int i __attribute__((packed)); }; struct u { char c; struct s s; };\n"
            + fails_if("sizeof(struct u) == 6")
        ],
        "the layout of struct s",
    ),
    "a struct with an aligned member": (
        [
            "typedef int wide __attribute__((aligned(16))); struct s { char c; wide w; };\n"
            + fails_if("sizeof(struct s) == 32")
        ],
        "the size of 'wide'",
    ),
    "an element of a packed struct": (
        [
            "struct s { char c; int i; } __attribute__((packed)); struct s a[2], *p = a;\n"
            + fails_if("(char *)(p + 1) - (char *)p == 5")
        ],
        "the layout of struct s",
    ),
    "a packed enumeration": (
        ["typedef enum { A, B } __attribute__((packed)) e; e x = 300; " + fails_if("x != 300")],
        "'e', which has a layout of its own",
    ),
    "a packed struct without a name": (
        ["struct { char c; int i; } __attribute__((packed)) x; " + fails_if("sizeof x == 5")],
        "an attribute that changes a layout",
    ),
    "a packed struct without a name in another": (
        [
            "struct s { struct { char c; int i; } __attribute__((packed)) in; } x;\n"
            + fails_if("sizeof x.in == 5")
        ],
        "an attribute that changes a layout",
    ),
    "an aligned type behind its words": (
        [
            "unsigned long typedef wide __attribute__((aligned(16))); struct s { char c; wide w; };\n"
            + fails_if("sizeof(struct s) == 32")
        ],
        "an attribute that changes a layout",
    ),
    "an aligned type in an old function": (
        [
            "int f(a) int a; { typedef int wide __attribute__((aligned(16)));\n"
            " struct s { char c; wide w; }; return sizeof(struct s); }\n" + fails_if("f(1) == 32")
        ],
        "an attribute that changes a layout",
    ),
    "a number of 128 bits": (
        [fails_if("sizeof(__float128) == 16")],
        "the size of '__float128'",
    ),
    "arguments that nobody counted": (
        ["#include <stdarg.h>\n" + fails_if("sizeof(va_list) == 24")],
        "the layout of struct __va_list_tag",
    ),
}
READ: dict[str, list[str]] = {
    "packed structs whose members nobody looks for": [
        "struct s { char c; int i; } __attribute__((packed)); int x __attribute__((aligned(64)));\n"
        "typedef struct { char c; int i __attribute__((aligned(8))); } t; struct s v = {1, 2};\n"
        + fails_if("v.i != 2 || x")
    ],
    "a function": ["int f(long); " + fails_if("f(1) != 1"), "int f(long x) { return x; }"],
    "no parameters, and an argument of that width": [
        "int f(); " + fails_if("f(1) != 1"),
        "int f(int x) { return x == 1; }",
    ],
    "a table of functions": [
        "int f(int);\nint (*t[1])(int) = {f}; " + fails_if("t[0](1)"),
        "int f(int x) { return 0; }",
    ],
    "an array of unknown length": ["extern int a[]; " + fails_if("a[1]"), "int a[2] = {1, 0};"],
    "a struct in a struct": [
        STRUCT % "int" + USES_STRUCT,
        "\n" + STRUCT % "int" + "int f(struct s *p) { return p->in.y; }",
    ],
    "structs without a tag": [
        "typedef struct { int x; } t;\nextern t v; " + fails_if("v.x"),
        "typedef struct { int x; } t; t v;",
    ],
    # taken for another function, it would be the one of the first file
    "a static function that is declared again in a function": [
        "int g(void);\nstatic int h(int x) { return 100; } " + fails_if("g() != h(0) - 97"),
        "static int h(int x) { return x; }\nint g(void) { extern int h(int); return h(3); }",
    ],
    "functions of the library that are declared as they are": [
        "extern int abs(int); extern long labs(long); extern void *malloc(unsigned long); "
        "extern int __VERIFIER_nondet_int(void); "
        + fails_if("abs(-3) != 3 || labs(-4) != 4 || malloc(8) == malloc(8)")
    ],
    "a truth value that is declared as an integer": [
        "extern int __VERIFIER_nondet_bool(void); " + fails_if("__VERIFIER_nondet_bool() > 1")
    ],
    "a struct of a system header that is not laid out": [
        SYSTEM + "int main(void) { struct tight t; t.c = 1; t.x = 2; if (t.c != 1) reach_error(); }"
    ],
    "a struct of a system header with an attribute that changes nothing": [
        SYSTEM + fails_if("sizeof(struct plain) != 16")
    ],
}


def written(tmp_path: Path, texts: list[str]) -> tuple[Path, list[str]]:
    files = [tmp_path / name for name in ("program.c", "other.c")][: len(texts)]
    for number, (file, text) in enumerate(zip(files, texts, strict=True)):
        file.write_text((ERROR if number == 0 else "") + text)
    return files[0], [str(one) for one in files[1:]]


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_that_contradicts_itself_is_refused_by_name(name, tmp_path):
    texts, said = REFUSED[name]
    program, others = written(tmp_path, texts)
    with pytest.raises(SourceProblem) as problem:
        assay.verify(program, c_sources=others, timeout_seconds=60)
    assert said in str(problem.value)
    assert ".c:" in str(problem.value) or "of_a_system.h:" in str(problem.value)


@pytest.mark.parametrize("name", REFUSED)
def test_the_second_front_end_refuses_it_too(name, tmp_path):
    program, others = written(tmp_path, REFUSED[name][0])
    files = [program, *map(Path, others)]
    expanded = [expand(one.read_bytes(), one, "LP64", []) for one in files]
    with pytest.raises(CannotCheck), deep():
        read(expanded, "LP64", [], [], 0, names=[one.name for one in files])


@pytest.mark.parametrize("name", READ)
def test_a_program_that_agrees_with_itself_is_proved_and_checked(name, tmp_path):
    program, others = written(tmp_path, READ[name])
    certificate = tmp_path / "program.assay"
    result = assay.verify(program, c_sources=others, certificate=certificate, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    assert check(program, certificate, LanguageOptions(c_sources=tuple(others))).header.language == "c"


def test_an_input_of_a_type_of_the_program_is_what_it_declares(tmp_path):
    """In ILP32, `loff_t` is a `long long` of Linux, and no `long`."""
    text = "typedef long long loff_t; extern loff_t __VERIFIER_nondet_loff_t(void);\n" + fails_if(
        "__VERIFIER_nondet_loff_t() > 0x7fffffffffLL"
    )
    program, _ = written(tmp_path, [text])
    result = assay.verify(program, data_model="ILP32", timeout_seconds=60)
    assert result.verdict is Verdict.VIOLATED, result.reasons
