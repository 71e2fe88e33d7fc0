"""A small fixed part of the campaigns about C programs, so that every test run has some."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from assay.checker.c.problems import CannotCheck
from assay.checker.c.solvers import Solvers
from assay.languages.c.preprocessing import DATA_MODELS
from tests.c.random_memory import MemoryGenerator
from tests.c.random_programs import Generator, real
from tests.fuzz import c_certificates as fuzz
from tests.fuzz import c_front_end, c_linked


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    chosen = tuple(one for one in fuzz.BASES if one.name in ("counters", "counted"))
    return fuzz.Campaign(tmp_path_factory.mktemp("forged"), chosen)


def test_forged_proofs_are_accepted_only_if_they_are_right(campaign):
    report = campaign.run(18, seed=4)
    assert report.problems == []
    assert sum(count for stage, count in report.stages.items() if "rejected/rejected" in stage) > 6


def test_the_campaign_notices_a_checker_that_believes_everything(campaign, monkeypatch):
    monkeypatch.setattr(Solvers, "never_holds", lambda *_: True)
    assert any("they disagree" in one for one in campaign.run(6, seed=5).problems)


@pytest.mark.parametrize("seed", [3000, 3001, 3002, 3005])
def test_a_random_program_does_in_the_checker_what_the_compiled_one_does(seed):
    assert c_front_end.difference(seed) is None


@pytest.mark.parametrize(("seed", "model"), [(3, "LP64"), (2, "ILP32"), (5, "LP64"), (6, "ILP32")])
def test_a_random_program_with_pointers_does_in_the_checker_what_the_compiled_one_does(seed, model):
    compared: Counter[str] = Counter()
    assert c_front_end.difference(seed, MemoryGenerator, model, compared) is None
    assert compared["runs"] > 0


@pytest.mark.parametrize(("seed", "model"), [(1, "LP64"), (2, "ILP32"), (3, "LP64")])
def test_a_random_program_of_two_files_does_in_both_front_ends_what_the_compiled_one_does(seed, model):
    seen: Counter[str] = Counter()
    assert c_linked.difference(seed, Generator, model, seen) is None
    assert seen["runs of checker"] + seen["runs of ours"] > 0


REFERENCES = """\
extern int __VERIFIER_nondet_int(void);
void observe(unsigned long long value);
unsigned long long checksum;
struct in { short a; unsigned char b[3]; };
struct out { struct in x; int n; };
int table[4], grid[2][3];
static void add(int *to, int what) { if (to != 0) *to += what; checksum = checksum * 31 + *to; }
static int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 7 + a[i]; return s; }
static void both(int *p, int *q) { *p = *q + 1; *q = *p * 3; }
static void inner(struct in *s) { s->a++; s->b[1] = s->a; (*s).b[2] ^= 5; }
static void outer(struct out *o, int k) { inner(&o->x); add(&o->n, k); o->x.b[0] += o->n; }
static void rows(int (*g)[3], int i) { g[i][1] = i + 5; both(&g[i][2], g[1 - i]); }
static void bytes(unsigned char *b, int n) { while (n-- > 0) b[n] += n; }
int main(void) {
  int i = __VERIFIER_nondet_int() & 3, x = __VERIFIER_nondet_int();
  struct out o = { { 3, { 1, 2 } }, 7 };
  add(&x, i);
  add(&table[i], x);
  both(&x, &table[3 - i]);
  both(&x, &x);
  add(table + 1, sum(table, 4));
  checksum += sum(&table[1], 3);
  outer(&o, x);
  rows(grid, i & 1);
  bytes(o.x.b, 3);
  add(&grid[1][0], sum(grid[0], 3));
  checksum = checksum * 31 + o.x.a + o.x.b[0] * 3 + o.x.b[1] * 5 + o.x.b[2] + o.n;
  checksum = checksum * 31 + sum(grid[1], 3) + sum(table, 4) + x;
  observe(checksum);
  return 0;
}
"""


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
def test_pointers_that_are_passed_are_followed_as_gcc_follows_them(model, tmp_path):
    path = tmp_path / "program.c"
    path.write_text(REFERENCES)
    program = c_front_end.read_program(path, model)
    inputs = [[0, 5], [1, 2**32 - 9], [2, 2**31], [3, 77]]
    expected = real(REFERENCES, inputs, tmp_path, DATA_MODELS[model])
    observed = program.variables["g", "checksum"]
    assert [str(c_front_end.run(program, one)[observed]) for one in inputs] == expected


REFUSED = {
    "g(&x + 1);": "moved away from its object",
    "g((int *)(long)(int)(long)&x);": "an integer that becomes a pointer",
    "g((int *)8);": "an integer that becomes a pointer",
    "memcpy(&x, &y, 40000);": "more than 16384 bytes at once",
    "int *p = &x; *p++ = *p;": "a result that depends on the order of operands",
}


@pytest.mark.parametrize("body", REFUSED)
def test_other_pointers_are_refused(body, tmp_path):
    path = tmp_path / "program.c"
    path.write_text(
        "void *memcpy(void *, const void *, unsigned long); void g(int *p) { *p = 1; }\n"
        f"int main(void) {{ int x = 0, y = 0; char c = 0; {body} return x + y + c; }}\n"
    )
    with pytest.raises(CannotCheck, match=re.escape(REFUSED[body])):
        c_front_end.read_program(path, "LP64")
