"""A call finds nothing on its stack of what an earlier call, of whatever state, has left there."""

import pytest

import assay

SHALLOW = """
c_decl {
  __attribute__((noinline)) static void put(int v) {
    volatile int slot[16];
    for (int i = 0; i < 16; i++) slot[i] = v;
  }
  __attribute__((noinline)) static int get(void) { volatile int slot[16]; return slot[7]; }
}
int got;
active proctype P() {
  if :: c_code { put(1); } :: c_code { put(2); } fi;
  c_code { now.got = get(); };
  assert(got == 0)
}
"""
DEEP = """
c_decl {
  __attribute__((noinline)) static int put(int n) {
    volatile char room[3000];
    room[7] = room[2000] = n;
    return n ? put(n - 1) + room[7] : 0;
  }
  __attribute__((noinline)) static int get(int n) {
    volatile char room[3000];
    int found = room[7] + room[2000];
    return n ? get(n - 1) + found : found;
  }
}
int got;
active proctype P() {
  c_code { put(100); };
  c_code { now.got = get(100); };
  assert(got == 0)
}
"""


@pytest.mark.parametrize("text", [SHALLOW, DEEP], ids=["shallow", "deep"])
def test_what_a_call_left_on_the_stack_is_gone(tmp_path, text):
    path = tmp_path / "model.pml"
    path.write_text(text)
    assert assay.verify(path).verdict == "verified"


def test_a_stack_that_is_full_is_a_violation(tmp_path):
    path = tmp_path / "model.pml"
    path.write_text("""
        c_decl { int f(int n) { volatile char room[3000]; room[0] = 1; return f(n + 1) + room[0]; } }
        active proctype P() { c_code { f(0); } }
    """)
    result = assay.verify(path)
    assert [violation.kind for violation in result.violations] == ["stack-overflow"]
