"""States that go to another process as bytes are the same states there."""

from __future__ import annotations

import enum
import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from assay import _engine
from assay.languages.handwritten import CanonicalSystem, ClassModel, HandwrittenSystem, NumberedSystem
from assay.transition_system import portable_values
from assay.transition_system.canonical import NoCanonicalForm
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions

ROOT = Path(__file__).resolve().parents[2]
KEY = bytes(range(1, 25))
FILE_SYSTEM = "examples/embedded_c/2_file_system.pml+file_system.c"
TREE = "examples/embedded_c/5_binary_tree.pml+tree.c"
LARGE = "tests/portable/programs/large_memory.pml"  # its memory is numbered


def told_by(*arguments: object) -> list[dict[str, object]]:
    # The hashes of texts are fixed when Python starts.
    child = subprocess.run(
        [sys.executable, "-m", "tests.portable.travel", *map(str, arguments)],
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return [json.loads(line) for line in child.stdout.splitlines()]


@pytest.mark.parametrize(
    ("most", "programs"),
    [
        (80, "examples/thesis/{elevator,replicated_workers,sleeping_barber}.py"),
        (80, "examples/semaphores/santa_claus.py examples/tutorial/{exception_in_a_future,pool_map}.py"),
        (60, "tests/python/programs/{set_threads,work_stealing}.py tests/portable/programs/*.py"),
        (60, "examples/liveness/peterson.py@ examples/token_ring.py:TokenRing examples/peterson.pml"),
        (60, f"{FILE_SYSTEM} {TREE} {LARGE} examples/embedded_c/6_claim.pml+tree.c@"),
    ],
)
def test_two_processes_agree_on_every_state_that_they_exchange(most, programs):
    asked = [one for pattern in programs.split() for one in expanded(pattern)]
    answers = told_by(most, *asked)
    assert [answer["program"] for answer in answers] == asked
    assert not [answer for answer in answers if "problem" in answer]
    assert all(answer["states"] >= 2 for answer in answers)


def expanded(pattern: str) -> list[str]:
    before, _, rest = pattern.partition("{")
    names, _, after = rest.partition("}")
    patterns = [before + name + after for name in names.split(",")] if rest else [pattern]
    return [
        found
        for one in patterns
        for found in (sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(one)) if "*" in one else [one])
    ]


@pytest.mark.parametrize("program", ["examples/tutorial/racy_counter.py", LARGE])
def test_damaged_blocks_are_refused_and_do_no_harm(program):
    (told,) = told_by("--fuzz", program, 300)
    assert told["refused"] + told["read"] == 300
    assert told["refused"] >= 250


def test_a_process_takes_a_partition_over_from_its_file():
    (told,) = told_by("--take-over", "examples/thesis/dining_philosophers.py")
    assert told["states"] >= 100
    assert told["later"] < told["first"] / 4  # what was told once is not told again


def test_a_class_that_has_other_bases_elsewhere_is_refused():
    (told,) = told_by("--ways-apart", "tests/portable/ways_apart/bases.py")
    assert told["same"] == "arrived"
    assert "other bases, slots or members on another way" in told["different"]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: int
    y: int


class Number(int):
    pass


@dataclass(frozen=True)
class Station:
    colour: Colour
    inside: frozenset[object]
    note: str = field(default="", compare=False)


