"""Sketches: estimates and unions."""

from __future__ import annotations

import math
import random

import pytest

from assay.evidence.sketch import INDEX_BITS, REGISTERS, STANDARD_ERROR, Sketch, SketchProblem, overlap


def sketch_of(hashes):
    registers = bytearray(REGISTERS)
    for one in hashes:
        rest = (one << INDEX_BITS) % 2**64 | 1 << (INDEX_BITS - 1)
        index = one >> (64 - INDEX_BITS)
        registers[index] = max(registers[index], 64 - rest.bit_length() + 1)
    return Sketch(bytes(registers))


def drawn(number, seed=0):
    source = random.Random(seed)
    return [source.getrandbits(64) for _ in range(number)]


@pytest.mark.parametrize("number", [0, 1, 2, 30, 1_000, 20_000, 150_000])
def test_the_estimate_is_within_its_error(number):
    errors = [sketch_of(drawn(number, seed)).estimate - number for seed in range(4)]
    assert max(map(abs, errors)) <= 4 * STANDARD_ERROR * number + 0.01


def test_a_union_counts_each_state_once():
    states = drawn(30_000)
    first, second = sketch_of(states[:20_000]), sketch_of(states[10_000:])
    union = Sketch.union([first, second])
    assert union == sketch_of(states)
    assert abs(overlap(first, second) - 10_000) < 6 * STANDARD_ERROR * 30_000
    assert Sketch.union([]) == Sketch()
    assert Sketch().estimate == 0.0


def test_a_sketch_travels_as_text():
    sketch = sketch_of(drawn(5_000))
    assert Sketch.from_text(sketch.as_text()) == sketch
    assert sketch.interval[0] < sketch.estimate < sketch.interval[1]
    assert math.isclose(sketch.interval[1] / sketch.estimate, 1 + 2 * STANDARD_ERROR)


@pytest.mark.parametrize("text", ["", "no sketch", Sketch().as_text()[:20], "\u20ac"])
def test_what_is_no_sketch_is_refused(text):
    with pytest.raises(SketchProblem):
        Sketch.from_text(text)


def test_a_text_that_unpacks_to_more_is_refused():
    import base64
    import zlib

    bomb = base64.b85encode(zlib.compress(bytes(10 * REGISTERS))).decode()
    with pytest.raises(SketchProblem):
        Sketch.from_text(bomb)
