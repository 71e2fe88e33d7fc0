"""Small programs in which a rule of C decides: conversions, promotions, order, layout. gcc is the judge."""

from __future__ import annotations

import subprocess
from pathlib import Path

from assay.checker.c.problems import CannotCheck
from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.transition_system.sequential.bitvectors import ArrayValue
from assay.transition_system.sequential.inlining import inlined
from assay.transition_system.sequential.running import default, run
from tests.fuzz.c_front_end import read_program
from tests.fuzz.c_front_end import run as run_by_checker

CASES = r"""
int x = 1; if (x) ERR
int x = -1; unsigned u = 1; if (x < u) ERR
char c = 200; if (c == 200) ERR
unsigned char c = 200; c = c + 100; if (c != 44) ERR
short s = 40000; if (s > 0) ERR
int x = 7; x = -x / 2; if (x != -3) ERR
int x = -7; if (x % 3 != -1) ERR
unsigned x = -7; if (x % 3 != 0) ERR
int x = -8 >> 1; if (x != -4) ERR
unsigned x = 1u << 31; if (x >> 31 != 1) ERR
long l = 1 << 31; if (l > 0) ERR
unsigned long l = 1u << 31; if (l != 2147483648ul) ERR
_Bool b = 256; if (b != 1) ERR
int a = 5; int b = (a++, a); if (b != 6) ERR
int i = 3; int j = i++ * 2; if (j != 6 || i != 4) ERR
int x = 'a' + '\n' + '\\' + '\'' + '\0' + '\x7f' + '\101'; if (x != 97+10+92+39+0+127+65) ERR
int x = '\xff'; if (x != -1) ERR
int x = sizeof(int) - 5 > 0; if (!x) ERR
if (sizeof(struct { char a; int b; char c; }) != 12) ERR
if (sizeof(struct { char a; long b; }) != 16) ERR
if (sizeof(int[3][4]) != 48) ERR
if (sizeof('a') != 4) ERR
if (sizeof(1 ? (char)1 : (char)2) != 4) ERR
enum e { A = -1, B } v = B; if (v - 1 > 0) ERR
enum e { A, B } v = A; if (v - 1 < 0) ERR
int a[3] = {1}; if (a[0] + a[1] + a[2] != 1) ERR
int a[] = {1, 2, 3}; if (sizeof a / sizeof a[0] != 3) ERR
int a[2][3] = {{1,2,3},{4,5,6}}; if (a[1][0] != 4) ERR
struct { int x, y; } p = {1, 2}, q; q = p; p.x = 9; if (q.x != 1 || q.y != 2) ERR
struct { struct { int z; } in; int a[2]; } p = {{3}, {4, 5}}; if (p.in.z + p.a[1] != 8) ERR
struct { unsigned a : 3; int b : 3; } p; p.a = 9; p.b = 7; if (p.a != 1 || p.b != -1) ERR
struct { unsigned a : 3; } p; p.a = 0; if (p.a - 1 > 0) ERR
struct { unsigned a : 3; } p; p.a = 7; p.a++; if (p.a != 0) ERR
struct { unsigned a : 32; } p; p.a = 0; if (!(p.a - 1 > 0)) ERR
int x = 0; x || (x = 3); if (x != 3) ERR
int x = 0, y = 0; if (x++ && y++) ; if (x != 1 || y != 0) ERR
int x = 1 ? 2 ? 3 : 4 : 5; if (x != 3) ERR
unsigned x = 1 ? -1 : 0u; if (x != 4294967295u) ERR
long x = 1 ? -1 : 0u; if (x != 4294967295) ERR
int x = 3; switch (x) { case 1: x = 9; default: x++; case 2: x++; break; case 7: x = 0; } if (x != 5) ERR
int x = 3; switch (x) { case 3: { int y = x; x = y + 1; } } if (x != 4) ERR
int n = 0; for (int i = 0; i < 5; i++) { if (i == 1) continue; if (i == 4) break; n += i; } if (n != 5) ERR
int n = 0; do { n++; if (n == 2) continue; } while (n < 4 && n != 2); if (n != 2) ERR
int n = 0; again: n++; if (n < 5) goto again; if (n != 5) ERR
int n = 5; { int n = 6; n++; } if (n != 5) ERR
int n = 3; while (n --> 0); if (n != -1) ERR
static int k = 4; k++; if (k != 5) ERR
int x = 010 + 0x10 + 0b11; if (x != 8+16+3) ERR
unsigned long long x = 18446744073709551615ull; if (x + 1 != 0) ERR
if (2147483648 < 0) ERR
if (0x80000000 < 0) ERR
if (-2147483648 > 0) ERR
if (!(4294967295 == -1)) ; else ERR
if (4294967295u != -1) ERR
int x = 1; x <<= 3; x |= 1; x ^= 3; x &= ~2; if (x != 8) ERR
char c = 127; c++; if (c != -128) ERR
short s = -32768; s = -s; if (s != -32768) ERR
unsigned char a = 255, b = 1; if ((unsigned char)(a + b) != 0 || a + b != 256) ERR
int x = !5 + !0; if (x != 1) ERR
int x = ~0u >> 31; if (x != 1) ERR
int x = -1; if ((unsigned)x >> 28 != 15) ERR
int x = (char)300; if (x != 44) ERR
long x = (int)5000000000; if (x != 705032704) ERR
int x = 5, y = 3; x ^= y; y ^= x; x ^= y; if (x != 3 || y != 5) ERR
int x = 10; x -= x / 3; if (x != 7) ERR
unsigned short s = 65535; s += 2; if (s != 1) ERR
signed char c = -128; c /= -1; if (c != -128) ERR
int a[4]; a[1] = 2; a[a[1]] = 7; if (a[2] != 7) ERR
int i = 0; int a[2] = {5, 6}; int x = a[i++]; if (x != 5 || i != 1) ERR
int i = 0; int a[2] = {5, 6}; a[i] += 3; a[1 - i]--; if (a[0] != 8 || a[1] != 5) ERR
int x = (1, 2, 3); if (x != 3) ERR
int x = 3; { x = x == 3; } if (x != 1) ERR
int x = 2; x = x * 3 + x % 2 << 1; if (x != 12) ERR
int x = 1 < 2 == 1; if (x != 1) ERR
int x = 5 & 3 == 3; if (x != 1) ERR
int x = 0; if (x = 5) x++; if (x != 6) ERR
int x = 4; if (x > 3) if (x > 10) x = 1; else x = 2; if (x != 2) ERR
int y; y = ({ int z = 3; z * 2; }); if (y != 6) ERR
typedef unsigned char u8; u8 v = 300; if (v != 44) ERR
int f = 1; for (;;) { if (f++ > 3) break; } if (f != 5) ERR
unsigned x = 5; x = -x; if (x + 5 != 0) ERR
long long x = 1ll << 40; int y = x; if (y != 0) ERR
unsigned char c = 0x80; int x = c << 24; if (x > 0) ERR
unsigned char c = 255; c = ~c; if (c != 0) ERR
unsigned char c = 255; if (~c == 0) ERR
const int n = 4; int a[4] = {0}; a[n - 1] = 2; if (a[3] != 2) ERR
int x = __INT_MAX__; if (x + 1 != -__INT_MAX__ - 1) ERR
_Bool b = 5; b++; if (b != 1) ERR
_Bool b = 0; b--; if (b != 1) ERR
_Bool b = 1; b += 3; if (b != 1) ERR
int x = (_Bool)4 + (_Bool)0; if (x != 1) ERR
unsigned x = 3; if (x - 5 < 0) ERR
unsigned long a = 3; int b = -1; if (a > b) ERR
short a = -1; unsigned short b = 65535; if (a == b) ERR
char a = -1; unsigned char b = 255; if (a == b) ERR
int x = 3 > 2 > 1; if (x) ERR
int a = 1, b = 2, c = 3; a = b = c; if (a != 3 || b != 3) ERR
char c; int i = c = 300; if (i != 44) ERR
long x = -5 % 3u; if (x != 2 && x != 4294967291 % 3) ERR
int x = 8; x >>= 1u; if (x != 4) ERR
int z = 0; z += sizeof(z++); if (z != 4) ERR
int a = 1; a = (a = 2, a + 1); if (a != 3) ERR
goto in; { int q; in: q = 4; if (q != 4) ERR }
unsigned char c = 200; typeof(c) d = 300; if (d != 44) ERR
unsigned char c = 200; __typeof__(c + 1) d = 300; if (d == 300) ERR
int x = 1; typeof(x++) y = 2; if (x != 1 || sizeof y != 4) ERR
unsigned u = 1; if ((typeof(u + 1))-1 < 0) ERR
short a[3]; typeof(a) b; if (sizeof b != 6) ERR
int x = 1; { typeof(x) x = 9; if (x != 9) ERR }
int x = 5; typeof(&x) p = &x; typeof(*p) y = *p; if (y != 5) ERR
const char c = 1; typeof(1 ? c : 1L) l = 1l << 40; if (!l) ERR
if (sizeof(typeof("abc")) != 4 || sizeof(typeof('a')) != 4 || sizeof(typeof(typeof(long))) != 8) ERR
int f(int); if (sizeof(f) != 1 || sizeof(typeof(f)) != 1 || sizeof(typeof(&f)) != 8) ERR
int main(void); if (sizeof(main) != 1 || sizeof(typeof(main)) != 1) ERR
int m = ({ typeof(3) a = 3; typeof(4u) b = 4; a > b ? a : b; }); if (m != 4) ERR
struct s { char c; long l; short a[4]; }; if (__builtin_offsetof(struct s, a[3]) != 22) ERR
struct s { char c; struct { int d; union { char u; int v; };};}; if (8 ^ __builtin_offsetof(struct s, v)) ERR
struct s { char c; int i[2]; }; int k = 1; if (__builtin_offsetof(struct s, i[k]) - 9 < 0) ERR
struct s { char c; int i; } v = {1, 7}; if (*(int *)((char *)&v + __builtin_offsetof(struct s, i)) != 7) ERR
""".strip().split("\n")


