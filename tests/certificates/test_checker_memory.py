"""Memory as the independent checker has it: what holds there, and what must not seem to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.checker import Rejected, Undecided, check
from assay.checker.c.checking import asked, deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck, NoProof
from assay.checker.c.proofs import Proof
from assay.evidence.verdict import Verdict
from tests.c.test_memory import PREAMBLE, PROGRAMS, SAFE
from tests.c.test_where_objects_are import OPEN, TEXT
from tests.certificates.test_contract_certificates import forged

# ruff: noqa: E501 (programs on one line)

HEAD = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void free(void *);
extern int *outside(void);
extern void *memcpy(void *, const void *, __SIZE_TYPE__); extern void *memmove(void *, const void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__);
"""
MAIN = "int main(void) { %s return 0; }\n"


def holds(text: str, model: str, folder: Path) -> bool:
    """Whether no run without loops fails: there is nothing to prove but that."""
    path = folder / "program.c"
    path.write_text(HEAD + text)
    body = {"bound": 0, "rounds": 0, "recursion": 2, "instances": [], "nodes": [], "locations": []}
    with deep():
        program = read([expand(path.read_bytes(), path, model, [])], model, [], [], 2)
        wanted = list(Proof(body, program).obligations())
    try:
        asked(wanted)
    except NoProof:
        return False
    return True


