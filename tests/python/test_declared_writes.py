"""Each operation of the machine says what it writes, in every example, wherever threads may switch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.python.oracle import GRANULARITIES

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "python" / "programs"
FOLDERS = ("tutorial", "semaphores", "thesis")
MOST_STATES = 1000  # of one program


def walk(programs):
    process = subprocess.run(
        [sys.executable, "-m", "tests.python.wary_walk", str(MOST_STATES), *programs],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        timeout=600,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    answers = json.loads(process.stdout)
    assert list(answers) == programs
    assert not {path: answer for path, answer in answers.items() if answer.keys() != set(GRANULARITIES)}
    assert all(sum(answer.values()) > 3 for answer in answers.values())


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_step_writes_without_saying_so(folder):
    walk([str(path.relative_to(ROOT)) for path in sorted((ROOT / "examples" / folder).glob("*.py"))])


def test_steps_that_keep_the_normal_form_of_some_states_only_are_not_proved_to_keep_it():
    walk([str(path.relative_to(ROOT)) for path in sorted(PROGRAMS.glob("references_*.py"))])
