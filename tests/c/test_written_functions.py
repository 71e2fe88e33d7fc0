"""Functions of the library that change memory: as texts of C, and those that give memory."""

import re
import subprocess
from pathlib import Path

import pytest

import assay
from assay.checker import Undecided, check
from assay.languages.c.preprocessing import DATA_MODELS
from assay.languages.c.written_functions import TEXTS, text_of
from assay.transition_system.interface import UnsupportedConstruct

MAIN = r"""
static int bad;
#define SAME(one, other) do { if ((one) != (other)) { bad++; puts(#one); } } while (0)
#define BOTH(call, our_call) do { memset(x, 7, 40); memset(y, 7, 40); strcpy(x, t[i]); strcpy(y, t[i]); \
  SAME((char *)(call) - x, (char *)(our_call) - y); SAME(memcmp(x, y, 40), 0); } while (0)
int main(void) {
  const char *t[] = {"", "a", "b", "ab", "AB", "aB\xff", "abc\x80", "babab", "abab", "\xff"};
  char x[40], y[40];
  for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {
    BOTH(strcpy(x, t[j]), our_strcpy(y, t[j])); BOTH(stpcpy(x, t[j]), our_stpcpy(y, t[j]));
    BOTH(strcat(x, t[j]), our_strcat(y, t[j]));
    SAME(strstr(t[i], t[j]), our_strstr(t[i], t[j])); SAME(strpbrk(t[i], t[j]), our_strpbrk(t[i], t[j]));
    for (int n = 0; n < 12; n++) {
      BOTH(strncpy(x, t[j], n), our_strncpy(y, t[j], n)); BOTH(strncat(x, t[j], n), our_strncat(y, t[j], n));
      BOTH((bzero(x, n), x), (our_bzero(y, n), y));
    }
    for (int c = -1; c < 300; c++) {
      SAME(strchr(t[i], c), our_strchr(t[i], c)); SAME(strrchr(t[i], c), our_strrchr(t[i], c));
      for (int n = 0; n <= strlen(t[i]); n++) SAME(memchr(t[i], c, n), our_memchr(t[i], c, n));
    }
  }
  return bad != 0;
}
"""
HEAD = """
extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);
"""
STRINGS = """#include <string.h>
int main(void) { char a[8], b[4], c[3]; b[0] = __VERIFIER_nondet_char(); b[1] = 'x'; b[2] = 0;
 strcpy(a, b); strcat(a, "yz"); strncpy(c, b, 3); char *p = strchr(a, 'y');
 if (b[0] == 0 ? a[0] != 'y' : a[1] != 'x' || a[3] != 'z' || a[4]) reach_error();
 if (!p || *p != 'y' || c[2] || (b[0] == 0 && c[1])) reach_error(); %s }"""
GROWN = """void *malloc(__SIZE_TYPE__); void *realloc(void *, __SIZE_TYPE__);
struct s { int a; struct s *next; char c; };
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 2 || n > 3) return 0;
 int *q = malloc(8); q[0] = 3; q[1] = 4; q = realloc(q, n * sizeof(int));
 if (q[0] != 3 || q[1] != 4) reach_error();
 struct s *p = realloc((void *)0, sizeof *p); p->a = 5; p->next = p; p->c = 1; p = realloc(p, 2 * sizeof *p);
 p[1] = p[0]; if (p[1].a != 5 || p[1].c != 1 || p[1].next == 0) reach_error();
 q = realloc(q, 4); q = realloc(q, 8); if (q[0] != 3) reach_error(); %s }"""
ALLOCA = """void *alloca(__SIZE_TYPE__);
int sum(int n) { int *p = alloca(n * sizeof(int)), s = 0; for (int i = 0; i < n; i++) p[i] = i;
 for (int i = 0; i < n; i++) s += p[i]; return s; }
int main(void) { int n = __VERIFIER_nondet_int(), *q = __builtin_alloca(8); if (n < 1 || n > 3) return 0;
 q[0] = 3; int s = sum(n); if (q[0] != 3 || s != n * (n - 1) / 2) reach_error(); %s }"""
CASES = {
    "strings": (STRINGS % "", "verified"),
    "strings fail": (STRINGS % "if (p != a + 2) reach_error();", "violated"),
    "realloc": (GROWN % "", "verified"),
    "realloc fails": (GROWN % "if (n == 3 && q[0] == 3) reach_error();", "violated"),
    # What was cut off is gone, also if there is room for it again.
    "realloc forgets": (GROWN % "if (q[1] != 4) reach_error();", "violated"),
    "alloca": (ALLOCA % "", "verified"),
    "alloca fails": (ALLOCA % "if (n == 3) reach_error();", "violated"),
}


