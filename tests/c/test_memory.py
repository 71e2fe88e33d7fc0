"""What pointers do, judged by verdicts: each program would get another one if its point were ignored."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.languages.c.program import checks_of
from assay.search.sequential.bounded import search
from assay.search.sequential.findings import Status
from assay.transition_system.sequential.inlining import inlined
from tests.c.random_memory import MemoryGenerator
from tests.c.random_programs import difference

SAFE, UNSAFE = Status.SAFE, Status.UNSAFE
PREAMBLE = """
typedef __SIZE_TYPE__ size;
void *malloc(size); void *calloc(size, size); void free(void *);
void *memset(void *, int, size); void *memcpy(void *, const void *, size);
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#define MAIN int main(void)
"""


def verdict(text: str, folder: Path, checks: str = "", model: str = "LP64") -> Status:
    file = folder / "program.c"
    file.write_text(PREAMBLE + text)
    program = lower([preprocess(file, DATA_MODELS[model])], DATA_MODELS[model], checks_of([checks]))
    return search(inlined(program, 3), deadline=time.monotonic() + 60, say=lambda _: None).status


PROGRAMS = {
    "a packed member is where gcc puts it": (
        "\n#pragma pack(1)\nstruct s { char a; int b; };\n#pragma pack()\n"
        "MAIN { struct s v; char *p = (char *)&v; v.b = 0x01020304; CHECK(p[1] == 4 && p[4] == 1); }",
        SAFE,
    ),
    "a function whose address is taken after the call was read": (
        "int (*f)(void); int call(void) { return f(); } int one(void) { return 1; }"
        "MAIN { f = one; CHECK(call() != 1); }",
        UNSAFE,
    ),
    "memory that nobody has set holds anything": (
        "MAIN { int *p = malloc(4); CHECK(*p != 7); }",
        UNSAFE,
    ),
    "a local array holds anything each time": (
        "void f(int set) { int a[100], *p = a; if (set) p[5] = 1; else CHECK(p[5] == 1); }"
        "MAIN { f(1); f(0); }",
        UNSAFE,
    ),
    "a small local array too": (
        "void f(int set) { int a[2], *p = a; if (set) p[1] = 1; else CHECK(p[1] == 1); }"
        "MAIN { for (int i = 1; i >= 0; i--) f(i); }",
        UNSAFE,
    ),
    "calloc gives zeros": ("MAIN { int *p = calloc(3, 4); CHECK(p[2] == 0); }", SAFE),
    "calloc gives zeros where malloc gives anything": (
        "MAIN { int *p = __VERIFIER_nondet_int() ? calloc(3, 4) : malloc(12); CHECK(p[2] == 0); }",
        UNSAFE,
    ),
    "globals start with zeros though the heap does not": (
        "int g[3]; MAIN { int *p = __VERIFIER_nondet_int() ? g : malloc(12); if (p == g) CHECK(p[1] == 0); }",
        SAFE,
    ),
    "the first member is at the struct's address": (
        "struct s { int a, b; } s; MAIN { *(int *)&s = 5; CHECK(s.a == 5 && s.b == 0); }",
        SAFE,
    ),
    "the second member is not": (
        "struct s { int a, b; } s; MAIN { void *v = &s; *(int *)v = 5; CHECK(s.b == 5); }",
        UNSAFE,
    ),
    "memory used as two structs": (
        "struct a { int x; char y; }; struct b { char x; int y; };"
        "MAIN { void *v = malloc(8); struct a *p = v; struct b *q = v;"
        "q->x = 1; p->x = 0; CHECK(q->x == 1); }",
        UNSAFE,
    ),
    "bytes of an int": (
        "MAIN { int x = 0x01020304; char *p = (char *)&x; CHECK(p[0] == 4 && p[3] == 1); p[1] = 0;"
        "CHECK(x == 0x01020004); }",
        SAFE,
    ),
    "a char pointer that starts at a char and goes on": (
        "struct s { char c; int x; } s; MAIN { char *p = (char *)&s; s.x = 0; p[4] = 1; CHECK(s.x == 0); }",
        UNSAFE,
    ),
    "a union": (
        "MAIN { union { unsigned u; unsigned short h[2]; } v; v.u = 0x10002;"
        "CHECK(v.h[0] == 2 && v.h[1] == 1); }",
        SAFE,
    ),
    "bit-fields in bytes": (
        "struct s { int a : 3; unsigned b : 7; } s = {-2, 5}; MAIN { unsigned char *p = (unsigned char *)&s;"
        "CHECK(p[0] == 0x2e && s.a == -2 && s.b == 5); s.b = 127; s.a = 1;"
        "CHECK(p[0] == 0xf9 && p[1] == 3); }",
        SAFE,
    ),
    "a union is passed by value": (
        "union u { int i; unsigned char c[4]; }; int f(union u v) { v.c[0]++; return v.i; }"
        "MAIN { union u v = {255}; CHECK(f(v) == 0 && v.i == 255); }",
        SAFE,
    ),
    "a struct is passed by value": (
        "struct s { int a[3]; int b; }; int f(struct s v) { v.b = 9; v.a[0] = 3; return v.b; }"
        "MAIN { struct s v = {{1}, 2}; CHECK(f(v) == 9 && v.b == 2 && v.a[0] == 1); }",
        SAFE,
    ),
    "structs that are returned twice": (
        "struct s { int a; }; struct s f(int a) { struct s v = {a}; return v; }"
        "MAIN { struct s v = f(1), w = f(2); CHECK(v.a == 1 && w.a == 2); }",
        SAFE,
    ),
    "what two pointers reach": (
        "void f(int *p, int *q) { *p = 1; *q = 2; CHECK(*p == 1); } MAIN { int x; f(&x, &x); }",
        UNSAFE,
    ),
    "the struct that a member is in": (
        "struct l { struct l *next; }; struct e { int v; struct l in; };"
        "MAIN { struct e e = {7}; struct l *p = &e.in;"
        "struct e *q = (struct e *)((char *)p - (size)&((struct e *)0)->in); CHECK(q->v == 7); q->v = 8;"
        "CHECK(e.v == 8); }",
        SAFE,
    ),
    "a parameter whose address is taken": (
        "int f(int x) { int *p = &x; *p += 1; return x; } MAIN { CHECK(f(1) == 2); }",
        SAFE,
    ),
    "locals of a function that calls itself": (
        "int f(int n) { int x = n, *p = &x; if (n > 0) f(n - 1); return *p; } MAIN { CHECK(f(2) == 2); }",
        SAFE,
    ),
    "strings, and arrays made of them": (
        'char t[] = "ab\\n"; MAIN { const char *s = "xy"; char u[4] = "q";'
        "CHECK(sizeof t == 4 && t[2] == 10);"
        "CHECK(s[1] == 'y' && s[2] == 0 && u[0] == 'q' && u[3] == 0); }",
        SAFE,
    ),
    "initial values without inner braces, and with designators": (
        "struct p { int x, y; } a[2] = {1, 2, 3, 4}, b = {.y = 5}; int c[] = {[3] = 1, 2};"
        "MAIN { struct p *q = a; CHECK(q[1].x == 3 && b.x == 0);"
        "CHECK(b.y == 5 && sizeof c == 20 && c[4] == 2); }",
        SAFE,
    ),
    "a static local keeps its value": (
        "int *f(void) { static int n = 3; n++; return &n; } MAIN { f(); CHECK(*f() == 5); }",
        SAFE,
    ),
    "an anonymous member": (
        "struct s { int a; struct { int b, c; }; }; MAIN { struct s v = {1, {2, 3}}, *p = &v;"
        "CHECK(p->c == 3); }",
        SAFE,
    ),
    "memset and memcpy": (
        "struct s { int a; short b[2]; }; MAIN { struct s v, w; memset(&v, 255, sizeof v);"
        "memcpy(&w, &v, sizeof w);"
        "CHECK(w.a == -1 && w.b[1] == -1); }",
        SAFE,
    ),
    "bytes that are copied out of a member": (
        "struct s { int a; char b; }; MAIN { struct s v = {7}, *p = &v; char b[4]; p->a = 7;"
        "memcpy(b, &p->a, sizeof b); CHECK(b[0] == 7); }",
        SAFE,
    ),
    "memset and memcpy of a size that the program computes": (
        "struct s { int a; short b[2]; }; MAIN { struct s v = {1, {2, 3}}, w = v; int n = 6;"
        "memset(&v, 0, n); CHECK(v.a == 0 && v.b[0] == 0 && v.b[1] == 3); memcpy(&v, &w, n);"
        "CHECK(v.a == 1 && v.b[0] == 2 && v.b[1] == 3); }",
        SAFE,
    ),
    "addresses are any numbers, but not 0": (
        "MAIN { int x; unsigned long a = (unsigned long)&x; CHECK(a != 0); CHECK(a != 4096); }",
        UNSAFE,
    ),
    "an array whose length the program computes": (
        "MAIN { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 3) return 0; int a[n][2]; a[n - 1][1] = 4;"
        "CHECK(a[n - 1][1] == 4 && sizeof a == n * 8); }",
        SAFE,
    ),
    "a type that is changed through a pointer to a pointer": (
        "struct a { char x; int y; }; struct b { int x, y; }; MAIN { struct a v = {0}, *p = &v;"
        "void **slot = (void **)&p; struct b *q = *slot; v.x = 0; q->x = 1; CHECK(v.x == 0); }",
        UNSAFE,
    ),
    "pointers in structs of two types": (
        "struct a { char *p; }; struct b { int *p; }; MAIN { int x = 0; struct b v = {&x};"
        "struct a *w = (struct a *)&v; w->p[0] = 1; CHECK(x == 0); }",
        UNSAFE,
    ),
    "a pointer that is copied in bytes": (
        "MAIN { int x = 1, *p = &x, *q = 0; for (int i = 0; i < sizeof p; i++)"
        "((char *)&q)[i] = ((char *)&p)[i]; *q = 2; CHECK(x == 1); }",
        UNSAFE,
    ),
    "arguments of the program": (
        "int main(int c, char **v) { CHECK(c < 2 || v[1][0] == 0); return 0; }",
        UNSAFE,
    ),
    "what a pointer from outside points to": (
        "struct n { struct n *next; int v; }; struct n *get(void); extern struct n *top;"
        "MAIN { struct n *p = get(); CHECK(p->next->next->v == 0); CHECK(top->next->v == 0); }",
        UNSAFE,
    ),
    "pointers in an array in a struct that is passed": (
        "struct s { int *p[2]; }; void f(struct s v) { *v.p[1] = 5; }"
        "MAIN { int x = 0; struct s v = {{0, &x}}; f(v); CHECK(x == 5); }",
        SAFE,
    ),
    "NULL is followed by nobody": ("MAIN { int *p = 0; *p = 1; reach_error(); }", SAFE),
}


@pytest.mark.parametrize(("text", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_with_pointers_gets_its_verdict(text, expected, tmp_path: Path):
    assert verdict(text, tmp_path) is expected


WITH_CHECKS = {
    "malloc may fail": ("MAIN { int *p = malloc(4); CHECK(p != 0); }", "allocation", UNSAFE),
    "malloc does not fail unless asked for": ("MAIN { int *p = malloc(4); CHECK(p != 0); }", "", SAFE),
    "NULL": ("MAIN { int *p = 0; *p = 1; }", "bounds", UNSAFE),
    "one past the end may be had": ("MAIN { int a[2], *p = a + 2; return p - a; }", "bounds", SAFE),
    "one past the end may not be followed": ("MAIN { int a[2], *p = a + 2; return *p; }", "bounds", UNSAFE),
    "before the beginning": ("MAIN { int a[2], *p = a; p--; return 0; }", "bounds", UNSAFE),
    "after free": ("MAIN { int *p = malloc(4); free(p); *p = 1; }", "bounds", UNSAFE),
    "freed twice": ("MAIN { int *p = malloc(4); free(p); free(p); }", "bounds", UNSAFE),
    "freed in the middle": ("MAIN { int *p = malloc(8); free(p + 1); }", "bounds", UNSAFE),
    "freed, and not of the heap": ("MAIN { int x; free(&x); }", "bounds", UNSAFE),
    "free of NULL": ("MAIN { free(0); }", "bounds", SAFE),
    "a local that is gone": (
        "int *f(void) { int x = 1, *p = &x; return p; } MAIN { return *f(); }",
        "bounds",
        UNSAFE,
    ),
    "beyond what malloc gave": ("MAIN { char *p = malloc(3); *(int *)p = 1; }", "bounds", UNSAFE),
    "all is well": (
        "int sum(int *a, int n) { int t = 0; for (int i = 0; i < n; i++) t += a[i]; return t; }"
        "MAIN { int a[3] = {1, 2, 3}; CHECK(sum(a, 3) == 6); int *p = malloc(12); p[2] = 1; free(p); }",
        "bounds",
        SAFE,
    ),
    "an index that is far away": (
        "MAIN { int a[2] = {1}, *p = a; long i = 1l << 62; return p[i]; }",
        "bounds",
        UNSAFE,
    ),
    "what is no function": ("void (*f)(void); MAIN { f(); }", "bounds", UNSAFE),
    "pointers into two objects are not ordered": ("MAIN { int x, y; return &x < &y; }", "bounds", UNSAFE),
}


@pytest.mark.parametrize(("text", "checks", "expected"), WITH_CHECKS.values(), ids=WITH_CHECKS)
def test_what_is_asked_for_is_checked(text, checks, expected, tmp_path: Path):
    assert verdict(text, tmp_path, checks) is expected


def test_an_int_parameter_loses_bits_of_a_pointer(tmp_path: Path):
    text = "void check(int c) { CHECK(c); } int x; MAIN { check((int)(long)&x); }"
    assert verdict(text, tmp_path, model="LP64") is UNSAFE
    assert verdict(text, tmp_path, model="ILP32") is SAFE


def test_files_share_structs_and_objects(tmp_path: Path):
    head = "struct s { int a; struct s *n; }; extern struct s *top; void push(struct s *);\n"
    one, other = tmp_path / "one.c", tmp_path / "other.c"
    one.write_text(
        head + "void reach_error(void);\n"
        "int main(void) { struct s v = {3, 0}; push(&v); if (top->a != 4) reach_error(); return 0; }"
    )
    other.write_text(head + "struct s *top; void push(struct s *v) { v->n = top; top = v; top->a++; }")
    model = DATA_MODELS["LP64"]
    program = lower([preprocess(one, model), preprocess(other, model)], model)
    found = search(inlined(program), deadline=time.monotonic() + 60, say=lambda _: None)
    assert found.status is SAFE


STRUCTS = [
    "char a; int b; char c;",
    "char a; long long b; char c;",
    "int a : 3; int b : 30; char c;",
    "char a; int b : 5; int c : 4; short d;",
    "int a : 1; long long b : 40; char c;",
    "char a; unsigned : 0; char b;",
    "short a; void *b; char c[3]; struct { char d; short e; } f[2];",
    "union { char a[5]; int b; } c; char d;",
    "double a; char b; long c;",
    "_Bool a : 1; unsigned char b : 7; int c : 9; long long d : 3;",
    "int a; char b[];",
]
PACKED = [
    "#pragma pack(push, 1)\nstruct p0 { char a; int b; short c; long long d; };",
    "#pragma pack(push, 2)\nstruct p1 { char a; int b; struct p0 c; char d; };",
    "#pragma pack(pop)\nstruct p2 { char a; void *b; union { char c; int d; } e; };",
    "#pragma pack()\nstruct p3 { char a; int b; struct p0 c; };",
    "#pragma pack(pop)\nstruct p4 { char a; long long b; struct p1 c; };",
    "#pragma pack(4)\nstruct p5 { char a; union { char b; long c; char d[9]; } e; unsigned f : 3, g : 5; };",
    "#pragma pack(push)\n#pragma pack(1)\nstruct p6 { char a; struct { short b; char *c; } d[3]; };",
    "#pragma pack(pop)\nstruct p7 { char a; double b; };",
    "#pragma alloc_text(INIT, f)\n#pragma pack()\nstruct p8 { char a; long long b; };",
]


@pytest.mark.parametrize("model", DATA_MODELS)
def test_layouts_are_those_of_gcc(model, tmp_path: Path):
    tests = []
    names = [f"s{number}" for number in range(len(STRUCTS))]
    for name, body in zip(names, STRUCTS, strict=True):
        tests.append(f"struct {name} {{ {body} }}; enum {{ size_{name} = sizeof(struct {name}) }};")
    for number, text in enumerate(PACKED):
        tests.append(f"{text} enum {{ size_p{number} = sizeof(struct p{number}) }};")
        names.append(f"p{number}")
    file = tmp_path / "program.c"
    file.write_text("\n".join(tests) + "\nint main(void) { return 0; }\n")
    from assay.languages.c.declarations import Enumerator
    from assay.languages.c.lowering import Lowering, parsed
    from assay.languages.c.memory import Memory

    lowering = Lowering(DATA_MODELS[model], frozenset(), Memory(DATA_MODELS[model]))
    tree = parsed([preprocess(file, DATA_MODELS[model])])[0]
    scope = lowering.file(tree, 0)[0].scope
    asserted = list(tests)
    for name in names:
        found = scope.find(f"size_{name}")
        assert isinstance(found, Enumerator)
        asserted.append(f'_Static_assert(sizeof(struct {name}) == {found.value}, "{name}");')
    (tmp_path / "asserted.c").write_text("\n".join(asserted))
    command = ["gcc", "-fsyntax-only", DATA_MODELS[model].flag, str(tmp_path / "asserted.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("model", DATA_MODELS)
@pytest.mark.parametrize("seed", range(2000, 2003))
def test_a_random_program_with_pointers_does_what_the_compiled_one_does(seed, model):
    assert difference(seed, MemoryGenerator, model) is None
