"""Kills a search on disk with SIGKILL at random moments until it gets to its end.

python tests/engine/kill_and_resume.py [--times 20] [--seed 1]

Each round begins a search, kills it, continues it, kills it again, and so on;
in the end counts and violations must be those of the search in memory, and so
must the certificate, byte by byte, if there is nothing to object to. The
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
from assay.evidence.certificate.claim import Claim
from assay.search.certificate_writing import write_certificate

MODELS = (
    ("philosophers", {"N": 10, "GREEDY": 0}),
    ("philosophers", {"N": 9, "GREEDY": 1}),
    ("philosophers", {"N": 8, "GREEDY": 0, "STRIDE": 9}),
    ("grid", {"DIMENSIONS": 3, "SIDE": 60}),
    ("grid", {"DIMENSIONS": 3, "SIDE": 50, "GROW": 1}),
)
CLAIM = Claim(program="model", language="C", sources=(), tree="breadth-first", version="0")


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


def search_on_disk(library: str, directory: str, certificate: str) -> _engine.SearchResult:
    """With "" for the certificate none is written."""
    log = None
    if certificate:
        Path(directory).mkdir(exist_ok=True)
        log = _engine.GraphLog(directory)
    result = search(
        _engine.CompiledModel(library),
        spill_directory=directory,
        resume=True,
        identity=[("program", Path(library).name)],
        checkpoint_seconds=0.02,
        spill_buffer_bytes=1 << 20,
        stop_at_first_violation=False,
        check_deadlock=not certificate,
        log=log,
    )
    if log is not None:
        write(log, Path(certificate), memory_bytes=1 << 20)
        log.has_served()
    return result


def write(log: _engine.GraphLog, certificate: Path, *, memory_bytes: int = 0) -> None:
    partial = certificate.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    write_certificate(
        log,
        CLAIM,
        certificate,
        coding="fast",
        subgraphs=True,
        memory_bytes=memory_bytes,
        partial=partial,
        on_frame=lambda _done, _all: True,
    )


def play(library: Path, directory: Path, source: random.Random, certificate: Path | None = None) -> Round:
    """One round; the first attempts are killed, later ones live longer and longer."""
    kills = continued = 0
    patience = 0.3
    while True:
        child = subprocess.Popen(
            [sys.executable, __file__, "--child", str(library), str(directory), str(certificate or "")],
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
    parser.add_argument("--child", nargs=3, metavar=("LIBRARY", "DIRECTORY", "CERTIFICATE"))
    arguments = parser.parse_args()
    if arguments.child:
        library, directory, certificate = arguments.child
        result = search_on_disk(library, directory, certificate)
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
            certificate = scratch / "killed.assay" if number % 2 else None
            log = None if certificate is None else _engine.GraphLog(str(scratch))
            options = {"stop_at_first_violation": False, "check_deadlock": certificate is None}
            expected = facts(search(model, log=log, **options))
            began = time.monotonic()
            played = play(library, scratch / "spilled", source, certificate)
            total += played.kills
            same = played.result == expected
            if log is not None and certificate is not None:
                write(log, scratch / "whole.assay")
                same = same and certificate.read_bytes() == (scratch / "whole.assay").read_bytes()
            print(
                f"{number + 1:3}  {library.stem:32}  {expected['states']:9,} states  {played.kills:3} kills  "
                f"{time.monotonic() - began:6.1f} s  {'certificate ' if certificate else ''}"
                f"{'same' if same else 'DIFFERENT'}",
                flush=True,
            )
            if not same:
                raise SystemExit(f"expected {expected}, got {played.result}")
        print(f"{arguments.times} searches, {total} kills, all ended as the search in memory")
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
