"""Partial-order reduction: what it saves, and what each of its conditions is for."""

from __future__ import annotations

import pytest

from assay.languages.promela import footprint, partial_order
from tests.unit.languages.promela.reducing import searcher

__all__ = ["searcher"]

ORDER = "partial-order"

PRIVATE = "active [3] proctype p() { byte x; x = 1; x = 2 }"
PIPE = """
chan q = [2] of { byte };
active proctype p() { q!1; q!2 }
active proctype c() { byte x; q?x; q?x }
"""

LOOP_WITHOUT_END = """
active proctype q() { assert(false) }
active proctype p() { byte x, y; again: x = 1; y = 2; x = x + y; goto again }
"""
MESSAGES_WITHOUT_END = """
chan q = [2] of { byte };
active proctype r() { assert(false) }
active proctype p() { do :: q!1 od }
active proctype c() { byte x; do :: q?x od }
"""
MESSAGES_TO_ONESELF = """
chan q = [2] of { byte };
active proctype r() { assert(false) }
active proctype p() { byte x; do :: q!1; q?x od }
"""
SEND_OR_ELSE = """
chan q = [1] of { byte };
active proctype a() { q!1; if :: q!2 :: else -> assert(false) fi }
active proctype b() { byte x; q?x }
"""
RECEIVE_FROM_A_PARAMETER_OR_ELSE = """
chan q = [1] of { byte };
proctype r(chan a) { byte y; if :: a?y :: else -> assert(false) fi }
proctype s(chan b) { b!1 }
init { atomic { run r(q); run s(q) } }
"""

D_STEP_BLOCKS_AT_A_PARAMETER = """
chan q = [1] of { byte };
proctype r(chan a) { byte y; d_step { skip; a?y } }
proctype s(chan b) { b!1 }
init { atomic { run r(q); run s(q) } }
"""

RECEIVE_OR_ELSE = """
chan q = [1] of { byte };
active proctype a() { byte y; if :: q?y :: else -> assert(false) fi }
active proctype b() { q!1 }
"""
MESSAGE_ESCAPES = """
chan r = [1] of { byte };
byte g;
active proctype a() { byte y; { g = 1; g = 2 } unless { r?y } }
active proctype b() { r!1 }
active proctype c() { g == 1 -> assert(false) }
"""
ATOMIC_SEQUENCE_BLOCKS = """
chan q = [1] of { byte };
byte g;
active proctype a() { byte y; atomic { g = 1; q?y; g = 0 } }
active proctype c() { g == 1 -> assert(false) }
active proctype b() { q!1 }
"""
RENDEZVOUS_IN_AN_ATOMIC_SEQUENCE = """
chan meet = [0] of { byte };
byte g, h;
active proctype p() { byte x, y; g = 1; y = 3; y = y + 1; meet?x }
active proctype q() { atomic { g == 1 -> h = 1; meet!0; h = 0 } }
active proctype r() { end: h == 1 -> assert(false) }
"""
RENDEZVOUS_OR_ELSE = """
chan meet = [0] of { byte };
byte g;
active proctype p() { byte x, y; g = 1; y = 3; y = y + 1; meet?x }
active proctype q() { g == 1 -> if :: meet!0 :: else -> assert(false) fi }
"""
SENDER_STARTED_LATER = """
chan q = [3] of { byte };
proctype a() { q!1 }
proctype b() { q!2 }
active proctype c() { byte x; q?x; assert(x == 1) }
init { run a(); run b() }
"""
LENGTH_AS_INITIAL_VALUE = """
chan q = [3] of { byte };
proctype r() { byte n = len(q); assert(n == 1) }
init { run r() }
active proctype p() { q!1 }
"""
CHANNEL_AS_INITIAL_VALUE = """
chan q = [3] of { byte };
proctype r() { chan c = q; c!2 }
init { run r() }
active proctype p() { q!1 }
active proctype c() { byte x; q?x; assert(x == 1) }
"""
CHANNEL_IN_A_STRUCTURE = """
typedef holder { chan c };
chan q = [3] of { byte };
active proctype r() { holder t; t.c = q; t.c!2 }
active proctype p() { q!1 }
active proctype c() { byte x; q?x; assert(x == 1) }
"""
CHANNEL_AS_A_NUMBER = """
chan q = [3] of { byte };
byte go;
active proctype receiver() { byte x; q?x; assert(x == 1) }
active proctype r() { byte v; chan c; v = q; go = 1; go == 2; c = v; c!2 }
active proctype p() { go == 1; go = 2; q!1 }
"""
ERROR_IN_A_PRIVATE_STEP = """
active proctype q() { assert(false) }
active proctype p() { byte x, y; x = 1 / y; assert(x == 0) }
"""
PRIVATE_LOOP_IN_AN_ATOMIC_SEQUENCE = """
active proctype q() { assert(false) }
active proctype p() { byte x; atomic { do :: x = 1; assert(x == 1) :: x = 0 od } }
"""
NO_SUCH_CHANNEL = """
chan q[2] = [1] of { byte };
byte g;
active proctype q1() { byte z = 1; g = 4 / z; assert(false) }
active proctype r() { byte i = 5; q[i]!1 }
"""
NEGATED_TEST = """
chan q = [1] of { byte };
active proctype a() { len(q) == 0 -> assert(false) }
active proctype b() { q!1 }
"""

