"""Fetches packages into an environment of its own and verifies a small program of two threads with each.

    python -m tests.python.packages [--environment DIR] [--harnesses FILE] [NAME ...]

Needs a registry that `pip` reaches. For each package: the verdict or the sentence of the refusal, and
what many runs of CPython with a short switch interval show. A `verified` program that fails in CPython is an
error of ours (exit code 1). A violation counts as accepted only if CPython shows it, in one of these runs or
on the schedule that was found (`assay replay --live`); otherwise it is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections import Counter
from pathlib import Path

ASSAY = Path(sys.executable).with_name("assay")
RUNS = 300
SECONDS = 120


def program_of(entry: dict[str, str]) -> str:
    first = textwrap.indent(entry["first"].strip(), "    ")
    second = textwrap.indent(entry.get("second", entry["first"]).strip(), "    ")
    return (
        f"import threading\n{entry['setup'].strip()}\n\n\n"
        f"def thread_one():\n{first}\n\n\ndef thread_two():\n{second}\n\n\n"
        "threads = [threading.Thread(target=thread_one), threading.Thread(target=thread_two)]\n"
        "for thread in threads:\n    thread.start()\nfor thread in threads:\n    thread.join()\n"
        f"{entry.get('after', '')}"
    )


def fetch(environment: Path, distribution: str) -> bool:
    if not environment.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    done = subprocess.run(
        [environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile", distribution],
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


def shown_by_cpython(environment: Path, file: Path) -> str:
    """How many of many runs failed, with threads that switch as often as they can; fewer if they sleep."""
    text = (
        f"import runpy, sys, threading, time\nsys.setswitchinterval(1e-6)\n"
        f"end = time.monotonic() + {SECONDS // 2}\n"
        f"threading.excepthook = lambda args: failures.append(args.exc_type.__name__)\n"
        f"failures = []\n"
        f"for _ in range({RUNS}):\n"
        f"    if time.monotonic() > end:\n        break\n"
        f"    try:\n        runpy.run_path({str(file)!r}, run_name='__main__')\n"
        f"    except BaseException as problem:\n        failures.append(type(problem).__name__)\n"
        f"print(len(failures))\n"
    )
    done = subprocess.run(
        [environment / "bin" / "python", "-c", text],
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "?"


def is_shown_on_its_schedule(file: Path) -> bool:
    """Whether real threads that take the schedule of the violation fail as it says."""
    replay = [ASSAY, "replay", "--live", str(file), str(file.with_suffix(".trace.json"))]
    try:
        done = subprocess.run(
            replay,
            check=False,
            capture_output=True,
            cwd=file.parent,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def verify(environment: Path, file: Path) -> tuple[str, str]:
    command = [ASSAY, "verify", str(file), "--python", str(environment), "--json", "--timeout", "60s"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=file.parent)
    if done.returncode == 2:
        return "refused", done.stderr.strip() or json.loads(done.stdout).get("error", "")
    if not done.stdout.startswith("{"):
        return "crashed", (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
    result = json.loads(done.stdout)
    violations = result.get("violations") or [{}]
    return result["verdict"], str(violations[0].get("message", "")) or f"{result['states']} states"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--environment", type=Path)
    parser.add_argument("--harnesses", type=Path, default=Path(__file__).with_suffix(".toml"))
    parser.add_argument("--no-fetch", action="store_true", help="take what the environment has")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    entries = tomllib.loads(given.harnesses.read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        environment = given.environment or Path(scratch) / "environment"
        for name in given.names or entries:
            if not given.no_fetch and not fetch(environment, entries[name]["distribution"]):
                print(f"{name}: cannot be fetched")
                continue
            file = Path(scratch) / f"use_{name}.py"
            file.write_text(program_of(entries[name]), encoding="utf-8")
            verdict, what = verify(environment, file)
            failed = shown_by_cpython(environment, file) if verdict in {"verified", "violated"} else "-"
            if verdict == "violated" and failed in {"0", "?"} and not is_shown_on_its_schedule(file):
                verdict = "false alarm"
            counts[verdict] += 1
            is_wrong = verdict == "verified" and failed != "0"
            wrong += is_wrong
            print(
                f"{name}: {verdict}; {what}; CPython failed in {failed} of {RUNS}{' WRONG' * is_wrong}",
                flush=True,
            )
    print(dict(counts))
    accepted = counts["verified"] + counts["violated"]
    print(f"{accepted} of {counts.total()} accepted, {wrong} wrong")
    return 1 if wrong or counts["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
