"""Models with embedded C, from their text to the verdict."""

import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import _engine
from assay.languages.promela.program import load
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "embedded_c"
MODELS = Path(__file__).resolve().parent / "models"


def example(name, *sources, **options):
    return assay.verify(EXAMPLES / name, c_sources=[str(EXAMPLES / s) for s in sources], **options)


# --- the figures of the paper ---

FIGURES = [
    ("1_specification.pml", [], {"defines": ["BUG"]}),
    ("2_file_system.pml", ["file_system.c"], {"cflags": ["-DBUG"]}),
    ("3_canonize.pml", ["canonize.c"], {"cflags": ["-DBUG"]}),
    ("5_binary_tree.pml", ["tree.c"], {"cflags": ["-DBUG"]}),
    ("6_claim.pml", ["tree.c"], {"cflags": ["-DBUG"]}),
]


@pytest.mark.parametrize(("name", "sources", "_mistake"), FIGURES, ids=[row[0] for row in FIGURES])
def test_the_figure_holds(name, sources, _mistake):
    assert example(name, *sources).verdict == "verified"


@pytest.mark.parametrize(("name", "sources", "mistake"), FIGURES, ids=[row[0] for row in FIGURES])
def test_the_mistake_in_the_figure_is_found(name, sources, mistake):
    assert example(name, *sources, **mistake).verdict == "violated"


def test_what_is_not_matched_is_restored_and_not_compared():
    abstract = example("8_abstraction.pml")
    assert (abstract.verdict, abstract.states) == ("incomplete", 43)
    assert "compared by a key" in abstract.reasons[0]
    assert example("8_abstraction.pml", defines=["EXACT"]).states == 483
    assert example("8_abstraction.pml", search="dfs").states == 43
    assert example("8_abstraction.pml", defines=["BUG"]).verdict == "violated"


def test_an_invariant_may_ask_c():
    options = {"safety": True, "invariants": ["c_expr { check_tree() }"]}
    assert example("6_claim.pml", "tree.c", **options).verdict == "verified"
    assert example("6_claim.pml", "tree.c", cflags=["-DBUG"], **options).verdict == "violated"


# --- what is part of the state ---

FORGETFUL = """
c_decl {
  static int hidden_away;
  int note(int n) { static int last; hidden_away = last; return last = n; }
}
active proctype P() {
  byte i;
  do
  :: i < 2 -> i++; if :: c_code { note(1); } :: c_code { note(2); } fi
  :: else -> break
  od;
  assert(c_expr { hidden_away != 2 || note == 0 })
}
"""


def test_nothing_that_c_remembers_is_forgotten(verified):
    """Statics of functions too; with what is declared alone, the search cannot tell the states apart."""
    assert verified(FORGETFUL).verdict == "violated"
    declared = verified(FORGETFUL, tracking="declared", search="dfs", reductions=())
    named = " ".join(declared.reasons) + " ".join(v.message for v in declared.violations)
    assert declared.verdict == "violated" or "is not tracked" in named


def test_what_was_forgotten_is_named():
    found = example(
        "5_binary_tree.pml", "tree.c", tracking="declared", audit_tracking=True, defines=["FORGOTTEN"]
    )
    assert found.verdict == "incomplete"
    assert any("tree.c:5: 'B' is written by the c_code at 5_binary_tree.pml:" in r for r in found.reasons)
    assert all("is not tracked" in reason for reason in found.reasons)


def test_declared_tracking_that_forgets_nothing_verifies():
    complete = example("5_binary_tree.pml", "tree.c")
    declared = example("5_binary_tree.pml", "tree.c", tracking="declared", audit_tracking=True)
    assert (declared.verdict, declared.states) == (complete.verdict, complete.states) == ("verified", 3057)


HEAP = """
c_decl {
  struct node { int value; struct node *next; };
  struct node *head;
  void push(int v) { struct node *n = malloc(sizeof *n); n->value = v; n->next = head; head = n; }
  int pop(void) { struct node *n = head; int v = n->value; head = n->next; free(n); return v; }
  int length(void) { int k = 0; for (struct node *n = head; n; n = n->next) k++; return k; }
}
byte x;
active proctype M() {
  do
  :: c_expr { length() < 4 } -> if :: c_code { push(1); } :: c_code { push(2); } fi
  :: c_expr { head != 0 } -> c_code { now.x = pop(); }
  od
}
"""


