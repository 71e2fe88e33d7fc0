"""The threaded programs in examples/ get the verdict that tests/python/verdicts.toml tells."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import assay
from assay.evidence.result import Result

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
FOLDERS = ("tutorial", "semaphores", "thesis")
PROGRAMS = tomllib.loads((Path(__file__).parent / "verdicts.toml").read_text())["program"]

# Table 3.1 of Taleghani's thesis (2010): invariants and assertions of each program.
PROPERTIES_IN_THE_THESIS = {
    "dining_philosophers": (1, 2),
    "bounded_buffer": (1, 3),
    "ksu_pipeline": (3, 4),
    "nested_monitor": (6, 4),
    "pipeline": (3, 3),
    "rwvsn": (3, 4),
    "replicated_workers": (4, 5),
    "sleeping_barber": (4, 5),
    "elevator": (4, 8),
}

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=[program["file"] for program in PROGRAMS])


@each_program
def test_the_verdict_is_the_one_told(program, tmp_path):
    result = assay.verify(EXAMPLES / program["file"], trace=tmp_path / "trace.json")
    assert isinstance(result, Result)
    assert str(result.verdict) == program["verdict"], result.reasons
    if program["verdict"] == "verified":
        assert result.complete
        assert not result.violations
    else:
        assert result.violations[0].kind in program["kinds"], result.violations[0].message


def test_the_command_says_the_same_as_the_function(tmp_path):
    program = EXAMPLES / "tutorial" / "racy_counter.py"
    command = [
        sys.executable,
        "-c",
        "from assay.cli.main import main; main()",
        "verify",
        str(program),
        "--json",
    ]
    process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600, check=False)
    found = json.loads(process.stdout)
    assert (process.returncode, found["verdict"], found["violations"][0]["kind"]) == (
        1,
        "violated",
        "assertion",
    )


@each_program
def test_random_schedules_in_cpython_do_not_contradict_the_verdict(program):
    """A violation is found there too, of a kind that is told; what is verified shows none."""
    # The seeds are fixed; the rarest of the seeded bugs shows up about once in 300 runs.
    runs = 3000 if program["verdict"] == "violated" else 25
    script = Path(__file__).parent / "random_schedules.py"
    process = subprocess.run(
        [sys.executable, str(script), str(EXAMPLES / program["file"]), str(runs)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    ending = json.loads(process.stdout)["ending"]
    if program["verdict"] == "violated":
        assert ending in program["kinds"]
    else:
        assert ending in {"ok", "limit", "assumed away"}


def test_every_program_has_a_verdict():
    told = [program["file"] for program in PROGRAMS]
    found = [
        str(path.relative_to(EXAMPLES)) for folder in FOLDERS for path in (EXAMPLES / folder).glob("*.py")
    ]
    assert sorted(told) == sorted(found)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_readme_tells_the_same_verdicts(folder):
    rows = dict(
        re.findall(
            r"^\| `(\w+\.py)` \|.* \| (.*) \|$", (EXAMPLES / folder / "README.md").read_text(), re.MULTILINE
        )
    )
    told = {
        Path(program["file"]).name: ": ".join(
            [program["verdict"], " or ".join(program.get("kinds", []))]
        ).removesuffix(": ")
        for program in PROGRAMS
        if program["file"].startswith(f"{folder}/")
    }
    assert rows == told


@pytest.mark.parametrize("variant", ["", "_broken"])
@pytest.mark.parametrize("name", PROPERTIES_IN_THE_THESIS)
def test_the_programs_of_the_thesis_have_its_numbers_of_properties(name, variant):
    tree = ast.parse((EXAMPLES / "thesis" / f"{name}{variant}.py").read_text())
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assertions = sum(isinstance(node, ast.Assert) for node in ast.walk(tree))
    assert (calls.count("assay.invariant"), assertions) == PROPERTIES_IN_THE_THESIS[name]