HOLD = {
    "commas": "struct s { int x; } g = { 4 };\nint get(int *p) { return *p; }\n"
    + MAIN
    % "int a = 1, b = 2, c[2] = { 5, 6 }; int *p = (a++, &b); struct s h; h = (a++, g), b++; if (get((a++, p)) != 3 || (a++, c)[1] != 6 || (a++, g).x != 4 || h.x != 4 || a != 6) reach_error();",
    "a byte of a large object": MAIN
    % "char a[4096], *p = a; p++; *p = 3; p += 4000; *p = 7; if (a[1] != 3 || a[4001] != 7) reach_error();",
    "somewhere in a large object": MAIN
    % "char a[4096], *p = a; a[1] = 3; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 4000) return 0; p += i; *p = 9; if (a[1] != 3 && a[1] != 9) reach_error();",
    "a large object of the file, which starts with zeros": "int a[3000];\n"
    + MAIN
    % "int *p = a; p += 2999; if (*p) reach_error(); *p = 5; p -= 2999; if (*p || a[2999] != 5) reach_error();",
    "a pointer to a variable": MAIN % "int x = 1, *p = &x; *p = 5; if (x != 5) reach_error();",
    "a pointer to a pointer": MAIN
    % "int x, y, *p = &x, **q = &p; *q = &y; *p = 7; if (y != 7) reach_error();",
    "a member": "struct s { char c; long l; short h; } g = { 1, 2, 3 };\n"
    + MAIN % "struct s *p = &g; short *h = &p->h; *h += 4; if (g.h != 7 || p->l != 2) reach_error();",
    "moving over an array": "int a[4] = { 1, 2, 3, 4 };\n"
    "int sum(int *p, int *end) { int s = *p++; s += *p++; s += *p++; s += *p++; return p == end ? s : 0; }\n"
    + MAIN
    % "if (sum(a, a + 4) != 10 || &a[3] - a != 3) reach_error();",
    "bytes": MAIN
    % "int x = 258; unsigned char *c = (unsigned char *)&x; if (c[0] != 2 || c[1] != 1) reach_error();",
    "a union": "union u { unsigned i; unsigned char b[4]; };\n"
    + MAIN % "union u x; x.i = 0x01020304; if (x.b[0] != 4 || x.b[3] != 1) reach_error();",
    "a pointer in a union": "union u { int *p; long l; };\n"
    + MAIN % "int x = 3; union u y; y.p = &x; if (*y.p != 3) reach_error();",
    "NULL is zero": "union u { int *p; int i; };\n"
    + MAIN % "union u y; y.p = 0; if (y.i != 0) reach_error(); y.i = 0; if (y.p) reach_error();",
    "a list": "struct n { int v; struct n *next; };\n"
    "struct n *push(struct n *l, int v) { struct n *m = malloc(sizeof *m); m->v = v; m->next = l; return m; }\n"
    + MAIN
    % "struct n *l = push(push(0, 1), 2); if (l->v != 2 || l->next->v != 1 || l->next->next) reach_error();",
    "two that are allocated": MAIN
    % "int *p = malloc(4), *q = malloc(4); *p = 1; *q = 2; if (*p != 1 || p == q) reach_error();",
    "zeros": MAIN % "long *p = calloc(2, 8); if (p[0] || p[1]) reach_error();",
    "a text": 'char *names[] = { "ab", "cd" };\n'
    + MAIN % "if (names[1][1] != 'd' || names[0][2]) reach_error();",
    "a function": "int inc(int x) { return x + 1; }\nint dec(int x) { return x - 1; }\n"
    + MAIN
    % "int (*f)(int) = __VERIFIER_nondet_int() ? inc : &dec; int r = (*f)(5); if (r != 4 && r != 6) reach_error();",
    "a copy": "struct s { int a[3]; struct s *self; } x, y;\n"
    + MAIN
    % "struct s *p = &x; p->a[1] = 4; p->self = p; y = *p; if (y.a[1] != 4 || y.self != &x) reach_error();",
    "bit-fields": "struct s { unsigned a : 3; int b : 7; unsigned c : 20; } x;\n"
    + MAIN
    % "struct s *p = &x; p->a = 13; p->b = -3; p->c = 99; if (x.a != 5 || x.b != -3 || x.c != 99) reach_error();",
    "following NULL ends": MAIN % "int *p = 0; *p = 1; reach_error();",
    "an address that is taken of NULL follows nothing": MAIN % "int *p = 0, *q = &*p; if (q) reach_error();",
    "bytes that are copied": "struct s { char c; struct s *self; short h; } x, y;\n"
    + MAIN
    % "x.c = 3; x.self = &x; x.h = 9; if (memcpy(&y, &x, sizeof y) != &y || y.c != 3 || y.self != &x || y.h != 9) reach_error();",
    "bytes that overlap": "char a[6] = { 1, 2, 3, 4, 5, 6 };\n"
    + MAIN % "memmove(a + 1, a, 4); if (a[0] != 1 || a[1] != 1 || a[4] != 4 || a[5] != 6) reach_error();",
    "bytes that are set": MAIN
    % "int x = 1, *p = &x; unsigned b = __VERIFIER_nondet_int(); memset(&x, b, 4); if (x != (int)((b & 255) * 0x01010101)) reach_error(); memset(&p, 0, sizeof p); if (p) reach_error();",
    "pointers among bytes": MAIN
    % "int x = 4; struct s { char c[16]; int *p; } y; int *p = &x; memcpy(y.c + 8, &p, sizeof p); int **q = (int **)(y.c + 8); if (**q != 4) reach_error();",
    "the number of a pointer is not 0": MAIN
    % "int x, *p = 0; if (!(__SIZE_TYPE__)&x || (__SIZE_TYPE__)p || (short)(long)p) reach_error();",
    "a pointer to and fro": MAIN
    % "int x = 1; int *p = (int *)(long)(__SIZE_TYPE__)&x; *p = 3; if (x != 3) reach_error();",
    "no bytes are nowhere": MAIN % "int *p = 0; memcpy(p, p, 0); int x = 1; if (x != 1) reach_error();",
    "copying from NULL ends": MAIN % "int x, *p = 0; memcpy(&x, p, 4); reach_error();",
    "copies of a function": "int f(int n, int *up) { int x = n; if (n) f(n - 1, &x); *up += x; return x; }\n"
    + MAIN % "int s = 0; if (f(2, &s) != 3) reach_error();",
    "the address of a parameter": "void set(int **p, int *v) { *p = v; }\n"
    "int get(int *a, int *b) { set(&a, b); return *a; }\n"
    + MAIN
    % "int x = 1, y = 2; if (get(&x, &y) != 2) reach_error();",
}
FAIL = {
    "what comes before a comma is done": "struct s { int x; } g = { 4 };\n"
    + MAIN % "int a = 1; struct s h; h = (a++, g); if (a == 2 && h.x == 4) reach_error();",
    "what a function gives that writes to nothing": "extern long time(long *);\n"
    + MAIN % "if (time(0) == 5) reach_error();",
    "no value, in a large object": MAIN % "char a[4096], *p = a; p += 4000; if (*p == 5) reach_error();",
    "another byte of a large object": MAIN
    % "char a[4096], *p = a; a[1] = 3; a[2] = 4; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 4000) return 0; p += i; *p = 9; if (a[2] == 9) reach_error();",
    "a large object of the file, changed": "int a[3000];\n"
    + MAIN % "int *p = a; p += 2999; *p = 5; p = a; if (a[2999] == 5) reach_error();",
    "two names of one": MAIN
    % "int x, y, *p = &x, *q = __VERIFIER_nondet_int() ? &x : &y; *p = 1; *q = 2; if (*p == 2) reach_error();",
    "no value": MAIN % "int x, *p = &x; if (*p == 5) reach_error();",
    "no value, allocated": MAIN % "int *p = malloc(4); if (*p == 7) reach_error();",
    "no value, once more": MAIN
    % "int k = 0; again: { int x; int *p = &x; if (k == 1 && *p == 5) reach_error(); *p = 6; } if (k++ < 1) { int x; int *p = &x; if (*p == 5) reach_error(); }",
    "bytes of a pointer": "union u { int *p; unsigned char b[8]; };\n"
    + MAIN % "int x; union u y; y.p = &x; if (y.b[0] == 7) reach_error();",
    "bytes of a pointer, copied": MAIN
    % "int x, *p = &x; unsigned char *c = (unsigned char *)&p; if (c[0] != 0) reach_error();",
    "bytes that become a pointer": "union u { int *p; unsigned char b[8]; };\n"
    + MAIN % "int x = 1; union u y; y.p = &x; y.b[0] = 3; if (y.p != &x) reach_error();",
    "which object comes first": MAIN % "int x, y; if (&x < &y) reach_error();",
    "how far objects are apart": MAIN % "int x, y, *p = &x, *q = &y; if (p - q == 12) reach_error();",
    "a pointer from outside": MAIN % "int *p = outside(); if (p) reach_error();",
    "no pointer from outside": MAIN % "int *p = outside(); if (!p) reach_error();",
    "what a pointer from outside points to": MAIN % "int *p = outside(); if (p && *p == 3) reach_error();",
    "the address of what NULL points to is NULL": MAIN % "int *p = 0; if (&*p == 0) reach_error();",
    "it is no condition that holds": MAIN % "int *p = 0; if (!&p[0]) reach_error();",
    "and not as an argument": "int is(int *p) { return p != 0; }\n"
    + MAIN % "int *p = __VERIFIER_nondet_int() ? malloc(4) : 0; if (!is(&*p)) reach_error();",
    "a member of what NULL points to has an address": "struct s { int a, b; };\n"
    + MAIN % "struct s *p = 0; if (&p->b) reach_error();",
    "which number a pointer is": MAIN % "int x; if ((__SIZE_TYPE__)&x == 64) reach_error();",
    "a part of that number may be 0": MAIN % "int x; if ((short)(long)&x == 0) reach_error();",
    "parts of two pointers are none": MAIN
    % "int x, y, *p = &x, *q = &y; memcpy(&p, &q, 2); if (p != &x && p != &y) reach_error();",
    "nor are they the number of an object": "int a[9];\n"
    + MAIN % "int *p = a, *q = a + 3; memcpy(&p, &q, 2); if (p != a + 3 && p != a) reach_error();",
    "a part of a pointer that is copied is no number": MAIN
    % "int x, *p = &x; char c[4]; memcpy(c, (char *)&p + 1, 3); if (c[0] == 7) reach_error();",
    "a pointer that is moved by a byte is none": MAIN
    % "int x, *p[3] = { &x, 0, 0 }; memmove((char *)p + 1, p, sizeof *p); if (p[0] != &x) reach_error();",
    "another function": "int inc(int x) { return x + 1; }\nint dec(int x) { return x - 1; }\n"
    + MAIN % "int (*f)(int) = __VERIFIER_nondet_int() ? inc : dec; if (f(5) == 4) reach_error();",
    "little end first": MAIN % "int x = 258; char *c = (char *)&x; if (*c == 2) reach_error();",
    "padding is no value": "struct s { char c; int i; } x;\n"
    + MAIN
    % "struct s y, *p = &y; p->c = 1; p->i = 2; unsigned char *b = (unsigned char *)p; if (b[2] == 9) reach_error();",
}


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", HOLD)
def test_what_holds_in_memory_is_proved(name: str, model: str, tmp_path: Path) -> None:
    assert holds(HOLD[name], model, tmp_path)


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", FAIL)
def test_what_may_fail_in_memory_is_not_proved(name: str, model: str, tmp_path: Path) -> None:
    assert not holds(FAIL[name], model, tmp_path)


