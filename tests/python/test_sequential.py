"""Programs without concurrency do in our machine what they do in CPython, byte for byte.

Each program in tests/python/sequential/ prints what one feature of the language or a library gives. One that
ends in an uncaught exception says so in its last line: `# ends with ValueError`.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.oracles import sequential as machine

PROGRAMS = sorted((Path(__file__).parent / "sequential").glob("*.py"))
ENDS_WITH = "# ends with "

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=[program.stem for program in PROGRAMS])


@dataclass(frozen=True)
class Run:
    output: str
    error: str | None  # the last line of the traceback
    exit_code: int


def in_cpython(program: Path, hash_seed: int) -> Run:
    """One seed decides the order of sets: what depends on it would differ between machines, too."""
    process = subprocess.run(
        [sys.executable, "-S", str(program)],  # without site, which takes longer than the programs
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ
        | {"PYTHONHASHSEED": str(hash_seed), "PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "error"},
        timeout=600,
        check=False,
    )
    lines = process.stderr.splitlines()
    return Run(process.stdout, lines[-1] if lines else None, process.returncode)


# Programs that one run without schedules cannot do as CPython does, or that a library does not do yet.
GAPS = {
    "functools_03": "annotations of functions are not kept, so singledispatch does not see them",
    "futures_03": "a worker waits for the main thread; threads run one after the other here",
    "threading_timer_01": "a timer that would be cancelled runs at once here",
    "time_01": "a comparison with an unknown time is a choice, and the first one is taken",
}


@each_program
def test_our_machine_does_what_cpython_does(program, request):
    expected = in_cpython(program, 1)
    assert_that_it_ends_as_it_says(program, expected)
    assert in_cpython(program, 2) == expected  # whatever the hashes are
    if program.stem in GAPS:
        request.applymarker(pytest.mark.xfail(reason=GAPS[program.stem]))
    found = machine.run(program)
    assert found.output == expected.output
    assert found.error == expected.error


def assert_that_it_ends_as_it_says(program, run):
    last_line = program.read_text().splitlines()[-1]
    if last_line.startswith(ENDS_WITH):
        assert run.exit_code == 1
        assert run.error is not None
        assert run.error.split(":")[0] == last_line.removeprefix(ENDS_WITH)
    else:
        assert (run.exit_code, run.error) == (0, None)
        assert run.output


def test_the_corpus_is_wide():
    endings = [program for program in PROGRAMS if ENDS_WITH in program.read_text().splitlines()[-1]]
    assert len(PROGRAMS) >= 320
    assert len(endings) >= 40
