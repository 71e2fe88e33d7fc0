"""Records of the checker are what dataclasses are, without what those import."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from assay.checker.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Frozen:
    first: int
    own: str = "text"


@dataclass
class Open:
    first: int = 1
    values: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Longer(Frozen):
    last: int = 3


def test_a_record_is_made_of_what_its_annotations_name():
    assert (Frozen(1).first, Frozen(1).own, Frozen(first=2, own="x").own) == (1, "text", "x")
    assert Longer(1, "a", 2) == Longer(1, "a", last=2) != Longer(1, "a")
    for wrong in (Frozen, lambda: Frozen(1, "a", 2), lambda: Frozen(1, none=2)):
        with pytest.raises(TypeError):
            wrong()


def test_records_are_compared_by_content_and_class():
    assert Frozen(1) == Frozen(1, "text")
    assert hash(Frozen(1)) == hash(Frozen(1, "text"))
    assert len({Frozen(1), Frozen(1), Frozen(2)}) == 2
    assert Frozen(1) != Longer(1)
    with pytest.raises(TypeError):
        hash(Open())


def test_a_default_is_made_anew_for_each_record():
    one, other = Open(), Open()
    one.values.append(1)
    assert other.values == []


def test_a_frozen_record_stays_what_it_is():
    record = Frozen(1)
    with pytest.raises(AttributeError):
        record.first = 2
    with pytest.raises(AttributeError):
        del record.first
    assert replace(record, first=2) == dataclasses.replace(record, first=2) == Frozen(2)
    assert record == Frozen(1)
    assert repr(record) == "Frozen(first=1, own='text')"
    assert [one.name for one in dataclasses.fields(Longer)] == ["first", "own", "last"]


def test_checking_a_proof_imports_nothing_that_only_others_need():
    text = (
        "import sys, assay.checker.__main__, assay.checker.c_certificates;"
        "print(*sorted({'argparse', 'click', 'dataclasses', 'inspect', 'pathlib', 'pycparser', 'subprocess',"
        " 'cvc5', 'bitwuzla', 'assay.languages'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {text}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
