"""A violation of a Python program counts only when its run was executed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.evidence.counterexample import RawRun
from assay.evidence.verdict import SearchFacts, StopReason, Verdict, judge
from assay.languages.python.program import load
from assay.search.native import NativeOutcome, NativeViolation
from assay.transition_system.interface import Program
from assay.transition_system.language_options import LanguageOptions
from assay.verification.pipeline import without_unconfirmed

FOUND = SearchFacts(states=3, transitions=2, stop_reason=StopReason.VIOLATION, violation_count=1)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    file = tmp_path / "program.py"
    file.write_text("x = 1\n")
    return load(file, LanguageOptions())


def test_a_worker_that_died_before_it_could_show_a_violation_gives_no_verdict(
    program: Program,
) -> None:
    outcome = NativeOutcome(FOUND, (NativeViolation(1, (0,), None),), peak_memory_bytes=0)
    judgement = judge(without_unconfirmed(program, outcome).facts)
    assert judgement.verdict is Verdict.INCOMPLETE
    assert "died" in judgement.reasons[0]


def test_a_violation_that_was_shown_stays(program: Program) -> None:
    shown = NativeViolation(1, (0,), RawRun(b"", (), None))
    outcome = NativeOutcome(FOUND, (shown, NativeViolation(2, (1,), None)), peak_memory_bytes=0)
    kept = without_unconfirmed(program, outcome)
    assert kept.violations == (shown,)
    assert judge(kept.facts).verdict is Verdict.VIOLATED
