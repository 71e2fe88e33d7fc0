"""A test that waits for ever fails with its name; one that interrupts itself works however it was started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.time_limit import TimeLimitReached, limited

ROOT = Path(__file__).parents[2]


def test_a_test_that_waits_for_ever_is_ended_and_named():
    with (
        pytest.raises(TimeLimitReached, match="the_sleeper takes more than 0 seconds"),
        limited("the_sleeper", 0.2),
    ):
        time.sleep(3600)


def test_a_test_that_waits_for_a_child_is_ended():
    with subprocess.Popen(["sleep", "3600"]) as child:
        with pytest.raises(TimeLimitReached), limited("waits", 0.2):
            child.wait()
        child.kill()


def test_a_test_in_time_is_left_alone():
    before = signal.getsignal(signal.SIGUSR1)
    with limited("quick", 3600):
        pass
    assert signal.getsignal(signal.SIGUSR1) is before


TESTS = """\
import os, signal, subprocess, sys, time
import pytest

def test_interrupts_itself():
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

def test_interrupts_a_child():
    child = subprocess.Popen([sys.executable, "-c", "import time; print(1, flush=True); time.sleep(600)"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    child.stdout.read(1)
    child.send_signal(signal.SIGINT)
    assert child.wait() != 0
    child.stdout.close()

@pytest.mark.time_limit(0.5)
def test_waits_for_ever():
    time.sleep(3600)
"""


def test_however_the_tests_were_started_interrupts_arrive_and_limits_hold(tmp_path):
    """As a shell starts a job in the background: with interrupts ignored."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_inner.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        str(ROOT / "pyproject.toml"),
    ]
    outcome = subprocess.run(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command, "--rootdir", str(tmp_path), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert "2 passed" in outcome.stdout, outcome.stdout
    assert "1 failed" in outcome.stdout
    assert "test_waits_for_ever takes more than" in outcome.stdout
