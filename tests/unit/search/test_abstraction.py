"""Searches by abstract matching: the worked examples of Kudra's thesis (2007), its theorems, and what is
never claimed."""

from __future__ import annotations

import inspect
import textwrap
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import _engine
from assay.checker import check
from assay.guarded import GuardedProgram, form_of, step
from assay.languages.promela.compiler import compile_model
from assay.search.amcs import FastAmcs
from assay.search.proofs.cells import look_for_closed_cells
from assay.search.proofs.proving import prove
from assay.search.proofs.spacer import invariant_from_spacer
from assay.search.reference.amcs import Amcs, AmcsOutcome, normal
from assay.search.reference.general_splitting import GeneralSplitting, RandomSource
from assay.search.reference.max_overlap import max_overlap, overlap
from assay.search.reference.min_only import min_only
from assay.search.reference.min_set import min_set, stabbing
from assay.search.symbolic_jobs import initial_predicates, validity
from assay.transition_system.interface import SourceProblem, ViolationFacts
from assay.transition_system.language_options import OptionProblem
from assay.transition_system.symbolic import Control, Failure, Step, SymbolicModel, SymbolicSystem
from assay.transition_system.symbolic_code import Packing, code_of
from assay.transition_system.terms import (
    Integer,
    Number,
    Variable,
    apply,
    both,
)
from tests.agreement.guarded import SAME, compare, natively_split, packed, split_in_python

SEEDS = range(6)


class Figure21(GuardedProgram):
    """x := 0; y := 0; while (y >= 0) { y := x + y; }"""

    variables = {"x": "integer", "y": "integer"}
    processes = {
        "P": [
            step("l1", "l2", when="y >= 0"),
            step("l1", "out", when="y < 0"),
            step("l2", "l1", then={"y": "x + y"}),
        ]
    }
    always = {"never out": "P != 'out'"}


class CountsForEver(GuardedProgram):
    variables = {"x": "integer"}
    processes = {"P": [step("go", "go", then={"x": "x + 1"})]}


class Doubles(GuardedProgram):
    variables = {"x": ("integer", 1)}
    processes = {"P": [step("go", "go", then={"x": "x * 3"})]}


def form(program: type[GuardedProgram], *predicates: str) -> SymbolicSystem:
    found = form_of(program(), (), predicates)
    assert not isinstance(found, str)
    return found


class OnlyItsPropertyLooksAtBits(GuardedProgram):
    variables = {"x": "uint8", "y": "uint8"}
    processes = {
        "P": [
            step("go", "go", when="x < 10", then={"x": "x + 1", "y": "x"}),
            step("go", "go", when="x == 10", then={"x": "0"}),
        ]
    }
    always = {"four bits": "(x | y) < 16"}


@pytest.mark.parametrize("predicates", [(), ("(x ^ y) < 12",)])
def test_bits_may_be_looked_at_by_properties_and_predicates_alone(predicates):
    """Whoever is asked about a program has to be able to say all of it."""
    system = form(OnlyItsPropertyLooksAtBits, *predicates)
    until = time.monotonic() + 60
    found = Amcs(SymbolicModel(system), initial_predicates(system, None), validity(system)).run()
    assert found.violation is None
    assert prove(system, check_deadlock=True, deadline=until).invariant is not None
    assert invariant_from_spacer(system, deadlock=True, seconds=1) is None
    look_for_closed_cells(
        system, min_only, initial_predicates(system, None), seed=0, check_deadlock=True, deadline=until
    )


# --- Figure 2.1 ---


def test_weakest_preconditions_never_end_on_figure_2_1():
    """Predicates a * x + y >= 0 with growing a, and no state is ever split."""
    system = form(Figure21, "y >= 0")
    found = Amcs(
        SymbolicModel(system), system.predicates, validity(system), most_rounds=12, ends_one_to_one=False
    ).run()
    assert found.violation is None
    assert found.abstraction is None
    assert found.unchanged_rounds >= 9
    assert len(found.predicates) >= 6
    assert any("x + (x + y)" in str(one) for one in found.predicates)


