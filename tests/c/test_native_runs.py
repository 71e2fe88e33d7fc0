"""Runs of the compiled graph, compared with those that `running` makes edge by edge."""

from __future__ import annotations

import random
import time
from itertools import islice
from pathlib import Path

import pytest

from assay.languages.c.lowering import lower
from assay.languages.c.preprocessing import DATA_MODELS, preprocess
from assay.search.sequential import execution
from assay.search.sequential.findings import Status
from assay.transition_system.sequential.bitvectors import Array, ArrayValue, Bits, Value
from assay.transition_system.sequential.compiled_runs import followed, numbers_of, numbers_of_starts
from assay.transition_system.sequential.control_flow import Choose, ControlFlow, Edge
from assay.transition_system.sequential.inlining import inlined
from assay.transition_system.sequential.native_runs import NativeRuns, NotCompiled
from assay.transition_system.sequential.running import run
from tests.c.random_memory import MemoryGenerator
from tests.c.random_programs import Generator

MODEL = DATA_MODELS["LP64"]
MOST_STEPS = 200_000
FAILING = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n"


def flow_of(text: str, folder: Path) -> ControlFlow:
    (folder / "program.c").write_text(text)
    return inlined(lower([preprocess(folder / "program.c", MODEL)], MODEL), 3)


@pytest.mark.parametrize("made", [Generator, MemoryGenerator])
@pytest.mark.parametrize("seed", range(3000, 3003))
def test_a_run_ends_where_it_ends_edge_by_edge(made, seed, tmp_path: Path):
    flow = flow_of(made(seed).program(), tmp_path)
    try:
        runs = NativeRuns(flow, {})
    except NotCompiled as problem:
        pytest.skip(str(problem))
    with runs:
        for number in range(5):
            source = random.Random(number)
            chosen: list[Value] = []

            def choose(edge: Edge, source: random.Random = source, chosen: list[Value] = chosen) -> Value:
                assert isinstance(edge.action, Choose)
                sort = edge.action.variable.sort
                if isinstance(sort, Array):
                    element = source.getrandbits(sort.element)
                    chosen.append(ArrayValue(element, {source.getrandbits(sort.index): element ^ 1}))
                else:
                    assert isinstance(sort, Bits)
                    chosen.append(
                        source.choice((source.randrange(9), source.getrandbits(64))) % (1 << sort.width)
                    )
                return chosen[-1]

            moments = list(islice(run(flow, choose, {}), MOST_STEPS))
            if len(moments) == MOST_STEPS:
                continue
            numbers = [*numbers_of_starts(flow, {}), *(each for one in chosen for each in numbers_of(one))]
            ended = runs.followed(numbers, 20.0)
            assert ended is not None
            last = moments[-1].location
            assert ended.location == (last if last in flow.failures else -1)
            edges = [one.edge for one in moments if isinstance(one.edge.action, Choose)]
            assert [flow.edges[at] for at, _ in ended.chosen] == edges


LONG = (
    FAILING
    + "int main(void) { unsigned x = 0, y = 0; while (x < 30000000) { x++; y += x; }\n"
    + f"if (y == {sum(range(30_000_001)) % (1 << 32)}u) reach_error(); return 0; }}\n"
)


def test_a_failure_after_thirty_million_rounds_is_found_and_followed(tmp_path: Path):
    flow = flow_of(LONG, tmp_path)
    found = execution.search(flow, deadline=time.monotonic() + 60, say=lambda _: None)
    assert found.run is not None
    assert followed(flow, found.run.chosen, dict(found.run.starts))[-1].location in flow.failures


def test_nothing_is_found_where_nothing_fails(tmp_path: Path):
    flow = flow_of(LONG.replace("if (y ==", "if (y + 1 =="), tmp_path)
    found = execution.search(flow, deadline=time.monotonic() + 5, say=lambda _: None)
    assert found.status is Status.UNKNOWN
