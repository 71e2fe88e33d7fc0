"""Bounds of pointers in the independent checker: indexes, what is allocated and freed, and what is gone.

Some of the programs that fail are compiled with gcc's own checks and run, so that they do fail.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import assay
from assay.checker import Rejected, Undecided, check
from assay.evidence.verdict import Verdict
from tests.certificates.test_checker_attacks import HEAD, REST, is_accepted
from tests.certificates.test_contract_certificates import forged

# ruff: noqa: E501 (programs on one line)

LIBRARY = """\
void *malloc(__SIZE_TYPE__); void free(void *);
void *memcpy(void *, const void *, __SIZE_TYPE__); void *memset(void *, int, __SIZE_TYPE__);
"""
HOLD = {
    "ref sum": "int sum(int*a,int n){int s=0; for(int i=0;i<n;i++) s+=a[i]; return s;}\nint main(void){ int a[4]={1,2,3,4}; return sum(a,4); return 0; }",
    "ref moved back": "int get(int*a,int i){return a[i-1];}\nint main(void){ int a[4]={1,2,3,4}; return get(a+1,0); return 0; }",
    "heap": "int main(void){ int*p=malloc(8); p[1]=1; free(p); return 0; }",
    "free null": "int main(void){ free((void*)0); return 0; }",
    "local ptr": "int main(void){ int x=1,y; int*p=__VERIFIER_nondet_int()?&x:&y; *p=3; return 0; }",
    "alive outer": "void set(int**r,int*v){*r=v;}\nint main(void){ int x=0; int*p; set(&p,&x); for(int i=0;i<2;i++){ *p=i; } return 0; }",
    "end ok": "int main(void){ int a[3]; int*p=a; p+=3; p--; *p=1; return 0; }",
    "memcpy ok": "int main(void){ int a[3],b[3]; memcpy(a,b,12); return 0; }",
    "memset unknown ok": "int main(void){ char a[5]; int n=__VERIFIER_nondet_int(); if(n>=0&&n<=5) memset(a,0,n); return 0; }",
    "two differ": "int main(void){ int x,y; int*p=&x,*q=&y; int**r=&p; if(*r==q) reach_error(); return 0; }",
    "text end": 'int main(void){ char*s="abc"; char**r=&s; if((*r)[3]) return 1; return 0; }',
    "static arr ok": "int a[4]; int*p=a;\nint main(void){ p[__VERIFIER_nondet_int()&3]=1; return 0; }",
    "fn ptr": "int g(void){return 1;} int k(void){return 2;}\nint main(void){ int(*p)(void)=g; if(__VERIFIER_nondet_int()) p=k; if(p()==3) reach_error(); if (p!=g&&p!=k) reach_error(); return 0; }",
    "list": "struct n{int v;struct n*next;};\nint main(void){ struct n*l=0; for(int i=0;i<2;i++){struct n*m=malloc(sizeof*m); m->v=i; m->next=l; l=m;} while(l){struct n*k=l->next; free(l); l=k;} return 0; }",
}  # fmt: skip
FAIL = {
    "ref sum off": "int sum(int*a,int n){int s=0; for(int i=0;i<=n;i++) s+=a[i]; return s;}\nint main(void){ int a[4]={1,2,3,4}; return sum(a,4); return 0; }",
    "ref neg": "int get(int*a,int i){return a[i-1];}\nint main(void){ int a[4]={1,2,3,4}; return get(a,0); return 0; }",
    "heap off": "int main(void){ int*p=malloc(8); p[2]=1; free(p); return 0; }",
    "heap short": "int main(void){ int*p=malloc(7); p[1]=1; free(p); return 0; }",
    "use after free": "int main(void){ int*p=malloc(8); free(p); *p=1; return 0; }",
    "double free": "int main(void){ int*p=malloc(8); free(p); free(p); return 0; }",
    "free inner": "int main(void){ int*p=malloc(8); free(p+1); return 0; }",
    "free local": "int main(void){ int x; int*p=&x; free(p); return 0; }",
    "null": "int main(void){ int*p=0; if(__VERIFIER_nondet_int()) p=malloc(4); *p=1;  return 0; }",
    "dangling block": "int main(void){ int*p; {int x=1; p=&x; *p=2;} {int y=3; int *q=&y; *q=1; *p=2;} return 0; }",
    "dangling return": "int*f(void){int x=1; int*p=&x; int **q=&p; return *q;}\nint main(void){ int*p=f(); *p=2; return 0; }",
    "dangling again": "int*p; void f(int k){int x=0; int*q=&x; int**r=&q; if(k) *p=5; else p=*r; x++;}\nint main(void){ for(int i=0;i<2;i++) f(i); return 0; }",
    "dangling loop": "int main(void){ int*p=0; for(int i=0;i<2;i++){int x=0; int*q=&x; int**r=&q; if(i) *p=5; p=*r;} return 0; }",
    "end deref": "int main(void){ int a[3]; int*p=a; p+=3; *p=1; return 0; }",
    "before": "int main(void){ int a[3]; int*p=a; p--; p++; *p=1; return 0; }",
    "member oob": "struct s{int a[2];int b;};\nint main(void){ struct s*p=malloc(sizeof*p); int i=__VERIFIER_nondet_int(); if(i>=0&&i<3) p->a[i]=1; free(p); return 0; }",
    "cast oob": "int main(void){ short x; short*q=&x; int*p=(int*)q; *p=1; return 0; }",
    "memcpy oob": "int main(void){ int a[2],b[3]; memcpy(a,b,12); return 0; }",
    "memset unknown oob": "int main(void){ char a[5]; int n=__VERIFIER_nondet_int(); if(n>=0&&n<=6) memset(a,0,n); return 0; }",
    "end equals other": "int main(void){ int x,y; int*p=&x,*q=&y; p++; if(p==q) reach_error(); return 0; }",
    "freed equals new": "int main(void){ int*p=malloc(4); free(p); int*q=malloc(4); if(p==q) reach_error(); free(q); return 0; }",
    "cmp objects": "int main(void){ int x,y; int*p=&x,*q=&y; int**r=&p; if(*r<q) return 1; return 0; }",
    "diff objects": "int main(void){ int x,y; int*p=&x,*q=&y; int**r=&p; return *r-q; return 0; }",
    "huge index": "int main(void){ int a[3]; int*p=a; int**r=&p; long i=0x100000000; (*r)[i]=1; return 0; }",
    "huge index u": "int main(void){ int a[3]; int*p=a; int**r=&p; unsigned long i=-1; (*r)[i]=1; return 0; }",
    "wrap mult": "int main(void){ long a[3]; long*p=a; long**r=&p; unsigned long i=0x2000000000000000; (*r)[i]=1; return 0; }",
    "text write oob": 'int main(void){ char*s="abc"; char**r=&s; if((*r)[4]) return 1; return 0; }',
    "static arr oob": "int a[3]; int*p=a;\nint main(void){ p[__VERIFIER_nondet_int()&3]=1; return 0; }",
    "fn as data": "int g(void){return 1;}\nint main(void){ char*p=(char*)g; char**r=&p; if(**r) return 1; return 0; }",
    "goto into": "int main(void){ int*p=0; int n=0; again: {int x=1; if(n) {*p=2; return 0;} int*q=&x; int**r=&q; p=*r; n=1;} goto again; return 0; }",
    "switch dangling": "int main(void){ int*p=0; for(int i=0;i<2;i++) switch(i){ int x; case 0: {int*q=&x; int**r=&q; p=*r;} break; case 1: *p=1; } return 0; }",
    "list bad": "struct n{int v;struct n*next;};\nint main(void){ struct n*l=0; for(int i=0;i<2;i++){struct n*m=malloc(sizeof*m); m->v=i; m->next=l; l=m;} while(l){free(l); l=l->next;} return 0; }",
    "malloc0": "int main(void){ char*p=malloc(0); *p=1; return 0; }",
    "malloc fails": "int main(void){ int*p=malloc(4); *p=1; free(p); return 0; }",
    "bitfield oob": "struct s{char c; int b:9;};\nint main(void){ char*c=malloc(2); struct s*p=(struct s*)c; p->b=1; return 0; }",
    "struct copy oob": "struct s{int a,b;};\nint main(void){ struct s x={1,2},*p=malloc(4); *p=x; return 0; }",
    "param dangling": "int*g; void f(int x){g=&x;}\nint main(void){ f(1); *g=2; return 0; }",
}  # fmt: skip
SEEN_BY_GCC = ["cast oob", "dangling block", "double free", "end deref", "free inner", "free local", "heap off", "heap short", "huge index", "list bad", "malloc0", "memcpy oob", "ref sum off", "struct copy oob", "text write oob", "use after free"]  # fmt: skip
ONLY_LP64 = {"huge index", "wrap mult"}  # `long` has 32 bits elsewhere


def written(text: str, folder: Path) -> Path:
    file = folder / "program.c"
    file.write_text(HEAD + LIBRARY + text)
    return file


def checks_of(name: str) -> tuple[str, ...]:
    return ("bounds", "allocation") if name == "malloc fails" else ("bounds",)


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", HOLD)
def test_pointers_that_stay_inside_are_accepted(name: str, model: str, tmp_path: Path) -> None:
    assert is_accepted([written(HOLD[name], tmp_path)], model, ("bounds",))


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", FAIL)
def test_pointers_that_leave_their_object_are_not_accepted(name: str, model: str, tmp_path: Path) -> None:
    if model == "LP64" or name not in ONLY_LP64:
        assert not is_accepted([written(FAIL[name], tmp_path)], model, checks_of(name))


@pytest.mark.parametrize("name", SEEN_BY_GCC)
def test_programs_that_fail_do_so_when_gcc_checks_them(name: str, tmp_path: Path) -> None:
    file, made = written(FAIL[name], tmp_path), tmp_path / "program"
    (tmp_path / "rest.c").write_text(REST)
    sanitizers = "-fsanitize=address,undefined"
    command = ["gcc", "-std=gnu11", "-w", "-O0", sanitizers, "-fno-sanitize-recover=all", "-fno-builtin"]
    subprocess.run([*command, str(file), str(tmp_path / "rest.c"), "-o", str(made)], check=True)
    done = subprocess.run([made], check=False, timeout=20, capture_output=True)
    assert done.returncode != 0
    assert b"Sanitizer" in done.stderr or b"runtime error" in done.stderr


@pytest.mark.parametrize("name", ["ref sum", "heap", "local ptr", "list"])
def test_certificates_about_bounds_are_accepted(name: str, tmp_path: Path) -> None:
    file, certificate = written(HOLD[name], tmp_path), tmp_path / "program.cert"
    result = assay.verify(file, checks=["bounds"], certificate=certificate, timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED
    check(file, certificate)


@pytest.mark.parametrize("name", ["ref sum", "list"])
def test_a_proof_that_looks_at_fewer_rounds_is_not_accepted(name: str, tmp_path: Path) -> None:
    file = written(HOLD[name], tmp_path)
    assay.verify(file, checks=["bounds"], certificate=tmp_path / "program.cert", timeout_seconds=60)
    other = forged(tmp_path, "program", lambda body: body.update(bound=1, rounds=0, nodes=[]))
    with pytest.raises((Rejected, Undecided)):
        check(file, other)


def test_a_proof_without_the_check_is_none_with_it(tmp_path: Path) -> None:
    """The text is that of a program that fails: who proves less must not say more."""
    file = written(FAIL["ref sum off"], tmp_path)
    assay.verify(file, certificate=tmp_path / "program.cert", timeout_seconds=60)
    check(file, tmp_path / "program.cert")
    content = (tmp_path / "program.cert").read_bytes()
    (tmp_path / "program.cert").write_bytes(content.replace(b'"checks":[]', b'"checks":["bounds"]'))
    with pytest.raises(Rejected):
        check(file, tmp_path / "program.cert")


LARGE = "int *g; void f(void) { int a[3000]; int *p = a, **r = &p; p[5] = 1; g = *r; }\nint main(void) { f(); *g = 1; return 0; }"


def test_a_large_local_array_is_gone_when_its_function_returns(tmp_path: Path) -> None:
    file = written(LARGE, tmp_path)
    assert not is_accepted([file], checks=("bounds",))
    assert assay.verify(file, checks=["bounds"], timeout_seconds=60).verdict is Verdict.VIOLATED


def test_a_large_local_array_is_no_allocation(tmp_path: Path) -> None:
    file = written(LARGE.replace("*g = 1;", ""), tmp_path)
    assay.verify(file, certificate=tmp_path / "program.cert", timeout_seconds=60)
    check(file, tmp_path / "program.cert")


@pytest.mark.parametrize("name", ["dangling again", "dangling loop"])
def test_engines_do_not_tell_the_lives_of_a_local_apart_and_say_so(name: str, tmp_path: Path) -> None:
    file = written(FAIL[name], tmp_path)
    result = assay.verify(file, checks=["bounds"], timeout_seconds=60)
    assert result.verdict is Verdict.VERIFIED
    assert "no pointer to a local is kept from one life of it to the next" in result.semantics["granted"]
