"""`--search symbolic` counts what the explicit engine counts, and finds what it finds."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import languages
from assay.evidence.verdict import judge
from assay.search import diagrams, saturation
from assay.search.diagram_numbers import Blaster, value_of
from assay.search.diagrams import explore
from assay.transition_system.language_options import LanguageOptions, OptionProblem
from assay.transition_system.symbolic import NotExpressible
from assay.transition_system.terms import Apply, Integer, Number, Term, Truncate, Variable, compiled
from assay.verification.diagrams import _facts
from tests.agreement.guarded import Writer, by_diagrams, explored_symbolically
from tests.agreement.guarded_generator import generate

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = ["peterson.pml", "broken_mutex.pml", "alternating_bit.pml", "philosophers.pml"]


@pytest.mark.parametrize("name", SMALL)
def test_an_example_has_as_many_states(name):
    symbolic = assay.verify(EXAMPLES / name, search="symbolic", safety=True)
    explicit = assay.verify(EXAMPLES / name, reductions=[], safety=True)
    assert symbolic.verdict is explicit.verdict
    if explicit.verdict is assay.Verdict.VERIFIED:
        assert (symbolic.states, symbolic.depth, symbolic.complete) == (explicit.states, explicit.depth, True)
    else:
        ours, theirs = (one.violations[0].counterexample for one in (symbolic, explicit))
        assert len(ours.positions) == len(theirs.positions)  # as short as any
        assert symbolic.violations[0].message == explicit.violations[0].message


def loaded(text: str):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "random.pml"
        path.write_text(text)
        return languages.load(path, LanguageOptions())


@pytest.mark.parametrize("seed", range(40))
def test_a_random_guarded_program_has_as_many_states(seed):
    system = loaded(Writer(seed).program()).symbolic()
    explored = explored_symbolically(system)
    assert not by_diagrams(system, explored, fails=bool(explored.violations))


@pytest.mark.parametrize("seed", [50_000, 50_001, 50_002, 50_004, 50_006, 50_010, 50_011])
def test_so_has_one_with_sequences_and_channels(seed):
    system = loaded(generate(seed).text).symbolic()
    explored = explored_symbolically(system)
    assert not by_diagrams(system, explored, fails=bool(explored.violations))


def by_layers_and_by_saturation(system, monkeypatch):
    """What is found if it is layers that come to an end, and what if it is saturation: many small turns, so
    that it is interrupted and goes on."""

    def found(first_turn: float, clock: int) -> diagrams.Explored:
        monkeypatch.setattr(diagrams, "FIRST_TURN", first_turn)
        monkeypatch.setattr(saturation, "LOOKED_AT_CLOCK", clock)
        return diagrams.explore(
            system, memory_bytes=0, deadline=None, check_deadlock=True, depth_limit=0, tell=lambda _: None
        )

    return found(1e9, 256), found(1e-5, 1)


@pytest.mark.parametrize("seed", [*range(100, 130), 50_000, 50_001, 50_002, 50_004, 50_006, 50_010, 50_011])
def test_saturation_reaches_what_layers_reach(seed, monkeypatch):
    text = Writer(seed).program() if seed < 50_000 else generate(seed).text
    layers, saturated = by_layers_and_by_saturation(loaded(text).symbolic(), monkeypatch)
    assert (saturated.violation is None) == (layers.violation is None)
    assert len(saturated.run) == len(layers.run)
    if layers.violation is None:
        assert (saturated.states, saturated.transitions) == (layers.states, layers.transitions)
        assert saturated.complete
        assert layers.complete


def test_saturation_goes_where_layers_do_not(monkeypatch):
    """Each cell of a ring has about four states, and all that matters to it is its neighbour."""
    monkeypatch.setattr(diagrams, "FIRST_TURN", 0.01)
    system = loaded(RING.format(cells=16)).symbolic()
    found = diagrams.explore(
        system, memory_bytes=0, deadline=None, check_deadlock=False, depth_limit=0, tell=lambda _: None
    )
    assert found.saturated
    assert found.complete
    plain = diagrams.Diagrams(system, 0)
    before, states = None, plain.initial()
    while states != before:  # each step at once from all that is there
        before = states
        for move in plain.moves:
            states |= plain.image(move, states)
    assert found.states == plain.size(states & plain.visible) > 10**9
    assert len(loaded(RING.format(cells=70)).symbolic().controls) > 70  # more processes than 64


def test_a_failure_that_saturation_sees_is_no_verdict_without_a_run(monkeypatch):
    """The last state of a long line fails. Who knows only that says so, and calls nothing verified."""
    system = loaded("short n;\nactive proctype P() { do :: n < 3000 -> n++ :: else -> assert(false) od }\n")
    monkeypatch.setattr(diagrams, "FIRST_TURN", 0.001)
    ended = []

    class Watched(saturation.Saturation):
        def reached_from(self, states, until):
            ended.append(super().reached_from(states, until + 1e6))
            return ended[-1]

    monkeypatch.setattr(diagrams, "Saturation", Watched)
    monkeypatch.setattr(diagrams._Exploration, "_is_late", lambda _: bool(ended))
    found = diagrams.explore(
        system.symbolic(),
        memory_bytes=0,
        deadline=None,
        check_deadlock=True,
        depth_limit=0,
        tell=lambda _: None,
    )
    assert (found.saturated, found.complete, found.violation, found.stopped_by) == (True, False, None, "time")
    judged = judge(_facts(found, 1.0, 0))
    assert judged.verdict is assay.Verdict.INCOMPLETE


RING = """
#define N {cells}
bool cell[N];
active [N] proctype P() {{ do :: cell[_pid] == cell[(_pid + 1) % N] -> cell[_pid] = !cell[_pid] od }}
"""


def test_limits_bind_and_say_which(tmp_path):
    counter = tmp_path / "counter.pml"
    counter.write_text("int n;\nactive proctype P() { do :: n < 100000000 -> n++ od }\n")
    began = time.monotonic()
    result = assay.verify(counter, search="symbolic", timeout_seconds=2)
    assert result.verdict is assay.Verdict.INCOMPLETE
    assert result.stop_reason == "time"
    assert time.monotonic() - began < 20
    deep = assay.verify(counter, search="symbolic", max_depth=5)
    assert (deep.verdict, deep.states, deep.stop_reason) == (assay.Verdict.INCOMPLETE, 6, "depth")
    hard = tmp_path / "hard.pml"
    hard.write_text(
        "int a, b, c, x;\nactive proctype P() {\n"
        "  select(a : 0 .. 30); do :: x = a * b + c; b = x * 7 + a; c = b * x od\n}\n"
    )
    result = assay.verify(hard, search="symbolic", memory_limit_bytes=300 << 20, timeout_seconds=60)
    assert result.verdict is assay.Verdict.INCOMPLETE
    assert result.stop_reason in ("memory", "time")


def test_time_may_run_out_at_any_moment_and_nothing_is_called_complete(monkeypatch):
    """An image that was cut off is empty, and looked like the end of the search."""
    system = loaded("byte n;\nactive proctype P() { do :: n < 9 -> n++ od }\n").symbolic()

    def late_after(moments: int) -> diagrams.Explored:
        left = iter(range(moments))
        monkeypatch.setattr(diagrams._Exploration, "_is_late", lambda _: next(left, None) is None)
        return diagrams.explore(
            system,
            memory_bytes=1 << 30,
            deadline=None,
            check_deadlock=False,
            depth_limit=0,
            tell=lambda _: None,
        )

    whole = late_after(10_000)
    assert (whole.complete, whole.states) == (True, 19)
    for moments in range(60):
        found = late_after(moments)
        assert found.states == whole.states if found.complete else found.stopped_by == "time"
    assert not late_after(20).complete


def test_what_has_no_finite_form_is_refused_with_the_reason(tmp_path):
    with pytest.raises(NotExpressible, match="any integer"):
        assay.verify(f"{EXAMPLES / 'infinite' / 'programs.py'}:BakeryTwo", search="symbolic")
    many = tmp_path / "many.pml"
    many.write_text("active proctype P() { do :: run Q() od } proctype Q() { skip }\n")
    with pytest.raises(NotExpressible):
        assay.verify(many, search="symbolic")
    with pytest.raises(OptionProblem, match="symbolic"):
        assay.verify(EXAMPLES / "peterson.pml", search="symbolic", all_errors=True)


# --- numbers ---

X, Y = Variable("x", Integer(4, signed=True)), Variable("y", Integer(3, signed=False))


def terms() -> st.SearchStrategy[Term]:
    leaves = st.one_of(st.sampled_from([X, Y]), st.integers(-9, 9).map(Number))
    binary = ["+", "-", "*", "quotient", "remainder", "floor", "modulo", "&", "|", "^", "<<", ">>"]
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(lambda operator, a, b: Apply(operator, (a, b)), st.sampled_from(binary), inner, inner),
            st.builds(lambda operator, a: Apply(operator, (a,)), st.sampled_from(["neg", "~"]), inner),
            st.builds(Truncate, inner, st.integers(1, 6), st.booleans()),
            st.builds(
                lambda operator, a, b, c, d: Apply("if", (Apply(operator, (a, b)), c, d)),
                st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), inner, inner, inner, inner,
            ),
        ),
        max_leaves=4,
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(terms())
def test_a_term_has_the_same_value_bit_by_bit(term):
    from oxidd.bdd import BDDManager

    manager = BDDManager(1 << 16, 1 << 14, 1)
    manager.add_vars(7)
    bits = {"x": [manager.var(at) for at in range(4)], "y": [manager.var(4 + at) for at in range(3)]}
    bits["y"].append(manager.false())
    found = Blaster(manager, bits.__getitem__).number(term)
    evaluate = compiled(term, {"x": 0, "y": 1})
    for x in range(-8, 8):
        for y in range(8):
            given_bits = [(at, bool(x >> at & 1)) for at in range(4)] + [
                (4 + at, bool(y >> at & 1)) for at in range(3)
            ]
            assert value_of([bit.eval(given_bits) for bit in found]) == int(evaluate((x, y))), (x, y)


def test_a_ring_of_many_cells_is_counted(tmp_path):
    ring = tmp_path / "ring.pml"
    ring.write_text(RING.format(cells=8))
    counted = assay.verify(ring, search="symbolic", check_deadlock=False)
    visited = assay.verify(ring, reductions=[], check_deadlock=False)
    assert (counted.states, counted.transitions) == (visited.states, visited.transitions)


def test_nothing_is_told_that_was_not_explored():
    system = loaded("byte x; active proctype P() { do :: x < 200 -> x++ od }").symbolic()
    found = explore(
        system, memory_bytes=1 << 26, deadline=None, check_deadlock=False, depth_limit=10, tell=lambda _: None
    )
    assert (found.states, found.complete, found.stopped_by) == (11, False, "depth")
