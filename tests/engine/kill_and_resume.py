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
import re
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

from assay import _engine, languages
from assay.evidence.certificate.claim import Claim
from assay.execution.children import environment
from assay.languages.python.program import OPENER
from assay.search.certificate_writing import write_certificate
from assay.transition_system.interface import Opening
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import open_model

MODELS = (
    ("philosophers", {"N": 10, "GREEDY": 0}),
    ("philosophers", {"N": 9, "GREEDY": 1}),
    ("philosophers", {"N": 8, "GREEDY": 0, "STRIDE": 9}),
    ("grid", {"DIMENSIONS": 3, "SIDE": 60}),
    ("grid", {"DIMENSIONS": 3, "SIDE": 50, "GROW": 1}),
    ("dining_philosophers.py", {"PHILOSOPHERS": 6}),
    ("bounded_buffer.py", {"PRODUCERS": 4}),
)
PROGRAMS = Path(__file__).resolve().parents[2] / "examples" / "thesis"
CLAIM = Claim(program="model", language="C", sources=(), tree="breadth-first", version="0")


def compile_program(name: str, folder: Path, **constants: int) -> Path:
    """The image of one of the example programs, with these values for the constants at its top."""
    text = (PROGRAMS / name).read_text()
    for constant, value in constants.items():
        text, count = re.subn(rf"(?m)^{constant} = .*$", f"{constant} = {value}", text)
        assert count == 1
    program = folder / name
    program.write_text(text)
    compiled = languages.load(program, LanguageOptions())
    image = folder / "image"  # it has to outlive the program
    image.write_bytes(Path(compiled.opening.file).read_bytes())
    return image


@dataclass(frozen=True)
class Round:
    kills: int
    had_checkpoint: bool  # the last attempt; one that ended and was killed before it said so leaves none
    continued: bool  # a checkpoint brought states along
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


def search_on_disk(library: str, directory: str, certificate: str, state_limit: int) -> _engine.SearchResult:
    """With "" for the directory the search is in memory, with "" for the certificate none is written."""
    log = None
    if certificate:
        log = _engine.GraphLog(directory or str(Path(certificate).parent))
    result = search(
        open_model(Opening(library, "" if library.endswith(".so") else OPENER)),
        spill_directory=directory,
        resume=True,
        identity=[("program", Path(library).name)],
        checkpoint_seconds=0.02,
        spill_buffer_bytes=1 << 20,
        stop_at_first_violation=False,
        check_deadlock=not certificate,
        state_limit=state_limit,
        log=log,
    )
    if log is not None:
        write(log, Path(certificate), memory_bytes=1 << 20 if directory else 0)
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


def child_for(
    library: Path, directory: Path | None, certificate: Path | None, state_limit: int = 0
) -> subprocess.Popen[bytes]:
    if directory is not None and certificate is not None:
        directory.mkdir(exist_ok=True)
    return subprocess.Popen(
        [
            sys.executable,
            __file__,
            "--child",
            str(library),
            str(directory or ""),
            str(certificate or ""),
            str(state_limit),
        ],
        stdout=subprocess.PIPE,
        env=environment(fixed_hashes=True),
    )


def in_memory(library: Path, certificate: Path | None = None) -> dict[str, object]:
    """What a search in memory finds, in a process of its own."""
    output, _ = child_for(library, None, certificate).communicate()
    result = json.loads(output)
    result.pop("resumed_from")
    return result


def play(library: Path, directory: Path, source: random.Random, certificate: Path | None = None) -> Round:
    """One round; the first attempts are killed, later ones live longer and longer."""
    kills = 0
    patience = 0.3
    while True:
        had_checkpoint = (directory / "assay-checkpoint").exists()
        child = child_for(library, directory, certificate)
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
        continued = result.pop("resumed_from") > 1
        return Round(kills, had_checkpoint, continued, result)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", nargs=4, metavar=("LIBRARY", "DIRECTORY", "CERTIFICATE", "STATE_LIMIT"))
    arguments = parser.parse_args()
    if arguments.child:
        library, directory, certificate, state_limit = arguments.child
        result = search_on_disk(library, directory, certificate, int(state_limit))
        print(json.dumps({**facts(result), "resumed_from": result.resumed_from}), flush=True)
        return
    source = random.Random(arguments.seed)
    scratch = Path(tempfile.mkdtemp(prefix="kill-"))
    try:
        total = 0
        for number in range(arguments.times):
            name, constants = MODELS[number % len(MODELS)]
            if name.endswith(".py"):
                library = compile_program(name, scratch, **constants)
            else:
                compile_model(name, scratch, **constants)
                library = next(scratch.glob(f"{name}-{'-'.join(f'{k}{v}' for k, v in constants.items())}.so"))
            whole, killed = scratch / "whole.assay", scratch / "killed.assay"
            certificate = killed if number % 2 else None
            expected = in_memory(library, whole if certificate else None)
            began = time.monotonic()
            played = play(library, scratch / "spilled", source, certificate)
            total += played.kills
            same = played.result == expected
            if certificate:
                same = same and killed.read_bytes() == whole.read_bytes()
            print(
                f"{number + 1:3}  {name:24}  {expected['states']:9,} states  {played.kills:3} kills  "
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
