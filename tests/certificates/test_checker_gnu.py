"""GNU C in the independent checker, beside gcc: ranges of cases, `a ?: b`, and conditions that are constants.

Of each expression gcc says that it is true; that it is must be proved, and that it is not must not be.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.certificates.test_checker_attacks import fails_when_it_runs, is_accepted, written

# ruff: noqa: E501 (programs on one line)

TRUE = {
    "case range": ("f(1)==1&&f(3)==1&&f(5)==1&&f(0)==0&&f(6)==0&&f(7)==2", "int f(int x){switch(x){case 1 ... 5: return 1; case 7: return 2;} return 0;}", ""),
    "case range neg": ("f(-1)==1&&f(-3)==0", "int f(int x){switch(x){case -2 ... 2: return 1;} return 0;}", ""),
    "case range fall": ("f(2)==3", "int f(int x){int r=0; switch(x){case 1 ... 2: r=1; default: r+=2;} return r;}", ""),
    "case range char": ("f('q')==1&&f('Q')==0", "int f(char x){switch(x){case 'a' ... 'z': return 1;} return 0;}", ""),
    "case range uns": ("f(3000000000u)==1", "int f(unsigned x){switch(x){case 2999999999u ... 3000000001u: return 1;} return 0;}", ""),
    "case range enum": ("f(B)==1", "enum e{A,B,C}; int f(enum e x){switch(x){case B ... C: return 1; default: return 0;}}", ""),
    "case range empty": ("f(3)==0", "int f(int x){switch(x){case 5 ... 1: return 1;} return 0;}", ""),
    "case range long": ("f(5)==1", "int f(long x){switch(x){case 0 ... 0x100000000L: return 1;} return 0;}", ""),
    "elvis": ("(x?:3)==2&&(y?:3)==3", "int x=2,y=0;", ""),
    "elvis once": ("((n++)?:7)==7&&n==1", "int n;", ""),
    "elvis call": ("(f()?:7)==1&&n==1", "int n; int f(void){return ++n;}", ""),
    "elvis type": ("(x?:0u)>0", "int x=-1;", ""),
    "elvis size": ("sizeof((char)1?:(char)2)==4", "", ""),
    "elvis ptr": ("(p?:&x)==&x", "int x; int*p;", ""),
    "elvis nested": ("(a?:b?:5)==5", "int a,b;", ""),
    "elvis effects right": ("((x?:(y=4))==2)&&y==0", "int x=2,y;", ""),
    "elvis bf": ("(s.a?:9)==3", "struct{unsigned a:3;}s={3};", ""),
    "elvis bool": ("(b?:9)==1", "_Bool b=1;", ""),
    "elvis modifies": ("(x ?: (x=5))==5&&x==5", "int x;", ""),
    "const cond": ("(1?2:3/0)==2", "", ""),
    "const cond enum": ("A==256", "enum{A=((0)<8?((1<<(0))<<8):((1<<(0))>>8))};", ""),
    "const cond type": ("(1?-1:0u)>0 && (0?0u:-1)>0", "", ""),
    "const cond effect": ("(1?x++:(x=9))==0&&x==1", "int x;", ""),
    "const cond void": ("x==1", "int x; void f(void){x=1;}", "1?f():(void)0;"),
    "const cond dead assign": ("x==0", "int x;", "0?(x=5):1;"),
    "const and": ("(0&&x++)==0&&x==0&&(1||x++)&&x==0", "int x;", ""),
    "const and live": ("(1&&x++)==0&&x==1", "int x;", ""),
    "const cond dead block": ("({int y=3; 1?y:({int z=4; while(z) z--; z;});})==3", "", ""),
}  # fmt: skip
REFUSED = (
    "int main(void) { unsigned x = 3; switch (x) { case -2 ... -1: reach_error(); } }",
    "int main(void) { int x = 3; switch (x) { case 0 ... 0x100000000L: reach_error(); } }",
)


@pytest.mark.parametrize("name", TRUE)
def test_what_gcc_computes_is_proved_and_nothing_else(name: str, tmp_path: Path) -> None:
    expression, before, first = TRUE[name]
    for is_reached in (True, False):
        test = f"({expression})" if is_reached else f"!({expression})"
        text = f"{before}\nint main(void) {{ {first} if ({test}) reach_error(); return 0; }}\n"
        files = written((text,), tmp_path)
        assert fails_when_it_runs(files, tmp_path) is is_reached
        assert is_accepted(files) is not is_reached


@pytest.mark.parametrize("text", REFUSED)
def test_a_range_that_gcc_would_cut_is_not_read(text: str, tmp_path: Path) -> None:
    assert not is_accepted(written((text,), tmp_path))