VALUES = [
    None,
    True,
    0,
    -(2**70),
    1.5,
    -0.0,
    "\ud800é",
    b"\x00",
    (),
    ((1, True), "a"),
    frozenset({1, ("a", None)}),
    Colour.BLUE,
    Level.LOW,
    Rights.READ | Rights.WRITE,
    Point(1, 2),
    Number(7),
    Station(Colour.RED, frozenset({Point(0, 1), Colour.BLUE}), "not compared"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_as_what_it_was(value):
    back = portable_values.decode(portable_values.encode(value))
    assert back == value
    assert sorted(repr(back)) == sorted(repr(value))  # sets are shown in any order
    assert type(back) is type(value)


def test_a_value_with_more_than_bytes_can_say_is_refused():
    number = Number(3)
    number.owner = "somebody"
    for value in (number, [1], object(), lambda: 0):
        with pytest.raises(NoCanonicalForm):
            portable_values.encode(value)


def test_damaged_bytes_of_a_value_are_refused():
    chance = random.Random(3)
    refused = 0
    for _ in range(4000):
        content = bytearray(portable_values.encode(chance.choice(VALUES)))
        for _ in range(chance.randrange(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        try:
            portable_values.decode(bytes(content[: chance.randrange(1, len(content) + 1)]))
        except portable_values.NoSuchValue:
            refused += 1
    assert refused > 2000


class Counting:
    """States of several types that are equal: True and 1."""

    def initial_states(self):
        return [(0, Colour.RED), (True, Colour.BLUE)]

    def enabled(self, state):
        return [1, 2] if state[0] < 9 else []

    def step(self, state, action):
        return (state[0] + action, Colour.RED if state[1] is Colour.BLUE else Colour.BLUE)

    def may_end(self, state):
        return not self.enabled(state)


def opened(shape, system):
    return ClassModel(shape(HandwrittenSystem(system, name="a class"), LanguageOptions()))


@pytest.mark.parametrize("shape", [NumberedSystem, CanonicalSystem])
def test_states_of_a_class_travel(shape):
    here, there = opened(shape, Counting()), opened(shape, Counting())
    root = there.initial_state()[0]
    for state, _ in reversed(there.successors(root)):  # its numbers are others
        there.successors(state)
    ours, theirs = _engine.Exchange(here, KEY), _engine.Exchange(there, KEY)
    states = [here.initial_state()[0]]
    for state in states:
        states += [after for after, _ in here.successors(state) if after not in states]
    arrived = [state for state, _ in theirs.read(ours.block(states))]
    assert [here.content_hash(state) for state in states] == [there.content_hash(state) for state in arrived]
    for state, other in zip(states, arrived, strict=True):
        assert here.describe(state) == there.describe(other)
        following = [after for after, _ in there.successors(other)]
        back = [found for found, _ in ours.read(theirs.block(following))]
        assert back == [after for after, _ in here.successors(state)]
    audit = _engine.Audit(here)
    for state in states:
        audit.successors(state)


def test_a_state_of_a_class_that_cannot_travel_is_refused_by_name():
    class Odd(Counting):
        def initial_states(self):
            return [complex(0, 1)]

    model = opened(NumberedSystem, Odd())
    with pytest.raises(
        SourceProblem, match=r"cannot travel to another process: complex .*; search in one process"
    ):
        _engine.Exchange(model, KEY).block([model.initial_state()[0]])


def test_what_is_known_takes_a_bounded_amount_of_memory():
    model = opened(NumberedSystem, Counting())
    exchange, known = _engine.Exchange(model, KEY), _engine.KnownParts(256)
    states = [state for state, _ in model.successors(model.initial_state()[0])]
    for state in states:
        states += [after for after, _ in model.successors(state) if after not in states]
    exchange.block(states, known)
    assert len(states) > 4
    assert known.bytes <= 256
    with pytest.raises(MemoryError):
        _engine.Exchange(model, KEY, 100).block(states)


class Lying:
    """A system whose states do not travel as it promises."""

    def __init__(self, lie):
        self.lie = lie
        self.asked = 0

    def initial_state(self):
        return (1).to_bytes(8, "little"), 0

    def successors(self, state):
        return [((int.from_bytes(state, "little") % 9 + 1).to_bytes(8, "little"), 0)]

    def is_valid_end(self, state):
        return True

    def part_of(self, state):
        return int.from_bytes(state, "little")

    def state_of(self, part):
        return (part + (self.lie == "another state")).to_bytes(8, "little")

    def part_content(self, part):
        self.asked += 1
        return bytes([part, self.asked % 2 if self.lie == "another content" else 0])

    def meet_part(self, content):
        return content[0] + (self.lie == "another part")


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        ("another state", "a state that leaves and arrives is another one"),
        ("another content", "the content of a part is not a function of it"),
        ("another part", "a part that is met by its content is another one"),
        ("", ""),
    ],
)
def test_the_audit_notices_what_does_not_travel(lie, sentence):
    audit = _engine.Audit(_engine.PythonSystem(Lying(lie), 1))
    state = audit.initial_state()[0]
    if not lie:
        assert audit.successors(state)
        return
    with pytest.raises(_engine.BrokenPromise, match=sentence):
        audit.successors(state)