# By the independent checker, which says so.
NOT_READ = {
    "int x = 1; typeof(x++) y = 2; if (x != 1 || sizeof y != 4) ERR",  # the type of what has effects
    "int z = 0; z += sizeof(z++); if (z != 4) ERR",
    "int f(int); if (sizeof(f) != 1 || sizeof(typeof(f)) != 1 || sizeof(typeof(&f)) != 8) ERR",  # &f, no body
    "struct s { char c; int i[2]; }; int k = 1; if (__builtin_offsetof(struct s, i[k]) - 9 < 0) ERR",
    "int a = 1; a = (a = 2, a + 1); if (a != 3) ERR",
}


def program() -> str:
    functions = [
        f"int case_{number}(void) {{ {case.replace('ERR', 'return 1;')} return 0; }}"
        for number, case in enumerate(CASES)
    ]
    calls = [f"results[{number}] = case_{number}();" for number in range(len(CASES))]
    head = f"void observe(int); int results[{len(CASES)}];"
    shown = f"for (int i = 0; i < {len(CASES)}; i++) observe(results[i]);"
    return "\n".join([head, *functions, "int main(void) {", *calls, shown, "return 0; }", ""])


def decided_by_gcc(tmp_path: Path) -> str:
    source, other = tmp_path / "program.c", tmp_path / "observe.c"
    source.write_text(program())
    other.write_text('#include <stdio.h>\nvoid observe(int x) { printf("%d", x); }\n')
    compiled = tmp_path / "program"
    subprocess.run(["gcc", "-w", "-fwrapv", str(source), str(other), "-o", str(compiled)], check=True)
    return subprocess.run([str(compiled)], check=True, capture_output=True, text=True).stdout


