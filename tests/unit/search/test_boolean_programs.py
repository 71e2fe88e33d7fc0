"""Predicate abstraction: the worked example line by line, and both model checkers against each other."""

from __future__ import annotations

import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.sequential.bitwuzla_prover import Prover
from assay.evidence.sequential.obligations import obligations
from assay.languages.c.program import load
from assay.search.sequential import predicates
from assay.search.sequential.boolean_program import Abstraction, BooleanProgram, is_told, shown
from assay.search.sequential.boolean_reachability import Reached, by_diagrams, explicitly
from assay.search.sequential.findings import Status
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sequential import bitvectors as bv
from assay.transition_system.sequential.c_text import as_c
from assay.transition_system.sequential.control_flow import reachable
from tests.unit.transition_system.random_flows import graphs, simplified, truths

DRIVER = Path(__file__).parent / "driver_of_the_slides.c"
# Where the statements of the slides begin: acquire (A), the assignment, if, release (B), the increment,
# while, release (C). The inner `if` and `return` are not on the slides' second program, or do nothing there.
ACQUIRE, ASSIGNED, TESTED, RELEASED, INNER, INCREMENTED, REPEATED, LEFT = 12, 13, 14, 15, 16, 21, 11, 24
STATEMENTS = (ACQUIRE, ASSIGNED, TESTED, RELEASED, INCREMENTED, REPEATED, LEFT)


def lines(program: BooleanProgram) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for line in shown(program):
        if not line.startswith("bool"):
            number, _, rest = line.strip().partition("  ")
            found.setdefault(int(number), []).append(rest.partition("//")[0].strip())
    return found


def states_of(flow, reached: Reached, wanted: tuple[int, ...]) -> dict[int, int]:
    """How many abstract states there are where these lines of main begin."""
    first: dict[int, int] = {}
    for edge in flow.edges:
        if edge.place.function == "main" and edge.text:
            first.setdefault(edge.place.line, edge.source)
    return {line: reached.states.get(first[line], 0) for line in wanted}


def test_the_worked_example_of_the_slides():
    flow = load(DRIVER, LanguageOptions()).flow
    seen: list[tuple[BooleanProgram, Reached]] = []
    found = predicates.search(
        flow,
        deadline=time.monotonic() + 30,
        say=lambda _: None,
        watch=lambda *both: seen.append(both),
    )
    (first, failing), (second, proved) = seen
    assert list(map(as_c, first.predicates)) == ["state == 1", "state == 0"]
    # Program 1: control alone; whatever the driver does with its packets is skipped.
    assert {line: lines(first)[line] for line in STATEMENTS} == {
        ACQUIRE: ["skip;"],
        ASSIGNED: ["skip;"],
        TESTED: ["assume(*);", "assume(*);"],
        RELEASED: ["skip;"],
        INCREMENTED: ["skip;"],
        REPEATED: ["assume(*);", "assume(*);"],
        LEFT: ["skip;"],
    }
    assert lines(first)[5] == ["assume(b1 && !b2);", "assume(!b1);", "error;", "b1 := T; b2 := F;"]
    # Its error: A, the assignment, if (not taken), while, A. Seven states, and the one in which the loop is
    # left with the lock, which is reached in the same step as the last.
    told = [edge for edge in failing.trace if edge.place.function == "main" and is_told(edge)]
    visited = [edge.place.line for edge in told if edge.place.line in STATEMENTS]
    assert visited == [ACQUIRE, ASSIGNED, TESTED, REPEATED, ACQUIRE]
    before = (ACQUIRE, ASSIGNED, TESTED, RELEASED, INNER, REPEATED)
    assert sum(states_of(flow, failing, before).values()) == 7
    # It is infeasible; what its interpolants say is the slides' predicate, and nothing else.
    assert as_c(second.predicates[2]) == "nPackets == nPacketsOld"
    assert len(second.predicates) == 3
    # Program 2.
    assert lines(second)[ASSIGNED] == ["b3 := T;"]
    assert lines(second)[INCREMENTED] == ["b3 := choose(F, b3);"]
    assert lines(second)[REPEATED] == ["assume(!b3);", "assume(b3);"]
    assert lines(second)[TESTED] == ["assume(*);", "assume(*);"]
    assert proved.trace is None
    assert sum(states_of(flow, proved, STATEMENTS).values()) == 10
    assert found.status is Status.SAFE
    prover = Prover()
    wanted = list(obligations(flow, found.invariants.at))
    assert all(prover.is_unsatisfiable(one.refutation, 20) for one in wanted)


@settings(max_examples=60)
@given(graphs(), st.lists(truths(2), max_size=3))
def test_diagrams_and_plain_search_agree(flow, drawn):
    flow = reachable(flow)
    chosen = list(
        predicates.distinct((), (one for each in drawn for one in predicates.atoms(simplified(each))))
    )
    later = time.monotonic() + 60
    program = Abstraction(flow, later).program(chosen[:4])
    one, other = explicitly(program, later), by_diagrams(program, later)
    assert one.states == other.states
    assert (one.trace is None) == (other.trace is None)
    if one.trace is None:
        prover = Prover()
        assert one.holds.keys() == other.holds.keys()
        for at in one.holds:
            differs = bv.negated(bv.equal(one.holds[at], other.holds[at]))
            consistent = bv.all_of(
                bv.negated(bv.all_of(chosen[i] if v else bv.negated(chosen[i]) for i, v in cube))
                for cube in program.inconsistent
            )
            assert prover.is_unsatisfiable(bv.all_of((differs, consistent)), 20)
        invariants = {at: one.holds.get(at, bv.FALSE) for at in flow.cut_points}
        assert all(prover.is_unsatisfiable(each.refutation, 20) for each in obligations(flow, invariants))
    else:
        assert len(one.trace) == len(other.trace)


@settings(max_examples=30)
@given(graphs())
def test_refinement_gives_evidence_that_stands(flow):
    flow = reachable(flow)
    found = predicates.search(flow, deadline=time.monotonic() + 3, say=lambda _: None)
    if found.status is Status.SAFE:
        prover = Prover()
        assert all(
            prover.is_unsatisfiable(one.refutation, 20) for one in obligations(flow, found.invariants.at)
        )
