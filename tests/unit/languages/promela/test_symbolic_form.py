"""What the symbolic form of a model refuses, and says besides."""

from __future__ import annotations

import pytest

from assay.languages.promela import program as promela
from assay.languages.promela.symbolic_form import ENDLESS
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.symbolic import NotExpressible


def form(text, tmp_path):
    path = tmp_path / "model.pml"
    path.write_text(text)
    return promela.load(path, LanguageOptions(reductions=frozenset())).symbolic()


@pytest.mark.parametrize(
    "text",
    [
        "byte a[10], x; active proctype P() { x = a[a[a[a[a[a[a[a[x]]]]]]]] }",
        f"byte x; active proctype P() {{ x = {'x / (' * 40}x{')' * 40} }}",
    ],
)
def test_what_grows_with_every_level_is_refused_at_once(text, tmp_path):
    with pytest.raises(NotExpressible, match="nested so deeply"):
        form(text, tmp_path)


@pytest.mark.parametrize(
    ("body", "notes"),
    [
        ("atomic { x = 1; x = 2 }; do :: x++ od", ()),
        ("atomic { do :: x < 3 -> x++ :: else -> break od }", (ENDLESS,)),
    ],
)
def test_that_a_sequence_may_never_end_is_said(body, notes, tmp_path):
    assert form(f"byte x; active proctype P() {{ {body} }}", tmp_path).notes == notes


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("byte x;\nactive proctype P() priority 3 { x = 1 }\n", "2.*priorities"),
        ("active proctype P() {\n  (_last == 0)\n}\n", "2.*_last"),
        ("active proctype P() {\n  skip;\n  enabled(0)\n}\n", "3.*enabled"),
        ("active proctype P() {\n  pc_value(0) > 1\n}\n", "2.*pc_value"),
        ("chan c = [1] of { byte };\nactive proctype P() { c!1 }\ntrace { c!1 }\n", "3.*trace"),
        ("chan c = [1] of { chan };\nactive proctype P() { chan d; c?d }\n", "1.*a channel"),
        ("active proctype P() { skip }\ninit {\n  do :: run P() od\n}\n", "3.*started in a loop"),
    ],
)
def test_what_cannot_be_said_is_refused_with_its_place(text, where, tmp_path):
    with pytest.raises(NotExpressible, match=rf"model.pml:{where}"):
        form(text, tmp_path)