def test_that_nothing_was_merged_on_figure_2_1_is_noticed():
    system = form(Figure21, "y >= 0")
    found = Amcs(SymbolicModel(system), system.predicates, validity(system)).run()
    assert found.is_one_to_one
    assert found.abstract_states == 2


@pytest.mark.parametrize("refine", [max_overlap, min_set, min_only])
def test_splitting_ends_on_figure_2_1_because_it_has_two_states(refine):
    found = GeneralSplitting(SymbolicModel(form(Figure21)), refine).run()
    assert found.is_one_to_one
    assert len(found.states) == 2


# --- the example of SplitCond, chapter 3 ---


def test_split_cond_holds_of_two_states_that_match():
    """x = 3 and x = 4 match under x < 5, so that abstract state is eligible, and is split."""
    x = Variable("x", Integer(8))
    system = SymbolicSystem(
        (Control("P", 0, {0: "go"}),),
        (x,),
        (3,),
        (Step(0, ((0, 0),), ((0, 0),), apply("==", x, Number(3)), (("x", Number(4)),)),),
        (),
        ends=(frozenset({0}),),
    )
    search = GeneralSplitting(
        SymbolicModel(system), min_only, predicates=[apply("<", x, Number(5))], most_rounds=0
    )
    coarse = search.run()
    assert (len(coarse.states), coarse.eligible) == (1, 1)
    fine = GeneralSplitting(SymbolicModel(system), min_only, predicates=[apply("<", x, Number(5))]).run()
    assert fine.is_one_to_one
    assert fine.states == ((0, 3), (0, 4))
    assert fine.thresholds == ((3,),)


# --- Figures 4.1 to 4.3 ---

FIGURE_4_1 = [((1,), (4,)), ((2,), (5,)), ((3,), (7,))]  # three segments of x; all overlap from 3 to 4
FIGURE_4_2 = [((1, 1), (3, 3)), ((2, 5), (4, 7)), ((5, 6), (7, 8))]  # of x and y


@pytest.mark.parametrize("seed", SEEDS)
def test_max_overlap_splits_all_three_states_of_figure_4_1_at_3(seed):
    assert max_overlap(FIGURE_4_1, RandomSource(seed)) == [(0, 3)]
    assert overlap(FIGURE_4_1, 0, 3) == 3
    assert overlap(FIGURE_4_1, 0, 2) == 2
    assert overlap(FIGURE_4_1, 0, 4) == 2  # x > 4 does not split the one that ends at 4


def test_min_set_stabs_the_segments_of_figure_4_2_with_two_points_each():
    assert stabbing(FIGURE_4_2, 0) == [2, 6]
    assert stabbing(FIGURE_4_2, 1) == [2, 6]


@pytest.mark.parametrize("seed", SEEDS)
def test_min_set_covers_figure_4_2_with_two_predicates(seed):
    chosen = min_set(FIGURE_4_2, RandomSource(seed))
    assert len(chosen) == 2
    for low, high in FIGURE_4_2:
        assert any(low[variable] <= number < high[variable] for variable, number in chosen)


@pytest.mark.parametrize("seed", SEEDS)
def test_min_only_splits_figure_4_3_above_its_least_value(seed):
    """x = 6 and x = 7 match under x > 5: the new predicate is x > 6."""
    assert min_only([((6,), (7,))], RandomSource(seed)) == [(0, 6)]


def test_min_only_takes_every_variable_with_several_values_at_some_time():
    chosen = {min_only([((1, 5, 2), (4, 5, 3))], RandomSource(seed))[0] for seed in SEEDS}
    assert chosen == {(0, 1), (2, 2)}


# --- Theorems 1 to 3, on random finite systems ---


@st.composite
def finite_systems(draw: st.DrawFn) -> SymbolicSystem:
    """Transitions between states of two small variables, listed one by one, with an error somewhere."""
    x, y = Variable("x", Integer(3, False)), Variable("y", Integer(3, False))
    numbers = st.integers(0, 7)
    listed = draw(st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=25))
    steps = [
        Step(
            0,
            ((0, 0),),
            ((0, 0),),
            both(apply("==", x, Number(a)), apply("==", y, Number(b))),
            (("x", Number(c)), ("y", Number(d))),
            text=f"step {number}",
        )
        for number, (a, b, c, d) in enumerate(listed)
    ]
    error = both(apply("==", x, Number(draw(numbers))), apply("==", y, Number(draw(numbers))))
    return SymbolicSystem(
        (Control("P", 0, {0: "here"}),),
        (x, y),
        (0, 0),
        tuple(steps),
        (Failure(ViolationFacts("invariant", "the error"), (), error, is_step=False),),
        ends=(frozenset({0}),),
    )


