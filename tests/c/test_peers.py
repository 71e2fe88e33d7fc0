"""What the benchmark beside CBMC takes for a proof, a bug and a wrong verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.c_peers import PeerTask, from_folder, known, outcome, verdict_of_cbmc
from tests.agreement.process import Completed


@pytest.mark.parametrize(
    ("code", "output", "verdict"),
    [
        (0, "VERIFICATION SUCCESSFUL", "verified"),
        (10, "[main.assertion.1] line 3 assertion x: FAILURE", "violated"),
        (10, "[main.unwind.0] line 3 unwinding assertion loop 0: FAILURE", "incomplete"),
        (10, "[f.recursion] line 3 recursion unwinding assertion: FAILURE", "incomplete"),
        (10, "[main.no-body.puts] line 3 no body for callee puts: FAILURE", "verified"),
        (
            10,
            "[main.no-body.puts] line 3 no body for callee puts: FAILURE\n"
            "[main.unwind.0] line 3 unwinding assertion loop 0: FAILURE",
            "incomplete",
        ),
        (10, "[main.pointer_dereference.2] line 9 dereferenced function pointer: FAILURE", "incomplete"),
        (6, "PARSING ERROR", "unusable"),
        (-9, "", "incomplete"),
    ],
)
def test_what_cbmc_says(code, output, verdict):
    assert verdict_of_cbmc(Completed(code, output, "", 1.0, 1.0, 1, timed_out=False)) == verdict


def test_a_verdict_that_is_not_expected_is_wrong():
    task = PeerTask("one", Path("one.c"), holds=True, data_model="LP64")
    found = {
        one: outcome(task, "assay", one, 1.0, 1, "").kind for one in ("verified", "violated", "unusable")
    }
    assert found == {"verified": "proofs", "violated": "wrong", "unusable": "refused"}


def test_tasks_of_a_folder_are_those_with_a_verdict_about_calls(tmp_path):
    (tmp_path / "one.yml").write_text(
        "input_files: 'one.c'\nproperties:\n  - property_file: ../properties/unreach-call.prp\n"
        "    expected_verdict: false\noptions: {language: C, data_model: LP64}\n"
    )
    (tmp_path / "two.yml").write_text(
        "input_files: 'two.c'\nproperties:\n  - property_file: ../properties/termination.prp\n"
        "    expected_verdict: true\n"
    )
    path = tmp_path / "one.c"
    assert list(from_folder(tmp_path)) == [PeerTask(str(path), path, holds=False, data_model="LP64")]


def test_results_are_not_measured_again(tmp_path):
    one = {"task": "a", "tool": "cbmc", "holds": True, "kind": "proofs", "seconds": 1.0}
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps({**one, "peak_memory_bytes": 1, "detail": ""}) + "\n")
    assert set(known(file)) == {("a", "cbmc")}