def test_the_heap_is_part_of_the_state(verified):
    assert (found := verified(HEAP)).verdict == "verified"
    assert found.states == 228
    assert verified(HEAP, search="dfs").states == 228
    assert verified(HEAP, storage="fingerprint").states == 228


def test_a_large_memory_is_numbered(verified):
    text = """
    c_decl { static unsigned char disk[1 << 20]; int steps; }
    active proctype P() {
      c_code { for (int i = 0; i < sizeof disk; i++) disk[i] = i * 7; };
      do
      :: c_expr { steps < 6 } -> c_code { steps++; }
         if :: c_code { disk[4096 * 3 + steps]++; } :: c_code { disk[4096 * 200]++; } fi
      :: else -> break
      od;
      assert(c_expr { disk[4096 * 200] < 6 })
    }
    """
    found = verified(text)
    assert found.verdict == "violated"
    assert found.peak_memory_bytes < 200 << 20


def test_searches_agree_about_c(verified):
    counts = {
        (name, value): verified(HEAP, reductions=(), **{name: value}).transitions
        for name, value in [("search", "bfs"), ("search", "dfs"), ("storage", "fingerprint")]
    }
    assert len(set(counts.values())) == 1


def test_c_sees_variables_of_the_model_as_they_are(verified):
    text = """
    mtype = { red, green };
    typedef pair { byte a; int b[2]; bit c };
    bit flag; bool flags[3]; byte small; short middle; int large; unsigned five : 5; mtype colour = red;
    pair one, two[2];
    c_state "struct { int x; char y; } both" "Global"
    c_state "int mine" "Local P" "7"
    active proctype P() {
      byte own = 3;
      c_code { now.flag = 3; now.five = 37; now.small = 300; now.middle = -2; now.large = -5; };
      assert(flag == 1 && five == 5 && small == 44 && middle == -2 && large == -5);
      c_code { now.one.b[1] = now.large; now.two[1].a = 9; now.two[0].c = 1; now.flags[2] = 1; };
      assert(one.b[1] == -5 && two[1].a == 9 && two[0].c == 1 && flags[2] && !flags[1]);
      c_code { PP->own += PP->mine; PP->mine++; now.both.x = PP->_pid + now._nr_pr; };
      assert(own == 10 && c_expr { PP->mine == 8 && now.both.x == 1 });
      five = 31; c_code { now.five++; }; assert(five == 0);
      assert(c_expr { 0.5 } && c_expr { "text" } && c_expr { -3 } == -3)
    }
    """
    assert verified(text).verdict == "verified"


def test_a_first_value_may_depend_on_the_state_in_which_a_process_begins(verified):
    """An example of SPIN's book."""
    text = """
    c_decl { typedef struct { int a; char b; } pair; }
    c_state "pair g" "Global"
    c_state "pair mine" "Local P" "now.g"
    c_state "int twice" "Local P" "2 * now.g.a"
    proctype P() { assert(c_expr { PP->mine.a == 300 + PP->mine.b && PP->twice == 2 * PP->mine.a }) }
    init {
      c_code { now.g.a = 300; }; run P(); c_code { now.g.a++; now.g.b++; }; run P()
    }
    """
    assert verified(text).verdict == "verified"


def test_a_false_precondition_is_an_error_without_a_state(verified):
    text = "int x; active proctype P() { c_code [now.x == 1] { now.x = 2; }; assert(false) }"
    found = verified(text, all_errors=True)
    assert [(v.kind, found.states) for v in found.violations] == [("precondition", 1)]


def test_uerror_is_an_error_and_the_step_goes_on(verified):
    found = verified('int x; active proctype P() { c_code { uerror("odd"); now.x = 2; }; assert(x == 2) }')
    assert [v.kind for v in found.violations] == ["uerror"]
    assert found.violations[0].message.endswith("it calls uerror(): odd")


def test_steps_of_c_are_seen_by_everybody(verified):
    """SPIN's reduction takes the first c_code for a local step and misses this."""
    text = """
    c_decl { int a, b; }
    active proctype P() { c_code { a = 1; }; c_code { b = a; } }
    active proctype Q() { if :: c_expr { a == 1 && b == 0 } -> assert(false) :: else fi }
    """
    assert verified(text).verdict == "violated"


# --- faults ---

FAULTS = [
    ("*nothing = 3", "memory-fault"),
    ("zero = 5 / zero", "arithmetic-fault"),
    ("abort()", "abort"),
    ("exit(3)", "exit"),
    ("zero = deep(1)", "stack-overflow"),
    ("__builtin_trap()", "illegal-instruction"),
    ("free(&zero)", "heap-fault"),
    ("*(int *)0x7ffffffff000 = 1", "memory-fault"),
]