def reached(system: SymbolicSystem) -> set[tuple[int, ...]]:
    model = SymbolicModel(system)
    seen = {model.initial_state()[0]}
    pending = list(seen)
    while pending:
        for after, _ in model.successors(pending.pop()):
            if after is not None and after not in seen:
                seen.add(after)
                pending.append(after)
    return seen


@settings(max_examples=30, deadline=None)
@given(finite_systems(), st.sampled_from([max_overlap, min_set, min_only]), st.integers(0, 5))
def test_splitting_ends_and_finds_exactly_the_errors_that_are_there(system, refine, seed):
    found = GeneralSplitting(SymbolicModel(system), refine, seed=seed).run()  # Theorem 1: it ends
    model, everything = SymbolicModel(system), reached(system)
    is_wrong = any(model.check_state(state) for state in everything)
    assert (found.violation is not None) == is_wrong  # Theorem 2
    assert found.is_one_to_one is not is_wrong
    if found.violation is not None:  # Theorem 3
        _, run = found.violation
        assert set(run) <= everything
        assert model.check_state(run[-1])
    else:
        assert set(found.states) == everything


@settings(max_examples=12, deadline=None)
@given(finite_systems(), st.booleans())
def test_amcs_never_says_what_is_not_so(system, add_all):
    predicates = [normal(apply(">", system.variables[0], Number(3)))]
    found = Amcs(SymbolicModel(system), predicates, validity(system), add_all=add_all, most_rounds=6).run()
    is_wrong = any(SymbolicModel(system).check_state(state) for state in reached(system))
    assert found.violation is None or is_wrong
    assert not is_wrong or (found.abstraction is None and not found.is_one_to_one)


# --- AMCS as it runs, against its plain reference ---


def both_ways(
    system: SymbolicSystem, *, many_states: int = 0, **more: object
) -> tuple[AmcsOutcome, AmcsOutcome, FastAmcs]:
    """By the reference, and explored by the engine from the first state on."""
    wanted = Amcs(SymbolicModel(system), system.predicates, None, **more).run()  # type: ignore[arg-type]
    search = FastAmcs(
        SymbolicModel(system),
        system.predicates,
        None,
        compiler=compile_model,
        many_states=many_states,
        **more,  # type: ignore[arg-type]
    )
    return wanted, search.run(), search


@settings(max_examples=12, deadline=None)
@given(finite_systems(), st.sampled_from(["amcs", "amcs-add-all", "amcs-no-prover"]))
def test_amcs_asks_afterwards_what_the_reference_asks_on_the_way(system, name):
    predicates = [normal(apply(">", system.variables[0], Number(3)))]
    found, wanted = (
        make(
            SymbolicModel(system),
            predicates,
            None if name == "amcs-no-prover" else validity(system),
            add_all=name == "amcs-add-all",
            most_rounds=4,
        ).run()
        for make in (partial(FastAmcs, compiler=None), Amcs)
    )
    assert [getattr(found, fact) for fact in SAME] == [getattr(wanted, fact) for fact in SAME]


class Wheel(GuardedProgram):
    variables = {"x": "uint8"}
    processes = {
        "P": [
            step("go", "go", when="x < 90", then={"x": "x + 1"}),
            step("go", "go", when="x == 90", then={"x": "0"}),
        ]
    }
    always = {"not there": "x != 88"}


class Squares(GuardedProgram):
    """3, 9, 81 ...: the seventh has no room in a word."""

    variables = {"x": ("integer", 3), "n": "uint8"}
    processes = {"P": [step("go", "go", when="n < 8", then={"x": "x * x", "n": "n + 1"})]}
    ends = {"P": ["go"]}


