"""Where C could keep a value that is no part of the state, and what becomes of who tries.

A value that lives on beside the state makes two states one that behave differently: a wrong `verified`. So
each place is state, or holds the same at every call, or using it is told.
"""

import pytest

import assay
from assay.transition_system.interface import SourceProblem


@pytest.fixture
def model(tmp_path):
    def write(text):
        path = tmp_path / "model.pml"
        path.write_text(text)
        return path

    return write


WRITES = [
    ("now._nr_pr = 200", "beside its variables"),
    ("memset(now.a, 255, 40)", "beside its variables"),  # what the channel behind it holds
    ("PP->_p = 77", "beside its variables"),
    ("((P0 *)pptr(1))->v = 1", "beside its variables"),  # of another process
    ("PP->_pid = 3", "beside its variables"),
    ("((char *)PP)[100] = 1", "beside its variables"),  # behind the process
    ("((volatile char *)&last)[far] = 1", "beside its variables"),  # behind the last variable, on its page
    ("*(int **)(void *)&constants[0] = 0", "it uses memory that is not its own"),
    ("_mm_setcsr(_mm_getcsr() | 0x6000)", "it changes how numbers are rounded"),
]


def test_what_is_written_beside_the_state_is_a_violation(model):
    options = "\n".join(f":: c_code {{ {code}; }}" for code, _ in WRITES)
    found = assay.verify(
        model(f"""
        c_decl {{
        \\#include <xmmintrin.h>
        int x, y, far = 2000; static int *const constants[2] = {{ &x, &y }}; static char last;
        int *first(void) {{ return *(int *volatile *)(void *)&constants[0]; }}
        }}
        byte a[3]; chan c = [2] of {{ byte }};
        active [2] proctype P() {{ byte v; _pid == 0;
          if {options} fi; c?v; assert(c_expr {{ first() && last == 0 }}) }}
        """),
        all_errors=True,
    )
    words = [v.message for v in found.violations]
    assert len(words) == len(WRITES)
    assert all(expected in word for word, (_, expected) in zip(words, WRITES, strict=True)), words


REFUSED = [
    ("t = __builtin_ia32_rdtsc()", "executes 'rdtsc' in code_fragment_0()"),
    ('__asm__ volatile("syscall" : "=a"(t) : "a"(39) : "rcx", "r11", "memory")', "executes 'syscall'"),
    ('__asm__("cpuid" : "=a"(t) : "a"(1) : "rbx", "rcx", "rdx")', "executes 'cpuid'"),
    ('__asm__("mov %%fs:0, %0" : "=r"(t))', "memory of the thread"),
    ('static __attribute__((section("assay_private"))) int hidden; hidden = 1', "the name 'assay_private'"),
    ("t = setlocale(0, 0) != 0", "calls 'setlocale'"),
    ("t = fegetround()", "calls 'fegetround'"),
    ("signgam = 1", "'signgam'"),
    ('__asm__ volatile("pushf; popf" ::: "memory")', "executes 'popf'"),
    ('__asm__ volatile("mov %0, %%es" : : "r"(0))', "what the processor remembers beyond the call"),
    ('__asm__("lsl %1, %0" : "=r"(t) : "r"(123l))', "executes 'lsl'"),
    (
        "int w = 1; int n(int v) { return v + w++; } int (*volatile f)(int) = n; t = f(1)",
        "which is code on the stack",
    ),
    ("t = pan_rand()", "'pan_rand' of SPIN's verifier"),
]


