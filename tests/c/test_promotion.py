"""Memory that is only used at known places becomes variables, and what is found is said of memory again."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.transition_system.sequential.bitvectors import Array
from assay.transition_system.sequential.inlining import inlined
from assay.transition_system.sequential.promotion import Promoted, promoted
from assay.transition_system.sequential.slicing import sliced

HEAD = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
void *malloc(unsigned long);
"""
MACHINE = """
struct link { int state, next; int *count; };
int main(void) {
  struct link *l = malloc(sizeof *l);
  l->count = malloc(sizeof(int)); *l->count = 0; l->state = 3; l->next = 3;
  while (1) {
    if (l->state == 3) { l->next = 4; l->state = 9; }
    else if (l->state == 4) { l->next = 5; l->state = 9; }
    else if (l->state == 5) { l->next = 3; l->state = __VERIFIER_nondet_int() ? 9 : 5; }
    else if (l->state == 9) { l->state = l->next; if (*l->count == 1) *l->count = 2; else *l->count = 1; }
    else reach_error();
  }
}
"""


def memory_of(tmp_path: Path, text: str) -> Promoted | None:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    model = DATA_MODELS["LP64"]
    return promoted(sliced(inlined(lower([preprocess(file, model)], model))))


def verify(tmp_path: Path, text: str, **options: object) -> assay.Result:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    return assay.verify(file, timeout_seconds=60, **options)


def test_objects_behind_constant_pointers_are_variables(tmp_path):
    memory = memory_of(tmp_path, MACHINE)
    assert memory is not None
    assert not any(isinstance(one.sort, Array) for one in memory.flow.variables)
    assert len(memory.places) == 4  # the members, and what the pointer among them points to
    assert {place.operator for place in memory.places.values()} == {"select"}


def test_a_state_machine_on_the_heap_is_followed_value_by_value(tmp_path):
    result = verify(tmp_path, MACHINE, search="explicit")
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons


def test_a_machine_that_fails_on_the_heap_fails_in_the_compiled_program(tmp_path):
    result = verify(tmp_path, MACHINE.replace("? 9 : 5", "? 9 : 6"), search="explicit")
    assert result.verdict is assay.Verdict.VIOLATED
    assert "the compiled program fails with these inputs" in result.notes


@pytest.mark.parametrize("search", ["bounded", "execution", "auto"])
def test_what_memory_held_at_first_is_part_of_the_run(search, tmp_path):
    text = "int main(void) { int *p = malloc(8); if (p[0] == 7 && p[1] == 9) reach_error(); return 0; }"
    assert memory_of(tmp_path, text) is not None
    if search != "execution":  # which would have to guess both
        assert verify(tmp_path, text, search=search).verdict is assay.Verdict.VIOLATED
    text = "int main(void) { int *p = malloc(4); if (*p) reach_error(); return 0; }"
    assert verify(tmp_path, text, search=search).verdict is assay.Verdict.VIOLATED


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { int a[9], *p = a; p[__VERIFIER_nondet_int() & 7] = 1;"
        " if (p[3] == 1) reach_error(); }",
        "int main(void) { int x, y, *p = &x; while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x;"
        " *p = 3; if (x == 3) reach_error(); }",
    ],
    ids=["an index that is not known", "a pointer that is not known"],
)
def test_what_is_used_at_places_that_are_not_known_stays_memory(text, tmp_path):
    memory = memory_of(tmp_path, text)
    assert memory is None
    assert verify(tmp_path, text).verdict is assay.Verdict.VIOLATED


def test_a_proof_says_what_it_found_of_memory(tmp_path):
    certificate = tmp_path / "proof.assay"
    text = MACHINE.replace("struct link *l = malloc(sizeof *l);", "struct link one, *l = &one;")
    result = verify(tmp_path, text, search="explicit", certificate=certificate)
    assert result.verdict is assay.Verdict.VERIFIED, result.reasons
    assert assay.certify(tmp_path / "program.c", certificate).verdict is assay.Verdict.VERIFIED