def test_the_engine_matches_by_more_predicates_than_a_word_has_bits():
    system = form(Wheel, *(f"x == {number}" for number in range(80)))
    wanted, found, search = both_ways(system, most_rounds=3)
    assert [getattr(found, fact) for fact in SAME] == [getattr(wanted, fact) for fact in SAME]
    assert search.native_rounds == found.rounds > 1
    assert len(found.predicates) > 64


def test_amcs_finds_the_same_error_natively_by_the_same_run():
    wanted, found, search = both_ways(form(Wheel, *(f"x > {number}" for number in range(90))))
    assert wanted.violation is not None
    assert (found.violation, found.states, search.native_rounds) == (wanted.violation, wanted.states, 1)
    assert len(found.violation[1]) == 89


@pytest.mark.parametrize("predicate", ["x > 0", "x * x * x * x > 5"])
def test_numbers_without_room_in_the_engine_are_explored_in_python(predicate):
    """Steps and predicates may overflow there; no state is lost."""
    system = form(Squares, predicate, *(f"n == {number}" for number in range(9)))
    wanted, found, search = both_ways(system, most_rounds=2)
    assert search.native_rounds == 0
    assert found.abstract_states == 9
    assert [getattr(found, fact) for fact in SAME] == [getattr(wanted, fact) for fact in SAME]


def test_amcs_without_a_compiler_explores_in_python():
    def compiler(text: str) -> None:
        raise SourceProblem("no C compiler")

    system = form(Wheel, "x > 3")
    search = FastAmcs(SymbolicModel(system), system.predicates, None, compiler=compiler, many_states=0)
    search.most_rounds = 3
    assert search.run().rounds == 3
    assert search.native_rounds == 0


def test_a_native_round_that_was_stopped_proves_nothing():
    def on_progress(*_: int) -> None:
        raise TimeoutError

    system = form(CountsForEver, "x > 3")
    for more in ({"deadline": time.monotonic() - 1}, {"on_progress": on_progress}):
        _, found, _ = both_ways(system, **more)
        assert found.out_of_time
        assert not found.is_one_to_one
        assert found.abstraction is None


class Exact(GuardedProgram):
    variables = {"x": "uint8"}
    processes = {"P": [step("go", "go", then={"x": "(x + 1) % 8"})]}


@pytest.mark.parametrize(("bits", "sees_all"), [(8, True), (7, False)])
def test_what_saw_every_state_is_verified_when_there_is_no_time_to_ask(bits, sees_all):
    """Theorem 2 needs no prover; but with one state that stands for two it says nothing."""

    def valid(*_: object) -> bool:
        raise TimeoutError

    system = form(Exact, *(f"x == {number}" for number in range(bits - 1)))
    search = FastAmcs(SymbolicModel(system), system.predicates, valid, compiler=None)
    found = search.run()
    assert (found.is_one_to_one, found.out_of_time) == (sees_all, not sees_all)
    assert found.abstraction is None


def test_marked_states_are_known_whatever_predicates_are_matched():
    """As the experiment of chapter 5 marks them: the search goes on, and each is told once."""
    system = form(Wheel, *(f"x > {number}" for number in range(90)))
    marked = [(0, 7), (0, 88), (0, 200)]
    file = compile_model(code_of(system, system.predicates, errors=marked, matched=True))
    found = _engine.search(
        _engine.CompiledModel(str(file.path)),
        strategy="amcs",
        stop_at_first_violation=False,
        control_words=1,
        value_words=1,
        overflow_code=2,
    )
    assert [(one.code, len(one.path)) for one in found.violations] == [(3, 7), (1, 88)]
    assert (found.complete, found.states) == (True, 91)


def test_the_engine_tells_a_time_limit_from_the_end_of_a_round():
    """Every state has an abstract state of its own, without end."""
    system = form(CountsForEver)
    file = compile_model(code_of(system, matched=True))
    model = _engine.CompiledModel(str(file.path))
    found = _engine.search(
        model, strategy="amcs", control_words=2, value_words=0, overflow_code=0, time_limit_seconds=0.05
    )
    assert (found.complete, found.stop_reason, found.guarantee) == (False, "time", "under-approximates")


