import json

import pytest

from assay.evidence.counterexample import (
    Change,
    Counterexample,
    Step,
    Trace,
    TraceProblem,
    changes_between,
    load_trace,
    save_trace,
    trace_as_json,
)
from assay.transition_system.interface import SourceHash, ViolationFacts, Waiting

RUN = Counterexample(
    violation=ViolationFacts("deadlock", "invalid end state"),
    positions=(1, 0),
    initial={"x": 0, "queue": []},
    steps=(
        Step(1, 0, "P[0]", "m.pml", 4, "x = 1", (Change("x", 0, 1),)),
        Step(2, 1, "P[0]", "m.pml", 5, "queue!7", (Change("queue", [], [7]), Change("P[1].y", None, 3))),
        Step(3, 1, "P[1]", "m.pml", 9, "-end-", (Change("P[1].y", 3, None),)),
    ),
    waiting=(Waiting("P[0]", "m.pml", 6, "queue!8"),),
)
TRACE = Trace(
    program="m.pml",
    language="promela",
    sources=(SourceHash("m.pml", "00ff"),),
    options={"reductions": ["merging"]},
    semantics={"reductions": ["merging"]},
    counterexample=RUN,
    tool_version="0.1.0",
)


def test_changes_are_only_what_differs_and_include_what_appears_and_goes():
    assert changes_between({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "d": 4}) == (
        Change("b", 2, 5),
        Change("d", None, 4),
        Change("c", 3, None),
    )


def test_whole_states_come_back_from_the_changes():
    assert RUN.variables_after(0) == {"x": 0, "queue": []}
    assert RUN.variables_after(2) == {"x": 1, "queue": [7], "P[1].y": 3}
    assert RUN.variables_after(3) == {"x": 1, "queue": [7]}


def test_a_saved_trace_reads_back_equal(tmp_path):
    save_trace(TRACE, tmp_path / "t.json")
    assert load_trace(tmp_path / "t.json") == TRACE
    assert [path.name for path in tmp_path.iterdir()] == ["t.json"]


def test_a_trace_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "t.json").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        save_trace(TRACE, tmp_path / "t.json")
    assert list(tmp_path.iterdir()) == [tmp_path / "t.json"]


@pytest.mark.parametrize("content", ["", "[]", "{}", "\0", '{"format": "assay-trace"}', "[" * 100_000])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(TraceProblem):
        load_trace(tmp_path / "t.json")


def test_a_damaged_trace_is_refused_whatever_member_is_damaged(tmp_path):
    good = json.loads(json.dumps(trace_as_json(TRACE)))
    for key in good:
        for damage in (None, "text", 3.5, [1.5], {"a": 1}):
            if key in {"tool", "program", "language"} and damage == "text":
                continue  # any text is a name
            if key in {"options", "semantics", "initial"} and isinstance(damage, dict):
                continue  # any object is a set of options
            bad = dict(good)
            bad[key] = damage
            (tmp_path / "t.json").write_text(json.dumps(bad))
            with pytest.raises(TraceProblem):
                load_trace(tmp_path / "t.json")
        missing = {name: value for name, value in good.items() if name != key}
        (tmp_path / "t.json").write_text(json.dumps(missing))
        with pytest.raises(TraceProblem):
            load_trace(tmp_path / "t.json")
