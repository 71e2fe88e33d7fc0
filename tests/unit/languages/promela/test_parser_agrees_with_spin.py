"""SPIN is the specification: what it parses we parse, what it refuses for its syntax we refuse.

SPIN also refuses for reasons of meaning (an undeclared variable); those are for
the next stage and are no disagreement here.
"""

import subprocess
from pathlib import Path

import pytest

from assay.languages.promela.parser import parse_model
from assay.transition_system.interface import SourceProblem

EXAMPLES = Path("/usr/share/doc/spin/examples")
MODELS = sorted(path for path in EXAMPLES.rglob("*") if path.is_file() and path.suffix != ".txt")

pytestmark = pytest.mark.needs_spin


def spin(path, folder):
    """Whether SPIN accepts the model, and whether it found a syntax error."""
    result = subprocess.run(
        ["spin", "-a", str(path)], cwd=folder, capture_output=True, timeout=600, check=False
    )
    output = result.stdout + result.stderr
    return result.returncode == 0, b"syntax error" in output


def refusal(path):
    try:
        parse_model(path)
    except SourceProblem as problem:
        return str(problem)
    return None


@pytest.mark.skipif(not MODELS, reason=f"SPIN's examples are not in {EXAMPLES}")
def test_spin_s_examples_are_there():
    assert len(MODELS) > 90


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.relative_to(EXAMPLES).as_posix())
def test_an_example_of_spin_is_read_as_spin_reads_it(path, tmp_path):
    accepted, has_syntax_error = spin(path, tmp_path)
    problem = refusal(path)
    if accepted:
        assert problem is None
    if has_syntax_error:
        assert problem is not None


ACCEPTED = """\
byte x init { x = 1 }
byte x; init { x = 1 unless x == 2 }
byte x; init { if :: x == 1 -> L: :: else fi }
byte x; init { L: M: x = 1 }
byte x; init { select(x : 1 .. 3) unless { x == 1 } }
byte x_y; init { select(x_y : 3 .. 10); x_y = 1 }
byte x; init { for (x : 1 .. 3); { skip } }
byte x[4]; byte i; init { for (i in x) { x[i] = 1 } }
init { skip; } ;;; byte x
int a[1+2*3] = 3; init { a[0] = 1 }
int N = 3; int a[N] = 3; init { a[0] = 1 }
mtype = {a, b c,, d,}; mtype z; init { z = a; z == b }
mtype {a, b}; init { skip }
mtype:col = {red, green}; mtype:col c = red; init { c = green }
mtype = {m}; chan q = [2] of {mtype, byte}; byte v; init { q!m(1); q?m(v); q?(m,v); q??<m(v)>; q!!m,2 }
chan q = [2] of {byte}; init { full(q) && empty(q) || nfull(q) }
chan q = [2] of {byte}; byte x; init { x = full(q) }
chan q = [2] of {byte}; byte x; init { (full(q)) ; assert full(q) }
byte x; init { (x -> 1 : 2) == 3 -> skip }
byte x; inline f(a) { x = a } init { f(3) f(4) }
byte x; inline f(a) { return a + 1 } init { x = f(3) }
byte x; inline f(a) { } init { skip }
byte x; inline g(b) { x = b } inline f(a) { g(a); g(2) } init { f(1) }
typedef T { byte a; int b[2]; } typedef U { T t[3]; byte z }; U u[2]; init { u[1].t[2].b[0] = 1; u[0].z++ }
byte x; active [2] proctype P() priority 3 provided (x == 1) { skip }
never foo { skip } init { skip }
byte x; ltl p { always eventually x == 1 implies x <-> x == 2 } init { x = 1 }
init { atomic { skip; } ; d_step { skip ; } -> { skip -> } }
init { if :: skip :: else skip fi }
c_code { int x; } init { c_code { x = "}"; }; c_expr { x == 1 } -> c_code [x > 1] { x++; } }
byte in; init { in = 1 }
byte x; init { { byte y = 1; x = y } { byte y; } }
byte x; init { x = 1 ; -> ; x = 2 }
int x; init { x = 4294967296 }
typedef T { byte a }; chan q = [1] of {byte, T}; T t; init { q!1,t; q?_,t }
byte x; init {\\n do\\n :: x == 1 -> break\\n :: timeout\\n x = 2\\n od unless\\n { x = 1 }\\n}
typedef T {\\n byte a\\n byte b[3]\\n}\\ninit {\\n T t\\n t.a = 1\\n}
byte x; init { x = 1 /* \\n */ x = 2 }
byte x; init { x = 1 ;;; }
byte x; init { select\\n (x : 1 .. 3)\\n x = 1 }
byte x; inline f(a) { a\\n a = 1\\n} init { f(x)\\n f(x) }
""".splitlines()

REFUSED = """\
byte x; init { x = 1 unless x == 2 unless x == 3 }
byte x; init { select(x : 1 .. 99) unless { x == 1 } }
int a[3] = {1,-2,3}; init { a[0] = 1 }
int a[2] = {1,2}, b; init { b = 1 }
chan a = [1] of {byte}, b = [1] of {byte}; init { a!1 }
chan q = [2] of {byte}; init { !full(q) }
chan q = [2] of {byte}; init { full(q) == 1 }
chan q = [2] of {byte}; byte x; init { x = (full(q) -> 1 : 2) }
byte x; init { x = 0x10 }
byte unix; init { unix = 1 }
byte x; inline f(a) { } init { f(3) }
proctype P(byte a; ) { a = 1 } init { skip }
init { printf("a" "b") }
byte x; ltl p { [ ] x == 1 } init { x = 1 }
init { if fi }
proctype P() { skip } byte P; init { skip }
byte x; init { x = 1 2 }
byte x; init { x = 1 } }
mtype = {a}; mtype = {a}; init { skip }
mtype = {a}; byte a; init { skip }
byte x; init { -> x = 1 }
byte x; init { if :: x = 1 ;;; :: x = 2 fi }
byte x;init {\\n x = 1 +\\n 2\\n x\\n = 3\\n}
byte x; init { skip } never {\\n np_\\n x == 1\\n}
inline f() {\\n timeout\\n x = 1\\n}\\nbyte x;\\ninit {\\n f()\\n x = 2\\n}
byte x; init { x = 1 } unless { x == 2 }
init { }
init { ; skip }
byte x; init { x = 1 ;;;; }
byte x; init {\\n do\\n :: x == 1 -> break\\n :: timeout\\n x = 2\\n od\\n unless\\n { x = 1 }\\n}
""".splitlines()


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted_by_both(text, tmp_path):
    path = tmp_path / "model.pml"
    path.write_text(text.replace("\\n", "\n"))
    assert spin(path, tmp_path) == (True, False)
    assert refusal(path) is None


@pytest.mark.parametrize("text", REFUSED)
def test_refused_by_both(text, tmp_path):
    path = tmp_path / "model.pml"
    path.write_text(text.replace("\\n", "\n"))
    assert spin(path, tmp_path)[1]
    assert refusal(path) is not None