def test_predicates_that_python_cannot_evaluate_end_the_refinement():
    system = form(CountsForEver)
    deep = Number(1)
    for _ in range(300):
        deep = apply("+", system.variables[0], deep)
    for make in (Amcs, partial(FastAmcs, compiler=None), partial(FastAmcs, compiler=compile_model)):
        found = make(SymbolicModel(system), [apply(">", deep, Number(3))], None).run()
        assert found.is_too_deep
        assert not found.is_one_to_one
        assert found.abstraction is None


# --- proofs by cells ---


class CountsTurns(GuardedProgram):
    """Infinitely many states, and two cells."""

    variables = {"turn": "bool", "a": "integer", "b": "integer"}
    processes = {
        "P": [
            step("go", "go", when="not turn", then={"turn": "True", "a": "a + 1"}),
            step("go", "go", when="turn", then={"turn": "False", "b": "b + 1"}),
        ]
    }
    always = {"in turns": "a == b + turn"}


class CountsTurnsWrong(CountsTurns):
    processes = {"P": [*CountsTurns.processes["P"], step("go", "go", when="a > 4", then={"b": "b + 1"})]}


class Unlike(GuardedProgram):
    """Closed, and no bisimulation: of the states with x < 9 one comes to 9, the others do not."""

    variables = {"x": "integer", "y": "integer"}
    processes = {
        "P": [
            step("go", "go", when="x < 9", then={"x": "x + 1", "y": "y + 1"}),
            step("go", "go", when="x >= 9", then={"x": "0"}),
        ]
    }
    always = {"small": "x <= 9"}


@pytest.mark.parametrize(
    ("program", "is_closed", "is_bisimulation"),
    [(CountsTurns, True, True), (CountsTurnsWrong, False, False), (Unlike, True, False)],
)
@pytest.mark.parametrize("refine", [max_overlap, min_set, min_only])
def test_cells_that_are_closed_are_a_proof(program, is_closed, is_bisimulation, refine):
    system = form(program)
    found = look_for_closed_cells(
        system,
        refine,
        initial_predicates(system, None),
        seed=1,
        check_deadlock=True,
        deadline=time.monotonic() + 20,
    )
    assert (found.invariant is not None) is is_closed
    assert found.is_bisimulation is is_bisimulation


def test_a_splitting_search_proves_an_infinite_program_and_certifies_it(tmp_path):
    path = tmp_path / "turns.py"
    path.write_text(
        "from assay.guarded import GuardedProgram, step\n"
        + textwrap.dedent(inspect.getsource(CountsTurns))
        + textwrap.dedent(inspect.getsource(CountsTurnsWrong))
    )
    certificate = tmp_path / "turns.assay"
    program = f"{path}:CountsTurns"
    result = assay.verify(program, search="min-only", certificate=certificate, timeout_seconds=60)
    assert (result.verdict, result.proof["kind"]) == ("verified", "bisimulation")
    assert not result.complete
    assert assay.certify(program, certificate).verdict == "verified"
    assert check(Path(program), certificate).obligations > 1
    wrong = assay.verify(f"{path}:CountsTurnsWrong", search="min-only", timeout_seconds=60)
    assert wrong.verdict == "violated"


# --- all searches against the explicit one, native against plain Python ---


@pytest.mark.parametrize("seed", range(6))
def test_every_search_of_a_random_program_says_the_same(seed):
    """The fixed part of `python -m tests.agreement.guarded`."""
    assert not compare(seed).problems


@pytest.mark.parametrize("name", ["max-overlap", "min-set", "min-only"])
@pytest.mark.parametrize("limit", [2, 7])
def test_a_search_that_was_stopped_has_not_seen_everything(name, limit):
    """Steps that were merged and not looked at again must not be forgotten."""
    for program in (CountsForEver, Figure21, Doubles):
        system = form(program)
        found = natively_split(system, name, 1, state_limit=limit)
        plain = split_in_python(system, name, 1, most_states=limit)
        if program is Figure21 and limit > 2:
            assert plain.is_one_to_one
            assert found.complete
        else:
            assert not (found.complete and found.guarantee == "exact")
            assert not plain.is_one_to_one