def is_accepted(text: str, folder: Path) -> bool:
    """With a bound for all its loops, and some recursion."""
    path = folder / "program.c"
    path.write_text(text)
    try:
        with deep():
            program = read([expand(path.read_bytes(), path, "LP64", [])], "LP64", [], [], 4)
            instances = list(dict.fromkeys(where for where, _, _ in program.points))
            locations = [
                {"instance": instances.index(where), "line": line, "column": column, "holds": []}
                for where, line, column in program.points
            ]
            body = {
                "bound": 12,
                "rounds": 0,
                "recursion": 4,
                "nodes": [],
                "locations": locations,
                "instances": [[list(site) for site in one] for one in instances],
            }
            wanted = list(Proof(body, program).obligations())
        asked(wanted)
    except (NoProof, CannotCheck):
        return False
    return True


@pytest.mark.parametrize("name", [name for name, (_, expected) in PROGRAMS.items() if expected is not SAFE])
def test_no_program_that_fails_is_accepted(name: str, tmp_path: Path) -> None:
    assert not is_accepted(PREAMBLE + PROGRAMS[name][0], tmp_path)


@pytest.mark.parametrize("name", [name for name, (_, checks) in OPEN.items() if not checks])
def test_what_c_leaves_open_is_not_accepted(name: str, tmp_path: Path) -> None:
    assert not is_accepted(TEXT.format(OPEN[name][0]), tmp_path)