def test_faults_of_c_are_violations_with_a_run(verified):
    options = "\n".join(f":: c_code {{ {code}; }}" for code, _ in FAULTS)
    text = f"""
    c_decl {{ int *nothing; int zero;
      int deep(int n) {{ volatile char room[1000]; room[0] = n; return deep(n + 1) + room[0]; }} }}
    active proctype P() {{ if {options} :: c_expr {{ zero++ }} -> skip fi }}
    """
    found = verified(text, all_errors=True)
    assert [v.kind for v in found.violations] == [*(kind for _, kind in FAULTS), "side-effect"]
    assert all(violation.counterexample.steps for violation in found.violations)


def test_a_loop_without_end_is_a_violation(verified):
    found = verified("c_decl { int n; } active proctype P() { c_code { for (;;) n++; } }")
    assert [v.kind for v in found.violations] == ["endless-c"]


SANITIZED = """
c_decl { int g[4], h, n = 4, *p, *q, big = 2147483647; }
active proctype M() {
  c_code { p = malloc(16); q = malloc(8); free(q); };
  if
  :: c_code { p[n] = 1; }
  :: c_code { h = *q; }
  :: c_code { h = p[1]; }
  :: c_code { h = g[n]; }
  :: c_code { big++; }
  :: c_code { p[0] = 1; h = p[0]; }
  fi
}
"""


def test_checks_find_what_nobody_would_notice(verified):
    assert verified(SANITIZED).verdict == "verified"
    words = [v.message for v in verified(SANITIZED, sanitize=True, all_errors=True).violations]
    for word, expected in zip(
        words,
        ["beside an allocated block", "freed", "never written", "outside its array", "too large"],
        strict=True,
    ):
        assert expected in word


# --- what cannot be used ---

WRONG = [
    (
        "c_decl { int x; } active proctype P() { c_code { x = 1;\n  y = 2; } }",
        "model.pml:2:3: embedded C does not",
    ),
    ("active proctype P() { if :: c_expr { 1 +\n  q } fi }", "model.pml:2:3: embedded C does not compile"),
    ("c_decl { int f(void); } active proctype P() { c_code { f(); } }", "'f', which nobody defines"),
    ("active proctype P() { c_code { time(0); } }", "calls 'time', which reaches out"),
    ('c_decl { int x; }\nc_track "x" "4"\nactive proctype P() { skip }', "model.pml:2"),
    ('c_decl { int x; }\nc_track "&x" "4" "Often"\nactive proctype P() { skip }', "expected Matched"),
    ("c_decl { __thread int x; int y; } active proctype P() { c_code { y = x++; } }", "variables of threads"),
    ('c_state "int x" "Local Q"\nactive proctype P() { skip }', "there is no proctype 'Q'"),
]