@pytest.mark.parametrize("name", ["max-overlap", "min-set", "min-only"])
def test_a_search_that_is_out_of_time_has_not_seen_everything(name):
    found = natively_split(form(CountsForEver), name, 1, time_limit_seconds=0.3)
    assert not found.complete
    assert found.stop_reason == "time"
    assert found.guarantee == "under-approximates" or found.frontier


def test_numbers_that_the_engine_has_no_room_for_end_the_search_and_prove_nothing():
    found = natively_split(form(Doubles), "min-only", 1)
    assert not found.complete
    assert found.states == 40  # 3 ** 39 is the last below 2 ** 63

    found = packed(form(Doubles))
    assert (found.complete, found.stop_reason, found.states) == (False, "depth", 40)


class UpperHalf(GuardedProgram):
    variables = {"x": ("uint64", 2**63 - 2)}
    processes = {"P": [step("go", "go", then={"x": "x + 1"}), step("go", "low", when="x < 3")]}
    always = {"never low": "P != 'low'"}


def test_unsigned_numbers_that_a_signed_word_has_no_room_for_end_the_search():
    """2 ** 63 would be negative, and the last step taken too soon."""
    for found in (natively_split(form(UpperHalf), "min-only", 1), packed(form(UpperHalf))):
        assert (found.complete, found.violation_count) == (False, 0)

    class Beyond(UpperHalf):
        variables = {"x": ("uint64", 2**63)}

    with pytest.raises(SourceProblem, match="no room"):
        packed(form(Beyond))


class Widths(GuardedProgram):
    """Numbers of all kinds of widths, whose signs and neighbours in a word must stay what they are."""

    variables = {
        "a": "int3",
        "b": ("uint5", 31),
        "c": ("int64", -1),
        "d": "bool",
        "e": ("int33", -(2**32)),
        "f": ("uint32", 2**32 - 1),
        "g": ("integer", -5),
        "h": ("uint64", 2**62),
    }
    processes = {
        "P": [
            step("one", "two", when="c <= 0 or f > 7", then={"a": "a - 1", "b": "b + 1", "d": "not d"}),
            step("two", "one", when="e < 0", then={"a": "b", "b": "a", "g": "-g", "c": "c ^ a"}),
            step("two", "one", then={"e": "e - 1", "f": "f + 1 if d else f - 2", "h": "h"}),
            step("one", "one", when="a < 0 and g < 0", then={"c": "0 - c", "d": "False"}),
        ]
    }


def test_a_state_is_the_same_packed_and_with_a_word_for_each_number():
    system = form(Widths)
    packing = Packing(system, packed=True)
    assert packing.words == 5
    model = SymbolicModel(system)
    file = compile_model(code_of(system, packed=True))
    compiled = _engine.CompiledModel(str(file.path))
    pairs = [(model.initial_state()[0], compiled.initial_state()[0])]
    seen = set()
    for state, words in pairs:
        assert words == b"".join(word.to_bytes(8, "little") for word in packing.words_of(state))
        if state in seen or len(seen) > 300:
            continue
        seen.add(state)
        ours, theirs = model.successors(state), compiled.successors(words)
        assert len(ours) == len(theirs)
        pairs += [(after, found) for (after, _), (found, _) in zip(ours, theirs, strict=True)]
    assert len(seen) > 100


# --- the command ---

FIGURE = """
int x, y;
active proctype P() {
  do
  :: y >= 0 -> y = x + y
  :: y < 0 -> assert(false)
  od
}
"""


@pytest.fixture
def figure(tmp_path):
    path = tmp_path / "figure.pml"
    path.write_text(FIGURE)
    return path


@pytest.mark.parametrize(
    "search", ["max-overlap", "min-set", "min-only", "amcs-add-all", "amcs-no-prover", "amcs", "packed"]
)
def test_each_search_verifies_a_program_that_it_can_see_all_of(figure, search):
    result = assay.verify(figure, search=search, timeout_seconds=60)
    assert result.verdict == "verified"
    assert search == "packed" or result.abstraction["one_to_one"] or result.proof is not None