def test_most_programs_that_are_safe_are_accepted(tmp_path: Path) -> None:
    safe = [text for text, expected in PROGRAMS.values() if expected is SAFE]
    assert sum(is_accepted(PREAMBLE + text, tmp_path) for text in safe) >= 16


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            MAIN % "int x; int *p = (int *)(unsigned long)(short)(long)&x;",
            "an integer that becomes a pointer",
        ),
        (MAIN % "int x; long n = (long)&x; int *p = (int *)n;", "an integer that becomes a pointer"),
        (MAIN % "int *p = (int *)5; if (p) reach_error();", "an integer that becomes a pointer"),
        (MAIN % "int x, *p = &x, *q = &x; *p = *q = 1; if (x != 1) reach_error();", "two assignments"),
        (
            "int inc(int x) { return x; }\nint one(void) { return 1; }\nint (*g)(void) = one;\n"
            + MAIN % "int (*f)(int) = inc; if (!f(1)) reach_error();",
            "functions have other types",
        ),
        (
            'char *p = "xabc", *q = "abc";\n' + MAIN % "if (p + 1 == q) reach_error();",
            "two texts of which one is",
        ),
        (
            "long a[100000];\n" + MAIN % "long *p = a; p++; *p = 1; if (a[1] != 1) reach_error();",
            "more than 16384",
        ),
        (
            "extern long time(long *);\n" + MAIN % "long t = 0; time(&t); if (t) reach_error();",
            "which writes what it is given",
        ),
        (
            "extern char *strchr(const char *, int);\n"
            + MAIN % 'char a[2] = "a"; *strchr(a, 97) = 98; if (a[0] == 98) reach_error();',
            "the function 'strchr'",
        ),
    ],
)
def test_what_is_not_read_is_named(text: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(CannotCheck, match=what):
        holds(text, "LP64", tmp_path)


LIST = (
    HEAD
    + """\
struct node { int value; struct node *next; };
int main(void) {
  struct node *head = 0;
  for (int i = 0; i < 4; i++) {
    struct node *made = malloc(sizeof(struct node));
    made->value = i; made->next = head; head = made;
  }
  int last = 4;
  while (head) { if (head->value != --last) reach_error(); head = head->next; }
  return 0;
}
"""
)
WATCHED = (
    HEAD
    + """\
int x, y;
int main(void) {
  int *p = &x;
  while (__VERIFIER_nondet_int()) { *p = (*p + 1) & 7; y = (y + 1) & 7; }
  if (x != y) reach_error();
  return 0;
}
"""
)


def test_proofs_about_lists_and_pointers_are_accepted_and_forged_ones_are_not(tmp_path: Path) -> None:
    for name, text in (("list", LIST), ("watched", WATCHED)):
        program = tmp_path / f"{name}.c"
        program.write_text(text)
        result = assay.verify(program, certificate=tmp_path / f"{name}.cert", timeout_seconds=60)
        assert result.verdict is Verdict.VERIFIED, result.reasons
        check(program, tmp_path / f"{name}.cert")
    short = forged(tmp_path, "list", lambda body: body.update(bound=3))
    with pytest.raises(Rejected, match=r"an obligation is not met: .* is not passed after 3 rounds"):
        check(tmp_path / "list.c", short)
    weak = forged(tmp_path, "watched", lambda body: [one["holds"].clear() for one in body["locations"]])
    with pytest.raises((Rejected, Undecided), match="an obligation is not met: from"):
        check(tmp_path / "watched.c", weak)


def test_a_proof_that_needs_to_know_which_number_a_pointer_is_is_not_judged(tmp_path: Path) -> None:
    program, certificate = tmp_path / "program.c", tmp_path / "program.assay"
    program.write_text(HEAD + MAIN % "int x, *p = &x; if ((long)p != (long)&x) reach_error();")
    result = assay.verify(program, certificate=certificate, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED, result.reasons
    with pytest.raises(Undecided, match="a pointer that becomes an integer"):
        check(program, certificate)