@pytest.mark.parametrize(("text", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_is_wrong_is_told_with_its_place(verified, text, words):
    with pytest.raises(SourceProblem, match=r"\w") as problem:
        verified(text)
    assert words in str(problem.value)


@pytest.mark.parametrize(
    ("tracks", "words"),
    [
        ('c_track "x" "16"\nc_track "&x[1]" "4"', "names memory that another one names already"),
        ('c_track "x" "4096"', "names memory that the embedded C does not have"),
    ],
)
def test_tracks_that_make_no_sense_are_told(verified, tracks, words):
    with pytest.raises(SourceProblem, match=words):
        verified(f"c_decl {{ int x[4]; }}\n{tracks}\nactive proctype P() {{ c_code {{ x[0] = 1; }} }}")


def test_a_missing_library_is_told(verified):
    with pytest.raises(SourceProblem, match="no static library 'nowhere'"):
        verified("active proctype P() { c_code { ; } }", ldflags=["-lnowhere"])


# --- certificates ---


def run(*arguments):
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


ASSAY = ("-c", "from assay.cli.main import main; main()")


def test_a_certificate_is_checked_by_both_with_agreement(tmp_path):
    model = tmp_path / "heap.pml"
    model.write_text(HEAP)
    certificate = tmp_path / "heap.assay"
    assert assay.verify(model, certificate=certificate).verdict == "verified"
    refused = run(*ASSAY, "certify", str(model), str(certificate))
    assert refused.returncode == 2
    assert "--foreign-code" in refused.stderr
    agreed = run(*ASSAY, "certify", str(model), str(certificate), "--foreign-code")
    assert agreed.stdout.startswith("verified"), agreed
    other = run("-m", "assay.checker", str(model), str(certificate), "--foreign-code")
    assert other.stdout.startswith("accepted"), other


def test_the_files_and_flags_of_c_are_part_of_the_claim(tmp_path):
    certificate = tmp_path / "tree.assay"
    assert example("5_binary_tree.pml", "tree.c", certificate=certificate).verdict == "verified"
    command = [*ASSAY, "certify", str(EXAMPLES / "5_binary_tree.pml"), str(certificate), "--foreign-code"]
    assert run(*command, "--c-source", str(EXAMPLES / "tree.c")).stdout.startswith("verified")
    assert run(*command, "--c-source", str(EXAMPLES / "tree.c"), "--cflags", "-DBUG").returncode != 0


# --- code that nobody here wrote ---

has_uthash = pytest.mark.skipif(not Path("/usr/include/uthash.h").exists(), reason="Debian: uthash-dev")
has_libbsd = pytest.mark.skipif(not Path("/usr/include/bsd/sys/tree.h").exists(), reason="Debian: libbsd-dev")


@has_uthash
def test_the_hash_table_of_uthash_keeps_what_it_is_given():
    assert assay.verify(MODELS / "uthash.pml").verdict == "verified"
    assert assay.verify(MODELS / "uthash.pml", defines=["LOSES"]).verdict == "violated"
    found = assay.verify(MODELS / "uthash.pml", defines=["AFTER_FREE"], sanitize=True)
    assert "it uses memory after free()" in found.violations[0].message


@has_libbsd
def test_the_red_black_tree_of_bsd_stays_one():
    assert assay.verify(MODELS / "tree.pml").verdict == "verified"
    assert assay.verify(MODELS / "tree.pml", defines=["BUG"]).verdict == "violated"


def test_a_compiler_runs_nothing_that_flags_name(verified):
    with pytest.raises(SourceProblem, match="is not allowed here"):
        verified("active proctype P() { c_code { ; } }", cflags=["-fplugin=evil.so"])


def test_large_and_small_data_share_a_page(verified):
    """Protecting the pages of the one must not keep anybody from restoring the other."""
    text = """
    c_decl { static unsigned char data[300001]; int a, b; }
    c_track "data" "sizeof data"
    c_track "&a" "sizeof(int)"
    c_track "&b" "sizeof(int)"
    active proctype P() { do :: c_expr { a < 3 } -> c_code { data[a * 97]++; a++; } :: else -> break od }
    active proctype Q() { do :: c_expr { b < 3 } -> c_code { data[300000 - b]++; b++; } :: else -> break od }
    """
    found = [verified(text, tracking=tracking, reductions=()) for tracking in ("all", "declared")]
    assert [one.verdict for one in found] == ["verified"] * 2
    assert found[0].states == found[1].states


ROUND = "c_decl { int k; }\nbyte x;\nactive proctype P() { do :: x < 5 -> x++ :: x == 5 -> x = 0 od }\n"


def test_where_a_claim_asks_c_that_changes_memory_the_run_says_so(verified):
    found = verified(ROUND + "never { do :: c_expr { (k = now.x, now.x == 9) } -> break :: true od }")
    assert found.verdict is assay.Verdict.VIOLATED
    run = found.violations[0].counterexample
    told = [text for step in run.steps for text in step.conditions]
    assert told[0] == "c_expr { (k = now.x, now.x == 9) } cannot be evaluated"
    assert not run.conditions  # it is not false all the way round


def test_two_models_of_one_program_do_not_share_what_their_c_remembers(tmp_path):
    """In one process: when the second went, the first had nobody left to execute its C."""
    path = tmp_path / "model.pml"
    path.write_text(
        "c_decl { #include <stdlib.h>\n int *at, n; }\nbyte x;\n"
        "active proctype P() { do :: x < 9 -> x++; c_code { at = malloc(++n); *(char *)at = now.x; } od }\n"
    )
    program = load(str(path), LanguageOptions()).opened()

    def walked(model):
        state, seen = model.initial_state()[0], []
        for _ in range(12):
            state = model.successors(state)[0][0]
            seen.append(model.content_hash(state))
        return seen

    first = _engine.CompiledModel(program.opening.file)
    expected = walked(first)
    second = _engine.CompiledModel(program.opening.file)
    assert walked(second) == walked(first) == expected
    del second
    assert walked(first) == expected
