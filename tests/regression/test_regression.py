"""Each directory here is a program and what must come out of it: `model.pml` and `expect.toml`."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/expect.toml"))


def runs():
    for case in CASES:
        for number, run in enumerate(tomllib.loads((case / "expect.toml").read_text())["run"], start=1):
            yield pytest.param(case, run, id=f"{case.name}-{number}")


@pytest.mark.parametrize(("case", "run"), list(runs()))
def test_the_expected_comes_out(case, run, tmp_path):
    [model] = case.glob("model.*")
    program = str(model) + run.get("class", "")
    command = [sys.executable, "-c", "from assay.cli.main import main; main()"]
    command += ["verify", program, "--json", "--trace", str(tmp_path / "trace.json"), *run.get("options", [])]
    process = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    found = json.loads(process.stdout)
    expected = {key: value for key, value in run.items() if key not in {"options", "class", "kinds"}}
    assert {key: found[key] for key in expected} == expected
    if "kinds" in run:
        assert sorted(violation["kind"] for violation in found["violations"]) == sorted(run["kinds"])


def test_every_directory_has_a_program_and_an_expectation():
    folders = [path for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert sorted(folders) == CASES
    for case in CASES:
        assert len(list(case.glob("model.*"))) == 1
        assert tomllib.loads((case / "expect.toml").read_text())["why"]
