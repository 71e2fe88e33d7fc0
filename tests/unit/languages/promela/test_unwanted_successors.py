"""A caller that says which successors it will look at gets those, and each at its usual place."""

from __future__ import annotations

import ctypes
import random
from collections import deque

import pytest

from assay.languages.promela.program import REDUCTIONS, load
from assay.transition_system.language_options import LanguageOptions
from benchmarks.tasks import MODELS
from tests.agreement.generator import generate


class Successor(ctypes.Structure):
    _fields_ = [
        ("first_word", ctypes.c_uint32),
        ("word_count", ctypes.c_uint32),
        ("violation", ctypes.c_uint32),
        ("has_state", ctypes.c_uint16),
        ("process", ctypes.c_uint16),
    ]


class Buffer(ctypes.Structure):
    """`assay_buffer` of model_abi.h."""


Grow = ctypes.CFUNCTYPE(None, ctypes.POINTER(Buffer), ctypes.c_uint32, ctypes.c_uint32)
Buffer._fields_ = [
    ("words", ctypes.POINTER(ctypes.c_uint64)),
    ("words_used", ctypes.c_uint32),
    ("words_capacity", ctypes.c_uint32),
    ("successors", ctypes.POINTER(Successor)),
    ("count", ctypes.c_uint32),
    ("capacity", ctypes.c_uint32),
    ("grow", Grow),
    ("scratch", ctypes.c_void_p),
    ("scratch_bytes", ctypes.c_size_t),
    ("recorder", ctypes.c_void_p),
    ("wanted", ctypes.c_char_p),
    ("wanted_first", ctypes.c_uint64),
    ("wanted_count", ctypes.c_uint64),
]
ROOM = 1 << 16
Words = ctypes.POINTER(ctypes.c_uint64)


class Entry(ctypes.Structure):
    """The beginning of `assay_model`."""

    _fields_ = [
        ("abi", ctypes.c_uint32),
        ("max_words", ctypes.c_uint32),
        ("initial", ctypes.CFUNCTYPE(ctypes.c_uint32, Words, ctypes.POINTER(ctypes.c_uint32))),
        ("successors", ctypes.CFUNCTYPE(None, Words, ctypes.c_uint32, ctypes.POINTER(Buffer))),
    ]


class Model:
    """A compiled model, called as the engine calls it."""

    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))
        self.library.assay_model_entry.restype = ctypes.POINTER(Entry)
        self.entry = self.library.assay_model_entry().contents
        self.words = (ctypes.c_uint64 * ROOM)()
        self.found = (Successor * ROOM)()
        self.buffer = Buffer(words=self.words, words_capacity=ROOM, successors=self.found, capacity=ROOM)

    def initial(self):
        words, violation = (ctypes.c_uint64 * (self.entry.max_words + 1))(), ctypes.c_uint32()
        size = self.entry.initial(words, ctypes.byref(violation))
        return bytes(words)[: 8 * size]

    def successors(self, state, wanted=None, first=0, count=0):
        """(state or None, violation) of each; a mask says which are wanted."""
        words = (ctypes.c_uint64 * (len(state) // 8)).from_buffer_copy(state)
        self.buffer.words_used = self.buffer.count = 0
        self.buffer.wanted, self.buffer.wanted_first, self.buffer.wanted_count = wanted, first, count
        self.entry.successors(words, len(words), ctypes.byref(self.buffer))
        return [self.read(self.found[i]) for i in range(self.buffer.count)]

    def read(self, one):
        if not one.has_state:
            assert one.word_count == 0
            return None, one.violation
        start = ctypes.addressof(self.words) + 8 * one.first_word
        return ctypes.string_at(start, 8 * one.word_count), one.violation


def some_states(model, limit):
    """The first states of a breadth-first search."""
    found = {model.initial()}
    pending = deque(found)
    while pending and len(found) < limit:
        for state, _ in model.successors(pending.popleft()):
            if state is not None and state not in found:
                found.add(state)
                pending.append(state)
    return sorted(found)


KEPT = []  # ctypes closes nothing, and the loader goes by names


def kept(program):
    KEPT.append(program)
    return program.opening.file


def skipped(path, reductions, defines=()):
    """How many successors random masks leave out; checks that nothing else changes."""
    options = LanguageOptions(safety_only=True, reductions=frozenset(reductions), defines=defines)
    model = Model(kept(load(path, options)))
    chance = random.Random(1)
    left_out = 0
    for state in some_states(model, 300):
        whole = model.successors(state)
        first = chance.randrange(20)
        count = chance.randrange(len(whole) + 2)
        mask = bytes(chance.choice((0, chance.randrange(1, 256))) for _ in range((first + count) // 8 + 1))
        for position, (usual, found) in enumerate(
            zip(whole, model.successors(state, mask, first, count), strict=True)
        ):
            bit = first + position
            if position < count and not mask[bit // 8] >> bit % 8 & 1 and found == (None, 0):
                left_out += 1
            else:
                assert found == usual
    return left_out


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("name", "unreduced", "reduced"),
    [
        ("readers_writers", 338, 338),
        ("leader_ring", 564, 63),
        ("pipeline_sort", 282, 201),
        ("barber", 621, 619),
    ],
)
def test_a_mask_leaves_out_successors_and_changes_none(name, unreduced, reduced):
    assert skipped(MODELS / f"{name}.pml", ()) == unreduced
    assert skipped(MODELS / f"{name}.pml", REDUCTIONS) == reduced


@pytest.mark.parametrize("seed", range(20))
def test_a_mask_changes_no_successor_of_a_random_program(seed, tmp_path):
    model = tmp_path / "model.pml"
    model.write_text(generate(seed).text)
    for reductions in ((), REDUCTIONS):
        skipped(model, reductions)


def test_the_others_still_move_where_the_only_unwanted_step_fails(tmp_path):
    """Reduced: `a` moves alone, but its step is an error, so that `b` moves as well."""
    model = tmp_path / "model.pml"
    model.write_text(
        "active proctype b() { byte y; y = 1; y = 2 }\n"
        "active proctype a() { byte i = 5; byte x[3]; x[i] = 1; assert(x[i] == 1) }"
    )
    program = load(model, LanguageOptions(reductions=frozenset({"partial-order"})))
    compiled = Model(kept(program))
    whole = compiled.successors(compiled.initial())
    assert [(state is None, code) for state, code in whole] == [(True, 1), (False, 0)]
    assert compiled.successors(compiled.initial(), b"\0", 0, 8) == [(None, 1), (None, 0)]
