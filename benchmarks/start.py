"""What a small job waits for: start to end of commands whose search takes no time.

    python -m benchmarks.start [--runs N] [--other PYTHON] [--instructions]

Each command runs in turns with its peers: SPIN on the same model, CPython on the same program, with `--other`
the Assay of another environment (before and after). Figures are the least of all runs: seconds of the clock
and of the processors, children included. `--instructions` counts those of the process that reads and compiles
(valgrind), which load does not change.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.agreement.process import run

COMMAND = "from assay.cli.main import main; main()"
MODEL = """\
byte turn
bool wants[2]
byte inside

active [2] proctype P()
{
    do
    :: wants[_pid] = true;
       turn = 1 - _pid;
       (!wants[1 - _pid] || turn == _pid);
       inside++;
       assert(inside == 1);
       inside--;
       wants[_pid] = false
    od
}
"""
PROGRAM = """\
import threading

counter = 0
lock = threading.Lock()

def work():
    global counter
    for _ in range(2):
        with lock:
            counter += 1

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 4
"""
TESTS = """\
import threading
import pytest

@pytest.mark.assay
@pytest.mark.parametrize("times", range(1, 51))
def test_locked(times):
    lock, done = threading.Lock(), []
    def work():
        with lock:
            done.append(times)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [times] * 2
"""


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    arguments: Sequence[str]  # of Python
    keeps_models: bool = True  # what was compiled before is found again
    peer: str = ""  # a command of the shell
    runs: int = 0  # instead of what was asked for


JOBS = (
    Job("assay --help", ("-c", COMMAND, "--help")),
    Job("Promela model, cold", ("-c", COMMAND, "verify", "m.pml"), keeps_models=False, peer="spin"),
    Job("Promela model, warm", ("-c", COMMAND, "verify", "m.pml")),
    Job("Python program", ("-c", COMMAND, "verify", "m.py"), peer="cpython"),
    Job("fifty marked tests", ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_m.py"), runs=2),
)
PEERS = {
    "spin": "spin -a m.pml && gcc -O2 -w -o pan pan.c && ./pan",
    "cpython": f"{sys.executable} m.py",
}


def measured(command: Sequence[str], folder: Path, *, keeps_models: bool) -> tuple[float, float]:
    cache = folder / "cache"
    if not keeps_models:
        shutil.rmtree(cache, ignore_errors=True)
    done = run(command, directory=folder, environment={"XDG_CACHE_HOME": str(cache), "PYTHONSAFEPATH": "1"})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.output}{done.errors}")
    return done.seconds, done.processor_seconds


def instructions(python: str, job: Job, folder: Path) -> int:
    output = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", python, *job.arguments],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONSAFEPATH": "1"},
    ).stderr
    found = re.search(r"Collected : (\d+)", output)
    assert found, output
    return int(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--other", help="the Python of another environment with Assay")
    parser.add_argument("--instructions", action="store_true")
    asked = parser.parse_args()
    pythons = {"assay": sys.executable} | ({"other": asked.other} if asked.other else {})
    print(f"{'':22} {'':8} {'seconds':>8} {'CPU':>8}" + (f" {'M instr.':>9}" if asked.instructions else ""))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, text in (("m.pml", MODEL), ("m.py", PROGRAM), ("test_m.py", TESTS)):
            (folder / name).write_text(text)
        for job in JOBS:
            commands = {who: [python, *job.arguments] for who, python in pythons.items()}
            if job.peer:
                commands[job.peer] = ["sh", "-c", PEERS[job.peer]]
            figures: dict[str, list[tuple[float, float]]] = {who: [] for who in commands}
            for _ in range(job.runs or asked.runs):
                for who, command in commands.items():
                    figures[who].append(measured(command, folder, keeps_models=job.keeps_models))
            for who, found in figures.items():
                line = f"{job.name:22} {who:8} {min(one[0] for one in found):8.2f}"
                line += f" {min(one[1] for one in found):8.2f}"
                if asked.instructions and who in pythons and not job.runs:
                    line += f" {instructions(pythons[who], job, folder) / 1e6:9.0f}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
