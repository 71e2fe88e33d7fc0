"""The canonical form of states: equal bytes exactly for equal values."""

import math
import struct
import subprocess
import sys
from collections import namedtuple
from dataclasses import dataclass, field, make_dataclass
from enum import Enum, Flag, IntEnum, StrEnum, auto
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.transition_system.canonical import (
    NOT_A_STATE,
    CanonicalForm,
    NoCanonicalForm,
    canonical_bytes,
)


class Colour(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1  # noqa: PIE796 (another name for RED)


class Shade(Enum):
    RED = 1


class Level(IntEnum):
    LOW = 0
    HIGH = 1


class Word(StrEnum):
    A = "a"


class Rights(Flag):
    READ = auto()
    WRITE = auto()


class Pair(NamedTuple):
    x: object
    y: object


Couple = namedtuple("Couple", ["left", "right"])  # noqa: PYI024 (the other way to make one)


@dataclass(frozen=True)
class Point:
    x: object
    y: object


@dataclass(frozen=True)
class Place:
    x: object
    y: object


@dataclass(frozen=True, slots=True)
class Named:
    value: object
    comment: object = field(default=None, compare=False)


class Warm(Point):
    """Inherits everything, and still equals no `Point`."""


class Metres(int):
    def __int__(self):
        return 7  # not its value

    __index__ = __int__


numbers = (
    st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(
        [0.0, -0.0, 1.0, -1.0, 2.0**53, 2**53, 2**53 + 1, 1e300, int(1e300), 255, 256, -128, 127]
    )
)
leaves = (
    st.none()
    | numbers
    | st.text(max_size=4)
    | st.sampled_from(["a", b"a", "", b"", "\udc80", "é", "e\u0301"])
    | st.binary(max_size=4)
    | st.sampled_from([*Colour, *Shade, *Level, *Word, *Rights, Rights.READ | Rights.WRITE, Rights(0)])
    | st.integers(-2, 2).map(Metres)
)


def larger(values):
    return (
        st.lists(values, max_size=3).map(tuple)
        | st.frozensets(values, max_size=3)
        | st.builds(Pair, values, values)
        | st.builds(Couple, values, values)
        | st.builds(Point, values, values)
        | st.builds(Place, values, values)
        | st.builds(Warm, values, values)
        | st.builds(Named, values, values)
    )


values = st.recursive(leaves, larger, max_leaves=6)
few = st.recursive(
    st.sampled_from([0, False, 0.0, 1, True, Level.HIGH, "a", Word.A, b"a", None, Colour.RED, Shade.RED]),
    larger,
    max_leaves=4,
)


@settings(max_examples=2000)
@given(few, few)
def test_values_are_equal_exactly_when_their_bytes_are(first, second):
    assert (first == second) == (canonical_bytes(first) == canonical_bytes(second))


@settings(max_examples=500)
@given(values, values)
def test_the_same_holds_for_values_that_have_little_in_common(first, second):
    assert (first == second) == (canonical_bytes(first) == canonical_bytes(second))


@given(numbers, numbers)
def test_numbers_go_by_value(first, second):
    assert (first == second) == (canonical_bytes(first) == canonical_bytes(second))


@given(values)
def test_bytes_are_whole_words_and_never_those_of_no_state(value):
    encoded = canonical_bytes(value)
    assert len(encoded) % 8 == 0
    assert encoded != NOT_A_STATE


@given(values)
def test_a_form_that_has_seen_other_values_gives_the_same_bytes(value):
    form = CanonicalForm()
    form.encode((Colour.RED, Point(1, 2), frozenset({1})))
    assert form.encode(value) == canonical_bytes(value)


@pytest.mark.parametrize(
    ("values", "forms"),
    [
        ([True, 1, 1.0, Level.HIGH, Metres(1)], 1),
        ([False, 0, 0.0, -0.0, Level.LOW], 1),
        ([(1, 2), Pair(1, 2), Couple(1, 2), (True, 2.0)], 1),
        (["a", Word.A], 1),
        ([Colour.RED, Colour.CRIMSON], 1),
        ([Colour.RED, Shade.RED, 1], 3),
        ([Point(1, 2), Place(1, 2), Warm(1, 2), (1, 2)], 4),
        ([Named(1, "one"), Named(1, "two")], 1),
        (["a", b"a", ("a",), frozenset({"a"})], 4),
        ([math.inf, -math.inf, 2**1024, None, "None"], 5),
        ([Rights.READ, Rights.WRITE, Rights.READ | Rights.WRITE, Rights.READ | Rights.WRITE], 3),
        ([(), ((),), ((), ()), frozenset(), ("",)], 5),
        ([(1, (2, 3)), ((1, 2), 3), (1, 2, 3)], 3),
        ([0.1, 0.1 + 2**-56, Named(0.1)], 2 if 0.1 == 0.1 + 2**-56 else 3),
    ],
)
def test_how_many_states_these_are(values, forms):
    assert len({canonical_bytes(value) for value in values}) == forms
    assert len(set(values)) == forms


def test_the_form_is_what_it_was():
    """It never stands in a file, but machines that share the work must agree on it."""
    assert canonical_bytes((1, -129, "é", None)) == b"T\x04I\x01\x01I\x02\x7f\xffS\x02\xc3\xa9N\x00\x00"
    assert canonical_bytes(0.5) == b"F" + struct.pack("<d", 0.5) + bytes(7)


def test_the_form_does_not_depend_on_hash_seeds():
    program = (
        "from assay.transition_system.canonical import canonical_bytes;"
        "print(canonical_bytes(frozenset({'a', 'b', ('c', frozenset('def'))})).hex())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


class Own(Enum):
    A = 1

    def __eq__(self, other):
        return True

    __hash__ = Enum.__hash__


class Modulo(int):
    def __eq__(self, other):
        return int(self) % 2 == int(other) % 2

    __hash__ = int.__hash__


@dataclass(frozen=True)
class Careless:
    x: int

    def __eq__(self, other):
        return isinstance(other, Careless)

    __hash__ = None


@dataclass(frozen=True, eq=False)
class Itself:
    x: int


@dataclass(frozen=True, eq=False)
class Longer(Point):
    z: int = 0  # not compared: `==` is that of `Point`


@dataclass(unsafe_hash=True)
class Changing:
    x: int


def local_class():
    @dataclass(frozen=True)
    class Local:
        x: int

    return Local


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "object is not one of None, bool, int, float, str, bytes, tuple, frozenset, enum"),
        ([1], "list is not one of"),
        ({"a": 1}, "dict is not one of"),
        (MappingProxyType({}), "mappingproxy is not one of"),
        (1j, "complex is not one of"),
        (Fraction(1, 2), r"fractions.Fraction is not one of"),
        (range(3), "range is not one of"),
        (int, "type is not one of"),
        ((1, frozenset({(len,)})), "builtin_function_or_method is not one of"),
        (math.nan, "NaN does not equal itself"),
        (Own.A, "Own is not one of"),
        (Modulo(1), "Modulo is not one of"),
        (Careless(1), "Careless is a dataclass with an __eq__ of its own"),
        (Itself(1), "Itself is a dataclass with an __eq__ of its own"),
        (Longer(1, 2), "Longer is a dataclass with an __eq__ of its own"),
        (Changing(1), "Changing is a dataclass that is not frozen"),
        (local_class()(1), "Local is a class that is not found under its name"),
        (
            make_dataclass("Point", ["x", "y"], frozen=True, namespace={"__module__": __name__})(1, 2),
            "not found under its name",
        ),
    ],
)
def test_what_cannot_be_told_apart_by_bytes_is_refused(value, reason):
    with pytest.raises(NoCanonicalForm, match=reason):
        canonical_bytes(value)


def test_values_nested_without_end_are_refused():
    value = ()
    for _ in range(100_000):
        value = (value,)
    with pytest.raises(NoCanonicalForm, match="it is nested too deeply"):
        canonical_bytes(value)
