"""A fixed part of the campaign of `random_programs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.transition_system.interface import SourceProblem
from assay.transition_system.sequential.inlining import inlined
from tests.c.random_programs import difference


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_a_random_program_does_what_the_compiled_one_does(seed):
    assert difference(seed) is None


REFUSED = {
    "int x; x = x++;": "order of operands",
    "int a[3], i = 0; a[i] = i++;": "order of operands",
    "int x = 1; x = x++ + 1;": "order of operands",
    "float x = 1.5f;": "float",
    "long n = (long)&g; int *p = (int *)n;": "an integer that becomes a pointer",
    'char t[9]; __builtin_strcpy(t, "a");': "strcpy",
    "int n = f(3); struct { int a[n]; } s;": "known before the program runs",
    "int *p = (int[]){1, 2}; *p = 1;": "CompoundLiteral",
    "struct s { int a, b; } *p = 0; int i = (p->a = 1) + p->a;": "order of operands",
    "int a[2]; int *p = a; *p = (*p)++;": "order of operands",
    "struct __attribute__((packed)) q { int a; } v;": "attribute that changes a layout",
    '__asm__("nop");': "__asm__",
    "volatile int x = 1;": "volatile",
    "int a[f(2)]; __typeof__(a) x;": "typeof",
    "__auto_type x = 1;": "__auto_type",
    '_Pragma("pack(1)") struct q { char a; int b : 3; } v; int n = sizeof v;': "which is packed",
    '_Pragma("pack(3)") struct q { char a; int b; } v;': "#pragma pack",
    '_Pragma("pack(pop)") struct q { char a; int b; } v;': "without a push",
    '_Pragma("scalar_storage_order big-endian") struct q { int b; } v;': "#pragma scalar_storage_order",
    "struct q { char a; _Alignas(16) char b; } v;": "_Alignas",
    'int x; __builtin_printf("%n", &x);': "__builtin_printf",
    'int x; int printf(const char *, ...); printf("a%hhn", &x);': "may store",
    'int x; int printf(const char *, ...); char *s = "%n"; printf(s, &x);': "may store",
    'int x; int printf(const char *, ...); char *s = "%n"; printf(s, (long)&x);': "may store",
    "int apply(int (*)(int)); apply(f);": "giving a function to",
    "int atexit(void (*)(void)); atexit(0);": "atexit",
    "long time(long *); long x = 0; time(&x);": "'time', which writes what it is given",
    "long pread(int, void *, unsigned long, long); char b[4]; pread(0, b, 4, 0);": "'pread', which writes",
    "int pipe(int *); int ends[2] = {0}; pipe(ends);": "'pipe', which writes",
    "struct { unsigned long a : 40; } v; v.a = 1; if (v.a << 39) return 1;": "more than 32 bits",
    "int x = g + h();": "order of operands",
}


def test_a_function_that_is_given_null_writes_nothing(tmp_path: Path):
    model = DATA_MODELS["LP64"]
    file = tmp_path / "program.c"
    file.write_text(
        "long time(long *);\nint main(void) { long x = 0; time(0); time((long *)0); return x; }\n"
    )
    assert lower([preprocess(file, model)], model).externals == {"time": 64}


@pytest.mark.parametrize(("body", "reason"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_modelled_is_refused_with_its_place(body, reason, tmp_path: Path):
    text = (
        "int g; int f(int x) { return x; }\nint h(void) { return ++g; }\nint main(void) {\n"
        + body
        + "\nreturn 0; }\n"
    )
    file = tmp_path / "program.c"
    file.write_text(text)
    model = DATA_MODELS["LP64"]
    with pytest.raises(SourceProblem, match=reason) as problem:
        inlined(lower([preprocess(file, model)], model))
    assert "program.c" in str(problem.value)


def test_text_that_gcc_rejects_gets_gccs_words(tmp_path: Path):
    file = tmp_path / "program.c"
    file.write_text("int main(void) { return x; }")
    with pytest.raises(
        SourceProblem, match=r"program\.c:1:25: gcc does not accept this program: error: .x. undeclared"
    ):
        preprocess(file, DATA_MODELS["LP64"])
