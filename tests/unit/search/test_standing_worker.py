"""One child process for a whole loop of searches, and one opened model for those about it."""

import os
from pathlib import Path

import pytest

from assay.evidence.verdict import StopReason
from assay.execution import replaying
from assay.execution.model_process import ModelProcess
from assay.search import native
from assay.search.options import SearchOptions
from assay.transition_system.interface import Opening


@pytest.fixture
def compile_counter(compile_counter):
    return lambda *macros: Opening(str(compile_counter(*macros)))


def test_one_process_does_several_jobs(compile_counter):
    library = compile_counter("LAST=9")
    with ModelProcess() as process:
        first = native.search(library, SearchOptions(), process=process)
        number = process.number
        second = native.search(library, SearchOptions(strategy="dfs"), process=process)
        assert replaying.replay(library, [0], process=process).failed_at is None
        assert process.number == number
    assert first.facts.states == second.facts.states > 1
    assert first.facts.stop_reason is second.facts.stop_reason is StopReason.FINISHED
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_another_model_under_the_same_name_is_another_model(compile_counter, tmp_path):
    name = tmp_path / "model.so"
    counts = []
    with ModelProcess() as process:
        for last in (5, 50):
            Path(compile_counter(f"LAST={last}").file).replace(name)
            counts.append(native.search(Opening(str(name)), SearchOptions(), process=process).facts.states)
    assert counts[1] > counts[0]


def test_a_process_that_died_is_replaced(compile_counter):
    with ModelProcess() as process:
        crashed = native.search(compile_counter("CRASH_AT=3"), SearchOptions(), process=process)
        assert crashed.facts.stop_reason is StopReason.CRASHED
        again = native.search(compile_counter("LAST=9"), SearchOptions(), process=process)
        assert again.facts.stop_reason is StopReason.FINISHED


def test_a_job_that_failed_leaves_the_process_to_the_next(compile_counter):
    library = compile_counter("LAST=9")
    with ModelProcess() as process:
        native.search(library, SearchOptions(), process=process)
        number = process.number
        with pytest.raises(ValueError, match="runs on one thread"):
            native.search(library, SearchOptions(strategy="dfs", threads=2), process=process)
        assert native.search(library, SearchOptions(), process=process).facts.complete
        assert process.number == number