@pytest.mark.parametrize(
    "search", ["max-overlap", "min-set", "min-only", "amcs", "amcs-add-all", "amcs-no-prover", "packed"]
)
def test_each_search_finds_a_real_run_to_an_error(tmp_path, search):
    path = tmp_path / "counter.pml"
    path.write_text("byte x;\nactive proctype P() { do :: x < 9 -> x++ :: x == 5 -> assert(x != 5) od }\n")
    result = assay.verify(path, search=search, timeout_seconds=60)
    assert result.verdict == "violated"
    run = result.violations[0].counterexample
    assert run is not None
    assert run.steps[-1].text == "assert((x!=5))" or "assert" in run.steps[-1].text


def test_a_packed_search_says_which_limit_it_met(tmp_path):
    path = tmp_path / "grows.py"
    path.write_text(
        textwrap.dedent(
            """
            from assay.guarded import GuardedProgram, step

            class Grows(GuardedProgram):
                variables = {"x": ("integer", 1)}
                processes = {"P": [step("go", "go", then={"x": "3 * x"})]}
                always = {"not seven": "x != 7"}

            class Wrong(Grows):
                always = {"not eighty-one": "x != 81"}
            """
        )
    )
    result = assay.verify(f"{path}:Grows", search="packed")
    assert (result.verdict, result.states) == ("incomplete", 40)
    assert "64 bits" in result.reasons[0]
    assert "states" in assay.verify(f"{path}:Grows", search="packed", max_states=7).reasons[0]
    run = assay.verify(f"{path}:Wrong", search="packed").violations[0].counterexample
    assert run is not None
    assert {step.line for step in run.steps} == {9}  # of the class: `step` is not written in this file
    assert assay.verify(f"{path}:Wrong", search="auto", timeout_seconds=60).verdict == "violated"
    assert assay.verify(f"{path}:Grows", search="auto", timeout_seconds=60).verdict == "verified"


def test_predicates_are_expressions_of_the_program(figure):
    result = assay.verify(figure, search="min-only", predicates=["x > 3", "x + y <= 2"])
    assert result.verdict == "verified"
    assert result.abstraction["predicates"][:2] == ["x > 3", "int32(x + y) <= 2"]
    with pytest.raises(SourceProblem):
        assay.verify(figure, search="min-only", predicates=["z > 3"])


def test_what_has_no_symbolic_form_is_compared_as_it_is_and_named_with_its_place(tmp_path):
    path = tmp_path / "travelling.pml"
    path.write_text(
        "chan c = [1] of { byte };\nactive proctype P() { chan d = c; d!1; c?1; assert(false) }\n"
    )
    result = assay.verify(path, search="min-only")
    assert (result.verdict, result.violations[0].kind) == ("violated", "assertion")
    assert any("travelling.pml:2" in note and "as they are" in note for note in result.notes)
    path.write_text(path.read_text().replace("false", "true"))
    assert assay.verify(path, search="amcs").verdict == "verified"
    with pytest.raises(SourceProblem, match=r"travelling.pml:2.*a channel that is stored in a variable"):
        assay.verify(path, search="min-only", predicates=["len(c) > 0"])
    with pytest.raises(SourceProblem, match=r"travelling.pml:2"):
        assay.verify(path, search="invariants")


def test_a_search_of_states_refuses_claims_about_runs(tmp_path):
    path = tmp_path / "claim.pml"
    path.write_text("bool p;\nltl { <> p }\nactive proctype P() { p = true }\n")
    with pytest.raises(OptionProblem, match="--safety"):
        assay.verify(path, search="min-only")
    assert assay.verify(path, search="min-only", safety=True).verdict == "verified"


def test_an_infinite_program_is_incomplete_with_what_is_imprecise(tmp_path):
    path = tmp_path / "forever.py"
    path.write_text(
        textwrap.dedent(
            """
            from assay.guarded import GuardedProgram, step

            class Forever(GuardedProgram):
                variables = {"x": "integer"}
                processes = {"P": [step("go", "go", then={"x": "x + 2"})]}
                always = {"no threshold tells even from odd": "x != 7"}
            """
        )
    )
    result = assay.verify(f"{path}:Forever", search="min-only", max_states=500, timeout_seconds=8)
    assert result.verdict == "incomplete"
    assert "refinements" in result.reasons[0]
