"""Kills a search on disk with SIGKILL at random moments until it gets to its end.

python tests/engine/kill_and_resume.py [--times 20] [--seed 1]

Each round begins a search, kills it, continues it, kills it again, and so on;
in the end counts and violations must be those of the search in memory. The
moments are drawn from the seed, but where the search is then, nobody decides.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from models import compile_model, search

from assay import _engine

MODELS = (
    ("philosophers", {"N": 10, "GREEDY": 0}),
    ("philosophers", {"N": 9, "GREEDY": 1}),
    ("philosophers", {"N": 8, "GREEDY": 0, "STRIDE": 9}),
    ("grid", {"DIMENSIONS": 3, "SIDE": 60}),
    ("grid", {"DIMENSIONS": 3, "SIDE": 50, "GROW": 1}),
)


@dataclass(frozen=True)
class Round:
    kills: int
    continued: int  # how often a checkpoint brought states along
    result: dict[str, object]


def facts(result: _engine.SearchResult) -> dict[str, object]:
    return {
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "complete": result.complete,
        "stop_reason": result.stop_reason,
        "violation_count": result.violation_count,
        "lengths": sorted([violation.code, len(violation.path)] for violation in result.violations),
    }


def search_on_disk(library: str, directory: str, all_errors: bool) -> _engine.SearchResult:
    return search(
        _engine.CompiledModel(library),
        spill_directory=directory,
        resume=True,
        identity=[("program", Path(library).name)],
        checkpoint_seconds=0.02,
        spill_buffer_bytes=1 << 20,
        stop_at_first_violation=not all_errors,
    )


def play(library: Path, directory: Path, source: random.Random, *, all_errors: bool = True) -> Round:
    """One round; the first attempts are killed, later ones live longer and longer."""
    kills = continued = 0
    patience = 0.3
    while True:
        child = subprocess.Popen(
            [sys.executable, __file__, "--child", str(library), str(directory), str(int(all_errors))],
            stdout=subprocess.PIPE,
        )
        try:
            output, _ = child.communicate(timeout=source.uniform(0.05, patience))
        except subprocess.TimeoutExpired:
            child.kill()
            output, _ = child.communicate()
        if child.returncode == -signal.SIGKILL and not output.strip():
            kills += 1
            patience *= 1.3
            continue
        if child.returncode not in {0, -signal.SIGKILL}:
            raise AssertionError(f"the search ended with status {child.returncode} after {kills} kills")
        result = json.loads(output)
        continued += result.pop("resumed_from") > 1
        return Round(kills, continued, result)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", nargs=3, metavar=("LIBRARY", "DIRECTORY", "ALL_ERRORS"))
    arguments = parser.parse_args()
    if arguments.child:
        library, directory, all_errors = arguments.child
        result = search_on_disk(library, directory, all_errors == "1")
        print(json.dumps({**facts(result), "resumed_from": result.resumed_from}), flush=True)
        return
    source = random.Random(arguments.seed)
    scratch = Path(tempfile.mkdtemp(prefix="kill-"))
    try:
        total = 0
        for number in range(arguments.times):
            name, constants = MODELS[number % len(MODELS)]
            model = compile_model(name, scratch, **constants)
            library = next(scratch.glob(f"{name}-{'-'.join(f'{k}{v}' for k, v in constants.items())}.so"))
            expected = facts(search(model, stop_at_first_violation=False))
            began = time.monotonic()
            played = play(library, scratch / "spilled", source)
            total += played.kills
            print(
                f"{number + 1:3}  {library.stem:32}  {expected['states']:9,} states  {played.kills:3} kills  "
                f"{time.monotonic() - began:6.1f} s  {'same' if played.result == expected else 'DIFFERENT'}",
                flush=True,
            )
            if played.result != expected:
                raise SystemExit(f"expected {expected}, got {played.result}")
        print(f"{arguments.times} searches, {total} kills, all ended as the search in memory")
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