def test_they_do_what_the_library_does(tmp_path: Path) -> None:
    assert all(f"our_{name}(" in MAIN for name in TEXTS)
    ours = "".join(
        re.sub(rf"\b{name}\(", f"our_{name}(", text, count=1) + "\n" for name, text in TEXTS.items()
    )
    source, program = tmp_path / "compared.c", tmp_path / "compared"
    headers = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <string.h>\n#include <strings.h>\n"
    source.write_text(headers + ours + MAIN)
    subprocess.run(["gcc", "-w", "-fno-builtin", str(source), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("model", sorted(DATA_MODELS))
def test_gcc_accepts_the_texts(model: str) -> None:
    text = text_of(TEXTS, DATA_MODELS[model])
    command = ["gcc", DATA_MODELS[model].flag, "-fsyntax-only", "-Werror", "-x", "c", "-"]
    subprocess.run(command, input=text, text=True, check=True)


@pytest.mark.parametrize("model", sorted(DATA_MODELS))
@pytest.mark.parametrize("name", CASES)
def test_what_they_do_to_memory_is_followed(name: str, model: str, tmp_path: Path) -> None:
    """ILP32 also where there are neither headers nor a library of 32 bits."""
    text, wanted = CASES[name]
    program = tmp_path / "program.c"
    program.write_text(HEAD + text)
    result = assay.verify(program, data_model=model, timeout_seconds=600)
    assert result.verdict.value == wanted
    if wanted == "violated" and name != "realloc forgets":
        assert any("the compiled program fails" in one for one in result.notes)


def test_a_program_has_its_own_functions(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(
        "extern void reach_error(void);\n"
        "static char *strcpy(char *to, const char *of) { to[0] = 'q'; return to; }\n"
        'int main(void) { char a[4] = "ab"; strcpy(a, "x"); if (a[0] != 113) reach_error(); }'
    )
    assert assay.verify(program, timeout_seconds=60).verdict.value == "verified"


def test_checks_of_lifetimes_refuse_memory_of_a_function(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    for text, checks in ((ALLOCA, "bounds"), (GROWN, "bounds"), (GROWN, "allocation")):
        program.write_text(HEAD + text % "")
        with pytest.raises(UnsupportedConstruct, match=f"with --check {checks}"):
            assay.verify(program, checks=[checks], timeout_seconds=60)


RULE = "state { int n = 0; }\n%s.return { n = n + 1; if (n > 5) abort; }\n"


@pytest.mark.parametrize("name", ["strtok", "strcpy"])
def test_a_rule_around_a_function_does_not_make_it_harmless(name: str, tmp_path: Path) -> None:
    """It was taken to change nothing, and a failing program for a correct one."""
    program, rule = tmp_path / "program.c", tmp_path / "some.rule"
    rule.write_text(RULE % name)
    program.write_text(
        f"{HEAD} char *{name}(char *, const char *);\n"
        f'int main(void) {{ char a[4] = "a,b"; {name}(a, ","); if (a[1] != \',\') reach_error(); }}'
    )
    with pytest.raises(UnsupportedConstruct, match=f"the function '{name}'"):
        assay.verify(program, rules=[str(rule)], timeout_seconds=60)


@pytest.mark.parametrize(("compared", "wanted"), [("!= 2", "incomplete"), ("== 2", "violated")])
def test_a_rule_around_a_function_that_reads_leaves_what_it_returns(
    compared: str, wanted: str, tmp_path: Path
) -> None:
    """The compiled program was given a length that no text has, and failed."""
    program, rule = tmp_path / "program.c", tmp_path / "some.rule"
    rule.write_text(RULE % "strlen")
    program.write_text(
        f"{HEAD} unsigned long strlen(const char *);\n"
        f'int main(void) {{ char a[4] = "ab"; if (strlen(a) {compared}) reach_error(); }}'
    )
    result = assay.verify(program, rules=[str(rule)], timeout_seconds=60)
    assert result.verdict.value == wanted


READ = {
    "strlen(b) > 9": "violated",
    'strcmp(b, "abcd") > 0': "violated",
    'memcmp(b, "abcd", 4) > 0': "violated",
    'strcmp(b, "abd") < 0 && strncmp(b, "abcd", 3) == 0 && strnlen(b, 3) == 3': "verified",
    'strlen("abc") == 3 && atoi("12") == 12 && memcmp(b, "abc", 3) == 0': "verified",
}


@pytest.mark.parametrize("compared", READ)
@pytest.mark.parametrize("model", ["LP64", "ILP32"])
def test_a_function_that_reads_beyond_the_end_fails_where_bounds_are_asked_for(
    compared: str, model: str, tmp_path: Path
) -> None:
    """It was taken for granted that it touches only what is there."""
    program = tmp_path / "program.c"
    program.write_text(
        f"{HEAD}#include <string.h>\nint atoi(const char *);\n"
        f"int main(void) {{ char b[3] = {{'a', 'b', 'c'}}; if (!({compared})) reach_error(); }}"
    )
    certificate = tmp_path / "program.cert"
    given = {"checks": ["bounds"], "data_model": model, "timeout_seconds": 60}
    result = assay.verify(program, certificate=certificate, **given)
    assert result.verdict.value == READ[compared]
    if READ[compared] == "verified":
        with pytest.raises(Undecided, match="the function"):
            check(program, certificate)


COPIED = """void *malloc(__SIZE_TYPE__); void *memcpy(void *, const void *, __SIZE_TYPE__);
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 3) return 0;
 char *p = malloc(n), *q = malloc(n);
 for (int i = 0; i < n; i++) p[i] = i;
 memcpy(q, p, n); if (q[n - 1] != n - 1) reach_error(); }"""


COPIED_TEXT = (
    """#include <string.h>\nint main(void) { char a[4]; strcpy(a, "x"); if (a[0] != 'x') reach_error(); }"""
)
GROWN_BY_ONE = "int main(void) { int *p = malloc(4); *p = 7; p = realloc(p, 8); if (*p != 7) reach_error(); }"


@pytest.mark.parametrize("text", [COPIED_TEXT, GROWN_BY_ONE, ALLOCA % "", COPIED])
def test_proofs_about_them_have_certificates(text: str, tmp_path: Path) -> None:
    """The loop of a function of the library is where it is called; without a name there was none."""
    program, certificate = tmp_path / "program.c", tmp_path / "proof"
    program.write_text(HEAD + text)
    result = assay.verify(program, certificate=certificate, timeout_seconds=600)
    assert result.verdict.value == "verified"
    assert assay.certify(program, certificate).verdict.value == "verified"