MODELS = {name: text for name, text in globals().items() if name.isupper() and isinstance(text, str)}
WITH_VIOLATIONS = sorted(set(MODELS) - {"ORDER", "PRIVATE", "PIPE"})


def test_private_steps_are_not_interleaved(searcher):
    assert searcher.states(PRIVATE) == 3**3 + 3**2 + 3 + 1  # all alive, then one less each
    assert searcher.states(PRIVATE, ORDER) == 10  # three steps of each process, one after the other


def test_exclusive_senders_and_receivers_are_not_interleaved(searcher):
    assert searcher.states(PIPE, ORDER) < searcher.states(PIPE)


@pytest.mark.parametrize("name", WITH_VIOLATIONS)
def test_everything_is_still_found(searcher, name):
    assert searcher.reports(MODELS[name]) != []
    assert not searcher.loses(MODELS[name], ORDER)


CHANNEL_IN_AN_INVARIANT = """
chan q = [3] of { byte };
byte g;
proctype p(chan c) { byte x; c!1; c?x }
init { run p(q); g = 1 }
"""
PROCESSES_IN_AN_INVARIANT = """
byte g;
active proctype q() { g = 1; g = 2 }
active proctype p() { skip }
"""


@pytest.mark.parametrize(
    ("text", "invariant"),
    [
        (CHANNEL_IN_AN_INVARIANT, "len(q) == 0 || g == 0"),
        (PROCESSES_IN_AN_INVARIANT, "_nr_pr == 1 || g < 1"),
        (PROCESSES_IN_AN_INVARIANT, "_nr_pr == 2 || g > 0"),
    ],
)
def test_invariants_still_fail(searcher, text, invariant):
    assert searcher.reports(text, invariant=invariant) == [("invariant", None)]
    assert not searcher.loses(text, ORDER, invariant=invariant)


# Each condition, switched off: then something is lost, so the tests above can fail.


def test_cycles_must_be_broken(searcher, monkeypatch):
    monkeypatch.setattr(partial_order.Planner, "cycle_breakers", lambda *_: set())
    for text in (LOOP_WITHOUT_END, MESSAGES_WITHOUT_END, MESSAGES_TO_ONESELF):
        assert searcher.loses(text, ORDER)


@pytest.mark.parametrize("partners", [partial_order.OLDER, partial_order.YOUNGER])
@pytest.mark.parametrize("first_is_sender", [True, False])
def test_cycles_may_be_broken_at_either_side(searcher, monkeypatch, partners, first_is_sender):
    both = partial_order.Planner.break_cycles
    monkeypatch.setattr(
        partial_order.Planner,
        "break_cycles",
        lambda planner, found, asked: (int(asked != partners), both(planner, found, asked)[1]),
    )
    sender, receiver = "active proctype p() { do :: q!1 od }", "active proctype c() { byte x; do :: q?x od }"
    order = [sender, receiver] if first_is_sender else [receiver, sender]
    text = "\n".join(["chan q = [2] of { byte };", "active proctype r() { assert(false) }", *order])
    assert not searcher.loses(text, ORDER)
    assert not searcher.loses(MESSAGES_TO_ONESELF, ORDER)


def test_cycles_are_broken_where_processes_really_stop(searcher, monkeypatch):
    """A breaker that merging jumps over breaks nothing."""
    landings = partial_order.Planner.landings

    def without_merging(planner, *arguments):
        planner.fused = {}
        return landings(planner, *arguments)

    monkeypatch.setattr(partial_order.Planner, "landings", without_merging)
    assert searcher.loses(LOOP_WITHOUT_END, ORDER)


def test_tests_of_channels_disturb(searcher, monkeypatch):
    monkeypatch.setattr(footprint, "testing_locations", lambda graph: set())
    for text in (
        SEND_OR_ELSE,
        RECEIVE_OR_ELSE,
        RECEIVE_FROM_A_PARAMETER_OR_ELSE,
        D_STEP_BLOCKS_AT_A_PARAMETER,
        MESSAGE_ESCAPES,
        ATOMIC_SEQUENCE_BLOCKS,
        RENDEZVOUS_OR_ELSE,
    ):
        assert searcher.loses(text, ORDER)


def test_receivers_must_stay_where_a_sender_sees_them(searcher, monkeypatch):
    monkeypatch.setattr(footprint.Visibility, "watch_receivers", lambda *_, **__: None)
    assert searcher.loses(RENDEZVOUS_OR_ELSE, ORDER)


def test_initial_values_read(searcher, monkeypatch):
    monkeypatch.setattr(partial_order.Planner, "initial_loads", lambda *_: iter(()))
    assert searcher.loses(LENGTH_AS_INITIAL_VALUE, ORDER)
    assert searcher.loses(CHANNEL_AS_INITIAL_VALUE, ORDER)


def test_structures_hide_channels(searcher, monkeypatch):
    monkeypatch.setattr(partial_order, "holds_channels", lambda structure: False)
    assert searcher.loses(CHANNEL_IN_A_STRUCTURE, ORDER)


def test_numbers_hide_channels(searcher, monkeypatch):
    monkeypatch.setattr(partial_order, "is_channel", lambda value: True)
    assert searcher.loses(CHANNEL_AS_A_NUMBER, ORDER)


def test_only_lasting_tests_leave_others_alone(searcher, monkeypatch):
    monkeypatch.setattr(partial_order.Planner, "uses", lambda *_: [])
    assert searcher.loses(NEGATED_TEST, ORDER)
    assert searcher.loses(SENDER_STARTED_LATER, ORDER)
