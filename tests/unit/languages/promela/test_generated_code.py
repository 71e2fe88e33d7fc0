"""What the C generator leaves out, because compiling it takes longer than many searches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.languages.promela.parser import parse_model
from assay.languages.promela.program import REDUCTIONS, translate
from assay.transition_system.language_options import LanguageOptions
from tests.agreement.reductions import violations


@pytest.fixture
def generated(tmp_path):
    def generate(text: str, reductions=()) -> str:
        path = tmp_path / "model.pml"
        path.write_text(text)
        options = LanguageOptions(reductions=frozenset(reductions))
        return translate(parse_model(path, ()), options)[2]

    return generate


def transitions(code: str) -> int:
    return len(re.findall(r"^static int t_\d", code, re.MULTILINE))


def test_a_statement_that_is_always_merged_has_no_code_of_its_own(generated):
    text = "byte g; active proctype a() { byte x; g = 1; x = 2; x = 3; g = x } active proctype b() { g == 3 }"
    assert transitions(generated(text)) == 7
    assert transitions(generated(text, REDUCTIONS)) == 5


def test_a_model_without_rendezvous_looks_for_no_partner(generated):
    text = "chan c = [{}] of {{ byte }}; active proctype a() {{ chan d = c; byte x; d!1; d?x }}"
    assert "handshake(c, next" not in generated(text.format(1))
    assert "handshake(c, next" in generated(text.format(0))


def test_few_transitions_get_copies_of_what_they_share_and_many_call_it(generated):
    text = "byte g; active proctype a() {{ {} }}"
    assert "#define IN_STEP static inline" in generated(text.format("; ".join(["g++"] * 15)))
    assert "#define IN_STEP static __attribute__((noinline))" in generated(
        text.format("; ".join(["g++"] * 16))
    )


def test_channels_of_several_shapes_are_told_apart_at_run_time(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path: Path = tmp_path / "model.pml"
    path.write_text(
        """
        chan pair = [2] of { byte, short };
        chan single = [1] of { int };
        chan all[2] = [1] of { chan };
        active proctype a() {
          chan c; byte x; short y; int z;
          all[0]!pair; all[1]!single;
          all[0]?c; c!300,70000; c!!1,2; c?x,y; assert(x == 1 && y == 2);
          c??44,y; assert(y == 4464 && empty(c));
          all[1]?c; c!70000; c?z; assert(z == 70000 && empty(c));
          c = pair; c!7; c?x,y; assert(x == 7 && y == 0)
        }
        """
    )
    found, states = violations(path, frozenset(), ())
    assert [kind for kind, _, _ in found] == ["message-fields"]
    assert states == 19