@pytest.mark.parametrize(("code", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_no_state_can_hold_is_refused_by_name(model, code, words):
    text = f"""
    c_decl {{ long t; int fegetround(void); char *setlocale(int, const char *); extern int signgam; }}
    active proctype P() {{ c_code {{ {code}; }} }}
    """
    with pytest.raises(SourceProblem, match=r"\w") as problem:
        assay.verify(model(text))
    assert words in str(problem.value)


def test_what_the_c_library_remembers_is_as_in_every_program(model):
    """errno of the functions of the system, the numbers of glibc, a plain locale, empty registers."""
    text = """
    c_decl {
    \\#include <errno.h>
    \\#include <math.h>
    extern void *stack_begin;
    volatile double minus_one = -1;
    __attribute__((noinline)) int is_on_stack(void *p) {
      int here;
      return p > (void *)&here && p < stack_begin;
    }
    int given(int a) { return a; }
    }
    int x, y;
    active proctype P() {
      c_code { errno = 0; strtol("99999999999999999999999", 0, 10); now.x = errno; };
      assert(c_expr { errno == ERANGE } && x == 34);
      c_code { sqrt(minus_one); };
      assert(c_expr { errno == EDOM });
      c_code { now.x = rand(); now.y = rand(); };
      assert(x == 1804289383 && y == 846930886);
      c_code { srand(42); now.x = rand(); now.y = ((int (*)())given)(); };
      assert(x == 71876166 && y == 0);
      c_code { int (*compare)(const char *, const char *) = strcmp; now.x = compare("a", "a"); };
      assert(x == 0);
      c_code { int here; now.x = is_on_stack(&here) + 2 * is_on_stack(&now) + 4 * !!isalpha(0xE9); };
      assert(x == 1)
    }
    """
    found = assay.verify(model(text))
    assert found.verdict == "verified", found.violations


def test_memory_that_sscanf_allocates_is_told(model):
    """It comes from the system's heap, which nobody puts back: found as an internal error."""
    text = """
    c_decl { char *kept; int a; char b[4]; }
    active proctype P() {
      c_code { a = sscanf("7 x%m", "%d%% %3s", &a, b) + sscanf("7 xy", "%d%3s", &a, b); };
      assert(c_expr { a == 3 && b[1] == 'y' });
      c_code { sscanf("abc", "%4ms", &kept); }
    }
    """
    found = assay.verify(model(text)).violations
    assert [(one.kind, "sscanf() with %m allocates" in one.message) for one in found] == [("abort", True)]


def test_the_old_registers_are_empty_at_every_call(model):
    """Code that uses MMX and forgets to say that it is done leaves a full stack to the next long double."""
    text = """
    c_decl { int found; volatile long double one = 1; }
    active proctype P() {
      c_code { __asm__ volatile("mov $5, %%eax; movd %%eax, %%mm3; fld1" ::: "eax"); };
      c_code { __asm__ volatile("movd %%mm3, %0" : "=r"(found)); };
      assert(c_expr { found == 0 && one + one == 2 })
    }
    """
    assert assay.verify(model(text)).verdict == "verified"


def test_the_counter_of_spins_trails_is_state(model):
    text = """
    int x;
    active proctype P() { if :: c_code { Nr_Trails = 1; } :: c_code { Nr_Trails = 2; } fi; x = 1;
      assert(c_expr { Nr_Trails != 2 }) }
    """
    assert assay.verify(model(text)).verdict == "violated"


FORGOTTEN = """
c_decl { int seen; }
int x;
active proctype P() { if :: c_code { seen = 1; } :: c_code { seen = 2; } fi;
  x = 1; assert(c_expr { seen == 1 }) }
"""


def test_a_run_that_nobody_can_repeat_is_no_violation(model):
    """With what is declared alone, where a run leads may depend on what the search did before."""
    found = assay.verify(model(FORGOTTEN), tracking="declared", search="dfs", reductions=())
    assert (found.verdict, found.violations) == ("incomplete", ())
    assert "do not come to it when executed again" in found.reasons[0]
    assert any("'seen' is written" in reason for reason in found.reasons)


def test_a_violation_that_rests_on_what_is_not_tracked_says_so(model):
    text = "c_decl { int a; } active [2] proctype P() { c_code { a++; }; assert(c_expr { a <= 2 }) }"
    found = assay.verify(model(text), tracking="declared", search="dfs", reductions=())
    assert found.verdict == "violated"
    assert any("'a' is written" in note for note in found.notes)
    assert assay.verify(model(text)).verdict == "verified"