def test_each_case_is_decided_as_gcc_decides_it(tmp_path: Path):
    shown, source = decided_by_gcc(tmp_path), tmp_path / "program.c"
    model = DATA_MODELS["LP64"]
    flow = inlined(lower([preprocess(source, model)], model))
    results = next(one for one in flow.variables if one.name == "results")
    *_, last = run(flow, lambda edge: default(edge.action.variable.sort), {})
    found = last.values[results]
    assert isinstance(found, ArrayValue)
    differ = [case for number, case in enumerate(CASES) if found[number] != int(shown[number])]
    assert not differ
    assert found[0] == 1  # the first one is there to fail


def test_the_independent_checker_decides_each_case_that_it_reads_so_too(tmp_path: Path):
    shown, source = decided_by_gcc(tmp_path), tmp_path / "case.c"
    differ, refused = [], []
    for case, answer in zip(CASES, shown, strict=True):
        body = case.replace("ERR", "return 1;")
        source.write_text(
            f"int result; int decide(void) {{ {body} return 0; }}\nint main(void) {{ result = decide(); }}\n"
        )
        try:
            read = read_program(source, "LP64")
        except CannotCheck:
            refused.append(case)
            continue
        if run_by_checker(read, [])[read.variables["g", "result"]] != int(answer):
            differ.append(case)
    assert not differ
    assert set(refused) == NOT_READ
