"""A small part of `make bench-c-programs`: whole verifications, all engines side by side."""

from __future__ import annotations

import pytest

import assay
from benchmarks.c_tasks import tasks

CHOSEN = (
    "counter_overshoots",
    "element_count",
    "element_sums_0",
    "element_sums_0_off",
    "known_loop_100",
    "narrowing_call",
    "nested_lock",
    "protocol_4_skips",
    "recursive_parity",
    "recursive_parity_off",
    "wraps_and_stays_even",
)
TASKS = {one.name: one for one in tasks()}


@pytest.mark.parametrize("name", CHOSEN)
def test_verdicts_are_as_expected(name, tmp_path):
    task = TASKS[name]
    path = tmp_path / f"{name}.c"
    path.write_text(task.text)
    result = assay.verify(path, search="auto", timeout_seconds=60)
    assert str(result.verdict) == ("verified" if task.holds else "violated"), result.reasons


def test_tasks_are_many_and_of_both_kinds():
    assert len(TASKS) >= 60
    assert sum(one.holds for one in TASKS.values()) >= 40
    assert sum(not one.holds for one in TASKS.values()) >= 20
