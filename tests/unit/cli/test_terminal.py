"""What a person sees who sits at a terminal, through a real one."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ASSAY = [sys.executable, "-c", "from assay.cli.main import main; main()"]


class Terminal:
    """A command with a terminal of its own."""

    def __init__(self, *arguments, folder):
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*ASSAY, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        )
        os.close(slave)
        self.shown = ""

    def wait_for(self, text, seconds=600):
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            ready, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"waited for {text!r}, saw {self.shown!r}"
            try:
                chunk = os.read(self._master, 65536)
            except OSError:  # the other side is closed
                chunk = b""
            assert chunk, f"waited for {text!r}, saw {self.shown!r}"
            self.shown += chunk.decode()

    def type(self, text):
        os.write(self._master, text.encode())

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def start(*arguments):
        opened.append(Terminal(*arguments, folder=tmp_path))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def endless(*more):
    """A search that goes on for hours."""
    return ("verify", str(EXAMPLES / "philosophers.pml"), "-D", "SEATS=16", "--no-deadlock", *more)


def test_progress_is_shown_and_wiped_and_an_interrupt_gives_the_partial_result(terminal):
    screen = terminal(*endless("--no-reductions"))
    screen.wait_for("frontier")
    screen.wait_for("\x1b[2K")
    screen.process.send_signal(signal.SIGINT)
    screen.wait_for("it was interrupted")
    screen.wait_for(" transitions, ")
    assert screen.process.wait() == 3
    assert "Traceback" not in screen.shown


def test_a_termination_request_gives_the_partial_result_too(terminal):
    screen = terminal(*endless("--no-reductions"))
    screen.wait_for("frontier")
    screen.process.terminate()
    screen.wait_for("it was interrupted")
    assert screen.process.wait() == 3


def test_pipes_get_no_progress():
    done = subprocess.run(
        [*ASSAY, *endless("--no-reductions", "--timeout", "3s", "--json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 3


def test_replay_walks_through_the_run(terminal):
    program = str(EXAMPLES / "broken_mutex.pml")
    terminal("verify", program).wait_for("walk through it")
    screen = terminal("replay", program, "broken_mutex.trace.json")
    screen.wait_for("[0/7]")
    screen.type("\r")
    screen.wait_for("[1/7]")
    screen.type("G\r")
    screen.wait_for("assertion: assert(inside == 1)")
    screen.wait_for("[7/7]")
    screen.type("b\r")
    screen.wait_for("[6/7]")
    screen.type("q\r")
    assert screen.process.wait() == 0
