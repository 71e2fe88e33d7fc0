"""Every file in examples/ is run, with its exact verdict and counts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

UNREDUCED = ("--no-reductions",)
# program, options, verdict, states, transitions, length of the first counterexample
EXPECTED = [
    ("peterson.pml", UNREDUCED, "verified", 38, 64, None),
    ("peterson.pml", ("--invariant", "inside <= 1"), "verified", None, None, None),
    ("broken_mutex.pml", (), "violated", None, None, 7),
    ("broken_mutex.pml", (*UNREDUCED, "--all-errors"), "violated", 36, 64, 7),
    ("careless_lock.pml", (), "violated", None, None, 4),
    ("careless_lock.pml", (*UNREDUCED, "--all-errors"), "violated", 6, 8, 4),
    ("philosophers.pml", (), "violated", None, None, 6),
    ("philosophers.pml", (*UNREDUCED, "--all-errors"), "violated", 35, 75, 6),
    ("philosophers.pml", ("-D", "SEATS=4"), "violated", None, None, 8),
    ("alternating_bit.pml", UNREDUCED, "verified", 2578, 8567, None),
    ("alternating_bit.pml", (), "verified", None, None, None),
    ("ring.pml", (*UNREDUCED, "--no-deadlock", "-D", "N=4"), "verified", 198, 544, None),
    ("service.pml", ("--ltl", "<> served"), "violated", None, None, 1),
    ("service.pml", ("--ltl", "[] (waiting -> <> served)", "--fair"), "verified", None, None, None),
    ("token_ring.py:TokenRing", ("--invariant", "len(sending) <= 1"), "verified", 6, 9, None),
    ("token_ring.py:CarelessRing", ("--invariant", "len(sending) <= 1"), "violated", None, None, 3),
]


@pytest.mark.parametrize(
    ("program", "options", "verdict", "states", "transitions", "length"),
    EXPECTED,
    ids=[f"{row[0]} {' '.join(row[1])}" for row in EXPECTED],
)
def test_the_example_ends_as_told(program, options, verdict, states, transitions, length, tmp_path):
    command = [sys.executable, "-c", "from assay.cli.main import main; main()"]
    command += ["verify", program, "--json", "--trace", str(tmp_path / "trace.json"), *options]
    process = subprocess.run(command, capture_output=True, text=True, cwd=EXAMPLES, timeout=600, check=False)
    found = json.loads(process.stdout)
    assert found["verdict"] == verdict
    if states is not None:
        assert (found["states"], found["transitions"]) == (states, transitions)
    if length is not None:
        assert found["violations"][0]["length"] == length


def test_no_example_is_left_out():
    named = {row[0].partition(":")[0] for row in EXPECTED}
    assert named == {path.name for path in EXAMPLES.iterdir() if path.suffix in {".pml", ".py"}}


@pytest.mark.parametrize("name", ["alternating_bit.pml", "broken_mutex.pml"])
def test_the_demo_shows_the_examples(name):
    packaged = ROOT / "src" / "assay" / "cli" / "demo_models" / name
    assert packaged.read_bytes() == (EXAMPLES / name).read_bytes()
